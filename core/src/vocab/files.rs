//! A vocab in a file: opened over an image, and saved as one.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, RwLock};

use lexpool_pool::ZoneSlot;

use super::image::{Builder, MappedVocab, OpenOptions};
use super::norms::Norms;
use super::table::Lexemes;
use super::{LexemeCell, OOV_RANK, RankFn, Vocab};
use crate::files::AtomicFile;
use crate::morphology::Morphology;
use crate::strings::{StrId, StringStore};
use crate::{Error, Result};

impl Vocab {
    /// Opens a file that [`save`](Vocab::save) wrote. It is mapped and not read: that takes as long
    /// for a million words as for ten, and processes that open one file share its memory. What is
    /// entered or set later stays in this vocab.
    ///
    /// A file that is mapped must not be written to or cut off meanwhile: write another one and
    /// rename it, as `save` does, or open it with [`mmap(false)`](OpenOptions::mmap).
    ///
    /// # Errors
    ///
    /// Those of [`MappedVocab::open_at`], and of the system.
    ///
    /// ```
    /// use lexpool::vocab::{Getters, OpenOptions, Vocab};
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("en.vocab");
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// vocab.lexeme("Coffee")?;
    /// vocab.save(&path)?;
    /// let vocab = Vocab::open(&path, &OpenOptions::new())?;
    /// assert_eq!(vocab.lexeme("Coffee")?.lower(), "coffee");
    /// assert_eq!(vocab.lexeme("Tea")?.lower(), "tea");
    /// assert_eq!(vocab.len(), 2);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Arc<Vocab>> {
        Vocab::over(MappedVocab::open(path, options)?, options)
    }

    /// Opens the image that is a part of a file, beginning at a multiple of 64.
    ///
    /// # Errors
    ///
    /// As for [`open`](Vocab::open).
    pub fn open_at(
        file: &File,
        offset: u64,
        len: u64,
        options: &OpenOptions,
    ) -> Result<Arc<Vocab>> {
        Vocab::over(MappedVocab::open_at(file, offset, len, options)?, options)
    }

    /// Takes the bytes of an image, which are copied.
    ///
    /// # Errors
    ///
    /// As for [`open`](Vocab::open).
    pub fn from_image_bytes(bytes: &[u8], options: &OpenOptions) -> Result<Arc<Vocab>> {
        Vocab::over(MappedVocab::of_bytes(bytes, options)?, options)
    }

    fn over(image: Arc<MappedVocab>, options: &OpenOptions) -> Result<Arc<Vocab>> {
        let strings = Arc::new(StringStore::over(Arc::clone(&image) as _));
        let keys = {
            let image = Arc::clone(&image);
            move || image.morphs().iter().copied().map(StrId::new).collect()
        };
        let ranks: Option<Arc<RankFn>> = image.has_keys().then(|| {
            let image = Arc::clone(&image);
            let rank = move |word: StrId| Ok(image.row(word.get()).map_or(OOV_RANK, u64::from));
            Arc::new(rank) as _
        });
        let vocab = Vocab {
            morphology: Arc::new(Morphology::with_early(Arc::clone(&strings), Box::new(keys))),
            lexemes: Lexemes::over(&image, strings.first_new())?,
            strings,
            norms: Norms::over(&image)?,
            zone: ZoneSlot::new(),
            image: Some(image),
            attrs: RwLock::default(),
            ranks: RwLock::new(ranks),
        };
        if let Some(getters) = &options.getters {
            vocab.set_attrs(getters.clone())?;
        }
        Ok(Arc::new(vocab))
    }

    /// Writes all words, all strings and the rest to a file, which gets its name when it is whole.
    /// Words and strings of an open zone stay where they are; functions among the getters are named
    /// and not written.
    ///
    /// # Errors
    ///
    /// Those of the system, as `disk-full`; as for [`Builder::write_to`].
    pub fn save(&self, path: &Path) -> Result<()> {
        Vocab::save_image(Builder::of(self)?, path)
    }

    /// Writes what a builder has to a file, which gets its name when it is whole.
    ///
    /// # Errors
    ///
    /// As for [`save`](Vocab::save).
    pub fn save_image(builder: Builder, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        let mut buffered = BufWriter::new(&mut file);
        builder
            .write_to(&mut buffered)?
            .and_then(|()| buffered.flush())
            .map_err(|error| Error::io("write to", path, error))?;
        drop(buffered);
        file.commit()
    }

    /// The file that the vocab began with, if there is one.
    pub fn image(&self) -> Option<&Arc<MappedVocab>> {
        self.image.as_ref()
    }

    /// The cells of the lexemes that are known: not forgotten, and not a zone's.
    pub(super) fn known_cells(&self) -> impl Iterator<Item = &LexemeCell> {
        let known = self.lexemes.since(self.lexemes.first());
        known.into_iter().flatten().filter_map(|position| self.lexemes.get(position))
    }

    /// The norms of special cases in the order of their numbers.
    pub(super) fn norm_ids(&self) -> impl Iterator<Item = StrId> {
        self.norms.iter().filter(|norm| *norm != StrId::EMPTY)
    }
}
