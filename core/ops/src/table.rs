//! The registry: ops and classes by name, found without a lock.

use std::sync::{Arc, Mutex, PoisonError};

use ahash::RandomState;
use lexpool_plugin::{Failure, FailureKind, Key};
use lexpool_pool::{Index, SegmentedVec};

use super::classes::ObjectClass;
use super::handle::Handle;
use super::keys::available_keys;
use super::loaded::Plugins;
use super::op::Op;

/// A registry of ops and types of objects by name.
pub struct Registry {
    pub(super) ops: Named<Op>,
    pub(super) classes: Named<ObjectClass>,
    /// Held during changes, so that a batch is validated and installed as one.
    writer: Mutex<Key>,
    pub(super) plugins: Plugins,
}

/// A map from names to items, with lock-free look-up.
pub(super) struct Named<T> {
    pub(super) items: SegmentedVec<Arc<T>>,
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

    pub(super) fn get(&self, name: &str, name_of: impl Fn(&T) -> &str) -> Option<&Arc<T>> {
        let at = self.index.find(self.hasher.hash_one(name), |ix| {
            self.items.get(ix).is_some_and(|item| name_of(item) == name)
        })?;
        self.items.get(at)
    }

    pub(super) fn insert(
        &self,
        item: &Arc<T>,
        name_of: impl Fn(&T) -> &str,
    ) -> lexpool::Result<()> {
        let hash = |item: &T| self.hasher.hash_one(name_of(item));
        let key = hash(item);
        self.index.find_or_insert::<lexpool::Error>(
            key,
            |ix| self.items.get(ix).is_some_and(|other| name_of(other) == name_of(item)),
            |ix| self.items.get(ix).map_or(0, |other| hash(other)),
            || Ok(self.items.push(Arc::clone(item))?),
        )?;
        Ok(())
    }
}

impl Registry {
    /// Makes an empty registry.
    pub fn new() -> Registry {
        Registry {
            ops: Named::new(),
            classes: Named::new(),
            writer: Mutex::new(Key::Parallel),
            plugins: Plugins::default(),
        }
    }

    /// Finds an op by name. Takes no lock.
    pub fn get(&self, name: &str) -> Option<&Arc<Op>> {
        self.ops.get(name, Op::name)
    }

    /// Finds an op by name, or fails with similar names.
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
            let text = format!("no op is named {name:?}; {hint}");
            Failure::new(FailureKind::Unknown, "op-unknown", text)
        })
    }

    /// Finds an op, or the constructor or a method of a type: `text.Counter.new`,
    /// `text.Counter.add`. Takes no lock.
    pub fn get_or_method(&self, name: &str) -> Option<&Arc<Op>> {
        self.get(name).or_else(|| {
            let (key, _) = name.rsplit_once('.')?;
            let class = self.class(key)?;
            let methods = class.methods().iter();
            let mut methods = methods.chain(class.constructor());
            methods.find(|method| method.name() == name)
        })
    }

    /// Makes a typed handle of an op by name.
    ///
    /// # Errors
    ///
    /// `op-unknown`; `op-signature` if the op has other types.
    pub fn handle<M: 'static>(&self, name: &str) -> Result<Handle<M>, Failure> {
        Handle::new(Arc::clone(self.find(name)?))
    }

    /// All ops in order of registration, without removed ones.
    pub fn ops(&self) -> impl Iterator<Item = &Arc<Op>> {
        self.ops.items.iter().filter(|op| !op.is_removed())
    }

    /// Finds a type of objects by name. Takes no lock.
    pub fn class(&self, key: &str) -> Option<&Arc<ObjectClass>> {
        self.classes.get(key, ObjectClass::key)
    }

    /// All types of objects in order of registration.
    pub fn classes(&self) -> impl Iterator<Item = &Arc<ObjectClass>> {
        self.classes.items.iter()
    }

    /// Restricts all ops to kernels up to a key; [`Key::Parallel`] lifts the limit. Returns the
    /// previous limit.
    ///
    /// # Errors
    ///
    /// `op-key` if this machine cannot run kernels of the key.
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

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Key> {
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
