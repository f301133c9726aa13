//! Programs that look and change nothing, with the options that make them write or run something after all.

use super::super::effect::{Change, Nature};
use super::super::state::Value;
use super::super::text::Field;
use super::call::Call;
use super::{Does, Operands, Row};

/// Programs without files to read, and those with options worth knowing.
pub(super) const ROWS: &[Row] = &[
    reads(":", "", Operands::Nothing),
    reads("[", "", Operands::Nothing),
    reads("ack", "A B C m type ignore-dir pager output", Operands::TextThenRead)
        .with(&[("pager", Does::Run)]),
    reads("ag", "A B C m G depth ignore ignore-dir pager", Operands::TextThenRead)
        .with(&[("pager", Does::Run)]),
    reads("apropos", "", Operands::Nothing),
    reads("apt-cache", "", Operands::Nothing).with(&[("o", Does::Opaque), ("c", Does::Opaque)]),
    reads("arch", "", Operands::Nothing),
    reads("ast-grep", "p l r pattern lang", Operands::Read).with(&[
        ("U", Does::InPlace),
        ("update-all", Does::InPlace),
        ("r", Does::Opaque),
    ]),
    reads("autoload", "", Operands::Nothing),
    reads("basename", "", Operands::Nothing),
    reads("bc", "", Operands::Read),
    reads("bg", "", Operands::Nothing),
    reads("bindkey", "", Operands::Nothing),
    reads("break", "", Operands::Nothing),
    reads("cal", "", Operands::Nothing),
    reads("caller", "", Operands::Nothing),
    reads("clear", "", Operands::Nothing),
    reads("compgen", "", Operands::Nothing).with(&[
        ("C", Does::Run),
        ("F", Does::Opaque),
        ("W", Does::Opaque),
    ]),
    reads("complete", "", Operands::Nothing).with(&[("C", Does::Run), ("W", Does::Opaque)]),
    reads("continue", "", Operands::Nothing),
    reads("cowsay", "", Operands::Nothing),
    reads("date", "d f r I date file reference iso-8601 v j", Operands::Nothing)
        .with(&[("s", Does::Becomes(Nature::Unknown)), ("set", Does::Becomes(Nature::Unknown))]),
    reads("dc", "e f", Operands::Custom(desk_calculator)),
    reads("dirname", "", Operands::Nothing),
    reads("dirs", "", Operands::Nothing),
    reads("disown", "", Operands::Nothing),
    reads("dmesg", "", Operands::Nothing),
    reads("dpkg-query", "", Operands::Nothing),
    reads("echo", "", Operands::Nothing),
    reads("egrep", GREP, Operands::TextThenRead),
    reads("enable", "", Operands::Nothing).with(&[("f", Does::Opaque)]),
    reads("envsubst", "", Operands::Nothing),
    reads("exit", "", Operands::Nothing),
    reads("expr", "", Operands::Nothing),
    reads("false", "", Operands::Nothing),
    reads("fc", "", Operands::Custom(history)),
    reads("fd", "", Operands::Custom(super::find::fd)),
    reads("fdfind", "", Operands::Custom(super::find::fd)),
    reads("fg", "", Operands::Nothing),
    reads("fgrep", GREP, Operands::TextThenRead),
    reads("figlet", "", Operands::Nothing),
    reads("find", "", Operands::Custom(super::find::find)),
    reads("free", "", Operands::Nothing),
    reads("fuser", "", Operands::Nothing),
    reads("fzf", "q f n d m height layout prompt filter query", Operands::Nothing)
        .with(&[("preview", Does::Run), ("bind", Does::Opaque)]),
    reads("getconf", "", Operands::Nothing),
    reads("getopt", "o l n s options longoptions name", Operands::Nothing),
    reads("gojq", "indent", Operands::Custom(jq)),
    reads("grep", GREP, Operands::TextThenRead),
    reads("groups", "", Operands::Nothing),
    reads("hash", "", Operands::Nothing).with(&[("p", Does::Opaque)]),
    reads("help", "", Operands::Nothing),
    reads("history", "", Operands::Custom(history)),
    reads("hostname", "", Operands::Custom(hostname)),
    reads("hostnamectl", "", Operands::Nothing),
    reads("htop", "", Operands::Nothing),
    reads("hyperfine", "w r m M n N warmup runs export-json export-markdown", Operands::Custom(all_code)),
    reads("iconv", "f t from-code to-code", Operands::Read)
        .with(&[("o", Does::Write), ("output", Does::Write)]),
    reads("id", "", Operands::Nothing),
    reads("ifconfig", "", Operands::Custom(ip)),
    reads("info", "", Operands::Nothing),
    reads("iostat", "", Operands::Nothing),
    reads("ip", "", Operands::Custom(ip)),
    reads("jaq", "indent", Operands::Custom(jq)),
    reads("jobs", "", Operands::Nothing),
    reads("jq", "indent", Operands::Custom(jq)),
    reads("last", "", Operands::Nothing),
    reads("locale", "", Operands::Nothing),
    reads("locate", "", Operands::Nothing),
    reads("logout", "", Operands::Nothing),
    reads("lsblk", "", Operands::Nothing),
    reads("lscpu", "", Operands::Nothing),
    reads("lsmod", "", Operands::Nothing),
    reads("lsof", "i p u d c a", Operands::Nothing),
    reads("lspci", "", Operands::Nothing),
    reads("lsusb", "", Operands::Nothing),
    reads("man", "", Operands::Nothing),
    reads("mpstat", "", Operands::Nothing),
    reads("netstat", "", Operands::Nothing),
    reads("nproc", "", Operands::Nothing),
    reads("pdftotext", "f l r", Operands::ReadThenWrite),
    reads("pgrep", "u g t P", Operands::Nothing),
    reads("pidof", "", Operands::Nothing),
    reads("ping6", "", Operands::Nothing),
    reads("print", "", Operands::Nothing),
    reads("printenv", "", Operands::Nothing),
    reads("printf", "", Operands::Nothing),
    reads("ps", "p u o g t", Operands::Nothing),
    reads("pstree", "", Operands::Nothing),
    reads("pwd", "", Operands::Nothing),
    reads("return", "", Operands::Nothing),
    reads("rg", RIPGREP, Operands::TextThenRead).with(&[("pre", Does::Run), ("hostname-bin", Does::Run)]),
    reads("seq", "", Operands::Nothing),
    reads("setopt", "", Operands::Nothing),
    reads("shopt", "", Operands::Nothing),
    reads("shuf", "n i head-count input-range", Operands::Read).with(&[
        ("o", Does::Write),
        ("output", Does::Write),
        ("random-source", Does::Read),
    ]),
    reads("sleep", "", Operands::Nothing),
    reads("sort", "k t S T field-separator key buffer-size parallel", Operands::Read).with(&[
        ("o", Does::Write),
        ("output", Does::Write),
        ("compress-program", Does::Run),
        ("files0-from", Does::Read),
    ]),
    reads("sponge", "", Operands::Write(Change::Content)),
    reads("ss", "", Operands::Nothing),
    reads("suspend", "", Operands::Nothing),
    reads("sw_vers", "", Operands::Nothing),
    reads("test", "", Operands::Nothing),
    reads("timedatectl", "", Operands::Nothing),
    reads("times", "", Operands::Nothing),
    reads("tldr", "", Operands::Nothing),
    reads("tomlq", "o p I indent", Operands::TextThenRead)
        .with(&[("i", Does::InPlace), ("in-place", Does::InPlace)]),
    reads("top", "", Operands::Nothing),
    reads("tput", "", Operands::Nothing),
    reads("tr", "", Operands::Nothing),
    reads("true", "", Operands::Nothing),
    reads("tty", "", Operands::Nothing),
    reads("type", "", Operands::Nothing),
    reads("ugrep", "A B C m g t e f", Operands::TextThenRead).with(&[
        ("filter", Does::Run),
        ("pager", Does::Run),
        ("save-config", Does::Write),
    ]),
    reads("ulimit", "", Operands::Nothing),
    reads("umask", "", Operands::Nothing),
    reads("uname", "", Operands::Nothing),
    reads("uniq", "f s w skip-fields skip-chars check-chars", Operands::ReadThenWrite),
    reads("unsetopt", "", Operands::Nothing),
    reads("uptime", "", Operands::Nothing),
    reads("vet", "", Operands::Nothing),
    reads("vmstat", "", Operands::Nothing),
    reads("w", "", Operands::Nothing),
    reads("whatis", "", Operands::Nothing),
    reads("whence", "", Operands::Nothing),
    reads("where", "", Operands::Nothing),
    reads("whereis", "", Operands::Nothing),
    reads("which", "", Operands::Nothing),
    reads("who", "", Operands::Nothing),
    reads("whoami", "", Operands::Nothing),
    reads("xmllint", "xpath encode schema relaxng schematron dtdvalid path pattern maxmem", Operands::Read)
        .with(&[
            ("output", Does::Write),
            ("o", Does::Write),
            ("-output", Does::Write),
            ("shell", Does::Opaque),
        ]),
    reads("xq", "o p I indent", Operands::TextThenRead)
        .with(&[("i", Does::InPlace), ("in-place", Does::InPlace)]),
    reads("xxd", "c g l s n o cols seek len", Operands::ReadThenWrite),
    reads("yes", "", Operands::Nothing),
    reads("yq", "o p I indent output-format input-format", Operands::TextThenRead).with(&[
        ("i", Does::InPlace),
        ("inplace", Does::InPlace),
        ("in-place", Does::InPlace),
        ("s", Does::Opaque),
    ]),
    reads("zgrep", "A B C m f e", Operands::TextThenRead),
    reads("zmodload", "", Operands::Nothing),
];

/// Programs that read the files they are given.
pub(super) const MORE: &[Row] = &[
    reads("actionlint", "", Operands::Read),
    reads("b2sum", "", Operands::Read),
    reads("base32", "w", Operands::Read),
    reads("base64", "w", Operands::Read),
    reads("basenc", "", Operands::Read),
    reads("bat", "l r H language line-range highlight-line style theme color paging", Operands::Read)
        .with(&[("pager", Does::Run)]),
    reads("batcat", "l r style", Operands::Read),
    reads("broot", "", Operands::Read),
    reads("bzcat", "", Operands::Read),
    reads("cat", "", Operands::Read),
    reads("cksum", "", Operands::Read),
    reads("cloc", "exclude-dir include-lang", Operands::Read),
    reads("cmp", "n i bytes ignore-initial", Operands::Read),
    reads("colordiff", "", Operands::Read),
    reads("column", "s t c N R o H", Operands::Read),
    reads("comm", "", Operands::Read),
    reads("csvcut", "", Operands::Read),
    reads("csvgrep", "", Operands::Read),
    reads("csvlook", "", Operands::Read),
    reads("csvstat", "", Operands::Read),
    reads("cut", "d f c b delimiter fields characters bytes output-delimiter", Operands::Read),
    reads("delta", "", Operands::Read),
    reads("df", "t x type exclude-type block-size", Operands::Read),
    reads("diff", "U C I x X L W label exclude unified context ignore-matching-lines", Operands::Read),
    reads("diff3", "", Operands::Read),
    reads("difft", "", Operands::Read),
    reads("dir", "", Operands::Read),
    reads("du", "d t max-depth exclude threshold block-size", Operands::Read),
    reads("dust", "", Operands::Read),
    reads("dyld_info", "", Operands::Read),
    reads("erd", "", Operands::Read),
    reads("exa", "L I s", Operands::Read),
    reads("expand", "t", Operands::Read),
    reads("eza", "L I s color sort", Operands::Read),
    // It can compile what it knows, into the folder where it is.
    reads("file", "m f F", Operands::Read).with(&[("C", Does::Opaque), ("compile", Does::Opaque)]),
    reads("fmt", "w p", Operands::Read),
    reads("fold", "w width", Operands::Read),
    reads("getfacl", "", Operands::Read),
    reads("glow", "", Operands::Read),
    reads("gron", "", Operands::Read),
    reads("hadolint", "", Operands::Read),
    reads("head", "n c lines bytes", Operands::Read),
    reads("hexdump", "n s e f C", Operands::Read),
    reads("hexyl", "", Operands::Read),
    reads("identify", "", Operands::Read),
    reads("join", "t 1 2 j a v o e", Operands::Read),
    reads("jsonlint", "", Operands::Read),
    reads("ldd", "", Operands::Read),
    reads("less", "", Operands::Read).with(&[
        ("o", Does::Write),
        ("O", Does::Write),
        ("log-file", Does::Write),
    ]),
    reads("look", "", Operands::Read),
    reads("ls", "I w T ignore hide block-size color sort time time-style format", Operands::Read),
    reads("lsappinfo", "", Operands::Read),
    reads("lsar", "", Operands::Read),
    reads("lsattr", "", Operands::Read),
    reads("lsd", "", Operands::Read),
    reads("markdownlint", "", Operands::Read),
    reads("md5", "", Operands::Read),
    reads("md5sum", "", Operands::Read),
    reads("mdcat", "", Operands::Read),
    reads("mdls", "", Operands::Read),
    reads("mediainfo", "", Operands::Read),
    reads("more", "", Operands::Read),
    reads("most", "", Operands::Read),
    reads("namei", "", Operands::Read),
    reads("ncdu", "", Operands::Read),
    reads("nl", "b d f h i l n s v w", Operands::Read),
    reads("nm", "", Operands::Read),
    reads("numfmt", "", Operands::Read),
    reads("objdump", "M j", Operands::Read),
    reads("od", "A j N t w", Operands::Read),
    reads("onefetch", "", Operands::Read),
    reads("otool", "", Operands::Read),
    reads("paste", "d delimiters", Operands::Read),
    reads("pr", "", Operands::Read),
    reads("pyflakes", "", Operands::Read),
    reads("readelf", "", Operands::Read),
    reads("readlink", "", Operands::Read),
    reads("realpath", "", Operands::Read),
    reads("rev", "", Operands::Read),
    reads("scc", "", Operands::Read),
    reads("sdiff", "", Operands::Read),
    reads("sha1sum", "", Operands::Read),
    reads("sha224sum", "", Operands::Read),
    reads("sha256sum", "", Operands::Read),
    reads("sha384sum", "", Operands::Read),
    reads("sha512sum", "", Operands::Read),
    reads("shasum", "a", Operands::Read),
    reads("shellcheck", "e s f x exclude shell format severity", Operands::Read),
    reads("size", "", Operands::Read),
    reads("stat", "c f t format printf", Operands::Read),
    reads("strings", "n t e", Operands::Read),
    reads("sum", "", Operands::Read),
    reads("tac", "", Operands::Read),
    reads("tail", "n c lines bytes pid s sleep-interval", Operands::Read),
    reads("tokei", "e t s o exclude", Operands::Read),
    reads("tree", "L P I H T charset filelimit", Operands::Read).with(&[("o", Does::Write)]),
    reads("tsort", "", Operands::Read),
    reads("typos", "", Operands::Read),
    reads("unexpand", "", Operands::Read),
    reads("vale", "", Operands::Read),
    reads("vdir", "", Operands::Read),
    reads("vulture", "", Operands::Read),
    reads("wc", "files0-from", Operands::Read),
    reads("xsv", "", Operands::Read),
    reads("xzcat", "", Operands::Read),
    reads("yamllint", "", Operands::Read),
    reads("zcat", "", Operands::Read),
    reads("zipinfo", "", Operands::Read),
    reads("zless", "", Operands::Read),
    reads("zstdcat", "", Operands::Read),
];

const GREP: &str = "A B C m D d f e color colour include exclude exclude-dir exclude-from max-count \
    label context binary-files after-context before-context regexp file directories devices";

const RIPGREP: &str = "A B C m g t T e f r j M d E max-count glob iglob type type-not type-add color \
    colors context replace sort sortr max-depth max-filesize threads encoding \
    after-context before-context max-columns engine path-separator context-separator \
    regexp file ignore-file pre-glob type-clear dfa-size-limit regex-size-limit \
    field-match-separator field-context-separator hyperlink-format";

const fn reads(name: &'static str, valued: &'static str, operands: Operands) -> Row {
    Row::new(name, Nature::Reads, valued, operands)
}

fn jq(call: &mut Call<'_, '_>) -> Nature {
    // `--arg` and its like take two words, and the first operand is the program.
    let mut rest = call.args.clone().into_iter();
    let mut has_program = false;
    while let Some(field) = rest.next() {
        match field.text().as_deref() {
            Some("--arg" | "--argjson") => {
                rest.nth(1);
            }
            Some("--slurpfile" | "--rawfile") => {
                rest.next();
                if let Some(file) = rest.next() {
                    call.read(&file);
                }
            }
            Some("--indent" | "-L") => {
                rest.next();
            }
            Some("-f" | "--from-file") => {
                has_program = true;
                if let Some(file) = rest.next() {
                    call.read(&file);
                }
            }
            Some("--args" | "--jsonargs") => break,
            Some(option) if option.len() > 1 && option.starts_with('-') => {}
            _ if !has_program => has_program = true,
            _ => call.read(&field),
        }
    }
    Nature::Reads
}

/// `!` runs a command.
fn desk_calculator(call: &mut Call<'_, '_>) -> Nature {
    if call.args.iter().any(|argument| argument.shown().contains('!')) {
        call.opaque("it can run commands");
        return Nature::Unknown;
    }
    Nature::Reads
}

/// `history -w file` and zsh's `fc -W file` write it; without a file it is the one that a variable names.
fn history(call: &mut Call<'_, '_>) -> Nature {
    let has = |letters: &str| {
        call.args.iter().any(|word| {
            word.start().starts_with('-') && word.start().contains(|letter| letters.contains(letter))
        })
    };
    if call.name == "fc" && !has("lWAR") {
        call.opaque("it opens an editor and runs what comes out");
        return Nature::Unknown;
    }
    let (writes, changes) =
        if call.name == "fc" { (has("WA"), has("R")) } else { (has("wa"), has("cdrnps")) };
    let file = call.args.iter().find(|word| !word.start().starts_with('-')).cloned();
    if !writes {
        return if changes { Nature::Listed } else { Nature::Reads };
    }
    let named = match call.state.variables.get("HISTFILE") {
        Some(Value::Text(file)) => Some(file.clone()),
        _ => None,
    };
    let usual = call.walker.at.home.map(|home| Field::known(format!("{home}/.bash_history")));
    match file.or(named).or(usual) {
        Some(file) => call.write(&file, Change::Content),
        None => call.write_somewhere(),
    }
    Nature::Listed
}

fn hostname(call: &mut Call<'_, '_>) -> Nature {
    let sets = call.args.iter().any(|argument| {
        !argument.start().starts_with('-') || matches!(argument.start(), "-F" | "-b" | "--file" | "--boot")
    });
    if sets { Nature::Unknown } else { Nature::Reads }
}

fn ip(call: &mut Call<'_, '_>) -> Nature {
    let changes =
        ["add", "del", "delete", "set", "change", "replace", "flush", "exec", "up", "down", "netns"];
    let is_change = |argument: &Field| changes.iter().any(|word| argument.is(word));
    if call.args.iter().any(is_change) { Nature::Unknown } else { Nature::Reads }
}

/// Every operand is a command.
fn all_code(call: &mut Call<'_, '_>) -> Nature {
    let sorted = super::options::sort_valued(
        &call.args,
        "w r m M n N warmup runs export-json export-markdown p prepare s setup c cleanup L shell S",
    );
    for option in &sorted.options {
        if let (true, Some(value)) =
            (matches!(option.name.as_str(), "p" | "prepare" | "s" | "setup" | "c" | "cleanup"), &option.value)
        {
            call.code(value);
        }
        if let (true, Some(value)) = (option.name.starts_with("export"), &option.value) {
            call.write(value, Change::Content);
        }
    }
    for operand in sorted.operands {
        call.code(&operand);
    }
    Nature::Listed
}
