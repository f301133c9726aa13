//! Options and operands, told apart as `getopt` does.

use super::super::text::Field;
use super::{Does, Row};

/// An option as it was given: its name without dashes, and its value if it has one.
pub(super) struct Given {
    pub name: String,
    pub value: Option<Field>,
    /// Given with two dashes, so that it may be shortened.
    long: bool,
}

impl Given {
    /// Whether it is one of these, in full or shortened as far as `getopt` and git allow. What is ambiguous is
    /// refused by the program itself, so it may count for all it could be.
    fn may_be(&self, names: &str) -> bool {
        let given = self.name.as_str();
        let shortened =
            |name: &str| self.long && !given.is_empty() && name.starts_with(given) && name.len() > 1;
        names.split(' ').any(|name| name == given || shortened(name))
    }
}

/// Whether a word is this long option, in full or shortened, with or without a value behind a sign.
pub(super) fn is_long(word: &Field, name: &str) -> bool {
    let given = word.start().strip_prefix("--").map(|given| given.split('=').next().unwrap_or_default());
    given.is_some_and(|given| given.len() > 1 && name.starts_with(given))
}

/// Arguments, sorted.
#[derive(Default)]
pub(super) struct Sorted {
    pub options: Vec<Given>,
    pub operands: Vec<Field>,
}

impl Sorted {
    /// Whether one of these is given, or may be meant by what is given.
    pub fn has(&self, names: &str) -> bool {
        self.options.iter().any(|option| option.may_be(names))
    }

    /// Whether one of these is given in full: for options that make a command harmless.
    pub fn says(&self, names: &str) -> bool {
        self.options.iter().any(|option| names.split(' ').any(|name| name == option.name))
    }

    pub fn value(&self, names: &str) -> Option<&Field> {
        let wanted = |option: &&Given| names.split(' ').any(|name| name == option.name);
        self.options.iter().find(wanted).and_then(|option| option.value.as_ref())
    }
}

fn takes_value(valued: &str, options: &[(&str, Does)], name: &str) -> bool {
    let listed = options
        .iter()
        .any(|(option, does)| *option == name && !matches!(does, Does::InPlace | Does::Becomes(_)));
    // By bytes: this is asked of every option of every command, and a search for characters costs ten times as much.
    listed || valued.as_bytes().split(|byte| *byte == b' ').any(|known| known == name.as_bytes())
}

/// A long option may be shortened: the first known one that starts like it may be meant.
fn full_name<'n>(valued: &'n str, options: &[(&'n str, Does)], given: &str) -> Option<&'n str> {
    let all = || options.iter().map(|(name, _)| *name).chain(valued.split(' '));
    if given.is_empty() || all().any(|name| name == given) {
        return None;
    }
    all().find(|name| name.len() > given.len() && name.starts_with(given))
}

/// Sorts arguments by the options that a row knows.
pub(super) fn sort(args: &[Field], row: &Row) -> Sorted {
    sort_by(args, row.valued, row.options, false)
}

/// Sorts arguments where only the options with values are of interest.
pub(super) fn sort_valued(args: &[Field], valued: &str) -> Sorted {
    sort_by(args, valued, &[], false)
}

/// Sorts arguments up to the first operand: what follows belongs to another program.
pub(super) fn sort_leading(args: &[Field], valued: &str) -> Sorted {
    sort_by(args, valued, &[], true)
}

fn sort_by(args: &[Field], valued: &str, options: &[(&'static str, Does)], leading: bool) -> Sorted {
    let mut sorted = Sorted::default();
    let mut rest = args.iter();
    while let Some(field) = rest.next() {
        let start = field.start();
        if field.is("--") {
            sorted.operands.extend(rest.cloned());
            break;
        }
        if let Some(long) = start.strip_prefix("--") {
            let name_end = long.find('=');
            let given = name_end.and_then(|end| long.get(..end)).unwrap_or(long);
            if let Some(name) = full_name(valued, options, given) {
                // Whether it is the short form of this one is a guess, so the next word stays an operand too.
                let next = rest.as_slice().first().cloned();
                let value = name_end.map(|end| field.after(2 + end + 1)).or(next);
                let value = value.filter(|_| takes_value(valued, options, name));
                sorted.options.push(Given { name: name.to_owned(), value, long: true });
            }
            let value = match name_end {
                Some(end) => Some(field.after(2 + end + 1)),
                None if takes_value(valued, options, given) => rest.next().cloned(),
                None => None,
            };
            sorted.options.push(Given { name: given.to_owned(), value, long: true });
        } else if start.len() > 1 && start.starts_with('-') {
            short_options(field, valued, options, &mut rest, &mut sorted);
        } else {
            sorted.operands.push(field.clone());
            if leading {
                sorted.operands.extend(rest.cloned());
                break;
            }
        }
    }
    sorted
}

/// `-abc`: each letter is an option, until one of them takes the rest as its value.
fn short_options<'f>(
    field: &Field,
    valued: &str,
    options: &[(&'static str, Does)],
    rest: &mut impl Iterator<Item = &'f Field>,
    sorted: &mut Sorted,
) {
    let letters = field.start();
    // Some programs have long options with one dash.
    let whole = letters.trim_start_matches('-');
    if whole.len() > 1 && field.parts.len() == 1 && takes_value(valued, options, &format!("-{whole}")) {
        sorted.options.push(Given { name: format!("-{whole}"), value: rest.next().cloned(), long: false });
        return;
    }
    for (index, letter) in letters.char_indices().skip(1) {
        let mut buffer = [0; 4];
        let name: &str = letter.encode_utf8(&mut buffer);
        if takes_value(valued, options, name) {
            let attached = field.after(index + letter.len_utf8());
            let value = if attached.parts.is_empty() { rest.next().cloned() } else { Some(attached) };
            sorted.options.push(Given { name: name.to_owned(), value, long: false });
            return;
        }
        sorted.options.push(Given { name: name.to_owned(), value: None, long: false });
    }
}
