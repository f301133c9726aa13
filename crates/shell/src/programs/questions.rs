//! Commands of everyday tools that only ask: lists, versions, settings, dependencies.

use super::super::text::Field;
use super::call::Call;
use super::options::{self, Sorted};

/// A tool, its options that take a value, and the commands that only ask. A word with dashes must stand anywhere;
/// a `$` says that nothing may follow.
struct Tool {
    name: &'static str,
    valued: &'static str,
    asks: &'static str,
}

const fn tool(name: &'static str, valued: &'static str, asks: &'static str) -> Tool {
    Tool { name, valued, asks }
}

/// Sorted by name.
const TOOLS: &[Tool] = &[
    tool("apk", "", "info, list, search, policy, version"),
    tool("apt", "", "list, search, show, policy, depends, rdepends, showsrc"),
    tool("asdf", "", "list, current, where, which, latest, plugin list, info, version"),
    tool(
        "aws",
        CLOUD,
        "configure list, configure list-profiles, configure get, logs tail, logs filter-log-events",
    ),
    tool("brew", "", BREW),
    tool("bundle", "", "list, show, info, outdated, platform, env, config$, config list, config get"),
    tool("cabal", "", "list, info, path, outdated, user-config diff"),
    tool("cargo", "config C Z color manifest-path p package features target D deny", CARGO),
    tool("composer", "d working-dir", COMPOSER),
    tool("conda", "n p name prefix", CONDA),
    tool("crane", "", "manifest, digest, ls, config, catalog, version"),
    tool("direnv", "", "status, version"),
    tool("dnf", "", "list, info, search, repolist, provides, repoquery, check-update"),
    tool("docker", CONTAINERS, DOCKER),
    tool("docker-compose", CONTAINERS, DOCKER_COMPOSE),
    tool("dotnet", "", DOTNET),
    tool("flatpak", "", "list, info, search, remotes, remote-ls"),
    tool("flutter", "", "doctor, devices, config --list"),
    tool("fly", "a app c config", FLY),
    tool("flyctl", "a app c config", FLY),
    tool("fnm", "", "list, ls, current, list-remote, ls-remote"),
    tool("gem", "", GEM),
    tool("go", "", "list, version, doc, help, mod graph, mod why, mod verify, tool$"),
    tool("gsutil", "", "ls, cat, du, stat, hash, version"),
    tool("guix", "", "describe, search, show, size"),
    tool("hatch", "", "env show, status, version$, project metadata, dep show"),
    tool("helm", CLUSTER, HELM),
    tool("heroku", "a app r remote", "logs, ps$, status, apps$, releases$, config$, version"),
    tool("hugo", "", "version, env, list, config$"),
    tool("k3d", "", "cluster list, node list, version"),
    tool("kind", "", "get, version"),
    tool("kubectl", CLUSTER, KUBECTL),
    tool("mamba", "n p name prefix", CONDA),
    tool("micromamba", "n p name prefix", CONDA),
    tool("minikube", "p profile", "status, ip, profile list, version, addons list, service list"),
    tool("mise", "", MISE),
    tool("nerdctl", CONTAINERS, DOCKER),
    tool("nix", "", NIX),
    tool("nodenv", "", PYENV),
    tool("npm", "prefix w workspace registry C userconfig", NPM),
    tool("nvm", "", "ls, list, current, which, version, ls-remote, version-remote"),
    tool("oc", CLUSTER, KUBECTL),
    tool("opam", "", OPAM),
    tool("pacman", "", "-Q, -Qi, -Qs, -Ql, -Qo, -Si, -Ss"),
    tool("pdm", "p project", "list, show, info, search, outdated, venv list"),
    tool("pip", "", PIP),
    tool("pipenv", "", "graph, verify, --venv, --where, --py"),
    tool("pipx", "", "list, environment"),
    tool("pnpm", "prefix C dir F filter registry", PNPM),
    tool("podman", CONTAINERS, DOCKER),
    tool("poetry", "C P directory project", POETRY),
    tool("pulumi", "C cwd s stack", "stack ls, stack output, whoami, version, config get, about"),
    tool("pyenv", "", PYENV),
    tool("rbenv", "", PYENV),
    tool("rustup", "", RUSTUP),
    tool("rye", "", "list, show, toolchain list, version$"),
    tool("sdk", "", "list, current, version"),
    tool("snap", "", "list, info, find, version, connections"),
    tool("stack", "", "path, ls, query, templates"),
    tool("terraform", "", TERRAFORM),
    tool("tofu", "", TERRAFORM),
    tool("uv", "directory project p python", UV),
    tool("volta", "", "list, which"),
    tool("yarn", "cwd registry", YARN),
    tool("yum", "", "list, info, search, repolist, provides, check-update"),
    tool("zypper", "", "search, info, packages, repos, list-updates"),
];

const BREW: &str = "list, ls, info, search, deps, uses, outdated, config, doctor, leaves, desc, cat, log, tap-info, \
    formulae, casks, commands, options, missing, services list, services info, --prefix, --cellar, \
    --cache, --repository, --caskroom";

const CARGO: &str = "tree, metadata, search, info, version, help, locate-project, pkgid, read-manifest, \
    verify-project, audit$, outdated, config get, --list";

const COMPOSER: &str = "show, info, outdated, why, why-not, depends, prohibits, search, licenses, validate, diagnose, \
    about, status, suggests, fund, audit, check-platform-reqs, config --list";

const CONDA: &str = "list, info, search, env list, config --show, config --get, config --show-sources";

const CONTAINERS: &str = "f p H l c n file project-name profile env-file project-directory context host log-level \
                          config ansi tail since until format filter";

const DOCKER: &str = "ps, images, logs, inspect, top, stats, version, info, port, diff, history, search, events, \
    container ls, container list, container ps, container inspect, container logs, container top, \
    container stats, container diff, container port, image ls, image list, image inspect, image \
    history, volume ls, volume list, volume inspect, network ls, network list, network inspect, \
    system df, system info, system events, context ls, context list, context show, context inspect, \
    buildx ls, buildx du, buildx inspect, buildx version, manifest inspect, plugin ls, plugin \
    inspect, node ls, node inspect, node ps, service ls, service ps, service logs, service inspect, \
    stack ls, stack ps, stack services, secret ls, secret inspect, config ls, config inspect, \
    machine list, pod ps, pod inspect, compose ps, compose config, compose logs, compose top, \
    compose images, compose ls, compose version, compose port, compose events, compose stats, \
    compose volumes";

const DOCKER_COMPOSE: &str = "ps, config, logs, top, images, ls, version, port, events, stats, volumes";

const DOTNET: &str = "--info, --list-sdks, --list-runtimes, list, sdk check, tool list, tool search, workload list, \
    workload search, nuget list, sln list";

const FLY: &str = "status, logs, info, version, releases, apps list, machine list, volumes list, secrets list, ips \
    list, regions list, platform regions, config show";

const GEM: &str = "list, info, environment, env, search, query, specification, contents, dependency, outdated, \
    which, stale, sources$, sources --list, sources -l";

const CLUSTER: &str = "n s v o l f c namespace context cluster user kubeconfig server token as request-timeout \
                       output selector kube-context field-selector chunk-size container tail since template";

const HELM: &str = "list, ls, status, get, history, show, inspect, search, version, env, repo list, plugin list, \
    dependency list";

const KUBECTL: &str = "get, describe, logs, top, explain, version, api-resources, api-versions, cluster-info$, auth \
    can-i, auth whoami, diff, events, options, wait, kustomize, plugin list, config view, config \
    current-context, config get-contexts, config get-clusters, config get-users, rollout history, \
    rollout status, whoami, projects, status";

const MISE: &str = "ls, list, current, where, which, env, ls-remote, latest, outdated, doctor, config$, config ls, \
    settings$, settings ls, settings get, plugins ls, alias ls, tasks$, tasks ls, version, registry, \
    search, bin-paths";

const NIX: &str = "search, show-config, config show, flake show, flake metadata, flake info, path-info, derivation \
    show, store ls, profile list, registry list, log, why-depends";

const NPM: &str = "ls, list, la, ll, view, v, show, outdated, why, info, explain, root, bin, prefix, whoami, ping, \
    search, help, help-search, fund, docs, query, get, config get, config list, config ls, pkg get, run$, \
    run-script$, version$, audit$, audit signatures, dist-tag ls, owner ls, cache ls, completion$";

/// Another word is the name of a script.
const PNPM: &str = "list, ls, la, ll, why, outdated, audit$, config get, config list, get, store path, store status, \
    root, bin, licenses list, licenses ls, env list, run$, view, info, show, search, whoami, ping, help";

const YARN: &str = "list, why, info, outdated, help, bin, versions, licenses list, config$, config get, config list, \
    workspaces info, workspaces list, npm info, global list, global dir, cache dir, cache list, audit$, run$";

const OPAM: &str = "list, show, info, search, var, config list, config var, switch$, switch list, switch show, repo \
    list, repository list, pin list, env";

const PIP: &str = "list, show, freeze, check, index, debug, help, inspect, config list, config get, config debug, \
    cache list, cache info, cache dir";

const POETRY: &str = "show, env info, env list, search, check, about, config --list, version$, list, source show, self \
    show, cache list";

const PYENV: &str = "versions, version, version-name, version-file, which, whence, root, prefix, commands, shims, \
    install --list, install -l";

const RUSTUP: &str =
    "show, toolchain list, target list, component list, which, check, override list, completions";

const TERRAFORM: &str = "show, output, version, providers, graph, state list, state show, state pull, workspace list, \
    workspace show";

const UV: &str = "pip list, pip show, pip freeze, pip check, pip tree, tree, version$, python list, python find, \
    python dir, tool list, tool dir, cache dir, self version";

/// Options of clouds that take a value.
pub(super) const CLOUD: &str = "profile region output query endpoint-url project format filter subscription g \
                                resource-group name n since start-time log-group-name cluster bucket key prefix";

/// Options that make a question more than one.
const CHANGES: &str = "set add remove append prepend unset delete edit clear fix write log log-file report \
                       output-file output-dir output-directory out outfile save init bootstrap";

/// Whether the call only asks for something.
pub(super) fn asks(call: &Call<'_, '_>) -> bool {
    let Ok(index) = TOOLS.binary_search_by(|tool| tool.name.cmp(call.name)) else { return false };
    let Some(tool) = TOOLS.get(index) else { return false };
    let sorted = options::sort_valued(&call.args, tool.valued);
    let mut words: Vec<String> = sorted.operands.iter().map(Field::shown).collect();
    if words.first().is_some_and(|word| word.starts_with('+')) {
        // `cargo +nightly …`
        words.remove(0);
    }
    if asks_for_help(call, &words) {
        return true;
    }
    // Written out, a format is no file.
    let writes = sorted.has(CHANGES);
    !writes && !is_told_more(call, &sorted) && tool.asks.split(", ").any(|phrase| fits(call, &words, phrase))
}

fn fits(call: &Call<'_, '_>, words: &[String], phrase: &str) -> bool {
    let (phrase, alone) = phrase.strip_suffix('$').map_or((phrase, false), |phrase| (phrase, true));
    let mut position = 0;
    for (index, wanted) in phrase.split(' ').enumerate() {
        if wanted.starts_with('-') {
            let found = match index {
                0 => call.args.first().is_some_and(|word| word.is(wanted)),
                _ => call.args.iter().any(|word| word.is(wanted)),
            };
            if !found {
                return false;
            }
        } else {
            if words.get(position).map(String::as_str) != Some(wanted) {
                return false;
            }
            position += 1;
        }
    }
    !alone || words.len() == position
}

/// `docker run --help`: behind more words it may be meant for the program that is run.
fn asks_for_help(call: &Call<'_, '_>, words: &[String]) -> bool {
    let runs = matches!(
        words.first().map(String::as_str),
        Some("run" | "exec" | "x" | "dlx" | "test" | "bench" | "start" | "create" | "tool" | "compose")
    );
    let most = if runs || call.name == "yarn" { 1 } else { 2 };
    let last = call.args.last().is_some_and(|word| word.is("--help"));
    last && words.len() <= most
        && call.args.len() == words.len() + 1
        && !(call.name == "yarn" && words.len() == 1)
}

/// `docker compose config -o file`; elsewhere `-o` names a format. To `apt` it gives settings that can run things.
fn is_told_more(call: &Call<'_, '_>, sorted: &Sorted) -> bool {
    match call.name {
        "docker" | "docker-compose" | "podman" | "nerdctl" => sorted.has("o output"),
        "apt" => sorted.has("o c option config-file"),
        _ => false,
    }
}

/// Whether an interpreter, a compiler or a package tool is asked only about itself, by its options.
pub(super) fn by_options(call: &Call<'_, '_>) -> bool {
    let all = |known: &str| {
        !call.args.is_empty() && call.args.iter().all(|word| known.split(", ").any(|option| word.is(option)))
    };
    let first = call.args.first().map(Field::start).unwrap_or_default();
    match call.name {
        "java" | "javac" => {
            all("-version, --version, -fullversion, --full-version, -help, -X, --list-modules")
        }
        "php" => all("-m, -i, -v, --version, --ini, --info, --modules"),
        "node" | "nodejs" => all("-v, --version, -h, --help, --v8-options"),
        "python" | "python2" | "pypy" => all("-V, -VV, --version"),
        "rustc" => {
            let valued = "print explain C Z L l edition target crate-type crate-name cfg o emit out-dir";
            let sorted = options::sort_valued(&call.args, valued);
            let into_file = sorted.options.iter().any(|option| {
                matches!(option.name.as_str(), "o" | "emit" | "out-dir" | "Z")
                    || option.name == "print"
                        && option.value.as_ref().is_some_and(|value| value.shown().contains('='))
            });
            sorted.operands.is_empty() && !into_file && !call.args.is_empty()
        }
        "dpkg" => matches!(
            first,
            "-l" | "-L"
                | "-S"
                | "-s"
                | "-p"
                | "-c"
                | "-I"
                | "--list"
                | "--listfiles"
                | "--search"
                | "--status"
                | "--print-avail"
                | "--get-selections"
                | "--audit"
                | "-C"
                | "-V"
                | "--verify"
                | "--print-architecture"
                | "--compare-versions"
                | "--contents"
                | "--info"
        ),
        "rpm" => {
            let runs = ["--eval", "-E", "--pipe", "--define", "-D", "--load", "--rcfile", "--macros"];
            let asks = first.starts_with("-q") || matches!(first, "--query" | "-V" | "--verify");
            asks && !call.args.iter().any(|word| runs.iter().any(|option| word.start().starts_with(option)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::TOOLS;

    #[test]
    fn the_tools_are_sorted() {
        for pair in TOOLS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
        }
    }
}
