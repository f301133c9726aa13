//! A program of the user's whose code says how far an agent is.

use signalbox_core::goal::GoalStatus;
use signalbox_runner::End;

use super::{GoalType, Look, Progress};
use crate::monitor::Trouble;
use crate::program;
use crate::settings::{self, BadSettings, Key, Settings};
use crate::text;

const USUAL_SECONDS: u64 = 30;

/// What a script writes instead of numbers: `exit $SIGNALBOX_GOAL_IN_PROGRESS`.
const CODES: [(&str, &str); 5] = [
    ("SIGNALBOX_GOAL_COMPLETED", "0"),
    ("SIGNALBOX_GOAL_PENDING", "1"),
    ("SIGNALBOX_GOAL_IN_PROGRESS", "2"),
    ("SIGNALBOX_GOAL_ERRORED", "3"),
    ("SIGNALBOX_GOAL_FAILED", "4"),
];

pub const TYPE: GoalType = GoalType {
    name: "command",
    about: "A command says so by the code it ends with: 0 done, 1 not begun, 2 under way, 3 in trouble, 4 failed",
    keys: &[
        Key::required("run", "The line for the shell, or a list of the program and its arguments"),
        Key::optional("directory", "Where it runs; the agent's directory unless this is set"),
        Key::optional("timeout", "After how many seconds it is ended; 30 unless this is set"),
    ],
    privileged: true,
    check,
    look: Some(look),
};

fn check(settings: &Settings) -> Result<(), BadSettings> {
    program::words(settings, "run")?;
    settings::text(settings, "directory")?;
    settings::seconds(settings, "timeout")?;
    Ok(())
}

fn look(look: &Look<'_>) -> Result<Progress, Trouble> {
    let words = program::words(look.settings, "run")?;
    let shown = program::shown(look.settings, "run");
    let directory = program::directory(look.settings, look.directory)?;
    let time = program::time(look.settings, USUAL_SECONDS, look.time)?;
    let program = program::program(words, &directory, time).with("SIGNALBOX_AGENT", look.agent);
    let program = CODES.into_iter().fold(program, |program, (name, code)| program.with(name, code));
    let ran =
        program.run().map_err(|error| Trouble::Lasting(program::unstarted(&shown, &directory, &error)))?;
    let status = match ran.end {
        End::Code(code) => GoalStatus::from_exit(Some(code)),
        End::Signal(_) | End::TimedOut | End::TooMuch => GoalStatus::from_exit(None),
    };
    // The last words of a check are its summary; where it says none, how it ended has to do.
    let said = text::tail(&ran.text(), 1, 300);
    let complaint = text::tail(&ran.complaint(), 1, 300);
    let summary = match (said.is_empty(), complaint.is_empty(), ran.end) {
        (false, _, End::Code(_)) => said,
        (true, false, End::Code(_)) => complaint,
        (true, true, End::Code(0..=2)) => return Ok(Progress { status, summary: None }),
        _ => format!("`{shown}`: {}", ran.end),
    };
    Ok(Progress { status, summary: Some(summary) })
}
