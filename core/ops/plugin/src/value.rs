//! Values of boxed calls: sixteen plain bytes, borrowed or owned.
//!
//! Holds unsafe code. **Invariants:**
//!
//! - V1: a value with an address points to what its tag names, valid for the value's lifetime: each
//!   constructor takes the reference whose address it stores, and [`Value::from_c`] demands it of
//!   its caller.
//! - V2: an owned value points to a header of [`OwnedC`], is released once, and not used after
//!   that.
//! - V3: the data of a value is shared and `Sync`.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;

use crate::raw::{
    ArrayC, DocRefC, FailureC, FunctionC, OWNED, ObjectC, OwnedC, RecordsC, Tag, ValueC, VocabC,
};

/// A borrowed value, valid for `'a`. Copies are free.
///
/// ```
/// use lexpool_plugin::{Tag, Value};
///
/// let values = [Value::int(3), Value::str("three").unwrap()];
/// let list = Value::list(&values).unwrap();
/// assert_eq!(list.tag(), Some(Tag::List));
/// assert_eq!(list.as_list().unwrap()[1].as_str(), Some("three"));
/// assert_eq!(list.as_int(), None);
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Value<'a>(ValueC, PhantomData<&'a ()>);

// SAFETY: V3: plain data, documents, vocabs, and objects and functions, whose makers guarantee it.
unsafe impl Send for Value<'_> {}
// SAFETY: V3.
unsafe impl Sync for Value<'_> {}

impl<'a> Value<'a> {
    /// Python's `None`.
    pub const NONE: Value<'static> = Value::of(Tag::None, 0, 0);

    #[inline]
    const fn of(tag: Tag, len: u32, bits: u64) -> Value<'a> {
        Value(ValueC { tag: tag as u32, len, bits }, PhantomData)
    }

    #[inline]
    fn pointing<T>(tag: Tag, len: usize, at: *const T) -> Option<Value<'a>> {
        Some(Value::of(tag, u32::try_from(len).ok()?, at as u64))
    }

    /// A boolean.
    #[inline]
    pub const fn bool(value: bool) -> Value<'static> {
        Value::of(Tag::Bool, 0, value as u64)
    }

    /// An integer.
    #[inline]
    pub const fn int(value: i64) -> Value<'static> {
        Value::of(Tag::Int, 0, u64::from_ne_bytes(value.to_ne_bytes()))
    }

    /// A float.
    #[inline]
    pub const fn float(value: f64) -> Value<'static> {
        Value::of(Tag::Float, 0, value.to_bits())
    }

    /// A string; `None` from 4 GiB on.
    #[inline]
    pub fn str(value: &'a str) -> Option<Value<'a>> {
        Value::pointing(Tag::Str, value.len(), value.as_ptr())
    }

    /// Bytes; `None` from 4 GiB on.
    #[inline]
    pub fn bytes(value: &'a [u8]) -> Option<Value<'a>> {
        Value::pointing(Tag::Bytes, value.len(), value.as_ptr())
    }

    /// A list; `None` from 2^32 items on.
    #[inline]
    pub fn list(values: &'a [Value<'a>]) -> Option<Value<'a>> {
        Value::pointing(Tag::List, values.len(), values.as_ptr())
    }

    /// A map as pairs of keys and values; `None` from 2^32 pairs on.
    pub fn map(pairs: &'a [[Value<'a>; 2]]) -> Option<Value<'a>> {
        Value::pointing(Tag::Map, pairs.len(), pairs.as_ptr())
    }

    /// An array.
    #[inline]
    pub fn array(array: &'a ArrayC) -> Value<'a> {
        Value::of(Tag::Array, 0, ptr::from_ref(array) as u64)
    }

    /// An object.
    #[inline]
    pub fn object(object: &'a ObjectC) -> Value<'a> {
        Value::of(Tag::Object, 0, ptr::from_ref(object) as u64)
    }

    /// A function.
    #[inline]
    pub fn function(function: &'a FunctionC) -> Value<'a> {
        Value::of(Tag::Function, 0, ptr::from_ref(function) as u64)
    }

    /// Records.
    pub fn records(records: &'a RecordsC) -> Value<'a> {
        Value::of(Tag::Records, 0, ptr::from_ref(records) as u64)
    }

    /// A document.
    pub fn doc(doc: &'a DocRefC) -> Value<'a> {
        Value::of(Tag::Doc, 0, ptr::from_ref(doc) as u64)
    }

    /// A vocab.
    pub fn vocab(vocab: &'a VocabC) -> Value<'a> {
        Value::of(Tag::Vocab, 0, ptr::from_ref(vocab) as u64)
    }

    pub(crate) fn failure(failure: &'a FailureC) -> Value<'a> {
        Value::of(Tag::Failure, 0, ptr::from_ref(failure) as u64)
    }

    /// Reads a value that came from C.
    ///
    /// # Safety
    ///
    /// V1 holds for `'a`.
    #[inline]
    pub const unsafe fn from_c(value: ValueC) -> Value<'a> {
        Value(value, PhantomData)
    }

    /// The C form, valid as long as the value.
    #[inline]
    pub const fn to_c(self) -> ValueC {
        self.0
    }

    /// The kind of the value; `None` for a tag that this version does not know.
    #[inline]
    pub fn tag(self) -> Option<Tag> {
        Tag::ALL.get((self.0.tag & !OWNED) as usize).copied()
    }

    /// Python's name of its type, for messages.
    pub fn type_name(self) -> &'static str {
        self.tag().map_or("a value of an unknown kind", Tag::name)
    }

    #[inline]
    fn is(self, tag: Tag) -> bool {
        self.0.tag == tag as u32
    }

    /// Returns whether the value is Python's `None`.
    #[inline]
    pub fn is_none(self) -> bool {
        self.is(Tag::None)
    }

    /// The boolean.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        self.is(Tag::Bool).then_some(self.0.bits != 0)
    }

    /// The integer.
    #[inline]
    pub fn as_int(self) -> Option<i64> {
        self.is(Tag::Int).then_some(i64::from_ne_bytes(self.0.bits.to_ne_bytes()))
    }

    /// The float; an integer is converted.
    #[inline]
    pub fn as_float(self) -> Option<f64> {
        if self.is(Tag::Float) {
            return Some(f64::from_bits(self.0.bits));
        }
        #[expect(clippy::cast_precision_loss, reason = "as Python's float() of an int")]
        self.as_int().map(|int| int as f64)
    }

    /// The string.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        // SAFETY: V1.
        self.is(Tag::Str).then(|| unsafe { std::str::from_utf8_unchecked(self.slice()) })
    }

    /// The bytes.
    #[inline]
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        // SAFETY: V1.
        self.is(Tag::Bytes).then(|| unsafe { self.slice() })
    }

    /// The bytes of a string or of bytes, which need not be UTF-8.
    pub(crate) fn as_raw_bytes(self) -> &'a [u8] {
        if !self.is(Tag::Str) && !self.is(Tag::Bytes) {
            return &[];
        }
        // SAFETY: V1.
        unsafe { self.slice() }
    }

    /// The value inside an owned value; a borrowed one is returned as it is.
    pub(crate) fn unboxed(self) -> Value<'a> {
        let raw = self.0;
        if raw.tag & OWNED == 0 {
            return self;
        }
        let tag = raw.tag & !OWNED;
        if tag == Tag::Object as u32 || tag == Tag::Function as u32 {
            return Value(ValueC { tag, ..raw }, PhantomData);
        }
        // SAFETY: V2: other owned values are boxes of a header and a value; the type of the data
        // behind them does not change the layout before it (`repr(C)`).
        let boxed = unsafe { raw.address::<Boxed<()>>().as_ref() };
        boxed.map_or(Value::NONE, |boxed| Value(boxed.value, PhantomData))
    }

    /// The items of a list.
    #[inline]
    pub fn as_list(self) -> Option<&'a [Value<'a>]> {
        // SAFETY: V1.
        self.is(Tag::List).then(|| unsafe { self.slice() })
    }

    /// The pairs of a map.
    pub fn as_map(self) -> Option<&'a [[Value<'a>; 2]]> {
        // SAFETY: V1.
        self.is(Tag::Map).then(|| unsafe { self.slice() })
    }

    /// The array.
    #[inline]
    pub fn as_array(self) -> Option<&'a ArrayC> {
        // SAFETY: V1.
        self.is(Tag::Array).then(|| unsafe { self.target() })?
    }

    /// The object.
    #[inline]
    pub fn as_object(self) -> Option<&'a ObjectC> {
        // SAFETY: V1.
        self.is(Tag::Object).then(|| unsafe { self.target() })?
    }

    /// The function.
    #[inline]
    pub fn as_function(self) -> Option<&'a FunctionC> {
        // SAFETY: V1.
        self.is(Tag::Function).then(|| unsafe { self.target() })?
    }

    /// The records.
    pub fn as_records(self) -> Option<&'a RecordsC> {
        // SAFETY: V1.
        self.is(Tag::Records).then(|| unsafe { self.target() })?
    }

    /// The document.
    pub fn as_doc(self) -> Option<&'a DocRefC> {
        // SAFETY: V1.
        self.is(Tag::Doc).then(|| unsafe { self.target() })?
    }

    /// The vocab.
    pub fn as_vocab(self) -> Option<&'a VocabC> {
        // SAFETY: V1.
        self.is(Tag::Vocab).then(|| unsafe { self.target() })?
    }

    pub(crate) fn as_failure(self) -> Option<&'a FailureC> {
        // SAFETY: V1.
        self.is(Tag::Failure).then(|| unsafe { self.target() })?
    }

    /// Takes another reference to an object or a function; `None` for other values.
    pub fn to_reference(self) -> Option<Owned<'static>> {
        if let Some(object) = self.as_object() {
            return Some(Owned::reference(Tag::Object, object.retained().as_ptr().cast()));
        }
        let function = self.as_function()?;
        Some(Owned::reference(Tag::Function, function.retained().as_ptr().cast()))
    }

    /// The size of the data: bytes, items, numbers, records or tokens.
    pub fn weight(self) -> usize {
        match self.tag() {
            Some(Tag::Str | Tag::Bytes | Tag::List | Tag::Map) => self.0.len as usize,
            Some(Tag::Array) => self.as_array().map_or(0, ArrayC::len),
            Some(Tag::Records) => self.as_records().map_or(0, RecordsC::len),
            Some(Tag::Doc) => self.as_doc().map_or(0, DocRefC::len),
            _ => 0,
        }
    }

    /// Borrows the items at the address; none for an address that is null or not aligned.
    ///
    /// # Safety
    ///
    /// The address is null or that of `len` items of the type, valid for `'a`.
    #[inline]
    unsafe fn slice<T>(self) -> &'a [T] {
        let (at, len) = (self.0.address::<T>(), self.0.len as usize);
        if at.is_null() || !at.is_aligned() {
            return &[];
        }
        // SAFETY: this function's contract.
        unsafe { std::slice::from_raw_parts(at, len) }
    }

    /// Borrows the value at the address; `None` for an address that is null or not aligned.
    ///
    /// # Safety
    ///
    /// The address is null or that of a value of the type, valid for `'a`.
    #[inline]
    unsafe fn target<T>(self) -> Option<&'a T> {
        let at = self.0.address::<T>();
        if !at.is_aligned() {
            return None;
        }
        // SAFETY: this function's contract.
        unsafe { at.as_ref() }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.as_bool() {
            return value.fmt(f);
        } else if let Some(value) = self.as_int() {
            return value.fmt(f);
        } else if let Some(value) = self.as_str() {
            return fmt::Debug::fmt(value, f);
        } else if let Some(value) = self.as_bytes() {
            return write!(f, "b\"{}\"", value.escape_ascii());
        } else if let Some(values) = self.as_list() {
            return f.debug_list().entries(values).finish();
        } else if let Some(pairs) = self.as_map() {
            return f.debug_map().entries(pairs.iter().map(|[key, value]| (key, value))).finish();
        }
        match self.tag() {
            Some(Tag::None) => f.write_str("None"),
            Some(Tag::Float) => fmt::Debug::fmt(&f64::from_bits(self.0.bits), f),
            _ => write!(f, "<{}>", self.type_name()),
        }
    }
}

/// An owned value, released on drop: a result, or a value made for a call.
#[repr(transparent)]
pub struct Owned<'a>(Value<'a>);

/// A boxed value with the data that it borrows.
#[repr(C)]
struct Boxed<T> {
    head: OwnedC,
    value: ValueC,
    data: T,
}

impl<'a> Owned<'a> {
    /// Python's `None`.
    pub const NONE: Owned<'static> = Owned(Value::NONE);

    /// Wraps a value that needs no release: a number, or one that is borrowed for `'a`.
    #[inline]
    pub const fn plain(value: Value<'a>) -> Owned<'a> {
        Owned(value)
    }

    /// Makes a value that borrows from `data` and owns it. Returns `None` if `view` does.
    pub fn keeping<T: Send + Sync + 'static>(
        data: T,
        view: impl for<'b> FnOnce(&'b T) -> Option<Value<'b>>,
    ) -> Option<Owned<'static>> {
        let head = OwnedC { release: release::<T> };
        let mut boxed = Box::new(Boxed { head, value: Value::NONE.to_c(), data });
        let value = view(&boxed.data)?;
        // Objects and functions count their own references, so `data` is not needed.
        if let Some(reference) = value.to_reference() {
            return Some(reference);
        }
        boxed.value = value.to_c();
        if boxed.value.tag & OWNED != 0 {
            return None;
        }
        let (tag, len) = (boxed.value.tag | OWNED, boxed.value.len);
        let bits = Box::into_raw(boxed) as u64;
        Some(Owned(Value(ValueC { tag, len, bits }, PhantomData)))
    }

    /// Wraps one reference to an object or a function.
    #[inline]
    pub(crate) fn reference(tag: Tag, at: *const OwnedC) -> Owned<'static> {
        Owned(Value(ValueC { tag: tag as u32 | OWNED, len: 0, bits: at as u64 }, PhantomData))
    }

    /// Takes over a result that came from C.
    ///
    /// # Safety
    ///
    /// As for [`Value::from_c`]; the caller owns an owned value and gives it up.
    #[inline]
    pub const unsafe fn from_c(value: ValueC) -> Owned<'a> {
        // SAFETY: this function's contract.
        Owned(unsafe { Value::from_c(value) })
    }

    /// The C form, which the receiver releases.
    #[inline]
    pub fn into_c(self) -> ValueC {
        ManuallyDrop::new(self).0.to_c()
    }

    /// Borrows the value.
    #[inline]
    pub fn get(&self) -> Value<'_> {
        self.0.unboxed()
    }
}

impl Drop for Owned<'_> {
    #[inline]
    fn drop(&mut self) {
        let raw = self.0.0;
        if raw.tag & OWNED != 0 && raw.bits != 0 {
            let at = raw.address::<OwnedC>().cast_mut();
            // SAFETY: V2.
            unsafe { ((*at).release)(at) }
        }
    }
}

impl fmt::Debug for Owned<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Drops a box that C code has owned.
///
/// # Safety
///
/// `at` is a box of [`Owned::keeping`] with this type, and is not used again.
unsafe extern "C" fn release<T>(at: *mut OwnedC) {
    // SAFETY: this function's contract.
    drop(unsafe { Box::from_raw(at.cast::<Boxed<T>>()) });
}

/// Views stored values for reading.
pub(crate) fn values_of_c(values: &[ValueC]) -> &[Value<'_>] {
    // SAFETY: `Value` has the layout of `ValueC`; V1: the two callers own what the values borrow.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Views the stored pairs of a map for reading.
pub(crate) fn pairs_of_c(pairs: &[[ValueC; 2]]) -> &[[Value<'_>; 2]] {
    // SAFETY: V1.
    unsafe { std::slice::from_raw_parts(pairs.as_ptr().cast(), pairs.len()) }
}
