//! go-plugin's own services: the end of the process, and two streams that carry nothing (A5).

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_stream::{Pending, StreamExt, pending};
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming, async_trait};

use super::proto::go_plugin::grpc_broker_server::GrpcBroker;
use super::proto::go_plugin::grpc_controller_server::GrpcController;
use super::proto::go_plugin::grpc_stdio_server::GrpcStdio;
use super::proto::go_plugin::{ConnInfo, Empty, StdioData};

/// Hears when Terraform wants the process to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Control(Arc<Notify>);

impl Control {
    /// Waits until Terraform has asked.
    pub(crate) async fn asked_to_end(&self) {
        self.0.notified().await;
    }
}

#[async_trait]
impl GrpcController for Control {
    async fn shutdown(&self, _request: Request<Empty>) -> Result<Response<Empty>, Status> {
        tracing::debug!("Terraform asks for the end");
        self.0.notify_one();
        Ok(Response::new(Empty {}))
    }
}

#[async_trait]
impl GrpcBroker for Control {
    type StartStreamStream = BoxStream<ConnInfo>;

    /// Stays open as long as the client's side; there is nothing to broker.
    async fn start_stream(
        &self,
        request: Request<Streaming<ConnInfo>>,
    ) -> Result<Response<Self::StartStreamStream>, Status> {
        let nothing = request.into_inner().filter_map(|_| None);
        Ok(Response::new(Box::pin(nothing)))
    }
}

#[async_trait]
impl GrpcStdio for Control {
    type StreamStdioStream = Pending<Result<StdioData, Status>>;

    /// Stays open in silence: stdout carries nothing but the handshake, and Terraform reads stderr
    /// from the pipe (A6).
    async fn stream_stdio(&self, _request: Request<()>) -> Result<Response<Self::StreamStdioStream>, Status> {
        Ok(Response::new(pending()))
    }
}
