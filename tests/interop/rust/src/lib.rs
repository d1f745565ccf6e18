//! The example kernels as a Python module of another crate: the layout of the records is from
//! `lexpool-structs`, and the records are from the named capsules of `doc.c`.

#![expect(clippy::disallowed_methods, reason = "another crate, which takes no lock of lexpool's")]

mod records;

use std::hint::black_box;
use std::time::Instant;

use lexpool_structs::{AttrId, LexemeC, TokenC};
use pyo3::prelude::*;

use records::{Records, Tokens};

/// Returns the number of sentences that begin with a capital letter, and the length of the longest
/// run of punctuation.
///
/// segments: `doc.vocab.c.segments`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a list from Python is made for the call")]
fn kernel(
    py: Python<'_>,
    tokens: &Bound<'_, PyAny>,
    segments: Vec<Bound<'_, PyAny>>,
) -> PyResult<(usize, usize)> {
    let tokens = Tokens::of(tokens)?;
    let segments = segments.iter().map(Records::<LexemeC>::of).collect::<PyResult<Vec<_>>>()?;
    let tokens: &[TokenC] = &tokens;
    let segments: Vec<&[LexemeC]> = segments.iter().map(|segment| &**segment).collect();
    // No Python objects are used from here on.
    Ok(py.detach(|| {
        let lexemes: Vec<&LexemeC> = segments.iter().copied().flatten().collect();
        let flag = |token: &TokenC, attr| {
            let lexeme = lexemes.get(token.lex_index() as usize);
            lexeme.is_some_and(|lexeme| lexeme.flag(attr))
        };
        let is_start = |token: &&TokenC| token.sent_start() == 1 && flag(token, AttrId::IS_TITLE);
        let runs = tokens.split(|token| !flag(token, AttrId::IS_PUNCT));
        (tokens.iter().filter(is_start).count(), runs.map(<[TokenC]>::len).max().unwrap_or(0))
    }))
}

/// Returns the seconds of `rounds` passes over the tokens without the GIL, and of passes over a
/// copy of them: the minimum of ten runs each. Used by the benchmark.
#[pyfunction]
fn walks(py: Python<'_>, tokens: &Bound<'_, PyAny>, rounds: usize) -> PyResult<(f64, f64)> {
    let tokens = Tokens::of(tokens)?;
    let (lent, copied): (&[TokenC], _) = (&tokens, tokens.to_vec());
    let turn = || (seconds(lent, rounds), seconds(&copied, rounds));
    let shorter = |one: (f64, f64), other: (f64, f64)| (one.0.min(other.0), one.1.min(other.1));
    Ok(py.detach(|| (1..10).fold(turn(), |best, _| shorter(best, turn()))))
}

fn seconds(tokens: &[TokenC], rounds: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(walk(black_box(tokens)));
    }
    start.elapsed().as_secs_f64()
}

/// Returns the sum of the offsets, and the number of tokens that a space follows.
fn walk(tokens: &[TokenC]) -> (u64, u64) {
    tokens.iter().fold((0, 0), |(sum, spaces), token| {
        (sum + u64::from(token.idx), spaces + u64::from(token.spacy()))
    })
}

#[pymodule]
fn rust_kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(walks, module)?)?;
    module.add_function(wrap_pyfunction!(kernel, module)?)
}
