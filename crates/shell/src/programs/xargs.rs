//! `xargs` and `parallel`: programs that run another one with what they are fed.

use super::super::effect::Change;
use super::super::parse;
use super::super::syntax::{Command, Simple};
use super::super::text::{Field, Part};
use super::super::walk::Input;
use super::call::Call;
use super::find::{self, below};
use super::options;

const XARGS: &str =
    "a d E I J L n P s arg-file delimiter eof max-args max-lines max-procs max-chars process-slot-var";

pub(super) fn xargs(call: &mut Call<'_, '_>) {
    let sorted = options::sort_leading(&call.args, XARGS);
    let attached = call.args.iter().find_map(|word| word.strip("-i")).filter(|mark| !mark.is_empty());
    let given = sorted.value("I J replace").cloned().or(attached).map(|mark| mark.shown());
    let mark = given.or_else(|| sorted.has("i replace").then(|| "{}".to_owned()));
    let outer = call.walker.input.clone();
    if let Some(file) = sorted.value("a arg-file") {
        call.read(file);
        call.walker.input = Input::Unknown(file.shown().into());
    }
    let mut words = sorted.operands.clone();
    if words.is_empty() {
        words.push(Field::known("echo"));
    }
    let by_line = mark.is_some() || sorted.has("d delimiter 0 null L");
    let values: Vec<Field> = match &call.walker.input {
        Input::Text(text) if by_line => {
            text.split(['\n', '\0']).filter(|line| !line.is_empty()).map(Field::known).collect()
        }
        Input::Text(text) => {
            text.split_whitespace().map(|word| Field::known(word.trim_matches(['"', '\'']))).collect()
        }
        _ => values(call),
    };
    call.walker.input = Input::Unknown(call.text.into());
    match mark {
        Some(mark) if !mark.is_empty() => {
            for value in values.iter().take(200) {
                call.invoke(words.iter().map(|word| replace(word, &mark, value)).collect());
            }
        }
        _ => {
            words.extend(values);
            call.invoke(words);
        }
    }
    call.walker.input = outer;
}

/// Puts a value where a mark stands.
fn replace(word: &Field, mark: &str, value: &Field) -> Field {
    let mut replaced = Field::default();
    for part in &word.parts {
        match part {
            Part::Literal(text) if text.contains(mark) => {
                for (index, between) in text.split(mark).enumerate() {
                    if index > 0 {
                        for part in &value.parts {
                            replaced.push(part.clone());
                        }
                    }
                    if !between.is_empty() {
                        replaced.push(Part::Literal(between.to_owned()));
                    }
                }
            }
            other => replaced.push(other.clone()),
        }
    }
    replaced
}

pub(super) fn parallel(call: &mut Call<'_, '_>) {
    let sorted = options::sort_leading(
        &call.args,
        "j a I S C N n L jobs arg-file delay timeout results joblog colsep sshlogin",
    );
    for option in ["joblog", "results"] {
        if let Some(file) = sorted.value(option) {
            call.write(file, Change::Content);
        }
    }
    let at = sorted
        .operands
        .iter()
        .position(|word| word.shown().starts_with(":::"))
        .unwrap_or(sorted.operands.len());
    let (words, given) = sorted.operands.split_at(at);
    let values: Vec<Field> = match given.split_first() {
        Some((mark, values)) if mark.is(":::") => values.to_vec(),
        _ => match &call.walker.input {
            Input::Text(text) => text.lines().map(Field::known).collect(),
            _ => values(call),
        },
    };
    let marked = words.iter().any(|word| word.shown().contains("{}"));
    for value in values.iter().take(200) {
        let mut line: Vec<Field> = words.iter().map(|word| replace(word, "{}", value)).collect();
        if !marked {
            line.push(value.clone());
        }
        // GNU parallel hands the line to a shell.
        match line.as_slice() {
            [only] => call.code(&only.clone()),
            _ => call.invoke(line),
        }
    }
}

/// What is fed to it, one field a file, where that cannot be told word by word.
fn values(call: &mut Call<'_, '_>) -> Vec<Field> {
    let listed = match call.walker.input.clone() {
        Input::Unknown(source) => listed(call, &source),
        _ => None,
    };
    listed.unwrap_or_else(|| vec![Field::unknown("…")])
}

/// What the start of a pipeline lists, if all it does is list files: `find src -name '*.rs' | sort | xargs …`.
fn listed(call: &mut Call<'_, '_>, pipeline: &str) -> Option<Vec<Field>> {
    let parsed = parse::parse(pipeline);
    let commands = &parsed.list.items.first()?.first.commands;
    let mut stages = Vec::new();
    for command in commands {
        let Command::Simple(simple) = command else { return None };
        if simple.words.iter().any(|word| matches!(word.text.as_str(), "xargs" | "parallel")) {
            break;
        }
        stages.push(simple);
    }
    let (first, filters) = stages.split_first()?;
    if !filters.iter().all(|simple| only_filters(simple)) || !call.state.functions.is_empty() {
        return None;
    }
    // The words were followed before; here only what they stand for is of interest.
    let around = std::mem::take(&mut call.walker.effects);
    let mut state = call.state.clone();
    let fields: Vec<Field> =
        first.words.iter().flat_map(|word| call.walker.expand(word, &mut state)).collect();
    call.walker.effects = around;
    let (name, args) = fields.split_first()?;
    let anywhere = || vec![Field::known(".")];
    let all_below = |roots: Vec<Field>| {
        let roots = if roots.is_empty() { anywhere() } else { roots };
        // A root may be a file itself.
        let itself = |root: &Field| Some(root.clone()).filter(|root| !root.is("."));
        roots
            .iter()
            .flat_map(|root| itself(root).into_iter().chain([below(root, None)]))
            .collect::<Vec<Field>>()
    };
    Some(match name.text()?.as_str() {
        "find" => {
            let (at, roots) = find::roots(args);
            let tests: Vec<Field> = args.iter().skip(at).cloned().collect();
            let roots = if roots.is_empty() { anywhere() } else { roots };
            let prints = |arg: &Field| arg.start().starts_with("-print");
            let mut names: Vec<Option<Field>> = (0..tests.len())
                .filter(|index| tests.get(*index).is_some_and(prints))
                .flat_map(|index| find::names(tests.get(..index).unwrap_or_default()))
                .collect();
            if names.is_empty() {
                // Nothing says when to print, so all that passes is printed.
                let mut whole = vec![Field::known("(")];
                whole.extend(tests);
                whole.push(Field::known(")"));
                names = find::names(&whole);
            }
            roots.iter().flat_map(|root| names.iter().map(|name| below(root, name.as_ref()))).collect()
        }
        "echo" | "print" => {
            args.iter().filter(|arg| !matches!(arg.start(), "-n" | "-e" | "-E")).cloned().collect()
        }
        "printf" => args.iter().skip(1).cloned().collect(),
        "ls" => listed_by_ls(args),
        name @ ("grep" | "egrep" | "fgrep" | "rg") if lists_names(args) => {
            let sorted = options::sort(args, super::row(name)?);
            let pattern = usize::from(!sorted.has("e f regexp file files"));
            all_below(sorted.operands.into_iter().skip(pattern).collect())
        }
        "fd" | "fdfind" => all_below(find::fd_roots(args)),
        "git" if args.first()?.is("ls-files") => {
            let valued = "x X exclude exclude-from exclude-per-directory with-tree format";
            all_below(options::sort_valued(args.get(1..)?, valued).operands)
        }
        "git" if args.first()?.is("grep") || args.first()?.is("diff") => all_below(Vec::new()),
        _ => return None,
    })
}

/// Whether a stage of a pipeline passes on some of the lines it gets, unchanged.
fn only_filters(simple: &Simple) -> bool {
    let mut words = simple.words.iter().map(|word| word.text.trim_matches(['"', '\'']));
    match words.next() {
        Some("grep" | "egrep" | "fgrep" | "rg") => {
            !words.any(|word| word.starts_with("-o") || word == "--only-matching")
        }
        Some("sort" | "uniq" | "head" | "tail" | "cat") => true,
        Some("tr") => words.next() == Some("\\n") && matches!(words.next(), Some("\\0" | "\\000" | " ")),
        _ => false,
    }
}

fn lists_names(args: &[Field]) -> bool {
    args.iter().any(|arg| {
        let start = arg.start();
        start.starts_with('-') && !start.starts_with("--") && start.contains(['l', 'L'])
            || matches!(start, "--files" | "--files-with-matches" | "--files-without-match")
    })
}

/// `ls` prints files as they were given, and of a folder the names in it, which are then looked for here.
fn listed_by_ls(args: &[Field]) -> Vec<Field> {
    let as_given = args.iter().any(|arg| {
        let start = arg.start();
        start == "--directory" || start.starts_with('-') && !start.starts_with("--") && start.contains('d')
    });
    let here = Field { parts: vec![Part::Literal("./".to_owned()), Part::Pattern("*".to_owned())] };
    let mut listed: Vec<Field> = args.iter().filter(|arg| !arg.start().starts_with('-')).cloned().collect();
    // A pattern is mostly one for files.
    let folders = listed.iter().any(|arg| arg.text().is_some());
    if listed.is_empty() || folders && !as_given {
        listed.push(here);
    }
    listed
}
