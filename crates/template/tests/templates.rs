//! Templates, from finding one to its text.
#![expect(clippy::disallowed_methods, reason = "this plays the user, who writes templates")]

use serde_json::{Value, json};
use signalbox_template::{
    Bundled, Extras, Filter, Found, Function, Library, MOST_TEXT, Origin, Wrong, check, check_with, render,
    render_with,
};

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
        ("{{ check.steps | tojson }}", r#"[{"name":"one"},{"name":"two"}]"#),
        ("{{ evil | tojson }}", r#""{{ check.name }} {% for x in y %} <b>&""#),
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

#[test]
fn what_is_for_one_event_comes_before_what_is_for_all() {
    const ALONG: &[Bundled] = &[
        Bundled { folder: "notifications/x", event: "agent.failed", text: "along for it" },
        Bundled { folder: "notifications/x", event: "default", text: "along for all" },
    ];
    let folder = tempfile::tempdir().unwrap();
    let library = Library::new(folder.path(), ALONG);
    let inside = folder.path().join("notifications/x");
    std::fs::create_dir_all(&inside).unwrap();
    let text = |event: &str| library.find_or_default(&["notifications/x"], event).unwrap().unwrap().text;
    assert_eq!(
        (text("agent.failed").as_str(), text("agent.done").as_str()),
        ("along for it", "along for all")
    );
    std::fs::write(inside.join("default.jinja"), "user for all").unwrap();
    assert_eq!(
        (text("agent.failed").as_str(), text("agent.done").as_str()),
        ("along for it", "user for all")
    );
    std::fs::write(inside.join("agent.failed.jinja"), "user for it").unwrap();
    assert_eq!(text("agent.failed"), "user for it");
    // A name that is none still has what is for all.
    assert_eq!(text("../x"), "user for all");
    assert_eq!(library.find_or_default(&["notifications/y"], "agent.failed").unwrap(), None);
}

const EXTRAS: Extras = Extras {
    functions: &[
        Function { name: "put", parameters: &["text", "style"], required: 1 },
        Function { name: "rule", parameters: &[], required: 0 },
    ],
    filters: &[Filter {
        name: "loud",
        apply: |value, given| match (value.as_str(), given) {
            (Some(text), []) => Ok(json!(text.to_uppercase())),
            _ => Err("`loud` takes a text".to_owned()),
        },
    }],
};

#[test]
fn what_functions_are_called_with_is_put_aside_in_order() {
    let event = json!({ "name": "x", "many": [1, 2], "none": null });
    let text = "a{{ put(name | loud, style='s') }}{% for n in many %}{{ put(n) }}{% endfor %}{{ rule() }}b";
    let made = render_with(&template(text), &event, &EXTRAS).unwrap();
    assert_eq!(made.text, "ab");
    let calls: Vec<_> =
        made.calls.iter().map(|call| (call.function, call.text("text"), call.text("style"))).collect();
    let owned = |text: &str| Some(text.to_owned());
    assert_eq!(
        calls,
        [
            ("put", owned("X"), owned("s")),
            ("put", owned("1"), None),
            ("put", owned("2"), None),
            ("rule", None, None)
        ]
    );
    check_with(&template(text), &["name", "many"], &EXTRAS).unwrap();
    assert!(check(&template("{{ put(1) }}"), &[]).is_err());
    for (text, want) in [
        ("{{ put() }}", "`put` needs `text`"),
        ("\n\n{{ put(style='x') }}", "the template x/y, line 3: `put` needs `text`"),
        ("{{ put(1, 2, 3) }}", "`put` takes text, style, and no more"),
        ("{{ put(1, colour=2) }}", "`put` takes text, style, and no `colour`"),
        ("{{ put(nothing) }}", "does not exist"),
        ("{{ many | loud }}", "`loud` takes a text"),
        ("{% for a in range(1001) %}{{ rule() }}{% endfor %}", "`rule` is called too often or with too much"),
        (
            "{% for a in range(1000) %}{{ put('x' * 1000) }}{% endfor %}",
            "`put` is called too often or with too much",
        ),
    ] {
        let wrong = render_with(&template(text), &event, &EXTRAS).unwrap_err().to_string();
        assert!(wrong.contains(want), "{text}: {wrong}");
    }
}
