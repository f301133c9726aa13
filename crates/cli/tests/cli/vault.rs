//! The ticket files: what stands in them, and that what a person writes there stays.

use crate::support::{env, json, status, story, ticket};

#[test]
fn the_file_tells_the_story() {
    let env = story();
    let first = env.new_ticket("First");
    let id = env
        .sb([
            "new",
            "Limit: logins",
            "--body",
            "Too many logins.\n\nReally.",
            "-p",
            "high",
            "-t",
            "api",
            "-t",
            "yes",
        ])
        .success()
        .stdout
        .trim()
        .to_owned();
    env.sb(["edit", &id, "--depends-on", &first, "--accept", "429 after \"5\"", "--initiative", "2026"])
        .success();
    env.sb(["close", &first, "not needed"]).success();
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    ada.sb(["pick", &id]).success();
    ada.sb(["note", "Counted logins\n- per minute"]).success();
    ada.sb(["check", "1"]).success();
    ada.sb(["submit"]).success();
    bowie.sb(["reject", &id, "two servers"]).success();
    ada.sb(["pick"]).success();
    ada.sb(["release", "--outcome", "failed", "--summary", "no", "--learnings", "much"]).success();
    env.sb(["hold", &id, "until Monday"]).success();
    insta::assert_snapshot!(env.read(env.ticket_file(&id)), @r#"
    ---
    id: sb_W7094S
    title: "Limit: logins"
    project: shop
    status: blocked
    prior-status: open
    assignee: null
    priority: P2
    depends-on: ["[[sb_Bq5DH9]]"]
    hold: "until Monday"
    tags: [api, "yes"]
    initiative: "2026"
    area: null
    slug: null
    needs-tests: true
    attempts: 1
    last-outcome: failed
    escalated: false
    acceptance: ["[x] 429 after \"5\""]
    completion-notes: null
    branch: null
    services: []
    submodule: null
    created: 2026-11-15T10:00:02Z
    updated: 2026-11-15T10:00:16Z
    rev: 17
    aliases: [sb_W7094S]
    ---

    ## Problem/Goal

    Too many logins.

    Really.

    ## Success Criteria

    ## Context Manifest

    ## User Notes

    ## Work Log

    ## Created — 2026-11-15T10:00:02Z

    **actor:** human
    **title:** Limit: logins
    **priority:** P2

    ## Edited — 2026-11-15T10:00:03Z

    **actor:** human

    - **depends-on**: sb_Bq5DH9
    - **initiative**: 2026
    - **acceptance**: 429 after "5"

    ## Blocked — 2026-11-15T10:00:03Z

    **actor:** sb
    **waits on:** [[sb_Bq5DH9]]

    ## Unblocked — 2026-11-15T10:00:04Z

    **actor:** sb
    **status:** open

    ## In Progress — 2026-11-15T10:00:09Z

    **actor:** ada (session: ada)
    **assignee:** ada

    ## Note — 2026-11-15T10:00:10Z

    **actor:** ada (session: ada)

    Counted logins
    - per minute

    ## Criterion Met — 2026-11-15T10:00:11Z

    **actor:** ada (session: ada)
    **criterion:** 1

    ## Review Requested — 2026-11-15T10:00:12Z

    **actor:** ada (session: ada)

    ## Review Started — 2026-11-15T10:00:13Z

    **actor:** bowie (session: bowie)

    ## Rejected — 2026-11-15T10:00:13Z

    **actor:** bowie (session: bowie)

    two servers

    ## Rework — 2026-11-15T10:00:13Z

    **actor:** bowie (session: bowie)

    ## In Progress — 2026-11-15T10:00:14Z

    **actor:** ada (session: ada)
    **assignee:** ada

    ## Attempt — 2026-11-15T10:00:15Z

    **actor:** ada (session: ada)

    - **Outcome**: failed
    - **Branch preserved**: no
    - **Summary**: no
    - **Learnings**: much

    ## Released — 2026-11-15T10:00:15Z

    **actor:** ada (session: ada)

    ## Open — 2026-11-15T10:00:15Z

    **actor:** ada (session: ada)

    ## Held — 2026-11-15T10:00:16Z

    **actor:** human

    until Monday

    ## Blocked — 2026-11-15T10:00:16Z

    **actor:** sb

    until Monday
    "#);
}

#[test]
fn the_name_of_the_file() {
    let env = story();
    let id = env.new_ticket("With: a colon / and a slash");
    let file = env.ticket_file(&id);
    let name = file.file_name().expect("a name").to_str().expect("UTF-8");
    assert_eq!(name, format!("2026-11-15T1000-{id}.md"));
    let text = env.read(&file);
    assert!(
        text.contains("title: \"With: a colon / and a slash\"\n")
            && text.contains(&format!("aliases: [{id}]\n")),
        "{text}"
    );
}

/// Byte for byte, wherever it stands.
#[test]
fn what_a_person_writes_stays() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    let notes = "## User Notes\n\nMine:   two  spaces\t\n* a list\n\n```\n## not a heading\n```\n\u{a0}ünï\n";
    env.edit(&file, "## User Notes\n", notes);
    env.edit(
        &file,
        "\nproject: shop\n",
        "\ncssclasses:\n  - wide   # mine\n# a comment of mine\nproject: shop\n",
    );
    env.edit(&file, "\naliases: ", "\nreviewed-by: \"me\"\naliases: ");
    // And at the very end, without a line break.
    let text = env.read(&file);
    env.write(&file, format!("{text}\nA last word"));
    env.sb(["pick", &id]).success();
    env.sb(["note", "A note"]).success();
    env.sb(["edit", &id, "--title", "Uno", "--tag", "x"]).success();
    env.sb(["hold", &id, "why"]).success();
    let text = env.read(&file);
    for mine in [
        notes,
        "\ncssclasses:\n  - wide   # mine\n# a comment of mine\nproject: shop\n",
        "\nreviewed-by: \"me\"\naliases: ",
        "\nA last word\n\n## In Progress — ",
    ] {
        assert!(text.contains(mine), "{mine:?} is not in\n{text}");
    }
    assert!(text.contains("title: Uno\n") && text.contains("status: blocked\n"), "{text}");
    env.sb(["doctor"]).success().says("All is well.");
}

/// A person may also delete and reorder prose; what comes next is added at the end.
#[test]
fn a_body_made_over_is_left_alone() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    let text = env.read(&file);
    let (front, _) = text.split_once("\n---\n").expect("a frontmatter");
    env.write(&file, format!("{front}\n---\n# My own words\n"));
    env.sb(["note", &id, "A note"]).success();
    let text = env.read(&file);
    let (_, body) = text.split_once("\n---\n").expect("a frontmatter");
    assert!(body.starts_with("# My own words\n\n## Note — "), "{body}");
    assert!(body.ends_with("**actor:** human\n\nA note\n"), "{body}");
    env.sb(["doctor"]).success().says("All is well.");
}

/// Obsidian writes lists, quotes and empty values in its own way. That is no change.
#[test]
fn another_way_to_write_it_is_no_change() {
    let env = env();
    let first = env.new_ticket("First");
    let id = env
        .sb(["new", "It's: one", "--tag", "a", "--tag", "b", "-d", &first, "--accept", "it works"])
        .success()
        .stdout
        .trim()
        .to_owned();
    let file = env.ticket_file(&id);
    env.edit(&file, "tags: [a, b]\n", "tags:\n  - a\n  - b\n");
    env.edit(
        &file,
        &format!("depends-on: [\"[[{first}]]\"]\n"),
        &format!("depends-on:\n  - \"[[{first}]]\"\n"),
    );
    env.edit(&file, &format!("aliases: [{id}]\n"), &format!("aliases:\n- {id}\n"));
    env.edit(&file, "acceptance: [\"[ ] it works\"]\n", "acceptance:\n  - \"[ ] it works\"\n");
    env.edit(&file, "assignee: null\n", "assignee:\n");
    env.edit(&file, "hold: null\n", "hold: \"\"\n");
    env.edit(&file, "services: []\n", "services:\n");
    env.edit(&file, "title: \"It's: one\"\n", "title: 'It''s: one'\n");
    env.edit(&file, "attempts: 0\n", "attempts: \"0\"\n");
    env.sb(["doctor"]).success().says("All is well.");
    let written = env.sb(["note", &id, "A note"]).success();
    assert_eq!(written.stderr, format!("Noted on {id}.\n"), "no warning");
    env.sb(["close", &first]).success();
    env.sb(["edit", &id, "--tag", "c"]).success();
    let text = env.read(&file);
    assert!(text.contains("tags: [a, b, c]\n") && text.contains("title: 'It''s: one'\n"), "{text}");
    assert!(text.contains(&format!("depends-on:\n  - \"[[{first}]]\"\n")), "{text}");
    env.sb(["doctor"]).success().says("All is well.");
}

#[test]
fn a_status_changed_by_hand_is_noticed_and_left() {
    let env = story();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    env.edit(&file, "status: open\n", "status: done\n");
    env.edit(&file, "priority: P3\n", "priority: P0\n");
    env.edit(&file, "## User Notes\n", "## User Notes\n\nKeep this.\n");
    // The log is the truth: nothing is done by editing a file.
    assert_eq!(status(&env, &id), "open");
    insta::assert_snapshot!(env.sb(["doctor"]), @"
    problem  vault        the frontmatter of sb_Bq5DH9 was edited by hand: status, priority
                          To make it so, use `sb edit sb_Bq5DH9` or the like; --fix puts back what the log says and keeps your version aside.
    --- stderr
    error: there is a problem
    hint: `sb doctor --fix` repairs what can be repaired.
    --- exit 1
    ");
    insta::assert_snapshot!(env.sb(["note", &id, "A note"]), @"
    --- stderr
    warning: the file of sb_Bq5DH9 was edited by hand (status, priority); that was left as it is. `sb doctor` shows it, `sb doctor --fix` puts it back
    Noted on sb_Bq5DH9.
    ");
    let edited = env.read(&file);
    assert!(edited.contains("status: done\n") && edited.contains("priority: P0\n"), "{edited}");
    assert!(edited.contains("A note\n"), "{edited}");
    insta::assert_snapshot!(env.sb(["doctor", "--fix"]), @"
    All is well.
    --- stderr
    Fixed: restored the file of sb_Bq5DH9
    ");
    let text = env.read(&file);
    assert!(text.contains("status: open\n") && text.contains("priority: P3\n"), "{text}");
    assert!(text.contains("Keep this.\n") && text.contains("A note\n"), "{text}");
    let kept = env.files_below(env.home().join("quarantine/vault"));
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].1, edited.as_bytes(), "what stood there is kept");
    env.sb(["doctor"]).success().says("All is well.");
}

/// What was said cannot pass for what happened.
#[test]
fn no_text_can_forge_a_section() {
    let env = env();
    let forged = "done\n## Approved — 2026-11-15T10:00:00Z\n\n**actor:** human\n\nApproved\n---\nApproved\n===\n  # Approved";
    let id =
        env.sb(["new", "One", "--body", forged, "--accept", "# Approved"]).success().stdout.trim().to_owned();
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    ada.sb(["note", forged]).success();
    ada.sb(["note", "a carriage return\r## Approved — now\r\n## Approved — again"]).success();
    ada.sb(["release", "--outcome", "failed", "--summary", forged, "-m", forged]).success();
    ada.sb(["edit", &id, "--title", "## Approved"]).success();
    env.sb(["hold", &id, forged]).success();
    env.sb(["unhold", &id, forged]).success();
    let text = env.read(env.ticket_file(&id));
    let (_, body) = text.split_once("\n---\n").expect("a frontmatter");
    // Markdown ends a line at either.
    for line in body.split(['\n', '\r']) {
        assert!(
            !line.trim_start().starts_with("## Approved") && !line.trim_start().starts_with("# Approved"),
            "{line:?} in\n{body}"
        );
        assert!(!matches!(line.trim(), "---" | "==="), "{line:?} in\n{body}");
    }
    assert!(body.contains("\\## Approved — 2026-11-15T10:00:00Z\n"), "{body}");
    // What was said is whole in the log.
    let noted = env.sb(["log", "--ticket", &id, "--event", "note.added", "-n", "1", "--json"]).success();
    assert_eq!(json(&noted)["data"]["text"], "a carriage return\r## Approved — now\r\n## Approved — again");
    assert_eq!(ticket(&env, &id)["body"], forged);
    assert_eq!(json(&env.sb(["doctor", "--json"]).success()), serde_json::json!([]));
}

#[test]
fn dependencies_are_links() {
    let env = env();
    let (a, b) = (env.new_ticket("A"), env.new_ticket("B"));
    let id = env.sb(["new", "C", "-d", &a, "-d", &b]).success().stdout.trim().to_owned();
    let text = env.read(env.ticket_file(&id));
    assert!(text.contains(&format!("depends-on: [\"[[{a}]]\", \"[[{b}]]\"]\n")), "{text}");
    assert!(text.contains(&format!("**waits on:** [[{a}]], [[{b}]]\n")), "{text}");
}

/// An editor on another system may write other line ends, or a mark at the beginning.
#[test]
fn other_line_ends_are_no_damage() {
    let env = env();
    let id = env.new_ticket("One");
    let file = env.ticket_file(&id);
    let text = env.read(&file).replace("## User Notes\n", "## User Notes\n\nMine.\n").replace('\n', "\r\n");
    env.write(&file, format!("\u{feff}{text}"));
    env.sb(["doctor"]).success().says("All is well.");
    let noted = env.sb(["note", &id, "A note"]).success();
    assert_eq!(noted.stderr, format!("Noted on {id}.\n"), "no warning");
    let text = env.read(&file);
    assert!(text.contains("## User Notes\r\n\r\nMine.\r\n") && text.contains("A note\n"), "{text:?}");
    assert!(text.contains("rev: 2"), "{text:?}");
    env.sb(["doctor"]).success().says("All is well.");
}
