//! A terminal with nothing in between, which the pump is held against.

use std::process::Command;

use crate::kit::{Term, proxied};

/// What a program shows, and how it ends.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub bytes: Vec<u8>,
    pub code: i32,
}

/// Run a program bare and through the pump, with somebody who does the same to both. The first outcome is the
/// bare one.
pub fn both(command: &Command, act: impl Fn(&mut Term)) -> [Outcome; 2] {
    [run(command, &act), run(&proxied(command), &act)]
}

pub fn run(command: &Command, act: impl Fn(&mut Term)) -> Outcome {
    let mut term = Term::start(command);
    act(&mut term);
    let (bytes, status) = term.finish();
    Outcome { bytes, code: crate::kit::code(status) }
}

/// Both are the same.
#[track_caller]
pub fn same(command: &Command, act: impl Fn(&mut Term)) -> Outcome {
    let [bare, pumped] = both(command, act);
    assert_eq!(bare.code, pumped.code, "exit codes differ for {command:?}");
    if bare.bytes != pumped.bytes {
        let at = bare.bytes.iter().zip(&pumped.bytes).take_while(|(a, b)| a == b).count();
        let near = |bytes: &[u8]| {
            String::from_utf8_lossy(&bytes[at.saturating_sub(40)..bytes.len().min(at + 80)]).into_owned()
        };
        panic!(
            "bytes differ at {at} of {} and {} for {command:?}\nbare   {:?}\npumped {:?}",
            bare.bytes.len(),
            pumped.bytes.len(),
            near(&bare.bytes),
            near(&pumped.bytes)
        );
    }
    pumped
}
