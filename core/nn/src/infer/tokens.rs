//! Interfaces by which a network reads a document; the caller implements them.

use lexpool_error::{Error, Result, codes};
use lexpool_structs::AttrId;

/// The tokens of one document.
pub trait TokenSource {
    /// Returns the number of tokens.
    fn len(&self) -> usize;

    /// Returns whether the document lacks tokens.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values of an attribute, one for each token.
    ///
    /// # Errors
    ///
    /// Any reason why the document does not have the attribute.
    fn column(&self, attr: AttrId) -> Result<Vec<u64>>;

    /// Returns the text of a token.
    fn text(&self, token: usize) -> &str;

    /// Returns the vectors that another component has computed for the tokens; `None` if it has not
    /// run.
    fn tensor(&self) -> Option<TensorView<'_>>;

    /// Returns the word vectors; `None` if the vocab lacks them.
    fn vectors(&self) -> Option<&dyn WordVectors>;
}

/// Rows of numbers, one for each token.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    /// The number of columns.
    pub width: usize,
    /// The numbers, row after row.
    pub numbers: &'a [f32],
}

/// A table of word vectors, as the tokens of a document see it.
pub trait WordVectors {
    /// Returns the number of columns.
    fn width(&self) -> usize;

    /// Writes the vector of a token to `row`. Returns false, and leaves `row` unchanged, if the
    /// table lacks the word.
    fn read(&self, token: usize, row: &mut [f32]) -> bool;

    /// Returns the last row of the table, which the first version of the layer gives to words that
    /// the table lacks.
    fn last_row(&self) -> Option<&[f32]>;
}

/// Returns the error `model-vectors` for word vectors of another width than a network takes; a
/// vocab without vectors has the width 0.
pub fn wrong_vectors(expected: usize, width: usize) -> Error {
    let text = format!(
        "the network takes word vectors of {expected} numbers; those of the vocab have {width}"
    );
    Error::value(codes::MODEL_VECTORS, text)
}
