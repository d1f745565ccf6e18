//! Encoding of tokens and of the lexicon in compressed files.
//!
//! Only the length and the flags of a token are stored: its position follows from the tokens before
//! it, its word from the text.

use std::io::Read;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use lexpool::codes;
use lexpool::formats::zlib::{self, InflateLimit};
use lexpool::strings::StrId;
use lexpool::vocab::MappedVocab;
use lexpool::{Error, ErrorKind, Result};
use lexpool_structs::TokenC;

use super::piece::Piece;
use super::schema::{TEXT, TOKENS};
use super::validate::invalid_document;

/// Set in the number of a token that has flags other than a trailing space.
const HAS_FACTS: u64 = 2;

/// Encodes the tokens of each document of a piece.
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
        write_varint(&mut out, (end - u64::from(token.byte)) << 2 | flags);
        if rest != 0 {
            write_varint(&mut out, u64::from(rest));
        }
    }
    out
}

/// The tokens of a batch, and the end of each document's tokens.
pub(super) struct UnpackedTokens {
    pub(super) tokens: Vec<TokenC>,
    pub(super) ends: Vec<usize>,
}

impl UnpackedTokens {
    /// Decodes the tokens of a batch.
    ///
    /// # Errors
    ///
    /// `corpus-document` for invalid bytes, and for a word that is not in the lexicon.
    pub(super) fn of(batch: &RecordBatch, image: &MappedVocab) -> Result<UnpackedTokens> {
        let packed = batch.column(TOKENS).as_binary::<i64>();
        let texts = batch.column(TEXT).as_string::<i64>();
        let mut unpacked = UnpackedTokens { tokens: Vec::new(), ends: Vec::new() };
        for row in 0..batch.num_rows() {
            let tokens = &mut unpacked.tokens;
            let done = unpack_one(packed.value(row), texts.value(row), image, tokens);
            done.map_err(|text| invalid_document(row, &text))?;
            unpacked.ends.push(unpacked.tokens.len());
        }
        Ok(unpacked)
    }

    /// Returns the tokens of one document.
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
        let broken = || format!("the tokens are truncated at byte {byte} of the text");
        let number = read_varint(&mut packed).ok_or_else(broken)?;
        let rest = if number & HAS_FACTS == 0 {
            0
        } else {
            read_varint(&mut packed).ok_or_else(broken)?
        };
        let facts = u32::try_from(rest << 1 | number & 1).map_err(|_| broken())?;
        let len = usize::try_from(number >> 2).unwrap_or(usize::MAX);
        let piece = byte.checked_add(len).and_then(|end| text.get(byte..end));
        let at = u32::try_from(byte).ok();
        let word = piece.and_then(|piece| piece.get(..len.checked_sub(facts as usize & 1)?));
        let word = word.filter(|word| !word.is_empty());
        // Looked up in the file's lexicon, since the vocab may have dropped words since.
        let lex = word.and_then(|word| image.lexeme(StrId::of(word)));
        let (Some(piece), Some(at), Some(lex)) = (piece, at, lex) else {
            return Err(format!("no word of the lexicon has {len} bytes at byte {byte}"));
        };
        tokens.push(TokenC { lex, idx, byte: at, facts });
        let chars = u32::try_from(piece.chars().count()).map_err(|_| broken())?;
        idx = idx.checked_add(chars).ok_or_else(broken)?;
        byte += len;
    }
    Ok(())
}

/// Appends a varint: seven bits per byte, the lowest first; the top bit is set if more follow
/// (LEB128).
fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7f) as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
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

/// Compresses bytes to a zlib stream.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    zlib::compress_by(bytes, Compression::default())
}

/// Decompresses a zlib stream to `len` bytes.
///
/// # Errors
///
/// `corpus-lexicon` if the stream is invalid or of another length; `out-of-memory`.
pub(super) fn inflate(stream: &[u8], len: u64) -> Result<Vec<u8>> {
    let wrong = |text: String| Error::new(ErrorKind::Value, codes::CORPUS_LEXICON, text);
    if !InflateLimit::for_stream(stream.len()).allows(len) {
        return Err(wrong(format!("{} bytes cannot inflate to {len}", stream.len())));
    }
    let size = usize::try_from(len).map_err(|_| wrong(format!("{len} bytes exceed memory")))?;
    let mut out = Vec::new();
    out.try_reserve_exact(size).map_err(|_| {
        let text = format!("out of memory for {len} bytes");
        Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text)
    })?;
    let read = ZlibDecoder::new(stream).take(len).read_to_end(&mut out);
    match read {
        Ok(read) if read == size => Ok(out),
        Ok(read) => Err(wrong(format!("it inflates to {read} bytes, expected {len}"))),
        Err(error) => Err(wrong(format!("not a zlib stream: {error}"))),
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
                write_varint(&mut bytes, *number);
            }
            let mut rest = &bytes[..];
            for number in numbers {
                prop_assert_eq!(read_varint(&mut rest), Some(number));
            }
            prop_assert_eq!(read_varint(&mut rest), None);
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
