//! Rows of different lengths, end to end.

use std::ops::Range;

/// Rows of positions, laid end to end: what an alignment gives for each token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged {
    data: Vec<i32>,
    /// Row `i` is `data[bounds[i]..bounds[i + 1]]`: ascending from 0 to `data.len()`.
    bounds: Vec<i32>,
}

impl Ragged {
    /// Lays rows end to end; none if there are more numbers than 32 bits can count.
    pub fn from_rows<R: AsRef<[i32]>>(rows: impl IntoIterator<Item = R>) -> Option<Ragged> {
        let mut ragged = Ragged { data: Vec::new(), bounds: vec![0] };
        for row in rows {
            ragged.data.extend_from_slice(row.as_ref());
            ragged.bounds.push(i32::try_from(ragged.data.len()).ok()?);
        }
        Some(ragged)
    }

    /// Makes `rows` rows of (row, number) pairs that are in order of their rows.
    ///
    /// Rows and numbers are positions of words, which 32 bits can count, and so are their pairs.
    pub(super) fn from_pairs(rows: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Ragged {
        let mut ragged = Ragged { data: Vec::new(), bounds: Vec::with_capacity(rows + 1) };
        for (row, number) in pairs {
            ragged.close_rows(row);
            ragged.data.push(position(number));
        }
        ragged.close_rows(rows);
        ragged
    }

    /// Notes that all rows before `row` have ended.
    fn close_rows(&mut self, row: usize) {
        if self.bounds.len() <= row {
            self.bounds.resize(row + 1, position(self.data.len()));
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns whether the number of rows is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row, or none if there are not so many.
    pub fn row(&self, index: usize) -> Option<&[i32]> {
        Some(&self.data[self.span(index..index.checked_add(1)?)?])
    }

    /// Returns the range of consecutive rows in [`data`](Ragged::data); `None` if a row is out of
    /// range.
    pub fn span(&self, rows: Range<usize>) -> Option<Range<usize>> {
        let bounds = self.bounds.get(rows.start..=rows.end)?;
        Some(place(*bounds.first()?)..place(*bounds.last()?))
    }

    /// All rows, end to end.
    pub fn data(&self) -> &[i32] {
        &self.data
    }

    /// Returns the start of each row in [`data`](Ragged::data).
    pub fn starts(&self) -> &[i32] {
        &self.bounds[..self.len()]
    }

    /// Returns the end of each row.
    pub fn ends(&self) -> &[i32] {
        &self.bounds[1..]
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i32]> {
        self.bounds.windows(2).map(|pair| &self.data[place(pair[0])..place(pair[1])])
    }

    /// Each row as a vector of its own.
    pub fn to_vecs(&self) -> Vec<Vec<i32>> {
        self.rows().map(<[i32]>::to_vec).collect()
    }

    /// For each row its number if it has but one.
    pub fn singles(&self) -> impl Iterator<Item = Option<i32>> {
        self.rows().map(|row| match row {
            [only] => Some(*only),
            _ => None,
        })
    }

    /// For each row the value that all its positions have in common; none for an empty row, for one
    /// with two values, and for a position outside of `values`.
    pub fn common<'v, T: PartialEq>(&self, values: &'v [T]) -> impl Iterator<Item = Option<&'v T>> {
        self.rows().map(|row| {
            let mut row_values = row.iter().map(|&at| values.get(usize::try_from(at).ok()?));
            let first = row_values.next()??;
            row_values.all(|value| value == Some(first)).then_some(first)
        })
    }
}

/// A count of words or pairs, which its maker has held below the limit of 32 bits.
fn position(count: usize) -> i32 {
    i32::try_from(count).expect("tokens were counted before they were aligned")
}

/// A bound as a place in the data; bounds are never negative.
fn place(bound: i32) -> usize {
    usize::try_from(bound).expect("bounds ascend from 0")
}
