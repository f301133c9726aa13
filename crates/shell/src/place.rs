//! From words to places: absolute paths without `.`, `..` and doubled slashes, by their letters alone.

use super::effect::{Place, Target};
use super::text::{Field, Part};

/// Where a field leads from a working directory; `None` stands for a directory nobody knows.
pub(super) fn target(field: &Field, cwd: Option<&str>) -> Target {
    Target { text: field.shown(), place: place(field, cwd) }
}

fn place(field: &Field, cwd: Option<&str>) -> Place {
    let relative_path = !field.start().starts_with('/');
    // The only directories with a star in their names that one enters are fresh temporary ones and those that `find`
    // goes through.
    let in_fresh = relative_path && cwd.is_some_and(|cwd| cwd.contains("/tmp.*") || cwd.ends_with("/**"));
    let has_pattern = in_fresh || field.parts.iter().any(|part| matches!(part, Part::Pattern(_)));
    let last_unknown = field.parts.iter().rposition(|part| matches!(part, Part::Unknown(_)));
    if let Some(index) = last_unknown {
        let rest = field.parts.get(index + 1..).unwrap_or_default();
        return Place::Ending(relative(&written(rest, true)));
    }
    let path = written(&field.parts, has_pattern);
    let absolute = if path.starts_with('/') {
        normal(&path)
    } else {
        match cwd {
            Some(cwd) if has_pattern && !in_fresh => from(escape_pattern(cwd), &path),
            Some(cwd) => from(cwd.to_owned(), &path),
            None => return Place::Ending(relative(&if has_pattern { path } else { escape_pattern(&path) })),
        }
    };
    let Some(path) = through_proc(absolute, cwd) else {
        return Place::Ending(String::new());
    };
    if has_pattern { Place::Among(path) } else { Place::At(path) }
}

/// The parts as one text, literal characters escaped if it is going to be read as a pattern.
fn written(parts: &[Part], as_pattern: bool) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) if as_pattern => text.push_str(&escape_pattern(literal)),
            Part::Literal(other) | Part::Pattern(other) | Part::Unknown(other) => text.push_str(other),
        }
    }
    text
}

fn escape_pattern(text: &str) -> String {
    if !text.contains(['*', '?', '[']) {
        return text.to_owned();
    }
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '*' | '?' | '[' => escaped.extend(['[', character, ']']),
            other => escaped.push(other),
        }
    }
    escaped
}

/// An absolute path without `.`, `..` and doubled slashes.
pub(super) fn normal(path: &str) -> String {
    from(String::with_capacity(path.len()), path)
}

/// Where a path leads from a directory that is absolute and has no dots itself.
fn from(mut folder: String, path: &str) -> String {
    if folder == "/" {
        folder.clear();
    }
    folder.reserve(path.len() + 1);
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => folder.truncate(folder.rfind('/').unwrap_or(0)),
            name => {
                folder.push('/');
                folder.push_str(name);
            }
        }
    }
    if folder.is_empty() {
        folder.push('/');
    }
    folder
}

/// How a path ends whose start is unknown: each `..` takes what is before it, known or not.
fn relative(path: &str) -> String {
    normal(path).trim_start_matches('/').to_owned()
}

/// Follows `/proc/self/root` and `/proc/self/cwd`, which lead somewhere by their very definition. Nothing if
/// they lead to a directory that is not known.
fn through_proc(path: String, cwd: Option<&str>) -> Option<String> {
    let Some(rest) = path.strip_prefix("/proc/") else { return Some(path) };
    let (process, rest) = rest.split_once('/').unwrap_or((rest, ""));
    // `/proc/self/task/7/root` is the same as `/proc/self/root`.
    let rest = match rest.strip_prefix("task/").and_then(|rest| rest.split_once('/')) {
        Some((_, rest)) => rest,
        None => rest,
    };
    let (link, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let is_process =
        matches!(process, "self" | "thread-self" | "*") || process.bytes().all(|byte| byte.is_ascii_digit());
    match link {
        "root" if is_process => through_proc(normal(&format!("/{rest}")), cwd),
        "cwd" if is_process => through_proc(normal(&format!("{}/{rest}", cwd?)), cwd),
        _ => Some(path),
    }
}

/// Whether writing there changes no file.
pub(super) fn is_sink(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/stdin" | "/dev/full"
    ) || path.starts_with("/dev/fd/")
        || path.starts_with("/proc/self/fd/")
}

#[cfg(test)]
mod tests {
    use super::{Field, Part, Place, normal, place};

    #[test]
    fn paths_lose_dots() {
        assert_eq!(normal("/a/./b/../c//d/"), "/a/c/d");
        assert_eq!(normal("/../.."), "/");
    }

    #[test]
    fn an_unknown_part_leaves_the_ending() {
        let field = Field {
            parts: vec![Part::Unknown("$D".to_owned()), Part::Literal("/x/../../tests/a".to_owned())],
        };
        assert_eq!(place(&field, Some("/p")), Place::Ending("tests/a".to_owned()));
    }

    #[test]
    fn proc_leads_back() {
        assert_eq!(place(&Field::known("/proc/self/root/etc"), Some("/p")), Place::At("/etc".to_owned()));
        assert_eq!(place(&Field::known("/proc/12/cwd/a"), Some("/p")), Place::At("/p/a".to_owned()));
        let deep = format!("{}x", "/proc/self/root".repeat(3));
        assert_eq!(place(&Field::known(deep), Some("/p")), Place::At("/proc/self/rootx".to_owned()));
    }
}
