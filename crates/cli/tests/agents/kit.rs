//! An agent in a window, and what can be known of it from outside.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use signalbox_pty::Size;
use signalbox_testkit::{Run, TestEnv};

use crate::window::{USUAL, Window, eventually};

/// An environment with the project `shop`. `SIGNALBOX_TEST_SB` names another build of `sb`, for long runs.
pub fn env() -> TestEnv {
    let other = std::env::var_os("SIGNALBOX_TEST_SB");
    TestEnv::new(other.unwrap_or_else(|| env!("CARGO_BIN_EXE_sb").into()))
}

/// `sb` with these words, not yet run.
pub fn sb<S: AsRef<str>>(env: &TestEnv, words: impl IntoIterator<Item = S>) -> Command {
    let mut command = env.command();
    command.args(words.into_iter().map(|word| word.as_ref().to_owned())).env("TERM", "xterm-256color");
    command
}

/// The one JSON value that a command printed.
#[track_caller]
pub fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{}: {error}:\n{run}", run.what))
}

/// An agent that a person sits before.
pub struct Agent<'a> {
    pub env: &'a TestEnv,
    pub window: Window,
    pub id: String,
    /// The conversation of a puppet.
    session: String,
}

impl<'a> Agent<'a> {
    /// A puppet that waits for a prompt.
    pub fn puppet(env: &'a TestEnv, script: &Value) -> Self {
        Self::puppet_sized(env, script, USUAL)
    }

    pub fn puppet_sized(env: &'a TestEnv, script: &Value, size: Size) -> Self {
        let session = new_session();
        let command = puppet_command(env, script, &session, &[]);
        let window = Window::sized(&command, size);
        window.wait_for("/help for help");
        let id = id_of(env, window.pid());
        Self { env, window, id, session }
    }

    /// Any program. It need not live long.
    pub fn program(env: &'a TestEnv, words: &[&str]) -> Self {
        let window = Window::open(&sb(env, ["agent", "--"].iter().chain(words)));
        let id = id_of(env, window.pid());
        Self { env, window, id, session: String::new() }
    }

    pub fn record(&self) -> Value {
        record(self.env, &self.id)
    }

    /// The process of the program itself.
    pub fn child(&self) -> u32 {
        number(&self.record()["child"]["pid"])
    }

    /// Say something to it, as somebody else would. The id of the message.
    #[track_caller]
    pub fn inject(&self, words: &[&str]) -> String {
        let run = self.env.sb(["inject", "--json", &self.id].iter().chain(words)).success();
        json_of(&run)["id"].as_str().expect("an id").to_owned()
    }

    /// All prompts that the puppet took, in their order.
    pub fn prompts(&self) -> Vec<String> {
        prompts(self.env, &self.session)
    }

    /// What the puppet answered, in its order.
    pub fn answers(&self) -> Vec<String> {
        let lines = transcript(self.env, &self.session);
        let said = lines.iter().filter(|line| line["type"] == "assistant");
        said.filter_map(|line| line["message"]["content"][0]["text"].as_str().map(ToOwned::to_owned))
            .collect()
    }

    /// Every receipt of a message: the name of the event and its data.
    pub fn receipts(&self, message: &str) -> Vec<(String, Value)> {
        receipts(self.env).into_iter().filter(|(_, data)| data["injection"] == message).collect()
    }

    /// Wait until a message has its last receipt, and name it.
    #[track_caller]
    pub fn fate(&self, message: &str) -> String {
        let mut last = String::new();
        eventually("the message to come to an end", || {
            last = self.receipts(message).pop().map(|(name, _)| name).unwrap_or_default();
            !matches!(last.as_str(), "" | "inject.queued" | "inject.deferred")
        });
        last
    }

    /// Wait until a message waits for this.
    #[track_caller]
    pub fn waits_for(&self, message: &str, reason: &str) {
        eventually(&format!("{message} to wait for {reason}; {:?}", self.receipts(message)), || {
            self.receipts(message)
                .iter()
                .any(|(name, data)| name == "inject.deferred" && data["reason"] == reason)
        });
    }

    /// Wait until the agent is known to be in this state.
    #[track_caller]
    pub fn becomes(&self, state: &str) -> Value {
        let mut row = Value::Null;
        eventually(&format!("the state {state}, at last {:?}", self.window.text()), || {
            row = self.row();
            row["state"] == state
        });
        row
    }

    /// Its row in the list of all.
    pub fn row(&self) -> Value {
        let rows = json_of(&self.env.sb(["agents", "--all", "--json"]).success());
        let rows = rows.as_array().expect("a list").clone();
        rows.into_iter().find(|row| row["id"] == self.id.as_str()).expect("its row")
    }
}

/// `sb agent puppet` with this script, not yet run.
pub fn puppet_command(env: &TestEnv, script: &Value, session: &str, options: &[&str]) -> Command {
    let path = env.root().join(format!("{session}.script.json"));
    env.write(&path, script.to_string());
    let path = path.to_str().expect("UTF-8");
    let words = ["agent", "puppet"].iter().chain(options).copied();
    sb(env, words.chain(["--", "--script", path, "--session-id", session]))
}

/// A puppet that answers soon. Of a turn that takes no time nothing can be seen.
pub fn quick() -> Value {
    json!({ "otherwise": [{ "think": 400 }, { "say": "Done." }] })
}

/// A conversation that nobody had.
pub fn new_session() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("5e551017-0000-4000-8000-{:012}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The agent whose wrapper is this process, once its program runs.
#[track_caller]
pub fn id_of(env: &TestEnv, wrapper: u32) -> String {
    let mut id = None;
    eventually("the agent's record", || {
        let records = records(env);
        let ours = |record: &&Value| record["wrapper"]["pid"] == wrapper && !record["child"].is_null();
        id = records.iter().find(ours).and_then(|record| record["id"].as_str().map(ToOwned::to_owned));
        id.is_some()
    });
    id.expect("an id")
}

pub fn records(env: &TestEnv) -> Vec<Value> {
    let files = env.files_below(env.home().join("agents"));
    let records = files.iter().filter(|(path, _)| path.extension().is_some_and(|ending| ending == "json"));
    records.filter_map(|(_, bytes)| serde_json::from_slice(bytes).ok()).collect()
}

pub fn record(env: &TestEnv, id: &str) -> Value {
    records(env).into_iter().find(|record| record["id"] == id).expect("its record")
}

pub fn prompts(env: &TestEnv, session: &str) -> Vec<String> {
    let lines = transcript(env, session);
    let said = lines.iter().filter(|line| line["type"] == "user");
    said.filter_map(|line| line["message"]["content"].as_str().map(ToOwned::to_owned)).collect()
}

fn transcript(env: &TestEnv, session: &str) -> Vec<Value> {
    let name = format!("{session}.jsonl");
    let files = env.files_below(env.root().join(".puppet/projects"));
    let file = files.into_iter().find(|(path, _)| path.file_name().is_some_and(|file| *file == *name));
    let text = String::from_utf8(file.map(|(_, bytes)| bytes).unwrap_or_default()).expect("UTF-8");
    // The last line may be half written.
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The name and the data of every receipt in the log.
pub fn receipts(env: &TestEnv) -> Vec<(String, Value)> {
    events(env).into_iter().filter(|(name, _)| name.starts_with("inject.")).collect()
}

/// The name and the data of every event in the log.
pub fn events(env: &TestEnv) -> Vec<(String, Value)> {
    let files = env.files_below(env.home().join("events"));
    let mut events = Vec::new();
    for (_, bytes) in files.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "jsonl")) {
        for line in String::from_utf8_lossy(bytes).lines() {
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            events.push((event["event"].as_str().unwrap_or_default().to_owned(), event["data"].clone()));
        }
    }
    events
}

pub fn recording(env: &TestEnv, id: &str) -> PathBuf {
    env.home().join("recordings").join(format!("{id}.cast"))
}

pub fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).expect("a number")
}
