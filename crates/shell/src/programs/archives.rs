//! Archives and compression.

use super::super::effect::{Change, Nature};
use super::super::text::{Field, Part};
use super::call::Call;
use super::options;
use super::{Operands, Row};

const fn packs(name: &'static str, custom: fn(&mut Call<'_, '_>) -> Nature) -> Row {
    Row::new(name, Nature::Listed, "", Operands::Custom(custom))
}

/// Archivers and compressors, sorted by name.
pub(super) const ROWS: &[Row] = &[
    packs("7z", seven),
    packs("7za", seven),
    packs("brotli", compress),
    packs("bsdtar", tar),
    packs("bunzip2", compress),
    packs("bzip2", compress),
    packs("compress", compress),
    packs("cpio", cpio),
    packs("gtar", tar),
    packs("gunzip", compress),
    packs("gzip", compress),
    packs("lz4", compress),
    packs("pigz", compress),
    packs("tar", tar),
    packs("uncompress", compress),
    packs("unrar", seven),
    packs("unxz", compress),
    packs("unzip", unzip),
    packs("unzstd", compress),
    packs("xz", compress),
    packs("zip", zip),
    packs("zstd", compress),
];

const TAR: &str = "f C T X b g I H L N V K F file directory files-from exclude exclude-from use-compress-program \
                   transform xform to-command checkpoint-action checkpoint owner group mode mtime strip-components \
                   info-script new-volume-script rsh-command rmt-command listed-incremental one-top-level format \
                   newer suffix";

fn tar(call: &mut Call<'_, '_>) -> Nature {
    let args = dashed(&call.args);
    let sorted = options::sort_valued(&args, TAR);
    // The archive is where the command runs; only what is packed or unpacked is relative to `-C`.
    let outside = call.state.clone();
    for option in &sorted.options {
        let runs = matches!(
            option.name.as_str(),
            "I" | "use-compress-program"
                | "to-command"
                | "info-script"
                | "new-volume-script"
                | "rsh-command"
                | "rmt-command"
                | "F"
        );
        let value = option.value.clone().unwrap_or_default();
        if runs {
            call.code(&value);
        } else if option.name == "checkpoint-action" {
            match value.strip("exec=") {
                Some(code) => call.code(&code),
                None => call.opaque("a checkpoint can run something"),
            }
        } else if let "C" | "directory" = option.name.as_str() {
            call.enter(&value);
        }
    }
    let archive = sorted.value("f file").cloned();
    let inside = std::mem::replace(&mut call.state, outside);
    if sorted.says("t list d diff compare") {
        if let Some(archive) = archive {
            call.read(&archive);
        }
        return Nature::Reads;
    }
    if sorted.has("x extract get") {
        if let Some(archive) = archive {
            call.read(&archive);
        }
        call.state = inside;
        if sorted.says("O to-stdout") {
            return Nature::Reads;
        }
        if sorted.has("P absolute-names") {
            call.write_somewhere();
        }
        call.write_below(&Field::known("."));
        return Nature::Listed;
    }
    if let Some(archive) = archive {
        call.write(&archive, Change::Content);
    }
    call.state = inside;
    for operand in &sorted.operands {
        call.read(operand);
        if sorted.has("remove-files") {
            call.write(operand, Change::Removed);
        }
    }
    Nature::Listed
}

/// The first word may be letters without a dash; the values they take follow in their order.
fn dashed(args: &[Field]) -> Vec<Field> {
    let Some((first, rest)) = args.split_first().filter(|(first, _)| !first.start().starts_with('-')) else {
        return args.to_vec();
    };
    let mut rest = rest.iter().cloned();
    let mut dashed = Vec::new();
    for letter in first.start().chars() {
        dashed.push(Field::known(format!("-{letter}")));
        if TAR.split(' ').any(|valued| valued.chars().eq([letter])) {
            dashed.extend(rest.next());
        }
    }
    // What is not known of it may be anything.
    dashed.extend(Some(first.clone()).filter(Field::has_unknown));
    dashed.extend(rest);
    dashed
}

fn unzip(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(&call.args, "d x P");
    if let Some(archive) = sorted.operands.first() {
        call.read(archive);
    }
    if sorted.says("l t v p Z c z") {
        return Nature::Reads;
    }
    let folder = sorted.value("d").cloned().unwrap_or_else(|| Field::known("."));
    call.write_below(&folder);
    Nature::Listed
}

fn zip(call: &mut Call<'_, '_>) -> Nature {
    let mut words = call.args.clone().into_iter();
    let mut archive = None;
    let mut moves = false;
    while let Some(word) = words.next() {
        match word.start() {
            "-TT" | "--unzip-command" => {
                if let Some(code) = words.next() {
                    call.code(&code);
                }
            }
            "-x" | "-i" => break,
            "-b" | "-n" | "-t" | "-P" => {
                words.next();
            }
            "-O" => {
                if let Some(file) = words.next() {
                    call.write(&file, Change::Content);
                }
            }
            start if start.starts_with('-') && start.len() > 1 => moves |= start.contains('m'),
            _ if archive.is_none() => archive = Some(word),
            _ => {
                call.read(&word);
                if moves {
                    call.write(&word, Change::Removed);
                }
            }
        }
    }
    if let Some(archive) = archive {
        call.write(&archive, Change::Content);
    }
    Nature::Listed
}

/// The file goes and one with another ending comes, or the other way round.
fn compress(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(&call.args, "S o T M b D suffix output");
    if let Some(file) = sorted.value("o output").cloned() {
        call.write(&file, Change::Content);
    }
    if sorted.says("c stdout to-stdout l list t test") {
        for file in &sorted.operands {
            call.read(file);
        }
        return Nature::Reads;
    }
    let keeps = sorted.says("k keep")
        || matches!(call.name, "zstd" | "unzstd" | "lz4" | "brotli") && !sorted.has("rm");
    let mut endings: Vec<String> =
        [".gz", ".bz2", ".xz", ".zst", ".lz4", ".Z", ".br"].map(ToOwned::to_owned).to_vec();
    endings.extend(sorted.value("S suffix").map(Field::shown));
    for file in &sorted.operands {
        if keeps {
            call.read(file);
        } else {
            call.write(file, Change::Removed);
        }
        let mut other = file.clone();
        if !endings.iter().any(|ending| other.cut(ending)) {
            let ending = match call.name {
                "bzip2" => ".bz2",
                "xz" => ".xz",
                "zstd" => ".zst",
                "lz4" => ".lz4",
                "brotli" => ".br",
                _ => ".gz",
            };
            other.push(Part::Literal(ending.to_owned()));
        }
        call.write(&other, Change::Content);
    }
    Nature::Listed
}

fn cpio(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(&call.args, "D F I O E H R C directory file");
    if let Some(folder) = sorted.value("D directory").cloned() {
        call.enter(&folder);
    }
    for option in ["O", "F file"] {
        if let Some(file) = sorted.value(option).cloned() {
            call.write(&file, Change::Content);
        }
    }
    if sorted.has("i extract") && !sorted.says("t list") {
        call.write_below(&Field::known("."));
    }
    if sorted.has("p pass-through")
        && let Some(folder) = sorted.operands.first()
    {
        call.write_below(folder);
    }
    Nature::Listed
}

fn seven(call: &mut Call<'_, '_>) -> Nature {
    let mut words = call.args.clone().into_iter().filter(|word| !word.start().starts_with('-'));
    let command = words.next().map(|word| word.shown()).unwrap_or_default();
    let archive = words.next().unwrap_or_default();
    match command.as_str() {
        "l" | "t" | "lb" | "v" => {
            call.read(&archive);
            Nature::Reads
        }
        "x" | "e" => {
            call.read(&archive);
            let folder =
                call.args.iter().find_map(|word| word.strip("-o")).unwrap_or_else(|| Field::known("."));
            call.write_below(&folder);
            Nature::Listed
        }
        _ => {
            call.write(&archive, Change::Content);
            Nature::Listed
        }
    }
}
