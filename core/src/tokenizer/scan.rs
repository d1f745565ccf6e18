//! The tokens of texts that become no documents.

use lexpool_structs::TokenC;

use super::Tokenizer;
use crate::Result;
use crate::vocab::VocabSnapshot;

/// A text as its tokens, for as long as the next one is not cut.
pub(crate) struct Scanned<'a> {
    /// The number that the text was given with.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    pub(crate) snapshot: &'a VocabSnapshot,
    /// The records that a document would have.
    pub(crate) tokens: &'a [TokenC],
}

impl Tokenizer {
    /// Tokenizes texts, each with a number, one after another on this thread, and shows the tokens of
    /// each: for who asks for nothing but them. Cost: that of [`tokenize`](Tokenizer::tokenize), less the document.
    ///
    /// # Errors
    ///
    /// As for [`tokenize`](Tokenizer::tokenize), with the number of the text, and what `each` fails
    /// with.
    pub(crate) fn scan<'t>(
        &self,
        texts: impl IntoIterator<Item = (usize, &'t str)>,
        each: &mut dyn FnMut(Scanned<'_>) -> Result<()>,
    ) -> Result<()> {
        self.with_worker(|worker| {
            // One zone for all: whoever opens or closes one meanwhile waits for the next call.
            let snapshot = self.vocab().snapshot();
            for (number, text) in texts {
                let tokens = worker.cut(&snapshot, text, &mut || Ok(()));
                let tokens =
                    tokens.map_err(|error| error.context(format_args!("text {number}")))?;
                each(Scanned { number, text, snapshot: &snapshot, tokens })?;
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
