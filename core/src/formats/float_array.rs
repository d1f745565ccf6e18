//! Arrays of 32-bit floats as `MessagePack`, in the form in which spaCy packs them.

use crate::msgpack::{Item, Reader};

/// Reads a packed array of `rows` rows: its width and its numbers. Returns `None` for an array of
/// another shape or type, and for bytes that are not an array.
pub(crate) fn read_rows(packed: &[u8], rows: usize) -> Option<(usize, Vec<f32>)> {
    let mut reader = Reader::new(packed);
    let (mut kind, mut shape, mut data) = (None, None, None);
    for _ in 0..reader.map().ok()? {
        let Item::Bytes(key) = reader.item().ok()? else { return None };
        match key {
            b"type" => kind = Some(reader.str().ok()?),
            b"shape" => {
                let axes = (0..reader.array().ok()?).map(|_| reader.uint().ok());
                shape = Some(axes.collect::<Option<Vec<_>>>()?);
            }
            b"data" => data = Some(reader.bytes().ok()?),
            _ => drop(reader.skip().ok()?),
        }
    }
    let ([len, width], data) = (shape.as_deref()?, data?) else { return None };
    let width = usize::try_from(*width).ok()?;
    let size = rows.checked_mul(width).and_then(|numbers| numbers.checked_mul(size_of::<f32>()));
    if kind != Some("<f4") || *len != rows as u64 || size != Some(data.len()) {
        return None;
    }
    let numbers = data.chunks_exact(size_of::<f32>());
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Some((width, numbers.map(number).collect()))
}
