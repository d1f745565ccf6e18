//! `records.*`: counts over records without a document.

use lexpool_structs::TokenC;

use super::super::{Batch, op};

/// Number of records from which releasing the GIL costs less than counting.
const MANY: usize = 4096;

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "records.sentence_starts"(tokens) = sentence_starts,
        "Returns the number of tokens known to start a sentence.",
        gil = by_size(MANY)
    );
    op!(
        *ops,
        "records.longest_sentence"(tokens) = longest_sentence,
        "Returns the length of the longest sentence in tokens: of the longest run in which no \
         token but the first is known to start a sentence.",
        gil = by_size(MANY)
    );
    op!(
        *ops,
        "records.longest_unspaced"(tokens) = longest_unspaced,
        "Returns the length of the longest run of tokens without a space between them.",
        gil = by_size(MANY)
    );
    op!(
        *ops,
        "records.spaces"(tokens) = |tokens: &[TokenC]| count(tokens, TokenC::spacy),
        "Returns the number of tokens that a space follows.",
        gil = by_size(MANY)
    );
    op!(
        *ops,
        "records.entities"(tokens) =
            |tokens: &[TokenC]| count(tokens, |token| token.ent_iob() == 3),
        "Returns the number of tokens that begin a named entity.",
        gil = by_size(MANY)
    );
    op!(
        *ops,
        "records.types"(tokens) = types,
        "Returns the number of different lexemes of the tokens.\n\nSorts the numbers of the \
         lexemes.",
        gil = by_size(256)
    );
    op!(
        *ops,
        "records.clear_sentences"(tokens) = clear_sentences,
        "Clears the sentence starts, and returns the number of tokens on which one was known."
    );
}

fn count(tokens: &[TokenC], holds: impl Fn(&TokenC) -> bool) -> usize {
    tokens.iter().filter(|token| holds(token)).count()
}

fn sentence_starts(tokens: &[TokenC]) -> usize {
    count(tokens, |token| token.sent_start() == 1)
}

fn longest_sentence(tokens: &[TokenC]) -> usize {
    longest(tokens, |_, token| token.sent_start() != 1)
}

fn longest_unspaced(tokens: &[TokenC]) -> usize {
    longest(tokens, |before, _| !before.spacy())
}

fn types(tokens: &[TokenC]) -> usize {
    let mut lexemes: Vec<u32> = tokens.iter().map(|token| token.lex).collect();
    lexemes.sort_unstable();
    lexemes.dedup();
    lexemes.len()
}

fn clear_sentences(tokens: &mut [TokenC]) -> usize {
    let set_starts = count(tokens, |token| token.sent_start() != 0);
    for token in tokens {
        token.set_sent_start(0);
    }
    set_starts
}

/// Returns the length of the longest run of tokens in which each continues the one before.
fn longest(tokens: &[TokenC], goes_on: impl Fn(&TokenC, &TokenC) -> bool) -> usize {
    let runs = tokens.chunk_by(goes_on);
    runs.map(<[TokenC]>::len).max().unwrap_or_default()
}
