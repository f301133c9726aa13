//! Two windows of one human.

use crate::support::{env, json};

/// Each terminal has its own current ticket.
#[test]
fn the_current_ticket_is_the_terminals() {
    let env = env();
    let (a, b) = (env.new_ticket("A"), env.new_ticket("B"));
    let (mut left, mut right) = (env.terminal("left"), env.terminal("right"));
    left.sb(["pick", &a]).success();
    right.sb(["pick", &b]).success();
    left.sb(["note", "from the left"]).success().says(&a);
    right.sb(["note", "from the right"]).success().says(&b);
    left.sb(["status"]).success().says(&a);
    assert_eq!(json(&right.sb(["context", "--json"]).success())["ticket"], b.as_str());
    right.sb(["switch", &a]).success();
    right.sb(["clear"]).success();
    left.sb(["status"]).success().says(&a);
    // A third window has none, as two tickets are being worked on.
    env.terminal("third").sb(["show"]).code(4).says("you have no current ticket");
    // Both are the same human.
    right.sb(["submit", &a, "-m", "done"]).success();
    left.sb(["approve"]).success();
    assert_eq!(json(&env.sb(["show", &a, "--json"]).success())["status"], "done");
}

/// A command below a terminal is still of that terminal, and an agent has its own.
#[test]
fn a_script_is_of_its_terminal() {
    let env = env();
    let (a, b) = (env.new_ticket("A"), env.new_ticket("B"));
    let mut left = env.terminal("left");
    left.sb(["switch", &a]).success();
    left.run("bash -c 'sb status; true'").success().says(&a);
    left.run("setsid -w sb show").code(4);
    let mut ada = env.agent("ada");
    ada.sb(["switch", &b]).success();
    ada.run("setsid -w sb status").success().says(&b);
    left.sb(["status"]).success().says(&a);
}

/// Where the terminal's leader cannot be seen, as in a container entered from outside, one desk serves all, and
/// nobody takes it for the desk of a terminal that is gone.
#[test]
fn a_terminal_that_cannot_be_seen() {
    let env = env();
    let unseen = "unshare --pid --fork --mount-proc";
    if env.bash(&format!("{unseen} true")).code != Some(0) {
        eprintln!("SKIPPED: this user may not make a namespace");
        return;
    }
    let (a, b) = (env.new_ticket("A"), env.new_ticket("B"));
    env.bash(&format!("{unseen} sb switch {a}")).success();
    env.bash(&format!("{unseen} sb switch {b}")).success();
    env.bash(&format!("{unseen} sb status")).success().says(&b);
    env.bash(&format!("{unseen} sb doctor")).success().says("All is well.");
}
