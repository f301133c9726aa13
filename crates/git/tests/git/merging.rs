//! Merging on trees: the same as plain git does with files, and the same again when it is done again.

use std::path::{Path, PathBuf};

use signalbox_git::{GitError, Kind, Merged, Oid, Pushed, Rebased, RefName, Remote, TreePath};
use signalbox_testkit::Dice;

use crate::rig::{Rig, main_branch, oid, person, plain, plain_command, write};

/// A plain clone in which the same is done with files.
fn clone_of(rig: &Rig) -> PathBuf {
    let path = rig.root.path().join("clone");
    let from = rig.integration.path().to_str().expect("a path");
    plain(rig.root.path(), &["clone", "-q", from, path.to_str().expect("a path")]);
    path
}

/// Change some files of a directory at random.
fn scribble(directory: &Path, dice: &mut Dice, name: &str) {
    const FILES: [&str; 6] = ["a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "e.txt", "new.txt"];
    for number in 0..=dice.below(3) {
        let path = directory.join(FILES[dice.below(FILES.len())]);
        match dice.below(6) {
            0 if path.exists() => std::fs::remove_file(&path).expect("it goes"),
            1 => write(directory.join(format!("{name}-{number}.txt")), dice.words()),
            _ => {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
                let at = dice.below(lines.len() + 1);
                lines.insert(at, format!("{name} {}", dice.words()));
                write(&path, lines.join("\n") + "\n");
            }
        }
    }
}

#[test]
fn landed_trees_are_what_plain_git_makes_of_them() {
    let (mut landed, mut conflicts) = (0, 0);
    for seed in 0..12 {
        let mut dice = Dice::new(seed);
        let rig = Rig::with(|user| {
            for (number, name) in ["a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "e.txt"].iter().enumerate() {
                let lines: Vec<String> = (0..20).map(|line| format!("{number} {line}")).collect();
                write(user.join(name), lines.join("\n") + "\n");
            }
        });
        let base = rig.main();
        // Main and a branch go their ways.
        let ours = rig.workspace("sb_main");
        let theirs = rig.workspace("sb_theirs");
        for (workspace, name) in [(&ours, "main"), (&theirs, "branch")] {
            for number in 0..=dice.below(2) {
                scribble(workspace.path(), &mut dice, name);
                plain(workspace.path(), &["add", "-A"]);
                plain(
                    workspace.path(),
                    &["commit", "-q", "--allow-empty", "-m", &format!("{name} {number}")],
                );
            }
        }
        let main = ours.fetch().expect("fetched").expect("a tip");
        let tip = theirs.fetch().expect("fetched").expect("a tip");
        rig.integration.update_ref(&main_branch().as_ref_name(), &main, Some(&base)).expect("main moves");
        let clone = clone_of(&rig);
        let theirs_dir = theirs.path().to_str().expect("a path");
        plain(&clone, &["fetch", "-q", theirs_dir, "web/sb_theirs:theirs"]);
        let us = person("signalbox");

        let squashed = rig.integration.squash_onto(&main, &tip, &base, "x\n", &us, &us).expect("an answer");
        assert_eq!(
            squashed,
            rig.integration.squash_onto(&main, &tip, &base, "x\n", &us, &us).expect("an answer")
        );
        let plain_merge =
            plain_command(&clone).args(["merge", "-q", "--squash", "theirs"]).output().expect("git");
        let clean = plain_merge.status.success();
        match &squashed {
            Merged::Landed { commit, tree } => {
                assert!(clean, "seed {seed}");
                assert_eq!(plain(&clone, &["write-tree"]), tree.to_string(), "seed {seed}");
                assert_eq!(&rig.integration.tree_of(commit).expect("a tree"), tree);
                let all = rig.integration.commits(&main, commit).expect("commits");
                assert_eq!((all.len(), &all[0].parents), (1, &vec![main.clone()]));
                landed += 1;
            }
            Merged::Empty => {
                assert_eq!(plain(&clone, &["diff", "--cached", "--name-only"]), "", "seed {seed}");
            }
            Merged::Conflict { files } => {
                assert!(!clean, "seed {seed}");
                let theirs = plain(&clone, &["diff", "--name-only", "--diff-filter=U"]);
                let ours: Vec<String> = files.iter().map(|file| file.text().into_owned()).collect();
                assert_eq!(ours, theirs.lines().collect::<Vec<_>>(), "seed {seed}");
                conflicts += 1;
            }
        }
        plain(&clone, &["reset", "-q", "--hard", "origin/main"]);
        plain(&clone, &["clean", "-q", "-d", "-f"]);
        plain(&clone, &["checkout", "-q", "theirs"]);
        let words =
            ["rebase", "-q", "--no-fork-point", "--empty=drop", "--no-keep-empty", "--onto", "origin/main"];
        let rebase = plain_command(&clone).args(words).arg(base.as_str()).output().expect("git");
        match rig.integration.rebase_onto(&main, &tip, &base, &us).expect("an answer") {
            Rebased::Landed { tree, commits, tip } => {
                assert!(rebase.status.success(), "seed {seed}");
                assert_eq!(plain(&clone, &["rev-parse", "HEAD^{tree}"]), tree.to_string(), "seed {seed}");
                let count = plain(&clone, &["rev-list", "--count", "origin/main..HEAD"]);
                assert_eq!(count, commits.len().to_string(), "seed {seed}");
                assert_eq!(commits.last(), Some(&tip));
            }
            Rebased::Conflict { files, .. } => {
                assert!(!rebase.status.success() && !files.is_empty(), "seed {seed}");
            }
            Rebased::Empty => {
                assert_eq!(plain(&clone, &["rev-parse", "HEAD"]), main.to_string(), "seed {seed}");
            }
            other @ Rebased::NotLinear { .. } => panic!("{other:?}"),
        }
    }
    assert!(landed >= 3 && conflicts >= 1, "{landed} landed and {conflicts} did not: the test shows little");
}

#[test]
fn merges_are_not_flattened_and_nothing_is_landed_twice() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_m");
    let path = workspace.path();
    plain(path, &["checkout", "-q", "-b", "side"]);
    write(path.join("side"), "side\n");
    rig.commit(&workspace, "side");
    plain(path, &["checkout", "-q", "web/sb_m"]);
    write(path.join("own"), "own\n");
    rig.commit(&workspace, "own");
    plain(path, &["merge", "-q", "--no-edit", "side"]);
    let merge = oid(&plain(path, &["rev-parse", "HEAD"]));
    let tip = workspace.fetch().expect("fetched").expect("a tip");
    let (main, us) = (rig.main(), person("signalbox"));
    let rebased = rig.integration.rebase_onto(&main, &tip, &main, &us).expect("an answer");
    assert_eq!(rebased, Rebased::NotLinear { commit: merge });
    let squashed =
        rig.integration.squash_onto(&main, &tip, &main, "all\n", &person("ada"), &us).expect("an answer");
    let Merged::Landed { commit, .. } = squashed else { panic!("{squashed:?}") };
    let again = rig.integration.squash_onto(&commit, &tip, &main, "all\n", &us, &us).expect("an answer");
    assert_eq!(again, Merged::Empty);
    let read = &rig.integration.commits(&main, &commit).expect("commits")[0];
    assert_eq!(
        (read.author.name.as_str(), read.committer.name.as_str(), read.author.at),
        ("ada", "signalbox", 1_800_000_000)
    );
    assert_eq!(read.message, "all\n");
}

#[test]
fn differences_between_trees() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_d");
    let path = workspace.path();
    write(path.join("strange \"\n\t name"), "x\n");
    std::fs::remove_file(path.join("notes.txt")).expect("it goes");
    std::fs::remove_file(path.join("run.sh")).expect("it goes");
    std::os::unix::fs::symlink("README.md", path.join("run.sh")).expect("a link");
    write(path.join("README.md"), "More.\n");
    let tip = rig.commit(&workspace, "d");
    workspace.fetch().expect("fetched");
    let changes = rig.integration.diff(&rig.main(), &tip).expect("a diff");
    let found: Vec<(Kind, String, u32, u32)> = changes
        .iter()
        .map(|change| (change.kind, change.path.text().into_owned(), change.old_mode, change.new_mode))
        .collect();
    assert_eq!(
        found,
        [
            (Kind::Modified, "README.md".to_owned(), 0o100_644, 0o100_644),
            (Kind::Deleted, "notes.txt".to_owned(), 0o100_644, 0),
            (Kind::Retyped, "run.sh".to_owned(), 0o100_644, 0o120_000),
            (Kind::Added, "strange \"\n\t name".to_owned(), 0, 0o100_644),
        ]
    );
    let integration = &rig.integration;
    let read =
        |commit: &Oid, path: &str| integration.read_file(commit, &TreePath::new(path)).expect("an answer");
    assert_eq!(read(&tip, "strange \"\n\t name").as_deref(), Some(b"x\n".as_slice()));
    assert_eq!(read(&tip, "notes.txt"), None);
    assert_eq!(read(&tip, "src"), None, "a folder is no file");
    assert!(integration.is_ancestor(&rig.main(), &tip).expect("an answer"));
    assert!(!integration.is_ancestor(&tip, &rig.main()).expect("an answer"));
    assert_eq!(integration.merge_base(&tip, &rig.main()).expect("an answer"), Some(rig.main()));
    assert!(!integration.exists(&Oid::parse(&"1".repeat(40)).expect("an object")).expect("an answer"));
}

#[test]
fn refs_move_by_compare_and_set() {
    let rig = Rig::new();
    let integration = &rig.integration;
    let (first, second) = (oid(&plain(&rig.user(), &["rev-parse", "HEAD~1"])), rig.main());
    let name = RefName::parse("refs/signalbox/queue/1").expect("a name");
    integration.update_ref(&name, &first, None).expect("it is new");
    let moved = integration.update_ref(&name, &second, None).expect_err("it is there");
    assert!(
        matches!(&moved, GitError::Moved { found: Some(found), expected: None, .. } if *found == first),
        "{moved}"
    );
    assert!(moved.to_string().contains("has moved"), "{moved}");
    integration.update_ref(&name, &second, Some(&first)).expect("it is moved");
    assert!(integration.delete_ref(&name, &first).is_err());
    // Somebody was killed with a lock in their hand, just now or long ago.
    let lock = integration.path().join("refs/signalbox/queue/1.lock");
    write(&lock, "");
    let begun = std::time::Instant::now();
    integration.update_ref(&name, &first, Some(&second)).expect("it is nobody's any more");
    assert!(begun.elapsed().as_secs() >= 9, "it might still have been somebody's");
    integration.update_ref(&name, &second, Some(&first)).expect("it is moved back");
    write(&lock, "");
    let hour_ago = std::fs::metadata(&lock).expect("a file").modified().expect("a time")
        - std::time::Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&lock).expect("a file").set_modified(hour_ago).expect("a time");
    integration.update_ref(&name, &first, Some(&second)).expect("it is nobody's");
    integration.delete_ref(&name, &first).expect("it goes");
    assert_eq!(integration.ref_at(&name).expect("an answer"), None);
    let prefix = RefName::parse("refs/heads").expect("a name");
    assert_eq!(integration.refs(&prefix).expect("refs").len(), 1);
}

#[test]
fn pushing_to_a_remote() {
    let rig = Rig::new();
    let remote = rig.root.path().join("remote.git");
    plain(rig.root.path(), &["init", "-q", "--bare", remote.to_str().expect("a path")]);
    let mut to = Remote {
        url: remote.to_str().expect("a path").to_owned(),
        home: rig.root.path().to_owned(),
        variables: Vec::new(),
        local: true,
    };
    let (branch, main) = (main_branch(), rig.main());
    assert_eq!(rig.integration.push(&to, &main, &branch, None).expect("an answer"), Pushed::Done);
    assert_eq!(plain(&remote, &["rev-parse", "main"]), main.to_string());
    let older = oid(&plain(&rig.user(), &["rev-parse", "HEAD~1"]));
    let refused = rig.integration.push(&to, &older, &branch, None).expect("an answer");
    assert!(matches!(&refused, Pushed::Refused { said } if said.contains("rejected")), "{refused:?}");
    let stale = rig.integration.push(&to, &older, &branch, Some(&older)).expect("an answer");
    assert!(matches!(stale, Pushed::Refused { .. }), "{stale:?}");
    assert_eq!(rig.integration.push(&to, &older, &branch, Some(&main)).expect("an answer"), Pushed::Done);
    to.local = false;
    assert!(rig.integration.push(&to, &main, &branch, None).is_err(), "a path is for tests alone");
    for bad in [
        "ext::sh -c true",
        "-oProxyCommand=true",
        "--upload-pack=x",
        "http://example.org/x",
        "fd::3",
        "git://x/y",
    ] {
        to.url = bad.to_owned();
        let error = rig.integration.push(&to, &main, &branch, None).expect_err(bad);
        assert!(error.to_string().contains("is not an address to push to"), "{error}");
    }
}

#[test]
fn names_from_outside_are_never_options() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_n");
    let path = workspace.path();
    let options = [
        "-",
        "--",
        "-rf",
        "--all",
        "--exec=touch canary",
        "--upload-pack=touch canary",
        "--output=canary",
        "-c",
        "-C",
        "--git-dir=x",
        "--work-tree=x",
        "-o",
        "-O",
        "--help",
        "--stdin",
        "--end-of-options",
        "--no-index",
        "-p",
        "--ext-diff",
        "--textconv",
        "--config=x",
        "-u",
        "--template=x",
        "@",
        "HEAD",
        "FETCH_HEAD",
        ":(top)x",
        ":!x",
        ":/x",
        "^x",
        "x..y",
        "x...y",
        "x@{0}",
        "x^{tree}",
        "$(touch canary)",
        "`touch canary`",
        ";touch canary",
        "|touch canary",
        "&touch canary",
        ">canary",
    ];
    let mut names: Vec<Vec<u8>> = Vec::new();
    for option in options {
        for shape in ["{}", "{} x", "x/{}", "{}\n", "{}\u{202e}"] {
            let name = shape.replace("{}", &option.replace('/', "_"));
            if !matches!(name.as_str(), "." | ".." | "x/." | "x/..") {
                names.push(name.into_bytes());
            }
        }
    }
    names.push(b"\xff\xfe --all".to_vec());
    assert!(names.len() >= 200, "{}", names.len());
    for name in &names {
        let file = crate::rig::below(path, name);
        // `x/HEAD` and `x` do not go together, and one of them will do.
        if file.parent().is_some_and(|above| above.is_dir() || !above.exists()) && !file.is_dir() {
            write(&file, name);
        }
    }
    let status = workspace.status().expect("a status");
    assert!(status.len() >= 200, "{}", status.len());
    let tip = rig.commit(&workspace, "--all");
    assert_eq!(workspace.fetch().expect("fetched"), Some(tip.clone()));
    let changes = rig.integration.diff(&rig.main(), &tip).expect("a diff");
    assert_eq!(changes.len(), status.len());
    for change in &changes {
        let read = rig.integration.read_file(&tip, &change.path).expect("an answer");
        assert_eq!(read.as_deref(), Some(change.path.as_bytes()), "{:?}", change.path);
    }
    write(path.join("--output=canary"), "changed\n");
    let keep = workspace.keep("--exec=touch canary", crate::rig::now()).expect("kept");
    assert_eq!(keep.kept.left_out, []);
    let (main, us) = (rig.main(), person("--author=x"));
    let landed = rig.integration.squash_onto(&main, &tip, &main, "--amend\n", &us, &us).expect("merged");
    let Merged::Landed { commit, .. } = landed else { panic!("{landed:?}") };
    let advanced = rig.repository().advance(&rig.integration, &main_branch(), &commit).expect("an answer");
    assert!(matches!(advanced, signalbox_git::Advanced::Checkout(_)), "{advanced:?}");
    for option in options {
        for text in [option.to_owned(), format!("refs/{option}"), format!("heads/{option}")] {
            let made =
                signalbox_git::BranchName::parse(&text).is_ok() || signalbox_git::Key::parse(&text).is_ok();
            assert!(!made || !text.starts_with('-'), "{text}");
            let ours = RefName::parse(&text);
            assert!(ours.is_err() || text.starts_with("refs/"), "{text}");
        }
    }
    for place in [path, &rig.user(), rig.integration.path(), rig.root.path()] {
        assert!(!place.join("canary").exists(), "something was run in {}", place.display());
    }
}
