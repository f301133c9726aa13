//! A server with a project and a ticket, and requests to it that no well-behaved client would send.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use signalbox_desk::{Act, Desk, NewTicket};
use signalbox_store::Home;
use signalbox_web::{Options, RouteKind, RouteListed, Running, start};

/// A token that was good once.
const EXPIRED: &str = "e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0";

pub struct World {
    pub server: Running,
    pub ticket: String,
    /// The token of a browser that is signed in.
    pub browser: String,
    pub script: String,
    home: PathBuf,
    _folder: tempfile::TempDir,
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub head: String,
}

impl World {
    pub fn new(addresses: &[IpAddr], names: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::new(folder.path());
        home.prepare().expect("a home");
        write(
            &folder.path().join("config.toml"),
            "[identity]\nagent_programs = []\n[projects.shop]\npath = \"/nowhere/shop\"\n",
        );
        let kept: BTreeMap<String, Value> = ["browser", "script"]
            .map(|scope| {
                (
                    hash(&format!("{scope}{EXPIRED}")),
                    json!({ "scope": scope, "until": "2020-01-01T00:00:00Z" }),
                )
            })
            .into();
        write(&home.run().join("web-tokens.json"), &json!(kept).to_string());
        let desk = Desk::new(home);
        let wanted =
            NewTicket { project: "shop".into(), title: "Limit logins".into(), ..NewTicket::default() };
        let ticket = desk.act(&Act::New(wanted)).expect("a ticket").ticket.expect("its id");
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { port: 0, addresses: addresses.to_vec(), names };
        let server = start(desk, &options).expect("a server");
        let script = server.token().expect("a token");
        let mut world = Self {
            ticket,
            browser: String::new(),
            script,
            home: folder.path().to_owned(),
            server,
            _folder: folder,
        };
        world.browser = world.sign_in();
        world
    }

    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// The `Host` of an ordinary browser.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    /// The token of a browser that came by a fresh link.
    pub fn sign_in(&self) -> String {
        let link = self.server.link();
        let path = link.strip_prefix(&self.origin()).expect("a path").to_owned();
        let answer = self.ask("GET", &path, &[("Host", self.host())], "");
        assert_eq!(answer.status, 303, "{}", answer.head);
        assert!(answer.head.contains("HttpOnly; SameSite=Strict"), "{}", answer.head);
        let cookie = answer.head.split(&format!("{}=", self.cookie())).nth(1).expect("a cookie");
        cookie.split(';').next().unwrap_or_default().to_owned()
    }

    /// The name of a browser's cookie.
    pub fn cookie(&self) -> String {
        format!("signalbox-{}", self.port())
    }

    pub fn expired(&self, scope: &str) -> String {
        format!("{scope}{EXPIRED}")
    }

    /// The path of a route with its blanks filled in.
    pub fn path(&self, route: &RouteListed) -> String {
        let path = match route.path {
            path if path.contains("ticket") => path.replace("{id}", &self.ticket),
            path => path.replace("{id}", "nobody"),
        };
        let path = path.replace("{name}", "app.js").replace("{word}", &"0".repeat(64));
        assert!(!path.contains('{'), "{path}: say what stands for that");
        path
    }

    /// Ask a route with these headers.
    pub fn ask_route(&self, route: &RouteListed, more: &str, headers: &[(&str, String)]) -> Answer {
        let mut headers = headers.to_vec();
        let mut body = "";
        match route.kind {
            RouteKind::Act => {
                headers.push(("Content-Type", "application/json".to_owned()));
                body = "{\"do\":\"new\",\"project\":\"shop\",\"title\":\"Let me in\"}";
            }
            RouteKind::Socket => headers.extend([
                ("Connection", "Upgrade".to_owned()),
                ("Upgrade", "websocket".to_owned()),
                ("Sec-WebSocket-Version", "13".to_owned()),
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==".to_owned()),
            ]),
            _ => {}
        }
        self.ask(route.method, &format!("{}{more}", self.path(route)), &headers, body)
    }

    /// One request, byte for byte, and the head of what comes back.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, String)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !headers.iter().any(|(name, _)| *name == "Connection") {
            text.push_str("Connection: close\r\n");
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(text.as_bytes()).expect("the request");
        let (mut head, mut byte) = (Vec::new(), [0]);
        // Byte by byte: a stream of events has a head, but no end.
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                _ => break,
            }
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Answer { status, head }
    }

    /// All that requests could have changed: the log, and who is signed in.
    pub fn state(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for folder in ["events", "outbox", "escalations", "vault/tickets"] {
            for entry in std::fs::read_dir(self.home.join(folder)).into_iter().flatten().flatten() {
                files.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
            }
        }
        let kept = self.home.join("run/web-tokens.json");
        files.insert(kept.clone(), std::fs::read(kept).unwrap_or_default());
        files
    }
}

#[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
fn write(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).expect("write a file");
}

fn hash(word: &str) -> String {
    Sha256::digest(word.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
