//! Python, by pyproject.toml, setup.cfg, tox.ini and requirements.

use super::repo::Repo;
use super::{Found, Kind, Survey};

/// How an environment is made, and what stands before the name of a program in it.
const ENVIRONMENTS: &[(&str, &str, &str)] = &[
    ("uv.lock", "uv sync --locked", "uv run "),
    ("poetry.lock", "poetry install", "poetry run "),
    ("pdm.lock", "pdm sync", "pdm run "),
    ("Pipfile.lock", "pipenv sync --dev", "pipenv run "),
];

const REQUIREMENTS: &[&str] =
    &["requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt", "requirements.txt"];

/// A tool: the step it makes, and what speaks for it.
struct Tool {
    kind: Kind,
    name: &'static str,
    run: &'static str,
    files: &'static [&'static str],
    /// Sections of setup.cfg and tox.ini.
    sections: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool { kind: Kind::Format, name: "black", run: "black --check .", files: &[], sections: &[] },
    Tool {
        kind: Kind::Lint,
        name: "ruff",
        run: "ruff check .",
        files: &["ruff.toml", ".ruff.toml"],
        sections: &[],
    },
    Tool { kind: Kind::Lint, name: "flake8", run: "flake8", files: &[".flake8"], sections: &["flake8"] },
    Tool {
        kind: Kind::Types,
        name: "mypy",
        run: "mypy .",
        files: &["mypy.ini", ".mypy.ini"],
        sections: &["mypy"],
    },
    Tool {
        kind: Kind::Test,
        name: "pytest",
        run: "pytest",
        files: &["pytest.ini", "conftest.py", "tests/conftest.py"],
        sections: &["tool:pytest", "pytest"],
    },
];

const TESTS: &[&str] = &["tests/**", "test/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"];

pub(super) fn look(repo: &Repo, survey: &mut Survey) {
    let files = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile"];
    let Some(manifest) = repo.first(&files).or_else(|| repo.first(REQUIREMENTS)) else { return };
    survey.language("Python");
    let project = repo.toml("pyproject.toml").unwrap_or_default();
    let sections =
        ["setup.cfg", "tox.ini"].map(|path| (path, sections(&repo.text(path).unwrap_or_default())));
    let before = environment(repo, survey, manifest);

    for tool in TOOLS {
        let from = speaks_for(repo, &project, &sections, tool);
        let in_ci = survey.ci_runs(tool.name) || survey.ci_runs(&format!("{before}{}", tool.name));
        if from.is_none() && !in_ci
            || survey.has(tool.kind) && tool.kind == Kind::Lint && survey.languages.len() == 1
        {
            continue;
        }
        let run = format!("{before}{}", tool.run);
        let like =
            [format!("{before}{}", tool.name), tool.name.to_owned(), format!("python -m {}", tool.name)];
        let like: Vec<&str> = like.iter().map(String::as_str).collect();
        survey.step(tool.kind, "python", &run, &from.unwrap_or_default(), &like);
    }
    let ruff = TOOLS
        .iter()
        .find(|tool| tool.name == "ruff")
        .and_then(|tool| speaks_for(repo, &project, &sections, tool));
    let own_format = project.get("tool").and_then(|tool| tool.get("ruff")?.get("format")).is_some();
    if own_format || survey.ci_runs(&format!("{before}ruff format")) || survey.ci_runs("ruff format") {
        let run = format!("{before}ruff format --check .");
        survey.step(Kind::Format, "python", &run, "pyproject.toml: tool.ruff.format", &["ruff format", &run]);
    }
    survey.tests(repo, TESTS, "tests/**");
    let is_ours = |step: &super::Step| {
        step.kind == Kind::Test && (step.run.contains("pytest") || step.run.contains("tox"))
    };
    if !survey.steps.iter().any(is_ours) && survey.has_tests {
        let (run, from) = match sections.iter().any(|(path, names)| *path == "tox.ini" && !names.is_empty()) {
            true => ("tox".to_owned(), "tox.ini"),
            false => (
                format!("{before}python -m unittest discover"),
                "there are tests, and nothing names another runner",
            ),
        };
        survey.step(Kind::Test, "python", &run, from, &["tox", "python -m unittest"]);
    }
    let has =
        |kind: Kind, word: &str| survey.steps.iter().any(|step| step.kind == kind && step.run.contains(word));
    if ruff.is_none() && !has(Kind::Lint, "flake8") && !has(Kind::Lint, "ruff") {
        survey.without_linter.push("Python");
    }
    if !has(Kind::Format, "black") && !has(Kind::Format, "ruff") {
        survey.without_formatter.push("Python");
    }
}

/// How the environment is made; the answer is what stands before a program of it.
fn environment(repo: &Repo, survey: &mut Survey, manifest: &str) -> &'static str {
    if let Some((lock, install, before)) = ENVIRONMENTS.iter().find(|(lock, _, _)| repo.has(lock)) {
        survey.setup(install, lock);
        return before;
    }
    let listed = REQUIREMENTS.iter().filter(|path| repo.has(path));
    let mut install: Vec<String> = listed.map(|path| format!("-r {path}")).collect();
    if repo.has("pyproject.toml") || repo.has("setup.py") {
        install.push("-e .".to_owned());
    }
    if install.is_empty() {
        return "";
    }
    survey.setup(&format!("python3 -m venv .venv && .venv/bin/pip install {}", install.join(" ")), manifest);
    survey.keep.push(Found { value: ".venv".to_owned(), from: "what the set-up installs".to_owned() });
    survey.without_lock.push("Python");
    ".venv/bin/"
}

/// The file or section that speaks for a tool.
fn speaks_for(
    repo: &Repo,
    project: &toml::Table,
    sections: &[(&'static str, Vec<String>); 2],
    tool: &Tool,
) -> Option<String> {
    if let Some(path) = repo.first(tool.files) {
        return Some(path.to_owned());
    }
    if project.get("tool").and_then(|table| table.get(tool.name)).is_some() {
        return Some(format!("pyproject.toml: tool.{}", tool.name));
    }
    for (path, names) in sections {
        if names.iter().any(|name| tool.sections.contains(&name.as_str())) {
            return Some((*path).to_owned());
        }
    }
    let named = |text: &str| {
        text.lines().any(|line| {
            let name = line.trim().trim_start_matches(['"', '\'']);
            name.strip_prefix(tool.name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_'))
        })
    };
    let files = REQUIREMENTS.iter().chain(&["pyproject.toml"]);
    files
        .into_iter()
        .find(|path| repo.text(path).is_some_and(|text| named(&text)))
        .map(|path| (*path).to_owned())
}

/// The names of the sections of an INI file.
fn sections(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines.filter_map(|line| Some(line.strip_prefix('[')?.strip_suffix(']')?.trim().to_owned())).collect()
}
