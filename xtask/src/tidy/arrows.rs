//! The arrow table: which crate may use which. What is not in it is not allowed.

use super::Finding;
use super::manifests::Package;

const SHELL: &str = "signalbox-shell";
const CORE: &str = "signalbox-core";
const STORE: &str = "signalbox-store";
const DRIVERS: &str = "signalbox-drivers";
const PTY: &str = "signalbox-pty";
const PUPPET: &str = "signalbox-puppet";
const AGENT: &str = "signalbox-agent";
const RUNNER: &str = "signalbox-runner";
const GIT: &str = "signalbox-git";
const PLUGINS: &str = "signalbox-plugins";
const TEMPLATE: &str = "signalbox-template";
const API: &str = "signalbox-api";
const CONDUCTOR: &str = "signalbox-conductor";
const DAEMON: &str = "signalbox-daemon";
const DESK: &str = "signalbox-desk";
const WEB: &str = "signalbox-web";
const TUI: &str = "signalbox-tui";
const INTEGRATIONS: &str = "signalbox-integrations";
/// For tests and benches alone: it must never be part of what ships.
const TESTKIT: &str = "signalbox-testkit";

/// The orchestrator under faults, for developers.
const SIMULATOR: &str = "signalbox-simulator";

/// What a crate may use of the workspace.
#[derive(Debug, Clone, Copy)]
enum May {
    Use(&'static [&'static str]),
    UseAnything,
}

const ARROWS: &[(&str, May)] = &[
    (SHELL, May::Use(&[])),
    (CORE, May::Use(&[SHELL])),
    (STORE, May::Use(&[CORE])),
    (DRIVERS, May::Use(&[CORE])),
    (PTY, May::Use(&[])),
    (PUPPET, May::Use(&[])),
    (RUNNER, May::Use(&[])),
    (TEMPLATE, May::Use(&[])),
    (GIT, May::Use(&[CORE, RUNNER])),
    (PLUGINS, May::Use(&[CORE, RUNNER])),
    (INTEGRATIONS, May::Use(&[CORE, RUNNER, TEMPLATE])),
    (API, May::Use(&[CORE])),
    (AGENT, May::Use(&[CORE, STORE, DRIVERS, PTY, API])),
    (CONDUCTOR, May::Use(&[CORE, STORE, AGENT, GIT, RUNNER, TEMPLATE])),
    (DESK, May::Use(&[CORE, STORE, DRIVERS, AGENT, API, CONDUCTOR, GIT, PLUGINS])),
    (WEB, May::Use(&[CORE, STORE, AGENT, PTY, DESK])),
    (TUI, May::Use(&[CORE, STORE, AGENT, PTY, DESK])),
    (
        DAEMON,
        May::Use(&[CORE, STORE, DRIVERS, PTY, API, AGENT, INTEGRATIONS, TEMPLATE, RUNNER, PLUGINS, GIT]),
    ),
    (
        "signalbox-cli",
        May::Use(&[
            CORE,
            STORE,
            DRIVERS,
            PTY,
            API,
            AGENT,
            CONDUCTOR,
            GIT,
            DAEMON,
            INTEGRATIONS,
            TEMPLATE,
            RUNNER,
            PLUGINS,
            PUPPET,
            DESK,
            WEB,
            TUI,
        ]),
    ),
    (SIMULATOR, May::Use(&[CORE])),
    (TESTKIT, May::UseAnything),
    ("xtask", May::UseAnything),
];

/// What core may use from outside. Each of these is pure: it does no I/O that core does not ask for.
const CORE_MAY_USE: &[&str] = &["jiff", "serde", "serde_json", "strsim", "thiserror"];

pub fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    for package in packages {
        let mut report = |what: String| findings.push(Finding::new(&package.manifest, 1, what));
        let Some((_, may)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            report(format!("{} has no row in the arrow table of `xtask tidy`", package.name));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| !dependency.dev) {
            let name = dependency.name.as_str();
            if name == TESTKIT && package.name != "xtask" {
                report(format!("{} may use {TESTKIT} as a dev-dependency alone", package.name));
            } else if ours(name) {
                let allowed = match may {
                    May::Use(list) => list.contains(&name),
                    May::UseAnything => true,
                };
                if !allowed {
                    report(format!("{} may not use {name}: the arrow is not in the table", package.name));
                }
            } else if package.name == CORE && !CORE_MAY_USE.contains(&name) {
                report(format!("{CORE} may use {} from outside, and not {name}", CORE_MAY_USE.join(", ")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::manifests::Dependency;
    use super::super::printed;
    use super::*;

    fn package(name: &str, uses: &[&str], uses_in_tests: &[&str]) -> Package {
        let dependency = |dev| move |name: &&str| Dependency { name: (*name).to_owned(), dev };
        let normal = uses.iter().map(dependency(false));
        let dependencies = normal.chain(uses_in_tests.iter().map(dependency(true))).collect();
        Package { name: name.to_owned(), manifest: "M".to_owned(), dependencies, ..Package::default() }
    }

    #[test]
    fn the_table_itself_passes() {
        let packages = [
            package(CORE, &["serde", "jiff"], &["proptest", TESTKIT]),
            package(STORE, &[CORE, "rusqlite"], &[]),
            package("signalbox-cli", &[CORE, STORE, "clap"], &[TESTKIT]),
            package(TESTKIT, &[CORE, STORE], &[]),
            package("xtask", &[CORE, STORE], &[]),
        ];
        assert_eq!(printed(&check(&packages)), [""; 0]);
    }

    #[test]
    fn every_wrong_arrow_is_found() {
        let packages = [
            package(CORE, &[STORE, "rusqlite"], &[]),
            package(STORE, &[TESTKIT], &[]),
            package("signalbox-new", &[], &[]),
            package(TESTKIT, &[], &[]),
        ];
        assert_eq!(
            printed(&check(&packages)),
            [
                "M:1: signalbox-core may not use signalbox-store: the arrow is not in the table",
                "M:1: signalbox-core may use jiff, serde, serde_json, strsim, thiserror from outside, and not rusqlite",
                "M:1: signalbox-store may use signalbox-testkit as a dev-dependency alone",
                "M:1: signalbox-new has no row in the arrow table of `xtask tidy`",
            ]
        );
    }
}
