//! Who is served and who is not: cookie, protocol version, certificates.

use std::os::unix::fs::PermissionsExt;

use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::client::{connect, connect_as, connect_plainly};
use crate::launch::{COOKIE, ClientIdentity, Plugin, VERSIONS, run};

/// Whether the health service says that `plugin` is served, as go-plugin asks (A5).
pub(crate) async fn healthy(channel: tonic::transport::Channel) -> Result<bool, tonic::Status> {
    let request = HealthCheckRequest { service: "plugin".into() };
    let answer = HealthClient::new(channel).check(request).await?;
    Ok(answer.into_inner().status() == ServingStatus::Serving)
}

#[test]
fn without_the_cookie_a_person_is_told_what_this_is() {
    for variables in [&[][..], &[("TF_PLUGIN_MAGIC_COOKIE", "another"), VERSIONS]] {
        let output = run(variables, &[]);
        let page = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(page.contains("Terraform starts by itself") && page.contains("required_providers"), "{page}");
    }
}

#[test]
fn version_and_help_work_with_the_cookie_and_without() {
    for variables in [&[][..], &[COOKIE, VERSIONS]] {
        let version = run(variables, &["--version"]);
        assert!(version.status.success());
        let text = format!("terraform-provider-eksaddon {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(String::from_utf8_lossy(&version.stdout), text);
        let help = run(variables, &["--help"]);
        assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--debug"));
        assert_eq!(run(variables, &["--nonsense"]).status.code(), Some(2));
    }
}

#[test]
fn a_start_that_cannot_be_safe_is_refused_with_the_reason() {
    let five = ("PLUGIN_PROTOCOL_VERSIONS", "4,5");
    let garbage = ("PLUGIN_CLIENT_CERT", "garbage");
    let cases: [(&[(&str, &str)], &str); 4] = [
        (&[COOKIE, five], "speaks plugin protocol 6, Terraform offers 4,5"),
        (&[COOKIE], "Terraform offers none"),
        (&[COOKIE, VERSIONS], "PLUGIN_CLIENT_CERT is not set"),
        (&[COOKIE, VERSIONS, garbage], "PLUGIN_CLIENT_CERT is not a certificate"),
    ];
    for (variables, reason) in cases {
        let output = run(variables, &[]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(text.contains(reason) && text.lines().count() == 1, "{text}");
    }
}

#[tokio::test]
async fn the_line_has_six_fields_and_the_socket_is_private() {
    let plugin = Plugin::start();
    let fields: Vec<_> = plugin.fields.iter().map(String::as_str).collect();
    let [core, app, network, address, protocol, certificate] = fields[..] else { panic!("{fields:?}") };
    assert_eq!((core, app, network, protocol), ("1", "6", "unix", "grpc"));
    assert!(!certificate.contains('=') && !certificate.is_empty());
    let directory = std::path::Path::new(address).parent().expect("a directory");
    assert_eq!(directory.metadata().expect("exists").permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_seventh_field_declines_multiplexing_when_asked() {
    let plugin = Plugin::start_with(crate::launch::binary(), &[], &[("PLUGIN_MULTIPLEX_GRPC", "true")]);
    assert_eq!(plugin.fields.len(), 7);
    assert_eq!(plugin.fields[6], "false");
    assert_eq!(healthy(connect(&plugin).await).await.ok(), Some(true));
}

#[tokio::test]
async fn only_the_certificate_of_the_environment_is_let_in() {
    let plugin = Plugin::start();
    let other = ClientIdentity::new();
    for identity in [None, Some(&other)] {
        // With TLS 1.3 a client may learn of the refusal only when it reads.
        if let Ok(channel) = connect_as(&plugin, identity).await {
            healthy(channel).await.expect_err("a stranger must not be served");
        }
    }
    if let Ok(channel) = connect_plainly(plugin.socket()).await {
        healthy(channel).await.expect_err("nor somebody without TLS");
    }
    assert_eq!(healthy(connect(&plugin).await).await.ok(), Some(true));
}

#[tokio::test]
async fn a_stolen_certificate_without_its_key_is_not_let_in() {
    let plugin = Plugin::start();
    // The certificate is public to every process of the user; another key signs the handshake.
    let thief = ClientIdentity::with_certificate_of(&plugin.client);
    if let Ok(channel) = connect_as(&plugin, Some(&thief)).await {
        healthy(channel).await.expect_err("a thief must not be served");
    }
}

#[tokio::test]
async fn garbage_and_silence_on_the_socket_disturb_nobody() {
    let plugin = Plugin::start();
    let silent = UnixStream::connect(plugin.socket()).await.expect("connects");
    for bytes in [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &[0xff; 4096], b"\x16\x03\x01\x02\x00\x01"] {
        let mut stream = UnixStream::connect(plugin.socket()).await.expect("connects");
        // The provider may have hung up already.
        let _ = stream.write_all(bytes).await;
        drop(stream);
    }
    assert_eq!(healthy(connect(&plugin).await).await.ok(), Some(true));
    drop(silent);
}
