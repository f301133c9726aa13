//! What would change in a file, as lines that go and lines that come.

/// How many lines around a change are shown.
const AROUND: usize = 2;

/// The changed lines with a little around them; empty where nothing changes.
pub fn lines(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = common(&old, &new);
    let mut marked: Vec<(char, &str)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (a, b) in same.into_iter().chain([(old.len(), new.len())]) {
        marked.extend(old.get(i..a).unwrap_or_default().iter().map(|line| ('-', *line)));
        marked.extend(new.get(j..b).unwrap_or_default().iter().map(|line| ('+', *line)));
        marked.extend(old.get(a).map(|line| (' ', *line)));
        (i, j) = (a + 1, b + 1);
    }
    let near = |at: usize| {
        let window = marked.get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(marked.len()));
        window.is_some_and(|window| window.iter().any(|(mark, _)| *mark != ' '))
    };
    let shown = marked.iter().enumerate().filter(|(at, _)| near(*at));
    shown.map(|(_, (mark, line))| format!("{mark} {line}\n")).collect()
}

/// The pairs of lines that stay, in order. What is the same at both ends is not looked at twice: a file may be long, and
/// what changes in it is little.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let middle = by_table(
        old_rest.get(..old_rest.len() - tail).unwrap_or_default(),
        new_rest.get(..new_rest.len() - tail).unwrap_or_default(),
    );
    let first = (0..head).map(|at| (at, at));
    let last = (1..=tail).rev().map(|back| (old.len() - back, new.len() - back));
    first.chain(middle.into_iter().map(|(i, j)| (i + head, j + head))).chain(last).collect()
}

/// The longest list of pairs of equal lines, by the usual table.
fn by_table(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(lines("a\nb\n", "a\nb\n"), "");
        assert_eq!(lines("", "a\n"), "+ a\n");
        assert_eq!(lines("a\n", ""), "- a\n");
        assert_eq!(lines("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n4\n5\n6\n"), "  2\n  3\n+ x\n  4\n  5\n");
        assert_eq!(lines("a\nb\nc\n", "a\nc\n"), "  a\n- b\n  c\n");
        assert_eq!(lines("a\na\n", "a\na\na\n"), "  a\n  a\n+ a\n");
        assert_eq!(lines("a\nx\nb\ny\nc\n", "a\nb\nz\nc\n"), "  a\n- x\n  b\n- y\n+ z\n  c\n");
        let long = "line\n".repeat(100_000);
        assert_eq!(lines(&long, &format!("{long}more\n")), "  line\n  line\n+ more\n");
    }
}
