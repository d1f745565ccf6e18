//! Conversion of NumPy's numeric types to 32-bit floats.

use crate::codes;
use crate::{Error, Result};

/// Reads an array of the type that NumPy names `descr`, such as `<f4`. Doubles and wide integers
/// are rounded to the nearest float.
pub(super) fn to_floats(descr: &str, bytes: &[u8]) -> Result<Vec<f32>> {
    macro_rules! numbers {
        ($($code:literal $type:ty),*) => {
            match descr.get(1..) {
                $(Some($code) => read::<{ size_of::<$type>() }, f32>(bytes, is_big(descr), |number| {
                    #[allow(clippy::cast_lossless, clippy::cast_precision_loss, reason = "one macro for all types")]
                    #[allow(clippy::cast_possible_truncation, reason = "doubles are rounded")]
                    { <$type>::from_le_bytes(number) as f32 }
                }),)*
                _ => Err(no_type(descr)),
            }
        };
    }
    numbers!("f4" f32, "f8" f64, "i1" i8, "i2" i16, "i4" i32, "i8" i64, "u1" u8, "u2" u16, "u4" u32, "u8" u64)
}

/// Reads an array of keys: integers of 64 bits.
pub(super) fn to_keys(descr: &str, bytes: &[u8]) -> Result<Vec<u64>> {
    match descr.get(1..) {
        Some("u8" | "i8") => read(bytes, is_big(descr), u64::from_le_bytes),
        _ => Err(no_type(descr)),
    }
}

fn is_big(descr: &str) -> bool {
    descr.starts_with('>')
}

fn read<const N: usize, T>(
    bytes: &[u8],
    big: bool,
    number: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>> {
    let numbers = bytes.chunks_exact(N);
    if !numbers.remainder().is_empty() {
        let text = format!("{} bytes are not a multiple of {N}, the size of a number", bytes.len());
        return Err(Error::value(codes::VECTORS_TRUNCATED, text));
    }
    let read = |bytes: &[u8]| {
        let mut bytes: [u8; N] = bytes.try_into().expect("a chunk of N bytes");
        if big {
            bytes.reverse();
        }
        number(bytes)
    };
    Ok(numbers.map(read).collect())
}

fn no_type(descr: &str) -> Error {
    let text = format!("cannot read vectors from an array of type '{descr}'");
    Error::value(codes::VECTORS_TYPE, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_each_type_and_byte_order_are_read() {
        let half = |bytes: [u8; 4]| bytes.to_vec();
        assert_eq!(to_floats("<f4", &half(1.5_f32.to_le_bytes())).unwrap(), [1.5]);
        assert_eq!(to_floats(">f4", &half(1.5_f32.to_be_bytes())).unwrap(), [1.5]);
        assert_eq!(to_floats("<f8", &0.1_f64.to_le_bytes()).unwrap(), [0.1]);
        assert_eq!(to_floats("|i1", &[255, 1]).unwrap(), [-1.0, 1.0]);
        assert_eq!(to_floats(">u2", &[1, 0]).unwrap(), [256.0]);
        assert_eq!(to_keys("<u8", &u64::MAX.to_le_bytes()).unwrap(), [u64::MAX]);
        assert_eq!(to_floats("<f4", &[0; 5]).unwrap_err().code(), "vectors-truncated");
        for descr in ["", "f", "<f3", "|O", "\u{e9}\u{e9}", "<c8"] {
            assert_eq!(to_floats(descr, &[0; 8]).unwrap_err().code(), "vectors-type");
        }
    }
}
