//! `spans.*`: stretches of tokens.

use lexpool::Result;
use lexpool::matcher::Greedy;
use lexpool::tokens::spans_overlap;

use super::super::{Batch, op};
use super::Ranges;

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "spans.overlap"(spans) = spans_overlap,
        "Returns True if two spans share a token, or if an empty span lies inside of another \
         span.\n\nSorts the spans."
    );
    op!(
        *ops,
        "spans.filter"(ranges, *, longest = true) = filter,
        "The positions of the ranges that remain when overlaps are resolved, in order of their \
         starts.\n\nranges is an int64 array of first tokens and tokens after the last. Of two \
         overlapping ranges the longer one is kept, or with longest=False the one that starts \
         first."
    );
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "as an op takes arrays that it reads in a form of its own"
)]
fn filter(ranges: Ranges, longest: bool) -> Result<Vec<usize>> {
    let greedy = if longest { Greedy::Longest } else { Greedy::First };
    let mut places = greedy.choose(&ranges.0)?;
    places.sort_unstable_by_key(|&at| (ranges.0[at].start, at));
    Ok(places)
}
