//! The plan of the memory of a training, made before its first step.
//!
//! Corpora are counted while they are read, so that one that does not fit is refused before it
//! takes the memory. Weights are there and are counted. The memory of steps is found by running the
//! networks on some words, and grows with the words of a batch. Of a corpus that is read while
//! training, the first documents stand for all.

use std::fmt;

use lexpool::codes;
use lexpool::config::Section;
use lexpool::escape::shown;
use lexpool::pipeline::Groups;
use lexpool::tokenizer::Tokenizer;
use lexpool::{Error, ErrorKind, Result};
use lexpool_nn::Rows;
use lexpool_nn::learn::{Dropout, PythonRandom, StepKey, Workers};

use super::available_memory::{available, resident};
use super::pipeline::TrainingPipeline;
use super::plan::{Part, TrainingPlan};
use crate::components::component::UpdateMemory;
use crate::components::update::UpdateBatch;
use crate::corpora::example::{Example, Reference};
use crate::corpora::example_stream::ReadExamples;

/// The memory that a training needs, in bytes, by purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryPlan {
    /// The memory that the process had before the training.
    pub process: u64,
    /// Weights, their gradients, what the optimizer keeps of each, and the copies that are
    /// evaluated and saved; word vectors.
    pub parameters: u64,
    /// The documents of both corpora, their words, and the documents that are evaluated.
    pub corpus: u64,
    /// The memory that a step needs with the largest batch.
    pub workspace: u64,
    /// The words of the largest batch, or of a part of one if gradients are accumulated.
    pub batch_words: u64,
    /// The limit; `None` without one.
    pub limit: Option<u64>,
}

/// The share of the available memory that a training takes if no limit was given, in percent.
const SHARE: u64 = 80;

/// The number of words that networks run on for the plan.
const SAMPLE: usize = 1_000;

impl MemoryPlan {
    /// Returns the sum of all purposes.
    pub fn total(&self) -> u64 {
        self.parts().iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Returns the purposes with their bytes.
    pub fn parts(&self) -> [(&'static str, u64); 4] {
        [
            ("process", self.process),
            ("parameters", self.parameters),
            ("corpus", self.corpus),
            ("workspace", self.workspace),
        ]
    }

    /// Returns all figures by name, as for JSON; a limit that is missing is left out.
    pub fn to_section(&self) -> Section {
        let total = [("total", self.total()), ("batch_words", self.batch_words)];
        let limit = self.limit.map(|limit| ("limit", limit));
        let all = self.parts().into_iter().chain(total).chain(limit);
        let count = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        all.map(|(name, bytes)| (name.to_owned(), count(bytes).into())).collect()
    }
}

/// The bytes of a number of megabytes (10^6), for messages.
struct Megabytes(u64);

impl fmt::Display for Megabytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} MB", self.0 / 1_000_000, self.0 % 1_000_000 / 100_000)
    }
}

/// The two corpora of a training.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Corpus {
    Train,
    Dev,
}

/// Reads the corpora and makes the plan of a training that begins in the state of a process.
pub(crate) struct MemoryPlanner {
    process: u64,
    limit: Option<u64>,
    /// The bytes of the examples that were read.
    examples: u64,
}

/// The number of examples that are read between two looks at whether to stop.
const CHECK_EVERY: usize = 256;

/// The number of examples of a stream that the largest batch is taken from: some batches of a few
/// words each.
const STREAM_LENGTHS: usize = 10_000;

impl MemoryPlanner {
    /// Looks at the process before the training reads anything. `limit` replaces the share of the
    /// available memory.
    pub(crate) fn start(limit: Option<u64>) -> MemoryPlanner {
        let share = || Some(available()? / 100 * SHARE);
        MemoryPlanner { process: resident().unwrap_or(0), limit: limit.or_else(share), examples: 0 }
    }

    /// Reads examples of a corpus, at most `most`. `check` is called now and then, and ends the
    /// reading with its error.
    ///
    /// # Errors
    ///
    /// `training-memory` as soon as a file or the examples need more than the limit; those of
    /// reading.
    pub(crate) fn read(
        &mut self,
        plan: &TrainingPlan,
        corpus: Corpus,
        tokenizer: &Tokenizer,
        most: usize,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<ReadExamples> {
        let reader = match corpus {
            Corpus::Train => &plan.train,
            Corpus::Dev => &plan.dev,
        };
        let left = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.process));
        for (path, bytes) in reader.held_files()? {
            if bytes > left {
                return Err(self.no_room(
                    plan,
                    corpus,
                    &format!("the file {}", shown(&path)),
                    bytes,
                ));
            }
        }
        let mut n_read = 0;
        reader.read_while(tokenizer, &mut |example| {
            n_read += 1;
            if n_read % CHECK_EVERY == 0 {
                check()?;
            }
            self.examples += example.n_bytes() as u64;
            if self.examples > left {
                let what = format!("the documents up to {}", example.reference().place);
                return Err(self.no_room(plan, corpus, &what, self.examples));
            }
            Ok(n_read < most)
        })
    }

    /// Returns the error for a part of a corpus that needs more than the limit leaves.
    fn no_room(&self, plan: &TrainingPlan, corpus: Corpus, what: &str, bytes: u64) -> Error {
        let settings = &plan.settings;
        let name = match corpus {
            Corpus::Train => &settings.train_corpus,
            Corpus::Dev => &settings.dev_corpus,
        };
        let stream = if corpus == Corpus::Train && settings.max_epochs >= 0 {
            ", or \"max_epochs\" of [training] to -1, so that documents are read while training"
        } else {
            ""
        };
        let text = format!(
            "{}, [{name}]: {what} need {} beside the {} of the process, more than the limit of {}: \
             set \"limit\" of [{name}] to fewer documents, cut the corpus into smaller \
             files{stream}; or give a higher limit with --memory (memory= in Python)",
            plan.config.origin(),
            Megabytes(bytes),
            Megabytes(self.process),
            Megabytes(self.limit.unwrap_or(u64::MAX)),
        );
        Error::new(ErrorKind::Memory, codes::TRAINING_MEMORY, text)
    }

    /// Plans the memory of an initialized pipeline, and compares it with the limit.
    ///
    /// # Errors
    ///
    /// `training-memory` for more than the limit; those of the networks.
    pub(crate) fn plan(
        &self,
        plan: &TrainingPlan,
        pipeline: &mut TrainingPipeline,
        train: &[Example],
        dev: &[Example],
        threads: usize,
    ) -> Result<MemoryPlan> {
        let (sample, words) = sample(train)?;
        let lengths = train.iter().map(|example| example.predicted().len());
        let lengths: Vec<usize> = if plan.settings.max_epochs < 0 {
            lengths.clone().cycle().take(lengths.len().max(STREAM_LENGTHS)).collect()
        } else {
            lengths.collect()
        };
        let largest = plan.batcher.largest(&lengths, plan.settings.accumulate_gradient);
        let of_sample = workspace(pipeline, &sample, plan, threads)?;
        let workspace = of_sample.div_ceil(words.max(1)).saturating_mul(largest);
        let made = MemoryPlan {
            process: self.process,
            parameters: parameters(pipeline, plan.optimizer.use_averages),
            corpus: corpus(pipeline, train, dev),
            workspace: workspace as u64,
            batch_words: largest as u64,
            limit: self.limit,
        };
        match self.limit {
            Some(limit) if made.total() > limit => {
                Err(made.refusal(limit, plan, train.iter().max_by_key(|own| own.predicted().len())))
            }
            _ => Ok(made),
        }
    }
}

impl MemoryPlan {
    /// Returns the error that names the largest part, and what makes it smaller.
    fn refusal(&self, limit: u64, plan: &TrainingPlan, longest: Option<&Example>) -> Error {
        let parts = self.parts();
        let listed = parts.map(|(name, bytes)| format!("{name} {}", Megabytes(bytes))).join(", ");
        // No setting makes the process smaller.
        let largest = parts[1..].iter().max_by_key(|(_, bytes)| *bytes);
        let (largest, own) = largest.expect("three parts");
        let (origin, corpus) = (plan.config.origin(), &plan.settings.train_corpus);
        let rest = self.total() - own;
        let per_word = (self.workspace / self.batch_words.max(1)).max(1);
        let words = limit.saturating_sub(rest) / per_word;
        let remedy = match *largest {
            "workspace" => {
                let longest =
                    longest.filter(|own| own.predicted().len() as u64 == self.batch_words);
                match longest {
                    Some(example) => format!(
                        "the largest batch is one document, {}, of {} words: set \"max_length\" of \
                         [{corpus}] to at most {words}, so that documents are cut into sentences",
                        example.reference().place,
                        self.batch_words,
                    ),
                    None => format!(
                        "the largest batch has {} words: set \"size\" of [training.batcher] to at \
                         most {words}, or \"accumulate_gradient\" of [training] to more than {}",
                        self.batch_words, plan.settings.accumulate_gradient
                    ),
                }
            }
            "corpus" => format!("set \"limit\" of [{corpus}] to fewer documents"),
            _ => "give the networks of [components] a smaller \"width\" or fewer \"rows\", or \
                  leave out vectors and \"use_averages\""
                .to_owned(),
        };
        let text = format!(
            "{origin}: the training needs about {}, more than the limit of {} ({listed}); the \
             largest part is {largest}: {remedy}; or give a higher limit with --memory (memory= in \
             Python)",
            Megabytes(self.total()),
            Megabytes(limit),
        );
        Error::new(ErrorKind::Memory, codes::TRAINING_MEMORY, text)
    }
}

/// Returns documents of together about as many words as [`SAMPLE`], and how many these are. A
/// longer document is cut.
fn sample(examples: &[Example]) -> Result<(Vec<Example>, usize)> {
    let (mut sample, mut words) = (Vec::new(), 0);
    for example in examples {
        if words >= SAMPLE {
            break;
        }
        let doc = example.predicted();
        let taken = if doc.len() > SAMPLE {
            let cut = || doc.span(0, SAMPLE)?.to_doc();
            let place = example.reference().place.clone();
            let reference =
                Reference { doc: cut()?, cats: Vec::new(), groups: Groups::new(), place };
            Example::new(cut()?, reference)?
        } else {
            example.try_clone()?
        };
        words += taken.predicted().len();
        sample.push(taken);
    }
    Ok((sample, words))
}

/// Returns the bytes of an update of all components with a batch.
fn workspace(
    pipeline: &mut TrainingPipeline,
    sample: &[Example],
    plan: &TrainingPlan,
    threads: usize,
) -> Result<usize> {
    let examples: Vec<&Example> = sample.iter().collect();
    let vectors = pipeline.tokenizer.vocab().vectors().map(|vectors| vectors as _);
    let mut shared: Option<Rows> = None;
    let (mut kept, mut passing) = (0, 0);
    for component in &mut pipeline.components {
        let Part::Trained(trained) = &mut component.part else { continue };
        let batch = UpdateBatch {
            examples: &examples,
            dropout: Dropout::by_counter(plan.settings.dropout, StepKey::default()),
            random: &mut PythonRandom::new(0),
            workers: Workers::new(threads),
            vectors: Clone::clone(&vectors),
            shared_rows: shared.as_ref(),
            spans: None,
            d_shared: None,
            shared_loss: 0.0,
        };
        let UpdateMemory { kept: own, passing: freed } = trained.update_memory(&batch)?;
        kept += own;
        passing = passing.max(freed);
        let rows = trained.shared_rows(&batch)?;
        // Drops what a backward pass would need.
        trained.backward(&batch, None)?;
        shared = rows.or(shared);
    }
    Ok(kept + passing)
}

/// Returns the bytes of weights and vectors.
fn parameters(pipeline: &mut TrainingPipeline, use_averages: bool) -> u64 {
    // Weights, gradients, two moments; what is evaluated, its file, and the state.
    let copies = 4 + usize::from(use_averages) + 3;
    let vectors = pipeline.tokenizer.vocab().vectors();
    let vectors = vectors.map_or(0, |vectors| vectors.rows().len() * vectors.rows().width());
    let mut numbers = vectors;
    for component in &mut pipeline.components {
        if let Part::Trained(trained) = &mut component.part {
            numbers += trained.learned().map_or(0, |own| own.parameters.arena().len() * copies);
        }
    }
    (numbers * size_of::<f32>()) as u64
}

/// Returns the bytes of documents, of their words, and of the documents that are evaluated.
fn corpus(pipeline: &TrainingPipeline, train: &[Example], dev: &[Example]) -> u64 {
    let all = train.iter().chain(dev).map(Example::n_bytes).sum::<usize>();
    let evaluated = dev.iter().map(Example::n_bytes).sum::<usize>();
    (all + evaluated + pipeline.tokenizer.vocab().stats().reserved_bytes) as u64
}
