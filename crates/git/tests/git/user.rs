//! The user's repository: what is found out about it, and when its main and its files are moved.

use std::path::{Path, PathBuf};

use signalbox_git::{
    Advanced, BranchName, GitError, Integration, LeftAlone, Merged, ObjectFormat, Oid, UserRepository,
};

use crate::rig::{Rig, git, main_branch, oid, person, plain, plain_command, read, write};

/// A commit on top of main in the integration repository that changes files in a workspace's way.
pub fn land(rig: &Rig, key: &str, change: impl FnOnce(&Path)) -> Oid {
    let workspace = rig.workspace(key);
    change(workspace.path());
    let tip = rig.commit(&workspace, "Change things");
    workspace.fetch().expect("fetched");
    let (main, us) = (rig.main(), person("signalbox"));
    match rig.integration.squash_onto(&main, &tip, &main, "Change things\n", &us, &us).expect("merged") {
        Merged::Landed { commit, .. } => commit,
        other => panic!("{other:?}"),
    }
}

fn advance(rig: &Rig, commit: &Oid) -> Advanced {
    rig.repository().advance(&rig.integration, &main_branch(), commit).expect("an answer")
}

fn top(rig: &Rig) -> PathBuf {
    rig.user().canonicalize().expect("a path")
}

fn usual(rig: &Rig) -> Oid {
    land(rig, "sb_land", |path| {
        write(path.join("src/lib.rs"), "pub fn two() {}\n");
        write(path.join("docs/new.md"), "New.\n");
        std::fs::remove_file(path.join("notes.txt")).expect("it goes");
        std::fs::remove_file(path.join("run.sh")).expect("it goes");
        write(path.join("run.sh/now-a-folder"), "x\n");
    })
}

#[test]
fn a_clean_checkout_is_moved() {
    let rig = Rig::new();
    let commit = usual(&rig);
    write(rig.user().join("untracked"), "mine\n");
    write(rig.user().join("x.log"), "ignored\n");
    assert_eq!(advance(&rig, &commit), Advanced::Checkout(top(&rig)));
    assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "?? untracked");
    assert_eq!(plain(&rig.user(), &["rev-parse", "main"]), commit.to_string());
    assert_eq!(plain(&rig.user(), &["rev-parse", "refs/signalbox/main"]), commit.to_string());
    assert!(!rig.user().join("notes.txt").exists());
    assert_eq!(read(rig.user().join("run.sh/now-a-folder")), b"x\n");
    assert_eq!(advance(&rig, &commit), Advanced::Already);
    assert_eq!(plain(&rig.user(), &["fsck", "--no-dangling"]), "");
    assert!(!rig.user().join(".git/index.lock").exists());
    // And back: a folder makes room for a file.
    let back = land_on(&rig, &commit, "sb_back", |path| {
        std::fs::remove_dir_all(path.join("run.sh")).expect("it goes");
        write(path.join("run.sh"), "a file again\n");
    });
    assert_eq!(advance(&rig, &back), Advanced::Checkout(top(&rig)));
    assert_eq!(read(rig.user().join("run.sh")), b"a file again\n");
    assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "?? untracked");
}

fn land_on(rig: &Rig, main: &Oid, key: &str, change: impl FnOnce(&Path)) -> Oid {
    rig.integration.update_ref(&main_branch().as_ref_name(), main, Some(&rig.main())).expect("main moves");
    land(rig, key, change)
}

#[test]
fn a_branch_that_is_not_checked_out_is_moved_alone() {
    let rig = Rig::new();
    let commit = usual(&rig);
    plain(&rig.user(), &["checkout", "-q", "-b", "elsewhere"]);
    write(rig.user().join("README.md"), "dirty\n");
    assert_eq!(advance(&rig, &commit), Advanced::Branch);
    assert_eq!(plain(&rig.user(), &["rev-parse", "main"]), commit.to_string());
    assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), " M README.md");
    assert!(plain(&rig.user(), &["reflog", "main"]).contains("signalbox"), "the reflog tells");
}

#[test]
fn a_linked_worktree_on_main_is_moved() {
    let rig = Rig::new();
    let commit = usual(&rig);
    plain(&rig.user(), &["checkout", "-q", "--detach"]);
    plain(&rig.user(), &["worktree", "add", "-q", "../linked", "main"]);
    let linked = rig.root.path().join("linked").canonicalize().expect("a path");
    let from_within = UserRepository::open(&git(), &linked.join("src")).expect("the same repository");
    let advanced = from_within.advance(&rig.integration, &main_branch(), &commit).expect("an answer");
    assert_eq!(advanced, Advanced::Checkout(linked.clone()));
    assert_eq!(plain(&linked, &["status", "--porcelain"]), "");
    assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "");
    // One that was deleted by hand counts no more.
    std::fs::remove_dir_all(&linked).expect("it goes");
    let next = land_on(&rig, &commit, "sb_next", |path| write(path.join("next"), "next\n"));
    assert_eq!(advance(&rig, &next), Advanced::Branch);
}

/// What a person may be in the middle of, and a word of what they are told.
type Case = (&'static str, fn(&Rig), &'static str);

const CASES: &[Case] = &[
    (
        "unstaged",
        |rig| write(rig.user().join("README.md"), "dirty\n"),
        "changes that are not committed (README.md)",
    ),
    (
        "staged",
        |rig| {
            write(rig.user().join("README.md"), "dirty\n");
            plain(&rig.user(), &["add", "-A"]);
        },
        "changes that are not committed (README.md)",
    ),
    ("deleted", |rig| std::fs::remove_file(rig.user().join("README.md")).expect("it goes"), "not committed"),
    ("untracked in the way", |rig| write(rig.user().join("docs/new.md"), "mine\n"), "a file docs/new.md"),
    ("a file where a folder goes", |rig| write(rig.user().join("docs"), "mine\n"), "would be overwritten"),
    (
        "a merge",
        |rig| {
            plain(&rig.user(), &["checkout", "-q", "-b", "side", "HEAD~1"]);
            plain(&rig.user(), &["commit", "-q", "--allow-empty", "-m", "x"]);
            plain(&rig.user(), &["checkout", "-q", "main"]);
            plain(&rig.user(), &["merge", "-q", "--no-commit", "--no-ff", "side"]);
        },
        "a merge is not finished",
    ),
    (
        "a rebase",
        |rig| {
            let mut command = plain_command(&rig.user());
            command.env("GIT_SEQUENCE_EDITOR", "sed -i 1ibreak").args(["rebase", "-q", "-i", "HEAD~1"]);
            assert!(command.output().expect("git").status.success());
        },
        "a rebase is not finished",
    ),
    ("a lock", |rig| write(rig.user().join(".git/index.lock"), ""), "git is at work"),
    (
        "own commits",
        |rig| drop(plain(&rig.user(), &["commit", "-q", "--allow-empty", "-m", "mine"])),
        "did not come through",
    ),
    (
        "two checkouts",
        |rig| drop(plain(&rig.user(), &["worktree", "add", "-q", "--force", "../second", "main"])),
        "checked out in 2 places",
    ),
    (
        "sparse",
        |rig| drop(plain(&rig.user(), &["config", "core.sparseCheckout", "true"])),
        "a sparse checkout",
    ),
    (
        "line ends",
        |rig| drop(plain(&rig.user(), &["config", "core.autocrlf", "input"])),
        "converts line ends",
    ),
    ("own attributes", |rig| write(rig.user().join(".git/info/attributes"), "* filter=x\n"), "a filter"),
];

#[test]
fn whatever_a_person_is_in_the_middle_of_is_left_alone() {
    for (name, begin, word) in CASES {
        let rig = Rig::new();
        let commit = usual(&rig);
        begin(&rig);
        let before = (listing(&rig.user()), plain(&rig.user(), &["rev-parse", "main"]));
        let Advanced::LeftAlone(why) = advance(&rig, &commit) else { panic!("{name}: it was moved") };
        assert!(why.to_string().contains(word), "{name}: {why}");
        assert!(why.to_string().contains("refs/signalbox/main"), "{name}: it says what to do: {why}");
        assert_eq!((listing(&rig.user()), plain(&rig.user(), &["rev-parse", "main"])), before, "{name}");
        assert_eq!(plain(&rig.user(), &["rev-parse", "refs/signalbox/main"]), commit.to_string(), "{name}");
        assert_eq!(rig.user().join(".git/index.lock").exists(), *name == "a lock", "{name}");
    }
}

#[test]
fn filters_and_submodules_are_for_the_users_own_git() {
    let rig = Rig::with(|user| write(user.join(".gitattributes"), "*.bin filter=lfs\n"));
    let commit = land(&rig, "sb_lfs", |path| write(path.join("x.bin"), "pointer\n"));
    let why = advance(&rig, &commit);
    assert!(matches!(&why, Advanced::LeftAlone(LeftAlone::Special { .. })), "{why:?}");
    let other = land(&rig, "sb_plain", |path| write(path.join("x.txt"), "text\n"));
    assert_eq!(advance(&rig, &other), Advanced::Checkout(top(&rig)));
    let main = other.clone();
    let module = land_on(&rig, &main, "sb_module", |path| {
        let line = format!("160000,{main},module");
        plain(path, &["update-index", "--add", "--cacheinfo", &line]);
        write(path.join(".gitmodules"), "[submodule \"module\"]\n\tpath = module\n\turl = ./m\n");
        std::fs::create_dir(path.join("module")).expect("a folder");
        plain(path, &["add", ".gitmodules"]);
        plain(path, &["commit", "-q", "-m", "module"]);
        write(path.join("more"), "x\n");
    });
    let why = advance(&rig, &module);
    assert!(
        matches!(&why, Advanced::LeftAlone(LeftAlone::Special { why, .. }) if why.contains("submodule")),
        "{why:?}"
    );
    let facts = {
        plain(&rig.user(), &["merge", "-q", "--ff-only", "refs/signalbox/main"]);
        rig.repository().facts(&rig.integration, None).expect("facts")
    };
    assert_eq!(facts.warnings.len(), 2, "{:?}", facts.warnings);
    assert!(
        facts.warnings[0].contains("submodules") && facts.warnings[1].contains("LFS"),
        "{:?}",
        facts.warnings
    );
}

/// Files, without `.git`, with their content.
fn listing(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name() != Some(".git".as_ref()) {
                folders.push(path);
            } else if path.is_file() {
                all.push((path.clone(), read(&path)));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn whoever_was_killed_is_finished_by_the_next() {
    for stage in 0..6 {
        let rig = Rig::new();
        let commit = usual(&rig);
        let old = plain(&rig.user(), &["rev-parse", "main"]);
        rig.repository().publish(&rig.integration, &commit).expect("published");
        // What stands on the disk when somebody is killed at each stage.
        let (top, git_dir) = (top(&rig), top(&rig).join(".git"));
        let intent = format!(
            "{{\"branch\":\"main\",\"old\":\"{old}\",\"new\":\"{commit}\",\"directory\":{top:?},\"git_dir\":{git_dir:?}}}"
        );
        write(rig.integration.path().join("signalbox/advancing.json"), intent);
        let half = || {
            write(rig.user().join("src/lib.rs"), "pub fn two() {}\n");
            std::fs::remove_file(rig.user().join("notes.txt")).expect("it goes");
        };
        let rest = || {
            write(rig.user().join("docs/new.md"), "New.\n");
            std::fs::remove_file(rig.user().join("run.sh")).expect("it goes");
            write(rig.user().join("run.sh/now-a-folder"), "x\n");
        };
        if stage >= 1 {
            write(git_dir.join("index.lock"), "signalbox is advancing this checkout\n");
        }
        if stage >= 2 {
            half();
        }
        if stage >= 3 {
            rest();
        }
        if stage >= 4 {
            plain(&rig.user(), &["update-ref", "refs/heads/main", commit.as_str()]);
        }
        if stage >= 5 {
            write(git_dir.join("index.lock"), "");
        }
        let answer = advance(&rig, &commit);
        assert_eq!(answer, Advanced::Already, "stage {stage}");
        assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "", "stage {stage}");
        assert_eq!(plain(&rig.user(), &["rev-parse", "main"]), commit.to_string(), "stage {stage}");
        assert!(!git_dir.join("index.lock").exists(), "stage {stage}");
    }
}

#[test]
fn whoever_edits_after_a_kill_keeps_their_edit() {
    let rig = Rig::new();
    let commit = usual(&rig);
    let old = plain(&rig.user(), &["rev-parse", "main"]);
    rig.repository().publish(&rig.integration, &commit).expect("published");
    let (top, git_dir) = (top(&rig), top(&rig).join(".git"));
    let intent = format!(
        "{{\"branch\":\"main\",\"old\":\"{old}\",\"new\":\"{commit}\",\"directory\":{top:?},\"git_dir\":{git_dir:?}}}"
    );
    write(rig.integration.path().join("signalbox/advancing.json"), intent);
    write(git_dir.join("index.lock"), "signalbox is advancing this checkout\n");
    std::fs::remove_file(rig.user().join("notes.txt")).expect("it goes");
    write(rig.user().join("src/lib.rs"), "typed by a person\n");
    let answer = advance(&rig, &commit);
    assert!(matches!(answer, Advanced::LeftAlone(_)), "{answer:?}");
    assert_eq!(read(rig.user().join("src/lib.rs")), b"typed by a person\n");
    assert!(!git_dir.join("index.lock").exists());
}

fn refusal(result: Result<impl Sized, GitError>) -> String {
    match result {
        Err(GitError::Refused(refusal)) => {
            format!("{} / {}", refusal.message, refusal.hint.unwrap_or_default())
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn repositories_that_nothing_can_be_done_with() {
    let root = tempfile::tempdir().expect("a folder");
    let at = |name: &str| {
        let path = root.path().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        path
    };
    let open = |path: &Path| UserRepository::open(&git(), path);
    let said = refusal(open(&at("nothing")));
    assert!(said.contains("is not in a git repository") && said.contains("git init"), "{said}");
    let bare = at("bare.git");
    plain(&bare, &["init", "-q", "--bare"]);
    assert!(refusal(open(&bare)).contains("bare repository"));
    let source = at("source");
    plain(&source, &["init", "-q"]);
    let integration =
        Integration::create(&git(), &root.path().join("i.git"), ObjectFormat::Sha1, &main_branch());
    let integration = integration.expect("it is made");
    let said = refusal(open(&source).expect("a repository").main_branch(&integration, None));
    assert!(said.contains("has no commit yet") && said.contains("--allow-empty"), "{said}");
    for number in 0..3 {
        plain(&source, &["commit", "-q", "--allow-empty", "-m", &number.to_string()]);
    }
    let url = format!("file://{}", source.display());
    plain(root.path(), &["clone", "-q", "--depth", "1", &url, "shallow"]);
    let said = refusal(open(&root.path().join("shallow")));
    assert!(said.contains("part of its history") && said.contains("git fetch --unshallow"), "{said}");
    plain(&source, &["config", "uploadpack.allowFilter", "true"]);
    plain(root.path(), &["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "partial"]);
    assert!(refusal(open(&root.path().join("partial"))).contains("part of its files"));
    let broken = at("broken");
    write(broken.join(".git"), "gitdir: /nowhere/at/all\n");
    let said = refusal(open(&broken));
    assert!(said.contains("that is not there") && said.contains("git worktree repair"), "{said}");
    plain(&source, &["branch", "-q", "-m", "main", "trunk"]);
    let said = refusal(open(&source).expect("a repository").main_branch(&integration, None));
    assert!(said.contains("looked for `main`, `master`") && said.contains("project.toml"), "{said}");
    let named = BranchName::of_user("trunk").expect("a name");
    let repository = open(&source).expect("a repository");
    assert_eq!(repository.main_branch(&integration, Some(&named)).expect("it is there"), named);
    plain(&source, &["checkout", "-q", "--detach"]);
    assert!(repository.facts(&integration, Some(&named)).expect("facts").warnings.is_empty());
    // What the remote calls its main counts where there are several.
    plain(&source, &["branch", "-q", "main"]);
    plain(&source, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(repository.main_branch(&integration, None).expect("it is there"), named);
    let missing = BranchName::of_user("missing").expect("a name");
    assert!(refusal(repository.import(&integration, &missing)).contains("has no branch missing"));
    let said = refusal(repository.main_branch(&integration, Some(&missing)));
    assert!(said.contains("looked for `missing`"), "{said}");
}

#[test]
fn git_that_is_missing_or_old() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().expect("a folder");
    let said = refusal(signalbox_git::Git::find(root.path().as_os_str()));
    assert!(said.contains("git is not installed"), "{said}");
    write(root.path().join("git"), "#!/bin/sh\necho git version 2.39.5\n");
    std::fs::set_permissions(root.path().join("git"), std::fs::Permissions::from_mode(0o755))
        .expect("a mode");
    let said = refusal(signalbox_git::Git::find(root.path().as_os_str()));
    assert!(said.contains("git is 2.39.5, and 2.40 is needed"), "{said}");
    assert!(git().version().starts_with("2."));
}

#[test]
fn other_hashes_and_other_refs() {
    for (format, storage) in [("sha256", "files"), ("sha1", "reftable"), ("sha256", "reftable")] {
        let root = tempfile::tempdir().expect("a folder");
        let user = root.path().join("user");
        std::fs::create_dir(&user).expect("a folder");
        let (objects, refs) = (format!("--object-format={format}"), format!("--ref-format={storage}"));
        if !plain_command(&user).args(["init", "-q", &objects, &refs]).output().expect("git").status.success()
        {
            // This git is too old for it, and then so are all repositories it could meet.
            continue;
        }
        write(user.join("a"), "a\n");
        plain(&user, &["add", "-A"]);
        plain(&user, &["commit", "-q", "-m", "a"]);
        let repository = UserRepository::open(&git(), &user).expect("a repository");
        let path = root.path().join("i.git");
        let integration =
            Integration::create(&git(), &path, repository.object_format(), &main_branch()).expect("made");
        let tip = repository.import(&integration, &main_branch()).expect("imported");
        integration.update_ref(&main_branch().as_ref_name(), &tip, None).expect("main is set");
        let rig = Rig { root, integration };
        let workspace = rig.workspace("sb_x");
        write(workspace.path().join("b"), "b\n");
        let tip = rig.commit(&workspace, "b");
        if storage == "reftable" {
            std::fs::remove_dir_all(workspace.path().join(".git/logs")).expect("it goes");
            plain(workspace.path(), &["refs", "migrate", "--ref-format=reftable"]);
        }
        assert_eq!(workspace.fetch().expect("fetched"), Some(tip.clone()), "{format} {storage}");
        write(workspace.path().join("c"), "c\n");
        let keep = workspace.keep("x", crate::rig::now()).expect("kept");
        assert_eq!((keep.kept.left_out.len(), &keep.kept.tip), (0, &Some(tip.clone())), "{format} {storage}");
        workspace.remove(&keep).expect("removed");
        assert_eq!(advance(&rig, &tip), Advanced::Checkout(top(&rig)), "{format} {storage}");
        assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "");
        assert_eq!(oid(&plain(&rig.user(), &["rev-parse", "HEAD"])), tip);
    }
}
