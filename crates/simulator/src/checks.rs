//! Whether tests are red, and whether everything has settled.

use std::collections::BTreeMap;

use signalbox_core::Role;
use signalbox_core::landing::{self, Author, Changed};
use signalbox_core::orchestra::{Plan, ReviewedBy, Why};

use crate::world::World;

/// The tests in what a test-writer handed in, if they fail and there is nothing else in it.
pub fn red(world: &mut World, commit: &str) -> Result<Vec<String>, String> {
    let main = world.git.main.clone();
    let base = world.git.merge_base(&main, commit).ok_or("it does not come from main")?;
    let changes = world.git.changes(&base, commit);
    if changes.is_empty() {
        return Err("there is no test in what was handed in".to_owned());
    }
    let changed: Vec<Changed> = changes
        .iter()
        .map(|(path, content)| Changed { path: path.clone(), content: content.clone() })
        .collect();
    let author = Author::Agent(Role::TestWriter);
    landing::check(&changed, author, &world.policy, &BTreeMap::new())
        .map_err(|objection| objection.message)?;
    if !world.validates(&base) {
        return Err("the tests fail without the new ones already".to_owned());
    }
    if world.validates(commit) {
        return Err("the new tests pass already".to_owned());
    }
    Ok(changes.into_keys().collect())
}

/// Whether every ticket is done, or a person's.
pub fn is_settled(world: &World, plan: &Plan) -> bool {
    world.alive().is_empty() && plan.why.values().all(is_persons)
}

pub fn is_persons(why: &Why) -> bool {
    match why {
        Why::Unreviewed { by } => *by == ReviewedBy::Human,
        _ => matches!(
            why.code(),
            "done" | "backlog" | "held" | "waits" | "escalated" | "somebodys" | "by-hand" | "being-reviewed"
        ),
    }
}
