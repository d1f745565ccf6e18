//! The header of an object.
//!
//! Holds unsafe code: a counted reference is taken by the function that its maker gave.

use std::ptr::NonNull;

use super::value::OwnedC;
use crate::text::StrC;

/// The C header of an object: `lexpool_object`. Its maker's own data follow.
#[derive(Debug)]
#[repr(C)]
pub struct ObjectC {
    /// Releases one reference.
    pub(crate) head: OwnedC,
    /// Takes one more reference.
    pub(crate) retain: unsafe extern "C" fn(*const ObjectC),
    /// The name of its type.
    pub(crate) key: StrC,
    /// Identity of the library that made the object: an address within it. Distinguishes types of
    /// one name.
    pub(crate) maker: *const u8,
    /// Identity of the type within its library.
    pub(crate) type_id: [u64; 2],
}

// SAFETY: the contract of `new`, and of [`Class`](crate::Class): an object may be used from any
// thread.
unsafe impl Sync for ObjectC {}

impl ObjectC {
    /// Makes the header of an object other than a Rust [`Object`](crate::Object).
    ///
    /// # Safety
    ///
    /// The two take the address of this head, and what follows it, from any thread: `release` gives
    /// back one of the references that `retain` takes. The key stays for as long as the head.
    #[inline]
    pub const unsafe fn new(
        release: unsafe extern "C" fn(*mut OwnedC),
        retain: unsafe extern "C" fn(*const ObjectC),
        key: &str,
        maker: *const u8,
    ) -> ObjectC {
        let head = OwnedC { release };
        ObjectC { head, retain, key: StrC::of(key), maker, type_id: [0; 2] }
    }

    /// Takes another reference, which `release` releases, and returns its address.
    pub fn retained(&self) -> NonNull<ObjectC> {
        // SAFETY: the object is alive.
        unsafe { (self.retain)(self) };
        NonNull::from(self)
    }

    /// The identity of the library that made it: an address within it.
    pub fn maker(&self) -> *const u8 {
        self.maker
    }

    /// The name of the object's type.
    pub fn key(&self) -> &str {
        // SAFETY: it is good for as long as the object.
        unsafe { self.key.get() }
    }

    /// Returns whether the object's type has this name.
    #[inline]
    pub fn has_key(&self, key: &str) -> bool {
        // SAFETY: it is good for as long as the object.
        unsafe { self.key.is(key) }
    }
}
