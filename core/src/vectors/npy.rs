//! NumPy's `.npy` file format for one array.

use std::io::{self, Write};

use super::RowTable;
use super::npy_numbers::{to_floats, to_keys};
use crate::codes;
use crate::{Error, Result};

const MAGIC: &[u8] = b"\x93NUMPY";
/// The number of digits that NumPy reserves, so that the first length can grow in place.
const GROWTH: usize = 21;

/// Writes a table, byte for byte as `numpy.save` does.
///
/// # Errors
///
/// Those of `out`.
pub fn write_npy(rows: &RowTable, out: &mut impl Write) -> io::Result<()> {
    let (len, width) = (rows.len(), rows.width());
    let mut header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({len}, {width}), }}");
    header.push_str(&" ".repeat(GROWTH - len.to_string().len()));
    // Magic, two bytes of version, two of length, the header and its newline are a multiple of 64
    // bytes.
    let start = MAGIC.len() + 4;
    let padding = (start + header.len() + 1).next_multiple_of(64) - (start + header.len() + 1);
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let header_len = u16::try_from(header.len()).expect("two numbers and a few words");
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&header_len.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    each_chunk(rows, |bytes| out.write_all(bytes))
}

/// Passes the numbers of a table to `f` as little-endian bytes, in chunks.
pub(super) fn each_chunk<E>(
    rows: &RowTable,
    mut f: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    if cfg!(target_endian = "little") {
        return f(bytemuck::must_cast_slice(rows.numbers()));
    }
    let mut bytes = Vec::new();
    for numbers in rows.numbers().chunks(4096) {
        bytes.clear();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        f(&bytes)?;
    }
    Ok(())
}

/// Reads a table from a `.npy` file of any version and numeric type.
///
/// # Errors
///
/// `vectors-npy` if the file is not a 2-D `.npy` array, `vectors-truncated` if it is cut off,
/// `vectors-type` if the items are not numbers.
pub fn read_npy(bytes: &[u8]) -> Result<RowTable> {
    let array = Array::parse(bytes)?;
    let &[len, width] = &array.shape[..] else {
        return Err(malformed(&format!("expected a 2-D array, found the shape {:?}", array.shape)));
    };
    let numbers = to_floats(array.descr, array.data)?;
    if !array.fortran {
        return RowTable::new(numbers, len, width);
    }
    let column_major = RowTable::new(numbers, width, len)?;
    let at = |i: usize| column_major.numbers()[i % width * len + i / width];
    RowTable::new((0..len * width).map(at).collect(), len, width)
}

/// Reads keys from a `.npy` file.
pub(super) fn read_npy_keys(bytes: &[u8]) -> Result<Vec<u64>> {
    let array = Array::parse(bytes)?;
    if array.shape.len() != 1 {
        return Err(malformed(&format!(
            "expected a 1-D array of keys, found the shape {:?}",
            array.shape
        )));
    }
    to_keys(array.descr, array.data)
}

struct Array<'a> {
    descr: &'a str,
    fortran: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Array<'a>> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| malformed("it does not begin with \\x93NUMPY"))?;
        let (header, data) = match rest {
            [1, _, a, b, rest @ ..] => split(rest, u16::from_le_bytes([*a, *b]).into())?,
            [2 | 3, _, a, b, c, d, rest @ ..] => split(rest, u32::from_le_bytes([*a, *b, *c, *d]))?,
            [0..=3, ..] | [] => return Err(truncated(bytes.len())),
            [version, ..] => return Err(malformed(&format!("version {version} is unknown"))),
        };
        let header =
            std::str::from_utf8(header).map_err(|_| malformed("its header is not UTF-8"))?;
        let field = |name: &str| {
            let (_, value) = header.split_once(&format!("'{name}':"))?;
            Some(value.trim_start())
        };
        let missing = || malformed(&format!("its header is {:?}", header.trim_end()));
        let descr = field("descr").and_then(|value| value.strip_prefix('\'')?.split_once('\''));
        let (descr, _) = descr.ok_or_else(missing)?;
        let fortran = field("fortran_order").ok_or_else(missing)?.starts_with("True");
        let shape = field("shape").and_then(|value| value.strip_prefix('(')?.split_once(')'));
        let (shape, _) = shape.ok_or_else(missing)?;
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        let shape: Vec<usize> =
            lengths.map(|length| length.parse().map_err(|_| missing())).collect::<Result<_>>()?;
        let item: usize = descr.get(2..).and_then(|size| size.parse().ok()).unwrap_or(1);
        let size = shape.iter().try_fold(item, |size, length| size.checked_mul(*length));
        match size {
            Some(size) if size == data.len() => Ok(Array { descr, fortran, shape, data }),
            Some(size) if size < data.len() => Err(malformed("more bytes follow the array")),
            _ => Err(truncated(bytes.len())),
        }
    }
}

fn split(rest: &[u8], len: u32) -> Result<(&[u8], &[u8])> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    rest.split_at_checked(len).ok_or_else(|| truncated(rest.len()))
}

fn malformed(why: &str) -> Error {
    Error::value(codes::VECTORS_NPY, format!("invalid .npy file: {why}"))
}

fn truncated(len: usize) -> Error {
    let text = format!("a .npy file is cut off after {len} bytes");
    Error::value(codes::VECTORS_TRUNCATED, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(rows: &RowTable) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_npy(rows, &mut bytes).unwrap();
        bytes
    }

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let len = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &len, header.as_bytes(), data].concat()
    }

    #[test]
    fn what_is_written_is_read_back_and_aligned() {
        let rows = RowTable::new(vec![1.0, -2.0, 3.5, 0.0, f32::MAX, 6.0], 2, 3).unwrap();
        let bytes = npy(&rows);
        assert_eq!((bytes.len() - 24) % 64, 0);
        assert!(
            bytes[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }")
        );
        let read = read_npy(&bytes).unwrap();
        assert_eq!((read.len(), read.width(), read.numbers()), (2, 3, rows.numbers()));
        for end in 0..bytes.len() {
            let code = read_npy(&bytes[..end]).unwrap_err().code();
            assert!(["vectors-npy", "vectors-truncated"].contains(&code), "{code}");
        }
    }

    #[test]
    fn columns_may_come_first_and_numbers_may_be_wide() {
        let data: Vec<u8> =
            [1.0_f64, 4.0, 2.0, 5.0, 3.0, 6.0].iter().flat_map(|n| n.to_be_bytes()).collect();
        let header = "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }\n";
        assert_eq!(
            read_npy(&file(header, &data)).unwrap().numbers(),
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        );
        let header = "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }\n";
        let keys = [7_u64.to_le_bytes(), 8_u64.to_le_bytes()].concat();
        assert_eq!(read_npy_keys(&file(header, &keys)).unwrap(), [7, 8]);
        assert_eq!(read_npy(&file(header, &keys)).unwrap_err().code(), "vectors-npy");
    }

    #[test]
    fn what_is_no_array_is_refused() {
        let header = |shape: &str| {
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n")
        };
        let huge = header("(4294967296, 4294967296)");
        assert_eq!(read_npy(&file(&huge, &[])).unwrap_err().code(), "vectors-truncated");
        assert_eq!(read_npy(&file(&header("(1, -1)"), &[])).unwrap_err().code(), "vectors-npy");
        assert_eq!(read_npy(&file(&header("(1, 1)"), &[0; 5])).unwrap_err().code(), "vectors-npy");
        assert_eq!(read_npy(&file("{}", &[])).unwrap_err().code(), "vectors-npy");
        assert_eq!(read_npy(b"PK\x03\x04").unwrap_err().code(), "vectors-npy");
        assert_eq!(read_npy(b"\x93NUMPY\x09\x00").unwrap_err().code(), "vectors-npy");
    }
}
