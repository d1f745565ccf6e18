//! Pull parser of messages: one item at a time, borrowed from the bytes.

use rmp::Marker;

use crate::depth::{MAX_DEPTH, too_deep};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// One item of a message. For an array or a map it is the header only: the members follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'a> {
    /// Nil.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer of 0 or more, in any encoding.
    UInt(u64),
    /// A negative integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Str(&'a str),
    /// Binary data.
    Bytes(&'a [u8]),
    /// The header of an array of this many items.
    Array(usize),
    /// The header of a map of this many pairs.
    Map(usize),
}

impl Item<'_> {
    fn name(&self) -> &'static str {
        match self {
            Item::Nil => "nil",
            Item::Bool(_) => "a truth value",
            Item::UInt(_) | Item::Int(_) => "an integer",
            Item::Float(_) => "a float",
            Item::Str(_) => "text",
            Item::Bytes(_) => "binary data",
            Item::Array(_) => "an array",
            Item::Map(_) => "a map",
        }
    }
}

/// Reads a message item by item; text and binary data are borrowed.
///
/// A length that exceeds the rest of the bytes is an error at its header, so what is allocated for
/// a header is never larger than the message. Errors name the byte: `msgpack-truncated` if the
/// bytes end early, `msgpack-format` if they are not a message, `msgpack-type` if another item was
/// expected.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader at the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Returns the number of bytes read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Reads the next item.
    ///
    /// # Errors
    ///
    /// `msgpack-truncated`; `msgpack-format`, which includes extension types (spaCy does not use
    /// them).
    pub fn item(&mut self) -> Result<Item<'a>> {
        let start = self.at;
        let marker = Marker::from_u8(self.array_of::<1>()?[0]);
        Ok(match marker {
            Marker::Null => Item::Nil,
            Marker::True => Item::Bool(true),
            Marker::False => Item::Bool(false),
            Marker::FixPos(value) => Item::UInt(value.into()),
            Marker::FixNeg(value) => signed(value.into()),
            Marker::U8 => Item::UInt(u8::from_be_bytes(self.array_of()?).into()),
            Marker::U16 => Item::UInt(u16::from_be_bytes(self.array_of()?).into()),
            Marker::U32 => Item::UInt(u32::from_be_bytes(self.array_of()?).into()),
            Marker::U64 => Item::UInt(u64::from_be_bytes(self.array_of()?)),
            Marker::I8 => signed(i8::from_be_bytes(self.array_of()?).into()),
            Marker::I16 => signed(i16::from_be_bytes(self.array_of()?).into()),
            Marker::I32 => signed(i32::from_be_bytes(self.array_of()?).into()),
            Marker::I64 => signed(i64::from_be_bytes(self.array_of()?)),
            Marker::F32 => Item::Float(f32::from_be_bytes(self.array_of()?).into()),
            Marker::F64 => Item::Float(f64::from_be_bytes(self.array_of()?)),
            Marker::FixStr(len) => Item::Str(self.text(len.into())?),
            Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                let len = self.length(marker)?;
                Item::Str(self.text(len)?)
            }
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => {
                let len = self.length(marker)?;
                Item::Bytes(self.take(len)?)
            }
            Marker::FixArray(len) => Item::Array(self.items(len.into(), 1)?),
            Marker::Array16 | Marker::Array32 => {
                let len = self.length(marker)?;
                Item::Array(self.items(len, 1)?)
            }
            Marker::FixMap(len) => Item::Map(self.items(len.into(), 2)?),
            Marker::Map16 | Marker::Map32 => {
                let len = self.length(marker)?;
                Item::Map(self.items(len, 2)?)
            }
            Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32 => return Err(malformed("an extension type", start)),
            Marker::Reserved => {
                return Err(malformed("the byte 0xc1, which begins nothing", start));
            }
        })
    }

    /// Reads the header of an array and returns the number of its items.
    ///
    /// # Errors
    ///
    /// As for [`item`](Reader::item); `msgpack-type` if the next item is not an array.
    pub fn array(&mut self) -> Result<usize> {
        match self.typed("an array")? {
            (Item::Array(len), _) => Ok(len),
            (other, at) => Err(mismatch("an array", other, at)),
        }
    }

    /// Reads the header of a map and returns the number of its pairs.
    ///
    /// # Errors
    ///
    /// As for [`array`](Reader::array).
    pub fn map(&mut self) -> Result<usize> {
        match self.typed("a map")? {
            (Item::Map(len), _) => Ok(len),
            (other, at) => Err(mismatch("a map", other, at)),
        }
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// As for [`array`](Reader::array).
    pub fn str(&mut self) -> Result<&'a str> {
        match self.typed("text")? {
            (Item::Str(text), _) => Ok(text),
            (other, at) => Err(mismatch("text", other, at)),
        }
    }

    /// Reads binary data.
    ///
    /// # Errors
    ///
    /// As for [`array`](Reader::array).
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        match self.typed("binary data")? {
            (Item::Bytes(bytes), _) => Ok(bytes),
            (other, at) => Err(mismatch("binary data", other, at)),
        }
    }

    /// Reads an integer of at least 0.
    ///
    /// # Errors
    ///
    /// As for [`array`](Reader::array).
    pub fn uint(&mut self) -> Result<u64> {
        match self.typed("a number that is not negative")? {
            (Item::UInt(value), _) => Ok(value),
            (other, at) => Err(mismatch("a number that is not negative", other, at)),
        }
    }

    /// Skips the next value with everything nested in it, and returns its bytes.
    ///
    /// # Errors
    ///
    /// As for [`item`](Reader::item); `msgpack-depth` if values are nested deeper than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH).
    pub fn skip(&mut self) -> Result<&'a [u8]> {
        let start = self.at;
        self.skip_nested(0)?;
        Ok(&self.bytes[start..self.at])
    }

    /// Checks that all bytes have been read.
    ///
    /// # Errors
    ///
    /// `msgpack-format` if bytes are left.
    pub fn finish(&self) -> Result<()> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        let text = format!(
            "the message ends at byte {}, but {} more follow",
            self.at,
            self.bytes.len() - self.at
        );
        Err(Error::value(codes::MSGPACK_FORMAT, text))
    }

    fn skip_nested(&mut self, depth: usize) -> Result<()> {
        let items = match self.item()? {
            Item::Array(len) => len,
            Item::Map(len) => len * 2,
            _ => return Ok(()),
        };
        if depth == MAX_DEPTH {
            return Err(too_deep());
        }
        (0..items).try_for_each(|_| self.skip_nested(depth + 1))
    }

    /// Reads an item, and returns it with the position of its first byte.
    fn typed(&mut self, expected: &str) -> Result<(Item<'a>, usize)> {
        let start = self.at;
        let item = self.item().map_err(|error| error.context(format!("reading {expected}")))?;
        Ok((item, start))
    }

    fn length(&mut self, marker: Marker) -> Result<usize> {
        let len = match marker {
            Marker::Str8 | Marker::Bin8 => u8::from_be_bytes(self.array_of()?).into(),
            Marker::Str16 | Marker::Bin16 | Marker::Array16 | Marker::Map16 => {
                u16::from_be_bytes(self.array_of()?).into()
            }
            _ => u32::from_be_bytes(self.array_of()?),
        };
        usize::try_from(len)
            .map_err(|_| Error::value(codes::MSGPACK_SIZE, "a length beyond memory"))
    }

    fn text(&mut self, len: usize) -> Result<&'a str> {
        let start = self.at;
        let bytes = self.take(len)?;
        std::str::from_utf8(bytes).map_err(|error| {
            let at = start + error.valid_up_to();
            let text = format!("the text at byte {start} is not UTF-8 from byte {at} on");
            Error::value(codes::MSGPACK_FORMAT, text).caused_by(error)
        })
    }

    /// Checks the length of an array or a map, each member of which takes at least `least` bytes.
    fn items(&self, len: usize, least: usize) -> Result<usize> {
        let rest = self.bytes.len() - self.at;
        if len > rest / least {
            return Err(self.truncated(len.saturating_mul(least) - rest));
        }
        Ok(len)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let bytes = rest.get(..len).ok_or_else(|| self.truncated(len - rest.len()))?;
        self.at += len;
        Ok(bytes)
    }

    fn array_of<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.take(N)?;
        Ok(bytes.try_into().expect("as many bytes as were asked for"))
    }

    fn truncated(&self, missing: usize) -> Error {
        let text = format!(
            "the message breaks off: at byte {} of {}, at least {missing} more are missing",
            self.at,
            self.bytes.len()
        );
        Error::value(codes::MSGPACK_TRUNCATED, text)
    }
}

fn signed<'a>(value: i64) -> Item<'a> {
    u64::try_from(value).map_or(Item::Int(value), Item::UInt)
}

fn malformed(what: &str, at: usize) -> Error {
    Error::value(codes::MSGPACK_FORMAT, format!("{what} at byte {at}"))
}

fn mismatch(expected: &str, item: Item<'_>, at: usize) -> Error {
    let text = format!("expected {expected} at byte {at}, found {}", item.name());
    Error::value(codes::MSGPACK_TYPE, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One message of each item with its first byte, those of all widths among them.
    const MESSAGES: [(&[u8], Item<'static>); 30] = [
        (b"\xc0", Item::Nil),
        (b"\xc2", Item::Bool(false)),
        (b"\xc3", Item::Bool(true)),
        (b"\x07", Item::UInt(7)),
        (b"\xcc\xf0", Item::UInt(0xf0)),
        (b"\xcd\xf0\x01", Item::UInt(0xf001)),
        (b"\xce\xf0\x01\x02\x03", Item::UInt(0xf001_0203)),
        (b"\xcf\xf0\x01\x02\x03\x04\x05\x06\x07", Item::UInt(0xf001_0203_0405_0607)),
        (b"\xff", Item::Int(-1)),
        (b"\xd0\x9c", Item::Int(-100)),
        (b"\xd0\x64", Item::UInt(100)),
        (b"\xd1\xff\x00", Item::Int(-256)),
        (b"\xd2\xff\xff\x00\x00", Item::Int(-65_536)),
        (b"\xd3\xff\xff\xff\xff\x00\x00\x00\x00", Item::Int(-(1 << 32))),
        (b"\xca\x3f\x00\x00\x00", Item::Float(0.5)),
        (b"\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00", Item::Float(0.5)),
        (b"\xa2ab", Item::Str("ab")),
        (b"\xd9\x02ab", Item::Str("ab")),
        (b"\xda\x00\x02ab", Item::Str("ab")),
        (b"\xdb\x00\x00\x00\x02ab", Item::Str("ab")),
        (b"\xc4\x02ab", Item::Bytes(b"ab")),
        (b"\xc5\x00\x02ab", Item::Bytes(b"ab")),
        (b"\xc6\x00\x00\x00\x02ab", Item::Bytes(b"ab")),
        (b"\x92\xc0\xc0", Item::Array(2)),
        (b"\xdc\x00\x02\xc0\xc0", Item::Array(2)),
        (b"\xdd\x00\x00\x00\x02\xc0\xc0", Item::Array(2)),
        (b"\x82\xc0\xc0\xc0\xc0", Item::Map(2)),
        (b"\xde\x00\x02\xc0\xc0\xc0\xc0", Item::Map(2)),
        (b"\xdf\x00\x00\x00\x02\xc0\xc0\xc0\xc0", Item::Map(2)),
        (b"\x80", Item::Map(0)),
    ];

    #[test]
    fn each_item_is_read_in_each_of_its_forms() {
        for (message, item) in MESSAGES {
            let mut reader = Reader::new(message);
            assert_eq!(reader.item().unwrap(), item);
            let members = match item {
                Item::Array(len) => len,
                Item::Map(len) => len * 2,
                _ => 0,
            };
            assert_eq!(reader.position(), message.len() - members);
            assert_eq!(Reader::new(message).skip().unwrap(), message);
        }
    }

    #[test]
    fn an_item_is_read_as_its_own_type_alone() {
        for (message, item) in MESSAGES {
            let reader = || Reader::new(message);
            let own = [
                reader().array().ok().map(Item::Array),
                reader().map().ok().map(Item::Map),
                reader().str().ok().map(Item::Str),
                reader().bytes().ok().map(Item::Bytes),
                reader().uint().ok().map(Item::UInt),
            ];
            let of_no_type =
                matches!(item, Item::Nil | Item::Bool(_) | Item::Int(_) | Item::Float(_));
            let read: Vec<_> = own.into_iter().flatten().collect();
            let expected: Vec<_> = (!of_no_type).then_some(item).into_iter().collect();
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn each_item_has_a_name_in_errors() {
        let names: [(&[u8], &str); 9] = [
            (b"\xc0", "nil"),
            (b"\xc2", "a truth value"),
            (b"\x07", "an integer"),
            (b"\xff", "an integer"),
            (b"\xca\x3f\x00\x00\x00", "a float"),
            (b"\xa0", "text"),
            (b"\xc4\x00", "binary data"),
            (b"\x90", "an array"),
            (b"\x80", "a map"),
        ];
        for (message, name) in names {
            let mut reader = Reader::new(message);
            let result = if name == "a map" { reader.array() } else { reader.map() };
            let error = result.unwrap_err();
            assert!(error.message().ends_with(&format!("at byte 0, found {name}")), "{error}");
        }
    }

    #[test]
    fn a_length_beyond_the_end_says_how_many_bytes_are_missing() {
        let cases: [(&[u8], &str); 7] = [
            (b"\xa5ab", "at byte 1 of 3, at least 3 more"),
            (b"\xc0\xcd\x01", "at byte 2 of 3, at least 1 more"),
            (b"\x93\xc0", "at byte 1 of 2, at least 2 more"),
            (b"\x82\xc0\xc0\xc0", "at byte 1 of 4, at least 1 more"),
            (b"\xdd\xff\xff\xff\xff", "at byte 5 of 5, at least 4294967295 more"),
            (b"\xdf\x00\x00\x00\x02\xc0", "at byte 5 of 6, at least 3 more"),
            (b"", "at byte 0 of 0, at least 1 more"),
        ];
        for (message, missing) in cases {
            let mut reader = Reader::new(message);
            let error = (0..2).find_map(|_| reader.item().err()).unwrap();
            assert_eq!(error.code(), "msgpack-truncated");
            assert!(error.message().contains(missing), "{error}");
        }
    }

    #[test]
    fn bytes_after_a_message_and_text_that_is_not_utf8_are_named_by_their_places() {
        let mut reader = Reader::new(b"\xa3ab\xff\xc0");
        let error = reader.clone().item().unwrap_err();
        assert!(error.message().contains("at byte 1 is not UTF-8 from byte 3 on"), "{error}");
        assert_eq!(reader.position(), 0);
        reader.at = 4;
        let error = reader.finish().unwrap_err();
        assert!(error.message().contains("ends at byte 4, but 1 more follow"), "{error}");
        reader.item().unwrap();
        assert!(reader.finish().is_ok());
    }

    #[test]
    fn what_begins_nothing_and_extensions_are_refused_with_their_place() {
        for marker in [0xc1, 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8] {
            let message = [0xc0, marker, 0, 0, 0, 0, 0, 0, 0, 0];
            let mut reader = Reader::new(&message);
            reader.item().unwrap();
            let error = reader.item().unwrap_err();
            assert_eq!(error.code(), "msgpack-format");
            assert!(error.message().ends_with("at byte 1"), "{error}");
        }
    }
}
