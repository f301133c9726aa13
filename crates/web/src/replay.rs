//! A recording, played in a page: the server keeps the time and draws, the browser shows pictures and says when to pause,
//! where to go on and how fast.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_desk::CommandError;
use signalbox_pty::record::{Cast, Event, Kind as CastKind};
use signalbox_pty::{Screen, Size};
use tokio::sync::mpsc;

use crate::answer::{self, Wants};
use crate::api::asked;
use crate::gate::Nonce;
use crate::paint::Painter;
use crate::server::App;
use crate::socket::{WAITING, carry};

/// The shortest time between two pictures.
const FRAME: Duration = Duration::from_millis(40);
/// A pause in which nothing happens is made no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The largest recording that is played, in bytes of what was shown.
const MOST: usize = 256 << 20;

/// What the person does.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wish {
    Play,
    Pause,
    /// In thousandths of the ordinary speed.
    Speed(u32),
    /// To this time, in milliseconds.
    Seek(u64),
}

pub(crate) async fn socket(
    State(app): State<Arc<App>>,
    Extension(nonce): Extension<Nonce>,
    Path(id): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let found = asked(Arc::clone(&app), move |desk| {
        let record = desk.agent_record(&id)?;
        record.recording.filter(|path| path.is_file()).ok_or_else(|| {
            CommandError::not_found("recording.none", format!("there is no recording of {}", record.id))
        })
    })
    .await;
    match found {
        Ok(path) => upgrade.max_message_size(4_096).on_upgrade(move |browser| serve(app, browser, path)),
        Err(error) => answer::error(Wants::Json, &error, &nonce.0),
    }
}

async fn serve(app: Arc<App>, browser: WebSocket, path: PathBuf) {
    let (told, tell) = mpsc::channel::<Value>(WAITING);
    let (wishes, heard) = channel();
    let playing =
        std::thread::Builder::new().name("web replay".to_owned()).spawn(move || play(&path, &told, &heard));
    if playing.is_ok() {
        carry(&app, browser, tell, wishes).await;
    }
}

/// A recording in memory, with long pauses made short.
struct Film {
    size: Size,
    events: Vec<Event>,
    length: Duration,
}

impl Film {
    fn load(path: &FilePath) -> Result<Self, String> {
        let open =
            |cast: Result<Cast, signalbox_pty::record::CastError>| cast.map_err(|error| error.to_string());
        let older = Cast::open_older(path).map_err(|error| error.to_string())?;
        let newer = open(Cast::open(path))?;
        let size = older.as_ref().map_or(newer.header.size, |older| older.header.size);
        let mut events: Vec<Event> = Vec::new();
        let (mut bytes, mut cut, mut before) = (0, Duration::ZERO, Duration::ZERO);
        for event in older.into_iter().flatten().chain(newer) {
            // What was never finished is the end.
            let Ok(mut event) = event else { break };
            bytes += event.data.len();
            if bytes > MOST {
                break;
            }
            let pause = event.at.saturating_sub(before);
            before = event.at;
            cut += pause.saturating_sub(LONGEST_PAUSE);
            event.at = event.at.saturating_sub(cut);
            events.push(event);
        }
        let length = events.last().map_or(Duration::ZERO, |event| event.at);
        Ok(Self { size, events, length })
    }
}

/// Play, as the person wants it, until nobody listens.
fn play(path: &FilePath, told: &mpsc::Sender<Value>, heard: &Receiver<Wish>) {
    let film = match Film::load(path) {
        Ok(film) => film,
        Err(words) => {
            let _ = told.blocking_send(json!({ "ended": words }));
            return;
        }
    };
    let markers: Vec<Value> = film
        .events
        .iter()
        .filter(|event| event.kind == CastKind::Marker)
        .take(500)
        .map(|event| json!([millis(event.at), signalbox_core::text::one_line(&event.data)]))
        .collect();
    let _ = told.blocking_send(json!({ "length": millis(film.length), "markers": markers }));
    let mut player = Player { film, screen: Screen::new(Size::new(1, 1)), next: 0, at: Duration::ZERO };
    player.rewind();
    let mut painter = Painter::default();
    let (mut playing, mut speed) = (true, 1_000_u32);
    loop {
        let begun = Instant::now();
        // Also the page must know that it is over, or its button would pause what does not play.
        playing &= player.at < player.film.length;
        let picture = painter.paint(&player.screen);
        let state = json!({ "at": millis(player.at), "playing": playing, "picture": picture });
        if told.blocking_send(state).is_err() {
            return;
        }
        let wish = if playing {
            heard.recv_timeout(FRAME)
        } else {
            heard.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match wish {
            Ok(Wish::Play) => {
                if player.at >= player.film.length {
                    player.rewind();
                }
                playing = true;
            }
            Ok(Wish::Pause) => playing = false,
            Ok(Wish::Speed(wanted)) => speed = wanted.clamp(100, 100_000),
            Ok(Wish::Seek(to)) => player.seek(Duration::from_millis(to)),
            Err(RecvTimeoutError::Timeout) => player.go_on(begun.elapsed() * speed / 1_000),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

struct Player {
    film: Film,
    screen: Screen,
    next: usize,
    at: Duration,
}

impl Player {
    fn rewind(&mut self) {
        self.screen = Screen::new(self.film.size);
        self.next = 0;
        self.go_to(Duration::ZERO);
    }

    fn seek(&mut self, to: Duration) {
        if to < self.at {
            self.rewind();
        }
        self.go_to(to.min(self.film.length));
    }

    fn go_on(&mut self, by: Duration) {
        self.go_to((self.at + by).min(self.film.length));
    }

    fn go_to(&mut self, to: Duration) {
        while let Some(event) = self.film.events.get(self.next).filter(|event| event.at <= to) {
            match event.kind {
                CastKind::Output => self.screen.feed(event.data.as_bytes()),
                CastKind::Resize => {
                    if let Some(size) = event.size() {
                        self.screen.resize(size);
                    }
                }
                CastKind::Input | CastKind::Marker => {}
            }
            self.next += 1;
        }
        self.at = to;
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
