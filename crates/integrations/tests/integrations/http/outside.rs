//! What the environment says about the network: proxies, and whom this machine trusts. It is read once in a process, so
//! each test runs itself again with an environment of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use signalbox_integrations::http::{Reach, send};

use super::request;
use crate::server::{Server, ok};

/// What is asked in the other process, and what came of it.
#[test]
#[ignore = "the other tests run it"]
fn inside() {
    let url = std::env::var("STAGE_URL").unwrap();
    let reach =
        if std::env::var("STAGE_REACH").unwrap() == "public" { Reach::Public } else { Reach::Anywhere };
    let said = send(&request(&url, reach))
        .map_or_else(|error| error.to_string(), |answer| format!("answered {}", answer.status));
    println!("SAID {said}");
}

fn said(url: &str, reach: &str, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "http::outside::inside", "--ignored", "--nocapture"]);
    for name in ["all_proxy", "http_proxy", "https_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command.env_remove("SSL_CERT_DIR").env("STAGE_URL", url).env("STAGE_REACH", reach);
    let ran = command.envs(environment.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    text.lines().find_map(|line| line.split_once("SAID ")).map(|(_, said)| said.to_owned()).unwrap_or(text)
}

#[test]
fn a_proxy_is_used_only_where_it_cannot_lead_astray() {
    let proxy = Server::doing(|stream, _| drop(std::io::Write::write_all(stream, &ok("by proxy"))));
    let here = Server::answering(vec![ok("direct")]);
    let address = proxy.url("");
    let environment = [("HTTP_PROXY", address.as_str())];
    said("http://signalbox.invalid/", "anywhere", &environment);
    assert!(proxy.was_asked());
    // The proxy would look the name up by itself, and nobody could say where that leads.
    let direct = said("http://signalbox.invalid/", "public", &environment);
    assert_eq!(direct, "signalbox.invalid is not known: its name leads to no address");
    assert_eq!(said(&here.url("/"), "anywhere", &environment), "answered 200");
    assert!(here.was_asked() && !proxy.was_asked());
}

/// A server with a certificate that it has signed itself.
struct Secure {
    program: Child,
    port: String,
}

impl Drop for Secure {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn secure(folder: &Path) -> Option<Secure> {
    let openssl = |words: &str| {
        let mut command = Command::new("openssl");
        command
            .args(words.split(' '))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    };
    let make = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext \
                subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -keyout key.pem -out cert.pem";
    let make: Vec<&str> = make.split_whitespace().collect();
    if !openssl(&make.join(" ")).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let mut program =
        openssl("s_server -accept 127.0.0.1:0 -key key.pem -cert cert.pem -www").spawn().ok()?;
    let lines = BufReader::new(program.stdout.take()?).lines();
    let accepts = lines
        .take(20)
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("ACCEPT ").map(ToOwned::to_owned));
    let port = accepts.and_then(|address| address.rsplit(':').next().map(ToOwned::to_owned));
    let secure = Secure { program, port: port.unwrap_or_default() };
    (!secure.port.is_empty()).then_some(secure)
}

#[test]
fn only_a_certificate_that_is_trusted_and_meant_will_do() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = secure(folder.path()) else {
        return eprintln!("SKIPPED: openssl is not installed, or another than this test knows");
    };
    let certificate = folder.path().join("cert.pem");
    let trusted = [("SSL_CERT_FILE", certificate.to_str().unwrap())];
    let url = |host: &str| format!("https://{host}:{}/", server.port);
    assert_eq!(said(&url("localhost"), "anywhere", &trusted), "answered 200");
    let untrusted = said(&url("localhost"), "anywhere", &[]);
    assert!(untrusted.starts_with("localhost offers no connection that can be trusted: "), "{untrusted}");
    let another = said(&url("127.0.0.1"), "anywhere", &trusted);
    assert!(another.starts_with("127.0.0.1 offers no connection that can be trusted: "), "{another}");
    let none = said(&url("localhost"), "anywhere", &[("SSL_CERT_FILE", "/dev/null")]);
    assert!(none.contains("install the package `ca-certificates`"), "{none}");
}
