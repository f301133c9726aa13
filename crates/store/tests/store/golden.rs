//! Logs of every released format: they replay for ever, to the same states and the same markdown.

use signalbox_store::index::Filter;
use signalbox_store::{Home, Store};

/// Each folder in `golden` holds a log and what it must come to. A new format adds a folder; none is ever changed.
#[test]
fn every_golden_log_replays() {
    let golden = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/store/golden"));
    let mut replayed = 0;
    for entry in std::fs::read_dir(golden).expect("the golden logs") {
        let folder = entry.expect("an entry").path();
        let scratch = tempfile::tempdir().expect("a folder");
        let home = Home::new(scratch.path());
        home.prepare().expect("prepare");
        let name = "2026-11-15.jsonl";
        std::fs::copy(folder.join(name), home.events().join(name)).expect("copy the log");
        let store = Store::new(home, scratch.path().join("vault"));
        store.rebuild_index().expect("rebuild");
        let (index, warnings) = store.read().expect("read");
        assert_eq!(warnings, []);
        let tickets = index.tickets(&Filter::default()).expect("tickets");
        compare(&folder.join("states.json"), &(serde_json::to_string_pretty(&tickets).expect("JSON") + "\n"));
        let mut markdown = String::new();
        for (path, _) in store.vault().files().expect("files") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            markdown.push_str(&format!("=== {name}\n{}", std::fs::read_to_string(path).expect("read")));
        }
        compare(&folder.join("vault.txt"), &markdown);
        replayed += 1;
    }
    assert!(replayed > 0);
}

/// The file must say what came out. Set `UPDATE_GOLDEN` to write a new one; an old one must never change.
fn compare(path: &std::path::Path, actual: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() && !path.exists() {
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, actual.as_bytes()))
            .expect("write");
    }
    let want = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(want == actual, "{} is no longer what the log comes to:\n{actual}", path.display());
}
