//! Groups of spans, as in spaCy's `Doc.spans`.
//!
//! A group is encoded as a map of its name, attributes and spans; each span is a record of 40
//! bytes. All groups of a document are a map from the bytes of a group to the keys under which the
//! document has it. Older files contain a list of groups instead.

use lexpool_structs::SpanC;

use crate::codes;
use crate::msgpack::{Item, Reader, Writer};
use crate::{Error, Result};

/// The bytes of a document without groups: an empty list.
pub const NO_GROUPS: &[u8] = b"\x90";

/// A decoded group.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanGroup<'a> {
    /// The name, which may differ from its keys.
    pub name: &'a str,
    /// The attributes, a packed map.
    pub attrs: &'a [u8],
    /// The spans, in order.
    pub spans: Vec<SpanC>,
}

/// Limits of span offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Number of tokens of the document.
    pub tokens: usize,
    /// Number of characters of its text.
    pub chars: usize,
}

impl SpanGroup<'_> {
    /// Encodes the group.
    ///
    /// ```
    /// use lexpool::formats::span_group::{Bounds, SpanGroup};
    /// use lexpool::structs::SpanC;
    /// let spans = vec![SpanC { end: 1, end_char: 4, ..SpanC::default() }];
    /// let group = SpanGroup { name: "errors", attrs: b"\x80", spans };
    /// let bytes = group.to_bytes()?;
    /// let bounds = Bounds { tokens: 3, chars: 14 };
    /// assert_eq!(SpanGroup::from_bytes(&bytes, bounds)?, group);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `msgpack-size` for values that the format cannot express.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Writer::new();
        out.map(3)?;
        out.str("name")?;
        out.str(self.name)?;
        out.str("attrs")?;
        out.packed(self.attrs);
        out.str("spans")?;
        out.array(self.spans.len())?;
        for span in &self.spans {
            out.bytes(&encode(span))?;
        }
        Ok(out.into_bytes())
    }
}

impl<'a> SpanGroup<'a> {
    /// Decodes a group.
    ///
    /// # Errors
    ///
    /// `span-group` for a span that ends before it starts or lies outside the bounds, and for a
    /// missing part; `msgpack-...` for bytes that are not a message.
    pub fn from_bytes(bytes: &'a [u8], bounds: Bounds) -> Result<SpanGroup<'a>> {
        let mut reader = Reader::new(bytes);
        let (mut name, mut attrs, mut spans) = (None, None, None);
        for _ in 0..reader.map()? {
            match reader.str()? {
                "name" => name = Some(reader.str()?),
                "attrs" => attrs = Some(packed_map(&mut reader)?),
                "spans" => spans = Some(read_spans(&mut reader, bounds)?),
                _ => drop(reader.skip()?),
            }
        }
        reader.finish()?;
        let missing = |part| invalid(format!("the part {part:?} of a span group is missing"));
        Ok(SpanGroup {
            name: name.ok_or_else(|| missing("name"))?,
            attrs: attrs.ok_or_else(|| missing("attrs"))?,
            spans: spans.ok_or_else(|| missing("spans"))?,
        })
    }
}

/// Decodes all groups of a document, each with its keys, in their order. A group of the older
/// format has its name as its key.
///
/// # Errors
///
/// As for [`SpanGroup::from_bytes`].
pub fn read_groups(bytes: &[u8], bounds: Bounds) -> Result<Vec<(Vec<&str>, SpanGroup<'_>)>> {
    let mut groups = Vec::new();
    if bytes.is_empty() {
        return Ok(groups);
    }
    let mut reader = Reader::new(bytes);
    match reader.item()? {
        Item::Array(len) => {
            for _ in 0..len {
                let group = SpanGroup::from_bytes(reader.bytes()?, bounds)?;
                groups.push((vec![group.name], group));
            }
        }
        Item::Map(len) => {
            for _ in 0..len {
                let group = SpanGroup::from_bytes(reader.bytes()?, bounds)?;
                let keys = (0..reader.array()?).map(|_| reader.str());
                groups.push((keys.collect::<Result<_>>()?, group));
            }
        }
        _ => return Err(invalid("span groups must be a map or a list".to_owned())),
    }
    reader.finish()?;
    Ok(groups)
}

fn packed_map<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8]> {
    reader.clone().map()?;
    reader.skip()
}

fn read_spans(reader: &mut Reader<'_>, bounds: Bounds) -> Result<Vec<SpanC>> {
    let mut spans = Vec::new();
    for i in 0..reader.array()? {
        let bytes = reader.bytes()?;
        let record: &[u8; size_of::<SpanC>()] = bytes
            .try_into()
            .map_err(|_| invalid(format!("span {i} has {} bytes; a span has 40", bytes.len())))?;
        let span = decode(record);
        let fits = |start: i32, end: i32, limit: usize| {
            0 <= start && start <= end && usize::try_from(end).is_ok_and(|end| end <= limit)
        };
        let SpanC { start, end, start_char, end_char, .. } = span;
        let Bounds { tokens, chars } = bounds;
        if !fits(start, end, tokens) || !fits(start_char, end_char, chars) {
            return Err(invalid(format!(
                "span {i} covers the tokens {start}..{end} and the characters \
                 {start_char}..{end_char} of a document of {tokens} tokens and {chars} characters"
            )));
        }
        spans.push(span);
    }
    Ok(spans)
}

fn encode(span: &SpanC) -> [u8; 40] {
    let ids = [span.id, span.kb_id, span.label].map(u64::to_be_bytes);
    let offsets = [span.start, span.end, span.start_char, span.end_char].map(i32::to_be_bytes);
    let mut out = [0; 40];
    out[..24].copy_from_slice(ids.as_flattened());
    out[24..].copy_from_slice(offsets.as_flattened());
    out
}

fn decode(record: &[u8; 40]) -> SpanC {
    let id = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| record[at + i]));
    let offset = |at: usize| i32::from_be_bytes(std::array::from_fn(|i| record[at + i]));
    SpanC {
        id: id(0),
        kb_id: id(8),
        label: id(16),
        start: offset(24),
        end: offset(28),
        start_char: offset(32),
        end_char: offset(36),
    }
}

fn invalid(text: String) -> Error {
    Error::value(codes::SPAN_GROUP, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { tokens: 4, chars: 14 };

    fn group() -> SpanGroup<'static> {
        let span = SpanC {
            id: 1,
            kb_id: u64::MAX,
            label: 3,
            start: 1,
            end: 2,
            start_char: 5,
            end_char: 7,
        };
        SpanGroup { name: "test", attrs: b"\x81\xa1k\x05", spans: vec![span, SpanC::default()] }
    }

    #[test]
    fn groups_of_spacys_are_read() {
        // doc.spans["test"] = SpanGroup(doc, name="test", spans=[doc[0:1]]) of "Will it blend?", by
        // an old spaCy.
        let mut bytes = b"\x91\xc4C\x83\xa4name\xa4test\xa5attrs\x80\xa5spans\x91\xc4(".to_vec();
        bytes.extend([0; 24]);
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4]);
        let groups = read_groups(&bytes, BOUNDS).unwrap();
        let spans = vec![SpanC { end: 1, end_char: 4, ..SpanC::default() }];
        let group = SpanGroup { name: "test", attrs: b"\x80", spans };
        assert_eq!(groups, [(vec!["test"], group)]);
        assert_eq!(read_groups(NO_GROUPS, BOUNDS).unwrap(), []);
        assert_eq!(read_groups(b"", BOUNDS).unwrap(), []);
    }

    #[test]
    fn a_group_comes_back_with_all_its_keys() {
        let mut out = Writer::new();
        out.map(1).unwrap();
        out.bytes(&group().to_bytes().unwrap()).unwrap();
        out.array(2).unwrap();
        out.str("a").unwrap();
        out.str("b").unwrap();
        let bytes = out.into_bytes();
        assert_eq!(read_groups(&bytes, BOUNDS).unwrap(), [(vec!["a", "b"], group())]);
        for end in 1..bytes.len() {
            assert!(read_groups(&bytes[..end], BOUNDS).is_err());
        }
    }

    #[test]
    fn spans_outside_of_the_document_are_refused() {
        for change in [
            |span: &mut SpanC| span.end = 5,
            |span: &mut SpanC| span.start = 3,
            |span: &mut SpanC| span.start = -1,
            |span: &mut SpanC| span.end_char = 15,
            |span: &mut SpanC| span.start_char = 8,
        ] {
            let mut group = group();
            change(&mut group.spans[0]);
            let bytes = group.to_bytes().unwrap();
            let error = SpanGroup::from_bytes(&bytes, BOUNDS).unwrap_err();
            assert_eq!(error.code(), "span-group");
        }
    }
}
