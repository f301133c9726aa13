//! `sb demo --driver claude` with the real Claude Code: its own login and home, no dialog, no setting of the person's changed.

use serde_json::{Value, json};
use signalbox_testkit::clis::{Size, skip_without};
use signalbox_testkit::model::{Model, Script, Turn};

use crate::support::{Scene, bash};
use crate::wrapped::PATIENCE;

/// A file of the demo's, as it is on main in the end.
macro_rules! file {
    ($path:literal) => {
        ("Write", json!({ "file_path": $path, "content": include_str!(concat!("../../src/demo/data/main/", $path)) }))
    };
}

#[test]
fn claude_plays_the_demo_and_the_persons_settings_stay() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude_alone("");
    let settings = scene.env.root().join(".claude/settings.json");
    assert!(!settings.exists());
    let model = Model::start(script());
    let words = ["demo", "--driver", "claude", "--yes", "--headless", "--keep"];
    let mut terminal = scene.start(&model).open_under(scene.env.program(), &words, Size::WIDE);
    let ended = terminal.ends_within(PATIENCE * 6);
    let said = format!("{}\n{:#?}", terminal.log(), model.tool_results());
    assert_eq!(ended, Some(Some(0)), "{said}");
    assert!(said.contains("at your cost"), "{said}");
    assert!(said.contains("All 2 tickets are on main"), "{said}");
    assert!(!settings.exists(), "the person's settings were changed");
    // The hooks were there all the same, and nobody was asked whether the folder is trusted.
    let stopped = model.tool_results().iter().filter(|one| one.text.contains("Signalbox refused")).count();
    assert_eq!(stopped, 1, "{said}");
    let main = "git -C \"$HOME\"/.tmp/sb-demo-*/corner-shop show main:commands/receipt.sh";
    assert_eq!(
        scene.env.bash(main).success().stdout,
        include_str!("../../src/demo/data/main/commands/receipt.sh")
    );
}

fn script() -> Script {
    let call = |(tool, input): (&str, Value)| Turn::call(tool, input);
    let hand_in = |what: &str| {
        [
            call(bash("git add -A")),
            call(bash(&format!("git commit -q -m '{what}'"))),
            call(bash(&format!("sb submit -m '{what}'"))),
            Turn::say("handed in"),
        ]
    };
    let work = |files: Vec<(&str, Value)>, what: &str| -> Vec<Turn> {
        files.into_iter().map(call).chain([call(bash("./check"))]).chain(hand_in(what)).collect()
    };
    let review =
        || [call(bash("sb review")), call(bash("sb approve -m 'Reads well'")), Turn::say("approved")];
    let total =
        vec![bash("sed -i s/4.20/4.00/ tests/total.sh"), file!("lib/basket.sh"), file!("commands/total.sh")];
    Script::new([])
        .beside("test-writer of till/total", work(vec![file!("tests/total.sh")], "Test the total"))
        .beside("doer of till/total", work(total, "Add up"))
        .beside("reviewer of till/total", review())
        .beside("test-writer of till/receipt", work(vec![file!("tests/receipt.sh")], "Test the receipt"))
        .beside("doer of till/receipt", work(vec![file!("commands/receipt.sh")], "Print a receipt"))
        .beside("reviewer of till/receipt", review())
}
