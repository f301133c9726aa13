//! The plugins below `examples/plugins`, each as it is shipped.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use signalbox_testkit::{Run, TestEnv};

use crate::support::{env, in_review};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugins")
}

/// An environment in which only Python and these programs are on `PATH`: the machine may have a desktop or a voice. What
/// each of them gets is in the file `heard`.
fn with_only(programs: &[&str]) -> TestEnv {
    let mut env = env();
    let bin = env.root().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = String::from_utf8(python.expect("python3").stdout).expect("UTF-8");
    std::os::unix::fs::symlink(python.trim(), bin.join("python3")).expect("a link");
    let heard = env.root().join("heard");
    for program in programs {
        let path = bin.join(program);
        let script = format!(
            "#!/bin/sh\nfor word in {program} \"$@\"; do printf '%s\\n' \"$word\" >> '{}'; done\n",
            heard.display()
        );
        env.write(&path, script);
        env.bash(&format!("chmod +x '{}'", path.display())).success();
    }
    env.set("PATH", &bin.display().to_string());
    env
}

/// An environment with Python.
fn with_python() -> TestEnv {
    let mut env = with_only(&[]);
    let sb = env.program().parent().expect("a folder").to_owned();
    let bin = env.root().join("bin");
    env.set("PATH", &format!("{}:{}:/usr/local/bin:/usr/bin:/bin", sb.display(), bin.display()));
    env
}

/// Tell an example of an event, as the daemon does.
fn tell(env: &TestEnv, example: &str, event: &Value, config: &Value) -> Run {
    let mut command = Command::new(examples().join(example));
    env.prepare(&mut command);
    let told = json!({ "v": 1, "event": event, "config": config, "plugin": example, "decide": false });
    env.run_with_input(command, told.to_string())
}

fn event(name: &str) -> Value {
    json!({
        "v": 1, "id": "01J00000000000000000000000", "ts": "2026-11-15T10:00:00.000Z", "event": name,
        "ticket": "sb_000001", "project": "shop", "actor": "ada", "data": { "note": "a <b>bold</b> & \u{1b}[31mred one" },
    })
}

fn heard(env: &TestEnv) -> Vec<String> {
    env.read(env.root().join("heard")).lines().map(ToOwned::to_owned).collect()
}

/// Take one request and answer it; what comes back is its head and its body.
fn one_request(listener: &TcpListener, answer: &str) -> (String, Value) {
    let (mut stream, _) = listener.accept().expect("a connection");
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).expect("a request");
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
        });
        if Some(body.len()) == length {
            let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).expect("an answer");
            return (head.to_owned(), serde_json::from_str(body).expect("JSON"));
        }
    }
}

#[test]
fn every_example_is_in_the_readme_and_tested() {
    let readme = std::fs::read_to_string(examples().join("README.md")).expect("the README");
    let tests = include_str!("plugin_examples.rs");
    let entries = std::fs::read_dir(examples()).expect("the examples");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    for name in names.filter(|name| name != "README.md") {
        assert!(readme.contains(&format!("run = [\"{name}\"]")), "{name} is not in the README");
        assert!(tests.contains(&name), "{name} is not tested");
    }
}

/// The README's own configuration is right.
#[test]
fn the_configuration_of_the_readme_is_in_order() {
    let env = with_python();
    let readme = env.read(examples().join("README.md"));
    let block = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let config = env.home().join("config.toml");
    env.write(&config, format!("{}\n{}", env.read(&config), block.expect("a block of TOML")));
    std::os::unix::fs::symlink(examples(), env.home().join("plugins")).expect("a link");
    env.sb(["plugins", "check"]).success().says("All 6 plugins are in order.");
}

#[test]
fn desktop() {
    let env = with_only(&["notify-send"]);
    tell(&env, "desktop.py", &event("status.review"), &json!({ "title": "My box" })).success();
    assert_eq!(
        heard(&env),
        [
            "notify-send",
            "--app-name=Signalbox",
            "--urgency=normal",
            "--",
            "My box",
            "sb_000001 waits for a review: a &lt;b&gt;bold&lt;/b&gt; &amp; [31mred one"
        ]
    );
    let env = with_only(&["osascript"]);
    tell(&env, "desktop.py", &event("status.done"), &json!({})).success();
    let heard = heard(&env);
    assert_eq!(heard[heard.len() - 2..], ["Signalbox", "sb_000001 is done: a <b>bold</b> & [31mred one"]);
    tell(&with_only(&[]), "desktop.py", &event("status.done"), &json!({})).code(1).says("notify-send");
}

#[test]
fn speak() {
    let env = with_only(&["say", "afplay"]);
    let config = json!({
        "says": { "status.review": "-v look at {ticket}" }, "sounds": { "status.done": "bell.wav" }, "voice": "Ada",
    });
    tell(&env, "speak.py", &event("status.review"), &config).success();
    tell(&env, "speak.py", &event("status.done"), &config).success();
    assert_eq!(heard(&env), ["say", "-v", "Ada", "v look at sb 000001", "afplay", "bell.wav"]);
    let env = with_only(&["espeak"]);
    tell(&env, "speak.py", &event("status.rework"), &json!({})).success();
    assert_eq!(heard(&env), ["espeak", "sb 000001 was sent back"]);
    tell(&with_only(&[]), "speak.py", &event("status.done"), &json!({})).code(1).says("espeak");
}

#[test]
fn slack() {
    let mut env = with_python();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    env.set("MY_HOOK", &format!("http://{address}/services/secret"));
    let config = json!({ "url_env": "MY_HOOK" });
    let env = &env;
    std::thread::scope(|scope| {
        scope.spawn(|| tell(env, "slack.py", &event("status.review"), &config).success());
        let (head, body) = one_request(&listener, "200 OK");
        assert!(head.starts_with("POST /services/secret "), "{head}");
        let text = body["text"].as_str().expect("a text");
        assert!(text.starts_with("*review* sb_000001 by ada in shop\n> a &lt;b&gt;bold"), "{text}");
    });
    for answer in ["404 Gone", &format!("302 Found\r\nLocation: http://{address}/elsewhere")] {
        std::thread::scope(|scope| {
            let run = scope.spawn(|| tell(env, "slack.py", &event("status.review"), &config));
            one_request(&listener, answer);
            let run = run.join().expect("a run").code(1).says("Slack answered ");
            run.never_says("services/secret");
        });
    }
    tell(env, "slack.py", &event("status.review"), &json!({})).code(1).says("there is no address");
}

#[test]
fn webhook() {
    let mut env = with_python();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    env.set("HOOK_SECRET", "hush");
    let config = json!({
        "url": format!("http://{address}/hook"), "secret_env": "HOOK_SECRET", "headers": { "X-Mine": "1" },
    });
    let env = &env;
    std::thread::scope(|scope| {
        scope.spawn(|| tell(env, "webhook.py", &event("note.added"), &config).success());
        let (head, body) = one_request(&listener, "204 No Content");
        assert_eq!(body, event("note.added"));
        let head = head.to_lowercase();
        for line in
            ["post /hook ", "x-signalbox-event: note.added", "x-mine: 1", "x-signalbox-signature: sha256="]
        {
            assert!(head.contains(line), "{head}");
        }
    });
    std::thread::scope(|scope| {
        let run = scope.spawn(|| tell(env, "webhook.py", &event("note.added"), &config));
        one_request(&listener, &format!("301 Moved\r\nLocation: http://{address}/elsewhere"));
        run.join().expect("a run").code(1).says("it answered 301");
    });
    let unset = json!({ "url": format!("http://{address}/hook"), "secret_env": "NO_SUCH" });
    tell(env, "webhook.py", &event("note.added"), &unset).code(1).says("NO_SUCH is not set");
}

#[test]
fn cycle_time() {
    let env = with_python();
    let id = in_review(&env, &mut env.agent("ada"), "Fix login");
    env.sb(["review", &id]).success();
    env.sb(["approve", &id]).success();
    let done = env.sb(["log", "--ticket", &id, "--event", "status.done", "--json"]).success().stdout;
    let done: Value = serde_json::from_str(done.lines().next().expect("an event")).expect("JSON");
    let file = env.root().join("cycle times.csv");
    let config = json!({ "file": file });
    for _ in 0..2 {
        tell(&env, "cycle_time.py", &done, &config).success();
    }
    tell(&env, "cycle_time.py", &event("status.open"), &config).success();
    let table = env.read(&file);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "ticket,project,created,started,submitted,done,hours_waiting,hours_working,reworks");
    assert_eq!(lines.len(), 2, "{table}");
    let row: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(
        (row[0], row[1], row[5], row[8]),
        (id.as_str(), "shop", done["ts"].as_str().expect("a time"), "0")
    );
}

#[test]
fn unfinished() {
    let env = with_python();
    std::os::unix::fs::symlink(examples(), env.home().join("plugins")).expect("a link");
    let config = env.home().join("config.toml");
    let plugin = "\n[[plugins]]\nname = 'unfinished'\nevents = ['status.review']\nrun = ['unfinished.py']\ndecides = true\n";
    env.write(&config, format!("{}{plugin}", env.read(&config)));
    let id = env.new_ticket("Fix login TODO");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    ada.sb(["submit", "-m", "done"])
        .code(4)
        .says("the plugin `unfinished` refuses status.review")
        .says("`TODO` stands in its title");
    env.sb(["edit", &id, "--title", "Fix login"]).success();
    ada.sb(["submit", "-m", "FIXME later"]).code(4).says("`FIXME` stands in its note");
    ada.sb(["note", &id, "TODO: tests"]).success();
    ada.sb(["submit"]).code(4).says("`TODO` stands in its last note");
    ada.sb(["submit", "-m", "all done"]).success().never_says("warning");
}
