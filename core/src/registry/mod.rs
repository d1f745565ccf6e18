//! One registry: a function is written once and called from Rust, C and Python.
//!
//! ```
//! use lexpool::registry::{Registry, Value, op};
//!
//! fn longest(texts: Vec<&str>, min_len: usize) -> Option<String> {
//!     let long = texts.into_iter().filter(|text| text.len() >= min_len);
//!     long.max_by_key(|text| text.len()).map(str::to_owned)
//! }
//!
//! let registry = Registry::new();
//! registry.register(|ops| {
//!     op!(*ops, "text.longest"(texts, *, min_len = 0) = longest, "The longest of some texts.");
//! })?;
//! let op = registry.get("text.longest").unwrap();
//! assert_eq!(op.signature(), "longest(texts: list[str], *, min_len: int = 0) -> str | None");
//! let texts = [Value::str("a").unwrap(), Value::str("bcd").unwrap()];
//! assert_eq!(op.call(&[Value::list(&texts).unwrap()])?.get().as_str(), Some("bcd"));
//! # Ok::<(), lexpool::registry::Failure>(())
//! ```
//!
//! | entry | who calls | cost |
//! | --- | --- | --- |
//! | typed: [`Handle`] | Rust that knows the types | a call by pointer |
//! | boxed: [`Op::call`] | Rust that does not | sixteen bytes an argument, in the caller's array |
//! | C: `lexpool_op_call` | C, plugins | the same, by one function |
//! | Python: `lexpool.ops` | Python | a builtin function |
//!
//! What ops are declared with is [`lexpool_plugin`]'s, so that a plugin does it in the same words.
//! [`global`] has lexpool's own functions as ops; [`map()`] calls an op for many documents, and
//! [`stubs()`] writes a registry for type checkers.
//! Ops are never freed while their registry lives: reading takes no lock, and removal leaves a
//! tombstone that answers with an error.

mod adopt;
mod builtin;
mod classes;
mod convert;
mod guarded;
mod handle;
mod host;
mod keys;
mod library;
mod map;
mod op;
mod plugins;
mod profile;
mod registration;
mod scorer;
mod stubs;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ahash::RandomState;
use lexpool_pool::{Index, SegmentedVec};

pub use builtin::{Counts, Ranges};
pub use classes::{Field, ObjectClass};
pub use convert::{LentDoc, lend_doc, lend_vocab};
pub use handle::Handle;
pub use host::{HOST, HostHooks, set_host_hooks};
pub use keys::available_keys;
pub use lexpool_plugin::{
    self as plugin, Arg, Callable, Class, Declaration, Failure, FailureKind, Function, Gil,
    IntoOwned, Kernel, Key, Object, Owned, Param, Registrar, Type, Value, class, op,
};
pub use map::{Mapping, map};
pub use op::{KernelInfo, Op, literal};
pub use plugins::Loaded;
pub use profile::{Hook, called, is_on, set_hook};
pub use registration::{Batch, Registration};
pub use scorer::OpScorer;
pub(crate) use scorer::error_of;
pub use stubs::stubs;

/// Names and what is behind them.
pub struct Registry {
    ops: Named<Op>,
    classes: Named<ObjectClass>,
    /// Held by who changes anything, so that a batch is judged and installed as one.
    writer: Mutex<Key>,
    plugins: plugins::Plugins,
}

/// Things by their names, found without a lock.
struct Named<T> {
    items: SegmentedVec<Arc<T>>,
    index: Index,
    hasher: RandomState,
}

impl<T: Send + Sync> Named<T> {
    fn new() -> Named<T> {
        Named {
            items: SegmentedVec::new(),
            index: Index::with_shards(1),
            hasher: RandomState::new(),
        }
    }

    fn get(&self, name: &str, name_of: impl Fn(&T) -> &str) -> Option<&Arc<T>> {
        let at = self.index.find(self.hasher.hash_one(name), |ix| {
            self.items.get(ix).is_some_and(|item| name_of(item) == name)
        })?;
        self.items.get(at)
    }

    fn insert(&self, item: &Arc<T>, name_of: impl Fn(&T) -> &str) -> crate::Result<()> {
        let hash = |item: &T| self.hasher.hash_one(name_of(item));
        let key = hash(item);
        self.index.find_or_insert::<crate::Error>(
            key,
            |ix| self.items.get(ix).is_some_and(|other| name_of(other) == name_of(item)),
            |ix| self.items.get(ix).map_or(0, |other| hash(other)),
            || Ok(self.items.push(Arc::clone(item))?),
        )?;
        Ok(())
    }
}

impl Registry {
    /// A registry without ops.
    pub fn new() -> Registry {
        Registry {
            ops: Named::new(),
            classes: Named::new(),
            writer: Mutex::new(Key::Parallel),
            plugins: plugins::Plugins::default(),
        }
    }

    /// The op of a name. Takes no lock.
    pub fn get(&self, name: &str) -> Option<&Arc<Op>> {
        self.ops.get(name, Op::name)
    }

    /// The op of a name, or a failure that names the nearest ones.
    ///
    /// # Errors
    ///
    /// `op-unknown`.
    pub fn find(&self, name: &str) -> Result<&Arc<Op>, Failure> {
        self.get(name).ok_or_else(|| {
            let mut near: Vec<_> = self.ops().map(|op| op.name()).collect();
            near.sort_by_key(|other| {
                let same = name.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
                std::cmp::Reverse(same)
            });
            near.truncate(3);
            let hint = if near.is_empty() {
                String::from("there are none yet")
            } else {
                format!("nearest are {}", near.join(", "))
            };
            let text = format!("there is no op {name:?}; {hint}");
            Failure::new(FailureKind::Unknown, "op-unknown", text)
        })
    }

    /// The op of a name, or the constructor or a method of a type: `text.Counter.new`, `text.Counter.add`.
    /// Takes no lock.
    pub fn get_or_method(&self, name: &str) -> Option<&Arc<Op>> {
        self.get(name).or_else(|| {
            let (key, _) = name.rsplit_once('.')?;
            let class = self.class(key)?;
            let methods = class.methods().iter();
            let mut methods = methods.chain(class.constructor());
            methods.find(|method| method.name() == name)
        })
    }

    /// A typed handle on the op of a name.
    ///
    /// # Errors
    ///
    /// `op-unknown`; `op-signature` if the op's types are others.
    pub fn handle<M: 'static>(&self, name: &str) -> Result<Handle<M>, Failure> {
        Handle::new(Arc::clone(self.find(name)?))
    }

    /// All ops, in the order in which they were registered; removed ones are left out.
    pub fn ops(&self) -> impl Iterator<Item = &Arc<Op>> {
        self.ops.items.iter().filter(|op| !op.is_removed())
    }

    /// The type of objects of a name. Takes no lock.
    pub fn class(&self, key: &str) -> Option<&Arc<ObjectClass>> {
        self.classes.get(key, ObjectClass::key)
    }

    /// All types of objects, in the order in which they were registered.
    pub fn classes(&self) -> impl Iterator<Item = &Arc<ObjectClass>> {
        self.classes.items.iter()
    }

    /// Calls only kernels up to this key from now on, in all ops; [`Key::Parallel`] is no limit.
    /// Gives the limit from before.
    ///
    /// # Errors
    ///
    /// `op-key` for a key that this machine cannot run.
    pub fn limit(&self, key: Key) -> Result<Key, Failure> {
        if !available_keys().contains(&key) {
            let names: Vec<_> = available_keys().iter().map(|key| key.name()).collect();
            let text = format!("this machine has no {}; it has {}", key.name(), names.join(", "));
            return Err(Failure::new(FailureKind::Value, "op-key", text));
        }
        let mut limit = self.lock();
        for op in self.ops.items.iter() {
            op.limit(key);
        }
        Ok(std::mem::replace(&mut *limit, key))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Key> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::new()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ops()).finish()
    }
}

/// The registry of this process, with lexpool's own ops in it.
///
/// ```
/// use lexpool::registry::{Value, global};
///
/// let words = [Value::str("kitten").unwrap(), Value::str("sitting").unwrap()];
/// let distance = global().find("text.edit_distance")?.call(&words)?;
/// assert_eq!(distance.get().as_int(), Some(3));
/// # Ok::<(), lexpool::registry::Failure>(())
/// ```
pub fn global() -> &'static Registry {
    static GLOBAL: OnceLock<Registry> = OnceLock::new();
    GLOBAL.get_or_init(|| {
        let registry = Registry::new();
        registry.register(builtin::declare).expect("lexpool's own ops hold, as a test sees");
        registry
    })
}

#[cfg(test)]
mod tests;
