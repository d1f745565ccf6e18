//! `text.*`: strings, compared and described.

use lexpool::Result;
use lexpool::alignment::Alignment;
use lexpool::matcher;
use lexpool::strings::{StrId, chars};
use lexpool::vocab::lex_attrs;
use lexpool_plugin::{List, Numbers};

use super::super::hooks::go_on;
use super::super::{Batch, op};

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "text.edit_distance"(a, b, bound = None) = edit_distance,
        "Returns the Levenshtein distance of two strings: the minimum number of characters to \
         insert, delete or substitute.\n\nA distance above the bound is returned as the bound plus \
         one, and found sooner. Cost: the product of the lengths, divided by 64; with a bound, that \
         of one length and the bound, divided by 32.",
        gil = by_size(2048)
    );
    op!(
        *ops,
        "text.is_similar"(text, pattern, most = None) = is_similar,
        "Returns True if a text is at most `most` edits away from a pattern. The default of `most` \
         is three tenths of the pattern's length, but at least two.",
        gil = by_size(2048)
    );
    op!(
        *ops,
        "text.hashes"(texts) = hashes,
        "The ids of strings, as unsigned 64-bit numbers; every StringStore has the same ids.",
        gil = by_size(256)
    );
    op!(
        *ops,
        "text.shape"(text) = shape,
        "The shape of a word: X, x and d for letters and digits, runs of one kind truncated to \
         four."
    );
    op!(*ops, "text.lower"(text) = lower, "The text in lower case, as from Python's str.lower.");
    op!(
        *ops,
        "text.prefix"(text) = |text: &str| lex_attrs::prefix(text).to_owned(),
        "The first character of a word, as in the attribute PREFIX."
    );
    op!(
        *ops,
        "text.suffix"(text) = |text: &str| lex_attrs::suffix(text).to_owned(),
        "The last three characters of a word, as in the attribute SUFFIX."
    );
    op!(
        *ops,
        "text.like_url"(text) = lex_attrs::like_url,
        "Returns True if a word looks like a URL."
    );
    op!(
        *ops,
        "text.like_email"(text) = lex_attrs::like_email,
        "Returns True if a word looks like an email address."
    );
    op!(
        *ops,
        "text.align"(a, b) = align,
        "For each word of one tokenization, the positions of the words of another that share \
         characters with it, ignoring case and whitespace.\n\nRaises ValueError E949 if the texts \
         differ.",
        gil = by_size(256)
    );
}

fn edit_distance(a: &str, b: &str, bound: Option<usize>) -> Result<usize> {
    matcher::levenshtein_with(a, b, bound, &mut go_on)
}

fn is_similar(text: &str, pattern: &str, most: Option<usize>) -> Result<bool> {
    matcher::is_similar_with(text, pattern, most, &mut go_on)
}

fn hashes(texts: List<'_, &'static str>) -> Numbers<u64> {
    texts.iter().map(|text| StrId::of(text).get()).collect::<Vec<_>>().into()
}

fn shape(text: &str) -> String {
    let mut shape = String::new();
    lex_attrs::shape(text, &mut shape);
    shape
}

fn lower(text: &str) -> String {
    let mut lower = String::new();
    chars::to_lower(text, &mut lower);
    lower
}

#[expect(clippy::needless_pass_by_value, reason = "as an op takes lists")]
fn align(a: Vec<&str>, b: Vec<&str>) -> Result<Vec<Vec<i32>>> {
    Ok(Alignment::of(&a, &b)?.x2y.to_vecs())
}
