//! The vectors of an image: rows in place, and a hash index of their keys.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::hash_index::SlotTable;
use super::layout::{KEY_ROWS, KEY_SLOTS, KEYS, META, ROWS};
use super::mapped::MappedVocab;
use crate::codes;
use crate::container::invalid_at;
use crate::vectors::{BaseKeys, Floret, KeyMap, Mode, RowTable, Vectors};
use crate::{Error, ErrorKind, Result};

/// A copy of vectors as an image stores them.
#[derive(Default)]
pub(super) struct VectorTable {
    pub(super) numbers: Vec<f32>,
    pub(super) keys: Vec<u64>,
    pub(super) rows: Vec<u32>,
    /// The mode, shape and settings.
    pub(super) meta: Map<String, Value>,
}

impl VectorTable {
    /// Copies vectors, since the numbers may be written at any time.
    pub(super) fn of(vectors: &Vectors) -> Result<VectorTable> {
        let (keys, rows): (Vec<u64>, Vec<u32>) = match vectors.mode() {
            Mode::Default => vectors.keys().iter().unzip(),
            Mode::Floret => (Vec::new(), Vec::new()),
        };
        // Keys of a mapped image are not validated when it is opened.
        let len = vectors.rows().len();
        let mut pairs = keys.iter().zip(&rows);
        if let Some((key, row)) = pairs.find(|(_, row)| **row as usize >= len) {
            return Err(Error::value(codes::IMAGE_VECTORS, missing_row(*key, *row, len)));
        }
        let mut meta: Map<String, Value> =
            serde_json::from_str(&vectors.settings_text()).expect("settings are written as JSON");
        meta.insert("rows".to_owned(), vectors.rows().len().into());
        meta.insert("width".to_owned(), vectors.rows().width().into());
        meta.insert("attr".to_owned(), vectors.attr().into());
        let table = vectors.rows().numbers();
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(table.len()).map_err(|_| {
            let text = format!("cannot allocate a copy of {} numbers of vectors", table.len());
            Error::new(ErrorKind::Memory, codes::IMAGE_MEMORY, text)
        })?;
        numbers.extend_from_slice(table);
        Ok(VectorTable { numbers, keys, rows, meta })
    }
}

impl MappedVocab {
    /// Returns the vectors, if any. Their rows are in the mapped image: writes to them are visible
    /// to all users of the image in this process only.
    ///
    /// Cost: parsing the settings, independent of the number of keys and rows.
    ///
    /// # Errors
    ///
    /// `image-meta` for invalid settings, `image-vectors` if they do not fit the rows.
    pub fn vectors(self: &Arc<MappedVocab>) -> Result<Option<Vectors>> {
        let meta = self.meta()?.vectors;
        let at = self.sections.start(META);
        if meta.is_empty() {
            return Ok(None);
        }
        let wrong = |why: String| invalid_at(codes::IMAGE_VECTORS, at, why);
        let number = |name: &str| {
            let value = meta.get(name).and_then(Value::as_u64);
            let number = value.and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| {
                wrong(format!("{name:?} of the vectors is {:?}; expected a number", meta.get(name)))
            })
        };
        let (len, width) = (number("rows")?, number("width")?);
        // Rows of width 0 take no bytes, so the size of the section does not bound their number.
        if len > self.size() {
            return Err(wrong(format!("{len} rows in an image of {} bytes", self.size())));
        }
        let text = Value::Object(meta.clone()).to_string();
        let (mode, floret, attr): (Mode, Floret, Option<u32>) =
            Vectors::settings_of(&text).map_err(|error| wrong(error.to_string()))?;
        let rows = RowTable::with_memory(self.vector_memory(), len, width)
            .map_err(|error| wrong(error.to_string()))?;
        let vectors = match mode {
            Mode::Default => Vectors::with_keys(rows, KeyMap::with_base(Arc::clone(self) as _)),
            Mode::Floret => Vectors::floret(rows, floret.clone()),
        };
        let vectors = vectors.map_err(|error| wrong(error.to_string()))?;
        let attr = attr.unwrap_or(vectors.attr());
        Ok(Some(vectors.with_settings(floret, attr)))
    }

    /// Returns whether the image has sections of vectors. Constant time.
    pub fn has_vectors(&self) -> bool {
        self.sections.get(ROWS).count() != 0 || self.has_keys()
    }

    /// Returns whether the image has keys of vectors.
    pub(in crate::vocab) fn has_keys(&self) -> bool {
        !self.keys().is_empty()
    }

    /// Returns the row of a key. Cost: a few loads.
    pub fn row(&self, key: u64) -> Option<u32> {
        let keys = self.keys();
        let slots = SlotTable {
            table: self.section(KEY_SLOTS),
            seed: self.head.seed,
            max_probe: self.head.max_probes[1],
            items: u32::try_from(keys.len()).unwrap_or(u32::MAX),
        };
        let position = slots.find(key, |position| keys.get(position as usize) == Some(&key))?;
        self.key_rows().get(position as usize).copied()
    }

    fn keys(&self) -> &[u64] {
        self.section(KEYS)
    }

    fn key_rows(&self) -> &[u32] {
        self.section(KEY_ROWS)
    }
}

impl BaseKeys for MappedVocab {
    fn len(&self) -> usize {
        self.keys().len()
    }

    fn row(&self, key: u64) -> Option<u32> {
        MappedVocab::row(self, key)
    }

    fn at(&self, position: usize) -> Option<(u64, u32)> {
        Some((*self.keys().get(position)?, *self.key_rows().get(position)?))
    }
}

fn missing_row(key: u64, row: u32, len: usize) -> String {
    format!("the key {key} has row {row}, but there are {len} rows")
}

/// Validates the vectors.
pub(super) fn check(image: &Arc<MappedVocab>) -> Result<()> {
    let start = |section: usize| image.sections.start(section);
    let Some(vectors) = image.vectors()? else {
        return match [ROWS, KEYS, KEY_SLOTS].iter().find(|s| image.sections.get(**s).count() != 0) {
            Some(section) => {
                Err(invalid_at(codes::IMAGE_VECTORS, start(*section), "vectors without settings"))
            }
            None => Ok(()),
        };
    };
    for (position, (key, row)) in image.keys().iter().zip(image.key_rows()).enumerate() {
        if *row as usize >= vectors.rows().len() {
            let text = missing_row(*key, *row, vectors.rows().len());
            return Err(invalid_at(codes::IMAGE_VECTORS, start(KEY_ROWS) + 4 * position, text));
        }
        if image.row(*key) != Some(*row) {
            let text = format!("the index does not find the key {key}");
            return Err(invalid_at(codes::IMAGE_INDEX, start(KEY_SLOTS), text));
        }
    }
    let slots: &[u32] = image.section(KEY_SLOTS);
    let used = slots.iter().filter(|slot| **slot != 0).count();
    if used != image.keys().len() {
        let text = format!("{used} slots are used for {} keys", image.keys().len());
        return Err(invalid_at(codes::IMAGE_INDEX, start(KEY_SLOTS), text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::VocabImageBuilder;
    use super::*;
    use crate::strings::StrId;
    use crate::vocab::{Getters, OpenOptions, Verify, Vocab};

    fn opened(vectors: &Vectors) -> Arc<Vocab> {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        vocab.lexeme("cat").unwrap();
        let image =
            VocabImageBuilder::of(&vocab).unwrap().with_vectors(vectors).unwrap().finish().unwrap();
        Vocab::from_image_bytes(&image, &OpenOptions::new().verify(Verify::Full)).unwrap()
    }

    fn id(word: &str) -> u64 {
        StrId::of(word).get()
    }

    #[test]
    fn vectors_come_back_with_their_keys_in_order_and_new_words_have_their_rows() {
        let mut vectors = Vectors::with_shape(5, 3).unwrap();
        for (i, word) in ["cat", "dog", "tea"].iter().enumerate() {
            let number = f32::from(u8::try_from(i).unwrap());
            vectors.add(id(word), None, Some(&[number, 1.0, f32::NAN])).unwrap();
        }
        vectors.add(7, Some(1), None).unwrap();
        let vocab = opened(&vectors);
        let copy = vocab.mapped().unwrap().vectors().unwrap().unwrap();
        assert_eq!(copy, vectors);
        assert!(copy.keys().iter().eq(vectors.keys().iter()));
        assert_eq!((copy.is_full(), copy.is_free(3), copy.is_free(1)), (false, true, false));
        assert_eq!(vocab.lexeme("dog").unwrap().record().id, 1);
        assert_eq!(vocab.lexeme("nothing").unwrap().record().id, u64::MAX);
        let again = VocabImageBuilder::of(&vocab).unwrap().finish().unwrap();
        let again = Vocab::from_image_bytes(&again, &OpenOptions::new()).unwrap();
        assert_eq!(again.mapped().unwrap().vectors().unwrap(), Some(vectors));
    }

    #[test]
    fn keys_that_are_changed_are_copied_and_the_image_keeps_its_own() {
        let mut vectors = Vectors::with_shape(3, 1).unwrap();
        vectors.add(1, None, Some(&[1.0])).unwrap();
        vectors.add(2, None, Some(&[2.0])).unwrap();
        let vocab = opened(&vectors);
        let mut copy = vocab.mapped().unwrap().vectors().unwrap().unwrap();
        assert_eq!(copy.add(3, None, Some(&[3.0])).unwrap(), 2);
        assert_eq!(copy.add(4, None, None).unwrap_err().code(), "E060");
        assert_eq!(copy.keys().iter().collect::<Vec<_>>(), [(1, 0), (2, 1), (3, 2)]);
        assert_eq!(copy.resize(1, 2).unwrap(), [(2, 1), (3, 2)]);
        assert_eq!(vocab.mapped().unwrap().row(2), Some(1));
        assert_eq!(vocab.mapped().unwrap().row(3), None);
    }

    #[test]
    fn tables_without_keys_come_back_too() {
        let settings = Floret { minn: 2, maxn: 3, hash_count: 2, ..Floret::default() };
        let rows = RowTable::new(vec![0.5; 20], 10, 2).unwrap();
        let vectors = Vectors::floret(rows, settings.clone()).unwrap().with_settings(settings, 66);
        let vocab = opened(&vectors);
        let copy = vocab.mapped().unwrap().vectors().unwrap().unwrap();
        assert_eq!(copy, vectors);
        assert_eq!(copy.floret_vector("cat"), vectors.floret_vector("cat"));
        let empty = Vectors::with_shape(0, 0).unwrap();
        assert_eq!(opened(&empty).mapped().unwrap().vectors().unwrap(), Some(empty));
    }
}
