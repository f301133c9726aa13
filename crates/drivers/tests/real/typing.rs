//! Putting a text into the input box of a real CLI: it is shown, it can be taken out again, and it arrives whole.

use std::time::Instant;

use signalbox_drivers::find;
use signalbox_drivers::terminal::{Echo, InputBox, Reading, Sight};
use signalbox_testkit::clis::{Cli, Place, Size, skip_without};
use signalbox_testkit::model::{Model, Turn};

use crate::stage::{PATIENCE, Scene, Stage, lines};

#[track_caller]
fn wait_until(stage: &mut Stage, what: &str, read: fn(&Sight) -> Reading, is_so: impl Fn(&InputBox) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so(&read(&stage.sight()).input) {
        assert!(Instant::now() < end, "waited for {what}:\n{}", stage.sight());
        stage.settle();
    }
}

fn types(name: &'static str, cli: fn(&Place, &Model) -> Cli) {
    if skip_without(name) {
        return;
    }
    let terminal = &find(name).expect("a driver").terminal;
    let scene = Scene::new(name, "type", Size { columns: 80, rows: 24 });
    let mut stage = scene.open(cli, [Turn::say("the answer")], terminal_words(name));
    let texts = [
        "one line".to_owned(),
        "--looks like an option, 日本語 ünïcödé 👍".to_owned(),
        lines(2),
        "a line that is longer than a row ".repeat(9).trim_end().to_owned(),
        lines(40),
    ];
    for text in &texts {
        wait_until(&mut stage, "an empty box", terminal.read, |input| *input == InputBox::Empty);
        stage.paste(text);
        let is_shown = |input: &InputBox| match terminal.echo(input, text) {
            Echo::Whole | Echo::Collapsed => true,
            Echo::End | Echo::Partly => text.lines().count() > 10,
            Echo::Behind | Echo::Other => false,
        };
        wait_until(&mut stage, text, terminal.read, is_shown);
        let keys = (terminal.withdraw)(text);
        stage.slowly(&String::from_utf8(keys).expect("keys"));
    }
    wait_until(&mut stage, "an empty box", terminal.read, |input| *input == InputBox::Empty);
    let text = lines(40);
    stage.paste(&text).slowly(terminal.submit);
    assert!(stage.model.sees(&text, PATIENCE), "it did not arrive whole:\n{}", stage.sight());
}

/// What starts a CLI in a terminal.
fn terminal_words(name: &str) -> &'static [&'static str] {
    find(name).expect("a driver").launch.interactive
}

#[test]
fn goose_is_typed_into() {
    types("goose", Cli::goose);
}

#[test]
fn claude_is_typed_into() {
    types("claude", Cli::claude);
}

#[test]
fn codex_is_typed_into() {
    types("codex", Cli::codex);
}

#[test]
fn gemini_is_typed_into() {
    types("gemini", Cli::gemini);
}

#[test]
fn copilot_is_typed_into() {
    types("copilot", Cli::copilot);
}
