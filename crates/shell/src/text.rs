//! Text of which some parts may not be known: what a word becomes when it is expanded.

/// A part of expanded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Literal(String),
    /// A shell pattern, or a number nobody knows yet: it stands for text without a slash.
    Pattern(String),
    /// Anything, slashes included; the source is kept for messages.
    Unknown(String),
}

/// One word as a program gets it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub parts: Vec<Part>,
}

impl Field {
    pub fn known(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Literal(text.into())] }
    }

    pub fn unknown(source: impl Into<String>) -> Self {
        Self { parts: vec![Part::Unknown(source.into())] }
    }

    pub fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Literal(last)) => last.push_str(text),
            _ => self.parts.push(Part::Literal(text.to_owned())),
        }
    }

    pub fn push(&mut self, part: Part) {
        match (self.parts.last_mut(), part) {
            (Some(Part::Literal(last)), Part::Literal(more)) => last.push_str(&more),
            (_, part) => self.parts.push(part),
        }
    }

    /// The whole text, if all of it is known. A pattern that matches nothing stays as it is written, so it
    /// counts.
    pub fn text(&self) -> Option<String> {
        match self.parts.as_slice() {
            [] => Some(String::new()),
            [Part::Literal(text)] => Some(text.clone()),
            parts if parts.iter().all(|part| matches!(part, Part::Literal(_))) => Some(self.shown()),
            _ => None,
        }
    }

    /// As it is shown to people: what is unknown stands as it was written.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Pattern(text) | Part::Unknown(text) => shown.push_str(text),
            }
        }
        shown
    }

    /// The known text at its start.
    pub fn start(&self) -> &str {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            _ => "",
        }
    }

    /// What is left without the first bytes, which must be known.
    pub fn after(&self, length: usize) -> Self {
        let mut parts = self.parts.clone();
        if let Some(Part::Literal(text)) = parts.first_mut() {
            *text = text.get(length..).unwrap_or_default().to_owned();
            if text.is_empty() {
                parts.remove(0);
            }
        }
        Self { parts }
    }

    /// What follows a literal prefix.
    pub fn strip(&self, prefix: &str) -> Option<Self> {
        self.start().starts_with(prefix).then(|| self.after(prefix.len()))
    }

    /// Takes a known ending off, and says whether it was there.
    pub fn cut(&mut self, ending: &str) -> bool {
        if let Some(Part::Literal(last)) = self.parts.last_mut()
            && let Some(kept) = last.strip_suffix(ending)
        {
            *last = kept.to_owned();
            return true;
        }
        false
    }

    /// Splits at the first known occurrence of a character.
    pub fn split(&self, at: char) -> Option<(Self, Self)> {
        for (index, part) in self.parts.iter().enumerate() {
            if let Part::Literal(text) = part
                && let Some((left, right)) = text.split_once(at)
            {
                let mut before = Self { parts: self.parts.iter().take(index).cloned().collect() };
                before.push(Part::Literal(left.to_owned()));
                let mut after = Self::known(right);
                after.parts.extend(self.parts.iter().skip(index + 1).cloned());
                if right.is_empty() {
                    after.parts.remove(0);
                }
                return Some((before, after));
            }
        }
        None
    }

    /// How many bytes are known or written of it.
    pub fn length(&self) -> usize {
        let lengths = self.parts.iter().map(|part| match part {
            Part::Literal(text) | Part::Pattern(text) | Part::Unknown(text) => text.len(),
        });
        lengths.sum()
    }

    pub fn is(&self, text: &str) -> bool {
        matches!(self.parts.as_slice(), [Part::Literal(own)] if own == text)
    }

    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Literal(text) if text.is_empty()))
    }

    /// Whether nothing at all is known of how it starts, so that it might be an option.
    pub fn starts_unknown(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Unknown(_)))
    }

    /// Whether, as code, it comes from outside the command's text: from what a program prints, or all of it from
    /// a variable nobody set.
    pub fn is_foreign(&self) -> bool {
        self.parts.iter().enumerate().any(|(index, part)| match part {
            Part::Unknown(source) if source.starts_with("$(") || source.starts_with('`') => !is_tame(source),
            // `$DIR/run.sh` at its start is a program that is named.
            Part::Unknown(_) => index == 0 && !self.continues_as_path(),
            Part::Literal(_) | Part::Pattern(_) => false,
        })
    }

    fn continues_as_path(&self) -> bool {
        matches!(self.parts.get(1), Some(Part::Literal(next)) if next.starts_with('/'))
    }

    pub fn has_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Unknown(_)))
    }

    /// With a slash and more behind it.
    pub fn join(&self, name: &str) -> Self {
        let mut joined = self.clone();
        joined.push(Part::Literal(format!("/{name}")));
        joined
    }

    /// The last component of the path, where it is known.
    pub fn base_name(&self) -> Option<String> {
        let shown = match self.parts.last()? {
            Part::Literal(text) => text.trim_end_matches('/'),
            _ => return None,
        };
        match shown.rsplit_once('/') {
            Some((_, name)) => Some(name.to_owned()),
            None if self.parts.len() == 1 => Some(shown.to_owned()),
            None => None,
        }
    }
}

/// Whether a substitution prints a path, a number or a name, or a file that is named; nothing that was made up to
/// be run.
fn is_tame(source: &str) -> bool {
    let inside = source.trim_start_matches(['$', '(', '`', ' ']).trim_end_matches([')', '`']);
    if inside.contains(['|', ';', '&', '`', '\n']) || inside.contains("$(") {
        return false;
    }
    let mut words = inside.split_whitespace();
    match words.next().unwrap_or_default() {
        "pwd" | "nproc" | "id" | "date" | "basename" | "dirname" | "mktemp" | "whoami" | "hostname"
        | "uname" | "realpath" | "readlink" | "cat" | "<" => true,
        "git" => words.next() == Some("rev-parse"),
        _ => false,
    }
}
