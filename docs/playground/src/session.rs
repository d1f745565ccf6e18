//! One page's tokenizer and its last text.

use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use serde_json::{Value, json};

use crate::{patterns, tokens};

/// An answer, or an error in the same form: `{"error": {"code": ..., "message": ...}}`.
pub type Answer = Result<Value, Value>;

/// The longest text, in bytes.
pub const LONGEST_TEXT: usize = 20_000;

/// The longest pattern, in bytes.
pub const LONGEST_PATTERN: usize = 20_000;

/// A vocab with more words than these is left for a new one: every word that is typed, and every
/// beginning of one, stays in its vocab.
const MAX_WORDS: usize = 200_000;

/// A tokenizer for English, and the document that it made last.
pub struct Session {
    tokenizer: Tokenizer,
    doc: Doc,
}

impl Session {
    /// A session without a text.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn new() -> Result<Session, Value> {
        let tokenizer = Tokenizer::blank("en").map_err(|error| from(&error))?;
        let doc = Doc::empty(tokenizer.vocab());
        Ok(Session { tokenizer, doc })
    }

    /// Tokenizes a text, which patterns are then looked for in; see [`tokens::describe`].
    ///
    /// # Errors
    ///
    /// `too-long` for more than [`LONGEST_TEXT`] bytes; what the tokenizer fails with.
    pub fn tokenize(&mut self, text: &str) -> Answer {
        fits("text", text, LONGEST_TEXT)?;
        if self.tokenizer.vocab().len() > MAX_WORDS {
            *self = Session::new()?;
        }
        self.doc = self.tokenizer.tokenize(text).map_err(|error| from(&error))?;
        let reasons = self.tokenizer.explain(text).map_err(|error| from(&error))?;
        Ok(tokens::describe(&self.doc, reasons))
    }

    /// Looks for a pattern in the last text; see [`patterns::find`].
    ///
    /// # Errors
    ///
    /// `too-long` for more than [`LONGEST_PATTERN`] bytes; what [`patterns::find`] fails with.
    pub fn find(&mut self, pattern: &str) -> Answer {
        fits("pattern", pattern, LONGEST_PATTERN)?;
        patterns::find(&self.tokenizer, &self.doc, pattern)
    }
}

/// An error of lexpool's as an answer.
pub fn from(error: &lexpool::Error) -> Value {
    failure(error.code(), error.message())
}

/// An error as an answer.
pub fn failure(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

fn fits(what: &str, given: &str, longest: usize) -> Result<(), Value> {
    if given.len() <= longest {
        return Ok(());
    }
    let len = given.len();
    let text = format!("the {what} has {len} bytes; this page takes {longest} at most");
    Err(failure("too-long", &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_and_the_last_text_stays() {
        let mut session = Session::new().unwrap();
        session.tokenize("one two").unwrap();
        let refused = session.tokenize(&"x".repeat(LONGEST_TEXT + 1)).unwrap_err();
        assert_eq!(refused["error"]["code"], "too-long");
        let refused = session.find(&" ".repeat(LONGEST_PATTERN + 1)).unwrap_err();
        assert_eq!(refused["error"]["code"], "too-long");
        let found = session.find(r#"[{"TEXT": "two"}]"#).unwrap();
        assert_eq!(found["matches"][0]["start"], 1);
    }

    #[test]
    fn the_longest_text_of_the_shortest_tokens_is_answered() {
        let mut session = Session::new().unwrap();
        let answer = session.tokenize(&"! ".repeat(LONGEST_TEXT / 2)).unwrap();
        assert_eq!(answer["tokens"].as_array().map(Vec::len), Some(LONGEST_TEXT / 2));
        assert_eq!(answer["lexemes"].as_array().map(Vec::len), Some(1));
        // More matches than a search may find, which is an error and not the end of memory.
        let refused = session.find(r#"[{"OP": "+"}]"#).unwrap_err();
        assert_eq!(refused["error"]["code"], "match-limit");
    }
}
