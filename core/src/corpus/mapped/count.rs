//! How often each value of an attribute occurs in a corpus.

use ahash::AHashMap;
use lexpool_structs::AttrId;
use rayon::prelude::*;

use super::Corpus;
use super::runs::Run;
use crate::threads::{self, Busy};
use crate::tokens::count_by;
use crate::vocab::{LexIx, LexemeField};
use crate::{Error, Result};

impl Corpus {
    /// How often each value of an attribute occurs, in the order of first occurrence, on `threads`
    /// threads (0: one a core).
    ///
    /// Cost: what belongs to words is counted by word, a nanosecond or less a token; the rest document
    /// by document.
    ///
    /// ```
    /// use lexpool::corpus::{Corpus, CorpusWriter, MappedWriter};
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokenizer::Tokenizer;
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let docs = [tokenizer.tokenize("So it goes.")?, tokenizer.tokenize("so so")?];
    /// let mut writer = MappedWriter::new(Vec::new(), tokenizer.vocab()).unwrap();
    /// writer.write(MappedWriter::<Vec<u8>>::piece(&docs)?).unwrap();
    /// let corpus = Corpus::from_bytes(writer.finish().unwrap())?;
    /// let counts = corpus.count_by(AttrId::LOWER, 0)?;
    /// assert_eq!(corpus.vocab().strings().get_permanent(counts[0].0.into()), Some("so"));
    /// assert_eq!(counts[0].1, 3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of reading a document.
    pub fn count_by(&self, attr: AttrId, threads: usize) -> Result<Vec<(u64, u64)>> {
        let is_of_words =
            attr.is_flag() || (LexemeField::of(attr).is_some() && attr != AttrId::NORM);
        let runs = self.runs();
        threads::pool(threads)?.install(|| {
            if is_of_words { self.count_words(&runs, attr) } else { self.count_tokens(&runs, attr) }
        })
    }

    fn count_words(&self, runs: &[Run], attr: AttrId) -> Result<Vec<(u64, u64)>> {
        let lexemes = self.file.lexemes() as usize;
        let parts = runs.len().min(rayon::current_num_threads()).max(1);
        let of_word = runs
            .par_chunks(runs.len().div_ceil(parts).max(1))
            .map(|runs| {
                let _busy = Busy::enter();
                let mut counts = vec![0_u64; lexemes];
                for run in runs {
                    // Judged, so each is less than the number of lexemes.
                    for token in self.file.docs(run.batch)?.tokens(run.rows.clone()) {
                        counts[token.lex as usize] += 1;
                    }
                }
                Ok(counts)
            })
            .try_reduce_with(|mut all, counts| {
                all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
                Ok::<_, Error>(all)
            });
        let scope = self.file.scope();
        let mut counts = Counts::default();
        // Words stand in the file in the order in which they first occur.
        for (lex, count) in (0..).zip(of_word.transpose()?.unwrap_or_default()) {
            if count > 0 {
                let value = scope.cell(LexIx::from_raw(lex)).map_or(0, |cell| cell.attr(attr));
                counts.add(value, count);
            }
        }
        Ok(counts.in_order)
    }

    fn count_tokens(&self, runs: &[Run], attr: AttrId) -> Result<Vec<(u64, u64)>> {
        let scope = self.file.scope();
        let counted = runs
            .par_iter()
            .map(|run| {
                let _busy = Busy::enter();
                let docs = self.file.docs(run.batch)?;
                let mut counts = Counts::default();
                for row in run.rows.clone() {
                    for (value, count) in count_by(&docs.doc(row, &scope)?, attr) {
                        counts.add(value, count);
                    }
                }
                Ok(counts)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut all = Counts::default();
        counted
            .iter()
            .flat_map(|counts| &counts.in_order)
            .for_each(|(value, n)| all.add(*value, *n));
        Ok(all.in_order)
    }
}

#[derive(Default)]
struct Counts {
    places: AHashMap<u64, usize>,
    in_order: Vec<(u64, u64)>,
}

impl Counts {
    fn add(&mut self, value: u64, count: u64) {
        let next = self.in_order.len();
        match *self.places.entry(value).or_insert(next) {
            place if place == next => self.in_order.push((value, count)),
            place => self.in_order[place].1 += count,
        }
    }
}
