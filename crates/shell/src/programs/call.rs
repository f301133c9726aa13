//! One call of a program while it is followed.

use super::super::effect::{Change, Effect, GitAct, Nature, Place};
use super::super::output;
use super::super::state::{State, States};
use super::super::text::{Field, Part};
use super::super::walk::{Input, Walker};
use super::options::{self, Sorted};
use super::{Does, Operands, Row, questions};

pub(super) struct Call<'c, 'a> {
    pub walker: &'c mut Walker<'a>,
    pub name: &'static str,
    pub args: Vec<Field>,
    pub state: State,
    pub text: &'c str,
}

impl Call<'_, '_> {
    /// Does what the row says, and gives back what kind of program it turned out to be.
    pub fn follow(&mut self, row: &Row) -> Nature {
        if let [only] = self.args.as_slice()
            && matches!(
                only.text().as_deref(),
                Some("--version" | "--help" | "-V" | "-h" | "-v" | "version" | "help")
            )
            && (matches!(row.nature, Nature::Builds | Nature::Reads)
                || matches!(only.start(), "--version" | "--help"))
            && !matches!(
                (row.name, only.start()),
                ("make" | "hostname" | "tox", "-v" | "-h" | "help" | "version")
            )
        {
            return Nature::Reads;
        }
        if let Operands::Custom(custom) = row.operands {
            return custom(self);
        }
        if row.nature == Nature::Builds && (questions::asks(self) || questions::by_options(self)) {
            return Nature::Reads;
        }
        let sorted = options::sort(&self.args, row);
        self.apply(row, sorted)
    }

    fn apply(&mut self, row: &Row, sorted: Sorted) -> Nature {
        let mut nature = row.nature;
        let mut in_place = false;
        let mut has_text = false;
        for option in &sorted.options {
            has_text |= matches!(option.name.as_str(), "e" | "f" | "regexp" | "file" | "from-file");
            let Some((_, does)) = row.options.iter().find(|(name, _)| *name == option.name) else { continue };
            let value = option.value.clone().unwrap_or_default();
            match does {
                Does::Read => self.read(&value),
                Does::Write => {
                    self.write(&value, Change::Content);
                    nature = match nature {
                        Nature::Reads => Nature::Listed,
                        other => other,
                    };
                }
                Does::Run => self.code(&value),
                Does::InPlace => in_place = true,
                Does::Becomes(other) => nature = *other,
                Does::Opaque => self.opaque("an option makes it run something"),
            }
        }
        let mut operands = sorted.operands.into_iter();
        match row.operands {
            Operands::TextThenRead if !has_text => {
                operands.next();
            }
            Operands::ReadThenWrite => {
                if let Some(first) = operands.next() {
                    self.read(&first);
                }
                if let Some(second) = operands.next() {
                    self.write(&second, Change::Content);
                    nature = Nature::Listed;
                }
            }
            _ => {}
        }
        for operand in operands {
            match row.operands {
                _ if in_place => self.write(&operand, Change::Content),
                Operands::Read | Operands::TextThenRead => self.read(&operand),
                Operands::Write(change) => self.write(&operand, change),
                _ => {}
            }
        }
        if in_place && nature == Nature::Reads {
            nature = Nature::Listed;
        }
        nature
    }

    pub fn read(&mut self, field: &Field) {
        if field.is_empty() || field.is("-") {
            return;
        }
        self.walker.read_from(field, &self.state);
    }

    pub fn write(&mut self, field: &Field, change: Change) {
        if field.is_empty() || field.is("-") {
            return;
        }
        self.walker.write_to(field, &self.state, change);
    }

    /// Something is written below a directory, nobody knows what.
    pub fn write_below(&mut self, folder: &Field) {
        let mut all = folder.clone();
        all.push(Part::Literal("/".to_owned()));
        all.push(Part::Pattern("**".to_owned()));
        self.walker.write_to(&all, &self.state, Change::Content);
    }

    /// Something is written, nobody knows where.
    pub fn write_somewhere(&mut self) {
        let text = self.text;
        self.walker.write_to(&Field::unknown(text), &self.state, Change::Content);
    }

    pub fn network(&mut self, to: Option<String>) {
        self.walker.effects.push(Effect::Network { program: self.name.to_owned(), to });
    }

    pub fn git(&mut self, act: GitAct) {
        self.walker.effects.push(Effect::Git(act));
    }

    pub fn opaque(&mut self, what: &str) {
        let text = self.text;
        self.opaque_text(what, text);
    }

    pub fn opaque_text(&mut self, what: &str, text: &str) {
        self.hidden(what, text, false);
    }

    pub fn hidden(&mut self, what: &str, text: &str, unseen: bool) {
        let why = format!("{}: {what}", self.name);
        self.walker.hidden(&why, text, unseen);
    }

    /// From here on paths are relative to this directory.
    pub fn enter(&mut self, folder: &Field) {
        let target = self.walker.target(folder, &self.state);
        self.state.cwd = match target.place {
            Place::At(path) => Some(path.into()),
            _ => None,
        };
    }

    /// As `enter`, and rules that care where something happens see it.
    pub fn go_to(&mut self, folder: &Field) {
        self.say_where(folder);
        self.enter(folder);
    }

    pub fn say_where(&mut self, folder: &Field) {
        let target = self.walker.target(folder, &self.state);
        let cwd = self.state.cwd.as_deref();
        if !matches!((&target.place, cwd), (Place::At(path), Some(cwd)) if path == cwd) {
            self.walker.effects.push(Effect::Enter(target));
        }
    }

    /// A value is shell code or the name of a program.
    pub fn code(&mut self, field: &Field) {
        match field.text() {
            Some(code) => {
                let state = self.state.clone();
                self.walker.code(&code, States::one(state));
            }
            None => {
                if field.has_unknown() {
                    let unseen = field.is_foreign();
                    self.hidden("runs code that is not known", &field.shown(), unseen);
                    let whole = self.text;
                    self.hidden("runs code that is not known", whole, unseen);
                }
                let state = self.state.clone();
                self.walker.code_with_holes(field, States::one(state));
            }
        }
    }

    /// Another program is run with these words.
    pub fn invoke(&mut self, fields: Vec<Field>) {
        if fields.is_empty() {
            return;
        }
        let state = self.state.clone();
        let text = self.text;
        self.walker.nested(text, |walker| {
            walker.invoke(fields, state, text);
        });
    }

    /// What it reads from its standard input is code for a shell.
    pub fn fed_code(&mut self) {
        match self.walker.input.clone() {
            Input::Text(code) => {
                self.code(&Field::known(&*code));
                // The `echo` of some shells replaces backslash sequences, that of others does not.
                if code.contains('\\') {
                    self.code(&Field::known(output::unescape(&code, output::Escapes::Echo)));
                }
            }
            Input::Mixed(code) => self.code(&code),
            Input::File(file) => self.opaque_text("runs what it is fed", &file),
            Input::Unknown(source) => self.hidden("runs what it is fed", &source, true),
            Input::Inherited => {}
        }
    }

    /// The words from one position on, as one text.
    pub fn words_from(&self, position: usize) -> String {
        let words: Vec<String> = self.args.iter().skip(position).map(Field::shown).collect();
        words.join(" ")
    }
}
