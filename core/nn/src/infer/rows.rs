//! Rows of numbers, in one sequence or several.

/// A matrix whose rows belong to sequences: those of a document, or of spans.
///
/// thinc has lists of arrays, ragged arrays and plain arrays for this, and layers that convert
/// them; here they are the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    width: usize,
    numbers: Vec<f32>,
    /// The number of rows of each sequence; the sum is the number of rows.
    lengths: Vec<usize>,
}

impl Rows {
    /// Makes rows of one sequence.
    ///
    /// # Panics
    ///
    /// If `width` is 0 or does not divide the number of numbers.
    pub fn new(width: usize, numbers: Vec<f32>) -> Rows {
        assert!(width > 0 && numbers.len() % width == 0, "rows of {width} numbers");
        let lengths = vec![numbers.len() / width];
        Rows { width, numbers, lengths }
    }

    /// Makes rows of several sequences.
    ///
    /// # Panics
    ///
    /// If the lengths do not add up to the number of rows.
    pub fn with_lengths(width: usize, numbers: Vec<f32>, lengths: Vec<usize>) -> Rows {
        assert_eq!(numbers.len(), lengths.iter().sum::<usize>() * width, "rows of {width} numbers");
        Rows { width, numbers, lengths }
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.numbers.len() / self.width.max(1)
    }

    /// Returns whether it has 0 rows.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the numbers, row after row.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Returns the numbers, row after row.
    pub fn into_numbers(self) -> Vec<f32> {
        self.numbers
    }

    /// Returns the rows one after another.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.numbers.chunks_exact(self.width.max(1))
    }

    /// Returns the numbers of each sequence.
    pub(crate) fn sequences(&self) -> impl Iterator<Item = &[f32]> {
        let mut rest = &self.numbers[..];
        self.lengths.iter().map(move |length| {
            let (sequence, after) = rest.split_at(length * self.width);
            rest = after;
            sequence
        })
    }

    /// Leaves out the first and the last `margin` rows of all, which are one sequence.
    pub(crate) fn without_margin(mut self, margin: usize) -> Rows {
        if margin == 0 {
            return self;
        }
        let numbers = margin * self.width;
        self.numbers.truncate(self.numbers.len().saturating_sub(numbers));
        self.numbers.drain(..numbers.min(self.numbers.len()));
        Rows::new(self.width, self.numbers)
    }

    /// Replaces the numbers by rows of another width, as many in each sequence.
    pub(crate) fn map(self, width: usize, change: impl FnOnce(Vec<f32>) -> Vec<f32>) -> Rows {
        Rows::with_lengths(width, change(self.numbers), self.lengths)
    }

    /// Returns the number of rows of each sequence.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }
}
