//! Making an image: words and strings in, bytes out.

use std::io::{self, Write};

use ahash::AHashMap;
use lexpool_structs::LexemeC;
use serde_json::Value;

use super::index::{self, Built, MOST_PROBES};
use super::layout::{self, ALIGN, Header, SECTIONS};
use super::meta::Meta;
use super::texts::Texts;
use super::vectors::Table;
use super::{broken, is_symbol};
use crate::strings::{StrId, symbol_name};
use crate::vectors::Vectors;
use crate::vocab::lexeme::OOV_RANK;
use crate::vocab::{Getters, Vocab, VocabSnapshot};
use crate::{Error, ErrorKind, Result};

/// Collects what becomes an image.
///
/// The same words in the same order make the same bytes. Cost: what is collected is in memory until
/// the end, about a hundred bytes a word besides its text.
///
/// ```
/// use lexpool::vocab::{Getters, OpenOptions, Vocab, image::Builder};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let coffee = vocab.lexeme("Coffee")?;
/// let mut builder = Builder::new(&vocab.attrs());
/// assert_eq!(builder.add_word(&coffee.snapshot(), coffee.ix())?, 1);
/// let copy = Vocab::from_image_bytes(&builder.finish()?, &OpenOptions::new())?;
/// assert_eq!(copy.lexeme("Coffee")?.lower(), "coffee");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Builder {
    meta: Meta,
    records: Vec<LexemeC>,
    words: Texts,
    others: Texts,
    other_ids: Vec<u64>,
    /// Where each string is: a word's position, or that of another string with the topmost bit.
    places: AHashMap<u64, u32>,
    norms: Vec<u64>,
    norm_numbers: AHashMap<u64, u32>,
    morphs: Vec<u64>,
    vectors: Table,
}

const OTHER: u32 = 1 << 31;
/// Words and other strings, each; an image has room for as many of both together.
const MOST: usize = (1 << 30) - 2;

impl Builder {
    /// No words, and how those that come later get their attributes. Functions among the getters
    /// are named and not kept.
    pub fn new(getters: &Getters) -> Builder {
        Builder {
            meta: Meta { getters: getters.clone(), ..Meta::default() },
            records: vec![LexemeC { id: OOV_RANK, ..LexemeC::default() }],
            words: Texts::default(),
            others: Texts::default(),
            other_ids: Vec::new(),
            places: AHashMap::new(),
            norms: Vec::new(),
            norm_numbers: AHashMap::new(),
            morphs: Vec::new(),
            vectors: Table::default(),
        }
    }

    /// All words of a vocab that are not an open zone's, and all of its lasting strings; the vectors
    /// and settings of the image that it began with, if it did.
    ///
    /// # Errors
    ///
    /// `image-limit` for more than an image can hold, `image-strings` for a word without a string.
    pub fn of(vocab: &Vocab) -> Result<Builder> {
        let mut builder = Builder::new(&vocab.attrs());
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
        if let Some(image) = vocab.image() {
            builder.meta.settings = image.meta()?.settings;
            if let Some(vectors) = image.vectors()? {
                builder = builder.with_vectors(&vectors)?;
            }
        }
        Ok(builder)
    }

    /// Adds a lexeme, and gives its position in the vocab to come: those of words count from 1 in
    /// the order in which they are added. One that is there keeps its record; no text is the empty
    /// lexeme, at 0.
    ///
    /// The strings of its other attributes have to be added, too.
    ///
    /// # Errors
    ///
    /// `image-strings` if the record's `orth` is not the id of the text, `hash-collision` if it is
    /// that of another text that is there, `image-limit` beyond 2^30.
    pub fn add_lexeme(&mut self, record: &LexemeC, text: &str) -> Result<u32> {
        let id = StrId::of(text);
        if record.orth != id.get() {
            let text = format!("the lexeme of {text:?} has the id {}, not {id}", record.orth);
            return Err(broken("image-strings", text));
        }
        if id == StrId::EMPTY {
            return Ok(0);
        }
        let known = self.place(id, text)?;
        if let Some(position) = known.filter(|place| place & OTHER == 0) {
            return Ok(position + 1);
        }
        let position = next(self.words.ends.len())?;
        self.words.push(text);
        self.records.push(*record);
        self.places.insert(id.get(), position);
        Ok(position + 1)
    }

    /// Adds the lexeme at a position of a snapshot with all strings that its record refers to, and
    /// gives its position in the vocab to come.
    ///
    /// # Errors
    ///
    /// As for [`add_lexeme`](Builder::add_lexeme), and `image-strings` if the snapshot lacks a lexeme
    /// or a string of it.
    pub fn add_word(&mut self, snapshot: &VocabSnapshot, ix: crate::vocab::LexIx) -> Result<u32> {
        let cell = snapshot.cell(ix).ok_or_else(|| {
            broken("image-strings", format!("no lexeme is at the position {}", ix.to_raw()))
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

    /// Adds a string and gives its id. Symbols and the empty string are known anyway.
    ///
    /// # Errors
    ///
    /// `hash-collision` if another string with this id is there, `image-limit` beyond 2^30.
    pub fn add_string(&mut self, string: &str) -> Result<StrId> {
        let id = StrId::of(string);
        if is_symbol(id) || self.place(id, string)?.is_some() {
            return Ok(id);
        }
        let position = next(self.others.ends.len())?;
        self.others.push(string);
        self.other_ids.push(id.get());
        self.places.insert(id.get(), position | OTHER);
        Ok(id)
    }

    /// Adds the norm of a special case, an id whose string is added, too, and gives the number by
    /// which tokens refer to it.
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

    /// Adds the norms that a vocab's special cases have, with their strings, in the order of their
    /// numbers.
    ///
    /// # Errors
    ///
    /// As for [`add_norm`](Builder::add_norm) and [`add_string`](Builder::add_string).
    pub fn add_norms_of(&mut self, vocab: &Vocab) -> Result<()> {
        for norm in vocab.norm_ids() {
            let string = vocab.strings().get_permanent(norm).ok_or_else(|| no_string(norm))?;
            self.add_string(string)?;
            self.add_norm(norm)?;
        }
        Ok(())
    }

    /// Adds a morphological analysis by its normal form, and gives its id. Each is to be added once.
    ///
    /// # Errors
    ///
    /// As for [`add_string`](Builder::add_string).
    pub fn add_morph(&mut self, feats: &str) -> Result<StrId> {
        let id = self.add_string(feats)?;
        self.morphs.push(id.get());
        Ok(id)
    }

    /// Puts a copy of these vectors in; they come back by [`MappedVocab::vectors`](super::MappedVocab::vectors).
    ///
    /// # Errors
    ///
    /// `image-memory` when memory runs out.
    pub fn with_vectors(mut self, vectors: &Vectors) -> Result<Builder> {
        self.vectors = Table::of(vectors)?;
        Ok(self)
    }

    /// Keeps a value under a name, for whoever opens the image: see [`Meta::settings`].
    #[must_use]
    pub fn with_setting(mut self, name: &str, value: Value) -> Builder {
        self.meta.settings.insert(name.to_owned(), value);
        self
    }

    /// The same for a value that is given as JSON.
    ///
    /// # Errors
    ///
    /// `image-meta` if it is none.
    pub fn with_setting_json(self, name: &str, json: &str) -> Result<Builder> {
        let value = serde_json::from_str(json).map_err(|error| {
            broken("image-meta", format!("the setting {name:?} is no JSON: {error}"))
                .caused_by(error)
        })?;
        Ok(self.with_setting(name, value))
    }

    /// How many words were added.
    pub fn words(&self) -> usize {
        self.words.ends.len()
    }

    /// The image as bytes.
    ///
    /// # Errors
    ///
    /// As for [`write_to`](Builder::write_to).
    pub fn finish(self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?.expect("memory takes all bytes");
        Ok(bytes)
    }

    /// Writes the image, and gives what the sink said.
    ///
    /// # Errors
    ///
    /// `image-limit` for 2^30 strings or more; `image-strings` for a norm whose string was not
    /// added; `image-endian` on a machine that has numbers the other way round.
    pub fn write_to(mut self, sink: &mut impl Write) -> Result<io::Result<()>> {
        if cfg!(target_endian = "big") {
            let text = "images of vocabs are little-endian, and this machine is not";
            return Err(broken("image-endian", text));
        }
        let is_known = |id: &u64| is_symbol(StrId::new(*id)) || self.places.contains_key(id);
        if let Some(id) = self.norms.iter().find(|id| !is_known(id)) {
            return Err(no_string(StrId::new(*id)));
        }
        self.drop_others_that_are_words();
        self.places = AHashMap::new();
        let mut ids: Vec<u64> = self.records[1..].iter().map(|record| record.orth).collect();
        let is_symbol = |id: &&u64| symbol_name(StrId::new(**id)).is_some();
        let symbols = u32::try_from(ids.iter().filter(is_symbol).count()).unwrap_or(u32::MAX);
        ids.extend(&self.other_ids);
        let (seed, built) = slots(&[&ids, &self.vectors.keys])?;
        drop(ids);
        let [strings, keys] = &built[..] else { unreachable!("as many as were given") };
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
        ];
        let header = Header { seed, longest: [strings.longest, keys.longest], symbols };
        let first = layout::write(&header, &sections, small_ends.is_some());
        Ok(put(sink, &first, &sections))
    }

    /// Where a string is, which must be this one.
    fn place(&self, id: StrId, text: &str) -> Result<Option<u32>> {
        let Some(place) = self.places.get(&id.get()) else { return Ok(None) };
        let (texts, at) =
            if place & OTHER == 0 { (&self.words, *place) } else { (&self.others, place - OTHER) };
        let first = texts.get(at as usize);
        if first != text.as_bytes() {
            let first = String::from_utf8_lossy(first);
            let text = format!("{text:?} has the id {id} of {first:?}, which was added first");
            return Err(Error::new(ErrorKind::Value, "hash-collision", text));
        }
        Ok(Some(*place))
    }

    /// A string may have become a word after it was added.
    fn drop_others_that_are_words(&mut self) {
        let is_word = |id: &u64| self.places.get(id).is_some_and(|place| place & OTHER == 0);
        if !self.other_ids.iter().any(is_word) {
            return;
        }
        let mut kept = Texts::default();
        let mut ids = Vec::with_capacity(self.other_ids.len());
        for (at, id) in self.other_ids.iter().enumerate() {
            if !is_word(id) {
                kept.push_bytes(self.others.get(at));
                ids.push(*id);
            }
        }
        (self.others, self.other_ids) = (kept, ids);
    }
}

/// Indices over lists of keys, under the first seed under which everything is found soon.
fn slots(lists: &[&[u64]]) -> Result<(u64, Vec<Built>)> {
    const SEEDS: u64 = 8;
    /// Far more than what chance makes of a hundred million words.
    const SOON: u32 = 256;
    let mut best: Option<(u32, u64, Vec<Built>)> = None;
    for seed in (0..SEEDS).map(index::seed) {
        let built =
            lists.iter().map(|keys| index::build(keys, seed)).collect::<Result<Vec<_>>>()?;
        let Some(built) = built.into_iter().collect::<Option<Vec<_>>>() else { continue };
        let longest = built.iter().map(|built| built.longest).max().unwrap_or(0);
        if best.as_ref().is_none_or(|best| longest < best.0) {
            best = Some((longest, seed, built));
        }
        if longest <= SOON {
            break;
        }
    }
    let (_, seed, built) = best.ok_or_else(|| {
        let text = format!("words that crowd an index: none lies within {MOST_PROBES} slots");
        broken("image-limit", text)
    })?;
    Ok((seed, built))
}

fn put(sink: &mut impl Write, first: &[u8], sections: &[&[u8]; SECTIONS]) -> io::Result<()> {
    sink.write_all(first)?;
    for section in sections {
        sink.write_all(section)?;
        let padding = section.len().next_multiple_of(ALIGN) - section.len();
        sink.write_all(&[0; ALIGN][..padding])?;
    }
    Ok(())
}

fn next(len: usize) -> Result<u32> {
    u32::try_from(len).ok().filter(|_| len < MOST).ok_or_else(|| limit("strings"))
}

fn limit(what: &str) -> Error {
    Error::new(ErrorKind::Overflow, "image-limit", format!("too many {what} for an image"))
}

fn no_string(id: StrId) -> Error {
    broken("image-strings", format!("no string has the id {id}; add it before what refers to it"))
}
