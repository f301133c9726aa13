//! The proposed contract as text: every line says what it comes from.

use signalbox_core::text;

use super::{Found, Kind, Survey};

/// The contract as TOML with comments.
pub fn render(survey: &Survey) -> String {
    let mut toml = String::from("# How work on this repository is done, and what it must pass to land.\n");
    toml.push_str("# Proposed by `sb bootstrap`; after any change: `sb trust`.\n\n");
    match &survey.main {
        Some(main) => line(&mut toml, &format!("main = {}", quoted(&main.value)), &main.from),
        None => toml.push_str("# main = \"main\"  # no branch was found\n"),
    }
    toml.push('\n');
    list(
        &mut toml,
        "tests",
        &survey.tests,
        "Which files are tests. A doer may not change them, a test-writer nothing else.",
    );

    let tests: Vec<&str> =
        survey.steps.iter().filter(|step| step.kind == Kind::Test).map(|step| step.run.as_str()).collect();
    if tests.len() > 1 {
        toml.push_str("\n# All the tests, before a doer starts: they must fail then.\n");
        toml.push_str(&format!(
            "test_command = {{ run = {}, time = \"40m\" }}\n",
            quoted(&tests.join(" && "))
        ));
    }
    toml.push_str("\n[validate]\n");
    if survey.steps.is_empty() {
        toml.push_str(
            "# Nothing in the repository shows how it is checked. Until there is a step, nothing can land.\n",
        );
        toml.push_str("# steps = [{ name = \"test\", run = \"make test\", time = \"10m\" }]\nsteps = []\n");
    } else {
        toml.push_str("steps = [\n");
        for step in &survey.steps {
            let row = format!(
                "{{ name = {}, run = {}, time = \"{}\" }},",
                quoted(&step.name),
                quoted(&step.run),
                step.kind.time()
            );
            toml.push_str("    ");
            line(&mut toml, &row, &step.from);
        }
        toml.push_str("]\n");
    }
    if !survey.ci.is_empty() {
        toml.push_str("# CI also runs:\n");
        for found in survey.ci.iter().take(20) {
            toml.push_str(&format!(
                "#   {}  ({})\n",
                text::one_line(&found.value),
                text::one_line(&found.from)
            ));
        }
    }
    if !survey.env.is_empty() {
        list(&mut toml, "env", &survey.env, "Variables that the steps get.");
    }
    if !survey.keep.is_empty() {
        list(&mut toml, "keep", &survey.keep, "Folders that stay from one validation to the next.");
    }
    if !survey.setup.is_empty() {
        let from: Vec<&str> = survey.setup.iter().map(|found| found.from.as_str()).collect();
        let run: Vec<&str> = survey.setup.iter().map(|found| found.value.as_str()).collect();
        toml.push_str("\n[setup]\n# Makes a fresh workspace ready.\n");
        line(&mut toml, &format!("run = {}", quoted(&run.join(" && "))), &from.join(", "));
    }
    toml
}

fn line(toml: &mut String, setting: &str, from: &str) {
    toml.push_str(&format!("{setting}  # {}\n", text::one_line(from)));
}

fn list(toml: &mut String, key: &str, found: &[Found], about: &str) {
    toml.push_str(&format!("# {about}\n"));
    if found.is_empty() {
        toml.push_str(&format!("# {key} = [\"tests/**\"]  # none were found\n"));
        return;
    }
    toml.push_str(&format!("{key} = [\n"));
    for one in found {
        toml.push_str("    ");
        line(toml, &format!("{},", quoted(&one.value)), &one.from);
    }
    toml.push_str("]\n");
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
