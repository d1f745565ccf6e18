//! Documents and vocabs that are borrowed as arguments of ops.
//!
//! Holds unsafe code. **Invariants**, on which the arguments of the types `&Doc` and `&Vocab` of
//! `lexpool` rely:
//!
//! - D1: the host pointer of a [`DocRefC`] is null or the address of the [`Doc`] that
//!   [`lend_doc`] borrows.
//! - D2: an address of a [`VocabC`] is that of an `Arc<Vocab>` which is borrowed as long.

use std::marker::PhantomData;
use std::sync::Arc;

use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool_plugin::{DocRefC, Value, VocabC};

use crate::capi::{open_doc, open_vocab};

/// Borrows a document for a call.
///
/// ```
/// use lexpool_ops::lend_doc;
/// use lexpool::tokenizer::Tokenizer;
///
/// let doc = Tokenizer::blank("en")?.tokenize("Hello there")?;
/// assert_eq!(lend_doc(&doc).value().as_doc().unwrap().len(), 2);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn lend_doc(doc: &Doc) -> LentDoc<'_> {
    // SAFETY: D1: the document and its arrays are borrowed as long as the result.
    let view = unsafe { DocRefC::new(open_doc(doc), std::ptr::from_ref(doc).cast()) };
    LentDoc { lent: view, doc: PhantomData }
}

/// A document that is borrowed for calls.
#[derive(Clone, Copy, Debug)]
pub struct LentDoc<'a> {
    lent: DocRefC,
    doc: PhantomData<&'a Doc>,
}

impl LentDoc<'_> {
    /// The document as a value.
    pub fn value(&self) -> Value<'_> {
        Value::doc(&self.lent)
    }

    /// The C form, valid as long as the document is borrowed.
    pub fn into_c(self) -> DocRefC {
        self.lent
    }
}

/// Borrows a vocab for a call.
pub fn lend_vocab(vocab: &Arc<Vocab>) -> &VocabC {
    // SAFETY: D2.
    unsafe { &*open_vocab(vocab) }
}
