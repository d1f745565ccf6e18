//! Documents and vocabs as arguments of ops: implementations of a trait of `lexpool-plugin` for
//! types of this crate, which no other crate may have.
//!
//! Holds unsafe code: addresses of borrowed documents and vocabs. **Invariants**, which
//! `lexpool-ops` keeps, as it alone makes such values of documents:
//!
//! - D1: the host pointer of a document's value is null or the address of a [`Doc`] that is
//!   borrowed as long as the value.
//! - D2: the address of a vocab's value is that of an `Arc<Vocab>` that is borrowed as long.

use std::sync::Arc;

use lexpool_plugin::{Arg, Type, Value};

use crate::tokens::Doc;
use crate::vocab::Vocab;

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
        // SAFETY: D2.
        Some(unsafe { &*vocab.cast::<Arc<Vocab>>() })
    }
}
