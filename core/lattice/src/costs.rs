//! Connection costs: how badly two words stand side by side.

use bytes::Bytes;

use crate::le::i16_at;

/// The matrix of connection costs, by the right id of a word and the left id of the word after it.
#[derive(Clone, Debug)]
pub struct ConnectionCosts {
    /// Invariant: `right_ids` times `left_ids` numbers of two bytes, one row a left id.
    cells: Bytes,
    right_ids: usize,
    left_ids: usize,
}

/// The costs of all words that may precede a word.
#[derive(Clone, Copy, Debug)]
pub struct CostRow<'c>(&'c [u8]);

impl ConnectionCosts {
    /// Creates the matrix from numbers of two bytes, little-endian: for each left id, the costs of
    /// all right ids. Returns `None` if there are too few.
    pub fn new(cells: &Bytes, right_ids: usize, left_ids: usize) -> Option<ConnectionCosts> {
        let len = right_ids.checked_mul(left_ids)?.checked_mul(2)?;
        (len <= cells.len()).then(|| ConnectionCosts {
            cells: cells.slice(..len),
            right_ids,
            left_ids,
        })
    }

    /// Returns the number of right ids, those of the word in front.
    pub fn right_ids(&self) -> usize {
        self.right_ids
    }

    /// Returns the number of left ids, those of the word behind.
    pub fn left_ids(&self) -> usize {
        self.left_ids
    }

    /// Returns the costs for a word with a left id; a row without cells for an id of damaged bytes.
    #[inline]
    pub fn row(&self, left: u16) -> CostRow<'_> {
        if usize::from(left) >= self.left_ids {
            return CostRow(&[]);
        }
        let start = 2 * self.right_ids * usize::from(left);
        CostRow(&self.cells[start..start + 2 * self.right_ids])
    }
}

impl CostRow<'_> {
    /// Returns the cost behind a word with a right id; the greatest cost for an id of damaged
    /// bytes.
    #[inline]
    pub fn cost(&self, right: u16) -> i16 {
        i16_at(self.0, 2 * usize::from(right)).unwrap_or(i16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_beyond_the_matrix_has_the_greatest_cost() {
        let cells: Vec<u8> = [1_i16, 2, 3, -4, 5, 6].iter().flat_map(|c| c.to_le_bytes()).collect();
        let costs = ConnectionCosts::new(&cells.into(), 2, 3).unwrap();
        assert_eq!((costs.row(0).cost(1), costs.row(1).cost(1), costs.row(2).cost(0)), (2, -4, 5));
        assert_eq!((costs.row(3).cost(0), costs.row(0).cost(2)), (i16::MAX, i16::MAX));
        assert!(ConnectionCosts::new(&Bytes::from_static(&[0; 5]), 1, 3).is_none());
        assert!(ConnectionCosts::new(&Bytes::new(), usize::MAX, 3).is_none());
    }
}
