//! From start to end: handshake, connections, calls, and the reason to stop.

use std::fmt;
use std::future::Future;
use std::io::{self, Write};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tonic_health::server::{HealthReporter, HealthService};

use super::control::Control;
use super::handshake::{self, Address, Refusal};
use super::incoming::{self, Connections, Door};
use super::lifetime::{self, Interrupt, Watch};
use super::listener::Listener;
use super::router::Router;
use super::service::{ProviderService, Stop};
use super::tls::{Identity, TlsError};
use super::{Environment, reattach};
use crate::tf::Provider;

/// The name under which go-plugin asks for our health (A5).
const HEALTH: &str = "plugin";

/// Longest wait, after Terraform has asked for the end, for it to read the answer and hang up. It
/// hangs up within a millisecond; whoever does not is not waited for (A5: gone within 50 ms).
const LAST_ANSWERS: Duration = Duration::from_millis(20);

/// Calls that are worked on at once, each in a thread; others wait their turn. Terraform makes ten calls
/// at once unless told otherwise, and more threads than that gain nothing.
pub(super) const CALLS_AT_ONCE: usize = 16;

/// Why the provider did not serve, or not to the end.
#[derive(Debug)]
pub enum ServeError {
    /// Whoever started us is not to be served.
    Refused(Refusal),
    /// No server certificate.
    Tls(TlsError),
    /// The operating system refuses what is needed; what that was.
    System(&'static str, io::Error),
    /// gRPC ended by itself.
    Server(tonic::transport::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => write!(f, "{refusal}"),
            Self::Tls(error) => write!(f, "{error}"),
            Self::System(what, error) => write!(f, "{what}: {error}"),
            Self::Server(error) => write!(f, "the server ended: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Serves the Terraform that started this process, and nobody else, until it is done with us.
///
/// # Errors
/// The start is refused, or the operating system refuses what is needed.
pub fn serve<P: Provider>(environment: &Environment, provider: P) -> Result<(), ServeError> {
    let watch = Watch::start();
    let invitation = handshake::invitation(environment).map_err(ServeError::Refused)?;
    let identity = Identity::new(invitation.client_certificate.clone()).map_err(ServeError::Tls)?;
    let announce = |address: &Address| handshake::line(address, &identity.certificate, &invitation);
    let guest = Guest { door: Door::Tls(identity.acceptor.clone()), watch: Some(watch) };
    run(environment, provider, guest, announce)
}

/// Serves whoever reads the printed `TF_REATTACH_PROVIDERS` and may enter the socket's directory,
/// until interrupted (A9). Terraform gives a provider that it did not start no certificate.
///
/// # Errors
/// The operating system refuses what is needed.
pub fn serve_for_debugging<P: Provider>(environment: &Environment, provider: P) -> Result<(), ServeError> {
    run(environment, provider, Guest { door: Door::DirectoryOnly, watch: None }, reattach::instructions)
}

/// Whom we serve, and whose life ends ours.
struct Guest {
    door: Door,
    /// Absent when nobody but an interrupt ends us.
    watch: Option<Watch>,
}

fn run<P: Provider>(
    environment: &Environment,
    provider: P,
    guest: Guest,
    announce: impl FnOnce(&Address) -> String,
) -> Result<(), ServeError> {
    let runtime = runtime().map_err(|error| ServeError::System("no threads", error))?;
    let result = runtime.block_on(async {
        // Before the first word to Terraform: from then on a Ctrl-C is Terraform's to handle.
        let interrupt = if guest.watch.is_some() { Interrupt::Ignored } else { Interrupt::Ends };
        let signals =
            lifetime::signals(interrupt).map_err(|error| ServeError::System("no signals", error))?;
        let listener = Listener::bind(environment).map_err(|error| ServeError::System("no socket", error))?;
        print(&announce(&listener.address()))
            .map_err(|error| ServeError::System("stdout is closed", error))?;
        let reason = until_the_end(&listener, provider, guest, signals).await?;
        tracing::debug!(reason, "the provider ends");
        Ok(())
    });
    // Work that computes cannot be cancelled, and nobody waits for its result: the process ends over it.
    runtime.shutdown_background();
    result
}

/// One thread for sockets, clocks and signals, and others, started when needed, for the calls' work.
pub(super) fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().max_blocking_threads(CALLS_AT_ONCE).enable_all().build()
}

/// Terraform waits for the whole line, so it must not stay in a buffer.
fn print(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

async fn until_the_end<P: Provider>(
    listener: &Listener,
    provider: P,
    guest: Guest,
    signals: impl Future<Output = &'static str>,
) -> Result<&'static str, ServeError> {
    let (control, stop, connections) = (Control::default(), Stop::default(), Connections::default());
    let service = ProviderService::new(provider, stop.clone());
    let router = Router::new(service, control.clone(), health().await);
    let (admitted, incoming) = mpsc::channel(1);
    let server = Server::builder().serve_with_incoming(router, ReceiverStream::new(incoming));
    let orphaned = async {
        match guest.watch {
            Some(watch) => lifetime::orphaned(watch, connections.clone()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        result = server => result.map(|()| "the server is done").map_err(ServeError::Server),
        () = incoming::accept(listener, guest.door, connections.clone(), admitted) => Ok("the socket is closed"),
        () = control.asked_to_end() => {
            stop.now();
            // Whether all were read or time is up, the end comes.
            let _ = timeout(LAST_ANSWERS, connections.closed()).await;
            Ok("Terraform asked for the end")
        }
        reason = signals => Ok(reason),
        reason = orphaned => Ok(reason),
    }
}

async fn health() -> HealthService {
    let reporter = HealthReporter::new();
    reporter.set_service_status(HEALTH, ServingStatus::Serving).await;
    HealthService::from_health_reporter(reporter)
}
