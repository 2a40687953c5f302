//! A port of the loopback interface, for systems without Unix sockets.

use std::io;
use std::net::Ipv4Addr;

use tokio::net::TcpListener;

use crate::plugin::Environment;
use crate::plugin::handshake::Address;

/// One accepted client, still unknown.
pub(crate) type Socket = tokio::net::TcpStream;

/// A listening port of the loopback interface.
pub(crate) struct Listener {
    listener: TcpListener,
    address: Address,
}

impl Listener {
    /// Listens on the first free port of the range that go-plugin names.
    ///
    /// # Errors
    /// No port of the range is free; the last reason.
    pub(crate) fn bind(environment: &Environment) -> io::Result<Self> {
        let port = |name| environment.get(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut reason = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for port in port("PLUGIN_MIN_PORT")..=port("PLUGIN_MAX_PORT") {
            match Self::bind_to(port) {
                Ok(listener) => return Ok(listener),
                Err(error) => reason = error,
            }
        }
        Err(reason)
    }

    fn bind_to(port: u16) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = Address::Tcp(listener.local_addr()?);
        Ok(Self { listener: TcpListener::from_std(listener)?, address })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> Address {
        self.address.clone()
    }

    /// The next client. Without `TCP_NODELAY` each small answer may wait 40 ms for an ACK.
    ///
    /// # Errors
    /// Those of the system, such as too many open files.
    pub(crate) async fn accept(&self) -> io::Result<Socket> {
        let (socket, _) = self.listener.accept().await?;
        socket.set_nodelay(true)?;
        Ok(socket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_port_comes_from_the_range() {
        let free = Listener::bind(&Environment::default()).expect("any port");
        let Address::Tcp(taken) = free.address() else { panic!("a port") };
        let (low, high) = (taken.port().to_string(), taken.port().saturating_add(50).to_string());
        let range = [("PLUGIN_MIN_PORT", low.as_str()), ("PLUGIN_MAX_PORT", high.as_str())];
        let next = Listener::bind(&Environment::from_iter(range)).expect("the next free port");
        let Address::Tcp(address) = next.address() else { panic!("a port") };
        assert!(address.port() > taken.port() && address.ip().is_loopback());
        let client = tokio::net::TcpStream::connect(address).await.expect("connects");
        assert!(next.accept().await.expect("accepts").nodelay().expect("an option"));
        drop(client);
    }
}
