//! "Did you mean": the known word nearest to a mistyped one.

/// The candidate most like `word`, if one is like it at all.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_and_far() {
        let words = ["review", "rework", "done"];
        assert_eq!(nearest("reveiw", words), Some("review"));
        assert_eq!(nearest("Don", words), Some("done"));
        assert_eq!(nearest("xyzzy", words), None);
    }
}
