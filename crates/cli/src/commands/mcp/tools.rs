//! The tools as clients are told of them. What they do stands in `table.rs`, and who has them in `core::toolbox`.

use serde_json::{Map, Value, json};
use signalbox_core::Role;
use signalbox_core::toolbox::{self, TOOLBOX};

use super::asker::Asker;
use super::given::{Given, Input, Line};
use super::shown::Shown;
use super::table::{AGENTS, TICKETS};

/// One tool.
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    pub inputs: &'static [Input],
    pub line: fn(&Given<'_>) -> Result<Line, String>,
    /// What of the command's output the model gets.
    pub shown: Shown,
}

/// The tools that this asker has, as it is told of them.
pub fn list(asker: &Asker) -> Vec<Value> {
    all()
        .filter(|(tool, rule)| asker.may_use(rule).is_ok() && tool.name == rule.name)
        .map(|(tool, rule)| tool.described(rule))
        .collect()
}

/// Every tool with the row that says who has it, in the order of these.
fn all() -> impl Iterator<Item = (&'static Tool, &'static toolbox::Tool)> {
    TOOLBOX.iter().filter_map(|rule| Some((find(rule.name)?.0, rule)))
}

/// The tool of that name.
pub fn find(name: &str) -> Option<(&'static Tool, &'static toolbox::Tool)> {
    let tool = TICKETS.iter().chain(AGENTS).find(|tool| tool.name == name)?;
    Some((tool, toolbox::named(name)?))
}

impl Tool {
    fn described(&self, rule: &toolbox::Tool) -> Value {
        let properties: Map<String, Value> =
            self.inputs.iter().map(|input| (input.name.to_owned(), input.schema())).collect();
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
            "annotations": { "readOnlyHint": rule.reads_only, "destructiveHint": false, "openWorldHint": false },
        })
    }

    /// What the model gave, if that is what the tool takes.
    pub fn given<'a>(&self, arguments: &'a Value) -> Result<Given<'a>, String> {
        Given::check(self.name, self.inputs, arguments)
    }
}

/// The reference page.
pub fn page() -> String {
    let mut text = String::from(
        "# MCP tools\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         `sb mcp` offers these to an agent. Which of them exist for a session is decided by its role, and who the session \
         is by its processes and capability: nothing a model says changes either. People have all of them.\n\n",
    );
    let roles: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    text.push_str(&format!("| tool | {} |\n| --- |{}\n", roles.join(" | "), " :-: |".repeat(roles.len())));
    for (tool, rule) in all() {
        let marks: Vec<&str> =
            Role::ALL.iter().map(|role| if rule.is_for(*role) { "yes" } else { "" }).collect();
        text.push_str(&format!("| `{}` | {} |\n", tool.name, marks.join(" | ")));
    }
    for (tool, rule) in all() {
        let changes = if rule.reads_only { "It only reads." } else { "It is recorded." };
        text.push_str(&format!("\n## `{}`\n\n{}. {changes}\n", tool.name, tool.about));
        for (at, input) in tool.inputs.iter().enumerate() {
            let needed = if input.required { ", needed" } else { "" };
            let gap = if at == 0 { "\n" } else { "" };
            text.push_str(&format!(
                "{gap}- `{}` ({}{needed}): {}\n",
                input.name,
                input.kind.word(),
                input.about
            ));
        }
    }
    text
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
