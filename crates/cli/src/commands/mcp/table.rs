//! What each tool takes, which command line that is, and what of its output is shown.

use super::given::{Given, Input, Kind, Line};
use super::shown::Shown;
use super::tools::Tool;

const ID: Input = Input::text("id", "The ticket's id, such as sb_a7Kq2x").needed();
const OWN: Input = Input::text("id", "The ticket's id; without it your current ticket");
const LIMIT: Input = Input::of("limit", Kind::Count, "At most so many; 50 without it");
const NAME: Input = Input::text("name", "What to call it: letters, digits, -, _ and .").needed();
const TYPE: Input = Input::text("type", "One type, for what it takes; without it all of them");

/// What one chooses a ticket by.
const TICKET: &[&str] = &["id", "title", "status", "priority", "assignee", "blocked_by", "project"];
/// What one knows a monitor by.
const MONITOR: &[&str] = &[
    "name",
    "type",
    "agent",
    "origin",
    "settings",
    "every_seconds",
    "last",
    "announced",
    "waiting",
    "trouble",
];
const NOTIFIER: &[&str] = &["name", "type", "agent", "origin", "events", "told", "waiting", "trouble"];

/// Tools about tickets and questions.
pub const TICKETS: &[Tool] = &[
    Tool {
        name: "context",
        title: "Where you are",
        about: "Who you are, your current ticket, and what you could take on next",
        inputs: &[],
        // Not as JSON: this text is written for models.
        line: |_| Ok(Line::of(&["context"])),
        shown: Shown::Whole,
    },
    Tool {
        name: "list_tickets",
        title: "List tickets",
        about: "Tickets with status, priority and what they wait for; those that are not done unless another status is asked for",
        inputs: &[
            Input::text(
                "status",
                "backlog, open, in-progress, review, rework, done or blocked; several with commas",
            ),
            Input::of("ready", Kind::Flag, "Only what you could claim now, most urgent first"),
            Input::of("mine", Kind::Flag, "Only what is assigned to you"),
            Input::text("project", "A project's name, or * for all; without it the current one"),
            LIMIT,
        ],
        line: list_line,
        shown: Shown::Rows { keys: TICKET, none: "No ticket is like that." },
    },
    Tool {
        name: "show_ticket",
        title: "Read a ticket",
        about: "A ticket with its text, dependencies and history. Reading is recorded: whoever read a ticket may not review it",
        inputs: &[OWN],
        line: |given| given.command("show"),
        shown: Shown::Whole,
    },
    Tool {
        name: "new_ticket",
        title: "File a ticket",
        about: "File a ticket: one piece of work that somebody can take on",
        inputs: &[
            Input::text("title", "What should be true when it is done, in one line").needed(),
            Input::text("body", "The problem or goal in full"),
            Input::text("priority", "P0 (outage) to P5 (someday); P3 without it"),
            Input::of("depends_on", Kind::Texts, "Ids of tickets that must be done first"),
            Input::of("accept", Kind::Texts, "Criteria that must be met"),
            Input::of("tags", Kind::Texts, "Tags"),
            Input::text("project", "A project's name; without it the current one"),
            Input::of("backlog", Kind::Flag, "Put it into the backlog instead of offering it at once"),
        ],
        line: new_line,
        shown: Shown::Row(TICKET),
    },
    Tool {
        name: "pick_ticket",
        title: "Claim a ticket",
        about: "Claim a ticket and make it your current one",
        inputs: &[Input { about: "The ticket's id; without it the most urgent ready one", ..OWN }],
        line: |given| given.command("pick"),
        shown: Shown::Whole,
    },
    Tool {
        name: "add_note",
        title: "Write a note",
        about: "Write down on a ticket what you did or found",
        inputs: &[Input::text("text", "The note").needed(), OWN],
        line: |given| given.with_words("note", "text"),
        shown: Shown::Row(TICKET),
    },
    Tool {
        name: "submit_ticket",
        title: "Hand work in",
        about: "Hand a ticket in for review. A note must say what was done",
        inputs: &[OWN, Input::text("message", "What was done; becomes the note")],
        line: |given| {
            let mut line = given.command("submit")?;
            if let Some(message) = given.text("message") {
                line.words.splice(1..1, ["--message=-".to_owned()]);
                line.input = Some(message.to_owned());
            }
            Ok(line)
        },
        shown: Shown::Row(TICKET),
    },
    Tool {
        name: "review_ticket",
        title: "Take a ticket for review",
        about: "Take a ticket that waits for review, and read it. Refused to whoever had to do with the work",
        inputs: &[ID],
        line: |given| given.command("review"),
        shown: Shown::Whole,
    },
    Tool {
        name: "approve_ticket",
        title: "Accept reviewed work",
        about: "Accept work that you reviewed: the ticket is done. Refused to whoever had to do with the work",
        inputs: &[ID, Input::text("message", "What you found")],
        line: |given| {
            let mut line = given.command("approve")?;
            line.words.splice(1..1, given.options(&["message"]));
            Ok(line)
        },
        shown: Shown::Row(TICKET),
    },
    Tool {
        name: "reject_ticket",
        title: "Send work back",
        about: "Send work that you reviewed back with a reason",
        inputs: &[ID, Input::text("reason", "What must change").needed()],
        line: |given| given.with_words("reject", "reason"),
        shown: Shown::Row(TICKET),
    },
    Tool {
        name: "draft_escalation",
        title: "Ask a human",
        about: "Write down one question that only a human can answer, and go on with what does not wait for it",
        inputs: &[
            Input::text("question", "What one sentence can answer").needed(),
            Input::text("kind", "decision, blocker, question, approval or suggestion; question without it"),
            Input::text(
                "context",
                "What one has to know to answer: what was tried, what each answer would mean",
            ),
            Input::of("options", Kind::Texts, "Suggested answers, ten at most"),
            Input::text("ticket", "The ticket that waits for the answer; without it your current one"),
        ],
        line: escalate_line,
        shown: Shown::Row(&["id", "kind", "question", "ticket"]),
    },
];

/// Tools about agents: their goals, usage, monitors and notifiers.
pub const AGENTS: &[Tool] = &[
    Tool {
        name: "get_status",
        title: "Everything at a glance",
        about: "Your ticket, the agents that run, what each is doing and there for, and what is wrong",
        inputs: &[LIMIT],
        line: |_| Ok(Line::of(&["status"])),
        shown: Shown::Lines,
    },
    Tool {
        name: "signal_goal",
        title: "Say how far you are",
        about: "Say how far you are with what you were started for. After completed or failed you may be ended",
        inputs: &[
            Input::text("status", "in-progress, errored (you need help), completed or failed").needed(),
            Input::text("summary", "What was done, or what is in the way, in a sentence"),
        ],
        line: |given| {
            let mut line = Line::of(&["goal", "signal", "--"]);
            line.words.extend(
                ["status", "summary"].iter().filter_map(|name| given.text(name)).map(ToOwned::to_owned),
            );
            Ok(line)
        },
        shown: Shown::Whole,
    },
    Tool {
        name: "list_goal_types",
        title: "Types of goals",
        about: "What an agent can be there for, and what each type takes. Only people set goals",
        inputs: &[],
        line: |_| Ok(Line::of(&["goal", "types"])),
        shown: Shown::Lines,
    },
    Tool {
        name: "get_usage",
        title: "What you used",
        about: "Tokens and cost of your own session so far, as far as your CLI tells",
        inputs: &[],
        line: |_| Ok(Line::of(&["agent", "usage", "--json"])),
        shown: Shown::Whole,
    },
    Tool {
        name: "list_monitors",
        title: "What is watched",
        about: "What is watched for agents, and what is wrong with it",
        inputs: &[LIMIT],
        line: |_| Ok(Line::of(&["monitor", "list", "--json"])),
        shown: Shown::Rows { keys: MONITOR, none: "Nothing is watched." },
    },
    Tool {
        name: "list_monitor_types",
        title: "Types of monitors",
        about: "What can be watched, or what one type takes and tells of",
        inputs: &[TYPE],
        line: |given| Ok(types_line("monitor", given)),
        shown: Shown::Lines,
    },
    Tool {
        name: "add_monitor",
        title: "Watch something",
        about: "Have something watched for you; you are told when it changes. list_monitor_types says what there is",
        inputs: &[
            NAME,
            Input::text("type", "Its type, unless the name says it"),
            Input::of("settings", Kind::Settings, "What its type takes"),
        ],
        line: |given| Ok(given.with_settings(&["monitor", "add", "--json"])),
        shown: Shown::Row(MONITOR),
    },
    Tool {
        name: "remove_monitor",
        title: "Watch no more",
        about: "Have something no longer watched for you",
        inputs: &[Input { about: "Its name", ..NAME }],
        line: |given| Ok(given.with_settings(&["monitor", "remove"])),
        shown: Shown::Whole,
    },
    Tool {
        name: "list_notifiers",
        title: "Who is told",
        about: "Who is told what happens, and what is wrong with it",
        inputs: &[LIMIT],
        line: |_| Ok(Line::of(&["notifier", "list", "--json"])),
        shown: Shown::Rows { keys: NOTIFIER, none: "Nobody is told anything." },
    },
    Tool {
        name: "list_notifier_types",
        title: "Types of notifiers",
        about: "How people can be told, or what one type takes",
        inputs: &[TYPE],
        line: |given| Ok(types_line("notifier", given)),
        shown: Shown::Lines,
    },
    Tool {
        name: "add_notifier",
        title: "Tell people",
        about: "Have people told of your own events. list_notifier_types says how",
        inputs: &[
            NAME,
            Input::text("type", "Its type, unless the name says it"),
            Input::of(
                "settings",
                Kind::Settings,
                "What its type takes, and events: patterns such as agent.*",
            ),
        ],
        line: |given| Ok(given.with_settings(&["notifier", "add"])),
        shown: Shown::Whole,
    },
    Tool {
        name: "remove_notifier",
        title: "Tell people no more",
        about: "Have people no longer told of your own events in one way",
        inputs: &[Input { about: "Its name", ..NAME }],
        line: |given| Ok(given.with_settings(&["notifier", "remove"])),
        shown: Shown::Whole,
    },
];

fn list_line(given: &Given<'_>) -> Result<Line, String> {
    let ready = given.is_set("ready");
    if ready && (given.text("status").is_some() || given.is_set("mine")) {
        return Err("`ready` goes with `project` and `limit` alone".to_owned());
    }
    let mut line = Line::of(&[if ready { "ready" } else { "list" }, "--json"]);
    line.words.extend(given.options(&["status", "project"]));
    if given.is_set("mine") {
        line.words.push("--mine".to_owned());
    }
    Ok(line)
}

fn new_line(given: &Given<'_>) -> Result<Line, String> {
    let mut line = Line::of(&["new", "--json"]);
    line.words.extend(given.options(&["priority", "project"]));
    for (name, option) in [("depends_on", "depends-on"), ("accept", "accept"), ("tags", "tag")] {
        line.words.extend(given.texts(name).map(|text| format!("--{option}={text}")));
    }
    if given.is_set("backlog") {
        line.words.push("--backlog".to_owned());
    }
    if let Some(body) = given.text("body") {
        line.words.push("--body=-".to_owned());
        line.input = Some(body.to_owned());
    }
    line.words.push("--".to_owned());
    line.words.extend(given.text("title").map(ToOwned::to_owned));
    Ok(line)
}

fn escalate_line(given: &Given<'_>) -> Result<Line, String> {
    let mut line = Line::of(&["escalate", "--json"]);
    line.words.extend(given.options(&["kind"]));
    line.words.extend(given.texts("options").map(|text| format!("--option={text}")));
    line.words.extend(given.id("ticket")?.map(|id| format!("--ticket={id}")));
    if let Some(context) = given.text("context") {
        line.words.push("--context=-".to_owned());
        line.input = Some(context.to_owned());
    }
    line.words.push("--".to_owned());
    line.words.extend(given.text("question").map(ToOwned::to_owned));
    Ok(line)
}

fn types_line(what: &str, given: &Given<'_>) -> Line {
    let mut line = Line::of(&[what, "types", "--"]);
    line.words.extend(given.text("type").map(ToOwned::to_owned));
    line
}
