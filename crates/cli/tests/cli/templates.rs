//! `sb templates`: whatever comes along can be listed, shown and copied; what is wrong in a person's own is found.

use signalbox_testkit::TestEnv;

use crate::support::{env, json};

fn put(env: &TestEnv, name: &str, text: &str) {
    let path = env.home().join("templates").join(format!("{name}.jinja"));
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    env.write(path, text);
}

/// All that come along, by name.
fn bundled(env: &TestEnv) -> Vec<String> {
    let list = json(&env.sb(["templates", "list", "--json"]).success());
    let rows = list.as_array().expect("a list").iter().filter(|row| row["origin"] == "bundled");
    rows.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn what_comes_along_can_be_copied_and_changed() {
    let env = env();
    for name in bundled(&env) {
        let text = env.sb(["templates", "show", &name]).success().stdout;
        env.sb(["templates", "check", &name]).success();
        env.sb(["templates", "install", &name]).success();
        let path = env.home().join("templates").join(format!("{name}.jinja"));
        assert_eq!(env.read(&path).trim_end(), text.trim_end(), "{name}");
        env.write(&path, "mine");
        env.sb(["templates", "install", &name]).code(4).says("nothing was written over it").says("--force");
        assert_eq!(env.sb(["templates", "show", &name]).success().stdout, "mine\n");
        assert_eq!(env.sb(["templates", "show", &name, "--bundled"]).success().stdout, text);
        env.sb(["templates", "install", &name, "--force"]).success();
        assert_eq!(env.sb(["templates", "show", &name]).success().stdout, text);
    }
    let list = json(&env.sb(["templates", "list", "--json"]).success());
    for row in list.as_array().expect("a list") {
        assert_eq!(row["origin"], "type", "{row}");
    }
    env.sb(["templates", "check"]).success();
    env.agent("ada").sb(["templates", "install"]).code(4).says("only a human may install templates");
}

#[test]
fn a_persons_own_are_listed_with_where_they_come_from() {
    let env = env();
    env.sb(["templates", "check"]).success().says("You have no templates of your own.");
    put(&env, "notifications/slack/default", "{{ message }}");
    put(&env, "my_monitor/happened", "text");
    let list = json(&env.sb(["templates", "list", "--json"]).success());
    let row =
        |name: &str| list.as_array().and_then(|rows| rows.iter().find(|row| row["name"] == name).cloned());
    let slack = row("notifications/slack/default").expect("a row");
    assert_eq!(slack["origin"], "type");
    assert!(
        slack["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("templates/notifications/slack/default.jinja"))
    );
    assert_eq!(row("my_monitor/happened").expect("a row")["origin"], "instance");
    env.sb(["templates", "list"]).success().says("your own, for the instance: ");
    assert_eq!(env.sb(["templates", "show", "my_monitor/happened"]).success().stdout, "text\n");
    for command in ["show", "check", "install"] {
        let run = env.sb(["templates", command, "my_monitr/happened"]).code(3);
        run.says("there is no template `my_monitr/happened`").says("Did you mean `my_monitor/happened`?");
    }
    env.sb(["templates", "show", "../config"]).code(3);
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let env = env();
    put(&env, "notifications/slack/default", "fine\n{{ mesage }}");
    put(&env, "notifications/slack/agent.completed", "a\nb\n{% if %}");
    let run = env.sb(["templates", "check"]).code(1).says("2 templates are wrong");
    let home = env.home().join("templates/notifications/slack").display().to_string();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(
        lines[0].starts_with(&format!("{home}/agent.completed.jinja, line 3: it cannot be read: ")),
        "{run}"
    );
    assert!(
        lines[1].starts_with(&format!("{home}/default.jinja, line 2: there is no `mesage` in such an event")),
        "{run}"
    );
    let wrong = json(&env.sb(["templates", "check", "--json"]).code(1));
    assert_eq!((&wrong[1]["line"], &wrong[1]["name"]), (&2.into(), &"notifications/slack/default".into()));
    env.sb(["templates", "check", "notifications/slack/default"]).code(1).says("a template is wrong");
    put(&env, "notifications/slack/default", "{{ message }}");
    env.sb(["templates", "check", "notifications/slack/default"]).success().says("The template is in order.");
    std::fs::create_dir_all(env.home().join("templates/x")).expect("a folder");
    env.write(env.home().join("templates/x/y.jinja"), b"\xff");
    env.sb(["templates", "list"]).code(1).says("y.jinja");
}
