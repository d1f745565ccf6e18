//! Typed handles: types are checked once, and each call is a call by pointer.
//!
//! Holds unsafe code: the typed entry of an op is called as the function type that its marker
//! names.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use lexpool::codes;
use lexpool_plugin::{Arg, Failure, FailureKind, IntoOwned};

use super::op::Op;

/// An op whose types are known: `Handle<fn(&'static str, i64) -> i64>`.
///
/// A call goes to the best kernel at that moment, without a lock or a conversion. Cost: two loads
/// and a call by pointer.
///
/// ```
/// use lexpool_ops::{Registry, op};
///
/// let registry = Registry::new();
/// registry.register(|ops| {
///     op!(*ops, "text.repeat"(text, n) = |text: &str, n: usize| text.repeat(n), "Over and over.");
/// })?;
/// let repeat = registry.handle::<fn(&'static str, usize) -> String>("text.repeat")?;
/// assert_eq!(repeat.call("ab", 2)?, "abab");
/// # Ok::<(), lexpool_ops::Failure>(())
/// ```
pub struct Handle<M> {
    op: Arc<Op>,
    marker: PhantomData<M>,
}

impl<M: 'static> Handle<M> {
    /// Makes a handle to an op of the type `M`.
    ///
    /// # Errors
    ///
    /// `op-signature` if the op is of another type.
    pub(super) fn new(op: Arc<Op>) -> Result<Handle<M>, Failure> {
        if op.marker() != Some(TypeId::of::<M>()) {
            let text = format!(
                "{} is {}; asked for was {}",
                op.name(),
                op.signature(),
                std::any::type_name::<M>()
            );
            return Err(Failure::new(FailureKind::Type, "op-signature", text));
        }
        Ok(Handle { op, marker: PhantomData })
    }

    /// The op.
    pub fn op(&self) -> &Arc<Op> {
        &self.op
    }
}

impl<M> Clone for Handle<M> {
    fn clone(&self) -> Handle<M> {
        Handle { op: Arc::clone(&self.op), marker: PhantomData }
    }
}

impl<M> fmt::Debug for Handle<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.op.fmt(f)
    }
}

/// The failure of an op without a typed entry: it was removed, or its kernel is a C function.
#[cold]
fn no_entry(op: &Op) -> Failure {
    let text = if op.is_removed() {
        "the op was removed, or has no kernel for this machine"
    } else {
        "its kernel came through C and has no typed entry; call the op with values"
    };
    let code =
        if op.is_removed() { codes::OP_REMOVED.as_str() } else { codes::OP_UNTYPED.as_str() };
    op.explain(Failure::new(FailureKind::State, code, text))
}

macro_rules! handles {
    ($($($A:ident $a:ident),*;)*) => {$(
        impl<R: IntoOwned<'static>, $($A: Arg),*> Handle<fn($($A),*) -> R> {
            /// Calls the op.
            ///
            /// # Errors
            ///
            /// `op-removed` while the op is removed, `op-untyped` while its best kernel is a C
            /// function. The function's own errors are part of its result.
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "as many as ops have")]
            #[allow(
                clippy::extra_unused_lifetimes,
                clippy::elidable_lifetime_names,
                clippy::needless_lifetimes,
                reason = "one for all arguments, where there is more than one"
            )]
            pub fn call<'a>(&self, $($a: $A::Out<'a>),*) -> Result<R, Failure> {
                type Entry<R, $($A),*> =
                    for<'a> unsafe fn(*const (), $(<$A as Arg>::Out<'a>),*) -> R;
                let installed = self.op.current();
                let Some(entry) = installed.typed else { return Err(no_entry(&self.op)) };
                // SAFETY: `new` has checked that the op's marker is this handle's, and typed
                // entries are stored for kernels of that marker only, each with its own context.
                unsafe {
                    let entry = std::mem::transmute::<*const (), Entry<R, $($A),*>>(entry);
                    Ok(entry(installed.kernel.entry().1.cast(), $($a),*))
                }
            }
        }
    )*};
}

handles! {
    ;
    A a;
    A a, B b;
    A a, B b, C c;
    A a, B b, C c, D d;
    A a, B b, C c, D d, E e;
    A a, B b, C c, D d, E e, F f;
    A a, B b, C c, D d, E e, F f, G g;
    A a, B b, C c, D d, E e, F f, G g, H h;
}
