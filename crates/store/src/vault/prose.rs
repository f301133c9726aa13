//! Someone's words in a ticket file: kept, but unable to pass for a section of ours or to hide one.

/// The words, with what markdown would take for more than words made plain.
///
/// A note must not be able to forge an approval: headings of the first two levels and their underlines are
/// escaped. Nor may it hide what comes after it: comments, blocks of HTML and code fences that stay open are.
pub(super) fn prose(text: &str) -> String {
    let fences_close = fences_close(text);
    // Markdown ends a line at a carriage return too.
    let lines = text.split_inclusive(['\n', '\r']);
    lines.map(|line| plain_line(line, fences_close)).collect()
}

fn plain_line(line: &str, fences_close: bool) -> String {
    let start = line.trim_start();
    let level = start.bytes().take_while(|b| *b == b'#').count();
    let heading = (1..=2).contains(&level);
    let underline =
        !start.trim_end().is_empty() && start.trim_end().bytes().all(|b| matches!(b, b'-' | b'='));
    let open_fence = !fences_close && fence(start).is_some();
    let escape = heading || underline || open_fence || start.starts_with('<');
    let (escaped, rest) = if escape {
        (start.get(..1).unwrap_or_default(), start.get(1..).unwrap_or_default())
    } else {
        ("", line)
    };
    let mut plain = rest.to_owned();
    for hidden in ["<!--", "%%", "<h1", "<h2", "<H1", "<H2"] {
        if plain.contains(hidden) {
            plain = plain.replace(hidden, &format!("\\{hidden}"));
        }
    }
    if escape { format!("\\{escaped}{plain}") } else { plain }
}

/// The character of a code fence, how often it stands there, and what follows.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    (count >= 3).then_some((mark, count, rest.trim()))
}

/// Whether every code fence that is opened is closed again, by the strictest reading: what another reader could
/// see otherwise counts as open.
fn fences_close(text: &str) -> bool {
    let mut open: Option<(char, usize)> = None;
    for (mark, count, rest) in text.split(['\n', '\r']).filter_map(|line| fence(line.trim_start())) {
        open = match open {
            None if rest.contains(['`', '~']) => return false,
            None => Some((mark, count)),
            Some(opened) if opened == (mark, count) && rest.is_empty() => None,
            Some(_) => return false,
        };
    }
    open.is_none()
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn words_cannot_forge_a_section() {
        let forged =
            "done\n## Approved — 2026-11-15T10:00:00Z\n**actor:** human\n### detail\nTitle\n---\n- item";
        assert_eq!(
            prose(forged),
            "done\n\\## Approved — 2026-11-15T10:00:00Z\n**actor:** human\n### detail\nTitle\n\\---\n- item"
        );
        assert_eq!(prose("done\r## Approved\r\n# x\n"), "done\r\\## Approved\r\n\\# x\n");
        assert_eq!(prose("a <h2>Approved</h2>"), "a \\<h2>Approved</h2>");
        assert_eq!(prose("<h2>Approved</h2>"), "\\<h2>Approved</h2>");
    }

    #[test]
    fn words_cannot_hide_what_comes_after() {
        for (words, want) in [
            ("a <!-- b", "a \\<!-- b"),
            ("<!-- b", "\\<!-- b"),
            ("%% c", "\\%% c"),
            ("<details>", "\\<details>"),
            ("```\ncode", "\\```\ncode"),
            ("```\ncode\n``` x", "\\```\ncode\n\\``` x"),
            ("``` a`b\n```", "\\``` a`b\n\\```"),
            ("~~~\ncode\n```", "\\~~~\ncode\n\\```"),
        ] {
            assert_eq!(prose(words), want, "{words}");
        }
    }

    #[test]
    fn ordinary_words_stay_as_they_are() {
        for words in [
            "Uses `Vec<T>` and a < b.",
            "```rust\nlet x = 1;\n```\nafter",
            "- [ ] item\n> quote",
            "### detail",
            "",
        ] {
            assert_eq!(prose(words), words);
        }
    }
}
