//! spaCy's `DocBin`: what `DocBin().from_disk(path)` reads.
//!
//! The file is one zlib stream over a msgpack map of columns, all documents after each other.
//! Stored are `ORTH` and `NORM` of each token and whether a space follows: so the documents come
//! back with their texts, tokens and norms in any vocab of spaCy's.
//!
//! The map begins with the lengths of columns that end with the last document, so nothing can be
//! written before that. Columns are kept compressed meanwhile, about 4 bytes a token where spaCy
//! keeps more than 120.

use std::io::{self, Write};

use ahash::AHashMap;
use lexpool_structs::AttrId;
use rmp::encode;

use super::CorpusWriter;
use super::deflate::{Column, Segment, Zlib};
use crate::Result;
use crate::strings::StrId;
use crate::tokens::Doc;

/// Writes documents as a `DocBin`, all of it in [`finish`](CorpusWriter::finish). Memory: the file,
/// and each different word once.
pub struct DocBin<W> {
    out: W,
    columns: Columns<Column>,
    docs: u64,
    strings: Strings,
}

/// The strings behind the ids that tokens hold.
type Strings = AHashMap<StrId, Box<str>>;

/// Documents as columns, compressed.
pub struct DocBinPiece {
    columns: Columns<Segment>,
    docs: u64,
    strings: Strings,
}

/// What the map holds of each token or document.
#[derive(Default)]
struct Columns<T> {
    tokens: T,
    spaces: T,
    lengths: T,
    cats: T,
    flags: T,
    span_groups: T,
}

/// The attributes of a token, as they follow each other in the column `tokens`.
const ATTRS: [AttrId; 2] = [AttrId::ORTH, AttrId::NORM];

impl<W: Write> DocBin<W> {
    /// Will write to `out`.
    pub fn new(out: W) -> DocBin<W> {
        DocBin { out, columns: Columns::default(), docs: 0, strings: Strings::new() }
    }
}

impl<W: Write> CorpusWriter for DocBin<W> {
    type Piece = DocBinPiece;
    type Sink = W;

    fn piece(docs: &[Doc]) -> Result<DocBinPiece> {
        let mut raw = Columns::<Vec<u8>>::default();
        let mut strings = Strings::new();
        for doc in docs {
            push_doc(&mut raw, &mut strings, doc);
        }
        let columns = Columns {
            tokens: Segment::new(&raw.tokens),
            spaces: Segment::new(&raw.spaces),
            lengths: Segment::new(&raw.lengths),
            cats: Segment::new(&raw.cats),
            flags: Segment::new(&raw.flags),
            span_groups: Segment::new(&raw.span_groups),
        };
        Ok(DocBinPiece { columns, docs: docs.len() as u64, strings })
    }

    fn write(&mut self, piece: DocBinPiece) -> io::Result<()> {
        let Columns { tokens, spaces, lengths, cats, flags, span_groups } = piece.columns;
        self.columns.tokens.push(tokens);
        self.columns.spaces.push(spaces);
        self.columns.lengths.push(lengths);
        self.columns.cats.push(cats);
        self.columns.flags.push(flags);
        self.columns.span_groups.push(span_groups);
        self.docs += piece.docs;
        for (id, string) in piece.strings {
            self.strings.entry(id).or_insert(string);
        }
        length(self.columns.tokens.len())?;
        Ok(())
    }

    fn finish(self) -> io::Result<W> {
        let mut strings: Vec<_> = self.strings.into_values().collect();
        strings.sort_unstable();
        let docs = length(self.docs)?;
        let mut map = Map { zlib: Zlib::new(self.out)?, head: Vec::new() };
        encode::write_map_len(&mut map.head, 9)?;
        map.key("version")?;
        encode::write_str(&mut map.head, "0.1")?;
        map.key("attrs")?;
        encode::write_array_len(&mut map.head, length(ATTRS.len() as u64)?)?;
        for attr in ATTRS {
            encode::write_uint(&mut map.head, attr.number().into())?;
        }
        map.bytes("tokens", &self.columns.tokens)?;
        map.bytes("spaces", &self.columns.spaces)?;
        map.bytes("lengths", &self.columns.lengths)?;
        map.key("strings")?;
        encode::write_array_len(&mut map.head, length(strings.len() as u64)?)?;
        for string in strings {
            encode::write_str(&mut map.head, &string)?;
        }
        map.list("cats", docs, &self.columns.cats)?;
        map.list("flags", docs, &self.columns.flags)?;
        map.list("span_groups", docs, &self.columns.span_groups)?;
        map.zlib.finish()
    }
}

/// The file being written: small parts are gathered in `head` until a column is due.
struct Map<W> {
    zlib: Zlib<W>,
    head: Vec<u8>,
}

impl<W: Write> Map<W> {
    fn key(&mut self, key: &str) -> io::Result<()> {
        Ok(encode::write_str(&mut self.head, key)?)
    }

    /// A column whose bytes are one binary value.
    fn bytes(&mut self, key: &str, column: &Column) -> io::Result<()> {
        self.key(key)?;
        encode::write_bin_len(&mut self.head, length(column.len())?)?;
        self.column(column)
    }

    /// A column of values, one a document.
    fn list(&mut self, key: &str, docs: u32, column: &Column) -> io::Result<()> {
        self.key(key)?;
        encode::write_array_len(&mut self.head, docs)?;
        self.column(column)
    }

    fn column(&mut self, column: &Column) -> io::Result<()> {
        self.zlib.bytes(&self.head)?;
        self.head.clear();
        self.zlib.column(column)
    }
}

/// A length as msgpack has it.
fn length(len: u64) -> io::Result<u32> {
    u32::try_from(len).map_err(|_| {
        let text = "a DocBin holds at most 2^28 tokens; write several, or another format";
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    })
}

fn push_doc(columns: &mut Columns<Vec<u8>>, strings: &mut Strings, doc: &Doc) {
    for token in doc.iter() {
        let (orth, norm) = (token.lex().orth(), token.norm());
        columns.tokens.extend_from_slice(&orth.get().to_le_bytes());
        columns.tokens.extend_from_slice(&norm.get().to_le_bytes());
        columns.spaces.push(u8::from(token.record().spacy()));
        strings.entry(orth).or_insert_with(|| token.text().into());
        strings.entry(norm).or_insert_with(|| token.text_of(AttrId::NORM).into());
    }
    let len = i32::try_from(doc.len()).expect("a document has fewer than 2^30 tokens");
    columns.lengths.extend_from_slice(&len.to_le_bytes());
    columns.cats.extend_from_slice(EMPTY_MAP);
    let flags = if doc.has_unknown_spaces() { UNKNOWN_SPACES } else { KNOWN_SPACES };
    columns.flags.extend_from_slice(flags);
    columns.span_groups.extend_from_slice(NO_SPAN_GROUPS);
}

// Values of msgpack, spelled out: they stand in the file once a document.
const EMPTY_MAP: &[u8] = b"\x80";
/// A binary value that holds an empty list.
const NO_SPAN_GROUPS: &[u8] = b"\xc4\x01\x90";
const KNOWN_SPACES: &[u8] = b"\x81\xb2has_unknown_spaces\xc2";
const UNKNOWN_SPACES: &[u8] = b"\x81\xb2has_unknown_spaces\xc3";

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;
    use rmp::decode;

    use super::*;
    use crate::tokenizer::Tokenizer;

    /// The map with its columns, in the order of the file.
    #[derive(Debug, Default, PartialEq)]
    struct Contents {
        tokens: Vec<u64>,
        spaces: Vec<u8>,
        lengths: Vec<i32>,
        strings: Vec<String>,
        flags: Vec<bool>,
    }

    fn string(rest: &mut &[u8]) -> String {
        let len = decode::read_str_len(rest).unwrap();
        String::from_utf8(take(rest, len).to_vec()).unwrap()
    }

    fn bytes<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
        let len = decode::read_bin_len(rest).unwrap();
        take(rest, len)
    }

    fn take<'a>(rest: &mut &'a [u8], len: u32) -> &'a [u8] {
        let (bytes, tail) = rest.split_at(len as usize);
        *rest = tail;
        bytes
    }

    fn read(file: &[u8]) -> Contents {
        let mut map = Vec::new();
        ZlibDecoder::new(file).read_to_end(&mut map).unwrap();
        let rest = &mut map.as_slice();
        let mut out = Contents::default();
        assert_eq!(decode::read_map_len(rest).unwrap(), 9);
        for _ in 0..9 {
            let key = string(rest);
            match key.as_str() {
                "version" => assert_eq!(string(rest), "0.1"),
                "attrs" => {
                    assert_eq!(decode::read_array_len(rest).unwrap(), 2);
                    let attrs: [u32; 2] = std::array::from_fn(|_| decode::read_int(rest).unwrap());
                    assert_eq!(attrs, ATTRS.map(AttrId::number));
                }
                "tokens" => {
                    let words = bytes(rest).chunks(8);
                    out.tokens = words.map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect();
                }
                "spaces" => out.spaces = bytes(rest).to_vec(),
                "lengths" => {
                    let words = bytes(rest).chunks(4);
                    out.lengths =
                        words.map(|w| i32::from_le_bytes(w.try_into().unwrap())).collect();
                }
                "strings" => {
                    let len = decode::read_array_len(rest).unwrap();
                    out.strings = (0..len).map(|_| string(rest)).collect();
                }
                "cats" => {
                    for _ in 0..decode::read_array_len(rest).unwrap() {
                        assert_eq!(decode::read_map_len(rest).unwrap(), 0);
                    }
                }
                "flags" => {
                    for _ in 0..decode::read_array_len(rest).unwrap() {
                        assert_eq!(decode::read_map_len(rest).unwrap(), 1);
                        assert_eq!(string(rest), "has_unknown_spaces");
                        out.flags.push(decode::read_bool(rest).unwrap());
                    }
                }
                "span_groups" => {
                    for _ in 0..decode::read_array_len(rest).unwrap() {
                        assert_eq!(decode::read_array_len(&mut bytes(rest)).unwrap(), 0);
                    }
                }
                other => panic!("{other}"),
            }
        }
        assert!(rest.is_empty());
        out
    }

    fn written(docs: &[Doc], at_once: usize) -> Contents {
        let mut writer = DocBin::new(Vec::new());
        for docs in docs.chunks(at_once) {
            writer.write(DocBin::<Vec<u8>>::piece(docs).unwrap()).unwrap();
        }
        read(&writer.finish().unwrap())
    }

    #[test]
    fn documents_come_back_whatever_pieces_they_were_written_in() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let texts = ["I don't know.", "", " \n", "So what, don't go!"];
        let docs = texts.map(|text| tokenizer.tokenize(text).unwrap());
        let read = written(&docs, 1);
        assert_eq!(written(&docs, 3), read);
        let tokens: Vec<_> = docs.iter().flat_map(Doc::iter).collect();
        let rows = tokens.iter().flat_map(|token| [token.lex().orth(), token.norm()]);
        assert_eq!(read.tokens, rows.map(StrId::get).collect::<Vec<_>>());
        let spaces = tokens.iter().map(|token| u8::from(token.record().spacy()));
        assert_eq!(read.spaces, spaces.collect::<Vec<_>>());
        assert_eq!(read.lengths, docs.each_ref().map(|doc| i32::try_from(doc.len()).unwrap()));
        assert_eq!(read.flags, [false; 4]);
        for id in &read.tokens {
            assert!(read.strings.iter().any(|string| StrId::of(string).get() == *id));
        }
        assert!(read.strings.contains(&"not".to_owned()), "the norm of n't is stored");
        assert!(read.strings.is_sorted());
    }

    #[test]
    fn unknown_spaces_stay_unknown() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let doc = tokenizer.tokenize("a b").unwrap().with_unknown_spaces();
        assert_eq!(written(&[doc], 1).flags, [true]);
    }

    #[test]
    fn there_may_be_no_document() {
        assert_eq!(written(&[], 1), Contents::default());
    }
}
