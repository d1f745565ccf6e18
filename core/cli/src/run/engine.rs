//! A pipeline at work.

use std::sync::Arc;

use lexpool::structs::AttrId;

use super::super::args::Format;
use super::super::matching;
use super::super::pump::Work;
use super::pipeline::Pipeline;
use super::sums;
use lexpool::Result;
use lexpool::corpus::{CorpusWriter, SourceLocation};
use lexpool::matcher::{Greedy, Rule, Ruler};
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Doc, EntityAssignment};

/// What is done with texts, and how to begin anew.
pub(super) struct Engine {
    lang: String,
    rules: Vec<Rule>,
    attr: AttrId,
    describe: String,
}

/// A vocab keeps all words that it meets. One that has grown so large is left for a new one, so that
/// memory is bounded however many words there are.
const MOST_BYTES: usize = 1 << 30;

impl Engine {
    /// Reads the patterns.
    ///
    /// # Errors
    ///
    /// `pattern-syntax`; those of the system.
    pub(super) fn new(pipeline: &Pipeline) -> Result<Engine> {
        let mut rules = Vec::new();
        for path in &pipeline.patterns {
            rules.append(&mut matching::read(path)?);
        }
        matching::warn_of_what_texts_have_not(&rules);
        let attr = if pipeline.by_lower { AttrId::LOWER } else { AttrId::ORTH };
        let describe = pipeline.describe();
        Ok(Engine { lang: pipeline.lang.clone(), rules, attr, describe })
    }

    /// Whether documents get more than tokens.
    pub(super) fn annotates(&self) -> bool {
        !self.rules.is_empty()
    }

    /// A sum of all that the bytes of outputs depend on beside the inputs.
    pub(super) fn plan(&self, to: Format) -> String {
        let rules = Rule::write_jsonl(&self.rules);
        sums::of_text(&format!("{}, to {}\n{rules}", self.describe, to.name()))
    }

    /// What is done with a batch, with a vocab of its own.
    pub(super) fn work<W: CorpusWriter>(&self, threads: usize) -> Result<Work<W::Piece>> {
        let tokenizer = Arc::new(Tokenizer::blank(&self.lang)?);
        // One vocab serves many shards: of two words with one id, which came first must not matter.
        tokenizer.vocab().strings().set_strict(true);
        let ruler = match &*self.rules {
            [] => None,
            rules => Some(Ruler::new(rules, &tokenizer, self.attr)?),
        };
        let make = Arc::new(move |docs: &mut [Doc], places: &[SourceLocation]| {
            if let Some(ruler) = &ruler {
                for (doc, place) in docs.iter_mut().zip(places) {
                    set_ents(ruler, doc).map_err(|error| error.context(place))?;
                }
            }
            W::piece(docs)
        });
        Ok(Work { tokenizer, make, threads })
    }

    /// Whether a vocab has grown too large.
    pub(super) fn is_full<P>(work: &Work<P>) -> bool {
        work.tokenizer.vocab().stats().reserved_bytes > MOST_BYTES
    }
}

/// Sets the matches as entities, as spaCy's entity ruler does: of those that overlap the longest,
/// and of those the first.
fn set_ents(ruler: &Ruler, doc: &mut Doc) -> Result<()> {
    let found = ruler.find(doc, None)?;
    let ranges: Vec<_> = found.iter().map(|found| found.tokens.clone()).collect();
    let mut entities = Vec::new();
    for at in Greedy::Longest.choose(&ranges) {
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
