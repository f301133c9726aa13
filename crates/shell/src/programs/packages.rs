//! Package managers, runners and formatters: tools of which some commands only look, or run another program.

use super::super::effect::{Change, Nature};
use super::super::text::Field;
use super::builders::builds;
use super::call::Call;
use super::{Operands, Row, questions};

/// Tools with commands that are told apart.
pub(super) const ROWS: &[Row] = &[
    builds("asdf", Operands::Custom(runner)),
    builds("autopep8", Operands::Custom(formatter)),
    builds("black", Operands::Custom(formatter)),
    builds("bunx", Operands::Custom(npx)),
    builds("cargo", Operands::Custom(cargo)),
    builds("clang-format", Operands::Custom(formatter)),
    builds("dprint", Operands::Custom(formatter)),
    builds("eslint", Operands::Custom(formatter)),
    builds("fnm", Operands::Custom(runner)),
    builds("go", Operands::Custom(go)),
    builds("gofmt", Operands::Custom(formatter)),
    builds("gofumpt", Operands::Custom(formatter)),
    builds("goimports", Operands::Custom(formatter)),
    builds("google-java-format", Operands::Custom(formatter)),
    builds("isort", Operands::Custom(formatter)),
    builds("ktlint", Operands::Custom(formatter)),
    builds("mise", Operands::Custom(runner)),
    builds("nodenv", Operands::Custom(runner)),
    builds("npm", Operands::Custom(node_packages)),
    builds("npx", Operands::Custom(npx)),
    builds("nvm", Operands::Custom(runner)),
    builds("pip", Operands::Custom(pip)),
    builds("pipx", Operands::Custom(npx)),
    builds("pnpm", Operands::Custom(node_packages)),
    builds("pnpx", Operands::Custom(npx)),
    builds("prettier", Operands::Custom(formatter)),
    builds("pyenv", Operands::Custom(runner)),
    builds("rbenv", Operands::Custom(runner)),
    builds("ruff", Operands::Custom(formatter)),
    builds("rustfmt", Operands::Custom(formatter)),
    builds("sdk", Operands::Custom(runner)),
    builds("shfmt", Operands::Custom(formatter)),
    builds("stylua", Operands::Custom(formatter)),
    builds("taplo", Operands::Custom(formatter)),
    builds("uv", Operands::Custom(runner)),
    builds("uvx", Operands::Custom(npx)),
    builds("yapf", Operands::Custom(formatter)),
    builds("yarn", Operands::Custom(node_packages)),
];

pub(super) fn first_word(call: &Call<'_, '_>) -> String {
    let words = call.args.iter().map(Field::shown);
    words.into_iter().find(|word| !word.starts_with(['-', '+'])).unwrap_or_default()
}

/// The command of cargo, behind options that stand before it.
fn cargo_command(call: &Call<'_, '_>) -> String {
    const WITH_VALUE: &[&str] = &["--manifest-path", "--color", "--config", "--target-dir", "-C", "-Z"];
    let mut words = call.args.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.iter().any(|option| word.is(option)) {
            words.next();
        } else if !word.start().starts_with(['-', '+']) {
            return word.shown();
        }
    }
    String::new()
}

fn cargo(call: &mut Call<'_, '_>) -> Nature {
    if let Some(config) = call.args.iter().position(|word| word.start().starts_with("--config")) {
        let words = call.words_from(config);
        if ["runner", "rustc", "wrapper", "alias", "linker"].iter().any(|word| words.contains(word)) {
            call.opaque("its configuration runs programs");
        }
    }
    let says = |wanted: &str| call.args.iter().any(|word| word.is(wanted));
    let command = cargo_command(call);
    let rewrites = match command.as_str() {
        "fmt" => !says("--check"),
        "fix" => true,
        "clippy" => says("--fix"),
        "insta" => says("accept") || says("--accept"),
        _ => false,
    };
    match command.as_str() {
        _ if questions::asks(call) => return Nature::Reads,
        "publish" | "login" | "logout" | "owner" | "yank" => {
            call.network(None);
            return Nature::Listed;
        }
        _ => {}
    }
    if rewrites {
        // All there is, tests too.
        call.write(&Field::known("."), Change::Content);
    }
    Nature::Builds
}

/// Test runners. Asked to, they write down as right whatever comes out.
pub(super) fn tests(call: &mut Call<'_, '_>) -> Nature {
    const ACCEPTING: &[&str] =
        &["-u", "--updateSnapshot", "--update", "--update-snapshots", "--snapshot-update"];
    let accepts = |word: &Field| ACCEPTING.iter().any(|option| word.is(option));
    if call.args.iter().any(accepts) {
        call.write(&Field::known("."), Change::Content);
    }
    Nature::Builds
}

fn go(call: &mut Call<'_, '_>) -> Nature {
    for (index, word) in call.args.clone().iter().enumerate() {
        let option = word.start().split('=').next().unwrap_or_default().trim_start_matches('-');
        if word.start().starts_with('-') && matches!(option, "exec" | "toolexec" | "vettool") {
            let attached = word.split('=').map(|(_, program)| program);
            if let Some(program) = attached.or_else(|| call.args.get(index + 1).cloned()) {
                call.code(&program);
            }
        }
    }
    let writes_environment = call.args.iter().any(|word| word.is("-w") || word.is("-u"));
    // With this one, looking brings the lists of modules up to date.
    if call.args.iter().any(|word| word.start().ends_with("-mod=mod")) {
        return Nature::Builds;
    }
    match first_word(call).as_str() {
        _ if questions::asks(call) => Nature::Reads,
        "env" if !writes_environment => Nature::Reads,
        "fmt" | "fix" => {
            call.write(&Field::known("."), Change::Content);
            Nature::Builds
        }
        _ => Nature::Builds,
    }
}

fn node_packages(call: &mut Call<'_, '_>) -> Nature {
    let first = first_word(call);
    match first.as_str() {
        _ if questions::asks(call) => Nature::Reads,
        "publish" | "unpublish" | "login" | "adduser" | "logout" | "deprecate" | "dist-tag" | "owner"
        | "access" | "token" => {
            call.network(None);
            Nature::Listed
        }
        "exec" | "x" | "dlx" => {
            let at = call.args.iter().position(|word| word.is(&first)).unwrap_or(0);
            after_runner(call, at + 1)
        }
        _ => Nature::Builds,
    }
}

fn npx(call: &mut Call<'_, '_>) -> Nature {
    if let Some(at) = call.args.iter().position(|word| matches!(word.start(), "-c" | "--call"))
        && let Some(code) = call.args.get(at + 1).cloned()
    {
        call.code(&code);
        return Nature::Builds;
    }
    if questions::asks(call) {
        return Nature::Reads;
    }
    let skip = usize::from(call.name == "pipx");
    after_runner(call, skip)
}

/// `uv run …`, `poetry run …`, `bundle exec …`: the tool's own commands, or a program in its environment.
pub(super) fn runner(call: &mut Call<'_, '_>) -> Nature {
    if matches!(call.name, "cross-env" | "dotenv") {
        return after_runner(call, 0);
    }
    if questions::asks(call) {
        return Nature::Reads;
    }
    let marks = ["run", "exec", "x", "-c", "--command", "--"];
    match call.args.iter().position(|word| marks.iter().any(|mark| word.is(mark))) {
        Some(at) => after_runner(call, at + 1),
        None => Nature::Builds,
    }
}

/// Follows the program behind a runner if it is one that is known; one that is not comes from the project's
/// packages.
fn after_runner(call: &mut Call<'_, '_>, from: usize) -> Nature {
    let mut words = call
        .args
        .iter()
        .skip(from)
        .skip_while(|word| word.start().starts_with('-') || is_assignment(word) || word.is("run"));
    // An option's value may stand in between, so the first word that is a known program counts too.
    let mut rest: Vec<Field> = words.by_ref().cloned().collect();
    // npm keeps the dashes for itself: `npm exec prettier -- --write a`.
    if let Some(dashes) = rest.iter().position(|word| word.is("--")).filter(|_| call.name == "npm") {
        rest.remove(dashes);
    }
    let start =
        rest.iter().take(3).position(|word| word.text().is_some_and(|name| super::known(&name).is_some()));
    if let Some(start) = start {
        call.invoke(rest.into_iter().skip(start).collect());
    } else if rest.first().is_some_and(Field::has_unknown) {
        let text = call.text;
        let unseen = rest.first().is_some_and(Field::is_foreign);
        call.hidden("which program runs is not known", text, unseen);
    }
    Nature::Builds
}

fn is_assignment(word: &Field) -> bool {
    word.split('=').is_some_and(|(name, _)| {
        name.shown().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn pip(call: &mut Call<'_, '_>) -> Nature {
    if questions::asks(call) { Nature::Reads } else { Nature::Builds }
}

/// Formatters: files that are named are written, if the options say so; else they go where they see fit.
fn formatter(call: &mut Call<'_, '_>) -> Nature {
    let letters = match call.name {
        "black" | "isort" => "l t ",
        "eslint" => "o output-file ",
        _ => "",
    };
    let valued = format!(
        "{letters}style config line-length target-version config-path edition select ignore ext parser"
    );
    let sorted = super::options::sort_valued(&call.args, &valued);
    let mut operands = sorted.operands.clone();
    let mut writes = match call.name {
        "black" | "isort" | "rustfmt" | "stylua" => !sorted.says("check diff check-only c q-check"),
        "gofmt" | "goimports" | "gofumpt" | "shfmt" | "prettier" => sorted.has("w write"),
        "eslint" => sorted.has("fix"),
        "ktlint" => sorted.has("F format"),
        _ => sorted.has("i in-place inplace replace"),
    };
    if matches!(call.name, "ruff" | "taplo" | "dprint") {
        let command = if operands.is_empty() { String::new() } else { operands.remove(0).shown() };
        let checks = sorted.says("check diff");
        writes = command == "check" && sorted.has("fix fix-only unsafe-fixes")
            || matches!(command.as_str(), "format" | "fmt") && !checks;
        if matches!(command.as_str(), "rule" | "linter" | "version") {
            return Nature::Reads;
        }
    }
    if call.name == "eslint"
        && let Some(file) = sorted.value("o output-file")
    {
        call.write(file, Change::Content);
    }
    for operand in &operands {
        if writes {
            call.write(operand, Change::Content);
        } else {
            call.read(operand);
        }
    }
    // Where nothing is named, these take all there is.
    if writes && operands.is_empty() && matches!(call.name, "ruff" | "taplo" | "dprint" | "eslint" | "ktlint")
    {
        call.write(&Field::known("."), Change::Content);
    }
    match call.name {
        "gofmt" | "prettier" | "clang-format" | "shfmt" | "goimports" if !writes => Nature::Reads,
        _ => Nature::Builds,
    }
}
