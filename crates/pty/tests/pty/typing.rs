//! Typing for the person: only between their keys, as one, and with theirs held back in order.

use std::io::Write;
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use signalbox_pty::pump::{Condition, NotTyped};
use signalbox_pty::{Child, Exit, Handle, Person, Pump, Size};

use crate::kit::{PATIENCE, Pair, Shown, eventually, pair, sh};

/// A pump in a thread of this process, and the person's terminal.
struct Desk {
    keyboard: std::fs::File,
    shown: Arc<Shown>,
    handle: Handle,
    pump: Option<JoinHandle<Exit>>,
}

impl Desk {
    fn new(command: Command) -> Self {
        let Pair { ours, theirs } = pair(24, 80);
        let shown = Shown::follow(ours.try_clone().unwrap());
        let (send, receive) = channel();
        // The child dies with the thread that starts it.
        let pump = std::thread::spawn(move || {
            let person = Person::at(theirs.as_fd(), theirs.as_fd()).unwrap();
            let child = Child::start(command, person.size().unwrap(), None).unwrap();
            let pump = Pump::new(child, person).unwrap();
            send.send(pump.handle()).unwrap();
            pump.run().unwrap()
        });
        Self { keyboard: ours, shown, handle: receive.recv().unwrap(), pump: Some(pump) }
    }

    /// Shows every byte it reads, once it has said that it is ready.
    fn with_cat() -> Self {
        let desk = Self::new(sh("stty raw -echo; echo ready; exec cat"));
        desk.shown.wait_for("ready");
        desk
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn type_if_unchanged(&self, text: &str) -> Result<(), NotTyped> {
        let condition = Condition::unchanged_since(self.handle.input_seq());
        self.handle.type_if(text.as_bytes(), condition).map(|_| ())
    }

    fn wait_typed(&self, count: u64) {
        eventually("the keys to be counted", || self.handle.input_seq() >= count);
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(pump) = self.pump.take() {
            let _ = pump.join();
        }
    }
}

#[test]
fn text_is_typed_when_nobody_types() {
    let desk = Desk::with_cat();
    desk.type_if_unchanged("hello").unwrap();
    desk.shown.wait_for("hello");
    assert_eq!(desk.handle.input_seq(), 0, "what is typed for the person is not the person's typing");
    assert_eq!(desk.handle.last_input_at(), None);
}

#[test]
fn nothing_is_typed_after_the_person_typed() {
    let mut desk = Desk::with_cat();
    let before = desk.handle.input_seq();
    desk.types("draft");
    desk.wait_typed(1);
    let refused = desk.handle.type_if(b"hello", Condition::unchanged_since(before)).unwrap_err();
    assert_eq!(refused, NotTyped::PersonTyped);
    assert!(desk.handle.last_input_at().is_some());
    desk.type_if_unchanged("later").unwrap();
    desk.shown.wait_for("draftlater");
}

#[test]
fn nothing_is_typed_inside_a_key_or_a_paste() {
    let mut desk = Desk::with_cat();
    desk.types("a\x1b[200~pas");
    desk.wait_typed(1);
    desk.shown.wait_for("pas");
    assert_eq!(desk.type_if_unchanged("x"), Err(NotTyped::InsideKey));
    desk.types("ted\x1b[201~");
    desk.shown.wait_for("ted\x1b[201~");
    desk.type_if_unchanged("after").unwrap();
    desk.shown.wait_for("ted\x1b[201~after");
}

#[test]
fn the_seat_counts_as_the_person() {
    let desk = Desk::with_cat();
    desk.handle.feed(b"remote");
    desk.wait_typed(1);
    let stale = desk.handle.type_if(b"x", Condition::unchanged_since(0)).unwrap_err();
    assert_eq!(stale, NotTyped::PersonTyped);
    desk.shown.wait_for("remote");
}

#[test]
fn keys_are_held_back_and_none_is_lost() {
    let mut desk = Desk::with_cat();
    let condition = Condition::unchanged_since(0).holding(PATIENCE);
    let hold = desk.handle.type_if(b"<pasted>", condition).unwrap().unwrap();
    desk.types("one ");
    desk.handle.feed(b"two ");
    desk.wait_typed(2);
    let second = desk.handle.type_if(b"x", Condition::unchanged_since(2)).unwrap_err();
    assert_eq!(second, NotTyped::Held);
    hold.type_more(b"<submitted>").unwrap();
    desk.types("three");
    desk.wait_typed(3);
    hold.release();
    desk.shown.wait_for("three");
    let text = desk.shown.text();
    // The two sources have no order between them, but each has its own.
    assert!(text.contains("<pasted><submitted>"), "{text}");
    assert!(!text.contains('x'), "{text}");
    let after = text.split("<submitted>").nth(1).unwrap();
    assert!(after == "one two three" || after == "two one three", "{text}");
}

/// Only then can the program show them: until it does, its box looks as if nobody had typed.
#[test]
fn keys_that_were_held_back_count_when_they_are_let_go() {
    let mut desk = Desk::with_cat();
    let condition = Condition::unchanged_since(0).holding(PATIENCE);
    let hold = desk.handle.type_if(b"[ours]", condition).unwrap();
    desk.shown.wait_for("[ours]");
    desk.types("k");
    desk.wait_typed(1);
    let (typed, seq) = (desk.handle.last_input_at(), desk.handle.input_seq());
    // The clock has to have gone on for a later key to be later.
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_millis(2) {
        std::thread::yield_now();
    }
    drop(hold);
    desk.wait_typed(seq + 1);
    assert!(desk.handle.last_input_at() > typed);
    assert!(matches!(
        desk.handle.type_if(b"more", Condition::unchanged_since(seq)),
        Err(NotTyped::PersonTyped)
    ));
    // The program has shown it: there is nothing that could still be on its way.
    eventually("an answer", || desk.handle.has_answered());
    // Where nothing was held back nothing counts.
    let seq = desk.handle.input_seq();
    drop(desk.handle.type_if(b"again", Condition::unchanged_since(seq).holding(PATIENCE)).unwrap());
    desk.shown.wait_for("again");
    assert_eq!(desk.handle.input_seq(), seq);
}

#[test]
fn a_program_is_silent_until_it_prints_something_after_what_was_typed_for_the_person() {
    let desk = Desk::with_cat();
    assert!(!desk.handle.is_silent());
    desk.handle.type_if(b"text", Condition::unchanged_since(0)).unwrap();
    eventually("an answer", || !desk.handle.is_silent());
    let stopped = Desk::new(sh("stty raw -echo; printf ready; exec sleep 100"));
    stopped.shown.wait_for("ready");
    stopped.handle.type_if(b"text", Condition::unchanged_since(0)).unwrap();
    assert!(stopped.handle.is_silent());
}

#[test]
fn a_hold_that_is_forgotten_ends_by_itself() {
    let mut desk = Desk::with_cat();
    let condition = Condition::unchanged_since(0).holding(Duration::from_millis(100));
    let hold = desk.handle.type_if(b"text", condition).unwrap().unwrap();
    desk.types("keys");
    desk.shown.wait_for("textkeys");
    assert_eq!(hold.type_more(b"more"), Err(NotTyped::HoldOver));
}

#[test]
fn a_program_that_does_not_read_is_not_waited_for() {
    let desk = Desk::new(sh("stty raw -echo; echo ready; exec sleep 100"));
    desk.shown.wait_for("ready");
    let condition = Condition { patience: Duration::from_millis(200), ..Condition::unchanged_since(0) };
    let refused = desk.handle.type_if(&vec![b'x'; 1 << 20], condition).unwrap_err();
    assert!(matches!(refused, NotTyped::Stuck { written: 1..100_000 }), "{refused:?}");
    // What was taken back is not written later, so there is nothing before the next.
    let refused = desk.handle.type_if(&vec![b'y'; 1 << 20], condition).unwrap_err();
    assert!(matches!(refused, NotTyped::Stuck { written: ..100_000 }), "{refused:?}");
}

#[test]
fn after_the_end_it_is_over() {
    let mut desk = Desk::new(sh("exit 7"));
    assert_eq!(desk.pump.take().unwrap().join().unwrap(), Exit::Code(7));
    assert_eq!(desk.type_if_unchanged("x"), Err(NotTyped::Over));
}

#[test]
fn who_is_in_the_foreground_is_known() {
    let mut desk = Desk::new(sh("echo \"pid=$$.\"; exec cat"));
    desk.shown.wait_for(".");
    let front = desk.handle.foreground().unwrap();
    assert!(desk.shown.text().contains(&format!("pid={front}.")));
    desk.handle.stop();
    desk.pump.take().unwrap().join().unwrap();
    assert_eq!(desk.handle.foreground(), None);
}

#[test]
fn a_size_can_be_given() {
    let desk = Desk::new(sh("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"));
    desk.shown.wait_for("ready");
    desk.handle.resize(Size::new(33, 101));
    desk.shown.wait_for("33 101");
}

/// What the person and an injector do, in any order.
#[derive(Debug, Clone)]
enum Act {
    Types(&'static str),
    Injects { holding: bool },
    Releases,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let keys = prop::sample::select(vec!["a", "b", "\x1b[A", "é", "\x1b[200~paste\x1b[201~"]);
    let act = prop_oneof![
        4 => keys.prop_map(Act::Types),
        2 => any::<bool>().prop_map(|holding| Act::Injects { holding }),
        1 => Just(Act::Releases),
    ];
    prop::collection::vec(act, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Every key arrives, in order; every text that was accepted arrives once and in one piece.
    #[test]
    fn keys_and_texts_never_mix(acts in acts()) {
        let mut desk = Desk::with_cat();
        let begin = desk.shown.bytes().len();
        let (mut typed, mut accepted, mut hold) = (String::new(), 0, None);
        for act in acts {
            match act {
                Act::Types(keys) => {
                    typed.push_str(keys);
                    desk.types(keys);
                }
                Act::Injects { holding } => {
                    let length = if holding { PATIENCE } else { Duration::ZERO };
                    let condition = Condition::unchanged_since(desk.handle.input_seq()).holding(length);
                    if let Ok(held) = desk.handle.type_if(b"[[text]]", condition) {
                        accepted += 1;
                        hold = held;
                    }
                }
                Act::Releases => hold = None,
            }
        }
        drop(hold);
        let wanted = typed.len() + accepted * "[[text]]".len();
        let deadline = Instant::now() + PATIENCE;
        let all = desk.shown.comes(PATIENCE, |bytes| bytes.len() - begin >= wanted);
        prop_assert!(all && Instant::now() < deadline);
        let text = String::from_utf8(desk.shown.bytes()[begin..].to_vec()).unwrap();
        prop_assert_eq!(text.matches("[[text]]").count(), accepted);
        prop_assert_eq!(text.replace("[[text]]", ""), typed);
    }
}
