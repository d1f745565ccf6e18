//! The documents of a pretraining, as far as a batch needs them.

use std::sync::Arc;

use lexpool::Result;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;

use crate::corpora::corpus_reader::CorpusReader;
use crate::corpora::example::Example;
use crate::corpora::example_stream::check_faults;
use crate::corpora::text_lines::{Line, LineReader};

/// The documents of a corpus. Of texts in lines only the places are kept; the documents of other
/// files stay in memory.
pub(super) struct PretrainingCorpus<'a> {
    reader: &'a CorpusReader,
    tokenizer: &'a Tokenizer,
    source: Source,
    /// The numbers of tokens that batches are made by.
    lengths: Arc<[usize]>,
    /// The number of tokens of all documents.
    words: usize,
}

enum Source {
    Lines { reader: LineReader, lines: Vec<Line> },
    Examples(Vec<Example>),
}

impl PretrainingCorpus<'_> {
    /// Reads a corpus, whose words enter the vocab. `check` is called every few documents; its
    /// error ends the reading.
    ///
    /// # Errors
    ///
    /// Those of [`CorpusReader::read`] and of `check`.
    pub(super) fn read<'a>(
        reader: &'a CorpusReader,
        tokenizer: &'a Tokenizer,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<PretrainingCorpus<'a>> {
        const DOCS: usize = 256;
        let Some(texts) = reader.text_lines()? else {
            let (source, lengths) = (Source::Examples(Vec::new()), Arc::default());
            let mut corpus = PretrainingCorpus { reader, tokenizer, source, lengths, words: 0 };
            corpus.read_examples(0)?;
            return Ok(corpus);
        };
        let (mut lines, mut lengths, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        texts.each(tokenizer, &mut faults, &mut |line, doc| {
            if lines.len() % DOCS == 0 {
                check()?;
            }
            lines.push(line);
            lengths.push(doc.len());
            Ok(())
        })?;
        check_faults(&faults)?;
        let words = lengths.iter().sum();
        let source = Source::Lines { reader: LineReader::new(texts), lines };
        Ok(PretrainingCorpus { reader, tokenizer, source, lengths: lengths.into(), words })
    }

    fn read_examples(&mut self, epoch: usize) -> Result<()> {
        let examples = self.reader.read_epoch(self.tokenizer, epoch)?.examples;
        self.lengths = examples.iter().map(|own| own.predicted().len()).collect();
        self.words = examples.iter().map(|own| own.reference().doc.len()).sum();
        self.source = Source::Examples(examples);
        Ok(())
    }

    /// Goes on to the documents of an epoch, which an augmenter may change.
    ///
    /// # Errors
    ///
    /// Those of [`CorpusReader::read`].
    pub(super) fn begin_epoch(&mut self, epoch: usize) -> Result<()> {
        if self.reader.varies() { self.read_examples(epoch) } else { Ok(()) }
    }

    /// Returns the numbers of tokens of the documents, by which batches are made. With annotated
    /// documents these are those of the tokenizer, as in spaCy.
    pub(super) fn lengths(&self) -> Arc<[usize]> {
        Arc::clone(&self.lengths)
    }

    /// Returns the number of tokens of all documents.
    pub(super) fn n_words(&self) -> usize {
        self.words
    }

    /// Calls a function with the documents at some positions.
    ///
    /// # Errors
    ///
    /// Those of [`LineReader::doc`] and of the function.
    pub(super) fn with_docs<R>(
        &mut self,
        positions: &[usize],
        work: impl FnOnce(&[&Doc]) -> Result<R>,
    ) -> Result<R> {
        match &mut self.source {
            Source::Examples(examples) => {
                let docs = positions.iter().map(|at| &examples[*at].reference().doc);
                work(&docs.collect::<Vec<_>>())
            }
            Source::Lines { reader, lines } => {
                let read = positions.iter().map(|at| reader.doc(lines[*at], self.tokenizer));
                let docs = read.collect::<Result<Vec<_>>>()?;
                work(&docs.iter().collect::<Vec<_>>())
            }
        }
    }
}
