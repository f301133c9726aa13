//! JavaScript and TypeScript, by package.json and the lock file.

use serde_json::Value;

use super::repo::Repo;
use super::{Kind, Survey};

/// One package manager.
struct Manager {
    name: &'static str,
    locks: &'static [&'static str],
    install: &'static str,
    /// Before the name of a script, and before the name of a program.
    script: &'static str,
    program: &'static str,
}

const MANAGERS: &[Manager] = &[
    Manager {
        name: "pnpm",
        locks: &["pnpm-lock.yaml"],
        install: "pnpm install --frozen-lockfile",
        script: "pnpm run",
        program: "pnpm exec",
    },
    Manager {
        name: "yarn",
        locks: &["yarn.lock"],
        install: "yarn install --frozen-lockfile",
        script: "yarn run",
        program: "yarn run",
    },
    Manager {
        name: "bun",
        locks: &["bun.lock", "bun.lockb"],
        install: "bun install --frozen-lockfile",
        script: "bun run",
        program: "bunx",
    },
    Manager {
        name: "npm",
        locks: &["package-lock.json", "npm-shrinkwrap.json"],
        install: "npm ci",
        script: "npm run",
        program: "npx --no-install",
    },
];

/// Names of scripts that check something, best first.
const SCRIPTS: &[(Kind, &[&str])] = &[
    (Kind::Format, &["format:check", "check:format", "fmt:check", "format-check", "prettier:check"]),
    (Kind::Lint, &["lint", "eslint", "lint:check"]),
    (Kind::Types, &["typecheck", "type-check", "check:types", "types", "tsc"]),
    (Kind::Build, &["build"]),
    (Kind::Test, &["test:ci", "test", "test:unit", "tests"]),
];

/// What a configuration file speaks for, where no script does.
const PROGRAMS: &[(Kind, &str, &[&str])] = &[
    (
        Kind::Format,
        "prettier --check .",
        &[
            ".prettierrc",
            ".prettierrc.json",
            ".prettierrc.yml",
            ".prettierrc.yaml",
            "prettier.config.js",
            "prettier.config.mjs",
        ],
    ),
    (
        Kind::Lint,
        "eslint .",
        &[
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
            ".eslintrc",
            ".eslintrc.json",
            ".eslintrc.js",
            ".eslintrc.cjs",
            ".eslintrc.yml",
            ".eslintrc.yaml",
        ],
    ),
    (Kind::Types, "tsc --noEmit", &["tsconfig.json"]),
];

const TESTS: &[&str] =
    &["**/*.test.*", "**/*.spec.*", "**/__tests__/**", "test/**", "tests/**", "e2e/**", "cypress/**"];

/// What `npm init` writes where there are no tests.
const NO_TEST: &str = "no test specified";

pub(super) fn look(repo: &Repo, survey: &mut Survey) {
    if !repo.has("package.json") {
        return;
    }
    let package = repo.json("package.json").unwrap_or_default();
    let is_typed = repo.has("tsconfig.json");
    survey.language(if is_typed { "TypeScript" } else { "JavaScript" });
    let (manager, lock) = manager(repo, &package);
    match lock {
        Some(lock) => {
            // From its second version on, yarn calls it otherwise.
            let is_berry = manager.name == "yarn" && repo.has(".yarnrc.yml");
            survey.setup(if is_berry { "yarn install --immutable" } else { manager.install }, lock);
        }
        None => {
            survey.setup(&format!("{} install", manager.name), "package.json; there is no lock file");
            survey.without_lock.push(manager.name);
        }
    }
    for (kind, names) in SCRIPTS {
        let script =
            names.iter().find_map(|name| Some((*name, package.get("scripts")?.get(name)?.as_str()?)));
        match script.filter(|(_, text)| !text.contains(NO_TEST)) {
            Some((name, _)) => {
                let run = if name == "test" && manager.name != "bun" {
                    format!("{} test", manager.name)
                } else {
                    format!("{} {name}", manager.script)
                };
                let like =
                    [run.clone(), format!("{} {name}", manager.script), format!("{} {name}", manager.name)];
                let like: Vec<&str> = like.iter().map(String::as_str).collect();
                survey.step(*kind, "node", &run, &format!("package.json: scripts.{name}"), &like);
            }
            None => {
                let known = PROGRAMS.iter().find(|(of, _, _)| of == kind);
                let found = known.and_then(|(_, run, files)| Some((*run, repo.first(files)?)));
                if let Some((run, from)) = found {
                    let run = format!("{} {run}", manager.program);
                    survey.step(*kind, "node", &run, from, &[&run]);
                } else if *kind == Kind::Lint
                    && package.get("eslintConfig").is_none()
                    && !repo.has("biome.json")
                {
                    survey.without_linter.push("JavaScript");
                } else if *kind == Kind::Format
                    && package.get("prettier").is_none()
                    && !repo.has("biome.json")
                {
                    survey.without_formatter.push("JavaScript");
                }
            }
        }
    }
    survey.tests(repo, TESTS, "**/*.test.*");
}

/// The manager that the package names, or whose lock file is there.
fn manager(repo: &Repo, package: &Value) -> (&'static Manager, Option<&'static str>) {
    let npm = MANAGERS.last().unwrap_or(&MANAGERS[0]);
    let named = package.get("packageManager").and_then(Value::as_str).and_then(|text| text.split('@').next());
    if let Some(manager) = MANAGERS.iter().find(|manager| Some(manager.name) == named) {
        return (manager, repo.first(manager.locks));
    }
    let locked = MANAGERS.iter().find_map(|manager| Some((manager, repo.first(manager.locks)?)));
    locked.map_or((npm, None), |(manager, lock)| (manager, Some(lock)))
}
