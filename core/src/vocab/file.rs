//! Opening and saving a vocab as a vocab image.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, RwLock};

use lexpool_pool::ZoneSlot;

use super::image::{MappedVocab, OpenOptions, VocabImageBuilder};
use super::lexeme::OOV_RANK;
use super::lexeme_table::LexemeTable;
use super::norm_table::NormTable;
use super::vocab::{RankFn, Vocab};
use crate::Result;
use crate::files::{AtomicFile, Links};
use crate::morphology::Morphology;
use crate::strings::{StrId, StringStore};

impl Vocab {
    /// Opens a file that [`save`](Vocab::save) wrote. The file is memory-mapped and not read:
    /// opening takes constant time, and processes that open the same file share its memory. Later
    /// additions and changes stay in this vocab.
    ///
    /// A mapped file must not be written to or truncated: write another file and rename it, as
    /// `save` does, or open it with [`mmap(false)`](OpenOptions::mmap).
    ///
    /// # Errors
    ///
    /// `file-io`, and those of [`MappedVocab::open_at`].
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
        Vocab::with_image(MappedVocab::open(path, options)?, options)
    }

    /// Opens an image that is a part of a file and begins at a multiple of 64.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Vocab::open).
    pub fn open_at(
        file: &File,
        offset: u64,
        len: u64,
        options: &OpenOptions,
    ) -> Result<Arc<Vocab>> {
        Vocab::with_image(MappedVocab::open_at(file, offset, len, options)?, options)
    }

    /// Opens a copy of the bytes of an image.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Vocab::open).
    pub fn from_image_bytes(bytes: &[u8], options: &OpenOptions) -> Result<Arc<Vocab>> {
        Vocab::with_image(MappedVocab::from_bytes(bytes, options)?, options)
    }

    fn with_image(image: Arc<MappedVocab>, options: &OpenOptions) -> Result<Arc<Vocab>> {
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
            lexemes: LexemeTable::with_image(&image, strings.first_new())?,
            strings,
            norms: NormTable::with_image(&image)?,
            zone: ZoneSlot::new(),
            mapped: Some(image),
            attrs: RwLock::default(),
            ranks: RwLock::new(ranks),
            vectors: RwLock::default(),
        };
        if let Some(getters) = &options.getters {
            vocab.set_attrs(getters.clone())?;
        }
        Ok(Arc::new(vocab))
    }

    /// Writes the vocab to a file, atomically (see [`AtomicFile`](crate::files::AtomicFile)). Words
    /// and strings of an open zone are not written; of functions among the getters only the names
    /// of their attributes are.
    ///
    /// # Errors
    ///
    /// Those of the system, such as `disk-full`, and those of [`VocabImageBuilder::write_to`].
    pub fn save(&self, path: &Path) -> Result<()> {
        Vocab::save_image(VocabImageBuilder::of(self)?, path)
    }

    /// Writes the image of a builder to a file, atomically.
    ///
    /// # Errors
    ///
    /// Those of [`save`](Vocab::save).
    pub fn save_image(builder: VocabImageBuilder, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path, Links::Followed)?;
        builder.write_to(&mut |part| file.put(part, &|| Ok(())))?;
        file.commit()
    }

    /// Returns the vocab image that the vocab was opened from, if any.
    pub fn mapped(&self) -> Option<&Arc<MappedVocab>> {
        self.mapped.as_ref()
    }
}
