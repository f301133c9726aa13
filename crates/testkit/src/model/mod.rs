//! A scripted model that real agent CLIs talk to: it listens on loopback, answers each request of a conversation
//! with the next turn of a script, and keeps all that reached it. It speaks the protocols of Anthropic, OpenAI
//! (Responses) and Gemini, and knows by the path which one is meant.
//!
//! CLIs also ask for things beside the conversation: titles, token counts, lists of models. These get an answer
//! that changes nothing, and use up no turn.

mod anthropic;
mod gemini;
pub(crate) mod http;
mod openai;
mod script;

use std::io::BufReader;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use http::{Incoming, Outgoing};
pub use script::{Gate, Pause, Script, Turn};
use script::{Reply, Stage};

/// A running model. It ends when it is dropped, with every connection to it.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

/// What the threads of one model have in common.
#[derive(Debug)]
struct Shared {
    script: Mutex<Script>,
    requests: Mutex<Vec<Request>>,
    arrived: Condvar,
    connections: Mutex<Vec<(TcpStream, JoinHandle<()>)>>,
    stopping: AtomicBool,
}

/// A request that reached the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub part: Part,
    /// `null` where it had none.
    pub body: Value,
    /// When it was there as a whole.
    pub at: Instant,
}

impl Request {
    fn tells(&self, words: &str) -> bool {
        self.part != Part::Helper && contains(&self.body, words)
    }
}

/// What a request is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The conversation that the script is for.
    Main,
    /// A conversation that a script beside it is for, by the words it is known by.
    Beside(String),
    /// What a CLI asks for itself.
    Helper,
}

/// What a tool came to, as the model was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id that the model gave to its call.
    pub id: String,
    pub text: String,
    /// Claude Code says so of a command that fails; the other CLIs leave that to the text.
    pub is_error: bool,
}

impl Model {
    pub fn start(script: impl Into<Script>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("listen on loopback");
        let address = listener.local_addr().expect("the address");
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into()),
            requests: Mutex::default(),
            arrived: Condvar::new(),
            connections: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        let listener = std::thread::spawn(move || theirs.listen(&listener));
        Self { address, shared, listener: Some(listener) }
    }

    /// Where it is, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Go on with another script: what is left of the old one is forgotten.
    pub fn play(&self, script: impl Into<Script>) {
        *lock(&self.shared.script) = script.into();
    }

    /// All that was asked so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// The bodies of those requests that belong to the conversation itself.
    pub fn conversation(&self) -> Vec<Value> {
        let requests = self.requests().into_iter().filter(|request| request.part == Part::Main);
        requests.map(|request| request.body).collect()
    }

    /// Whether anything that reached the model contains these words. What a CLI asks for itself does not count: it may
    /// quote a prompt before that is sent.
    pub fn saw(&self, words: &str) -> bool {
        lock(&self.shared.requests).iter().any(|request| request.tells(words))
    }

    /// Wait until these words reach the model, as above. `false` where they do not come in time.
    #[must_use = "say whether it must see them"]
    pub fn sees(&self, words: &str, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        let mut requests = lock(&self.shared.requests);
        loop {
            if requests.iter().any(|request| request.tells(words)) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.arrived.wait_timeout(requests, left);
            requests = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What tools came to, each call once, in the order in which the model was told.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let mut results: Vec<ToolResult> = Vec::new();
        for request in lock(&self.shared.requests).iter() {
            let Some(protocol) = Protocol::of(&request.path) else { continue };
            for result in protocol.tool_results(&request.body) {
                if !results.iter().any(|known| known.id == result.id) {
                    results.push(result);
                }
            }
        }
        results
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // The listener looks at the flag after each connection; this one wakes it.
        let _ = TcpStream::connect(self.address);
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
        for (stream, thread) in std::mem::take(&mut *lock(&self.shared.connections)) {
            let _ = stream.shutdown(Shutdown::Both);
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn listen(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let Ok(stream) = stream else { continue };
            let Ok(second) = stream.try_clone() else { continue };
            let theirs = Arc::clone(self);
            let thread = std::thread::spawn(move || {
                // A connection that breaks is the CLI's business: it may end at any time.
                let _ = theirs.serve(&stream);
                // The second handle would hold it open otherwise.
                let _ = stream.shutdown(Shutdown::Both);
            });
            lock(&self.connections).push((second, thread));
        }
    }

    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut input = BufReader::new(stream);
        while let Some(incoming) = http::read(&mut input)? {
            let answer = self.answer(&incoming);
            http::write(stream, &incoming, &answer)?;
        }
        Ok(())
    }

    fn answer(&self, incoming: &Incoming) -> Outgoing {
        let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
        let protocol = Protocol::of(&incoming.path).filter(|_| incoming.method == "POST");
        let spoken = protocol.filter(|protocol| protocol.is_conversation(&incoming.path, &body));
        let stage = spoken.map(|protocol| lock(&self.script).next(&protocol.opening(&body)));
        lock(&self.requests).push(Request {
            method: incoming.method.clone(),
            path: incoming.path.clone(),
            part: stage.as_ref().map_or(Part::Helper, |stage| stage.part.clone()),
            body: body.clone(),
            at: Instant::now(),
        });
        self.arrived.notify_all();
        match (protocol, stage) {
            (Some(protocol), Some(Stage { steps, reply, .. })) => {
                for step in steps {
                    step.take(&self.stopping);
                }
                protocol.reply(&incoming.path, &body, &reply)
            }
            (Some(protocol), None) => protocol.help(&incoming.path, &body),
            (None, _) => other(incoming),
        }
    }
}

/// What is neither a conversation nor a helper of one of the protocols: mostly lists of models.
fn other(incoming: &Incoming) -> Outgoing {
    let upgrade = incoming.header("upgrade").unwrap_or_default();
    if upgrade.eq_ignore_ascii_case("websocket") {
        return Outgoing::json(
            404,
            &serde_json::json!({ "error": { "message": "there are no web sockets" } }),
        );
    }
    Outgoing::json(200, &serde_json::json!({ "object": "list", "data": [], "models": [] }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Anthropic,
    OpenAi,
    Gemini,
}

impl Protocol {
    fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        if path.contains("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::OpenAi)
        } else if path.contains("/models/") && path.contains(':') {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    fn is_conversation(self, path: &str, body: &Value) -> bool {
        match self {
            Self::Anthropic => anthropic::is_conversation(path, body),
            Self::OpenAi => openai::is_conversation(body),
            Self::Gemini => gemini::is_conversation(path, body),
        }
    }

    /// What was said before the model's first answer. A conversation is known by it: what comes later can
    /// repeat the words of another one.
    fn opening(self, body: &Value) -> String {
        match self {
            Self::Anthropic => anthropic::opening(body),
            Self::OpenAi => openai::opening(body),
            Self::Gemini => gemini::opening(body),
        }
    }

    fn reply(self, path: &str, body: &Value, reply: &Reply) -> Outgoing {
        match self {
            Self::Anthropic => anthropic::reply(body, reply),
            Self::OpenAi => openai::reply(body, reply),
            Self::Gemini => gemini::reply(path, reply),
        }
    }

    fn help(self, path: &str, body: &Value) -> Outgoing {
        match self {
            Self::Anthropic => anthropic::help(path, body),
            Self::OpenAi => openai::help(body),
            Self::Gemini => gemini::help(path),
        }
    }

    fn tool_results(self, body: &Value) -> Vec<ToolResult> {
        match self {
            Self::Anthropic => anthropic::tool_results(body),
            Self::OpenAi => openai::tool_results(body),
            Self::Gemini => gemini::tool_results(body),
        }
    }
}

/// Whether any text in a value contains these words. The JSON itself would not do: there, a quote is escaped.
fn contains(value: &Value, words: &str) -> bool {
    match value {
        Value::String(text) => text.contains(words),
        Value::Array(items) => items.iter().any(|item| contains(item, words)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains(words) || contains(value, words))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The text of a piece of content, which is a text or a list of parts that have one.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        other => other["text"].as_str().unwrap_or_default().to_owned(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
