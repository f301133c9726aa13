//! The arguments that start a CLI, on the real ones.

use signalbox_drivers::find;
use signalbox_drivers::launch::Prompt;
use signalbox_testkit::clis::{Cli, Place, Size, skip_without};
use signalbox_testkit::model::{Model, Turn};

use crate::stage::Scene;

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// Two prompts, the second of which goes on with the conversation of the first. The first looks like an option.
fn goes_on(name: &'static str, cli: fn(&Place, &Model) -> Cli, more: &[&str]) {
    if skip_without(name) {
        return;
    }
    let scene = Scene::new(name, "launch", Size::WIDE);
    let launch = &find(name).expect("a driver").launch;
    let model = Model::start([Turn::say("one"), Turn::say("two")]);
    let cli = cli(&scene.place(), &model);
    let mut words = (launch.headless)(&Prompt { text: "--first words", resume: None, json: true });
    if let Some(name) = launch.name_session {
        words.splice(0..0, name(SESSION));
    }
    // Options of `codex exec` come after its name.
    words.splice(1..1, more.iter().map(|word| (*word).to_owned()));
    let first = cli.run(&words).success();
    let session = match (launch.name_session, name) {
        (Some(_), _) => SESSION.to_owned(),
        (None, "goose") => {
            let list = cli.run(["session", "list", "--format", "json"]).success();
            after(&list.stdout, "\"id\":\"")
        }
        (None, _) => after(&first.stdout, "\"thread_id\":\""),
    };
    let mut words = (launch.headless)(&Prompt { text: "second words", resume: Some(&session), json: false });
    words.splice(1..1, more.iter().map(|word| (*word).to_owned()));
    cli.run(&words).success();
    let last = model.conversation().last().expect("a request").to_string();
    assert!(last.contains("--first words") && last.contains("second words"), "{last}");
}

fn after(text: &str, mark: &str) -> String {
    let rest = text.split_once(mark).expect("the mark").1;
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn claude_goes_on() {
    goes_on("claude", Cli::claude, &[]);
}

#[test]
fn codex_goes_on() {
    goes_on("codex", Cli::codex, &["--skip-git-repo-check"]);
}

#[test]
fn gemini_goes_on() {
    goes_on("gemini", Cli::gemini, &[]);
}

#[test]
fn goose_goes_on() {
    goes_on("goose", Cli::goose, &[]);
}

#[test]
fn copilot_goes_on() {
    goes_on("copilot", Cli::copilot, &[]);
}
