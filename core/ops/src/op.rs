//! An op: a name, a signature, and the kernels that implement it.
//!
//! Holds unsafe code: calls kernels by pointer. O1: the context of a kernel belongs to its entry,
//! which checks the number and the types of the arguments itself.

use std::any::TypeId;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use lexpool_plugin::{
    Declaration, Failure, FailureKind, Gil, Kernel, Key, Literal, Owned, Param, Type, Value, ValueC,
};
use lexpool_pool::ActiveSlot;

use super::keys::available_keys;
use super::profile;

/// A registered op. It lives as long as its registry; a removed op fails when it is called.
pub struct Op {
    name: Box<str>,
    params: Box<[Param]>,
    result: Type,
    doc: Box<str>,
    gil: Gil,
    place: Box<str>,
    /// The marker `fn(A, B) -> R` of the first kernel, which typed handles must name.
    marker: Option<TypeId>,
    /// All kernels that were ever installed, and the current one. The first is the tombstone.
    kernels: ActiveSlot<Installed>,
    /// The installed layers, oldest first.
    layers: Mutex<Layers>,
}

/// An installed kernel.
pub(super) struct Installed {
    pub(super) kernel: Kernel,
    place: Box<str>,
    /// The typed entry, if its marker is the op's.
    pub(super) typed: Option<*const ()>,
}

// SAFETY: an entry belongs to a function that is `Send + Sync`.
unsafe impl Send for Installed {}
// SAFETY: an entry belongs to a function that is `Send + Sync`.
unsafe impl Sync for Installed {}

struct Layers {
    active: Vec<Layer>,
    limit: Key,
    next: u64,
}

struct Layer {
    id: u64,
    what: LayerKind,
}

#[derive(Clone, Copy)]
enum LayerKind {
    Kernel { number: u32, key: Key },
    Removed,
}

/// A kernel of an op, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The hardware that it needs.
    pub key: Key,
    /// File and line of the declaration.
    pub place: String,
    /// True if this machine can run it.
    pub available: bool,
    /// True if calls use it now.
    pub current: bool,
}

/// Maximum number of arguments, which a call puts on the stack.
const MAX_ARGS: usize = lexpool_plugin::MAX_ARGS;

/// The number of the tombstone among an op's kernels.
const TOMBSTONE: u32 = 0;

impl Op {
    pub(super) fn new(declared: Declaration, limit: Key) -> lexpool::Result<Op> {
        let Declaration { name, params, result, doc, gil, place, key, kernel } = declared;
        let marker = kernel.typed().map(|(marker, _)| marker);
        // SAFETY: the function ignores its context.
        let removed = unsafe { Kernel::of_entry(removed, std::ptr::null(), None) };
        let removed = Installed { kernel: removed, place: Box::default(), typed: None };
        let op = Op {
            name: name.into(),
            params: params.into(),
            result,
            doc: doc.into(),
            gil,
            place: place.clone().into(),
            marker,
            kernels: ActiveSlot::new(removed)?,
            layers: Mutex::new(Layers { active: Vec::new(), limit, next: 1 }),
        };
        op.install(kernel, key, &place)?;
        Ok(op)
    }

    /// The full name, such as `doc.count_by`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters in order.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The type of the result.
    pub fn result(&self) -> &Type {
        &self.result
    }

    /// The description, for people.
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The GIL during a call.
    pub fn gil(&self) -> Gil {
        self.gil
    }

    /// File and line of the declaration.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The signature in Python's syntax: name, parameters and result.
    pub fn signature(&self) -> String {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        format!("{name}({}) -> {}", lexpool_plugin::declare::params(&self.params), self.result)
    }

    /// The kernels that may be called, oldest first.
    pub fn kernels(&self) -> Vec<KernelInfo> {
        let layers = self.lock();
        let current = std::ptr::from_ref(self.kernels.get());
        let visible = layers.visible().filter_map(|(number, key)| {
            let installed = self.kernels.value(number)?;
            Some(KernelInfo {
                key,
                place: installed.place.to_string(),
                available: available_keys().contains(&key),
                current: std::ptr::eq(installed, current),
            })
        });
        visible.collect()
    }

    /// Returns whether the op was removed, so that calls fail.
    pub fn is_removed(&self) -> bool {
        self.kernels.value(TOMBSTONE).is_some_and(|dead| std::ptr::eq(dead, self.kernels.get()))
    }

    /// Calls the op; trailing arguments with defaults may be left out.
    ///
    /// # Errors
    ///
    /// `op-arity` and `op-argument` for wrong arguments, `op-removed`, `op-panic`, and its own; the
    /// text names the op, and the argument with its position.
    pub fn call(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        if args.len() < self.params.len() && self.params.len() <= MAX_ARGS {
            return self.call_with_defaults(args);
        }
        self.call_with_all(args)
    }

    /// Out of line, so that a call with all arguments reserves no stack for defaults.
    #[inline(never)]
    fn call_with_defaults(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        let mut filled = [Value::NONE; MAX_ARGS];
        let defaults = self.params[args.len()..].iter().map(|param| param.default.as_ref());
        filled[..args.len()].copy_from_slice(args);
        for (place, default) in filled[args.len()..].iter_mut().zip(defaults) {
            let Some(default) = default else { return Err(self.arity(args.len())) };
            *place = literal(default);
        }
        self.call_with_all(&filled[..self.params.len()])
    }

    #[inline]
    fn call_with_all(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        profile::called(&self.name, || {
            let (entry, context) = self.entry();
            // SAFETY: O1.
            unsafe { lexpool_plugin::call(entry, context, args) }
        })
        .map_err(|failure| self.explain(failure))
    }

    /// The current kernel's entry and context.
    #[inline]
    pub fn entry(&self) -> (lexpool_plugin::CallC, *const c_void) {
        self.kernels.get().kernel.entry()
    }

    /// The current kernel.
    #[inline]
    pub(super) fn current(&self) -> &Installed {
        self.kernels.get()
    }

    pub(super) fn marker(&self) -> Option<TypeId> {
        self.marker
    }

    /// Adds the names of the op and of the argument to a failure.
    #[must_use]
    pub fn explain(&self, failure: Failure) -> Failure {
        match failure.position() {
            Some(at) => {
                let param = self.params.get(at).map_or("?", |param| &param.name);
                failure.context(format_args!(
                    "{}(): argument '{param}' (position {})",
                    self.name,
                    at + 1
                ))
            }
            None => failure.context(format_args!("{}()", self.name)),
        }
    }

    fn arity(&self, count: usize) -> Failure {
        let text = format!(
            "{}() takes {}, got {count} arguments",
            self.name,
            lexpool_plugin::declare::params(&self.params)
        );
        Failure::new(FailureKind::Type, "op-arity", text)
    }

    /// Adds a kernel, which is used from now on if it is the best one. Returns its layer.
    pub(super) fn install(&self, kernel: Kernel, key: Key, place: &str) -> lexpool::Result<u64> {
        let typed = kernel.typed().filter(|(marker, _)| Some(*marker) == self.marker);
        let typed = typed.map(|(_, entry)| entry);
        let installed = Installed { kernel, place: place.into(), typed };
        let number = self.kernels.push(installed)?;
        Ok(self.change(|layers| layers.add(LayerKind::Kernel { number, key })))
    }

    /// Makes calls fail until the returned layer is taken away.
    pub(super) fn remove(&self) -> u64 {
        self.change(|layers| layers.add(LayerKind::Removed))
    }

    /// Takes a layer away, which restores the layers below.
    pub(super) fn take_away(&self, id: u64) {
        self.change(|layers| layers.active.retain(|layer| layer.id != id));
    }

    /// Restricts calls to kernels up to a key.
    pub(super) fn limit(&self, limit: Key) {
        self.change(|layers| layers.limit = limit);
    }

    /// The declaration place of the kernel that a new one of this key would hide.
    pub(super) fn place_of(&self, key: Key) -> Option<String> {
        let layers = self.lock();
        let number = layers.visible().filter(|(_, of)| *of == key).last()?.0;
        self.kernels.value(number).map(|installed| installed.place.to_string())
    }

    fn change<T>(&self, change: impl FnOnce(&mut Layers) -> T) -> T {
        let mut layers = self.lock();
        let changed = change(&mut layers);
        self.kernels.select(layers.best().unwrap_or(TOMBSTONE));
        changed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Layers> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layers {
    fn add(&mut self, what: LayerKind) -> u64 {
        let id = self.next;
        self.next += 1;
        self.active.push(Layer { id, what });
        id
    }

    /// The kernels above the last removal, oldest first.
    fn visible(&self) -> impl Iterator<Item = (u32, Key)> + '_ {
        let removed = |layer: &Layer| matches!(layer.what, LayerKind::Removed);
        let start = self.active.iter().rposition(removed).map_or(0, |at| at + 1);
        self.active[start..].iter().filter_map(|layer| match layer.what {
            LayerKind::Kernel { number, key } => Some((number, key)),
            LayerKind::Removed => None,
        })
    }

    /// The newest kernel of the best key that the limit and this machine allow.
    fn best(&self) -> Option<u32> {
        let usable = |key: &Key| *key <= self.limit && available_keys().contains(key);
        let kernels = self.visible().filter(|(_, key)| usable(key));
        // `max_by_key` returns the last of equal keys, which is the newest.
        kernels.max_by_key(|(_, key)| *key).map(|(number, _)| number)
    }
}

/// Converts a default to a value.
pub fn literal(value: &Literal) -> Value<'_> {
    match value {
        Literal::Bool(value) => Value::bool(*value),
        Literal::Int(value) => Value::int(*value),
        Literal::Float(value) => Value::float(*value),
        Literal::Str(value) => Value::str(value).unwrap_or(Value::NONE),
        _ => Value::NONE,
    }
}

/// The tombstone: the kernel of removed ops.
///
/// # Safety
///
/// `result` is null or has room for a value.
unsafe extern "C" fn removed(
    _context: *const c_void,
    _args: *const ValueC,
    _n: usize,
    result: *mut ValueC,
) -> c_int {
    let text = "the op was removed, or has no kernel for this machine";
    let failure = Failure::new(FailureKind::State, "op-removed", text).into_value().into_c();
    if !result.is_null() {
        // SAFETY: this function's contract.
        unsafe { result.write(failure) };
    }
    1
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<op {}: {}>", self.name, self.signature())
    }
}
