//! Encryption: the provider trusts only certificates that the system trusts.
//!
//! The server's certificate comes from an authority that openssl makes for the test. Without openssl the test is
//! skipped. If ENFILADE_REQUIRE_REDIS is set, as in the gate, it fails instead.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::broker::{TOKEN, answer};
use super::{Provider, text};
use crate::patience::wait_until;

/// Makes two authorities, and a certificate for 127.0.0.1 by the first. Returns `None` if there is no openssl.
fn certify(directory: &Path) -> Option<()> {
    let run = |words: &str| {
        let output = Command::new("openssl").args(words.split(' ')).current_dir(directory).output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(())
    };
    let key = "-newkey rsa:2048 -nodes -keyout";
    let authority =
        |name: &str| run(&format!("req -x509 {key} {name}.key -out {name}.crt -days 2 -subj /CN={name}"));
    if authority("other").is_none() {
        let is_required = std::env::var_os("ENFILADE_REQUIRE_REDIS").is_some();
        assert!(!is_required, "openssl is missing, and ENFILADE_REQUIRE_REDIS is set");
        eprintln!("skipped: there is no openssl");
        return None;
    }
    authority("authority")?;
    run(&format!("req {key} server.key -out server.csr -subj /CN=server"))?;
    std::fs::write(directory.join("names"), "subjectAltName=IP:127.0.0.1\n").expect("a file");
    run("x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial -out server.crt \
         -days 2 -extfile names")
}

/// Starts a site with the certificate. It answers each request with `401`. Returns its port and the number of requests
/// that it could read.
fn site(directory: &Path) -> (u16, Arc<AtomicUsize>) {
    let certificate = CertificateDer::from_pem_file(directory.join("server.crt")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(directory.join("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("protocols").with_no_client_auth().with_single_cert(vec![certificate], key);
    let config = Arc::new(config.expect("a configuration"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    // The thread ends with the process.
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let tls = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(tls, connection);
            let mut bytes = [0; 4096];
            // A client that does not trust the certificate ends the connection before it sends anything.
            if let Ok(length @ 1..) = stream.read(&mut bytes) {
                assert!(String::from_utf8_lossy(&bytes[..length]).contains(TOKEN));
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = stream.write_all(answer("401 Unauthorized", None).as_bytes());
            }
        }
    });
    (port, count)
}

#[test]
fn an_unknown_certificate_gets_nothing_and_a_trusted_one_gets_the_token() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(()) = certify(directory.path()) else { return };
    let (port, count) = site(directory.path());
    let start = |host: &str, authority: &str| {
        let url = format!("https://{host}:{port}");
        let trusted = directory.path().join(authority);
        Provider::with(TOKEN, 0o600, &["--url", &url], &[("SSL_CERT_FILE", text(&trusted))])
    };
    // Neither a certificate of an unknown authority nor one for another name is accepted.
    for (host, trusted) in [("127.0.0.1", "other.crt"), ("localhost", "authority.crt")] {
        let provider = start(host, trusted);
        wait_until("the certificate is refused", || provider.said().contains("certificate"));
        let said = provider.stop();
        assert!(said.contains("trying again"), "{said}");
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
    let (status, said) = start("127.0.0.1", "authority.crt").end();
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("refuses the token (401"), "{said}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}
