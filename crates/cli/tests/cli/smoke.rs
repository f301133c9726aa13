//! The way of one ticket through a human and two agents.

use crate::env;

#[test]
fn a_ticket_goes_from_filed_to_done() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    let mut ada = env.agent("ada");
    let mut bowie = env.agent("bowie");
    ada.sb(["pick", &id]).success();
    bowie.sb(["pick", &id]).code(4);
    ada.sb(["submit"]).code(4);
    ada.sb(["submit", "-m", "done"]).success();
    let refused = ada.sb(["approve", &id]).code(4);
    assert!(refused.stderr.contains("this session worked on it"), "{refused}");
    bowie.sb(["review", &id]).success();
    bowie.sb(["approve", &id]).success();
    let shown = env.sb(["show", &id, "--json"]).success();
    assert!(shown.stdout.contains("\"status\":\"done\""), "{shown}");
    env.sb(["doctor"]).success();
}
