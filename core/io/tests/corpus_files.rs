//! Corpora on disk as others leave them: reference files of this version, cut, with single bits
//! flipped, and changed on purpose with all checksums put right again.
//!
//! Holds unsafe code: the allocator counts what it is asked for.
//!
//! `LEXPOOL_FULL=1` makes the long forms: each bit of each file, a million changes. The reference
//! files lie in `tests/files`; `cargo test -p lexpool --all-features --test corpus_files --
//! --ignored` writes those that are missing.
#![cfg(feature = "arrow")]
#![expect(clippy::disallowed_methods, reason = "files are made to be broken")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell as Count;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lexpool::formats::DocExtras;
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Annotations, Doc};
use lexpool::vocab::OpenOptions;
use lexpool_io::corpus::{Cell, Column, Corpus, CorpusWriter, MappedWriter, Piece, WriteOptions};

/// The system's allocator, which counts what each thread has in use, and had at most.
struct Counting;

thread_local! {
    static NOW: Count<isize> = const { Count::new(0) };
    static MOST: Count<isize> = const { Count::new(0) };
}

fn count(size: usize, grows: bool) {
    let size = isize::try_from(size).unwrap_or(isize::MAX);
    // A thread that ends has nowhere to count.
    let _ = NOW.try_with(|now| {
        now.set(if grows { now.get() + size } else { now.get() - size });
        MOST.try_with(|most| most.set(most.get().max(now.get())))
    });
}

// SAFETY: all of it is the system's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), true);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(layout.size(), false);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TEXTS: [&str; 4] =
    ["Let's go to N.Y., caf\u{e9}!", "", "  I can't. \u{1f600} x", "so it goes"];

const NAMES: [&str; 3] = ["plain", "annotated", "packed"];

fn full() -> bool {
    std::env::var_os("LEXPOOL_FULL").is_some()
}

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files");
    folder.join(format!("v1-{name}.corpus"))
}

fn reference(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap()
}

fn make(name: &str) -> Vec<u8> {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut docs: Vec<Doc> = TEXTS.iter().map(|text| tokenizer.tokenize(text).unwrap()).collect();
    let column =
        Column::of("source", &["a", "b", "c", "d"].map(|it| Cell::Str(it.into()))).unwrap();
    let mut options = WriteOptions { compressed: name == "packed", ..WriteOptions::default() };
    let mut carried = vec![DocExtras::default(); docs.len()];
    let mut columns = Vec::new();
    if name != "plain" {
        annotate(&mut docs[3]);
        // {"POSITIVE": 0.5} and {"key": 1}, as msgpack has them.
        carried[0].cats = b"\x81\xa8POSITIVE\xcb\x3f\xe0\0\0\0\0\0\0"[..].into();
        carried[2].user_data = Some(b"\x81\xa3key\x01"[..].into());
        options.columns.push(Arc::clone(column.field()));
        columns.push(column.values(0, docs.len()).unwrap());
    }
    let mut writer = MappedWriter::with_options(Vec::new(), tokenizer.vocab(), &options).unwrap();
    let piece = Piece::of(docs.iter().zip(carried)).unwrap().with_columns(columns).unwrap();
    writer.write(piece).unwrap();
    writer.finish().unwrap()
}

fn annotate(doc: &mut Doc) {
    let morph = doc.vocab().morphology().add("Number=Sing").unwrap().get();
    let text = |words: [&str; 3]| Some(words.map(|word| Some(word.to_owned())).to_vec());
    doc.annotate(&Annotations {
        tags: Some(["RB", "PRP", "VBZ"].map(str::to_owned).to_vec()),
        lemmas: Some(["so", "it", "go"].map(str::to_owned).to_vec()),
        morphs: Some(vec![0, morph, 0]),
        heads: Some(vec![Some(2); 3]),
        deps: text(["advmod", "nsubj", "ROOT"]),
        ents: text(["O", "B-THING", "O"]),
        ..Annotations::default()
    })
    .unwrap();
}

/// All that documents say, as text.
fn contents(corpus: &Corpus) -> lexpool::Result<String> {
    const ATTRS: [AttrId; 12] = [
        AttrId::ORTH,
        AttrId::LOWER,
        AttrId::NORM,
        AttrId::SHAPE,
        AttrId::TAG,
        AttrId::LEMMA,
        AttrId::MORPH,
        AttrId::DEP,
        AttrId::HEAD,
        AttrId::ENT_TYPE,
        AttrId::ENT_IOB,
        AttrId::SENT_START,
    ];
    let mut out = String::new();
    for i in 0..corpus.len() {
        let doc = corpus.doc(i)?;
        let words: Vec<_> =
            doc.iter().map(|token| token.text_of(AttrId::LOWER).to_owned()).collect();
        let (text, extras) = (doc.text(), corpus.extras(i)?);
        writeln!(out, "{text:?} {words:?} {:?} {extras:?}", doc.attrs().to_array(&ATTRS)).unwrap();
        for token in doc.iter() {
            let children = token.children().count();
            let subtree = token.subtree().len();
            let ancestors = token.ancestors().take(doc.len()).count();
            write!(out, "{children} {subtree} {ancestors} ").unwrap();
        }
        writeln!(out, "{}", doc.entities().spans().map_or(0, |ents| ents.len())).unwrap();
    }
    for batch in corpus.file_batches() {
        let batch = batch?;
        writeln!(out, "{:?}", batch.column_by_name("source")).unwrap();
    }
    writeln!(out, "{:?}", corpus.count_by(AttrId::LOWER, 1)?).unwrap();
    Ok(out)
}

#[test]
#[ignore = "writes the reference files that are missing"]
fn write_reference_files() {
    for name in NAMES.iter().filter(|name| !path(name).exists()) {
        fs::write(path(name), make(name)).unwrap();
    }
}

#[test]
fn reference_files_hold_what_was_written() {
    for name in NAMES {
        let corpus = Corpus::from_bytes(reference(name)).unwrap();
        let now = Corpus::from_bytes(make(name)).unwrap();
        assert_eq!(contents(&corpus).unwrap(), contents(&now).unwrap(), "{name}");
        assert_eq!(corpus.doc(0).unwrap().text(), TEXTS[0]);
    }
}

#[test]
fn a_file_that_was_cut_is_refused() {
    for name in NAMES {
        let whole = reference(name);
        for len in 0..whole.len() {
            assert!(Corpus::from_bytes(&whole[..len]).is_err(), "{name} cut to {len}");
        }
    }
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    for name in NAMES {
        let whole = reference(name);
        let expected = contents(&Corpus::from_bytes(&whole).unwrap()).unwrap();
        let mut random = Random(7);
        for at in 0..whole.len() {
            let bits = if full() {
                0..8
            } else {
                let bit = random.below(8);
                bit..bit + 1
            };
            for bit in bits {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                if let Ok(corpus) = Corpus::from_bytes(&bytes) {
                    assert_eq!(contents(&corpus).unwrap(), expected, "{name}: bit {bit} of {at}");
                }
            }
        }
    }
}

/// Bytes with every checksum of the corpus put right; the lexicon's own are for its own tests.
struct Sealed {
    bytes: Vec<u8>,
    /// Before the first batch; each batch; behind the lexicon. And where the digits are.
    parts: Vec<(std::ops::Range<usize>, usize)>,
    lexicon: std::ops::Range<usize>,
}

impl Sealed {
    fn of(bytes: Vec<u8>) -> Sealed {
        let json = find(&bytes, br#"{"version":1,"#);
        let after =
            |pattern: &[u8], from: usize| from + find(&bytes[from..], pattern) + pattern.len();
        let image = after(br#""image":["#, json);
        let number = |at: usize| {
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
            digits.fold(0, |number, digit| 10 * number + usize::from(digit - b'0'))
        };
        let (at, len) = (number(image), number(after(b",", image)));
        let marker = [&[0xff; 4][..], &[0; 4]].concat();
        let end = (0..at).rev().find(|i| bytes[*i..].starts_with(&marker)).unwrap();
        // One batch: behind the schema's message, which begins at 64.
        let schema = u32::from_le_bytes(bytes[68..72].try_into().unwrap()) as usize;
        let first = 72 + schema;
        let batch = after(br#""batches":[["#, json);
        let batch = after(b",\"", batch);
        let parts = vec![
            (0..first, after(br#""head":""#, json)),
            (first..end, batch),
            (at + len..bytes.len(), after(br#""seal":""#, json)),
        ];
        Sealed { parts, lexicon: at..at + len, bytes }
    }

    fn with(&self, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        change(&mut bytes);
        let (last, others) = self.parts.split_last().unwrap();
        for (range, digits) in others {
            let sum = format!("{:08x}", crc32(&bytes[range.clone()]));
            bytes[*digits..digits + 8].copy_from_slice(sum.as_bytes());
        }
        bytes[last.1..last.1 + 8].copy_from_slice(b"00000000");
        let sum = format!("{:08x}", crc32(&bytes[last.0.clone()]));
        bytes[last.1..last.1 + 8].copy_from_slice(sum.as_bytes());
        bytes
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> usize {
    bytes.windows(pattern.len()).position(|window| window == pattern).unwrap()
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
    })
}

/// Numbers by chance, the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }
}

#[test]
fn sealed_files_are_taken_as_whole() {
    for name in NAMES {
        let sealed = Sealed::of(reference(name));
        assert_eq!(sealed.with(|_| {}), sealed.bytes, "{name}");
    }
}

#[test]
fn whatever_a_file_says_reading_it_ends_and_takes_little_memory() {
    let changes = if full() { 1_000_000 / NAMES.len() } else { 3_000 };
    for name in NAMES {
        let sealed = Sealed::of(reference(name));
        let most = |bytes: &[u8]| {
            let before = NOW.get();
            MOST.set(before);
            let corpus = Corpus::from_bytes(bytes)
                .or_else(|_| Corpus::from_bytes_with(bytes, &OpenOptions::new()));
            let is_read = corpus.is_ok_and(|corpus| contents(&corpus).is_ok());
            (MOST.get() - before, is_read)
        };
        let usual = most(&sealed.bytes).0;
        let allowed = usual + 4 * isize::try_from(sealed.bytes.len()).unwrap();
        let mut random = Random(11);
        let mut read = 0;
        for i in 0..changes {
            let bytes = sealed.with(|bytes| mutate(bytes, &sealed.lexicon, &mut random));
            let (used, is_read) = most(&bytes);
            read += usize::from(is_read);
            // A frame of LZ4, or a zlib stream, may stand for many more bytes than it has.
            assert!(used <= allowed || name == "packed", "{name}: change {i} took {used} bytes");
        }
        assert!(read > 0 && read < changes, "{name}: {read} of {changes} could be read");
    }
}

/// Changes numbers, copies parts over others, or clears them, outside of the lexicon mostly.
fn mutate(bytes: &mut [u8], lexicon: &std::ops::Range<usize>, random: &mut Random) {
    const VALUES: [u64; 12] =
        [0, 1, 2, 7, 8, 64, 255, 0x7fff, 0x7fff_ffff, 0xffff_ffff, u64::MAX, 1 << 63];
    for _ in 0..=random.below(3) {
        let mut at = random.below(bytes.len());
        if lexicon.contains(&at) && random.below(8) > 0 {
            at = (at + lexicon.len()) % bytes.len();
        }
        let width = [1, 2, 4, 8][random.below(4)];
        let at = at / width * width;
        let Some(place) = bytes.get_mut(at..at + width) else { continue };
        let mut number = [0; 8];
        number[..width].copy_from_slice(place);
        let before = u64::from_le_bytes(number);
        let after = match random.below(5) {
            0 => before ^ 1 << random.below(8 * width),
            1 => before.wrapping_add(1 << random.below(4)),
            2 => before.wrapping_sub(1 << random.below(4)),
            3 => VALUES[random.below(VALUES.len())],
            _ => {
                let from = random.below(bytes.len() - width);
                bytes.copy_within(from..from + width, at);
                continue;
            }
        };
        bytes[at..at + width].copy_from_slice(&after.to_le_bytes()[..width]);
    }
}
