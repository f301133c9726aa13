//! How one CLI wants a hook written down.

use serde_json::{Value, json};

use crate::driver::Event;
use crate::hook::HookKind;
use crate::quote::always_quoted;

/// What differs between the files of hooks.
pub(crate) struct Layout {
    pub(crate) events: &'static [Event],
    /// Whether hooks stand in groups with a matcher: `[{"hooks": [hook]}]`, not `[hook]`.
    pub(crate) grouped: bool,
    /// One hook, for the program at this path.
    pub(crate) hook: fn(&Event, &str) -> Value,
    /// A second hook on an event, which stands beside the first.
    pub(crate) beside: fn(&Event, &str) -> Option<Value>,
    /// What else a file needs that holds nothing but our hooks.
    pub(crate) companions: &'static [(&'static str, i64)],
}

impl Layout {
    /// What is put into an event's list.
    pub(crate) fn item(&self, event: &Event, sb: &str) -> Value {
        let mut hooks = self.hooks(event, sb);
        if self.grouped { json!({ "hooks": hooks }) } else { hooks.swap_remove(0) }
    }

    /// All hooks on an event.
    pub(crate) fn hooks(&self, event: &Event, sb: &str) -> Vec<Value> {
        let mut hooks = vec![(self.hook)(event, sb)];
        hooks.extend((self.beside)(event, sb));
        hooks
    }
}

/// Most CLIs have one hook of ours on an event.
pub(crate) fn alone(_: &Event, _: &str) -> Option<Value> {
    None
}

/// The hook as a line for a shell. One that decides whether a tool runs is guarded.
pub(crate) fn shell_line(cli: &str, event: &Event, sb: &str) -> String {
    match event.kind {
        HookKind::PreTool => guarded(cli, event.kind, &always_quoted(sb)),
        kind => format!("{} hook {} --cli {cli}", always_quoted(sb), kind.name()),
    }
}

/// What a guarded line begins with.
pub(crate) const GUARD: &str = "r=$(";

/// What is said for a hook that said nothing.
const SILENT: &str = "Signalbox gave no answer to this call, so it may not run. A person should look: run sb doctor, or sb \
                      hooks install where sb has moved or is gone.";

/// How an answer before a tool looks, in any CLI's form. A CLI lets the tool run when it cannot read the answer, so
/// whatever else stands in braces is none.
const ANSWERS: &str = concat!(
    r#"'{}'|'{"hookSpecificOutput":{'*'}}'|'{"decision":"'*'"}'|"#,
    r#"'{"permissionDecision":"'*'}'|'{"modifiedArgs":{'*'}}'"#,
);

/// Run the hook and pass its answer on; where it dies, is gone, cannot be started or says nothing, refuse. The CLIs let
/// a tool run when its hook fails, and a shell costs a millisecond.
pub(crate) fn guarded(cli: &str, kind: HookKind, program: &str) -> String {
    let refusal =
        crate::find(cli).map(|driver| driver.refuse_blindly(kind, SILENT).stdout).unwrap_or_default();
    format!(
        "{GUARD}{program} hook {} --cli {cli}) && case $r in {ANSWERS}) printf %s \"$r\"; exit 0;; esac; printf %s {}",
        kind.name(),
        always_quoted(&refusal),
    )
}

/// A value on one line, with a space after each colon and comma.
pub(crate) fn on_one_line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members =
                members.iter().map(|(key, value)| format!("{}: {}", json!(key), on_one_line(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}
