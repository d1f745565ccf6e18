//! Builder of the document of a line.

use std::sync::Arc;

use lexpool::Result;
use lexpool::formats::DocExtras;
use lexpool::formats::span_group::SpanGroup;
use lexpool::msgpack::Writer;
use lexpool::tokens::{Annotations, Doc, EntityAssignment, signed};
use lexpool::vocab::Vocab;
use lexpool_structs::{AttrId, SpanC};
use serde_json::{Map, Value};

use super::line::LineFields;
use super::values::{mismatch, number, objects, string, wrong};

/// Builds a document of the fields of a line, where `tokens` is the field of that name.
pub(super) fn build(
    fields: &LineFields,
    tokens: &Value,
    vocab: &Arc<Vocab>,
) -> Result<(Doc, DocExtras)> {
    let tokens = Tokens { text: IndexedText::of(&fields.text), tokens: objects("tokens", tokens)? };
    let words = tokens.words()?;
    let mut doc = Doc::from_words(vocab, &words)?;
    let boundaries = TokenBoundaries::of(&doc);
    let annotations = tokens.annotations(vocab)?;
    let sents = fields.sents.as_ref().map(|sents| boundaries.all("sents", sents)).transpose()?;
    annotate(&mut doc, annotations, sents.as_deref())?;
    if let Some(ents) = &fields.ents {
        let entities = boundaries.spans(&doc, "ents", ents)?;
        doc.entities_mut()
            .set(&EntityAssignment { entities: &entities, ..EntityAssignment::default() })?;
    }
    let cats = fields.cats.as_ref().map(cats).transpose()?.unwrap_or_default();
    let groups = fields.spans.as_ref().map(|spans| boundaries.groups(&doc, spans)).transpose()?;
    let span_groups = groups.unwrap_or_default();
    Ok((doc, DocExtras { cats, span_groups, user_data: None }))
}

/// Sets the annotation of tokens and the sentences.
fn annotate(
    doc: &mut Doc,
    mut annotations: Annotations,
    sents: Option<&[(usize, usize)]>,
) -> Result<()> {
    if annotations.deps.is_none() {
        annotations.sent_starts = sents.map(|sents| starts(doc.len(), sents));
        return doc.annotate(&annotations);
    }
    doc.annotate(&annotations)?;
    // Sentence boundaries are those of the file, even if the heads imply others.
    for (i, start) in starts(doc.len(), sents.unwrap_or_default()).into_iter().enumerate() {
        if start != 0 && doc.tokens()[i].sent_start() != start {
            doc.attrs_mut().set(i, AttrId::SENT_START, signed(i32::from(start)))?;
        }
    }
    Ok(())
}

/// A text with an index of its characters.
struct IndexedText<'a> {
    text: &'a str,
    /// Byte offsets of all characters and of the end; empty if the text is ASCII.
    starts: Vec<usize>,
}

impl<'a> IndexedText<'a> {
    fn of(text: &'a str) -> IndexedText<'a> {
        let mut starts = Vec::new();
        if !text.is_ascii() {
            starts.extend(text.char_indices().map(|(at, _)| at));
            starts.push(text.len());
        }
        IndexedText { text, starts }
    }

    fn chars(&self) -> usize {
        if self.starts.is_empty() { self.text.len() } else { self.starts.len() - 1 }
    }

    /// Returns a range of characters, which must exist.
    fn slice(&self, start: usize, end: usize) -> &'a str {
        let at = |char: usize| if self.starts.is_empty() { char } else { self.starts[char] };
        &self.text[at(start)..at(end)]
    }
}

/// The objects in `tokens`, with the text.
struct Tokens<'a> {
    text: IndexedText<'a>,
    tokens: Vec<&'a Map<String, Value>>,
}

impl<'a> Tokens<'a> {
    /// Returns the words, each with a flag that is set if a space follows.
    fn words(&self) -> Result<Vec<(&'a str, bool)>> {
        let mut words: Vec<(&str, bool)> = Vec::with_capacity(self.tokens.len());
        let mut before = 0;
        let len = self.text.chars();
        let follow = |words: &mut Vec<(&str, bool)>, before: usize, start: usize, what: &str| {
            let between = (before <= start).then(|| self.text.slice(before, start));
            match (between, words.last_mut()) {
                (Some(""), _) => Ok(()),
                (Some(" "), Some(last)) => {
                    last.1 = true;
                    Ok(())
                }
                _ => Err(wrong(format!(
                    "{what} begins at character {start}, after character {before}; there may be \
                     at most one space between two tokens"
                ))),
            }
        };
        for (i, token) in self.tokens.iter().enumerate() {
            let name = || format!("tokens[{i}]");
            let (start, end) = (number(token, "start", &name)?, number(token, "end", &name)?);
            if start >= end || end > len {
                let text = format!(
                    "{} covers the characters {start}..{end} of a text of {len}; a token has at \
                     least one character",
                    name()
                );
                return Err(wrong(text));
            }
            follow(&mut words, before, start, &name())?;
            let word = self.text.slice(start, end);
            if let Some(own) = token.get("text").filter(|own| own.as_str() != Some(word)) {
                let text =
                    format!("{} has the text {own}, but its characters are {word:?}", name());
                return Err(wrong(text));
            }
            words.push((word, false));
            before = end;
        }
        follow(&mut words, before, len, "the end of the text")?;
        Ok(words)
    }

    fn annotations(&self, vocab: &Vocab) -> Result<Annotations> {
        let morphs = self.strings("morph")?.map(|morphs| {
            let ids = morphs.iter().map(|feats| Ok(vocab.morphology().add(feats)?.get()));
            ids.collect::<Result<Vec<_>>>()
        });
        let heads = self.all("head", |token, name| {
            let head = number(token, "head", name)?;
            i64::try_from(head)
                .map(Some)
                .map_err(|_| wrong(format!("{} has the head {head}, which is too large", name())))
        })?;
        let deps = self.strings("dep")?;
        Ok(Annotations {
            tags: self.strings("tag")?,
            pos: self.strings("pos")?,
            morphs: morphs.transpose()?,
            lemmas: self.strings("lemma")?,
            heads,
            deps: deps.map(|deps| deps.into_iter().map(Some).collect()),
            ..Annotations::default()
        })
    }

    fn strings(&self, key: &str) -> Result<Option<Vec<String>>> {
        self.all(key, |token, name| Ok(string(token, key, name)?.to_owned()))
    }

    /// Returns an attribute of all tokens, or `None` if no token has it.
    fn all<T>(
        &self,
        key: &str,
        read: impl Fn(&Map<String, Value>, &dyn Fn() -> String) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let count = self.tokens.iter().filter(|token| token.contains_key(key)).count();
        if count == 0 {
            return Ok(None);
        }
        if count < self.tokens.len() {
            let len = self.tokens.len();
            let text =
                format!("{count} of {len} tokens have {key:?}; either all must have it or none");
            return Err(wrong(text));
        }
        let tokens = self.tokens.iter().enumerate();
        tokens
            .map(|(i, token)| read(token, &|| format!("tokens[{i}]")))
            .collect::<Result<_>>()
            .map(Some)
    }
}

/// Index of token boundaries, in characters.
struct TokenBoundaries {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl TokenBoundaries {
    fn of(doc: &Doc) -> TokenBoundaries {
        TokenBoundaries {
            starts: doc.iter().map(|token| token.idx()).collect(),
            ends: doc.iter().map(|token| token.end_char()).collect(),
        }
    }

    /// Returns the tokens of a range of characters.
    fn find(
        &self,
        range: &Map<String, Value>,
        name: &dyn Fn() -> String,
    ) -> Result<(usize, usize)> {
        let (start, end) = (number(range, "start", name)?, number(range, "end", name)?);
        let first = self.starts.binary_search(&start).ok();
        let last = self.ends.binary_search(&end).ok();
        match first.zip(last) {
            Some((first, last)) if first <= last => Ok((first, last + 1)),
            _ => {
                let text = format!(
                    "{} covers the characters {start}..{end}, which are not token boundaries",
                    name()
                );
                Err(wrong(text))
            }
        }
    }

    fn all(&self, what: &str, ranges: &Value) -> Result<Vec<(usize, usize)>> {
        let ranges = objects(what, ranges)?.into_iter().enumerate();
        ranges.map(|(i, range)| self.find(range, &|| format!("{what}[{i}]"))).collect()
    }

    /// Decodes labelled ranges, with their ids if there are any.
    fn spans(&self, doc: &Doc, what: &str, spans: &Value) -> Result<Vec<SpanC>> {
        let span = |(i, range): (usize, &Map<String, Value>)| {
            let name = || format!("{what}[{i}]");
            let (start, end) = self.find(range, &name)?;
            let id = |key: &str| -> Result<u64> {
                if !range.contains_key(key) {
                    return Ok(0);
                }
                Ok(doc.snapshot().add(string(range, key, &name)?)?.get())
            };
            let label = doc.snapshot().add(string(range, "label", &name)?)?;
            let record = doc.span(start, end)?.record(label);
            Ok(SpanC { kb_id: id("kb_id")?, id: id("id")?, ..record })
        };
        objects(what, spans)?.into_iter().enumerate().map(span).collect()
    }

    /// Encodes the groups of `spans`.
    fn groups(&self, doc: &Doc, groups: &Value) -> Result<Box<[u8]>> {
        let Value::Object(groups) = groups else {
            return Err(mismatch("spans", "an object of lists", groups));
        };
        if groups.is_empty() {
            return Ok(Box::default());
        }
        let mut out = Writer::new();
        out.map(groups.len())?;
        for (name, spans) in groups {
            let spans = self.spans(doc, &format!("spans[{name:?}]"), spans)?;
            out.bytes(&SpanGroup { name, attrs: b"\x80", spans }.to_bytes()?)?;
            out.array(1)?;
            out.str(name)?;
        }
        Ok(out.into_bytes().into())
    }
}

/// Derives sentence starts from sentences; 0 for tokens outside of all.
fn starts(len: usize, sents: &[(usize, usize)]) -> Vec<i8> {
    let mut starts = vec![0; len];
    for (start, end) in sents {
        starts[*start..*end].fill(-1);
        starts[*start] = 1;
    }
    starts
}

/// Encodes the categories as a packed map.
fn cats(cats: &Value) -> Result<Box<[u8]>> {
    let Value::Object(cats) = cats else {
        return Err(mismatch("cats", "an object of numbers", cats));
    };
    if cats.is_empty() {
        return Ok(Box::default());
    }
    let mut out = Writer::new();
    out.map(cats.len())?;
    for (label, score) in cats {
        let score = score
            .as_f64()
            .ok_or_else(|| mismatch(&format!("cats[{label:?}]"), "a number", score))?;
        out.str(label)?;
        out.float(score);
    }
    Ok(out.into_bytes().into())
}
