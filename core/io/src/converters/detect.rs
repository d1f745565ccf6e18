//! The two formats of files with entities.

use lexpool::strings::chars::is_space;

use super::python_text::strip;

/// Formats of files with entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NerFormat {
    /// A token a line, in columns.
    Ner,
    /// A sentence a line, with bars between a word and its tags.
    Iob,
}

/// Number of lines to look at.
const LINES: usize = 20;

/// Returns the format of a text by its first twenty lines; `None` if they have none or both.
///
/// ```
/// use lexpool_io::converters::{NerFormat, detect_ner_format};
///
/// assert_eq!(detect_ner_format("Rome B-GPE\n"), Some(NerFormat::Ner));
/// assert_eq!(detect_ner_format("in|O Rome|B-GPE\n"), Some(NerFormat::Iob));
/// assert_eq!(detect_ner_format("Rome\n"), None);
/// ```
pub fn detect_ner_format(text: &str) -> Option<NerFormat> {
    let lines = || text.split('\n').take(LINES).map(strip);
    match (lines().any(has_columns), lines().any(has_bars)) {
        (true, false) => Some(NerFormat::Ner),
        (false, true) => Some(NerFormat::Iob),
        _ => None,
    }
}

/// Returns whether a text ends with whitespace and a tag after a word: `\S+\s+(O|[IB]-\S+)$`.
fn has_columns(line: &str) -> bool {
    let tag_at = line.rfind(is_space).map(|at| at + next_char(line, at));
    tag_at.is_some_and(|at| {
        let before = line[..at].trim_end_matches(is_space);
        let tag = &line[at..];
        !before.is_empty() && (tag == "O" || starts_tag(tag))
    })
}

/// Returns whether a bar with a tag follows a character of a word: `\S+\|(O|[IB]-\S+)`.
fn has_bars(line: &str) -> bool {
    line.match_indices('|').any(|(at, _)| {
        let is_after_word = line[..at].chars().next_back().is_some_and(|c| !is_space(c));
        let tag = &line[at + 1..];
        is_after_word && (tag.starts_with('O') || starts_tag(tag))
    })
}

/// Returns whether a text begins with a tag of an entity.
fn starts_tag(text: &str) -> bool {
    let label = text.strip_prefix("I-").or_else(|| text.strip_prefix("B-"));
    label.is_some_and(|label| label.starts_with(|c| !is_space(c)))
}

fn next_char(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}
