//! A document as the input of a network.

use lexpool_nn::{TensorView, TokenSource, WordVectors};
use lexpool_structs::AttrId;

use crate::Result;
use crate::tokens::Doc;
use crate::vectors::{Mode, Vectors};

/// Word vectors that may change between documents, such as those of a vocab in Python.
pub trait VectorSource: Send + Sync {
    /// Calls a function with the vectors as they are now.
    ///
    /// # Errors
    ///
    /// Those of the function.
    fn read(&self, function: &mut dyn FnMut(&Vectors) -> Result<()>) -> Result<()>;
}

impl VectorSource for Vectors {
    fn read(&self, function: &mut dyn FnMut(&Vectors) -> Result<()>) -> Result<()> {
        function(self)
    }
}

/// The tokens of a document with word vectors.
pub(super) struct DocTokens<'a> {
    doc: &'a Doc,
    vectors: Option<DocVectors<'a>>,
}

/// The word vectors of a document's tokens.
struct DocVectors<'a> {
    doc: &'a Doc,
    vectors: &'a Vectors,
    /// The key of each token.
    keys: Vec<u64>,
}

impl<'a> DocTokens<'a> {
    pub(super) fn new(doc: &'a Doc, vectors: Option<&'a Vectors>) -> DocTokens<'a> {
        let vectors = vectors.map(|vectors| {
            let keys = doc.attrs().column(AttrId::new(vectors.attr()));
            DocVectors { doc, vectors, keys }
        });
        DocTokens { doc, vectors }
    }
}

impl TokenSource for DocTokens<'_> {
    fn len(&self) -> usize {
        self.doc.len()
    }

    fn column(&self, attr: AttrId) -> Result<Vec<u64>> {
        Ok(self.doc.attrs().column(attr))
    }

    fn text(&self, token: usize) -> &str {
        self.doc.token(token).map_or("", |token| token.text())
    }

    fn tensor(&self) -> Option<TensorView<'_>> {
        let tensor = self.doc.tensor()?;
        Some(TensorView { width: tensor.width(), numbers: tensor.numbers() })
    }

    fn vectors(&self) -> Option<&dyn WordVectors> {
        self.vectors.as_ref().map(|vectors| vectors as &dyn WordVectors)
    }
}

impl WordVectors for DocVectors<'_> {
    fn width(&self) -> usize {
        self.vectors.rows().width()
    }

    fn read(&self, token: usize, row: &mut [f32]) -> bool {
        if self.vectors.mode() == Mode::Floret {
            let key = crate::strings::StrId::new(self.keys[token]);
            let word = self.doc.snapshot().string(key).unwrap_or_default();
            row.copy_from_slice(&self.vectors.floret_vector(word));
            return true;
        }
        match self.vectors.get(self.keys[token]) {
            Some(vector) => {
                row.copy_from_slice(vector);
                true
            }
            None => false,
        }
    }

    fn last_row(&self) -> Option<&[f32]> {
        let rows = self.vectors.rows();
        rows.get(rows.len().checked_sub(1)?)
    }
}
