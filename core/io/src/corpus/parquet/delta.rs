//! Scanner of delta-encoded integers (`DELTA_BINARY_PACKED` of the Parquet format).
//!
//! They begin with the size of a block, the number of miniblocks per block, the count and the first
//! number. Each block has its smallest difference, the bit widths of its miniblocks, and the
//! miniblocks.

/// Integers at the start of some bytes.
pub(super) struct Numbers {
    pub(super) count: usize,
    /// Number of bytes that they take.
    pub(super) end: usize,
}

/// Finds the end of the integers at the start of `bytes`; `None` if they are truncated or
/// inconsistent.
pub(super) fn numbers(bytes: &[u8]) -> Option<Numbers> {
    let mut rest = bytes;
    let block = usize::try_from(varint(&mut rest)?).ok()?;
    let parts = usize::try_from(varint(&mut rest)?).ok()?;
    let count = usize::try_from(varint(&mut rest)?).ok()?;
    varint(&mut rest)?;
    if parts == 0 || block == 0 || block % parts != 0 || (block / parts) % 8 != 0 {
        return None;
    }
    let in_part = block / parts;
    // The first number is in the header.
    let mut left = count.saturating_sub(1);
    while left > 0 {
        varint(&mut rest)?;
        let (widths, after) = rest.split_at_checked(parts)?;
        rest = after;
        for width in widths {
            if left == 0 {
                break;
            }
            let bytes = (in_part / 8).checked_mul(usize::from(*width))?;
            // The last miniblock may end after its last number.
            let needed = left.min(in_part).checked_mul(usize::from(*width))?.div_ceil(8);
            rest = rest.get(bytes..).or((rest.len() >= needed).then_some(&[]))?;
            left -= left.min(in_part);
        }
    }
    Some(Numbers { count, end: bytes.len() - rest.len() })
}

/// Reads an unsigned LEB128 integer.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_the_next_ones_begin() {
        // Blocks of 128 in 4 miniblocks, 3 numbers, the first 5; smallest difference 1, widths 2,
        // 0, 0, 0.
        let mut bytes = vec![0x80, 0x01, 4, 3, 10, 2, 2, 0, 0, 0];
        bytes.extend([0; 8]);
        let end = bytes.len();
        bytes.extend([1, 2, 3]);
        let numbers_read = numbers(&bytes).unwrap();
        assert_eq!((numbers_read.count, numbers_read.end), (3, end));
        assert!(numbers(&bytes[..6]).is_none());
        // A single number has no block.
        assert_eq!(numbers(&[0x80, 0x01, 4, 1, 10, 9]).unwrap().end, 5);
    }

    #[test]
    fn a_count_without_numbers_is_refused_before_room_is_made_for_it() {
        // 2^62 numbers.
        let mut bytes = vec![0x80, 0x01, 4];
        bytes.extend([0x80; 8]);
        bytes.extend([0x40, 0, 0, 0, 0, 0, 0]);
        assert!(numbers(&bytes).is_none());
        assert!(numbers(&[0, 0, 0, 0]).is_none());
        assert!(numbers(&[0xff; 20]).is_none());
    }
}
