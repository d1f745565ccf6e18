//! The memory-mapped corpus from any bytes.
//!
//! Each is read as it is, and with the right checksums, where the footer still says what they
//! cover, so that changed contents are read at all.

use std::ops::Range;

use lexpool::vocab::OpenOptions;
use lexpool_io::corpus::Corpus;

use crate::converters::check;

pub(crate) fn run(bytes: &[u8]) {
    open(bytes);
    let mut sealed = bytes.to_vec();
    if seal(&mut sealed).is_some() && sealed != bytes {
        open(&sealed);
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    ["v1-plain.corpus", "v1-annotated.corpus", "v1-packed.corpus"].map(crate::file).to_vec()
}

fn open(file: &[u8]) {
    let opened = [Corpus::from_bytes(file), Corpus::from_bytes_with(file, &OpenOptions::new())];
    for corpus in opened.into_iter().flatten() {
        for i in 0..corpus.len().min(64) {
            if let Ok(doc) = corpus.doc(i) {
                check(&doc);
            }
            let _ = corpus.extras(i);
        }
        for batch in corpus.file_batches() {
            let _ = batch.map(arrow_array::RecordBatch::num_rows);
        }
        let _ = corpus.count_by(lexpool::structs::AttrId::LOWER, 1);
    }
}

/// Puts the checksums of a corpus of one batch right. Returns `None` if its parts are not found.
fn seal(bytes: &mut [u8]) -> Option<()> {
    let footer = find(bytes, br#"{"version":1,"#, 0)?;
    let image = find(bytes, br#""image":["#, footer)?;
    let (at, rest) = number(bytes, image)?;
    let (len, _) = number(bytes, rest + 1)?;
    let marker = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
    let end = bytes.get(..at)?.windows(8).rposition(|window| window == marker)?;
    // The message of the schema begins at byte 64; the batch is behind it.
    let schema = u32::from_le_bytes(bytes.get(68..72)?.try_into().ok()?);
    let batches = 72_usize.checked_add(usize::try_from(schema).ok()?)?;
    let batch = find(bytes, br#""batches":[["#, footer)?;
    let batch = find(bytes, br#",""#, batch)?;
    put_sum(bytes, 0..batches, find(bytes, br#""head":""#, footer)?)?;
    put_sum(bytes, batches..end, batch)?;
    let digits = find(bytes, br#""seal":""#, footer)?;
    bytes.get_mut(digits..digits + 8)?.fill(b'0');
    put_sum(bytes, at.checked_add(len)?..bytes.len(), digits)
}

/// Returns the place behind a pattern.
fn find(bytes: &[u8], pattern: &[u8], from: usize) -> Option<usize> {
    let at = bytes.get(from..)?.windows(pattern.len()).position(|window| window == pattern)?;
    Some(from + at + pattern.len())
}

/// Returns the number at a place, and the place behind it.
fn number(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let digits = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = std::str::from_utf8(&bytes[at..at + digits]).ok()?;
    Some((text.parse().ok()?, at + digits))
}

/// Writes the checksum of a range as digits.
fn put_sum(bytes: &mut [u8], range: Range<usize>, digits: usize) -> Option<()> {
    let sum = format!("{:08x}", crc32fast::hash(bytes.get(range)?));
    bytes.get_mut(digits..digits + 8)?.copy_from_slice(sum.as_bytes());
    Some(())
}
