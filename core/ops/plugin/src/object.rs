//! Objects of registered types: counted references that any side may hold.
//!
//! Holds unsafe code: reference counts, and data behind a head whose type is asked for at run time.

use std::any::TypeId;
use std::fmt;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::raw::{ObjectC, OwnedC, Tag};
use crate::text::StrC;
use crate::value::{Owned, Value};

/// A type whose objects cross: shared between threads, changed through its own locks or atomics.
pub trait Class: Send + Sync + 'static {
    /// The name it is registered by, such as `text.Counter`.
    const KEY: &'static str;
}

impl ObjectC {
    /// A reference of its own, as a result.
    pub(crate) fn to_owned_value(&self) -> Owned<'static> {
        Owned::reference(Tag::Object, self.retained().as_ptr().cast())
    }

    /// The data, if this library made it and it is of the type.
    #[inline]
    pub fn downcast<T: Class>(&self) -> Option<&T> {
        if !ptr::eq(self.maker, maker()) || self.type_id != type_id::<T>() {
            return None;
        }
        // SAFETY: this library's objects of the type are such boxes.
        Some(unsafe { &(*ptr::from_ref(self).cast::<Inner<T>>()).data })
    }
}

#[repr(C)]
struct Inner<T> {
    head: ObjectC,
    count: AtomicUsize,
    data: T,
}

/// A counted reference to an object, as `Arc` is.
///
/// ```
/// use lexpool_plugin::{Class, Object};
///
/// struct Limit(usize);
/// impl Class for Limit {
///     const KEY: &'static str = "text.Limit";
/// }
///
/// let limit = Object::new(Limit(3));
/// let other = limit.clone();
/// assert_eq!(other.0, 3);
/// ```
pub struct Object<T: Class>(NonNull<Inner<T>>);

// SAFETY: as for `Arc<T>`, and a class is Send and Sync.
unsafe impl<T: Class> Send for Object<T> {}
// SAFETY: as above.
unsafe impl<T: Class> Sync for Object<T> {}

impl<T: Class> Object<T> {
    /// Puts data behind a head. Cost: an allocation.
    #[inline]
    pub fn new(data: T) -> Object<T> {
        let head = ObjectC {
            head: OwnedC { release: release::<T> },
            retain: retain::<T>,
            key: StrC::of(T::KEY),
            maker: maker(),
            type_id: type_id::<T>(),
        };
        Object(NonNull::from(Box::leak(Box::new(Inner { head, count: AtomicUsize::new(1), data }))))
    }

    /// The object, to be read.
    #[inline]
    pub fn value(&self) -> Value<'_> {
        // SAFETY: this reference keeps the box.
        Value::object(unsafe { &self.0.as_ref().head })
    }

    /// The object as a result, this reference going with it.
    #[inline]
    pub fn into_owned(self) -> Owned<'static> {
        let at = self.0.as_ptr().cast::<OwnedC>();
        std::mem::forget(self);
        Owned::reference(Tag::Object, at)
    }

    /// The object in a value, as a reference of one's own; none if it is of another type or
    /// library.
    pub fn from_value(value: Value<'_>) -> Option<Object<T>> {
        let object = value.as_object()?;
        object.downcast::<T>()?;
        Some(Object(object.retained().cast()))
    }
}

impl<T: Class> Deref for Object<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this reference keeps the box.
        unsafe { &self.0.as_ref().data }
    }
}

impl<T: Class> Clone for Object<T> {
    fn clone(&self) -> Object<T> {
        // SAFETY: this reference keeps the box.
        unsafe { retain::<T>(self.0.as_ptr().cast()) };
        Object(self.0)
    }
}

impl<T: Class> Drop for Object<T> {
    fn drop(&mut self) {
        // SAFETY: gives back the reference that this one is.
        unsafe { release::<T>(self.0.as_ptr().cast()) }
    }
}

impl<T: Class> fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", T::KEY)
    }
}

/// An address that no other library has.
#[inline]
fn maker() -> *const u8 {
    static MAKER: u8 = 1;
    &raw const MAKER
}

#[inline]
fn type_id<T: 'static>() -> [u64; 2] {
    // A `TypeId` is plain and 16 bytes wide; nothing else of it is used than that it differs.
    const { assert!(size_of::<TypeId>() == 16) };
    // SAFETY: sixteen bytes, all of them initialized.
    unsafe { std::mem::transmute(TypeId::of::<T>()) }
}

/// Counts one more reference to an object.
///
/// # Safety
///
/// The object is a live box of the type.
unsafe extern "C" fn retain<T: Class>(object: *const ObjectC) {
    // SAFETY: as the caller promises.
    let count = unsafe { &(*object.cast::<Inner<T>>()).count };
    // As `Arc`: more references than memory has room for are a leak that would wrap.
    if count.fetch_add(1, Ordering::Relaxed) > isize::MAX.unsigned_abs() {
        std::process::abort();
    }
}

/// Gives up a reference to an object; drops it with the last one.
///
/// # Safety
///
/// The object is a live box of the type, and the caller gives one reference up.
unsafe extern "C" fn release<T: Class>(object: *mut OwnedC) {
    let object = object.cast::<Inner<T>>();
    // SAFETY: as the caller promises.
    let count = unsafe { &(*object).count };
    // With a count of one no other thread reaches the object, so no atomic decrement is needed.
    if count.load(Ordering::Acquire) == 1 || count.fetch_sub(1, Ordering::Release) == 1 {
        // Pairs with the `Release` of other threads' decrements.
        fence(Ordering::Acquire);
        // SAFETY: that was the last reference.
        drop(unsafe { Box::from_raw(object) });
    }
}
