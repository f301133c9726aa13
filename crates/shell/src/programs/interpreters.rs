//! Interpreters: scripts of the project, and code on the command line that nobody looks into.

use super::super::effect::{Change, Nature};
use super::super::text::Field;
use super::super::walk::Input;
use super::call::Call;
use super::{Operands, Row};

/// Interpreters and database shells.
pub(super) const ROWS: &[Row] = &[
    Row::new("R", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("Rscript", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("babel-node", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("bun", Nature::Builds, "", Operands::Custom(script_runner)),
    Row::new("coffee", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("deno", Nature::Builds, "", Operands::Custom(script_runner)),
    Row::new("duckdb", Nature::Listed, "", Operands::Custom(sqlite)),
    Row::new("elixir", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("erl", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("ghci", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("groovy", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("guile", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("ipython", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("jshell", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("julia", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("kotlin", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("lua", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("luajit", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("mariadb", Nature::Builds, "", Operands::Custom(database)),
    Row::new("mongosh", Nature::Builds, "", Operands::Custom(database)),
    Row::new("mysql", Nature::Builds, "", Operands::Custom(database)),
    Row::new("node", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("nodejs", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("octave", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("osascript", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("perl", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("php", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("psql", Nature::Builds, "", Operands::Custom(database)),
    Row::new("pwsh", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("pypy", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("python", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("python2", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("racket", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("redis-cli", Nature::Builds, "", Operands::Custom(database)),
    Row::new("ruby", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("sbcl", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("scala", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("sqlite3", Nature::Listed, "", Operands::Custom(sqlite)),
    Row::new("swipl", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("tclsh", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("ts-node", Nature::Builds, "", Operands::Custom(interpret)),
    Row::new("tsx", Nature::Builds, "", Operands::Custom(interpret)),
];

/// Options that take code, and options that take some other value.
fn shape(name: &str) -> (&'static str, &'static str) {
    match name {
        "python" => ("c", "W X Q m"),
        "pypy" | "python2" => ("c", "W X m"),
        "ipython" => ("c", "m"),
        "node" => ("e p -eval -print eval print", "r -require require import C conditions"),
        "nodejs" => ("e p eval print", "r require"),
        "perl" => ("e E", "I M m"),
        "ruby" => ("e", "I r C"),
        "php" => ("r B R E", "d c S t f"),
        "lua" | "luajit" => ("e", "l"),
        "Rscript" | "groovy" | "scala" | "kotlin" | "ghci" | "coffee" => ("e", ""),
        "R" => ("e", "f"),
        "osascript" => ("e", "l s"),
        "julia" => ("e E", "L J p"),
        "elixir" => ("e eval", "S r"),
        "erl" => ("eval -eval", "noshell"),
        "guile" => ("c", "l"),
        "racket" => ("e", "l t"),
        "sbcl" => ("eval", "load"),
        "octave" => ("eval", ""),
        "swipl" => ("g", "f t"),
        "ts-node" => ("e p", "P"),
        "tsx" => ("e p eval print", "r import"),
        "pwsh" => ("c Command EncodedCommand -Command -EncodedCommand", ""),
        "babel-node" => ("e p", ""),
        _ => ("", ""),
    }
}

/// Modules that `python -m` runs and that change nothing.
const READING_MODULES: [&str; 8] =
    ["json.tool", "this", "site", "sysconfig", "platform", "tokenize", "dis", "calendar"];

fn interpret(call: &mut Call<'_, '_>) -> Nature {
    if super::questions::by_options(call) {
        return Nature::Reads;
    }
    let (code_options, valued) = shape(call.name);
    let edits = matches!(call.name, "perl" | "ruby");
    let mut in_place = false;
    let mut has_code = false;
    let mut rest = call.args.clone().into_iter();
    let mut operands: Vec<Field> = Vec::new();
    while let Some(field) = rest.next() {
        let start = field.start().to_owned();
        if start == "--" || start == "-" || !start.starts_with('-') {
            if start != "--" {
                operands.push(field);
            }
            operands.extend(rest);
            break;
        }
        if let Some(long) = start.strip_prefix("--") {
            let (name, attached) =
                long.split_once('=').map_or((long, None), |(name, _)| (name, field.split('=')));
            let value = attached.map(|(_, value)| value);
            if code_options.split(' ').any(|known| known == name) {
                has_code = true;
                let code = value.or_else(|| rest.next()).unwrap_or_default();
                runs_code(call, &code);
            } else if value.is_none() && valued.split(' ').any(|known| known == name) {
                rest.next();
            }
            continue;
        }
        if code_options.split(' ').any(|known| known.len() > 1 && known == start.trim_start_matches('-')) {
            has_code = true;
            let code = rest.next().unwrap_or_default();
            runs_code(call, &code);
            continue;
        }
        for (index, letter) in start.char_indices().skip(1) {
            let mut buffer = [0; 4];
            let name: &str = letter.encode_utf8(&mut buffer);
            let attached = field.after(index + letter.len_utf8());
            if code_options.split(' ').any(|known| known == name) {
                has_code = true;
                let code = if attached.is_empty() { rest.next().unwrap_or_default() } else { attached };
                runs_code(call, &code);
                break;
            }
            if edits && letter == 'i' {
                in_place = true;
                break;
            }
            if valued.split(' ').any(|known| known == name) {
                let value = if attached.is_empty() { rest.next().unwrap_or_default() } else { attached };
                if letter == 'm' && call.name != "perl" {
                    let module = value.text().unwrap_or_default();
                    return run_module(call, &module, rest.collect());
                }
                break;
            }
        }
    }
    if has_code || in_place {
        for operand in &operands {
            if in_place {
                call.write(operand, Change::Content);
            } else {
                call.read(operand);
            }
        }
        return Nature::Unknown;
    }
    match operands.first() {
        Some(file) if !file.is("-") && !matches!(file.start(), "/dev/stdin" | "/dev/fd/0") => {
            let file = file.clone();
            call.read(&file);
            if file.start().starts_with("/dev/fd/") {
                let text = call.text;
                call.hidden("it runs what a command prints", text, true);
                return Nature::Unknown;
            }
            Nature::Builds
        }
        _ => fed(call),
    }
}

/// Code comes by standard input.
fn fed(call: &mut Call<'_, '_>) -> Nature {
    match call.walker.input.clone() {
        Input::Text(code) => runs_code(call, &Field::known(&*code)),
        Input::Mixed(code) => runs_code(call, &code),
        Input::File(file) => call.opaque_text("runs what it is fed", &file),
        Input::Unknown(source) => call.hidden("runs what it is fed", &source, true),
        Input::Inherited => return Nature::Builds,
    }
    Nature::Unknown
}

/// Statements for a database come by standard input; a dump that is piped in is an everyday thing.
fn fed_statements(call: &mut Call<'_, '_>) -> Nature {
    match call.walker.input.clone() {
        Input::Text(text) | Input::File(text) | Input::Unknown(text) => {
            call.opaque_text("runs what it is fed", &text);
            Nature::Unknown
        }
        Input::Mixed(text) => {
            runs_code(call, &text);
            Nature::Unknown
        }
        Input::Inherited => Nature::Builds,
    }
}

fn runs_code(call: &mut Call<'_, '_>, code: &Field) {
    call.hidden("runs code that is not looked into", &code.shown(), code.is_foreign());
}

/// `python -m pytest` is `pytest`.
fn run_module(call: &mut Call<'_, '_>, module: &str, rest: Vec<Field>) -> Nature {
    if READING_MODULES.contains(&module) {
        // `json.tool in out` writes its second operand.
        if let Some(file) = rest.iter().filter(|field| !field.start().starts_with('-')).nth(1) {
            call.write(file, Change::Content);
            return Nature::Listed;
        }
        if let Some(file) = rest.iter().find(|field| !field.start().starts_with('-')) {
            call.read(file);
        }
        return Nature::Reads;
    }
    if module == "http.server" {
        call.network(None);
    }
    if super::row(module).is_some_and(|row| matches!(row.nature, Nature::Builds)) && module != "python" {
        let mut words = vec![Field::known(module)];
        words.extend(rest);
        call.invoke(words);
    }
    Nature::Builds
}

fn sqlite(call: &mut Call<'_, '_>) -> Nature {
    let sorted = super::options::sort_leading(
        &call.args,
        "-cmd -init -separator -nullvalue cmd init separator nullvalue",
    );
    let mut operands: Vec<Field> =
        sorted.operands.iter().filter(|word| !word.start().starts_with('-')).cloned().collect();
    if operands.is_empty() {
        return fed_statements(call);
    }
    let database = operands.remove(0);
    let mut code: Vec<String> = operands.iter().map(Field::shown).collect();
    code.extend(sorted.options.iter().filter_map(|option| option.value.as_ref()).map(Field::shown));
    match &call.walker.input {
        Input::Text(text) if code.is_empty() => code.push(text.to_string()),
        Input::Mixed(text) if code.is_empty() => code.push(text.shown()),
        Input::File(source) | Input::Unknown(source) if code.is_empty() => code.push(source.to_string()),
        _ => {}
    }
    let known = !operands.iter().any(Field::has_unknown) && !matches!(call.walker.input, Input::Mixed(_));
    let code = code.join("\n");
    let lower = code.trim().to_ascii_lowercase();
    let one_statement = !lower.trim_end_matches([';', ' ']).contains(';') && !lower.contains('\n');
    let looks = ["select", ".tables", ".schema", "pragma table_info", "explain", ".indexes", ".dump"];
    let only_reads = known
        && one_statement
        && looks.iter().any(|start| lower.starts_with(start))
        && !["writefile", "edit(", "load_extension", "fts3_tokenizer"]
            .iter()
            .any(|word| lower.contains(word));
    call.read(&database);
    if only_reads
        || call.args.iter().any(|word| matches!(word.start(), "-readonly" | "--readonly"))
            && known
            && one_statement
            && !lower.starts_with('.')
    {
        return Nature::Reads;
    }
    call.write(&database, Change::Content);
    call.opaque_text("its commands can run programs and write files", &code);
    Nature::Unknown
}

fn database(call: &mut Call<'_, '_>) -> Nature {
    let sorted = super::options::sort_valued(
        &call.args,
        "c f d h U p u e D P host port user dbname command file eval o",
    );
    let mut nature = Nature::Builds;
    if let Some(file) = sorted.value("o") {
        call.write(file, Change::Content);
    }
    for option in ["c command", "e eval"] {
        if let Some(code) = sorted.value(option).cloned() {
            runs_code(call, &code);
            nature = Nature::Unknown;
        }
    }
    if let Some(file) = sorted.value("f file") {
        call.read(file);
    }
    if !matches!(call.walker.input, Input::Inherited) {
        nature = fed_statements(call);
    }
    nature
}

/// `deno` and `bun`: scripts, packages, and code on the command line.
fn script_runner(call: &mut Call<'_, '_>) -> Nature {
    let first = call.args.first().map(Field::shown).unwrap_or_default();
    match first.as_str() {
        "eval" | "-e" | "-p" | "--eval" | "--print" | "repl" => {
            let code = call.words_from(1);
            call.opaque_text("runs code that is not looked into", &code);
            Nature::Unknown
        }
        "fmt" | "lint" if call.args.len() > 1 && call.name == "deno" => {
            for file in call.args.clone().iter().skip(1).filter(|file| !file.start().starts_with('-')) {
                call.write(file, Change::Content);
            }
            Nature::Builds
        }
        "run" | "-" if call.args.iter().any(|word| word.is("-")) => fed(call),
        "x" => {
            let words: Vec<Field> = call.args.iter().skip(1).cloned().collect();
            if words.first().and_then(Field::text).is_some_and(|name| super::is_known(&name)) {
                call.invoke(words);
            }
            Nature::Builds
        }
        "info" | "pm" | "doc" | "types" | "outdated" => Nature::Reads,
        _ => Nature::Builds,
    }
}
