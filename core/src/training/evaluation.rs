//! Scores of a pipeline on the documents of a corpus.

use std::time::Instant;

use super::example::{Example, Reference};
use crate::Result;
use crate::config::Section;
use crate::pipeline::{Groups, Notes, PipelineDoc, Step, annotate_all};
use crate::scoring::{ScoredDoc, ScoredPair, Scorer};
use crate::tokens::Doc;

/// The scorer of a step of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct StepScorer {
    /// The scorer.
    pub scorer: Scorer,
    /// The step that annotates documents with the entities of the references once more, which are
    /// scored in place of those that the pipeline has annotated: the position of a linker of
    /// entities that uses gold entities.
    pub with_gold_entities: Option<usize>,
}

impl From<Scorer> for StepScorer {
    fn from(scorer: Scorer) -> StepScorer {
        StepScorer { scorer, with_gold_entities: None }
    }
}

/// Annotates the documents of examples anew, and returns all scores of a pipeline by name, with
/// `speed` in words per second.
///
/// # Errors
///
/// The first error of a component, with the place of the document; the error of `check`, which is
/// called at least every 50 ms.
pub fn evaluate(
    steps: &[Step],
    scorers: &[StepScorer],
    examples: &[Example],
    threads: usize,
    check: &dyn Fn() -> Result<()>,
) -> Result<Section> {
    let copies = examples.iter().map(|example| example.predicted().try_clone());
    let mut docs: Vec<Doc> = copies.collect::<Result<_>>()?;
    let start = Instant::now();
    let others = annotated(steps, &mut docs, examples, threads, check)?;
    let seconds = start.elapsed().as_secs_f64();
    let mut scores = Section::default();
    for StepScorer { scorer, with_gold_entities } in scorers {
        let own = match with_gold_entities {
            None => scorer.score(&pairs_of(&docs, &others, examples))?,
            Some(step) => {
                let copies = docs.iter().zip(examples).map(|(doc, example)| {
                    let mut doc = doc.try_clone()?;
                    example.give_entities(&mut doc)?;
                    Ok(doc)
                });
                let mut linked: Vec<Doc> = copies.collect::<Result<_>>()?;
                let step = steps.get(*step).map_or(&[][..], std::slice::from_ref);
                annotated(step, &mut linked, examples, threads, check)?;
                scorer.score(&pairs_of(&linked, &others, examples))?
            }
        };
        own.iter().for_each(|(name, value)| scores.set(name, value.clone()));
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of words")]
    let words = docs.iter().map(Doc::len).sum::<usize>() as f64;
    scores.set("speed", words / seconds);
    Ok(scores)
}

/// The annotation of a document that it has no place for.
type Others = (Groups, Vec<(String, f64)>);

/// Runs steps on documents.
fn annotated(
    steps: &[Step],
    docs: &mut [Doc],
    examples: &[Example],
    threads: usize,
    check: &dyn Fn() -> Result<()>,
) -> Result<Vec<Others>> {
    let mut items: Vec<PipelineDoc<'_>> =
        docs.iter_mut().map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
    annotate_all(steps, &mut items, threads, &mut || check())?;
    let mut others = Vec::with_capacity(items.len());
    for (item, example) in items.into_iter().zip(examples) {
        let PipelineDoc { groups, notes, result, .. } = item;
        if let Some(Err((at, error))) = result {
            let place = &example.reference().place;
            return Err(error
                .context(format_args!("component {:?}", steps[at].name))
                .context(place));
        }
        others.push((groups, cats_of(&notes)));
    }
    Ok(others)
}

/// Puts documents beside their references.
fn pairs_of<'a>(
    docs: &'a [Doc],
    others: &'a [Others],
    examples: &'a [Example],
) -> Vec<ScoredPair<'a>> {
    let pair = |((doc, (groups, cats)), example): ((&'a Doc, &'a Others), &'a Example)| {
        let Reference { doc: gold, cats: gold_cats, groups: gold_groups, .. } = example.reference();
        ScoredPair {
            predicted: ScoredDoc { doc, cats, groups },
            reference: ScoredDoc { doc: gold, cats: gold_cats, groups: gold_groups },
            alignment: example.alignment(),
        }
    };
    docs.iter().zip(others).zip(examples).map(pair).collect()
}

fn cats_of(notes: &Notes) -> Vec<(String, f64)> {
    notes.unique_cats().into_iter().map(|(label, score)| (label.to_owned(), score)).collect()
}
