//! What an agent can write into a repository to make git run something, and everything we do with such a repository:
//! nothing of it may run. Plain git is asked too, to see that the traps are live.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use signalbox_git::{GitError, Merged, Remote, TreePath, TreePool, Workspace};

use crate::rig::{Rig, main_branch, now, person, plain, plain_command, write};
use crate::vectors::{HOOKS, Spot, VECTORS};

/// A program that tells that it was run, and else does what a filter or a transport would.
struct Trap {
    /// Away from the rest: its path goes through shells and configuration files and must need no quotes.
    folder: tempfile::TempDir,
}

impl Trap {
    fn new() -> Self {
        let trap = Self { folder: tempfile::Builder::new().prefix("sb-trap-").tempdir().expect("a folder") };
        let text =
            format!("#!/bin/sh\necho \"$0 $*\" >> {}\ntimeout 0.3 cat\nexit 0\n", trap.canary().display());
        write(trap.script(), text);
        std::fs::set_permissions(trap.script(), std::fs::Permissions::from_mode(0o755))
            .expect("it may be executed");
        trap
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("trap")
    }

    fn canary(&self) -> PathBuf {
        self.folder.path().join("canary")
    }

    /// Who has been caught since the last time.
    fn caught(&self) -> String {
        let caught = std::fs::read_to_string(self.canary()).unwrap_or_default();
        let _ = std::fs::remove_file(self.canary());
        caught
    }
}

/// What a careless supervisor would run in an agent's repository.
fn be_careless(directory: &Path, elsewhere: &Path) {
    let remote = elsewhere.join("remote.git");
    let _ = plain_command(elsewhere).args(["init", "-q", "--bare", "remote.git"]).output();
    let remote = remote.to_str().expect("a path");
    let copy = elsewhere.join("copy");
    let commands: &[&[&str]] = &[
        &["submodule", "update", "--init"],
        &["status"],
        &["add", "-A"],
        &["commit", "-q", "--allow-empty", "-m", "x"],
        &["diff", "HEAD~1"],
        &["difftool", "-y", "-t", "evil", "HEAD~1"],
        &["log", "-p", "-2"],
        &["blame", "README.md"],
        &["commit", "-q", "--amend", "--allow-empty"],
        &["commit", "-q", "--amend", "--allow-empty", "--no-edit"],
        &["branch", "other", "HEAD~1"],
        &["checkout", "-q", "other"],
        &["commit", "-q", "--allow-empty", "-m", "y"],
        &["checkout", "-q", "-"],
        &["merge", "-q", "--no-edit", "other"],
        &["checkout", "-q", "-b", "clash", "HEAD~2"],
        &["-c", "core.bare=false", "rebase", "-q", "main"],
        &["rebase", "-i", "HEAD~1"],
        &["checkout", "-q", "-f", "main"],
        &["merge", "--ff-only", "other"],
        &["stash", "-u"],
        &["stash", "pop"],
        &["archive", "--format=evil", "-o", "/dev/null", "HEAD"],
        &["push", "-q", remote, "HEAD:refs/heads/x"],
        &["push", "-q", "evil", "HEAD:refs/heads/y"],
        &["fetch", "-q", "evil"],
        &["fetch", "-q", "local"],
        &["gc", "-q", "--prune=1.week.ago"],
        &["gc", "-q", "--auto"],
        &["evil"],
        &["interpret-trailers", "--trailer", "evil: x", "README.md"],
        &["credential", "fill"],
        &["worktree", "add", "-q", "--detach", "../worktree-of-it"],
        &["cat-file", "-p", "1111111111111111111111111111111111111111"],
        &["clone", "-q", ".", copy.to_str().expect("a path")],
        &["checkout", "-q", "-f", "HEAD", "--", "."],
        &["am", "nothing"],
    ];
    for words in commands {
        let mut command = plain_command(directory);
        command.env("GIT_SSH_VARIANT", "simple").env("GIT_TERMINAL_PROMPT", "0").args(*words);
        run_with_input(command, "protocol=https\nhost=example.org\n\n");
    }
    if !copy.is_dir() {
        return;
    }
    // A push into it runs what a receiving repository runs.
    let mut command = plain_command(&copy);
    command.args(["push", "-q", directory.to_str().expect("a path"), "HEAD:refs/heads/pushed"]);
    run_with_input(command, "");
    let mut command = plain_command(&copy);
    command.args(["push", "-q", directory.to_str().expect("a path"), "HEAD:refs/for/main"]);
    run_with_input(command, "");
}

fn run_with_input(mut command: std::process::Command, input: &str) {
    use std::io::Write;
    use std::process::Stdio;
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("git");
    let _ = child.stdin.take().expect("its input").write_all(input.as_bytes());
    let _ = child.wait();
}

/// A sentence, and no stray end of git: what an operation may answer where it cannot go on.
fn fine<T>(what: &str, name: &str, result: Result<T, GitError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(GitError::Refused(_)) => None,
        Err(error) => panic!("{name}: {what}: {error}"),
    }
}

/// Everything that we do, one after the other. How many of it went through.
fn do_everything(rig: &Rig, workspace: &Workspace, name: &str, round: usize) -> usize {
    let (integration, us) = (&rig.integration, person("signalbox"));
    let mut done = 0;
    let mut count = |went: bool| done += usize::from(went);
    let head = fine("head", name, workspace.head());
    count(head.is_some());
    let tip = fine("fetch", name, workspace.fetch()).flatten();
    count(tip.is_some());
    count(fine("status", name, workspace.status()).is_some());
    count(fine("changed files", name, workspace.changed_files()).is_some());
    count(fine("list", name, integration.workspaces().list()).is_some());
    count(workspace.disk_use() > 0);
    let main = rig.main();
    let pool = TreePool::new(integration, &rig.root.path().join("trees"));
    if let Some(tip) = &tip {
        count(fine("diff", name, integration.diff(&main, tip)).is_some());
        count(fine("commits", name, integration.commits(&main, tip)).is_some());
        count(fine("read", name, integration.read_file(tip, &TreePath::new("README.md"))).is_some());
        let base =
            fine("merge base", name, integration.merge_base(&main, tip)).flatten().unwrap_or(main.clone());
        let squashed = integration.squash_onto(&main, tip, &base, "x", &us, &us);
        let squashed = fine("squash", name, squashed);
        count(squashed.is_some());
        count(fine("rebase", name, integration.rebase_onto(&main, tip, &base, &us)).is_some());
        let commit = match squashed {
            Some(Merged::Landed { commit, .. }) => commit,
            _ => main.clone(),
        };
        let tree = pool.take().expect("a directory");
        count(fine("validate the tip", name, tree.prepare(tip, &[])).is_some());
        count(fine("validate", name, tree.prepare(&commit, &[])).is_some());
        if let Some(user) =
            fine("open", name, signalbox_git::UserRepository::open(&crate::rig::git(), &rig.user()))
        {
            count(fine("facts", name, user.facts(integration, None)).is_some());
            count(fine("import", name, user.import(integration, &main_branch())).is_some());
            count(fine("publish", name, user.publish(integration, &commit)).is_some());
            count(fine("advance", name, user.advance(integration, &main_branch(), &commit)).is_some());
        }
        if round > 1 {
            let kept = fine("keep", name, workspace.keep("a test", now()));
            count(kept.is_some());
            return done;
        }
        let remote = rig.root.path().join("target.git");
        plain(rig.root.path(), &["init", "-q", "--bare", remote.to_str().expect("a path")]);
        let remote = Remote {
            url: remote.to_str().expect("a path").to_owned(),
            home: rig.root.path().to_owned(),
            variables: Vec::new(),
            local: true,
        };
        count(fine("push", name, integration.push(&remote, &commit, workspace.branch(), None)).is_some());
    }
    let keep = fine("keep", name, workspace.keep("a test", now()));
    count(keep.is_some());
    if let Some(keep) = keep {
        // Under another key it is another workspace.
        let mut copy = keep.clone();
        copy.kept.key = signalbox_git::Key::parse(&format!("copy{round}")).expect("a key");
        let path = rig.root.path().join(format!("restored {round}"));
        let restored = fine("restore", name, integration.workspaces().restore(&copy, &path));
        count(restored.is_some());
        if let Some(restored) = restored {
            count(fine("look", name, restored.status()).is_some());
            let again =
                restored.keep("again", now()).unwrap_or_else(|error| panic!("{name}: keep again: {error}"));
            count(fine("remove", name, restored.remove(&again)).is_some());
        }
    }
    count(fine("pack", name, integration.pack()).is_some());
    done
}

fn spring(names: &[&str]) {
    for vector in VECTORS.iter().filter(|vector| names.contains(&vector.name)) {
        try_one(vector.name, vector.live, vector.plant);
    }
}

/// What plain git ran of it.
fn try_one(name: &str, live: bool, plant: impl Fn(&Spot)) -> String {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_evil");
    let trap = Trap::new();
    write(workspace.path().join("src/new.rs"), "pub fn new() {}\n");
    rig.commit(&workspace, "Add new");
    write(workspace.path().join("README.md"), "Changed.\n");
    for (repo, outside) in [(workspace.path().to_owned(), "evil of w"), (rig.user(), "evil of u")] {
        let outside = rig.root.path().join(outside);
        std::fs::create_dir_all(&outside).expect("a folder");
        plant(&Spot { repo: &repo, script: &trap.script(), outside: &outside });
    }
    trap.caught();
    let done = do_everything(&rig, &workspace, name, 1);
    assert!(done >= 9, "{name}: only {done} operations went through");
    assert_eq!(trap.caught(), "", "{name} ran");

    let elsewhere = rig.root.path().join("careless");
    std::fs::create_dir_all(&elsewhere).expect("a folder");
    be_careless(workspace.path(), &elsewhere);
    let seen = trap.caught();
    assert_eq!(!seen.is_empty(), live, "{name}: whether plain git runs it");
    do_everything(&rig, &workspace, name, 2);
    assert_eq!(trap.caught(), "", "{name} ran after plain git was careless");
    seen
}

#[test]
fn hooks_of_every_kind() {
    let seen = try_one("hooks", true, |spot| {
        for (hook, _) in HOOKS {
            spot.hook(&spot.repo.join(".git/hooks"), hook);
        }
    });
    for (hook, live) in HOOKS {
        let ran = seen.lines().any(|line| line.ends_with(&format!(" {hook}")));
        assert_eq!(ran, *live, "{hook}: whether plain git runs it");
    }
}

#[test]
fn programs_named_in_the_configuration() {
    spring(&[
        "core.hooksPath",
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "core.askPass",
        "core.alternateRefsCommand",
        "core.gitProxy",
        "sequence.editor",
        "credential.helper",
        "gpg.program",
        "gpg.ssh.program",
        "alias",
        "trailer",
        "difftool",
        "gc.recentObjectsHook",
        "tar.command",
        "uploadpack.packObjectsHook",
    ]);
}

#[test]
fn programs_named_by_attributes() {
    spring(&[
        "filter clean and smudge",
        "filter process",
        "filter in info/attributes",
        "filter that is required",
        "merge driver",
        "diff.external",
        "diff command",
        "textconv",
    ]);
}

#[test]
fn remotes_that_are_programs() {
    spring(&[
        "remote.uploadpack",
        "remote.receivepack",
        "ext remote",
        "insteadOf",
        "promisor remote",
        "submodule update",
    ]);
}

#[test]
fn configuration_from_elsewhere() {
    spring(&[
        "include",
        "includeIf",
        "config.worktree",
        "commondir",
        "gitdir file",
        "git dir is a link",
        "hooks is a link",
    ]);
}

#[test]
fn repositories_within_and_beside() {
    spring(&[
        "nested repository",
        "bare repository in the tree",
        "alternates elsewhere",
        "core.worktree elsewhere",
        "replace refs",
        "grafts",
        "objects is a link",
        "index flags",
    ]);
}

#[test]
fn there_are_enough_of_them_and_all_are_tried() {
    let text = include_str!("hostile.rs");
    let all = HOOKS.len() + VECTORS.len();
    assert!(all >= 60, "{all}");
    for vector in VECTORS {
        assert!(text.contains(&format!("\"{}\"", vector.name)), "{} is never tried", vector.name);
    }
}
