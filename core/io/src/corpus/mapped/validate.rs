//! Validation of a document's records from a file, before a document is made of them.
//!
//! Checks everything that the rest of the crate relies on: tokens tile the text, positions lie
//! within the document, and indices are in range.

use lexpool::Error;
use lexpool::codes;
use lexpool::tokens::MAX_CHARS;
use lexpool_structs::{Pos, SyntaxC, TagC, TokenC};

use super::doc_parts::DocParts;

/// Upper bounds of indices in records.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexLimits {
    /// Lexeme indices are below this.
    pub(super) lexemes: u32,
    /// Norm indices are at most this.
    pub(super) norms: u32,
}

/// Returns the error for an invalid document.
pub(super) fn invalid_document(row: usize, text: &str) -> Error {
    Error::value(codes::CORPUS_DOCUMENT, format!("row {row}: {text}"))
}

/// Validates a document.
pub(super) fn validate_document(parts: &DocParts<'_>, limits: IndexLimits) -> Result<(), String> {
    let DocParts { text, tokens, tags, syntax, entities } = parts;
    let lens = [tags.map(<[_]>::len), syntax.map(<[_]>::len), entities.map(<[_]>::len)];
    if let Some(len) = lens.into_iter().flatten().find(|len| *len != tokens.len()) {
        return Err(format!("{len} records of annotation, but {} tokens", tokens.len()));
    }
    if u32::try_from(text.len()).is_err() {
        return Err(format!("a text of {} bytes; at most 4 GiB", text.len()));
    }
    check_tiling(text, tokens)?;
    for (i, token) in tokens.iter().enumerate() {
        let reserved = token.facts & 0b1110_0000 != 0 || TokenC::SENT_START.get(token.facts) == 3;
        if token.lex == 0
            || token.lex >= limits.lexemes
            || token.norm_ix() > limits.norms
            || reserved
        {
            return Err(format!(
                "token {i} is {token:?}, but there are {} lexemes and {} norms",
                limits.lexemes, limits.norms
            ));
        }
    }
    tags.map_or(Ok(()), check_tags)?;
    syntax.map_or(Ok(()), check_syntax)
}

/// Checks that each token begins at the end of the one before it, its space included.
fn check_tiling(text: &str, tokens: &[TokenC]) -> Result<(), String> {
    let bytes = text.as_bytes();
    let is_ascii = text.is_ascii();
    let (mut idx, mut byte) = (0, 0);
    for (i, token) in tokens.iter().enumerate() {
        let end = tokens.get(i + 1).map_or(bytes.len(), |next| next.byte as usize);
        let text_len = end.checked_sub(byte + usize::from(token.spacy())).filter(|len| *len > 0);
        let fits = (token.idx as usize, token.byte as usize) == (idx, byte)
            && text_len.is_some()
            && text.is_char_boundary(end)
            && (!token.spacy() || bytes[end - 1] == b' ');
        if !fits {
            return Err(format!(
                "token {i} is {token:?}; expected one that begins at character {idx} and byte \
                 {byte}, and ends at {end} of {} bytes",
                bytes.len()
            ));
        }
        idx += if is_ascii { end - byte } else { text[byte..end].chars().count() };
        byte = end;
    }
    if byte != bytes.len() || idx > MAX_CHARS {
        return Err(format!("{} tokens cover {byte} of {} bytes", tokens.len(), bytes.len()));
    }
    Ok(())
}

fn check_tags(tags: &[TagC]) -> Result<(), String> {
    let is_invalid = |tag: &&TagC| Pos::from_number(tag.pos).is_none() || tag.flags != 0;
    match tags.iter().find(is_invalid) {
        Some(tag) => Err(format!("{tag:?} has an invalid part of speech, or flags")),
        None => Ok(()),
    }
}

fn check_syntax(syntax: &[SyntaxC]) -> Result<(), String> {
    for (i, record) in syntax.iter().enumerate() {
        let len = syntax.len();
        let head = i.checked_add_signed(record.head as isize);
        let (left, right) = (record.l_edge as usize, record.r_edge as usize);
        let kids = record.l_kids as usize <= i && (record.r_kids as usize) < len - i;
        if head.is_none_or(|head| head >= len)
            || left > i
            || !(i..len).contains(&right)
            || !kids
            || record.flags != 0
        {
            return Err(format!("token {i} of {len} has {record:?}, which is out of range"));
        }
    }
    Ok(())
}
