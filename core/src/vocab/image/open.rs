//! Opening an image: where its bytes come from, and what is judged before anybody reads them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::check;
use super::index::MOST_PROBES;
use super::layout::{
    self, ALIGN, ENDS, IDS, KEY_ROWS, KEY_SLOTS, KEYS, LEXEMES, META, NORMS, SLOTS,
};
use super::memory::Memory;
use super::{MappedVocab, fault};
use crate::escape::shown;
use crate::vocab::Getters;
use crate::{Error, Result};

/// How an image is opened.
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

/// How much of an image is judged before it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// The header, its checksum, and where the sections are: as long as a file was not changed by
    /// anybody, that is enough. Whatever the rest is, reading it is safe and takes bounded time.
    #[default]
    Header,
    /// All checksums, and all that sections say of each other.
    Full,
}

impl OpenOptions {
    /// Mapped, and the header verified.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// How much is judged.
    #[must_use]
    pub fn verify(mut self, verify: Verify) -> OpenOptions {
        self.verify = verify;
        self
    }

    /// Whether the file is mapped, which asks that nobody writes to it or cuts it off meanwhile, or
    /// read into memory.
    #[must_use]
    pub fn mmap(mut self, mmap: bool) -> OpenOptions {
        self.read = !mmap;
        self
    }

    /// Whether the file is mapped.
    #[cfg(feature = "arrow")]
    pub(crate) fn is_mapped(&self) -> bool {
        !self.read
    }

    /// Whether all is judged.
    #[cfg(feature = "arrow")]
    pub(crate) fn is_full(&self) -> bool {
        self.verify == Verify::Full
    }

    /// Getters for new words, in the place of those that the file names.
    #[must_use]
    pub fn getters(mut self, getters: Getters) -> OpenOptions {
        self.getters = Some(getters);
        self
    }
}

/// The most words that an image may have.
const MOST_WORDS: usize = 1 << 30;
/// How long the part with the settings may be so that its checksum is always compared.
const SMALL_META: usize = 1 << 20;

impl MappedVocab {
    /// Opens a file that is an image.
    ///
    /// # Errors
    ///
    /// Those of the system, and as for [`open_at`](MappedVocab::open_at).
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Arc<MappedVocab>> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        let len = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
        MappedVocab::open_at(&file, 0, len, options).map_err(|error| error.context(shown(path)))
    }

    /// Opens the image that is a part of a file, beginning at a multiple of 64.
    ///
    /// # Errors
    ///
    /// `image-` and what is wrong: `truncated`, `magic`, `version`, `endian`, `checksum`, `section`,
    /// and with [`Verify::Full`] also `strings`, `index`, `lexemes`, `meta`, `vectors`; `file-io`;
    /// `image-memory`. Offsets in the text count from the beginning of the image.
    pub fn open_at(
        file: &File,
        offset: u64,
        len: u64,
        options: &OpenOptions,
    ) -> Result<Arc<MappedVocab>> {
        if offset % ALIGN as u64 != 0 {
            let text = format!("an image begins at byte {offset}, which is no multiple of {ALIGN}");
            return Err(super::broken("image-section", text));
        }
        // The system would refuse to map nothing, and take what lies behind the end of a file.
        let there = file.metadata().map_err(|error| system("read", error))?.len();
        let part = offset.checked_add(len).filter(|end| *end <= there).map(|_| len);
        let Some(len) = part.and_then(|len| usize::try_from(len).ok()) else {
            let text = format!("{len} bytes from {offset} on, of a file of {there}");
            return Err(super::broken("image-truncated", text));
        };
        if len < layout::START {
            let mut first = vec![0; len];
            read_at(file, offset, &mut first).map_err(|error| system("read", error))?;
            return Err(layout::read(&first, len).expect_err("too short"));
        }
        let memory = if options.read {
            Memory::filled(len, |bytes| read_at(file, offset, bytes))?
                .map_err(|error| system("read", error))?
        } else {
            Memory::map(file, offset, len).map_err(|error| system("map", error))?
        };
        MappedVocab::judge(memory, options)
    }

    /// Takes the bytes of an image.
    ///
    /// # Errors
    ///
    /// As for [`open_at`](MappedVocab::open_at).
    pub fn of_bytes(given: &[u8], options: &OpenOptions) -> Result<Arc<MappedVocab>> {
        let memory = Memory::filled(given.len(), |bytes| {
            bytes.copy_from_slice(given);
            Ok::<(), Error>(())
        })??;
        MappedVocab::judge(memory, options)
    }

    fn judge(mut memory: Memory, options: &OpenOptions) -> Result<Arc<MappedVocab>> {
        let len = memory.len();
        let bytes = memory.all();
        let first = &bytes[..layout::START.min(len)];
        let (header, sections) = layout::read(first, len)?;
        if options.verify == Verify::Full || sections.get(META).len() <= SMALL_META {
            check::sum(bytes, &sections, META)?;
        }
        if options.verify == Verify::Full {
            check::sums(bytes, &sections)?;
        }
        let wrong = |section: usize, text: String| {
            Err(fault("image-section", sections.get(section).start, text))
        };
        let (lexemes, strings) = (sections.count(LEXEMES), sections.count(ENDS));
        let (others, slots) = (sections.count(IDS), sections.count(SLOTS));
        if lexemes == 0 || lexemes > MOST_WORDS {
            return wrong(LEXEMES, format!("{lexemes} lexemes; there are 1 to {MOST_WORDS}"));
        }
        if strings != lexemes - 1 + others || strings > MOST_WORDS {
            let text = format!("{strings} strings, of {} words and {others} others", lexemes - 1);
            return wrong(ENDS, text);
        }
        if sections.count(NORMS) >= 1 << 24 {
            return wrong(NORMS, format!("{} norms of special cases", sections.count(NORMS)));
        }
        let (keys, rows) = (sections.count(KEYS), sections.count(KEY_ROWS));
        if keys != rows || keys > MOST_WORDS {
            return wrong(KEYS, format!("{keys} keys of vectors, and rows for {rows}"));
        }
        for (section, slots, items) in
            [(SLOTS, slots, strings), (KEY_SLOTS, sections.count(KEY_SLOTS), keys)]
        {
            let is_room = slots == 0 && items == 0 || slots.is_power_of_two() && slots > items;
            if !is_room {
                return wrong(section, format!("{slots} slots for {items} items"));
            }
        }
        if header.longest.iter().any(|longest| *longest > MOST_PROBES) {
            let text = format!("items lie {:?} slots from their places", header.longest);
            return Err(fault("image-section", 48, text));
        }
        let [words, strings] = [lexemes - 1, strings]
            .map(|count| u32::try_from(count).expect("no more than MOST_WORDS"));
        let image = Arc::new(MappedVocab { memory, header, sections, words, strings });
        if options.verify == Verify::Full {
            check::contents(&image)?;
        }
        Ok(image)
    }
}

/// Reads a part of a file, without regard to where others read it.
fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

fn system(what: &str, error: io::Error) -> Error {
    let text = format!("cannot {what} the image of a vocab: {error}");
    Error::new(crate::ErrorKind::Io, "file-io", text).caused_by(error)
}
