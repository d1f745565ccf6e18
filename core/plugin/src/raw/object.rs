//! The head of an object.
//!
//! Holds unsafe code: a counted reference is taken by the function that its maker gave.

use std::ptr::NonNull;

use super::value::OwnedC;
use crate::text::StrC;

/// The head of an object as C has it: `lexpool_object`. What follows it is its maker's.
#[derive(Debug)]
#[repr(C)]
pub struct ObjectC {
    /// Gives one reference back.
    pub(crate) head: OwnedC,
    /// Takes one more reference.
    pub(crate) retain: unsafe extern "C" fn(*const ObjectC),
    /// The name of its type.
    pub(crate) key: StrC,
    /// Tells libraries apart that have a type of one name: an address within the maker's.
    pub(crate) maker: *const u8,
    /// Tells types of one maker apart.
    pub(crate) type_id: [u64; 2],
}

// SAFETY: whoever makes an object promises that it may be used from any thread, as [`Class`](crate::Class) asks.
unsafe impl Sync for ObjectC {}

impl ObjectC {
    /// The head of an object that somebody else than Rust's [`Object`](crate::Object) makes.
    ///
    /// # Safety
    ///
    /// The two take the address of this head, and what follows it, from any thread: `release` gives back
    /// one of the references that `retain` takes. The key stays for as long as the head.
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

    /// Takes a reference of one's own and gives its address, to be released by `release`.
    pub fn retained(&self) -> NonNull<ObjectC> {
        // SAFETY: the object is alive.
        unsafe { (self.retain)(self) };
        NonNull::from(self)
    }

    /// Whose it is: an address within the library that made it.
    pub fn maker(&self) -> *const u8 {
        self.maker
    }

    /// The name of the object's type.
    pub fn key(&self) -> &str {
        // SAFETY: it is good for as long as the object.
        unsafe { self.key.get() }
    }

    /// Whether the object is of the type of this name.
    #[inline]
    pub fn has_key(&self, key: &str) -> bool {
        // SAFETY: it is good for as long as the object.
        unsafe { self.key.is(key) }
    }
}
