//! Trained components of tests/files/pipelines/networks with damaged files: each is refused with a
//! code or runs, in bounded memory, and none panics.
//!
//! `LEXPOOL_FULL` makes it 100,000 damaged files for each component.
//!
//! Contains unsafe code: an allocator that counts bytes.
#![expect(clippy::disallowed_methods, reason = "files are made to be broken")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use lexpool::config::Value;
use lexpool::loading::{LoadOptions, LoadedPipeline, load};
use lexpool::nn::GemmOrder;
use lexpool::pipeline::{Groups, Notes};
use lexpool::tokens::Doc;
use lexpool::trained::{SavedComponent, component};

/// The system's allocator, which counts the bytes that each thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn size(layout: Layout) -> isize {
    isize::try_from(layout.size()).unwrap_or(isize::MAX)
}

fn count(bytes: isize) {
    // A thread that ends has no counter any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

// SAFETY: all calls are forwarded to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(size(layout));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-size(layout));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that a damaged file of some kilobytes may take.
const MAX_BYTES: isize = 8 << 20;

/// Numbers of a linear congruential generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    /// Damages a file in one of the ways in which files are damaged, or as an attacker would.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        let len = 1 + self.below(16).min(bytes.len() - at - 1);
        match self.below(8) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << self.below(8),
            2 => bytes[at..at + len].fill_with(|| self.below(256).to_le_bytes()[0]),
            3 => drop(bytes.drain(at..at + len)),
            4 => {
                let copy = bytes[at..at + len].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let to = self.below(bytes.len());
                bytes.swap(at, to);
            }
            6 => {
                // MessagePack's longest array, map, bytes and string, and its largest number.
                let huge = [0xdd, 0xdf, 0xc6, 0xdb, 0xce][self.below(5)];
                let message = [huge, 0xff, 0xff, 0xff, 0xff];
                let end = (at + self.below(2) * 5).min(bytes.len());
                bytes.splice(at..end, message);
            }
            _ => {
                let odd = [f32::NAN, f32::INFINITY, f32::MAX, -0.0][self.below(4)];
                let end = (at + 4).min(bytes.len());
                bytes.splice(at..end, odd.to_le_bytes());
            }
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/files/pipelines/networks")
}

/// Returns the pipeline with the layer that the others share, and a document that it encoded.
fn encoded() -> (LoadedPipeline, Doc) {
    let enable = vec!["tok2vec".to_owned()];
    let nlp = load(&folder(), &LoadOptions { enable, ..LoadOptions::default() }).unwrap();
    let mut doc = nlp.pipeline.tokenizer().tokenize("Apple bought some company in York.").unwrap();
    for step in nlp.pipeline.steps() {
        step.component.apply(&mut doc, &mut Groups::new()).unwrap();
    }
    (nlp, doc)
}

fn files_of(name: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder().join(name)).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

/// The outcomes of damaged files.
#[derive(Debug, Default)]
struct Outcomes {
    refused: usize,
    run: usize,
}

/// Loads a component from the files and runs it; returns its error.
fn load_and_run(
    (nlp, doc): &(LoadedPipeline, Doc),
    name: &str,
    files: &BTreeMap<String, Vec<u8>>,
) -> lexpool::Result<()> {
    let config = nlp.config.interpolate()?;
    let section = config.section(&format!("components.{name}")).unwrap().clone();
    let settings = Value::Section(section);
    let saved = SavedComponent {
        factory: name,
        name,
        settings: &settings,
        file: &|file| Ok(files.get(file).cloned().map(Into::into)),
        vectors: None,
        order: GemmOrder::default(),
    };
    let made = component(&saved)?.expect("the factory is known");
    let mut doc = doc.try_clone()?;
    made.apply_noting(&mut doc, &mut Groups::new(), &mut Notes::new())
}

fn damage(name: &str) {
    let count = if std::env::var_os("LEXPOOL_FULL").is_some() { 100_000 } else { 2_000 };
    let given = encoded();
    let good = files_of(name);
    load_and_run(&given, name, &good).unwrap();
    let mut dice = Dice(name.len() as u64);
    let mut outcomes = Outcomes::default();
    for case in 0..count {
        let mut files = good.clone();
        let which = dice.below(2 * files.len());
        let file = files.keys().nth(which).cloned().unwrap_or_else(|| "model".to_owned());
        for _ in 0..=dice.below(3) {
            let bytes = files.get_mut(&file).unwrap();
            if !bytes.is_empty() {
                dice.damage(bytes);
            }
        }
        let before = HELD.get();
        PEAK.set(before);
        let done = catch_unwind(AssertUnwindSafe(|| load_and_run(&given, name, &files)));
        let place = || format!("case {case} of {name}, file {file:?}");
        match done.unwrap_or_else(|_| panic!("{} panicked", place())) {
            Ok(()) => outcomes.run += 1,
            Err(error) => {
                assert!(!error.code().is_empty() && !error.message().is_empty(), "{}", place());
                outcomes.refused += 1;
            }
        }
        let taken = PEAK.get() - before;
        assert!(taken < MAX_BYTES, "{}: {taken} bytes", place());
    }
    // Some damage only changes weights, so that the component runs with other results.
    assert!(outcomes.refused > 0 && outcomes.run > 0, "{outcomes:?}");
}

#[test]
fn a_depth_beyond_the_file_is_refused_in_bounded_memory() {
    let (nlp, _) = encoded();
    let config = nlp.config.interpolate().unwrap();
    let section = config.section("components.tok2vec").unwrap().clone();
    let json = Value::Section(section).to_json();
    assert!(json.contains("\"depth\": 1,"), "{json}");
    let settings = Value::from_json(&json.replace("\"depth\": 1,", "\"depth\": 16000,")).unwrap();
    let files = files_of("tok2vec");
    let saved = SavedComponent {
        factory: "tok2vec",
        name: "tok2vec",
        settings: &settings,
        file: &|file| Ok(files.get(file).cloned().map(Into::into)),
        vectors: None,
        order: GemmOrder::default(),
    };
    let before = HELD.get();
    PEAK.set(before);
    let error = component(&saved).map(|_| ()).unwrap_err();
    let taken = PEAK.get() - before;
    assert_eq!(error.code(), "model-structure", "{error}");
    assert!(taken < MAX_BYTES, "{taken} bytes");
}

macro_rules! damaged {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            damage($name);
        })*
    };
}

damaged! {
    a_damaged_encoder_is_refused_or_runs: "tok2vec",
    a_damaged_tagger_is_refused_or_runs: "tagger",
    a_damaged_morphologizer_is_refused_or_runs: "morphologizer",
    a_damaged_lemmatizer_is_refused_or_runs: "trainable_lemmatizer",
    a_damaged_parser_is_refused_or_runs: "parser",
    a_damaged_recognizer_is_refused_or_runs: "beam_ner",
    a_damaged_categorizer_is_refused_or_runs: "textcat",
    a_damaged_categorizer_with_attention_is_refused_or_runs: "textcat_multilabel",
    a_damaged_span_categorizer_is_refused_or_runs: "spancat",
    a_damaged_span_finder_is_refused_or_runs: "span_finder",
}
