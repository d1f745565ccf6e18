//! A table of numbers that stays in the bytes of its file.

use bytes::Bytes;

use crate::describe::{ArrayView, Dtype, ModelNode};

/// Numbers of single precision, little-endian and not aligned.
///
/// Tables of embeddings are most of a network, and few of their rows are read for a text. So they
/// are not copied: processes that map one file share its memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table(Bytes);

const SIZE: usize = size_of::<f32>();

impl Table {
    /// Takes the numbers of an array of a node. They are copied if the node's file is not shared or
    /// they have double precision.
    pub(crate) fn new(node: &ModelNode<'_>, array: &ArrayView<'_>) -> Table {
        Table(match (array.dtype(), node.file()) {
            (Dtype::F32, Some(file)) => file.slice_ref(array.bytes()),
            (Dtype::F32, None) => Bytes::copy_from_slice(array.bytes()),
            (Dtype::F64, _) => Table::from(array.to_vec()).0,
        })
    }

    /// Returns the number at a position.
    ///
    /// # Panics
    ///
    /// If the position is out of bounds; this holds for all methods.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> f32 {
        read(&self.0[at * SIZE..(at + 1) * SIZE])
    }

    /// Adds the numbers from `start` on to `sums`.
    #[inline]
    pub(crate) fn add_to(&self, start: usize, sums: &mut [f32]) {
        let numbers = self.numbers(start, sums.len());
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }

    /// Returns `len` numbers from `start` on.
    #[inline]
    pub(crate) fn numbers(&self, start: usize, len: usize) -> impl Iterator<Item = f32> + '_ {
        self.0[start * SIZE..(start + len) * SIZE].chunks_exact(SIZE).map(read)
    }
}

impl From<Vec<f32>> for Table {
    fn from(numbers: Vec<f32>) -> Table {
        Table(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    }
}

#[inline]
fn read(bytes: &[u8]) -> f32 {
    f32::from_le_bytes(bytes.try_into().expect("four bytes"))
}
