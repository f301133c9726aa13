//! What nobody should send, and what is larger than anybody would read.

use serde_json::json;

use crate::busy::{does, file, repository, script, sh};
use crate::kit::{Tools, World};

#[test]
fn bad_and_large_input_is_borne() {
    let Some(tools) = Tools::find() else { return };
    let mut env = repository();
    let changed = file(&env, "Ten thousand lines", &["--area", "core", "--slug", "long", "--no-tests"]);
    let steps =
        vec![sh("seq -f 'line %.0f of a very long change' 10000 > src/long"), sh("seq 3000 > src/second")];
    script(&mut env, &[("doer of core/long", does(steps, "long"))]);
    env.sb(["run", "--until-idle"]).success();
    let large = file(&env, "Five megabytes of notes", &[]);
    let note = "A line that somebody wrote, and another one after it.\n".repeat(10_000);
    for _ in 0..10 {
        env.sb_with_input(["note", &large, "-"], &note).success();
    }
    let others: Vec<String> = (0..50).map(|number| env.new_ticket(&format!("Dependency {number}"))).collect();
    let mut words = vec!["new", "It waits for fifty"];
    for id in &others {
        words.extend(["-d", id]);
    }
    let many = env.sb(words).success().stdout.trim().to_owned();
    let titles = [
        "تحديث صفحة الدفع قبل الجمعة",
        "👩‍👩‍👧‍👦 family 🏳️‍🌈 and 🇩🇪 flags",
        "שלום עולם, with English in it",
        "Z̸a̸l̸g̸o̸ and 漢字かな交じり文",
    ];
    for title in titles {
        env.new_ticket(title);
    }
    let world = World::with(env, tools);
    let took = world
        .play("bad_input", json!({ "large": large, "many": many, "changed": changed, "titles": titles }));
    assert_eq!(took.as_array().map(Vec::len), Some(3));
}
