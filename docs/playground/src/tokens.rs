//! The tokens of a document, with their records as bytes.

use std::collections::HashSet;
use std::fmt::Write;

use bytemuck::bytes_of;
use lexpool::strings::StrId;
use lexpool::structs::{AttrId, LexemeC};
use lexpool::tokenizer::TokenRule;
use lexpool::tokens::{Doc, Token};
use serde_json::{Map, Value, json};

use crate::reasons;

/// `{"text", "bytes", "tokens": [...], "lexemes": [...]}`: each token with its place, its rule and
/// its record; each word of the text once, with its attributes and its record. A token's `lexeme`
/// is the number of its word, by which it is found in `lexemes` as `number`. Ids and records are
/// hexadecimal; a record's bytes stand in the order of memory.
pub fn describe(doc: &Doc, explained: Vec<(TokenRule, String)>) -> Value {
    let reasons = reasons::of(doc, explained);
    let mut lexemes = Vec::new();
    let mut numbers = HashSet::new();
    let mut tokens = Vec::with_capacity(doc.len());
    for (token, reason) in doc.iter().zip(reasons) {
        let number = token.record().lex;
        if numbers.insert(number) {
            lexemes.push(lexeme(&token));
        }
        let norm = token.norm();
        let mut described = json!({
            "text": token.text(),
            "space": token.record().spacy(),
            "start": token.idx(),
            "end": token.end_char(),
            "byte": token.record().byte,
            "lexeme": number,
            "norm": {"text": doc.snapshot().string(norm), "id": hex_id(norm)},
            "record": hex(bytes_of(token.record())),
        });
        described["rule"] = reason;
        tokens.push(described);
    }
    json!({"bytes": doc.text().len(), "tokens": tokens, "lexemes": lexemes})
}

/// A word: its number, its strings with their ids, its length and rank, its flags by name.
fn lexeme(token: &Token<'_>) -> Value {
    let record: LexemeC = token.lex().load();
    let texts: Map<String, Value> = AttrId::WORD_STRINGS
        .into_iter()
        .map(|attr| {
            let id = StrId::new(token.lex().attr(attr));
            let name = attr.name().unwrap_or_default().to_lowercase();
            (name, json!({"text": token.doc().snapshot().string(id), "id": hex_id(id)}))
        })
        .collect();
    let flags: Vec<&str> = AttrId::all()
        .filter(|attr| record.flag(*attr))
        .filter_map(AttrId::name)
        .filter(|name| !name.is_empty())
        .collect();
    json!({
        "number": token.record().lex,
        "texts": texts,
        "length": record.length,
        "flags": flags,
        "record": hex(bytes_of(&record)),
    })
}

fn hex_id(id: StrId) -> String {
    format!("0x{:016x}", id.get())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to memory does not fail");
        hex
    })
}
