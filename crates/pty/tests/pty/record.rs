//! Recordings: players read them, secrets are not in them, and they stay within their limits.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proptest::prelude::*;
use signalbox_pty::record::{Cast, CastError, Event, Kind, Recorder, Secrets, Settings};
use signalbox_pty::{Screen, Size};

use crate::kit::Term;

fn settings(path: &Path) -> Settings {
    Settings {
        path: path.to_owned(),
        size: Size::new(5, 20),
        began: 1_700_000_000,
        title: Some("a \"title\"".to_owned()),
        env: vec![("TERM".to_owned(), "xterm".to_owned())],
        cap: u64::MAX,
    }
}

fn at(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn events(path: &Path) -> Vec<Event> {
    Cast::open(path).unwrap().map(Result::unwrap).collect()
}

/// All text of one kind.
fn text(events: &[Event], kind: Kind) -> String {
    events.iter().filter(|event| event.kind == kind).map(|event| event.data.as_str()).collect()
}

#[test]
fn the_file_is_an_asciicast() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let mut recorder = Recorder::create(settings(&path), &Secrets::default()).unwrap();
    recorder.output(at(1), b"\x1b[31mred\"\\\r\n");
    recorder.input(at(20), b"x\x7f");
    recorder.resize(at(1_500), Size::new(7, 9));
    recorder.mark(at(61_000), "agent.idle");
    recorder.flush(at(61_000), Vec::new).unwrap();
    recorder.finish(at(61_000)).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        written,
        r#"{"version":2,"width":20,"height":5,"timestamp":1700000000,"title":"a \"title\"","env":{"TERM":"xterm"}}
[0.001000, "o", "\u001b[31mred\"\\\r\n"]
[0.020000, "i", "x"]
[1.500000, "r", "9x7"]
[61.000000, "m", "agent.idle"]
"#
        .replace("\"x\"]", "\"x\u{7f}\"]")
    );
    let read = events(&path);
    assert_eq!(read.len(), 4);
    assert_eq!(read[2].size(), Some(Size::new(7, 9)));
    assert_eq!(read[3], Event { at: at(61_000), kind: Kind::Marker, data: "agent.idle".to_owned() });
    let header = Cast::open(&path).unwrap().header;
    assert_eq!((header.size, header.began), (Size::new(5, 20), Some(1_700_000_000)));
}

#[test]
fn the_file_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    Recorder::create(settings(&path), &Secrets::default()).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_torn_line_at_the_end_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let mut recorder = Recorder::create(settings(&path), &Secrets::default()).unwrap();
    for number in 0..20 {
        recorder.output(at(number), format!("line {number}\r\n").as_bytes());
    }
    recorder.finish(at(20)).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for length in header..whole.len() {
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length as u64).unwrap();
        let lines = whole[header..length].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(events(&path).len(), lines);
        // Put it back, for the next cut.
        std::fs::OpenOptions::new().write(true).truncate(true).open(&path).unwrap();
        std::io::Write::write_all(&mut std::fs::OpenOptions::new().append(true).open(&path).unwrap(), &whole)
            .unwrap();
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in
        [("empty", ""), ("version", "{\"version\":3}\n"), ("text", "hello\n"), ("torn", "{\"version\":2")]
    {
        let path = folder.path().join(name);
        std::io::Write::write_all(
            &mut std::fs::OpenOptions::new().create(true).append(true).open(&path).unwrap(),
            content.as_bytes(),
        )
        .unwrap();
        assert!(matches!(Cast::open(&path), Err(CastError::Format)), "{name}");
    }
}

#[test]
fn secrets_do_not_reach_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let secrets = Secrets::new(["sk-abcdef123456", "hunter22"]);
    let mut recorder = Recorder::create(settings(&path), &secrets).unwrap();
    for part in ["key sk-abc", "def12", "3456 ", "and hunter22\r\n"] {
        recorder.output(at(1), part.as_bytes());
    }
    // Typed key by key.
    for key in "hunter22\r".bytes() {
        recorder.input(at(2), &[key]);
    }
    recorder.mark(at(3), "token hunter22");
    recorder.finish(at(4)).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!written.contains("hunter22") && !written.contains("abcdef"), "{written}");
    let read = events(&path);
    assert_eq!(text(&read, Kind::Output), "key *************** and ********\r\n");
    assert_eq!(text(&read, Kind::Input), "********\r");
    assert_eq!(text(&read, Kind::Marker), "token ********");
}

#[test]
fn a_full_recording_is_put_aside_and_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let mut recorder =
        Recorder::create(Settings { cap: 2_000, ..settings(&path) }, &Secrets::default()).unwrap();
    let mut screen = Screen::new(Size::new(5, 20));
    for number in 0..200u64 {
        let line = format!("\x1b[3{}mline {number}\r\n", number % 8);
        screen.feed(line.as_bytes());
        recorder.output(at(number * 1_000), line.as_bytes());
        recorder.flush(at(number * 1_000), || screen.replay()).unwrap();
    }
    recorder.finish(at(200_000)).unwrap();
    for part in [&path, &folder.path().join("a.cast.1")] {
        assert!(std::fs::metadata(part).unwrap().len() < 4_000);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    // Each part shows by itself what was to be seen at its end.
    let mut again = Screen::new(Size::new(5, 20));
    events(&path).iter().for_each(|event| again.feed(event.data.as_bytes()));
    assert_eq!(again.view(), screen.view());
    let older = Cast::open_older(&path).unwrap().unwrap();
    assert!(older.header.began < Cast::open(&path).unwrap().header.began);
    // Times count from the beginning of the part.
    assert_eq!(events(&path)[0].at, Duration::ZERO);
    assert!(events(&path).windows(2).all(|pair| pair[0].at <= pair[1].at));
}

#[test]
fn an_earlier_recording_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let mut first = Recorder::create(settings(&path), &Secrets::default()).unwrap();
    first.output(at(1), b"first");
    first.finish(at(1)).unwrap();
    Recorder::create(settings(&path), &Secrets::default()).unwrap();
    assert_eq!(events(&path), []);
    let older: Vec<Event> = Cast::open_older(&path).unwrap().unwrap().map(Result::unwrap).collect();
    assert_eq!(text(&older, Kind::Output), "first");
}

/// The program that the format comes from, where it is installed.
#[test]
fn asciinema_takes_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cast");
    let mut recorder = Recorder::create(settings(&path), &Secrets::default()).unwrap();
    recorder.output(at(1), "héllo \x1b[31mred\x1b[0m\r\n".as_bytes());
    recorder.input(at(2), b"x");
    recorder.resize(at(3), Size::new(7, 9));
    recorder.mark(at(4), "agent.idle");
    recorder.output(at(5), b"\xff end\r\n");
    recorder.finish(at(5)).unwrap();
    if Command::new("asciinema").arg("--version").output().is_err() {
        std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: asciinema is not installed\n").unwrap();
        return;
    }
    // Both want a terminal.
    for arguments in [&["cat"][..], &["play", "-s", "1000"]] {
        let mut asciinema = Command::new("asciinema");
        asciinema.args(arguments).arg(&path).env("HOME", folder.path()).env("LC_ALL", "C.UTF-8");
        let (bytes, status) = Term::start(&asciinema).finish();
        let text = String::from_utf8_lossy(&bytes);
        assert!(status.success(), "{arguments:?}: {text}");
        assert!(text.contains("héllo \x1b[31mred\x1b[0m\r\n\u{fffd} end\r\n"), "{arguments:?}: {text:?}");
    }
}

/// `/dev/full` takes nothing.
#[test]
fn a_full_disk_is_an_error_and_no_more() {
    assert!(Recorder::create(settings(Path::new("/dev/full")), &Secrets::default()).is_err());
}

proptest! {
    /// Whatever bytes come in whatever pieces, a player sees the same text.
    #[test]
    fn output_is_recorded_as_text(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1..40usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        let mut recorder = Recorder::create(settings(&path), &Secrets::default()).unwrap();
        for part in bytes.chunks(piece) {
            recorder.output(at(1), part);
        }
        recorder.finish(at(1)).unwrap();
        prop_assert_eq!(text(&events(&path), Kind::Output), String::from_utf8_lossy(&bytes));
    }
}
