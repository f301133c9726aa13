//! How long files may be. Exceptions stand in `xtask/budget.txt`, and can only shrink: a rule about size
//! that lets its exceptions grow is no rule.

use super::{Finding, TextFile, numbered};

/// Lines of code in a file, its tests not counted.
const CODE: usize = 500;
/// Lines of a file with all that is in it, and of a file of tests.
const WHOLE: usize = 800;
/// Lines of core. It holds every rule, those of orchestration among them.
const CORE: usize = 13_000;
/// How far a file may be below its allowance before the allowance must be lowered.
const SLACK: usize = 20;
const LIST: &str = "xtask/budget.txt";

/// One line of the list.
#[derive(Debug, PartialEq, Eq)]
struct Exception<'a> {
    line: usize,
    path: &'a str,
    allowed: usize,
}

pub fn check(files: &[TextFile]) -> Vec<Finding> {
    let list = files.iter().find(|file| file.path == LIST).map_or("", |file| file.text.as_str());
    let (exceptions, mut findings) = parse(list);
    for file in files.iter().filter(|file| file.is_rust()) {
        let exception = exceptions.iter().find(|exception| exception.path == file.path);
        findings.extend(check_file(file, exception));
    }
    for exception in &exceptions {
        if !files.iter().any(|file| file.path == exception.path) {
            findings.push(Finding::new(
                LIST,
                exception.line,
                format!("{} is gone: remove its line", exception.path),
            ));
        }
    }
    let core = files.iter().filter(|file| file.is_rust() && file.path.starts_with("crates/core/src/"));
    let lines: usize = core.map(|file| file.text.lines().count()).sum();
    if lines >= CORE {
        findings.push(Finding::new(
            "crates/core/src",
            1,
            format!("core has {lines} lines, and must stay under {CORE}"),
        ));
    }
    findings
}

fn check_file(file: &TextFile, exception: Option<&Exception<'_>>) -> Option<Finding> {
    let whole = file.text.lines().count();
    let (length, most) = if file.is_test() { (whole, WHOLE) } else { (code_lines(&file.text), CODE) };
    if let Some(Exception { line, allowed, path }) = exception {
        return if length > *allowed {
            Some(Finding::new(
                path,
                1,
                format!("it has {length} lines and may have {allowed}, which can only shrink"),
            ))
        } else if *allowed <= most {
            Some(Finding::new(
                LIST,
                *line,
                format!("{path} needs no exception: {most} are free; remove its line"),
            ))
        } else if length + SLACK < *allowed {
            Some(Finding::new(
                LIST,
                *line,
                format!("{path} is down to {length} lines: lower its {allowed} to that"),
            ))
        } else {
            None
        };
    }
    if length > most {
        return Some(Finding::new(
            &file.path,
            1,
            format!("it has {length} lines, and {most} are the most: split it"),
        ));
    }
    if whole > WHOLE {
        let what =
            format!("it has {whole} lines with its tests, and {WHOLE} are the most: move them beside it");
        return Some(Finding::new(&file.path, 1, what));
    }
    None
}

/// The lines before the tests of the same file.
fn code_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_start =
        |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{');
    lines.windows(2).position(is_start).unwrap_or(lines.len())
}

/// The list: a path and a number a line, `#` before a remark.
fn parse(list: &str) -> (Vec<Exception<'_>>, Vec<Finding>) {
    let (mut exceptions, mut findings) = (Vec::new(), Vec::new());
    for (line, text) in numbered(list) {
        let text = text.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [path, number] if number.parse::<usize>().is_ok() => {
                exceptions.push(Exception { line, path, allowed: number.parse().unwrap_or_default() });
            }
            _ => findings.push(Finding::new(LIST, line, "a line is a path and a number")),
        }
    }
    (exceptions, findings)
}

#[cfg(test)]
mod tests {
    use super::super::{file, printed};
    use super::*;

    fn lines(count: usize) -> String {
        "//\n".repeat(count)
    }

    #[test]
    fn a_file_may_have_so_many_lines() {
        let with_tests = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", lines(500), lines(200));
        let files = [
            file("a/src/fits.rs", &lines(500)),
            file("a/src/tests_do_not_count.rs", &with_tests),
            file("a/src/too_long.rs", &lines(501)),
            file("a/tests/all/fits.rs", &lines(800)),
            file("a/src/x_tests.rs", &lines(801)),
            file("notes.md", &lines(2_000)),
        ];
        assert_eq!(
            printed(&check(&files)),
            [
                "a/src/too_long.rs:1: it has 501 lines, and 500 are the most: split it",
                "a/src/x_tests.rs:1: it has 801 lines, and 800 are the most: split it",
            ]
        );
        let long_tests = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", lines(400), lines(400));
        let found = printed(&check(&[file("a/src/b.rs", &long_tests)]));
        assert_eq!(
            found,
            ["a/src/b.rs:1: it has 803 lines with its tests, and 800 are the most: move them beside it"]
        );
    }

    #[test]
    fn exceptions_only_shrink() {
        let with = |number: usize, length: usize| {
            let list = file(LIST, &format!("# why\na/src/b.rs {number}\n"));
            printed(&check(&[list, file("a/src/b.rs", &lines(length))]))
        };
        assert_eq!(with(600, 600), [""; 0]);
        assert_eq!(with(600, 580), [""; 0]);
        assert_eq!(
            with(600, 601),
            ["a/src/b.rs:1: it has 601 lines and may have 600, which can only shrink"]
        );
        assert_eq!(
            with(600, 579),
            ["xtask/budget.txt:2: a/src/b.rs is down to 579 lines: lower its 600 to that"]
        );
        assert_eq!(
            with(400, 300),
            ["xtask/budget.txt:2: a/src/b.rs needs no exception: 500 are free; remove its line"]
        );
    }

    #[test]
    fn the_list_itself_is_checked() {
        let found = printed(&check(&[file(LIST, "gone.rs 600\nnonsense\n")]));
        assert_eq!(
            found,
            [
                "xtask/budget.txt:2: a line is a path and a number",
                "xtask/budget.txt:1: gone.rs is gone: remove its line"
            ]
        );
    }

    #[test]
    fn core_stays_small() {
        let files: Vec<_> = (0..26).map(|i| file(&format!("crates/core/src/{i}.rs"), &lines(500))).collect();
        assert_eq!(
            printed(&check(&files)),
            ["crates/core/src:1: core has 13000 lines, and must stay under 13000"]
        );
        assert!(check(&files[1..]).is_empty());
    }
}
