//! What hooks add to a tool call in the real Claude Code, on a scripted model: ours against ones that do nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;
use signalbox_testkit::clis::{Cli, Place};
use signalbox_testkit::model::{Model, Part, Turn};

use super::measure::Timing;
use super::report::{Goal, Limit, Section, timing_row};
use super::{Bench, progress, skipped, start};
use crate::{Result, clis};

/// Tool calls in one conversation, and conversations of each kind.
const CALLS: usize = 40;
const ROUNDS: usize = 5;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = "claude: one tool call in the real Claude Code";
    let mut section = Section::new(title, &["hooks", "n", "p50", "p95", "x none"]);
    let Some(floor) = start::floor(bench)? else {
        skipped(&mut section, "there is no program that does nothing, for want of a C compiler");
        return Ok(section);
    };
    let folder = match clis::install() {
        Ok(installed) => installed.folder,
        Err(why) => {
            skipped(&mut section, &format!("Claude Code could not be installed: {why}"));
            return Ok(section);
        }
    };
    let scene = Scene::new(&bench.sb, folder)?;
    let ours = scene.installed()?;
    let kinds = [("none", json!({})), ("that do nothing", idle(&ours, &floor)), ("of Signalbox", ours)];
    let mut times = [const { Vec::new() }; 3];
    for round in 0..=ROUNDS {
        for ((name, settings), times) in kinds.iter().zip(&mut times) {
            progress(&format!("claude: {CALLS} calls with hooks {name}, round {round} of {ROUNDS}"));
            let measured = scene.talk(settings)?;
            // The first conversation of each kind fills the caches.
            if round > 0 {
                times.extend(measured);
            }
        }
    }
    let timings: Vec<Timing> =
        kinds.iter().zip(times).map(|((name, _), times)| Timing::new((*name).to_owned(), times)).collect();
    let [none, idle, ours] = timings.as_slice() else { return Err("a kind is missing".into()) };
    for timing in [none, idle, ours] {
        section.rows.push(timing_row(timing, Some(none)));
    }
    let added = |timing: &Timing| timing.p50().saturating_sub(none.p50()).as_secs_f64();
    section.goals.push(Goal::new(
        "time added to a call of Claude Code, to hooks that do nothing",
        Some(added(ours) / added(idle)),
        Limit::AtMost(1.3),
    ));
    Ok(section)
}

/// The same hooks, each of them a program that does nothing, started directly.
fn idle(ours: &Value, floor: &Path) -> Value {
    let mut settings = ours.clone();
    let events = settings["hooks"].as_object_mut().into_iter().flat_map(|events| events.values_mut());
    let groups = events.filter_map(Value::as_array_mut).flatten();
    for handler in groups.filter_map(|group| group["hooks"].as_array_mut()).flatten() {
        handler["command"] = json!(floor);
        handler["args"] = json!([]);
    }
    settings
}

/// A project in which Claude Code is told to run the same command again and again.
struct Scene {
    env: TestEnv,
    clis: PathBuf,
}

impl Scene {
    fn new(sb: &Path, clis: PathBuf) -> Result<Self> {
        let scene = Self { env: TestEnv::new(sb), clis };
        let _ = scene.env.bash("git init -q .").success();
        Ok(scene)
    }

    fn settings(&self) -> PathBuf {
        self.env.project().join(".claude/settings.local.json")
    }

    /// The settings as `sb hooks install` writes them.
    fn installed(&self) -> Result<Value> {
        let install = ["hooks", "install", "--cli", "claude", "--scope", "project", "--yes"];
        let _ = self.env.sb(install).success();
        Ok(serde_json::from_slice(&std::fs::read(self.settings())?)?)
    }

    /// How long each call took, from one request to the model to the next.
    fn talk(&self, settings: &Value) -> Result<Vec<Duration>> {
        crate::run::write(&self.settings(), settings.to_string())?;
        let call = |_| Turn::call("Bash", json!({ "command": "true", "description": "Nothing" }));
        let turns: Vec<Turn> = (0..CALLS).map(call).chain([Turn::say("done")]).collect();
        let model = Model::start(turns);
        let place = Place::of(&self.env).with_clis(&self.clis);
        let run = Cli::claude(&place, &model).prompt("Go", ["--permission-mode", "bypassPermissions"]);
        let _ = run.success();
        let requests = model.requests();
        let main: Vec<_> = requests.iter().filter(|request| request.part == Part::Main).collect();
        let times: Vec<Duration> = main
            .windows(2)
            .filter_map(|pair| Some(pair.last()?.at.duration_since(pair.first()?.at)))
            .collect();
        if times.len() < CALLS {
            return Err(format!("Claude Code made {} calls of {CALLS}", times.len()).into());
        }
        Ok(times)
    }
}
