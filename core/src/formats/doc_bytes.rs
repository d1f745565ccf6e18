//! One document as bytes, compatible with spaCy's `Doc.to_bytes` and `Doc.from_bytes`.
//!
//! The message is a map of the text, an array of fifteen attributes per token, the strings that the
//! ids in it stand for, and the values that belong to the document as a whole ([`Extras`]).

use std::iter;
use std::sync::Arc;

use lexpool_structs::AttrId;

use super::attr_rows::{self as rows, KnownIds};
use super::doc_strings::{bounds, strings_of};
use super::{checksum, float_array, span_group};
use crate::codes;
use crate::fallible;
use crate::msgpack::{Item, Reader, Writer};
use crate::seeded::IdSet;
use crate::tokens::{ARRAY_ATTRS, Doc, DocBuilder, Tensor};
use crate::vocab::VocabSnapshot;
use crate::{Error, Result};

/// Values of a whole document, encoded as in its bytes: packed by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extras<'a> {
    /// Sentiment: a float, positive for positive texts.
    pub sentiment: f64,
    /// A tensor, packed. `None` when encoding: that of the document, or an empty one.
    pub tensor: Option<&'a [u8]>,
    /// The categories, a packed map.
    pub cats: Option<&'a [u8]>,
    /// The bytes of all span groups.
    pub spans: Option<&'a [u8]>,
    /// User data: the bytes of the list of keys. The bytes of the list of values are
    /// `user_data_values`.
    pub user_data_keys: Option<&'a [u8]>,
    /// The bytes of the list of values of user data; see `user_data_keys`.
    pub user_data_values: Option<&'a [u8]>,
}

/// Key of the checksum, which spaCy does not write.
pub const CHECKSUM: &str = checksum::KEY;

/// A packed `numpy.zeros((0,), dtype="float32")`.
pub const NO_TENSOR: &[u8] =
    b"\x85\xc4\x02nd\xc3\xc4\x04type\xa3<f4\xc4\x04kind\xc4\x00\xc4\x05shape\x91\x00\xc4\x04data\xc4\x00";
const EMPTY_MAP: &[u8] = b"\x80";

/// The parts of the message, in their order. `exclude` may name any of them.
pub const PARTS: [&str; 11] = [
    "text",
    "array_head",
    "array_body",
    "sentiment",
    "tensor",
    "cats",
    "spans",
    "strings",
    "has_unknown_spaces",
    "user_data_keys",
    "user_data_values",
];

/// Encodes a document.
///
/// ```
/// use lexpool::{formats::doc_bytes, tokenizer::Tokenizer};
/// let tokenizer = Tokenizer::blank("en")?;
/// let doc = tokenizer.tokenize("Let's go!")?;
/// let bytes = doc_bytes::to_bytes(&doc, &doc_bytes::Extras::default(), &[])?;
/// let (again, _) = doc_bytes::from_bytes(&doc.vocab().snapshot(), &bytes, &[])?;
/// assert_eq!(again.text(), "Let's go!");
/// assert_eq!(again.len(), 4);
/// # Ok::<(), lexpool::Error>(())
/// ```
///
/// # Errors
///
/// `E018` if an id of the annotation has no string; `span-group` if `extras.spans` cannot be
/// decoded; `msgpack-size` for values that are too long for the format.
pub fn to_bytes(doc: &Doc, extras: &Extras<'_>, exclude: &[&str]) -> Result<Vec<u8>> {
    write(doc, extras, exclude, &ARRAY_ATTRS)
}

/// Encodes a document without the attributes that are unset on all its tokens. [`from_bytes`]
/// returns the same document from fewer bytes; spaCy reads them too, but always writes all
/// attributes.
///
/// # Errors
///
/// As for [`to_bytes`].
pub fn to_short_bytes(doc: &Doc, extras: &Extras<'_>, exclude: &[&str]) -> Result<Vec<u8>> {
    let mut attrs = Vec::with_capacity(ARRAY_ATTRS.len());
    for attr in ARRAY_ATTRS {
        let is_needed = match attr {
            // Norms belong to the vocab too, and the vocab of the reader may have other ones.
            AttrId::LENGTH | AttrId::SPACY | AttrId::NORM => true,
            // Derived from the text.
            AttrId::ORTH => false,
            _ => {
                // By default only the first token starts a sentence.
                let first = u64::from(attr == AttrId::SENT_START);
                let unset = iter::once(first).chain(iter::repeat(0));
                let column = doc.attrs().try_to_array(&[attr])?;
                column.into_iter().zip(unset).any(|(value, unset)| value != unset)
            }
        };
        if is_needed {
            attrs.push(attr);
        }
    }
    write(doc, extras, exclude, &attrs)
}

fn write(doc: &Doc, extras: &Extras<'_>, exclude: &[&str], attrs: &[AttrId]) -> Result<Vec<u8>> {
    let groups = extras.spans.unwrap_or(span_group::NO_GROUPS);
    let user_data = !exclude.contains(&"user_data");
    let keys = extras.user_data_keys.filter(|_| user_data);
    let values = extras.user_data_values.filter(|_| user_data);
    let is_present = |part: &&str| match *part {
        "user_data_keys" => keys.is_some(),
        "user_data_values" => values.is_some(),
        _ => true,
    };
    let parts = PARTS.iter().filter(|part| !exclude.contains(part) && is_present(part));
    // The text, its words among the strings, the numbers of each token, and the rest.
    let size = 2 * doc.text().len() + doc.len() * (8 * attrs.len() + 8) + 512;
    let mut out = Writer::try_with_capacity(size)?;
    out.map(parts.clone().count() + 1)?;
    for part in parts {
        out.str(part)?;
        match *part {
            "text" => out.str(doc.text())?,
            "array_head" => {
                out.array(attrs.len())?;
                for attr in attrs {
                    out.uint(attr.number().into());
                }
            }
            "array_body" => write_array(&mut out, doc, attrs)?,
            "sentiment" => out.float(extras.sentiment),
            "tensor" => match (extras.tensor, doc.tensor()) {
                (None, Some(tensor)) => {
                    let shape = [doc.len(), tensor.width()];
                    out.float_array(&shape, tensor.numbers())?;
                }
                (packed, _) => out.packed(packed.unwrap_or(NO_TENSOR)),
            },
            "cats" => out.packed(extras.cats.unwrap_or(EMPTY_MAP)),
            "spans" => out.bytes(groups)?,
            "strings" => write_strings(&mut out, doc, groups)?,
            "has_unknown_spaces" => out.bool(doc.has_unknown_spaces()),
            "user_data_keys" => out.bytes(keys.unwrap_or_default())?,
            _ => out.bytes(values.unwrap_or_default())?,
        }
    }
    checksum::write(&mut out)?;
    Ok(out.into_bytes())
}

fn write_array(out: &mut Writer, doc: &Doc, attrs: &[AttrId]) -> Result<()> {
    out.map(5)?;
    out.bytes(b"nd")?;
    out.bool(true);
    out.bytes(b"type")?;
    out.str("<u8")?;
    out.bytes(b"kind")?;
    out.bytes(b"")?;
    out.bytes(b"shape")?;
    out.array(2)?;
    out.uint(doc.len() as u64);
    out.uint(attrs.len() as u64);
    out.bytes(b"data")?;
    out.bytes(&rows::to_le(&doc.attrs().try_to_array(attrs)?))
}

fn write_strings(out: &mut Writer, doc: &Doc, groups: &[u8]) -> Result<()> {
    // A long document has far fewer strings than tokens.
    let expected = doc.len().min(1 << 10);
    let mut written_ids = IdSet::default();
    written_ids.reserve(expected);
    let mut strings = Vec::with_capacity(expected);
    strings_of(doc, groups, |id, string| {
        written_ids.try_reserve(1)?;
        if written_ids.insert(id.get()) {
            fallible::push(&mut strings, string)?;
        }
        Ok(())
    })?;
    out.array(strings.len())?;
    strings.into_iter().try_for_each(|string| out.str(string))
}

/// Decodes a document and the values that belong to it as a whole.
///
/// Adds its strings to the vocab of the snapshot. A tensor of 32-bit floats with a row for each
/// token becomes that of the document. `exclude` may name `strings`, `tensor` and
/// `has_unknown_spaces`; the caller drops other parts that it does not want from the result.
///
/// # Errors
///
/// `doc-bytes` if a part is missing or does not fit the others; `attribute-value`, `unknown-id`,
/// `E190`, `E982` and `E1021` for impossible values; `span-group` for spans outside the document;
/// `checksum` for changed bytes; `msgpack-...` for bytes that are not a message. All are of the
/// kind `Value`. Strings may have been added to the vocab by then.
pub fn from_bytes<'a>(
    snapshot: &VocabSnapshot,
    bytes: &'a [u8],
    exclude: &[&str],
) -> Result<(Doc, Extras<'a>)> {
    let message = Message::read(bytes)?;
    let AttrArray { rows, width } =
        message.array.ok_or_else(|| invalid("\"array_body\" is missing"))?;
    let attrs = message.attrs.ok_or_else(|| invalid("\"array_head\" is missing"))?;
    let text = message.text.ok_or_else(|| invalid("\"text\" is missing"))?;
    if attrs.len() != width {
        let text = format!(
            "\"array_head\" names {} attributes, but rows have {width} values",
            attrs.len()
        );
        return Err(invalid(text));
    }
    rows::check_values(&attrs, &rows)?;
    let mut doc = cut_text(snapshot, text, &attrs, &rows)?;
    if let Some(strings) = message.strings.filter(|_| !exclude.contains(&"strings")) {
        for string in strings {
            snapshot.add(string)?;
        }
        KnownIds::new(snapshot, doc.len())?.check(&attrs, &rows)?;
    }
    rows::enter_morphs(snapshot, &attrs, &rows)?;
    doc.attrs_mut().set_array(&attrs, &rows)?;
    if !exclude.contains(&"has_unknown_spaces") {
        doc.set_unknown_spaces(message.has_unknown_spaces);
    }
    if let Some(packed) = message.extras.tensor.filter(|_| !exclude.contains(&"tensor")) {
        if let Some((width, numbers)) = float_array::read_rows(packed, doc.len()) {
            let tensor = Tensor::new(width, numbers)?;
            if tensor.len() == doc.len() {
                doc.set_tensor(Some(Arc::new(tensor)))?;
            }
        }
    }
    span_group::read_groups(message.extras.spans.unwrap_or_default(), bounds(&doc))?;
    Ok((doc, message.extras))
}

/// Builds the tokens: cuts words out of the text by their lengths.
fn cut_text(snapshot: &VocabSnapshot, text: &str, attrs: &[AttrId], rows: &[u64]) -> Result<Doc> {
    let column = |attr: AttrId| {
        let at = attrs.iter().position(|own| *own == attr)?;
        Some(rows.iter().skip(at).step_by(attrs.len()).copied())
    };
    let required = |attr: AttrId| {
        column(attr).ok_or_else(|| {
            invalid(format!("the attribute {} is missing", attr.name().unwrap_or_default()))
        })
    };
    let lengths = required(AttrId::LENGTH)?;
    let spaces = required(AttrId::SPACY)?;
    let mut orths = column(AttrId::ORTH);
    let mut builder = DocBuilder::with_capacity(lengths.len(), text.len())?;
    let mut rest = text;
    for (i, (length, space)) in lengths.zip(spaces).enumerate() {
        let chars = usize::try_from(length).unwrap_or(usize::MAX);
        let Some(end) = byte_of(rest, chars) else {
            let left = rest.chars().count();
            let text =
                format!("token {i} has {length} characters, but only {left} are left of the text");
            return Err(invalid(text));
        };
        let (word, tail) = rest.split_at(end);
        let lex = snapshot.enter(word)?;
        if let Some(given) = orths.as_mut().and_then(Iterator::next) {
            if snapshot.cell(lex).map_or(0, |cell| cell.orth().get()) != given {
                return Err(invalid(format!("token {i} is {word:?}, but its ORTH is {given}")));
            }
        }
        builder.push(lex, word, chars, space != 0)?;
        rest = tail;
        if space != 0 {
            rest = rest.strip_prefix(' ').ok_or_else(|| {
                invalid(format!("token {i}, {word:?}, is stored with a space that the text lacks"))
            })?;
        }
    }
    if !rest.is_empty() {
        return Err(invalid(format!("the tokens end before {rest:?}, the end of the text")));
    }
    builder.finish(snapshot.clone())
}

/// Returns the byte position after the first `chars` characters, or `None` if the text is shorter.
fn byte_of(text: &str, chars: usize) -> Option<usize> {
    if text.get(..chars).is_some_and(str::is_ascii) {
        return Some(chars);
    }
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.nth(chars)
}

/// The decoded map of the message.
#[derive(Default)]
struct Message<'a> {
    text: Option<&'a str>,
    attrs: Option<Vec<AttrId>>,
    array: Option<AttrArray>,
    strings: Option<Vec<&'a str>>,
    has_unknown_spaces: bool,
    extras: Extras<'a>,
}

struct AttrArray {
    rows: Vec<u64>,
    width: usize,
}

impl<'a> Message<'a> {
    fn read(bytes: &'a [u8]) -> Result<Message<'a>> {
        let mut reader = Reader::new(bytes);
        let mut message = Message::default();
        for _ in 0..reader.map()? {
            let at = reader.position();
            match reader.str()? {
                "text" => message.text = Some(reader.str()?),
                "array_head" => message.attrs = Some(read_attrs(&mut reader)?),
                "array_body" => message.array = Some(read_attr_array(&mut reader)?),
                "strings" => {
                    let mut strings = Vec::new();
                    for _ in 0..reader.array()? {
                        fallible::push(&mut strings, reader.str()?)?;
                    }
                    message.strings = Some(strings);
                }
                "has_unknown_spaces" => message.has_unknown_spaces = read_flag(&mut reader)?,
                "sentiment" => message.extras.sentiment = number(&mut reader)?,
                "tensor" => message.extras.tensor = Some(reader.skip()?),
                "cats" => message.extras.cats = Some(reader.skip()?),
                "spans" => message.extras.spans = Some(reader.bytes()?),
                "user_data_keys" => message.extras.user_data_keys = Some(reader.bytes()?),
                "user_data_values" => message.extras.user_data_values = Some(reader.bytes()?),
                checksum::KEY => checksum::check(&mut reader, bytes, at)?,
                _ => drop(reader.skip()?),
            }
        }
        reader.finish()?;
        Ok(message)
    }
}

pub(super) fn read_attrs(reader: &mut Reader<'_>) -> Result<Vec<AttrId>> {
    let attrs = (0..reader.array()?).map(|_| {
        let number = reader.uint()?;
        let attr = u32::try_from(number).map(AttrId::new).ok();
        attr.filter(|attr| ARRAY_ATTRS.contains(attr) || attr.name().is_some())
            .ok_or_else(|| invalid(format!("{number} is not the number of a token attribute")))
    });
    attrs.collect()
}

/// Reads a packed two-dimensional NumPy array of 64-bit integers.
fn read_attr_array(reader: &mut Reader<'_>) -> Result<AttrArray> {
    let (mut shape, mut data, mut kind) = (None, None, None);
    for _ in 0..reader.map()? {
        match key(reader)? {
            b"type" => kind = Some(reader.str()?),
            b"shape" => {
                let axes = (0..reader.array()?).map(|_| reader.uint());
                shape = Some(axes.collect::<Result<Vec<_>>>()?);
            }
            b"data" => data = Some(reader.bytes()?),
            _ => drop(reader.skip()?),
        }
    }
    let data = data.unwrap_or_default();
    let (Some("<u8"), Some([len, width])) = (kind, shape.as_deref()) else {
        let text = format!(
            "\"array_body\" is of type {:?} and shape {:?}; expected \"<u8\" and two axes",
            kind.unwrap_or_default(),
            shape.unwrap_or_default()
        );
        return Err(invalid(text));
    };
    let size = len.checked_mul(*width).and_then(|numbers| numbers.checked_mul(8));
    if *width == 0 || size != Some(data.len() as u64) {
        let text = format!(
            "\"array_body\" has {} bytes; {len} rows of {width} values of 8 bytes were announced",
            data.len()
        );
        return Err(invalid(text));
    }
    let width = usize::try_from(*width).map_err(|_| invalid("rows too long for memory"))?;
    let rows = rows::from_le(data)?;
    Ok(AttrArray { rows, width })
}

/// Reads a key: text, or binary data in the maps that stand for NumPy arrays.
fn key<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8]> {
    match reader.item()? {
        Item::Str(key) => Ok(key.as_bytes()),
        Item::Bytes(key) => Ok(key),
        _ => Err(invalid("a key of the array is neither text nor binary data")),
    }
}

fn read_flag(reader: &mut Reader<'_>) -> Result<bool> {
    match reader.item()? {
        Item::Bool(value) => Ok(value),
        // spaCy stores whatever was assigned.
        Item::Nil | Item::UInt(0) => Ok(false),
        Item::UInt(1) => Ok(true),
        _ => Err(invalid("\"has_unknown_spaces\" is neither true nor false")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sentiment is a small number")]
fn number(reader: &mut Reader<'_>) -> Result<f64> {
    match reader.item()? {
        Item::Float(value) => Ok(value),
        Item::UInt(value) => Ok(value as f64),
        Item::Int(value) => Ok(value as f64),
        _ => Err(invalid("\"sentiment\" is not a number")),
    }
}

fn invalid(text: impl Into<String>) -> Error {
    Error::value(codes::DOC_BYTES, text)
}

#[cfg(test)]
mod tests;
