//! Lines as the documents that they are: what `Jsonl` and spaCy's `Doc.to_json` write.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use lexpool_structs::{AttrId, SpanC};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::corpus::texts::{Plain, json_fault};
use crate::corpus::{Per, Place, Reading};
use crate::formats::DocExtras;
use crate::formats::span_group::SpanGroup;
use crate::msgpack::Writer;
use crate::tokens::{Annotations, Doc, EntityAssignment, signed};
use crate::vocab::Vocab;
use crate::{Error, Result};

/// What a line of JSON has.
#[derive(Debug)]
pub enum JsonlRead {
    /// A document with its tokens, and what it carries along.
    Doc(Box<Doc>, DocExtras),
    /// A text without `tokens`, whose tokens are yet to be found.
    Text(String),
}

/// The lines of a file of JSON objects, one after the other; blank lines are passed over, and after an
/// error there are none. Memory: one line.
///
/// Read of a document are `text`, `tokens` (`start`, `end`, `tag`, `pos`, `morph`, `lemma`, `dep`,
/// `head`), `ents`, `sents`, `cats` and `spans`, all places being counted in characters. Other fields
/// are passed over, extension attributes (`_`) among them. A field of tokens is that of all or of none.
///
/// ```
/// use lexpool::corpus::{InvalidUtf8, JsonlDocs, JsonlRead, Per, Reading};
/// use lexpool::tokenizer::Tokenizer;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("go.jsonl");
/// let line = r#"{"text": "Go on!", "tokens": [{"start": 0, "end": 5}, {"start": 5, "end": 6}]}"#;
/// std::fs::write(&path, line).unwrap();
/// let reading = Reading { per: Per::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
/// let vocab = Tokenizer::blank("en")?.vocab().clone();
/// let JsonlRead::Doc(doc, _) = JsonlDocs::open(&path, reading, &vocab)?.next().unwrap()? else {
///     panic!("it has tokens");
/// };
/// assert_eq!(doc.token(0).unwrap().text(), "Go on");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct JsonlDocs {
    lines: Plain,
    reading: Reading,
    vocab: Arc<Vocab>,
    is_over: bool,
}

impl JsonlDocs {
    /// Opens a file; its documents will be in this vocab.
    ///
    /// # Errors
    ///
    /// `file-not-found` and others of the system.
    pub fn open(path: &Path, reading: Reading, vocab: &Arc<Vocab>) -> Result<JsonlDocs> {
        let reading = Reading { per: Per::Line, ..reading };
        Ok(JsonlDocs {
            lines: Plain::file(path)?,
            reading,
            vocab: Arc::clone(vocab),
            is_over: false,
        })
    }

    /// The next line that is to be read, with its place.
    fn read(&mut self) -> Result<Option<(JsonlRead, Place)>> {
        while let Some(line) = self.lines.read(self.reading)? {
            if line.text.trim().is_empty() {
                continue;
            }
            let place = line.place;
            let given = Given::of(&line.text).map_err(|error| error.context(&place))?;
            if self.reading.skip_blank && given.text.trim().is_empty() {
                continue;
            }
            let read = given.read(&self.vocab).map_err(|error| error.context(&place))?;
            return Ok(Some((read, place)));
        }
        Ok(None)
    }

    /// The next line, with its place, which errors of what becomes of it are to name.
    pub fn next_at(&mut self) -> Option<Result<(JsonlRead, Place)>> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl Iterator for JsonlDocs {
    type Item = Result<JsonlRead>;

    fn next(&mut self) -> Option<Result<JsonlRead>> {
        self.next_at().map(|next| next.map(|(read, _)| read))
    }
}

/// What a line says, of which the text alone was judged.
#[derive(Default)]
struct Given {
    text: String,
    tokens: Option<Value>,
    ents: Option<Value>,
    sents: Option<Value>,
    cats: Option<Value>,
    spans: Option<Value>,
}

impl Given {
    fn of(line: &str) -> Result<Given> {
        let mut json = serde_json::Deserializer::from_str(line);
        let given = Line.deserialize(&mut json).and_then(|given| json.end().map(|()| given));
        given.map_err(|error| json_fault(&error))
    }

    fn read(self, vocab: &Arc<Vocab>) -> Result<JsonlRead> {
        let Some(tokens) = &self.tokens else {
            return Ok(JsonlRead::Text(self.text));
        };
        let tokens = Tokens { text: Text::of(&self.text), tokens: objects("tokens", tokens)? };
        let words = tokens.words()?;
        let mut doc = Doc::from_words(vocab, &words)?;
        let places = Places::of(&doc);
        let mut annotations = tokens.annotations(vocab)?;
        let sents = self.sents.as_ref().map(|sents| places.all("sents", sents)).transpose()?;
        if annotations.deps.is_none() {
            annotations.sent_starts = sents.as_ref().map(|sents| starts(doc.len(), sents));
        }
        doc.annotate(&annotations)?;
        if annotations.deps.is_some() {
            // Sentences are those of the file, whatever heads say.
            for (i, start) in starts(doc.len(), sents.as_deref().unwrap_or_default())
                .into_iter()
                .enumerate()
                .filter(|(_, start)| *start != 0)
            {
                if doc.tokens()[i].sent_start() != start {
                    doc.attrs_mut().set(i, AttrId::SENT_START, signed(i32::from(start)))?;
                }
            }
        }
        if let Some(ents) = &self.ents {
            let entities = places.spans(&doc, "ents", ents)?;
            doc.entities_mut()
                .set(&EntityAssignment { entities: &entities, ..EntityAssignment::default() })?;
        }
        let cats = self.cats.as_ref().map(cats).transpose()?.unwrap_or_default();
        let groups = self.spans.as_ref().map(|spans| places.groups(&doc, spans)).transpose()?;
        let span_groups = groups.unwrap_or_default();
        Ok(JsonlRead::Doc(Box::new(doc), DocExtras { cats, span_groups, user_data: None }))
    }
}

/// Reads a line; it borrows nothing, for strings may be escaped.
struct Line;

impl<'de> DeserializeSeed<'de> for Line {
    type Value = Given;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Given, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Line {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a string under \"text\"")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Given, M::Error> {
        let (mut text, mut given) = (None, Given::default());
        while let Some(name) = map.next_key::<String>()? {
            let twice = |is_there: bool| {
                let error = || M::Error::custom(format_args!("{name:?} is given twice"));
                if is_there { Err(error()) } else { Ok(()) }
            };
            let place = match &*name {
                "text" => {
                    twice(text.is_some())?;
                    text = Some(map.next_value::<Option<String>>()?.unwrap_or_default());
                    continue;
                }
                "tokens" => &mut given.tokens,
                "ents" => &mut given.ents,
                "sents" => &mut given.sents,
                "cats" => &mut given.cats,
                "spans" => &mut given.spans,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            twice(place.is_some())?;
            *place = map.next_value::<Option<Value>>()?;
        }
        given.text = text.ok_or_else(|| M::Error::custom("there is no field \"text\""))?;
        Ok(given)
    }
}

/// A text whose characters can be found.
struct Text<'a> {
    text: &'a str,
    /// Where each character begins, and where the last one ends; empty if each is a byte.
    starts: Vec<usize>,
}

impl<'a> Text<'a> {
    fn of(text: &'a str) -> Text<'a> {
        let mut starts = Vec::new();
        if !text.is_ascii() {
            starts.extend(text.char_indices().map(|(at, _)| at));
            starts.push(text.len());
        }
        Text { text, starts }
    }

    fn chars(&self) -> usize {
        if self.starts.is_empty() { self.text.len() } else { self.starts.len() - 1 }
    }

    /// Some characters, which there are.
    fn slice(&self, start: usize, end: usize) -> &'a str {
        let at = |char: usize| if self.starts.is_empty() { char } else { self.starts[char] };
        &self.text[at(start)..at(end)]
    }
}

/// The tokens of a line.
struct Tokens<'a> {
    text: Text<'a>,
    tokens: Vec<&'a Map<String, Value>>,
}

impl<'a> Tokens<'a> {
    /// The words, each with whether a space follows.
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
                    "{what} begins at character {start}, after {before}; between two tokens there \
                     is nothing or one space"
                ))),
            }
        };
        for (i, token) in self.tokens.iter().enumerate() {
            let name = || format!("tokens[{i}]");
            let (start, end) = (number(token, "start", &name)?, number(token, "end", &name)?);
            if start >= end || end > len {
                let text = format!(
                    "{} is of the characters {start}..{end}, in a text of {len}; a token has one at \
                     least",
                    name()
                );
                return Err(wrong(text));
            }
            follow(&mut words, before, start, &name())?;
            let word = self.text.slice(start, end);
            if let Some(own) = token.get("text").filter(|own| own.as_str() != Some(word)) {
                let text =
                    format!("{} is {own} by its text, and {word:?} by its characters", name());
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
                .map_err(|_| wrong(format!("{} has the head {head}", name())))
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

    /// A field of all tokens; none if no token has it.
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
            let text = format!("{count} of {len} tokens have {key:?}; all have to, or none");
            return Err(wrong(text));
        }
        let tokens = self.tokens.iter().enumerate();
        tokens
            .map(|(i, token)| read(token, &|| format!("tokens[{i}]")))
            .collect::<Result<_>>()
            .map(Some)
    }
}

/// Where tokens begin and end, in characters.
struct Places {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Places {
    fn of(doc: &Doc) -> Places {
        Places {
            starts: doc.iter().map(|token| token.idx()).collect(),
            ends: doc.iter().map(|token| token.end_char()).collect(),
        }
    }

    /// The tokens of a place in the text.
    fn find(
        &self,
        place: &Map<String, Value>,
        name: &dyn Fn() -> String,
    ) -> Result<(usize, usize)> {
        let (start, end) = (number(place, "start", name)?, number(place, "end", name)?);
        let first = self.starts.binary_search(&start).ok();
        let last = self.ends.binary_search(&end).ok();
        match first.zip(last) {
            Some((first, last)) if first <= last => Ok((first, last + 1)),
            _ => {
                let text = format!(
                    "{} is of the characters {start}..{end}, where no token begins and one ends",
                    name()
                );
                Err(wrong(text))
            }
        }
    }

    fn all(&self, what: &str, places: &Value) -> Result<Vec<(usize, usize)>> {
        let places = objects(what, places)?.into_iter().enumerate();
        places.map(|(i, place)| self.find(place, &|| format!("{what}[{i}]"))).collect()
    }

    /// Places with a label, and whatever ids they have.
    fn spans(&self, doc: &Doc, what: &str, spans: &Value) -> Result<Vec<SpanC>> {
        let span = |(i, place): (usize, &Map<String, Value>)| {
            let name = || format!("{what}[{i}]");
            let (start, end) = self.find(place, &name)?;
            let id = |key: &str| -> Result<u64> {
                if !place.contains_key(key) {
                    return Ok(0);
                }
                Ok(doc.snapshot().add(string(place, key, &name)?)?.get())
            };
            let label = doc.snapshot().add(string(place, "label", &name)?)?;
            let record = doc.span(start, end)?.record(label);
            Ok(SpanC { kb_id: id("kb_id")?, id: id("id")?, ..record })
        };
        objects(what, spans)?.into_iter().enumerate().map(span).collect()
    }

    /// The bytes of groups of spans.
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

/// The sentence starts that follow from sentences; nothing is known of what is in none.
fn starts(len: usize, sents: &[(usize, usize)]) -> Vec<i8> {
    let mut starts = vec![0; len];
    for (start, end) in sents {
        starts[*start..*end].fill(-1);
        starts[*start] = 1;
    }
    starts
}

/// The categories as a packed map.
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

fn objects<'a>(what: &str, list: &'a Value) -> Result<Vec<&'a Map<String, Value>>> {
    let Value::Array(items) = list else {
        return Err(mismatch(what, "a list of objects", list));
    };
    let object = |(i, item): (usize, &'a Value)| {
        item.as_object().ok_or_else(|| mismatch(&format!("{what}[{i}]"), "an object", item))
    };
    items.iter().enumerate().map(object).collect()
}

fn number(of: &Map<String, Value>, key: &str, name: &dyn Fn() -> String) -> Result<usize> {
    let value = of.get(key).unwrap_or(&Value::Null);
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| mismatch(&format!("{}[{key:?}]", name()), "a number from 0 on", value))
}

fn string<'a>(of: &'a Map<String, Value>, key: &str, name: &dyn Fn() -> String) -> Result<&'a str> {
    let value = of.get(key).unwrap_or(&Value::Null);
    value.as_str().ok_or_else(|| mismatch(&format!("{}[{key:?}]", name()), "a string", value))
}

fn mismatch(what: &str, expected: &str, found: &Value) -> Error {
    let found = match found {
        Value::Null => "nothing".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(items) => format!("an object of {}", items.len()),
        plain => plain.to_string(),
    };
    wrong(format!("{what} is {expected}, not {found}"))
}

fn wrong(text: String) -> Error {
    Error::value("json-doc", text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::corpus::{CorpusWriter, InvalidUtf8, Jsonl};
    use crate::formats::span_group::{Bounds, read_groups};
    use crate::vocab::Getters;

    const READING: Reading =
        Reading { per: Per::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };

    fn read(lines: &str) -> Result<Vec<JsonlRead>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.jsonl");
        fs::write(&path, lines).unwrap();
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        JsonlDocs::open(&path, READING, &vocab)?.collect()
    }

    fn doc(line: &str) -> (Doc, DocExtras) {
        match read(line).unwrap().pop() {
            Some(JsonlRead::Doc(doc, extras)) => (*doc, extras),
            other => panic!("no document: {other:?}"),
        }
    }

    const LINE: &str = concat!(
        r#"{"text":"Zo\u00eb's caf\u00e9 \n","ents":[{"start":0,"end":3,"label":"PERSON","kb_id":"Q1","id":"zoe"}],"#,
        r#""sents":[{"start":0,"end":3},{"start":3,"end":12}],"cats":{"good":0.5,"whole":1},"tokens":["#,
        r#"{"id":0,"start":0,"end":3,"tag":"NNP","pos":"PROPN","morph":"Number=Sing","lemma":"Zo\u00eb","dep":"poss","head":2},"#,
        r#"{"id":1,"start":3,"end":5,"tag":"POS","pos":"PART","morph":"","lemma":"'s","dep":"case","head":0},"#,
        r#"{"id":2,"start":6,"end":10,"tag":"NN","pos":"NOUN","morph":"Number=Sing","lemma":"caf\u00e9","dep":"ROOT","head":2},"#,
        r#"{"id":3,"start":11,"end":12,"text":"\n","tag":"_SP","pos":"SPACE","morph":"","lemma":"\n","dep":"dep","head":2}],"#,
        r#""spans":{"some":[{"start":0,"end":5,"label":"WHO","kb_id":""}],"none":[]},"_":{"x":[[1]]}}"#,
    );

    #[test]
    fn a_line_is_the_document_that_it_was() {
        let (doc, extras) = doc(LINE);
        assert_eq!(doc.text(), "Zo\u{eb}'s caf\u{e9} \n");
        let texts: Vec<_> = doc.iter().map(|token| token.text()).collect();
        assert_eq!(texts, ["Zo\u{eb}", "'s", "caf\u{e9}", "\n"]);
        let strings = |attr| doc.iter().map(|token| token.text_of(attr)).collect::<Vec<_>>();
        assert_eq!(strings(AttrId::TAG), ["NNP", "POS", "NN", "_SP"]);
        assert_eq!(strings(AttrId::POS), ["PROPN", "PART", "NOUN", "SPACE"]);
        assert_eq!(strings(AttrId::DEP), ["poss", "case", "ROOT", "dep"]);
        assert_eq!(strings(AttrId::LEMMA), ["Zo\u{eb}", "'s", "caf\u{e9}", "\n"]);
        assert_eq!(doc.iter().map(|token| token.head().i()).collect::<Vec<_>>(), [2, 0, 2, 2]);
        // As the line says, though one tree spans both.
        assert_eq!(doc.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..1, 1..4]);
        let [ent] = doc.entities().spans().unwrap().try_into().unwrap();
        let string = |id| doc.snapshot().string(crate::strings::StrId::new(id)).unwrap();
        assert_eq!((ent.start, ent.end, string(ent.label)), (0, 1, "PERSON"));
        assert_eq!((string(ent.kb_id), string(ent.id)), ("Q1", "zoe"));
        let groups = read_groups(&extras.span_groups, Bounds { tokens: 4, chars: 12 }).unwrap();
        let groups: Vec<_> =
            groups.iter().map(|(keys, group)| (keys[0], group.spans.len())).collect();
        assert_eq!(groups, [("none", 0), ("some", 1)]);
        assert_eq!(&extras.cats[..7], b"\x82\xa4good\xcb");
    }

    #[test]
    fn what_is_written_is_read_and_written_the_same() {
        let line = |doc: &Doc| Jsonl::<Vec<u8>>::piece(std::slice::from_ref(doc)).unwrap();
        let plain = r#"{"text":" \u2028 a","tokens":[{"start":0,"end":2},{"start":3,"end":4}]}"#;
        let sents = r#"{"text":"a b","sents":[{"start":0,"end":1},{"start":2,"end":3}],
            "tokens":[{"start":0,"end":1},{"start":2,"end":3}]}"#;
        for given in [LINE, plain, &sents.replace('\n', ""), r#"{"text":"","tokens":[]}"#] {
            let first = line(&doc(given).0);
            let second = line(&doc(std::str::from_utf8(&first).unwrap()).0);
            assert_eq!(String::from_utf8(first).unwrap(), String::from_utf8(second).unwrap());
        }
    }

    #[test]
    fn a_line_without_tokens_is_a_text() {
        let lines = format!(
            "{{\"text\":\"a b\",\"ents\":3}}\n\n{LINE}\n{{\"tokens\":null,\"text\":\"c\"}}"
        );
        let kinds = read(&lines).unwrap().into_iter().map(|read| match read {
            JsonlRead::Doc(doc, _) => doc.len().to_string(),
            JsonlRead::Text(text) => text,
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["a b", "4", "c"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let two = |first: &str, second: &str, rest: &str| {
            format!(r#"{{"text":"caf\u00e9 b","tokens":[{first},{second}]{rest}}}"#)
        };
        let (a, b) = (r#"{"start":0,"end":4}"#, r#"{"start":5,"end":6}"#);
        let with = |token: &str, field: &str| token.replace('}', &format!(",{field}}}"));
        let cases = [
            (
                two(a, r#"{"start":5,"end":7}"#, ""),
                "tokens[1] is of the characters 5..7, in a text of 6",
            ),
            (two(a, r#"{"start":5,"end":5}"#, ""), "tokens[1] is of the characters 5..5"),
            (two(a, r#"{"start":3,"end":6}"#, ""), "tokens[1] begins at character 3, after 4"),
            (two(b, a, ""), "tokens[0] begins at character 5, after 0"),
            (two(r#"{"start":0,"end":3}"#, b, ""), "tokens[1] begins at character 5, after 3"),
            (
                two(a, r#"{"start":-1,"end":6}"#, ""),
                "tokens[1][\"start\"] is a number from 0 on, not -1",
            ),
            (two(a, r#"{"start":5}"#, ""), "tokens[1][\"end\"] is a number from 0 on, not nothing"),
            (two(a, r#"{"start":5.0,"end":6}"#, ""), "not 5.0"),
            (two(a, r#"{"start":true,"end":6}"#, ""), "not true"),
            (two(a, "7", ""), "tokens[1] is an object, not 7"),
            (
                two(a, &with(b, r#""text":"c""#), ""),
                "tokens[1] is \"c\" by its text, and \"b\" by its",
            ),
            (two(a, &with(b, r#""tag":"X""#), ""), "1 of 2 tokens have \"tag\""),
            (
                two(&with(a, r#""tag":"X""#), &with(b, r#""tag":3"#), ""),
                "tokens[1][\"tag\"] is a string, not 3",
            ),
            (
                two(&with(a, r#""pos":"X""#), &with(b, r#""pos":"noun""#), ""),
                "\"noun\" is no part of speech",
            ),
            (
                two(&with(a, r#""head":0"#), &with(b, r#""head":0"#), ""),
                "heads were given without deps",
            ),
            (
                two(&with(a, r#""head":2,"dep":"a""#), &with(b, r#""head":0,"dep":"b""#), ""),
                "the head of token 0 is 2, outside of 2 tokens",
            ),
            (
                two(a, b, r#","ents":[{"start":0,"end":3,"label":"X"}]"#),
                "ents[0] is of the characters 0..3",
            ),
            (
                two(a, b, r#","ents":[{"start":0,"end":4}]"#),
                "ents[0][\"label\"] is a string, not nothing",
            ),
            (two(a, b, r#","ents":{}"#), "ents is a list of objects, not an object of 0"),
            (
                two(
                    a,
                    b,
                    r#","ents":[{"start":0,"end":4,"label":"X"},{"start":0,"end":6,"label":"Y"}]"#,
                ),
                "two of the given spans hold token 0",
            ),
            (two(a, b, r#","sents":[{"start":5,"end":4}]"#), "sents[0] is of the characters 5..4"),
            (two(a, b, r#","cats":{"x":"y"}"#), "cats[\"x\"] is a number, not \"y\""),
            (two(a, b, r#","spans":{"x":3}"#), "spans[\"x\"] is a list of objects, not 3"),
            (two(a, b, r#","spans":[]"#), "spans is an object of lists, not a list of 0"),
            (
                r#"{"text":"ab","tokens":[{"start":0,"end":1}]}"#.to_owned(),
                "the end of the text begins at character 2, after 1",
            ),
            (
                r#"{"text":"a","tokens":[]}"#.to_owned(),
                "the end of the text begins at character 1, after 0",
            ),
            (r#"{"tokens":[]}"#.to_owned(), "there is no field \"text\""),
            (r#"{"text":"","text":""}"#.to_owned(), "\"text\" is given twice"),
            (r#"{"text":"","tokens":[],"tokens":[]}"#.to_owned(), "\"tokens\" is given twice"),
            ("[]".to_owned(), "an object with a string under \"text\""),
            (format!(r#"{{"text":"","tokens":{}"#, "[".repeat(100_000)), "recursion limit"),
        ];
        for (line, expected) in cases {
            let error = read(&format!("{LINE}\n{line}\n")).unwrap_err();
            assert!(error.message().contains("in.jsonl, line 2"), "{line}: {error}");
            assert!(error.message().contains(expected), "{line}: {error}");
        }
    }
}
