//! What the real CLIs write down of their usage. The scripted model says 100 tokens in, 30 of them from a cache (with
//! Anthropic's: beside them, and 7 put into it), and 20 out.

use std::path::{Path, PathBuf};

use signalbox_drivers::find;
use signalbox_drivers::launch::Prompt;
use signalbox_drivers::usage::{Count, Usage};
use signalbox_testkit::clis::{Cli, Place, Size, skip_without};
use signalbox_testkit::model::{Model, Turn};

use crate::stage::Scene;

/// Everything that is counted in any file below the CLI's folder, after one prompt with one answer.
fn counted(name: &'static str, cli: fn(&Place, &Model) -> Cli) -> Vec<Count> {
    let scene = Scene::new(name, "usage", Size::WIDE);
    let driver = find(name).expect("a driver");
    let model = Model::start([Turn::say("one")]);
    let mut words = (driver.launch.headless)(&Prompt { text: "words", resume: None, json: true });
    if name == "codex" {
        words.insert(1, "--skip-git-repo-check".to_owned());
    }
    cli(&scene.place(), &model).run(&words).success();
    let reports = driver.usage.as_ref().expect("reports");
    let folder = scene.home().join(driver.launch.config.folder);
    let texts = files(&folder).into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    texts.flat_map(|text| text.lines().filter_map(reports.line).collect::<Vec<_>>()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.filter(|path| !path.is_symlink()).flat_map(inside).collect()
}

#[track_caller]
fn is_one_call(counts: &[Count], input: u64) {
    let [Count::Call { usage, .. }] = counts else { panic!("{counts:?}") };
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (input, 30, 20));
    assert!(usage.model.is_some());
}

#[test]
fn claude_counts() {
    if !skip_without("claude") {
        is_one_call(&counted("claude", Cli::claude), 107);
    }
}

#[test]
fn codex_counts() {
    if !skip_without("codex") {
        let total = Usage { input_tokens: 70, cached_tokens: 30, output_tokens: 20, ..Usage::default() };
        assert_eq!(counted("codex", Cli::codex), [Count::Total(total)]);
    }
}

#[test]
fn gemini_counts() {
    if !skip_without("gemini") {
        is_one_call(&counted("gemini", Cli::gemini), 70);
    }
}

#[test]
fn copilot_counts() {
    if !skip_without("copilot") {
        is_one_call(&counted("copilot", Cli::copilot), 107);
    }
}
