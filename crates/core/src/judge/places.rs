//! Where a call would write: the same file under every name it can be found by.

use crate::charter::Charter;
use crate::glob::{Case, folded, is_wild, meet, meet_by_name};
use crate::shell::{Place, Surroundings, Target};

/// What the disk knows of a path. The judge asks nothing else of the world.
pub trait Links {
    /// The path with every symbolic link in it followed, as far as it exists; `None` where that cannot be known.
    fn real(&self, path: &str) -> Option<String>;
}

/// A disk without links, for tests and examples.
#[derive(Debug, Clone, Copy)]
pub struct NoLinks;

impl Links for NoLinks {
    fn real(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

/// Where a call is made from.
pub struct Scene<'a> {
    pub cwd: &'a str,
    pub home: Option<&'a str>,
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    pub links: &'a dyn Links,
}

impl<'a> Scene<'a> {
    pub fn surroundings(&self) -> Surroundings<'a> {
        Surroundings { cwd: self.cwd, home: self.home, variable: self.variable }
    }

    /// A path as a tool was given it, made absolute.
    pub fn target(&self, path: &str) -> Target {
        // For the system the path ends where the NUL is.
        let path = path.split('\0').next().unwrap_or_default();
        let absolute = match (path.strip_prefix('~'), self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ if path.starts_with('/') => path.to_owned(),
            _ => format!("{}/{path}", self.cwd),
        };
        Target { text: path.to_owned(), place: Place::At(normal(&absolute)) }
    }

    /// Where a path leads that goes up again after a name: the name may be a link, and then up is elsewhere.
    fn detour(&self, text: &str) -> Option<String> {
        let plain = !text.contains(['$', '`', '*', '?', '[', '"', '\'', '\\', '~']);
        let parts: Vec<&str> = text.split('/').collect();
        let goes_up = parts
            .windows(2)
            .any(|pair| pair.last() == Some(&"..") && !matches!(pair.first(), Some(&("" | "." | ".."))));
        if !plain || !goes_up {
            return None;
        }
        let absolute = if text.starts_with('/') { text.to_owned() } else { format!("{}/{text}", self.cwd) };
        self.links.real(&absolute)
    }
}

/// An absolute path without `.`, `..` and doubled slashes; detours through `/proc` are taken back.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
        if parts.len() == 3 && parts.first() == Some(&"proc") && parts.last() == Some(&"root") {
            parts.clear();
        }
    }
    format!("/{}", parts.join("/"))
}

/// A target under every name that rules should look at.
#[derive(Debug, Clone)]
pub struct Names {
    pub text: String,
    /// Patterns for absolute paths.
    pub all: Vec<String>,
    /// How many of them, from the end, are where the disk says it really is.
    real: usize,
    /// Nothing is known of where it is.
    pub unknown: bool,
    /// The names of all the folders and files on the way, folded; `None` where one of them is a pattern.
    parts: Option<Vec<String>>,
}

impl Names {
    pub fn of(target: &Target, scene: &Scene<'_>) -> Self {
        let links = scene.links;
        let (mut all, unknown) = match &target.place {
            Place::At(path) => match links.real(path) {
                Some(real) => (vec![path.clone(), real], false),
                None => (vec![path.clone()], true),
            },
            Place::Among(pattern) => {
                let fixed = pattern.find(['*', '?', '[', '{', '(']).unwrap_or(pattern.len());
                let (head, tail) = pattern.split_at(pattern[..fixed].rfind('/').unwrap_or(0));
                let real = links.real(head).map(|real| format!("{real}{tail}"));
                (std::iter::once(pattern.clone()).chain(real).collect(), false)
            }
            Place::Ending(end) if end.is_empty() => (Vec::new(), true),
            Place::Ending(end) => (vec![format!("**/{}", end.trim_start_matches('/'))], true),
        };
        all.dedup();
        let mut real = usize::from(!all.is_empty());
        if let Some(detour) = scene.detour(&target.text)
            && all.last() != Some(&detour)
        {
            all.push(detour);
            real += 1;
        }
        Self { text: readable(&target.text), parts: parts(&all), all, real, unknown }
    }

    /// How it is written in a sentence: a star alone looks like a slip.
    pub fn shown(&self) -> &str {
        if self.text == "*" { "./*" } else { &self.text }
    }

    /// The subject of "… cannot be told": which files a command changes, or where something is that it names.
    pub fn in_doubt(&self) -> String {
        let is_command = self.all.is_empty() && self.text.contains(' ') && !self.text.starts_with('$');
        if is_command {
            format!("which files `{}` changes", self.text)
        } else {
            format!("where `{}` is", self.shown())
        }
    }

    /// Whether no name on the way is, or could be, that of something hidden.
    pub fn lacks_hidden(&self) -> bool {
        self.parts.as_ref().is_some_and(|parts| !parts.iter().any(|part| part.starts_with('.')))
    }

    /// Whether no name on the way is, or could be, this one.
    pub fn lacks(&self, part: &str) -> bool {
        self.parts.as_ref().is_some_and(|parts| !parts.iter().any(|known| known == part))
    }

    /// A path that is known to be exactly this.
    pub fn exactly(path: &str) -> Self {
        let all = vec![path.to_owned()];
        Self { text: path.to_owned(), parts: parts(&all), all, real: 1, unknown: false }
    }

    /// Whether it could be one of these.
    pub fn fit(&self, pattern: &str, case: Case) -> bool {
        self.all.iter().any(|name| meet(pattern, name, case))
    }

    /// Whether it could be one of these, and is not just a folder that could hold one. Of a path whose beginning is
    /// unknown the end must show it.
    pub fn fit_by_name(&self, pattern: &str, case: Case) -> bool {
        self.all.iter().any(|name| match name.strip_prefix("**/") {
            Some(end) => ends_meet(pattern, end, case),
            None => meet_by_name(pattern, name, case),
        })
    }

    /// Whether it is, or could be, the folder that the rule's file is in: to remove or move that is to remove the file.
    pub fn is_folder_of(&self, pattern: &str, case: Case) -> bool {
        let folder =
            pattern.strip_suffix("/**").or_else(|| pattern.rsplit_once('/').map(|(folder, _)| folder));
        folder.is_some_and(|folder| {
            let named = folder.rsplit('/').next().is_some_and(|name| !name.contains('*') && !name.is_empty());
            named && self.fit_by_name(folder, case)
        })
    }

    /// Whether links lead to another place than it says.
    pub fn lead_elsewhere(&self) -> bool {
        self.all.len() > 1
    }

    /// Where it really is: each place it may be, or none where that is not known for certain.
    pub fn real(&self) -> &[String] {
        let known = if self.unknown { 0 } else { self.real };
        self.all.get(self.all.len().saturating_sub(known)..).unwrap_or_default()
    }

    /// Whether every place it may be is such.
    pub fn is_surely(&self, such: impl Fn(&str) -> bool) -> bool {
        !self.real().is_empty() && self.real().iter().all(|real| such(real))
    }

    /// Whether it is certainly in that folder, or is that folder.
    pub fn is_below(&self, folder: &str) -> bool {
        self.is_surely(|real| {
            real.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// A path as people write it: where a command puts one together there may be too many slashes.
fn readable(text: &str) -> String {
    let mut plain = text.to_owned();
    while plain.contains("//") && !plain.contains("://") {
        plain = plain.replace("//", "/");
    }
    plain
}

fn parts(names: &[String]) -> Option<Vec<String>> {
    // A path whose beginning is unknown may have any name in it, as a pattern may.
    if names.iter().any(|name| is_wild(name)) {
        return None;
    }
    Some(names.iter().flat_map(|name| name.split('/')).filter(|part| !part.is_empty()).map(folded).collect())
}

/// Whether some path that ends so fits: `a/b` against `/x/a/b`, and `a/b/c` against `/x/a/**`.
fn ends_meet(pattern: &str, end: &str, case: Case) -> bool {
    let parts: Vec<&str> = pattern.split('/').collect();
    (0..parts.len()).any(|at| {
        let tail = &parts[at..];
        // Something of what is known must be what the rule is about.
        tail.iter().any(|name| !name.contains('*')) && meet_by_name(&tail.join("/"), end, case)
    })
}

/// A person's pattern as one for absolute paths: `src/**` is below the root, `*.rs` at any depth below it.
pub fn below_root(charter: &Charter, pattern: &str) -> String {
    if pattern.starts_with('/') {
        return pattern.to_owned();
    }
    let root = charter.root.as_deref().unwrap_or("**");
    match pattern.trim_end_matches('/').contains('/') {
        true => format!("{root}/{}", pattern.trim_start_matches("./")),
        false => format!("{root}/**/{pattern}"),
    }
}
