//! What the binary answers to calls, whatever it offers.

use std::time::Duration;

use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request};
use tonic_prost::ProstCodec;

use crate::client::connect;
use crate::client::go_plugin::ConnInfo;
use crate::client::go_plugin::grpc_broker_client::GrpcBrokerClient;
use crate::client::go_plugin::grpc_stdio_client::GrpcStdioClient;
use crate::client::tfplugin6 as wire;
use crate::client::tfplugin6::provider_client::ProviderClient;
use crate::launch::Plugin;
use crate::start::healthy;

#[tokio::test]
async fn schema_and_metadata_agree_and_the_schema_is_optional() {
    let plugin = Plugin::start();
    let mut client = ProviderClient::new(connect(&plugin).await).max_decoding_message_size(64 << 20);
    let metadata = client.get_metadata(wire::get_metadata::Request {}).await.expect("answers").into_inner();
    let schema = client.get_provider_schema(wire::get_provider_schema::Request {}).await;
    let schema = schema.expect("answers").into_inner();
    assert!(schema.provider.is_some() && schema.diagnostics.is_empty());
    assert_eq!(schema.server_capabilities, metadata.server_capabilities);
    assert!(schema.server_capabilities.expect("there").get_provider_schema_optional);
    let mut named: Vec<_> = metadata.data_sources.into_iter().map(|it| it.type_name).collect();
    named.sort();
    assert_eq!(schema.data_source_schemas.into_keys().collect::<Vec<_>>(), named);
    let again = client.get_metadata(wire::get_metadata::Request {}).await.expect("answers").into_inner();
    assert_eq!(again.server_capabilities, metadata.server_capabilities);
}

#[tokio::test]
async fn what_is_not_implemented_says_so() {
    let plugin = Plugin::start();
    let mut client = Grpc::new(connect(&plugin).await);
    for path in [
        "/tfplugin6.Provider/OpenEphemeralResource",
        "/tfplugin6.Provider/GetResourceIdentitySchemas",
        "/tfplugin5.Provider/GetSchema",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    ] {
        client.ready().await.expect("ready");
        let codec = ProstCodec::<wire::get_metadata::Request, wire::get_metadata::Response>::default();
        let request = Request::new(wire::get_metadata::Request {});
        let status = client.unary(request, PathAndQuery::from_static(path), codec).await;
        assert_eq!(status.expect_err("there is none").code(), Code::Unimplemented, "{path}");
    }
}

#[tokio::test]
async fn a_value_that_cannot_be_read_is_a_diagnostic() {
    let plugin = Plugin::start();
    let mut client = ProviderClient::new(connect(&plugin).await);
    for value in [(vec![0xc1], vec![]), (vec![], b"{".to_vec()), (vec![0xdf, 0xff, 0xff, 0xff, 0xff], vec![])]
    {
        let config = Some(wire::DynamicValue { msgpack: value.0, json: value.1 });
        let request = wire::validate_provider_config::Request { config: config.clone() };
        let answer = client.validate_provider_config(request).await.expect("no gRPC error").into_inner();
        assert_eq!(answer.diagnostics[0].summary, "Unreadable value");
        let request = wire::configure_provider::Request { config, ..Default::default() };
        let answer = client.configure_provider(request).await.expect("no gRPC error").into_inner();
        assert_eq!(answer.diagnostics[0].severity(), wire::diagnostic::Severity::Error);
    }
}

#[tokio::test]
async fn an_unknown_name_is_a_diagnostic() {
    let plugin = Plugin::start();
    let mut client = ProviderClient::new(connect(&plugin).await);
    let type_name = "eksaddon_no_such_thing".to_owned();
    let request = wire::read_data_source::Request { type_name: type_name.clone(), ..Default::default() };
    let answer = client.read_data_source(request).await.expect("no gRPC error").into_inner();
    assert_eq!((answer.diagnostics.len(), answer.state), (1, None));
    let request = wire::read_resource::Request { type_name: type_name.clone(), ..Default::default() };
    let answer = client.read_resource(request).await.expect("no gRPC error").into_inner();
    assert!(answer.diagnostics[0].detail.contains(&type_name));
}

/// gRPC's own limit is 4 MB, which a plan can exceed (A7).
#[tokio::test]
async fn a_message_of_20_mb_is_read() {
    let plugin = Plugin::start();
    let mut client = ProviderClient::new(connect(&plugin).await);
    let mut msgpack = vec![0xdb, 0x01, 0x31, 0x2d, 0x00];
    msgpack.resize(msgpack.len() + 20_000_000, b'x');
    let config = Some(wire::DynamicValue { msgpack, json: vec![] });
    let request = wire::validate_provider_config::Request { config };
    let answer = client.validate_provider_config(request).await.expect("is read").into_inner();
    // A string is not an object: it was read, and refused in words.
    assert_eq!(answer.diagnostics[0].summary, "Unreadable value");
}

#[tokio::test]
async fn a_stop_is_answered_without_error_and_ends_nothing_else() {
    let plugin = Plugin::start();
    let channel = connect(&plugin).await;
    let mut client = ProviderClient::new(channel.clone());
    let answer = client.stop_provider(wire::stop_provider::Request {}).await.expect("answers").into_inner();
    assert_eq!(answer.error, "");
    assert_eq!(healthy(channel).await.ok(), Some(true));
}

#[tokio::test]
async fn the_streams_of_go_plugin_stay_open_in_silence() {
    let plugin = Plugin::start();
    let channel = connect(&plugin).await;
    let stdio = GrpcStdioClient::new(channel.clone()).stream_stdio(()).await;
    let mut stdio = stdio.expect("opens").into_inner();
    let outgoing = tokio_stream::pending::<ConnInfo>();
    let broker = GrpcBrokerClient::new(channel.clone()).start_stream(outgoing).await;
    let mut broker = broker.expect("opens").into_inner();
    let quiet = Duration::from_millis(100);
    assert!(tokio::time::timeout(quiet, stdio.message()).await.is_err(), "stdio spoke or ended");
    assert!(tokio::time::timeout(quiet, broker.message()).await.is_err(), "the broker spoke or ended");
    assert_eq!(healthy(channel).await.ok(), Some(true));
}
