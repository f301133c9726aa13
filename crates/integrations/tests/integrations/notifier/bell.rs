//! The bell of a terminal.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use super::{Stage, lasting};

/// A terminal: what its window sees, and its path.
fn terminal() -> (File, PathBuf) {
    let window = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&window).unwrap();
    unlockpt(&window).unwrap();
    let path = PathBuf::from(ptsname(&window, Vec::new()).unwrap().into_string().unwrap());
    let flags = rustix::fs::fcntl_getfl(&window).unwrap();
    rustix::fs::fcntl_setfl(&window, flags | OFlags::NONBLOCK).unwrap();
    let window = File::from(window);
    // Kept until all tests have run: the next terminal would get its name, and is not rung twice within a second.
    std::mem::forget(window.try_clone().unwrap());
    (window, path)
}

/// Hold the other side open: without it the window reads an error.
fn hold(path: &PathBuf) -> File {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK;
    File::from(rustix::fs::open(path, flags, rustix::fs::Mode::empty()).unwrap())
}

fn seen(window: &mut File) -> Vec<u8> {
    let mut piece = [0; 64];
    let count = window.read(&mut piece).unwrap_or(0);
    piece.get(..count).unwrap().to_vec()
}

#[test]
fn every_terminal_rings_once_a_second() {
    let ((mut one, first), (mut two, second)) = (terminal(), terminal());
    let _held = (hold(&first), hold(&second));
    let mut stage = Stage::new("terminal_bell", json!({}));
    stage.terminals = vec![first.clone(), second, first];
    assert_eq!(stage.tell().unwrap(), Value::Null);
    assert_eq!(stage.tell().unwrap(), Value::Null);
    assert_eq!((seen(&mut one), seen(&mut two)), (vec![7], vec![7]));
    assert!(seen(&mut one).is_empty() && seen(&mut two).is_empty());
    stage.terminals = Vec::new();
    assert_eq!(stage.tell().unwrap(), Value::Null);
}

#[test]
fn one_terminal_can_be_chosen() {
    let ((mut one, first), (mut two, second)) = (terminal(), terminal());
    let _held = (hold(&first), hold(&second));
    let mut stage = Stage::new("terminal_bell", json!({ "tty": first }));
    stage.terminals = vec![second];
    stage.tell().unwrap();
    assert_eq!((seen(&mut one), seen(&mut two)), (vec![7], vec![]));
}

#[test]
fn a_terminal_that_is_held_up_holds_nobody_up() {
    let (_window, path) = terminal();
    let held = hold(&path);
    // The kernel moves what was written on, and there is room again for a moment: it is full when that is over.
    let (mut filled, mut full) = (0, 0);
    while filled < 10_000_000 && full < 100_000 {
        match rustix::io::write(&held, b"x") {
            Ok(count) => (filled, full) = (filled + count, 0),
            Err(_) => {
                full += 1;
                std::thread::yield_now();
            }
        }
    }
    let mut stage = Stage::new("terminal_bell", json!({}));
    stage.terminals = vec![path];
    assert_eq!(stage.untold(), lasting("none of the terminals in which agents run takes a bell"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "this plays what lies around")]
fn what_is_no_terminal_of_ours_is_left_alone() {
    let mut stage = Stage::new("terminal_bell", json!({}));
    let file = stage.folder().join("file");
    std::fs::write(&file, "kept").unwrap();
    let (_window, path) = terminal();
    let link = stage.folder().join("link");
    std::os::unix::fs::symlink(path, &link).unwrap();
    stage.terminals = vec![
        file.clone(),
        link,
        stage.folder().to_owned(),
        "/dev/null".into(),
        "/dev/zero".into(),
        "/nowhere".into(),
    ];
    assert_eq!(stage.untold(), lasting("none of the terminals in which agents run takes a bell"));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "kept");
    stage.settings.insert("tty".to_owned(), json!("/dev/null"));
    assert_eq!(stage.untold(), lasting("/dev/null is no terminal of yours that takes a bell"));
    for tty in ["/etc/passwd", "pts/3", "/dev/../etc/passwd", ""] {
        let wrong = Stage::new("terminal_bell", json!({ "tty": tty })).wrong();
        assert!(wrong.starts_with("`tty` has to be a terminal such as `/dev/pts/3`"), "{wrong}");
    }
}
