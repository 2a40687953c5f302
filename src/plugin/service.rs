//! The service `tfplugin6.Provider` over any [`Provider`].

mod answer;
mod calls;
mod guard;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::sync::Arc;

use tonic::{Request, Response, Status, async_trait};

use super::proto::tfplugin6 as wire;
use super::proto::tfplugin6::provider_server;
use crate::tf::{Diagnostic, Provider};

use answer::Answer;
use calls::{Calls, unknown};
pub(crate) use guard::Stop;

type Answered<R> = Result<Response<R>, Status>;

/// Answers Terraform's calls.
pub(crate) struct ProviderService<P> {
    calls: Arc<Calls<P>>,
    stop: Stop,
}

impl<P: Provider> ProviderService<P> {
    /// Serves `provider` until `stop`.
    pub(crate) fn new(provider: P, stop: Stop) -> Self {
        Self { calls: Arc::new(Calls::new(provider)), stop }
    }

    /// Runs one call; whatever happens to it, the answer is a response and never a gRPC error.
    async fn answer<R, F>(&self, rpc: &'static str, work: impl FnOnce(Arc<Calls<P>>) -> F) -> Answered<R>
    where
        R: Answer,
        F: Future<Output = Result<R, Diagnostic>> + Send + 'static,
    {
        tracing::trace!(rpc, "called");
        let result = guard::run(&self.stop, work(Arc::clone(&self.calls))).await;
        let result = result.unwrap_or_else(|interruption| Err(interruption.diagnostic(rpc)));
        let response = result.unwrap_or_else(|diagnostic| {
            tracing::debug!(rpc, summary = diagnostic.summary, "failed");
            R::failed(diagnostic)
        });
        tracing::trace!(rpc, "answered");
        Ok(Response::new(response))
    }
}

/// There are no resources: any name is unknown.
fn no_resource<R: Answer>(type_name: &str) -> Answered<R> {
    Ok(Response::new(R::failed(unknown("resource", type_name))))
}

#[async_trait]
impl<P: Provider> provider_server::Provider for ProviderService<P> {
    async fn get_metadata(
        &self,
        _request: Request<wire::get_metadata::Request>,
    ) -> Answered<wire::get_metadata::Response> {
        self.answer("GetMetadata", |calls| async move { Ok(calls.metadata()) }).await
    }

    async fn get_provider_schema(
        &self,
        _request: Request<wire::get_provider_schema::Request>,
    ) -> Answered<wire::get_provider_schema::Response> {
        self.answer("GetProviderSchema", |calls| async move { Ok(calls.schema()) }).await
    }

    async fn validate_provider_config(
        &self,
        request: Request<wire::validate_provider_config::Request>,
    ) -> Answered<wire::validate_provider_config::Response> {
        let request = request.into_inner();
        self.answer("ValidateProviderConfig", |calls| async move { calls.validate_provider(request) }).await
    }

    async fn configure_provider(
        &self,
        request: Request<wire::configure_provider::Request>,
    ) -> Answered<wire::configure_provider::Response> {
        let request = request.into_inner();
        self.answer("ConfigureProvider", |calls| async move { calls.configure(request).await }).await
    }

    async fn validate_data_resource_config(
        &self,
        request: Request<wire::validate_data_resource_config::Request>,
    ) -> Answered<wire::validate_data_resource_config::Response> {
        let request = request.into_inner();
        let work = |calls: Arc<Calls<P>>| async move { calls.validate_data_source(request) };
        self.answer("ValidateDataResourceConfig", work).await
    }

    async fn read_data_source(
        &self,
        request: Request<wire::read_data_source::Request>,
    ) -> Answered<wire::read_data_source::Response> {
        let request = request.into_inner();
        self.answer("ReadDataSource", |calls| async move { calls.read_data_source(request).await }).await
    }

    async fn validate_resource_config(
        &self,
        request: Request<wire::validate_resource_config::Request>,
    ) -> Answered<wire::validate_resource_config::Response> {
        no_resource(&request.get_ref().type_name)
    }

    async fn upgrade_resource_state(
        &self,
        request: Request<wire::upgrade_resource_state::Request>,
    ) -> Answered<wire::upgrade_resource_state::Response> {
        no_resource(&request.get_ref().type_name)
    }

    async fn read_resource(
        &self,
        request: Request<wire::read_resource::Request>,
    ) -> Answered<wire::read_resource::Response> {
        no_resource(&request.get_ref().type_name)
    }

    async fn plan_resource_change(
        &self,
        request: Request<wire::plan_resource_change::Request>,
    ) -> Answered<wire::plan_resource_change::Response> {
        no_resource(&request.get_ref().type_name)
    }

    async fn apply_resource_change(
        &self,
        request: Request<wire::apply_resource_change::Request>,
    ) -> Answered<wire::apply_resource_change::Response> {
        no_resource(&request.get_ref().type_name)
    }

    async fn import_resource_state(
        &self,
        request: Request<wire::import_resource_state::Request>,
    ) -> Answered<wire::import_resource_state::Response> {
        no_resource(&request.get_ref().type_name)
    }

    async fn move_resource_state(
        &self,
        request: Request<wire::move_resource_state::Request>,
    ) -> Answered<wire::move_resource_state::Response> {
        no_resource(&request.get_ref().target_type_name)
    }

    async fn get_functions(
        &self,
        _request: Request<wire::get_functions::Request>,
    ) -> Answered<wire::get_functions::Response> {
        Ok(Response::new(wire::get_functions::Response::default()))
    }

    async fn call_function(
        &self,
        request: Request<wire::call_function::Request>,
    ) -> Answered<wire::call_function::Response> {
        let diagnostic = unknown("function", &request.get_ref().name);
        Ok(Response::new(wire::call_function::Response::failed(diagnostic)))
    }

    /// Answers at once; the calls in flight answer for themselves (A8).
    async fn stop_provider(
        &self,
        _request: Request<wire::stop_provider::Request>,
    ) -> Answered<wire::stop_provider::Response> {
        tracing::debug!("Terraform stops the provider");
        self.stop.now();
        Ok(Response::new(wire::stop_provider::Response::default()))
    }
}
