//! Tokenizing without documents, for callers that need the tokens only.

use super::Tokenizer;
use super::text::ScannedText;
use crate::Result;

impl Tokenizer {
    /// Tokenizes numbered texts one after another on this thread, and calls `each` with the tokens
    /// of each. Cost: that of [`tokenize`](Tokenizer::tokenize) without the document.
    ///
    /// # Errors
    ///
    /// Those of [`tokenize`](Tokenizer::tokenize), with the number of the text, and those of
    /// `each`.
    pub fn scan<'t>(
        &self,
        texts: impl IntoIterator<Item = (usize, &'t str)>,
        each: &mut dyn FnMut(ScannedText<'_>) -> Result<()>,
    ) -> Result<()> {
        self.with_worker(|worker| {
            // One snapshot for all texts: a zone that is opened or closed meanwhile has no effect
            // here.
            let snapshot = self.snapshot();
            for (number, text) in texts {
                let tokens = worker.scan(&snapshot, text, &mut || Ok(()));
                let tokens =
                    tokens.map_err(|error| error.context(format_args!("text {number}")))?;
                each(ScannedText { number, text, snapshot: &snapshot, tokens })?;
                worker.shrink();
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_documents() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let texts = ["Let's go to N.Y.!", "", "  don\u{2019}t \n", "zwei B\u{fc}cher"];
        let docs = texts.map(|text| tokenizer.tokenize(text).unwrap());
        let mut seen = 0;
        let scanned = tokenizer.scan(texts.into_iter().enumerate(), &mut |scanned| {
            assert_eq!(scanned.tokens, docs[scanned.number].tokens());
            assert_eq!(scanned.text, texts[scanned.number]);
            seen += 1;
            Ok(())
        });
        scanned.unwrap();
        assert_eq!(seen, texts.len());
    }
}
