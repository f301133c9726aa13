//! What agents may be called, and which tools their roles have.

use jiff::Timestamp;
use signalbox_core::agent::{Candidate, check_name};
use signalbox_core::{AgentId, Role, toolbox};

#[test]
fn a_name_means_one_agent_that_lives() {
    let agent = |number: u64, name: &str, lives: bool| Candidate {
        id: AgentId::from_random("claude", number),
        name: Some(name.to_owned()),
        lives,
        began: Timestamp::UNIX_EPOCH,
    };
    let agents = [agent(1, "ada", true), agent(2, "bob", false)];
    let code = |name: &str| check_name(name, &agents).err().map(|refusal| refusal.code);
    for (name, wanted) in [
        ("carol", None),
        ("bob", None),
        ("ada", Some("agent.name-taken")),
        ("ADA", Some("agent.name-taken")),
        (agents[0].id.as_str(), Some("agent.name-taken")),
        ("", Some("agent.name")),
        ("-x", Some("agent.name")),
        ("a b", Some("agent.name")),
    ] {
        assert_eq!(code(name), wanted, "{name:?}");
    }
}

#[test]
fn a_tool_that_a_role_lacks_is_refused_with_what_to_do_instead() {
    let approve =
        toolbox::TOOLBOX.iter().find(|tool| tool.is_for(Role::Reviewer) && !tool.is_for(Role::Doer)).unwrap();
    assert!(approve.allow(Role::Reviewer).is_ok());
    let refusal = approve.allow(Role::Doer).unwrap_err();
    assert_eq!(refusal.code, "role.tool");
    assert!(refusal.hint.is_some_and(|hint| !hint.is_empty()));
}
