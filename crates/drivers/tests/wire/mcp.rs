//! Our MCP server is put into configuration that holds anything, and taken out again without a trace.

use std::path::Path;

use proptest::prelude::*;
use signalbox_drivers::{DRIVERS, InstallError, Installed, Place, Roots, find};

const SB: &str = "/opt/signal box/sb";

fn place(cli: &str) -> Place {
    let roots = Roots { home: Some(Path::new("/home/dev")), ..Roots::default() };
    find(cli).unwrap().mcp_place(&roots).unwrap()
}

fn installed(program: &str) -> Installed {
    Installed::Ours { program: program.to_owned(), complete: true }
}

/// Puts it in, again, with another program, and takes it out.
#[track_caller]
fn there_and_back(cli: &str, before: &str) -> String {
    let place = place(cli);
    let after = place.install(Some(before), SB).unwrap_or_else(|wrong| panic!("{cli}: {wrong}\n{before:?}"));
    assert_eq!(place.status(Some(&after)).unwrap(), installed(SB), "{cli}\n{before}\n{after}");
    assert_eq!(place.install(Some(&after), SB).unwrap(), after, "twice is once");
    let moved = place.install(Some(&after), "/new/sb").unwrap();
    assert_eq!(place.status(Some(&moved)).unwrap(), installed("/new/sb"));
    assert_eq!(moved.replace("/new/sb", SB), after, "only the program changes");
    assert_eq!(place.uninstall(&after).unwrap().as_deref(), Some(before), "{cli}\n{after}");
    assert_eq!(place.uninstall(&moved).unwrap().as_deref(), Some(before), "{cli}\n{moved}");
    assert_eq!(place.uninstall(before).unwrap().as_deref(), Some(before), "nothing to take out");
    after
}

const JSON: &[&str] = &[
    "{}",
    "{ }\n",
    "{\n}\n",
    "{ // nothing\n}",
    "",
    "  \n",
    "// only a comment",
    "\u{feff}",
    "\u{feff}{\r\n\t\"model\": \"opus\"\r\n}\r\n",
    "{\"model\":\"opus\"}",
    "{\"model\":\"opus\",\"mcpServers\":{}}",
    "{ \"mcpServers\": {} }",
    "{\n  \"mcpServers\": {\n  }\n}\n",
    "{\n    \"mcpServers\": { },\n    \"model\": \"opus\",\n}\n",
    "{\n  // first\n  \"model\": \"opus\", // trailing\n  /* last */\n}",
    "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"sb\",\n      \"args\": [\"mcp\"]\n    }, // theirs\n  },\n  \"z\": [1e5, {\"signalbox\": 1}]\n}\n",
    "{\"mcpServers\":{\"other\":{\"url\":\"x\"}}}",
];

const TOML: &[&str] = &[
    "",
    "\n",
    "\n\n\n",
    "# only a comment",
    "model = \"gpt\"",
    "model = \"gpt\" # the best\n",
    "model = \"gpt\"\r\n\r\n[tui]\r\ntheme = \"x\"\r\n",
    "model = \"gpt\"\n\n\n",
    "[mcp_servers]\n",
    "[mcp_servers]\n# mine\n[mcp_servers.other]\ncommand = \"x\" # c\n\n[z]\na = [\n  1,\n]\n",
    "mcp_servers.other.command = \"x\"\n",
    "[mcp_servers]\nother = { command = \"x\" }\n",
    "[projects.\"/a b\"]\ntrust_level = \"trusted\"\n# the end",
];

const YAML: &[&str] = &[
    "",
    "\n",
    "# only a comment\n",
    "---\nGOOSE_MODEL: x\n",
    "GOOSE_MODEL: x",
    "GOOSE_MODEL: x # the best\r\nlist:\r\n- a\r\n",
    "extensions:\n  developer:\n    enabled: true\n    type: builtin\n",
    "extensions: # mine\n\n    # the first\n    developer:\n        args:\n        - a\n\n# the end\nz: |\n  extensions:\n    x: y",
    "a: b\nextensions:\r\n developer: {enabled: true}\r\n other:\r\n  x: 1",
];

#[test]
fn configuration_of_every_kind_comes_back() {
    for (clis, texts) in
        [(&["claude", "gemini", "copilot"][..], JSON), (&["codex"], TOML), (&["goose"], YAML)]
    {
        for cli in clis {
            for text in texts {
                there_and_back(cli, text);
            }
        }
    }
}

#[test]
fn a_file_of_our_own_is_removed() {
    for driver in DRIVERS {
        let place = place(driver.name);
        let made = place.install(None, SB).unwrap();
        assert_eq!(place.status(Some(&made)).unwrap(), installed(SB));
        assert_eq!(place.install(Some(&made), SB).unwrap(), made);
        assert_eq!(place.uninstall(&made).unwrap(), None, "{}", driver.name);
        let moved = place.install(Some(&made), "/new/sb").unwrap();
        assert_eq!(place.uninstall(&moved).unwrap(), None, "{}", driver.name);
        assert_eq!(place.status(None).unwrap(), Installed::Absent);
        assert_eq!(place.install(None, "sb").unwrap_err(), InstallError::Program("sb".to_owned()));
    }
}

#[test]
fn how_it_looks() {
    let mut all = Vec::new();
    for (cli, before) in [
        ("claude", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n"),
        ("codex", "model = \"gpt\" # the best\n"),
        ("gemini", "{\n  // mine\n  \"theme\": \"dark\"\n}\n"),
        ("copilot", "{\n  \"mcpServers\": {}\n}\n"),
        ("goose", "GOOSE_MODEL: x\nextensions:\n  developer:\n    enabled: true\n"),
    ] {
        let path = place(cli).path.display().to_string();
        all.push(format!("--- {path} (new)\n{}", place(cli).install(None, "/opt/sb").unwrap()));
        all.push(format!("--- {path}\n{}", place(cli).install(Some(before), "/opt/sb").unwrap()));
    }
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn where_it_is_written() {
    let roots = Roots { home: Some(Path::new("/h")), ..Roots::default() };
    let moved = Roots {
        claude_config_dir: Some(Path::new("/cl")),
        codex_home: Some(Path::new("/co")),
        copilot_home: Some(Path::new("/cp")),
        gemini_folder: Some(Path::new("/gm/.gemini")),
        config_home: Some(Path::new("/xdg")),
        ..roots
    };
    let path = |driver: &signalbox_drivers::Driver, roots| driver.mcp_place(roots).unwrap().path;
    let rows = DRIVERS.iter().map(|driver| {
        let (usual, moved) = (path(driver, &roots), path(driver, &moved));
        format!("{} {} {}", driver.name, usual.display(), moved.display())
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @"
    claude /h/.claude.json /cl/.claude.json
    codex /h/.codex/config.toml /co/config.toml
    gemini /h/.gemini/settings.json /gm/.gemini/settings.json
    copilot /h/.copilot/mcp-config.json /cp/mcp-config.json
    goose /h/.config/goose/config.yaml /xdg/goose/config.yaml
    ");
}

/// What a person, or the CLI itself, wrote into our entry stays until the entry goes.
#[test]
fn what_was_added_to_our_entry_stays() {
    let claude = r#"{"mcpServers": {"signalbox": {"env": {"A": "1"}, "args": ["mcp"], "command": "/old/sb"}}, "z": 1}"#;
    let after = place("claude").install(Some(claude), SB).unwrap();
    assert_eq!(after, claude.replace("/old/sb", SB));
    assert_eq!(place("claude").uninstall(claude).unwrap().unwrap(), r#"{ "z": 1}"#);
    let codex = "[mcp_servers.signalbox]\n# mine\ncommand = '/old/sb' # here\nargs = [\"mcp\"]\nenabled = false\n\n[z]\na = 1\n";
    let after = place("codex").install(Some(codex), SB).unwrap();
    assert_eq!(after, codex.replace("'/old/sb'", &format!("\"{SB}\"")));
    assert_eq!(place("codex").uninstall(&after).unwrap().unwrap(), "\n[z]\na = 1\n");
    // In other words than ours.
    for (before, left) in [
        ("[mcp_servers]\nsignalbox = { command = \"/x/sb\", args = [\"mcp\"] }\n", "[mcp_servers]\n"),
        (
            "a = 1\n[mcp_servers.signalbox]\ncommand = \"/x/sb\"\nargs = [\"mcp\"]\n[mcp_servers.signalbox.env]\nB = \"1\"\n[c]\n",
            "a = 1\n[c]\n",
        ),
        ("a = 1\n[mcp_servers.signalbox]\ncommand = \"/x/sb\"\nargs = [\"mcp\"]\n[c]\n", "a = 1\n[c]\n"),
    ] {
        assert_eq!(place("codex").status(Some(before)).unwrap(), installed("/x/sb"));
        assert_eq!(place("codex").uninstall(before).unwrap().unwrap(), left);
    }
    // As Goose writes it itself.
    let goose = "extensions:\n  a:\n    enabled: true\n  signalbox:\n    enabled: false\n    type: stdio\n    name: signalbox\n    cmd: /old/sb\n    args:\n    - mcp\n    envs: {}\n  z:\n    enabled: true\nB: 1\n";
    let after = place("goose").install(Some(goose), SB).unwrap();
    assert_eq!(after, goose.replace("/old/sb", &format!("\"{SB}\"")));
    let left = "extensions:\n  a:\n    enabled: true\n  z:\n    enabled: true\nB: 1\n";
    assert_eq!(place("goose").uninstall(&after).unwrap().unwrap(), left);
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let table = [
        ("claude", "{\n  \"a\": tru\n}"),
        ("claude", "[]"),
        ("gemini", "{\"mcpServers\": []}"),
        ("copilot", "{\"mcpServers\": {\"signalbox\": {\"command\": \"/bin/other\", \"args\": [\"mcp\"]}}}"),
        ("copilot", "{\"mcpServers\": {\"signalbox\": {\"command\": \"/bin/sb\"}}}"),
        ("codex", "model = \n"),
        ("codex", "a = 1\na = 2\n"),
        ("codex", "mcp_servers = 3\n"),
        ("codex", "mcp_servers = { other = { command = \"x\" } }\n"),
        ("codex", "[mcp_servers.signalbox]\nurl = \"x\"\n"),
        ("goose", "a: [\n"),
        ("goose", "- a\n"),
        ("goose", "extensions:\n  signalbox:\n    cmd: other\n"),
        ("goose", "extensions:\n"),
        ("goose", "extensions: {}\n"),
        ("goose", "{a: 1}\n"),
        ("goose", "\"extensions\":\n  a: 1\n"),
        ("goose", "extensions: &x\n  a: 1\n"),
    ]
    .map(|(cli, text)| {
        let wrong = place(cli).install(Some(text), SB).unwrap_err();
        if let Ok(left) = place(cli).uninstall(text) {
            assert_eq!(left.as_deref(), Some(text), "what is not ours stays");
        }
        format!("{cli} {text:?}\n    {wrong}")
    });
    insta::assert_snapshot!(table.join("\n"));
    // What cannot be taken out either, though it is ours.
    let odd = "extensions: {signalbox: {cmd: /x/sb, args: [mcp]}}\n";
    assert!(matches!(place("goose").uninstall(odd), Err(InstallError::ByHand { .. })));
    assert!(matches!(place("goose").install(Some(odd), SB), Err(InstallError::ByHand { .. })));
    assert_eq!(place("goose").install(Some(odd), "/x/sb").unwrap(), odd);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Lines of configuration, good and bad, in any order.
    #[test]
    fn any_configuration_comes_back_or_is_refused(
        cli in 0..DRIVERS.len(),
        lines in prop::collection::vec(prop::sample::select(vec![
            "", "# c", "  # c", "{", "}", "{}", ",", "\"a\": 1", "\"mcpServers\": {", "  \"x\": {}", "// c", "/* c */",
            "a = 1", "[mcp_servers]", "[mcp_servers.x]", "command = \"x\"", "[z]", "mcp_servers.y.a = 2",
            "a: 1", "extensions:", "  x:", "    y: 1", "    - z", "    signalbox:", "---", "b: |", "c: {", "\"d\": 'e",
        ]), 0..8),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
        last in any::<bool>(),
    ) {
        let text = lines.join(newline) + if last { newline } else { "" };
        if place(DRIVERS[cli].name).install(Some(&text), SB).is_ok() {
            there_and_back(DRIVERS[cli].name, &text);
        }
    }
}
