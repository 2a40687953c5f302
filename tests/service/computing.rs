//! A provider that computes without end: whatever its calls do, Terraform and the system are obeyed.
//!
//! The real binary has no call that computes for long, and is to have no switch for one. So this test
//! binary starts itself as a provider that does.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use eksaddon::plugin::{self, Environment};
use eksaddon::tf::provider::Work;
use eksaddon::tf::{Block, ConfigureRequest, DataSource, Diagnostics, Provider, Reply, Schema, Value};
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::client::go_plugin::Empty;
use crate::client::go_plugin::grpc_controller_client::GrpcControllerClient;
use crate::client::tfplugin6 as wire;
use crate::client::tfplugin6::provider_client::ProviderClient;
use crate::client::{connect, connect_as};
use crate::launch::{Plugin, SOON};
use crate::start::healthy;

/// More than any provider has threads for.
const CALLS: usize = 40;

/// When the provider ends all its computing. Longer than any test waits, and not for ever: should a
/// test go wrong, nothing is left running.
const LONG: Duration = Duration::from_secs(60);

/// When the provider was first called.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

struct Computing;

impl Provider for Computing {
    fn schema(&self) -> Schema {
        Schema { version: 0, block: Block::default() }
    }

    fn validate_config(&self, _config: &Value) -> Diagnostics {
        Diagnostics::default()
    }

    fn configure(&self, _request: ConfigureRequest) -> Work<'_, Diagnostics> {
        Box::pin(async { Diagnostics::default() })
    }

    fn data_sources(&self) -> Vec<(&'static str, &dyn DataSource)> {
        vec![("computing_long", self)]
    }
}

impl DataSource for Computing {
    fn schema(&self) -> Schema {
        Provider::schema(self)
    }

    fn validate(&self, _config: &Value) -> Diagnostics {
        Diagnostics::default()
    }

    fn read(&self, config: Value) -> Work<'_, Reply> {
        Box::pin(async {
            while START.elapsed() < LONG {
                std::hint::spin_loop();
            }
            (Some(config), Diagnostics::default())
        })
    }
}

#[test]
#[ignore = "the provider of the other tests here, which start it; by itself it tests nothing"]
fn provider() {
    let environment = Environment::new(std::env::vars_os());
    if plugin::handshake::has_cookie(&environment) {
        plugin::serve(&environment, Computing).expect("serves");
    }
}

/// The provider above, started by `start`: `$0` in a shell, with these as its arguments.
fn start(script: &str) -> Plugin {
    let this = std::env::current_exe().expect("has a path");
    let this = this.to_str().expect("text");
    // Two threads and no words, or its name stands before the handshake in one line.
    let only = ["--exact", "computing::provider", "--ignored", "--nocapture", "--quiet", "--test-threads=2"];
    Plugin::start_with("/bin/sh", &[&["-c", script, this], &only[..]].concat(), &[])
}

/// The provider as our child.
fn start_alone() -> Plugin {
    start("exec \"$0\" \"$@\"")
}

/// Makes so many calls that compute that some of them have to wait for a thread.
async fn compute(channel: &Channel) -> JoinSet<wire::read_data_source::Response> {
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let mut client = ProviderClient::new(channel.clone());
        let config = Some(wire::DynamicValue { msgpack: vec![0x80], json: vec![] });
        let request = wire::read_data_source::Request {
            type_name: "computing_long".into(),
            config,
            ..Default::default()
        };
        calls.spawn(async move { client.read_data_source(request).await.expect("answers").into_inner() });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(calls.try_join_next().is_none(), "a call is done");
    calls
}

#[tokio::test]
async fn a_stop_and_new_clients_are_answered_at_once() {
    let mut plugin = start_alone();
    let channel = connect(&plugin).await;
    let calls = compute(&channel).await;
    let asked = Instant::now();
    assert_eq!(healthy(channel.clone()).await.ok(), Some(true));
    let another = connect_as(&plugin, Some(&plugin.client)).await.expect("connects");
    assert_eq!(healthy(another).await.ok(), Some(true));
    let stopped = ProviderClient::new(channel.clone()).stop_provider(wire::stop_provider::Request {}).await;
    assert_eq!(stopped.expect("answers").into_inner().error, "");
    for response in calls.join_all().await {
        assert_eq!(response.diagnostics[0].summary, "Stopped");
    }
    eprintln!("stop of calls that compute: answered after {:?}", asked.elapsed());
    assert!(asked.elapsed() < SOON);
    let asked = Instant::now();
    GrpcControllerClient::new(channel).shutdown(Empty {}).await.expect("is answered");
    assert!(plugin.wait().0.success());
    eprintln!("shutdown while calls compute: gone after {:?}", asked.elapsed());
    plugin.left_nothing();
}

#[tokio::test]
async fn a_termination_is_obeyed() {
    let mut plugin = start_alone();
    let channel = connect(&plugin).await;
    let mut calls = compute(&channel).await;
    plugin.signal("TERM");
    let (status, took) = plugin.wait();
    eprintln!("termination while calls compute: gone after {took:?}");
    assert!(status.success());
    plugin.left_nothing();
    calls.detach_all();
}

#[tokio::test]
async fn no_orphan_stays_when_its_parent_is_killed() {
    // Without `wait` the shell would become the provider.
    let mut plugin = start("\"$0\" \"$@\" & wait");
    let channel = connect(&plugin).await;
    let mut calls = compute(&channel).await;
    plugin.kill();
    let killed = Instant::now();
    plugin.rest_of_stdout();
    eprintln!("orphan that computes: gone after {:?}", killed.elapsed());
    assert!(killed.elapsed() < SOON);
    plugin.left_nothing();
    calls.detach_all();
}
