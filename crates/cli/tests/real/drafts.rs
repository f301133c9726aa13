//! A person types, deletes, pastes, pauses, opens menus and answers dialogs in a real CLI, while messages arrive: each
//! line reaches the model as it was typed, each message once and whole, and nobody else answers a dialog.
//!
//! `SIGNALBOX_DRAFT_RUNS` says how many lines there are, `SIGNALBOX_DRAFT_SEED` which seed the first conversation has (the
//! next has the next one), and `SIGNALBOX_DRAFT_AGENTS` with how many agents at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::Turn;

use crate::drafts_person::{Counts, Person};
use crate::support::{Scene, bash};

/// How many lines there are in one conversation at the most: a long one makes every CLI slow.
const SITTING: usize = 25;

/// How one CLI looks while somebody types into it.
pub struct Row {
    /// What is run.
    pub cli: &'static str,
    pub scene: fn(&str) -> Scene,
    pub arguments: &'static [&'static str],
    /// How many lines there are where nobody says so.
    usually: usize,
    /// What the row of the input box begins with; the last such row of the screen is that of the box.
    pub prompt: &'static str,
    /// What stands between that and the draft.
    pub blank: char,
    /// What stands in an empty box.
    pub placeholder: &'static str,
    /// What is seen where a slash has opened a menu.
    pub menu: &'static str,
    /// A call that makes this file, after the person was asked.
    pub makes: fn(file: &str) -> Turn,
    /// How it asks, and the key that says yes.
    pub question: &'static str,
    pub yes: &'static str,
    /// The key that says no; `None` where that leads elsewhere: Gemini CLI forgets what it was asked.
    pub no: Option<&'static str>,
    /// How long after a paste an Enter is taken for a part of it.
    pub after_paste: Duration,
    /// Whether a line may stay in the box though it was sent off. Claude Code 2.1.197 forgets to clear the box where Enter is
    /// pressed in the very moment in which a turn ends, whatever that turn was about; Codex 0.166.0 puts a line back that is sent
    /// right after the person has said no in a dialog, before it has interrupted the turn.
    pub leaves_lines: bool,
    /// Whether it may lose an Enter. Copilot CLI 1.0.102 does where it comes within seconds after the person has said no in a
    /// dialog, also where nobody sends it messages.
    pub loses_returns: bool,
    /// Whether a line may be taken and not answered before something else is said. Codex 0.166.0 does that where Enter is pressed
    /// in the very moment in which a turn ends: the line goes to that turn, and nobody asks the model.
    pub forgets_lines: bool,
    /// Whether messages get in only after there was a first prompt.
    pub needs_prompt: bool,
}

fn call(tool: &str, input: Value) -> Turn {
    Turn::call(tool, input)
}

const CLAUDE: Row = Row {
    cli: "claude",
    scene: Scene::claude,
    arguments: &[],
    usually: 6,
    prompt: "❯",
    blank: '\u{a0}',
    placeholder: "",
    menu: "/add-dir",
    makes: |file| {
        let (tool, input) = bash(&format!("touch {file}"));
        call(tool, input)
    },
    question: "Do you want to proceed?",
    yes: "1",
    no: Some("\x1b"),
    after_paste: Duration::ZERO,
    leaves_lines: true,
    loses_returns: false,
    forgets_lines: false,
    needs_prompt: false,
};

/// As if no hooks were installed: every message is typed.
const CLAUDE_TYPED: Row = Row { scene: Scene::claude_alone, usually: 3, ..CLAUDE };

const CODEX: Row = Row {
    cli: "codex",
    scene: Scene::codex,
    arguments: &["-s", "workspace-write", "-a", "on-request"],
    usually: 3,
    prompt: "›",
    blank: ' ',
    placeholder: "Ask Codex to do anything",
    menu: "/permissions",
    makes: |file| {
        let cmd = format!("touch {file}");
        call(
            "exec_command",
            json!({ "cmd": cmd, "sandbox_permissions": "require_escalated", "justification": "j" }),
        )
    },
    question: "Would you like to run the following command?",
    yes: "y",
    no: Some("\x1b"),
    after_paste: Duration::ZERO,
    leaves_lines: true,
    loses_returns: false,
    forgets_lines: true,
    needs_prompt: true,
};

const GEMINI: Row = Row {
    cli: "gemini",
    scene: Scene::gemini,
    arguments: &[],
    usually: 3,
    prompt: " >",
    blank: ' ',
    placeholder: "Type your message or @path/to/file",
    menu: "Manage workspace directories",
    makes: |file| call("run_shell_command", json!({ "command": format!("touch {file}") })),
    question: "Allow execution of",
    yes: "1",
    no: None,
    after_paste: Duration::from_millis(700),
    leaves_lines: false,
    loses_returns: false,
    forgets_lines: false,
    needs_prompt: false,
};

const COPILOT: Row = Row {
    cli: "copilot",
    scene: Scene::copilot,
    arguments: &[],
    usually: 3,
    prompt: "❯",
    blank: ' ',
    placeholder: "",
    menu: "/allow-all",
    makes: |file| call("bash", json!({ "command": format!("touch {file}"), "description": "d" })),
    question: "Do you want to run this command?",
    yes: "1",
    no: Some("\x1b"),
    after_paste: Duration::ZERO,
    leaves_lines: false,
    loses_returns: true,
    forgets_lines: false,
    needs_prompt: false,
};

/// Nothing opens where a slash is typed. It sends on what was typed while it worked when it reads again; an answer to a dialog is
/// given by Enter and the arrows.
const GOOSE: Row = Row {
    cli: "goose",
    scene: Scene::goose_asking,
    arguments: &[],
    usually: 3,
    prompt: ">",
    blank: ' ',
    placeholder: "Enter to send · Ctrl+J newline",
    menu: "> /",
    makes: |file| call("shell", json!({ "command": format!("touch {file}") })),
    question: "do you allow?",
    yes: "\r",
    no: Some("\x1b[B\x1b[B\r"),
    after_paste: Duration::ZERO,
    leaves_lines: false,
    loses_returns: false,
    forgets_lines: false,
    needs_prompt: false,
};

impl Row {
    /// What stands in the input box; `None` where there is none.
    pub fn in_box<'a>(&self, screen: &'a str) -> Option<&'a str> {
        let after = |row: &'a str| {
            let rest = row.strip_prefix(self.prompt)?;
            if rest.is_empty() { Some("") } else { rest.strip_prefix(self.blank) }
        };
        let text = screen.lines().rev().find_map(after)?.trim_end();
        Some(if text.trim() == self.placeholder { "" } else { text })
    }
}

#[test]
fn claude_drafts_stay_whole_whatever_arrives_meanwhile() {
    stay_whole(&CLAUDE);
}

#[test]
fn claude_drafts_stay_whole_though_messages_are_typed_too() {
    stay_whole(&CLAUDE_TYPED);
}

#[test]
fn codex_drafts_stay_whole_whatever_arrives_meanwhile() {
    stay_whole(&CODEX);
}

#[test]
fn gemini_drafts_stay_whole_whatever_arrives_meanwhile() {
    stay_whole(&GEMINI);
}

#[test]
fn goose_drafts_stay_whole_whatever_arrives_meanwhile() {
    stay_whole(&GOOSE);
}

#[test]
fn copilot_drafts_stay_whole_whatever_arrives_meanwhile() {
    stay_whole(&COPILOT);
}

/// As many lines as wanted, in conversations that are not too long. Where one goes wrong the others go on, so that the
/// figures are those of all.
fn stay_whole(row: &'static Row) {
    if skip_without(row.cli) {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let lines = number("SIGNALBOX_DRAFT_RUNS").unwrap_or(row.usually);
    let seed = number("SIGNALBOX_DRAFT_SEED").unwrap_or(1);
    let sittings = lines.div_ceil(SITTING);
    let at_once = number("SIGNALBOX_DRAFT_AGENTS").unwrap_or(1).clamp(1, sittings.max(1));
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    let all = Mutex::new((Counts::default(), Vec::new()));
    std::thread::scope(|scope| {
        let work = || loop {
            let sitting = next.fetch_add(1, Ordering::Relaxed);
            if sitting >= sittings {
                return;
            }
            let (seed, share) = (seed + sitting, SITTING.min(lines - sitting * SITTING));
            let name = format!("{} with seed {seed}", row.cli);
            let played = std::thread::Builder::new().name(name).spawn(move || Person::play(row, seed, share));
            let played = played.expect("a thread").join();
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            match played {
                Ok(counts) => all.0.add(&counts),
                Err(_) => all.1.push(seed),
            }
            eprintln!(
                "{} after {} s: {}; went wrong: {:?}",
                row.cli,
                begun.elapsed().as_secs(),
                all.0,
                all.1
            );
        };
        for _ in 0..at_once {
            scope.spawn(work);
        }
    });
    let (counts, wrong) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(wrong, Vec::<usize>::new(), "seeds of {} went wrong, after {counts}", row.cli);
}
