//! Spellings of quotes, dashes and brackets that a training may exchange.

use std::fs;

use lexpool::config::Value;
use lexpool_nn::learn::PythonRandom;

use crate::settings::fields::Fields;

/// Tags and spellings, of which one is drawn for each document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OrthVariants {
    single: Vec<Rule<String>>,
    paired: Vec<Rule<[String; 2]>>,
}

/// The spellings of tokens that have one of some tags.
#[derive(Clone, Debug, PartialEq)]
struct Rule<T> {
    tags: Vec<String>,
    variants: Vec<T>,
}

/// The shape of the value, for errors.
const SHAPE: &str = "an object with the lists \"single\" and \"paired\" of {\"tags\": [...], \
                     \"variants\": [...]}, or the reader srsly.read_json.v1 of a file with one";

impl OrthVariants {
    /// Reads a value of a section: the variants, or the reader of a JSON file with them. Null
    /// stands for none; a problem is noted.
    pub(crate) fn read(fields: &Fields<'_>, key: &'static str) -> OrthVariants {
        let Some(value) = fields.get(key) else { return OrthVariants::default() };
        let reader = value.as_section().filter(|section| section.contains("@readers"));
        let file = match reader {
            None => None,
            Some(reader) => match from_file(reader.get("@readers"), reader.get("path")) {
                Ok(value) => Some(value),
                Err(found) => {
                    fields.wrong_text(key, &found, SHAPE);
                    return OrthVariants::default();
                }
            },
        };
        let variants = OrthVariants::of(file.as_ref().unwrap_or(value));
        if variants.is_none() {
            fields.wrong_text(key, "has another shape", SHAPE);
        }
        variants.unwrap_or_default()
    }

    fn of(value: &Value) -> Option<OrthVariants> {
        let section = value.as_section()?;
        let list = |key| section.get(key).filter(|value| !value.is_null());
        Some(OrthVariants {
            single: rules(list("single"), |value| value.as_text().map(str::to_owned))?,
            paired: rules(list("paired"), |value| {
                let texts = value.as_texts()?;
                <[&str; 2]>::try_from(texts).ok().map(|pair| pair.map(str::to_owned))
            })?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.paired.is_empty()
    }

    /// Replaces words whose tags and spellings a rule has: by one spelling for the whole document,
    /// drawn for each rule. Draws as spaCy's `make_orth_variants` does.
    pub(crate) fn replace(&self, words: &mut [String], tags: &[String], random: &mut PythonRandom) {
        if tags.iter().all(String::is_empty) {
            return;
        }
        let chosen = draw(&self.single, random);
        for (word, tag) in words.iter_mut().zip(tags) {
            for (rule, variant) in self.single.iter().zip(&chosen) {
                if rule.tags.contains(tag) && rule.variants.contains(word) {
                    word.clone_from(variant);
                }
            }
        }
        let chosen = draw(&self.paired, random);
        for (word, tag) in words.iter_mut().zip(tags) {
            for (rule, variant) in self.paired.iter().zip(&chosen) {
                let Some(tag) = rule.tags.iter().position(|own| own == tag) else { continue };
                let place = |pair: &[String; 2]| pair.iter().position(|own| own == word);
                // The last pair that has the word counts.
                let Some(place) = rule.variants.iter().rev().find_map(place) else { continue };
                // spaCy draws a side that it does not use; later numbers depend on it.
                let _ = random.below(2);
                // Two tags are those of the left and of the right one.
                word.clone_from(&variant[if rule.tags.len() == 2 { tag } else { place }]);
            }
        }
    }
}

/// Draws a variant of each rule.
fn draw<'r, T>(rules: &'r [Rule<T>], random: &mut PythonRandom) -> Vec<&'r T> {
    let index = |n: usize, random: &mut PythonRandom| random.below(n as u64);
    let variant = |rule: &'r Rule<T>| {
        let at = index(rule.variants.len(), random);
        &rule.variants[usize::try_from(at).expect("a number below a length")]
    };
    rules.iter().map(variant).collect()
}

/// Reads a list of rules. Returns `None` for another shape, and for a rule without variants.
fn rules<T>(list: Option<&Value>, variant: impl Fn(&Value) -> Option<T>) -> Option<Vec<Rule<T>>> {
    let Some(list) = list else { return Some(Vec::new()) };
    let rule = |value: &Value| {
        let section = value.as_section()?;
        let tags = section.get("tags")?.as_texts()?.into_iter().map(str::to_owned).collect();
        let variants = section.get("variants")?.as_list()?;
        let variants = variants.iter().map(&variant).collect::<Option<Vec<_>>>()?;
        (!variants.is_empty()).then_some(Rule { tags, variants })
    };
    list.as_list()?.iter().map(rule).collect()
}

/// Reads the file of a reader. Returns what was found instead.
fn from_file(reader: Option<&Value>, path: Option<&Value>) -> Result<Value, String> {
    let reader = reader.and_then(Value::as_text).unwrap_or_default();
    if reader != "srsly.read_json.v1" {
        return Err(format!("has the reader {reader:?}"));
    }
    let path = path.and_then(Value::as_text).unwrap_or_default();
    let text = fs::read_to_string(path).map_err(|error| format!("names {path:?}: {error}"))?;
    Value::from_json(&text).map_err(|error| format!("names {path:?}: {error}"))
}
