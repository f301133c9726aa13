//! One real conversation with each agent CLI that is installed: a prompt, a tool, an answer.
//!
//! Nothing of Signalbox takes part. What fails here, fails because a CLI or the scripted model changed.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

mod headless;
mod server;
mod terminal;

use std::path::PathBuf;

use signalbox_testkit::clis::Place;

/// A home and a project that are gone after the test. The names have a blank and a letter beyond ASCII.
struct Scene {
    root: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::Builder::new().prefix("sb cli ü ").tempdir().expect("a temporary directory");
        let scene = Self { root };
        for folder in [scene.root.path().join("home"), scene.project()] {
            std::fs::create_dir(folder).expect("make a folder");
        }
        scene
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn place(&self) -> Place {
        Place::new(self.root.path().join("home"), self.project(), "/usr/local/bin:/usr/bin:/bin")
    }

    /// What a tool wrote into the project.
    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project().join(name)).ok()
    }
}

/// No further arguments.
const NOTHING: [&str; 0] = [];
