//! Writing containers.

use super::{ALIGN, CHECKSUM, ENTRY, HEADER, Kind, VERSION, check_endian, checksum_of};
use crate::{Error, Result, codes};

/// A section to be written.
#[derive(Clone, Debug)]
pub struct NewSection<'a> {
    name: &'a str,
    item_size: usize,
    parts: Vec<&'a [u8]>,
}

impl<'a> NewSection<'a> {
    /// Creates a section of bytes.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> NewSection<'a> {
        NewSection::of_parts(name, vec![bytes])
    }

    /// Creates a section of bytes that lie in several places.
    pub fn of_parts(name: &'a str, parts: Vec<&'a [u8]>) -> NewSection<'a> {
        NewSection { name, item_size: 1, parts }
    }

    /// Sets the size of an item in bytes, which divides that of the section.
    #[must_use]
    pub fn items_of(mut self, bytes: usize) -> NewSection<'a> {
        self.item_size = bytes;
        self
    }

    fn size(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        self.parts.iter().for_each(|part| hasher.update(part));
        hasher.finalize()
    }
}

impl Kind {
    /// Writes a container of this kind to a sink. The same sections make the same bytes.
    ///
    /// # Errors
    ///
    /// `container-table` for a name that is empty or taken, for items that do not divide their
    /// section, and for names or numbers of sections beyond 32 bits; `container-endian` for arrays
    /// on a big-endian machine; those of the sink.
    pub fn write(
        &self,
        sections: &[NewSection<'_>],
        put: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        check(sections)?;
        check_endian(self, sections.iter().map(|section| section.item_size))?;
        let (table, table_start) = table(sections)?;
        put(&self.header(sections.len(), table_start, &table)?)?;
        for section in sections {
            section.parts.iter().try_for_each(|part| put(part))?;
            put(&[0; ALIGN][..section.size().next_multiple_of(ALIGN) - section.size()])?;
        }
        put(&table)
    }

    /// Returns the bytes of a container of this kind.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Kind::write).
    pub fn to_bytes(&self, sections: &[NewSection<'_>]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(sections, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    fn header(&self, count: usize, table_start: usize, table: &[u8]) -> Result<[u8; HEADER]> {
        let mut header = [0; HEADER];
        let mut put = |at: usize, field: &[u8]| header[at..at + field.len()].copy_from_slice(field);
        put(0, &self.magic());
        put(16, &VERSION.to_le_bytes());
        put(20, &self.version.to_le_bytes());
        put(24, &((table_start + table.len()) as u64).to_le_bytes());
        put(32, &(table_start as u64).to_le_bytes());
        put(40, &small(count)?);
        let checksum = checksum_of(&header, table);
        header[CHECKSUM..CHECKSUM + 4].copy_from_slice(&checksum.to_le_bytes());
        Ok(header)
    }
}

fn check(sections: &[NewSection<'_>]) -> Result<()> {
    let mut names: Vec<&str> = sections.iter().map(|section| section.name).collect();
    names.sort_unstable();
    let repeated = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    if let Some(name) = repeated.or(names.into_iter().find(|name| name.is_empty())) {
        return Err(invalid(format!("a section is named {name:?}; expected names that differ")));
    }
    let is_divided =
        |section: &NewSection<'_>| section.size().checked_rem(section.item_size) == Some(0);
    match sections.iter().find(|section| !is_divided(section)) {
        Some(NewSection { name, item_size, .. }) => Err(invalid(format!(
            "section {name:?} has no whole number of items of {item_size} bytes"
        ))),
        None => Ok(()),
    }
}

/// Returns the table of sections, and the place behind them.
fn table(sections: &[NewSection<'_>]) -> Result<(Vec<u8>, usize)> {
    let mut table = Vec::with_capacity(ENTRY * sections.len());
    let mut start = HEADER;
    for section in sections {
        table.extend((start as u64).to_le_bytes());
        table.extend((section.size() as u64).to_le_bytes());
        table.extend(small(section.item_size)?);
        table.extend(section.checksum().to_le_bytes());
        table.extend(small(section.name.len())?);
        table.extend([0; 4]);
        start += section.size().next_multiple_of(ALIGN);
    }
    table.extend(sections.iter().flat_map(|section| section.name.bytes()));
    Ok((table, start))
}

fn small(number: usize) -> Result<[u8; 4]> {
    let number = u32::try_from(number);
    Ok(number.map_err(|_| invalid("a number of more than 32 bits".to_owned()))?.to_le_bytes())
}

fn invalid(text: String) -> Error {
    Error::value(codes::CONTAINER_TABLE, text)
}
