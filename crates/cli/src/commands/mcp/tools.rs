//! The tools, one row each: what the model is told of it, what it takes, and which command line that is.

use serde_json::{Map, Value, json};

use crate::resolve::looks_like_id;

/// One tool.
pub struct Tool {
    pub name: &'static str,
    title: &'static str,
    about: &'static str,
    /// It changes nothing at all, not even who may review.
    reads_only: bool,
    inputs: &'static [Input],
    pub line: fn(&Given<'_>) -> Result<Line, String>,
    /// What of the command's output the model gets.
    pub shown: Shown,
}

/// Something that a tool takes.
struct Input {
    name: &'static str,
    kind: Kind,
    required: bool,
    about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Flag,
    Count,
}

/// How an output is made fit for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Whole,
    /// Of a list of tickets what one chooses by.
    Rows,
}

/// A command line, and what goes to its standard input.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub words: Vec<String>,
    pub input: Option<String>,
}

const ID: Input =
    Input { name: "id", kind: Kind::Text, required: true, about: "The ticket's id, such as sb_a7Kq2x" };
const OWN: Input = Input { required: false, about: "The ticket's id; without it your current ticket", ..ID };

/// How many tickets a list has, unless another number is asked for.
const MOST_ROWS: u64 = 50;

pub const TOOLS: &[Tool] = &[
    Tool {
        name: "context",
        title: "Where you are",
        about: "Who you are, your current ticket, and what you could take on next",
        reads_only: true,
        inputs: &[],
        // Not as JSON: this text is written for models.
        line: |_| Ok(Line::of(&["context"])),
        shown: Shown::Whole,
    },
    Tool {
        name: "list_tickets",
        title: "List tickets",
        about: "Tickets with status, priority and what they wait for; those that are not done unless another status is asked for",
        reads_only: true,
        inputs: &[
            Input {
                name: "status",
                kind: Kind::Text,
                required: false,
                about: "backlog, open, in-progress, review, rework, done or blocked; several with commas",
            },
            Input {
                name: "ready",
                kind: Kind::Flag,
                required: false,
                about: "Only what you could claim now, most urgent first",
            },
            Input { name: "mine", kind: Kind::Flag, required: false, about: "Only what is assigned to you" },
            Input {
                name: "project",
                kind: Kind::Text,
                required: false,
                about: "A project's name, or * for all; without it the current one",
            },
            Input {
                name: "limit",
                kind: Kind::Count,
                required: false,
                about: "At most so many; 50 without it",
            },
        ],
        line: list_line,
        shown: Shown::Rows,
    },
    Tool {
        name: "show_ticket",
        title: "Read a ticket",
        about: "A ticket with its text, dependencies and history. Reading is recorded: whoever read a ticket may not review it",
        reads_only: false,
        inputs: &[OWN],
        line: |given| given.command("show"),
        shown: Shown::Whole,
    },
    Tool {
        name: "pick_ticket",
        title: "Claim a ticket",
        about: "Claim a ticket and make it your current one",
        reads_only: false,
        inputs: &[Input { about: "The ticket's id; without it the most urgent ready one", ..OWN }],
        line: |given| given.command("pick"),
        shown: Shown::Whole,
    },
    Tool {
        name: "add_note",
        title: "Write a note",
        about: "Write down on a ticket what you did or found",
        reads_only: false,
        inputs: &[Input { name: "text", kind: Kind::Text, required: true, about: "The note" }, OWN],
        line: |given| given.with_words("note", "text"),
        shown: Shown::Whole,
    },
    Tool {
        name: "submit_ticket",
        title: "Hand work in",
        about: "Hand a ticket in for review. A note must say what was done",
        reads_only: false,
        inputs: &[
            OWN,
            Input {
                name: "message",
                kind: Kind::Text,
                required: false,
                about: "What was done; becomes the note",
            },
        ],
        line: |given| {
            let mut line = given.command("submit")?;
            if let Some(message) = given.text("message") {
                line.words.splice(1..1, ["--message=-".to_owned()]);
                line.input = Some(message.to_owned());
            }
            Ok(line)
        },
        shown: Shown::Whole,
    },
    Tool {
        name: "review_ticket",
        title: "Take a ticket for review",
        about: "Take a ticket that waits for review, and read it. Refused to whoever had to do with the work",
        reads_only: false,
        inputs: &[ID],
        line: |given| given.command("review"),
        shown: Shown::Whole,
    },
    Tool {
        name: "approve_ticket",
        title: "Accept reviewed work",
        about: "Accept work that you reviewed: the ticket is done. Refused to whoever had to do with the work",
        reads_only: false,
        inputs: &[ID, Input { name: "message", kind: Kind::Text, required: false, about: "What you found" }],
        line: |given| {
            let mut line = given.command("approve")?;
            if let Some(message) = given.text("message") {
                line.words.splice(1..1, [format!("--message={message}")]);
            }
            Ok(line)
        },
        shown: Shown::Whole,
    },
    Tool {
        name: "reject_ticket",
        title: "Send work back",
        about: "Send work that you reviewed back with a reason",
        reads_only: false,
        inputs: &[ID, Input { name: "reason", kind: Kind::Text, required: true, about: "What must change" }],
        line: |given| given.with_words("reject", "reason"),
        shown: Shown::Whole,
    },
];

/// All tools as a client is told of them.
pub fn list() -> Vec<Value> {
    TOOLS.iter().map(Tool::described).collect()
}

impl Tool {
    fn described(&self) -> Value {
        let mut properties = Map::new();
        for input in self.inputs {
            let mut schema = json!({ "type": input.kind.word(), "description": input.about });
            if input.kind == Kind::Count {
                schema["minimum"] = json!(1);
            }
            properties.insert(input.name.to_owned(), schema);
        }
        let required: Vec<_> =
            self.inputs.iter().filter(|input| input.required).map(|input| input.name).collect();
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            },
            // Nothing is ever deleted: the log only grows.
            "annotations": { "readOnlyHint": self.reads_only, "destructiveHint": false, "openWorldHint": false },
        })
    }

    /// What the model gave, if that is what the tool takes.
    pub fn given<'a>(&self, arguments: &'a Value) -> Result<Given<'a>, String> {
        let given = match arguments {
            Value::Null => Given { arguments: None },
            Value::Object(arguments) => Given { arguments: Some(arguments) },
            _ => return Err("the arguments must be a JSON object".to_owned()),
        };
        for (name, value) in given.arguments.into_iter().flatten() {
            let Some(input) = self.inputs.iter().find(|input| input.name == name) else {
                let known: Vec<_> = self.inputs.iter().map(|input| input.name).collect();
                let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
                return Err(format!("{} takes no `{name}`; it takes: {known}", self.name));
            };
            if !value.is_null() && !input.kind.fits(value) {
                return Err(format!("`{name}` must be: {}", input.kind.word()));
            }
        }
        let missing = |input: &&Input| input.required && given.value(input.name).is_none_or(Value::is_null);
        match self.inputs.iter().find(missing) {
            Some(input) => Err(format!("`{}` is missing ({})", input.name, input.about)),
            None => Ok(given),
        }
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Flag => "boolean",
            Self::Count => "integer",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Count => value.as_u64().is_some_and(|count| count > 0),
        }
    }
}

impl Line {
    fn of(words: &[&str]) -> Self {
        Self { words: words.iter().map(|word| (*word).to_owned()).collect(), input: None }
    }
}

/// What a model gave to a tool, each of the right kind.
pub struct Given<'a> {
    arguments: Option<&'a Map<String, Value>>,
}

impl Given<'_> {
    fn value(&self, name: &str) -> Option<&Value> {
        self.arguments?.get(name)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.value(name).and_then(Value::as_str)
    }

    fn is_set(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// How many rows of a list are wanted.
    pub fn limit(&self) -> u64 {
        self.value("limit").and_then(Value::as_u64).unwrap_or(MOST_ROWS)
    }

    /// The ticket's whole id. Before a text nothing else is taken for one.
    fn id(&self) -> Result<Option<String>, String> {
        let Some(typed) = self.text("id") else { return Ok(None) };
        let id = if typed.starts_with("sb_") { typed.to_owned() } else { format!("sb_{typed}") };
        if id.len() == 3 || !looks_like_id(&id) {
            return Err(format!("`{typed}` is no ticket's id: these are `sb_` and six letters or digits"));
        }
        Ok(Some(id))
    }

    /// A command on a ticket.
    fn command(&self, name: &str) -> Result<Line, String> {
        let mut line = Line::of(&[name, "--json", "--"]);
        line.words.extend(self.id()?);
        Ok(line)
    }

    /// The same with a text, which comes on standard input: there it can be of any length and is never an option.
    fn with_words(&self, name: &str, text: &str) -> Result<Line, String> {
        let mut line = self.command(name)?;
        line.words.push("-".to_owned());
        line.input = self.text(text).map(ToOwned::to_owned);
        Ok(line)
    }
}

fn list_line(given: &Given<'_>) -> Result<Line, String> {
    let ready = given.is_set("ready");
    if ready && (given.text("status").is_some() || given.is_set("mine")) {
        return Err("`ready` goes with `project` and `limit` alone".to_owned());
    }
    let mut line = Line::of(&[if ready { "ready" } else { "list" }, "--json"]);
    for name in ["status", "project"] {
        line.words.extend(given.text(name).map(|value| format!("--{name}={value}")));
    }
    if given.is_set("mine") {
        line.words.push("--mine".to_owned());
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, arguments: &Value) -> Result<(String, Option<String>), String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name).unwrap();
        let line = (tool.line)(&tool.given(arguments)?)?;
        Ok((line.words.join(" "), line.input))
    }

    #[test]
    fn each_tool_is_a_command_line() {
        let none = || json!(null);
        for (name, arguments, words, input) in [
            ("context", none(), "context", None),
            ("list_tickets", none(), "list --json", None),
            (
                "list_tickets",
                json!({ "status": "review", "mine": true }),
                "list --json --status=review --mine",
                None,
            ),
            ("list_tickets", json!({ "ready": true, "project": "*" }), "ready --json --project=*", None),
            ("show_ticket", json!({}), "show --json --", None),
            ("show_ticket", json!({ "id": "a7K" }), "show --json -- sb_a7K", None),
            ("pick_ticket", json!({ "id": null }), "pick --json --", None),
            ("add_note", json!({ "text": "-" }), "note --json -- -", Some("-")),
            ("add_note", json!({ "text": "t", "id": "a7K" }), "note --json -- sb_a7K -", Some("t")),
            ("submit_ticket", json!({ "message": "m" }), "submit --message=- --json --", Some("m")),
            (
                "approve_ticket",
                json!({ "id": "sb_a7K", "message": "-m" }),
                "approve --message=-m --json -- sb_a7K",
                None,
            ),
            (
                "reject_ticket",
                json!({ "id": "sb_a7K", "reason": "r" }),
                "reject --json -- sb_a7K -",
                Some("r"),
            ),
        ] {
            let want = Ok((words.to_owned(), input.map(ToOwned::to_owned)));
            assert_eq!(line(name, &arguments), want, "{name} {arguments}");
        }
    }

    #[test]
    fn what_a_tool_does_not_take_is_said() {
        for (name, arguments, why) in [
            ("context", json!({ "as": "human" }), "context takes no `as`; it takes: nothing"),
            ("context", json!([]), "the arguments must be a JSON object"),
            ("add_note", json!({}), "`text` is missing (The note)"),
            ("add_note", json!({ "text": 1 }), "`text` must be: string"),
            ("list_tickets", json!({ "limit": 0 }), "`limit` must be: integer"),
            (
                "list_tickets",
                json!({ "ready": true, "mine": true }),
                "`ready` goes with `project` and `limit` alone",
            ),
            ("approve_ticket", json!({}), "`id` is missing (The ticket's id, such as sb_a7Kq2x)"),
        ] {
            assert_eq!(line(name, &arguments).unwrap_err(), why, "{name} {arguments}");
        }
        for id in ["", "sb_", "--help", "../x", "sb_1234567", "sb_a b"] {
            let why = line("show_ticket", &json!({ "id": id })).unwrap_err();
            assert!(why.contains("no ticket's id"), "{id}: {why}");
        }
    }
}
