//! Where an agent works: branch, commit and remotes, read from git's own files. Git itself is not run, because whoever can
//! write into a repository decides what git does there.

use std::io::Read;
use std::path::{Path, PathBuf};

/// The most that is read of a file.
const MOST: u64 = 1 << 20;

/// What is known of a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    pub branch: Option<String>,
    pub head: Option<String>,
    /// By name, with their addresses, without passwords.
    pub remotes: Vec<(String, String)>,
    pub files: Vec<String>,
}

/// Look around. Whatever cannot be read is not there.
pub fn look(directory: &Path, files: &[String]) -> Place {
    let there = |file: &&String| directory.join(file).exists();
    let files = files.iter().filter(there).cloned().collect();
    let Some(git) = git_folder(directory) else { return Place { files, ..Place::default() } };
    let common = text(&git.join("commondir")).map_or_else(|| git.clone(), |path| git.join(path.trim()));
    let head = text(&git.join("HEAD")).unwrap_or_default();
    let reference = head.trim().strip_prefix("ref: ").map(str::trim);
    let branch = reference.and_then(|reference| reference.strip_prefix("refs/heads/"));
    let commit = match reference {
        Some(reference) => resolved(&git, &common, reference),
        None => Some(head.trim().to_owned()),
    };
    let remotes = text(&common.join("config")).map(|config| remotes(&config)).unwrap_or_default();
    Place { branch: branch.map(ToOwned::to_owned), head: commit.filter(|id| is_commit(id)), remotes, files }
}

fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MOST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The folder that git keeps for this directory: a worktree has a file that says where.
fn git_folder(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find_map(|above| {
        let dot = above.join(".git");
        if dot.is_dir() {
            return Some(dot);
        }
        let said = text(&dot)?;
        Some(above.join(said.trim().strip_prefix("gitdir:")?.trim()))
    })
}

fn resolved(git: &Path, common: &Path, reference: &str) -> Option<String> {
    // A reference is a path below the folder, and nothing else.
    if reference.split('/').any(|part| part == ".." || part.is_empty()) {
        return None;
    }
    let loose = [git, common].into_iter().find_map(|folder| text(&folder.join(reference)));
    loose.map(|id| id.trim().to_owned()).or_else(|| {
        let packed = text(&common.join("packed-refs"))?;
        let line =
            packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name == reference))?;
        line.split_once(' ').map(|(id, _)| id.to_owned())
    })
}

fn is_commit(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The remotes of a configuration: `[remote "origin"]` and its `url`.
fn remotes(config: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut name: Option<String> = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            let section = line.strip_prefix("[remote \"").and_then(|rest| rest.split_once('"'));
            name = section.map(|(name, _)| name.to_owned());
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        if let Some(name) = name.as_ref().filter(|_| key.trim().eq_ignore_ascii_case("url"))
            && !found.iter().any(|(known, _)| known == name)
        {
            found.push((name.clone(), without_password(value.trim().trim_matches('"'))));
        }
    }
    found
}

/// `https://user:token@host/…` without what is secret.
fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    match host.rsplit_once('@') {
        Some((user, host)) if user.contains(':') || scheme.starts_with("http") => {
            format!("{scheme}://{host}/{path}")
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            let mut file = std::fs::OpenOptions::new();
            let mut file = file.write(true).create(true).truncate(true).open(&path).expect("a file");
            std::io::Write::write_all(&mut file, text.as_bytes()).expect("it can be written");
        }
    }

    #[test]
    fn branch_commit_and_remotes_are_read_without_git() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://me:s3cret@github.com/a/b.git\n\tfetch = x\n[remote \"fork\"]\nurl = git@github.com:me/b.git\n";
        write(
            folder.path(),
            &[
                (".git/HEAD", "ref: refs/heads/feature/x\n"),
                (".git/refs/heads/feature/x", COMMIT),
                (".git/config", config),
                (".github/workflows/ci.yml", ""),
            ],
        );
        let below = folder.path().join("src");
        std::fs::create_dir(&below).expect("a folder");
        let place = look(folder.path(), &[".github/workflows".to_owned(), "none".to_owned()]);
        assert_eq!(place.branch.as_deref(), Some("feature/x"));
        assert_eq!(place.head.as_deref(), Some(COMMIT));
        let remote = |name: &str, address: &str| (name.to_owned(), address.to_owned());
        let wanted =
            vec![remote("origin", "https://github.com/a/b.git"), remote("fork", "git@github.com:me/b.git")];
        assert_eq!(place.remotes, wanted);
        assert_eq!(place.files, [".github/workflows"]);
        assert_eq!(look(&below, &[]).branch.as_deref(), Some("feature/x"));
    }

    #[test]
    fn a_worktree_leads_to_its_repository() {
        let folder = tempfile::tempdir().expect("a folder");
        write(
            folder.path(),
            &[
                ("main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n"),
                ("main/.git/worktrees/w/commondir", "../..\n"),
                ("main/.git/packed-refs", &format!("# pack\n{COMMIT} refs/heads/w\n")),
                ("main/.git/config", "[remote \"origin\"]\nurl = git@github.com:a/b.git\n"),
                ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
            ],
        );
        let place = look(&folder.path().join("w"), &[]);
        assert_eq!((place.branch.as_deref(), place.head.as_deref()), (Some("w"), Some(COMMIT)));
        assert_eq!(place.remotes.len(), 1);
    }

    #[test]
    fn what_is_no_repository_or_tries_to_lead_elsewhere_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &[(".git/HEAD", "ref: refs/heads/../../../etc/passwd\n")]);
        let place = look(folder.path(), &[]);
        assert_eq!(place.head, None);
        write(folder.path(), &[(".git/HEAD", COMMIT)]);
        let place = look(folder.path(), &[]);
        assert_eq!((place.branch, place.head.as_deref()), (None, Some(COMMIT)));
    }
}
