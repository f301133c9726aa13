//! What programs do with their arguments: one row a program, in one file a family.

mod archives;
mod builders;
mod call;
mod copies;
pub(super) mod environment;
mod find;
mod forges;
mod git;
mod interpreters;
mod network;
mod options;
mod packages;
mod questions;
mod readers;
mod shells;
mod stream;
mod system;
mod wrappers;
mod writers;
mod xargs;

use super::effect::{Change, Effect, Nature};
use super::output;
use super::state::State;
use super::text::Field;
use super::walk::{Input, Walker};
use call::Call;

/// What is known of a program.
struct Row {
    name: &'static str,
    nature: Nature,
    /// Options that take a value and mean nothing here: `n lines` for `-n` and `--lines`.
    valued: &'static str,
    /// Options that mean something, with or without a value.
    options: &'static [(&'static str, Does)],
    operands: Operands,
}

/// What an option does. All of these take a value, except where they say otherwise.
#[derive(Clone, Copy)]
enum Does {
    Read,
    Write,
    /// Shell code or a program that is run.
    Run,
    /// Takes no value: the operands are changed instead of read.
    InPlace,
    /// Takes no value: the program becomes of this nature.
    Becomes(Nature),
    /// Something runs or happens that cannot be seen through.
    Opaque,
}

/// What becomes of the words that are no options.
#[derive(Clone, Copy)]
enum Operands {
    Nothing,
    Read,
    /// The first one is a pattern or a program, unless an option gave it.
    TextThenRead,
    Write(Change),
    /// Read the first, write the second.
    ReadThenWrite,
    /// More than the options can say.
    Custom(fn(&mut Call<'_, '_>) -> Nature),
    /// It runs another program, which is what counts.
    Wrapper(fn(&mut Call<'_, '_>)),
}

impl Row {
    const fn new(name: &'static str, nature: Nature, valued: &'static str, operands: Operands) -> Self {
        Self { name, nature, valued, options: &[], operands }
    }

    const fn with(mut self, options: &'static [(&'static str, Does)]) -> Self {
        self.options = options;
        self
    }
}

/// All families; each is sorted by name.
const FAMILIES: [&[Row]; 12] = [
    readers::ROWS,
    readers::MORE,
    writers::ROWS,
    builders::ROWS,
    packages::ROWS,
    interpreters::ROWS,
    wrappers::ROWS,
    network::ROWS,
    system::ROWS,
    archives::ROWS,
    forges::ROWS,
    stream::ROWS,
];

fn row(name: &str) -> Option<&'static Row> {
    FAMILIES.iter().find_map(|family| {
        let index = family.binary_search_by(|row| row.name.cmp(name)).ok()?;
        family.get(index)
    })
}

pub(super) fn is_known(name: &str) -> bool {
    row(name).is_some()
}

/// Directories whose programs are what their names say.
const SYSTEM: [&str; 9] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/opt/homebrew/bin/",
    "/usr/local/sbin/",
    "/snap/bin/",
    "/run/current-system/sw/bin/",
];

/// Directories of a project into which package managers install everyday tools.
const PROJECT: [&str; 4] = ["node_modules/.bin/", ".venv/bin/", "venv/bin/", "vendor/bin/"];

/// The program of this name, and whether it comes from the project itself.
fn known(name: &str) -> Option<(&'static Row, bool)> {
    let plain = name.strip_prefix('=').unwrap_or(name);
    if !plain.contains('/') {
        return Some((versionless(plain)?, false));
    }
    if let Some(program) = SYSTEM.iter().find_map(|folder| plain.strip_prefix(folder)) {
        return Some((versionless(program).filter(|_| !program.contains('/'))?, false));
    }
    let (_, program) = plain.rsplit_once('/')?;
    let folder = plain.get(..plain.len() - program.len())?;
    let in_project = PROJECT.iter().any(|known| {
        folder == *known || folder.strip_suffix(known).is_some_and(|before| before.ends_with('/'))
    });
    let is_wrapper = matches!(program, "gradlew" | "mvnw");
    if in_project && !plain.contains("..") || is_wrapper && !plain.starts_with('/') {
        return Some((versionless(program)?, true));
    }
    None
}

/// `python3.12` is `python`, `pip3` is `pip`, `gcc-13` is `gcc`.
fn versionless(name: &str) -> Option<&'static Row> {
    row(name).or_else(|| {
        let stem =
            name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
        row(stem).filter(|_| stem.len() < name.len())
    })
}

/// Follows a program. Gives back what it prints, where that is known.
pub(super) fn run(
    walker: &mut Walker<'_>,
    name: String,
    args: Vec<Field>,
    state: &State,
    text: &str,
) -> Option<String> {
    let arguments: Vec<String> = args.iter().map(Field::shown).collect();
    let Some((row, in_project)) = known(&name) else {
        if name.contains('/') {
            walker.read_from(&Field::known(name.clone()), state);
        }
        let program = name.strip_prefix('=').unwrap_or(&name).to_owned();
        walker.effects.push(Effect::Run { program, arguments, nature: Nature::Unknown });
        return None;
    };
    let printed = match (row.name, state.cwd.as_deref()) {
        // Nobody reads it.
        _ if walker.output.is_none() => None,
        ("pwd", Some(cwd)) if !cwd.contains('*') => Some(format!("{cwd}\n")),
        _ => printed(row.name, &args, &walker.input),
    };
    let mut call = Call { walker, name: row.name, args, state: state.clone(), text };
    if let Operands::Wrapper(follow) = row.operands {
        follow(&mut call);
        return printed;
    }
    let index = call.walker.effects.len();
    call.walker.effects.push(Effect::Run { program: row.name.to_owned(), arguments, nature: row.nature });
    let mut worked_out = call.follow(row);
    if in_project && matches!(worked_out, Nature::Reads | Nature::Listed) {
        worked_out = Nature::Builds;
    }
    if let Some(Effect::Run { nature, .. }) = walker.effects.get_mut(index) {
        *nature = worked_out;
    }
    printed
}

/// What a program prints, if it is one of the few for which that can be told.
fn printed(name: &str, args: &[Field], input: &Input) -> Option<String> {
    let words = || args.iter().map(Field::text).collect::<Option<Vec<String>>>();
    match (name, input) {
        ("echo", _) => words().map(|words| output::echo(&words)),
        ("printf", _) => words().and_then(|words| output::printf(&words)),
        ("cat" | "tee", Input::Text(text)) => {
            let is_file = |argument: &Field| argument.text().is_some_and(|text| !text.contains("/dev/"));
            let passes = match name {
                "tee" => args.iter().all(is_file),
                _ => args.iter().all(|argument| argument.is("-")),
            };
            passes.then(|| text.to_string())
        }
        (
            "true" | "false" | ":" | "test" | "[" | "sleep" | "mkdir" | "touch" | "rm" | "cp" | "mv" | "ln"
            | "chmod",
            _,
        ) => {
            let talks = args
                .iter()
                .any(|argument| argument.start().starts_with('-') && argument.start().contains('v'));
            (!talks).then(String::new)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, row};

    #[test]
    fn every_family_is_sorted_and_no_program_has_two_rows() {
        let mut names = Vec::new();
        for family in FAMILIES {
            for pair in family.windows(2) {
                assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
            }
            names.extend(family.iter().map(|row| row.name));
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "a program has two rows");
        assert!(names.into_iter().all(|name| row(name).is_some()));
    }
}
