//! The service over a toy provider: what can go wrong in a call is told to the user.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tonic::Request;

use super::ProviderService;
use super::guard::Stop;
use crate::plugin::proto::tfplugin6 as wire;
use crate::plugin::proto::tfplugin6::provider_server::Provider as _;
use crate::plugin::{convert, serve};
use crate::tf::provider::Work;
use crate::tf::{
    Attribute, Block, ConfigureRequest, DataSource, Diagnostic, Diagnostics, Mode, Path, Provider, Reply,
    Schema, Type, Value,
};

/// Longest that what is to happen at once may take on a machine that does much else.
const SOON: Duration = Duration::from_secs(5);

/// A provider whose only data source does what its argument `mode` says.
struct Toy(Moody);

/// Computes until this is true.
struct Moody(Arc<AtomicBool>);

/// Keeps its thread busy, as an endless loop of ours would.
fn compute_until(end: &AtomicBool) {
    while !end.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
}

fn schema() -> Schema {
    let mode = Attribute::new(Type::String, Mode::Required, "What to do.");
    let any = Attribute::new(Type::Dynamic, Mode::Optional, "Anything.");
    let attributes = [("mode".to_owned(), mode), ("any".to_owned(), any)].into();
    Schema { version: 0, block: Block { attributes, ..Block::default() } }
}

impl Provider for Toy {
    fn schema(&self) -> Schema {
        schema()
    }

    fn validate_config(&self, _config: &Value) -> Diagnostics {
        Diagnostic::warning(Path::attribute_of_root("mode"), "seen", "").into()
    }

    fn configure(&self, request: ConfigureRequest) -> Work<'_, Diagnostics> {
        Box::pin(async move { panic!("no {}", request.terraform_version) })
    }

    fn data_sources(&self) -> Vec<(&'static str, &dyn DataSource)> {
        vec![("toy_moody", &self.0)]
    }
}

impl DataSource for Moody {
    fn schema(&self) -> Schema {
        schema()
    }

    fn validate(&self, _config: &Value) -> Diagnostics {
        Diagnostics::default()
    }

    fn read(&self, config: Value) -> Work<'_, Reply> {
        Box::pin(async move {
            match config.get("mode") {
                Value::String(mode) if mode == "wait" => std::future::pending().await,
                Value::String(mode) if mode == "compute" => {
                    compute_until(&self.0);
                    (Some(config), Diagnostics::default())
                }
                Value::String(mode) if mode == "panic" => panic!("in a bad mood"),
                Value::String(mode) if mode == "nothing" => (None, Diagnostics::default()),
                Value::String(mode) if mode == "misfit" => (Some(Value::Bool(true)), Diagnostics::default()),
                _ => (Some(config), Diagnostics::default()),
            }
        })
    }
}

fn service() -> Arc<ProviderService<Toy>> {
    computing_until(&Arc::default())
}

fn computing_until(end: &Arc<AtomicBool>) -> Arc<ProviderService<Toy>> {
    Arc::new(ProviderService::new(Toy(Moody(Arc::clone(end))), Stop::default()))
}

fn config(mode: &str) -> Option<wire::DynamicValue> {
    let value = Value::mapping([("mode", Value::string(mode)), ("any", Value::Null)]);
    Some(convert::dynamic_value(&value, &schema().block.implied_type()).expect("fits"))
}

async fn read(
    service: &ProviderService<Toy>,
    type_name: &str,
    config: Option<wire::DynamicValue>,
) -> wire::read_data_source::Response {
    let request =
        wire::read_data_source::Request { type_name: type_name.into(), config, ..Default::default() };
    let answer = service.read_data_source(Request::new(request)).await;
    answer.expect("never a gRPC error").into_inner()
}

/// The one error of a response that must have no state.
async fn error_of(type_name: &str, config: Option<wire::DynamicValue>) -> String {
    let response = read(&service(), type_name, config).await;
    assert_eq!((response.state, response.diagnostics.len()), (None, 1));
    let diagnostic = &response.diagnostics[0];
    assert_eq!(diagnostic.severity(), wire::diagnostic::Severity::Error);
    format!("{}: {}", diagnostic.summary, diagnostic.detail)
}

#[tokio::test]
async fn a_value_that_is_read_is_echoed() {
    let response = read(&service(), "toy_moody", config("fine")).await;
    assert_eq!((response.state, response.diagnostics), (config("fine"), vec![]));
}

#[tokio::test]
async fn whatever_goes_wrong_is_one_diagnostic() {
    let cases = [
        ("panic", "Bug in the eksaddon provider: ReadDataSource panicked: in a bad mood"),
        ("nothing", "Bug in the eksaddon provider: toy_moody gave neither a value nor an error"),
        ("misfit", "Bug in the eksaddon provider: toy_moody gave a value that does not fit its schema"),
    ];
    for (mode, begins) in cases {
        let error = error_of("toy_moody", config(mode)).await;
        assert!(error.starts_with(begins), "{error}");
    }
    let garbage = wire::DynamicValue { msgpack: vec![0xc1], json: vec![] };
    let error = error_of("toy_moody", Some(garbage)).await;
    assert!(error.starts_with("Unreadable value: Terraform sent a value for toy_moody"), "{error}");
    let error = error_of("toy_absent", config("fine")).await;
    assert!(error.starts_with("Unknown data source") && error.contains("\"toy_absent\""), "{error}");
}

#[tokio::test]
async fn a_panic_does_not_end_the_service() {
    let service = service();
    let request =
        wire::configure_provider::Request { terraform_version: "1.2.3".into(), ..Default::default() };
    let answer = service.configure_provider(Request::new(request)).await.expect("never a gRPC error");
    assert!(answer.into_inner().diagnostics[0].detail.starts_with("ConfigureProvider panicked: no 1.2.3"));
    assert!(read(&service, "toy_moody", config("fine")).await.state.is_some());
}

#[tokio::test]
async fn a_stop_answers_the_calls_in_flight_and_not_the_next() {
    let service = service();
    let waiting = tokio::spawn({
        let service = Arc::clone(&service);
        async move { read(&service, "toy_moody", config("wait")).await }
    });
    tokio::time::sleep(Duration::from_millis(10)).await;
    let stopped = service.stop_provider(Request::new(wire::stop_provider::Request {})).await;
    assert_eq!(stopped.expect("never a gRPC error").into_inner().error, "");
    let response = waiting.await.expect("answers");
    assert_eq!(response.diagnostics[0].summary, "Stopped");
    assert!(read(&service, "toy_moody", config("fine")).await.state.is_some());
}

/// On the runtime that serves, with more calls than it has threads for: all of them are stopped at
/// once, those that compute and those that wait their turn, and nobody waits for the threads.
#[test]
fn calls_that_compute_on_every_thread_hold_up_neither_a_stop_nor_the_end() {
    let (end, runtime) = (Arc::default(), serve::runtime().expect("a runtime"));
    let service = computing_until(&end);
    runtime.block_on(async {
        let calls: Vec<_> = (0..2 * serve::CALLS_AT_ONCE)
            .map(|_| {
                let service = Arc::clone(&service);
                tokio::spawn(async move { read(&service, "toy_moody", config("compute")).await })
            })
            .collect();
        // The clock still goes, and no call is done.
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(calls.iter().all(|call| !call.is_finished()));
        let start = Instant::now();
        let stopped = service.stop_provider(Request::new(wire::stop_provider::Request {})).await;
        assert_eq!(stopped.expect("never a gRPC error").into_inner().error, "");
        for call in calls {
            assert_eq!(call.await.expect("answers").diagnostics[0].summary, "Stopped");
        }
        assert!(start.elapsed() < SOON, "stopped after {:?}", start.elapsed());
    });
    let start = Instant::now();
    runtime.shutdown_background();
    assert!(start.elapsed() < SOON, "ended after {:?}", start.elapsed());
    end.store(true, Ordering::Relaxed);
}

/// Calls that compute are not served one after the other.
#[test]
fn as_many_calls_as_threads_are_worked_on_at_once() {
    let (end, runtime) = (Arc::default(), serve::runtime().expect("a runtime"));
    let service = computing_until(&end);
    runtime.block_on(async {
        let computing = (1..serve::CALLS_AT_ONCE).map(|_| {
            let service = Arc::clone(&service);
            tokio::spawn(async move { read(&service, "toy_moody", config("compute")).await })
        });
        let computing: Vec<_> = computing.collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
        // One thread is left, and whoever comes last gets it.
        assert!(read(&service, "toy_moody", config("fine")).await.state.is_some());
        end.store(true, Ordering::Relaxed);
        for call in computing {
            assert_eq!(call.await.expect("answers").state, config("compute"));
        }
    });
}

#[tokio::test]
async fn schema_and_metadata_name_the_same_and_need_no_configuration() {
    let service = service();
    let schema = service.get_provider_schema(Request::new(wire::get_provider_schema::Request {})).await;
    let metadata = service.get_metadata(Request::new(wire::get_metadata::Request {})).await;
    let (schema, metadata) = (schema.expect("answers").into_inner(), metadata.expect("answers").into_inner());
    assert_eq!(schema.server_capabilities, metadata.server_capabilities);
    assert!(metadata.server_capabilities.expect("there").get_provider_schema_optional);
    let named: Vec<_> = metadata.data_sources.iter().map(|it| &it.type_name).collect();
    assert_eq!(schema.data_source_schemas.keys().collect::<Vec<_>>(), named);
    // B1: a provider schema even if there is nothing in it.
    assert!(schema.provider.is_some());
}

#[tokio::test]
async fn resources_and_functions_are_unknown_in_words() {
    let service = service();
    let request = wire::plan_resource_change::Request { type_name: "toy_x".into(), ..Default::default() };
    let answer = service.plan_resource_change(Request::new(request)).await.expect("never a gRPC error");
    assert_eq!(answer.into_inner().diagnostics[0].summary, "Unknown resource");
    let request =
        wire::move_resource_state::Request { target_type_name: "toy_y".into(), ..Default::default() };
    let answer = service.move_resource_state(Request::new(request)).await.expect("never a gRPC error");
    assert!(answer.into_inner().diagnostics[0].detail.contains("toy_y"));
    let request = wire::call_function::Request { name: "f".into(), arguments: vec![] };
    let answer = service.call_function(Request::new(request)).await.expect("never a gRPC error");
    assert!(answer.into_inner().error.expect("an error").text.starts_with("Unknown function"));
}

/// Bytes that are nearly right find more than bytes at random: parts of a good value, changed.
fn nearly_a_value() -> impl Strategy<Value = Vec<u8>> {
    let good = config("fine").expect("a value").msgpack;
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let mutated = (changes, any::<prop::sample::Index>()).prop_map(move |(changes, end)| {
        let mut bytes = good.clone();
        changes.iter().for_each(|(at, byte)| *at.get_mut(&mut bytes) = *byte);
        bytes.truncate(end.index(bytes.len()) + 1);
        bytes
    });
    prop_oneof![mutated, proptest::collection::vec(any::<u8>(), 0..64)]
}

proptest! {
    #[test]
    fn no_bytes_make_a_call_fail_or_panic(msgpack in nearly_a_value(), json in nearly_a_value()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let config = Some(wire::DynamicValue { msgpack, json });
        runtime.block_on(async {
            let service = service();
            let request = wire::validate_provider_config::Request { config: config.clone() };
            let answer = service.validate_provider_config(Request::new(request)).await;
            let mut diagnostics = answer.expect("never a gRPC error").into_inner().diagnostics;
            let type_name = "toy_moody".to_owned();
            let request = wire::validate_data_resource_config::Request { type_name, config: config.clone() };
            let answer = service.validate_data_resource_config(Request::new(request)).await;
            diagnostics.extend(answer.expect("never a gRPC error").into_inner().diagnostics);
            diagnostics.extend(read(&service, "toy_moody", config).await.diagnostics);
            assert!(!diagnostics.iter().any(|it| it.summary.starts_with("Bug")), "{diagnostics:?}");
        });
    }
}
