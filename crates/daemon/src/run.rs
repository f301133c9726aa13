//! The daemon from its start to its end: the threads are put together here, and the loop runs.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use signalbox_api::PageAt;
use signalbox_api::wire::{Answer, Problem};
use signalbox_core::EventId;
use signalbox_integrations::templates;
use signalbox_store::agents::{Life, Record};
use signalbox_store::config::Config;
use signalbox_store::lock::Lock;
use signalbox_store::log::FileLog;
use signalbox_store::{Home, clock, entropy, files, new_event_id};
use signalbox_template::Library;

use crate::door::{CLOSING, Door, House, Mouth};
use crate::feed::Feed;
use crate::jobs;
use crate::keeper::Keeper;
use crate::kept;
use crate::msg::{Effect, Msg};
use crate::own_log::OwnLog;
use crate::state::{About, Outside, State};
use crate::streams::Streams;
use crate::workers::Workers;

/// How many messages may wait for the loop; whoever has more waits.
const INBOX: usize = 1_024;
/// The longest the loop waits for anything.
const LONGEST: Duration = Duration::from_secs(60);

/// Why the daemon does not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("a daemon runs already")]
    Already,
    #[error("use {path}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("open the control socket {path}")]
    Socket { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Config(#[from] signalbox_store::config::ConfigError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The web page, which somebody else knows how to serve.
pub trait Page: Send + Sync {
    /// Serve it, if it is not served yet, and hand out a way in.
    fn way_in(&self, token: bool) -> Result<PageAt, Problem>;

    /// Serve it again, if it was served when the daemon ended, or is to be served always.
    fn resume(&self) -> Result<(), Problem>;
}

/// Run until somebody ends it.
pub fn run(home: &Home, version: &str, page: Arc<dyn Page>) -> Result<(), RunError> {
    home.prepare()?;
    for folder in [home.daemon(), home.logs(), home.agents(), home.agent_sockets()] {
        files::create_private_dir(&folder)
            .map_err(|source| RunError::Folder { path: folder.clone(), source })?;
    }
    let _lock = Lock::try_acquire(&home.daemon_lock())?.ok_or(RunError::Already)?;
    let config = Config::load(home)?;
    let own_log = Arc::new(OwnLog::new(home));
    let (kept, broken) = kept::load(home)?;
    for path in broken {
        own_log.say(&format!("what was remembered cannot be read, and is now {}", path.display()));
    }
    let log = FileLog::new(home.events());
    let position = match &kept.position {
        Some(position) => position.clone(),
        None => log.end().unwrap_or_default(),
    };
    let (inbox, messages) = sync_channel(INBOX);
    let over = Arc::new(AtomicBool::new(false));
    listen_for_signals(&inbox)?;
    let shared = Arc::new(Mutex::new(config.clone()));
    let house = House {
        home: home.clone(),
        config: Arc::clone(&shared),
        inbox: inbox.clone(),
        streams: Streams::new(log.clone(), Arc::clone(&over)),
        version: version.to_owned(),
        over: Arc::clone(&over),
    };
    let templates = Library::new(home.templates(), templates());
    let (keeper, keeping) = start_keeper(home, &templates, &inbox, &own_log)?;
    let about = About { version: version.to_owned(), pid: std::process::id(), since: clock::now() };
    let mut daemon = Daemon {
        home: home.clone(),
        inbox: inbox.clone(),
        keeper,
        workers: Workers::default(),
        own_log: Arc::clone(&own_log),
        templates,
        config: shared,
        config_seen: None,
        page,
    };
    daemon.config_seen = daemon.config_mark();
    let mut state = with_outside(|outside| State::new(about, config, kept, outside));
    let socket = home.daemon_socket();
    let (door, mouth) =
        Door::open(house).map_err(|source| RunError::Socket { path: socket.clone(), source })?;
    let door = std::thread::Builder::new().name("door".to_owned()).spawn(move || door.run())?;
    let feed = Feed { log, inbox, own_log: Arc::clone(&own_log), over: Arc::clone(&over) };
    let _feed = std::thread::Builder::new().name("feed".to_owned()).spawn(move || feed.run(position))?;
    own_log.say(&format!("version {version} runs as process {}", std::process::id()));
    if let Err(problem) = daemon.page.resume() {
        own_log.say(&format!("the web page is not served: {}", problem.message));
    }
    daemon.serve(&mut state, &messages, &mouth);
    // What is written down already is enough; nobody waits for those who look and tell.
    over.store(true, Ordering::Release);
    mouth.ring();
    let until = std::time::Instant::now() + CLOSING;
    while !door.is_finished() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(daemon);
    // Whatever was wanted of the disk is done; the messages it answers with are nobody's any more.
    drop(messages);
    let _ = keeping.join();
    let _ = files::remove(&socket);
    own_log.say("it has ended");
    Ok(())
}

type Thread = std::thread::JoinHandle<()>;

fn start_keeper(
    home: &Home,
    templates: &Library,
    inbox: &SyncSender<Msg>,
    own_log: &Arc<OwnLog>,
) -> io::Result<(Sender<Effect>, Thread)> {
    let (wanted, effects) = channel();
    let keeper = Keeper {
        home: home.clone(),
        templates: templates.clone(),
        inbox: inbox.clone(),
        own_log: Arc::clone(own_log),
    };
    let thread = std::thread::Builder::new().name("keeper".to_owned()).spawn(move || keeper.run(&effects))?;
    Ok((wanted, thread))
}

/// Signals end it, but for that of a terminal that is closed.
fn listen_for_signals(inbox: &SyncSender<Msg>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let (mut told, tell) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGINT] {
        signal_hook::low_level::pipe::register(signal, tell.try_clone()?)?;
    }
    signal_hook::flag::register(SIGHUP, Arc::new(AtomicBool::new(false)))?;
    let inbox = inbox.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut byte = [0];
        while matches!(told.read(&mut byte), Ok(1)) {
            if inbox.send(Msg::Stop).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

/// What the loop needs to have things done.
struct Daemon {
    home: Home,
    inbox: SyncSender<Msg>,
    keeper: Sender<Effect>,
    workers: Workers,
    own_log: Arc<OwnLog>,
    templates: Library,
    config: Arc<Mutex<Config>>,
    /// When the configuration was last changed, as far as it was read.
    config_seen: Option<Mark>,
    page: Arc<dyn Page>,
}

/// What tells one version of a file from another.
type Mark = (std::time::SystemTime, u64);

impl Daemon {
    /// Hear, decide, have done.
    fn serve(&mut self, state: &mut State, messages: &Receiver<Msg>, mouth: &Mouth) {
        loop {
            let wait =
                Duration::try_from(state.next_due().duration_since(clock::now())).unwrap_or(Duration::ZERO);
            let msg = match messages.recv_timeout(wait.min(LONGEST)) {
                Ok(msg) => msg,
                Err(RecvTimeoutError::Timeout) => Msg::Tick,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            for effect in with_outside(|outside| state.step(msg, outside)) {
                if matches!(effect, Effect::Exit) {
                    return;
                }
                self.have_done(effect, mouth);
            }
        }
    }

    fn have_done(&mut self, effect: Effect, mouth: &Mouth) {
        let inbox = self.inbox.clone();
        match effect {
            Effect::Answer { connection, id, answer } => mouth.answer(connection, id, answer),
            Effect::Look(job) => self.workers.give(Box::new(move || jobs::look(*job, &inbox))),
            Effect::Progress(job) => self.workers.give(Box::new(move || jobs::look_at_goal(*job, &inbox))),
            Effect::Tell(job) => {
                let (home, templates) = (self.home.clone(), self.templates.clone());
                let own_log = Arc::clone(&self.own_log);
                self.workers.give(Box::new(move || jobs::tell(*job, &home, &templates, &own_log, &inbox)));
            }
            Effect::CheckLife(agent) => {
                let home = self.home.clone();
                self.workers.give(Box::new(move || jobs::check_life(&home, agent, &inbox)));
            }
            Effect::StopAgent { agent, socket } => {
                let own_log = Arc::clone(&self.own_log);
                self.workers.give(Box::new(move || {
                    if let Err(error) = signalbox_agent::attach::stop(&socket) {
                        own_log.say(&format!("{agent} could not be asked to end: {error}"));
                    }
                }));
            }
            Effect::Beat { time } => {
                let home = self.home.clone();
                self.workers.give(Box::new(move || jobs::beat(&home, time, &inbox)));
            }
            Effect::Page { connection, id, token } => {
                let (page, mouth) = (Arc::clone(&self.page), mouth.clone());
                self.workers.give(Box::new(move || {
                    let answer = match page.way_in(token) {
                        Ok(at) => Answer::of(&at),
                        Err(problem) => Answer::Error(problem),
                    };
                    mouth.answer(connection, id, answer);
                }));
            }
            Effect::ReadConfig => self.read_config(),
            Effect::Abandon => self.workers.lose_one(),
            Effect::Say(words) => self.own_log.say(&words),
            Effect::Exit => {}
            kept => {
                let _ = self.keeper.send(kept);
            }
        }
    }

    /// Read the configuration if it has changed.
    fn read_config(&mut self) {
        let mark = self.config_mark();
        if mark == self.config_seen {
            return;
        }
        self.config_seen = mark;
        let read = Config::load(&self.home).map_err(|error| error.to_string());
        if let Ok(config) = &read {
            *self.config.lock().unwrap_or_else(PoisonError::into_inner) = config.clone();
        }
        // The loop itself reads the inbox, so it must not wait for room in it.
        let inbox = self.inbox.clone();
        self.workers.give(Box::new(move || {
            let _ = inbox.send(Msg::Config(read.map(Box::new)));
        }));
    }

    fn config_mark(&self) -> Option<Mark> {
        let metadata = std::fs::metadata(self.home.config()).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }
}

/// What comes from outside, now.
fn with_outside<T>(work: impl FnOnce(&mut Outside<'_>) -> T) -> T {
    let mut dice = || (entropy::number() >> 11) as f64 / (1u64 << 53) as f64;
    let mut id = || -> EventId { new_event_id() };
    let variable = |name: &str| std::env::var(name).ok();
    let runs = |record: &Record| record.life() == Life::Runs;
    let zone = TimeZone::system();
    let (now, dice, id) = (clock::now(), &mut dice, &mut id);
    work(&mut Outside { now, dice, id, variable: &variable, runs: &runs, zone: &zone })
}
