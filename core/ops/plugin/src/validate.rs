//! Validates values received from C, and copies them deeply.

use crate::failure::{Failure, FailureKind};
use crate::raw::{FunctionC, OWNED, ObjectC, Tag};
use crate::value::{Owned, Value};
use crate::{Bytes, IntoOwned, args, array};

/// Maximum nesting depth of values, so that a hostile one cannot overflow the stack.
const MAX_DEPTH: usize = 32;

impl Value<'_> {
    /// Validates a value that C made: known tags, UTF-8, addresses that are not null where one is
    /// needed, and no owned values within a list or a map. It cannot validate what an address leads
    /// to.
    ///
    /// Cost: linear in its items and in the bytes of its strings.
    ///
    /// # Errors
    ///
    /// `op-result`, with what is wrong.
    pub fn validate(self) -> Result<(), Failure> {
        validate(self, 0)
    }
}

impl Owned<'static> {
    /// Makes an owned copy of a borrowed value: a deep one of strings, bytes, numbers, lists and
    /// maps, another reference to objects and functions.
    ///
    /// # Errors
    ///
    /// As for [`Value::validate`]; `op-result` also for documents, vocabs and records, which cannot
    /// be owned.
    pub fn copy_of(value: Value<'_>) -> Result<Owned<'static>, Failure> {
        copy(value, 0)
    }
}

fn wrong(text: &str) -> Failure {
    Failure::new(FailureKind::Type, "op-result", text)
}

fn validate(value: Value<'_>, depth: usize) -> Result<(), Failure> {
    if depth > MAX_DEPTH {
        return Err(wrong("values nest more than 32 deep"));
    }
    let raw = value.to_c();
    if raw.tag & OWNED != 0 {
        return Err(wrong("an item of a list is owned; only the list may be"));
    }
    let missing = |there: bool, what: &str| {
        if there { Ok(()) } else { Err(wrong(&format!("{what} without an address"))) }
    };
    match value.tag() {
        None => Err(wrong(&format!("{} is not a kind of values", raw.tag))),
        Some(Tag::None | Tag::Bool | Tag::Int | Tag::Float) => Ok(()),
        Some(Tag::Str) => text(value).map(|_| ()),
        Some(Tag::Bytes) => missing(raw.len == 0 || raw.bits != 0, "bytes"),
        Some(Tag::List) => {
            missing(raw.len == 0 || raw.bits != 0, "a list")?;
            value
                .as_list()
                .unwrap_or_default()
                .iter()
                .try_for_each(|item| validate(*item, depth + 1))
        }
        Some(Tag::Map) => {
            missing(raw.len == 0 || raw.bits != 0, "a map")?;
            let mut items = value.as_map().unwrap_or_default().iter().flatten();
            items.try_for_each(|item| validate(*item, depth + 1))
        }
        Some(Tag::Array) => match value.as_array() {
            Some(array) if array.dtype().is_some() => Ok(()),
            Some(_) => Err(wrong("an array of an unknown type of numbers")),
            None => missing(false, "an array"),
        },
        Some(Tag::Object) => missing(value.as_object().is_some(), "an object"),
        Some(Tag::Function) => missing(value.as_function().is_some(), "a function"),
        Some(Tag::Records) => missing(value.as_records().is_some(), "records"),
        Some(Tag::Doc) => missing(value.as_doc().is_some(), "a document"),
        Some(Tag::Vocab) => missing(value.as_vocab().is_some(), "a vocab"),
        Some(Tag::Failure) => Err(wrong("a failure, from a call that says it went well")),
    }
}

/// Checks that a string is UTF-8.
fn text(value: Value<'_>) -> Result<&str, Failure> {
    let raw = value.to_c();
    if raw.len != 0 && raw.bits == 0 {
        return Err(wrong("a string without an address"));
    }
    let bytes = value.as_raw_bytes();
    std::str::from_utf8(bytes).map_err(|error| {
        wrong(&format!("a string that is not UTF-8, from byte {} on", error.valid_up_to()))
    })
}

fn copy(value: Value<'_>, depth: usize) -> Result<Owned<'static>, Failure> {
    if depth > MAX_DEPTH {
        return Err(wrong("values nest more than 32 deep"));
    }
    // An owned item is read like a borrowed one; its owner keeps it.
    let value = value.unboxed();
    if !matches!(value.tag(), Some(Tag::List | Tag::Map)) {
        validate(value, depth)?;
    }
    let stays = |what: &str| Err(wrong(&format!("{what} stays with who lends it")));
    match value.tag() {
        None => Err(wrong("a value of an unknown kind")),
        Some(Tag::None) => Ok(Owned::NONE),
        Some(Tag::Bool) => Ok(Owned::plain(Value::bool(value.as_bool() == Some(true)))),
        Some(Tag::Int) => Ok(Owned::plain(Value::int(value.as_int().unwrap_or_default()))),
        Some(Tag::Float) => Ok(Owned::plain(Value::float(value.as_float().unwrap_or_default()))),
        Some(Tag::Str) => text(value)?.to_owned().into_owned(),
        Some(Tag::Bytes) => Bytes(value.as_bytes().unwrap_or_default().to_vec()).into_owned(),
        Some(Tag::List) => {
            let items = value.as_list().unwrap_or_default().iter();
            args::list_of(items.map(|item| copy(*item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Some(Tag::Map) => {
            let items = value.as_map().unwrap_or_default().iter().flatten();
            args::map_of(items.map(|item| copy(*item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Some(Tag::Array) => match value.as_array() {
            Some(lent) => array::copy(lent),
            None => Err(wrong("an array without an address")),
        },
        Some(Tag::Object) => Ok(value.as_object().map_or(Owned::NONE, ObjectC::to_owned_value)),
        Some(Tag::Function) => {
            Ok(value.as_function().map_or(Owned::NONE, FunctionC::to_owned_value))
        }
        Some(Tag::Records) => stays("an array of records"),
        Some(Tag::Doc) => stays("a document"),
        Some(Tag::Vocab) => stays("a vocab"),
        Some(Tag::Failure) => Err(wrong("a failure is not a value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::ValueC;

    #[test]
    fn what_c_gives_is_copied_with_all_that_is_in_it() {
        let text = String::from("three");
        let items = [Value::int(3), Value::str(&text).unwrap(), Value::bytes(b"\xff").unwrap()];
        let list = Value::list(&items).unwrap();
        let pairs = [[Value::str("key").unwrap(), list]];
        let copy = Owned::copy_of(Value::map(&pairs).unwrap()).unwrap();
        drop(text);
        let [key, list] = copy.get().as_map().unwrap()[0];
        assert_eq!(key.as_str(), Some("key"));
        let list = list.as_list().unwrap();
        assert_eq!((list[0].as_int(), list[1].as_str()), (Some(3), Some("three")));
        assert_eq!(list[2].as_bytes(), Some(&b"\xff"[..]));
    }

    #[test]
    fn values_that_are_not_what_they_say_are_refused() {
        let raw = |tag, len, bits| {
            // SAFETY: these lead nowhere, or to bytes.
            unsafe { Value::from_c(ValueC { tag, len, bits }) }
        };
        let bytes = b"a\xff";
        let broken = raw(Tag::Str as u32, 2, bytes.as_ptr() as u64);
        for (value, said) in [
            (broken, "byte 1"),
            (raw(Tag::Str as u32, 2, 0), "without an address"),
            (raw(99, 0, 0), "99 is not a kind of values"),
            (raw(Tag::Object as u32, 0, 0), "without an address"),
            (Value::list(&[broken]).unwrap(), "byte 1"),
        ] {
            for failure in [value.validate().unwrap_err(), Owned::copy_of(value).unwrap_err()] {
                assert_eq!(failure.code(), "op-result");
                assert!(failure.message().contains(said), "{failure}");
            }
        }
    }

    #[test]
    fn a_value_that_nests_too_deep_is_refused() {
        fn nested(value: Value<'_>, depth: usize) -> Result<Owned<'static>, Failure> {
            let list = [value];
            let list = Value::list(&list).unwrap();
            if depth == 0 { Owned::copy_of(list) } else { nested(list, depth - 1) }
        }
        assert!(nested(Value::NONE, 20).is_ok());
        assert!(nested(Value::NONE, 100).is_err());
    }
}
