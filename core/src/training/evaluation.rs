//! Scores of a pipeline on the documents of a corpus.

use std::time::Instant;

use super::example::{Example, Reference};
use crate::Result;
use crate::config::Section;
use crate::pipeline::{Groups, Notes, PipelineDoc, Step, annotate_all};
use crate::scoring::{ScoredDoc, ScoredPair, Scorer};
use crate::tokens::Doc;

/// Annotates the documents of examples anew, and returns all scores of a pipeline by name, with
/// `speed` in words per second.
///
/// # Errors
///
/// The first error of a component, with the place of the document; the error of `check`, which is
/// called at least every 50 ms.
pub fn evaluate(
    steps: &[Step],
    scorers: &[Scorer],
    examples: &[Example],
    threads: usize,
    check: &dyn Fn() -> Result<()>,
) -> Result<Section> {
    let copies = examples.iter().map(|example| example.predicted().try_clone());
    let mut docs: Vec<Doc> = copies.collect::<Result<_>>()?;
    let start = Instant::now();
    let mut items: Vec<PipelineDoc<'_>> =
        docs.iter_mut().map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
    annotate_all(steps, &mut items, threads, &mut || check())?;
    let seconds = start.elapsed().as_secs_f64();
    let mut others: Vec<(Groups, Vec<(String, f64)>)> = Vec::with_capacity(items.len());
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
    let mut pairs: Vec<ScoredPair<'_>> = Vec::with_capacity(docs.len());
    for ((doc, (groups, cats)), example) in docs.iter().zip(&others).zip(examples) {
        let Reference { doc: gold, cats: gold_cats, groups: gold_groups, .. } = example.reference();
        pairs.push(ScoredPair {
            predicted: ScoredDoc { doc, cats, groups },
            reference: ScoredDoc { doc: gold, cats: gold_cats, groups: gold_groups },
            alignment: example.alignment(),
        });
    }
    let mut scores = Section::default();
    for scorer in scorers {
        let own = scorer.score(&pairs)?;
        own.iter().for_each(|(name, value)| scores.set(name, value.clone()));
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of words")]
    let words = docs.iter().map(Doc::len).sum::<usize>() as f64;
    scores.set("speed", words / seconds);
    Ok(scores)
}

fn cats_of(notes: &Notes) -> Vec<(String, f64)> {
    notes.unique_cats().into_iter().map(|(label, score)| (label.to_owned(), score)).collect()
}
