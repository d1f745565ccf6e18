//! Scores of a pipeline on the documents of a corpus.

use std::borrow::Cow;
use std::time::Instant;

use lexpool::Result;
use lexpool::alignment::Alignment;
use lexpool::config::Section;
use lexpool::pipeline::{Groups, Notes, PipelineDoc, Step, annotate_all};
use lexpool::tokens::Doc;

use crate::corpora::example::{Example, Reference};
use crate::scoring::{DocPair, ScoredExtras, ScoredPair, Scorer};

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
            None => score(scorer, &docs, &others, examples)?,
            Some(step) => {
                let copies = docs.iter().zip(examples).map(|(doc, example)| {
                    let mut doc = doc.try_clone()?;
                    example.give_entities(&mut doc)?;
                    Ok(doc)
                });
                let mut linked: Vec<Doc> = copies.collect::<Result<_>>()?;
                let step = steps.get(*step).map_or(&[][..], std::slice::from_ref);
                annotated(step, &mut linked, examples, threads, check)?;
                score(scorer, &linked, &others, examples)?
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

/// Returns the figures of documents beside the references of their examples.
fn score(
    scorer: &Scorer,
    docs: &[Doc],
    others: &[Others],
    examples: &[Example],
) -> Result<Section> {
    let alignments: Vec<Cow<'_, Alignment>> =
        docs.iter().zip(examples).map(alignment_of).collect::<Result<_>>()?;
    let mut pairs = Vec::with_capacity(docs.len());
    for (at, example) in examples.iter().enumerate().take(docs.len()) {
        let Reference { doc, cats, groups, .. } = example.reference();
        let (own_groups, own_cats) = &others[at];
        pairs.push(ScoredPair {
            docs: DocPair::new(&docs[at], doc, &alignments[at].x2y)?,
            predicted: ScoredExtras { cats: own_cats, groups: own_groups },
            reference: ScoredExtras { cats, groups },
        });
    }
    scorer.score(&pairs)
}

/// Returns the alignment of a document with the reference of its example; it is made anew if a
/// component has merged or split tokens.
fn alignment_of<'a>((doc, example): (&Doc, &'a Example)) -> Result<Cow<'a, Alignment>> {
    let starts = |doc: &Doc| doc.iter().map(|token| token.idx()).collect::<Vec<_>>();
    if starts(doc) == starts(example.predicted()) {
        return Ok(Cow::Borrowed(example.alignment()));
    }
    let words = |doc| Doc::iter(doc).map(|token| token.text()).collect::<Vec<_>>();
    let alignment = Alignment::of(&words(doc), &words(&example.reference().doc));
    alignment.map(Cow::Owned).map_err(|error| error.context(&example.reference().place))
}

fn cats_of(notes: &Notes) -> Vec<(String, f64)> {
    notes.unique_cats().into_iter().map(|(label, score)| (label.to_owned(), score)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lexpool::pipeline::MergeEntities;
    use lexpool::strings::StrId;
    use lexpool::tokens::EntityAssignment;
    use lexpool::vocab::{Getters, Vocab};

    use super::*;

    #[test]
    fn documents_whose_tokens_a_component_has_merged_are_aligned_anew() {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words = [("New", true), ("York", true), ("fell", false)];
        let [mut predicted, reference] = [(); 2].map(|()| Doc::from_words(&vocab, &words).unwrap());
        let label = vocab.strings().add("GPE").unwrap();
        let entity = predicted.span(0, 2).unwrap().record(StrId::new(label.get()));
        let given = EntityAssignment { entities: &[entity], ..EntityAssignment::default() };
        predicted.entities_mut().set(&given).unwrap();
        let place = "some.spacy, document 1".to_owned();
        let reference =
            Reference { doc: reference, cats: Vec::new(), groups: Groups::new(), place };
        let example = Example::new(predicted, reference).unwrap();
        let step = Step { name: "merge".to_owned(), component: Arc::new(MergeEntities) };
        let scorers = [Scorer::Tokenizer.into()];
        let scores = evaluate(&[step], &scorers, &[example], 1, &|| Ok(())).unwrap();
        let number = |name: &str| scores.get(name).and_then(lexpool::config::Value::as_float);
        // The other predicted token, "New York", aligns with two.
        assert_eq!(number("token_acc"), Some(0.5));
        assert_eq!(number("token_p"), Some(0.5));
        assert_eq!(number("token_r"), Some(1.0 / 3.0));
    }
}
