//! Documents, vocabs and errors of this crate, as ops take and give them.
//!
//! Holds unsafe code: addresses of documents and vocabs that a caller lends, and implementations of
//! [`Arg`], which write nothing.

use std::marker::PhantomData;
use std::sync::Arc;

use lexpool_plugin::{Arg, DocRefC, Literal, Type, Value, VocabC};

use crate::capi::{open_doc, open_vocab};
use crate::tokens::Doc;
use crate::vocab::Vocab;

/// A document, lent for a call.
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
    // SAFETY: these are the document's own arrays, and it is borrowed for as long as the result.
    let lent = unsafe { DocRefC::new(open_doc(doc), std::ptr::from_ref(doc).cast()) };
    LentDoc { lent, doc: PhantomData }
}

/// A document that is lent.
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

    /// The document as C has it; good for as long as it is borrowed.
    pub fn into_c(self) -> DocRefC {
        self.lent
    }
}

/// A vocab, lent for a call.
pub fn lend_vocab(vocab: &Arc<Vocab>) -> &VocabC {
    // SAFETY: the address is that of the `Arc`, which is borrowed for as long.
    unsafe { &*open_vocab(vocab) }
}

// SAFETY: what it gives is only read.
unsafe impl Arg for &'static Doc {
    type Out<'a> = &'a Doc;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Doc
    }

    fn from_value(value: Value<'_>) -> Option<&Doc> {
        // SAFETY: only `lend_doc` fills this in, with a document that is borrowed for as long as what
        // it gives; a document of somebody else's has null there.
        unsafe { value.as_doc()?.host().cast::<Doc>().as_ref() }
    }
}

// SAFETY: what it gives is only read.
unsafe impl Arg for &'static Vocab {
    type Out<'a> = &'a Vocab;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Vocab
    }

    fn from_value(value: Value<'_>) -> Option<&Vocab> {
        let vocab = std::ptr::from_ref(value.as_vocab()?);
        // SAFETY: only `lend_vocab` and `open_vocab` make such addresses: those of an `Arc`.
        Some(unsafe { &*vocab.cast::<Arc<Vocab>>() })
    }
}

/// Whether a default is of a type.
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
