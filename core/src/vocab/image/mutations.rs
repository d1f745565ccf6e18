//! Mutated images: flipped bits, truncations, and invalid sections with valid checksums.
//!
//! `make test` tests a sample; `LEXPOOL_FULL=1` tests all bits, and a million images with valid
//! checksums.

use std::sync::Arc;

use super::hash_index;
use super::layout::{ENDS, HEAD, KEY_ROWS, LEXEMES, META, SECTIONS};
use super::*;
use crate::Result;
use crate::container::sealing::seal;
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::vocab::{Getter, Getters, Vocab};
use std::ops::Range;

/// Image files of this version or an older one, from tests/files.
const FILES: [(&str, &[u8]); 3] = [
    ("words", include_bytes!("../../../../tests/files/words.vocab")),
    ("vectors", include_bytes!("../../../../tests/files/vectors.vocab")),
    ("floret", include_bytes!("../../../../tests/files/floret.vocab")),
];

fn is_full() -> bool {
    std::env::var_os("LEXPOOL_FULL").is_some_and(|value| value == "1")
}

/// A deterministic random number generator.
struct TestRng(u64);

impl TestRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        hash_index::seed(self.0)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap_or(0) % end.max(1)
    }
}

fn open(bytes: &[u8], verify: Verify) -> Result<Arc<Vocab>> {
    Vocab::from_image_bytes(bytes, &OpenOptions::new().verify(verify))
}

/// Everything that an image contains.
fn content(image: &Arc<MappedVocab>) -> impl std::fmt::Debug + use<> {
    let strings: Vec<_> =
        (0..image.strings()).map(|i| (image.id(i), image.string(i).map(str::to_owned))).collect();
    let records: Vec<_> = image.cells().iter().map(|cell| format!("{:?}", cell.load())).collect();
    let meta = image.meta().map(|meta| meta.to_json()).map_err(|error| error.to_string());
    let vectors = image.vectors().ok().flatten();
    let tables = (image.norms().to_vec(), image.morphs().to_vec());
    (strings, records, meta.ok(), vectors, tables)
}

/// Calls all operations on an image and ignores the results.
fn exercise(vocab: &Arc<Vocab>) {
    let image = Arc::clone(vocab.mapped().unwrap());
    let known: Vec<StrId> = (0..image.strings().min(40)).filter_map(|i| image.id(i)).collect();
    let mut texts: Vec<String> = vec!["new".to_owned(), "NOUN".to_owned(), "the".to_owned()];
    for id in &known {
        let _ = (vocab.contains(*id), vocab.lexeme_of(*id).map(|lexeme| lexeme.shape().len()));
        texts.extend(vocab.strings().get(*id).map(|string| string.to_string()));
    }
    let snapshot = vocab.snapshot();
    for ix in vocab.positions().take(40) {
        let lexeme = snapshot.lexeme(ix);
        let _ = (lexeme.text().len(), lexeme.norm().len(), lexeme.record());
    }
    for text in &texts {
        let _ = vocab.lexeme(text).map(|lexeme| lexeme.lower().len());
        let _ = vocab.strings().add(text);
    }
    let _ = (vocab.len(), vocab.strings().len(), vocab.lexemes().count());
    for analysis in vocab.morphology().iter() {
        let _ = analysis.features().len();
    }
    let _ = (snapshot.norm(1), snapshot.norm(u32::MAX), vocab.norm_number("not"));
    if let Ok(Some(vectors)) = image.vectors() {
        let _ = (vectors.floret_vector("coffee").len(), vectors.is_full());
        for id in &known {
            let _ = vectors.get(id.get()).map(<[f32]>::len);
        }
        let query = vec![1.0; vectors.rows().width()];
        let _ = vectors.most_similar(&query, 1, 1, 1);
        let mut changed = vectors;
        let _ = changed.add(1, None, None);
    }
    vocab.open_zone().unwrap();
    let _ = vocab.lexeme("inside");
    vocab.close_zone().unwrap();
    vocab.forget_lexemes();
    let _ = vocab.lexeme("after");
    if let Ok(bytes) = VocabImageBuilder::of(vocab).and_then(VocabImageBuilder::finish) {
        // The written file is a valid image, even if its source was mutated.
        let _ = open(&bytes, Verify::Header).unwrap().len();
    }
}

/// Opens changed bytes in both modes. `expected` is the content of the original image.
fn check_outcome(bytes: &[u8], expected: &impl std::fmt::Debug, what: &str) {
    if let Ok(vocab) = open(bytes, Verify::Full) {
        let found = format!("{:?}", content(vocab.mapped().unwrap()));
        assert_eq!(found, format!("{expected:?}"), "{what} went unnoticed");
    }
    if let Ok(vocab) = open(bytes, Verify::Header) {
        exercise(&vocab);
    }
}

#[test]
fn files_of_older_versions_open() {
    for (name, bytes) in FILES {
        let vocab = open(bytes, Verify::Full).unwrap_or_else(|error| panic!("{name}: {error}"));
        let coffee = vocab.lexeme("Coffee").unwrap();
        assert_eq!((coffee.lower(), coffee.shape()), ("coffee", "Xxxxx"), "{name}");
        assert!(vocab.len() > 20, "{name}");
        exercise(&vocab);
    }
    let vectors = |at: usize| open(FILES[at].1, Verify::Full).unwrap().mapped().unwrap().vectors();
    assert!(vectors(0).unwrap().is_none());
    let keyed = vectors(1).unwrap().unwrap();
    assert_eq!(keyed.get(StrId::of("tea").get()), Some(&[4.0, 5.0, 6.0, 7.0][..]));
    let floret = vectors(2).unwrap().unwrap();
    assert_eq!((floret.settings().maxn, floret.rows().width()), (4, 4));
    let words = open(FILES[0].1, Verify::Full).unwrap();
    assert_eq!(words.morphology().iter().count(), 2);
    assert_eq!(words.lexeme("Coffee").unwrap().attr(AttrId::IS_STOP), 1);
}

#[test]
fn a_changed_bit_is_noticed_and_a_changed_length_too() {
    for (name, bytes) in FILES {
        let expected = content(open(bytes, Verify::Full).unwrap().mapped().unwrap());
        let mut rng = TestRng(bytes.len() as u64);
        let mut changed = bytes.to_vec();
        for at in 0..bytes.len() {
            let one = rng.below(8);
            for bit in (0..8).filter(|bit| is_full() || *bit == one) {
                changed[at] ^= 1 << bit;
                if open(&changed, Verify::Full).is_ok() {
                    check_outcome(&changed, &expected, &format!("{name}: bit {bit} of byte {at}"));
                }
                // Most bytes are texts and records, of which a sample is enough.
                if at >= table(bytes) || is_full() || at % 16 == 0 {
                    check_outcome(&changed, &expected, &format!("{name}: bit {bit} of byte {at}"));
                }
                changed[at] = bytes[at];
            }
        }
        for len in 0..bytes.len() {
            for verify in [Verify::Header, Verify::Full] {
                let opened = open(&bytes[..len], verify).map(drop);
                assert!(opened.is_err(), "{name}: {len} bytes of {}", bytes.len());
            }
        }
        let longer = [bytes, &[0; 64]].concat();
        assert_eq!(
            open(&longer, Verify::Header).map(drop).unwrap_err().code(),
            "container-truncated"
        );
    }
}

fn put(bytes: &mut [u8], at: usize, field: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + field.len()) {
        place.copy_from_slice(field);
    }
}

fn number(bytes: &[u8], at: usize) -> usize {
    let field = bytes.get(at..at + 8).map(|field| u64::from_le_bytes(field.try_into().unwrap()));
    field.and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
}

const ENTRY: usize = 32;

/// Returns the place of the table of sections; the end if the header names one beyond it.
fn table(bytes: &[u8]) -> usize {
    number(bytes, 32).min(bytes.len())
}

/// Returns the range of a section from its entry; empty if it is outside of the image.
fn section(bytes: &[u8], section: usize) -> Range<usize> {
    let at = table(bytes) + ENTRY * section;
    let (start, len) = (number(bytes, at), number(bytes, at + 8));
    let end = start.checked_add(len).filter(|end| *end <= bytes.len());
    end.map_or(0..0, |end| start..end)
}

/// Applies one random mutation.
fn mutate(bytes: &mut Vec<u8>, rng: &mut TestRng) {
    const NUMBERS: [u64; 8] =
        [0, 1, 63, 0xffff, 1 << 30, 0x7fff_ffff, 0xffff_ffff, 0xffff_ffff_ffff_fff0];
    let other = rng.below(bytes.len());
    let value = match rng.below(4) {
        0 => NUMBERS[rng.below(NUMBERS.len())],
        1 => rng.next(),
        2 => number(bytes, other) as u64,
        _ => rng.next() & 0xff,
    }
    .to_le_bytes();
    let width = [1, 2, 4, 8][rng.below(4)];
    let at = match rng.below(8) {
        // Fields of the header, or the head: seed, probe lengths, number of symbols.
        0 if rng.below(4) == 0 => 24 + rng.below(20),
        0 => section(bytes, HEAD).start + rng.below(24),
        // The table of sections.
        1 => table(bytes) + rng.below(bytes.len() - table(bytes)),
        // The ends of strings, records and rows, which contain offsets and positions.
        2 => {
            let range = section(bytes, [ENDS, LEXEMES, KEY_ROWS, META][rng.below(4)]);
            range.start + rng.below(range.len())
        }
        _ => {
            let range = section(bytes, rng.below(SECTIONS));
            range.start + rng.below(range.len())
        }
    };
    match rng.below(12) {
        0 => {
            bytes.truncate(rng.below(bytes.len()).max(64));
            let len = (bytes.len() as u64).to_le_bytes();
            put(bytes, 24, &len);
        }
        1 => {
            // A digit of JSON, so that the section remains valid JSON.
            let range = section(bytes, META);
            let digits: Vec<usize> = range.filter(|at| bytes[*at].is_ascii_digit()).collect();
            if let Some(at) = digits.get(rng.below(digits.len())) {
                bytes[*at] = b'0' + u8::try_from(rng.below(10)).unwrap();
            }
        }
        2 => {
            let copied: Vec<u8> = bytes[other..].iter().take(width * 4).copied().collect();
            put(bytes, at, &copied);
        }
        _ => put(bytes, at, &value[..width]),
    }
}

#[test]
fn a_key_without_a_row_is_refused_when_the_vocab_is_saved_again() {
    let mut bytes = FILES[1].1.to_vec();
    let range = section(&bytes, KEY_ROWS);
    put(&mut bytes, range.start, &1_000_000_u32.to_le_bytes());
    seal(&mut bytes);
    let vocab = open(&bytes, Verify::Header).unwrap();
    let error = VocabImageBuilder::of(&vocab).err().unwrap();
    assert_eq!(error.code(), "image-vectors");
    assert!(error.message().contains("has row 1000000, but there are"), "{error}");
}

#[test]
fn whatever_an_image_says_nothing_crashes() {
    let count = if is_full() { 1_000_000 } else { 20_000 };
    let mut rng = TestRng(7);
    let mut opened = [0_u32; 2];
    for i in 0..count {
        let mut bytes = FILES[i % FILES.len()].1.to_vec();
        for _ in 0..=rng.below(3) {
            mutate(&mut bytes, &mut rng);
        }
        seal(&mut bytes);
        for (verify, opened) in [Verify::Header, Verify::Full].into_iter().zip(&mut opened) {
            if let Ok(vocab) = open(&bytes, verify) {
                *opened += 1;
                exercise(&vocab);
            }
        }
    }
    // Some images must open, or the operations would not be tested.
    assert!(opened[0] > opened[1] && opened[1] > 0, "{opened:?}");
}

#[test]
fn getters_that_cannot_be_read_enter_no_word() {
    let mut getters = Getters::native("en");
    getters.set(AttrId::NORM, Getter::Custom(Arc::new(|_| Ok(None))));
    let vocab = Vocab::new(getters).unwrap();
    vocab.lexeme("known").unwrap();
    let mut bytes = VocabImageBuilder::of(&vocab).unwrap().finish().unwrap();
    let range = section(&bytes, META);
    bytes[range.start] = b'[';
    seal(&mut bytes);
    let vocab = open(&bytes, Verify::Header).unwrap();
    assert_eq!(vocab.lexeme("known").unwrap().text(), "known");
    assert_eq!(vocab.lexeme("new").unwrap_err().code(), "image-meta");
    assert_eq!(open(&bytes, Verify::Full).map(drop).unwrap_err().code(), "image-meta");
}
