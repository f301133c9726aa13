//! `init`, `projects`, `config`: which directory is which project, and what can be set.

use std::process::Command;

use crate::support::{empty, env, fields, json, story};

#[test]
fn a_directory_becomes_a_project() {
    let env = empty();
    insta::assert_snapshot!(env.sb(["projects"]), @"
    --- stderr
    There is no project yet.
    hint: Make a directory one: `sb init`.
    ");
    insta::assert_snapshot!(env.sb(["init"]), @r#"
    --- stderr
    ROOT/shop is now the project `shop`.
    hint: File a ticket with `sb new "TITLE"`.
    "#);
    insta::assert_snapshot!(env.sb(["init"]), @"
    --- stderr
    ROOT/shop is the project `shop` already.
    ");
    let made = json(&env.sb(["init", "--json"]).success());
    assert_eq!(made["name"], "shop");
    assert_eq!(made["path"], env.project().canonicalize().expect("a path").to_str().expect("UTF-8"));
    assert_eq!(std::fs::read_dir(env.project()).expect("the project").count(), 0, "nothing is written there");
}

#[test]
fn init_refuses_what_would_confuse() {
    let env = story();
    std::fs::create_dir(env.root().join("other")).expect("a folder");
    env.write(env.root().join("file"), "");
    insta::assert_snapshot!(env.sb(["init", "--name", "store"]), @"
    --- stderr
    error: ROOT/shop is the project `shop` already
    hint: Rename it in ROOT/hóme of sb/config.toml if you must; tickets keep the name they were filed under.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["init", "../other", "--name", "shop"]), @"
    --- stderr
    error: there is a project `shop` already, at ROOT/shop
    hint: Give this one another name: `sb init --name NAME`.
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["init", "../other", "--name", "untracked"]), @"
    --- stderr
    error: `untracked` is where events of no project go
    hint: Give the project another name: `sb init --name NAME`.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["init", "../other", "--name", "a b"]), @"
    --- stderr
    error: `a b` is no project name: 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["init", "../nowhere"]), @"
    --- stderr
    error: ../nowhere cannot be used: No such file or directory (os error 2)
    hint: Name a directory that exists.
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["init", "../file"]), @"
    --- stderr
    error: ROOT/file is not a directory
    --- exit 2
    ");
    env.sb(["init", "../other"]).success();
    let projects = json(&env.sb(["projects", "--json"]).success());
    assert_eq!(projects[0]["name"], "other");
    assert_eq!(fields(&projects[0]), ["name", "path", "open", "in_progress", "review"]);
}

#[test]
fn the_innermost_project_counts() {
    let env = env();
    let inner = env.project().join("web/app");
    std::fs::create_dir_all(inner.join("src")).expect("folders");
    env.sb_in(&inner, ["init", "--name", "app"]).success();
    let outer_ticket = env.sb_in(env.project().join("web"), ["new", "Outer"]).success().stdout;
    let inner_ticket = env.sb_in(inner.join("src"), ["new", "Inner"]).success().stdout;
    let listed = env.sb(["list"]).success().stdout;
    assert!(listed.contains(outer_ticket.trim()) && !listed.contains(inner_ticket.trim()), "{listed}");
    let listed = env.sb_in(&inner, ["list"]).success().stdout;
    assert!(!listed.contains(outer_ticket.trim()) && listed.contains(inner_ticket.trim()), "{listed}");
    let listed = env.sb(["list", "--project", "*"]).success().stdout;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    env.sb(["list", "--project", "app"]).success().says("Inner").never_says("Outer");
    let app = json(&env.sb(["projects", "--json"]).success())[0].clone();
    assert_eq!((&app["name"], &app["open"]), (&"app".into(), &1.into()));
}

#[test]
fn no_project_here() {
    let env = story();
    insta::assert_snapshot!(env.sb_in(env.root(), ["new", "Somewhere"]), @"
    --- stderr
    error: this directory belongs to no project
    hint: Make it one with `sb init`, or name one with `--project NAME` (`sb projects` lists them).
    --- exit 4
    ");
    insta::assert_snapshot!(env.sb(["new", "Somewhere", "--project", "shp"]), @"
    --- stderr
    error: there is no project `shp`
    hint: Did you mean `shop`?
    --- exit 3
    ");
    env.sb_in(env.root(), ["new", "Somewhere", "--project", "shop"]).success();
    env.sb_in(env.root(), ["list"]).success().says("shop").says("Somewhere");
}

#[test]
fn a_git_worktree_counts_as_its_project() {
    let env = env();
    let git = |directory: &std::path::Path, words: &[&str]| {
        let mut command = Command::new("git");
        env.prepare(&mut command);
        command
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
            .args(words)
            .current_dir(directory);
        env.run(command).success();
    };
    git(&env.project(), &["init", "-q"]);
    git(&env.project(), &["commit", "-q", "--allow-empty", "-m", "first"]);
    let worktree = env.root().join("somewhere else");
    git(&env.project(), &["worktree", "add", "-q", "-b", "side", worktree.to_str().expect("UTF-8")]);
    std::fs::create_dir(worktree.join("src")).expect("a folder");
    let id = env.sb_in(worktree.join("src"), ["new", "From the worktree"]).success().stdout;
    let listed = json(&env.sb(["list", "--json"]).success());
    assert_eq!(listed[0]["id"], id.trim());
    assert_eq!(listed[0]["project"], "shop");
    // A repository of its own beside it does not.
    let other = env.root().join("other");
    std::fs::create_dir(&other).expect("a folder");
    git(&other, &["init", "-q"]);
    env.sb_in(&other, ["new", "Elsewhere"]).code(4).says("belongs to no project");
}

#[test]
fn settings_are_read_and_changed() {
    let env = story();
    env.edit(env.home().join("config.toml"), "[identity]", "# mine\n[identity]");
    insta::assert_snapshot!(env.sb(["config", "get"]), @"
    vault = $SIGNALBOX_HOME/vault  (default)
        The folder of markdown: tickets go into its `tickets` folder. `${NAME}` and a leading `~/` are filled in.
    identity.agent_programs =   (set)
        Programs that are agents: whatever runs below one of them is not a human.
    mode.default = implementation  (default)
        The mode a session starts in: `discussion` or `implementation`. A project may have its own.
    mode.triggers = make it so, go ahead, ship it, let's do it, execute, implement it  (default)
        Phrases in your prompt that open implementation mode.
    mode.blocked_tools = Edit, Write, MultiEdit, NotebookEdit  (default)
        Tools that are refused in discussion mode by their name, besides all that would change something.
    mode.read_only =   (default)
        Commands that may run in discussion mode though they are not known to only read: `cargo test, make lint`.
    protect.also =   (default)
        Files that no agent may change, besides those that are always protected: `infra/**, *.pem`.
    protect.except =   (default)
        Files that are not protected after all.
    debug.level =   (default)
        How much hooks say about themselves: `error`, `warning`, `info`, `debug` or `trace`. Empty: nothing.
    debug.format = text  (default)
        `text` or `json`.
    debug.file =   (default)
        The file hooks say it to, below $SIGNALBOX_HOME. Empty: standard error.
    agents.recording = true  (default)
        Whether agents in a terminal are recorded, what they print and what is typed: `true` or `false`.
    agents.recording_max_mb = 100  (default)
        How large a recording becomes before it is begun anew; the one before it is kept.
    agents.log_max_mb = 10  (default)
        The same for the plain log.
    agents.detach_key = ctrl-a d  (default)
        The keys that detach from an agent: `ctrl-` with a letter, and then at most two more.
    agents.seat_idle_seconds = 300  (default)
        After how long without a keystroke whoever attached with `-i` only watches.
    agents.redact = *_API_KEY, *_TOKEN, *_SECRET, *_PASSWORD  (default)
        Variables whose values never stand in a recording or log; `*` for anything.
    heartbeat.schedule = @every 15m  (default)
        When the daemon looks after things: five fields as cron has them, `@hourly` and its like, `@every 15m`, or `off`.
    heartbeat.run =   (default)
        Lines for the shell that a heartbeat runs, but only when something has changed since the last one.
    heartbeat.timeout = 600  (default)
        How long each of these lines may take, in seconds.
    web.port = 7117  (default)
        The port of the web page; where it is taken, the next one that is free.
    web.addresses =   (default)
        Addresses on which the web page is reached besides this machine's own: `192.168.1.20`. It speaks plain HTTP: put TLS in front of it.
    web.names =   (default)
        Names under which browsers reach it there; any other name is refused.
    web.serve = false  (default)
        Whether the daemon serves the web page from its start on; else from the first `sb web` on.
    ");
    insta::assert_snapshot!(env.sb(["config", "get", "vault"]), @"$SIGNALBOX_HOME/vault");
    env.sb(["config", "set", "vault", "~/Nötes of mine"]).success();
    let got = json(&env.sb(["config", "get", "vault", "--json"]).success());
    assert_eq!(got["value"], "~/Nötes of mine");
    assert_eq!(json(&env.sb(["config", "get", "--json"]).success())[1]["key"], "identity.agent_programs");
    let path = env.sb(["config", "path"]).success().stdout;
    assert_eq!(path.trim_end(), env.home().join("config.toml").to_str().expect("UTF-8"));
    let text = env.read(path.trim_end());
    assert!(text.contains("# mine\n[identity]\nagent_programs = []\n"), "{text}");
    let id = env.new_ticket("In the other vault");
    assert!(env.root().join("Nötes of mine/tickets").is_dir());
    env.sb(["show", &id]).success().says("Nötes of mine/tickets");
    env.sb(["config", "set", "identity.agent_programs", "codex, goose"]).success();
    env.sb(["config", "get", "identity.agent_programs"]).success().says("codex, goose");
    assert!(env.read(path.trim_end()).contains("# mine\n"));
}

/// A relative vault is the same folder wherever one is, and an empty one is the default.
#[test]
fn the_vault_does_not_depend_on_the_directory() {
    let env = env();
    env.sb(["config", "set", "vault", "notes"]).success();
    let first = env.new_ticket("First");
    std::fs::create_dir(env.project().join("src")).expect("a folder");
    env.sb_in(env.project().join("src"), ["note", &first, "words"]).success();
    assert_eq!(env.files_below(env.home().join("notes")).len(), 1);
    assert_eq!(env.files_below(env.project()).len(), 0, "nothing is written into the project");
    env.sb(["config", "set", "vault", ""]).success();
    env.sb(["doctor", "--fix"]).success();
    assert!(env.ticket_file(&first).is_file());
}

#[test]
fn an_unknown_setting_is_guessed() {
    let env = env();
    insta::assert_snapshot!(env.sb(["config", "set", "valut", "/x"]), @"
    --- stderr
    error: there is no setting `valut`
    hint: Did you mean `vault`?
    --- exit 3
    ");
    insta::assert_snapshot!(env.sb(["config", "get", "colour"]), @"
    --- stderr
    error: there is no setting `colour`
    hint: `sb config get` lists the settings.
    --- exit 3
    ");
}

#[test]
fn a_config_with_an_unknown_key_names_it_and_its_line() {
    let env = empty();
    env.write(env.home().join("config.toml"), "# a comment\n\nvualt = \"/x\"\n");
    insta::assert_snapshot!(env.sb(["list"]), @"
    --- stderr
    error: ROOT/hóme of sb/config.toml, line 3: there is no setting `vualt`, did you mean `vault`?
    hint: Correct that line in ROOT/hóme of sb/config.toml; `sb config get` lists the settings.
    --- exit 1
    ");
    env.write(env.home().join("config.toml"), "[projects.shop]\npath = \"/x\"\ncolour = \"red\"\n");
    insta::assert_snapshot!(env.sb(["new", "x"]), @"
    --- stderr
    error: ROOT/hóme of sb/config.toml, line 3: there is no setting `colour`; there are `path`, `mode`, `tests`, `protect`, `approve`, `ownership`
    hint: Correct that line in ROOT/hóme of sb/config.toml; `sb config get` lists the settings.
    --- exit 1
    ");
    env.write(env.home().join("config.toml"), "vault = [\n");
    env.sb(["list"]).code(1).says("config.toml, line ");
    env.write(env.home().join("config.toml"), "vault = 3\n");
    env.sb(["list"]).code(1).says("line 1").says("a text in quotes is needed here, not `3`");
    env.write(env.home().join("config.toml"), [0xff, 0xfe, b'\n']);
    env.sb(["list"]).code(1).says("it is not UTF-8 text");
    env.write(env.home().join("config.toml"), "vault = \"${NOT_SET}/x\"\n");
    insta::assert_snapshot!(env.sb(["list"]), @"
    --- stderr
    error: `vault` names the variable NOT_SET, which is not set
    hint: Set NOT_SET, or write the path out.
    --- exit 1
    ");
}

#[test]
fn two_projects_with_one_path() {
    let env = story();
    let config = env.home().join("config.toml");
    let path = env.project().canonicalize().expect("a path");
    let text = env.read(&config);
    env.write(&config, format!("{text}\n[projects.store]\npath = \"{}\"\n", path.display()));
    insta::assert_snapshot!(env.sb(["list"]), @"
    --- stderr
    error: ROOT/hóme of sb/config.toml: the projects `shop` and `store` have the same path, ROOT/shop
    hint: Remove one of the two from ROOT/hóme of sb/config.toml.
    --- exit 1
    ");
    env.sb(["new", "x"]).code(1);
    env.write(&config, &text);
    env.sb(["new", "x"]).success();
}
