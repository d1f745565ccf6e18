//! Substitutions in words, as by Python's `re.sub`.

use crate::tokenizer::pattern::{LimitError, Pattern, flags};
use crate::{Error, Result, codes};

/// Characters that mean more than themselves in a regular expression.
const META: &[char] =
    &['\\', '.', '^', '$', '*', '+', '?', '{', '}', '[', ']', '|', '(', ')', '\n'];

/// A replacement of all matches of a regular expression.
///
/// Cost: one comparison if the expression has no special characters, as in all published tables;
/// otherwise a search that compiles its automata anew.
#[derive(Debug)]
pub(super) struct Substitution {
    search: Search,
    new: String,
}

#[derive(Debug)]
enum Search {
    /// Text at the end of the word, or before a final newline, as `$` matches. Not empty.
    Ending(String),
    /// Text anywhere in the word. Not empty.
    Anywhere(String),
    Pattern(Pattern),
}

impl Substitution {
    /// Returns the substitution `re.sub(old + "$", new, word)`.
    ///
    /// # Errors
    ///
    /// `lemma-table` if Python's `re` rejects the expression, or for a backslash in `new`, which
    /// Python takes as a reference to a group.
    pub(super) fn at_end(old: &str, new: &str) -> Result<Substitution> {
        let search = if is_literal(old) {
            Search::Ending(old.to_owned())
        } else {
            Search::Pattern(compiled(&format!("{old}$"))?)
        };
        Ok(Substitution { search, new: plain(new)? })
    }

    /// Returns the substitution `re.sub(old, new, word)`.
    ///
    /// # Errors
    ///
    /// As [`Substitution::at_end`].
    pub(super) fn anywhere(old: &str, new: &str) -> Result<Substitution> {
        let search = if is_literal(old) {
            Search::Anywhere(old.to_owned())
        } else {
            Search::Pattern(compiled(old)?)
        };
        Ok(Substitution { search, new: plain(new)? })
    }

    /// Returns the word with all matches replaced.
    ///
    /// # Errors
    ///
    /// `rule-limit` if the search exceeds its budget.
    pub(super) fn apply(&self, word: &str) -> Result<String> {
        match &self.search {
            Search::Ending(old) => {
                let (line, newline) = split_newline(word);
                Ok(match line.strip_suffix(&**old) {
                    Some(stem) => format!("{stem}{}{newline}", self.new),
                    None => word.to_owned(),
                })
            }
            Search::Anywhere(old) => Ok(word.replace(&**old, &self.new)),
            Search::Pattern(pattern) => {
                let mut matches = Vec::new();
                pattern
                    .matcher()
                    .find_all(word, &mut matches)
                    .map_err(|error| limit_error(pattern, &error))?;
                let (mut made, mut from) = (String::new(), 0);
                for (start, end) in matches {
                    made.push_str(&word[from..start]);
                    made.push_str(&self.new);
                    from = end;
                }
                made.push_str(&word[from..]);
                Ok(made)
            }
        }
    }
}

/// Splits a word at a final newline, before which `$` matches.
pub(super) fn split_newline(word: &str) -> (&str, &str) {
    word.split_at(word.strip_suffix('\n').unwrap_or(word).len())
}

fn is_literal(old: &str) -> bool {
    !old.is_empty() && !old.contains(META)
}

fn plain(new: &str) -> Result<String> {
    if new.contains('\\') {
        let text = format!(
            "lemma_rules: the replacement {new:?} has a backslash; expected text without \
             references to groups"
        );
        return Err(Error::value(codes::LEMMA_TABLE, text));
    }
    Ok(new.to_owned())
}

fn compiled(source: &str) -> Result<Pattern> {
    Pattern::new(source, flags::UNICODE).map_err(|error| {
        let text =
            format!("lemma_rules: {source:?} is not a regular expression of Python: {error}");
        Error::value(codes::LEMMA_TABLE, text)
    })
}

#[cold]
fn limit_error(pattern: &Pattern, error: &LimitError) -> Error {
    Error::value(codes::RULE_LIMIT, format!("lemma_rules: {:?}: {error}", pattern.source()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_replaced_as_by_pythons_re() {
        // Printed by `re.sub(old + "$", new, word)` of Python 3.11.
        let table = [
            ("s", "", "casas", "casa"),
            ("s", "", "casas\n", "casa\n"),
            ("s", "", "cas\nas", "cas\na"),
            ("s", "x", "casa", "casa"),
            ("", "x", "ab", "abx"),
            ("", "x", "ab\n", "abx\nx"),
            ("a*", "x", "baa", "bxx"),
            ("[ao]s", "e", "gatos", "gate"),
            ("a|s", "e", "casas", "cesee"),
            (".", "", "\u{e9}\u{e9}", "\u{e9}"),
            ("\n", "x", "a\n\n", "axx"),
        ];
        for (old, new, word, expected) in table {
            let made = Substitution::at_end(old, new).unwrap().apply(word).unwrap();
            assert_eq!(made, expected, "{old:?} {word:?}");
        }
        for (old, word, expected) in [("a", "casa", "cese"), ("[as]", "casa", "ceee")] {
            let made = Substitution::anywhere(old, "e").unwrap().apply(word).unwrap();
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn expressions_that_cannot_be_applied_are_refused() {
        for (old, new) in [("(", ""), ("(a)", "\\1"), ("a", "\\")] {
            for made in [Substitution::at_end(old, new), Substitution::anywhere(old, new)] {
                assert_eq!(made.unwrap_err().code(), "lemma-table");
            }
        }
    }
}
