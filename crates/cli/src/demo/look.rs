//! What there is to look at: the board while it plays, and in the end the traces that all of it has left.

use std::sync::atomic::{AtomicBool, Ordering};

use super::asking::{Keyboard, Typed};
use super::outcome::Outcome;
use super::stage::Stage;
use signalbox_desk::error::CommandError;

use crate::context::Context;
use crate::ui::Paint;

/// Open the board, and say where all of this can be watched while it happens.
pub fn open_board(cx: &Context, stage: &mut Stage, is_watched: bool) -> Result<(), CommandError> {
    if !is_watched {
        return Ok(());
    }
    match stage.open_page() {
        Ok(link) => {
            let link = cx.ui.paint(Paint::Bold, &link);
            cx.ui.data(&format!("Watch it in your browser:\n  {link}\n"))?;
        }
        // There is enough to see without it.
        Err(error) => cx.ui.warn(&error.message),
    }
    let alias = cx.ui.paint(Paint::Bold, &format!("alias sb={}", stage.own_sb().display()));
    cx.ui.data(&format!(
        "Or in another terminal:\n  {alias}\n\
         and then `sb board`, `sb agents`, `sb attach NAME`, `sb why ID`, `sb queue`, `sb log --follow`.\n\n"
    ))
}

/// Something to look at.
struct Sight {
    what: String,
    /// `sb` with these words, or git with these.
    program: Program,
    words: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Sb,
    Git,
}

impl Sight {
    fn new(what: impl Into<String>, program: Program, words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { what: what.into(), program, words }
    }

    fn command(&self) -> String {
        let program = if self.program == Program::Sb { "sb" } else { "git" };
        format!("{program} {}", self.words.join(" "))
    }
}

/// What is worth a look after this outcome.
fn sights(outcome: &Outcome) -> Vec<Sight> {
    let mut all = vec![
        Sight::new("main: one commit a ticket", Program::Git, &["log", "--oneline", "--graph", "main"]),
        Sight::new("the tickets", Program::Sb, &["list", "--all"]),
    ];
    // The one with the longest story.
    if let Some(ticket) = outcome.tickets.iter().find(|ticket| ticket.key == "receipt") {
        let what = format!("all that happened to \"{}\"", ticket.title);
        all.push(Sight::new(what, Program::Sb, &["show", &ticket.id]));
    }
    if let Some(refused) = outcome.refused.first() {
        let what = format!("replay what {} did, who wanted to change a test", refused.agent);
        all.push(Sight::new(what, Program::Sb, &["replay", refused.id.as_ref().unwrap_or(&refused.agent)]));
    }
    all.push(Sight::new(
        "what they did, call by call",
        Program::Sb,
        &["log", "--event", "hook.pre-tool", "-n", "40"],
    ));
    all
}

/// Name them, for whoever keeps the folder.
pub fn tell(cx: &Context, stage: &Stage, outcome: &Outcome) -> Result<(), CommandError> {
    cx.ui.data(&format!("\nLook at it, in {}:\n", stage.repository().display()))?;
    for sight in sights(outcome) {
        let command = sight.command().replacen("sb ", &format!("{} ", stage.own_sb().display()), 1);
        cx.ui.data(&format!("  {command}\n"))?;
    }
    Ok(())
}

/// Let the person look around until they have seen enough. Whether everything is to be kept.
pub fn around(
    cx: &Context,
    stage: &Stage,
    outcome: &Outcome,
    stop: &AtomicBool,
) -> Result<bool, CommandError> {
    let sights = sights(outcome);
    let mut keyboard = Keyboard::default();
    cx.ui.data("\nLook around:\n")?;
    loop {
        for (number, sight) in (1..).zip(&sights) {
            let command = cx.ui.paint(Paint::Dim, &sight.command());
            cx.ui.data(&format!(
                "  {}  {:<52}{command}\n",
                cx.ui.paint(Paint::Bold, &format!("{number}")),
                sight.what
            ))?;
        }
        cx.ui.data("A number, `k` to keep the folder, or Enter to remove it and end: ")?;
        let Some(Typed::Line(typed)) = keyboard.line(stop, || Ok(false))? else {
            cx.ui.data("\n")?;
            return Ok(false);
        };
        let chosen = typed.parse::<usize>().ok().and_then(|number| sights.get(number.checked_sub(1)?));
        match (typed.as_str(), chosen) {
            ("", _) => return Ok(false),
            ("k" | "keep", _) => return Ok(true),
            (_, Some(sight)) => show(cx, stage, sight, stop)?,
            _ => cx.ui.data("That is none of them.\n")?,
        }
    }
}

fn show(cx: &Context, stage: &Stage, sight: &Sight, stop: &AtomicBool) -> Result<(), CommandError> {
    cx.ui.data(&format!("\n{}\n", cx.ui.paint(Paint::Cyan, &format!("$ {}", sight.command()))))?;
    let words: Vec<&str> = sight.words.iter().map(String::as_str).collect();
    match sight.program {
        Program::Sb => stage.show_sb(&words)?,
        Program::Git => cx.ui.data(&format!("{}\n", stage.git(&words)?))?,
    }
    // Ctrl-C was for what was shown.
    stop.store(false, Ordering::SeqCst);
    cx.ui.data("\n")
}
