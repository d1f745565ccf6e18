//! Strings and their ids: hashing, symbols, and the interned store.
//!
//! Lexemes, tokens and matchers refer to a string by its [`StrId`]; this module alone maps ids back
//! to text. It depends on no other module of the crate except the error type.

mod json;
mod murmur3;
mod store;
mod table;

pub use lexpool_chars as chars;
pub use lexpool_structs::{StrId, hash_string, hash64, symbol_name};

pub use json::JsonLayout;
pub(crate) use json::push as push_json;
pub use murmur3::{murmur3_x64, murmur3_x86};
pub use store::{StoreStr, StrIx, StringStore};
pub(crate) use table::{BaseStrings, StringTable, frozen_error};
