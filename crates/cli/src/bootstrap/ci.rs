//! What CI runs: its words count for more than what is usual for a language.

use yaml_serde::Value;

use super::repo::Repo;
use super::{Found, Survey};

/// Other kinds of CI, which are only known to be there.
const OTHERS: &[&str] = &[
    ".circleci/config.yml",
    ".travis.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".buildkite/pipeline.yml",
    "bitbucket-pipelines.yml",
    ".woodpecker.yml",
    ".drone.yml",
];

/// Keys of `.gitlab-ci.yml` that are no jobs.
const NOT_JOBS: &[&str] =
    &["default", "include", "stages", "variables", "workflow", "image", "services", "cache"];

pub(super) fn look(repo: &Repo, survey: &mut Survey) {
    for name in repo.names(".github/workflows") {
        if name.ends_with(".yml") || name.ends_with(".yaml") {
            let path = format!(".github/workflows/{name}");
            survey.ci_files.push(path.clone());
            for run in github(repo, &path) {
                add(survey, &run, &path);
            }
        }
    }
    if repo.has(".gitlab-ci.yml") {
        survey.ci_files.push(".gitlab-ci.yml".to_owned());
        for run in gitlab(repo) {
            add(survey, &run, ".gitlab-ci.yml");
        }
    }
    survey.ci_files.extend(OTHERS.iter().filter(|path| repo.has(path)).map(|path| (*path).to_owned()));
}

/// The `run` of every step of every job that runs at the root.
fn github(repo: &Repo, path: &str) -> Vec<String> {
    let Some(workflow) = repo.yaml(path) else { return Vec::new() };
    let jobs = workflow.get("jobs").and_then(Value::as_mapping);
    let steps = jobs.into_iter().flatten().filter_map(|(_, job)| job.get("steps")?.as_sequence()).flatten();
    let at_root = steps.filter(|step| step.get("working-directory").is_none());
    at_root.filter_map(|step| step.get("run")?.as_str().map(ToOwned::to_owned)).collect()
}

/// The `script` of every job.
fn gitlab(repo: &Repo) -> Vec<String> {
    let Some(file) = repo.yaml(".gitlab-ci.yml") else { return Vec::new() };
    let jobs = file.as_mapping().into_iter().flatten();
    let jobs = jobs.filter(|(name, _)| name.as_str().is_some_and(|name| !NOT_JOBS.contains(&name)));
    let scripts = jobs.filter_map(|(_, job)| job.get("script"));
    scripts
        .flat_map(|script| match script {
            Value::String(line) => vec![line.clone()],
            other => other
                .as_sequence()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        })
        .collect()
}

/// The lines of a script that mean the same here as there: whole commands, without variables of CI.
fn add(survey: &mut Survey, script: &str, path: &str) {
    let joined = script.replace("\\\n", " ");
    for line in joined.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = words.join(" ");
        let is_plain = !line.is_empty()
            && line.len() <= 300
            && !line.starts_with('#')
            && !line.contains(['$', '`', '\\'])
            && !line.chars().any(char::is_control);
        let is_control =
            ["if ", "for ", "while ", "fi", "done", "then", "else", "echo ", "cd ", "export ", "set "]
                .iter()
                .any(|word| line.starts_with(word));
        if is_plain && !is_control && !survey.ci.iter().any(|found| found.value == line) {
            survey.ci.push(Found { value: line, from: path.to_owned() });
        }
    }
}
