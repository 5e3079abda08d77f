//! Tests of `rediss://`. The server has a certificate of an authority that the test makes.
//!
//! Without the program `openssl` the test with certificates is skipped. If ENFILADE_REQUIRE_REDIS is set, it fails
//! instead.

use std::process::Command;

use super::{Fleet, GAMES, free_port, ready};
use crate::program::{stderr, text};

impl Fleet {
    /// Makes an authority and its certificate for 127.0.0.1 with openssl. Returns `None` if there is no openssl.
    fn certify(&self) -> Option<()> {
        let run = |words: &str| {
            let mut openssl = Command::new("openssl");
            let output = openssl.args(words.split(' ')).current_dir(self.directory.path()).output().ok()?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(())
        };
        let key = "-newkey rsa:2048 -nodes -keyout";
        let authority =
            format!("req -x509 {key} authority.key -out authority.crt -days 2 -subj /CN=authority");
        if run(&authority).is_none() {
            let is_required = std::env::var_os("ENFILADE_REQUIRE_REDIS").is_some();
            assert!(!is_required, "openssl is missing, and ENFILADE_REQUIRE_REDIS is set");
            eprintln!("skipped: there is no openssl");
            return None;
        }
        run(&format!("req {key} server.key -out server.csr -subj /CN=server"))?;
        std::fs::write(self.path("names"), "subjectAltName=IP:127.0.0.1\n").expect("a file");
        run(
            "x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial -out server.crt \
             -days 2 -extfile names",
        )
    }
}

#[test]
fn an_encrypted_queue_gives_the_same_bytes_and_an_unknown_certificate_is_refused() {
    let Some(mut fleet) = ready(GAMES, None) else { return };
    let Some(()) = fleet.certify() else { return };
    let port = free_port();
    let port_text = port.to_string();
    let directory = fleet.path("");
    let file = |name: &str| text(&directory.join(name)).to_owned();
    fleet.configuration = [
        ["--tls-port", &port_text],
        ["--tls-auth-clients", "no"],
        ["--tls-cert-file", &file("server.crt")],
        ["--tls-key-file", &file("server.key")],
        ["--tls-ca-cert-file", &file("authority.crt")],
    ]
    .concat()
    .into_iter()
    .map(str::to_owned)
    .collect();
    fleet.environment = vec![("SSL_CERT_FILE", file("authority.crt"))];
    fleet.start();
    let queue = format!("rediss://127.0.0.1:{port}/0");
    let expected = fleet.expected("2000");
    let worker = fleet.process(&["worker", "--threads", "1", "--queue", &queue]);
    fleet.process(&fleet.arguments("queue", &["--nodes", "2000", "--queue", &queue])).succeeds();
    assert_eq!(fleet.files("queue"), expected);
    worker.signal("TERM");
    worker.succeeds();
    let said = stderr(&["queue", "status", "--queue", &queue], 1);
    assert!(said.contains("the certificate of the queue at") && said.contains("SSL_CERT_FILE"), "{said}");
    assert!(!said.contains("password"), "{said}");
    // The certificate is valid for 127.0.0.1, but not for localhost.
    let other =
        fleet.process(&["queue", "status", "--queue", &queue.replace("127.0.0.1", "localhost")]).end();
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(!other.status.success() && said.contains("certificate"), "{said}");
}
