//! What a person sees and does: board, tickets, decisions, controls, and the way in.

use serde_json::json;

use crate::kit::World;

#[test]
fn the_board_follows_and_moves() {
    let Some(world) = World::new() else { return };
    world.play("board", json!({}));
}

#[test]
fn a_ticket_is_read_ticked_reviewed_held_and_given() {
    let Some(world) = World::new() else { return };
    let env = &world.env;
    let mut ada = env.agent("Ada");
    let base = env.new_ticket("What the others wait for");
    let mut handed_in = |title: &str| {
        let words = [
            "new",
            title,
            "-b",
            "With **bold** words.",
            "--accept",
            "it is there",
            "--accept",
            "it is right",
        ];
        let id = env.sb(words).success().stdout.trim().to_owned();
        ada.sb(["pick", &id]).success();
        ada.sb(["submit", "-m", "it is done"]).success();
        id
    };
    let (waiting, sent) = (handed_in("Limit logins"), handed_in("Paint the shed"));
    env.sb(["edit", &base, "--depends-on", &waiting]).success();
    let free = env.new_ticket("Nobody has it");
    world.play("ticket", json!({ "waiting": waiting, "sent": sent, "free": free }));
}

#[test]
fn questions_are_answered_by_a_click_and_in_words() {
    let Some(world) = World::new() else { return };
    let ticket = world.env.new_ticket("Paint the shed");
    let ask = |question: &str, options: &[&str], on_ticket: bool| {
        let mut words = vec!["esc", "draft", "--json", question];
        for option in options {
            words.extend(["-o", option]);
        }
        if on_ticket {
            words.extend(["--ticket", &ticket]);
        }
        let said = world.env.sb(words).success().stdout;
        let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        said["id"].as_str().expect("an id").to_owned()
    };
    let mut decisions = vec![
        ask("Which colour?", &["Red", "Green"], false),
        ask("May we keep the address?", &[], false),
        ask("How large is it?", &["Small"], true),
        ask("Who brings the cake?", &[], false),
    ];
    for id in &decisions {
        world.env.sb(["esc", "promote", id]).success();
    }
    decisions.push(ask("Shall we go on?", &["Sure"], false));
    world.play("decisions", json!({ "decisions": decisions, "ticket": ticket }));
}

#[test]
fn the_controls_control_and_two_browsers_agree() {
    let Some(world) = World::new() else { return };
    world.play("controls", json!({}));
}

#[test]
fn a_link_works_once_and_strangers_are_told_what_to_do() {
    let Some(mut world) = World::new() else { return };
    // Nobody opens it in time: it is not kept over a restart.
    let said = world.env.sb(["web", "--json"]).success().stdout;
    let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    world.start_daemon();
    world.play("doors", json!({ "old": said["link"] }));
}

#[test]
fn a_ticket_that_goes_away_under_an_open_page_is_told_of() {
    let Some(world) = World::new() else { return };
    let other = world.env.new_ticket("Buy paint");
    let ticket = world.env.new_ticket("Paint the shed");
    let file = world.env.ticket_file(&ticket);
    world.play("going_away", json!({ "ticket": ticket, "file": file, "other": other }));
}

#[test]
fn a_server_that_comes_back_loses_and_doubles_no_event() {
    let Some(world) = World::new() else { return };
    world.play("coming_back", json!({}));
}
