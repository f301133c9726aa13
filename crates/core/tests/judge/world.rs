//! One small world that every case is judged in.

use signalbox_core::call::{Action, ToolCall};
use signalbox_core::charter::Charter;
use signalbox_core::judge::{self, Links, Refused, Scene};
use signalbox_core::{Mode, Role};

/// The links on its disk.
const LINKS: &[(&str, &str)] = &[
    ("/code/shop/link-to-tests", "/code/shop/tests"),
    ("/code/shop/link-to-git", "/code/shop/.git"),
    ("/code/shop/outside", "/code/other"),
    ("/code/shop/home", "/home/dev"),
    ("/code/shop/deep", "/code/shop/a/b"),
    ("/code/other/back", "/code/shop/src"),
    ("/code/shop/src/far", "/code/other/a/b"),
];

pub struct Disk;

impl Links for Disk {
    fn real(&self, path: &str) -> Option<String> {
        let mut real = String::new();
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                real.truncate(real.rfind('/').unwrap_or(0));
                continue;
            }
            real = format!("{real}/{part}");
            if let Some((_, target)) = LINKS.iter().find(|(link, _)| *link == real) {
                real = (*target).to_owned();
            }
        }
        Some(if real.is_empty() { "/".to_owned() } else { real })
    }
}

/// A disk that cannot be asked.
pub struct Blind;

impl Links for Blind {
    fn real(&self, _path: &str) -> Option<String> {
        None
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// An interactive session in implementation mode.
pub fn assistant() -> Charter {
    Charter {
        root: Some("/code/shop".to_owned()),
        signalbox: "/home/dev/.signalbox".to_owned(),
        tests: words(&["tests/**", "**/*_test.*", "**/*.spec.*", "**/test_*.py", "**/__tests__/**"]),
        blocked_tools: words(&["Edit", "Write", "MultiEdit", "NotebookEdit"]),
        scratch: words(&["/tmp"]),
        ..Charter::default()
    }
}

pub fn discussing() -> Charter {
    Charter { mode: Mode::Discussion, ..assistant() }
}

pub fn doer() -> Charter {
    Charter { role: Role::Doer, confined: true, branch: Some("api/limit".to_owned()), ..assistant() }
}

pub fn test_writer() -> Charter {
    Charter { role: Role::TestWriter, ..doer() }
}

pub fn with_role(role: Role) -> Charter {
    Charter { role, ..assistant() }
}

pub fn shell(command: &str) -> ToolCall {
    ToolCall { tool: "Bash".to_owned(), action: Action::Shell { command: command.to_owned() }, id: None }
}

pub fn write(path: &str) -> ToolCall {
    let action = Action::Write { paths: vec![path.to_owned()], text: String::new() };
    ToolCall { tool: "Write".to_owned(), action, id: None }
}

fn variable(name: &str) -> Option<String> {
    match name {
        "HOME" => Some("/home/dev".to_owned()),
        "PWD" => Some("/code/shop".to_owned()),
        "SIGNALBOX_HOME" => Some("/home/dev/.signalbox".to_owned()),
        _ => None,
    }
}

pub fn judged(charter: &Charter, call: &ToolCall) -> Vec<Refused> {
    judge::all_refusals(charter, call, &scene())
}

pub fn approved(charter: &Charter, call: &ToolCall) -> bool {
    judge::may_approve(charter, call, &scene()).is_some()
}

pub fn scene() -> Scene<'static> {
    Scene { cwd: "/code/shop", home: Some("/home/dev"), variable: &variable, links: &Disk }
}

/// The rules that refuse a call, in their order.
pub fn rules(charter: &Charter, call: &ToolCall) -> String {
    judged(charter, call).iter().map(|refused| refused.rule).collect::<Vec<_>>().join(" ")
}

/// Each command with the rules that refuse it.
pub fn check(charter: &Charter, cases: &[(&str, &str)]) {
    for (command, expected) in cases {
        assert_eq!(rules(charter, &shell(command)), *expected, "{command}");
    }
}
