//! The rules of a run, ready to process texts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lexpool::structs::AttrId;

use super::super::args::Format;
use super::super::batch_pipeline::BatchProcessor;
use super::super::matching;
use super::checksums::text_digest;
use super::pipeline::Pipeline;
use lexpool::Result;
use lexpool::matcher::{Greedy, Rule, Ruler};
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Doc, EntityAssignment};
use lexpool_io::corpus::{CorpusWriter, SourceLocation};

/// Processing of texts; creates a processor with a fresh vocab on demand.
pub(super) struct Engine {
    lang: String,
    rules: Vec<Rule>,
    attr: AttrId,
    describe: String,
}

/// Limit of the memory of a vocab. A vocab keeps all words, so one that exceeds the limit is
/// replaced by a fresh one, which bounds the memory for any number of words.
const MAX_VOCAB_BYTES: usize = 1 << 30;

impl Engine {
    /// Reads the patterns.
    ///
    /// # Errors
    ///
    /// `pattern-syntax`; errors of the system.
    pub(super) fn new(pipeline: &Pipeline) -> Result<Engine> {
        let mut rules = Vec::new();
        for path in &pipeline.patterns {
            rules.append(&mut matching::read(path)?);
        }
        matching::warn_of_missing_annotation(&rules);
        let attr = if pipeline.by_lower { AttrId::LOWER } else { AttrId::ORTH };
        let describe = pipeline.describe();
        Ok(Engine { lang: pipeline.lang.clone(), rules, attr, describe })
    }

    /// Returns `true` if documents get annotation besides tokens.
    pub(super) fn annotates(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Returns a digest of everything besides the inputs that determines the bytes of outputs.
    pub(super) fn pipeline_digest(&self, to: Format) -> String {
        let rules = Rule::write_jsonl(&self.rules);
        text_digest(&format!("{}, to {}\n{rules}", self.describe, to.name()))
    }

    /// Creates a processor of batches with a vocab of its own.
    pub(super) fn processor<W: CorpusWriter>(
        &self,
        threads: usize,
    ) -> Result<BatchProcessor<W::Piece>> {
        let tokenizer = Arc::new(Tokenizer::blank(&self.lang)?);
        // One vocab serves many shards: results must not depend on which of two words with one id
        // came first.
        tokenizer.vocab().strings().set_strict(true);
        let ruler = match &*self.rules {
            [] => None,
            rules => Some(Ruler::new(rules, &tokenizer, self.attr)?),
        };
        let make =
            Arc::new(move |docs: &mut [Doc], locations: &[SourceLocation], _: &AtomicBool| {
                if let Some(ruler) = &ruler {
                    for (doc, place) in docs.iter_mut().zip(locations) {
                        set_ents(ruler, doc).map_err(|error| error.context(place))?;
                    }
                }
                W::piece(docs)
            });
        Ok(BatchProcessor { tokenizer, make, threads, caller_helps: false })
    }
}

/// Returns `true` if the vocab of a processor exceeds the limit.
pub(super) fn is_full<P>(processor: &BatchProcessor<P>) -> bool {
    processor.tokenizer.vocab().stats().reserved_bytes > MAX_VOCAB_BYTES
}

/// Sets the matches as entities as spaCy's entity ruler does: of overlapping ones the longest, of
/// several the first.
fn set_ents(ruler: &Ruler, doc: &mut Doc) -> Result<()> {
    let found = ruler.find(doc, None)?;
    let ranges: Vec<_> = found.iter().map(|found| found.tokens.clone()).collect();
    let mut entities = Vec::new();
    for at in Greedy::Longest.choose(&ranges)? {
        let tokens = &found[at].tokens;
        let label = doc.snapshot().add(found[at].label)?;
        let mut span = doc.span(tokens.start, tokens.end)?.record(label);
        if let Some(id) = found[at].id {
            span.id = doc.snapshot().add(id)?.get();
        }
        entities.push(span);
    }
    doc.entities_mut().set(&EntityAssignment { entities: &entities, ..EntityAssignment::default() })
}
