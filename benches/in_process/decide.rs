//! How long it takes to resolve, render, validate and simulate one request, once schemas are compiled.

use criterion::Criterion;
use eksaddon::catalog::Catalog;
use eksaddon::config::read_scheduling;
use eksaddon::scheduling::Scheduler;
use eksaddon::tf::Value;

use crate::inputs::{
    self,
    Addons::{AllOnAllPools, FiveOnAllPools, One, Three, ThreeOnAllPools},
};

/// Measures.
pub(crate) fn bench(criterion: &mut Criterion) {
    let mut bench = |name: &str, config: Value| {
        let request = read_scheduling(&config).request;
        let scheduler = Scheduler::new(Catalog::embedded());
        criterion.bench_function(&format!("decide/{name}"), |bencher| {
            bencher.iter(|| scheduler.decide(&request));
        });
    };
    bench("3 pools, 1 add-on", inputs::config(3, One));
    bench("3 pools, 3 add-ons", inputs::config(3, Three));
    bench("20 pools, 3 add-ons", inputs::config(20, Three));
    bench("1000 pools, 3 add-ons", inputs::config(1000, Three));
    bench("20 pools, 3 add-ons, all taints written out", inputs::config(20, ThreeOnAllPools));
    bench("1000 pools, 3 add-ons, all taints written out", inputs::config(1000, ThreeOnAllPools));
    bench("20 pools, 19 add-ons, all taints written out", inputs::config(20, AllOnAllPools));
    // Twice: growth shall be linear in the pools.
    bench("1000 pools, 5 add-ons, all taints written out", inputs::config(1000, FiveOnAllPools));
    bench("2000 pools, 5 add-ons, all taints written out", inputs::config(2000, FiveOnAllPools));
}
