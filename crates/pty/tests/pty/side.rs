//! What is kept beside the terminal, and that trouble with it is no trouble for the program.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use signalbox_pty::record::{Cast, Kind, PlainLog, Recorder, Secrets, Settings};
use signalbox_pty::side::{Options, Side, Trouble};
use signalbox_pty::{Allow, Child, Exit, Handle, Person, Pump, Size};

use crate::kit::{PATIENCE, Term, code, proxied_with, sh};

const SIZE: Size = Size::new(24, 80);

fn recorder(path: &Path) -> Recorder {
    let settings =
        Settings { path: path.to_owned(), size: SIZE, began: 0, title: None, env: Vec::new(), cap: u64::MAX };
    Recorder::create(settings, &Secrets::default()).unwrap()
}

fn options() -> Options {
    Options {
        size: SIZE,
        recorder: None,
        log: None,
        allow: Allow::default(),
        seat_idle: None,
        on_trouble: Box::new(|trouble| panic!("{trouble}")),
    }
}

/// Run a script without anybody at the keyboard, and wait until all is kept.
fn run(script: &str, options: Options) -> (Side, Exit) {
    let side = Side::start(options).unwrap();
    let (tap, command) = (side.tap(), sh(script));
    let pump = std::thread::spawn(move || {
        let child = Child::start(command, SIZE, None).unwrap();
        Pump::new(child, Person::absent()).unwrap().tapped(tap).run().unwrap()
    });
    let exit = pump.join().unwrap();
    side.finish();
    (side, exit)
}

/// The same for a script that goes on.
fn begin(script: &str) -> (Side, Handle, JoinHandle<Exit>) {
    let side = Side::start(options()).unwrap();
    let (tap, command) = (side.tap(), sh(script));
    let (send, receive) = channel();
    let pump = std::thread::spawn(move || {
        let child = Child::start(command, SIZE, None).unwrap();
        let pump = Pump::new(child, Person::absent()).unwrap().tapped(tap);
        send.send(pump.handle()).unwrap();
        pump.run().unwrap()
    });
    (side, receive.recv().unwrap(), pump)
}

fn shown(path: &Path) -> String {
    let events = Cast::open(path).unwrap().map(Result::unwrap);
    events.filter(|event| event.kind == Kind::Output).map(|event| event.data).collect()
}

#[test]
fn everything_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (cast, log) = (folder.path().join("a.cast"), folder.path().join("a.log"));
    let secrets = Secrets::new(["hunter22"]);
    let options = Options {
        recorder: Some(recorder(&cast)),
        log: Some(PlainLog::create(&log, u64::MAX, &secrets).unwrap()),
        ..options()
    };
    let script = r"printf '\033[1mbold\033[0m hun\033[31mter22\n\033[5Cx\033[3;1Hrow\n'; seq 1 5000";
    let (side, exit) = run(script, options);
    assert_eq!(exit, Exit::Code(0));
    let lines: String = (1..=5000).map(|number| format!("{number}\r\n")).collect();
    assert_eq!(
        shown(&cast),
        format!("\x1b[1mbold\x1b[0m hun\x1b[31mter22\r\n\x1b[5Cx\x1b[3;1Hrow\r\n{lines}")
    );
    let log = std::fs::read_to_string(&log).unwrap();
    // The secret is found although a colour changed in the middle of it.
    assert_eq!(log, format!("bold ********\nx\nrow\n{}", lines.replace('\r', "")));
    assert_eq!(side.view(PATIENCE).unwrap().rows[22], "5000");
}

#[test]
fn a_full_disk_stops_the_recording_and_nothing_else() {
    let (send, troubles) = channel();
    let folder = tempfile::tempdir().unwrap();
    // A recording whose file is exchanged for one that takes nothing.
    let path = folder.path().join("a.cast");
    let log = folder.path().join("a.log");
    std::os::unix::fs::symlink("/dev/full", &log).unwrap();
    let options = Options {
        recorder: Some(recorder(&path)),
        log: Some(PlainLog::create(&log, u64::MAX, &Secrets::default()).unwrap()),
        on_trouble: Box::new(move |trouble| send.send(trouble).unwrap()),
        ..options()
    };
    let (side, exit) = run("seq 1 20000; sleep 0.1; seq 1 20000; exit 3", options);
    assert_eq!(exit, Exit::Code(3));
    assert_eq!(side.view(PATIENCE).unwrap().rows[22], "20000");
    let troubles: Vec<Trouble> = troubles.try_iter().collect();
    assert!(
        matches!(troubles.as_slice(), [Trouble::Log(error)] if error.kind() == std::io::ErrorKind::StorageFull)
    );
    assert_eq!(shown(&path).matches("20000\r\n").count(), 2, "the other goes on");
}

/// A file system of 64 kB, for as long as this lives.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(folder.path());
        let mounted = mount.stderr(std::process::Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then_some(Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

/// A real file system with too little room, where one can be made: the file ends with a whole line.
#[test]
fn a_disk_that_fills_up_leaves_whole_lines() {
    let Some(disk) = SmallDisk::mount() else {
        writeln!(std::io::stderr(), "SKIPPED: no small file system can be mounted here").unwrap();
        return;
    };
    let (send, troubles) = channel();
    let path = disk.0.path().join("a.cast");
    let options = Options {
        recorder: Some(recorder(&path)),
        on_trouble: Box::new(move |trouble| send.send(trouble).unwrap()),
        ..options()
    };
    let (_, exit) = run("for i in 1 2 3 4 5 6 7 8; do seq 1 4000; sleep 0.05; done; exit 3", options);
    let text = std::fs::read_to_string(&path).unwrap();
    let events = Cast::open(&path).unwrap().map(Result::unwrap).count();
    assert_eq!(exit, Exit::Code(3));
    assert!(matches!(troubles.try_iter().collect::<Vec<_>>().as_slice(), [Trouble::Recording(_)]));
    assert!(text.ends_with("]\n"), "{:?}", &text[text.len() - 40..]);
    assert!(events > 0);
}

#[test]
fn input_and_sizes_and_markers_are_recorded_but_passwords_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let script =
        "echo name; read -r name; stty -echo; echo word; read -r word; stty echo; echo \"got $name $word\"";
    let mut term = Term::start(&with(&["--record", path.to_str().unwrap()], script));
    term.shown.wait_for("name");
    term.resize(30, 90);
    term.send("ada\r");
    term.shown.wait_for("word");
    term.send("opensesame\r");
    term.shown.wait_for("got ada opensesame");
    assert_eq!(code(term.finish().1), 0);
    let events: Vec<_> = Cast::open(&path).unwrap().map(Result::unwrap).collect();
    let typed: String =
        events.iter().filter(|event| event.kind == Kind::Input).map(|e| e.data.as_str()).collect();
    assert_eq!(typed, "ada\r");
    assert!(events.iter().any(|event| event.size() == Some(Size::new(30, 90))));
}

fn with(options: &[&str], script: &str) -> std::process::Command {
    proxied_with(options, &sh(script))
}

/// A terminal that a killed program left in its modes is put right.
#[test]
fn a_killed_program_leaves_nothing_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let script = r"printf '\033[?1049h\033[?25l\033[?1000h\033[?2004h\033[>1u'; kill -KILL $$";
    let mut term = Term::start(&with(&["--record", path.to_str().unwrap()], script));
    let (bytes, status) = term.finish();
    assert_eq!(code(status), 128 + 9);
    let mut screen = signalbox_pty::Screen::new(SIZE);
    screen.feed(&bytes);
    assert_eq!(screen.undo(), b"");
    assert!(!screen.view().alternate && screen.view().cursor_visible);
    // One that ends by itself is its own master.
    let script = r"printf '\033[?25l'";
    let (bytes, _) = Term::start(&with(&["--record", path.to_str().unwrap()], script)).finish();
    assert_eq!(bytes, b"\x1b[?25l");
}

#[test]
fn the_screen_is_of_this_moment() {
    let (side, handle, pump) = begin("seq 1 100000; printf 'do''ne'; exec sleep 100");
    crate::kit::eventually("the end of the flood", || {
        side.view(Duration::from_secs(10)).unwrap().rows.last().unwrap() == "done"
    });
    handle.stop();
    assert_eq!(pump.join().unwrap(), Exit::Signal(15));
}

#[test]
fn a_screen_is_news_when_something_came_and_when_it_has_another_size() {
    let (side, handle, pump) = begin("printf one; read line; printf two; exec sleep 100");
    let patience = Duration::from_secs(10);
    let mut last = None;
    let mut shows = |wanted: &dyn Fn(&signalbox_pty::View) -> bool| {
        let news = side.view_since(last, patience).unwrap();
        news.is_some_and(|(view, moment)| {
            last = Some(moment);
            wanted(&view)
        })
    };
    crate::kit::eventually("the first word", || shows(&|view| view.rows[0] == "one"));
    assert!(!shows(&|_| true), "nothing came");
    handle.resize(Size::new(10, 40));
    crate::kit::eventually("the new size", || shows(&|view| view.size == Size::new(10, 40)));
    assert!(!shows(&|_| true), "nothing came");
    handle.feed(b"\n");
    crate::kit::eventually("the second word", || shows(&|view| view.rows.concat().contains("two")));
    handle.stop();
    assert_eq!(pump.join().unwrap(), Exit::Signal(15));
}
