//! Reader of the pages of a column: decompresses them, and validates counts that determine
//! allocations.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::serialized_reader::SerializedPageReader;
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::delta;
use super::page_sizes::PageSizeFile;

/// Reader of the pages of a column of byte strings in one row group.
///
/// Pages compressed with brotli, gzip or zstd are presented to the `parquet` crate as uncompressed
/// and decompressed here: for zstd it would need a C compiler, and it decompresses the other two
/// without regard to the announced size.
pub(super) struct Pages {
    reader: SerializedPageReader<PageSizeFile>,
    file: Arc<PageSizeFile>,
    codec: Option<Codec>,
    /// Set if values may be null.
    has_levels: bool,
}

impl Pages {
    pub(super) fn open(
        file: Arc<File>,
        size: u64,
        chunk: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Pages> {
        let offsets = [Some(chunk.data_page_offset()), chunk.dictionary_page_offset()];
        let numbers = offsets.into_iter().flatten().chain([chunk.compressed_size()]);
        if let Some(number) = numbers.min().filter(|number| *number < 0) {
            return Err(general(format!("a column has the negative offset or size {number}")));
        }
        let (start, len) = chunk.byte_range();
        if start.checked_add(len).is_none_or(|end| end > size) {
            let text =
                format!("a column of {len} bytes at {start} exceeds the file of {size} bytes");
            return Err(general(text));
        }
        let mut chunk = chunk.clone();
        let codec = match chunk.compression() {
            Compression::ZSTD(_) => Some(Codec::Zstd),
            Compression::GZIP(_) => Some(Codec::Gzip),
            Compression::BROTLI(_) => Some(Codec::Brotli),
            Compression::LZO => {
                let text = "LZO compression is not supported; write the file with snappy, gzip, \
                            brotli, lz4 or zstd";
                return Err(general(text));
            }
            _ => None,
        };
        if codec.is_some() {
            chunk = chunk.into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        }
        let file = Arc::new(PageSizeFile::new(file));
        let has_levels = chunk.column_descr().max_def_level() > 0;
        let reader = SerializedPageReader::new(Arc::clone(&file), &chunk, rows, None)?;
        Ok(Pages { reader, file, codec, has_levels })
    }

    /// Decompresses a page, and checks its counts: readers allocate for the announced count first.
    fn validated(&self, page: Page) -> Result<Page> {
        let page = match self.codec {
            Some(codec) => codec.uncompressed(page, self.file.page_len()?)?,
            None => page,
        };
        let count = page.num_values() as usize;
        let is_valid = match (&page, page.encoding()) {
            (Page::DictionaryPage { buf, .. }, _) => {
                count_strings(buf).is_some_and(|held| held >= count)
            }
            (_, Encoding::PLAIN) => {
                let strings = self.values_of(&page).and_then(count_strings);
                strings.is_some_and(|strings| self.has_levels || strings >= count)
            }
            (_, Encoding::DELTA_LENGTH_BYTE_ARRAY) => self
                .values_of(&page)
                .and_then(delta::numbers)
                .is_some_and(|numbers| numbers.count <= count.min(MAX_NUMBERS)),
            // Lengths of the prefixes shared with the string before, then lengths of the suffixes.
            (_, Encoding::DELTA_BYTE_ARRAY) => self.values_of(&page).is_some_and(|values| {
                let shared = delta::numbers(values);
                let rest = shared.as_ref().and_then(|shared| delta::numbers(&values[shared.end..]));
                [shared, rest].iter().all(|numbers| {
                    numbers.as_ref().is_some_and(|numbers| numbers.count <= count.min(MAX_NUMBERS))
                })
            }),
            _ => true,
        };
        if is_valid {
            return Ok(page);
        }
        Err(general(format!("a page that announces {count} values has another number of them")))
    }

    /// Returns the part of a page after its levels.
    fn values_of<'a>(&self, page: &'a Page) -> Option<&'a [u8]> {
        let (buf, levels) = match page {
            Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
            }
            Page::DataPage { buf, .. } if !self.has_levels => (buf, 0),
            Page::DataPage { buf, num_values, def_level_encoding, .. } => {
                let levels = if *def_level_encoding == Encoding::RLE {
                    let len = buf.first_chunk::<LENGTH>()?;
                    (u32::from_le_bytes(*len) as usize).checked_add(LENGTH)?
                } else {
                    // BIT_PACKED: one bit per value.
                    (*num_values as usize).div_ceil(8)
                };
                (buf, levels)
            }
        };
        buf.get(levels..)
    }
}

/// Bytes of the length before a string, and before levels.
const LENGTH: usize = 4;
/// Limit of the numbers in a page of lengths, which are read at once. Writers stay far below it.
const MAX_NUMBERS: usize = 1 << 26;

fn general(text: impl Into<String>) -> ParquetError {
    ParquetError::General(text.into())
}

/// Counts length-prefixed strings; `None` if they do not fill the bytes exactly.
fn count_strings(mut bytes: &[u8]) -> Option<usize> {
    let mut count = 0;
    while !bytes.is_empty() {
        let (len, rest) = bytes.split_first_chunk::<LENGTH>()?;
        bytes = rest.get(u32::from_le_bytes(*len) as usize..)?;
        count += 1;
    }
    Some(count)
}

/// Buffer size of the brotli decoder.
const BLOCK: usize = 1 << 12;

/// Compression handled here.
#[derive(Clone, Copy)]
enum Codec {
    Brotli,
    Gzip,
    Zstd,
}

impl Codec {
    /// Decompresses a page to the size that it announces.
    fn uncompressed(self, mut page: Page, len: usize) -> Result<Page> {
        let (buf, levels) = match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                // Levels are never compressed.
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                if levels > buf.len() {
                    return Err(general("the levels of a page are longer than the page"));
                }
                if !std::mem::take(is_compressed) || levels == buf.len() {
                    return Ok(page);
                }
                (buf, levels)
            }
        };
        *buf = self.decoded(&buf[..levels], &buf[levels..], len)?.into();
        Ok(page)
    }

    /// Returns `head` followed by the decompressed frames, `len` bytes in all. Never allocates for
    /// more than one byte above.
    fn decoded(self, head: &[u8], mut frames: &[u8], len: usize) -> Result<Vec<u8>> {
        let mut out = head.to_vec();
        while !frames.is_empty() && out.len() <= len {
            let room = (len - out.len()) as u64 + 1;
            match self {
                Codec::Brotli => {
                    let decoder =
                        brotli_decompressor::Decompressor::new(std::mem::take(&mut frames), BLOCK);
                    let read = decoder.take(room).read_to_end(&mut out);
                    read.map_err(|error| general(format!("brotli: {error}")))?;
                }
                Codec::Gzip => {
                    let decoder = MultiGzDecoder::new(std::mem::take(&mut frames));
                    let read = decoder.take(room).read_to_end(&mut out);
                    read.map_err(|error| general(format!("gzip: {error}")))?;
                }
                Codec::Zstd => {
                    let wrong = |error: &dyn std::fmt::Display| general(format!("zstd: {error}"));
                    let decoder =
                        StreamingDecoder::new(&mut frames).map_err(|error| wrong(&error))?;
                    let read = decoder.take(room).read_to_end(&mut out);
                    read.map_err(|error| wrong(&error))?;
                }
            }
        }
        if out.len() != len {
            let order = if out.len() > len { "more" } else { "fewer" };
            return Err(general(format!("a page that announces {len} bytes has {order}")));
        }
        Ok(out)
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.reader.get_next_page()?.map(|page| self.validated(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.reader.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.reader.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const CONTENT: [u8; 5000] = [b'a'; 5000];
    /// The content in brotli, of which no encoder is a dependency.
    const BROTLI: [u8; 13] = [27, 135, 19, 0, 36, 194, 226, 177, 64, 130, 22, 0, 0];

    #[test]
    fn each_codec_gives_exactly_the_bytes_that_the_page_announces() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&CONTENT).unwrap();
        let gzip = gzip.finish().unwrap();
        let zstd = compress_to_vec(&CONTENT[..], CompressionLevel::Fastest);
        for (codec, frames) in
            [(Codec::Brotli, &BROTLI[..]), (Codec::Gzip, &gzip), (Codec::Zstd, &zstd)]
        {
            let decoded = |len| codec.decoded(b"levels", frames, len);
            assert_eq!(decoded(5006).unwrap(), [&b"levels"[..], &CONTENT].concat());
            for (len, order) in [(6, "more"), (5005, "more"), (5007, "fewer")] {
                let error = decoded(len).unwrap_err().to_string();
                assert!(error.ends_with(&format!("announces {len} bytes has {order}")), "{error}");
            }
            for end in 1..frames.len() {
                assert!(codec.decoded(b"", &frames[..end], 5000).is_err(), "cut off at {end}");
            }
            assert!(codec.decoded(b"", b"no such frame", 5000).is_err());
        }
    }

    #[test]
    fn frames_of_zstd_hold_together_what_the_page_announces() {
        let frame = compress_to_vec(&CONTENT[..], CompressionLevel::Fastest);
        let frames = frame.repeat(2);
        let decoded = |len| Codec::Zstd.decoded(b"levels", &frames, len);
        assert_eq!(decoded(10_006).unwrap().len(), 10_006);
        for (len, expected) in
            [(3, "more"), (6, "more"), (5006, "more"), (10_005, "more"), (10_007, "fewer")]
        {
            let error = decoded(len).unwrap_err().to_string();
            assert!(error.ends_with(&format!("announces {len} bytes has {expected}")), "{error}");
        }
    }
}
