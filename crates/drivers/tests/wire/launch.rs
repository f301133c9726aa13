//! How each CLI is started, as a table.

use std::fmt::Write;
use std::path::Path;

use signalbox_drivers::launch::{GENERIC, Prompt};
use signalbox_drivers::{DRIVERS, find};

#[test]
fn how_each_cli_is_started() {
    let mut table = String::new();
    let puppet = find("puppet").expect("the puppet");
    for driver in DRIVERS.iter().chain([puppet]) {
        let launch = &driver.launch;
        let one = (launch.headless)(&Prompt { text: "-x", resume: None, json: false });
        let other = (launch.headless)(&Prompt { text: "words", resume: Some("ID"), json: true });
        let folder = launch.config.folder(None, Path::new("HOME"));
        let moved = launch.config.folder(Some(Path::new("MOVED")), Path::new("HOME"));
        let program = driver.programs[0];
        let _ =
            writeln!(table, "{program} {}", [launch.interactive, launch.added_arguments].concat().join(" "));
        let _ = writeln!(table, "{program} {}", one.join(" "));
        let _ = writeln!(table, "{program} {}", other.join(" "));
        let resume = launch.resume.map(|resume| resume("ID").join(" "));
        let named = launch.name_session.map(|name| name("ID").join(" "));
        let _ = writeln!(table, "  resume {resume:?}, named {named:?}");
        let _ = writeln!(table, "  {} or {:?} {}", folder.display(), launch.config.variable, moved.display());
        let _ = writeln!(table, "  {}\n", launch.how_to_get);
    }
    insta::assert_snapshot!(table);
    let any = (GENERIC.headless)(&Prompt { text: "words", resume: None, json: false });
    assert_eq!(any, ["words"]);
}
