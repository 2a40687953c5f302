//! Mutual TLS that lets in exactly one client: the Terraform that started us (A4).
//!
//! Terraform's certificate is self-signed, P-521 and `CA:TRUE`. A verifier that builds a chain
//! refuses that (`CaUsedAsEndEntity`), and there is no chain to build: the certificate arrived by
//! environment variable, so its very bytes are compared and the handshake's signature is checked.

use std::fmt;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use tokio_rustls::rustls::server::NoServerSessionStorage;
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, PeerIncompatible, ServerConfig,
    SignatureScheme, version,
};

/// Why no certificate could be made.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no server certificate could be made: {}", self.0)
    }
}

/// Who we are to Terraform, for the life of the process.
pub(crate) struct Identity {
    /// The certificate, as it goes into the handshake line.
    pub(crate) certificate: CertificateDer<'static>,
    /// What turns a socket into a connection of Terraform.
    pub(crate) acceptor: TlsAcceptor,
}

impl Identity {
    /// A fresh certificate, and an acceptor that lets in the holder of `client` only.
    ///
    /// # Errors
    /// The operating system gives no randomness.
    pub(crate) fn new(client: CertificateDer<'static>) -> Result<Self, TlsError> {
        let (certificate, key) = self_signed().map_err(|error| TlsError(error.to_string()))?;
        let acceptor =
            acceptor(client, certificate.clone(), key).map_err(|error| TlsError(error.to_string()))?;
        Ok(Self { certificate, acceptor })
    }
}

/// Terraform takes our certificate for its own root and checks it for the name `localhost`; Go wants
/// such a root to be a CA that may sign, and to be fit for servers.
fn self_signed() -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()])?;
    parameters.distinguished_name.push(DnType::CommonName, "localhost");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign];
    parameters.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let key = KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?;
    let certificate = parameters.self_signed(&key)?.der().clone();
    Ok((certificate, PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
}

fn acceptor(
    client: CertificateDer<'static>,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
) -> Result<TlsAcceptor, Error> {
    let crypto = Arc::new(aws_lc_rs::default_provider());
    let verifier = Arc::new(OneClient { certificate: client, crypto: Arc::clone(&crypto) });
    let mut config = ServerConfig::builder_with_provider(crypto)
        .with_protocol_versions(&[&version::TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate], key)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    // One connection per process: there is no session to resume.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Accepts one certificate, byte for byte.
#[derive(Debug)]
struct OneClient {
    certificate: CertificateDer<'static>,
    crypto: Arc<CryptoProvider>,
}

impl ClientCertVerifier for OneClient {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if *end_entity == self.certificate {
            Ok(ClientCertVerified::assertion())
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

    /// The bytes are public; only this shows that the client holds their key.
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
