//! Directories for validation hold exactly a commit's files, whatever ran in them before.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use signalbox_git::{Oid, TreePool, ValidationTree};

use crate::rig::{Rig, plain, read, write};
use crate::user::land;

/// What plain git says of a directory, with all that is ignored too, and with every file read.
fn differences(tree: &ValidationTree) -> String {
    plain(tree.path(), &["update-index", "-q", "--really-refresh"]);
    plain(tree.path(), &["status", "--porcelain", "--ignored"])
}

fn prepare(tree: &ValidationTree, commit: &Oid) {
    tree.prepare(commit, &["target".to_owned(), "**/node_modules".to_owned()]).expect("it is prepared");
    assert_eq!(plain(tree.path(), &["rev-parse", "HEAD"]), commit.to_string());
}

#[test]
fn whatever_ran_there_leaves_no_trace_but_caches() {
    let rig = Rig::new();
    let outside = rig.root.path().join("outside");
    write(outside.join("lib.rs"), "must stay\n");
    write(outside.join("precious"), "must stay\n");
    let other = land(&rig, "sb_other", |path| {
        write(path.join("README.md"), "Other.\n");
        std::fs::remove_file(path.join("run.sh")).expect("it goes");
        write(path.join("run.sh/folder"), "x\n");
    });
    let pool = TreePool::new(&rig.integration, &rig.root.path().join("trees"));
    let tree = pool.take().expect("a directory");
    let main = rig.main();
    prepare(&tree, &main);
    let path = tree.path().to_owned();
    let harms: &[&dyn Fn()] = &[
        &|| write(path.join("src/lib.rs"), "changed\n"),
        &|| {
            // As large and as old as before, which fools whoever looks only at that.
            let before =
                std::fs::metadata(path.join("src/lib.rs")).expect("a file").modified().expect("a time");
            write(path.join("src/lib.rs"), "PUB FN ONE() {}\n");
            let file = std::fs::File::options().write(true).open(path.join("src/lib.rs")).expect("a file");
            file.set_modified(before).expect("a time");
        },
        &|| std::fs::remove_file(path.join("README.md")).expect("it goes"),
        &|| write(path.join("untracked/deep/file"), "x\n"),
        &|| write(path.join("x.log"), "ignored\n"),
        &|| write(path.join("src/x.log"), "ignored\n"),
        &|| {
            std::fs::set_permissions(path.join("README.md"), std::fs::Permissions::from_mode(0o755))
                .expect("a mode");
        },
        &|| {
            std::fs::remove_dir_all(path.join("src")).expect("it goes");
            symlink(&outside, path.join("src")).expect("a link");
        },
        &|| {
            std::fs::remove_file(path.join("README.md")).expect("it goes");
            symlink(outside.join("precious"), path.join("README.md")).expect("a link");
        },
        &|| {
            std::fs::remove_file(path.join("README.md")).expect("it goes");
            write(path.join("README.md/folder"), "x\n");
        },
        &|| {
            std::fs::remove_dir_all(path.join(".git")).expect("it goes");
            write(path.join(".git"), "gitdir: /etc\n");
        },
        &|| {
            plain(&path, &["config", "core.fsmonitor", "/bin/false"]);
            plain(&path, &["update-index", "--skip-worktree", "README.md"]);
            write(path.join("README.md"), "hidden\n");
        },
        &|| {
            plain(&path, &["checkout", "-q", "-b", "mine"]);
            write(path.join("mine"), "x\n");
            plain(&path, &["add", "-A"]);
            plain(&path, &["commit", "-q", "-m", "mine"]);
        },
        &|| {
            std::fs::set_permissions(path.join("src"), std::fs::Permissions::from_mode(0o500))
                .expect("a mode");
        },
        &|| write(path.join("src/.git/config"), "[core]\n"),
        &|| write(path.join(".gitattributes"), "* filter=x eol=crlf\n"),
        &|| write(path.join(".git/index.lock"), ""),
    ];
    for (number, harm) in harms.iter().enumerate() {
        for commit in [&main, &other, &main] {
            write(path.join("target/debug/cache"), "cache\n");
            write(path.join("web/node_modules/cache"), "cache\n");
            prepare(&tree, commit);
            assert_eq!(differences(&tree), "!! target/", "{number}");
            assert_eq!(read(path.join("target/debug/cache")), b"cache\n");
            assert!(!path.join("web").exists(), "a cache within what goes goes with it");
            if commit == &main {
                assert_eq!(read(path.join("src/lib.rs")), b"pub fn one() {}\n", "{number}");
            }
        }
        harm();
        prepare(&tree, &main);
        assert_eq!(differences(&tree), "!! target/", "{number}");
        assert_eq!(read(path.join("src/lib.rs")), b"pub fn one() {}\n", "{number}");
        assert_eq!(read(outside.join("precious")), b"must stay\n", "{number}");
        assert_eq!(read(outside.join("lib.rs")), b"must stay\n", "{number}");
    }
    tree.prepare(&main, &[]).expect("it is prepared");
    assert!(!path.join("target").exists(), "without a word for it nothing is a cache");
}

#[test]
fn one_directory_for_each_and_the_same_again() {
    let rig = Rig::new();
    let root = rig.root.path().join("trees");
    let pool = TreePool::new(&rig.integration, &root);
    let (first, second) = (pool.take().expect("one"), pool.take().expect("another"));
    assert_ne!(first.path(), second.path());
    let path = first.path().to_owned();
    first.prepare(&rig.main(), &[]).expect("it is prepared");
    let written =
        |path: &Path| std::fs::metadata(path.join("README.md")).expect("a file").modified().expect("a time");
    let before = written(&path);
    drop(first);
    let again = pool.take().expect("one");
    assert_eq!(again.path(), path);
    again.prepare(&rig.main(), &[]).expect("it is prepared");
    assert_eq!(written(&path), before, "what is right already is not written again");
    // Somebody was killed with it, and what they ran may still be running.
    std::mem::forget(again);
    std::fs::remove_file(rig.integration.path().join("signalbox/trees/1/lock"))
        .expect("the lock is nobody's now");
    let fresh = pool.take().expect("one");
    assert_ne!(fresh.path(), path);
    assert!(!path.exists());
    fresh.prepare(&rig.main(), &[]).expect("it is prepared");
    assert_eq!(differences(&fresh), "");
}
