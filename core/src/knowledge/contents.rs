//! The file `contents` of a knowledge base that spaCy saves: little-endian numbers without padding.
//!
//! | part | numbers |
//! | --- | --- |
//! | header | the number of entities n, the width w: i64 each |
//! | vectors | n rows of w f32 |
//! | entities | n times: id u64, frequency f32, row of the vector i32 |
//! | aliases | their number i64; for each: id u64, number of candidates i64, and the candidates |
//! | candidates | number of the entity from 1 on i64, prior probability f32 |
//!
//! A file in which spaCy saved entities that were added after loading has wrong rows: spaCy's table
//! of a loaded knowledge base has a row to spare, which it counts but does not write. The rows are
//! then one too high from some entity on. The vectors are in the order of the entities nonetheless.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::base::{Alias, EntityIx, KnowledgeBase};
use crate::codes;
use crate::escape::shown;
use crate::files::{AtomicFile, Links};
use crate::strings::{JsonLayout, StrId, StringStore};
use crate::{Error, Result, limits};

/// The name of the file in a folder, and that of its strings.
const CONTENTS: &str = "contents";
const STRINGS: &str = "strings.json";
/// Bytes of an entity without its vector, of an alias without candidates, and of a candidate.
const ENTITY: usize = 16;
const ALIAS: usize = 16;
const CANDIDATE: usize = 12;

impl KnowledgeBase {
    /// Saves the knowledge base with strings in a folder, which is created if needed: spaCy's
    /// `to_disk`.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `disk-full`, `file-io`.
    pub fn save(&self, folder: &Path, strings: &StringStore) -> Result<()> {
        fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
        self.save_contents(&folder.join(CONTENTS))?;
        let mut file = AtomicFile::create(&folder.join(STRINGS), Links::Replaced)?;
        file.put(strings.to_json(JsonLayout::Lines).as_bytes(), &|| Ok(()))?;
        file.commit()
    }

    /// Loads a knowledge base from a folder, and adds its strings to `strings`.
    ///
    /// # Errors
    ///
    /// Those of [`from_contents`](KnowledgeBase::from_contents), `strings-json`, `file-not-found`,
    /// `file-permission`, `file-io`.
    pub fn open(folder: &Path, strings: &StringStore) -> Result<KnowledgeBase> {
        let base = KnowledgeBase::open_contents(&folder.join(CONTENTS))?;
        let path = folder.join(STRINGS);
        let json = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        strings.add_json(&json).map_err(|error| error.context(shown(&path)))?;
        Ok(base)
    }

    /// Saves the knowledge base without strings as a file of a folder.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `disk-full`, `file-io`.
    pub fn save_contents(&self, path: &Path) -> Result<()> {
        let mut out = BufWriter::new(AtomicFile::create(path, Links::Replaced)?);
        let failed = |error| Error::io("write to", path, error);
        self.write_contents(&mut out).map_err(failed)?;
        out.into_inner().map_err(|error| failed(error.into_error()))?.commit()
    }

    /// Loads what [`save_contents`](KnowledgeBase::save_contents) saved.
    ///
    /// # Errors
    ///
    /// Those of [`from_contents`](KnowledgeBase::from_contents), `file-not-found`,
    /// `file-permission`, `file-io`.
    pub fn open_contents(path: &Path) -> Result<KnowledgeBase> {
        let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
        KnowledgeBase::from_contents(&bytes).map_err(|error| error.context(shown(path)))
    }

    /// Writes the contents of the file `contents`, without strings.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_contents(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&long(self.len()))?;
        out.write_all(&long(self.width()))?;
        for number in &self.vectors {
            out.write_all(&number.to_le_bytes())?;
        }
        for (row, entity) in (0_i32..).zip(&self.entities) {
            out.write_all(&entity.id.get().to_le_bytes())?;
            out.write_all(&entity.freq.to_le_bytes())?;
            out.write_all(&row.to_le_bytes())?;
        }
        out.write_all(&long(self.alias_count()))?;
        for alias in &self.aliases {
            out.write_all(&alias.id.get().to_le_bytes())?;
            out.write_all(&long(alias.candidates.len()))?;
            for (ix, prior) in &alias.candidates {
                out.write_all(&long(ix.get() + 1))?;
                out.write_all(&prior.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Reads the contents of a file `contents`. Each count is validated against the bytes that
    /// follow before memory is allocated for it.
    ///
    /// # Errors
    ///
    /// `kb-file` for bytes that end early or have further bytes, for rows and entities that are out
    /// of range, and for an entity or alias that occurs twice.
    pub fn from_contents(bytes: &[u8]) -> Result<KnowledgeBase> {
        let mut input = Input { bytes, at: 0 };
        let len = input.count("entities", ENTITY)?;
        let width = input.count("elements of a vector", 0)?;
        limits::VECTORS_WIDTH
            .check(width, "the number of elements of a vector")
            .map_err(|error| Error::value(codes::KB_FILE, error.message()))?;
        let size = len.checked_mul(width).and_then(|numbers| numbers.checked_mul(4));
        let vectors = input.part(size.unwrap_or(usize::MAX), || {
            format!("the vectors of {len} entities with {width} numbers each")
        })?;
        let entities = input.part(len * ENTITY, || format!("{len} entities"))?;
        let rows = rows(entities, len)?;
        let mut base = KnowledgeBase::new(width);
        base.entities.reserve_exact(len);
        base.vectors.reserve_exact(len * width);
        let mut vector = Vec::with_capacity(width.min(vectors.len()));
        for (entity, row) in entities.chunks_exact(ENTITY).zip(rows) {
            let id = StrId::new(u64::from_le_bytes(field(entity, 0)));
            let numbers = vectors[row * width * 4..][..width * 4].chunks_exact(4);
            vector.clear();
            vector.extend(numbers.map(|number| f32::from_le_bytes(field(number, 0))));
            if !base.push_entity(id, f32::from_le_bytes(field(entity, 8)), &vector)? {
                return Err(invalid(format!("the entity {} occurs twice", id.get())));
            }
        }
        base.read_aliases(&mut input)?;
        base.has_spare_row = true;
        input.finish()?;
        Ok(base)
    }

    fn read_aliases(&mut self, input: &mut Input<'_>) -> Result<()> {
        let count = input.count("aliases", ALIAS)?;
        for _ in 0..count {
            let id = StrId::new(u64::from_le_bytes(input.number("the id of an alias")?));
            let len = input.count("candidates", CANDIDATE)?;
            let part = input.part(len * CANDIDATE, || format!("{len} candidates"))?;
            let candidate = |bytes: &[u8]| {
                let number = i64::from_le_bytes(field(bytes, 0));
                let position =
                    usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                match position.filter(|position| *position < self.len()) {
                    Some(position) => {
                        Ok((EntityIx::new(position), f32::from_le_bytes(field(bytes, 8))))
                    }
                    None => Err(self.not_an_entity(id, number)),
                }
            };
            let candidates = part.chunks_exact(CANDIDATE).map(candidate).collect::<Result<_>>()?;
            if !self.push_alias(Alias { id, candidates }) {
                return Err(invalid(format!("the alias {} occurs twice", id.get())));
            }
        }
        Ok(())
    }

    /// Returns the error of an alias whose candidate is not one of the entities.
    pub(super) fn not_an_entity(&self, alias: StrId, number: i64) -> Error {
        let (alias, len) = (alias.get(), self.len());
        invalid(format!(
            "the alias {alias} has entity {number} as a candidate; expected a number from 1 to \
             {len}, the number of entities"
        ))
    }
}

/// Returns the rows of the vectors of `len` entities.
fn rows(entities: &[u8], len: usize) -> Result<Vec<usize>> {
    let row = |entity: &[u8]| usize::try_from(i32::from_le_bytes(field(entity, 12))).ok();
    let given: Vec<Option<usize>> = entities.chunks_exact(ENTITY).map(row).collect();
    if given.last() == Some(&Some(len)) {
        // Rows beyond the one to spare, as described at the head of this file.
        let skips = given.iter().zip(0..).map(|(row, at)| row.and_then(|row| row.checked_sub(at)));
        if skips.clone().all(|skip| matches!(skip, Some(0 | 1))) && skips.is_sorted() {
            return Ok((0..len).collect());
        }
    }
    let row = |(at, row): (usize, &Option<usize>)| {
        row.filter(|row| *row < len).ok_or_else(|| {
            let row = i32::from_le_bytes(field(entities, at * ENTITY + 12));
            let text = format!("entity {at} has row {row} of the vectors, which have {len} rows");
            invalid(text)
        })
    };
    given.iter().enumerate().map(row).collect()
}

/// Bytes with a position, up to which they were read.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    /// Reads a number of `things` that take at least `size` bytes each.
    fn count(&mut self, things: &str, size: usize) -> Result<usize> {
        let at = self.at;
        let number = i64::from_le_bytes(self.number(&format!("the number of {things}"))?);
        let rest = self.bytes.len() - self.at;
        let count = usize::try_from(number).ok();
        let fits = |count: &usize| count.checked_mul(size).is_some_and(|bytes| bytes <= rest);
        count.filter(fits).ok_or_else(|| {
            let text =
                format!("byte {at} says that {number} {things} follow, but {rest} bytes follow");
            invalid(text)
        })
    }

    fn number<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        self.part(N, || what.to_owned()).map(|bytes| field(bytes, 0))
    }

    fn part(&mut self, size: usize, what: impl Fn() -> String) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let part = rest.get(..size).ok_or_else(|| {
            let (at, found) = (self.at, rest.len());
            invalid(format!(
                "{} begin at byte {at}, but the file has {found} bytes from there",
                what()
            ))
        })?;
        self.at += size;
        Ok(part)
    }

    fn finish(&self) -> Result<()> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            more => Err(invalid(format!("{more} bytes follow the last alias"))),
        }
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("N bytes")
}

fn long(number: usize) -> [u8; 8] {
    (number as u64).to_le_bytes()
}

/// Returns the error of bytes that are not a knowledge base.
pub(super) fn invalid(text: impl Into<String>) -> Error {
    Error::value(codes::KB_FILE, text).context("not a knowledge base")
}
