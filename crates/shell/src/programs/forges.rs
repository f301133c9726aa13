//! Forges, containers, clusters and clouds: what they do happens mostly elsewhere.

use super::super::effect::{Change, GitAct, Nature};
use super::super::text::Field;
use super::call::Call;
use super::{Operands, Row, options, questions};

/// Programs that steer something else.
pub(super) const ROWS: &[Row] = &[
    Row::new("aws", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("az", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("docker", Nature::Listed, "", Operands::Custom(containers)),
    Row::new("docker-compose", Nature::Builds, "", Operands::Custom(containers)),
    Row::new("doctl", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("fly", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("flyctl", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("gcloud", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("gh", Nature::Listed, "", Operands::Custom(forge)),
    Row::new("glab", Nature::Listed, "", Operands::Custom(forge)),
    Row::new("gsutil", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("helm", Nature::Listed, "", Operands::Custom(cluster)),
    Row::new("heroku", Nature::Listed, "", Operands::Custom(cloud)),
    Row::new("kubectl", Nature::Listed, "", Operands::Custom(cluster)),
    Row::new("nerdctl", Nature::Listed, "", Operands::Custom(containers)),
    Row::new("oc", Nature::Listed, "", Operands::Custom(cluster)),
    Row::new("podman", Nature::Listed, "", Operands::Custom(containers)),
    Row::new("terraform", Nature::Listed, "", Operands::Custom(cluster)),
    Row::new("tofu", Nature::Listed, "", Operands::Custom(cluster)),
];

/// The words that are no options, in order.
fn words(call: &Call<'_, '_>) -> Vec<String> {
    call.args.iter().map(Field::shown).filter(|word| !word.starts_with('-')).collect()
}

fn forge(call: &mut Call<'_, '_>) -> Nature {
    let words = words(call);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let has = |names: &[&str]| {
        call.args.iter().any(|word| {
            names.iter().any(|name| word.is(name) || word.start().starts_with(&format!("{name}=")))
        })
    };
    let reads = match first {
        "api" => {
            let method = call
                .args
                .iter()
                .position(|word| word.is("-X") || word.is("--method"))
                .and_then(|at| call.args.get(at + 1))
                .map(Field::shown);
            let glued = call
                .args
                .iter()
                .any(|word| word.start().starts_with("-X") && !word.is("-X") && !word.is("-XGET"));
            let sends = has(&["-f", "-F", "--field", "--raw-field", "--input"])
                || call
                    .args
                    .iter()
                    .any(|word| word.start().starts_with("-f") || word.start().starts_with("-F"));
            !glued
                && match method.as_deref() {
                    None => !sends && second != "graphql",
                    Some(method) => method == "GET" || method == "HEAD",
                }
        }
        "search" | "status" | "browse" | "help" | "version" | "completion" => true,
        "auth" => second == "status",
        // Another first word is an extension or an alias, and runs something.
        "alias" | "attestation" | "cache" | "ci" | "codespace" | "config" | "extension" | "gist"
        | "gpg-key" | "incident" | "issue" | "job" | "label" | "milestone" | "mr" | "org" | "pipeline"
        | "pr" | "project" | "release" | "repo" | "ruleset" | "run" | "schedule" | "secret" | "snippet"
        | "ssh-key" | "user" | "variable" | "workflow" => {
            matches!(
                second,
                "view" | "list" | "diff" | "checks" | "status" | "watch" | "ls" | "show" | "get" | "check"
            )
        }
        _ => false,
    };
    if let ("alias" | "extension", "set" | "import" | "install" | "exec") = (first, second) {
        call.opaque("it installs something that runs later");
    }
    if let ("pr" | "mr" | "co", "checkout") = (first, second) {
        call.git(GitAct::Switch { to: None, creates: true });
    }
    if let ("repo", "clone" | "fork" | "create") = (first, second) {
        call.git(GitAct::Create);
        if let Some(folder) = words.get(3).or_else(|| words.get(2)) {
            let name = folder.rsplit('/').next().unwrap_or_default().to_owned();
            call.write(&Field::known(name), Change::Content);
        }
    }
    if second == "download" {
        let folder = call
            .args
            .iter()
            .position(|word| word.is("-D") || word.is("--dir"))
            .and_then(|at| call.args.get(at + 1))
            .cloned();
        call.write_below(&folder.unwrap_or_else(|| Field::known(".")));
    }
    call.network(None);
    if reads { Nature::Reads } else { Nature::Listed }
}

fn containers(call: &mut Call<'_, '_>) -> Nature {
    if questions::asks(call) {
        return Nature::Reads;
    }
    let words = words(call);
    let mut first = words.first().map(String::as_str).unwrap_or_default();
    if matches!(first, "container" | "image" | "volume" | "network" | "system") {
        first = words.get(1).map(String::as_str).unwrap_or_default();
    }
    match first {
        "run" | "exec" | "create" => {
            let mounted: Vec<Field> = mounts(call);
            for folder in mounted {
                call.write_below(&folder);
            }
            call.opaque("it runs something in a container");
            Nature::Unknown
        }
        "cp" => {
            if let Some(to) = call.args.last().cloned().filter(|to| !super::copies::is_remote(to)) {
                call.write(&to, Change::Content);
                call.write_below(&to);
            }
            Nature::Listed
        }
        "compose" | "config" if words.iter().take(2).any(|word| word == "config") => {
            let sorted = options::sort_valued(&call.args, "o output f p file project-name");
            if let Some(file) = sorted.value("o output") {
                call.write(file, Change::Content);
            }
            Nature::Builds
        }
        "build" | "buildx" | "compose" | "pull" | "up" | "down" | "start" | "stop" | "restart" => {
            Nature::Builds
        }
        "push" | "login" | "logout" => {
            call.network(None);
            Nature::Listed
        }
        _ if call.name == "docker-compose" => Nature::Builds,
        _ => Nature::Listed,
    }
}

/// Directories of this machine that a container gets to see.
fn mounts(call: &Call<'_, '_>) -> Vec<Field> {
    let mut found = Vec::new();
    for (index, word) in call.args.iter().enumerate() {
        let value = match word.start() {
            "-v" | "--volume" => call.args.get(index + 1).cloned(),
            start if start.starts_with("--volume=") => word.strip("--volume="),
            start if start.starts_with("-v") => word.strip("-v"),
            _ => None,
        };
        if let Some((folder, _)) = value.and_then(|value| value.split(':'))
            && (folder.shown().contains(['/', '$', '~']) || folder.is("."))
        {
            found.push(folder);
        }
        if word.start().starts_with("--mount") {
            found.push(Field::unknown(word.shown()));
        }
    }
    found
}

fn cluster(call: &mut Call<'_, '_>) -> Nature {
    if questions::asks(call) {
        call.network(None);
        return Nature::Reads;
    }
    let words = words(call);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let builds = matches!(
        (call.name, first),
        ("helm", "template" | "lint" | "dependency" | "package")
            | ("terraform" | "tofu", "plan" | "validate" | "init" | "fmt")
    );
    if words.iter().take(3).any(|word| matches!(word.as_str(), "exec" | "run" | "debug" | "cp" | "console")) {
        call.opaque("it runs something elsewhere");
    }
    if builds {
        return Nature::Builds;
    }
    call.network(None);
    Nature::Listed
}

/// Commands of `aws` that put what they get into a file, which is their last word.
const INTO_FILE: [&str; 8] = [
    "get-clip",
    "get-export",
    "get-job-output",
    "get-media",
    "get-object",
    "get-object-torrent",
    "get-sdk",
    "get-snapshot-block",
];

fn cloud(call: &mut Call<'_, '_>) -> Nature {
    call.network(None);
    let words: Vec<String> =
        options::sort_valued(&call.args, questions::CLOUD).operands.iter().map(Field::shown).collect();
    let action = words.get(1).map(String::as_str).unwrap_or_default();
    if call.name == "aws" && INTO_FILE.contains(&action) {
        if let Some(file) = call.args.last().cloned() {
            call.write(&file, Change::Content);
        }
        return Nature::Listed;
    }
    if questions::asks(call) || only_shows(call.name, &words) {
        return Nature::Reads;
    }
    let copies = words.iter().any(|word| matches!(word.as_str(), "cp" | "sync" | "mv" | "rsync" | "scp"));
    for word in call.args.clone().iter().skip(2) {
        let shown = word.shown();
        if copies && !shown.starts_with('-') && !shown.contains("://") {
            call.write(word, Change::Content);
            call.write_below(word);
        }
    }
    Nature::Listed
}

/// Whether the verb, which stands behind one to three nouns, only shows something.
fn only_shows(name: &str, words: &[String]) -> bool {
    let shows = |word: &str| {
        matches!(word, "ls" | "list" | "show" | "describe" | "tail" | "query" | "scan" | "search")
            || ["describe-", "list-", "get-", "head-", "batch-get-"]
                .iter()
                .any(|start| word.starts_with(start))
    };
    let last = if name == "aws" { 1 } else { 3 };
    for (index, word) in words.iter().enumerate().take(last + 1) {
        if CHANGES.split(' ').any(|verb| verb == word) {
            return false;
        }
        if index > 0 && shows(word) {
            return true;
        }
    }
    false
}

/// Verbs behind which a reading word is only an argument.
const CHANGES: &str = "activate add apply approve assign attach build call cancel clone connect console copy cp create \
                       decrypt delete deploy destroy detach disable drain enable encrypt exec execute export failover \
                       generate grant import init invoke kill lock login logout move mv open patch promote proxy \
                       publish purge put rb reject remove rename replace reset resize restart restore resume revoke \
                       rm rollback rotate rsync run scale scp set sign ssh start stop submit suspend sync tag \
                       trigger unset untag update upload write";
