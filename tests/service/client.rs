//! A client that speaks gRPC to the provider over mutual TLS, as Terraform does.

use std::path::PathBuf;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, PeerIncompatible, SignatureScheme, version,
};
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

use crate::launch::{ClientIdentity, Plugin};

/// The generated messages and clients.
#[allow(dead_code, unreachable_pub, clippy::all)]
pub(crate) mod tfplugin6 {
    include!(concat!(env!("OUT_DIR"), "/client/tfplugin6.rs"));
}

/// go-plugin's own services.
#[allow(dead_code, unreachable_pub, clippy::all)]
pub(crate) mod go_plugin {
    include!(concat!(env!("OUT_DIR"), "/client/plugin.rs"));
}

/// Connects as the Terraform that started the provider.
pub(crate) async fn connect(plugin: &Plugin) -> Channel {
    connect_as(plugin, Some(&plugin.client)).await.expect("the provider lets its Terraform in")
}

/// Connects with any certificate, or with none.
pub(crate) async fn connect_as(
    plugin: &Plugin,
    identity: Option<&ClientIdentity>,
) -> Result<Channel, tonic::transport::Error> {
    let connector = connector(plugin.certificate(), identity);
    let socket = plugin.socket();
    let dial = move |_| {
        let (connector, socket) = (connector.clone(), socket.clone());
        async move {
            let stream = UnixStream::connect(socket).await?;
            let name = ServerName::try_from("localhost").expect("a name");
            Ok::<_, std::io::Error>(TokioIo::new(connector.connect(name, stream).await?))
        }
    };
    Endpoint::from_static("http://localhost").connect_with_connector(service_fn(dial)).await
}

/// Connects without TLS, as Terraform does to a provider that is being debugged.
pub(crate) async fn connect_plainly(socket: PathBuf) -> Result<Channel, tonic::transport::Error> {
    let dial = move |_| {
        let socket = socket.clone();
        async move { UnixStream::connect(socket).await.map(TokioIo::new) }
    };
    Endpoint::from_static("http://localhost").connect_with_connector(service_fn(dial)).await
}

fn connector(server: CertificateDer<'static>, identity: Option<&ClientIdentity>) -> TlsConnector {
    let crypto = Arc::new(aws_lc_rs::default_provider());
    let verifier = Arc::new(OneServer { certificate: server, crypto: Arc::clone(&crypto) });
    let config = ClientConfig::builder_with_provider(Arc::clone(&crypto))
        .with_protocol_versions(&[&version::TLS13])
        .expect("TLS 1.3 exists")
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match identity {
        // Nobody checks here that the key fits the certificate: a thief's does not.
        Some(identity) => {
            let key = crypto.key_provider.load_private_key(identity.key()).expect("a key");
            let certified = CertifiedKey::new(vec![identity.certificate.clone()], key);
            config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
        }
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsConnector::from(Arc::new(config))
}

/// Accepts the certificate of the handshake line. Terraform builds a chain of that one certificate;
/// webpki, unlike Go, refuses a CA that is also the server.
#[derive(Debug)]
struct OneServer {
    certificate: CertificateDer<'static>,
    crypto: Arc<CryptoProvider>,
}

impl ServerCertVerifier for OneServer {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *end_entity == self.certificate {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::Tls12NotOffered.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.crypto.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.crypto.signature_verification_algorithms.supported_schemes()
    }
}
