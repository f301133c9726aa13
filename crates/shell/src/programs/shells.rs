//! Shells: code on the command line, code that is fed, scripts.

use super::super::effect::{Effect, Nature};
use super::super::state::States;
use super::super::text::Field;
use super::super::walk::Input;
use super::call::Call;
use std::rc::Rc;

pub(super) fn shell(call: &mut Call<'_, '_>) {
    let mut takes_code = false;
    let mut from_input = false;
    let mut index = 0;
    while let Some(argument) = call.args.get(index) {
        let start = argument.start().to_owned();
        if !(start.starts_with('-') || start.starts_with('+')) || start == "-" {
            break;
        }
        index += 1;
        match start.as_str() {
            "--" => break,
            "--version" | "--help" => {
                let arguments = vec![start];
                call.walker.effects.push(Effect::Run {
                    program: call.name.to_owned(),
                    arguments,
                    nature: Nature::Reads,
                });
                return;
            }
            "--rcfile" | "--init-file" | "--command" | "-C" | "--init-command" => {
                if let Some(value) = call.args.get(index).cloned() {
                    if start.ends_with("file") {
                        call.opaque("it runs a file when it starts");
                        call.read(&value);
                    } else {
                        call.code(&value);
                    }
                }
                index += 1;
            }
            _ if start.starts_with("--") => {}
            _ => {
                takes_code |= start.contains('c');
                from_input |= start.contains('s');
                index += usize::from(start.contains('o') || start.contains('O'));
            }
        }
    }
    let operands: Vec<Field> = call.args.iter().skip(index).cloned().collect();
    if call.args.get(index.saturating_sub(1)).is_some_and(Field::starts_unknown) {
        call.opaque("its arguments are not known");
    }
    if takes_code {
        let Some(code) = operands.first().cloned() else { return };
        let mut positional: Vec<Field> = operands.iter().skip(1).cloned().collect();
        if positional.is_empty() {
            positional.push(Field::known(call.name));
        }
        call.state.positional = Some(Rc::new(positional));
        call.state.functions = Rc::default();
        call.code(&code);
        // Only exported variables get into the new shell, so without them it may do something else.
        if !call.state.variables.is_empty()
            && let Some(code) = code.text().filter(|code| code.contains('$'))
        {
            let mut bare = call.state.clone();
            bare.variables = Rc::default();
            let mut emitted = call.walker.emitted();
            emitted.from = 0;
            let around = std::mem::take(&mut call.walker.effects);
            call.walker.code(&code, States::one(bare));
            let made = std::mem::replace(&mut call.walker.effects, around);
            call.walker.emit_new(made, &mut emitted);
        }
        return;
    }
    let arguments: Vec<String> = call.args.iter().map(Field::shown).collect();
    match operands.first().filter(|_| !from_input) {
        Some(file) if !file.is("-") && !matches!(file.start(), "/dev/stdin" | "/dev/fd/0") => {
            if let Some(printed) = call.walker.process_output(file.start()) {
                let text = call.text;
                match printed {
                    Some(code) => call.code(&Field::known(code)),
                    None => call.hidden("it runs what a command prints", text, true),
                }
                return;
            }
            let file = file.clone();
            // The script is what runs, as if it were started by its own name; what it is told may be written to.
            let (program, told, text) = if file.text().is_some() {
                let told: Vec<String> = operands.iter().skip(1).map(Field::shown).collect();
                let text = [call.name.to_owned()].iter().chain(&told).cloned().collect::<Vec<_>>().join(" ");
                (file.shown(), told, text)
            } else {
                (call.name.to_owned(), arguments, call.text.to_owned())
            };
            call.walker.effects.push(Effect::Run { program, arguments: told, nature: Nature::Unknown });
            call.read(&file);
            let unseen = file.is_foreign() && file.base_name().is_none();
            call.hidden("it runs a file that is not looked into", &text, unseen);
        }
        _ => {
            if matches!(call.walker.input, Input::Inherited) {
                call.walker.effects.push(Effect::Run {
                    program: call.name.to_owned(),
                    arguments,
                    nature: Nature::Unknown,
                });
            }
            // What is fed is read by this shell; its own commands do not read it again.
            call.fed_code();
        }
    }
}
