//! One pass through everything, as it goes when nobody does anything odd.

use signalbox_git::{Advanced, Head, Kind, Merged, Rebased, TreePath, TreePool};

use crate::rig::{Rig, main_branch, now, person, plain, read, write};

#[test]
fn a_ticket_from_workspace_to_the_users_checkout() {
    let rig = Rig::new();
    let workspace = rig.workspace("sb_one");
    assert_eq!(workspace.head().expect("a head"), Head::OnBranch { tip: rig.main() });
    assert_eq!(plain(workspace.path(), &["status", "--porcelain"]), "");
    assert_eq!(plain(workspace.path(), &["branch", "--show-current"]), "web/sb_one");
    assert_eq!(plain(workspace.path(), &["remote"]), "");
    assert!(workspace.status().expect("a status").is_empty());

    write(workspace.path().join("src/two.rs"), "pub fn two() {}\n");
    assert_eq!(workspace.status().expect("a status"), [TreePath::new("src/two.rs")]);
    let tip = rig.commit(&workspace, "Add two");
    write(workspace.path().join("src/three.rs"), "pub fn three() {}\n");
    assert_eq!(workspace.status().expect("a status"), [TreePath::new("src/three.rs")]);
    let changed = workspace.changed_files().expect("changed files");
    assert_eq!(changed, [TreePath::new("src/three.rs"), TreePath::new("src/two.rs")]);
    assert_eq!(workspace.fetch().expect("it is fetched"), Some(tip.clone()));
    assert_eq!(workspace.last_tip().expect("a ref"), Some(tip.clone()));
    assert!(workspace.disk_use() > 0);

    let commits = rig.integration.commits(&rig.main(), &tip).expect("commits");
    assert_eq!(commits.len(), 1);
    assert_eq!((commits[0].subject(), commits[0].author.name.as_str()), ("Add two", "Ada"));
    assert_eq!(
        (commits[0].changes[0].kind, commits[0].changes[0].path.text().as_ref()),
        (Kind::Added, "src/two.rs")
    );

    let (main, us) = (rig.main(), person("signalbox"));
    let landed =
        rig.integration.squash_onto(&main, &tip, &main, "Add two\n", &person("ada"), &us).expect("merged");
    let Merged::Landed { commit, tree } = landed.clone() else { panic!("{landed:?}") };
    assert_eq!(rig.integration.tree_of(&commit).expect("a tree"), tree);
    let again =
        rig.integration.squash_onto(&main, &tip, &main, "Add two\n", &person("ada"), &us).expect("merged");
    assert_eq!(landed, again, "the same gives the same");
    let rebased = rig.integration.rebase_onto(&main, &tip, &main, &us).expect("rebased");
    assert!(matches!(&rebased, Rebased::Landed { tree: other, .. } if *other == tree), "{rebased:?}");
    let name = main_branch().as_ref_name();
    rig.integration.update_ref(&name, &commit, Some(&main)).expect("main moves");
    rig.integration.update_ref(&name, &commit, Some(&main)).expect_err("main has moved");

    let pool = TreePool::new(&rig.integration, &rig.root.path().join("trees"));
    let place = pool.take().expect("a directory");
    place.prepare(&commit, &[]).expect("it is prepared");
    assert_eq!(read(place.path().join("src/two.rs")), b"pub fn two() {}\n");
    assert_eq!(plain(place.path(), &["status", "--porcelain"]), "");
    assert_eq!(plain(place.path(), &["rev-parse", "HEAD"]), commit.to_string());

    let advanced =
        rig.repository().advance(&rig.integration, &main_branch(), &commit).expect("it is advanced");
    assert_eq!(advanced, Advanced::Checkout(rig.user().canonicalize().expect("a path")));
    assert_eq!(plain(&rig.user(), &["rev-parse", "HEAD"]), commit.to_string());
    assert_eq!(plain(&rig.user(), &["status", "--porcelain"]), "");
    assert_eq!(read(rig.user().join("src/two.rs")), b"pub fn two() {}\n");

    let keep = workspace.keep("landed", now()).expect("it is kept");
    assert_eq!(keep.kept.left_out, []);
    let path = workspace.path().to_owned();
    workspace.remove(&keep).expect("it is removed");
    assert!(!path.exists());
    assert!(rig.integration.workspaces().list().expect("a list").is_empty());
    let back = rig.integration.workspaces().restore(&keep, &path).expect("it is restored");
    assert_eq!(read(back.path().join("src/three.rs")), b"pub fn three() {}\n");
    assert_eq!(plain(back.path(), &["status", "--porcelain"]), "?? src/three.rs");
    assert_eq!(back.head().expect("a head"), Head::OnBranch { tip });
}
