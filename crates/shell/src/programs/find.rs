//! `find` and `fd`: looking, and what they do with what they found.

use super::super::effect::{Change, Nature, Place};
use super::super::text::{Field, Part};
use super::call::Call;
use super::options::Given;

pub(super) fn find(call: &mut Call<'_, '_>) -> Nature {
    let args = call.args.clone();
    let (_, roots) = roots(&args);
    for root in &roots {
        call.read(root);
    }
    let roots = if roots.is_empty() { vec![Field::known(".")] } else { roots };
    let mut nature = Nature::Reads;
    let mut actions = 0;
    let mut index = 0;
    while let Some(field) = args.get(index) {
        index += 1;
        match field.start() {
            "-delete" => {
                nature = Nature::Listed;
                actions += 1;
                let names = names_for(&args, index - 1, actions);
                for place in found(&roots, &names) {
                    call.write(&place, Change::Removed);
                }
            }
            // What it runs is an effect of its own.
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let words: Vec<Field> = args
                    .iter()
                    .skip(index)
                    .take_while(|word| !word.is(";") && !word.is("+"))
                    .cloned()
                    .collect();
                actions += 1;
                let names = names_for(&args, index - 1, actions);
                index += words.len();
                if field.start().ends_with("dir") {
                    run_inside(call, &roots, &names, &words);
                    continue;
                }
                for place in found(&roots, &names) {
                    call.invoke(words.iter().map(|word| fill(word, &place)).collect());
                }
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                nature = Nature::Listed;
                if let Some(file) = args.get(index) {
                    call.write(file, Change::Content);
                }
                index += 1;
            }
            "-newer" | "-samefile" | "-files0-from" => {
                if let Some(file) = args.get(index) {
                    call.read(file);
                }
                index += 1;
            }
            // The first word is where to look, and one after an option is its value.
            _ if field.starts_unknown()
                && index > 1
                && !args.get(index - 2).is_some_and(|before| before.start().starts_with('-')) =>
            {
                call.opaque("an argument that is not known may be an action");
            }
            _ => {}
        }
    }
    nature
}

/// `-execdir` runs where the file is: somewhere below a root, or in the folder that a root is in.
fn run_inside(call: &mut Call<'_, '_>, roots: &[Field], names: &[Option<Field>], words: &[Field]) {
    let outside = call.state.clone();
    for root in roots {
        let top = match call.walker.target(root, &outside).place {
            Place::At(path) | Place::Among(path) => Some(path),
            Place::Ending(_) => None,
        };
        let parent = top.as_deref().and_then(|top| Some(top.rsplit_once('/')?.0.to_owned()));
        let itself = parent.filter(|_| !root.shown().ends_with('.'));
        for cwd in [top.map(|top| format!("{top}/**")), itself] {
            if cwd.is_none() && !root.has_unknown() {
                continue;
            }
            call.state.cwd = cwd.map(Into::into);
            for name in names {
                let name = name.as_ref().map_or_else(|| "*".to_owned(), Field::shown);
                let place = Field { parts: vec![Part::Literal("./".to_owned()), Part::Pattern(name)] };
                call.invoke(words.iter().map(|word| fill(word, &place)).collect());
            }
        }
    }
    call.state = outside;
}

/// Nobody gives so many actions that telling their names apart is worth the time.
fn names_for(args: &[Field], action: usize, actions: usize) -> Vec<Option<Field>> {
    if actions > 20 { vec![None] } else { names(args.get(..action).unwrap_or_default()) }
}

fn found(roots: &[Field], names: &[Option<Field>]) -> Vec<Field> {
    roots.iter().flat_map(|root| names.iter().map(|name| below(root, name.as_ref()))).collect()
}

/// The names that what is found can have, judged by the tests before an action; nothing stands for any name.
pub(super) fn names(tests: &[Field]) -> Vec<Option<Field>> {
    let is_or = |field: &Field| field.is("-o") || field.is("-or") || field.is(",");
    let is_not = |field: &Field| field.is("!") || field.is("-not");
    // Only the alternative that leads to the action counts; what is in parentheses belongs to it.
    let mut depth = 0_usize;
    let mut start = 0;
    for (index, field) in tests.iter().enumerate() {
        if field.is("(") {
            depth += 1;
        } else if field.is(")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && is_or(field) {
            start = index + 1;
        }
    }
    let tests = tests.get(start..).unwrap_or_default();
    let alternatives = 1 + tests.iter().filter(|field| is_or(field)).count();
    let negates_group =
        tests.windows(2).any(|pair| matches!(pair, [not, open] if is_not(not) && open.is("(")));
    let mut names = Vec::new();
    for (index, field) in tests.iter().enumerate() {
        let negated = index.checked_sub(1).and_then(|before| tests.get(before)).is_some_and(is_not);
        let Some(value) = tests.get(index + 1).filter(|value| !value.has_unknown() && !negated) else {
            continue;
        };
        if field.is("-name") {
            names.push(Some(value.clone()));
        } else if field.is("-iname") {
            names.push(Some(any_case(value)));
        }
    }
    if alternatives == 1 {
        names.truncate(1);
    }
    // An alternative without a name may find anything.
    if names.len() != alternatives || negates_group {
        return vec![None];
    }
    names
}

/// A pattern that matches in any case of its letters.
fn any_case(name: &Field) -> Field {
    let shown = name.shown();
    if shown.contains('[') {
        return Field::known("*");
    }
    let mut pattern = String::new();
    for letter in shown.chars() {
        if letter.is_alphabetic() {
            pattern.push('[');
            pattern.extend(letter.to_lowercase());
            pattern.extend(letter.to_uppercase());
            pattern.push(']');
        } else {
            pattern.push(letter);
        }
    }
    Field::known(pattern)
}

/// What is found below a directory: by its name if that is a plain pattern, else anything.
pub(super) fn below(root: &Field, name: Option<&Field>) -> Field {
    let mut place = root.clone();
    place.push(Part::Literal("/".to_owned()));
    place.push(Part::Pattern("**".to_owned()));
    let Some(name) = name.filter(|name| !name.has_unknown()).map(Field::shown) else { return place };
    if !name.contains('/') {
        place.push(Part::Literal("/".to_owned()));
        place.push(Part::Pattern(name));
    }
    place
}

/// How many words of `find` come before its tests, and where it looks.
pub(super) fn roots(args: &[Field]) -> (usize, Vec<Field>) {
    let mut roots = Vec::new();
    let mut at = 0;
    while let Some(field) = args.get(at) {
        match field.start() {
            "-L" | "-H" | "-P" | "-E" | "-X" | "-d" | "-s" | "-x" | "--" => {}
            start if start.starts_with("-O") => {}
            "-D" => at += 1,
            "-f" => {
                roots.extend(args.get(at + 1).cloned());
                at += 1;
            }
            start if start.starts_with(['-', '(', '!', ')']) => break,
            _ => roots.push(field.clone()),
        }
        at += 1;
    }
    if args.iter().any(|field| field.is("-files0-from")) {
        roots.push(Field::unknown("…"));
    }
    (at, roots)
}

/// Puts what was found where `{}` stands.
fn fill(word: &Field, place: &Field) -> Field {
    let mut filled = Field::default();
    for part in &word.parts {
        match part {
            Part::Literal(text) if text.contains("{}") => {
                for (index, between) in text.split("{}").enumerate() {
                    if index > 0 {
                        for part in &place.parts {
                            filled.push(part.clone());
                        }
                    }
                    if !between.is_empty() {
                        filled.push(Part::Literal(between.to_owned()));
                    }
                }
            }
            other => filled.push(other.clone()),
        }
    }
    filled
}

const FD: &str = "e t d E c S j o C max-depth exact-depth min-depth extension type exclude color size threads base-directory \
                  search-path changed-within changed-before owner format batch-size ignore-file max-results";

/// What `-x`, `-X`, `--exec` and `--exec-batch` hold of the command already: `-xrm`, `--exec=rm`.
fn fd_action(field: &Field) -> Option<Vec<Field>> {
    let start = field.start();
    if super::options::is_long(field, "exec-batch") && start.len() > 4 {
        return Some(field.split('=').map(|(_, first)| first).into_iter().collect());
    }
    let letters = start.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    // Behind a letter that takes a value the rest is that value.
    let at = letters.find(['x', 'X', 'e', 't', 'd', 'E', 'c', 'S', 'j', 'o', 'C'])?;
    if !letters.get(at..)?.starts_with(['x', 'X']) {
        return None;
    }
    let attached = field.after(at + 2);
    Some(if attached.is_empty() { Vec::new() } else { vec![attached] })
}

pub(super) fn fd(call: &mut Call<'_, '_>) -> Nature {
    let args = call.args.clone();
    let found = args.iter().enumerate().find_map(|(index, field)| Some((index, fd_action(field)?)));
    let (own, action) = args.split_at(found.as_ref().map_or(args.len(), |(index, _)| *index));
    // A command ends at a semicolon, and more may follow it.
    let behind = action.iter().skip_while(|word| !word.is(";")).skip(1);
    let roots = fd_roots(&own.iter().chain(behind).cloned().collect::<Vec<Field>>());
    for root in roots.iter().filter(|root| !root.is(".")) {
        call.read(root);
    }
    let Some((_, mut words)) = found else { return Nature::Reads };
    words.extend(action.iter().skip(1).take_while(|word| !word.is(";")).cloned());
    let marks = ["{}", "{/}", "{//}", "{.}", "{/.}"];
    let has_mark = words.iter().any(|word| marks.iter().any(|mark| word.shown().contains(mark)));
    if !has_mark {
        words.push(Field::known("{}"));
    }
    for root in &roots {
        let place = below(root, None);
        let filled = words.iter().map(|word| {
            let shown = word.shown();
            match marks.iter().skip(1).any(|mark| shown.contains(mark)) {
                true => Field::unknown(shown),
                false => fill(word, &place),
            }
        });
        call.invoke(filled.collect());
    }
    Nature::Reads
}

/// Where `fd` looks: in the folders it is told, or here.
pub(super) fn fd_roots(args: &[Field]) -> Vec<Field> {
    let sorted = super::options::sort_valued(args, FD);
    let is_root = |option: &&Given| matches!(option.name.as_str(), "search-path" | "base-directory" | "C");
    let mut roots: Vec<Field> =
        sorted.options.iter().filter(is_root).filter_map(|option| option.value.clone()).collect();
    roots.extend(sorted.operands.into_iter().skip(1));
    if roots.is_empty() { vec![Field::known(".")] } else { roots }
}
