//! The tokenizer against a slow one, with the rules of languages.
//!
//! The first byte selects the language. The tokenizer is used for many inputs, so that its cache
//! is full of their chunks.

use std::cell::RefCell;
use std::collections::HashMap;

use lexpool::strings::chars::is_space;
use lexpool::tokenizer::{RuleSet, Tokenizer, lang};
use lexpool::vocab::{Getters, Vocab};

use crate::tokenizer_model::{SlowTokenizer, Word};

const LANGUAGES: [&str; 8] = ["en", "de", "fr", "fi", "hu", "xx", "ru", "tr"];
/// The number of inputs after which a tokenizer is made anew, as its vocab only grows.
const USES: u32 = 10_000;
/// Some rules are on the backtracker, whose limit is in proportion to the text.
const MAX_BYTES: usize = 400;

struct Pair {
    fast: Tokenizer,
    slow: SlowTokenizer,
    uses: u32,
}

thread_local! {
    static PAIRS: RefCell<HashMap<&'static str, Pair>> = RefCell::default();
}

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let Some(text) = std::str::from_utf8(text).ok().filter(|text| text.len() <= MAX_BYTES) else {
        return;
    };
    let lang = LANGUAGES[usize::from(*first) % LANGUAGES.len()];
    PAIRS.with_borrow_mut(|pairs| {
        if pairs.get(lang).is_some_and(|pair| pair.uses == USES) {
            pairs.remove(lang);
        }
        let pair = pairs.entry(lang).or_insert_with(|| pair_of(lang));
        pair.uses += 1;
        compare(&pair.fast, &pair.slow, text);
    });
}

fn pair_of(lang: &str) -> Pair {
    let data = lang::load(lang).expect("a language of lexpool");
    let rules = RuleSet::from(&data);
    let vocab = Vocab::new(Getters::from(&data)).unwrap();
    let fast = Tokenizer::new(&vocab, &rules, 1_000).unwrap();
    Pair { fast, slow: SlowTokenizer::new(&rules), uses: 0 }
}

/// Compares the tokens of a text, without and with its chunks in the cache, and the explanation.
pub(crate) fn compare(fast: &Tokenizer, slow: &SlowTokenizer, text: &str) {
    let expected = slow.tokenize(text);
    for _ in 0..2 {
        let doc = fast.tokenize(text).expect("a short text");
        assert_eq!(doc.text(), text);
        let words: Vec<Word> =
            doc.iter().map(|token| (token.text().to_owned(), token.record().spacy())).collect();
        assert_eq!(words, expected, "{text:?}");
    }
    let explained = fast.explain(text).expect("a short text").into_iter().map(|part| part.1);
    let visible = expected.into_iter().map(|word| word.0);
    let visible = visible.filter(|word| !word.chars().all(is_space));
    assert!(explained.eq(visible), "the explanation of {text:?}");
}
