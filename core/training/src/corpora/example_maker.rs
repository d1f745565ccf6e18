//! Examples from references and texts: what is predicted, cut and left out.

use std::collections::VecDeque;

use lexpool::Result;
use lexpool::pipeline::Groups;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool_nn::learn::PythonRandom;

use super::corpus_reader::CorpusReader;
use super::example::{Example, Reference};

/// The next thing in a corpus.
pub(crate) enum StreamItem {
    Example(Example),
    /// The message about a document that cannot be used.
    Fault(String),
}

/// Makes examples of references and texts.
pub(crate) struct ExampleMaker<'a> {
    pub(crate) reader: &'a CorpusReader,
    pub(crate) tokenizer: &'a Tokenizer,
    random: PythonRandom,
    ready: VecDeque<StreamItem>,
    too_long: usize,
}

impl<'a> ExampleMaker<'a> {
    pub(crate) fn new(
        reader: &'a CorpusReader,
        tokenizer: &'a Tokenizer,
        seed: u64,
    ) -> ExampleMaker<'a> {
        let random = PythonRandom::new(seed);
        ExampleMaker { reader, tokenizer, random, ready: VecDeque::new(), too_long: 0 }
    }

    /// Returns the next example or fault of what was added.
    pub(crate) fn next(&mut self) -> Option<StreamItem> {
        self.ready.pop_front()
    }

    /// Returns the number of documents and sentences that `max_length` has left out.
    pub(crate) fn too_long(&self) -> usize {
        self.too_long
    }

    /// Adds the example of a reference, or those of its sentences.
    pub(crate) fn add(&mut self, reference: Reference) -> Result<()> {
        let max = self.reader.max_length;
        let is_short = |len: usize| max == 0 || len < max;
        let has_sentences = reference.doc.sentences().are_set();
        if self.reader.format.has_gold_tokens() {
            return if has_sentences {
                self.sentences(&reference, |_| true, true)
            } else {
                self.example(reference, true)
            };
        }
        if is_short(reference.doc.len()) {
            self.example(reference, false)
        } else if has_sentences {
            self.sentences(&reference, is_short, false)
        } else {
            self.too_long += 1;
            Ok(())
        }
    }

    fn sentences(
        &mut self,
        reference: &Reference,
        is_used: impl Fn(usize) -> bool,
        gold_tokens: bool,
    ) -> Result<()> {
        for range in reference.doc.sentences().ranges()?.collect::<Vec<_>>() {
            if !is_used(range.len()) {
                self.too_long += 1;
                continue;
            }
            let place = format!("{}, sentence at token {}", reference.place, range.start);
            let doc = reference.doc.span(range.start, range.end)?.to_doc()?;
            let sentence = Reference { doc, cats: Vec::new(), groups: Groups::new(), place };
            self.example(sentence, gold_tokens)?;
        }
        Ok(())
    }

    fn example(&mut self, mut reference: Reference, gold_tokens: bool) -> Result<()> {
        if let Some(augmenter) = &self.reader.augmenter {
            if let Some(text) = augmenter.apply(&mut reference, &mut self.random)? {
                let predicted = self.tokenizer.tokenize(&text)?;
                self.push(predicted, reference);
                return Ok(());
            }
        }
        let doc = &reference.doc;
        let predicted = if gold_tokens || doc.has_unknown_spaces() {
            same_words(doc, self.tokenizer)?
        } else {
            self.tokenizer.tokenize(doc.text())?
        };
        self.push(predicted, reference);
        Ok(())
    }

    /// Adds a text, which is its own reference.
    pub(crate) fn add_text(&mut self, doc: Doc, place: String) -> Result<()> {
        let same = same_words(&doc, self.tokenizer)?;
        self.push(doc, Reference { doc: same, cats: Vec::new(), groups: Groups::new(), place });
        Ok(())
    }

    /// Adds the message about a text that cannot be used.
    pub(crate) fn add_fault(&mut self, fault: String) {
        self.ready.push_back(StreamItem::Fault(fault));
    }

    fn push(&mut self, predicted: Doc, reference: Reference) {
        self.ready.push_back(match Example::new(predicted, reference) {
            Ok(example) => StreamItem::Example(example),
            Err(error) => StreamItem::Fault(error.message().to_owned()),
        });
    }
}

/// Makes a document of the words of another one.
fn same_words(doc: &Doc, tokenizer: &Tokenizer) -> Result<Doc> {
    let words: Vec<_> = doc.iter().map(|token| (token.text(), token.record().spacy())).collect();
    Doc::from_words(tokenizer.vocab(), &words)
}
