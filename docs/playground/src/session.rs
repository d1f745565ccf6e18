//! One page's tokenizer, its trained pipeline, and its last text.

use lexpool::tokenizer::Tokenizer;
use lexpool::tokenizer::lang::{self, Direction};
use lexpool::tokens::Doc;
use serde_json::{Value, json};

use crate::annotation::Annotator;
use crate::{patterns, tokens};

/// An answer, or an error in the same form: `{"error": {"code": ..., "message": ...}}`.
pub type Answer = Result<Value, Value>;

/// The longest text, in bytes.
pub const LONGEST_TEXT: usize = 20_000;

/// The longest pattern, in bytes.
pub const LONGEST_PATTERN: usize = 20_000;

/// A vocab with more words than these is left for a new one: every word that is typed, and every
/// beginning of one, stays in its vocab.
pub(crate) const MAX_WORDS: usize = 200_000;

/// A tokenizer with the document that it made last, and a pipeline once one is loaded.
pub struct Session {
    lang: String,
    tokenizer: Tokenizer,
    doc: Doc,
    annotator: Option<Annotator>,
}

impl Session {
    /// A session for English without a text.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn new() -> Result<Session, Value> {
        Session::of_language("en")
    }

    fn of_language(lang: &str) -> Result<Session, Value> {
        let tokenizer = Tokenizer::blank(lang).map_err(|error| from(&error))?;
        let doc = Doc::empty(tokenizer.vocab());
        Ok(Session { lang: lang.to_owned(), tokenizer, doc, annotator: None })
    }

    /// Uses the rules of a language, given by its code, from now on; returns its code, name and
    /// direction. The pipeline stays.
    ///
    /// # Errors
    ///
    /// `unknown-language`; then the language stays as it is.
    pub fn set_language(&mut self, code: &str) -> Answer {
        let data = lang::load(code).map_err(|error| from(&error))?;
        if data.code != self.lang {
            let fresh = Session::of_language(&data.code)?;
            *self = Session { annotator: self.annotator.take(), ..fresh };
        }
        let direction = match data.writing_system.direction {
            Direction::LeftToRight => "ltr",
            Direction::RightToLeft => "rtl",
        };
        Ok(json!({"code": data.code, "name": data.title, "direction": direction}))
    }

    /// Tokenizes a text, which patterns are then looked for in; see [`tokens::describe`].
    ///
    /// # Errors
    ///
    /// `too-long` for more than [`LONGEST_TEXT`] bytes; what the tokenizer fails with.
    pub fn tokenize(&mut self, text: &str) -> Answer {
        fits("text", text, LONGEST_TEXT)?;
        if self.tokenizer.vocab().len() > MAX_WORDS {
            let fresh = Session::of_language(&self.lang)?;
            *self = Session { annotator: self.annotator.take(), ..fresh };
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

    /// Loads the packed file of a pipeline in the place of the one before; returns its `meta.json`.
    ///
    /// # Errors
    ///
    /// Those of [`Annotator::new`].
    pub fn load(&mut self, file: Vec<u8>) -> Answer {
        let annotator = Annotator::new(file)?;
        Ok(self.annotator.insert(annotator).meta())
    }

    /// Annotates a text with the pipeline; see [`Annotator::annotate`].
    ///
    /// # Errors
    ///
    /// `too-long` for more than [`LONGEST_TEXT`] bytes, `no-pipeline` before one is loaded; what
    /// the pipeline fails with.
    pub fn annotate(&mut self, text: &str) -> Answer {
        fits("text", text, LONGEST_TEXT)?;
        self.annotator.as_mut().ok_or_else(no_pipeline)?.annotate(text)
    }

    /// Draws the tree of a sentence of the annotated text; see [`Annotator::tree`].
    ///
    /// # Errors
    ///
    /// `no-pipeline` before one is loaded; those of [`Annotator::tree`].
    pub fn tree(&self, number: &str) -> Answer {
        self.annotator.as_ref().ok_or_else(no_pipeline)?.tree(number)
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

fn no_pipeline() -> Value {
    failure("no-pipeline", "no pipeline is loaded; load one first")
}

fn fits(what: &str, text: &str, longest: usize) -> Result<(), Value> {
    if text.len() <= longest {
        return Ok(());
    }
    let len = text.len();
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
    fn a_text_is_cut_by_the_rules_of_the_language_that_was_set_last() {
        let mut session = Session::new().unwrap();
        let words = |session: &mut Session, text: &str| -> Vec<String> {
            let answer = session.tokenize(text).unwrap();
            let tokens = answer["tokens"].as_array().unwrap().iter();
            tokens.map(|token| token["text"].as_str().unwrap().to_owned()).collect()
        };
        let said = session.set_language("fra").unwrap();
        assert_eq!(said, json!({"code": "fr", "name": "French", "direction": "ltr"}));
        assert_eq!(words(&mut session, "l'eau"), ["l'", "eau"]);
        assert_eq!(session.set_language("tlh").unwrap_err()["error"]["code"], "unknown-language");
        assert_eq!(words(&mut session, "l'eau"), ["l'", "eau"]);
        assert_eq!(session.set_language("ar").unwrap()["direction"], "rtl");
        let refused = session.set_language("ja").unwrap_err();
        assert_eq!(refused["error"]["code"], "segmenter-data");
        for code in lang::languages().filter(|&code| code != "ja") {
            session.set_language(code).unwrap();
            assert_eq!(
                words(&mut session, "12"),
                if code == "zh" { &["1", "2"][..] } else { &["12"] }
            );
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_not_annotated() {
        let mut session = Session::new().unwrap();
        let refused = session.annotate(&"x".repeat(LONGEST_TEXT + 1)).unwrap_err();
        assert_eq!(refused["error"]["code"], "too-long");
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
