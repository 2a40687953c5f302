//! Help with words: the valid name that is nearest to a misspelt one, and the end of a sentence.

/// The candidate that is most like `found`, if any is like it at all: at most a third of its letters
/// (and at least two) may differ, capitals aside. The first wins a tie, so the order of candidates
/// must be fixed.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let limit = (found.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits from one word to the other; a word cut short is one edit away.
fn distance(found: &str, candidate: &str) -> usize {
    let cut = found.len() >= 3 && (candidate.starts_with(found) || found.starts_with(candidate));
    if cut { 1 } else { strsim::damerau_levenshtein(found, candidate) }
}

/// A text with the full stop that ends a sentence, unless it has an end of its own.
#[must_use]
pub fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::{nearest, sentence};

    #[test]
    fn a_sentence_ends_once() {
        assert_eq!(
            (sentence("a").as_str(), sentence("a?").as_str(), sentence("a.").as_str()),
            ("a.", "a?", "a.")
        );
    }

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        for (found, expect) in [
            ("runs_on", Some("run_on")),
            ("taint", Some("taints")),
            ("TAINTS", Some("taints")),
            ("tianst", Some("taints")),
            ("lab", Some("labels")),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(found, ["run_on", "taints", "labels"]), expect, "{found}");
        }
    }
}
