//! The builder of vocab images.

use ahash::AHashMap;
use lexpool_structs::LexemeC;
use serde_json::Value;

use super::hash_index::{self, IndexTable, MAX_PROBES};
use super::layout::{self, Head, SECTIONS};
use super::meta::ImageMeta;
use super::string_list::StringList;
use super::symbols::is_symbol;
use super::vectors::VectorTable;
use crate::codes;
use crate::strings::{StrId, symbol_name};
use crate::vectors::Vectors;
use crate::vocab::getters::Getters;
use crate::vocab::lexeme::{LexIx, OOV_RANK};
use crate::vocab::snapshot::VocabSnapshot;
use crate::vocab::vocab::Vocab;
use crate::{Error, ErrorKind, Result};

/// Collects words, strings, norms, analyses and vectors, and writes them as a vocab image.
///
/// The same words in the same order make the same bytes. Memory: about a hundred bytes a word
/// besides its text, until the image is written.
///
/// ```
/// use lexpool::vocab::{Getters, OpenOptions, Vocab, image::VocabImageBuilder};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let coffee = vocab.lexeme("Coffee")?;
/// let mut builder = VocabImageBuilder::new(&vocab.attrs());
/// assert_eq!(builder.add_word(&coffee.snapshot(), coffee.ix())?, 1);
/// let copy = Vocab::from_image_bytes(&builder.finish()?, &OpenOptions::new())?;
/// assert_eq!(copy.lexeme("Coffee")?.lower(), "coffee");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct VocabImageBuilder {
    meta: ImageMeta,
    records: Vec<LexemeC>,
    words: StringList,
    others: StringList,
    other_ids: Vec<u64>,
    /// The position of each string: among the words, or among the other strings with `NOT_A_WORD`
    /// set.
    entries: AHashMap<u64, u32>,
    norms: Vec<u64>,
    norm_numbers: AHashMap<u64, u32>,
    morphs: Vec<u64>,
    vectors: VectorTable,
}

const NOT_A_WORD: u32 = 1 << 31;
/// The maximum number of words, and of other strings.
const MAX_STRINGS: usize = (1 << 30) - 2;

impl VocabImageBuilder {
    /// Creates a builder without words. Of functions among the getters, only the names of their
    /// attributes are written.
    pub fn new(getters: &Getters) -> VocabImageBuilder {
        VocabImageBuilder {
            meta: ImageMeta { getters: getters.clone(), ..ImageMeta::default() },
            records: vec![LexemeC { id: OOV_RANK, ..LexemeC::default() }],
            words: StringList::default(),
            others: StringList::default(),
            other_ids: Vec::new(),
            entries: AHashMap::new(),
            norms: Vec::new(),
            norm_numbers: AHashMap::new(),
            morphs: Vec::new(),
            vectors: VectorTable::default(),
        }
    }

    /// Creates a builder with all words and strings of a vocab outside of an open zone, and the
    /// vectors and settings of the image that the vocab was opened from, if any.
    ///
    /// # Errors
    ///
    /// `image-limit` for more words or strings than an image can have, `image-strings` for a word
    /// without a string.
    pub fn of(vocab: &Vocab) -> Result<VocabImageBuilder> {
        let mut builder = VocabImageBuilder::new(&vocab.attrs());
        let strings = vocab.strings();
        for cell in vocab.known_cells() {
            let record = cell.load();
            let text = strings.get_permanent(cell.orth());
            builder.add_lexeme(&record, text.ok_or_else(|| no_string(cell.orth()))?)?;
        }
        for (_, string) in strings.permanent_strings() {
            builder.add_string(string)?;
        }
        builder.add_norms_of(vocab)?;
        for analysis in vocab.morphology().iter() {
            let feats = strings.get_permanent(analysis.key());
            builder.add_morph(feats.ok_or_else(|| no_string(analysis.key()))?)?;
        }
        if let Some(image) = vocab.mapped() {
            builder.meta.settings = image.meta()?.settings;
            if let Some(vectors) = image.vectors()? {
                builder = builder.with_vectors(&vectors)?;
            }
        }
        Ok(builder)
    }

    /// Adds a lexeme, and returns its position in the image: words count from 1 in the order in
    /// which they are added, and the empty text is at 0. A word that was added before keeps its
    /// record.
    ///
    /// The strings of its other attributes must be added, too.
    ///
    /// # Errors
    ///
    /// `image-strings` if the record's `orth` is not the id of the text, `hash-collision` if
    /// another string has this id, `image-limit` beyond 2^30.
    pub fn add_lexeme(&mut self, record: &LexemeC, text: &str) -> Result<u32> {
        let id = StrId::of(text);
        if record.orth != id.get() {
            let text = format!("the record of {text:?} has the id {}; expected {id}", record.orth);
            return Err(Error::value(codes::IMAGE_STRINGS, text));
        }
        if id == StrId::EMPTY {
            return Ok(0);
        }
        let entry = self.entry(id, text)?;
        if let Some(position) = entry.filter(|entry| entry & NOT_A_WORD == 0) {
            return Ok(position + 1);
        }
        let position = next(self.words.ends.len())?;
        self.words.push(text);
        self.records.push(*record);
        self.entries.insert(id.get(), position);
        Ok(position + 1)
    }

    /// Adds a lexeme of a snapshot with all strings that its record refers to, and returns its
    /// position in the image.
    ///
    /// # Errors
    ///
    /// Those of [`add_lexeme`](VocabImageBuilder::add_lexeme), and `image-strings` if the snapshot
    /// has no such lexeme or lacks one of its strings.
    pub fn add_word(&mut self, snapshot: &VocabSnapshot, ix: LexIx) -> Result<u32> {
        let cell = snapshot.cell(ix).ok_or_else(|| {
            Error::value(
                codes::IMAGE_STRINGS,
                format!("the index {} is outside of the lexemes", ix.to_raw()),
            )
        })?;
        let record = cell.load();
        let string = |id: u64| {
            let id = StrId::new(id);
            snapshot.string(id).ok_or_else(|| no_string(id))
        };
        let position = self.add_lexeme(&record, string(record.orth)?)?;
        let LexemeC { lang, lower, norm, shape, prefix, suffix, .. } = record;
        for id in [lang, lower, norm, shape, prefix, suffix] {
            self.add_string(string(id)?)?;
        }
        Ok(position)
    }

    /// Adds a string and returns its id. Symbols and the empty string need no entry.
    ///
    /// # Errors
    ///
    /// `hash-collision` if another string has this id, `image-limit` beyond 2^30.
    pub fn add_string(&mut self, string: &str) -> Result<StrId> {
        let id = StrId::of(string);
        if is_symbol(id) || self.entry(id, string)?.is_some() {
            return Ok(id);
        }
        let position = next(self.others.ends.len())?;
        self.others.push(string);
        self.other_ids.push(id.get());
        self.entries.insert(id.get(), position | NOT_A_WORD);
        Ok(id)
    }

    /// Adds the norm of a special case by its id, and returns the number by which tokens refer to
    /// it. The string of the id must be added, too.
    ///
    /// # Errors
    ///
    /// `image-limit` beyond 2^24.
    pub fn add_norm(&mut self, norm: StrId) -> Result<u32> {
        if let Some(number) = self.norm_numbers.get(&norm.get()) {
            return Ok(*number);
        }
        let number = u32::try_from(self.norms.len() + 1).ok().filter(|number| *number < 1 << 24);
        let number = number.ok_or_else(|| limit("norms of special cases"))?;
        self.norms.push(norm.get());
        self.norm_numbers.insert(norm.get(), number);
        Ok(number)
    }

    /// Adds the norms of a vocab's special cases with their strings, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// Those of [`add_norm`](VocabImageBuilder::add_norm) and
    /// [`add_string`](VocabImageBuilder::add_string).
    pub fn add_norms_of(&mut self, vocab: &Vocab) -> Result<()> {
        for norm in vocab.norm_ids() {
            let string = vocab.strings().get_permanent(norm).ok_or_else(|| no_string(norm))?;
            self.add_string(string)?;
            self.add_norm(norm)?;
        }
        Ok(())
    }

    /// Adds a morphological analysis by its normal form, and returns its id. Each must be added
    /// once.
    ///
    /// # Errors
    ///
    /// Those of [`add_string`](VocabImageBuilder::add_string).
    pub fn add_morph(&mut self, feats: &str) -> Result<StrId> {
        let id = self.add_string(feats)?;
        self.morphs.push(id.get());
        Ok(id)
    }

    /// Adds a copy of the vectors; [`MappedVocab::vectors`](super::MappedVocab::vectors) returns
    /// them.
    ///
    /// # Errors
    ///
    /// `image-memory` if there is not enough memory for the copy; `image-vectors` for a key without
    /// a row, as a damaged image has it that was opened without reading all of it.
    pub fn with_vectors(mut self, vectors: &Vectors) -> Result<VocabImageBuilder> {
        self.vectors = VectorTable::of(vectors)?;
        Ok(self)
    }

    /// Adds a named setting for the program that opens the image: see [`ImageMeta::settings`].
    #[must_use]
    pub fn with_setting(mut self, name: &str, value: Value) -> VocabImageBuilder {
        self.meta.settings.insert(name.to_owned(), value);
        self
    }

    /// Adds a named setting from JSON.
    ///
    /// # Errors
    ///
    /// `image-meta` if the JSON is invalid.
    pub fn with_setting_json(self, name: &str, json: &str) -> Result<VocabImageBuilder> {
        let value = serde_json::from_str(json).map_err(|error| {
            Error::value(
                codes::IMAGE_META,
                format!("the setting {name:?} is not valid JSON: {error}"),
            )
            .caused_by(error)
        })?;
        Ok(self.with_setting(name, value))
    }

    /// Returns the number of words.
    pub fn words(&self) -> usize {
        self.words.ends.len()
    }

    /// Returns the image as bytes.
    ///
    /// # Errors
    ///
    /// Those of [`write_to`](VocabImageBuilder::write_to).
    pub fn finish(self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Writes the image to a sink, part by part.
    ///
    /// # Errors
    ///
    /// `image-limit` for 2^30 strings or more; `image-strings` for a norm whose string was not
    /// added; `container-endian` on a big-endian machine; those of the sink.
    pub fn write_to(mut self, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let is_known = |id: &u64| is_symbol(StrId::new(*id)) || self.entries.contains_key(id);
        if let Some(id) = self.norms.iter().find(|id| !is_known(id)) {
            return Err(no_string(StrId::new(*id)));
        }
        self.drop_strings_that_are_words();
        self.entries = AHashMap::new();
        let mut ids: Vec<u64> = self.records[1..].iter().map(|record| record.orth).collect();
        let is_symbol = |id: &&u64| symbol_name(StrId::new(**id)).is_some();
        let symbols = u32::try_from(ids.iter().filter(is_symbol).count()).unwrap_or(u32::MAX);
        ids.extend(&self.other_ids);
        let (seed, built) = slots(&[&ids, &self.vectors.keys])?;
        drop(ids);
        let [strings, keys] = &built[..] else { unreachable!("one index for each list of keys") };
        let words = self.words.bytes.len() as u64;
        self.words.ends.extend(self.others.ends.iter().map(|end| end + words));
        self.words.bytes.append(&mut self.others.bytes);
        let small_ends: Option<Vec<u32>> =
            self.words.ends.iter().map(|end| u32::try_from(*end).ok()).collect();
        let ends = match &small_ends {
            Some(ends) => bytemuck::cast_slice(ends),
            None => bytemuck::cast_slice(&self.words.ends),
        };
        self.meta.vectors = std::mem::take(&mut self.vectors.meta);
        let meta = self.meta.to_json();
        let max_probes = [strings.max_probe, keys.max_probe];
        let head = Head { seed, max_probes, symbols }.numbers();
        let sections: [&[u8]; SECTIONS] = [
            &meta,
            bytemuck::cast_slice(&self.records),
            ends,
            &self.words.bytes,
            bytemuck::cast_slice(&self.other_ids),
            bytemuck::cast_slice(&strings.slots),
            bytemuck::cast_slice(&self.norms),
            bytemuck::cast_slice(&self.morphs),
            bytemuck::cast_slice(&self.vectors.numbers),
            bytemuck::cast_slice(&self.vectors.keys),
            bytemuck::cast_slice(&self.vectors.rows),
            bytemuck::cast_slice(&keys.slots),
            bytemuck::cast_slice(&head),
        ];
        layout::write(sections, small_ends.is_some(), put)
    }

    /// Returns the entry of a string; an error if another string has its id.
    fn entry(&self, id: StrId, text: &str) -> Result<Option<u32>> {
        let Some(entry) = self.entries.get(&id.get()) else { return Ok(None) };
        let (texts, at) = if entry & NOT_A_WORD == 0 {
            (&self.words, *entry)
        } else {
            (&self.others, entry - NOT_A_WORD)
        };
        let first = texts.get(at as usize);
        if first != text.as_bytes() {
            let first = String::from_utf8_lossy(first);
            let text = format!("{text:?} has the id {id} of {first:?}, which was added first");
            return Err(Error::new(ErrorKind::Value, codes::HASH_COLLISION, text));
        }
        Ok(Some(*entry))
    }

    /// Removes strings that were added as words later.
    fn drop_strings_that_are_words(&mut self) {
        let is_word = |id: &u64| self.entries.get(id).is_some_and(|entry| entry & NOT_A_WORD == 0);
        if !self.other_ids.iter().any(is_word) {
            return;
        }
        let mut others = StringList::default();
        let mut ids = Vec::with_capacity(self.other_ids.len());
        for (at, id) in self.other_ids.iter().enumerate() {
            if !is_word(id) {
                others.push_bytes(self.others.get(at));
                ids.push(*id);
            }
        }
        (self.others, self.other_ids) = (others, ids);
    }
}

/// Builds the indices of lists of keys under the first seed with short probe distances, or the best
/// of a few seeds.
fn slots(lists: &[&[u64]]) -> Result<(u64, Vec<IndexTable>)> {
    const SEEDS: u64 = 8;
    /// Far above the distances of a hundred million words with random hashes.
    const GOOD_PROBES: u32 = 256;
    let mut best: Option<(u32, u64, Vec<IndexTable>)> = None;
    for seed in (0..SEEDS).map(hash_index::seed) {
        let built =
            lists.iter().map(|keys| hash_index::build(keys, seed)).collect::<Result<Vec<_>>>()?;
        let Some(built) = built.into_iter().collect::<Option<Vec<_>>>() else { continue };
        let max_probe = built.iter().map(|built| built.max_probe).max().unwrap_or(0);
        if best.as_ref().is_none_or(|best| max_probe < best.0) {
            best = Some((max_probe, seed, built));
        }
        if max_probe <= GOOD_PROBES {
            break;
        }
    }
    let (_, seed, built) = best.ok_or_else(|| {
        let text = format!("the hashes of the words collide: an item is more than {MAX_PROBES} slots from its first slot");
        Error::value(codes::IMAGE_LIMIT, text)
    })?;
    Ok((seed, built))
}

fn next(len: usize) -> Result<u32> {
    u32::try_from(len).ok().filter(|_| len < MAX_STRINGS).ok_or_else(|| limit("strings"))
}

fn limit(what: &str) -> Error {
    Error::new(ErrorKind::Overflow, codes::IMAGE_LIMIT, format!("too many {what} for an image"))
}

fn no_string(id: StrId) -> Error {
    Error::value(
        codes::IMAGE_STRINGS,
        format!("no string has the id {id}; add the string before records that refer to it"),
    )
}
