//! Documents as the JSON that spaCy 2 trained with.

use lexpool_structs::AttrId;

use lexpool::Result;
use lexpool::config::{Section, Value};
use lexpool::iob::{Entity, Tag, biluo_from_offsets};
use lexpool::tokens::{Doc, Token};

/// Returns documents as the JSON that spaCy 2 trained with, each as a paragraph of one document.
///
/// Each document comes with its categories, a list of `{"label", "value"}`. `id` is that of the one
/// document, `missing` the tag of tokens outside of entities.
///
/// Links of entities are objects with one name, of the form `(start, end)`.
///
/// # Errors
///
/// `E030` for a document whose sentences are not set.
///
/// ```
/// use lexpool_io::converters::docs_to_json;
/// use lexpool::tokenizer::Tokenizer;
///
/// let doc = Tokenizer::blank("en")?.tokenize("Hello")?;
/// let json = docs_to_json(&[(&doc, Vec::new())], 0, "O")?;
/// assert!(json.to_json().contains(r#""raw": "Hello""#));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn docs_to_json(docs: &[(&Doc, Vec<Value>)], id: i64, missing: &str) -> Result<Value> {
    let paragraphs = docs.iter().map(|(doc, cats)| paragraph(doc, cats.clone(), missing));
    let paragraphs = paragraphs.collect::<Result<Vec<_>>>()?;
    Ok(section([("id", Value::Int(id)), ("paragraphs", Value::List(paragraphs))]))
}

fn section<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let mut section = Section::default();
    for (name, value) in fields {
        section.set(name, value);
    }
    Value::Section(section)
}

fn number(value: usize) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

fn paragraph(doc: &Doc, cats: Vec<Value>, missing: &str) -> Result<Value> {
    let (mut entities, mut links, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
    let text = |id| doc.snapshot().string(lexpool::strings::StrId::new(id)).unwrap_or_default();
    let mut labels = Vec::new();
    for span in doc.entities().spans()? {
        let (start, end) = (i64::from(span.start_char), i64::from(span.end_char));
        let label = text(span.label);
        entities.push(Value::List(vec![start.into(), end.into(), label.into()]));
        if span.kb_id != 0 {
            let link = section([(text(span.kb_id), Value::Float(1.0))]);
            links.push(section([(&*format!("({start}, {end})"), link)]));
        }
        offsets.push(Entity { start, end, label: Some(()).filter(|()| !label.is_empty()) });
        labels.push(label);
    }
    let bounds = |token: Token<'_>| {
        let at = |chars: usize| i64::try_from(chars).unwrap_or(i64::MAX);
        at(token.idx())..at(token.end_char())
    };
    let tokens: Vec<_> = doc.iter().map(bounds).collect();
    let ner: Vec<String> = biluo_from_offsets(&tokens, &offsets)?
        .into_iter()
        .map(|tag| match tag {
            Tag::Untouched => missing.to_owned(),
            Tag::Outside => "O".to_owned(),
            Tag::Misaligned => "-".to_owned(),
            Tag::Entity(place, at) => format!("{}-{}", place.letter(), labels[at]),
        })
        .collect();
    let annotations = Known::of(doc);
    let sentences = doc.sentences().ranges()?.map(|range| {
        let tokens = range.map(|at| annotations.token(doc, at, &ner[at]));
        let tokens = Value::List(tokens.collect());
        section([("tokens", tokens), ("brackets", Value::List(Vec::new()))])
    });
    let sentences = Value::List(sentences.collect());
    let raw = if doc.has_unknown_spaces() { Value::Null } else { doc.text().into() };
    Ok(section([
        ("raw", raw),
        ("sentences", sentences),
        ("cats", Value::List(cats)),
        ("entities", Value::List(entities)),
        ("links", Value::List(links)),
    ]))
}

/// The strings of tokens that a document has, with their names in the JSON.
struct Known {
    strings: Vec<(&'static str, AttrId)>,
    has_heads: bool,
    has_entities: bool,
}

impl Known {
    fn of(doc: &Doc) -> Known {
        let is_known = |attr| doc.attrs().has_annotation(attr, false);
        let all = [
            ("tag", AttrId::TAG),
            ("pos", AttrId::POS),
            ("morph", AttrId::MORPH),
            ("lemma", AttrId::LEMMA),
        ];
        Known {
            strings: all.into_iter().filter(|(_, attr)| is_known(*attr)).collect(),
            has_heads: is_known(AttrId::DEP),
            has_entities: is_known(AttrId::ENT_IOB),
        }
    }

    fn token(&self, doc: &Doc, at: usize, ner: &str) -> Value {
        let token = doc.token(at).expect("a sentence is inside of its document");
        let mut out = Section::default();
        out.set("id", number(at));
        out.set("orth", token.text());
        out.set("space", token.whitespace());
        for (name, attr) in &self.strings {
            let text = token.text_of(*attr);
            // The empty analysis is an empty text.
            let is_empty = *attr == AttrId::MORPH && text == "_";
            out.set(name, if is_empty { "" } else { text });
        }
        if self.has_heads {
            let head = i64::from(lexpool::tokens::tree_offset(at, token.head().i()));
            out.set("head", head);
            out.set("dep", token.text_of(AttrId::DEP));
        }
        if self.has_entities {
            out.set("ner", ner);
        }
        Value::Section(out)
    }
}
