//! What `cargo metadata` and the manifests say of each crate: common lints, no features.

use serde_json::Value;

use super::{Finding, TextFile, numbered};
use crate::{Result, run};

/// A crate of the workspace.
#[derive(Debug, Default)]
pub struct Package {
    pub name: String,
    /// Its manifest, relative to the root.
    pub manifest: String,
    pub dependencies: Vec<Dependency>,
    pub features: Vec<String>,
    /// The binaries of integration tests it has.
    pub test_binaries: Vec<String>,
}

#[derive(Debug)]
pub struct Dependency {
    pub name: String,
    /// Needed for tests alone.
    pub dev: bool,
}

impl Package {
    /// The folder it is in, relative to the root.
    pub fn folder(&self) -> &str {
        self.manifest.strip_suffix("/Cargo.toml").unwrap_or_default()
    }
}

/// The crates that `cargo metadata` tells of.
pub fn packages(metadata: &Value) -> Result<Vec<Package>> {
    let list = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    Ok(list.iter().map(package).collect())
}

fn package(value: &Value) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let manifest = text(&value["manifest_path"]);
    let below_root = std::path::Path::new(&manifest).strip_prefix(run::root()).ok();
    Package {
        name: text(&value["name"]),
        manifest: below_root.map_or(manifest.clone(), |path| path.to_string_lossy().into_owned()),
        dependencies: items(&value["dependencies"])
            .iter()
            .map(|d| Dependency { name: text(&d["name"]), dev: d["kind"] == "dev" })
            .collect(),
        features: value["features"].as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default(),
        test_binaries: items(&value["targets"])
            .iter()
            .filter(|target| items(&target["kind"]).iter().any(|kind| kind == "test"))
            .map(|target| text(&target["name"]))
            .collect(),
    }
}

pub fn check(packages: &[Package], files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let manifest = files.iter().find(|file| file.path == package.manifest);
        let text = manifest.map_or("", |file| file.text.as_str());
        if !inherits_lints(text) {
            findings.push(Finding::new(&package.manifest, 1, "it lacks `[lints]` with `workspace = true`"));
        }
        if !package.features.is_empty() {
            let line =
                numbered(text).find(|(_, line)| line.trim() == "[features]").map_or(1, |(line, _)| line);
            let what = "features are not used in this workspace: make it a setting or a crate";
            findings.push(Finding::new(&package.manifest, line, what));
        }
    }
    findings
}

fn inherits_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')) == Some("workspace = true")
}

#[cfg(test)]
mod tests {
    use super::super::{file, printed};
    use super::*;

    #[test]
    fn a_package_is_read_from_metadata() {
        let metadata = serde_json::json!({ "packages": [{
            "name": "a",
            "manifest_path": run::root().join("crates/a/Cargo.toml"),
            "dependencies": [{ "name": "b", "kind": null }, { "name": "c", "kind": "dev" }],
            "features": { "default": [] },
            "targets": [{ "kind": ["lib"], "name": "a" }, { "kind": ["test"], "name": "all" }],
        }]});
        let packages = packages(&metadata).unwrap();
        let package = &packages[0];
        assert_eq!((package.manifest.as_str(), package.folder()), ("crates/a/Cargo.toml", "crates/a"));
        assert!(!package.dependencies[0].dev && package.dependencies[1].dev);
        assert_eq!(package.features, ["default"]);
        assert_eq!(package.test_binaries, ["all"]);
    }

    #[test]
    fn lints_must_be_those_of_the_workspace() {
        assert!(inherits_lints("[package]\n\n[lints]\n# as everywhere\nworkspace = true\n"));
        assert!(!inherits_lints("[lints.clippy]\nworkspace = true\n"));
        assert!(!inherits_lints("[lints]\n\n[dependencies]\n"));
    }

    #[test]
    fn features_are_found_where_they_stand() {
        let manifest = "a/Cargo.toml";
        let package =
            Package { manifest: manifest.into(), features: vec!["fast".into()], ..Package::default() };
        let files = [file(manifest, "[lints]\nworkspace = true\n[features]\nfast = []\n")];
        let found = printed(&check(&[package], &files));
        assert_eq!(
            found,
            ["a/Cargo.toml:3: features are not used in this workspace: make it a setting or a crate"]
        );
    }
}
