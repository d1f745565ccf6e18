//! Documents and vocabs of this crate as arguments of ops.
//!
//! Holds unsafe code: addresses of borrowed documents and vocabs, and implementations of [`Arg`].
//! **Invariants:**
//!
//! - D1: the host pointer of a [`DocRefC`] is null or made by [`lend_doc`], which borrows the
//!   document.
//! - D2: an address of a [`VocabC`] is that of an `Arc<Vocab>` which is borrowed as long.

use std::marker::PhantomData;
use std::sync::Arc;

use lexpool_plugin::{Arg, DocRefC, Literal, Type, Value, VocabC};

use crate::capi::{open_doc, open_vocab};
use crate::tokens::Doc;
use crate::vocab::Vocab;

/// Borrows a document for a call.
///
/// ```
/// use lexpool::registry::lend_doc;
/// use lexpool::tokenizer::Tokenizer;
///
/// let doc = Tokenizer::blank("en")?.tokenize("Hello there")?;
/// assert_eq!(lend_doc(&doc).value().as_doc().unwrap().len(), 2);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn lend_doc(doc: &Doc) -> LentDoc<'_> {
    // SAFETY: the document's own arrays, borrowed as long as the result.
    let lent = unsafe { DocRefC::new(open_doc(doc), std::ptr::from_ref(doc).cast()) };
    LentDoc { lent, doc: PhantomData }
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

// SAFETY: the argument is only read.
unsafe impl Arg for &'static Doc {
    type Out<'a> = &'a Doc;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Doc
    }

    fn from_value(value: Value<'_>) -> Option<&Doc> {
        // SAFETY: D1; documents of other libraries have null there.
        unsafe { value.as_doc()?.host().cast::<Doc>().as_ref() }
    }
}

// SAFETY: the argument is only read.
unsafe impl Arg for &'static Vocab {
    type Out<'a> = &'a Vocab;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Vocab
    }

    fn from_value(value: Value<'_>) -> Option<&Vocab> {
        let vocab = std::ptr::from_ref(value.as_vocab()?);
        // SAFETY: D2: `lend_vocab` and `open_vocab` make such addresses.
        Some(unsafe { &*vocab.cast::<Arc<Vocab>>() })
    }
}

/// Returns whether a default is of a type.
pub(super) fn takes(ty: &Type, default: &Literal) -> bool {
    match (ty, default) {
        (Type::Any | Type::Optional(_) | Type::None, Literal::None)
        | (Type::Bool, Literal::Bool(_))
        | (Type::Int, Literal::Int(_))
        | (Type::Float, Literal::Int(_) | Literal::Float(_))
        | (Type::Str, Literal::Str(_))
        | (Type::Any, _) => true,
        (Type::Optional(inner), _) => takes(inner, default),
        _ => false,
    }
}
