//! `sb mcp` as the official MCP client sees it.

use serde_json::{Value, json};
use signalbox_core::Role;
use signalbox_core::toolbox::TOOLBOX;
use signalbox_testkit::clis::{node, package, skip_without};
use signalbox_testkit::{TestEnv, quote};

use crate::mcp_every_tool::{Daemon, doers, reviewers};
use crate::support::text;

const SDK: &str = "@modelcontextprotocol/sdk";

/// What the client got, run by a session in an agent of this role.
#[track_caller]
fn client(env: &TestEnv, role: Role, calls: &[(&str, Value)]) -> Value {
    let script = env.root().join("client.mjs");
    env.write(&script, include_str!("mcp_client.mjs"));
    let (asked, said) = (env.root().join(format!("{role}.ask")), env.root().join(format!("{role}.said")));
    env.write(&asked, json!(calls).to_string());
    let sdk = package(SDK).expect("the SDK").canonicalize().expect("its folder");
    let words: Vec<String> = [&node(), &script, &sdk, &asked].iter().map(|path| quote(text(path))).collect();
    let line = format!(
        "printf '{{\"session_id\":\"{role}\",\"cwd\":\"%s\",\"source\":\"startup\"}}' \"$PWD\" \
         | sb hook session-start >/dev/null; {} >{} 2>&1",
        words.join(" "),
        quote(text(&said))
    );
    let name = role.as_str();
    let _ = env.sb(["agent", "--headless", "--name", name, "--role", name, "--", "bash", "-c", &line]);
    let said = env.read(&said);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn the_official_client_calls_every_tool() {
    if skip_without(SDK) {
        return;
    }
    let env = TestEnv::new(env!("CARGO_BIN_EXE_sb"));
    let _daemon = Daemon::start(&env);
    let (one, other) = (env.new_ticket("Limit logins"), env.new_ticket("Say why"));
    let (doers, reviewers) = (doers(&one, &other), reviewers(&one, &other));
    for tool in TOOLBOX {
        assert!(
            doers.iter().chain(&reviewers).any(|(name, _)| *name == tool.name),
            "{} is not tried",
            tool.name
        );
    }
    for (role, calls) in [(Role::Doer, doers), (Role::Reviewer, reviewers)] {
        let got = client(&env, role, &calls);
        assert_eq!(got["server"]["name"], "signalbox", "{got:#}");
        assert_eq!(got["capabilities"]["tools"]["listChanged"], true, "{got:#}");
        assert!(
            got["instructions"].as_str().is_some_and(|text| text.contains("Begin with `context`")),
            "{got:#}"
        );
        let has: Vec<&str> = TOOLBOX.iter().filter(|tool| tool.is_for(role)).map(|tool| tool.name).collect();
        assert_eq!(got["tools"], json!(has), "{role}");
        for ((name, _), result) in calls.iter().zip(got["results"].as_array().expect("results")) {
            // A program that is no agent CLI does not tell what it uses.
            let fails = !has.contains(name) || *name == "get_usage";
            assert_eq!(result["isError"], fails, "{role} {name}: {result:#}");
            assert_eq!(result["fault"], Value::Null, "{role} {name}: {result:#}");
            if !has.contains(name) {
                let text = result["text"].as_str().unwrap_or_default();
                assert!(
                    text.contains(&format!("this session is {}, and `{name}` is for", role.with_article())),
                    "{text}"
                );
            }
        }
    }
    let unknown = client(&env, Role::Lead, &[("rm_rf", json!({})), ("context", json!({ "agent_id": "x" }))]);
    assert_eq!(unknown["results"][0]["isError"], true, "{unknown:#}");
    assert_eq!(unknown["results"][1]["text"], "context takes no `agent_id`; it takes: nothing");
}
