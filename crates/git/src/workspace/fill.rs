//! Putting a repository and its files into a new directory. No git is run in it: it is written file by file.

use std::path::Path;

use super::Workspace;
use crate::Result;
use crate::disk;
use crate::error::Doing;
use crate::names::{ObjectFormat, Oid};

/// Mode, kind, object and name of something in a tree.
pub(super) type TreeLine = (&'static str, &'static str, Oid, String);

/// What a new workspace holds.
#[derive(Debug)]
pub(super) struct Fill {
    /// The content of `HEAD`.
    pub head: String,
    pub refs: Vec<(String, Oid)>,
    /// The commit or tree that its index has.
    pub index: Oid,
    /// The tree that its files are, byte for byte, where they are not just what the index says.
    pub files: Option<Oid>,
}

impl Workspace {
    /// The directory with all that is in it. Whatever was there was left by somebody who was killed.
    pub(super) fn fill(&self, directory: &Path, fill: &Fill) -> Result<()> {
        let doing = || format!("make {}", directory.display());
        disk::remove_tree(directory).doing(doing)?;
        disk::make_dirs(directory).doing(doing)?;
        let dot_git = directory.join(".git");
        write_git_dir(&dot_git, self, fill).doing(doing)?;
        let (index, seen) = (self.scratch("index"), self.scratch("files.index"));
        for old in ["files.index", "status.index"] {
            disk::remove_file(&self.own(old)).doing(doing)?;
        }
        let (place, checkout) = (&self.integration.place, self.integration.checkout());
        match &fill.files {
            None => {
                let words = ["read-tree", "-m", "-u", fill.index.as_str()];
                checkout
                    .call("check files out", words)
                    .on_files(directory)
                    .index(&index)
                    .at_length()
                    .output()?;
                if !self.converts(&fill.index)? {
                    disk::copy(&index, &self.own("files.index")).doing(doing)?;
                }
            }
            Some(files) => {
                let words = ["read-tree", "-m", "-u", files.as_str()];
                place.call("put files back", words).on_files(directory).index(&seen).at_length().output()?;
                let words = ["read-tree", fill.index.as_str()];
                checkout.call("put the index back", words).index(&index).output()?;
                let words = ["update-index", "-q", "--refresh"];
                let call = checkout.call("put the index back", words).on_files(directory).index(&index);
                // It says 1 where files differ from the index, as they may.
                call.at_length().ending(&[0, 1])?;
            }
        }
        if fill.files.is_some() {
            disk::rename(&seen, &self.own("files.index")).doing(doing)?;
        }
        disk::copy(&index, &dot_git.join("index")).doing(doing)?;
        disk::rename(&index, &self.own("status.index")).doing(doing)
    }

    /// Whether checking a tree out changes what stands in the files: then what lies on the disk is not what the index
    /// says, byte for byte, and has to be read once to be known.
    fn converts(&self, tree: &Oid) -> Result<bool> {
        let entries = self.integration.entries(tree)?;
        let attributes = entries.iter().filter(|entry| {
            entry.path.as_bytes().rsplit(|b| *b == b'/').next() == Some(b".gitattributes")
                && entry.kind == "blob"
        });
        for entry in attributes {
            let call =
                self.integration.place.call("read attributes", ["cat-file", "blob", entry.oid.as_str()]);
            let text = call.output()?;
            let says = |word: &str| text.windows(word.len()).any(|found| found == word.as_bytes());
            if ["eol=crlf", "ident", "working-tree-encoding", "crlf"].into_iter().any(says) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The repository of a workspace: borrowed objects, one branch, no remote.
fn write_git_dir(dot_git: &Path, workspace: &Workspace, fill: &Fill) -> std::io::Result<()> {
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"] {
        disk::make_dirs(&dot_git.join(folder))?;
    }
    let integration = &workspace.integration;
    let mut alternates = integration.path().join("objects").into_os_string().into_encoded_bytes();
    if alternates.contains(&b'\n') || alternates.contains(&b'"') {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "its path has a quote or line end in it",
        ));
    }
    alternates.push(b'\n');
    disk::put(&dot_git.join("objects/info/alternates"), &alternates)?;
    let mut refs: Vec<String> = fill.refs.iter().map(|(name, oid)| format!("{oid} {name}\n")).collect();
    refs.sort_by(|one, other| {
        one.split_once(' ').map(|(_, name)| name).cmp(&other.split_once(' ').map(|(_, name)| name))
    });
    let packed = format!("# pack-refs with: sorted \n{}", refs.concat());
    disk::put(&dot_git.join("packed-refs"), packed.as_bytes())?;
    disk::put(&dot_git.join("HEAD"), fill.head.as_bytes())?;
    disk::put(&dot_git.join("config"), config(workspace).as_bytes())?;
    disk::put(&dot_git.join("signalbox"), workspace.record.id.as_bytes())
}

/// The configuration that the agent's own git starts with.
fn config(workspace: &Workspace) -> String {
    let version = match workspace.integration.format() {
        ObjectFormat::Sha1 => "[core]\n\trepositoryFormatVersion = 0\n",
        ObjectFormat::Sha256 => {
            "[extensions]\n\tobjectFormat = sha256\n[core]\n\trepositoryFormatVersion = 1\n"
        }
    };
    let (name, email) = (quoted(&workspace.record.name), quoted(&workspace.record.email));
    format!(
        "{version}\tbare = false\n\tfileMode = true\n\tlogAllRefUpdates = true\n[user]\n\tname = {name}\n\temail = {email}\n\
         [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    )
}

/// A value for a configuration file.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Workspace {
    /// Put a tree of ours together.
    pub(super) fn make_tree(&self, entries: &[TreeLine]) -> Result<Oid> {
        let line = |(mode, kind, oid, name): &TreeLine| format!("{mode} {kind} {oid}\t{name}\0");
        let input: String = entries.iter().map(line).collect();
        self.integration.place.call("write a tree", ["mktree", "-z", "--missing"]).reading(input).oid()
    }

    /// Write some bytes as a file of no name.
    pub(super) fn make_blob(&self, bytes: &[u8]) -> Result<Oid> {
        self.integration.place.call("write a file", ["hash-object", "-w", "--stdin"]).reading(bytes).oid()
    }
}
