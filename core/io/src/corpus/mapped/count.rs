//! Counts of the values of an attribute in a corpus.

use ahash::AHashMap;
use lexpool::threads::{self, each};
use lexpool::vocab::{LexIx, LexemeField};
use lexpool::{Error, Result};
use lexpool_structs::{AttrId, TokenC};

use super::corpus::Corpus;
use super::runs::RowRun;

impl Corpus {
    /// Counts how often each value of an attribute occurs, on `threads` threads (0: one per
    /// core). Values of lexeme attributes are in the order in which their words first occur in the
    /// file, even for a part of it; others in the order of their first occurrence.
    ///
    /// Cost: lexeme attributes are counted by word, at most a nanosecond per token; others document
    /// by document.
    ///
    /// ```
    /// use lexpool_io::corpus::{Corpus, CorpusWriter, MappedWriter};
    /// use lexpool::strings::StrId;
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokenizer::Tokenizer;
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let docs = [tokenizer.tokenize("So it goes.")?, tokenizer.tokenize("so so")?];
    /// let mut writer = MappedWriter::new(Vec::new(), tokenizer.vocab()).unwrap();
    /// writer.write(MappedWriter::<Vec<u8>>::piece(&docs)?).unwrap();
    /// let corpus = Corpus::from_bytes(writer.finish().unwrap())?;
    /// let counts = corpus.count_by(AttrId::LOWER, 0)?;
    /// assert_eq!(corpus.vocab().strings().get_permanent(StrId::new(counts[0].0)), Some("so"));
    /// assert_eq!(counts[0].1, 3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of reading a document.
    pub fn count_by(&self, attr: AttrId, threads: usize) -> Result<Vec<(u64, u64)>> {
        let is_lexeme_attr =
            attr.is_flag() || (LexemeField::of(attr).is_some() && attr != AttrId::NORM);
        let runs = self.runs();
        if is_lexeme_attr {
            self.count_words(threads, &runs, attr)
        } else {
            self.count_tokens(threads, &runs, attr)
        }
    }

    fn count_words(
        &self,
        threads: usize,
        runs: &[RowRun],
        attr: AttrId,
    ) -> Result<Vec<(u64, u64)>> {
        let lexemes = self.file.lexemes() as usize;
        // Each thread has a table of all words, so there are no more parts than threads.
        let parts = runs.len().min(threads::size(threads)).max(1);
        let parts = runs.chunks(runs.len().div_ceil(parts).max(1)).collect();
        let counted = each(parts, threads, 1, |runs| {
            let mut counts = WordCounts::of(lexemes);
            for run in runs {
                counts.add(self.file.docs(run.batch)?.tokens(run.rows.clone()));
            }
            Ok::<_, Error>(counts.finish())
        })?;
        let mut by_word = Vec::new();
        for counts in counted {
            let counts = counts?;
            if by_word.is_empty() {
                by_word = counts;
            } else {
                by_word.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
            }
        }
        let snapshot = self.file.snapshot();
        let mut counts = ValueCounts::with_capacity(lexemes);
        // Words are in the file in the order in which they first occur.
        for (lex, count) in (0..).zip(by_word) {
            if count > 0 {
                let value = snapshot.cell(LexIx::from_raw(lex)).map_or(0, |cell| cell.attr(attr));
                counts.add(value, count);
            }
        }
        Ok(counts.in_order)
    }

    fn count_tokens(
        &self,
        threads: usize,
        runs: &[RowRun],
        attr: AttrId,
    ) -> Result<Vec<(u64, u64)>> {
        let snapshot = self.file.snapshot();
        let counted = each(runs.iter().collect(), threads, 1, |run| {
            let docs = self.file.docs(run.batch)?;
            let mut counts = ValueCounts::default();
            for row in run.rows.clone() {
                for (value, count) in docs.doc(row, &snapshot)?.attrs().count_by(attr) {
                    counts.add(value, count);
                }
            }
            Ok(counts)
        })?;
        let counted = counted.into_iter().collect::<Result<Vec<_>>>()?;
        let mut all = ValueCounts::default();
        counted
            .iter()
            .flat_map(|counts| &counts.in_order)
            .for_each(|(value, n)| all.add(*value, *n));
        Ok(all.in_order)
    }
}

/// Counter of lexemes.
///
/// Each lexeme has two 32-bit counters used in turns, so that a word that occurs twice in a row
/// does not wait for its own store. They are added to `counts` before they could overflow.
struct WordCounts {
    twins: Vec<[u32; 2]>,
    /// Number of tokens counted in `twins`.
    pending: usize,
    counts: Vec<u64>,
}

impl WordCounts {
    const MAX: usize = 1 << 31;

    fn of(lexemes: usize) -> WordCounts {
        WordCounts { twins: vec![[0; 2]; lexemes], pending: 0, counts: vec![0; lexemes] }
    }

    /// Counts tokens, whose lexeme indices were validated to be below the number of lexemes.
    fn add(&mut self, tokens: &[TokenC]) {
        for tokens in tokens.chunks(WordCounts::MAX) {
            if self.pending + tokens.len() > WordCounts::MAX {
                self.flush();
            }
            self.pending += tokens.len();
            let mut pairs = tokens.chunks_exact(2);
            for pair in &mut pairs {
                self.twins[pair[0].lex as usize][0] += 1;
                self.twins[pair[1].lex as usize][1] += 1;
            }
            for token in pairs.remainder() {
                self.twins[token.lex as usize][0] += 1;
            }
        }
    }

    fn flush(&mut self) {
        for (count, twins) in self.counts.iter_mut().zip(&mut self.twins) {
            *count += u64::from(twins[0]) + u64::from(twins[1]);
            *twins = [0; 2];
        }
        self.pending = 0;
    }

    fn finish(mut self) -> Vec<u64> {
        self.flush();
        self.counts
    }
}

/// Counts of values, in the order of their first occurrence.
#[derive(Default)]
struct ValueCounts {
    positions: AHashMap<u64, usize>,
    in_order: Vec<(u64, u64)>,
}

impl ValueCounts {
    fn with_capacity(values: usize) -> ValueCounts {
        ValueCounts {
            positions: AHashMap::with_capacity(values),
            in_order: Vec::with_capacity(values),
        }
    }

    fn add(&mut self, value: u64, count: u64) {
        let next = self.in_order.len();
        match *self.positions.entry(value).or_insert(next) {
            position if position == next => self.in_order.push((value, count)),
            position => self.in_order[position].1 += count,
        }
    }
}
