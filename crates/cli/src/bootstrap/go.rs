//! Go, by go.mod.

use super::repo::Repo;
use super::{Kind, Survey};

const LINTERS: &[&str] = &[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];

pub(super) fn look(repo: &Repo, survey: &mut Survey) {
    if !repo.has("go.mod") {
        if repo.has("go.work") {
            repo.trouble(
                "go.work: modules below the root are not looked at; add their steps by hand".to_owned(),
            );
            survey.language("Go");
        }
        return;
    }
    survey.language("Go");
    match repo.first(LINTERS) {
        Some(from) => survey.step(Kind::Lint, "go", "golangci-lint run", from, &["golangci-lint run"]),
        // It comes with Go, and passes where the tests do.
        None => survey.step(Kind::Lint, "go", "go vet ./...", "go.mod", &["golangci-lint run", "go vet"]),
    }
    if survey.ci_runs("gofmt") || survey.ci_runs("test -z") {
        let run = "test -z \"$(gofmt -l .)\"";
        survey.step(
            Kind::Format,
            "go",
            run,
            survey.ci_files.first().cloned().unwrap_or_default().as_str(),
            &[],
        );
    } else {
        survey.without_formatter.push("Go");
    }
    survey.step(Kind::Build, "go", "go build ./...", "go.mod", &["go build"]);
    survey.step(Kind::Test, "go", "go test ./...", "go.mod", &["go test"]);
    survey.tests(repo, &["**/*_test.go", "**/testdata/**"], "**/*_test.go");
    survey.variables(
        &["GOPATH", "GOCACHE", "GOMODCACHE"],
        "where Go keeps its modules, if not in their usual place",
    );
}
