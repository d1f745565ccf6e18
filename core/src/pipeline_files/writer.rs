//! Writing packed files.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::json;

use super::pack::{ALIGN, HEADER, MAGIC, VERSION, checksum_of, is_name};
use crate::codes;
use crate::files::{AtomicFile, Links};
use crate::{Error, Result};

/// Writes parts with their names into one file, atomically (see
/// [`AtomicFile`](crate::files::AtomicFile)). The same parts make the same bytes.
///
/// # Errors
///
/// `pack-manifest` for a name that leads elsewhere, or occurs twice; those of the system,
/// such as `disk-full`.
pub fn write_pack<B: AsRef<[u8]>>(path: &Path, parts: &[(&str, B)]) -> Result<()> {
    let mut names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let repeated = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    if let Some(name) = repeated.or(names.into_iter().find(|name| !is_name(name))) {
        let text = format!("the part {name:?}; expected relative paths, each once");
        return Err(Error::value(codes::PACK_MANIFEST, text));
    }
    let mut file = AtomicFile::create(path, Links::Followed)?;
    let mut out = BufWriter::new(&mut file);
    let written = write(&mut out, parts).and_then(|()| out.flush());
    written.map_err(|error| Error::io("write to", path, error))?;
    drop(out);
    file.commit()
}

fn write<B: AsRef<[u8]>>(out: &mut impl Write, parts: &[(&str, B)]) -> io::Result<()> {
    let mut end = HEADER;
    let mut places = Vec::with_capacity(parts.len());
    for (name, bytes) in parts {
        let (start, bytes) = (end.next_multiple_of(ALIGN), bytes.as_ref());
        places.push(json!({
            "name": name,
            "offset": start,
            "length": bytes.len(),
            "crc32": crc32fast::hash(bytes),
        }));
        end = start + bytes.len();
    }
    let manifest = json!({ "parts": places }).to_string();
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[16..24].copy_from_slice(&(end as u64).to_le_bytes());
    header[24..32].copy_from_slice(&(manifest.len() as u64).to_le_bytes());
    let checksum = checksum_of(&header[16..], manifest.as_bytes());
    header[12..16].copy_from_slice(&checksum.to_le_bytes());
    out.write_all(&header)?;
    let mut at = HEADER;
    for (_, bytes) in parts {
        let bytes = bytes.as_ref();
        out.write_all(&[0; ALIGN][..at.next_multiple_of(ALIGN) - at])?;
        out.write_all(bytes)?;
        at = at.next_multiple_of(ALIGN) + bytes.len();
    }
    out.write_all(manifest.as_bytes())
}
