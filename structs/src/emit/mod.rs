//! Generators of declarations in other languages from the reflection of records.
//!
//! The result of each function depends on the declarations only, so generated files can be
//! committed and compared. The example `emit` writes them.

mod arrow;
mod buffer;
mod c;
mod cython;
mod table;

pub use arrow::{ArrowType, arrow_type};
pub use buffer::buffer_format;
pub use c::c_header;
pub use cython::{attrs_pxd, parts_of_speech_pxd, pxd};
pub use table::layout_table;

use crate::{AttrId, Pos};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Returns the text that `write` writes.
fn text(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut out = String::new();
    write(&mut out).expect("writing to a String cannot fail");
    out
}

/// Wraps `doc` to lines of at most `width` characters, broken at spaces.
fn wrapped(doc: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in doc.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// The attributes with the names they have in C and Cython, less the prefix.
fn attributes() -> impl Iterator<Item = (AttrId, &'static str)> {
    AttrId::all().chain([AttrId::SENT_END]).filter_map(|attr| {
        let name = attr.name()?;
        Some((attr, if name.is_empty() { "NULL_ATTR" } else { name }))
    })
}

/// The parts of speech with the names they have in C and Cython, less the prefix.
fn parts_of_speech() -> impl Iterator<Item = (Pos, &'static str)> {
    Pos::all().map(|pos| (pos, if pos == Pos::NO_TAG { "NO_TAG" } else { pos.name() }))
}

/// An inline function of the header.
struct Accessor {
    result: &'static str,
    name: &'static str,
    params: &'static str,
    doc: &'static str,
    body: &'static str,
}

/// The inline functions of the header, which the `.pxd` declares.
const ACCESSORS: &[Accessor] = &[
    Accessor {
        result: "int",
        name: "lexpool_lexeme_flag",
        params: "const LexemeC *lex, uint32_t attr",
        doc: "1 if the flag is set; 0 if not, or if the attribute is not a flag.",
        body: "return attr < 64 ? (int)((lex->flags >> attr) & 1) : 0;",
    },
    Accessor {
        result: "uint32_t",
        name: "lexpool_token_lex_index",
        params: "const TokenC *token",
        doc: "Index of the lexeme in the vocab, or in the document's zone.",
        body: "return (token->lex & LEXPOOL_TOKEN_LEX_INDEX_MASK)\n        \
               >> LEXPOOL_TOKEN_LEX_INDEX_SHIFT;",
    },
    Accessor {
        result: "int",
        name: "lexpool_token_in_zone",
        params: "const TokenC *token",
        doc: "1 if the lexeme is in the document's zone.",
        body: "return (token->lex & LEXPOOL_TOKEN_LEX_ZONE_MASK) != 0;",
    },
    Accessor {
        result: "int",
        name: "lexpool_token_spacy",
        params: "const TokenC *token",
        doc: "1 if a space follows.",
        body: "return (token->facts & LEXPOOL_TOKEN_SPACY_MASK) != 0;",
    },
    Accessor {
        result: "int",
        name: "lexpool_token_sent_start",
        params: "const TokenC *token",
        doc: "1 if a sentence starts here, -1 if not, 0 if unknown.",
        body: "uint32_t code = (token->facts & LEXPOOL_TOKEN_SENT_START_MASK)\n        \
               >> LEXPOOL_TOKEN_SENT_START_SHIFT;\n    \
               return (int)(code == 1) - (int)(code == 2);",
    },
    Accessor {
        result: "int",
        name: "lexpool_token_ent_iob",
        params: "const TokenC *token",
        doc: "Place in an entity: 0 unset, 1 inside, 2 outside, 3 begins one.",
        body: "return (int)((token->facts & LEXPOOL_TOKEN_ENT_IOB_MASK)\n        \
               >> LEXPOOL_TOKEN_ENT_IOB_SHIFT);",
    },
    Accessor {
        result: "uint32_t",
        name: "lexpool_token_norm_ix",
        params: "const TokenC *token",
        doc: "Index into the vocab's norms set by special cases; 0 for none.",
        body: "return (token->facts & LEXPOOL_TOKEN_NORM_IX_MASK)\n        \
               >> LEXPOOL_TOKEN_NORM_IX_SHIFT;",
    },
    Accessor {
        result: "void",
        name: "lexpool_token_set_spacy",
        params: "TokenC *token, int spacy",
        doc: "Says whether a space follows.",
        body: "token->facts = (token->facts & ~LEXPOOL_TOKEN_SPACY_MASK)\n        \
               | ((uint32_t)(spacy != 0) << LEXPOOL_TOKEN_SPACY_SHIFT);",
    },
    Accessor {
        result: "void",
        name: "lexpool_token_set_sent_start",
        params: "TokenC *token, int start",
        doc: "Says whether a sentence starts here; only the sign counts.",
        body: "uint32_t code = start > 0 ? 1 : start < 0 ? 2 : 0;\n    \
               token->facts = (token->facts & ~LEXPOOL_TOKEN_SENT_START_MASK)\n        \
               | (code << LEXPOOL_TOKEN_SENT_START_SHIFT);",
    },
    Accessor {
        result: "void",
        name: "lexpool_token_set_ent_iob",
        params: "TokenC *token, int iob",
        doc: "Sets the place in an entity; only the low two bits count.",
        body: "token->facts = (token->facts & ~LEXPOOL_TOKEN_ENT_IOB_MASK)\n        \
               | (((uint32_t)iob << LEXPOOL_TOKEN_ENT_IOB_SHIFT) & LEXPOOL_TOKEN_ENT_IOB_MASK);",
    },
];

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn text_is_broken_at_spaces_and_a_long_word_stands_alone() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two", 6), ["one", "two"]);
        assert_eq!(wrapped("a considerable word", 5), ["a", "considerable", "word"]);
        assert!(wrapped("", 5).is_empty());
    }
}
