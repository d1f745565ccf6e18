//! Weights in NumPy's form: `weights.npz`, an archive (ZIP, not compressed) of arrays.

use lexpool_error::Result;

use super::values::wrong;

/// The weights of a model, with its sizes.
pub(super) struct Weights {
    pub(super) n_tags: usize,
    pub(super) n_features: usize,
    pub(super) values: Vec<f64>,
}

/// Reads the arrays `sizes` (tags, features) and `w`. Checksums are not compared.
pub(super) fn read(archive: &[u8]) -> Result<Weights> {
    let sizes = array(archive, "sizes.npy", "<i8")?;
    let size = |at: usize| {
        let bytes = sizes.get(8 * at..8 * at + 8)?;
        usize::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let (Some(n_tags), Some(n_features), 16) = (size(0), size(1), sizes.len()) else {
        return Err(wrong("weights.npz: expected two sizes"));
    };
    let values: Vec<f64> = array(archive, "w.npy", "<f8")?
        .chunks_exact(8)
        .map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")))
        .collect();
    if !values.iter().all(|weight| weight.is_finite()) {
        return Err(wrong("weights.npz: a weight is not a finite number"));
    }
    Ok(Weights { n_tags, n_features, values })
}

/// Returns the elements of a one-dimensional array of the archive, as bytes.
fn array<'a>(archive: &'a [u8], name: &str, kind: &str) -> Result<&'a [u8]> {
    let file = member(archive, name)
        .ok_or_else(|| wrong(&format!("weights.npz: no array {name:?} that is not compressed")))?;
    let bytes = elements(file, kind);
    bytes.ok_or_else(|| {
        wrong(&format!("weights.npz: {name:?} is no one-dimensional array of the type {kind:?}"))
    })
}

/// Returns the elements of a file in NumPy's format, whose header is a dictionary of Python's.
fn elements<'a>(file: &'a [u8], kind: &str) -> Option<&'a [u8]> {
    let rest = file.strip_prefix(b"\x93NUMPY")?;
    let start = match rest.first()? {
        1 => 10 + usize::from(u16_at(file, 8)?),
        2 | 3 => usize_at(file, 8)?.checked_add(12)?,
        _ => return None,
    };
    let header = std::str::from_utf8(file.get(10..start)?).ok()?;
    let value = |key: &str| Some(header.split_once(&format!("'{key}':"))?.1.trim_start());
    let shape = value("shape")?.strip_prefix('(')?.split_once(",)")?.0;
    let bytes = file.get(start..)?;
    let fits = value("descr")?.starts_with(&format!("'{kind}'"))
        && value("fortran_order")?.starts_with("False")
        && shape.parse::<usize>().ok()?.checked_mul(8) == Some(bytes.len());
    fits.then_some(bytes)
}

/// Returns the bytes of a file in an archive, from its central directory.
fn member<'a>(archive: &'a [u8], name: &str) -> Option<&'a [u8]> {
    // The end record has 22 bytes, and a comment of up to 65,535 bytes.
    let last = archive.len().checked_sub(22)?;
    let end = (last.saturating_sub(65_535)..=last)
        .rev()
        .find(|at| archive[*at..].starts_with(b"PK\x05\x06"))?;
    let mut at = usize_at(archive, end + 16)?;
    for _ in 0..u16_at(archive, end + 10)? {
        if !archive.get(at..)?.starts_with(b"PK\x01\x02") {
            return None;
        }
        let lengths = [28, 30, 32].map(|offset| u16_at(archive, at + offset));
        let [Some(name_len), Some(extra), Some(comment)] = lengths.map(|len| len.map(usize::from))
        else {
            return None;
        };
        if archive.get(at + 46..at + 46 + name_len)? == name.as_bytes() {
            let (method, size) = (u16_at(archive, at + 10)?, usize_at(archive, at + 20)?);
            let local = usize_at(archive, at + 42)?;
            let own_name = usize::from(u16_at(archive, local.checked_add(26)?)?);
            let own_extra = usize::from(u16_at(archive, local.checked_add(28)?)?);
            let start = local.checked_add(30 + own_name + own_extra)?;
            return if method == 0 { archive.get(start..start.checked_add(size)?) } else { None };
        }
        at = at.checked_add(46 + name_len + extra + comment)?;
    }
    None
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// Reads a number of four bytes.
fn usize_at(bytes: &[u8], at: usize) -> Option<usize> {
    let number = u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?);
    usize::try_from(number).ok()
}
