//! Programs that change files, with the places they change.

use super::super::effect::{Change, Nature};
use super::super::text::{Field, Part};
use super::super::walk::Input;
use super::call::Call;
use super::{Does, Operands, Row, copies};

/// Programs whose changes are listed completely.
pub(super) const ROWS: &[Row] = &[
    writes("apply_patch", "", Operands::Custom(copies::apply_patch)),
    writes("applypatch", "", Operands::Custom(copies::apply_patch)),
    writes("chattr", "", Operands::Custom(attributes)),
    writes("chflags", "", Operands::Custom(attributes)),
    writes("chgrp", "", Operands::Custom(attributes)),
    writes("chmod", "", Operands::Custom(attributes)),
    writes("chown", "", Operands::Custom(attributes)),
    writes("code", "", Operands::Custom(editor)),
    writes("comby", "", Operands::Custom(somewhere)),
    writes("cp", "", Operands::Custom(copies::copy)),
    writes("crontab", "u", Operands::Custom(crontab)),
    writes("csplit", "f b n prefix suffix-format", Operands::Custom(split)),
    writes("dd", "", Operands::Custom(copies::dd)),
    writes("ditto", "", Operands::Custom(copies::copy)),
    writes("dos2unix", "", Operands::Write(Change::Content)),
    writes("ed", "p s", Operands::Custom(editor)),
    writes("emacs", "", Operands::Custom(editor)),
    writes("ex", "c s u", Operands::Custom(editor)),
    writes("exiftool", "", Operands::Write(Change::Content)),
    writes("fallocate", "l o", Operands::Write(Change::Content)),
    writes("fastmod", "", Operands::Custom(somewhere)),
    writes("gcp", "", Operands::Custom(copies::copy)),
    writes("install", "", Operands::Custom(copies::copy)),
    writes("link", "", Operands::Custom(copies::link)),
    writes("ln", "", Operands::Custom(copies::link)),
    writes("mkdir", "m mode", Operands::Write(Change::Content)),
    writes("mkfifo", "m mode", Operands::Write(Change::Content)),
    writes("mknod", "m mode", Operands::Write(Change::Content)),
    writes("mktemp", "p suffix tmpdir", Operands::Nothing),
    writes("mmv", "", Operands::Custom(somewhere)),
    writes("mv", "", Operands::Custom(copies::copy)),
    writes("nano", "", Operands::Custom(editor)),
    writes("nvim", "c s u", Operands::Custom(editor)),
    writes("patch", "", Operands::Custom(copies::patch)),
    writes("rename", "", Operands::Custom(somewhere)),
    writes("rimraf", "", Operands::Write(Change::Removed)),
    writes("rm", "", Operands::Write(Change::Removed)),
    writes("rmdir", "", Operands::Write(Change::Removed)),
    writes("rsync", "", Operands::Custom(copies::rsync)),
    writes("sd", "n f", Operands::Custom(replacer)),
    writes("setfacl", "m M x X set modify remove", Operands::Write(Change::Attributes)),
    writes("setfattr", "n v x", Operands::Write(Change::Attributes)),
    writes("shred", "n s iterations size random-source", Operands::Write(Change::Removed)),
    writes("split", "a b C l n additional-suffix bytes lines number", Operands::Custom(split))
        .with(&[("filter", Does::Run)]),
    writes("srm", "", Operands::Write(Change::Removed)),
    writes("sync", "", Operands::Nothing),
    writes("tee", "", Operands::Write(Change::Content)),
    writes("touch", "d r t date reference time", Operands::Write(Change::Content)),
    writes("trash", "", Operands::Write(Change::Removed)),
    writes("trash-put", "", Operands::Write(Change::Removed)),
    writes("truncate", "s size", Operands::Write(Change::Content))
        .with(&[("r", Does::Read), ("reference", Does::Read)]),
    writes("unix2dos", "", Operands::Write(Change::Content)),
    writes("unlink", "", Operands::Write(Change::Removed)),
    writes("vi", "c s u", Operands::Custom(editor)),
    writes("vim", "c s u", Operands::Custom(editor)),
    writes("xattr", "", Operands::Custom(attributes)),
];

const fn writes(name: &'static str, valued: &'static str, operands: Operands) -> Row {
    Row::new(name, Nature::Listed, valued, operands)
}

/// The mode or owner comes first, unless it is taken from another file.
fn attributes(call: &mut Call<'_, '_>) -> Nature {
    let mut operands: Vec<Field> = Vec::new();
    let mut by_reference = false;
    for argument in call.args.clone() {
        let start = argument.start();
        if super::options::is_long(&argument, "reference") {
            by_reference = true;
        } else if !start.starts_with("--") && (!start.starts_with('-') || is_mode(start)) {
            operands.push(argument);
        }
    }
    for operand in operands.iter().skip(usize::from(!by_reference)) {
        call.write(operand, Change::Attributes);
    }
    Nature::Listed
}

/// `chmod -x file` takes a right away; `-R` is an option.
fn is_mode(word: &str) -> bool {
    word.trim_start_matches('-').bytes().all(|byte| b"rwxXst,+-=ugoai".contains(&byte))
        && !matches!(word, "-" | "-a" | "-i")
}

fn split(call: &mut Call<'_, '_>) -> Nature {
    let sorted = super::options::sort_valued(
        &call.args,
        "a b C l n f additional-suffix bytes lines number prefix suffix-format filter",
    );
    if let Some(filter) = sorted.value("filter") {
        call.code(filter);
    }
    if let Some(file) = sorted.operands.first() {
        call.read(file);
    }
    let named = if call.name == "split" {
        sorted.operands.get(1).cloned()
    } else {
        sorted.value("f prefix").cloned()
    };
    let mut prefix = named.unwrap_or_else(|| Field::known(if call.name == "split" { "x" } else { "xx" }));
    prefix.push(Part::Pattern("*".to_owned()));
    call.write(&prefix, Change::Content);
    Nature::Listed
}

/// An editor writes the files it is given, and whatever its commands say.
fn editor(call: &mut Call<'_, '_>) -> Nature {
    let mut rest = call.args.clone().into_iter();
    let mut scripted = !matches!(call.walker.input, Input::Inherited);
    while let Some(argument) = rest.next() {
        match argument.start() {
            "-c" | "-s" | "-S" | "--cmd" | "--eval" | "-l" | "--load" | "-u" => {
                scripted = true;
                rest.next();
            }
            start if start.starts_with('+') => {
                scripted |= !start[1..].bytes().all(|byte| byte.is_ascii_digit());
            }
            start if start.starts_with('-') => {
                scripted |= start.starts_with("--eval") || start.starts_with("-c");
            }
            _ => call.write(&argument, Change::Content),
        }
    }
    if scripted {
        let fed = match &call.walker.input {
            Input::Text(text) => &**text,
            _ => "",
        };
        let text = format!("{}\n{fed}", call.text);
        call.opaque_text("its commands can do anything", &text);
        return Nature::Unknown;
    }
    Nature::Listed
}

fn crontab(call: &mut Call<'_, '_>) -> Nature {
    if call.args.iter().any(|argument| argument.is("-l")) {
        return Nature::Reads;
    }
    call.write(&Field::known("/var/spool/cron"), Change::Content);
    call.opaque("it makes something run later");
    Nature::Listed
}

/// `sd from to files…` edits the files.
fn replacer(call: &mut Call<'_, '_>) -> Nature {
    let sorted = super::options::sort_valued(&call.args, "n f max-replacements flags");
    let previews = sorted.says("p preview");
    for operand in sorted.operands.iter().skip(2) {
        if previews {
            call.read(operand);
        } else {
            call.write(operand, Change::Content);
        }
    }
    if previews { Nature::Reads } else { Nature::Listed }
}

fn somewhere(call: &mut Call<'_, '_>) -> Nature {
    call.write_somewhere();
    for operand in call.args.clone() {
        if !operand.start().starts_with('-') {
            call.write(&operand, Change::Content);
        }
    }
    call.opaque("it changes files by a pattern");
    Nature::Unknown
}
