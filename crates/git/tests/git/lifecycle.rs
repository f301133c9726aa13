//! Random lives of workspaces, with whoever looks after them killed in the middle: every byte that an agent's workspace
//! held is afterwards in a keep-ref or still in the workspace.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use signalbox_git::{GitError, Integration, Key, Workspace};
use signalbox_testkit::Dice;

use crate::keeping::plumb;
use crate::rig::{Rig, git, now, plain, plain_command, write};

/// Every file and every object that a directory holds, by their hashes.
fn held_by(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if !directory.is_dir() {
        return found;
    }
    let mut files = String::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name() != Some(".git".as_ref()) {
                folders.push(path);
            } else if path.is_file() {
                files.push_str(&format!("{}\n", path.display()));
            }
        }
    }
    found.extend(plumb(directory, &["hash-object", "--stdin-paths"], &files).lines().map(ToOwned::to_owned));
    found.extend(own_objects(&directory.join(".git/objects")));
    found
}

/// The objects of a repository that it has not borrowed, counted from its files.
fn own_objects(objects: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(objects).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().expect("text");
        let files = std::fs::read_dir(entry.path()).into_iter().flatten().flatten();
        for file in files {
            let rest = file.file_name().into_string().expect("text");
            if name.len() == 2 {
                found.insert(format!("{name}{rest}"));
            } else if rest.ends_with(".idx") {
                let listed = plain(objects, &["verify-pack", "-v", file.path().to_str().expect("text")]);
                let lines = listed.lines().filter_map(|line| line.split_once(' '));
                found.extend(lines.map(|(oid, _)| oid.to_owned()).filter(|oid| oid.len() == 40));
            }
        }
    }
    found
}

/// Everything that is safe: kept, or still in the workspace under whatever name.
fn safe(rig: &Rig, workspace: &Path) -> BTreeSet<String> {
    let words = [
        "rev-list",
        "--objects",
        "--no-object-names",
        "--glob=refs/signalbox/keep/*",
        "--glob=refs/signalbox/tags/*",
        "--glob=refs/heads/*",
    ];
    let kept = plain(rig.integration.path(), &words);
    let mut safe: BTreeSet<String> = kept.lines().map(ToOwned::to_owned).collect();
    let name = workspace.file_name().expect("a name").to_str().expect("text");
    for path in [workspace.to_owned(), workspace.with_file_name(format!(".{name}.removing"))] {
        safe.extend(held_by(&path));
    }
    safe
}

fn assert_safe(rig: &Rig, workspace: &Path, before: &BTreeSet<String>, what: &str) {
    let safe = safe(rig, workspace);
    let lost: Vec<_> = before.difference(&safe).collect();
    assert!(lost.is_empty(), "{what}: {} objects are lost: {lost:?}", lost.len());
}

/// Something that an agent does. What it destroys by itself is its own affair.
fn act(path: &Path, dice: &mut Dice, step: usize) {
    let file = format!("{}file {}.txt", if dice.below(3) == 0 { "dir/" } else { "" }, dice.below(6));
    let quietly = |words: &[&str]| drop(plain_command(path).args(words).output());
    match dice.below(14) {
        0..=4 => write(path.join(file), format!("{step} {}\n", dice.words())),
        5 => drop(std::fs::remove_file(path.join(file))),
        6 => quietly(&["add", "-A"]),
        7 | 8 => {
            quietly(&["add", "-A"]);
            quietly(&["commit", "-q", "-m", "a step"]);
        }
        9 => quietly(&["stash", "-q", "-u"]),
        10 => quietly(&["checkout", "-q", "-B", ["one", "two"][dice.below(2)]]),
        11 => quietly(&["reset", "-q", "--hard", "HEAD~1"]),
        12 => quietly(&["commit", "-q", "-a", "--amend", "--no-edit"]),
        _ if dice.below(4) == 0 => drop(std::fs::remove_dir_all(path.join(".git"))),
        _ => quietly(&["gc", "-q"]),
    }
}

/// What is done with a workspace by another process, which is killed over it.
#[test]
fn helper() {
    let Some(integration) = std::env::var_os("SB_GIT_INTEGRATION") else { return };
    let integration = Integration::open(&git(), Path::new(&integration)).expect("an integration repository");
    let key = Key::parse("sb_life").expect("a key");
    let Some(workspace) = integration.workspaces().find(&key).expect("an answer") else { return };
    match workspace.keep("killed or not", now()) {
        Ok(keep) => drop(workspace.remove(&keep)),
        Err(error) => assert!(matches!(error, GitError::Refused(_)), "{error}"),
    }
}

/// Every step at which somebody can be killed over something: a call of git, or a change to a file. `begin` makes it ready,
/// and `end` finishes and looks at it, after a kill at each step and after none.
fn kill_at_every_step(test: &str, begin: impl Fn() -> Rig, end: impl Fn(&Rig, &str)) -> usize {
    for step in 1..500 {
        let rig = begin();
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", test, "--nocapture"])
            .env("SB_GIT_INTEGRATION", rig.integration.path())
            .env("SIGNALBOX_CRASH", format!("any:{step}"))
            .output()
            .expect("it runs");
        wait_for_orphans(&rig);
        end(&rig, &format!("killed at step {step}"));
        if output.status.code().is_some() {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            return step - 1;
        }
    }
    panic!("it never ended");
}

#[test]
fn killed_at_every_step_of_keeping_and_removing() {
    let begin = || {
        let rig = Rig::new();
        let workspace = rig.workspace("sb_life");
        write(workspace.path().join("a"), "committed\n");
        rig.commit(&workspace, "a");
        write(workspace.path().join("a"), "staged\n");
        plain(workspace.path(), &["add", "a"]);
        write(workspace.path().join("a"), "staged again\n");
        plain(workspace.path(), &["add", "a"]);
        write(workspace.path().join("b"), "not committed\n");
        rig
    };
    let held = held_by(&begin().spec("sb_life").path);
    let steps = kill_at_every_step("lifecycle::helper", begin, |rig, what| {
        let path = rig.spec("sb_life").path;
        assert_safe(rig, &path, &held, what);
        let workspaces = rig.integration.workspaces();
        let key = Key::parse("sb_life").expect("a key");
        if let Some(workspace) = workspaces.find(&key).unwrap_or_else(|error| panic!("{what}: {error}")) {
            assert!(path.exists(), "{what}");
            let keep = workspace.keep("again", now()).unwrap_or_else(|error| panic!("{what}: {error}"));
            workspace.remove(&keep).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        assert_safe(rig, &path, &held, what);
        assert!(!path.exists() && workspaces.list().expect("a list").is_empty(), "{what}");
        let folder = path.parent().expect("a folder");
        assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), 0, "{what}: something is left");
        let keeps = workspaces.keeps(Some(&key)).expect("keeps");
        workspaces.restore(&keeps[0], &path).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(plain(&path, &["status", "--porcelain"]), "M  a\n?? b", "{what}");
    });
    assert!(steps > 30, "{steps}");
}

#[test]
fn create_helper() {
    let Some(integration) = std::env::var_os("SB_GIT_INTEGRATION") else { return };
    let integration = Integration::open(&git(), Path::new(&integration)).expect("an integration repository");
    let spec = spec_beside(&integration);
    integration.workspaces().create(&spec).expect("it is made");
}

/// What [`Rig::spec`] gives, for a process that has no rig.
fn spec_beside(integration: &Integration) -> signalbox_git::WorkspaceSpec {
    let main = crate::rig::main_branch();
    let tip = integration.ref_at(&main.as_ref_name()).expect("refs").expect("main");
    let root = integration.path().ancestors().nth(3).expect("the test's folder");
    signalbox_git::WorkspaceSpec {
        key: Key::parse("sb_life").expect("a key"),
        path: root.join("workspaces/sb_life"),
        branch: signalbox_git::BranchName::parse("web/sb_life").expect("a branch"),
        start: tip.clone(),
        base: tip,
        main: Some(main),
        name: "Ada".to_owned(),
        email: "ada@example.org".to_owned(),
    }
}

#[test]
fn killed_at_every_step_of_making() {
    let steps = kill_at_every_step("lifecycle::create_helper", Rig::new, |rig, what| {
        let spec = spec_beside(&rig.integration);
        let made =
            rig.integration.workspaces().create(&spec).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(plain(made.path(), &["status", "--porcelain"]), "", "{what}");
        assert_eq!(made.head().expect("a head"), signalbox_git::Head::OnBranch { tip: rig.main() }, "{what}");
        let folder = made.path().parent().expect("a folder");
        assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), 1, "{what}: something is left");
    });
    assert!(steps > 15, "{steps}");
}

#[test]
fn advance_helper() {
    let Some(integration) = std::env::var_os("SB_GIT_INTEGRATION") else { return };
    let integration = Integration::open(&git(), Path::new(&integration)).expect("an integration repository");
    let user = integration.path().ancestors().nth(3).expect("the test's folder").join("user");
    let queued = signalbox_git::RefName::parse("refs/signalbox/queue/next").expect("a name");
    let commit = integration.ref_at(&queued).expect("refs").expect("a commit");
    let user = signalbox_git::UserRepository::open(&git(), &user).expect("the user's repository");
    user.advance(&integration, &crate::rig::main_branch(), &commit).expect("an answer");
}

#[test]
fn killed_at_every_step_of_advancing() {
    let queued = signalbox_git::RefName::parse("refs/signalbox/queue/next").expect("a name");
    let begin = || {
        let rig = Rig::new();
        let commit = crate::user::land(&rig, "sb_life", |path| {
            write(path.join("src/lib.rs"), "pub fn two() {}\n");
            write(path.join("new/file"), "new\n");
            std::fs::remove_file(path.join("notes.txt")).expect("it goes");
        });
        rig.integration.update_ref(&queued, &commit, None).expect("it is queued");
        write(rig.user().join("untracked"), "mine\n");
        rig
    };
    let steps = kill_at_every_step("lifecycle::advance_helper", begin, |rig, what| {
        let commit = rig.integration.ref_at(&queued).expect("refs").expect("a commit");
        let advanced = rig.repository().advance(&rig.integration, &crate::rig::main_branch(), &commit);
        advanced.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(plain(&rig.user(), &["rev-parse", "HEAD"]), commit.to_string(), "{what}");
        assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "?? untracked", "{what}");
        assert!(!rig.user().join(".git/index.lock").exists(), "{what}");
    });
    assert!(steps > 15, "{steps}");
}

/// Keep and remove in another process, which is killed after a while.
fn keep_and_remove_and_be_killed(rig: &Rig, millis: usize) {
    let mut command = Command::new("timeout");
    command
        .args(["-s", "KILL", &format!("0.{millis:03}")])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", "lifecycle::helper", "--nocapture"])
        .env("SB_GIT_INTEGRATION", rig.integration.path());
    command.output().expect("it runs");
    wait_for_orphans(rig);
}

/// A git outlives whoever started it by a moment. Here it is waited for, so that what is counted stands still.
fn wait_for_orphans(rig: &Rig) {
    let root = rig.root.path().to_str().expect("text").as_bytes().to_vec();
    let lives = |pid: &Path| {
        std::fs::read(pid.join("environ")).is_ok_and(|text| {
            text.windows(8).any(|part| part == b"GIT_DIR=")
                && text.windows(root.len()).any(|part| part == root)
        })
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while std::time::Instant::now() < until {
        let processes = std::fs::read_dir("/proc").expect("a folder").flatten().map(|entry| entry.path());
        if !processes.into_iter().any(|pid| lives(&pid)) {
            return;
        }
        std::thread::yield_now();
    }
    panic!("a git did not end");
}

fn live(seed: usize, rounds: usize) {
    let mut dice = Dice::new(seed);
    let rig = Rig::new();
    let workspaces = rig.integration.workspaces();
    let mut workspace: Workspace = rig.workspace("sb_life");
    let path = workspace.path().to_owned();
    for round in 0..rounds {
        for step in 0..=dice.below(8) {
            act(&path, &mut dice, round * 100 + step);
        }
        let before = held_by(&path);
        let what = format!("seed {seed}, round {round}");
        match dice.below(4) {
            0 => {
                workspace.keep("a test", now()).unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            1 => {
                let keep = workspace.keep("a test", now()).unwrap_or_else(|error| panic!("{what}: {error}"));
                workspace.clone().remove(&keep).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(!path.exists(), "{what}");
            }
            _ => {
                keep_and_remove_and_be_killed(&rig, 1 + dice.below(400));
                assert_safe(&rig, &path, &before, &format!("{what}, killed"));
            }
        }
        let found = workspaces.find(workspace.key()).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_safe(&rig, &path, &before, &what);
        workspace = match found {
            Some(found) if path.exists() => found,
            _ => {
                let keeps = workspaces.keeps(Some(workspace.key())).expect("keeps");
                let last = keeps.last().unwrap_or_else(|| panic!("{what}: nothing is kept"));
                workspaces.restore(last, &path).unwrap_or_else(|error| panic!("{what}: {error}"))
            }
        };
        assert_safe(&rig, &path, &before, &format!("{what}, restored"));
    }
    assert_eq!(plain(rig.integration.path(), &["fsck", "--no-dangling", "--connectivity-only"]), "");
}

#[test]
fn nothing_is_lost_in_a_workspaces_life() {
    for seed in 0..4 {
        live(seed, 8);
    }
}

#[test]
#[ignore = "takes an hour; `cargo nextest run -p signalbox-git --run-ignored only`"]
fn nothing_is_lost_in_many_lives() {
    for seed in 1000..1300 {
        live(seed, 10);
    }
}

#[test]
fn a_full_disk_is_an_error_and_removes_nothing() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_life");
    // Larger than a file may become for the other process, which is how a full disk looks to it.
    let big: Vec<u8> =
        (0..3_000_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    write(workspace.path().join("big"), &big);
    write(workspace.path().join("small"), "small\n");
    let before = held_by(workspace.path());
    let line = format!(
        "ulimit -f 8000; exec '{}' --exact lifecycle::helper --nocapture",
        std::env::current_exe().expect("it").display()
    );
    let output = Command::new("/bin/sh")
        .args(["-c", &line])
        .env("SB_GIT_INTEGRATION", rig.integration.path())
        .output()
        .expect("it runs");
    assert!(!output.status.success(), "it should have failed");
    wait_for_orphans(&rig);
    assert!(workspace.path().join("small").exists() && workspace.path().join("big").exists());
    assert!(rig.integration.workspaces().keeps(None).expect("keeps").is_empty());
    assert_safe(&rig, workspace.path(), &before, "full");
    let keep = workspace.keep("there is room again", now()).expect("kept");
    workspace.remove(&keep).expect("removed");
}

#[test]
fn whoever_is_killed_while_making_one_is_finished_by_the_next() {
    let rig = Rig::new();
    let spec = rig.spec("sb_made");
    let workspaces = rig.integration.workspaces();
    let made = workspaces.create(&spec).expect("it is made");
    let record = rig.integration.path().join("signalbox/workspaces/sb_made/workspace.json");
    let text = std::fs::read_to_string(&record).expect("a record");
    let making = text.replace("\"ready\"", "\"making\"");
    assert_ne!(text, making);
    // Killed after it got its name and before that was written down.
    write(&record, &making);
    write(made.path().join("by an agent"), "x\n");
    let found = workspaces.find(&spec.key).expect("an answer").expect("it is there");
    assert!(found.path().join("by an agent").exists());
    // Killed before it got its name.
    write(&record, &making);
    let aside = made.path().with_file_name(".sb_made.making");
    std::fs::remove_dir_all(made.path()).expect("it goes");
    write(aside.join("half"), "x\n");
    assert!(workspaces.find(&spec.key).expect("an answer").is_none());
    assert!(!aside.exists());
    let again = workspaces.create(&spec).expect("it is made");
    assert_eq!(plain(again.path(), &["status", "--porcelain"]), "");
    // Killed while it was moved aside to be compared, and while it was deleted.
    let gone = again.path().with_file_name(".sb_made.removing");
    rename(again.path(), &gone);
    let back = workspaces.find(&spec.key).expect("an answer").expect("it is there");
    assert!(back.path().join("README.md").exists() && !gone.exists());
    rename(back.path(), &gone);
    let text = std::fs::read_to_string(&record).expect("a record");
    write(&record, text.replace("\"ready\"", "\"removing\""));
    assert!(workspaces.find(&spec.key).expect("an answer").is_none());
    assert!(!gone.exists() && !record.exists());
}

#[expect(clippy::disallowed_methods, reason = "this plays somebody who was killed")]
fn rename(from: &Path, to: &Path) {
    std::fs::rename(from, to).expect("it is moved");
}
