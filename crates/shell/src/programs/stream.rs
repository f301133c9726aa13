//! `sed` and `awk`: they read, unless their little programs say otherwise.

use super::super::effect::{Change, Nature};
use super::super::text::Field;
use super::call::Call;
use super::options;
use super::{Operands, Row};

/// Stream editors, sorted by name.
pub(super) const ROWS: &[Row] = &[
    Row::new("awk", Nature::Reads, "", Operands::Custom(awk)),
    Row::new("gawk", Nature::Reads, "", Operands::Custom(awk)),
    Row::new("gsed", Nature::Reads, "", Operands::Custom(sed)),
    Row::new("mawk", Nature::Reads, "", Operands::Custom(awk)),
    Row::new("nawk", Nature::Reads, "", Operands::Custom(awk)),
    Row::new("sed", Nature::Reads, "", Operands::Custom(sed)),
];

fn sed(call: &mut Call<'_, '_>) -> Nature {
    let mut in_place = false;
    let mut scripts = Vec::new();
    let mut operands = Vec::new();
    let mut rest = call.args.clone().into_iter();
    let mut nature = Nature::Reads;
    while let Some(field) = rest.next() {
        let start = field.start().to_owned();
        if start == "--" {
            operands.extend(rest);
            break;
        } else if options::is_long(&field, "in-place") || start == "--i" {
            in_place = true;
        } else if options::is_long(&field, "expression") || options::is_long(&field, "file") {
            let attached = field.split('=').map(|(_, value)| value);
            let value = attached.or_else(|| rest.next()).unwrap_or_default();
            if options::is_long(&field, "expression") {
                scripts.push(value);
            } else {
                call.read(&value);
                call.opaque("its script is in a file");
                nature = Nature::Unknown;
                scripts.push(Field::default());
            }
        } else if start == "--line-length" {
            rest.next();
        } else if start.len() > 1 && start.starts_with('-') && !start.starts_with("--") {
            for (index, letter) in start.char_indices().skip(1) {
                let attached = field.after(index + 1);
                match letter {
                    'i' => {
                        in_place = true;
                        // The BSDs take the next word as a suffix, which is then mostly empty.
                        break;
                    }
                    'e' | 'f' | 'l' => {
                        let value =
                            if attached.is_empty() { rest.next().unwrap_or_default() } else { attached };
                        match letter {
                            'e' => scripts.push(value),
                            'f' => {
                                call.read(&value);
                                call.opaque("its script is in a file");
                                nature = Nature::Unknown;
                                scripts.push(Field::default());
                            }
                            _ => {}
                        }
                        break;
                    }
                    _ => {}
                }
            }
        } else if !start.starts_with("--") {
            operands.push(field);
        }
    }
    let mut operands = operands.into_iter().filter(|operand| !operand.is_empty() || operand.has_unknown());
    if scripts.is_empty() {
        scripts.extend(operands.next());
    }
    for script in &scripts {
        match script.text() {
            Some(text) => {
                if sed_script(call, &text) {
                    nature = Nature::Listed;
                }
            }
            None => {
                let shown = script.shown();
                call.hidden("its script is not known", &shown, script.is_foreign());
                nature = Nature::Unknown;
            }
        }
    }
    for operand in operands {
        if in_place {
            call.write(&operand, Change::Content);
        } else {
            call.read(&operand);
        }
    }
    match nature {
        Nature::Reads if in_place => Nature::Listed,
        other => other,
    }
}

/// Looks for commands that write, read or run. Says whether there were any.
fn sed_script(call: &mut Call<'_, '_>, script: &str) -> bool {
    let mut rest = script;
    let mut found = false;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        rest = skip_addresses(rest);
        let Some(command) = rest.chars().next() else { return found };
        rest = rest.get(command.len_utf8()..).unwrap_or_default();
        // Only some commands go on to the end of the line.
        let line = || rest.split('\n').next().unwrap_or_default();
        match command {
            's' | 'y' => {
                let delimiter = rest.chars().next().unwrap_or('/');
                let Some(after) = skip_section(rest).and_then(|second| skip_to(second, delimiter)) else {
                    return found;
                };
                let flags_end = after.find(['\n', ';', '}']).unwrap_or(after.len());
                let flags = after.get(..flags_end).unwrap_or_default();
                if let Some((before, _)) = flags.split_once('w') {
                    let file = after.lines().next().unwrap_or_default();
                    let file = file.get(before.len() + 1..).unwrap_or_default().trim();
                    call.write(&Field::known(file), Change::Content);
                    found = true;
                    if before.contains('e') {
                        call.opaque("`e` in its script runs a command");
                    }
                    rest = after.split_once('\n').map_or("", |(_, more)| more);
                } else {
                    if flags.contains('e') {
                        call.opaque("`e` in its script runs a command");
                        found = true;
                    }
                    rest = after.get(flags_end..).unwrap_or_default();
                }
            }
            'w' | 'W' => {
                let line = line();
                call.write(&Field::known(line.trim()), Change::Content);
                found = true;
                rest = rest.get(line.len()..).unwrap_or_default();
            }
            'r' | 'R' => {
                let line = line();
                call.read(&Field::known(line.trim()));
                rest = rest.get(line.len()..).unwrap_or_default();
            }
            'e' => {
                let line = line();
                call.opaque("`e` in its script runs a command");
                let code = Field::known(line.trim());
                call.code(&code);
                found = true;
                rest = rest.get(line.len()..).unwrap_or_default();
            }
            'a' | 'i' | 'c' | '#' => rest = rest.get(line().len()..).unwrap_or_default(),
            'b' | 't' | 'T' | ':' => {
                let end = rest.find(['\n', ';', '}']).unwrap_or(rest.len());
                rest = rest.get(end..).unwrap_or_default();
            }
            _ => {}
        }
    }
}

fn skip_addresses(mut rest: &str) -> &str {
    loop {
        let before = rest;
        rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || " \t$,~+!".contains(letter));
        if rest.starts_with('/') {
            rest = skip_section(rest).unwrap_or_default();
        } else if rest.starts_with('\\') {
            rest = rest.get(1..).and_then(skip_section).unwrap_or_default();
        }
        if rest.len() < before.len() {
            rest = rest.trim_start_matches(['I', 'M']);
        }
        if rest == before {
            return rest;
        }
    }
}

/// From an opening delimiter to behind the closing one.
fn skip_section(text: &str) -> Option<&str> {
    let delimiter = text.chars().next()?;
    skip_to(text.get(delimiter.len_utf8()..)?, delimiter)
}

fn skip_to(text: &str, delimiter: char) -> Option<&str> {
    let mut escaped = false;
    for (index, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == delimiter => return text.get(index + letter.len_utf8()..),
            _ => {}
        }
    }
    None
}

fn awk(call: &mut Call<'_, '_>) -> Nature {
    let (outputs, args): (Vec<Field>, Vec<Field>) = own_outputs(&call.args);
    let sorted =
        options::sort_leading(&args, "F v f i l E e W file exec source assign field-separator include load");
    let mut nature = Nature::Reads;
    let in_place = sorted.value("i include").is_some_and(|library| library.shown().contains("inplace"));
    let mut programs: Vec<Field> = Vec::new();
    for option in &sorted.options {
        let value = option.value.clone().unwrap_or_default();
        match option.name.as_str() {
            "f" | "E" | "file" | "exec" => {
                call.read(&value);
                call.opaque("its program is in a file");
                nature = Nature::Unknown;
                programs.push(Field::default());
            }
            "e" | "source" => programs.push(value),
            "l" | "load" => call.opaque("it loads a library"),
            "W" if value.start().starts_with('e') => call.opaque("its program is in a file"),
            "i" | "include" if !in_place => call.opaque("it loads a library"),
            _ => {}
        }
    }
    for file in &outputs {
        call.write(file, Change::Content);
        nature = worse(nature, Nature::Listed);
    }
    let mut operands = sorted.operands.into_iter();
    if programs.is_empty() {
        programs.extend(operands.next());
    }
    for program in programs {
        match program.text() {
            Some(text) => nature = worse(nature, awk_program(call, &text)),
            None => {
                let shown = program.shown();
                call.hidden("its program is not known", &shown, program.is_foreign());
                nature = Nature::Unknown;
            }
        }
    }
    for operand in operands {
        if in_place {
            call.write(&operand, Change::Content);
            nature = worse(nature, Nature::Listed);
        } else if !operand.shown().contains('=') {
            call.read(&operand);
        }
    }
    nature
}

/// Files that options make it write, and the arguments without those options.
fn own_outputs(args: &[Field]) -> (Vec<Field>, Vec<Field>) {
    let options = args.iter().take_while(|word| word.start().starts_with('-')).count();
    let (leading, rest) = args.split_at(options);
    let outputs = leading.iter().filter_map(awk_output).collect();
    let others = leading.iter().filter(|word| awk_output(word).is_none()).chain(rest).cloned().collect();
    (outputs, others)
}

/// Where GNU awk puts the program in fair copy, its variables or a profile; it has names for them itself.
fn awk_output(word: &Field) -> Option<Field> {
    let long = ["pretty-print", "dump-variables", "profile"].iter().any(|name| options::is_long(word, name));
    let given = match word.start() {
        _ if long => word.split('=').map(|(_, file)| file).unwrap_or_default(),
        start if start.starts_with("-o") || start.starts_with("-d") || start.starts_with("-p") => {
            word.after(2)
        }
        _ => return None,
    };
    Some(if given.is_empty() { Field::known("awkprof.out") } else { given })
}

fn worse(one: Nature, other: Nature) -> Nature {
    match (one, other) {
        (Nature::Unknown, _) | (_, Nature::Unknown) => Nature::Unknown,
        (Nature::Listed, _) | (_, Nature::Listed) => Nature::Listed,
        _ => Nature::Reads,
    }
}

/// Whether what stands before a slash is a word after which only an expression can follow.
fn ends_in_keyword(statement: &str) -> bool {
    let word = statement.trim_end().rsplit(|letter: char| !letter.is_alphanumeric()).next();
    matches!(word, Some("print" | "printf" | "return" | "case" | "in" | "else" | "do"))
}

/// Whether nothing more belongs to the name of a file: `"a" "b"` is one name.
fn ends_statement(behind: &str) -> bool {
    behind.trim_start_matches([' ', '\t']).chars().next().is_none_or(|letter| ";}\n#".contains(letter))
}

/// Looks for what an awk program runs and writes.
fn awk_program(call: &mut Call<'_, '_>, program: &str) -> Nature {
    let mut nature = Nature::Reads;
    let mut statement = String::new();
    let mut depth = 0_usize;
    let mut rest = program;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let last = statement.trim_end().chars().last();
        rest = match letter {
            '"' => skip_to(after, '"').unwrap_or_default(),
            '/' if last.is_none_or(|last| "(,~!{;&|=".contains(last)) || ends_in_keyword(&statement) => {
                statement.push('0');
                skip_to(after, '/').unwrap_or_default()
            }
            // Behind a condition it may be an expression as well, and a quote in it no string.
            '/' if last == Some(')')
                && after.split('/').next().is_some_and(|inside| inside.contains('"')) =>
            {
                call.opaque("its program can be read in two ways");
                nature = Nature::Unknown;
                after
            }
            '#' => after.split_once('\n').map_or("", |(_, more)| more),
            ';' | '{' | '}' | '\n' => {
                depth = 0;
                statement.clear();
                after
            }
            '(' | ')' => {
                statement.push(letter);
                depth = if letter == '(' { depth + 1 } else { depth.saturating_sub(1) };
                after
            }
            '|' if after.starts_with('|') => {
                statement.push('|');
                after.get(1..).unwrap_or_default()
            }
            '|' => {
                call.opaque("its program pipes into a command");
                nature = Nature::Unknown;
                after
            }
            // In parentheses it compares.
            '>' if depth == 0 && statement.contains("print") && !after.starts_with('=') => {
                let target = after.trim_start_matches(['>', ' ', '\t']);
                match target.strip_prefix('"').and_then(|literal| literal.split_once('"')) {
                    Some((file, behind)) if !file.contains('\\') && ends_statement(behind) => {
                        call.write(&Field::known(file), Change::Content);
                    }
                    _ => call.write_somewhere(),
                }
                nature = worse(nature, Nature::Listed);
                after.trim_start_matches('>')
            }
            _ => {
                statement.push(letter);
                if statement.ends_with("system")
                    || statement.ends_with("getline")
                    || statement.starts_with("@load")
                {
                    call.opaque("its program can run commands");
                    nature = Nature::Unknown;
                    statement.clear();
                }
                after
            }
        };
    }
    nature
}
