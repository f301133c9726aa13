//! What is proposed for repositories of many kinds. Each is a few files in a temporary folder.

use signalbox_store::contract::Contract;

use super::*;

struct Fixture(tempfile::TempDir);

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            signalbox_store::files::write_new(&path, text.as_bytes(), 0o644).expect("a file");
        }
        Self(folder)
    }

    fn survey(&self) -> Survey {
        survey(self.0.path())
    }
}

/// The steps as `name: run`, after the contract with them was read.
#[track_caller]
fn steps(survey: &Survey) -> Vec<String> {
    let text = render(survey);
    let contract = Contract::parse(&text, "proposed").unwrap_or_else(|error| {
        panic!(
            "{error}
{text}"
        )
    });
    let steps: Vec<String> =
        contract.validate.steps.iter().map(|step| format!("{}: {}", step.name, step.run)).collect();
    assert_eq!(steps.len(), survey.steps.len());
    steps
}

fn tests_of(survey: &Survey) -> Vec<&str> {
    survey.tests.iter().map(|found| found.value.as_str()).collect()
}

fn slugs(survey: &Survey) -> Vec<&'static str> {
    missing(survey).iter().map(|ticket| ticket.slug).collect()
}

const CARGO: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n";

#[test]
fn a_rust_package() {
    let fixture = Fixture::new(&[
        ("Cargo.toml", CARGO),
        ("Cargo.lock", ""),
        ("rustfmt.toml", ""),
        ("src/lib.rs", "pub fn a() {}"),
        ("tests/a.rs", "#[test] fn a() {}"),
        (".git/refs/heads/main", "0000000000000000000000000000000000000000\n"),
    ]);
    let survey = fixture.survey();
    assert_eq!(survey.languages, ["Rust"]);
    assert_eq!(steps(&survey), ["format: cargo fmt --check", "test: cargo test --locked"]);
    assert_eq!(tests_of(&survey), ["tests/**"]);
    assert_eq!(survey.main.as_ref().map(|main| main.value.as_str()), Some("main"));
    assert_eq!(slugs(&survey), ["ci", "lint-rust"]);
    insta::assert_snapshot!(render(&survey), @r##"
    # How work on this repository is done, and what it must pass to land.
    # Proposed by `sb bootstrap`; after any change: `sb trust`.

    main = "main"  # there is a branch of this name

    # Which files are tests. A doer may not change them, a test-writer nothing else.
    tests = [
        "tests/**",  # 1 file
    ]

    [validate]
    steps = [
        { name = "format", run = "cargo fmt --check", time = "2m" },  # rustfmt.toml
        { name = "test", run = "cargo test --locked", time = "20m" },  # Cargo.toml
    ]
    # Variables that the steps get.
    env = [
        "CARGO_HOME",  # where Cargo and rustup are, if not in their usual place
        "RUSTUP_HOME",  # where Cargo and rustup are, if not in their usual place
    ]
    # Folders that stay from one validation to the next.
    keep = [
        "target",  # what Cargo builds
    ]
    "##);
}

#[test]
fn a_rust_workspace_whose_ci_knows_better() {
    let fixture = Fixture::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\", \"xtask\"]\n[workspace.lints.rust]\nunsafe_code = \"deny\"\n",
        ),
        ("Cargo.lock", ""),
        ("crates/a/Cargo.toml", CARGO),
        ("crates/a/tests/a.rs", "#[test] fn a() {}"),
        (
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      \
             - run: cargo nextest run --workspace --profile ci\n      - run: |\n          cargo fmt --all -- --check\n          \
             cargo deny check\n          echo ${{ secrets.TOKEN }}\n      - run: npm test\n        working-directory: web\n",
        ),
    ]);
    let survey = fixture.survey();
    assert_eq!(
        steps(&survey),
        [
            "format: cargo fmt --all -- --check",
            "lint: cargo clippy --workspace --all-targets --locked -- -D warnings",
            "test: cargo nextest run --workspace --profile ci",
        ]
    );
    let also: Vec<&str> = survey.ci.iter().map(|found| found.value.as_str()).collect();
    assert_eq!(also, ["cargo deny check"]);
    assert_eq!(tests_of(&survey), ["crates/*/tests/**"]);
    assert_eq!(slugs(&survey), [] as [&str; 0]);
}

#[test]
fn npm() {
    let fixture = Fixture::new(&[
        (
            "package.json",
            r#"{ "scripts": { "test": "vitest run", "lint": "eslint .", "build": "tsc", "format": "prettier -w ." } }"#,
        ),
        ("package-lock.json", "{}"),
        ("tsconfig.json", "{}"),
        (".prettierrc", "{}"),
        ("src/a.test.ts", ""),
        ("node_modules/x/a.test.js", ""),
    ]);
    let survey = fixture.survey();
    assert_eq!(survey.languages, ["TypeScript"]);
    assert_eq!(
        steps(&survey),
        [
            "format: npx --no-install prettier --check .",
            "lint: npm run lint",
            "types: npx --no-install tsc --noEmit",
            "build: npm run build",
            "test: npm test",
        ]
    );
    assert_eq!(survey.setup[0].value, "npm ci");
    assert_eq!(survey.tests, [Found { value: "**/*.test.*".to_owned(), from: "1 file".to_owned() }]);
    assert_eq!(slugs(&survey), ["ci"]);
}

#[test]
fn every_package_manager() {
    for (files, install, test) in [
        (&[("pnpm-lock.yaml", "")][..], "pnpm install --frozen-lockfile", "test: pnpm test"),
        (&[("yarn.lock", "")], "yarn install --frozen-lockfile", "test: yarn test"),
        (&[("yarn.lock", ""), (".yarnrc.yml", "")], "yarn install --immutable", "test: yarn test"),
        (&[("bun.lock", "")], "bun install --frozen-lockfile", "test: bun run test"),
        (&[("npm-shrinkwrap.json", "{}")], "npm ci", "test: npm test"),
        (&[], "npm install", "test: npm test"),
    ] {
        let mut all = vec![("package.json", r#"{ "scripts": { "test": "jest" } }"#)];
        all.extend(files);
        let survey = Fixture::new(&all).survey();
        assert_eq!((survey.setup[0].value.as_str(), steps(&survey)), (install, vec![test.to_owned()]));
        assert_eq!(slugs(&survey).contains(&"lock-file"), files.is_empty());
    }
    let named = [("package.json", r#"{ "packageManager": "pnpm@9.0.0" }"#), ("package-lock.json", "{}")];
    assert_eq!(Fixture::new(&named).survey().setup[0].value, "pnpm install");
}

#[test]
fn npms_placeholder_is_no_test() {
    let text = r#"{ "scripts": { "test": "echo \"Error: no test specified\" && exit 1" } }"#;
    let survey = Fixture::new(&[("package.json", text)]).survey();
    assert_eq!(steps(&survey), [] as [&str; 0]);
    assert_eq!(slugs(&survey), ["first-test", "validation", "ci", "lint-js", "format", "lock-file"]);
}

#[test]
fn python_with_pytest_and_ruff() {
    let fixture = Fixture::new(&[
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n[tool.ruff]\nline-length = 100\n\
             [tool.ruff.format]\nquote-style = \"double\"\n[tool.mypy]\nstrict = true\n",
        ),
        ("uv.lock", ""),
        ("tests/test_a.py", "def test_a(): pass"),
    ]);
    let survey = fixture.survey();
    assert_eq!(
        steps(&survey),
        [
            "format: uv run ruff format --check .",
            "lint: uv run ruff check .",
            "types: uv run mypy .",
            "test: uv run pytest",
        ]
    );
    assert_eq!(survey.setup[0].value, "uv sync --locked");
    assert_eq!(tests_of(&survey), ["tests/**", "**/test_*.py"]);
    assert_eq!(slugs(&survey), ["ci"]);
}

#[test]
fn python_of_the_old_school() {
    let fixture = Fixture::new(&[
        ("setup.cfg", "[metadata]\nname = a\n[flake8]\nmax-line-length = 99\n[tool:pytest]\n"),
        ("setup.py", ""),
        ("requirements.txt", "requests\n"),
        ("tests/test_a.py", ""),
    ]);
    let survey = fixture.survey();
    assert_eq!(steps(&survey), ["lint: .venv/bin/flake8", "test: .venv/bin/pytest"]);
    assert_eq!(
        survey.setup[0].value,
        "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt -e ."
    );
    let tox = Fixture::new(&[("tox.ini", "[tox]\nenvlist = py312\n"), ("tests/test_a.py", "")]).survey();
    assert_eq!(steps(&tox), ["test: tox"]);
    let plain = Fixture::new(&[("requirements.txt", "pytest-randomly\n"), ("test/test_a.py", "")]).survey();
    assert_eq!(steps(&plain), ["test: .venv/bin/python -m unittest discover"]);
}

#[test]
fn go() {
    let fixture = Fixture::new(&[
        ("go.mod", "module example.org/a\n"),
        ("a_test.go", "package a"),
        (
            ".gitlab-ci.yml",
            "stages: [test]\ntest:\n  script:\n    - go test -race ./...\n    - staticcheck ./...\n",
        ),
    ]);
    let survey = fixture.survey();
    assert_eq!(steps(&survey), ["lint: go vet ./...", "build: go build ./...", "test: go test -race ./..."]);
    assert_eq!(survey.ci[0].value, "staticcheck ./...");
    assert_eq!(tests_of(&survey), ["**/*_test.go"]);
    assert_eq!(slugs(&survey), ["format"]);
}

#[test]
fn a_makefile_and_a_justfile() {
    let makefile =
        "CC := gcc\n.PHONY: test\ntest: build\n\t./run_tests\nlint fmt-check:\n\tx\n%.o: %.c\n\tx\n";
    let survey = Fixture::new(&[("Makefile", makefile), ("test/a.sh", "")]).survey();
    assert_eq!(steps(&survey), ["format: make fmt-check", "lint: make lint", "test: make test"]);
    assert_eq!(tests_of(&survey), ["test/**"]);
    let survey = Fixture::new(&[("justfile", "set shell := [\"bash\"]\ntest *args:\n  x\n")]).survey();
    assert_eq!(steps(&survey), ["test: just test"]);
}

#[test]
fn many_languages_at_once() {
    let fixture = Fixture::new(&[
        ("Cargo.toml", CARGO),
        ("src/lib.rs", "#[test] fn a() {}"),
        ("package.json", r#"{ "scripts": { "test": "jest", "lint": "eslint ." } }"#),
        ("package-lock.json", "{}"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n"),
        ("Makefile", "test:\n\tcargo test\nlint:\n\tx\n"),
    ]);
    let survey = fixture.survey();
    assert_eq!(survey.languages, ["Rust", "JavaScript", "Python"]);
    assert_eq!(
        steps(&survey),
        [
            "lint: npm run lint",
            "lint-python: .venv/bin/ruff check .",
            "test: cargo test",
            "test-node: npm test",
            "test-python: .venv/bin/pytest",
        ]
    );
    let contract = Contract::parse(render(&survey), "proposed").expect("a contract");
    let all = contract.test_command().expect("a command").run;
    assert_eq!(all.as_str(), "cargo test && npm test && .venv/bin/pytest");
}

#[test]
fn nothing_at_all() {
    let survey = Fixture::new(&[]).survey();
    assert_eq!(steps(&survey), [] as [&str; 0]);
    assert_eq!(slugs(&survey), ["project-structure", "first-test", "validation", "ci"]);
    insta::assert_snapshot!(render(&survey), @r##"
    # How work on this repository is done, and what it must pass to land.
    # Proposed by `sb bootstrap`; after any change: `sb trust`.

    # main = "main"  # no branch was found

    # Which files are tests. A doer may not change them, a test-writer nothing else.
    # tests = ["tests/**"]  # none were found

    [validate]
    # Nothing in the repository shows how it is checked. Until there is a step, nothing can land.
    # steps = [{ name = "test", run = "make test", time = "10m" }]
    steps = []
    "##);
}

#[test]
fn broken_manifests_are_told_and_the_rest_goes_on() {
    let fixture = Fixture::new(&[
        ("Cargo.toml", "[package\nname = 1"),
        ("package.json", "{ not json"),
        ("pyproject.toml", "= ="),
        (".github/workflows/ci.yml", "jobs: [\n  - {"),
        (".gitlab-ci.yml", "a: *nowhere\n"),
    ]);
    let survey = fixture.survey();
    assert_eq!(survey.languages, ["Rust", "JavaScript", "Python"]);
    let troubles = survey.troubles.join("\n");
    for file in [
        "Cargo.toml, line 1: it is no TOML",
        "package.json: it is no JSON",
        "pyproject.toml, line 1",
        "ci.yml: it is no YAML",
        ".gitlab-ci.yml: it is no YAML",
    ] {
        assert!(troubles.contains(file), "{file}: {troubles}");
    }
    assert!(steps(&survey).contains(&"test: cargo test".to_owned()));
}

/// A manifest of the right form with everything else of the wrong type.
#[test]
fn other_types_than_expected() {
    let fixture = Fixture::new(&[
        ("Cargo.toml", "package = 3\nworkspace = []\nlints = 1\n"),
        ("package.json", r#"{ "scripts": [], "packageManager": {}, "eslintConfig": 1 }"#),
        ("pyproject.toml", "tool = 3\n"),
        (
            ".github/workflows/a.yml",
            "jobs: { a: 1, b: { steps: { run: x } }, c: { steps: [1, { run: 2 }] } }",
        ),
        (".gitlab-ci.yml", "[1, 2]"),
        ("go.mod", ""),
    ]);
    let survey = fixture.survey();
    assert!(steps(&survey).contains(&"test: cargo test".to_owned()));
}

#[test]
fn a_huge_file_is_not_read() {
    let fixture = Fixture::new(&[("package.json", &format!("{{\"x\": \"{}\"}}", "x".repeat(2 << 20)))]);
    let survey = fixture.survey();
    assert!(survey.troubles[0].contains("package.json is larger than 1 MB"), "{:?}", survey.troubles);
    assert_eq!(survey.languages, ["JavaScript"]);
}

#[test]
fn links_in_circles_and_out_of_the_repository() {
    use std::os::unix::fs::symlink;
    let outside = Fixture::new(&[("package.json", r#"{ "scripts": { "test": "x" } }"#), ("a.test.js", "")]);
    let fixture = Fixture::new(&[("Cargo.toml", CARGO), ("src/lib.rs", "")]);
    let root = fixture.0.path();
    symlink(root, root.join("src/loop")).expect("a link");
    symlink("tests", root.join("tests")).expect("a link");
    symlink(outside.0.path().join("package.json"), root.join("package.json")).expect("a link");
    symlink(outside.0.path(), root.join("web")).expect("a link");
    let survey = fixture.survey();
    assert_eq!(survey.languages, ["Rust"]);
    assert!(!survey.has_tests);
}

/// What stands in a repository may be meant to break out of the contract's strings and comments.
#[test]
fn hostile_words_stay_where_they_belong() {
    let nasty = "jobs:\n  a:\n    steps:\n      - run: \"cargo test \\\"]]}\\n[setup]\\nrun='evil'\"\n      - run: \"cargo clippy # \\u2028 ''' \\\"\\\"\\\"\"\n";
    let fixture = Fixture::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"a\\\"]\\nx=1\", \"b/../..\", \"c[d]\"]\n"),
        (".github/workflows/x.yml", nasty),
        (".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n"),
    ]);
    let survey = fixture.survey();
    steps(&survey);
    let contract = Contract::parse(render(&survey), "proposed").expect("a contract");
    assert_eq!(contract.setup.run, None);
    let branch = [(".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/a b\"\n")];
    assert_eq!(Fixture::new(&branch).survey().main, None);
}
