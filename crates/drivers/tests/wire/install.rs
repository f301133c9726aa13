//! Hooks are put into settings that hold anything, and taken out again without a trace.

use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use signalbox_drivers::{DRIVERS, Driver, InstallError, Installed, Place, Roots, Scope, find};

const SB: &str = "/opt/signal box/sb";

fn user_places(driver: &Driver) -> Vec<Place> {
    driver.places(Scope::User, &Roots { home: Some(Path::new("/home/dev")), ..Roots::default() })
}

/// The file that holds the hooks.
fn place(cli: &str) -> Place {
    user_places(find(cli).unwrap()).into_iter().find(Place::holds_hooks).unwrap()
}

/// Installs, checks, installs again, and takes out again.
fn there_and_back(cli: &str, before: &str) -> String {
    let place = place(cli);
    let after = place.install(Some(before), SB).unwrap_or_else(|wrong| panic!("{cli}: {wrong}\n{before}"));
    let complete = Installed::Ours { program: SB.to_owned(), complete: true };
    assert_eq!(place.status(Some(&after)).unwrap(), complete, "{cli}\n{before}\n{after}");
    assert_eq!(place.install(Some(&after), SB).unwrap(), after, "twice is once");
    // An installation that has moved is replaced, not doubled.
    let moved = place.install(Some(&after), "/new/sb").unwrap();
    assert!(!moved.contains("signal box"), "{moved}");
    assert_eq!(place.uninstall(&moved).unwrap().as_deref(), Some(before), "{cli}\n{moved}");
    assert_eq!(place.uninstall(&after).unwrap().as_deref(), Some(before), "{cli}\n{after}");
    after
}

const SETTINGS: &[&str] = &[
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    "{ /* nothing */ }",
    "{ // nothing\n}",
    "",
    "\n",
    "  \n\n",
    "// only a comment",
    "\u{feff}",
    "\u{feff}{}\n",
    "\u{feff}{\r\n\t\"model\": \"opus\"\r\n}\r\n",
    "{\"model\":\"opus\"}",
    "{\"model\":\"opus\",\"hooks\":{}}",
    "{ \"hooks\": {} }",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n  \"hooks\": { },\n  \"model\": \"opus\"\n}\n",
    "{\n    \"model\": \"opus\",\n    \"hooks\": {},\n}\n",
    "{\n\t\"model\": \"opus\" // the best\n}\n",
    "{\n  // first\n  \"model\": \"opus\", // trailing\n  /* last */\n}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"preToolUse\": [ ],\n    \"BeforeTool\": [\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"/theirs\" },\n        ],\n      }, // theirs\n    ],\n    \"BeforeTool\": [{\"hooks\": []}],\n    \"preToolUse\": [{\"type\": \"command\", \"bash\": \"x\"}],\n    \"Odd\": [1, \"two\", {\"hooks\": 3}, [null]]\n  },\n  \"z\": [1e5, -0.5, true, null, \"\\u00e9\\\"}\"]\n}\n",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"sb2 hook stop\"}]}]}}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"sb board\"}]}] /* c */ } /* d */ }",
];

#[test]
fn settings_of_every_kind_come_back() {
    for driver in DRIVERS {
        for settings in SETTINGS {
            there_and_back(driver.name, settings);
        }
    }
}

#[test]
fn a_file_of_our_own_is_removed() {
    for driver in DRIVERS {
        for place in user_places(driver) {
            let made = place.install(None, SB).unwrap();
            if place.path.extension() == Some("json".as_ref()) {
                serde_json::from_str::<Value>(&made).unwrap();
            }
            assert!(matches!(place.status(Some(&made)).unwrap(), Installed::Ours { complete: true, .. }));
            assert_eq!(place.install(Some(&made), SB).unwrap(), made);
            assert_eq!(place.uninstall(&made).unwrap(), None, "{}", driver.name);
            let moved = place.install(Some(&made), "/new/sb").unwrap();
            assert_eq!(place.uninstall(&moved).unwrap(), None, "{}", driver.name);
            assert_eq!(place.status(None).unwrap(), Installed::Absent);
        }
    }
}

#[test]
fn a_file_of_our_own_that_a_person_went_on_with_stays() {
    let place = place("claude");
    let made = place.install(None, SB).unwrap();
    let more = made.replacen('{', "{\n  \"model\": \"opus\",", 1);
    let left = place.uninstall(&more).unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&left).unwrap(), serde_json::json!({"model": "opus"}));
}

/// Claude Code writes its settings anew when a person changes one in its menus.
#[test]
fn settings_that_were_laid_out_anew_lose_nothing_but_our_hooks() {
    let place = place("claude");
    let before = r#"{"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/theirs"}]}]}}"#;
    let installed = place.install(Some(before), SB).unwrap();
    let value: Value = serde_json::from_str(&installed).unwrap();
    let anew = format!("{value:#}");
    let complete = Installed::Ours { program: SB.to_owned(), complete: true };
    assert_eq!(place.status(Some(&anew)).unwrap(), complete);
    let left = place.uninstall(&anew).unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&left).unwrap(), serde_json::from_str::<Value>(before).unwrap());
}

#[test]
fn hooks_of_an_older_version_are_known() {
    let place = place("claude");
    for command in [
        r#""command": "/usr/bin/sb hook pre-tool""#,
        r#""command": "'/opt/a b/sb' hook claude""#,
        r#""command": "\"/opt/a b/sb\" hook claude""#,
        r#""command": "SIGNALBOX_HOME=/x sb hook pre-tool""#,
        r#""command": "sb", "args": ["hook", "x"]"#,
        r#""command": "C:\\bin\\sb.exe", "args": ["hook", "x"]"#,
    ] {
        let theirs = r#"{"type": "command", "command": "/theirs"}"#;
        let old = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{theirs}, {{"type": "command", {command}}}]}}], "Gone": [{{"hooks": [{{{command}}}]}}]}}}}"#
        );
        assert!(matches!(place.status(Some(&old)).unwrap(), Installed::Outdated { .. }), "{old}");
        let left = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{theirs}]}}]}}}}"#);
        assert_eq!(place.uninstall(&old).unwrap().unwrap(), left);
        let renewed = place.install(Some(&old), SB).unwrap();
        assert!(!renewed.contains("Gone"));
        assert_eq!(place.uninstall(&renewed).unwrap().unwrap(), left);
    }
    for other in ["/bin/sb board", "/bin/sbx hook", "echo sb hook", "sb"] {
        let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{{"command": "{other}"}}]}}]}}}}"#);
        assert_eq!(place.status(Some(&text)).unwrap(), Installed::Absent, "{other}");
    }
}

#[test]
fn some_hooks_missing_or_behind_a_matcher() {
    let place = place("codex");
    let text = place.install(Some("{}"), SB).unwrap();
    let fewer: Vec<&str> = text.lines().filter(|line| !line.contains("\"PreToolUse\"")).collect();
    let incomplete = Installed::Ours { program: SB.to_owned(), complete: false };
    assert_eq!(place.status(Some(&fewer.join("\n"))).unwrap(), incomplete);
    let narrowed = text.replacen("{\"hooks\": [", "{\"matcher\": \"Bash\", \"hooks\": [", 1);
    assert!(matches!(place.status(Some(&narrowed)).unwrap(), Installed::Outdated { .. }));
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let place = place("claude");
    let wrong = |text: &str| {
        let wrong = place.install(Some(text), SB).unwrap_err();
        assert_eq!(place.uninstall(text).unwrap_err(), wrong);
        wrong.to_string()
    };
    let table = [
        "[]",
        "{\n  \"a\": 1\n  \"b\": 2\n}",
        "{\n  \"a\": tru\n}",
        "{\"a\": 1} x",
        "{\"a\": \"never closed\n}",
        "{\"a\": 1 /* never closed }",
        "{\"a\": {\"b\": 1}",
        "{a: 1}",
        "{\"a\" 1}",
        "{,}",
        "{\"hooks\": null}",
        "{\"hooks\": []}",
        "{\"hooks\": \"none\"}",
        "{\n  \"hooks\": {\n    \"Stop\": {}\n  }\n}",
        "{\"hooks\": {}, \"hooks\": {}}",
    ]
    .map(|text| format!("{text:?}\n    {}", wrong(text)));
    insta::assert_snapshot!(table.join("\n"));
    for sb in ["sb", "./sb", "/opt/other", ""] {
        assert_eq!(place.install(None, sb).unwrap_err(), InstallError::Program(sb.to_owned()));
    }
    let manifest =
        user_places(find("goose").unwrap()).into_iter().find(|place| !place.holds_hooks()).unwrap();
    let refused = manifest.install(Some("{\"name\": \"other\"}"), SB).unwrap_err();
    assert!(matches!(refused, InstallError::NotOurs(_)));
}

/// The file that a CLI loads is ours whole, or not at all.
#[test]
fn an_extension_of_ours_and_of_others() {
    let extension = user_places(find("copilot").unwrap()).into_iter().find(|p| !p.holds_hooks()).unwrap();
    let made = extension.install(None, "/opt/\"a\" b/sb").unwrap();
    assert!(made.contains(r#"spawn("/opt/\"a\" b/sb", ["#), "{made}");
    let complete = Installed::Ours { program: "/opt/\"a\" b/sb".to_owned(), complete: true };
    assert_eq!(extension.status(Some(&made)).unwrap(), complete);
    assert!(matches!(extension.install(None, "sb"), Err(InstallError::Program(_))));
    // An older one is known by how it begins, whatever it does.
    let old = "// Written by Signalbox 0.0\nspawn(\"/old/sb\");\n";
    let outdated = Installed::Outdated { programs: vec!["/old/sb".to_owned()] };
    assert_eq!(extension.status(Some(old)).unwrap(), outdated);
    assert_eq!(extension.install(Some(old), SB).unwrap(), extension.install(None, SB).unwrap());
    assert_eq!(extension.uninstall(old).unwrap(), None);
    for theirs in ["", "// mine\n", "import { spawn } from \"x\"; // Written by Signalbox\n"] {
        assert!(matches!(extension.install(Some(theirs), SB), Err(InstallError::NotOurs(_))), "{theirs}");
        assert_eq!(extension.uninstall(theirs).unwrap().as_deref(), Some(theirs));
        assert_eq!(extension.status(Some(theirs)).unwrap(), Installed::Absent);
    }
}

/// What may be taken away once it is empty lies below what is the person's own.
#[test]
fn folders_that_are_the_persons() {
    let roots = Roots {
        home: Some(Path::new("/home/ada")),
        project: Some(Path::new("/code/shop")),
        codex_home: Some(Path::new("/moved/codex")),
        ..Roots::default()
    };
    for place in DRIVERS.iter().flat_map(|driver| driver.places(Scope::User, &roots)) {
        let is_moved = place.path.starts_with("/moved/codex");
        assert_eq!(place.root, Path::new(if is_moved { "/moved/codex" } else { "/home/ada" }));
    }
    for place in DRIVERS.iter().flat_map(|driver| driver.places(Scope::Project, &roots)) {
        assert_eq!(place.root, Path::new("/code/shop"));
    }
}

#[test]
fn how_it_looks() {
    let claude = there_and_back(
        "claude",
        "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"/theirs\"}]}\n    ]\n  }\n}\n",
    );
    insta::assert_snapshot!("merged", claude);
    for driver in DRIVERS {
        for place in user_places(driver) {
            let name = place.path.file_name().unwrap().to_str().unwrap();
            insta::assert_snapshot!(
                format!("{}-{name}", driver.name),
                place.install(None, "/opt/sb").unwrap()
            );
        }
    }
}

#[test]
fn where_it_is_written() {
    let roots = Roots { home: Some(Path::new("/h")), project: Some(Path::new("/p")), ..Roots::default() };
    let moved = Roots {
        claude_config_dir: Some(Path::new("/cl")),
        codex_home: Some(Path::new("/co")),
        copilot_home: Some(Path::new("/cp")),
        gemini_folder: Some(Path::new("/gm/.gemini")),
        ..roots
    };
    let mut table = Vec::new();
    for driver in DRIVERS {
        for (scope, roots) in
            [(Scope::User, roots), (Scope::User, moved), (Scope::Project, moved), (Scope::Local, moved)]
        {
            for place in driver.places(scope, &roots) {
                table.push(format!("{} {scope:?} {}", driver.name, place.path.display()));
            }
        }
        assert!(driver.places(Scope::Project, &Roots::default()).is_empty());
    }
    insta::assert_snapshot!(table.join("\n"));
}

/// Settings as a person or a program may have left them.
fn settings() -> impl Strategy<Value = String> {
    let blank = prop::sample::select(vec!["", " ", "\n", "\n  ", "\r\n\t", " /* c */ ", " // c\n  "]);
    let scalar = prop::sample::select(vec!["1", "true", "null", "\"x\"", "\"a,]}\\\"\"", "-0.5e3"]);
    let hook = prop::sample::select(vec![
        "{\"type\": \"command\", \"command\": \"/theirs\"}",
        "{\"hooks\": [{\"command\": \"x\"}]}",
        "{\n  \"matcher\": \"Bash\",\n  \"hooks\": []\n}",
        "7",
    ]);
    let list =
        (prop::collection::vec((blank.clone(), hook, blank.clone()), 0..3), blank.clone(), any::<bool>())
            .prop_map(|(items, inner, trailing)| container('[', ']', items, inner, trailing));
    let events = prop::sample::subsequence(
        vec!["SessionStart", "Stop", "PreToolUse", "BeforeTool", "preToolUse", "Elsewhere"],
        0..4,
    );
    let event = (blank.clone(), list, blank.clone());
    let hooks = (events, prop::collection::vec(event, 4), blank.clone(), any::<bool>()).prop_map(
        |(names, events, inner, trailing)| {
            let members = names.into_iter().zip(events);
            let members =
                members.map(|(name, (before, list, after))| (before, format!("\"{name}\":{list}"), after));
            container('{', '}', members.collect(), inner, trailing)
        },
    );
    let other = (blank.clone(), scalar, blank.clone());
    let rest = (prop::collection::vec(other, 0..3), prop::option::of((0usize..3, blank.clone(), hooks)));
    (rest, blank.clone(), any::<bool>(), blank.clone(), blank.clone(), any::<bool>()).prop_map(
        |((others, hooks), inner, trailing, before, after, bom)| {
            let names = ["a", "b", "c"].iter().zip(others);
            let mut members: Vec<_> = names
                .map(|(name, (before, value, after))| (before, format!("\"{name}\": {value}"), after))
                .collect();
            if let Some((at, blank, hooks)) = hooks {
                members.insert(at.min(members.len()), (blank, format!("\"hooks\": {hooks}"), ""));
            }
            let object = container('{', '}', members, inner, trailing);
            format!("{}{before}{object}{after}", if bom { "\u{feff}" } else { "" })
        },
    )
}

fn container<T: AsRef<str>>(
    open: char,
    close: char,
    entries: Vec<(&'static str, T, &'static str)>,
    inner: &str,
    trailing: bool,
) -> String {
    let empty = entries.is_empty();
    let entries: Vec<_> = entries
        .into_iter()
        .map(|(before, entry, after)| format!("{before}{}{after}", entry.as_ref()))
        .collect();
    let comma = if trailing && !empty { "," } else { "" };
    format!("{open}{}{comma}{inner}{close}", entries.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back(before in settings(), which in 0..DRIVERS.len()) {
        there_and_back(DRIVERS[which].name, &before);
    }

    #[test]
    fn any_text_is_read_or_refused(text in r#"[\[\]{}",:/* \n\\a1é-]{0,40}"#) {
        let place = place("claude");
        if let Ok(installed) = place.install(Some(&text), SB) {
            prop_assert_eq!(place.uninstall(&installed).unwrap().unwrap(), text);
        }
    }
}
