//! The reference page of the control socket: every request with an example of it and of its answer, made by the types
//! themselves.

use serde_json::{Value, json};
use signalbox_api::wire::{Answer, Answered, Greeting, Problem, VERSION};
use signalbox_api::{Asker, CATALOG, CommandDoc, Request};

/// A line of each request, and what is answered. Both must be what the types read and write.
const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "status",
        "{}",
        r#"{"version":"0.1.0","pid":4242,"since":"2026-11-15T10:00:00Z","agents":[],"notifiers":[],"plugins":0,"troubles":[]}"#,
    ),
    (
        "register",
        r#"{"agent":"claude-k3fx","state":"idle","since":"2026-11-15T10:00:00Z","terminal":"/dev/pts/3"}"#,
        r#"{"files":[".github/workflows"]}"#,
    ),
    (
        "surroundings",
        r#"{"agent":"claude-k3fx","branch":"login-limit","head":null,"remotes":[["origin","https://github.com/octo/hello.git"]],"files":[".github/workflows"]}"#,
        r#"{"monitors":["github"]}"#,
    ),
    ("monitors", r#"{"agent":"claude-k3fx"}"#, r#"{"monitors":[]}"#),
    (
        "add-monitor",
        r#"{"agent":"claude-k3fx","name":"disk","settings":{"type":"shell","command":"df -h /"}}"#,
        r#"{"agent":"claude-k3fx","name":"disk","type":"shell","origin":"added","privileged":true,"settings":{"type":"shell","command":"df -h /"},"every_seconds":60,"announced":0,"waiting":0}"#,
    ),
    ("remove-monitor", r#"{"agent":"claude-k3fx","name":"disk"}"#, "{}"),
    (
        "look",
        r#"{"agent":"claude-k3fx","name":"disk"}"#,
        r#"{"agent":"claude-k3fx","name":"disk","type":"shell","origin":"added","privileged":true,"settings":{},"every_seconds":60,"announced":0,"waiting":0}"#,
    ),
    ("notifiers", "{}", r#"{"notifiers":[]}"#),
    (
        "add-notifier",
        r#"{"agent":"claude-k3fx","name":"ping","settings":{"type":"desktop"}}"#,
        r#"{"name":"claude-k3fx/ping","type":"desktop","agent":"claude-k3fx","origin":"added","privileged":false,"events":["agent.*"],"told":0,"waiting":0}"#,
    ),
    ("remove-notifier", r#"{"agent":"claude-k3fx","name":"ping"}"#, "{}"),
    ("tell", r#"{"notifier":"desktop","message":"Hello."}"#, "{}"),
    ("events", r#"{"after":"2026-11-15.jsonl:3400","from_beginning":false,"names":["agent.*"]}"#, "{}"),
    (
        "page",
        r#"{"token":false}"#,
        r#"{"port":7118,"way_in":"http://127.0.0.1:7118/enter/5c1f…","passed_over":7117}"#,
    ),
    ("reload", "{}", "{}"),
    ("stop", "{}", "{}"),
];

pub fn page() -> String {
    let greeting = Greeting { v: VERSION, server: "0.1.0".to_owned(), pid: 4242 };
    let problem = Problem::new(
        signalbox_api::wire::Kind::NotFound,
        "monitor.unknown",
        "claude-k3fx has no monitor `dsik`",
    )
    .hint("Did you mean `disk`?");
    let mut text = format!(
        "# The control socket\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         The daemon listens on `run/daemon.sock` in Signalbox's home: mode 0600 in a folder of mode 0700, and both sides check \
         that the other runs as the same user. Lines of JSON go both ways, at most 1 MiB each towards the daemon. Who asks (a \
         person or an agent, and which) is worked out from the process at the other end, never from what it says.\n\n\
         The daemon greets first:\n\n```json\n{}\n```\n\n\
         Every request has `v` ({VERSION}), an `id` of the asker's choosing that comes back with the answer, `do`, and the \
         fields of the request; `capability` may show a session's, for agents whose processes cannot be seen. An answer has \
         `ok` or `error`:\n\n```json\n{}\n```\n\n\
         Unknown fields are ignored; a version that is not spoken is refused with the one that is.\n",
        line(&greeting),
        line(&Answered::new(7, Answer::Error(problem))),
    );
    for command in CATALOG {
        text.push_str(&section(command));
    }
    text
}

fn section(command: &CommandDoc) -> String {
    let who = match command.who {
        Asker::Anyone => {
            "Anyone may ask; an agent for itself alone, and what is privileged is hidden from it."
        }
        Asker::People => "Only people may ask.",
        Asker::Wrapper => "Only the `sb agent` around that very agent may ask.",
    };
    let (asked, answered) = example(command);
    let streams = if command.name == "events" {
        "\nFrom then on the connection carries pieces of the log, all of it in order and once: \
         `{\"v\":1,\"id\":7,\"events\":[…],\"next\":\"2026-11-15.jsonl:5120\"}`. Whoever comes back asks for what follows `next`.\n"
    } else {
        ""
    };
    format!(
        "\n## `{}`\n\n{}. {who}\n\n```json\n{asked}\n{answered}\n```\n{streams}",
        command.name, command.about
    )
}

fn example(command: &CommandDoc) -> (String, String) {
    let found = EXAMPLES.iter().find(|(name, ..)| *name == command.name);
    let (fields, reply) = found.map_or(("{}", "{}"), |(_, fields, reply)| (fields, reply));
    let mut asked = json!({ "v": VERSION, "id": 7, "do": command.name });
    let fields: Value = serde_json::from_str(fields).unwrap_or_default();
    if let (Some(asked), Value::Object(fields)) = (asked.as_object_mut(), fields) {
        asked.extend(fields);
    }
    let reply: Value = serde_json::from_str(reply).unwrap_or_default();
    // As the types write it, so that a field that is gone goes from here too.
    let asked = serde_json::from_value::<Request>(asked.clone())
        .ok()
        .and_then(|request| serde_json::to_value(request).ok())
        .map(|request| with_number(&request))
        .unwrap_or(asked);
    (asked.to_string(), line(&Answered::new(7, Answer::of(&reply))))
}

fn with_number(request: &Value) -> Value {
    let mut line = json!({ "v": VERSION, "id": 7 });
    if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), request.clone()) {
        line.extend(fields);
    }
    line
}

fn line(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use signalbox_api::rows::{MonitorRow, NotifierRow};
    use signalbox_api::{MonitorList, NotifierList, PageAt, Registered, Report, Watched};

    use super::*;

    #[test]
    fn every_request_has_an_example_that_its_type_reads() {
        for command in CATALOG {
            let (_, fields, reply) = EXAMPLES
                .iter()
                .find(|(name, ..)| *name == command.name)
                .unwrap_or_else(|| panic!("{}", command.name));
            let mut asked = json!({ "do": command.name });
            let fields: Value = serde_json::from_str(fields).expect("JSON");
            asked.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
            let request: Request = serde_json::from_value(asked).expect(command.name);
            assert_eq!(request.name(), command.name);
            let reply: Value = serde_json::from_str(reply).expect("JSON");
            let read = |reads: bool| assert!(reads, "{}: {reply}", command.name);
            match command.reply {
                "Report" => read(serde_json::from_value::<Report>(reply.clone()).is_ok()),
                "Registered" => read(serde_json::from_value::<Registered>(reply.clone()).is_ok()),
                "Watched" => read(serde_json::from_value::<Watched>(reply.clone()).is_ok()),
                "MonitorList" => read(serde_json::from_value::<MonitorList>(reply.clone()).is_ok()),
                "MonitorRow" => read(serde_json::from_value::<MonitorRow>(reply.clone()).is_ok()),
                "NotifierList" => read(serde_json::from_value::<NotifierList>(reply.clone()).is_ok()),
                "NotifierRow" => read(serde_json::from_value::<NotifierRow>(reply.clone()).is_ok()),
                "PageAt" => read(serde_json::from_value::<PageAt>(reply.clone()).is_ok()),
                "Done" => assert_eq!(reply, json!({})),
                other => panic!("{other} has no example"),
            }
        }
        assert_eq!(EXAMPLES.len(), CATALOG.len());
    }
}
