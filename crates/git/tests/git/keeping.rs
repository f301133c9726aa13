//! Keep-refs: what is in a workspace is in them, byte for byte, and nothing goes that is not.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use signalbox_git::{GitError, Head, KeepRef, Oid, Why, Workspace};

use crate::rig::{Rig, now, oid, plain, plain_command, read, write};

fn keep(workspace: &Workspace) -> KeepRef {
    workspace.keep("a test", now()).expect("it is kept")
}

/// The content of a file in a keep-ref.
fn kept(rig: &Rig, keep: &KeepRef, path: &[u8]) -> Option<Vec<u8>> {
    rig.integration.read_file(&keep.kept.files, &signalbox_git::TreePath::new(path)).expect("it can be read")
}

/// Every object that keep-refs lead to.
fn reachable(rig: &Rig) -> String {
    plain(
        rig.integration.path(),
        &["rev-list", "--objects", "--no-object-names", "--glob=refs/signalbox/keep/*"],
    )
}

fn hash(content: &str) -> String {
    let mut command = plain_command(Path::new("/"));
    command
        .args(["hash-object", "--stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("git");
    std::io::Write::write_all(&mut child.stdin.take().expect("its input"), content.as_bytes())
        .expect("it reads");
    String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("a hash").trim().to_owned()
}

fn refused(error: GitError) -> String {
    match error {
        GitError::Refused(refusal) => refusal.message,
        other => panic!("{other}"),
    }
}

#[test]
fn files_of_every_sort_come_back_as_they_were() {
    let rig = Rig::with(|user| {
        write(
            user.join(".gitattributes"),
            "*.txt text eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n",
        );
        write(user.join(".gitignore"), "*.log\ntarget/\n.env\n");
        write(user.join("a.txt"), "one\ntwo\n");
        write(user.join("gone.md"), "gone\n");
        write(user.join("was-file"), "a file\n");
        write(user.join("was-dir/inner"), "inner\n");
        write(user.join("v.id"), "$Id$\n");
    });
    let workspace = rig.workspace("sb_files");
    let at = |name: &[u8]| workspace.path().join(OsStr::from_bytes(name));
    assert_eq!(read(at(b"a.txt")), b"one\r\ntwo\r\n", "attributes are heeded when files are checked out");
    assert_eq!(plain(workspace.path(), &["status", "--porcelain"]), "");
    write(at(b"a.txt"), b"mixed\nline\r\nends\n");
    write(at(b"line\nend"), "1");
    write(at(b"not utf8 \xff\xfe"), "2");
    write(at(b"-rf"), "3");
    write(at(b"--end-of-options"), "4");
    write(at(b"sub dir/:(glob)*"), "5");
    write(at(b"\"quoted\"\t"), "6");
    write(at(b"back\\slash"), "7");
    write(at(b"git~1"), "8");
    write(at(b"empty"), "");
    write(at(b"tool"), "#!/bin/sh\n");
    std::fs::set_permissions(at(b"tool"), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    symlink("/etc/passwd", at(b"link")).expect("a link");
    symlink("nowhere at all", at(b"dangling")).expect("a link");
    std::fs::remove_file(at(b"gone.md")).expect("it goes");
    std::fs::remove_file(at(b"was-file")).expect("it goes");
    write(at(b"was-file/now a folder"), "9");
    std::fs::remove_dir_all(at(b"was-dir")).expect("it goes");
    symlink("/usr", at(b"was-dir")).expect("a link");
    write(at(b".env"), "SECRET=1\n");
    write(at(b"x.log"), "ignored and small\n");
    write(at(b"target/big"), vec![b'x'; 11 << 20]);
    rustix::fs::mkfifoat(rustix::fs::CWD, at(b"pipe"), rustix::fs::Mode::RUSR).expect("a pipe");
    let before = listing(workspace.path());
    let keep = keep(&workspace);
    let left: Vec<(&str, &Why)> =
        keep.kept.left_out.iter().map(|left| (left.what.as_str(), &left.why)).collect();
    // Git sees no pipes, and there is nothing in them.
    assert_eq!(left, [("target/", &Why::Ignored)]);
    assert_eq!(kept(&rig, &keep, b"a.txt").as_deref(), Some(b"mixed\nline\r\nends\n".as_slice()));
    assert_eq!(kept(&rig, &keep, b".env").as_deref(), Some(b"SECRET=1\n".as_slice()));

    let path = workspace.path().to_owned();
    workspace.remove(&keep).expect("it is removed");
    assert!(!path.exists());
    assert!(Path::new("/usr/bin").exists() && Path::new("/etc/passwd").exists(), "no link was followed");
    let back = rig.integration.workspaces().restore(&keep, &path).expect("it is restored");
    let after = listing(back.path());
    let missing: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    assert_eq!(missing.len(), 2, "{missing:?}");
    assert!(missing.iter().all(|line| line.contains("target/big") || line.contains("pipe")), "{missing:?}");
    assert!(after.iter().all(|line| before.contains(line)), "{after:?}");
    let status = plain(back.path(), &["status", "--porcelain", "-z"]);
    assert!(status.contains(" D gone.md") && !status.contains("v.id"), "{status:?}");
    // And again: what is kept does not change for having been restored.
    let again = back.keep("again", now()).expect("it is kept");
    assert_eq!(again.kept.files, keep.kept.files);
    assert_ne!(again.name, keep.name);
}

/// Every file below a directory with its kind, mode and content, but for `.git`.
fn listing(directory: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let about = std::fs::symlink_metadata(&path).expect("it is there");
            let name = path.strip_prefix(directory).expect("below").to_owned();
            if name == Path::new(".git") {
            } else if about.is_dir() {
                folders.push(path);
            } else if about.is_symlink() {
                lines.push(format!("{name:?} -> {:?}", std::fs::read_link(&path).expect("a link")));
            } else if about.is_file() {
                let executable = about.permissions().mode() & 0o100;
                lines.push(format!("{name:?} {executable} {:?}", String::from_utf8_lossy(&read(&path))));
            } else {
                lines.push(format!("{name:?} other"));
            }
        }
    }
    lines.sort();
    lines
}

#[test]
fn all_that_git_was_ever_told_is_kept() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_refs");
    let path = workspace.path();
    write(path.join("a"), "amended away\n");
    let amended = rig.commit(&workspace, "first");
    write(path.join("a"), "amended\n");
    plain(path, &["commit", "-q", "-a", "--amend", "-m", "second"]);
    plain(path, &["checkout", "-q", "-b", "side"]);
    write(path.join("b"), "on a side branch\n");
    let side = rig.commit(&workspace, "side");
    plain(path, &["tag", "-a", "-m", "a tag", "v1"]);
    plain(path, &["checkout", "-q", "web/sb_refs"]);
    write(path.join("c"), "stashed\n");
    plain(path, &["stash", "-q", "-u"]);
    plain(path, &["checkout", "-q", "--detach"]);
    write(path.join("e"), "detached\n");
    plain(path, &["add", "e"]);
    plain(path, &["commit", "-q", "-m", "detached"]);
    let detached = oid(&plain(path, &["rev-parse", "HEAD"]));
    plain(path, &["checkout", "-q", "web/sb_refs"]);
    write(path.join("d"), "staged first\n");
    plain(path, &["add", "d"]);
    write(path.join("d"), "staged\n");
    plain(path, &["add", "d"]);
    write(path.join("d"), "in the file\n");
    let keep = keep(&workspace);
    assert_eq!(keep.kept.left_out, []);
    let all = reachable(&rig);
    for commit in [&amended, &side, &detached] {
        assert!(all.contains(commit.as_str()), "{commit}");
    }
    for content in [
        "amended away\n",
        "amended\n",
        "on a side branch\n",
        "stashed\n",
        "staged first\n",
        "staged\n",
        "in the file\n",
        "detached\n",
    ] {
        assert!(all.contains(&hash(content)), "{content:?} is lost");
    }
    let index = keep.kept.index.clone().expect("an index");
    let staged =
        rig.integration.read_file(&index, &signalbox_git::TreePath::new("d")).expect("it can be read");
    assert_eq!(staged.as_deref(), Some(b"staged\n".as_slice()));
    assert_eq!(plain(rig.integration.path(), &["fsck", "--no-dangling"]), "");

    let path = path.to_owned();
    workspace.remove(&keep).expect("it is removed");
    let back = rig.integration.workspaces().restore(&keep, &path).expect("it is restored");
    assert_eq!(plain(back.path(), &["status", "--porcelain"]), "AM d");
    assert_eq!(plain(back.path(), &["rev-parse", "side"]), side.to_string());
    plain(back.path(), &["cat-file", "-e", "v1^{tag}"]);
}

#[test]
fn a_merge_that_is_not_finished_and_a_repository_within() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_merge");
    let path = workspace.path();
    plain(path, &["checkout", "-q", "-b", "side"]);
    write(path.join("notes.txt"), "one\nTWO\nthree\n");
    rig.commit(&workspace, "side");
    plain(path, &["checkout", "-q", "web/sb_merge"]);
    write(path.join("notes.txt"), "one\nzwei\nthree\n");
    rig.commit(&workspace, "own");
    assert!(!plain_command(path).args(["merge", "-q", "side"]).output().expect("git").status.success());
    let nested = path.join("vendor/it");
    std::fs::create_dir_all(&nested).expect("a folder");
    plain(&nested, &["init", "-q"]);
    write(nested.join("inner"), "committed within\n");
    plain(&nested, &["add", "-A"]);
    plain(&nested, &["commit", "-q", "-m", "x"]);
    write(nested.join("inner"), "changed within\n");
    let keep = keep(&workspace);
    assert_eq!(keep.kept.left_out, []);
    let all = reachable(&rig);
    for content in ["one\nTWO\nthree\n", "one\nzwei\nthree\n", "committed within\n", "changed within\n"] {
        assert!(all.contains(&hash(content)), "{content:?} is lost");
    }
    assert_eq!(kept(&rig, &keep, b"vendor/it/inner").as_deref(), Some(b"changed within\n".as_slice()));
    let text = String::from_utf8(kept(&rig, &keep, b"notes.txt").expect("it is kept")).expect("text");
    assert!(text.contains("<<<<<<<"), "{text}");
    workspace.remove(&keep).expect("it is removed");
}

#[test]
fn what_an_agent_can_do_to_its_repository() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_head");
    let path = workspace.path().to_owned();
    write(path.join("a"), "a\n");
    let tip = rig.commit(&workspace, "a");
    assert_eq!(workspace.fetch().expect("fetched"), Some(tip.clone()));
    let own = Some(tip.clone());
    plain(&path, &["checkout", "-q", "main"]);
    let main = rig.main();
    let other = Head::OtherBranch { branch: "main".into(), tip: Some(main.clone()), own: own.clone() };
    assert_eq!(workspace.head().expect("a head"), other);
    assert_eq!(workspace.fetch().expect("fetched"), Some(tip.clone()));
    plain(&path, &["checkout", "-q", "--detach", "main"]);
    assert_eq!(workspace.head().expect("a head"), Head::Detached { tip: main.clone(), own });
    plain(&path, &["branch", "-q", "-D", "web/sb_head"]);
    assert_eq!(workspace.head().expect("a head"), Head::Detached { tip: main, own: None });
    plain(&path, &["symbolic-ref", "HEAD", "refs/heads/web/sb_head"]);
    assert_eq!(workspace.head().expect("a head"), Head::BranchGone);
    assert_eq!(workspace.fetch().expect("nothing to fetch"), None);
    // The branch is gone, but it was seen, and the reflog has it too.
    assert_eq!(keep(&workspace).kept.tip, Some(tip.clone()));
    plain(&path, &["branch", "-q", "web/sb_head", tip.as_str()]);
    plain(&path, &["pack-refs", "--all"]);
    assert_eq!(workspace.head().expect("a head"), Head::OnBranch { tip: tip.clone() });
    plain(&path, &["reset", "-q", "--hard"]);
    write(path.join("b"), "not committed\n");
    std::fs::remove_dir_all(path.join(".git")).expect("it goes");
    assert_eq!(workspace.head().expect("a head"), Head::GitGone);
    assert_eq!(workspace.status().expect("a status").len(), 1);
    let kept_without_git = keep(&workspace);
    assert_eq!(kept_without_git.kept.tip, Some(tip.clone()));
    assert_eq!(kept(&rig, &kept_without_git, b"b").as_deref(), Some(b"not committed\n".as_slice()));
    workspace.clone().remove(&kept_without_git).expect("it is removed");
    let back = rig.integration.workspaces().restore(&kept_without_git, &path).expect("it is restored");
    assert_eq!(back.head().expect("a head"), Head::OnBranch { tip });
    assert_eq!(plain(&path, &["status", "--porcelain"]), "?? b");
    std::fs::remove_dir_all(&path).expect("it goes");
    assert_eq!(back.head().expect("a head"), Head::Gone);
    assert!(refused(back.keep("x", now()).expect_err("nothing is there")).contains("is gone"));
    assert!(back.status().expect("nothing").is_empty());
    let again = rig.integration.workspaces().create(&rig.spec("sb_head")).expect("it is made anew");
    assert_eq!(again.head().expect("a head"), Head::OnBranch { tip: rig.main() });
}

#[test]
fn rewound_branches_keep_what_they_held() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_rewind");
    write(workspace.path().join("a"), "once\n");
    let once = rig.commit(&workspace, "once");
    workspace.fetch().expect("fetched");
    plain(workspace.path(), &["reset", "-q", "--hard", "HEAD~1"]);
    write(workspace.path().join("a"), "twice\n");
    let twice = rig.commit(&workspace, "twice");
    assert_eq!(workspace.fetch().expect("fetched"), Some(twice));
    let refs = plain(rig.integration.path(), &["for-each-ref", "--format=%(refname)", "refs/signalbox/ws"]);
    assert!(refs.contains(&format!("was/{once}")), "{refs}");
    // Without its repository nothing in the workspace leads there any more, and it is found all the same.
    std::fs::remove_dir_all(workspace.path().join(".git")).expect("it goes");
    let keep = keep(&workspace);
    workspace.remove(&keep).expect("it is removed");
    let refs = plain(rig.integration.path(), &["for-each-ref", "--format=%(refname)", "refs/signalbox"]);
    assert!(refs.contains(&format!("past/sb_rewind/{once}")) && !refs.contains("/ws/"), "{refs}");
}

#[test]
fn nothing_goes_that_changed_or_is_not_ours() {
    let rig = Rig::new();
    let workspaces = rig.integration.workspaces();
    let workspace = rig.workspace("sb_stays");
    let path = workspace.path().to_owned();
    write(path.join("a"), "a\n");
    let first = keep(&workspace);
    let change: &[&dyn Fn()] = &[
        &|| write(path.join("a"), "changed\n"),
        &|| write(path.join("new"), "new\n"),
        &|| std::fs::set_permissions(path.join("a"), std::fs::Permissions::from_mode(0o755)).expect("a mode"),
        &|| std::fs::remove_file(path.join("new")).expect("it goes"),
        &|| drop(plain(&path, &["add", "a"])),
        &|| drop(plain(&path, &["commit", "-q", "-m", "x"])),
        &|| drop(plain(&path, &["branch", "another", "HEAD~1"])),
        &|| drop(plain(&path, &["checkout", "-q", "--detach"])),
        &|| write(path.join(".gitignore"), "*\n"),
        &|| write(path.join("hidden"), "ignored now\n"),
    ];
    let mut last = first;
    for (number, change) in change.iter().enumerate() {
        change();
        let message = refused(workspace.clone().remove(&last).expect_err("it changed"));
        assert!(message.contains("has changed since it was kept"), "{number}: {message}");
        assert!(path.join("a").exists(), "{number}: it is where it was");
        last = keep(&workspace);
    }
    let other = rig.workspace("sb_other");
    let of_other = keep(&other);
    assert!(refused(workspace.clone().remove(&of_other).expect_err("another's")).contains("does not keep"));

    // Somebody put another directory in its place.
    let elsewhere = rig.root.path().join("moved");
    rename(&path, &elsewhere);
    write(path.join("precious"), "not ours\n");
    let now_kept = keep(&workspace);
    let message = refused(workspace.clone().remove(&now_kept).expect_err("not ours"));
    assert!(message.contains("is not the directory that was made"), "{message}");
    assert_eq!(read(path.join("precious")), b"not ours\n");
    std::fs::remove_dir_all(&path).expect("it goes");
    symlink(&elsewhere, &path).expect("a link");
    assert!(workspace.keep("x", now()).is_err());
    assert!(
        refused(workspace.clone().remove(&now_kept).expect_err("a link")).contains("is not the directory")
    );
    assert!(elsewhere.join("a").exists());
    std::fs::remove_file(&path).expect("it goes");
    rename(&elsewhere, &path);
    let finally = keep(&workspace);
    workspace.remove(&finally).expect("it is removed");
    assert!(!path.exists());
    assert_eq!(workspaces.list().expect("a list").len(), 1);
    assert!(workspaces.keeps(None).expect("keeps").len() > 10);
}

#[expect(clippy::disallowed_methods, reason = "this plays an agent")]
fn rename(from: &Path, to: &Path) {
    std::fs::rename(from, to).expect("it is moved");
}

#[test]
fn damage_is_told_and_keeps_the_workspace() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_damage");
    let path = workspace.path().to_owned();
    write(path.join("a"), "precious\n");
    let tip = rig.commit(&workspace, "a");
    write(path.join("b"), "not committed\n");
    // The tree of the commit is gone; the file is still an object.
    let tree = plain(&path, &["rev-parse", "HEAD^{tree}"]);
    let (first, rest) = tree.split_at(2);
    let file = path.join(".git/objects").join(first).join(rest);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    std::fs::remove_file(file).expect("it goes");
    assert!(workspace.fetch().is_err());
    let keep = keep(&workspace);
    let what: Vec<&str> = keep.kept.left_out.iter().map(|left| left.what.as_str()).collect();
    assert!(what.iter().any(|what| what.contains(tip.as_str())), "{what:?}");
    assert!(reachable(&rig).contains(&hash("precious\n")));
    let message = refused(workspace.clone().remove(&keep).expect_err("it stays"));
    assert!(message.contains("not all of it could be kept"), "{message}");
    assert!(path.join("b").exists());
}

#[test]
fn objects_that_git_would_stumble_over_are_not_let_in() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_bad");
    let path = workspace.path();
    let blob = hash("x\n");
    write(path.join("x"), "x\n");
    plain(path, &["add", "x"]);
    // A tree with a file `.git` in it, which a checkout would write.
    let tree = plumb(path, &["mktree", "--missing"], &format!("100644 blob {blob}\t.git\n"));
    let commit = plain(path, &["commit-tree", &tree, "-p", "HEAD", "-m", "bad"]);
    plain(path, &["update-ref", "refs/heads/web/sb_bad", &commit]);
    let message = refused(workspace.fetch().expect_err("it is refused"));
    assert!(message.contains("malformed"), "{message}");
    let keep = keep(&workspace);
    assert!(keep.kept.left_out.iter().any(|left| matches!(left.why, Why::Damaged(_))));
    assert!(!rig.integration.exists(&oid(&commit)).expect("an answer"));
}

/// Plumbing that reads from its standard input.
pub fn plumb(directory: &Path, words: &[&str], input: &str) -> String {
    use std::process::Stdio;
    let mut command = plain_command(directory);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git");
    std::io::Write::write_all(&mut child.stdin.take().expect("its input"), input.as_bytes())
        .expect("it reads");
    String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text").trim().to_owned()
}

#[test]
fn what_lies_in_the_way_is_not_touched() {
    let rig = Rig::new();
    let workspaces = rig.integration.workspaces();
    let spec = rig.spec("sb_way");
    write(spec.path.join("mine"), "somebody's\n");
    assert!(refused(workspaces.create(&spec).expect_err("it is in the way")).contains("is in the way"));
    assert_eq!(read(spec.path.join("mine")), b"somebody's\n");
    std::fs::remove_dir_all(&spec.path).expect("it goes");
    let made = workspaces.create(&spec).expect("it is made");
    write(made.path().join("mine"), "the agent's\n");
    workspaces.create(&spec).expect("it is there");
    assert_eq!(read(made.path().join("mine")), b"the agent's\n", "making it again changes nothing");
    let mut elsewhere = spec.clone();
    elsewhere.path = rig.root.path().join("elsewhere");
    assert!(
        refused(workspaces.create(&elsewhere).expect_err("it is elsewhere"))
            .contains("has a workspace already")
    );
    let mut nowhere = rig.spec("sb_nowhere");
    nowhere.start = Oid::parse(&"1".repeat(40)).expect("an object");
    assert!(refused(workspaces.create(&nowhere).expect_err("no commit")).contains("there is no commit"));
    assert!(workspaces.find(&nowhere.key).expect("an answer").is_none());
}
