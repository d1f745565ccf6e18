//! Arcs between words: their levels, and the anchors at which they meet the words.

use lexpool_error::codes;
use lexpool_error::{Error, Result};

use super::range_max::RangeMax;

/// A labelled arc between two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arc<'a> {
    /// Position of the left word, or in a text that runs from the right of the right one.
    pub start: usize,
    /// Position of the other word; greater than `start`.
    pub end: usize,
    /// Label of the arc.
    pub label: &'a str,
    /// The end with the dependent: the arrow points to it.
    pub towards: Towards,
}

/// An end of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Towards {
    /// The word that comes first.
    Start,
    /// The word that comes last.
    End,
}

impl Arc<'_> {
    /// Fails unless the arc is between two of so many words.
    pub(super) fn check(&self, ix: usize, words: usize) -> Result<()> {
        let Arc { start, end, label, .. } = self;
        let wrong = if start >= end {
            "does not lead from a word to a later one"
        } else if *end >= words {
            "leads beyond them"
        } else {
            return Ok(());
        };
        let text =
            format!("arc {ix} ({label:?}, {start} to {end}) {wrong}; there are {words} words");
        Err(Error::value(codes::E157, text))
    }
}

/// For each arc its level, from 1: above all arcs that share a gap between words with it and are
/// shorter, or as short and earlier.
///
/// Arcs one in the other never cross so. The work is n log n for n arcs and words.
pub(super) fn levels(arcs: &[Arc<'_>], words: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..arcs.len()).collect();
    order.sort_by_key(|&ix| (arcs[ix].end - arcs[ix].start, arcs[ix].start));
    // The level that each gap is filled up to.
    let mut filled = RangeMax::new(words);
    let mut levels = vec![0; arcs.len()];
    for ix in order {
        let gaps = arcs[ix].start..arcs[ix].end;
        let level = filled.greatest(gaps.clone()) + 1;
        filled.raise(gaps, level);
        levels[ix] = level;
    }
    levels
}

/// Anchors of an arc: for each of its words, the index among the anchors of that word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ArcAnchors {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Returns the anchors of all arcs, and the number of anchors of each word.
///
/// At a word, arcs to the left stand left of those to the right, and low ones outside of high ones,
/// so that no arc climbs through one that ends at the same word.
pub(super) fn anchors(
    arcs: &[Arc<'_>],
    levels: &[usize],
    words: usize,
) -> (Vec<ArcAnchors>, Vec<usize>) {
    let mut order: Vec<usize> = (0..arcs.len()).collect();
    order.sort_by_key(|&ix| (levels[ix], ix));
    let mut anchors = vec![ArcAnchors::default(); arcs.len()];
    let mut count = vec![0; words];
    for &ix in &order {
        let word = arcs[ix].end;
        anchors[ix].end = count[word];
        count[word] += 1;
    }
    for &ix in order.iter().rev() {
        let word = arcs[ix].start;
        anchors[ix].start = count[word];
        count[word] += 1;
    }
    (anchors, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(ends: &[(usize, usize)]) -> Vec<Arc<'static>> {
        let arc = |&(start, end)| Arc { start, end, label: "", towards: Towards::End };
        ends.iter().map(arc).collect()
    }

    #[test]
    fn an_arc_lies_above_those_that_it_spans() {
        assert_eq!(levels(&arcs(&[(0, 3), (1, 2), (2, 3), (0, 1)]), 4), [2, 1, 1, 1]);
        assert_eq!(levels(&arcs(&[(0, 1), (2, 3), (2, 3), (1, 3)]), 4), [1, 1, 2, 3]);
    }

    #[test]
    fn arcs_that_cross_have_different_levels() {
        let found = levels(&arcs(&[(0, 2), (1, 3)]), 4);
        assert_ne!(found[0], found[1]);
    }

    #[test]
    fn feet_at_a_word_run_from_low_left_to_low_right() {
        let arcs = arcs(&[(0, 2), (1, 2), (2, 3), (2, 4)]);
        let (anchors, count) = anchors(&arcs, &levels(&arcs, 5), 5);
        assert_eq!(count, [1, 1, 4, 1, 1]);
        let at_two = [anchors[1].end, anchors[0].end, anchors[3].start, anchors[2].start];
        assert_eq!(at_two, [0, 1, 2, 3]);
    }

    #[test]
    fn an_arc_out_of_range_is_named() {
        let error = arcs(&[(1, 4)])[0].check(7, 4).unwrap_err();
        assert_eq!(error.code(), "E157");
        assert!(error.message().contains("arc 7") && error.message().contains("1 to 4"));
        assert!(arcs(&[(2, 2)])[0].check(0, 4).is_err());
    }
}
