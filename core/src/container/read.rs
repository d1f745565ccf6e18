//! Reading the header and the table of a container.

use std::ops::Range;

use bytemuck::Pod;

use super::{ALIGN, CHECKSUM, ENTRY, HEADER, Kind, VERSION, check_endian, checksum_of};
use crate::{Code, Error, Result, codes};

/// The validated table of a container.
///
/// It holds no bytes: those are given to the methods of its sections, whether they are mapped or
/// in memory.
#[derive(Clone, Debug)]
pub struct Container {
    sections: Vec<Section>,
}

/// The place of a section. Ranges lie within the container, side by side and without overlap.
#[derive(Clone, Debug)]
pub struct Section {
    name: String,
    range: Range<usize>,
    item_size: usize,
    checksum: u32,
}

impl Container {
    /// Validates the header and the table of a file's bytes. Cost: linear in the number of
    /// sections.
    ///
    /// # Errors
    ///
    /// `container-kind` for a file of another kind, `container-version` for one of another
    /// version, `container-truncated` for one whose size is not that of its header,
    /// `container-checksum` for a changed header or table, `container-table` for a table that is
    /// wrong although its checksum is right, and `container-endian` for arrays on a big-endian
    /// machine.
    pub fn read(kind: &Kind, bytes: &[u8]) -> Result<Container> {
        let table = table(kind, bytes)?;
        let header = Fields { bytes };
        let count = header.u32(40) as usize;
        let wrong = |text: String| Err(invalid(codes::CONTAINER_TABLE, text));
        let names_at = count.saturating_mul(ENTRY);
        if names_at > table.len() {
            return wrong(format!("the table has {} bytes for {count} sections", table.len()));
        }
        let entries = Fields { bytes: &bytes[table.clone()] };
        let (mut name_at, mut expected) = (names_at, HEADER);
        let mut sections = Vec::<Section>::with_capacity(count);
        for number in 0..count {
            let at = ENTRY * number;
            let (start, size) = (entries.usize(at), entries.usize(at + 8));
            let (item_size, name_size) = (entries.u32(at + 16), entries.u32(at + 24));
            let end = start.checked_add(size).filter(|end| *end <= table.start);
            let divides = item_size != 0 && size % item_size as usize == 0;
            let Some(end) = end.filter(|_| start == expected && divides) else {
                return wrong(format!(
                    "section {number} starts at {start} and has {size} bytes in items of \
                     {item_size}; expected whole items from {expected} to at most {}",
                    table.start
                ));
            };
            let name_end = name_at.saturating_add(name_size as usize);
            let name = entries.bytes.get(name_at..name_end);
            let name = name.and_then(|name| std::str::from_utf8(name).ok());
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                return wrong(format!("section {number} has no name in UTF-8"));
            };
            name_at = name_end;
            expected = end.next_multiple_of(ALIGN);
            sections.push(Section {
                name: name.to_owned(),
                range: start..end,
                item_size: item_size as usize,
                checksum: entries.u32(at + 20),
            });
        }
        if expected != table.start || name_at != table.len() {
            return wrong(format!(
                "the sections end at byte {expected} and the names at {}; expected {} and {}",
                table.start + name_at,
                table.start,
                table.end
            ));
        }
        let mut names: Vec<&str> = sections.iter().map(Section::name).collect();
        names.sort_unstable();
        if let Some(name) =
            names.windows(2).find_map(|pair| (pair[0] == pair[1]).then_some(pair[0]))
        {
            return wrong(format!("two sections are named {name:?}"));
        }
        check_endian(kind, sections.iter().map(Section::item_size))?;
        Ok(Container { sections })
    }

    /// Returns the sections in their order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the section of a name.
    pub fn get(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Verifies the checksums of all sections, and that the padding between them is zero. Cost:
    /// linear in the file.
    ///
    /// # Errors
    ///
    /// `container-checksum`, with the name of the section; `container-table` for other padding.
    pub fn verify(&self, bytes: &[u8]) -> Result<()> {
        for section in &self.sections {
            section.verify(bytes)?;
            let end = section.range.end;
            let padding = bytes.get(end..end.next_multiple_of(ALIGN)).unwrap_or_default();
            if let Some(at) = padding.iter().position(|byte| *byte != 0) {
                let text = format!("at byte {}: padding that is not zero", end + at);
                return Err(invalid(codes::CONTAINER_TABLE, text));
            }
        }
        Ok(())
    }

    /// Returns the sections, of which there must be these and no others, in this order. Each has a
    /// name and the size of its items.
    ///
    /// # Errors
    ///
    /// `container-table` for other sections or items.
    pub fn exactly<const N: usize>(self, layout: [(&str, usize); N]) -> Result<[Section; N]> {
        let sections = <[Section; N]>::try_from(self.sections);
        let sections = sections.map_err(|sections| {
            let text = format!("the file has {} sections; expected {N}", sections.len());
            invalid(codes::CONTAINER_TABLE, text)
        })?;
        for (section, expected) in sections.iter().zip(layout) {
            let actual = (section.name(), section.item_size);
            if actual != expected {
                let text =
                    format!("a section has name and item size {actual:?}; expected {expected:?}");
                return Err(invalid(codes::CONTAINER_TABLE, text));
            }
        }
        Ok(sections)
    }
}

impl Section {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the place in the container.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the size of an item in bytes.
    pub fn item_size(&self) -> usize {
        self.item_size
    }

    /// Returns the number of items.
    pub fn count(&self) -> usize {
        self.range.len() / self.item_size
    }

    /// Returns the bytes of the section among those of its container.
    pub fn bytes<'a>(&self, container: &'a [u8]) -> &'a [u8] {
        container.get(self.range()).unwrap_or_default()
    }

    /// Returns the items of the section, given the bytes of its container; none if those are not
    /// of this size, or the container does not begin at a multiple of 64 in memory.
    pub fn items<'a, T: Pod>(&self, container: &'a [u8]) -> &'a [T] {
        bytemuck::try_cast_slice(self.bytes(container)).unwrap_or_default()
    }

    /// Verifies the checksum, given the bytes of the container. Cost: linear in the section.
    ///
    /// # Errors
    ///
    /// `container-checksum`, with the name and the place of the section.
    pub fn verify(&self, container: &[u8]) -> Result<()> {
        self.verify_bytes(self.bytes(container))
    }

    /// Verifies the checksum, given the bytes of the section. Cost: linear in the section.
    ///
    /// # Errors
    ///
    /// `container-checksum`, with the name and the place of the section.
    pub fn verify_bytes(&self, bytes: &[u8]) -> Result<()> {
        let actual = crc32fast::hash(bytes);
        if actual == self.checksum {
            return Ok(());
        }
        let text = format!(
            "at byte {}: section {:?} has the CRC-32 {actual:08x}; expected {:08x}",
            self.range.start, self.name, self.checksum
        );
        Err(invalid(codes::CONTAINER_CHECKSUM, text))
    }
}

/// Validates a header, and returns the place of the table.
fn table(kind: &Kind, bytes: &[u8]) -> Result<Range<usize>> {
    let magic = kind.magic();
    let truncated = |expected: u64| {
        let text = format!("the {} has {} bytes; expected {expected}", kind.noun, bytes.len());
        invalid(codes::CONTAINER_TRUNCATED, text)
    };
    let first = &bytes[..magic.len().min(bytes.len())];
    if !magic.starts_with(first) {
        let text = format!(
            "the file is no {}: it begins with '{}' instead of '{}'",
            kind.noun,
            first.escape_ascii(),
            magic.escape_ascii()
        );
        return Err(invalid(codes::CONTAINER_KIND, text));
    }
    if bytes.len() < HEADER {
        return Err(truncated(HEADER as u64));
    }
    let header = Fields { bytes: &bytes[..HEADER] };
    let versions = [header.u32(16), header.u32(20)];
    if versions != [VERSION, kind.version] {
        let text = format!(
            "the {} has the versions {versions:?}; this lexpool reads {:?}",
            kind.noun,
            [VERSION, kind.version]
        );
        return Err(invalid(codes::CONTAINER_VERSION, text));
    }
    let size = header.u64(24);
    if size != bytes.len() as u64 {
        return Err(truncated(size));
    }
    let table = header.usize(32)..bytes.len();
    let is_aligned = table.start >= HEADER && table.start % ALIGN == 0;
    let content = bytes.get(table.clone()).filter(|_| is_aligned);
    let actual = content.map(|content| checksum_of(header.bytes, content));
    let expected = header.u32(CHECKSUM);
    if actual != Some(expected) {
        let text = format!(
            "header and table of the {} have the CRC-32 {:08x}; expected {expected:08x}",
            kind.noun,
            actual.unwrap_or_default()
        );
        return Err(invalid(codes::CONTAINER_CHECKSUM, text));
    }
    Ok(table)
}

fn invalid(code: Code, text: String) -> Error {
    Error::value(code, text)
}

/// Reads numbers from bytes that are long enough.
struct Fields<'a> {
    bytes: &'a [u8],
}

impl Fields<'_> {
    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"))
    }

    /// Returns a size or an offset; one that the machine has no room for lies outside of any file.
    fn usize(&self, at: usize) -> usize {
        usize::try_from(self.u64(at)).unwrap_or(usize::MAX)
    }
}
