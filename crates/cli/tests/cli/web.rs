//! `sb web`: who gets a way in, what it opens, where it is served, and what is said when that is not as one wanted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use signalbox_testkit::TestEnv;

use crate::support::{env, fields, json, json_error};

/// How long anything may take that is bound to happen. Others build on the same machine.
const LONG: Duration = Duration::from_secs(60);

/// `sb` while it serves. It is ended when this is dropped.
struct Served {
    child: Child,
    /// The first line that it printed.
    printed: String,
}

impl Served {
    /// Wait until it has printed the way in.
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("start sb");
        let mut printed = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut printed).expect("a line");
        Self { child, printed: printed.trim_end().to_owned() }
    }

    fn with(env: &TestEnv, words: &[&str]) -> Self {
        let served = Self::start(env.command().arg("web").args(words));
        assert!(!served.printed.is_empty(), "{words:?} printed nothing");
        served
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.printed).expect("JSON")
    }

    /// End it as Ctrl-C does: its exit code, and what it had said to people.
    fn end(mut self) -> (Option<i32>, String) {
        self.signal(Signal::INT);
        let mut said = String::new();
        let mut errors = self.child.stderr.take().expect("its errors");
        errors.read_to_string(&mut said).expect("what it said");
        (self.child.wait().expect("its end").code(), said)
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        let _ = kill_process(pid, signal);
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
        let begun = Instant::now();
        while !matches!(self.child.try_wait(), Ok(Some(_))) && begun.elapsed() < LONG {
            std::thread::park_timeout(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The daemon, once it answers.
fn daemon(env: &TestEnv) -> Served {
    let mut command = env.command();
    command.args(["up", "--foreground"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let served = Served { child: command.spawn().expect("start sb"), printed: String::new() };
    let socket = env.home().join("run/daemon.sock");
    let begun = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        assert!(begun.elapsed() < LONG, "the daemon does not answer");
        std::thread::park_timeout(Duration::from_millis(20));
    }
    served
}

/// Serve the page at any port: several tests run at once.
fn any_port(env: &TestEnv) {
    let path = env.home().join("config.toml");
    let config = format!("{}\n[web]\nport = 0\n", env.read(&path));
    env.write(path, config);
}

/// What came back.
struct Answer {
    status: u16,
    text: String,
}

impl Answer {
    /// The cookie that it gives, as a browser sends it back.
    fn cookie(&self) -> String {
        let line = self.text.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        assert!(line.contains("; HttpOnly; SameSite=Strict"), "{line}");
        line.split(';').next().unwrap_or_default().to_owned()
    }

    /// It lets nobody in, and says how to get in.
    #[track_caller]
    fn is_refused(&self, why: &str) {
        assert_eq!(self.status, 401, "{}", self.text);
        assert!(self.text.contains(why) && self.text.contains("Run `sb web --open`"), "{}", self.text);
        assert!(!self.text.contains("set-cookie"), "{}", self.text);
    }
}

fn ask(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    stream.set_read_timeout(Some(LONG)).expect("a time limit");
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    stream.write_all(text.as_bytes()).expect("the request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("the answer");
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    Answer { status, text }
}

fn get(port: u16, path: &str, headers: &[(&str, &str)]) -> Answer {
    ask(port, "GET", path, headers, "")
}

/// The port and the path of a link.
#[track_caller]
fn parts(link: &str) -> (u16, String) {
    let rest = link.strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("no link: {link}"));
    let (port, path) = rest.split_once('/').expect("a path");
    assert!(path.starts_with("enter/"), "{link}");
    (port.parse().expect("a port"), format!("/{path}"))
}

/// The cookie of a browser that opens a link.
#[track_caller]
fn enter(link: &str) -> String {
    let (port, path) = parts(link);
    let answer = get(port, &path, &[]);
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.cookie()
}

#[test]
fn a_link_lets_one_browser_in() {
    let env = env();
    let served = Served::with(&env, &["--port", "0"]);
    let (port, path) = parts(&served.printed);
    get(port, "/board", &[]).is_refused("not signed in");
    let cookie = enter(&served.printed);
    let signed_in = [("Cookie", cookie.as_str())];
    assert_eq!(get(port, "/board", &signed_in).status, 200);
    get(port, &path, &[]).is_refused("used before");
    get(port, &path, &signed_in).is_refused("used before");
    let (code, said) = served.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Ctrl-C ends it") && !said.contains("is taken"), "{said}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "it still listens");

    // The browser is still known where the page is served again, also by another process.
    let again = Served::with(&env, &["--port", &port.to_string()]);
    assert_eq!(parts(&again.printed).0, port);
    assert_eq!(get(port, "/board", &signed_in).status, 200);
    get(port, &path, &[]).is_refused("before the server was started again");
}

#[test]
fn a_script_gets_a_token_of_its_own() {
    let env = env();
    let served = Served::with(&env, &["--token", "--json", "--port", "0"]);
    let said = served.json();
    assert_eq!(fields(&said), ["port", "token"]);
    let port = u16::try_from(said["port"].as_u64().expect("a port")).expect("a port");
    let token = said["token"].as_str().expect("a token");
    let bearer = format!("Bearer {token}");
    let script = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let health = get(port, "/api/v1/health", &script);
    assert_eq!(health.status, 200, "{}", health.text);
    assert!(health.text.contains("\"project\":\"shop\""), "{}", health.text);
    let wish = "{\"do\":\"new\",\"project\":\"shop\",\"title\":\"Filed by a script\"}";
    let filed = ask(port, "POST", "/api/v1/act", &script, wish);
    assert_eq!(filed.status, 200, "{}", filed.text);
    env.sb(["list"]).success().says("Filed by a script");
    let cookie = format!("signalbox-{port}={token}");
    get(port, "/api/v1/health", &[("Cookie", &cookie)]).is_refused("not signed in");
    get(port, &format!("/enter/{token}"), &[]).is_refused("used before");
    let (code, said) = served.end();
    assert_eq!((code, said.as_str()), (Some(0), ""), "a program reads JSON, and no words beside it");

    // Without JSON it is the token and nothing else, so that a shell can take it.
    let plain = Served::with(&env, &["--token", "--port", "0"]);
    assert!(plain.printed.len() == 64 && plain.printed.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let link = Served::with(&env, &["--json", "--port", "0"]).json();
    assert_eq!(fields(&link), ["port", "link"]);
    assert_eq!(link["port"], parts(link["link"].as_str().expect("a link")).0);
}

#[test]
fn an_agent_gets_no_way_in() {
    let env = env();
    any_port(&env);
    let mut ada = env.agent("Ada");
    let mut is_refused = || {
        for more in [&[][..], &["--token"], &["--open"], &["--here"], &["--port", "0"]] {
            let words = ["web"].iter().chain(more);
            ada.sb(words).code(4).says("only a human may open the web page").never_says("/enter/");
        }
        let refused = ada.sb(["web", "--json"]).code(4);
        assert_eq!(json_error(&refused)["code"], "human.only", "{refused}");
    };
    is_refused();
    let _daemon = daemon(&env);
    is_refused();
    assert!(!env.home().join("run/web-tokens.json").exists(), "nobody was given anything");
}

#[test]
fn a_taken_port_is_passed_over_and_it_is_said() {
    let env = env();
    let other = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = other.local_addr().expect("its address").port();
    let served = Served::with(&env, &["--port", &taken.to_string()]);
    let (port, _) = parts(&served.printed);
    assert!(port > taken && port <= taken + 50, "{port} after {taken}");
    assert_eq!(get(port, "/board", &[("Cookie", &enter(&served.printed))]).status, 200);
    let (_, said) = served.end();
    assert!(said.contains(&format!("Port {taken} is taken; the page is at port {port}.")), "{said}");

    // The daemon says so too, as often as it is asked.
    let path = env.home().join("config.toml");
    let config = format!("{}\n[web]\nport = {taken}\n", env.read(&path));
    env.write(path, config);
    let _daemon = daemon(&env);
    for _ in 0..2 {
        let run = env.sb(["web"]).success();
        let (port, _) = parts(run.stdout.trim_end());
        run.says(&format!("Port {taken} is taken; the page is at port {port}."));
    }

    // There is none after the last.
    let last = TcpListener::bind(("127.0.0.1", u16::MAX));
    let run = env.sb(["web", "--port", "65535"]).code(1);
    run.says("listen on port 65535").says("hint: `sb web --port N` takes another port.");
    drop(last);
}

#[test]
fn the_daemons_page_is_its_own_and_comes_back_with_it() {
    let env = env();
    any_port(&env);
    let before = daemon(&env);
    let first = env.sb(["web"]).success();
    assert_eq!(first.stderr, "", "it is served already, and nothing is to be ended");
    let link = first.stdout.trim_end();
    let (port, _) = parts(link);
    let second = json(&env.sb(["web", "--json"]).success());
    assert_eq!(second["port"], port, "one page for all who ask");
    assert_ne!(second["link"], link, "and a link for each");
    let cookie = enter(link);
    let signed_in = [("Cookie", cookie.as_str())];
    let health = get(port, "/api/v1/health", &signed_in);
    assert!(health.text.contains(&format!("\"daemon_pid\":{}", before.child.id())), "{}", health.text);
    let token = env.sb(["web", "--token"]).success().stdout;
    let bearer = format!("Bearer {}", token.trim_end());
    assert_eq!(get(port, "/api/v1/now", &[("Authorization", &bearer)]).status, 200);

    // Here, though the daemon runs: another port, and its end is not the daemon's.
    for more in [&["--here"][..], &["--port", "0"]] {
        let here = Served::with(&env, more);
        let (own, _) = parts(&here.printed);
        assert_ne!(own, port, "{more:?}");
        assert_eq!(get(own, "/board", &[("Cookie", &enter(&here.printed))]).status, 200);
        assert_eq!(here.end().0, Some(0));
        assert!(TcpStream::connect(("127.0.0.1", own)).is_err(), "{more:?}: it still listens");
        assert_eq!(get(port, "/board", &signed_in).status, 200);
    }

    // A link that waited through a restart is good for nothing; a browser that came in before is still known.
    let unused = env.sb(["web"]).success().stdout;
    drop(before);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "it ends with its daemon");
    let _daemon = daemon(&env);
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < LONG, "the page does not come back");
        std::thread::park_timeout(Duration::from_millis(20));
    }
    assert_eq!(get(port, "/board", &signed_in).status, 200);
    get(port, &parts(unused.trim_end()).1, &[]).is_refused("before the server was started again");
    assert_eq!(parts(env.sb(["web"]).success().stdout.trim_end()).0, port);
}

#[test]
fn the_browser_is_opened_or_it_is_said_that_there_is_none() {
    let env = env();
    let programs = env.root().join("programs");
    std::fs::create_dir_all(&programs).expect("a folder");
    let open = |what: &str| {
        let mut command = env.command();
        command.args(["web", "--open", "--port", "0"]).env("PATH", &programs);
        let served = Served::start(&mut command);
        let link = served.printed.clone();
        let cookie = enter(&link);
        assert_eq!(get(parts(&link).0, "/board", &[("Cookie", &cookie)]).status, 200, "{what}");
        // What it says of the browser comes before it waits for its end.
        let begun = Instant::now();
        let opened = env.root().join("opened");
        while what == "works" && !opened.exists() {
            assert!(begun.elapsed() < LONG, "no browser was opened");
            std::thread::park_timeout(Duration::from_millis(20));
        }
        (link, served.end().1)
    };
    let none = "no browser could be opened here";
    assert!(open("is missing").1.contains(none));
    let program = programs.join("xdg-open");
    for (what, script) in [
        ("fails", "exit 3"),
        ("works", "printf %s \"$1\" >\"$HOME/part\" && /bin/mv \"$HOME/part\" \"$HOME/opened\""),
    ] {
        env.write(&program, format!("#!/bin/sh\n{script}\n"));
        env.bash(&format!("chmod 755 {}", signalbox_testkit::quote(program.to_str().expect("UTF-8"))))
            .success();
        let (link, said) = open(what);
        assert_eq!(said.contains(none), what == "fails", "{what}: {said}");
        if what == "works" {
            assert_eq!(env.read(env.root().join("opened")), link);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_served() {
    let env = env();
    for words in [
        &["--port", "65536"][..],
        &["--port", "-1"],
        &["--port", "http"],
        &["--port", ""],
        &["--port"],
        &["--open", "--token"],
        &["--link"],
        &["7117"],
    ] {
        env.sb(["web"].iter().chain(words)).code(2).never_says("/enter/");
    }
    env.sb(["web", "--port", "65536"]).code(2).says("0..=65535");
    let path = env.home().join("config.toml");
    let config = format!("{}\n[web]\nport = 70000\n", env.read(&path));
    env.write(path, config);
    env.sb(["web"]).code(1).says("config.toml, line 8: a whole number from 0 to 65535 is needed");
    assert!(!env.home().join("run/web-tokens.json").exists(), "nobody was given anything");
}
