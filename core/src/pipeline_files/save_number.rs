//! The number of a save: which files of a pipeline's folder were written together.
//!
//! A folder that lexpool writes has the number in a file of its own, and so have its parts, the
//! vocab and each component of lexpool. Parts of different saves, as an interrupted copy leaves
//! them, differ in it. It follows from the contents, so that equal pipelines are equal files. spaCy
//! and components of users do not read these files, and folders without them are loaded as they
//! are.

use std::fmt::{self, Write};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::codes;
use crate::escape::{one_line, shown};
use crate::files::{Guard, is_same_file, update_folder, write_new};
use crate::strings::murmur3_x64;
use crate::{Error, ErrorKind, Result};

/// The name of the file with the number.
pub const SAVE_NUMBER: &str = "written-together";

/// The number of a folder while its files are replaced one by one.
const UNFINISHED: &str = "unfinished";

/// Writes the files of a pipeline into a folder, as [`update_folder`] does, with their number.
///
/// parts: the names of the vocab and of the components that take a file beside their own. Those of
/// them that are left as they were count as parts of this save from now on, if they have a number.
///
/// # Errors
///
/// Those of `fill` and of [`update_folder`].
pub fn write_pipeline(
    path: &Path,
    parts: &[String],
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let numbered = |folder: &Path| {
        fill(folder)?;
        let failed = |error| Error::io("write to", path, error);
        let number = SaveNumber::of_folder(folder).map_err(failed)?;
        for part in parts {
            let place = folder.join(part);
            if !place.exists() && path.join(part).join(SAVE_NUMBER).is_file() {
                fs::create_dir(&place).map_err(failed)?;
            }
            if place.is_dir() {
                number.write(&place).map_err(failed)?;
            }
        }
        number.write(folder).map_err(failed)
    };
    update_folder(path, numbered, Some(Guard { name: SAVE_NUMBER, contents: UNFINISHED }))
}

/// Adds the files with the number to all files of a pipeline.
pub fn add_numbers(files: &mut Vec<(String, Bytes)>) {
    let sums = files.iter().map(|(name, bytes)| {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        (name.clone(), length, crc32fast::hash(bytes))
    });
    let number = Bytes::from(SaveNumber::of_sums(sums.collect()).to_line());
    let mut folders: Vec<String> = Vec::new();
    for (name, _) in &*files {
        if let Some((folder, _)) = name.split_once('/') {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
    }
    let places = folders.iter().map(|folder| format!("{folder}/{SAVE_NUMBER}"));
    let places: Vec<String> = places.chain([SAVE_NUMBER.to_owned()]).collect();
    files.extend(places.into_iter().map(|place| (place, number.clone())));
}

/// The number of a save, as 32 hexadecimal digits; or another text in a file that somebody else
/// has written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SaveNumber(String);

impl SaveNumber {
    /// Returns the number of files by their names, lengths and CRC-32s.
    fn of_sums(mut sums: Vec<(String, u64, u32)>) -> SaveNumber {
        sums.sort_unstable();
        let mut text = String::new();
        for (name, length, checksum) in sums {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}\0{length} {checksum:08x}");
        }
        let [first, second] = murmur3_x64(text.as_bytes(), 0);
        SaveNumber(format!("{first:016x}{second:016x}"))
    }

    fn of_folder(folder: &Path) -> io::Result<SaveNumber> {
        let mut sums = Vec::new();
        add_sums(folder, "", &mut sums)?;
        Ok(SaveNumber::of_sums(sums))
    }

    /// Reads the number of a folder; `None` if it has none.
    fn read(folder: &Path) -> Option<SaveNumber> {
        // The file of a stranger may have any length.
        let file = File::open(folder.join(SAVE_NUMBER)).ok()?;
        let mut line = Vec::new();
        file.take(64).read_to_end(&mut line).ok()?;
        let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        (!text.is_empty()).then_some(SaveNumber(text))
    }

    /// Writes the number into a temporary folder, without syncing it: an empty file, which a power
    /// cut may leave, counts as none.
    fn write(&self, folder: &Path) -> io::Result<()> {
        write_new(&folder.join(SAVE_NUMBER), self.to_line().as_bytes())
    }

    fn to_line(&self) -> String {
        format!("{}\n", self.0)
    }
}

impl fmt::Display for SaveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        one_line(&self.0).fmt(f)
    }
}

fn add_sums(folder: &Path, prefix: &str, sums: &mut Vec<(String, u64, u32)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            add_sums(&entry.path(), &format!("{name}/"), sums)?;
        } else if kind.is_file() {
            let (length, checksum) = sum(&entry.path())?;
            sums.push((name, length, checksum));
        }
    }
    Ok(())
}

/// Returns the length and the CRC-32 of a file.
fn sum(file: &Path) -> io::Result<(u64, u32)> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(file)?);
    let (mut length, mut checksum) = (0, crc32fast::Hasher::new());
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok((length, checksum.finalize()));
        }
        checksum.update(bytes);
        let read = bytes.len();
        length += read as u64;
        file.consume(read);
    }
}

/// The folder of a pipeline while it is read, by name and file after file. Tells whether another
/// process has replaced it or parts of it since.
#[derive(Debug)]
pub struct ReadFolder {
    path: PathBuf,
    number: Option<SaveNumber>,
    /// The folder and the file of its number as they were: while they are open, no other one can
    /// be mistaken for them.
    opened: [Option<File>; 2],
}

impl ReadFolder {
    /// Begins to read a folder.
    pub fn open(path: &Path) -> ReadFolder {
        let open = |path: &Path| if cfg!(unix) { File::open(path).ok() } else { None };
        let opened = [open(path), open(&path.join(SAVE_NUMBER))];
        ReadFolder { path: path.to_owned(), number: SaveNumber::read(path), opened }
    }

    /// Checks that these parts have the number of the folder, as far as they have one.
    ///
    /// # Errors
    ///
    /// `save-mixed` for parts of another save, which the message names.
    pub fn check_parts<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let Some(number) = &self.number else { return Ok(()) };
        let mut others = Vec::new();
        for part in parts {
            let of_part = SaveNumber::read(&self.path.join(part));
            if let Some(other) = of_part.filter(|of_part| of_part != number) {
                others.push(format!("{part:?} of {other}"));
            }
        }
        if number.0 == UNFINISHED {
            let text = format!(
                "{}: saving to it was interrupted. Save or copy the whole folder again; to load \
                 its files as they are, remove its file {SAVE_NUMBER}",
                shown(&self.path),
            );
            return Err(Error::value(codes::SAVE_MIXED, text));
        }
        if others.is_empty() {
            return Ok(());
        }
        let text = format!(
            "{}: the folder is of the save {number}, but {}: copying or saving it was \
             interrupted. Copy or save the whole folder again; if its parts were put together on \
             purpose, remove its file {SAVE_NUMBER}",
            shown(&self.path),
            others.join(", "),
        );
        Err(Error::value(codes::SAVE_MIXED, text))
    }

    /// Returns whether the folder is the one that was opened.
    pub fn is_current(&self) -> bool {
        let paths = [self.path.clone(), self.path.join(SAVE_NUMBER)];
        let is_same = |(opened, path): (&Option<File>, &PathBuf)| match opened {
            Some(file) => file.metadata().is_ok_and(|opened| {
                fs::metadata(path).is_ok_and(|current| is_same_file(&opened, &current))
            }),
            None => true,
        };
        self.opened.iter().zip(&paths).all(is_same) && SaveNumber::read(&self.path) == self.number
    }

    /// Checks that the folder is the one that was opened.
    ///
    /// # Errors
    ///
    /// `save-replaced` if it is another one.
    pub fn check_current(&self) -> Result<()> {
        if self.is_current() {
            return Ok(());
        }
        let text = format!("{} was replaced while it was loaded", shown(&self.path));
        Err(Error::new(ErrorKind::Io, codes::SAVE_REPLACED, text))
    }
}

#[cfg(test)]
mod tests;
