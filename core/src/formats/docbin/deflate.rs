//! A zlib stream put together from columns that were compressed piece by piece, on many threads.
//!
//! Deflate allows it: a compressor that is flushed ends on a whole byte and leaves the stream open,
//! so what other compressors made may follow. Only the checksum runs over the whole; that of two
//! stretches can be had from theirs.

use std::io::{self, Write};

use crc32fast::Hasher as Crc;
use flate2::{Compress, Compression, FlushCompress};

use super::row_deflate;
use crate::formats::rows::to_le;
use crate::formats::zlib::pad;

/// The fastest level but one. The next levels win a tenth in size at half the speed.
const LEVEL: Compression = Compression::new(2);

/// Some bytes, compressed so that others may follow.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    deflated: Vec<u8>,
    len: u64,
    sum: Adler,
    crc: Crc,
}

impl Segment {
    pub(crate) fn new(bytes: &[u8]) -> Segment {
        Segment::of(bytes, deflate(bytes))
    }

    /// Rows of `width` numbers, as little-endian bytes.
    pub(super) fn of_rows(numbers: &[u64], width: usize) -> Segment {
        let bytes = to_le(numbers);
        // For few numbers, codes of their own would be longer than what they save.
        if numbers.len() < 1 << 10 {
            return Segment::new(&bytes);
        }
        Segment::of(&bytes, row_deflate::deflate(numbers, width))
    }

    fn of(bytes: &[u8], deflated: Vec<u8>) -> Segment {
        let mut crc = Crc::new();
        crc.update(bytes);
        Segment { deflated, len: bytes.len() as u64, sum: Adler::of(bytes), crc }
    }
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if bytes.is_empty() {
        return out;
    }
    let mut compress = Compress::new(LEVEL, false);
    loop {
        let done = usize::try_from(compress.total_in()).expect("no more than was given");
        out.reserve((bytes.len() - done) / 4 + 1024);
        compress
            .compress_vec(&bytes[done..], &mut out, FlushCompress::Sync)
            .expect("a compressor that was not finished takes any bytes");
        // The flush is over when it left room; until then it has to be asked for again.
        if out.len() < out.capacity() {
            return out;
        }
    }
}

/// Segments of one column, in order.
#[derive(Debug, Default)]
pub(crate) struct Column {
    segments: Vec<Vec<u8>>,
    len: u64,
    sum: Adler,
    crc: Crc,
}

impl Column {
    pub(crate) fn push(&mut self, segment: Segment) {
        self.len += segment.len;
        self.crc.combine(&segment.crc);
        self.sum = self.sum.then(segment.sum, segment.len);
        if !segment.deflated.is_empty() {
            self.segments.push(segment.deflated);
        }
    }

    /// Returns the number of bytes, uncompressed.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }
}

/// A zlib stream being written.
pub(super) struct Zlib<W> {
    out: W,
    /// The number of bytes, uncompressed.
    len: u64,
    /// The number of bytes of the stream that are written.
    written: u64,
    sum: Adler,
    crc: Crc,
}

impl<W: Write> Zlib<W> {
    pub(super) fn new(mut out: W) -> io::Result<Zlib<W>> {
        // Deflate with a window of 32 KiB; made by a fast compressor.
        let head = [0x78, 0x5e];
        out.write_all(&head)?;
        let written = head.len() as u64;
        Ok(Zlib { out, len: 0, written, sum: Adler::default(), crc: Crc::new() })
    }

    pub(super) fn column(&mut self, column: &Column) -> io::Result<()> {
        self.sum = self.sum.then(column.sum, column.len);
        self.crc.combine(&column.crc);
        self.len += column.len;
        column.segments.iter().try_for_each(|segment| self.deflated(segment))
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let segment = Segment::new(bytes);
        self.sum = self.sum.then(segment.sum, segment.len);
        self.crc.combine(&segment.crc);
        self.len += segment.len;
        self.deflated(&segment.deflated)
    }

    fn deflated(&mut self, blocks: &[u8]) -> io::Result<()> {
        self.written += blocks.len() as u64;
        self.out.write_all(blocks)
    }

    /// The CRC-32 of all bytes so far.
    pub(super) fn crc(&self) -> u32 {
        self.crc.clone().finalize()
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        pad(&mut self.out, self.len, self.written)?;
        // A last block without content.
        self.out.write_all(&[0x03, 0x00])?;
        self.out.write_all(&self.sum.to_be_bytes())?;
        Ok(self.out)
    }
}

/// The checksum Adler-32: a sum of the bytes, and a sum of those sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Adler {
    bytes: u32,
    sums: u32,
}

impl Adler {
    const MODULUS: u32 = 65_521;
    /// So many bytes can be added before a sum has to be reduced.
    const STRIDE: usize = 5_552;

    fn of(bytes: &[u8]) -> Adler {
        let mut sum = Adler::default();
        for stride in bytes.chunks(Adler::STRIDE) {
            let mut lanes = stride.chunks_exact(16);
            for lane in &mut lanes {
                // The k-th byte of the lane is in the sums of the 16 - k steps from it on.
                sum.sums += 16 * sum.bytes;
                sum.sums +=
                    lane.iter().zip((1..=16).rev()).map(|(b, n)| u32::from(*b) * n).sum::<u32>();
                sum.bytes += lane.iter().map(|byte| u32::from(*byte)).sum::<u32>();
            }
            for &byte in lanes.remainder() {
                sum.bytes += u32::from(byte);
                sum.sums += sum.bytes;
            }
            sum.bytes %= Adler::MODULUS;
            sum.sums %= Adler::MODULUS;
        }
        sum
    }

    /// The checksum of a stretch followed by another of `len` bytes.
    fn then(self, next: Adler, len: u64) -> Adler {
        let modulus = u64::from(Adler::MODULUS);
        // Each sum of the second stretch began from 1 and has to begin from `self.bytes`.
        let ahead = u64::from(self.bytes) + modulus - 1;
        let bytes = (u64::from(next.bytes) + ahead) % modulus;
        let sums = u64::from(self.sums) + u64::from(next.sums) + len % modulus * (ahead % modulus);
        let small = |sum: u64| u32::try_from(sum % modulus).expect("smaller than the modulus");
        Adler { bytes: small(bytes), sums: small(sums) }
    }

    fn to_be_bytes(self) -> [u8; 4] {
        (self.sums << 16 | self.bytes).to_be_bytes()
    }
}

impl Default for Adler {
    fn default() -> Adler {
        Adler { bytes: 1, sums: 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // The example that is printed everywhere.
        assert_eq!(Adler::of(b"Wikipedia").to_be_bytes(), [0x11, 0xe6, 0x03, 0x98]);
        assert_eq!(Adler::of(b"").to_be_bytes(), [0, 0, 0, 1]);
        let long = vec![0xff; 100_000];
        let (left, right) = long.split_at(70_001);
        assert_eq!(Adler::of(left).then(Adler::of(right), right.len() as u64), Adler::of(&long));
    }

    #[test]
    fn segments_of_any_length_end_on_a_whole_block() {
        // Lengths at which the compressor's own buffers fill up are among these.
        let noise: Vec<u8> =
            (0..400_000_u32).map(|i| (i.wrapping_mul(i) >> 7).to_le_bytes()[0]).collect();
        for len in (1..400_000).step_by(7_919) {
            let mut zlib = Zlib::new(Vec::new()).unwrap();
            zlib.bytes(&noise[..len]).unwrap();
            zlib.bytes(b"end").unwrap();
            let mut read = Vec::new();
            ZlibDecoder::new(&*zlib.finish().unwrap()).read_to_end(&mut read).unwrap();
            assert!(read.ends_with(b"end") && read.len() == len + 3);
        }
    }

    proptest! {
        #[test]
        fn what_was_put_together_comes_out_in_order(
            pieces in prop::collection::vec(prop::collection::vec(0..5_u8, 0..600), 0..8),
            between in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let mut column = Column::default();
            for piece in &pieces {
                column.push(Segment::new(piece));
            }
            let mut zlib = Zlib::new(Vec::new()).unwrap();
            zlib.bytes(&between).unwrap();
            zlib.column(&column).unwrap();
            zlib.bytes(&between).unwrap();
            let stream = zlib.finish().unwrap();
            let mut read = Vec::new();
            // The decoder checks the sum.
            ZlibDecoder::new(&*stream).read_to_end(&mut read).unwrap();
            let expected = [between.clone(), pieces.concat(), between].concat();
            prop_assert_eq!(column.len(), pieces.concat().len() as u64);
            prop_assert_eq!(read, expected);
        }
    }
}
