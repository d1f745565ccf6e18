//! Messages as trees of values.

use crate::depth::{MAX_DEPTH, too_deep};
use crate::{Item, Reader, Writer};
use lexpool_error::Result;

/// Any value of a message.
///
/// Two values are equal if they have the same type and parts in the same order; NaN differs from
/// itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nil.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer of 0 or more.
    UInt(u64),
    /// A signed integer. Reading yields it for negative numbers only; others become
    /// [`UInt`](Value::UInt).
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Str(String),
    /// Binary data.
    Bytes(Vec<u8>),
    /// An array.
    Array(Vec<Value>),
    /// A map, in order of insertion. Keys may repeat.
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// Decodes a message.
    ///
    /// # Errors
    ///
    /// As for [`Reader::item`]; `msgpack-depth` if values are nested deeper than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH), `msgpack-format` if bytes follow.
    pub fn from_bytes(bytes: &[u8]) -> Result<Value> {
        let mut reader = Reader::new(bytes);
        let value = Value::read(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }

    /// Decodes the next value.
    ///
    /// # Errors
    ///
    /// As for [`from_bytes`](Value::from_bytes), but bytes may follow.
    pub fn read(reader: &mut Reader<'_>) -> Result<Value> {
        nested(reader, 0)
    }

    /// Encodes the value as a message.
    ///
    /// # Errors
    ///
    /// As for [`Writer::value`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut writer = Writer::new();
        writer.value(self)?;
        Ok(writer.into_bytes())
    }

    /// Returns the value of a text key, or `None` if it is missing or this is not a map. If a key
    /// repeats, the last one counts, as in Python.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(pairs) = self else { return None };
        let is_key = |other: &Value| matches!(other, Value::Str(text) if text == key);
        pairs.iter().rev().find(|(other, _)| is_key(other)).map(|(_, value)| value)
    }
}

impl Writer {
    /// Writes a value with everything nested in it.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for lengths of 2^32 or more; `msgpack-depth` if values are nested deeper than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH). A part may have been written then.
    pub fn value(&mut self, value: &Value) -> Result<()> {
        write_nested(self, value, 0)
    }
}

fn write_nested(out: &mut Writer, value: &Value, depth: usize) -> Result<()> {
    match value {
        Value::Nil => out.nil(),
        Value::Bool(value) => out.bool(*value),
        Value::UInt(value) => out.uint(*value),
        Value::Int(value) => out.int(*value),
        Value::Float(value) => out.float(*value),
        Value::Str(value) => out.str(value)?,
        Value::Bytes(value) => out.bytes(value)?,
        Value::Array(_) | Value::Map(_) if depth == MAX_DEPTH => return Err(too_deep()),
        Value::Array(items) => {
            out.array(items.len())?;
            for item in items {
                write_nested(out, item, depth + 1)?;
            }
        }
        Value::Map(pairs) => {
            out.map(pairs.len())?;
            for (key, value) in pairs {
                write_nested(out, key, depth + 1)?;
                write_nested(out, value, depth + 1)?;
            }
        }
    }
    Ok(())
}

fn nested(reader: &mut Reader<'_>, depth: usize) -> Result<Value> {
    Ok(match reader.item()? {
        Item::Nil => Value::Nil,
        Item::Bool(value) => Value::Bool(value),
        Item::UInt(value) => Value::UInt(value),
        Item::Int(value) => Value::Int(value),
        Item::Float(value) => Value::Float(value),
        Item::Str(value) => Value::Str(value.to_owned()),
        Item::Bytes(value) => Value::Bytes(value.to_owned()),
        Item::Array(_) | Item::Map(_) if depth == MAX_DEPTH => return Err(too_deep()),
        Item::Array(len) => {
            // Not reserved: a header may announce a value of 32 bytes for each byte of the message.
            let mut items = Vec::new();
            for _ in 0..len {
                items.push(nested(reader, depth + 1)?);
            }
            Value::Array(items)
        }
        Item::Map(len) => {
            let mut pairs = Vec::new();
            for _ in 0..len {
                pairs.push((nested(reader, depth + 1)?, nested(reader, depth + 1)?));
            }
            Value::Map(pairs)
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<bool>().prop_map(Value::Bool),
            any::<u64>().prop_map(Value::UInt),
            (0..70_000_u64).prop_map(Value::UInt),
            (i64::MIN..0).prop_map(Value::Int),
            (-70_000..0_i64).prop_map(Value::Int),
            (-1e300..1e300).prop_map(Value::Float),
            ".{0,40}".prop_map(Value::Str),
            prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::Bytes),
        ];
        leaf.prop_recursive(4, 64, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
                prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in values()) {
            let bytes = value.to_bytes().unwrap();
            prop_assert_eq!(Value::from_bytes(&bytes).unwrap(), value);
            prop_assert_eq!(Reader::new(&bytes).skip().unwrap(), &bytes[..]);
        }

        #[test]
        fn a_message_that_breaks_off_is_refused_wherever_it_does(value in values()) {
            let bytes = value.to_bytes().unwrap();
            for end in 0..bytes.len() {
                let error = Value::from_bytes(&bytes[..end]).unwrap_err();
                prop_assert_eq!(error.code(), "msgpack-truncated");
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Err(error) = Value::from_bytes(&bytes) {
                prop_assert!(error.code().starts_with("msgpack-"));
            }
        }
    }

    #[test]
    fn numbers_and_lengths_take_the_shortest_form() {
        let packed = |value: Value| value.to_bytes().unwrap();
        assert_eq!(packed(Value::UInt(127)), [0x7f]);
        assert_eq!(packed(Value::UInt(128)), [0xcc, 0x80]);
        assert_eq!(packed(Value::Int(128)), [0xcc, 0x80]);
        assert_eq!(packed(Value::UInt(1 << 32)), [0xcf, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(packed(Value::Int(-32)), [0xe0]);
        assert_eq!(packed(Value::Int(-33)), [0xd0, 0xdf]);
        assert_eq!(packed(Value::Int(i64::MIN))[..2], [0xd3, 0x80]);
        assert_eq!(packed(Value::Str("x".repeat(31)))[0], 0xbf);
        assert_eq!(packed(Value::Str("x".repeat(32)))[..2], [0xd9, 32]);
        assert_eq!(packed(Value::Bytes(vec![0; 256]))[..3], [0xc5, 1, 0]);
        assert_eq!(packed(Value::Array(vec![Value::Nil; 16]))[..3], [0xdc, 0, 16]);
        assert_eq!(packed(Value::Float(1.0))[0], 0xcb);
    }

    #[test]
    fn depth_is_limited_both_ways() {
        let deep = |depth: usize| (0..depth).fold(Value::Nil, |inner, _| Value::Array(vec![inner]));
        let bytes = deep(MAX_DEPTH).to_bytes().unwrap();
        assert_eq!(Value::from_bytes(&bytes).unwrap(), deep(MAX_DEPTH));
        assert_eq!(deep(MAX_DEPTH + 1).to_bytes().unwrap_err().code(), "msgpack-depth");
        let mut deeper = vec![0x91; 1_000_000];
        deeper.push(0xc0);
        assert_eq!(Value::from_bytes(&deeper).unwrap_err().code(), "msgpack-depth");
        assert_eq!(Reader::new(&deeper).skip().unwrap_err().code(), "msgpack-depth");
    }

    #[test]
    fn depth_counts_through_keys_and_values_of_maps() {
        let in_keys = |inner| Value::Map(vec![(inner, Value::Nil)]);
        let in_values = |inner| Value::Map(vec![(Value::Nil, inner)]);
        for nest in [in_keys as fn(Value) -> Value, in_values] {
            let deep = |depth: usize| (0..depth).fold(Value::Nil, |inner, _| nest(inner));
            let mut bytes = deep(MAX_DEPTH).to_bytes().unwrap();
            assert_eq!(Value::from_bytes(&bytes).unwrap(), deep(MAX_DEPTH));
            assert_eq!(Reader::new(&bytes).skip().unwrap(), bytes);
            assert_eq!(deep(MAX_DEPTH + 1).to_bytes().unwrap_err().code(), "msgpack-depth");
            // One more map around it.
            let around = if bytes[1] == 0xc0 { &[0x81, 0xc0][..] } else { &[0x81] };
            bytes.splice(0..0, around.iter().copied());
            bytes.push(0xc0);
            assert_eq!(Value::from_bytes(&bytes).unwrap_err().code(), "msgpack-depth");
            assert_eq!(Reader::new(&bytes).skip().unwrap_err().code(), "msgpack-depth");
        }
    }

    #[test]
    fn of_a_key_that_repeats_the_last_value_counts() {
        let text = |key: &str| Value::Str(key.to_owned());
        let map = Value::Map(vec![
            (text("a"), Value::UInt(1)),
            (text("b"), Value::UInt(2)),
            (text("a"), Value::UInt(3)),
            (Value::Bytes(b"c".to_vec()), Value::UInt(4)),
        ]);
        assert_eq!(map.get("a"), Some(&Value::UInt(3)));
        assert_eq!(map.get("b"), Some(&Value::UInt(2)));
        assert_eq!(map.get("c"), None);
        assert_eq!(Value::Array(vec![text("a")]).get("a"), None);
    }

    #[test]
    fn errors_name_what_was_found_and_where() {
        let error = Reader::new(b"\xa1x").map().unwrap_err();
        assert_eq!(error.to_string(), "[msgpack-type] expected a map at byte 0, found text");
        let error = Value::from_bytes(b"\x92\xc0\xc1").unwrap_err();
        assert!(error.message().contains("at byte 2"), "{error}");
        assert_eq!(Value::from_bytes(b"\xc0\xc0").unwrap_err().code(), "msgpack-format");
        assert_eq!(Value::from_bytes(b"\xa1\xff").unwrap_err().code(), "msgpack-format");
        assert_eq!(Value::from_bytes(b"\xd4\x01\x00").unwrap_err().code(), "msgpack-format");
    }
}
