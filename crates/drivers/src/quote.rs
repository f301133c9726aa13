//! Words on a shell's command line: quoting one, and taking a line apart far enough to know whose hook it is.

use std::borrow::Cow;

/// A word that a POSIX shell reads back as exactly this text.
pub(crate) fn shell_quoted(word: &str) -> Cow<'_, str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(always_quoted(word))
}

/// The same, quoted also where it need not be.
pub(crate) fn always_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a simple command line. Anything cleverer than quotes is taken letter by letter, which is good enough
/// to recognise the lines that an installer wrote.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(letters.by_ref().take_while(|inner| *inner != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(inner) = letters.next() {
                    match inner {
                        '"' => break,
                        '\\' => word.extend(letters.next()),
                        _ => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
