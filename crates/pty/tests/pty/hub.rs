//! Those who look on: they see what the person sees, and nobody waits for them.

use std::process::Command;
use std::time::{Duration, Instant};

use signalbox_pty::hub::{Message, Occupied, Take, Update, Watcher};
use signalbox_pty::side::{Options, Side};
use signalbox_pty::{Allow, Child, Exit, Person, Pump, Screen, Size};

use crate::kit::{PATIENCE, sh};

const SIZE: Size = Size::new(10, 40);

fn side(seat_idle: Option<Duration>) -> Side {
    Side::start(Options {
        size: SIZE,
        recorder: None,
        log: None,
        allow: Allow::default(),
        seat_idle,
        on_trouble: Box::new(|trouble| panic!("{trouble}")),
    })
    .unwrap()
}

/// Run a program without anybody at the keyboard.
fn run(command: Command, side: &Side) -> std::thread::JoinHandle<Exit> {
    let tap = side.tap();
    std::thread::spawn(move || {
        let child = Child::start(command, SIZE, None).unwrap();
        Pump::new(child, Person::absent()).unwrap().tapped(tap).run().unwrap()
    })
}

/// What a watcher's terminal shows at the end, and how often it was painted anew.
fn watch_to_the_end(mut watcher: Watcher) -> (Screen, usize) {
    let (mut screen, mut histories) = (Screen::new(SIZE), 0);
    loop {
        match watcher.next(PATIENCE) {
            Update::History { replay, size } => {
                histories += 1;
                assert_eq!(size, SIZE);
                screen.feed(&replay);
            }
            Update::Output(bytes) => screen.feed(&bytes),
            Update::Over => return (screen, histories),
            Update::Message(_) | Update::Nothing => panic!("nothing of the kind"),
        }
    }
}

#[test]
fn a_watcher_sees_what_the_person_sees() {
    let side = side(None);
    let watcher = side.hub().watch();
    let early = std::thread::spawn(move || watch_to_the_end(watcher));
    let script = r"printf '\033[?1049h\033[2;3H\033[31mred\033]0;title\007\033]52;c;eA==\007'; sleep 0.1; printf ' more'; sleep 0.1";
    let pump = run(sh(script), &side);
    assert_eq!(pump.join().unwrap(), Exit::Code(0));
    side.finish();
    let wanted = side.view(PATIENCE).unwrap();
    assert_eq!(wanted.rows[1], "  red more");
    assert_eq!(wanted.title, "title");
    let (screen, _) = early.join().unwrap();
    assert_eq!(screen.view().rows, wanted.rows);
    assert_eq!((screen.view().cursor, screen.view().alternate), (wanted.cursor, true));
    assert_eq!(screen.view().title, "", "titles are not passed on");
    // One who comes when all is over still sees the end.
    let (late, histories) = watch_to_the_end(side.hub().watch());
    assert_eq!((late.view().rows, histories), (wanted.rows, 1));
}

/// The slow one never reads while the program floods. It must cost nothing, and see the end all the same.
#[test]
fn a_slow_watcher_is_not_waited_for() {
    let side = side(None);
    let mut slow = side.hub().watch();
    assert!(matches!(slow.next(PATIENCE), Update::History { .. }));
    let quick = side.hub().watch();
    let quick = std::thread::spawn(move || watch_to_the_end(quick));
    let pump =
        run(sh("i=0; while [ $i -lt 30000 ]; do echo \"line $i\"; i=$((i+1)); done; printf end"), &side);
    assert_eq!(pump.join().unwrap(), Exit::Code(0));
    side.finish();
    let wanted = side.view(PATIENCE).unwrap().rows;
    assert_eq!(wanted.last().unwrap(), "end");
    let (screen, _) = quick.join().unwrap();
    assert_eq!(screen.view().rows, wanted);
    let (screen, histories) = watch_to_the_end(slow);
    assert_eq!(screen.view().rows, wanted);
    assert_eq!(histories, 1, "it gets one fresh picture of what it missed");
}

#[test]
fn the_seat_is_handed_on() {
    let side = side(None);
    let (mut one, other) = (side.hub().watch(), side.hub().watch());
    assert!(!one.may_type());
    one.take_seat(Take::IfFree).unwrap();
    assert!(one.may_type() && one.has_seat());
    assert_eq!(other.take_seat(Take::IfFree), Err(Occupied(one.id())));
    assert!(!other.may_type());
    other.take_seat(Take::ByForce).unwrap();
    assert!(!one.may_type() && other.may_type());
    assert_eq!(one.next(PATIENCE), Update::Message(Message::SeatTakenOver));
    drop(other);
    one.take_seat(Take::IfFree).unwrap();
    assert_eq!(side.hub().watchers(), 1);
}

#[test]
fn an_idle_seat_is_lost() {
    let idle = Duration::from_millis(50);
    let side = side(Some(idle));
    let mut one = side.hub().watch();
    assert!(matches!(one.next(PATIENCE), Update::History { .. }));
    one.take_seat(Take::IfFree).unwrap();
    let begun = Instant::now();
    // Told while waiting, long before patience is over.
    assert_eq!(one.next(PATIENCE), Update::Message(Message::SeatExpired));
    assert!(begun.elapsed() >= idle && begun.elapsed() < PATIENCE / 2);
    assert!(!one.may_type());
}

#[test]
fn nothing_is_said_when_nothing_happens() {
    let side = side(None);
    let mut one = side.hub().watch();
    assert!(matches!(one.next(PATIENCE), Update::History { .. }));
    assert_eq!(one.next(Duration::from_millis(10)), Update::Nothing);
}
