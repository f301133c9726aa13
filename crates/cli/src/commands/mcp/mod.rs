//! `sb mcp`: tickets as tools of the Model Context Protocol, on standard input and output.
//!
//! One JSON-RPC message a line, answered in order. Who asks is never told by the model: each call is this same program,
//! started once more with the matching command line, and it finds out by its processes who runs it. So the same rules
//! hold as in a shell, and the same refusals come back. Which tools there are is decided by the session's role, for every
//! list and again for every call; a client is told when that has changed. Ends when its input does; a signal ends it at
//! once.
//!
//! `sb mcp install` is how an agent CLI learns to start it.

mod asker;
mod call;
mod given;
mod install;
mod shown;
mod table;
mod tools;

use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_store::Home;
use signalbox_store::watch::Watch;

use crate::context::Context;
use asker::Asker;
use signalbox_desk::error::CommandError;
pub use tools::page;

/// Without a word more it serves, for agent CLIs to start; people have no use for that. Whoever starts it is who acts, as
/// with every other command.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<install::What>,
}

/// The versions of the protocol that are spoken, the newest first.
const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18"];
/// The longest message. A note may be a megabyte, and escaping can make six of it.
const MOST_LINE: u64 = 8 * 1024 * 1024;

/// How long the first list of tools waits for the session to be registered: CLIs start servers and hooks side by side.
const SETTLING: Duration = Duration::from_secs(1);
/// How often that is looked at; and how long a change of a session may take until it is whole.
const STEP: Duration = Duration::from_millis(20);
const WHOLE: Duration = Duration::from_millis(100);

const INSTRUCTIONS: &str = "Signalbox tickets. Begin with `context`. Take work with `pick_ticket`, say what you did with \
    `add_note`, hand it in with `submit_ticket`. Nobody reviews work they had to do with, and reading a ticket with \
    `show_ticket` counts: to review one, begin with `review_ticket`. What only a human can answer goes into \
    `draft_escalation`. Who you are is known from your session, and your role decides which of the tools you have.";

/// The protocol's own numbers for what went wrong.
const NOT_JSON: i64 = -32700;
const NO_REQUEST: i64 = -32600;
const NO_SUCH_METHOD: i64 = -32601;
const BAD_PARAMETERS: i64 = -32602;
const FAILED: i64 = -32603;

/// One line of the input.
enum Line {
    Text(Vec<u8>),
    TooLong,
    End,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what {
        Some(what) => install::run(cx, what),
        None => serve(cx),
    }
}

/// What the server waits for.
enum Msg {
    Line(io::Result<Line>),
    /// Something about a session has changed, maybe this one's role.
    Look,
}

fn serve(cx: &Context) -> Result<(), CommandError> {
    let (sender, inbox) = sync_channel(1);
    let mut server = Server {
        home: cx.home()?.clone(),
        program: std::env::current_exe()?,
        told: None,
        notices: Some(sender.clone()),
    };
    std::thread::spawn(move || read(&sender));
    while let Ok(message) = inbox.recv() {
        let answer = match message {
            Msg::Look => server.changed(),
            Msg::Line(line) => match line? {
                Line::End => return Ok(()),
                Line::TooLong => {
                    let message = format!("a message has at most {MOST_LINE} bytes");
                    Some(Fault { id: Value::Null, code: NOT_JSON, message }.message())
                }
                Line::Text(bytes) if bytes.trim_ascii().is_empty() => None,
                Line::Text(bytes) => server.answer(&bytes).map(|answer| match answer {
                    Ok((id, result)) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err(fault) => fault.message(),
                }),
            },
        };
        if let Some(answer) = answer {
            cx.ui.data(&format!("{answer}\n"))?;
        }
    }
    Ok(())
}

fn read(to: &SyncSender<Msg>) {
    let mut input = io::stdin().lock();
    loop {
        let line = line(&mut input);
        let is_last = matches!(line, Ok(Line::End) | Err(_));
        if to.send(Msg::Line(line)).is_err() || is_last {
            return;
        }
    }
}

/// Tell of every change of a session, for as long as somebody hears it.
fn watch(home: &Home, to: &SyncSender<Msg>) {
    let folder = home.sessions();
    while !folder.is_dir() {
        std::thread::sleep(Duration::from_secs(1));
    }
    let Ok(mut watch) = Watch::new(&folder) else { return };
    loop {
        if to.send(Msg::Look).is_err() {
            return;
        }
        loop {
            match watch.wait(Duration::from_secs(60)) {
                Ok(true) => break,
                Ok(false) => {}
                Err(_) => return,
            }
        }
        std::thread::sleep(WHOLE);
    }
}

/// The next line; the rest of one that is too long is passed over without being kept.
fn line(input: &mut impl BufRead) -> io::Result<Line> {
    let mut bytes = Vec::new();
    if input.by_ref().take(MOST_LINE + 1).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(Line::End);
    }
    if bytes.ends_with(b"\n") || bytes.len() as u64 <= MOST_LINE {
        return Ok(Line::Text(bytes));
    }
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (passed, done) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        input.consume(passed);
        if done {
            return Ok(Line::TooLong);
        }
    }
}

/// An answer that is an error of the protocol.
struct Fault {
    id: Value,
    code: i64,
    message: String,
}

impl Fault {
    fn message(self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": { "code": self.code, "message": self.message } })
    }
}

struct Server {
    home: Home,
    program: PathBuf,
    /// The tools that the client was last told of.
    told: Option<Vec<Value>>,
    /// Where changes of sessions are told, until somebody listens for them.
    notices: Option<SyncSender<Msg>>,
}

impl Server {
    /// The result of a request, with its id. `None` for what wants no answer.
    fn answer(&mut self, bytes: &[u8]) -> Option<Result<(Value, Value), Fault>> {
        let fault = |id: &Value, code, message: String| Some(Err(Fault { id: id.clone(), code, message }));
        let message: Value = match serde_json::from_slice(bytes) {
            Ok(message) => message,
            Err(error) => return fault(&Value::Null, NOT_JSON, format!("this is not JSON: {error}")),
        };
        let Some(object) = message.as_object() else {
            return fault(&Value::Null, NO_REQUEST, "a message is one JSON object".to_owned());
        };
        let method = match object.get("method").map(Value::as_str) {
            Some(Some(method)) => method,
            // An answer to a question that was never asked.
            None if object.contains_key("result") || object.contains_key("error") => return None,
            _ => {
                return fault(
                    object.get("id").unwrap_or(&Value::Null),
                    NO_REQUEST,
                    "`method` is missing".to_owned(),
                );
            }
        };
        // What has no id is a notification, and none of them changes anything here.
        let id = object.get("id")?;
        if !(id.is_string() || id.is_number()) {
            return fault(&Value::Null, NO_REQUEST, "an id is a text or a number".to_owned());
        }
        let parameters = object.get("params").unwrap_or(&Value::Null);
        let result = match method {
            "initialize" => initialize(parameters),
            "ping" => json!({}),
            "tools/list" => match self.list() {
                Ok(tools) => json!({ "tools": tools }),
                Err(error) => return fault(id, FAILED, error.message),
            },
            "tools/call" => match Asker::now(&self.home) {
                Ok((asker, _)) => match call::call(&self.program, &asker, parameters) {
                    Ok(result) => result,
                    Err(message) => return fault(id, BAD_PARAMETERS, message),
                },
                Err(error) => return fault(id, FAILED, error.message),
            },
            other => return fault(id, NO_SUCH_METHOD, format!("there is no method `{other}`")),
        };
        Some(Ok((id.clone(), result)))
    }

    /// The tools there are now; the first time after a moment, if nobody knows yet whose session this is.
    fn list(&mut self) -> Result<Vec<Value>, CommandError> {
        let begun = Instant::now();
        let mut asker = Asker::now(&self.home)?;
        if let Some(notices) = self.notices.take() {
            while !asker.1 && begun.elapsed() < SETTLING {
                std::thread::sleep(STEP);
                asker = Asker::now(&self.home)?;
            }
            let home = self.home.clone();
            std::thread::spawn(move || watch(&home, &notices));
        }
        let tools = tools::list(&asker.0);
        self.told = Some(tools.clone());
        Ok(tools)
    }

    /// A word for the client where other tools are there than it knows of.
    fn changed(&mut self) -> Option<Value> {
        let told = self.told.as_ref()?;
        let now = tools::list(&Asker::now(&self.home).ok()?.0);
        if now == *told {
            return None;
        }
        self.told = Some(now);
        Some(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
    }
}

fn initialize(parameters: &Value) -> Value {
    let asked = parameters["protocolVersion"].as_str().unwrap_or_default();
    let version = VERSIONS.iter().find(|version| **version == asked).or(VERSIONS.first());
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": { "listChanged": true } },
        "serverInfo": { "name": "signalbox", "title": "Signalbox", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}
