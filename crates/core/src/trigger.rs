//! Phrases in a person's prompt that open implementation mode.

/// The phrases that are shipped.
pub const PHRASES: &[&str] = &["make it so", "go ahead", "ship it", "let's do it", "execute", "implement it"];

/// Words before a phrase that turn it round.
const NEGATIONS: &[&str] = &[
    "don't",
    "dont",
    "not",
    "never",
    "before",
    "until",
    "if",
    "should",
    "shouldn't",
    "won't",
    "can't",
    "without",
];

/// The first phrase that the prompt says and means: not quoted, not in code, not denied.
pub fn said<'a>(prompt: &str, phrases: &'a [String]) -> Option<&'a String> {
    let sentences = spoken(prompt);
    phrases.iter().find(|phrase| {
        let wanted = words(phrase);
        !wanted.is_empty() && sentences.iter().any(|sentence| says(&words(sentence), &wanted))
    })
}

fn says(sentence: &[String], wanted: &[String]) -> bool {
    sentence.windows(wanted.len()).enumerate().any(|(at, window)| {
        let before = sentence.get(at.saturating_sub(3)..at).unwrap_or_default();
        window == wanted && !before.iter().any(|word| NEGATIONS.contains(&word.as_str()))
    })
}

/// What the person says in their own words: without code, quotations and quoted lines, sentence by sentence.
fn spoken(prompt: &str) -> Vec<String> {
    let mut kept = String::new();
    let mut in_fence = false;
    for line in prompt.lines() {
        let line = line.trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
        } else if !in_fence && !line.starts_with('>') {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    for quote in ['`', '"'] {
        kept = kept.split(quote).step_by(2).collect::<Vec<_>>().join(" … ");
    }
    kept.split(['.', '!', '?', ';', '\n', '…']).map(ToOwned::to_owned).collect()
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_and_what_does_not() {
        let phrases: Vec<String> = PHRASES.iter().map(|p| (*p).to_owned()).collect();
        for (prompt, expected) in [
            ("go ahead", true),
            ("Yes, GO AHEAD!", true),
            ("Looks right. Let’s do it", true),
            ("ok\nmake it so", true),
            ("don't go ahead yet", false),
            ("do not under any go ahead", false),
            ("what happens before you go ahead?", false),
            ("explain `go ahead` to me", false),
            ("he said \"ship it\" and left", false),
            ("> go ahead\nno", false),
            ("```\nship it\n```", false),
            ("the executed plan", false),
            ("go far ahead", false),
            ("", false),
        ] {
            assert_eq!(said(prompt, &phrases).is_some(), expected, "{prompt}");
        }
        assert_eq!(said("anything", &[String::new()]), None);
    }
}
