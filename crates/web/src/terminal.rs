//! An agent's terminal in a page: watch it, or type in its one read-write seat, over a WebSocket.
//!
//! From here: `{"picture": …}`, `{"notice": words, "seated": bool}`, `{"ended": words}`. From the browser: what is typed,
//! as [`Typed`]. A browser that is slow gets fewer pictures, and the agent notices nothing.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_agent::attach::AttachError;
use signalbox_agent::protocol::Wants as Sits;
use signalbox_agent::seat::{Heard, Keyboard, Seat};
use signalbox_store::agents::Life;
use tokio::sync::mpsc;

use crate::answer::{self, Wants};
use crate::api::asked;
use crate::gate::Nonce;
use crate::keys::{self, Modes, Typed};
use crate::paint::Painter;
use crate::server::App;
use crate::socket::{WAITING, carry};

/// The shortest time between two pictures.
const FRAME: Duration = Duration::from_millis(33);
/// How long one wait for the agent lasts.
const TURN: Duration = Duration::from_millis(200);
/// The longest message of a browser: a paste, in bytes.
const LONGEST: usize = 2 << 20;

/// How somebody sits down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    #[default]
    Watch,
    Seat,
    Force,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Sit {
    seat: Place,
}

pub(crate) async fn socket(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Path(id): Path<String>,
    Query(sit): Query<Sit>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let found = asked(Arc::clone(&app), move |desk| desk.agent_record(&id)).await;
    match found {
        Ok(record) => {
            let socket = (record.life() == Life::Runs).then_some(record.socket);
            upgrade.max_message_size(LONGEST).on_upgrade(move |browser| serve(app, browser, socket, sit.seat))
        }
        Err(error) => answer::error(Wants::Json, &error, &nonce.0),
    }
}

/// Carry what happens from one side to the other, until one of them leaves or the server ends.
async fn serve(app: Arc<App>, browser: WebSocket, socket: Option<PathBuf>, place: Place) {
    let (told, tell) = mpsc::channel::<Value>(WAITING);
    let (keys, typed) = channel::<Typed>();
    let left = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&left);
    let watching = std::thread::Builder::new().name("web terminal".to_owned()).spawn(move || {
        let Some(socket) = socket else {
            let _ = told.blocking_send(json!({ "ended": "the agent has ended" }));
            return;
        };
        watch(&socket, place, &told, typed, &gone);
    });
    if watching.is_ok() {
        carry(&app, browser, tell, keys).await;
    }
    left.store(true, Ordering::Release);
}

/// The agent's side, on a thread of its own.
fn watch(
    socket: &std::path::Path,
    place: Place,
    told: &mpsc::Sender<Value>,
    typed: Receiver<Typed>,
    gone: &AtomicBool,
) {
    let wants = match place {
        Place::Watch => Sits::Watch,
        Place::Seat => Sits::Seat,
        Place::Force => Sits::SeatByForce,
    };
    let mut seat = match Seat::take(socket, wants) {
        Ok(seat) => seat,
        Err(error) => {
            let is_taken = matches!(error, AttachError::Refused(_));
            let words = if is_taken { "somebody else types there".to_owned() } else { error.to_string() };
            let _ = told.blocking_send(json!({ "ended": words, "taken": is_taken }));
            return;
        }
    };
    let Ok(keyboard) = seat.keyboard() else { return };
    let modes = Arc::new(Mutex::new(Modes::default()));
    let seated = seat.about().seated;
    let words = if seated { "you type here" } else { "you are watching" };
    let _ = told.blocking_send(json!({ "notice": words, "seated": seated }));
    let typing = type_in(typed, keyboard, Arc::clone(&modes));
    let mut painter = Painter::default();
    let mut last = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
    while !gone.load(Ordering::Acquire) {
        let heard = match seat.hear(TURN) {
            Ok(heard) => heard,
            Err(_) => Heard::Ended,
        };
        match heard {
            Heard::Nothing => continue,
            Heard::Ended => {
                let _ = told.blocking_send(json!({ "ended": "the agent has ended" }));
                break;
            }
            Heard::Demoted(notice) => {
                let _ = told.blocking_send(json!({ "notice": notice.sentence(), "seated": false }));
                continue;
            }
            Heard::Drawn => {}
        }
        // What comes within a frame goes into one picture.
        while let Some(rest) = FRAME.checked_sub(last.elapsed()).filter(|rest| !rest.is_zero()) {
            match seat.hear(rest) {
                Ok(Heard::Drawn) => {}
                Ok(Heard::Demoted(notice)) => {
                    let _ = told.blocking_send(json!({ "notice": notice.sentence(), "seated": false }));
                }
                // An end is heard again.
                _ => break,
            }
        }
        last = Instant::now();
        *modes.lock().unwrap_or_else(PoisonError::into_inner) = Modes {
            application_cursor: seat.screen().application_cursor(),
            bracketed_paste: seat.screen().bracketed_paste(),
        };
        if let Some(picture) = painter.paint(seat.screen())
            && told.blocking_send(json!({ "picture": picture })).is_err()
        {
            break;
        }
    }
    if let Some(keyboard) = typing {
        keyboard.leave();
    }
}

/// Type what comes, on a thread of its own, because the agent may take its time.
fn type_in(typed: Receiver<Typed>, keyboard: Keyboard, modes: Arc<Mutex<Modes>>) -> Option<Keyboard> {
    let own = keyboard.another().ok();
    let _ = std::thread::Builder::new().name("web keys".to_owned()).spawn(move || {
        for one in typed {
            let modes = *modes.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = keys::bytes(&one, modes);
            if !bytes.is_empty() && keyboard.type_in(&bytes).is_err() {
                return;
            }
        }
    });
    own
}
