//! Suggestions for misspelt names.

/// The candidate nearest to `word` in edit distance, if near enough to be a typing error.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(word.len()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Help for an unknown name: ``did you mean `codel`?``, or the list of known names if no name is near.
pub fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "none are defined".to_owned(),
        None => format!("known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_a_name_only_for_typing_errors() {
        let known = ["tail-drop", "red", "codel", "pi2"];
        assert_eq!(nearest("coddel", known.into_iter()), Some("codel"));
        assert_eq!(nearest("taildrop", known.into_iter()), Some("tail-drop"));
        assert_eq!(nearest("wireless", known.into_iter()), None);
    }

    #[test]
    fn without_a_near_name_all_known_names_are_listed() {
        assert_eq!(suggestion("wireless", ["red", "pi2"].into_iter()), "known: red, pi2");
        assert_eq!(suggestion("wireless", [].into_iter()), "none are defined");
    }
}
