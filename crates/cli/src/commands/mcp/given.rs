//! What tools take, and how that becomes a command line.

use serde_json::{Map, Value, json};

use crate::resolve::looks_like_id;

/// Something that a tool takes.
pub struct Input {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Texts,
    Flag,
    Count,
    /// Names with values: texts, numbers, yes or no, or lists of texts.
    Settings,
}

/// A command line, and what goes to its standard input.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub words: Vec<String>,
    pub input: Option<String>,
}

/// What a model gave to a tool, each of the right kind.
pub struct Given<'a> {
    arguments: Option<&'a Map<String, Value>>,
}

/// How many rows a list has, unless another number is asked for.
const MOST_ROWS: u64 = 50;

impl Input {
    /// A text that may be left out.
    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: Kind::Text, required: false, about }
    }

    pub const fn of(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, required: false, about }
    }

    pub const fn needed(self) -> Self {
        Self { required: true, ..self }
    }

    /// As a client is told of it.
    pub fn schema(&self) -> Value {
        let mut schema = json!({ "type": self.kind.word(), "description": self.about });
        match self.kind {
            Kind::Count => schema["minimum"] = json!(1),
            Kind::Texts => schema["items"] = json!({ "type": "string" }),
            Kind::Settings => {
                schema["additionalProperties"] = json!({ "type": ["string", "number", "boolean", "array"] });
            }
            Kind::Text | Kind::Flag => {}
        }
        schema
    }
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Texts => "array",
            Self::Flag => "boolean",
            Self::Count => "integer",
            Self::Settings => "object",
        }
    }

    fn fits(self, value: &Value) -> bool {
        let texts = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
        match self {
            Self::Text => value.is_string(),
            Self::Texts => texts(value),
            Self::Flag => value.is_boolean(),
            Self::Count => value.as_u64().is_some_and(|count| count > 0),
            Self::Settings => value.as_object().is_some_and(|settings| {
                settings.iter().all(|(key, value)| {
                    let simple = value.is_string() || value.is_number() || value.is_boolean() || texts(value);
                    simple && !key.trim().is_empty() && !key.contains('=')
                })
            }),
        }
    }

    /// What it must be, in words.
    fn wanted(self) -> &'static str {
        match self {
            Self::Text | Self::Flag | Self::Count => self.word(),
            Self::Texts => "array of strings",
            Self::Settings => {
                "object of names with a text, a number, true, false or an array of strings each"
            }
        }
    }
}

impl Line {
    pub fn of(words: &[&str]) -> Self {
        Self { words: words.iter().map(|word| (*word).to_owned()).collect(), input: None }
    }
}

impl<'a> Given<'a> {
    /// What the model gave, if that is what the tool takes.
    pub fn check(tool: &str, inputs: &[Input], arguments: &'a Value) -> Result<Self, String> {
        let given = match arguments {
            Value::Null => Self { arguments: None },
            Value::Object(arguments) => Self { arguments: Some(arguments) },
            _ => return Err("the arguments must be a JSON object".to_owned()),
        };
        for (name, value) in given.arguments.into_iter().flatten() {
            let Some(input) = inputs.iter().find(|input| input.name == name) else {
                let known: Vec<_> = inputs.iter().map(|input| input.name).collect();
                let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
                return Err(format!("{tool} takes no `{name}`; it takes: {known}"));
            };
            if !value.is_null() && !input.kind.fits(value) {
                return Err(format!("`{name}` must be: {}", input.kind.wanted()));
            }
        }
        let missing = |input: &&Input| input.required && given.value(input.name).is_none_or(Value::is_null);
        match inputs.iter().find(missing) {
            Some(input) => Err(format!("`{}` is missing ({})", input.name, input.about)),
            None => Ok(given),
        }
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.arguments?.get(name)
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name).and_then(Value::as_str)
    }

    pub fn texts(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.value(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// How many rows of a list are wanted.
    pub fn limit(&self) -> usize {
        let wanted = self.value("limit").and_then(Value::as_u64).unwrap_or(MOST_ROWS);
        usize::try_from(wanted).unwrap_or(usize::MAX)
    }

    /// Options of the command line that have the names of inputs, as far as these were given. A value is never an option.
    pub fn options(&self, names: &[&str]) -> impl Iterator<Item = String> {
        names.iter().filter_map(|name| Some(format!("--{name}={}", self.text(name)?)))
    }

    /// Settings as the command line takes them.
    pub fn pairs(&self, name: &str) -> impl Iterator<Item = String> {
        let settings = self.value(name).and_then(Value::as_object);
        settings.into_iter().flatten().map(|(key, value)| match value {
            Value::String(text) => format!("{key}={text}"),
            other => format!("{key}={other}"),
        })
    }

    /// The ticket's whole id. Before a text nothing else is taken for one.
    pub fn id(&self, name: &str) -> Result<Option<String>, String> {
        let Some(typed) = self.text(name) else { return Ok(None) };
        let id = if typed.starts_with("sb_") { typed.to_owned() } else { format!("sb_{typed}") };
        if id.len() == 3 || !looks_like_id(&id) {
            return Err(format!("`{typed}` is no ticket's id: these are `sb_` and six letters or digits"));
        }
        Ok(Some(id))
    }

    /// A command on a ticket.
    pub fn command(&self, name: &str) -> Result<Line, String> {
        let mut line = Line::of(&[name, "--json", "--"]);
        line.words.extend(self.id("id")?);
        Ok(line)
    }

    /// The same with a text, which comes on standard input: there it can be of any length and is never an option.
    pub fn with_words(&self, name: &str, text: &str) -> Result<Line, String> {
        let mut line = self.command(name)?;
        line.words.push("-".to_owned());
        line.input = self.text(text).map(ToOwned::to_owned);
        Ok(line)
    }

    /// A command on something with a name and settings of its own.
    pub fn with_settings(&self, command: &[&str]) -> Line {
        let mut line = Line::of(command);
        line.words.push("--".to_owned());
        line.words.extend(self.text("name").map(ToOwned::to_owned));
        line.words.extend(self.text("type").map(|kind| format!("type={kind}")));
        line.words.extend(self.pairs("settings"));
        line
    }
}
