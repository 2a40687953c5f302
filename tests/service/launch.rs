//! Starts the real binary as Terraform does, and reads what it says.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use tempfile::TempDir;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// The cookie of A1, by which Terraform shows that it is Terraform.
pub(crate) const COOKIE: (&str, &str) =
    ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2");

/// The versions that Terraform 1.x offers (A3).
pub(crate) const VERSIONS: (&str, &str) = ("PLUGIN_PROTOCOL_VERSIONS", "5,6");

/// What a test binary says before its test, which may be a provider, speaks.
const PREAMBLE: [&str; 2] = ["", "running 1 test"];

/// Longest wait for anything that is to happen soon, on a machine that does much else.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// A certificate like Terraform's: self-signed, P-521, `CA:TRUE`.
pub(crate) struct ClientIdentity {
    pub(crate) certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
}

impl ClientIdentity {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate_for(&rcgen::PKCS_ECDSA_P521_SHA512).expect("a key");
        let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate").der().clone();
        Self { certificate, key: key.serialize_der().into() }
    }

    /// Somebody who has seen a certificate but does not hold its key.
    pub(crate) fn with_certificate_of(other: &Self) -> Self {
        Self { certificate: other.certificate.clone(), ..Self::new() }
    }

    pub(crate) fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key().into()
    }

    /// The certificate as PLUGIN_CLIENT_CERT carries it.
    pub(crate) fn pem(&self) -> String {
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", base64(&self.certificate))
    }
}

/// A command for the binary with nothing in its environment but `variables`.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The provider's binary.
pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_terraform-provider-eksaddon")
}

/// Runs the binary to its end.
pub(crate) fn run(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    command(binary(), variables).args(arguments).output().expect("the binary runs")
}

/// A provider that serves.
pub(crate) struct Plugin {
    pub(crate) client: ClientIdentity,
    /// The fields of its handshake line.
    pub(crate) fields: Vec<String>,
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Where its sockets go; nothing may be left in it.
    directory: TempDir,
}

impl Plugin {
    /// Starts it as Terraform does.
    pub(crate) fn start() -> Self {
        Self::start_with(binary(), &[], &[])
    }

    /// Starts `program`, which is the binary or something that starts it, with more variables.
    pub(crate) fn start_with(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let client = ClientIdentity::new();
        let pem = client.pem();
        let mut all = vec![COOKIE, VERSIONS, ("PLUGIN_CLIENT_CERT", pem.as_str())];
        all.extend(variables);
        let mut plugin = Self::spawn(program, arguments, &all, client);
        let mut lines = (0..=PREAMBLE.len()).map(|_| plugin.line());
        let line = lines.find(|line| !PREAMBLE.contains(&line.as_str())).unwrap_or_default();
        plugin.fields = line.split('|').map(str::to_owned).collect();
        plugin
    }

    /// Starts it as a developer does.
    pub(crate) fn start_for_debugging() -> Self {
        Self::spawn(binary(), &["-debug"], &[], ClientIdentity::new())
    }

    fn spawn(program: &str, arguments: &[&str], variables: &[(&str, &str)], client: ClientIdentity) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let mut command = command(program, variables);
        let mut child = command.args(arguments).env("TMPDIR", directory.path()).spawn().expect("starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { client, fields: Vec::new(), child, stdout, directory }
    }

    /// The next line of its stdout, without the end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }

    /// The socket of the handshake line.
    pub(crate) fn socket(&self) -> PathBuf {
        self.fields[3].clone().into()
    }

    /// The server's certificate of the handshake line.
    pub(crate) fn certificate(&self) -> CertificateDer<'static> {
        let padding = "=".repeat((4 - self.fields[5].len() % 4) % 4);
        let pem =
            format!("-----BEGIN CERTIFICATE-----\n{}{padding}\n-----END CERTIFICATE-----\n", self.fields[5]);
        CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate")
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for the end of whatever was started, and says how it was and how long it took.
    pub(crate) fn wait(&mut self) -> (ExitStatus, Duration) {
        let start = Instant::now();
        while start.elapsed() < SOON {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return (status, start.elapsed());
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        panic!("still running after {SOON:?}");
    }

    /// Waits until nobody holds the pipe of stdout, hence until the provider is gone even where it
    /// is not our child; gives what was printed after the handshake line.
    pub(crate) fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("text");
        rest
    }

    /// All of its stderr; to be asked after its end.
    pub(crate) fn stderr(&mut self) -> String {
        let mut text = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut text).expect("text");
        text
    }

    /// Kills what was started.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }

    /// Fails unless the provider has removed its socket and the socket's directory.
    pub(crate) fn left_nothing(&self) {
        let left = |path: &Path| path.read_dir().expect("a directory").count();
        assert_eq!(left(self.directory.path()), 0, "something is left in the temporary directory");
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Base64 with padding, for PEM.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    bits.resize(bits.len().div_ceil(6) * 6, 0);
    let value = |six: &[u8]| six.iter().fold(0_usize, |value, bit| value << 1 | usize::from(*bit));
    let mut text: String = bits.chunks(6).map(|six| char::from(DIGITS[value(six)])).collect();
    text.push_str(&"=".repeat((4 - text.len() % 4) % 4));
    text
}
