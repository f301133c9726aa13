//! Agents' terminals in the page: watched, typed in, taken over, recorded.

use serde_json::json;

use crate::kit::World;

#[test]
fn an_agent_is_watched_typed_to_taken_over_told_ended_and_played_again() {
    let Some(mut world) = World::new() else { return };
    let script = json!({ "otherwise": [{ "think": 200 }, { "say": "You said: {prompt}" }] });
    world.puppet("ada", &script, &[]);
    world.play("terminal", json!({}));
}
