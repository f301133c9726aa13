//! Help, the reference, usage errors and exit codes: what holds for every command.

use crate::support::{command_names, env, fields, json_error, story};

#[test]
fn every_command_has_help() {
    let env = env();
    let names = command_names(&env);
    assert!(names.len() > 40, "{names:?}");
    for name in &names {
        let help = env.sb([name, "--help"]).success();
        assert!(help.stdout.ends_with('\n') && !help.stdout.ends_with("\n\n"), "{name}: {:?}", help.stdout);
        assert!(help.stderr.is_empty(), "{help}");
        assert!(help.stdout.contains("Usage: sb "), "{help}");
        assert_eq!(env.sb(["help", name]).success().stdout, help.stdout, "{name}");
    }
}

#[test]
fn every_subcommand_has_help() {
    let env = env();
    for words in [
        &["config", "get"][..],
        &["config", "set"],
        &["config", "path"],
        &["index", "rebuild"],
        &["hook", "session-start"],
        &["hook", "session-end"],
        &["at", "now", "list"],
        &["at", "now", "show"],
    ] {
        let help = env.sb(words.iter().chain(&["--help"])).success();
        assert!(help.stdout.contains("Usage: sb ") && help.stdout.ends_with('\n'), "{help}");
    }
}

/// The reference holds the help of every command and of every subcommand.
#[test]
fn every_command_and_every_argument_is_explained() {
    let env = env();
    let reference = env.sb(["help", "--reference", "cli"]).success().stdout;
    let blocks: Vec<&str> = reference.split("```text\n").skip(1).collect();
    assert!(blocks.len() > 40, "{}", blocks.len());
    for block in blocks {
        let block = block.split("```").next().expect("the end of the block");
        let (about, rest) = block.split_once("\nUsage: ").expect("a usage");
        assert!(about.trim().len() > 8, "no word about it:\n{block}");
        // An argument's explanation stands beside it or, in the long form, below it.
        let mut lines = rest.lines().skip(1).peekable();
        while let Some(line) = lines.next() {
            let word = line.trim_start();
            let indent = line.len() - word.len();
            let is_argument = (2..=6).contains(&indent) && word.starts_with(['-', '[', '<']);
            if is_argument {
                let beside = word.split_once("  ").is_some_and(|(_, help)| !help.trim().is_empty());
                let below = lines
                    .peek()
                    .is_some_and(|next| next.starts_with("          ") && !next.trim().is_empty());
                assert!(beside || below, "{line:?} is not explained in\n{block}");
            }
        }
    }
}

#[test]
fn there_are_seven_reference_pages() {
    let env = env();
    for (page, heading) in [
        ("cli", "# Commands"),
        ("config", "# Settings"),
        ("events", "# Events"),
        ("environment", "# Environment"),
        ("outside", "# Monitors, goals and notifiers"),
        ("control-socket", "# The control socket"),
        ("mcp", "# MCP"),
    ] {
        let text = env.sb(["help", "--reference", page]).success().stdout;
        assert!(text.starts_with(heading), "{text}");
    }
    insta::assert_snapshot!(env.sb(["help", "--reference", "web"]), @"
    --- stderr
    error: there is no reference page `web`
    hint: The pages are cli, config, contract, events, environment, outside, control-socket, http and mcp.
    --- exit 3
    ");
}

#[test]
fn the_overview_is_the_answer_to_nothing_and_to_a_cry_for_help() {
    let env = env();
    let overview = env.sb(["--help"]).success();
    for words in [&[][..], &["-h"], &["help"]] {
        assert_eq!(env.sb(words).success().stdout, overview.stdout);
    }
    insta::assert_snapshot!(overview, @"
    Signalbox: the control room for AI coding agents

    Usage: sb COMMAND [ARGUMENTS]

    Getting started
      init                      Make a directory a project
      bootstrap                 Propose a repository's contract and first tickets from what is in it
      projects                  List the projects
      demo                      Watch agents take eight tickets to main, in a folder of their own
      help                      Show what can be done now, or all about one command

    Reading
      board, tui                See and do everything in the terminal, live
      list, ls                  List tickets
      show, view                Show a ticket with its story
      ready                     List what can be claimed, most urgent first
      web                       Open the web page: board, agents, decisions, live
      log                       Show events, or follow them
      at                        Show tickets as they were at a past moment
      context                   Show who you are, your ticket and what you could take
      query                     Ask the index in SQL, or run a named report

    Working on tickets
      new, create, add          File a ticket
      edit                      Change a ticket's title, priority, tags, dependencies …
      pick, start, begin, claim Claim a ticket and begin work on it
      pop                       Claim the most urgent ready ticket and show it
      note                      Write a note on a ticket
      check                     Tick an acceptance criterion, or untick it
      escalate                  Write down a question that only a human can answer
      esc                       See the questions for humans, and answer them
      status, move              Show everything at a glance, or move a ticket to another status
      submit                    Hand work in for review
      release, unclaim, drop    Let go of a ticket, with a report of the attempt
      switch                    Make a ticket the current one
      clear                     Have no current ticket

    Reviewing
      review                    Take a ticket for review, or hand in your own
      approve                   Accept reviewed work: the ticket is done
      reject                    Send reviewed work back with a reason

    For humans alone
      assign                    Give a ticket to someone
      hold                      Block a ticket with a reason
      unhold                    Release a hold
      override                  Force a status; it is recorded
      close                     Mark a ticket done without review
      reopen                    Bring a done ticket back
      shape                     Turn an idea into a graph of tickets, and approve it
      trust                     Look at what a repository's contract runs, and trust it

    Agents and what they may do
      run                       Take ready tickets to main: set agents to work, review, merge
      why                       Say why a ticket is where it is, and what it waits for
      queue                     Show what waits to be merged, and what for
      workspace, workspaces     List, clean and restore the directories that agents work in
      agent                     Run an agent CLI in a terminal that can be watched, recorded and told things
      agents                    List the agents that run, and what each is doing
      attach                    Watch an agent's terminal, or type in it
      replay                    Watch again what an agent did
      puppet                    A scripted agent CLI to try things with
      inject, tell              Tell a running agent something, without touching a draft
      outbox                    Show what waits for agents, and what became of what was sent
      monitor, monitors         Watch the world for agents: CI, reviews, commands
      notifier, notifiers       Tell people what needs them
      goal, goals               Say what agents are there for, and how far they are
      mode                      Say or switch whether a session may change anything
      session, sessions         List sessions, show one, say what it may do
      rules                     List the rules, and try what they refuse
      explain                   Say in full why something was refused
      statusline                Print one line for an agent CLI's status bar
      hooks                     Install the hooks in agent CLIs, and see whether they bite
      tasklist                  Bring tickets into Claude Code's own task list, and back
      mcp                       Serve the tickets to an agent CLI as MCP tools
      hook                      Answer an agent CLI's hook

    Looking after it
      up                        Start the daemon, which watches, tells and looks after goals
      down                      End the daemon; agents go on
      restart                   End the daemon and start it anew
      logs                      Show what the daemon says of itself
      config                    Show or change settings
      plugins                   List, try and check programs of your own
      templates                 Show and change what agents and people are told
      heartbeat                 Put in order what dead agents left, if anything has changed
      index                     Rebuild the index from the log
      doctor                    Find what is wrong, and repair it

    `sb COMMAND --help` says more about one. Ids may be shortened: `sb show a7K`.
    Exit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 not allowed now.
    ");
}

#[test]
fn help_knows_the_current_ticket() {
    let env = story();
    let id = env.new_ticket("Limit logins");
    env.sb(["pick", &id]).success();
    let beginning = |text: &str| text.split("\n\nSignalbox:").next().expect("a beginning").to_owned();
    insta::assert_snapshot!(beginning(&env.sb(["help"]).success().stdout), @r#"
    Your current ticket: sb_Bq5DH9  in-progress  P3  Limit logins
      sb note "…"                      say what you did or found
      sb submit                        hand it in for review
      sb release --outcome failed …    give up and leave a report
    "#);
    env.sb(["submit", "-m", "done"]).success();
    insta::assert_snapshot!(beginning(&env.sb(["help"]).success().stdout), @"
    Your current ticket: sb_Bq5DH9  review  P3  Limit logins
      sb review sb_Bq5DH9              review it, if you are independent
    ");
    env.sb(["review"]).success();
    insta::assert_snapshot!(beginning(&env.sb(["help"]).success().stdout), @r#"
    Your current ticket: sb_Bq5DH9  review  P3  Limit logins
      sb approve sb_Bq5DH9             accept the work
      sb reject sb_Bq5DH9 "…"          send it back with a reason
    "#);
    env.sb(["reject", "not yet"]).success();
    insta::assert_snapshot!(beginning(&env.sb(["help"]).success().stdout), @"
    Your current ticket: sb_Bq5DH9  rework  P3  Limit logins
      sb pick sb_Bq5DH9                take it up again
    ");
    env.sb(["hold", &id, "wait for Monday"]).success();
    insta::assert_snapshot!(beginning(&env.sb(["help"]).success().stdout), @"
    Your current ticket: sb_Bq5DH9  blocked  P3  Limit logins
      sb show sb_Bq5DH9                see what it waits for
      sb unhold sb_Bq5DH9              release the hold
    ");
    env.sb(["close", &id]).success();
    insta::assert_snapshot!(beginning(&env.sb(["help"]).success().stdout), @r#"
    Your current ticket: sb_Bq5DH9  done  P3  Limit logins
      sb pop                           take the next one
      sb reopen sb_Bq5DH9 "…"          bring it back
    "#);
}

/// A damaged configuration must not take the help away.
#[test]
fn help_works_when_nothing_else_does() {
    let env = env();
    env.write(env.home().join("config.toml"), "not toml");
    env.sb(["help"]).success().says("Usage: sb COMMAND");
    env.sb(["help", "pick"]).success().says("Usage: sb pick");
    env.sb(["list"]).code(1);
}

#[test]
fn the_version_is_one_line() {
    let env = env();
    let version = env.sb(["--version"]).success();
    assert_eq!(version.stdout, format!("sb {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(env.sb(["-V"]).success().stdout, version.stdout);
}

#[test]
fn a_mistyped_command_is_guessed() {
    let env = env();
    insta::assert_snapshot!(env.sb(["lsit"]), @"
    --- stderr
    error: there is no command `lsit`
    hint: Did you mean `sb list`?
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["frobnicate"]), @"
    --- stderr
    error: there is no command `frobnicate`
    hint: `sb help` lists the commands.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["list", "--al"]), @"
    --- stderr
    error: unexpected argument '--al' found

      tip: a similar argument exists: '--all'

    Usage: sb list --all

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["new"]), @"
    --- stderr
    error: the following required arguments were not provided:
      <TITLE>...

    Usage: sb new <TITLE>...

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["list", "--sort", "size"]), @"
    --- stderr
    error: invalid value 'size' for '--sort <SORT>'
      [possible values: priority, created, updated, status, title]

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(env.sb(["help", "shwo"]), @"
    --- stderr
    error: there is no command `shwo`
    hint: Did you mean `sb show`?
    --- exit 2
    ");
}

#[test]
fn the_exit_codes() {
    let env = env();
    let id = env.new_ticket("One");
    env.sb(["list"]).code(0);
    env.sb(["list", "--bogus"]).code(2);
    env.sb(["list", "--status", "nonsense"]).code(2);
    env.sb(["show", "sb_zzzzzz"]).code(3);
    env.sb(["list", "--project", "nowhere"]).code(3);
    env.sb(["approve", &id]).code(4);
    env.sb(["show"]).code(4);
    env.write(env.home().join("config.toml"), "vault = 3\n");
    env.sb(["list"]).code(1);
}

#[test]
fn errors_as_json_have_one_shape() {
    let env = env();
    let id = env.new_ticket("One");
    let cases: [(&[&str], i32, &str); 6] = [
        (&["show", "sb_zzzzzz", "--json"], 3, "ticket.unknown"),
        (&["approve", &id, "--json"], 4, "review.not-in-review"),
        (&["list", "--status", "nonsense", "--json"], 2, "status.unknown"),
        (&["list", "--json", "--bogus"], 2, "usage"),
        (&["new", "--json", " "], 2, "title.empty"),
        (&["query", "--json", "--report", "x"], 3, "report.unknown"),
    ];
    for (words, code, name) in cases {
        let run = env.sb(words).code(code);
        let error = json_error(&run);
        assert_eq!(fields(&error), ["code", "message", "hints", "evidence"], "{run}");
        assert_eq!(error["code"], name, "{run}");
        assert!(!error["message"].as_str().expect("a sentence").is_empty(), "{run}");
    }
}

/// What is piped is data alone; the words about it go to standard error.
#[test]
fn standard_output_is_quiet_in_a_pipe() {
    let env = env();
    let new = env.sb(["new", "One"]).success();
    let id = new.stdout.trim();
    assert_eq!(new.stdout, format!("{id}\n"));
    for words in [
        &["pick", id][..],
        &["note", "a note"],
        &["submit"],
        &["approve", id],
        &["reopen", id],
        &["hold", id, "why"],
        &["unhold", id],
        &["assign", id, "ada"],
        &["assign", id],
        &["edit", id, "--title", "Two"],
        &["override", id, "done"],
        &["switch", id],
        &["clear"],
        &["init"],
        &["index", "rebuild"],
        &["config", "set", "vault", "~/notes"],
    ] {
        let run = env.sb(words).success();
        assert_eq!(run.stdout, "", "{run}");
        assert!(!run.stderr.is_empty(), "{run}");
    }
    let listed = env.sb(["list", "--all"]).success();
    assert_eq!(listed.stdout.lines().count(), 1, "no heading in a pipe: {listed}");
    assert_eq!(listed.stderr, "");
    assert_eq!(env.sb(["list", "--tag", "none"]).success().stdout, "");
}

/// A reader that has gone away is no error: `sb log | head -1`.
#[test]
fn a_closed_pipe_is_no_error() {
    let env = env();
    for number in 0..3 {
        env.new_ticket(&format!("Ticket {number}"));
    }
    let run =
        env.bash("set -o pipefail; sb log --json | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}").success();
    assert_eq!(run.stdout, "0\n");
    assert_eq!(run.stderr, "");
}
