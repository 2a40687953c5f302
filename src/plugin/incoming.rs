//! Accepted sockets become connections that gRPC may be spoken on.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tonic::transport::server::Connected;
use tracing::{debug, warn};

use super::listener::{Listener, Socket};

/// Longest that a client may take for its TLS handshake; Terraform needs a few milliseconds.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// Pause after a failed accept, which is mostly a lack of file descriptors: without it the loop spins.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What a connection is made of.
trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// A connection of a client that is known, and counted as long as it lives.
pub(crate) struct Connection {
    transport: Box<dyn Transport>,
    _counted: watch::Receiver<()>,
}

/// Counts connections: each holds a receiver of this channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connections(watch::Sender<()>);

impl Connections {
    /// Whether there is none right now.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_closed()
    }

    /// Waits until there is none.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }

    fn count(&self, transport: impl Transport + 'static) -> Connection {
        Connection { transport: Box::new(transport), _counted: self.0.subscribe() }
    }
}

/// Who may connect.
#[derive(Clone)]
pub(crate) enum Door {
    /// The holder of Terraform's certificate.
    Tls(TlsAcceptor),
    /// Whoever may enter the socket's directory: only for debugging (A9).
    DirectoryOnly,
}

/// Where admitted connections go to.
pub(crate) type Admitted = mpsc::Sender<io::Result<Connection>>;

/// Accepts for ever. Each handshake has a task of its own, so a client that is slow or sends
/// garbage holds up nobody.
pub(crate) async fn accept(listener: &Listener, door: Door, connections: Connections, admitted: Admitted) {
    loop {
        match listener.accept().await {
            Ok(socket) => {
                tokio::spawn(admit(socket, door.clone(), connections.clone(), admitted.clone()));
            }
            Err(error) => {
                warn!(%error, "a client could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn admit(socket: Socket, door: Door, connections: Connections, admitted: Admitted) {
    let connection = match door {
        Door::DirectoryOnly => connections.count(socket),
        Door::Tls(acceptor) => match timeout(HANDSHAKE_LIMIT, acceptor.accept(socket)).await {
            Ok(Ok(stream)) => connections.count(stream),
            Ok(Err(error)) => return debug!(%error, "a client was refused"),
            Err(_) => return debug!("a client was refused: it took too long"),
        },
    };
    // Nobody receives any more when the server is about to end.
    let _ = admitted.send(Ok(connection)).await;
}

impl Connected for Connection {
    type ConnectInfo = ();

    fn connect_info(&self) -> Self::ConnectInfo {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }
}
