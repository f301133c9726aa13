//! `sb mcp`: tickets as tools of the Model Context Protocol, on standard input and output.
//!
//! One JSON-RPC message a line, answered in order. Who asks is never told by the model: each call is this same program,
//! started once more with the matching command line, and it finds out by its processes who runs it. So the same rules
//! hold as in a shell, and the same refusals come back. Ends when its input does; a signal ends it at once.
//!
//! `sb mcp install` is how an agent CLI learns to start it.

mod call;
mod install;
mod tools;

use std::io::{self, BufRead, Read};

use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CommandError;

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

const INSTRUCTIONS: &str = "Signalbox tickets. Begin with `context`. Take work with `pick_ticket`, say what you did with \
    `add_note`, hand it in with `submit_ticket`. Nobody reviews work they had to do with, and reading a ticket with \
    `show_ticket` counts: to review one, begin with `review_ticket`. Who you are is known from your session.";

/// The protocol's own numbers for what went wrong.
const NOT_JSON: i64 = -32700;
const NO_REQUEST: i64 = -32600;
const NO_SUCH_METHOD: i64 = -32601;
const BAD_PARAMETERS: i64 = -32602;

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

fn serve(cx: &Context) -> Result<(), CommandError> {
    let program = std::env::current_exe()?;
    let mut input = io::stdin().lock();
    loop {
        let answer = match line(&mut input)? {
            Line::End => return Ok(()),
            Line::TooLong => Some(Err(Fault {
                id: Value::Null,
                code: NOT_JSON,
                message: format!("a message has at most {MOST_LINE} bytes"),
            })),
            Line::Text(bytes) if bytes.trim_ascii().is_empty() => None,
            Line::Text(bytes) => answer(&program, &bytes),
        };
        let message = match answer {
            None => continue,
            Some(Ok((id, result))) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Some(Err(Fault { id, code, message })) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        cx.ui.data(&format!("{message}\n"))?;
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

/// The result of a request, with its id. `None` for what wants no answer.
fn answer(program: &std::path::Path, bytes: &[u8]) -> Option<Result<(Value, Value), Fault>> {
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
        "tools/list" => json!({ "tools": tools::list() }),
        "tools/call" => match call::call(program, parameters) {
            Ok(result) => result,
            Err(message) => return fault(id, BAD_PARAMETERS, message),
        },
        other => return fault(id, NO_SUCH_METHOD, format!("there is no method `{other}`")),
    };
    Some(Ok((id.clone(), result)))
}

fn initialize(parameters: &Value) -> Value {
    let asked = parameters["protocolVersion"].as_str().unwrap_or_default();
    let version = VERSIONS.iter().find(|version| **version == asked).or(VERSIONS.first());
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "signalbox", "title": "Signalbox", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}
