//! What a compressed file has in the place of the records of tokens, and of the lexicon.
//!
//! Of a token only its length and its facts are kept; its place follows from those before it, and its
//! word from the text.

use std::io::Read;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use lexpool_structs::TokenC;

use super::check;
use super::piece::Piece;
use super::schema::{TEXT, TOKENS};
use crate::formats::zlib::{self, InflateLimit};
use crate::strings::StrId;
use crate::vocab::MappedVocab;
use crate::{Error, ErrorKind, Result};

/// Set in the number of a token whose facts are more than whether a space follows.
const HAS_FACTS: u64 = 2;

/// The tokens of each document of a piece, as bytes.
pub(super) fn pack(piece: &Piece) -> ArrayRef {
    let mut packed = LargeBinaryBuilder::new();
    let (mut first, mut start) = (0, 0);
    for (len, end) in piece.lens.iter().zip(&piece.text_ends) {
        packed.append_value(pack_one(&piece.tokens[first..first + len], end - start));
        (first, start) = (first + len, *end);
    }
    std::sync::Arc::new(packed.finish())
}

fn pack_one(tokens: &[TokenC], text_len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(tokens.len());
    for (i, token) in tokens.iter().enumerate() {
        let end = tokens.get(i + 1).map_or(text_len as u64, |next| u64::from(next.byte));
        let rest = token.facts >> 1;
        let flags = u64::from(token.spacy()) | if rest == 0 { 0 } else { HAS_FACTS };
        push(&mut out, (end - u64::from(token.byte)) << 2 | flags);
        if rest != 0 {
            push(&mut out, u64::from(rest));
        }
    }
    out
}

/// The tokens of a batch, and where those of each document end.
pub(super) struct Unpacked {
    pub(super) tokens: Vec<TokenC>,
    pub(super) ends: Vec<usize>,
}

impl Unpacked {
    /// # Errors
    ///
    /// `corpus-document` for bytes that are no tokens, and for a word that is not in the lexicon.
    pub(super) fn of(batch: &RecordBatch, image: &MappedVocab) -> Result<Unpacked> {
        let packed = batch.column(TOKENS).as_binary::<i64>();
        let texts = batch.column(TEXT).as_string::<i64>();
        let mut unpacked = Unpacked { tokens: Vec::new(), ends: Vec::new() };
        for row in 0..batch.num_rows() {
            let tokens = &mut unpacked.tokens;
            let done = unpack_one(packed.value(row), texts.value(row), image, tokens);
            done.map_err(|text| check::wrong(row, &text))?;
            unpacked.ends.push(unpacked.tokens.len());
        }
        Ok(unpacked)
    }

    /// The tokens of one document.
    pub(super) fn of_row(&self, row: usize) -> &[TokenC] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.tokens[start..self.ends[row]]
    }
}

fn unpack_one(
    mut packed: &[u8],
    text: &str,
    image: &MappedVocab,
    tokens: &mut Vec<TokenC>,
) -> Result<(), String> {
    let (mut idx, mut byte) = (0_u32, 0_usize);
    while !packed.is_empty() {
        let broken = || format!("the tokens break off at byte {byte} of the text");
        let number = take(&mut packed).ok_or_else(broken)?;
        let rest =
            if number & HAS_FACTS == 0 { 0 } else { take(&mut packed).ok_or_else(broken)? };
        let facts = u32::try_from(rest << 1 | number & 1).map_err(|_| broken())?;
        let len = usize::try_from(number >> 2).unwrap_or(usize::MAX);
        let piece = byte.checked_add(len).and_then(|end| text.get(byte..end));
        let at = u32::try_from(byte).ok();
        let word = piece.and_then(|piece| piece.get(..len.checked_sub(facts as usize & 1)?));
        let word = word.filter(|word| !word.is_empty());
        // Not in the vocab, which may have forgotten words since.
        let lex = word.and_then(|word| image.lexeme(StrId::of(word)));
        let (Some(piece), Some(at), Some(lex)) = (piece, at, lex) else {
            return Err(format!("no word of {len} bytes of the lexicon is at byte {byte}"));
        };
        tokens.push(TokenC { lex, idx, byte: at, facts });
        let chars = u32::try_from(piece.chars().count()).map_err(|_| broken())?;
        idx = idx.checked_add(chars).ok_or_else(broken)?;
        byte += len;
    }
    Ok(())
}

/// Seven bits a byte, the low ones first; the top bit says that more follow.
fn push(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7f) as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Bytes as a zlib stream.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    zlib::compress_by(bytes, Compression::default())
}

/// The bytes of a zlib stream, which should be `len`.
///
/// # Errors
///
/// `corpus-lexicon` if they are not, `out-of-memory`.
pub(super) fn inflate(stream: &[u8], len: u64) -> Result<Vec<u8>> {
    let wrong = |text: String| Error::new(ErrorKind::Value, "corpus-lexicon", text);
    if !InflateLimit::for_stream(stream.len()).allows(len) {
        return Err(wrong(format!("{} bytes cannot stand for {len}", stream.len())));
    }
    let size = usize::try_from(len).map_err(|_| wrong(format!("{len} bytes")))?;
    let mut out = Vec::new();
    out.try_reserve_exact(size).map_err(|_| {
        Error::new(ErrorKind::Memory, "out-of-memory", format!("no memory for {len} bytes"))
    })?;
    let read = ZlibDecoder::new(stream).take(len).read_to_end(&mut out);
    match read {
        Ok(read) if read == size => Ok(out),
        Ok(read) => Err(wrong(format!("{read} bytes, and should be {len}"))),
        Err(error) => Err(wrong(format!("no zlib stream: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec(0_u64..1 << 63, 0..20)) {
            let mut bytes = Vec::new();
            for number in &numbers {
                push(&mut bytes, *number);
            }
            let mut rest = &bytes[..];
            for number in numbers {
                prop_assert_eq!(take(&mut rest), Some(number));
            }
            prop_assert_eq!(take(&mut rest), None);
        }
    }

    #[test]
    fn a_stream_of_another_length_is_refused() {
        let stream = deflate(b"some bytes");
        assert_eq!(inflate(&stream, 10).unwrap(), b"some bytes");
        for (len, stream) in [(11, &stream[..]), (10, &stream[..9]), (1 << 40, &stream), (10, b"x")]
        {
            assert_eq!(inflate(stream, len).unwrap_err().code(), "corpus-lexicon");
        }
    }
}
