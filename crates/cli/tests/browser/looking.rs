//! Every page of a busy project: for everybody to use, and as pictures for the documentation.

use serde_json::json;

use crate::busy;

#[test]
fn every_page_can_be_used_by_everybody_in_both_themes_and_on_a_phone() {
    let Some((world, paths)) = busy::world() else { return };
    let ticket = paths.iter().find_map(|path| path.strip_prefix("/ticket/")).expect("a ticket").to_owned();
    world.play("patch", json!({ "ticket": ticket }));
    let looked = world.play("pages", json!({ "paths": paths }));
    assert_eq!(looked, json!(paths.len() * 4));
}

/// `cargo xtask screenshots` runs this.
#[test]
#[ignore = "it writes the pictures of the documentation"]
fn pictures_of_every_page() {
    let Ok(folder) = std::env::var("SIGNALBOX_SCREENSHOTS") else { return };
    let (world, paths) = busy::world().expect("a browser");
    let programs = world.env.program().parent();
    let given = json!({ "paths": paths, "folder": folder, "root": world.env.root(), "programs": programs });
    world.play("screenshots", given);
}
