//! The valid name that is nearest to a misspelt one.

/// The candidate that is most like `found`, if any is like it at all: at most a third of its letters
/// (and at least two) may differ, capitals aside. The first wins a tie, so the order of candidates
/// must be fixed.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let limit = (found.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        for (found, expect) in [
            ("runs_on", Some("run_on")),
            ("taint", Some("taints")),
            ("TAINTS", Some("taints")),
            ("tianst", Some("taints")),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(found, ["run_on", "taints", "labels"]), expect, "{found}");
        }
    }
}
