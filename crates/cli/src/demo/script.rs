//! What the demo's agents do: the scenes in `data/scenes`, turned into a script for the puppet.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_desk::error::{CommandError, Kind};

use super::repository;

/// The scenes of each ticket, by its key in the plan.
const SCENES: &[(&str, &str)] = &[
    ("total", include_str!("data/scenes/total.toml")),
    ("hours", include_str!("data/scenes/hours.toml")),
    ("returns", include_str!("data/scenes/returns.toml")),
    ("goodbye", include_str!("data/scenes/goodbye.toml")),
    ("tax", include_str!("data/scenes/tax.toml")),
    ("discount", include_str!("data/scenes/discount.toml")),
    ("receipt", include_str!("data/scenes/receipt.toml")),
    ("handbook", include_str!("data/scenes/handbook.toml")),
];

/// How long a tool seems to take where somebody watches, in milliseconds.
const TOOL: u64 = 250;
/// How long an agent stays when it has done its work.
const LAST_LOOK: u64 = 400;

/// How quickly agents work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As somebody who watches can follow.
    Believable,
    AsFastAsItGoes,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenes {
    scenes: Vec<Scene>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    /// Words of the prompt that it is for. The first that fits is played.
    begins: String,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Say(String),
    /// Milliseconds.
    Think(u64),
    /// A line of shell; `{id}` is the ticket.
    Run(String),
    /// A file as it is on main in the end.
    Write(String),
    /// A file that will not stay so, and which draft it is.
    Draft(String, String),
    /// Commit everything, and submit it with these words.
    HandIn(String),
    /// Give the ticket back, and say why.
    GiveUp(String),
    Approve(String),
    Reject(String),
}

/// The script, for tickets with these ids.
pub fn script(ids: &BTreeMap<String, String>, pace: Pace) -> Result<Value, CommandError> {
    let mut prompts = Vec::new();
    for (key, text) in SCENES {
        let id = ids.get(*key).ok_or_else(|| broken(&format!("no ticket was filed for `{key}`")))?;
        for scene in read(key, text)? {
            let mut steps = Vec::new();
            for step in &scene.steps {
                steps.extend(played(step, id, pace)?);
            }
            if pace == Pace::Believable {
                steps.push(json!({ "think": LAST_LOOK }));
            }
            steps.push(json!("exit"));
            prompts.push(json!({ "match": scene.begins, "steps": steps }));
        }
    }
    let otherwise = json!([{ "say": "Nobody told me what to do here." }, { "crash": 3 }]);
    Ok(json!({ "prompts": prompts, "otherwise": otherwise }))
}

fn read(key: &str, text: &str) -> Result<Vec<Scene>, CommandError> {
    let scenes: Scenes =
        toml::from_str(text).map_err(|error| broken(&format!("the scenes of `{key}`: {error}")))?;
    Ok(scenes.scenes)
}

fn played(step: &Step, id: &str, pace: Pace) -> Result<Vec<Value>, CommandError> {
    let time = if pace == Pace::Believable { TOOL } else { 0 };
    let run = |line: &str| json!({ "tool": { "input": { "command": line }, "run": true, "ms": time } });
    let write = |path: &str, content: &str| {
        let input = json!({ "file_path": path, "content": content });
        json!({ "tool": { "name": "Write", "input": input, "run": true, "ms": time } })
    };
    Ok(match step {
        Step::Say(words) => vec![json!({ "say": words })],
        Step::Think(_) if pace == Pace::AsFastAsItGoes => Vec::new(),
        Step::Think(ms) => vec![json!({ "think": ms })],
        Step::Run(line) => vec![run(&line.replace("{id}", id))],
        Step::Write(path) => vec![write(path, repository::on_main(path).ok_or_else(|| no_file(path))?)],
        Step::Draft(path, draft) => {
            vec![write(path, repository::draft(draft).ok_or_else(|| no_file(draft))?)]
        }
        Step::HandIn(words) => vec![
            run(&format!("git add -A && git commit -q -m {}", quoted(words))),
            run(&format!("sb submit -m {}", quoted(words))),
        ],
        Step::GiveUp(why) => {
            let why = quoted(why);
            vec![run(&format!("sb release --outcome failed --summary {why} --blockers {why}"))]
        }
        Step::Approve(words) => {
            vec![run(&format!("sb review {id}")), run(&format!("sb approve {id} -m {}", quoted(words)))]
        }
        Step::Reject(why) => {
            vec![run(&format!("sb review {id}")), run(&format!("sb reject {id} {}", quoted(why)))]
        }
    })
}

/// One word for a shell.
fn quoted(words: &str) -> String {
    format!("'{}'", words.replace('\'', r"'\''"))
}

fn no_file(path: &str) -> CommandError {
    broken(&format!("no file {path} belongs to it"))
}

fn broken(what: &str) -> CommandError {
    CommandError::new(Kind::Failure, "demo.script", format!("the demo's script is wrong: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::plan;

    fn ids() -> BTreeMap<String, String> {
        SCENES.iter().map(|(key, _)| ((*key).to_owned(), format!("sb_{key}"))).collect()
    }

    #[test]
    fn every_ticket_has_a_scene_for_each_who_works_on_it() {
        let plan = plan::plan().unwrap();
        assert_eq!(plan.tickets.len(), SCENES.len());
        for ticket in &plan.tickets {
            let (_, text) = SCENES.iter().find(|(key, _)| *key == ticket.key).unwrap();
            let scenes = read(&ticket.key, text).unwrap();
            let mut roles = vec!["doer", "reviewer"];
            roles.extend(ticket.needs_tests.then_some("test-writer"));
            for role in roles {
                // One that fits any attempt, so that nobody is ever left without a word.
                let wanted = format!("{role} of {},", signalbox_store::plan::branch(ticket));
                assert!(scenes.iter().any(|scene| scene.begins == wanted), "{wanted}");
            }
        }
    }

    #[test]
    fn the_script_names_files_and_tickets_that_there_are() {
        for pace in [Pace::Believable, Pace::AsFastAsItGoes] {
            let script = script(&ids(), pace).unwrap().to_string();
            assert!(script.contains("sb approve sb_total -m 'The sum is in lib"), "{script}");
            assert!(!script.contains("{id}"), "{script}");
            assert_eq!(script.contains("\"think\""), pace == Pace::Believable);
        }
    }

    #[test]
    fn words_with_quotes_stay_one_word() {
        assert_eq!(quoted("the owner's"), r"'the owner'\''s'");
    }
}
