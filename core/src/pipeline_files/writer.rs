//! Writing packed files.

use std::path::Path;

use super::pack::{KIND, check_name};
use crate::Result;
use crate::container::NewSection;
use crate::files::{AtomicFile, Links};

/// Writes parts with their names into one file, atomically (see
/// [`AtomicFile`](crate::files::AtomicFile)). The same parts make the same bytes.
///
/// # Errors
///
/// `pack-name` for a name that leads elsewhere, `container-table` for one that occurs twice; those
/// of the system, such as `disk-full`.
pub fn write_pack<B: AsRef<[u8]>>(path: &Path, parts: &[(&str, B)]) -> Result<()> {
    parts.iter().try_for_each(|(name, _)| check_name(name))?;
    let sections = parts.iter().map(|(name, bytes)| NewSection::new(name, bytes.as_ref()));
    let sections: Vec<_> = sections.collect();
    let mut file = AtomicFile::create(path, Links::Followed)?;
    KIND.write(&sections, &mut |part| file.put(part, &|| Ok(())))?;
    file.commit()
}
