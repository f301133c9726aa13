//! Programs that run another program, which is the one that counts.

use super::super::effect::{Change, Effect, Nature};
use super::super::text::Field;
use super::call::Call;
use super::options;
use super::{Operands, Row, shells, xargs};
use std::rc::Rc;

const fn wrapper(name: &'static str, follow: fn(&mut Call<'_, '_>)) -> Row {
    Row::new(name, Nature::Listed, "", Operands::Wrapper(follow))
}

/// Wrappers, sorted by name.
pub(super) const ROWS: &[Row] = &[
    wrapper("ash", shells::shell),
    wrapper("bash", shells::shell),
    wrapper("busybox", applet),
    wrapper("bwrap", unseen),
    wrapper("caffeinate", plain),
    wrapper("chronic", plain),
    wrapper("chroot", elsewhere),
    wrapper("chrt", plain),
    wrapper("csh", shells::shell),
    wrapper("dash", shells::shell),
    wrapper("doas", plain),
    wrapper("entr", plain),
    wrapper("env", env),
    wrapper("expect", unseen),
    wrapper("fakeroot", plain),
    wrapper("firejail", unseen),
    wrapper("fish", shells::shell),
    wrapper("flock", plain),
    wrapper("gtimeout", plain),
    wrapper("ionice", plain),
    wrapper("ksh", shells::shell),
    wrapper("ltrace", plain),
    wrapper("mksh", shells::shell),
    wrapper("nice", plain),
    wrapper("nohup", plain),
    wrapper("nsenter", elsewhere),
    wrapper("numactl", plain),
    wrapper("parallel", xargs::parallel),
    wrapper("pkexec", plain),
    wrapper("prlimit", plain),
    wrapper("rbash", shells::shell),
    wrapper("rlwrap", plain),
    wrapper("runuser", su),
    wrapper("screen", unseen),
    wrapper("script", script),
    wrapper("setarch", plain),
    wrapper("setpriv", plain),
    wrapper("setsid", plain),
    wrapper("sh", shells::shell),
    wrapper("stdbuf", plain),
    wrapper("strace", plain),
    wrapper("su", su),
    wrapper("sudo", plain),
    wrapper("systemd-run", plain),
    wrapper("taskset", plain),
    wrapper("tcsh", shells::shell),
    wrapper("time", plain),
    wrapper("timeout", plain),
    wrapper("tmux", unseen),
    wrapper("toybox", applet),
    wrapper("unbuffer", plain),
    wrapper("unshare", elsewhere),
    wrapper("valgrind", plain),
    wrapper("watch", watch),
    wrapper("xargs", xargs::xargs),
    wrapper("xvfb-run", plain),
    wrapper("yash", shells::shell),
    wrapper("zsh", shells::shell),
];

/// Options with values, and how many operands come before the command.
fn shape(name: &str) -> (&'static str, usize) {
    match name {
        "timeout" | "gtimeout" => ("k s kill-after signal", 1),
        "nice" => ("n adjustment", 0),
        "ionice" => ("c n p t class classdata", 0),
        "stdbuf" => ("i o e input output error", 0),
        "sudo" => ("u g h p C D R T U r t user group host prompt chdir chroot close-from", 0),
        "doas" => ("u C a", 0),
        "flock" => ("w E timeout conflict-exit-code", 1),
        "chrt" | "taskset" => ("p T P D", 1),
        "strace" | "ltrace" => ("e o p s a E u b I O P S X", 0),
        "time" => ("f o format output", 0),
        "caffeinate" => ("t w", 0),
        "xvfb-run" => ("n s e f p w server-args server-num", 0),
        "setarch" => ("", 1),
        "systemd-run" => ("p u t unit property slice description uid gid setenv working-directory", 0),
        "numactl" => ("i m N C l p", 0),
        "chroot" => ("userspec groups", 1),
        "unshare" => ("S G R w root wd map-user map-group", 0),
        "nsenter" => ("t S G target", 0),
        "rlwrap" => ("a b c f H l s", 0),
        _ => ("", 0),
    }
}

fn plain(call: &mut Call<'_, '_>) {
    let (valued, skip) = shape(call.name);
    let sorted = options::sort_leading(&call.args, valued);
    let mut words = sorted.operands.as_slice();
    for file in ["o output"] {
        if matches!(call.name, "strace" | "ltrace" | "time")
            && let Some(file) = sorted.value(file)
        {
            call.write(file, Change::Content);
        }
    }
    if let Some(folder) =
        sorted.value("D chdir working-directory").filter(|_| matches!(call.name, "sudo" | "systemd-run"))
    {
        call.go_to(folder);
    }
    if call.name == "sudo" && sorted.has("e edit") {
        for file in words {
            call.write(file, Change::Content);
        }
        return;
    }
    if call.name == "flock" {
        if let Some(lock) = words.first() {
            call.write(lock, Change::Content);
        }
        if let Some(code) = words
            .iter()
            .position(|word| word.is("-c") || word.is("--command"))
            .and_then(|index| words.get(index + 1))
        {
            call.code(code);
            return;
        }
    }
    words = words.get(skip.min(words.len())..).unwrap_or_default();
    if words.is_empty() {
        let asks = sorted.says("version help V h l list v validate k K");
        let arguments = call.args.iter().map(Field::shown).collect();
        let nature = if asks { Nature::Reads } else { Nature::Unknown };
        call.walker.effects.push(Effect::Run { program: call.name.to_owned(), arguments, nature });
        if !asks {
            // `sudo -s` is a shell that reads commands.
            call.fed_code();
        }
        return;
    }
    assigned(call, words);
}

/// Runs words that may start with assignments, as after `env` and `sudo`.
fn assigned(call: &mut Call<'_, '_>, words: &[Field]) {
    let is_assignment = |word: &&Field| {
        word.split('=').and_then(|(name, _)| name.text()).is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let count = words.iter().take_while(is_assignment).count();
    for word in words.iter().take(count) {
        if let Some((name, value)) = word.split('=') {
            let mut state = call.state.clone();
            call.walker.set_variable(&name.shown(), super::super::state::Value::Text(value), &mut state);
            call.state = state;
        }
    }
    let words: Vec<Field> = words.iter().skip(count).cloned().collect();
    if words.is_empty() && call.name == "env" {
        let arguments = call.args.iter().map(Field::shown).collect();
        call.walker.effects.push(Effect::Run { program: "env".to_owned(), arguments, nature: Nature::Reads });
    }
    // A wrapper starts programs, so a function of that name does not count.
    if let Some(name) = words.first().and_then(Field::text) {
        Rc::make_mut(&mut call.state.functions).remove(&name);
    }
    call.invoke(words);
}

fn env(call: &mut Call<'_, '_>) {
    let sorted = options::sort_leading(&call.args, "u C S a unset chdir split-string argv0");
    if let Some(folder) = sorted.value("C chdir") {
        call.go_to(folder);
    }
    if let Some(split) = sorted.value("S split-string") {
        let mut words = Vec::new();
        match split.text() {
            Some(text) => {
                // `${HOME}` it replaces as a shell would, and it has backslashes of its own.
                if text.contains(['$', '\\']) {
                    call.code(&Field::known(&*text));
                    call.opaque("it splits words that are not known");
                }
                words
                    .extend(text.split_whitespace().map(|word| Field::known(word.trim_matches(['"', '\'']))));
            }
            None => call.opaque("it splits words that are not known"),
        }
        words.extend(sorted.operands.iter().cloned());
        assigned(call, &words);
        return;
    }
    assigned(call, &sorted.operands);
}

fn su(call: &mut Call<'_, '_>) {
    let sorted = options::sort_valued(&call.args, "c s g G w u command shell group");
    match sorted.value("c command") {
        Some(code) => call.code(code),
        None if call.name == "runuser" && sorted.has("u") => {
            let words = sorted.operands.clone();
            call.invoke(words);
        }
        None => call.opaque("it becomes another user"),
    }
}

/// Another root directory or namespace: paths inside lead elsewhere.
fn elsewhere(call: &mut Call<'_, '_>) {
    let (valued, skip) = shape(call.name);
    let sorted = options::sort_leading(&call.args, valued);
    if call.name == "chroot" {
        call.state.cwd = None;
    }
    call.opaque("paths lead elsewhere in there");
    let words: Vec<Field> = sorted.operands.iter().skip(skip).cloned().collect();
    call.invoke(words);
}

fn unseen(call: &mut Call<'_, '_>) {
    let arguments = call.args.iter().map(Field::shown).collect();
    let first = call.args.first().map(Field::start).unwrap_or_default();
    let reads = (matches!(first, "ls" | "lsp" | "lsw" | "capture-pane" | "has-session" | "show-options" | "-ls" | "-V")
        || first.starts_with("list-"))
        // A format may hold a command.
        && !call.args.iter().any(|word| word.shown().contains("#("));
    let nature = if reads { Nature::Reads } else { Nature::Unknown };
    call.walker.effects.push(Effect::Run { program: call.name.to_owned(), arguments, nature });
    if !reads {
        call.opaque("it runs something out of sight");
    }
}

fn script(call: &mut Call<'_, '_>) {
    let sorted =
        options::sort_leading(&call.args, "c B E I O T m o command log-io log-in log-out log-timing");
    for option in ["B log-io", "I log-in", "O log-out", "T log-timing"] {
        if let Some(file) = sorted.value(option) {
            call.write(file, Change::Content);
        }
    }
    let file = sorted.operands.first().cloned().unwrap_or_else(|| Field::known("typescript"));
    call.write(&file, Change::Content);
    if let Some(code) = sorted.value("c command") {
        call.code(code);
    }
    // The BSDs take the command as words after the file.
    let words: Vec<Field> = sorted.operands.iter().skip(1).cloned().collect();
    call.invoke(words);
}

fn watch(call: &mut Call<'_, '_>) {
    let sorted = options::sort_leading(&call.args, "n q interval equexit");
    let words: Vec<String> = sorted.operands.iter().map(Field::shown).collect();
    if sorted.operands.iter().any(Field::has_unknown) {
        call.opaque("it runs code that is not known");
    }
    call.code(&Field::known(words.join(" ")));
}

fn applet(call: &mut Call<'_, '_>) {
    let words = call.args.clone();
    if words.first().is_some_and(|word| word.start().starts_with('-')) {
        return;
    }
    call.invoke(words);
}
