//! Every file operation of every command fails once in every way: no corruption, no false success, no panic.

use std::path::Path;

use signalbox_testkit::TestEnv;

use crate::race::in_parallel;

/// The commands, with `A` (in progress), `B` (open), `C` (in review), `D` (done), `E` (waits for A), `F` (held).
const COMMANDS: &[&[&str]] = &[
    &["init", "--name", "other", "sub"],
    &["new", "Another", "--depends-on", "A", "--body", "text"],
    &["list", "--all"],
    &["show", "A"],
    &["ready"],
    &["pick", "B"],
    &["pop"],
    &["note", "A", "a note"],
    &["check", "1", "A"],
    &["status", "review", "A", "-m", "done"],
    &["submit", "A", "-m", "done"],
    &["release", "A", "--outcome", "failed", "--summary", "no"],
    &["review", "C"],
    &["approve", "C"],
    &["reject", "C", "not yet"],
    &["edit", "B", "--title", "Changed", "--depends-on", "A", "--tag", "x"],
    &["assign", "B", "ada"],
    &["hold", "B", "wait"],
    &["unhold", "F"],
    &["override", "E", "in-progress", "hurry"],
    &["close", "A"],
    &["reopen", "D", "again"],
    &["switch", "B"],
    &["clear"],
    &["context"],
    &["log"],
    &["at", "now", "list"],
    &["query", "SELECT count(*) FROM events"],
    &["index", "rebuild"],
    &["config", "set", "vault", "VAULT"],
    &["projects"],
    &["doctor", "--fix"],
    &["help"],
    &["hook", "session-start"],
    &["esc", "draft", "Which?", "--ticket", "A"],
    &["esc", "promote", "1"],
    &["esc", "answer", "2", "yes"],
    &["esc", "withdraw", "2"],
    &["esc", "list"],
    &["shape", "--from", "PLAN", "--yes"],
];

pub const KINDS: &[&str] = &["eio", "enospc", "short", "kill"];

#[test]
fn every_operation_of_every_command_can_fail() {
    let template = template();
    let jobs: Vec<(usize, &str)> =
        (0..COMMANDS.len()).flat_map(|command| KINDS.iter().map(move |kind| (command, *kind))).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let counts = in_parallel(2, |_| {
        let mut faults = 0;
        while let Some((command, kind)) = jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            faults += fail_each_operation(&template, COMMANDS[*command], kind);
        }
        vec![faults]
    });
    let faults: usize = counts.iter().sum();
    eprintln!("{faults} faults in {} commands", COMMANDS.len());
    assert!(faults > 1_000, "only {faults} operations were made to fail");
}

fn template() -> TestEnv {
    let mut env = TestEnv::empty(env!("CARGO_BIN_EXE_sb")).seeded(1);
    env.set_clock("2026-11-15T10:00:00Z");
    env.sb(["init", "--name", "shop"]).success();
    let mut ids = Vec::new();
    for (name, extra) in [
        ("A", vec!["--accept", "it works"]),
        ("B", vec![]),
        ("C", vec![]),
        ("D", vec![]),
        ("E", vec!["--depends-on", "A"]),
        ("F", vec![]),
    ] {
        let mut words: Vec<String> = vec!["new".into(), format!("Ticket {name}")];
        words.extend(extra.iter().map(|word| named(&ids, word)));
        ids.push((name.to_owned(), env.sb(&words).success().stdout.trim().to_owned()));
    }
    for words in [
        &["pick", "A"][..],
        &["pick", "C"],
        &["submit", "C", "-m", "done"],
        &["close", "D"],
        &["hold", "F", "why"],
        &["escalate", "Why?", "--ticket", "A"],
        &["escalate", "Who?", "--ticket", "B"],
        &["esc", "promote", "2"],
        &["edit", "B", "--escalated", "false"],
    ] {
        let words: Vec<String> = words.iter().map(|word| named(&ids, word)).collect();
        env.sb(&words).success();
    }
    std::fs::create_dir(env.project().join("sub")).expect("a folder");
    let names: Vec<String> = ids.iter().map(|(name, id)| format!("{name} {id}")).collect();
    env.write(env.root().join("names"), names.join("\n"));
    env
}

/// `A` to `F` stand for the ids of the template.
fn named(ids: &[(String, String)], word: &str) -> String {
    ids.iter().find(|(name, _)| name == word).map_or_else(|| word.to_owned(), |(_, id)| id.clone())
}

/// Fail the first operation, the second, and so on, until the command is through. Answers how many failed.
fn fail_each_operation(template: &TestEnv, words: &[&str], kind: &str) -> usize {
    let ids: Vec<(String, String)> = template
        .read(template.root().join("names"))
        .lines()
        .filter_map(|line| line.split_once(' ').map(|(name, id)| (name.to_owned(), id.to_owned())))
        .collect();
    let words: Vec<String> = words.iter().map(|word| named(&ids, word)).collect();
    let before = state(template);
    let clean = copy(template);
    run_whole(&clean, &words);
    let after = state(&clean);
    for operation in 1.. {
        let env = copy(template);
        let mark = env.root().join("mark");
        let mut faulty = env.command();
        faulty
            .args(words_for(&env, &words))
            .stdin(payload(&env))
            .env("SIGNALBOX_SEED", "77")
            .env("SIGNALBOX_FAULT", format!("{operation}:{kind}"))
            .env("SIGNALBOX_FAULT_MARK", &mark);
        let run = faulty.output().expect("run sb");
        let what = format!("{words:?}, operation {operation}, {kind}");
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!stderr.contains("a bug in sb") && !stderr.contains("panicked"), "{what}: {stderr}");
        if !mark.exists() {
            assert_eq!(run.status.code(), Some(0), "{what} failed without a fault: {stderr}");
            return operation - 1;
        }
        if run.status.code().is_some_and(|code| code != 0) {
            let told = stderr.starts_with("error: ") || stderr.contains("\nerror: ");
            let told_of_hook =
                words.first().is_some_and(|word| word == "hook") && stderr.starts_with("sb hook ");
            assert!(told || told_of_hook, "{what} said nothing: {stderr}");
        }
        // Everything is as before or as after, and nothing in between. A success means after.
        env.sb(["list"]).success();
        let now = state(&env);
        assert!(now == before || now == after, "{what}: neither before nor after:\n{now}\n{stderr}");
        if run.status.code() == Some(0) {
            assert_eq!(now, after, "{what}: said that it was done\n{stderr}");
        }
        let doctor = env.sb(["doctor", "--json"]).success();
        assert!(!doctor.stdout.contains("\"problem\""), "{what}: {doctor}\n{stderr}");
    }
    0
}

fn words_for(env: &TestEnv, words: &[String]) -> Vec<String> {
    words
        .iter()
        .map(|word| {
            let path = match word.as_str() {
                "VAULT" => env.home().join("vault"),
                "PLAN" => {
                    let path = env.root().join("plan.toml");
                    let on = "[[tickets]]\nkey = \"a\"\ntitle = \"One\"\n[[tickets]]\nkey = \"b\"\ntitle = \"Two\"\n";
                    env.write(&path, format!("{on}depends_on = [\"a\"]\n"));
                    path
                }
                _ => return word.clone(),
            };
            path.to_string_lossy().into_owned()
        })
        .collect()
}

/// What an agent CLI would send to its hook. The other commands do not look.
fn payload(env: &TestEnv) -> std::fs::File {
    let path = env.root().join("payload");
    env.write(&path, r#"{"session_id":"ada","source":"startup"}"#);
    std::fs::File::open(path).expect("the payload")
}

/// Run the command as it should go.
fn run_whole(env: &TestEnv, words: &[String]) {
    let mut command = env.command();
    command.args(words_for(env, words)).stdin(payload(env)).env("SIGNALBOX_SEED", "77");
    let output = command.output().expect("run sb");
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What the tickets are, and which projects there are.
fn state(env: &TestEnv) -> String {
    let list = env.sb(["list", "--all", "--json", "--project", "*"]).success().stdout;
    let tickets: Vec<serde_json::Value> = serde_json::from_str(&list).expect("JSON");
    let mut lines: Vec<String> = tickets
        .iter()
        .map(|t| {
            format!("{} {} {} {} {} {}", t["id"], t["status"], t["rev"], t["title"], t["assignee"], t["tags"])
        })
        .collect();
    let asked = env.sb(["esc", "list", "--all", "--json"]).success().stdout;
    let asked: Vec<serde_json::Value> = serde_json::from_str(&asked).expect("JSON");
    lines.extend(asked.iter().map(|one| format!("{} {}", one["id"], one["state"])));
    lines.sort();
    lines.push(
        env.read(env.home().join("config.toml")).lines().filter(|line| line.starts_with('[')).collect(),
    );
    lines.join("\n")
}

/// The same environment again, elsewhere. Paths in its configuration are changed to match.
pub fn copy(template: &TestEnv) -> TestEnv {
    let mut env = TestEnv::empty(template.program()).seeded(2);
    env.set_clock("2026-11-15T11:00:00Z");
    copy_folder(&template.home(), &env.home());
    std::fs::create_dir(env.project().join("sub")).expect("a folder");
    let config = template.read(template.home().join("config.toml"));
    let (from, to) = (template.root().to_string_lossy(), env.root().to_string_lossy());
    env.write(env.home().join("config.toml"), config.replace(from.as_ref(), to.as_ref()));
    env
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            copy_folder(&entry.path(), &target);
            let mode = entry.metadata().expect("metadata").permissions();
            std::fs::set_permissions(&target, mode).expect("chmod");
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(entry.path()).expect("a link"), target)
                .expect("link");
        } else {
            std::fs::copy(entry.path(), target).expect("copy");
        }
    }
}
