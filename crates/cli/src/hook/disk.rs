//! Where paths lead on this disk: all that the judge asks of it.

use std::path::{Component, Path, PathBuf};

use signalbox_core::judge::{Links, Scene};

/// The real disk.
struct Disk;

/// Look at a call as it is made in this folder, with this process's home and variables, on the real disk.
pub fn look_from<T>(cwd: &str, look: impl FnOnce(&Scene<'_>) -> T) -> T {
    let home = std::env::var("HOME").ok();
    let variable = |name: &str| std::env::var(name).ok();
    look(&Scene { cwd, home: home.as_deref(), variable: &variable, links: &Disk })
}

/// How many links may lead to each other before they are taken for a loop, as the kernel counts.
const MOST_LINKS: usize = 40;

impl Links for Disk {
    /// Every link in the path is followed as far as it exists; what does not exist yet is taken as written.
    fn real(&self, path: &str) -> Option<String> {
        let mut real = PathBuf::from("/");
        let mut rest: Vec<PathBuf> =
            Path::new(path).components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            match part.components().next() {
                None | Some(Component::RootDir | Component::CurDir | Component::Prefix(_)) => continue,
                Some(Component::ParentDir) => {
                    real.pop();
                    continue;
                }
                Some(Component::Normal(_)) => real.push(&part),
            }
            if let Ok(target) = std::fs::read_link(&real) {
                links += 1;
                if links > MOST_LINKS {
                    return None;
                }
                real.pop();
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                rest.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
            }
        }
        real.to_str().map(ToOwned::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_also_into_what_does_not_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let at = |name: &str| root.join(name).to_str().expect("UTF-8").to_owned();
        std::fs::create_dir_all(root.join("real/deep")).expect("folders");
        std::os::unix::fs::symlink("real/deep", root.join("link")).expect("a link");
        std::os::unix::fs::symlink("loop", root.join("loop")).expect("a link");
        std::os::unix::fs::symlink(root.join("gone"), root.join("dangling")).expect("a link");
        assert_eq!(Disk.real(&at("link/new/file")), Some(at("real/deep/new/file")));
        assert_eq!(Disk.real(&at("dangling")), Some(at("gone")));
        assert_eq!(Disk.real(&at("plain")), Some(at("plain")));
        assert_eq!(Disk.real(&at("loop/x")), None);
    }
}
