//! The daemon as people meet it: up, down, restart, status, logs; and what its socket answers.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Stdio};

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use signalbox_api::{Client, Events};
use signalbox_testkit::TestEnv;

use crate::kit::{env, json_of, sb};
use crate::window::{eventually, pid};

/// A daemon that runs for as long as this lives.
pub struct Daemon {
    child: Child,
}

impl Daemon {
    pub fn start(env: &TestEnv) -> Self {
        let mut command = sb(env, ["up", "--foreground"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("start the daemon");
        let number = child.id();
        eventually("the daemon to answer", || {
            Client::connect(&socket(env)).is_ok_and(|client| client.greeting.pid == number)
        });
        Self { child }
    }

    /// As hard as can be.
    pub fn kill(mut self) {
        kill_process(pid(self.child.id()), Signal::KILL).expect("kill the daemon");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = kill_process(pid(self.child.id()), Signal::KILL);
        let _ = self.child.wait();
    }
}

pub fn socket(env: &TestEnv) -> std::path::PathBuf {
    env.home().join("run/daemon.sock")
}

/// Add to the configuration.
pub fn configure(env: &TestEnv, more: &str) {
    let path = env.home().join("config.toml");
    let text = format!("{}\n{more}", env.read(&path));
    env.write(path, text);
}

/// One line there and one back, without a client of ours.
fn raw(env: &TestEnv, line: &str) -> Value {
    let mut stream = UnixStream::connect(socket(env)).expect("the socket");
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut greeting = String::new();
    reader.read_line(&mut greeting).expect("a greeting");
    // It need not take all of a line that is too long.
    let _ = stream.write_all(format!("{line}\n").as_bytes());
    let mut answer = String::new();
    reader.read_line(&mut answer).expect("an answer");
    serde_json::from_str(&answer).expect("JSON")
}

#[test]
fn it_goes_up_and_down_and_says_so() {
    let env = env();
    env.sb(["status"]).success().says("does not run");
    env.sb(["monitor", "list"]).code(4).says("no daemon runs").says("`sb up` starts one");
    env.sb(["up"]).success().says("The daemon runs (process");
    env.sb(["up"]).success().says("runs already");
    env.sb(["up", "--foreground"]).code(4).says("a daemon runs already");
    env.sb(["status"]).success().says("no agents");
    let report = json_of(&env.sb(["status", "--json"]).success());
    let first = report["daemon"]["pid"].as_u64().expect("a process");
    env.sb(["restart"]).success();
    let report = json_of(&env.sb(["status", "--json"]).success());
    assert_ne!(report["daemon"]["pid"].as_u64(), Some(first));
    env.sb(["logs"]).success().says("runs as process");
    env.sb(["down"]).success().says("has ended; agents go on");
    env.sb(["down"]).success().says("No daemon runs.");
    assert!(!socket(&env).exists(), "it left its socket");
}

#[test]
fn a_client_starts_it_when_asked_and_says_so() {
    let env = env();
    let add = ["monitor", "add", "x", "type=shell", "command=true"];
    env.sb(add).code(4).says("no daemon runs");
    // Nobody runs for whom it could be watched; but the daemon does now.
    env.sb(add.iter().chain(&["--up"])).code(2).says("The daemon was started").says("0 agents run");
    env.sb(["down"]).success();
}

#[test]
fn its_socket_is_private_and_one_that_was_killed_is_followed_by_the_next() {
    let env = env();
    let daemon = Daemon::start(&env);
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&socket(&env)), mode(&env.home().join("run"))), (0o600, 0o700));
    daemon.kill();
    assert!(socket(&env).exists());
    env.sb(["monitor", "list"]).code(4).says("killed and left its socket").says("`sb up` starts it again");
    env.sb(["status"]).success().says("does not run");
    env.sb(["up"]).success();
    env.sb(["monitor", "list"]).success();
    env.sb(["down"]).success();
}

#[test]
fn one_of_another_version_is_named_with_what_to_do() {
    let env = env();
    std::fs::create_dir_all(env.home().join("run")).expect("the folder");
    let listener = UnixListener::bind(socket(&env)).expect("a socket");
    let greeter = std::thread::spawn(move || {
        for stream in listener.incoming().take(3) {
            let mut stream = stream.expect("a guest");
            let _ = stream.write_all(b"{\"v\":99,\"server\":\"7.0.0\",\"pid\":4242}\n");
        }
    });
    for words in [&["monitor", "list"][..], &["status"], &["up"]] {
        env.sb(words).code(4).says("7.0.0").says("version 99").says("`sb restart` ends process 4242");
    }
    greeter.join().expect("three guests");
}

#[test]
fn one_that_talks_nonsense_or_belongs_to_somebody_else_is_not_believed() {
    let env = env();
    std::fs::create_dir_all(env.home().join("run")).expect("the folder");
    let listener = UnixListener::bind(socket(&env)).expect("a socket");
    let greeter = std::thread::spawn(move || {
        let mut stream = listener.accept().expect("a guest").0;
        let _ = stream.write_all(b"220 smtp ready\n");
    });
    env.sb(["monitor", "list"]).code(1).says("cannot be understood").says("`sb restart`");
    greeter.join().expect("a guest");
    if rustix::process::getuid().is_root() {
        std::os::unix::fs::chown(socket(&env), Some(65_534), None).expect("give it away");
        env.sb(["monitor", "list"]).code(4).says("belongs to another user");
    } else {
        eprintln!("SKIPPED: the socket of another user needs root");
    }
}

#[test]
fn what_it_cannot_understand_it_says() {
    let env = env();
    let _daemon = Daemon::start(&env);
    let code = |line: &str| raw(&env, line)["error"]["code"].as_str().map(ToOwned::to_owned);
    for (line, wanted) in [
        ("hello", "request.garbled"),
        ("{}", "request.version"),
        (r#"{"v":2,"id":1,"do":"status"}"#, "request.version"),
        (r#"{"v":1,"id":1,"do":"statsu"}"#, "request.unknown"),
        (r#"{"v":1,"id":1,"do":"add-monitor"}"#, "request.fields"),
        (
            r#"{"v":1,"id":1,"do":"register","agent":"puppet-zzzz","state":"idle","since":"2026-11-15T10:00:00Z"}"#,
            "agent.not-yours",
        ),
        (r#"{"v":1,"id":1,"do":"events","after":"nonsense"}"#, "events.position"),
    ] {
        assert_eq!(code(line).as_deref(), Some(wanted), "{line}");
    }
    assert_eq!(code(&"x".repeat(2 << 20)).as_deref(), Some("request.long"));
    let near = raw(&env, r#"{"v":1,"id":1,"do":"statsu"}"#);
    assert_eq!(near["error"]["hints"], json!(["Did you mean `status`?"]));
    let answer = raw(&env, r#"{"v":1,"id":7,"do":"status","later":true}"#);
    assert_eq!((&answer["id"], answer["ok"]["agents"].is_array()), (&json!(7), true));
}

#[test]
fn a_follower_of_the_log_goes_on_where_it_was_over_kills_of_the_daemon() {
    let env = env();
    let ticket = env.new_ticket("Follow me");
    let mut daemon = Daemon::start(&env);
    let names = vec!["note.added".to_owned()];
    let mut after = None;
    let mut heard = Vec::new();
    for round in 0..6 {
        for number in 0..5 {
            env.sb(["note", &ticket, &format!("n{round}.{number}")]).success();
        }
        let wanted = Events { after: after.clone(), from_beginning: true, names: names.clone() };
        let mut stream =
            Client::connect(&socket(&env)).expect("the daemon").follow(wanted).expect("a stream");
        // Some of it only: the rest is for the next connection.
        let enough = heard.len() + 3;
        while heard.len() < enough {
            let piece = stream.piece().expect("a piece");
            for event in &piece.events {
                let data: Value = serde_json::from_str(event.data.get()).expect("data");
                heard.push(data["text"].as_str().expect("its text").to_owned());
            }
            after = Some(piece.next);
        }
        daemon.kill();
        daemon = Daemon::start(&env);
    }
    let all: Vec<String> =
        (0..6).flat_map(|round| (0..5).map(move |number| format!("n{round}.{number}"))).collect();
    assert_eq!(heard, all.get(..heard.len()).expect("no more than there are"));
    assert!(heard.len() >= 18);
}

#[test]
fn the_system_can_start_it_and_that_can_be_undone() {
    let env = env();
    let run = env.sb(["up", "--install"]).success();
    let unit = env.root().join(".config/systemd/user/signalbox.service");
    let text = env.read(&unit);
    assert!(
        text.contains("up --foreground")
            && text.contains(&format!("SIGNALBOX_HOME={}", env.home().display())),
        "{text}"
    );
    assert!(run.stderr.contains("signalbox.service"), "{run}");
    env.sb(["up", "--uninstall"]).success().says("Removed");
    assert!(!unit.exists());
    env.sb(["up", "--uninstall"]).success().says("nothing to take away");
}

#[test]
fn an_agent_may_look_but_not_start_or_end_it() {
    let env = env();
    let mut agent = env.agent("ada");
    agent.sb(["up"]).code(4).says("only a human may");
    let _daemon = Daemon::start(&env);
    agent.sb(["status"]).success().says("daemon");
    for words in [&["down"][..], &["restart"], &["notifier", "test", "terminal_bell"]] {
        agent.sb(words).code(4).says("only a human may");
    }
    // Not through the socket either: who asks is seen by its process.
    let line = r#"{"v":1,"id":1,"do":"stop"}"#;
    let path = socket(&env);
    let script = format!(
        "import socket;s=socket.socket(socket.AF_UNIX);s.connect('{}');s.recv(999);s.send(b'''{line}\\n''');print(s.recv(9999).decode())",
        path.display()
    );
    agent.run(&format!("python3 -c {}", signalbox_testkit::quote(&script))).success().says("human.only");
    env.sb(["status"]).success().says("process");
}

#[test]
fn a_configuration_that_goes_bad_is_told_and_the_old_one_stays() {
    let env = env();
    configure(&env, "[monitors.check]\ntype = \"shell\"\ncommand = \"true\"\n");
    let good = env.read(env.home().join("config.toml"));
    let _daemon = Daemon::start(&env);
    configure(&env, "[monitors\n");
    let report = || json_of(&raw_status(&env));
    eventually("the bad configuration to be told", || report()["bad_config"].is_string());
    env.write(env.home().join("config.toml"), good);
    eventually("the good configuration to be in force", || report()["bad_config"].is_null());
}

/// `sb status` would refuse a bad configuration itself.
#[test]
fn with_a_configuration_that_cannot_be_read_it_is_seen_and_ended_all_the_same() {
    let env = env();
    let _daemon = Daemon::start(&env);
    configure(&env, "[mode\n");
    env.sb(["status"]).success().says("daemon  process").says("config.toml, line");
    env.sb(["up"]).success().says("runs already");
    env.sb(["down"]).success().says("has ended; agents go on");
    env.sb(["up"]).code(1).says("config.toml, line");
}

fn raw_status(env: &TestEnv) -> signalbox_testkit::Run {
    let answer = raw(env, r#"{"v":1,"id":1,"do":"status"}"#);
    signalbox_testkit::Run {
        stdout: answer["ok"].to_string(),
        stderr: String::new(),
        code: Some(0),
        what: "status".to_owned(),
    }
}
