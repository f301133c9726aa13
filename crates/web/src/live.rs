//! Events as they happen, for every browser that looks on.
//!
//! One thread follows the log and writes each piece down once, as it goes over the wire; every client gets the same bytes.
//! The id of a piece is its place in the log, so whoever was cut off says it and goes on from there: nothing is missed and
//! nothing comes twice, also with a server that was started again.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, stream};
use serde::Deserialize;
use serde_json::json;
use signalbox_core::{Event, time};
use signalbox_desk::{Follower, Piece};
use signalbox_store::Home;
use signalbox_store::log::Position;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use crate::answer::{Wants, problem};
use crate::server::{App, over};

/// How many pieces a slow client may be behind before it has to read the log itself.
const BEHIND: usize = 1_024;
/// How often a word is sent where nothing happens, so that a dead connection is noticed.
const ALIVE: Duration = Duration::from_secs(15);
/// How long one look at the log waits.
const TURN: Duration = Duration::from_millis(500);

/// A piece as it goes over the wire, and where it ends.
#[derive(Debug, Clone)]
struct Sent {
    bytes: Bytes,
    next: Position,
}

/// What all clients follow.
#[derive(Debug, Clone)]
pub struct Live {
    home: Home,
    pieces: broadcast::Sender<Sent>,
    /// Everything up to here was passed on.
    at: Arc<Mutex<Position>>,
}

impl Live {
    /// Begin to follow the log, until the server ends.
    pub fn begin(home: &Home, ended: watch::Receiver<bool>) -> io::Result<Self> {
        let (pieces, _) = broadcast::channel(BEHIND);
        let mut follower = Follower::new(home, None).map_err(io::Error::other)?;
        let at = Arc::new(Mutex::new(follower.position().clone()));
        let live = Self { home: home.clone(), pieces, at };
        let own = live.clone();
        std::thread::Builder::new().name("web feed".to_owned()).spawn(move || {
            while !*ended.borrow() {
                match follower.wait(TURN) {
                    Ok(Some(piece)) => own.pass_on(piece),
                    Ok(None) => {}
                    // The disk does not answer; it may again.
                    Err(_) => std::thread::sleep(TURN),
                }
            }
        })?;
        Ok(live)
    }

    fn pass_on(&self, piece: Piece) {
        let sent = Sent { bytes: encode(&piece), next: piece.next };
        // Together, so that whoever begins in between misses nothing.
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        *at = sent.next.clone();
        let _ = self.pieces.send(sent);
    }

    /// From a place on, or from now on: where that is, and what comes.
    fn join(&self) -> (Position, broadcast::Receiver<Sent>) {
        let at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        (at.clone(), self.pieces.subscribe())
    }
}

/// A piece as a server-sent event.
fn encode(piece: &Piece) -> Bytes {
    let events: Vec<_> = piece.events.iter().map(brief).collect();
    let data = serde_json::to_string(&events).unwrap_or_default();
    Bytes::from(format!("id: {}\nevent: log\ndata: {data}\n\n", piece.next))
}

/// What a page has to know to see whether it is concerned.
fn brief(event: &Event) -> serde_json::Value {
    json!({
        "id": event.id, "at": time::exact(event.ts), "event": event.event, "ticket": event.ticket,
        "project": event.project, "actor": event.actor,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct After {
    after: String,
}

pub(crate) async fn stream(
    State(app): State<Arc<App>>,
    Query(query): Query<After>,
    headers: HeaderMap,
) -> Response {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()).unwrap_or(&query.after);
    let after = match last {
        "" => None,
        text => match text.parse::<Position>() {
            Ok(position) => Some(position),
            Err(_) => {
                let message = "`after` is not a place in the log";
                let hint = Some("Give the id of the last event, or leave it out.");
                return problem(Wants::Json, StatusCode::BAD_REQUEST, "live.after", message, hint, "");
            }
        },
    };
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(follow(app, after))).into_response()
}

/// One client.
struct Client {
    app: Arc<App>,
    pieces: broadcast::Receiver<Sent>,
    ended: watch::Receiver<bool>,
    /// What is read from the log itself, before the common pieces go on.
    catching_up: Option<Follower>,
    /// Until here it has had everything.
    had: Position,
    /// The common pieces begin here.
    joined: Position,
    greeted: bool,
}

fn follow(app: Arc<App>, after: Option<Position>) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let (joined, pieces) = app.live.join();
    let had = after.unwrap_or_else(|| joined.clone());
    let catching_up =
        (had != joined).then(|| Follower::new(&app.live.home, Some(had.clone())).ok()).flatten();
    let ended = app.end.clone();
    let client = Client { app, pieces, ended, catching_up, had, joined, greeted: false };
    stream::unfold(client, |mut client| async move { client.next().await.map(|bytes| (Ok(bytes), client)) })
}

impl Client {
    async fn next(&mut self) -> Option<Bytes> {
        if !self.greeted {
            self.greeted = true;
            // Where it begins, even if nothing ever happens; and how soon to come back after a loss.
            return Some(Bytes::from(format!("retry: 1000\nid: {}\nevent: begin\ndata: {{}}\n\n", self.had)));
        }
        loop {
            if let Some(bytes) = self.catch_up().await {
                return Some(bytes);
            }
            let common = tokio::select! {
                piece = self.pieces.recv() => piece,
                () = tokio::time::sleep(ALIVE) => return Some(Bytes::from_static(b": alive\n\n")),
                () = over(&mut self.ended) => return None,
            };
            match common {
                Ok(sent) => {
                    self.had = sent.next;
                    return Some(sent.bytes);
                }
                Err(RecvError::Lagged(_)) => {
                    // Too slow for the common pieces: it reads for itself what it has missed, and joins again.
                    let (joined, pieces) = self.app.live.join();
                    self.joined = joined;
                    self.pieces = pieces;
                    self.catching_up = Follower::new(&self.app.live.home, Some(self.had.clone())).ok();
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// The next piece of what was before the common ones.
    async fn catch_up(&mut self) -> Option<Bytes> {
        let mut follower = self.catching_up.take()?;
        let until = self.joined.clone();
        let read = tokio::task::spawn_blocking(move || {
            let piece = follower.look_until(&until).ok().flatten();
            (follower, piece)
        });
        let (follower, piece) = read.await.ok()?;
        let piece = piece?;
        self.had = piece.next.clone();
        if piece.next != self.joined {
            self.catching_up = Some(follower);
        }
        Some(encode(&piece))
    }
}
