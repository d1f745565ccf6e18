//! Choice among overlapping spans.

use std::cmp::Reverse;

use lexpool_structs::SpanC;

use crate::tokens::range_of;

/// The choice among overlapping new and existing spans. Of new spans a longer one is preferred,
/// then the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanFilter {
    /// New and existing spans are treated alike.
    Longest,
    /// Existing spans are removed if they overlap a new one.
    PreferNew,
    /// New spans are dropped if they overlap an existing one.
    PreferExisting,
}

impl SpanFilter {
    /// Returns the chosen spans: for [`Longest`](SpanFilter::Longest) sorted by start, else the
    /// existing ones followed by the new ones. All spans must lie in a document of `len` tokens.
    ///
    /// Cost: a sort, and the tokens of all spans.
    ///
    /// ```
    /// use lexpool::pipeline::SpanFilter;
    /// use lexpool::structs::SpanC;
    ///
    /// let span = |start, end| SpanC { start, end, ..SpanC::default() };
    /// let (there, new) = ([span(0, 1)], [span(0, 2), span(1, 4), span(4, 5)]);
    /// assert_eq!(SpanFilter::Longest.choose(5, &there, &new), [span(0, 1), span(1, 4), span(4, 5)]);
    /// assert_eq!(SpanFilter::PreferExisting.choose(3, &there, &new[..1]), there);
    /// assert_eq!(SpanFilter::PreferNew.choose(3, &there, &new[..1]), new[..1]);
    /// ```
    pub fn choose(self, len: usize, existing: &[SpanC], new: &[SpanC]) -> Vec<SpanC> {
        let mut covered = vec![false; len];
        let candidates: Vec<SpanC> = match self {
            SpanFilter::Longest => longest_first(existing.iter().chain(new)),
            SpanFilter::PreferNew | SpanFilter::PreferExisting => longest_first(new.iter()),
        };
        let mut chosen = Vec::new();
        if self == SpanFilter::PreferExisting {
            chosen.extend_from_slice(existing);
            for span in existing {
                take(&mut covered, span);
            }
        }
        let first = chosen.len();
        for span in candidates {
            if is_free(&covered, &span) {
                take(&mut covered, &span);
                chosen.push(span);
            }
        }
        match self {
            SpanFilter::Longest => chosen.sort_by_key(|span| span.start),
            SpanFilter::PreferNew => {
                let free = existing.iter().copied().filter(|span| is_free(&covered, span));
                chosen.splice(..first, free);
            }
            SpanFilter::PreferExisting => {}
        }
        chosen
    }
}

fn longest_first<'a>(spans: impl Iterator<Item = &'a SpanC>) -> Vec<SpanC> {
    let mut spans: Vec<SpanC> = spans.copied().collect();
    spans.sort_by_key(|span| (Reverse(range_of(span).len()), span.start));
    spans
}

/// Returns whether none of a span's tokens is taken. Tokens outside of the document are free.
fn is_free(covered: &[bool], span: &SpanC) -> bool {
    !range_of(span).any(|i| covered.get(i).is_some_and(|covered| *covered))
}

fn take(covered: &mut [bool], span: &SpanC) {
    if let Some(covered) = covered.get_mut(range_of(span)) {
        covered.fill(true);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn span(start: i32, end: i32, label: u64) -> SpanC {
        SpanC { start, end, label, ..SpanC::default() }
    }

    fn spans() -> impl Strategy<Value = Vec<SpanC>> {
        let one = (0..12_i32, 1..5_i32, 0..3_u64);
        vec(one.prop_map(|(start, len, label)| span(start, (start + len).min(12), label)), 0..8)
    }

    fn overlap(a: &SpanC, b: &SpanC) -> bool {
        a.start < b.end && b.start < a.end
    }

    proptest! {
        #[test]
        fn chosen_spans_do_not_overlap_and_every_other_span_overlaps_one(
            there in spans(), new in spans(),
        ) {
            let there = SpanFilter::Longest.choose(12, &[], &there);
            for filter in [SpanFilter::Longest, SpanFilter::PreferNew, SpanFilter::PreferExisting] {
                let kept = filter.choose(12, &there, &new);
                for (i, a) in kept.iter().enumerate() {
                    prop_assert!(kept[..i].iter().all(|b| !overlap(a, b)));
                }
                for left_out in there.iter().chain(&new).filter(|span| !kept.contains(span)) {
                    let winner = kept.iter().find(|own| overlap(own, left_out));
                    prop_assert!(winner.is_some());
                }
                let old_ones = kept.iter().filter(|span| there.contains(span)).count();
                if filter == SpanFilter::PreferExisting {
                    prop_assert!(old_ones >= there.len() && kept.starts_with(&there));
                }
            }
        }
    }

    #[test]
    fn of_equal_lengths_the_first_is_chosen_and_of_equal_spans_the_existing_one() {
        let kept = SpanFilter::Longest.choose(4, &[], &[span(1, 3, 1), span(0, 2, 2)]);
        assert_eq!(kept, [span(0, 2, 2)]);
        let kept = SpanFilter::Longest.choose(4, &[span(0, 2, 1)], &[span(0, 2, 2)]);
        assert_eq!(kept, [span(0, 2, 1)]);
    }

    #[test]
    fn a_short_existing_span_inside_a_long_new_one_is_seen() {
        let (there, new) = ([span(2, 3, 1)], [span(0, 5, 2)]);
        assert_eq!(SpanFilter::PreferExisting.choose(5, &there, &new), there);
        assert_eq!(SpanFilter::PreferNew.choose(5, &there, &new), new);
    }
}
