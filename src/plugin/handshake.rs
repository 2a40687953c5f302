//! go-plugin's handshake, as pure functions of the environment (rules A1 to A4).

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::Environment;

/// The variable and the value by which Terraform shows that it is Terraform (A1).
const COOKIE: (&str, &str) =
    ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2");

/// The version of go-plugin's own handshake.
const CORE_PROTOCOL: u32 = 1;

/// The only version of Terraform's plugin protocol that is served.
pub const PLUGIN_PROTOCOL: u32 = 6;

/// What a Terraform that may be served has told us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The one certificate whose holder may connect (A4).
    pub client_certificate: CertificateDer<'static>,
    /// Whether the client understands the seventh field of the handshake line (A2).
    pub multiplexing_known: bool,
}

/// Why a start is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Whoever started us is not Terraform.
    NoCookie,
    /// Terraform does not speak protocol 6; what it offers.
    Protocol(Option<String>),
    /// No certificate to know the client by.
    NoClientCertificate,
    /// A certificate that cannot be read.
    BadClientCertificate(String),
}

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// A port of this machine, where there are no Unix sockets.
    Tcp(SocketAddr),
}

/// Whether the environment carries Terraform's cookie.
#[must_use]
pub fn has_cookie(environment: &Environment) -> bool {
    environment.get(COOKIE.0) == Some(COOKIE.1)
}

/// Reads what Terraform says by environment variables.
///
/// # Errors
/// Anything that keeps us from serving only the Terraform that started us.
pub fn invitation(environment: &Environment) -> Result<Invitation, Refusal> {
    if !has_cookie(environment) {
        return Err(Refusal::NoCookie);
    }
    // A3: without the list the client is older than protocol 6.
    let offered = environment.get("PLUGIN_PROTOCOL_VERSIONS");
    let ours = |version: &str| version.trim().parse() == Ok(PLUGIN_PROTOCOL);
    if !offered.is_some_and(|versions| versions.split(',').any(ours)) {
        return Err(Refusal::Protocol(offered.map(str::to_owned)));
    }
    let pem = environment.get("PLUGIN_CLIENT_CERT").ok_or(Refusal::NoClientCertificate)?;
    let client_certificate = CertificateDer::from_pem_slice(pem.as_bytes())
        .map_err(|error| Refusal::BadClientCertificate(error.to_string()))?;
    let multiplexing_known = environment.get("PLUGIN_MULTIPLEX_GRPC").is_some();
    Ok(Invitation { client_certificate, multiplexing_known })
}

/// The line that tells Terraform where to connect and whom to expect there (A2), without its end.
#[must_use]
pub fn line(address: &Address, server_certificate: &[u8], invitation: &Invitation) -> String {
    let (network, certificate) = (address.network(), base64(server_certificate));
    let mut line = format!("{CORE_PROTOCOL}|{PLUGIN_PROTOCOL}|{network}|{address}|grpc|{certificate}");
    // Older clients split into six fields and would take a seventh for part of the certificate.
    if invitation.multiplexing_known {
        line.push_str("|false");
    }
    line
}

impl Address {
    /// The network's name in Go.
    #[must_use]
    pub fn network(&self) -> &'static str {
        match self {
            Self::Unix(_) => "unix",
            Self::Tcp(_) => "tcp",
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(address) => write!(f, "{address}"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCookie => f.write_str("this is a Terraform plugin: Terraform starts it"),
            Self::Protocol(offered) => {
                let offered = offered.as_deref().unwrap_or("none");
                write!(
                    f,
                    "this provider speaks plugin protocol {PLUGIN_PROTOCOL}, Terraform offers {offered}; \
                     Terraform 1.0 or later is needed"
                )
            }
            Self::NoClientCertificate => f.write_str(
                "PLUGIN_CLIENT_CERT is not set, so nobody could be told apart from the Terraform that \
                 started this provider: unset TF_DISABLE_PLUGIN_TLS, or start the provider with -debug",
            ),
            Self::BadClientCertificate(why) => {
                write!(f, "PLUGIN_CLIENT_CERT is not a certificate in PEM form: {why}")
            }
        }
    }
}

/// Standard base64 without padding, as Go's `RawStdEncoding`.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        // n bytes are n + 1 digits.
        for digit in 0..=chunk.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEM: &str = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";

    fn check(variables: &[(&str, &str)], expect: Result<bool, Refusal>) {
        let invitation = invitation(&variables.iter().copied().collect());
        assert_eq!(invitation.map(|it| it.multiplexing_known), expect, "{variables:?}");
    }

    #[test]
    fn only_terraform_with_protocol_6_and_a_certificate_is_served() {
        let (six, cert) = (("PLUGIN_PROTOCOL_VERSIONS", "5,6"), ("PLUGIN_CLIENT_CERT", PEM));
        check(&[six, cert], Err(Refusal::NoCookie));
        check(&[("TF_PLUGIN_MAGIC_COOKIE", "x"), six, cert], Err(Refusal::NoCookie));
        check(&[COOKIE, cert], Err(Refusal::Protocol(None)));
        let five = ("PLUGIN_PROTOCOL_VERSIONS", "4,5");
        check(&[COOKIE, five, cert], Err(Refusal::Protocol(Some("4,5".into()))));
        check(&[COOKIE, six], Err(Refusal::NoClientCertificate));
        check(&[COOKIE, six, cert], Ok(false));
        check(&[COOKIE, six, cert, ("PLUGIN_MULTIPLEX_GRPC", "true")], Ok(true));
        let garbage = Environment::from_iter([COOKIE, six, ("PLUGIN_CLIENT_CERT", "garbage")]);
        assert!(matches!(invitation(&garbage), Err(Refusal::BadClientCertificate(_))));
    }

    #[test]
    fn the_line_has_six_fields_and_a_seventh_only_on_request() {
        let mut invitation =
            Invitation { client_certificate: CertificateDer::from(vec![1]), multiplexing_known: false };
        let address = Address::Unix("/tmp/d/s".into());
        assert_eq!(line(&address, b"certificate", &invitation), "1|6|unix|/tmp/d/s|grpc|Y2VydGlmaWNhdGU");
        invitation.multiplexing_known = true;
        let address = Address::Tcp(([127, 0, 0, 1], 80).into());
        assert_eq!(line(&address, b"", &invitation), "1|6|tcp|127.0.0.1:80|grpc||false");
    }

    #[test]
    fn base64_has_no_padding() {
        // RFC 4648, section 10.
        for (bytes, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8");
    }
}
