//! Templates, from finding one to its text.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use serde_json::{Value, json};
use signalbox_template::{Bundled, Found, Library, MOST_TEXT, Origin, Wrong, check, render};

const BUNDLED: &[Bundled] = &[
    Bundled { folder: "github", event: "ci_failure", text: "CI failed: {{ check.name }}" },
    Bundled {
        folder: "shell",
        event: "shell_alert",
        text: "{{ command }} says {{ output | last_lines(2) }}",
    },
];

fn template(text: &str) -> Found {
    Found { name: "x/y".into(), text: text.into(), origin: Origin::Bundled }
}

fn made(text: &str, event: &Value) -> Result<String, Wrong> {
    render(&template(text), event)
}

#[test]
fn gaps_are_filled_and_nothing_else() {
    let event = json!({
        "check": { "name": "build", "steps": [{ "name": "one" }, { "name": "two" }] },
        "log": "a\nb\nc\n", "evil": "{{ check.name }} {% for x in y %} <b>&", "long": "ü".repeat(50),
        "ticks": "```\nrm\n```", "none": null, "words": "several\n  words\there",
    });
    for (text, want) in [
        ("{{ check.name }}!", "build!"),
        ("{% for step in check.steps %}{{ loop.index }}:{{ step.name }} {% endfor %}", "1:one 2:two "),
        // Foreign text stays what it is.
        ("{{ evil }}", "{{ check.name }} {% for x in y %} <b>&"),
        ("{{ log | last_lines(2) }}", "b\nc"),
        ("{{ long | short(5) }}", "üüüü…"),
        ("{{ check.name | short(5) }}", "build"),
        ("{{ words | one_line }}", "several words here"),
        ("{{ log | quoted }}", "> a\n> b\n> c"),
        ("{{ ticks | fenced }}", "````\n```\nrm\n```\n````"),
        ("{% if none %}yes{% else %}no{% endif %}", "no"),
        ("{{ missing | default('-') }}", "-"),
        ("{{ check.name | upper }}", "BUILD"),
    ] {
        assert_eq!(made(text, &event).unwrap(), want, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let event = json!({ "check": { "name": "build" } });
    for (text, line, words) in [
        ("ok\n{{ check.name", 2, "it cannot be read"),
        ("ok\n\n{% for %}", 3, "it cannot be read"),
        ("{{ nothing }}", 1, "does not exist"),
        ("a\n{{ check.nothing }}", 2, "does not exist"),
        ("{{ check.name | nothing }}", 1, "no such filter"),
        ("{{ nothing() }}", 1, "no such function"),
        ("{{ check.name | short(0) }}", 1, "not between 1 and"),
    ] {
        let wrong = made(text, &event).unwrap_err();
        assert!(wrong.what.contains(words), "{text}: {wrong}");
        assert_eq!(wrong.line, Some(line), "{text}: {wrong}");
        assert!(wrong.to_string().starts_with(&format!("the template x/y, line {line}: ")), "{wrong}");
    }
}

/// A template that never ends or grows without bounds is a mistake that must not take the machine with it.
#[test]
fn a_template_cannot_do_too_much() {
    let event = json!({ "text": "x".repeat(MOST_TEXT / 2) });
    for (text, words) in [
        ("{{ text }}{{ text }}!", "more than"),
        ("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}", ""),
        ("{% for a in range(1000000000) %}{% endfor %}", ""),
        ("{{ 'x' * 1000000000 }}", ""),
        ("{% include 'x/y' %}", ""),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", ""),
    ] {
        let wrong = made(text, &event).unwrap_err();
        assert!(wrong.what.contains(words), "{text}: {wrong}");
    }
}

#[test]
fn names_are_checked_before_anything_happens() {
    let names = ["check", "log"];
    check(
        &template("{{ check.name }} {% for x in log %}{{ x }}{{ loop.index }}{% endfor %}{{ range(2) }}"),
        &names,
    )
    .unwrap();
    let wrong = check(&template("fine\n{{ chek.name }}"), &names).unwrap_err();
    assert_eq!(wrong.line, Some(2));
    assert_eq!(wrong.what, "there is no `chek` in such an event; there are check, log");
    check(&template("{% if %}"), &names).unwrap_err();
}

#[test]
fn the_instance_comes_before_the_type_and_the_user_before_us() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::new(folder.path(), BUNDLED);
    let find = |folders: &[&str], event: &str| library.find(folders, event).unwrap();
    let origin = |found: Option<Found>| found.map(|found| (found.name, found.text));
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let disk = ["disk_check", "shell"];
    assert_eq!(find(&disk, "shell_alert").unwrap().origin, Origin::Bundled);
    put("shell/shell_alert.jinja", "type");
    assert_eq!(origin(find(&disk, "shell_alert")), Some(("shell/shell_alert".into(), "type".into())));
    put("disk_check/shell_alert.jinja", "instance");
    assert_eq!(
        origin(find(&disk, "shell_alert")),
        Some(("disk_check/shell_alert".into(), "instance".into()))
    );
    assert_eq!(find(&disk, "nothing"), None);
    put("notifications/slack/default.jinja", "x");
    put("stray.txt", "x");
    let names: Vec<String> = library.users().unwrap().into_iter().map(|found| found.name).collect();
    assert_eq!(names, ["disk_check/shell_alert", "notifications/slack/default", "shell/shell_alert"]);
}

/// The name of an instance is a person's or an agent's, and leads nowhere else.
#[test]
fn names_that_lead_elsewhere_find_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.jinja"), "secret").unwrap();
    std::fs::create_dir(folder.path().join("templates")).unwrap();
    let library = Library::new(folder.path().join("templates"), BUNDLED);
    for (inside, event) in [
        ("..", "secret"),
        ("../templates/..", "secret"),
        ("x", "../../secret"),
        ("", "secret"),
        ("a/../..", "secret"),
    ] {
        assert_eq!(library.find(&[inside], event).unwrap(), None, "{inside} {event}");
    }
    let absolute = folder.path().to_str().unwrap();
    assert_eq!(library.find(&[absolute], "secret").unwrap(), None);
}
