//! `sb mcp` where `sb mcp install` puts it: each CLI starts it, the model gets its tools, and who calls is known.

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;

use crate::NOTHING;
use crate::support::{BYPASS, Scene};

/// The model picks a ticket by the tool that has this name in the CLI.
#[track_caller]
fn picks(scene: &Scene, tool: &'static str, arguments: &[&str]) {
    scene.env.sb(["mcp", "install", "--cli", scene.cli, "--yes"]).success().says("is installed.");
    let ticket = scene.env.new_ticket("Limit logins");
    let results = scene.calls(&[(tool, json!({ "id": ticket }))], arguments);
    assert!(!results[0].is_error && results[0].text.contains("Limit logins"), "{results:#?}");
    assert_eq!(scene.status(&ticket), "in-progress");
    let (picked, started) = (scene.events("status.in-progress"), scene.events("session.started"));
    let session = |events: &[Value]| events[0]["session"].clone();
    assert_eq!((picked.len(), session(&picked)), (1, session(&started)), "{picked:#?}");
    scene.env.sb(["mcp", "uninstall", "--cli", scene.cli, "--yes"]).success().says("is taken out.");
}

#[test]
fn claude_picks_a_ticket_by_the_tool() {
    if !skip_without("claude") {
        picks(&Scene::claude(""), "mcp__signalbox__pick_ticket", &BYPASS);
    }
}

#[test]
fn codex_picks_a_ticket_by_the_tool() {
    if !skip_without("codex") {
        picks(&Scene::codex(""), "pick_ticket", &NOTHING);
    }
}

#[test]
fn gemini_picks_a_ticket_by_the_tool() {
    if !skip_without("gemini") {
        picks(&Scene::gemini(""), "mcp_signalbox_pick_ticket", &NOTHING);
    }
}

#[test]
fn goose_picks_a_ticket_by_the_tool() {
    if !skip_without("goose") {
        picks(&Scene::goose(""), "signalbox__pick_ticket", &NOTHING);
    }
}

#[test]
fn copilot_picks_a_ticket_by_the_tool() {
    if !skip_without("copilot") {
        picks(&Scene::copilot(""), "signalbox-pick_ticket", &NOTHING);
    }
}
