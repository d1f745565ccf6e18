//! A knowledge base as bytes: a `MessagePack` map of four texts of JSON, as spaCy's `to_bytes`.
//!
//! | key | JSON |
//! | --- | --- |
//! | `header` | the numbers of entities, of aliases, and of elements of a vector |
//! | `entity_vectors` | a list of vectors; a table with a row to spare ends with an empty list |
//! | `entries` | for each entity its id, frequency, and row of the vector |
//! | `aliases` | three texts of JSON: the heads, entities and probabilities of the aliases |
//!
//! The head of an alias is its id and its number of candidates; the other two texts have a list for
//! each alias, of the numbers of entities from 1 on and of prior probabilities.

use std::fmt::Write;

use serde::de::DeserializeOwned;

use super::base::{Alias, EntityIx, KnowledgeBase};
use super::contents::invalid;
use super::ujson::push_number;
use crate::codes;
use crate::msgpack::{Item, Reader, Writer};
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

impl KnowledgeBase {
    /// Serializes the knowledge base without strings, byte for byte as spaCy does. Numbers keep ten
    /// decimals; the file of [`save`](KnowledgeBase::save) has all of them.
    ///
    /// # Errors
    ///
    /// `kb-number` for NaN and infinity; `msgpack-size` for 4 GiB or more of vectors.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Writer::new();
        out.map(4)?;
        out.str("header")?;
        out.str(&format!("[{},{},{}]", self.len(), self.alias_count(), self.width()))?;
        out.str("entity_vectors")?;
        out.str(&self.vectors_json()?)?;
        out.str("entries")?;
        out.str(&self.entities_json()?)?;
        out.str("aliases")?;
        out.str(&self.aliases_json()?)?;
        Ok(out.into_bytes())
    }

    /// Reads the result of [`to_bytes`](KnowledgeBase::to_bytes). Without `aliases` the knowledge
    /// base has none.
    ///
    /// # Errors
    ///
    /// Those of [`Reader`]; `kb-file` for a part that is missing or is not the JSON described at
    /// the head of this file, for counts that differ from the header, for rows and entities that
    /// are out of range, and for an entity or alias that occurs twice.
    pub fn from_bytes(bytes: &[u8], aliases: bool) -> Result<KnowledgeBase> {
        let parts = Parts::read(bytes)?;
        let (len, alias_count, width): (usize, usize, usize) = parts.json("header")?;
        let rows: Vec<Vec<f32>> = parts.json("entity_vectors")?;
        let entities: Vec<(u64, f32, usize)> = parts.json("entries")?;
        if entities.len() != len {
            let found = entities.len();
            return Err(invalid(format!("the header says {len} entities, but there are {found}")));
        }
        let empty = rows.iter().filter(|row| row.is_empty()).count();
        let spare = rows.len().checked_sub(len);
        if !matches!((spare, empty), (Some(0), _) | (Some(1), 1..)) {
            let found = rows.len();
            let text = format!(
                "there are {found} vectors, {empty} of them empty, for {len} entities; expected \
                 one for each entity and at most one empty vector more"
            );
            return Err(invalid(text));
        }
        let mut base = KnowledgeBase::new(width);
        for (at, (id, freq, row)) in entities.into_iter().enumerate() {
            let Some(vector) = rows.get(row).filter(|vector| vector.len() == width) else {
                let text = format!(
                    "entity {at} has row {row}, which is not a vector of {width} numbers; the \
                     table has {} rows",
                    rows.len()
                );
                return Err(invalid(text));
            };
            if !base.push_entity(StrId::new(id), freq, vector)? {
                return Err(invalid(format!("the entity {id} occurs twice")));
            }
        }
        if aliases {
            base.read_aliases_json(&parts, alias_count)?;
        }
        base.has_spare_row = spare == Some(1) && rows.last().is_some_and(Vec::is_empty);
        Ok(base)
    }

    fn read_aliases_json(&mut self, parts: &Parts<'_>, count: usize) -> Result<()> {
        let [heads, entities, priors]: [String; 3] = parts.json("aliases")?;
        let heads: Vec<(u64, usize)> = json(&heads, "the heads of aliases")?;
        let entities: Vec<Vec<i64>> = json(&entities, "the candidates of aliases")?;
        let priors: Vec<Vec<f32>> = json(&priors, "the probabilities of aliases")?;
        let counts = [heads.len(), entities.len(), priors.len()];
        if counts != [count; 3] {
            let text = format!(
                "the header says {count} aliases, but there are {counts:?} heads, lists of \
                 candidates and lists of probabilities"
            );
            return Err(invalid(text));
        }
        for (((id, len), entities), priors) in heads.into_iter().zip(entities).zip(priors) {
            let (id, counts) = (StrId::new(id), [entities.len(), priors.len()]);
            if counts != [len; 2] {
                let text = format!(
                    "the alias {} has {len} candidates by its head, but {counts:?} entities and \
                     probabilities",
                    id.get()
                );
                return Err(invalid(text));
            }
            let candidate = |(number, prior): (i64, f32)| {
                let position =
                    usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let position = position.filter(|position| *position < self.len());
                let position = position.ok_or_else(|| self.not_an_entity(id, number))?;
                Ok((EntityIx::new(position), prior))
            };
            let candidates =
                entities.into_iter().zip(priors).map(candidate).collect::<Result<_>>()?;
            if !self.push_alias(Alias { id, candidates }) {
                return Err(invalid(format!("the alias {} occurs twice", id.get())));
            }
        }
        Ok(())
    }

    fn vectors_json(&self) -> Result<String> {
        let rows = (0..self.len()).map(|at| Some(self.row(EntityIx::new(at))));
        list(rows.chain(self.has_spare_row.then_some(None)), |out, row| {
            out.push_str(&list(row.unwrap_or_default(), |out, number| push(out, *number))?);
            Ok(())
        })
    }

    fn entities_json(&self) -> Result<String> {
        list(self.entities.iter().enumerate(), |out, (row, entity)| {
            write!(out, "[{},", entity.id.get()).expect("a string grows");
            push(out, entity.freq)?;
            write!(out, ",{row}]").expect("a string grows");
            Ok(())
        })
    }

    fn aliases_json(&self) -> Result<String> {
        let heads = list(&self.aliases, |out, alias| {
            let (id, len) = (alias.id.get(), alias.candidates.len());
            write!(out, "[{id},{len}]").expect("a string grows");
            Ok(())
        })?;
        let entities = list(&self.aliases, |out, alias| {
            out.push_str(&list(&alias.candidates, |out, (ix, _)| {
                write!(out, "{}", ix.get() + 1).expect("a string grows");
                Ok(())
            })?);
            Ok(())
        })?;
        let priors = list(&self.aliases, |out, alias| {
            out.push_str(&list(&alias.candidates, |out, (_, prior)| push(out, *prior))?);
            Ok(())
        })?;
        // Digits, brackets and commas need no escapes.
        Ok(format!("[\"{heads}\",\"{entities}\",\"{priors}\"]"))
    }
}

/// Returns a JSON list; `element` appends each of its elements.
fn list<T>(
    elements: impl IntoIterator<Item = T>,
    mut element: impl FnMut(&mut String, T) -> Result<()>,
) -> Result<String> {
    let mut out = String::from("[");
    for (at, value) in elements.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        element(&mut out, value)?;
    }
    out.push(']');
    Ok(out)
}

fn push(out: &mut String, number: f32) -> Result<()> {
    if !number.is_finite() {
        let text = format!(
            "a vector, frequency or probability of the knowledge base is {number}, which its bytes \
             cannot represent; files can"
        );
        return Err(Error::new(ErrorKind::Overflow, codes::KB_NUMBER, text));
    }
    push_number(out, f64::from(number));
    Ok(())
}

/// The texts of a message, by their keys.
#[derive(Default)]
struct Parts<'a>(Vec<(&'a str, &'a [u8])>);

impl<'a> Parts<'a> {
    fn read(bytes: &'a [u8]) -> Result<Parts<'a>> {
        let mut parts = Parts::default();
        let mut reader = Reader::new(bytes);
        for _ in 0..reader.map()? {
            let key = reader.str()?;
            match reader.item()? {
                Item::Str(text) => parts.0.push((key, text.as_bytes())),
                Item::Bytes(text) => parts.0.push((key, text)),
                other => return Err(invalid(format!("{key:?} is {other:?}; expected text"))),
            }
        }
        reader.finish()?;
        Ok(parts)
    }

    fn json<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        let part = self.0.iter().rfind(|(found, _)| *found == key);
        let (_, text) = part.ok_or_else(|| invalid(format!("the part {key:?} is missing")))?;
        let text = std::str::from_utf8(text)
            .map_err(|error| invalid(format!("{key:?} is not UTF-8: {error}")))?;
        json(text, key)
    }
}

fn json<T: DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| invalid(format!("{what}: {error}")).caused_by(error))
}
