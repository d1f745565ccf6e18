//! Rows of tables with factors.

/// A row of a table, and the number that it is multiplied with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScaledRow {
    /// The number.
    pub factor: f32,
    /// The place of the row's first number in the table.
    pub start: u32,
}
