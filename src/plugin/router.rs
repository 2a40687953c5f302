//! Sends each call to its service by the first part of its path.

use std::convert::Infallible;
use std::task::{Context, Poll};

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::HealthService;

use super::control::Control;
use super::proto::go_plugin::grpc_broker_server::GrpcBrokerServer;
use super::proto::go_plugin::grpc_controller_server::GrpcControllerServer;
use super::proto::go_plugin::grpc_stdio_server::GrpcStdioServer;
use super::proto::tfplugin6::provider_server::ProviderServer;
use super::service::ProviderService;
use crate::tf::Provider;

/// Greatest message either way: schemas and states can be large (A7).
const LARGEST_MESSAGE: usize = 256 * 1024 * 1024;

/// All services of the process.
pub(crate) struct Router<P: Provider> {
    provider: ProviderServer<ProviderService<P>>,
    controller: GrpcControllerServer<Control>,
    broker: GrpcBrokerServer<Control>,
    stdio: GrpcStdioServer<Control>,
    health: HealthServer<HealthService>,
}

impl<P: Provider> Router<P> {
    /// The services that a plugin of Terraform has.
    pub(crate) fn new(provider: ProviderService<P>, control: Control, health: HealthService) -> Self {
        let provider = ProviderServer::new(provider)
            .max_decoding_message_size(LARGEST_MESSAGE)
            .max_encoding_message_size(LARGEST_MESSAGE);
        Self {
            provider,
            controller: GrpcControllerServer::new(control.clone()),
            broker: GrpcBrokerServer::new(control.clone()),
            stdio: GrpcStdioServer::new(control),
            health: HealthServer::new(health),
        }
    }
}

// Derived, this would ask for `P: Clone`.
impl<P: Provider> Clone for Router<P> {
    fn clone(&self) -> Self {
        Self {
            provider: self.provider.clone(),
            controller: self.controller.clone(),
            broker: self.broker.clone(),
            stdio: self.stdio.clone(),
            health: self.health.clone(),
        }
    }
}

impl<P: Provider> Service<Request<Body>> for Router<P> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let service = request.uri().path().split('/').nth(1).unwrap_or_default();
        match service {
            ProviderServer::<ProviderService<P>>::NAME => self.provider.call(request),
            GrpcControllerServer::<Control>::NAME => self.controller.call(request),
            GrpcBrokerServer::<Control>::NAME => self.broker.call(request),
            GrpcStdioServer::<Control>::NAME => self.stdio.call(request),
            HealthServer::<HealthService>::NAME => self.health.call(request),
            // L4. An unknown RPC of a known service is answered alike by the generated code.
            _ => Box::pin(async { Ok(Status::unimplemented("no such service").into_http()) }),
        }
    }
}
