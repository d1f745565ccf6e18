//! The JSON that spaCy 2 trained with.

use std::sync::Arc;

use lexpool::config::{Section, Value};
use lexpool::escape::one_line;
use lexpool::formats::DocExtras;
use lexpool::msgpack::Writer;
use lexpool::tokens::{Doc, signed, tree_offset};
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes};
use lexpool_structs::{AttrId, Pos};

use super::spans::set_entities;

/// A document with its categories.
#[derive(Debug)]
pub struct TrainingDoc {
    /// The document.
    pub doc: Doc,
    /// The categories with their values, numbers or booleans; the last of two with one name counts.
    pub cats: Vec<(String, Value)>,
}

impl TrainingDoc {
    /// Returns what is saved with the document: its categories.
    ///
    /// # Errors
    ///
    /// Too many or too long categories.
    pub fn extras(&self) -> Result<DocExtras> {
        if self.cats.is_empty() {
            return Ok(DocExtras::default());
        }
        let mut out = Writer::new();
        out.map(self.cats.len())?;
        for (label, value) in &self.cats {
            out.str(label)?;
            match value {
                Value::Int(value) => out.int(*value),
                Value::Bool(value) => out.bool(*value),
                value => out.float(value.as_float().unwrap_or_default()),
            }
        }
        Ok(DocExtras { cats: out.into_bytes().into(), ..DocExtras::default() })
    }
}

/// Converts the JSON that spaCy 2 trained with: a list of documents, whose paragraphs become
/// documents.
///
/// `name` is that of the file, for errors.
///
/// # Errors
///
/// `convert-json` for a text other than JSON, with its line, and for a value that is missing or of
/// another type, with its place; `E067` and `E068` for tags of entities, `E190` for a head outside
/// of its paragraph, `E1021` for an unknown part of speech.
///
/// ```
/// use lexpool_io::converters::json_to_docs;
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("xx"))?;
/// let text = r#"[{"paragraphs": [{"raw": "Hi!", "sentences": [
///     {"tokens": [{"orth": "Hi", "tag": "UH"}, {"orth": "!", "tag": "."}]}]}]}]"#;
/// let docs = json_to_docs(text, "a.json", &vocab)?;
/// assert_eq!(docs[0].doc.text(), "Hi!");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn json_to_docs(text: &str, name: &str, vocab: &Arc<Vocab>) -> Result<Vec<TrainingDoc>> {
    let value = Value::from_json(text).map_err(|error| {
        let before = text.get(..error.byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        Error::value(codes::CONVERT_JSON, format!("{}, line {line}: {error}", one_line(name)))
    })?;
    let root = Place { value: &value, path: one_line(name).to_string() };
    let mut docs = Vec::new();
    for document in root.items()? {
        for paragraph in document.required("paragraphs")?.items()? {
            let doc = paragraph.document(vocab);
            docs.push(doc.map_err(|error| match error.code() {
                "convert-json" => error,
                _ => error.context(&paragraph.path),
            })?);
        }
    }
    Ok(docs)
}

/// A value with its place in the file.
struct Place<'v> {
    value: &'v Value,
    path: String,
}

/// The tokens of a paragraph, an item a token.
#[derive(Default)]
struct Tokens<'v> {
    words: Vec<&'v str>,
    spaces: Vec<Option<bool>>,
    tags: Vec<Option<&'v str>>,
    pos: Vec<Option<&'v str>>,
    morphs: Vec<Option<&'v str>>,
    lemmas: Vec<Option<&'v str>>,
    heads: Vec<Option<i64>>,
    deps: Vec<Option<&'v str>>,
    ner: Vec<Option<&'v str>>,
    starts: Vec<bool>,
}

impl<'v> Place<'v> {
    fn wrong(&self, expected: &str) -> Error {
        let value = match self.value {
            Value::Null => "null".to_owned(),
            value => value.to_string(),
        };
        Error::value(codes::CONVERT_JSON, format!("{}: {value}; expected {expected}", self.path))
    }

    fn items(&self) -> Result<Vec<Place<'v>>> {
        let items = self.value.as_list().ok_or_else(|| self.wrong("a list"))?;
        let item = |(at, value)| Place { value, path: format!("{}[{at}]", self.path) };
        Ok(items.iter().enumerate().map(item).collect())
    }

    fn section(&self) -> Result<&'v Section> {
        self.value.as_section().ok_or_else(|| self.wrong("an object"))
    }

    fn get(&self, key: &str) -> Result<Option<Place<'v>>> {
        let value = self.section()?.get(key);
        Ok(value.map(|value| Place { value, path: format!("{}.{key}", self.path) }))
    }

    fn required(&self, key: &str) -> Result<Place<'v>> {
        self.get(key)?.ok_or_else(|| {
            let text = format!("{}: {key:?} is missing", self.path);
            Error::value(codes::CONVERT_JSON, text)
        })
    }

    fn text(&self) -> Result<&'v str> {
        self.value.as_text().ok_or_else(|| self.wrong("a string"))
    }

    /// Returns a string, or `None` for `null` or no value.
    fn optional_text(&self, key: &str) -> Result<Option<&'v str>> {
        match self.get(key)? {
            Some(found) if !found.value.is_null() => found.text().map(Some),
            _ => Ok(None),
        }
    }

    fn document(&self, vocab: &Arc<Vocab>) -> Result<TrainingDoc> {
        let raw = self.optional_text("raw")?;
        let tokens = self.tokens()?;
        if let Some(links) = self.get("links")? {
            if links.value.as_list().is_none_or(|links| !links.is_empty()) {
                return Err(links.wrong("an empty list; spaCy reads no links either"));
            }
        }
        let mut cats: Vec<(String, Value)> = Vec::new();
        let items = self.get("cats")?.map_or(Ok(Vec::new()), |cats| cats.items())?;
        for cat in items {
            let label = cat.required("label")?.text()?.to_owned();
            let value = cat.required("value")?;
            if value.value.as_float().is_none() && value.value.as_bool().is_none() {
                return Err(value.wrong("a number"));
            }
            match cats.iter_mut().find(|(name, _)| *name == label) {
                Some((_, old)) => *old = value.value.clone(),
                None => cats.push((label, value.value.clone())),
            }
        }
        let mut doc = tokens.document(raw, vocab)?;
        set_entities(&mut doc, &tokens.ner)?;
        tokens.annotate(&mut doc)?;
        Ok(TrainingDoc { doc, cats })
    }

    fn tokens(&self) -> Result<Tokens<'v>> {
        let mut out = Tokens::default();
        for sentence in self.required("sentences")?.items()? {
            for (i, token) in sentence.required("tokens")?.items()?.into_iter().enumerate() {
                let at = out.words.len();
                out.words.push(token.required("orth")?.text()?);
                out.spaces.push(token.get("space")?.map_or(Ok(None), |space| space.truth())?);
                out.tags.push(token.optional_text("tag")?);
                out.pos.push(token.optional_text("pos")?);
                out.morphs.push(token.optional_text("morph")?);
                out.lemmas.push(token.optional_text("lemma")?);
                out.heads.push(match token.get("head")? {
                    None => None,
                    Some(head) => {
                        let offset = head.value.as_int().ok_or_else(|| head.wrong("an integer"))?;
                        i64::try_from(at).ok().and_then(|at| at.checked_add(offset))
                    }
                });
                out.deps.push(match token.get("dep")? {
                    None => None,
                    Some(dep) => {
                        let dep = dep.text()?;
                        Some(if dep.to_lowercase() == "root" { "ROOT" } else { dep })
                    }
                });
                out.ner.push(token.optional_text("ner")?);
                out.starts.push(i == 0);
            }
        }
        Ok(out)
    }

    /// Returns whether Python takes a value as true; `None` for `null`.
    fn truth(&self) -> Result<Option<bool>> {
        match self.value {
            Value::Null => Ok(None),
            Value::Bool(value) => Ok(Some(*value)),
            Value::Int(value) => Ok(Some(*value != 0)),
            Value::Text(text) => Ok(Some(!text.is_empty())),
            _ => Err(self.wrong("a string, such as \" \"")),
        }
    }
}

impl Tokens<'_> {
    /// Makes a document of the words. Spaces that no token gives are those of the text.
    fn document(&self, raw: Option<&str>, vocab: &Arc<Vocab>) -> Result<Doc> {
        let is_given = self.words.is_empty() || self.spaces.iter().any(Option::is_some);
        let spaces: Option<Vec<bool>> = if is_given {
            Some(self.spaces.iter().map(|space| space.unwrap_or_default()).collect())
        } else {
            raw.map(|text| spaces(text, &self.words))
        };
        let is_unknown = spaces.is_none();
        let spaces = spaces.unwrap_or_else(|| vec![true; self.words.len()]);
        let words: Vec<(&str, bool)> = self.words.iter().copied().zip(spaces).collect();
        let doc = Doc::from_words(vocab, &words)?;
        Ok(if is_unknown { doc.with_unknown_spaces() } else { doc })
    }

    fn annotate(&self, doc: &mut Doc) -> Result<()> {
        let snapshot = doc.snapshot().clone();
        let mut columns: Vec<(AttrId, Vec<u64>)> = Vec::new();
        for (attr, values) in
            [(AttrId::TAG, &self.tags), (AttrId::POS, &self.pos), (AttrId::LEMMA, &self.lemmas)]
        {
            if !has_any(values) {
                continue;
            }
            let ids = values.iter().enumerate().map(|(at, value)| {
                let value = value.ok_or_else(|| {
                    let text = format!("token {at} has no {attr:?}, but others have");
                    Error::value(codes::CONVERT_JSON, text)
                })?;
                if attr != AttrId::POS {
                    return Ok(snapshot.add(value)?.get());
                }
                Pos::from_name(value).map(|pos| u64::from(pos.number())).ok_or_else(|| {
                    let text = format!("token {at}: {value:?} is not a part of speech");
                    Error::value(codes::E1021, text)
                })
            });
            columns.push((attr, ids.collect::<Result<_>>()?));
        }
        if has_any(&self.morphs) {
            let add = |feats: Option<&str>| {
                Ok(snapshot.vocab().morphology().add(feats.unwrap_or_default())?.get())
            };
            columns.push((
                AttrId::MORPH,
                self.morphs.iter().copied().map(add).collect::<Result<_>>()?,
            ));
        }
        if has_any(&self.deps) {
            let add = |dep: Option<&str>| match dep {
                Some(dep) => Ok(snapshot.add(dep)?.get()),
                None => Ok(0),
            };
            columns.push((AttrId::DEP, self.deps.iter().copied().map(add).collect::<Result<_>>()?));
        }
        if self.heads.iter().any(Option::is_some) {
            let heads = self.heads.iter().enumerate().map(|(i, head)| self.head(i, *head));
            columns.push((AttrId::HEAD, heads.collect::<Result<_>>()?));
        } else {
            let start = |start: &bool| signed(if *start { 1 } else { -1 });
            columns.push((AttrId::SENT_START, self.starts.iter().map(start).collect()));
        }
        let attrs: Vec<AttrId> = columns.iter().map(|(attr, _)| *attr).collect();
        let rows: Vec<u64> = (0..doc.len())
            .flat_map(|at| columns.iter().map(move |(_, column)| column[at]))
            .collect();
        doc.attrs_mut().set_array(&attrs, &rows)
    }

    fn head(&self, i: usize, head: Option<i64>) -> Result<u64> {
        let Some(head) = head else { return Ok(0) };
        let inside = usize::try_from(head).ok().filter(|head| *head < self.words.len());
        let inside = inside.ok_or_else(|| {
            let len = self.words.len();
            let text = format!("the head of token {i} is {head}, outside of {len} tokens");
            Error::value(codes::E190, text)
        })?;
        Ok(signed(tree_offset(i, inside)))
    }
}

fn has_any(values: &[Option<&str>]) -> bool {
    values.iter().flatten().any(|value| !value.is_empty())
}

/// Returns for each word whether a space follows it in a text; for a word that the text lacks, yes.
fn spaces(text: &str, words: &[&str]) -> Vec<bool> {
    let mut at = 0;
    let space = |word: &&str| match text[at..].find(word) {
        Some(start) => {
            at += start + word.len();
            text[at..].starts_with(' ')
        }
        None => true,
    };
    words.iter().map(space).collect()
}
