//! Operations on documents report that the system refuses memory: the n-th large allocation fails,
//! for each n, alone and with all later ones. The result is an error of the kind `Memory`, the
//! object is as it was, and the next call succeeds.
//!
//! Allocations below `LARGE` never fail: Rust's small collections end the process then, as
//! SECURITY.md says. A regression ends the process of this test too; with `--nocapture` its last
//! line names the operation.
//!
//! Contains unsafe code: an allocator that fails.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock};

use lexpool::formats::doc_bytes::{self, Extras};
use lexpool::formats::{DocBin, DocExtras};
use lexpool::matcher::{Greedy, Matcher, Pattern, PhraseList, PhraseMatcher, Test};
use lexpool::strings::{StrId, StringStore};
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{ARRAY_ATTRS, Doc, Retokenization};
use lexpool::transition::{ArcEager, Beam, ParseState, TokenFacts, TransitionSystem};
use lexpool::vectors::Vectors;
use lexpool::vocab::{Getters, Vocab};
use lexpool::{ErrorKind, Result};

/// The system's allocator, which fails the allocations from the `FIRST`-th large one up to the
/// `END`-th.
struct Failing;

/// Bytes of a large allocation.
const LARGE: usize = 64 << 10;
/// Large allocations since the last call of `refusing`.
static SEEN: AtomicUsize = AtomicUsize::new(0);
static FIRST: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(usize::MAX);

impl Failing {
    fn fails(size: usize) -> bool {
        if size < LARGE || FIRST.load(SeqCst) == usize::MAX {
            return false;
        }
        let n = SEEN.fetch_add(1, SeqCst);
        (FIRST.load(SeqCst)..END.load(SeqCst)).contains(&n)
    }
}

// SAFETY: calls are forwarded to the system's allocator, or fail without an effect.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Failing::fails(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Failing::fails(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // No system refuses to take memory back.
        if size > layout.size() && Failing::fails(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Failing = Failing;

/// Runs `work` while large allocations `first..end` fail; returns its result and how many there
/// were.
fn refusing<T>(first: usize, end: usize, work: impl FnOnce() -> T) -> (T, usize) {
    SEEN.store(0, SeqCst);
    END.store(end, SeqCst);
    FIRST.store(first, SeqCst);
    let done = work();
    FIRST.store(usize::MAX, SeqCst);
    (done, SEEN.load(SeqCst))
}

/// An operation that is refused memory.
trait Operation {
    fn run(&mut self) -> Result<()>;
    /// Describes all that may not differ after an error.
    fn state(&self) -> String;
}

/// A value, what is done to it, and its description.
struct On<T>(T, fn(&mut T) -> Result<()>, fn(&T) -> String);

impl<T> Operation for On<T> {
    fn run(&mut self) -> Result<()> {
        (self.1)(&mut self.0)
    }

    fn state(&self) -> String {
        (self.2)(&self.0)
    }
}

/// A name, and what makes an operation anew for each refusal.
type Case = (&'static str, Box<dyn Fn() -> Box<dyn Operation>>);

fn case<T: 'static>(
    name: &'static str,
    value: fn() -> T,
    operation: fn(&mut T) -> Result<()>,
    state: fn(&T) -> String,
) -> Case {
    (name, Box::new(move || Box::new(On(value(), operation, state))))
}

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(tokenizer);

/// A tokenizer with a vocab of its own, whose rules are compiled already.
fn tokenizer() -> Tokenizer {
    let tokenizer = Tokenizer::blank("en").unwrap();
    tokenizer.tokenize("\"It isn't. (a_b)").unwrap();
    tokenizer
}

fn vocab() -> Arc<Vocab> {
    Vocab::new(Getters::native("en")).unwrap()
}

/// A text of `n` sentences, each with two words of its own.
fn text(n: usize) -> String {
    let sentences = (0..n).map(|i| format!("The thing{i} isn't a word{i}, they say."));
    sentences.collect::<Vec<_>>().join(" ")
}

/// A document of 20,000 tokens with tags and heads.
fn doc() -> Doc {
    let mut doc = TOKENIZER.tokenize(&text(2000)).unwrap();
    let (tag, dep) = (StrId::of("thing0").get(), StrId::of("word0").get());
    let rows: Vec<u64> = (0..doc.len()).flat_map(|_| [tag, dep]).collect();
    doc.attrs_mut().set_array(&[AttrId::TAG, AttrId::DEP], &rows).unwrap();
    doc
}

fn bin() -> DocBin {
    let mut bin = DocBin::default();
    bin.add(&doc(), DocExtras::default()).unwrap();
    bin
}

fn described(doc: &Doc) -> String {
    let words: Vec<_> = doc.iter().map(|token| token.text()).collect();
    format!("{:?} {:?}", words, doc.attrs().to_array(&ARRAY_ATTRS))
}

fn contents(bin: &DocBin) -> String {
    let last = bin.len() - 1;
    format!("{:?}", (bin.len(), bin.strings().len(), bin.rows(last), bin.spaces(last)))
}

fn of_documents() -> Vec<Case> {
    vec![
        case(
            "tokenize a text of new words",
            || (tokenizer(), text(2000)),
            |(tokenizer, text)| tokenizer.tokenize(text).map(drop),
            |(tokenizer, _)| described(&tokenizer.tokenize("It isn't new.").unwrap()),
        ),
        case(
            "tokenize many texts",
            || (tokenizer(), (0..20).map(|i| text(50 * i)).collect::<Vec<_>>()),
            |(tokenizer, texts)| {
                let texts = texts.iter().map(String::as_str);
                let docs = tokenizer.tokenize_borrowed(texts, &AtomicBool::new(false));
                docs.into_iter().try_for_each(|doc| doc.map(drop))
            },
            |(tokenizer, _)| described(&tokenizer.tokenize("It isn't new.").unwrap()),
        ),
        case(
            "make a document of words",
            || {
                let words = (0..20_000).map(|i| (format!("w{i}"), i % 3 > 0));
                (vocab(), words.collect::<Vec<_>>())
            },
            |(vocab, words)| Doc::from_words(vocab, words).map(drop),
            |(vocab, _)| described(&Doc::from_words(vocab, &[("It", true)]).unwrap()),
        ),
        case("copy a document", doc, |doc| doc.try_clone().map(drop), described),
        case(
            "set attributes of all tokens",
            || {
                let (doc, id) = (doc(), StrId::of("thing0").get());
                let rows: Vec<u64> = (0..doc.len()).flat_map(|_| [id, id, id, 0, id]).collect();
                (doc, rows)
            },
            |(doc, rows)| {
                use AttrId as A;
                let attrs = [A::NORM, A::LEMMA, A::ENT_TYPE, A::HEAD, A::DEP];
                doc.attrs_mut().set_array(&attrs, rows)
            },
            |(doc, _)| described(doc),
        ),
        case(
            "set the spaces",
            || (doc(), vec![true; doc().len()]),
            |(doc, spaces)| doc.attrs_mut().set_spaces(spaces),
            |(doc, _)| described(doc),
        ),
        case(
            "retokenize",
            || {
                let doc = doc();
                let mut plan = Retokenization::new(&doc);
                for start in (0..8000).step_by(8) {
                    let lemma = (AttrId::LEMMA, StrId::of("thing0").get());
                    plan.merge(&doc, start..start + 2, &[lemma]).unwrap();
                }
                (doc, plan)
            },
            |(doc, plan)| plan.apply(doc).map(drop),
            |(doc, _)| described(doc),
        ),
    ]
}

fn phrases(doc: &Doc) -> PhraseMatcher {
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    for phrase in phrases.ids(doc).unwrap().windows(3) {
        phrases.add(StrId::of("thing"), phrase).unwrap();
    }
    phrases
}

/// All phrases with their keys, and all matches in a document.
fn listed(phrases: &PhraseMatcher, doc: &Doc) -> String {
    let mut all = Vec::new();
    let each = |phrase: &[u64], keys: &[StrId]| {
        all.push((phrase.to_vec(), keys.to_vec()));
        Ok(())
    };
    phrases.each_phrase(each).unwrap();
    all.sort_unstable();
    format!("{:?} {:?}", all, phrases.find(doc, 0..doc.len()).unwrap())
}

/// All matches of the phrases that a matcher has from the beginning.
fn of_thing(phrases: &PhraseMatcher, doc: &Doc) -> String {
    let mut found = phrases.find(doc, 0..doc.len()).unwrap();
    found.retain(|found| found.key == StrId::of("thing"));
    format!("{found:?}")
}

/// A matcher whose classes and states are built.
fn matcher(greedy: Option<Greedy>, doc: &Doc) -> Matcher {
    let mut pattern = Pattern::default();
    pattern.push(vec![Test::Is(AttrId::IS_PUNCT, 0)], "1").unwrap();
    pattern.push(vec![], "?").unwrap();
    let mut matcher = Matcher::default();
    matcher.add(StrId::of("thing"), vec![pattern], greedy).unwrap();
    matcher.find(doc, 0..doc.len(), false, &mut |_| Ok(false)).unwrap();
    matcher
}

fn of_matchers() -> Vec<Case> {
    vec![
        case(
            "add a phrase of many words",
            || (phrases(&doc()), doc()),
            |(phrases, doc)| phrases.add(StrId::of("word"), &phrases.ids(doc)?),
            |(phrases, doc)| listed(phrases, doc),
        ),
        case(
            "add a key to a phrase of many keys, whose list is full",
            || {
                let mut phrases = PhraseMatcher::new(AttrId::ORTH);
                (1..=1 << 14).for_each(|key| phrases.add(StrId::new(key), &[1, 2]).unwrap());
                phrases
            },
            |phrases| phrases.add(StrId::of("word"), &[1, 2]),
            |phrases| listed(phrases, &TOKENIZER.tokenize("It").unwrap()),
        ),
        case(
            "read texts as phrases",
            || (0..20_000).map(|i| format!("thing{}", i % 2000)).collect::<Vec<_>>(),
            |texts| PhraseList::of_texts(AttrId::ORTH, &TOKENIZER, texts).map(drop),
            |texts| texts.len().to_string(),
        ),
        case(
            "add many phrases, of which the first may stay",
            || {
                let (doc, mut list) = (doc(), PhraseList::default());
                let ids = PhraseMatcher::new(AttrId::ORTH).ids(&doc).unwrap();
                ids.windows(2).for_each(|pair| list.push(pair.iter().copied()).unwrap());
                (phrases(&doc), list, doc)
            },
            |(phrases, list, _)| phrases.add_phrases(StrId::of("word"), list),
            |(phrases, _, doc)| of_thing(phrases, doc),
        ),
        case(
            "remove most phrases, and find the others",
            || {
                let (mut matcher, doc) = (phrases(&doc()), doc());
                for phrase in matcher.ids(&doc).unwrap().chunks(2) {
                    matcher.add(StrId::of("word"), phrase).unwrap();
                }
                (matcher, doc)
            },
            |(phrases, doc)| {
                phrases.remove_all(StrId::of("word"))?;
                phrases.find(doc, 0..doc.len()).map(drop)
            },
            |(phrases, doc)| of_thing(phrases, doc),
        ),
        case(
            "list phrases",
            || (phrases(&doc()), doc()),
            |(phrases, _)| phrases.each_phrase(|_, _| Ok(())),
            |(phrases, doc)| listed(phrases, doc),
        ),
        case(
            "find phrases",
            || (phrases(&doc()), doc()),
            |(phrases, doc)| phrases.find(doc, 0..doc.len()).map(drop),
            |(_, doc)| described(doc),
        ),
        case(
            "find phrases in many documents",
            || (phrases(&doc()), [doc(), doc(), doc()]),
            |(phrases, docs)| {
                let docs: Vec<_> = docs.iter().map(|doc| (doc, 0..doc.len())).collect();
                phrases.find_all(&docs, 2).map(drop)
            },
            |(phrases, docs)| listed(phrases, &docs[0]),
        ),
        case(
            "find patterns",
            || (matcher(None, &doc()), doc()),
            |(matcher, doc)| {
                matcher.find(doc, 0..doc.len(), false, &mut |_| Ok(false)).map(drop)?;
                matcher.find_all(&[(doc, 0..doc.len())], 1).map(drop)
            },
            |(_, doc)| described(doc),
        ),
        case(
            "find patterns that exclude each other",
            || (matcher(Some(Greedy::Longest), &doc()), doc()),
            |(matcher, doc)| matcher.find(doc, 0..doc.len(), false, &mut |_| Ok(false)).map(drop),
            |(_, doc)| described(doc),
        ),
    ]
}

fn of_bytes() -> Vec<Case> {
    vec![
        case(
            "encode a document",
            doc,
            |doc| doc_bytes::to_bytes(doc, &Extras::default(), &[]).map(drop),
            described,
        ),
        case(
            "encode a document without unset attributes",
            doc,
            |doc| doc_bytes::to_short_bytes(doc, &Extras::default(), &[]).map(drop),
            described,
        ),
        case(
            "decode a document",
            || (vocab(), doc_bytes::to_bytes(&doc(), &Extras::default(), &[]).unwrap()),
            |(vocab, bytes)| doc_bytes::from_bytes(&vocab.snapshot(), bytes, &[]).map(drop),
            |(vocab, _)| described(&Doc::from_words(vocab, &[("It", true)]).unwrap()),
        ),
        case(
            "add to a DocBin",
            || (bin(), doc()),
            |(bin, doc)| bin.add(doc, DocExtras::default()),
            |(bin, _)| contents(bin),
        ),
        case(
            "join DocBins",
            || (bin(), bin()),
            |(bin, other)| bin.merge(other),
            |(bin, _)| contents(bin),
        ),
        case(
            "decode a DocBin",
            || (vocab(), bin().to_bytes().unwrap()),
            |(vocab, bytes)| {
                let bin = DocBin::from_bytes(bytes)?;
                bin.reader(&vocab.snapshot())?.doc(&bin, 0).map(drop)
            },
            |(vocab, _)| described(&Doc::from_words(vocab, &[("It", true)]).unwrap()),
        ),
    ]
}

fn of_stores() -> Vec<Case> {
    vec![
        case(
            "intern strings",
            || (StringStore::new(), (0..20_000).map(|i| format!("string {i}")).collect::<Vec<_>>()),
            |(store, strings)| strings.iter().try_for_each(|string| store.add(string).map(drop)),
            |(store, _)| store.add("again").unwrap().to_string(),
        ),
        case(
            "enlarge a table of vectors",
            || Vectors::with_shape(100, 300).unwrap(),
            |vectors| vectors.resize(200, 300).map(drop),
            |vectors| format!("{:?}", (vectors.rows().len(), vectors.rows().width())),
        ),
    ]
}

/// A parser, and a beam of 10,000 tokens that has several parses after its next step.
fn beam() -> (ArcEager, Beam) {
    let mut moves = ArcEager::new();
    for (action, label) in [(0, ""), (1, ""), (2, "left"), (3, "right"), (4, "ROOT")] {
        moves.actions_mut().add(action, label).unwrap();
    }
    let facts = vec![TokenFacts::default(); 10_000];
    let mut beam = Beam::new(&ParseState::new(facts.into(), 0).unwrap(), 8, 0.0).unwrap();
    step(&moves, &mut beam).unwrap();
    (moves, beam)
}

fn step(moves: &ArcEager, beam: &mut Beam) -> Result<()> {
    let scores = [0.0, 0.5, 2.0, 1.0, -1.0].repeat(beam.open_states().count());
    beam.advance(moves, &scores)
}

fn of_beams() -> Vec<Case> {
    vec![case(
        "go one step on with a beam",
        beam,
        |(moves, beam)| step(moves, beam),
        |(_, beam)| {
            let parses = (0..beam.len()).map(|i| (beam.state(i), beam.history(i)));
            format!("{:?} {:?}", beam.scores(), parses.collect::<Vec<_>>())
        },
    )]
}

#[test]
fn an_operation_that_is_refused_memory_reports_it_and_changes_nothing() {
    let cases = [of_documents(), of_matchers(), of_bytes(), of_stores(), of_beams()];
    for (name, make) in cases.into_iter().flatten() {
        let ((), large) = {
            let mut operation = make();
            refusing(usize::MAX - 1, usize::MAX, || operation.run().unwrap())
        };
        assert!(large > 0, "{name} allocates too little to be refused anything");
        let mut errors = 0;
        for (n, end) in (0..large).flat_map(|n| [(n, n + 1), (n, usize::MAX)]) {
            println!("{name}: allocation {n} of {large}");
            let mut operation = make();
            let before = operation.state();
            let (done, _) = refusing(n, end, || operation.run());
            if let Err(error) = done {
                assert_eq!(error.kind(), ErrorKind::Memory, "{name}: {error}");
                assert!(operation.state() == before, "{name} changed something: {error}");
                errors += 1;
            }
            operation.run().unwrap_or_else(|error| panic!("{name} again: {error}"));
        }
        // Caches take no more memory then, without an error.
        assert!(errors > 0, "{name}: no refusal of {large} was reported");
    }
}
