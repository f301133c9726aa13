//! A reader of JSON with comments and trailing commas that says where everything stands, so that a settings file can
//! be changed in one place and stay the same, byte for byte, in all others.

use serde_json::Value;

/// A value and where it stands in the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    pub(crate) shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Object(Vec<Entry>),
    Array(Vec<Entry>),
    /// A string, number, `true`, `false` or `null`.
    Scalar(Value),
}

/// A member of an object or an item of an array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Empty for an item of an array.
    pub(crate) key: String,
    /// Where the key stands, or the value where there is none.
    pub(crate) start: usize,
    pub(crate) value: Node,
    /// Where the comma after it stands, if there is one.
    pub(crate) comma: Option<usize>,
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// Deeper nesting than any settings file has. Without a limit the reader could run out of stack.
const DEEPEST: usize = 100;

/// The one value in the text; `None` where there are only blanks and comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Wrong> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip_blanks()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let value = reader.value(0)?;
    reader.skip_blanks()?;
    if reader.at < text.len() {
        return Err(reader.wrong("nothing may follow the closing bracket"));
    }
    Ok(Some(value))
}

impl Node {
    /// The entries of an object or array; none for anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.shape {
            Shape::Object(entries) | Shape::Array(entries) => entries,
            Shape::Scalar(_) => &[],
        }
    }

    pub(crate) fn member(&self, key: &str) -> Option<&Node> {
        match &self.shape {
            Shape::Object(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            Shape::Array(_) | Shape::Scalar(_) => None,
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.shape, Shape::Object(_))
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(self.shape, Shape::Array(_))
    }

    /// What a person would call it.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.shape {
            Shape::Object(_) => "an object",
            Shape::Array(_) => "a list",
            Shape::Scalar(Value::String(_)) => "a string",
            Shape::Scalar(Value::Null) => "null",
            Shape::Scalar(Value::Bool(_)) => "a boolean",
            Shape::Scalar(_) => "a number",
        }
    }

    /// The value without its places.
    pub(crate) fn to_value(&self) -> Value {
        match &self.shape {
            Shape::Object(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value())).collect()
            }
            Shape::Array(entries) => entries.iter().map(|entry| entry.value.to_value()).collect(),
            Shape::Scalar(value) => value.clone(),
        }
    }
}

impl Entry {
    /// One past the last byte, without the comma.
    pub(crate) fn end(&self) -> usize {
        self.value.end
    }
}

/// Line and column, from 1, of a place in the text; the column counts characters.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before.get(line_start..).unwrap_or_default().chars().count() + 1)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: &str) -> Wrong {
        Wrong { at: self.at, what: what.to_owned() }
    }

    fn skip_blanks(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| self.wrong("this comment is never closed"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Wrong> {
        if depth > DEEPEST {
            return Err(self.wrong("this is nested too deeply"));
        }
        let start = self.at;
        let shape = match self.peek() {
            Some(b'{') => Shape::Object(self.container(b'}', depth)?),
            Some(b'[') => Shape::Array(self.container(b']', depth)?),
            Some(b'"') => Shape::Scalar(Value::String(self.string()?)),
            Some(_) => Shape::Scalar(self.word()?),
            None => return Err(self.wrong("the text ends where a value is expected")),
        };
        Ok(Node { start, end: self.at, shape })
    }

    fn container(&mut self, close: u8, depth: usize) -> Result<Vec<Entry>, Wrong> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(entries);
            }
            if entries.last().is_some_and(|entry| entry.comma.is_none()) {
                let close = char::from(close);
                return Err(self.wrong(&format!("a comma or `{close}` is expected here")));
            }
            let start = self.at;
            let key = if close == b'}' { self.key(&entries)? } else { String::new() };
            let value = self.value(depth + 1)?;
            self.skip_blanks()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            entries.push(Entry { key, start, value, comma });
        }
    }

    fn key(&mut self, so_far: &[Entry]) -> Result<String, Wrong> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a name in double quotes is expected here"));
        }
        let key = self.string()?;
        if so_far.iter().any(|entry| entry.key == key) {
            return Err(Wrong { at: start, what: format!("`{key}` is here for the second time") });
        }
        self.skip_blanks()?;
        if self.peek() != Some(b':') {
            return Err(self.wrong("a colon is expected here"));
        }
        self.at += 1;
        self.skip_blanks()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let mut escaped = false;
        let closing = self.rest().bytes().enumerate().skip(1).find(|(_, byte)| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let (length, _) = closing.ok_or_else(|| self.wrong("this string is never closed"))?;
        let raw = self.rest().get(..=length).unwrap_or_default();
        let decoded =
            serde_json::from_str(raw).map_err(|_| self.wrong("this string is not written as JSON"))?;
        self.at += length + 1;
        Ok(decoded)
    }

    fn word(&mut self) -> Result<Value, Wrong> {
        let rest = self.rest();
        let stops = |letter: char| letter.is_whitespace() || "{}[],:\"/".contains(letter);
        let length = rest.find(stops).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let value = serde_json::from_str(word).map_err(|_| self.wrong("a value is expected here"))?;
        self.at += length;
        Ok(value)
    }
}
