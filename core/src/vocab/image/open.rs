//! Opening an image: its bytes, and their validation before the first read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::check;
use super::hash_index::MAX_PROBES;
use super::image_memory::ImageMemory;
use super::layout::{
    ENDS, HEAD, Head, IDS, KEY_ROWS, KEY_SLOTS, KEYS, KIND, LEXEMES, META, NORMS, SLOTS, Sections,
};
use super::mapped::MappedVocab;
use crate::codes;
use crate::container::{ALIGN, Container, invalid_at};
use crate::escape::shown;
use crate::vocab::getters::Getters;
use crate::{Error, Result};

/// Options for opening an image.
///
/// ```
/// use lexpool::vocab::{OpenOptions, Verify};
/// let options = OpenOptions::new().verify(Verify::Full).mmap(false);
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
pub struct OpenOptions {
    pub(super) verify: Verify,
    pub(super) read: bool,
    pub(in crate::vocab) getters: Option<Getters>,
}

/// The extent of the validation of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// The header with its checksum, and the bounds of the sections. That detects truncated files;
    /// later reads of other damage are memory-safe and take bounded time.
    #[default]
    Header,
    /// All checksums, and the consistency of all sections.
    Full,
}

impl OpenOptions {
    /// Creates the default options: memory-mapped, with [`Verify::Header`].
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Sets the extent of the validation.
    #[must_use]
    pub fn verify(mut self, verify: Verify) -> OpenOptions {
        self.verify = verify;
        self
    }

    /// Sets whether the file is memory-mapped or read into memory. A mapped file must not be
    /// written to or truncated.
    #[must_use]
    pub fn mmap(mut self, mmap: bool) -> OpenOptions {
        self.read = !mmap;
        self
    }

    /// Returns whether the file is to be mapped.
    pub fn is_mapped(&self) -> bool {
        !self.read
    }

    /// Returns whether the validation is full.
    pub fn is_full(&self) -> bool {
        self.verify == Verify::Full
    }

    /// Sets the getters for new words, which replace those of the file.
    #[must_use]
    pub fn getters(mut self, getters: Getters) -> OpenOptions {
        self.getters = Some(getters);
        self
    }
}

/// The maximum number of words of an image.
const MAX_WORDS: usize = 1 << 30;
/// The maximum size of the settings for which the checksum is always verified.
const MAX_QUICK_META: usize = 1 << 20;

impl MappedVocab {
    /// Opens an image file.
    ///
    /// # Errors
    ///
    /// Those of the system and of [`open_at`](MappedVocab::open_at).
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Arc<MappedVocab>> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        let len = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
        MappedVocab::open_at(&file, 0, len, options).map_err(|error| error.context(shown(path)))
    }

    /// Opens an image that is a part of a file and begins at a multiple of 64.
    ///
    /// # Errors
    ///
    /// Those of [`Container::read`]; `container-checksum`, `image-section`; with [`Verify::Full`]
    /// also `image-strings`, `image-index`, `image-lexemes`, `image-meta`, `image-vectors`;
    /// `file-io`; `image-memory`. Offsets in messages count from the start of the image.
    pub fn open_at(
        file: &File,
        offset: u64,
        len: u64,
        options: &OpenOptions,
    ) -> Result<Arc<MappedVocab>> {
        if offset % ALIGN as u64 != 0 {
            let text = format!("the image begins at byte {offset}; expected a multiple of {ALIGN}");
            return Err(Error::value(codes::IMAGE_SECTION, text));
        }
        // The system cannot map zero bytes, and would map pages beyond the end of a file.
        let file_len = file.metadata().map_err(|error| system("read", error))?.len();
        let part = offset.checked_add(len).filter(|end| *end <= file_len).map(|_| len);
        let Some(len) = part.and_then(|len| usize::try_from(len).ok()) else {
            let text =
                format!("an image of {len} bytes at byte {offset} of a file of {file_len} bytes");
            return Err(Error::value(codes::CONTAINER_TRUNCATED, text));
        };
        let memory = if options.read || len == 0 {
            ImageMemory::filled(len, |bytes| read_at(file, offset, bytes))?
                .map_err(|error| system("read", error))?
        } else {
            ImageMemory::map(file, offset, len).map_err(|error| system("map", error))?
        };
        MappedVocab::validated(memory, options)
    }

    /// Opens a copy of the bytes of an image.
    ///
    /// # Errors
    ///
    /// Those of [`open_at`](MappedVocab::open_at).
    pub fn from_bytes(image: &[u8], options: &OpenOptions) -> Result<Arc<MappedVocab>> {
        let memory = ImageMemory::filled(image.len(), |bytes| {
            bytes.copy_from_slice(image);
            Ok::<(), Error>(())
        })??;
        MappedVocab::validated(memory, options)
    }

    fn validated(mut memory: ImageMemory, options: &OpenOptions) -> Result<Arc<MappedVocab>> {
        let bytes = memory.all();
        let container = Container::read(&KIND, bytes)?;
        if options.verify == Verify::Full {
            container.verify(bytes)?;
        }
        let sections = Sections::of(container)?;
        if sections.get(META).count() <= MAX_QUICK_META {
            sections.get(META).verify(bytes)?;
        }
        let head = Head::of(&sections, bytes)?;
        let wrong = |section: usize, text: String| {
            Err(invalid_at(codes::IMAGE_SECTION, sections.start(section), text))
        };
        let (lexemes, strings) = (sections.get(LEXEMES).count(), sections.get(ENDS).count());
        let (others, slots) = (sections.get(IDS).count(), sections.get(SLOTS).count());
        if lexemes == 0 || lexemes > MAX_WORDS {
            return wrong(LEXEMES, format!("{lexemes} lexemes; expected 1 to {MAX_WORDS}"));
        }
        if strings != lexemes - 1 + others || strings > MAX_WORDS {
            let text =
                format!("{strings} strings for {} words and {others} other strings", lexemes - 1);
            return wrong(ENDS, text);
        }
        if sections.get(NORMS).count() >= 1 << 24 {
            return wrong(
                NORMS,
                format!(
                    "{} norms of special cases; expected fewer than 2^24",
                    sections.get(NORMS).count()
                ),
            );
        }
        let (keys, rows) = (sections.get(KEYS).count(), sections.get(KEY_ROWS).count());
        if keys != rows || keys > MAX_WORDS {
            return wrong(KEYS, format!("{keys} keys of vectors, but {rows} row numbers"));
        }
        for (section, slots, items) in
            [(SLOTS, slots, strings), (KEY_SLOTS, sections.get(KEY_SLOTS).count(), keys)]
        {
            let fits = slots == 0 && items == 0 || slots.is_power_of_two() && slots > items;
            if !fits {
                return wrong(section, format!("{slots} slots for {items} items"));
            }
        }
        if head.max_probes.iter().any(|max_probes| *max_probes > MAX_PROBES) {
            let text = format!(
                "items are up to {:?} slots from their first slots; expected at most {MAX_PROBES}",
                head.max_probes
            );
            return Err(invalid_at(codes::IMAGE_SECTION, sections.start(HEAD) + 8, text));
        }
        let [words, strings] = [lexemes - 1, strings]
            .map(|count| u32::try_from(count).expect("no more than MAX_WORDS"));
        let image = Arc::new(MappedVocab { memory, head, sections, words, strings });
        if options.verify == Verify::Full {
            check::contents(&image)?;
        }
        Ok(image)
    }
}

/// Reads a part of a file through a handle of its own.
fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

fn system(what: &str, error: io::Error) -> Error {
    let text = format!("cannot {what} the vocab image: {error}");
    Error::new(crate::ErrorKind::Io, codes::FILE_IO, text).caused_by(error)
}
