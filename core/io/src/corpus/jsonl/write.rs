//! Writer of documents as JSON lines.

use std::io::{self, Write};

use lexpool::codes;
use lexpool::formats::span_group::read_groups;
use lexpool::formats::{DocExtras, bounds};
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::{Error, Result};
use lexpool_structs::{AttrId, Pos};

use super::string::push_json_string;
use crate::corpus::cats::cats_of;
use crate::corpus::writer::CorpusWriter;

/// Writer of documents as JSON lines. Memory: one piece.
///
/// ```
/// use lexpool::tokenizer::Tokenizer;
/// use lexpool_io::corpus::{CorpusWriter, Jsonl};
///
/// let docs = [Tokenizer::blank("en")?.tokenize("Go on!")?];
/// let mut writer = Jsonl::new(Vec::new());
/// writer.write(Jsonl::<Vec<u8>>::piece(&docs)?).unwrap();
/// let lines = String::from_utf8(writer.finish().unwrap()).unwrap();
/// assert!(lines.starts_with(r#"{"text":"Go on!","tokens":[{"id":0,"start":0,"end":2,"#));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Jsonl<W> {
    out: W,
}

impl<W: Write> Jsonl<W> {
    /// Creates a writer to `out`.
    pub fn new(out: W) -> Jsonl<W> {
        Jsonl { out }
    }
}

impl<W: Write> Jsonl<W> {
    /// Encodes documents with their categories and span groups. User data and the attributes of
    /// groups are left out.
    ///
    /// # Errors
    ///
    /// `corpus-cats` for a category other than a name with a finite number; `span-group` for spans
    /// outside of the document.
    pub fn piece_with<'a>(
        docs: impl IntoIterator<Item = (&'a Doc, &'a DocExtras)>,
    ) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for (doc, extras) in docs {
            // At once, since each growth of the buffer copies it.
            out.reserve(2 * doc.text().len() + TOKEN_BYTES * doc.len());
            push_doc(&mut out, doc, extras)?;
            out.push(b'\n');
        }
        Ok(out)
    }
}

impl<W: Write> CorpusWriter for Jsonl<W> {
    type Piece = Vec<u8>;
    type Sink = W;

    fn piece(docs: &[Doc]) -> Result<Vec<u8>> {
        let none = DocExtras::default();
        Jsonl::<W>::piece_with(docs.iter().map(|doc| (doc, &none)))
    }

    fn write(&mut self, piece: Vec<u8>) -> io::Result<()> {
        self.out.write_all(&piece)
    }

    fn finish(self) -> io::Result<W> {
        Ok(self.out)
    }
}

/// The usual number of bytes of a token without annotation, besides its text.
const TOKEN_BYTES: usize = 48;

fn push_doc(out: &mut Vec<u8>, doc: &Doc, extras: &DocExtras) -> Result<()> {
    out.extend_from_slice(b"{\"text\":");
    push_json_string(out, doc.text());
    let tokens = doc.tokens();
    if tokens.iter().any(|token| token.ent_iob() != 0) {
        out.extend_from_slice(b",\"ents\":[");
        for (i, ent) in doc.entities().spans()?.iter().enumerate() {
            let start = usize::try_from(ent.start_char).unwrap_or_default();
            let end = usize::try_from(ent.end_char).unwrap_or_default();
            push_offsets(out, i, start, end);
            push_id(out, doc, b",\"label\":", ent.label);
            out.push(b'}');
        }
        out.push(b']');
    }
    // The first token always starts a sentence.
    if tokens.iter().skip(1).any(|token| token.sent_start() != 0) {
        out.extend_from_slice(b",\"sents\":[");
        for (i, sent) in doc.sentences().ranges()?.enumerate() {
            let sent = doc.span(sent.start, sent.end)?;
            push_offsets(out, i, sent.start_char(), sent.end_char());
            out.push(b'}');
        }
        out.push(b']');
    }
    push_cats(out, &extras.cats)?;
    out.extend_from_slice(b",\"tokens\":[");
    let has_tags = doc.tag_records().is_some();
    let has = |attr| doc.attrs().has_annotation(attr, false);
    let has_pos = has_tags && has(AttrId::POS);
    let texts = STRINGS.map(|(name, attr)| {
        let is_present =
            if attr == AttrId::DEP { doc.syntax_records().is_some() } else { has_tags };
        (is_present && has(attr)).then_some((name, attr))
    });
    let has_deps = texts.iter().flatten().any(|(_, attr)| *attr == AttrId::DEP);
    for token in doc.iter() {
        out.extend_from_slice(if token.i() == 0 { b"{\"id\":" } else { b",{\"id\":" });
        push_number(out, token.i());
        out.extend_from_slice(b",\"start\":");
        push_number(out, token.idx());
        out.extend_from_slice(b",\"end\":");
        push_number(out, token.end_char());
        out.extend_from_slice(b",\"text\":");
        push_json_string(out, token.text());
        if has_pos {
            out.extend_from_slice(b",\"pos\":");
            let number = token.tag_record().map_or(0, |record| record.pos);
            push_json_string(out, Pos::from_number(number).map_or("", Pos::name));
        }
        for (name, attr) in texts.iter().flatten() {
            out.extend_from_slice(name);
            // "_" stands for an analysis without features.
            let text = Some(token.text_of(*attr)).filter(|text| *text != "_");
            let is_morph = *attr == AttrId::MORPH;
            push_json_string(out, text.unwrap_or(if is_morph { "" } else { "_" }));
        }
        if has_deps {
            out.extend_from_slice(b",\"head\":");
            push_number(out, token.head().i());
        }
        out.push(b'}');
    }
    out.push(b']');
    push_groups(out, doc, &extras.span_groups)?;
    out.push(b'}');
    Ok(())
}

/// Appends the field of the categories, if there are any.
fn push_cats(out: &mut Vec<u8>, packed: &[u8]) -> Result<()> {
    if packed.is_empty() {
        return Ok(());
    }
    out.extend_from_slice(b",\"cats\":{");
    for (i, (label, score)) in cats_of(packed)?.iter().enumerate() {
        let Some(score) = serde_json::Number::from_f64(*score) else {
            let text = format!("the category {label:?} has the score {score}, which JSON lacks");
            return Err(Error::value(codes::CORPUS_CATS, text));
        };
        push_key(out, i, label);
        out.extend_from_slice(score.to_string().as_bytes());
    }
    out.push(b'}');
    Ok(())
}

/// Appends the field of the span groups, if there are any.
fn push_groups(out: &mut Vec<u8>, doc: &Doc, packed: &[u8]) -> Result<()> {
    let groups = read_groups(packed, bounds(doc))?;
    if groups.is_empty() {
        return Ok(());
    }
    out.extend_from_slice(b",\"spans\":{");
    let named = groups.iter().flat_map(|(keys, group)| keys.iter().map(move |key| (key, group)));
    for (i, (key, group)) in named.enumerate() {
        push_key(out, i, key);
        out.push(b'[');
        for (i, span) in group.spans.iter().enumerate() {
            let offset = |chars: i32| usize::try_from(chars).unwrap_or_default();
            push_offsets(out, i, offset(span.start_char), offset(span.end_char));
            push_id(out, doc, b",\"label\":", span.label);
            push_id(out, doc, b",\"kb_id\":", span.kb_id);
            // spaCy leaves it out.
            if span.id != 0 {
                push_id(out, doc, b",\"id\":", span.id);
            }
            out.push(b'}');
        }
        out.push(b']');
    }
    out.push(b'}');
    Ok(())
}

/// Appends the key of the `i`th entry of an object.
fn push_key(out: &mut Vec<u8>, i: usize, key: &str) {
    if i > 0 {
        out.push(b',');
    }
    push_json_string(out, key);
    out.push(b':');
}

/// Appends a field with the string of an id; an empty one if the vocab lacks the string.
fn push_id(out: &mut Vec<u8>, doc: &Doc, field: &[u8], id: u64) {
    out.extend_from_slice(field);
    push_json_string(out, doc.snapshot().string(StrId::new(id)).unwrap_or_default());
}

/// Keys of token attributes that are strings.
const STRINGS: [(&[u8], AttrId); 4] = [
    (b",\"tag\":", AttrId::TAG),
    (b",\"morph\":", AttrId::MORPH),
    (b",\"lemma\":", AttrId::LEMMA),
    (b",\"dep\":", AttrId::DEP),
];

/// Begins an object with character offsets.
fn push_offsets(out: &mut Vec<u8>, i: usize, start: usize, end: usize) {
    out.extend_from_slice(if i == 0 { b"{\"start\":" } else { b",{\"start\":" });
    push_number(out, start);
    out.extend_from_slice(b",\"end\":");
    push_number(out, end);
}

/// Appends a number in decimal, several times faster than `write!`: three numbers per token take
/// most of the time here.
fn push_number(out: &mut Vec<u8>, mut number: usize) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        #[expect(clippy::cast_possible_truncation, reason = "a digit fits")]
        let digit = (number % 10) as u8;
        digits[at] = b'0' + digit;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use lexpool::escape::is_interpreted;
    use lexpool::vocab::{Getters, Vocab};
    use proptest::prelude::*;

    use super::*;

    fn line(words: &[(&str, bool)]) -> String {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let doc = Doc::from_words(&vocab, words).unwrap();
        let mut writer = Jsonl::new(Vec::new());
        writer.write(Jsonl::<Vec<u8>>::piece(&[doc]).unwrap()).unwrap();
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    fn string(string: &str) -> String {
        let mut out = Vec::new();
        push_json_string(&mut out, string);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_document_is_a_line_with_offsets_in_characters() {
        assert_eq!(
            line(&[("caf\u{e9}", true), ("\n", false)]),
            "{\"text\":\"caf\u{e9} \\n\",\"tokens\":[\
             {\"id\":0,\"start\":0,\"end\":4,\"text\":\"caf\u{e9}\"},\
             {\"id\":1,\"start\":5,\"end\":6,\"text\":\"\\n\"}]}\n"
        );
        assert_eq!(line(&[]), "{\"text\":\"\",\"tokens\":[]}\n");
    }

    #[test]
    fn what_json_forbids_is_escaped() {
        assert_eq!(string("a\"b\\c\r\t\u{1}\u{1f}"), r#""a\"b\\c\r\t\u0001\u001f""#);
        assert_eq!(string("\u{1f600}"), "\"\u{1f600}\"");
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_nothing_else_beyond_ascii() {
        for c in ('\u{7f}'..='\u{3000}').chain(['\u{1f600}']) {
            let escaped = format!("\"a\\u{:04x}b\"", u32::from(c));
            let expected = if is_interpreted(c) { escaped } else { format!("\"a{c}b\"") };
            assert_eq!(string(&format!("a{c}b")), expected);
        }
    }

    /// Decodes a JSON string in the simplest way.
    fn unescaped(json: &str) -> String {
        let mut chars = json[1..json.len() - 1].chars();
        let mut out = String::new();
        while let Some(c) = chars.next() {
            out.push(match c {
                '\\' => match chars.next().unwrap() {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let hex: String = chars.by_ref().take(4).collect();
                        char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap()
                    }
                    other => other,
                },
                c => {
                    assert!(c != '"' && c >= ' ');
                    c
                }
            });
        }
        out
    }

    proptest! {
        #[test]
        fn a_string_comes_back(string in ".{0,8}[\"\\\\\n\u{0}-\u{20}]{0,8}.{0,8}") {
            let mut out = Vec::new();
            push_json_string(&mut out, &string);
            prop_assert!(!std::str::from_utf8(&out).unwrap().contains(is_interpreted));
            prop_assert_eq!(unescaped(std::str::from_utf8(&out).unwrap()), string);
        }

        #[test]
        fn numbers_are_written_as_the_standard_library_does(number: usize) {
            let mut out = Vec::new();
            push_number(&mut out, number);
            prop_assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }
}
