//! `iob.*` and `tree.*`: annotation as training needs it.

use lexpool::{Result, iob, projective};

use super::super::hooks::go_on;
use super::super::{Batch, op};

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "iob.to_biluo"(tags) = to_biluo,
        "Converts tags from IOB to BILUO.\n\nRaises ValueError E177 for a tag other than O that \
         has no label.",
        gil = by_size(256)
    );
    op!(
        *ops,
        "iob.from_biluo"(tags) = from_biluo,
        "Converts tags from BILUO to IOB; None stays None.",
        gil = by_size(256)
    );
    op!(
        *ops,
        "tree.projectivize"(heads) = projectivize,
        "The heads of a projective tree: arcs that cross another one are lifted, the shortest \
         first.\n\nheads are positions of tokens; a root is its own head, and None is an unknown \
         head. Raises ValueError E190 if a head is not one of the tokens.",
        gil = release
    );
    op!(
        *ops,
        "tree.smallest_nonprojective_arc"(heads) = smallest,
        "The token whose arc is non-projective and spans the fewest tokens; None for a projective \
         tree.\n\nheads are as for tree.projectivize.",
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
