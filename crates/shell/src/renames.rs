//! Names that were made to stand for another program: `hash -p`, `BASH_CMDS`, `BASH_ALIASES`.

use super::state::{State, Value};
use super::syntax::{AssignedValue, Assignment};
use super::text::Field;
use super::walk::Walker;
use std::rc::Rc;

impl Walker<'_> {
    /// `hash -p path name`: from now on the name stands for that program.
    pub fn hash(&mut self, arguments: &[Field], state: &mut State) {
        let mut rest = arguments.iter();
        let mut path = None;
        while let Some(argument) = rest.next() {
            match argument.strip("-p") {
                Some(attached) if attached.is_empty() => path = rest.next().cloned(),
                Some(attached) => path = Some(attached),
                None if argument.start().starts_with('-') => {}
                // In zsh: `hash name=path`.
                None => match (argument.split('='), &path) {
                    (Some((name, path)), _) => self.name_program(&name, path, state),
                    (None, Some(path)) => self.name_program(argument, path.clone(), state),
                    (None, None) => {}
                },
            }
        }
    }

    fn name_program(&mut self, name: &Field, path: Field, state: &mut State) {
        let key = name.text().map_or_else(|| "BASH_CMDS".to_owned(), |name| format!("BASH_CMDS[{name}]"));
        self.set_variable(&key, Value::Text(path), state);
    }

    /// `BASH_CMDS[name]=path` and `BASH_ALIASES[name]=code`, alone or as a whole table.
    pub fn assign_program(&mut self, assignment: &Assignment, subscript: Option<&Field>, state: &mut State) {
        let table = assignment.name.as_str();
        match (&assignment.value, subscript) {
            (AssignedValue::Word(word), Some(subscript)) => {
                let value = self.expand_one(word, state);
                match subscript.text() {
                    Some(name) => {
                        let name = name.trim_matches(['"', '\'']);
                        self.set_variable(&format!("{table}[{name}]"), Value::Text(value), state);
                    }
                    None => self.set_variable(table, Value::Unknown, state),
                }
            }
            (AssignedValue::Array(words), _) => {
                for word in words {
                    let field = self.expand_one(word, state);
                    let shown = field.shown();
                    match shown.strip_prefix('[').and_then(|element| element.split_once("]=")) {
                        Some((name, value)) => {
                            let value =
                                if field.has_unknown() { Field::unknown(value) } else { Field::known(value) };
                            self.set_variable(&format!("{table}[{name}]"), Value::Text(value), state);
                        }
                        None => self.set_variable(table, Value::Unknown, state),
                    }
                }
            }
            (AssignedValue::Word(_), None) => self.set_variable(table, Value::Unknown, state),
        }
    }

    /// Follows the program that a name was made to stand for, besides the one that has the name.
    pub fn hashed(&mut self, name: &str, fields: &[Field], state: &State, text: &str) {
        let Some(all) = state.variables.get("BASH_CMDS") else { return };
        let path = match (state.variables.get(&format!("BASH_CMDS[{name}]")), all) {
            (Some(Value::Text(path)), _) => path.clone(),
            (None, Value::Unset) => return,
            _ => Field::unknown(format!("${{BASH_CMDS[{name}]}}")),
        };
        let mut words = fields.to_vec();
        if let Some(first) = words.first_mut() {
            *first = path;
        }
        let mut state = state.clone();
        Rc::make_mut(&mut state.variables).remove("BASH_CMDS");
        self.nested(text, |walker| {
            walker.invoke(words, state, text);
        });
    }
}

/// Whether it is an element of a table of program names.
pub(super) fn is_program_table(name: &str) -> bool {
    name.starts_with("BASH_CMDS[") || name.starts_with("BASH_ALIASES[")
}
