//! The sizes in which a product is computed.

use std::ops::Range;

/// The number of columns of a panel.
pub(super) const COLUMNS: usize = 16;
/// The number of rows of a tile.
pub(super) const ROWS: usize = 6;

/// The sums of a tile.
pub(super) type Tile = [[f32; COLUMNS]; ROWS];

/// The parts of a range, of at most `size` numbers.
pub(super) fn parts(
    range: &Range<usize>,
    size: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let end = range.end;
    range.clone().step_by(size).map(move |start| start..end.min(start + size))
}
