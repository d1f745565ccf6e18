//! Little-endian numbers and strings in the bytes of a file, which need not be valid.

use std::ops::Range;

/// Returns the bytes at a position; `None` if the file ends before.
#[inline]
fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

#[inline]
pub(crate) fn i16_at(bytes: &[u8], at: usize) -> Option<i16> {
    array_at(bytes, at).map(i16::from_le_bytes)
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

/// A reader of numbers and strings, one after another. Each returns `None` at the end of the bytes.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    /// Creates a reader that begins at a position.
    pub(crate) fn new(bytes: &'b [u8], at: usize) -> Cursor<'b> {
        Cursor { bytes, at }
    }

    /// The position of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let array = array_at(self.bytes, self.at)?;
        self.at += N;
        Some(array)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a number in groups of seven bits, the lowest first.
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads the range of the next bytes.
    pub(crate) fn take(&mut self, len: usize) -> Option<Range<usize>> {
        let start = self.at;
        let end = start.checked_add(len)?;
        self.bytes.get(start..end)?;
        self.at = end;
        Some(start..end)
    }
}

/// Appends a string of UTF-16 units. Lone surrogates become U+FFFD.
pub(crate) fn push_utf16(bytes: &[u8], out: &mut String) {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    out.extend(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_beyond_the_end_returns_none() {
        let bytes = [1, 2, 3];
        assert_eq!(u16_at(&bytes, 1), Some(0x0302));
        assert_eq!((u16_at(&bytes, 2), u32_at(&bytes, 0)), (None, None));
        assert_eq!(u16_at(&bytes, usize::MAX), None);
        let mut cursor = Cursor::new(&bytes, 3);
        assert_eq!((cursor.u8(), cursor.take(1), cursor.take(0)), (None, None, Some(3..3)));
        assert_eq!(Cursor::new(&bytes, 4).take(usize::MAX), None);
    }

    #[test]
    fn a_varint_ends_with_a_byte_below_128() {
        assert_eq!(Cursor::new(&[0x89, 0xe0, 0x01], 0).varint(), Some(0x7009));
        assert_eq!(Cursor::new(&[0x80; 12], 0).varint(), None);
        assert_eq!(Cursor::new(&[0x80], 0).varint(), None);
    }

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_character() {
        let mut out = String::new();
        push_utf16(&[0x42, 0x30, 0x3d, 0xd8, 0x41, 0], &mut out);
        assert_eq!(out, "\u{3042}\u{fffd}A");
    }
}
