//! Patterns for paths: `*` and `?` within a name, `**` for any depth. Both sides may be patterns, because commands
//! name files by patterns too; the question is then whether some path fits both.

/// Whether letters of another case are the same letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Exact,
    Folded,
}

/// Whether some path fits both the rule's pattern and the command's. Where that is hard to say the answer is yes.
pub fn meet(rule: &str, named: &str, case: Case) -> bool {
    let one: Vec<&str> = rule.split('/').collect();
    let other: Vec<&str> = named.split('/').collect();
    let mut budget = BUDGET;
    paths_meet(&one, &other, case, Depth::Everything, &mut budget)
}

/// As [`meet`], but a command that names a whole folder does not for that mean every name a rule knows: `src/**`
/// could be `src/.git/config`, and nobody means it.
pub fn meet_by_name(rule: &str, named: &str, case: Case) -> bool {
    let one: Vec<&str> = rule.split('/').collect();
    let other: Vec<&str> = named.split('/').collect();
    // A folder somewhere, and a file in it that has exactly the rule's name.
    let last = |names: &[&str]| names.last().copied().filter(|name| !is_wild(name)).map(ToOwned::to_owned);
    let depth =
        if last(&one).is_some() && last(&one) == last(&other) { Depth::Everything } else { Depth::Unnamed };
    let mut budget = BUDGET;
    paths_meet(&one, &other, case, depth, &mut budget)
}

/// What is wrong with a pattern that people write for files below a root. Sets and alternatives are taken for more than
/// they say elsewhere, and who decides what may be merged must not take a pattern for more or less than it says.
pub fn fault(pattern: &str) -> Option<&'static str> {
    let names = || pattern.split('/');
    if pattern.is_empty() {
        Some("it is empty")
    } else if pattern.chars().any(char::is_control) || pattern.contains('\\') {
        Some("it has characters that file names do not have; folders are parted by `/`")
    } else if pattern.starts_with(['/', '~', '!']) {
        Some("it must be below the repository's root, without `/`, `~` or `!` in front")
    } else if pattern.contains(['[', ']', '{', '}', '(', ')']) {
        Some("sets and alternatives are not known here; write one pattern for each")
    } else if names().any(|name| matches!(name, "" | "." | "..")) {
        Some("it has an empty name, `.` or `..` in it; a whole folder is `folder/**`")
    } else if names().any(|name| name.contains("**") && name != "**") {
        Some("`**` must stand alone between slashes, as in `src/**/test_*.py`")
    } else if names().all(|name| name.chars().all(|c| c == '*' || c == '?')) {
        Some("it means every file")
    } else {
        None
    }
}

/// What `**` in a command's pattern stands for, once the path has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Everything,
    /// Nothing that the rule has a name for.
    Unnamed,
}

pub fn is_wild(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '('])
}

/// How many comparisons are made before the answer is yes for want of a better one.
const BUDGET: u32 = 20_000;

fn paths_meet(one: &[&str], other: &[&str], case: Case, depth: Depth, budget: &mut u32) -> bool {
    *budget = budget.saturating_sub(1);
    if *budget == 0 {
        return true;
    }
    match (one.split_first(), other.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            paths_meet(rest, other, case, depth, budget)
                || other.split_first().is_some_and(|(_, below)| paths_meet(one, below, case, depth, budget))
        }
        (_, Some((&"**", rest))) => {
            paths_meet(one, rest, case, depth, budget)
                || one.split_first().is_some_and(|(name, below)| {
                    (depth == Depth::Everything || is_wild(name))
                        && paths_meet(below, other, case, depth, budget)
                })
        }
        (Some((a, one)), Some((b, other))) => {
            names_meet(a, b, case, budget) && paths_meet(one, other, case, depth, budget)
        }
        _ => false,
    }
}

fn names_meet(a: &str, b: &str, case: Case, budget: &mut u32) -> bool {
    let (a, b) = match case {
        Case::Exact => (a.to_owned(), b.to_owned()),
        Case::Folded => (folded(a), folded(b)),
    };
    if !is_wild(&a) && !is_wild(&b) {
        return a == b;
    }
    let (a, b): (Vec<char>, Vec<char>) = (letters(&a), letters(&b));
    // For a shell a pattern that begins with a star does not mean hidden files; in a rule it does.
    if a.first() == Some(&'.') && matches!(b.first(), Some('*' | '?')) {
        return false;
    }
    letters_meet(&a, &b, budget)
}

/// A name as file systems see it that take more for the same: without its case, what it ends in, and letters that
/// take no room.
pub fn folded(name: &str) -> String {
    let unseen = |c: &char| matches!(*c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    name.trim_end_matches(['.', ' ']).chars().filter(|c| !unseen(c)).collect::<String>().to_lowercase()
}

/// Alternatives and sets of letters count as a star: they may be more than they are, never less.
fn letters(name: &str) -> Vec<char> {
    let mut found = Vec::new();
    let mut depth = 0u32;
    for c in name.chars() {
        match c {
            '[' | '{' | '(' => {
                if depth == 0 {
                    found.push('*');
                }
                depth += 1;
            }
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => found.push(c),
            _ => {}
        }
    }
    found
}

fn letters_meet(a: &[char], b: &[char], budget: &mut u32) -> bool {
    *budget = budget.saturating_sub(1);
    if *budget == 0 {
        return true;
    }
    match (a.split_first(), b.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => {
            letters_meet(rest, b, budget)
                || b.split_first().is_some_and(|(_, below)| letters_meet(a, below, budget))
        }
        (_, Some(('*', rest))) => {
            letters_meet(a, rest, budget)
                || a.split_first().is_some_and(|(_, below)| letters_meet(below, b, budget))
        }
        (Some((x, a)), Some((y, b))) => (x == y || *x == '?' || *y == '?') && letters_meet(a, b, budget),
        _ => false,
    }
}

/// Whether a text fits a pattern in which `*` stands for anything, also across spaces and slashes: for command lines.
pub fn text_fits(text: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_meet() {
        for (one, other, expected) in [
            ("/a/b", "/a/b", true),
            ("/a/b", "/a/c", false),
            ("/a/b", "/a", false),
            ("/a/*", "/a/b", true),
            ("/a/*", "/a/b/c", false),
            ("/a/**", "/a/b/c", true),
            ("/a/**", "/a", true),
            ("**/.git/config", "/x/y/.git/config", true),
            ("**/.git/config", "/x/.git/conf*", true),
            ("**/.git/config", "/x/.g?t/config", true),
            ("/w/tests/**", "/w/*", true),
            ("/w/tests/**", "/w/te*/a", true),
            ("/w/**/*_test.*", "/w/src/a_test.go", true),
            ("/w/**/*_test.*", "/w/src/a.go", false),
            ("**/x[ab]c", "/q/xac", true),
            ("**/{a,b}", "/q/a", true),
            ("", "", true),
            ("a", "", false),
        ] {
            assert_eq!(meet(one, other, Case::Exact), expected, "{one} and {other}");
            assert_eq!(meet(other, one, Case::Exact), expected, "{other} and {one}");
        }
        assert!(!meet("**/.git/config", "/x/*/config", Case::Exact));
        assert!(meet("**/*.env", "/x/.env", Case::Exact));
        assert!(!meet("**/.git/config", "/w/.GIT/config", Case::Exact));
        assert!(meet("**/.git/config", "/w/.GIT./Config ", Case::Folded));
    }

    #[test]
    fn whole_folders() {
        for (rule, named, expected) in [
            ("**/.git/**", "/w/src/**", false),
            ("**/.git/**", "/w/.git/**", true),
            ("**/.git/**", "/w/**/x.pyc", false),
            ("**/.mcp.json", "/w/**/.mcp.json", true),
            ("**/.mcp.json", "/w/**", false),
            ("/w/.git/**", "/w/.g*/**", true),
        ] {
            assert_eq!(meet_by_name(rule, named, Case::Exact), expected, "{rule} and {named}");
        }
    }

    #[test]
    fn a_hard_question_is_answered_with_yes() {
        let hard = "*a".repeat(60);
        assert!(meet(&format!("/{hard}b"), &format!("/{}", "a*".repeat(60)), Case::Exact));
    }

    #[test]
    fn faults_of_patterns() {
        for good in ["tests/**", "**/*_test.go", "a.rs", "src/*/b?.rs", ".github/**", "Öl/**"] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "", "/etc/**", "~/x", "!x", "a/../b", "./a", "a//b", "a/", "a**b/c", "**", "*/**", "a[bc]",
            "{a,b}/**", "a\\b", "a\nb", "+(a)",
        ] {
            assert!(fault(bad).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn command_lines() {
        for (text, pattern, expected) in [
            ("npm publish", "npm publish", true),
            ("npm publish --tag x", "npm publish*", true),
            ("npm run publish", "npm publish*", false),
            ("cargo test -p a --lib", "cargo test * --lib", true),
            ("cargo", "cargo *", false),
            ("anything", "*", true),
        ] {
            assert_eq!(text_fits(text, pattern), expected, "{text} and {pattern}");
        }
    }
}
