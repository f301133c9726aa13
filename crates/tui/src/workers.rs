//! The threads beside the loop: one reads views, one acts, one watches an agent's terminal, one follows the log, one
//! hears the keyboard. Each gets its work by a channel and answers with messages; each ends when nobody listens.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use signalbox_agent::protocol::Wants;
use signalbox_agent::seat::{Heard, Seat};
use signalbox_desk::{Act, CommandError, Desk, Follower};
use signalbox_store::fault;

use crate::message::{Ask, Msg, Trouble, View};

/// How often an agent's terminal is drawn at the most.
const PICTURE: Duration = Duration::from_millis(100);
/// How long one look at the keyboard takes at the most, and so how long whoever closes the gate waits.
const LOOK: Duration = Duration::from_millis(50);
/// How long to wait before something that failed is tried again.
const REST: Duration = Duration::from_secs(1);

/// The ways to the threads.
pub struct Workers {
    pub read: Sender<Vec<Ask>>,
    pub act: Sender<Act>,
    pub watch: Sender<Option<String>>,
    pub keyboard: Arc<Gate>,
}

impl Workers {
    pub fn start(desk: &Desk, inbox: &Sender<Msg>) -> Self {
        let (read, asks) = channel();
        start(desk, inbox, "reading", move |desk, inbox| reader(desk, inbox, &asks));
        let (act, acts) = channel();
        start(desk, inbox, "acting", move |desk, inbox| actor(desk, inbox, &acts));
        let (watch, wishes) = channel();
        start(desk, inbox, "watching", move |desk, inbox| watcher(desk, inbox, &wishes));
        start(desk, inbox, "following", follower);
        let keyboard = Arc::new(Gate::default());
        let gate = Arc::clone(&keyboard);
        start(desk, inbox, "keyboard", move |_, inbox| listener(inbox, &gate));
        Self { read, act, watch, keyboard }
    }
}

/// Start a thread. If it dies, the loop hears of it.
fn start(
    desk: &Desk,
    inbox: &Sender<Msg>,
    name: &'static str,
    work: impl FnOnce(&Desk, &Sender<Msg>) + Send + 'static,
) {
    struct Alarm(Sender<Msg>, &'static str);
    impl Drop for Alarm {
        fn drop(&mut self) {
            if std::thread::panicking() {
                let _ = self.0.send(Msg::Broken(self.1.to_owned()));
            }
        }
    }
    let (desk, inbox) = (desk.clone(), inbox.clone());
    std::thread::spawn(move || {
        let alarm = Alarm(inbox.clone(), name);
        fault::break_if_asked(name);
        work(&desk, &inbox);
        drop(alarm);
    });
}

fn reader(desk: &Desk, inbox: &Sender<Msg>, asks: &Receiver<Vec<Ask>>) {
    while let Ok(asks) = asks.recv() {
        for ask in asks {
            let view = Box::new(answer(desk, &ask).map_err(Trouble::from));
            if inbox.send(Msg::Read(ask, view)).is_err() {
                return;
            }
        }
    }
}

/// Ask the desk.
fn answer(desk: &Desk, ask: &Ask) -> Result<View, CommandError> {
    Ok(match ask {
        Ask::Now => View::Now(desk.now()?),
        Ask::Board { sieve, most } => View::Board(desk.board(sieve, *most)?),
        Ask::List { sieve, sort, from, most } => View::List(desk.list(sieve, *sort, *from, *most)?),
        Ask::Ticket(id) => View::Ticket(Box::new(desk.ticket(id)?)),
        Ask::Patch(id) => View::Patch(desk.patch(id)?),
        Ask::Agents { ended } => View::Agents(desk.agents(*ended)?),
        Ask::Agent(id) => View::Agent(Box::new(desk.agent(id)?)),
        Ask::Queue => View::Queue(desk.queue()?),
        Ask::Health => View::Health(desk.health()?),
        Ask::Decisions => View::Decisions(desk.decisions()?),
        Ask::Feed { wanted, most } => View::Feed(desk.activity(wanted, *most)?),
        Ask::Flow(project) => View::Flow(desk.flow(Some(project))?),
        Ask::Choices => View::Choices(desk.choices()?),
    })
}

fn actor(desk: &Desk, inbox: &Sender<Msg>, acts: &Receiver<Act>) {
    while let Ok(act) = acts.recv() {
        let done = desk.act(&act).map_err(Trouble::from);
        if inbox.send(Msg::Acted(done)).is_err() {
            return;
        }
    }
}

fn watcher(desk: &Desk, inbox: &Sender<Msg>, wishes: &Receiver<Option<String>>) {
    let mut wish = wishes.recv().ok();
    while let Some(wanted) = wish {
        wish = match wanted {
            None => wishes.recv().ok(),
            Some(agent) => match look(desk, inbox, wishes, &agent) {
                Ok(next) => next,
                Err(why) => {
                    let _ = inbox.send(Msg::Dark { agent, why });
                    wishes.recv().ok()
                }
            },
        };
    }
}

/// Show an agent's terminal until something else is wished, which comes back; or why it cannot be seen.
fn look(
    desk: &Desk,
    inbox: &Sender<Msg>,
    wishes: &Receiver<Option<String>>,
    agent: &str,
) -> Result<Option<Option<String>>, String> {
    let record = desk.agent_record(agent).map_err(|error| error.message)?;
    let mut seat = Seat::take(&record.socket, Wants::Watch).map_err(|error| error.to_string())?;
    let mut shown = Instant::now();
    let mut is_new = false;
    loop {
        match wishes.try_recv() {
            Ok(next) => return Ok(Some(next)),
            Err(std::sync::mpsc::TryRecvError::Disconnected) => return Ok(None),
            Err(std::sync::mpsc::TryRecvError::Empty) => {}
        }
        let quiet = match seat.hear(PICTURE).map_err(|error| error.to_string())? {
            Heard::Ended => return Err(format!("It has ended. `sb replay {agent}` shows what it did.")),
            Heard::Drawn => {
                is_new = true;
                false
            }
            Heard::Nothing => true,
            Heard::Demoted(_) => false,
        };
        if is_new && (quiet || shown.elapsed() >= PICTURE) {
            let picture = seat.screen().view();
            if picture.synchronizing && !quiet {
                continue;
            }
            (is_new, shown) = (false, Instant::now());
            let picture = Box::new(picture);
            if inbox.send(Msg::Shown { agent: agent.to_owned(), picture }).is_err() {
                return Ok(None);
            }
        }
    }
}

fn follower(desk: &Desk, inbox: &Sender<Msg>) {
    loop {
        // A log that cannot be read is said by whoever reads views from it.
        let Ok(mut follower) = Follower::new(desk.home(), None) else {
            std::thread::sleep(REST);
            continue;
        };
        while let Ok(piece) = follower.wait(REST) {
            if piece.is_some() && inbox.send(Msg::Grew).is_err() {
                return;
            }
        }
        std::thread::sleep(REST);
    }
}

/// Hands the keyboard to somebody else for a while.
#[derive(Debug, Default)]
pub struct Gate {
    is_closed: Mutex<bool>,
    opened: Condvar,
    /// Held while the keyboard is looked at.
    looking: Mutex<()>,
}

impl Gate {
    /// From now on no key is taken; once this returns, none is being taken.
    pub fn close(&self) {
        *self.is_closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        drop(self.looking.lock());
    }

    pub fn open(&self) {
        *self.is_closed.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.opened.notify_all();
    }

    /// Look at the keyboard while the gate is open.
    fn look<T>(&self, look: impl FnOnce() -> T) -> T {
        loop {
            let is_closed = self.is_closed.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.opened.wait_while(is_closed, |is_closed| *is_closed));
            let _looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
            // It may have been closed in between.
            if !*self.is_closed.lock().unwrap_or_else(PoisonError::into_inner) {
                return look();
            }
        }
    }
}

fn listener(inbox: &Sender<Msg>, gate: &Gate) {
    loop {
        let heard = gate.look(|| match event::poll(LOOK) {
            Ok(true) => event::read().map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        });
        let msg = match heard {
            Ok(Some(Event::Key(key))) => Msg::Key(key),
            Ok(Some(Event::Mouse(mouse))) => Msg::Mouse(mouse),
            Ok(Some(Event::Paste(text))) => Msg::Paste(text),
            Ok(Some(Event::Resize(cols, rows))) => Msg::Resized { cols, rows },
            Ok(Some(Event::FocusGained | Event::FocusLost) | None) => continue,
            // Nobody is there any more.
            Err(_) => Msg::End(signal_hook::consts::SIGHUP),
        };
        let is_over = matches!(msg, Msg::End(_));
        if inbox.send(msg).is_err() || is_over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_thread_that_dies_is_heard_of() {
        let (inbox, messages) = channel();
        let desk = Desk::new(signalbox_store::Home::new("/nowhere"));
        start(&desk, &inbox, "dying", |_, _| panic!("on purpose"));
        let heard = messages.recv_timeout(Duration::from_secs(30)).expect("a message");
        assert!(matches!(&heard, Msg::Broken(name) if name == "dying"), "{heard:?}");
        start(&desk, &inbox, "ending", |_, _| ());
        drop(inbox);
        assert!(messages.recv_timeout(Duration::from_secs(30)).is_err(), "an end is no alarm");
    }

    #[test]
    fn nobody_looks_behind_a_closed_gate() {
        let gate = Arc::new(Gate::default());
        let (looked, looks) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let (theirs, end) = (Arc::clone(&gate), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !end.load(Ordering::Acquire) {
                theirs.look(|| {
                    let _ = looked.send(());
                });
            }
        });
        for _ in 0..100 {
            looks.recv_timeout(Duration::from_secs(30)).expect("an open gate");
            gate.close();
            while looks.try_recv().is_ok() {}
            assert!(looks.recv_timeout(Duration::from_millis(1)).is_err());
            gate.open();
        }
        is_over.store(true, Ordering::Release);
        gate.open();
        thread.join().expect("the thread");
    }
}
