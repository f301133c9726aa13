//! `plugin`: Signalbox as a folder that Claude Code can load, with `sb` itself in it, and the file beside it that makes
//! the folder above a marketplace.

use std::path::{Path, PathBuf};

use signalbox_drivers::claude;

use crate::run::{self, Profile};
use crate::{Result, Verdict};

/// What the files call the program, wherever the plugin is put.
const SB: &str = "${CLAUDE_PLUGIN_ROOT}/bin/sb";

/// Build it. Without a folder it goes below the target directory.
pub fn run(out: Option<&str>) -> Result<Verdict> {
    let folder = match out {
        Some(out) => std::path::absolute(out)?,
        None => default_folder()?,
    };
    let sb = run::build_sb(Profile::Release)?;
    write(&folder, &sb)?;
    println!("claude --plugin-dir {}", folder.display());
    Ok(Verdict::Good)
}

fn default_folder() -> Result<PathBuf> {
    let metadata = run::metadata()?;
    let target = metadata["target_directory"].as_str().ok_or("cargo metadata names no target directory")?;
    Ok(Path::new(target).join("plugin").join("sb"))
}

/// All of it, in the place of what an earlier build left there.
fn write(folder: &Path, sb: &Path) -> Result<()> {
    let (Some(above), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str()))
    else {
        return Err(format!("{} is no folder for a plugin", folder.display()).into());
    };
    must_be_ours(&folder.join(".claude-plugin/plugin.json"), "sb", folder)?;
    let marketplace = claude::marketplace(name);
    must_be_ours(&above.join(&marketplace.path), "signalbox", &above.join(".claude-plugin"))?;
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let parts = claude::PluginParts {
        sb: SB,
        version: env!("CARGO_PKG_VERSION"),
        agents: claude::AGENTS,
        mcp: claude::MCP,
    };
    for file in claude::plugin(&parts) {
        run::write(&folder.join(file.path), file.text)?;
    }
    run::write(&above.join(marketplace.path), marketplace.text)?;
    std::fs::create_dir_all(folder.join("bin"))?;
    // The mode is copied too.
    std::fs::copy(sb, folder.join("bin/sb"))?;
    Ok(())
}

/// Whatever stands in the way must be what this wrote before, by the name in its file.
fn must_be_ours(file: &Path, name: &str, what: &Path) -> Result<()> {
    let empty = std::fs::read_dir(what).map_or(true, |mut entries| entries.next().is_none());
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    if empty || found["name"] == name {
        return Ok(());
    }
    Err(format!("{} holds something else, which is not overwritten", what.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_again_but_never_over_something_else() {
        let root = tempfile::tempdir().unwrap();
        let (folder, sb) = (root.path().join("sb"), root.path().join("program"));
        run::write(&sb, "#!/bin/sh\n").unwrap();
        write(&folder, &sb).unwrap();
        run::write(&folder.join("commands/old.md"), "gone").unwrap();
        write(&folder, &sb).unwrap();
        assert!(folder.join("bin/sb").is_file() && folder.join(".mcp.json").is_file());
        assert!(folder.join("agents/code-review.md").is_file());
        assert!(!folder.join("commands/old.md").exists());
        assert!(root.path().join(".claude-plugin/marketplace.json").is_file());
        let theirs = root.path().join("theirs");
        run::write(&theirs.join("notes.txt"), "mine").unwrap();
        assert!(write(&theirs, &sb).is_err());
        assert!(theirs.join("notes.txt").is_file());
        run::write(&root.path().join(".claude-plugin/marketplace.json"), "{\"name\":\"other\"}").unwrap();
        assert!(write(&folder, &sb).is_err());
        assert!(folder.join("bin/sb").is_file());
    }
}
