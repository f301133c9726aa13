//! Who is asking: a minted capability, else what runs above, else the human. Never what a name says.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use signalbox_testkit::{Agent, Run, TestEnv};

use crate::support::{agent_program, env, in_review, json, status};

/// Who `sb` takes the asker for.
#[track_caller]
fn who(run: Run) -> (String, Value, Value) {
    let context = json(&run.success());
    (
        context["actor"].as_str().expect("an actor").to_owned(),
        context["session"].clone(),
        context["lineage"].clone(),
    )
}

/// Run `sb` with that capability in a process that no session is above of.
fn with_capability(env: &TestEnv, capability: &str, words: &[&str]) -> Run {
    let mut command = env.command();
    command.args(words).env("SIGNALBOX_SESSION", capability);
    env.run(command)
}

#[test]
fn nobody_in_particular_is_the_human() {
    let env = env();
    assert_eq!(who(env.sb(["context", "--json"])), ("human".into(), Value::Null, serde_json::json!([])));
    // An empty variable is no capability.
    assert_eq!(who(with_capability(&env, "", &["context", "--json"])).0, "human");
}

#[test]
fn a_capability_alone_is_enough() {
    let env = env();
    let mut ada = env.agent("ada");
    let capability = ada.capability();
    assert!(capability.starts_with("ada.") && capability.len() > 40, "{capability}");
    assert_eq!(who(with_capability(&env, &capability, &["context", "--json"])).1, "ada");
    let id = env.new_ticket("One");
    with_capability(&env, &capability, &["pick", &id]).success();
    assert_eq!(json(&env.sb(["show", &id, "--json"]).success())["assignee"], "ada");
    with_capability(&env, &capability, &["close", &id]).code(4).says("only a human may");
}

#[test]
fn lineage_alone_is_enough() {
    let env = env();
    let mut ada = env.agent("ada");
    for line in [
        "env -u SIGNALBOX_SESSION sb context --json",
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" SIGNALBOX_HOME=\"$SIGNALBOX_HOME\" sb context --json",
        "SIGNALBOX_SESSION= sb context --json",
        "env -u SIGNALBOX_SESSION bash -c 'bash -c \"sb context --json; true\"; true'",
        "env -u SIGNALBOX_SESSION setsid -w sb context --json",
        "env -u SIGNALBOX_SESSION nohup sb context --json",
    ] {
        assert_eq!(who(ada.run(line)).1, "ada", "{line}");
    }
}

#[test]
fn a_forged_capability_proves_nothing() {
    let env = env();
    let mut ada = env.agent("ada");
    let capability = ada.capability();
    let id = env.new_ticket("One");
    let mut wrong = capability.clone();
    let last = if wrong.ends_with('0') { "1" } else { "0" };
    wrong.replace_range(wrong.len() - 1.., last);
    let secret = capability.strip_prefix("ada.").expect("a secret");
    let forged = [
        wrong.clone(),
        format!("bowie.{secret}"),
        format!("../ada.{secret}"),
        "ada.".to_owned(),
        "ada".to_owned(),
        ".".to_owned(),
        "garbage \u{1b}[31m\u{7}".to_owned(),
        "x".repeat(10_000),
    ];
    for forged in &forged {
        for words in [
            &["pick", &id][..],
            &["close", &id],
            &["new", "x"],
            &["init", "."],
            &["doctor", "--fix"],
            &["config", "set", "vault", "/x"],
        ] {
            with_capability(&env, forged, words).code(4).says("was never minted or has ended");
        }
        let context = with_capability(&env, forged, &["context", "--json"]);
        assert_eq!(who(context).0, "unknown agent", "an unknown agent is still no human");
        with_capability(&env, forged, &["show", &id]).success();
    }
    assert_eq!(status(&env, &id), "open");
    // Ada's own processes are ada, whatever stands in the variable.
    ada.run(&format!("export SIGNALBOX_SESSION={}", signalbox_testkit::quote(&wrong))).success();
    assert_eq!(who(ada.sb(["context", "--json"])).1, "ada");
}

/// Where a variable and the processes disagree, the processes win: a variable can be copied.
#[test]
fn a_copied_capability_does_not_make_another_agent() {
    let env = env();
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    let id = in_review(&env, &mut bowie, "One");
    let capability = ada.capability();
    bowie.run(&format!("export SIGNALBOX_SESSION={capability}")).success();
    assert_eq!(who(bowie.sb(["context", "--json"])).1, "bowie");
    bowie.sb(["approve", &id]).code(4).says("bowie may not review");
    assert_eq!(status(&env, &id), "review");
}

/// The secret is handed over once and kept by nobody: what is kept is its hash.
#[test]
fn the_secret_is_not_kept() {
    let env = env();
    let mut ada = env.agent("ada");
    let capability = ada.capability();
    let secret = capability.strip_prefix("ada.").expect("a secret");
    for (path, bytes) in env.files_below(env.home()) {
        assert!(!bytes.windows(secret.len()).any(|w| w == secret.as_bytes()), "{}", path.display());
    }
    let mode = std::fs::metadata(env.root().join("ada.env")).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// A shell under the name of an agent CLI; it never called the hook.
fn fake_agent(env: &TestEnv, name: &str) -> Agent {
    Agent::program(env, name, &agent_program(env, "fakeagent"))
}

#[test]
fn an_agent_is_known_by_its_program() {
    let env = env();
    let mut fake = fake_agent(&env, "fake");
    let (actor, session, lineage) = who(fake.sb(["context", "--json"]));
    assert_eq!(actor, "fakeagent");
    let session = session.as_str().expect("a session").to_owned();
    assert!(session.starts_with(&format!("fakeagent.{}.", fake.pid())), "{session}");
    assert_eq!(lineage, serde_json::json!([]));
    let id = env.new_ticket("One");
    fake.sb(["close", &id]).code(4).says("only a human may");
    fake.sb(["pick", &id]).success();
    fake.sb(["submit", "-m", "done"]).success();
    fake.sb(["approve", &id]).code(4).says("this session worked on it");
    // It cannot be shed by a shell in between, and another process of that name is another agent.
    fake.run(&format!("bash -c 'sb approve {id}; exit $?'")).code(4);
    let mut other = fake_agent(&env, "other");
    other.sb(["approve", &id]).success();
    // With the hook it gets a session of its own, which descends from nobody.
    let mut third = fake_agent(&env, "third");
    third.start_session("third").success();
    assert_eq!(who(third.sb(["context", "--json"])), ("third".into(), "third".into(), serde_json::json!([])));
}

/// An agent that worked before it called the hook cannot leave that behind.
#[test]
fn a_session_descends_from_what_its_program_did() {
    let env = env();
    let mut fake = fake_agent(&env, "fake");
    let (_, before, _) = who(fake.sb(["context", "--json"]));
    let id = in_review(&env, &mut fake, "One");
    fake.start_session("clean").success();
    assert_eq!(who(fake.sb(["context", "--json"])).2, serde_json::json!([before]));
    fake.sb(["approve", &id]).code(4).says("worked on it");
}

/// One program in several processes, one below the other, is one agent. With a shell in between it is two.
#[test]
fn an_agent_of_several_processes_is_one() {
    let env = env();
    let mut fake = fake_agent(&env, "fake");
    let (_, outer, _) = who(fake.sb(["context", "--json"]));
    let (_, inner, lineage) = who(fake.run("\"$HOME/fakeagent\" -c 'sb context --json; true'"));
    assert_eq!((&outer, lineage), (&inner, serde_json::json!([])));
    let (_, inner, lineage) =
        who(fake.run("bash -c '\"$HOME/fakeagent\" -c \"sb context --json; true\"; true'"));
    assert_ne!(outer, inner);
    assert_eq!(lineage, serde_json::json!([outer]));
}

/// A session started inside another one descends from it.
#[test]
fn a_child_session_knows_its_parent() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    env.write(
        env.root().join("child.sh"),
        "printf '{\"session_id\":\"%s\",\"cwd\":\"%s\"}' \"$1\" \"$PWD\" | sb hook session-start >/dev/null || exit\n\
         shift\n\"$@\"\n",
    );
    let (actor, session, lineage) = who(ada.run("bash ~/child.sh child sb context --json"));
    assert_eq!((actor.as_str(), session), ("child", "child".into()));
    assert_eq!(lineage, serde_json::json!(["ada"]));
    let (_, _, lineage) = who(ada.run("bash ~/child.sh child2 bash ~/child.sh grandchild sb context --json"));
    assert_eq!(lineage, serde_json::json!(["ada", "child2"]));
    ada.run(&format!("bash ~/child.sh reviewer sb approve {id}"))
        .code(4)
        .says("the session it was started from (ada) worked on it");
    ada.run(&format!("env -i PATH=\"$PATH\" HOME=\"$HOME\" SIGNALBOX_HOME=\"$SIGNALBOX_HOME\" bash ~/child.sh bare sb approve {id}"))
        .code(4)
        .says("the session it was started from (ada) worked on it");
    // Two children of one session are independent of each other: that is how a team reviews its tickets.
    let other = env.new_ticket("Other");
    ada.run(&format!("bash ~/child.sh worker bash -c 'sb pick {other} && sb submit {other} -m done'"))
        .success();
    ada.sb(["approve", &other]).code(4).says("a session it started (worker) worked on it");
    ada.run(&format!("bash ~/child.sh colleague sb approve {other}")).success();
}

/// A process outside the tree that shows the parent's capability is its child all the same.
#[test]
fn a_child_is_known_by_the_inherited_capability() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    let capability = ada.capability();
    let mut far = Agent::shell(&env, "far");
    far.run(&format!("export SIGNALBOX_SESSION={capability}")).success();
    far.start_session("far").success();
    assert_eq!(who(far.sb(["context", "--json"])).2, serde_json::json!(["ada"]));
    far.sb(["approve", &id]).code(4).says("the session it was started from (ada) worked on it");
}

/// A background service of a CLI stands above what another agent started: both count.
#[test]
fn a_child_descends_from_the_agent_above_and_from_the_one_that_started_it() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    let capability = ada.capability();
    let mut service = env.agent("service");
    let child = format!(
        "SIGNALBOX_SESSION={capability} bash --norc <<'END'\n\
         printf '{{\"session_id\":\"child\"}}' | sb hook session-start >/dev/null\n\
         sb context --json\nsb approve {id}\nexit 0\nEND"
    );
    let run = service.run(&child);
    assert!(run.stderr.contains("the session it was started from (ada) worked on it"), "{run}");
    let (_, session, lineage) = who(run);
    assert_eq!((session, lineage), ("child".into(), serde_json::json!(["ada", "service"])));
}

/// Whatever an agent calls itself by now: it must be that session still, or descend from it.
#[track_caller]
fn assert_is_still(agent: &mut Agent, name: &str) {
    let (_, session, lineage) = who(agent.sb(["context", "--json"]));
    let descends = lineage.as_array().is_some_and(|lineage| lineage.contains(&name.into()));
    assert!(session == name || descends, "{session} of {lineage} is no longer {name}");
}

#[test]
fn a_second_session_of_one_process_is_no_clean_name() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    ada.start_session("innocent").success();
    assert_is_still(&mut ada, "ada");
    ada.sb(["approve", &id]).code(4).says("worked on it");
    ada.run("env -u SIGNALBOX_SESSION sb context --json").success();
    ada.run(&format!("env -u SIGNALBOX_SESSION sb approve {id}")).code(4).says("worked on it");
    // Nor with the new capability in a process of another tree.
    let capability = ada.capability();
    with_capability(&env, &capability, &["approve", &id]).code(4).says("worked on it");
    // Nor with the first session's end in between, nor with a third one.
    let mut bowie = env.agent("bowie");
    let id = in_review(&env, &mut bowie, "Two");
    bowie.run("printf '{\"session_id\":\"bowie\"}' | sb hook session-end").success();
    bowie.sb(["approve", &id]).code(4).says("this session worked on it");
    bowie.run("unset SIGNALBOX_SESSION").success();
    bowie.sb(["approve", &id]).code(4).says("this session worked on it");
    for name in ["spotless", "immaculate"] {
        bowie.start_session(name).success();
        assert_is_still(&mut bowie, "bowie");
        bowie.sb(["approve", &id]).code(4).says("worked on it");
        let capability = bowie.capability();
        with_capability(&env, &capability, &["approve", &id]).code(4).says("worked on it");
    }
    assert_eq!(status(&env, &id), "review");
}

/// A session whose process is gone can be brought back, but not to be somebody else.
#[test]
fn a_borrowed_session_is_no_clean_name() {
    let env = env();
    drop(env.agent("ghost"));
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    ada.start_session("ghost").success();
    assert_is_still(&mut ada, "ada");
    ada.sb(["approve", &id]).code(4).says("worked on it");
    let capability = ada.capability();
    with_capability(&env, &capability, &["approve", &id]).code(4).says("worked on it");
    ada.run("printf '{\"session_id\":\"ada\"}' | sb hook session-end").success();
    ada.start_session("ghost").success();
    assert_is_still(&mut ada, "ada");
    ada.sb(["approve", &id]).code(4).says("worked on it");
    // Back to its own: still the one who worked on it.
    ada.start_session("ada").success();
    ada.sb(["approve", &id]).code(4).says("worked on it");
    assert_eq!(status(&env, &id), "review");
}

/// The log remembers whom a session descends from, also when its record is gone.
#[test]
fn a_forgotten_session_keeps_its_lineage() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    let capability = ada.capability();
    let mut child = Agent::shell(&env, "child");
    child.run(&format!("export SIGNALBOX_SESSION={capability}")).success();
    child.start_session("child").success();
    drop(child);
    env.sb(["doctor", "--fix"]).success().says("ended session child");
    let mut child = env.agent("child");
    assert_eq!(who(child.sb(["context", "--json"])).2, serde_json::json!(["ada"]));
    child.sb(["approve", &id]).code(4).says("(ada) worked on it");
}

/// A session that is resumed in a new process is the same session, and an ended one is nobody's capability.
#[test]
fn a_session_comes_back_as_itself() {
    let env = env();
    let mut ada = env.agent("ada");
    let first = ada.capability();
    let id = in_review(&env, &mut ada, "One");
    drop(ada);
    let mut again = env.agent("ada");
    assert_eq!(who(again.sb(["context", "--json"])).2, serde_json::json!([]));
    again.sb(["approve", &id]).code(4).says("this session worked on it");
    with_capability(&env, &first, &["pick", &id]).code(4).says("was never minted or has ended");
    let second = again.capability();
    again.run("printf '{\"session_id\":\"ada\",\"reason\":\"exit\"}' | sb hook session-end").success();
    with_capability(&env, &second, &["pick", &id]).code(4).says("was never minted or has ended");
    let ended = env.sb(["log", "--event", "session.ended", "--json"]).success();
    assert_eq!(json(&ended)["data"]["reason"], "exit");
}

#[test]
fn a_session_that_runs_cannot_be_taken_over_or_ended() {
    let env = env();
    let mut ada = env.agent("ada");
    let capability = ada.capability();
    let mut bowie = env.agent("bowie");
    let id = in_review(&env, &mut bowie, "One");
    bowie.start_session("ada").success();
    assert_is_still(&mut bowie, "bowie");
    bowie.sb(["approve", &id]).code(4).says("worked on it");
    bowie
        .run("printf '{\"session_id\":\"ada\"}' | sb hook session-end")
        .code(1)
        .says("only session ada itself");
    env.sb_with_input(["hook", "session-end"], "{\"session_id\":\"ada\"}").code(1);
    env.sb_with_input(["hook", "session-end"], "{\"session_id\":\"nobody\"}").success();
    // Whoever resumes it elsewhere while it runs is another one, and descends from it.
    let mut second = Agent::shell(&env, "second");
    second.start_session("ada").success();
    let (_, session, _) = who(second.sb(["context", "--json"]));
    assert_ne!(session, "ada");
    assert_is_still(&mut second, "ada");
    assert_eq!(who(ada.sb(["context", "--json"])).1, "ada");
    assert_eq!(who(with_capability(&env, &capability, &["context", "--json"])).1, "ada");
    assert_eq!(env.sb(["log", "--event", "session.ended"]).success().stdout, "");
}

/// No agent is recorded as the human or as Signalbox itself.
#[test]
fn no_agent_is_called_human() {
    let env = env();
    for name in ["human", "Human", "sb"] {
        let mut shell = Agent::shell(&env, name);
        shell.start_session(name).code(1).says("no session may be called");
        assert_eq!(who(shell.sb(["context", "--json"])).1, Value::Null);
    }
    assert_eq!(env.sb(["log", "--event", "session.*"]).success().stdout, "");
}

/// Identity does not come from the name of a process or a variable that looks like one of ours.
#[test]
fn names_are_not_identities() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    for line in [
        "USER=root LOGNAME=human SIGNALBOX_ACTOR=human sb",
        "bash -c 'exec -a human sb \"$@\"' x",
        "SIGNALBOX_HUMAN=1 sb",
    ] {
        ada.run(&format!("{line} approve {id}")).code(4).says("ada may not review");
        ada.run(&format!("{line} close {id}")).code(4).says("only a human may");
    }
}
