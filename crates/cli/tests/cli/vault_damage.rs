//! Ticket files that were deleted, moved, doubled or made unreadable: noticed, repaired, and nothing lost.

use signalbox_testkit::TestEnv;

use crate::support::{env, json, story};

/// What `sb doctor` finds in the vault, in a few words, and then that `--fix` leaves nothing of it.
#[track_caller]
fn found_and_fixed(env: &TestEnv) -> Vec<String> {
    let findings = json(&env.sb(["doctor", "--json"]).code(1));
    let whats = findings.as_array().expect("a list").iter().map(|finding| {
        assert_eq!(
            (&finding["check"], &finding["severity"]),
            (&"vault".into(), &"problem".into()),
            "{finding}"
        );
        assert_eq!(finding["fixable"], true, "{finding}");
        finding["what"].as_str().expect("a sentence").to_owned()
    });
    let whats = whats.collect();
    env.sb(["doctor", "--fix"]).success();
    env.sb(["doctor"]).success().says("All is well.");
    whats
}

#[test]
fn a_deleted_file_comes_back() {
    let env = story();
    let id = env.new_ticket("One");
    env.sb(["note", &id, "A note"]).success();
    let file = env.ticket_file(&id);
    let before = env.read(&file);
    std::fs::remove_file(&file).expect("delete");
    env.sb(["show", &id]).success();
    let found = found_and_fixed(&env);
    assert_eq!(found, [format!("the file of {id} is missing: {}", file.display())]);
    assert_eq!(env.read(&file), before);
    // Also without the doctor, when something happens to the ticket.
    std::fs::remove_file(&file).expect("delete");
    insta::assert_snapshot!(env.sb(["note", &id, "Another"]), @"
    --- stderr
    warning: the file of sb_Bq5DH9 had gone and was written anew
    Noted on sb_Bq5DH9.
    ");
    assert!(env.read(&file).contains("A note\n"));
    std::fs::remove_dir_all(env.home().join("vault")).expect("delete");
    env.sb(["doctor", "--fix"]).success();
    assert!(env.read(&file).contains("Another\n"));
}

#[test]
fn copies_of_a_sync_tool_are_moved_aside() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    let text = env.read(&file);
    let stem = file.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
    for (name, note) in [("{} 1.md", "first copy"), ("{} (conflict).md", "second copy")] {
        env.write(file.with_file_name(name.replace("{}", &stem)), format!("{text}\n{note}\n"));
    }
    let found = found_and_fixed(&env);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|what| what.contains("is a second file of")), "{found:?}");
    assert_eq!(env.read(&file), text);
    assert_eq!(std::fs::read_dir(file.parent().expect("a folder")).expect("a folder").count(), 1);
    let kept = env.files_below(env.home().join("quarantine"));
    let kept: String = kept.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    assert!(kept.contains("first copy") && kept.contains("second copy"), "nothing is thrown away");
}

#[test]
fn a_moved_file_is_moved_back() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    env.edit(&file, "## User Notes\n", "## User Notes\n\nMine.\n");
    std::fs::create_dir(env.home().join("vault/archive")).expect("a folder");
    let moved = env.home().join("vault/archive/My name for it.md");
    env.rename(&file, &moved);
    let found = found_and_fixed(&env);
    assert_eq!(found, [format!("the file of {id} was moved to {}", moved.display())]);
    assert!(env.read(&file).contains("Mine.\n") && !moved.exists());
    // If the ticket changes meanwhile, both are there, and what a person wrote is kept.
    env.rename(&file, &moved);
    env.sb(["note", &id, "A note"]).success().says("had gone and was written anew");
    let found = found_and_fixed(&env);
    assert_eq!(found, [format!("{} is a second file of {id}", moved.display())]);
    let kept = env.files_below(env.home().join("quarantine/files"));
    assert!(String::from_utf8_lossy(&kept[0].1).contains("Mine.\n"));
}

#[test]
fn a_file_without_its_frontmatter_is_left_alone_until_it_is_fixed() {
    let env = story();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    env.write(&file, "Only my own words\n");
    insta::assert_snapshot!(env.sb(["note", &id, "A note"]), @"
    --- stderr
    warning: the file of sb_Bq5DH9 is not one that Signalbox wrote, or is ahead of the log, and was left alone; `sb doctor` tells more
    Noted on sb_Bq5DH9.
    ");
    assert_eq!(env.read(&file), "Only my own words\n");
    let found = found_and_fixed(&env);
    assert_eq!(found, [format!("the file of {id} has no frontmatter of ours: {}", file.display())]);
    let text = env.read(&file);
    assert!(text.starts_with("---\nid: ") && text.contains("A note\n"), "{text}");
    assert!(text.ends_with("\n## Recovered text\n\nOnly my own words\n"), "{text}");
    // An empty file, a folder's worth of nothing.
    env.write(&file, "");
    found_and_fixed(&env);
    assert!(env.read(&file).contains("A note\n"));
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    let mut bytes = std::fs::read(&file).expect("the file");
    bytes.extend_from_slice(b"\nLatin-1: \xe4\xf6\xfc\n");
    env.write(&file, &bytes);
    env.sb(["note", &id, "A note"]).success().says("left alone");
    assert_eq!(std::fs::read(&file).expect("the file"), bytes);
    found_and_fixed(&env);
    let kept = env.files_below(env.home().join("quarantine/vault"));
    assert!(kept.iter().any(|(_, kept)| *kept == bytes), "byte for byte");
    assert!(env.read(&file).contains("A note\n"));
}

#[test]
fn a_file_from_the_future_or_the_past() {
    let env = env();
    let id = env.new_ticket("One");
    env.sb(["note", &id, "A note"]).success();
    let file = env.ticket_file(&id);
    let text = env.read(&file);
    env.write(&file, text.replace("rev: 2\n", "rev: 7\n").replace("A note", "A note\n\nFrom a lost log"));
    let found = found_and_fixed(&env);
    assert!(found[0].contains("stands at rev 7, but the log knows only 2 events of it"), "{found:?}");
    let kept = env.files_below(env.home().join("quarantine/vault"));
    assert!(String::from_utf8_lossy(&kept[0].1).contains("From a lost log"));
    // A backup that was put back: the next write catches up.
    env.write(&file, text.replace("rev: 2\n", "rev: 1\n").replace("\n\nA note\n", "\n"));
    let found = found_and_fixed(&env);
    assert!(found[0].contains("stands at rev 1, the log at 2"), "{found:?}");
}

/// Not ours to judge: a file of another home is reported and left where it is.
#[test]
fn a_file_of_an_unknown_ticket_is_reported_and_left() {
    let env = env();
    let id = env.new_ticket("One");
    let text = env.read(env.ticket_file(&id)).replace(&id, "sb_zzzzzz");
    let stranger = env.home().join("vault/tickets/stranger.md");
    env.write(&stranger, &text);
    env.write(env.home().join("vault/tickets/My own page.md"), "# Not a ticket\n");
    env.write(env.home().join("vault/tickets/.2026-x.md.0123456789abcdef.sbtmp"), "half a file");
    env.sb(["doctor"])
        .code(1)
        .says("is of sb_zzzzzz, which the log does not know")
        .says("was left by a command that was killed");
    env.sb(["doctor", "--fix"]).code(1).says("Fixed: removed").says("which the log does not know");
    assert_eq!(env.read(&stranger), text);
    assert_eq!(std::fs::read_dir(env.home().join("vault/tickets")).expect("the folder").count(), 3);
}

/// The vault may be a folder of its own, on another disk, that is not there today.
#[test]
fn a_vault_that_cannot_be_written_does_not_stop_the_work() {
    let env = env();
    env.sb(["config", "set", "vault", "~/not a folder"]).success();
    env.write(env.root().join("not a folder"), "");
    env.sb(["config", "set", "vault", "~/not a folder"]).code(1).says("must be a folder");
    let id = env.new_ticket("One");
    env.sb(["note", &id, "A note"]).success().says("could not be brought into the ticket files");
    env.sb(["list"]).success().says("One");
    env.sb(["config", "set", "vault", "~/a folder"]).success();
    env.sb(["list"]).success();
    let text = String::from_utf8(env.files_below(env.root().join("a folder")).remove(0).1).expect("UTF-8");
    assert!(text.contains("A note\n"), "the next command wrote it: {text}");
    env.sb(["doctor"]).success().says("All is well.");
}

/// A sync tool that brings back an older version of a file must not make it lose a happening for good.
#[test]
fn an_older_version_of_a_file_is_brought_up_to_date() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    let old = env.read(&file);
    env.sb(["note", &id, "the first note"]).success();
    env.sb(["note", &id, "the second note"]).success();
    let whole = env.read(&file);
    env.write(&file, format!("{old}\nA person's line.\n"));
    let found = env.sb(["doctor"]).code(1);
    assert!(found.stdout.contains("stands at rev 1, the log at 3"), "{found}");
    env.sb(["doctor", "--fix"]).success();
    let fixed = env.read(&file);
    for text in ["A person's line.", "the first note", "the second note", "rev: 3"] {
        assert!(fixed.contains(text), "{text} is missing from\n{fixed}");
    }
    // And without the person's line it is what it was.
    env.write(&file, &old);
    env.sb(["doctor", "--fix"]).success();
    assert_eq!(env.read(&file), whole);
}
