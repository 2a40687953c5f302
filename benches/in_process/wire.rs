//! How long the way from Terraform's bytes to a request takes, and a whole `ReadDataSource` without gRPC.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use criterion::Criterion;
use eksaddon::catalog::Catalog;
use eksaddon::config::read_scheduling;
use eksaddon::provider::EksAddonProvider;
use eksaddon::tf::{Provider, msgpack};

use crate::inputs::{
    self,
    Addons::{One, Three},
};

/// The data source that is measured.
const NAME: &str = "eksaddon_scheduling";

/// The result of work that never waits; a runtime would only add to the figures.
fn ready<T>(mut work: Pin<Box<dyn Future<Output = T> + Send + '_>>) -> T {
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the embedded catalog never waits"),
    }
}

/// Measures.
pub(crate) fn bench(criterion: &mut Criterion) {
    let provider = EksAddonProvider::new(Catalog::embedded());
    let source = provider.data_source(NAME).expect("the data source exists");
    for (name, config) in [
        ("3 pools, 1 add-on", inputs::config(3, One)),
        ("20 pools, 3 add-ons", inputs::config(20, Three)),
        ("1000 pools, 3 add-ons", inputs::config(1000, Three)),
    ] {
        let (bytes, ty) = inputs::bytes(&config, source);
        let decode = || msgpack::decode(&bytes, &ty).expect("these are its bytes");
        criterion.bench_function(&format!("decode/{name}"), |bencher| {
            bencher.iter(|| read_scheduling(&decode()));
        });
        criterion.bench_function(&format!("ReadDataSource/{name}"), |bencher| {
            bencher.iter(|| {
                let (state, diagnostics) = ready(source.read(decode()));
                let state = state.unwrap_or_else(|| panic!("no state: {diagnostics:?}"));
                msgpack::encode(&state, &ty).expect("the state fits the schema")
            });
        });
    }
}
