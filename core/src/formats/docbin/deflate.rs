//! A zlib stream assembled from columns that were compressed in pieces, on several threads.
//!
//! A deflate compressor that is flushed (`Z_SYNC_FLUSH`) ends on a whole byte and leaves the stream
//! open, so the output of another compressor can follow. Only the checksums cover the whole stream,
//! and both Adler-32 and CRC-32 can be combined from those of the pieces.

use std::io::{self, Write};

use crc32fast::Hasher as Crc;
use flate2::{Compress, Compression, FlushCompress};

use super::row_deflate;
use crate::formats::attr_rows::to_le;
use crate::formats::zlib::pad;

/// The level of zlib, and of spaCy's files. What is compressed so is small beside the rows of
/// tokens, for which there is [`row_deflate`].
const LEVEL: Compression = Compression::new(6);

/// Compressed bytes that end on a whole byte, so that other pieces can follow.
#[derive(Debug, Default)]
pub struct DeflatedPiece {
    deflated: Vec<u8>,
    len: u64,
    sum: Adler32,
    crc: Crc,
}

impl DeflatedPiece {
    pub(crate) fn new(bytes: &[u8]) -> DeflatedPiece {
        DeflatedPiece::of(bytes, deflate(bytes))
    }

    /// Compresses rows of `width` numbers, as little-endian bytes.
    pub(super) fn of_rows(numbers: &[u64], width: usize) -> DeflatedPiece {
        let bytes = to_le(numbers);
        // For few numbers, dynamic Huffman codes would cost more than they save.
        if numbers.len() < 1 << 10 {
            return DeflatedPiece::new(&bytes);
        }
        DeflatedPiece::of(&bytes, row_deflate::deflate(numbers, width))
    }

    fn of(bytes: &[u8], deflated: Vec<u8>) -> DeflatedPiece {
        let mut crc = Crc::new();
        crc.update(bytes);
        DeflatedPiece { deflated, len: bytes.len() as u64, sum: Adler32::of(bytes), crc }
    }
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if bytes.is_empty() {
        return out;
    }
    let mut compress = Compress::new(LEVEL, false);
    loop {
        let done = usize::try_from(compress.total_in()).expect("at most the length of the bytes");
        out.reserve((bytes.len() - done) / 4 + 1024);
        compress
            .compress_vec(&bytes[done..], &mut out, FlushCompress::Sync)
            .expect("a compressor that is not finished accepts all bytes");
        // The flush is complete if space is left in `out`; otherwise it must be repeated.
        if out.len() < out.capacity() {
            return out;
        }
    }
}

/// The pieces of one column, in order.
#[derive(Debug, Default)]
pub struct DeflatedColumn {
    pieces: Vec<Vec<u8>>,
    len: u64,
    sum: Adler32,
    crc: Crc,
}

impl DeflatedColumn {
    pub(crate) fn push(&mut self, piece: DeflatedPiece) {
        self.len += piece.len;
        self.crc.combine(&piece.crc);
        self.sum = self.sum.then(piece.sum, piece.len);
        if !piece.deflated.is_empty() {
            self.pieces.push(piece.deflated);
        }
    }

    /// Returns the number of bytes, uncompressed.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }
}

/// Writer of a zlib stream.
pub(super) struct ZlibWriter<W> {
    out: W,
    /// Number of bytes before compression.
    len: u64,
    /// Number of bytes of the stream written.
    written: u64,
    sum: Adler32,
    crc: Crc,
}

impl<W: Write> ZlibWriter<W> {
    pub(super) fn new(mut out: W) -> io::Result<ZlibWriter<W>> {
        // Deflate, window of 32 KiB, fast compression (RFC 1950, 2.2).
        let head = [0x78, 0x5e];
        out.write_all(&head)?;
        let written = head.len() as u64;
        Ok(ZlibWriter { out, len: 0, written, sum: Adler32::default(), crc: Crc::new() })
    }

    pub(super) fn column(&mut self, column: &DeflatedColumn) -> io::Result<()> {
        self.sum = self.sum.then(column.sum, column.len);
        self.crc.combine(&column.crc);
        self.len += column.len;
        column.pieces.iter().try_for_each(|piece| self.deflated(piece))
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let piece = DeflatedPiece::new(bytes);
        self.sum = self.sum.then(piece.sum, piece.len);
        self.crc.combine(&piece.crc);
        self.len += piece.len;
        self.deflated(&piece.deflated)
    }

    fn deflated(&mut self, blocks: &[u8]) -> io::Result<()> {
        self.written += blocks.len() as u64;
        self.out.write_all(blocks)
    }

    /// Returns the CRC-32 of all bytes so far, before compression.
    pub(super) fn crc(&self) -> u32 {
        self.crc.clone().finalize()
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        pad(&mut self.out, self.len, self.written)?;
        // An empty last block.
        self.out.write_all(&[0x03, 0x00])?;
        self.out.write_all(&self.sum.to_be_bytes())?;
        Ok(self.out)
    }
}

/// Adler-32 checksum (RFC 1950, 8.2): the sum of the bytes, and the sum of those sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Adler32 {
    bytes: u32,
    sums: u32,
}

impl Adler32 {
    const MODULUS: u32 = 65_521;
    /// Number of bytes that can be added before a sum must be reduced.
    const STRIDE: usize = 5_552;

    fn of(bytes: &[u8]) -> Adler32 {
        let mut sum = Adler32::default();
        for stride in bytes.chunks(Adler32::STRIDE) {
            let mut lanes = stride.chunks_exact(16);
            for lane in &mut lanes {
                // The k-th byte of the lane is counted in 16 - k sums of the lane.
                sum.sums += 16 * sum.bytes;
                sum.sums +=
                    lane.iter().zip((1..=16).rev()).map(|(b, n)| u32::from(*b) * n).sum::<u32>();
                sum.bytes += lane.iter().map(|byte| u32::from(*byte)).sum::<u32>();
            }
            for &byte in lanes.remainder() {
                sum.bytes += u32::from(byte);
                sum.sums += sum.bytes;
            }
            sum.bytes %= Adler32::MODULUS;
            sum.sums %= Adler32::MODULUS;
        }
        sum
    }

    /// Combines the checksum with that of the following `len` bytes.
    fn then(self, next: Adler32, len: u64) -> Adler32 {
        let modulus = u64::from(Adler32::MODULUS);
        // The sums of the second piece started from 1; they must start from `self.bytes`.
        let ahead = u64::from(self.bytes) + modulus - 1;
        let bytes = (u64::from(next.bytes) + ahead) % modulus;
        let sums = u64::from(self.sums) + u64::from(next.sums) + len % modulus * (ahead % modulus);
        let reduced = |sum: u64| u32::try_from(sum % modulus).expect("smaller than the modulus");
        Adler32 { bytes: reduced(bytes), sums: reduced(sums) }
    }

    fn to_be_bytes(self) -> [u8; 4] {
        (self.sums << 16 | self.bytes).to_be_bytes()
    }
}

impl Default for Adler32 {
    fn default() -> Adler32 {
        Adler32 { bytes: 1, sums: 0 }
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
        // The example of the Wikipedia article.
        assert_eq!(Adler32::of(b"Wikipedia").to_be_bytes(), [0x11, 0xe6, 0x03, 0x98]);
        assert_eq!(Adler32::of(b"").to_be_bytes(), [0, 0, 0, 1]);
        let long = vec![0xff; 100_000];
        let (left, right) = long.split_at(70_001);
        assert_eq!(
            Adler32::of(left).then(Adler32::of(right), right.len() as u64),
            Adler32::of(&long)
        );
    }

    #[test]
    fn pieces_of_any_length_end_on_a_whole_block() {
        // Some of these lengths fill the compressor's internal buffers exactly.
        let noise: Vec<u8> =
            (0..400_000_u32).map(|i| (i.wrapping_mul(i) >> 7).to_le_bytes()[0]).collect();
        for len in (1..400_000).step_by(7_919) {
            let mut zlib = ZlibWriter::new(Vec::new()).unwrap();
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
            let mut column = DeflatedColumn::default();
            for piece in &pieces {
                column.push(DeflatedPiece::new(piece));
            }
            let mut zlib = ZlibWriter::new(Vec::new()).unwrap();
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
