//! `iob.*` and `tree.*`: annotation as training needs it.

use super::super::hooks::go_on;
use super::super::{Batch, op};
use crate::{Result, iob, projective};

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "iob.to_biluo"(tags) = to_biluo,
        "Tags in IOB as tags in BILUO.\n\nValueError E177: a tag other than O that has no label.",
        gil = by_size(256)
    );
    op!(
        *ops,
        "iob.from_biluo"(tags) = from_biluo,
        "Tags in BILUO as tags in IOB; None stays.",
        gil = by_size(256)
    );
    op!(
        *ops,
        "tree.projectivize"(heads) = projectivize,
        "The heads of a projective tree: each arc that crosses another is lifted, the shortest \
         first.\n\nheads are positions of tokens, a root being its own head, and None where it is not \
         known. ValueError E190: a head outside of the tokens.",
        gil = release
    );
    op!(
        *ops,
        "tree.smallest_nonprojective_arc"(heads) = smallest,
        "The token whose arc is non-projective and spans the fewest tokens; None for a projective \
         tree.\n\nheads as for tree.projectivize.",
        gil = release
    );
}

type Heads = Vec<Option<usize>>;

#[expect(clippy::needless_pass_by_value, reason = "as an op takes lists")]
fn to_biluo(tags: Vec<&str>) -> Result<Vec<String>> {
    iob::biluo_from_iob(&tags)
}

fn from_biluo(tags: Vec<Option<&str>>) -> Vec<Option<String>> {
    tags.into_iter().map(|tag| tag.map(iob::iob_from_biluo)).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "as an op takes lists")]
fn projectivize(heads: Heads) -> Result<Heads> {
    projective::projectivize_with(&heads, &mut go_on)
}

#[expect(clippy::needless_pass_by_value, reason = "as an op takes lists")]
fn smallest(heads: Heads) -> Result<Option<usize>> {
    projective::smallest_nonprojective_arc(&heads)
}
