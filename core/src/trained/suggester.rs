//! Candidates of span categorizers.

use super::settings::setting;
use crate::codes;
use crate::config::Value;
use crate::limits;
use crate::pipeline::Groups;
use crate::tokens::Doc;
use crate::{Error, Result};

/// Suggests the spans of a document that a categorizer scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggester {
    /// All spans of these numbers of tokens: size by size, and in order of their starts.
    Ngrams(Vec<usize>),
    /// The spans of a group.
    Preset(String),
}

impl Suggester {
    /// Reads the settings of a suggester: `{"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2]}`.
    ///
    /// # Errors
    ///
    /// `model-architecture` for a function that lexpool lacks; `model-settings` for wrong settings;
    /// `number-limit` for sizes above [`SUGGESTER_SIZE`](limits::SUGGESTER_SIZE).
    pub fn read(settings: &Value, section: &str) -> Result<Suggester> {
        let wrong = |text: String| {
            Error::value(codes::MODEL_SETTINGS, format!("[{section}.suggester]: {text}"))
        };
        let size = |value: &Value| {
            let size = value.as_int().filter(|size| *size >= 0);
            let wrong = || wrong(format!("a size is {value}; expected a whole number"));
            let place = format_args!("[{section}.suggester]: a size");
            limits::SUGGESTER_SIZE.check(size.ok_or_else(wrong)?, place)
        };
        let get = |key: &str| setting(settings, key).unwrap_or(&Value::Null);
        match get("@misc").as_text() {
            Some("spacy.ngram_suggester.v1") => {
                let sizes = get("sizes").as_list();
                let sizes = sizes.ok_or_else(|| wrong("\"sizes\" is not a list".to_owned()))?;
                sizes.iter().map(size).collect::<Result<_>>().map(Suggester::Ngrams)
            }
            Some("spacy.ngram_range_suggester.v1") => {
                let sizes = size(get("min_size"))?..=size(get("max_size"))?;
                Ok(Suggester::Ngrams(sizes.collect()))
            }
            Some("spacy.preset_spans_suggester.v1") => match get("spans_key").as_text() {
                Some(key) => Ok(Suggester::Preset(key.to_owned())),
                None => Err(wrong("\"spans_key\" is not a text".to_owned())),
            },
            _ => {
                let text = format!(
                    "lexpool lacks {} in [{section}.suggester]; it has spacy.ngram_suggester.v1, \
                     spacy.ngram_range_suggester.v1, spacy.preset_spans_suggester.v1",
                    get("@misc")
                );
                Err(Error::value(codes::MODEL_ARCHITECTURE, text))
            }
        }
    }

    /// Returns the group that the suggester reads.
    pub fn group(&self) -> Option<&str> {
        match self {
            Suggester::Ngrams(_) => None,
            Suggester::Preset(key) => Some(key),
        }
    }

    /// Returns the suggested spans as ranges of tokens.
    pub fn suggest(&self, doc: &Doc, groups: &Groups) -> Vec<(usize, usize)> {
        match self {
            Suggester::Ngrams(sizes) => {
                let of_size = |size: &usize| {
                    let size = *size;
                    let starts = (doc.len() + 1).saturating_sub(size);
                    (0..starts.min(doc.len())).map(move |start| (start, start + size))
                };
                sizes.iter().flat_map(of_size).collect()
            }
            Suggester::Preset(key) => {
                let spans = groups.get(key).map_or(&[][..], |group| group.spans());
                let place = |place: i32| usize::try_from(place).unwrap_or_default();
                spans.iter().map(|span| (place(span.start), place(span.end))).collect()
            }
        }
    }
}
