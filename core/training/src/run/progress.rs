//! The place of a training between two steps.

use lexpool_nn::learn::PythonRandom;

use lexpool::codes;
use lexpool::config::{Section, Value};
use lexpool::msgpack::{Item, Reader, Writer};
use lexpool::{Error, Result, limits};

/// The losses of the components that learn, in the order of the pipeline.
pub type Losses = Vec<(String, f64)>;

/// The place of a training between two steps: all that later steps depend on beside the components
/// and the optimizer.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The number of steps that were made.
    pub steps: usize,
    /// The number of the epoch.
    pub epoch: usize,
    /// The number of batches of the epoch that were made; 0 before it has begun.
    pub(crate) batches: usize,
    /// The examples in the order of the epoch; none of a stream.
    pub(crate) order: Vec<usize>,
    /// The number of sizes that the batcher had taken when the epoch began.
    pub(crate) sizes: u64,
    /// The generator of shuffles and of lengths of parses.
    pub(crate) random: PythonRandom,
    /// `true` if the last step is followed by an evaluation that has not ended.
    pub(crate) evaluation_is_due: bool,
    /// The losses since the last evaluation.
    pub losses: Losses,
    /// The score and the step of each evaluation.
    pub(crate) results: Vec<(f64, usize)>,
    /// The scores and losses of the last evaluation that `meta.json` has.
    pub performance: Option<Section>,
}

impl Progress {
    /// Makes the place before the first step.
    pub(crate) fn start(seed: u64, n_examples: usize, losses: Losses) -> Progress {
        Progress {
            steps: 0,
            epoch: 0,
            batches: 0,
            order: (0..n_examples).collect(),
            sizes: 0,
            random: PythonRandom::new(seed),
            evaluation_is_due: false,
            losses,
            results: Vec::new(),
            performance: None,
        }
    }

    /// Takes over the place of a saved training of as many examples and components.
    ///
    /// # Errors
    ///
    /// `state-content` for another number of examples or components.
    pub(crate) fn go_to(&mut self, saved: Progress) -> Result<()> {
        if saved.order.len() != self.order.len() {
            return Err(wrong("the order of the examples", "as many as the corpus has"));
        }
        if !saved.losses.iter().map(|(name, _)| name).eq(self.losses.iter().map(|(name, _)| name)) {
            return Err(wrong("the list of losses", "one for each component that learns"));
        }
        *self = saved;
        Ok(())
    }

    /// Returns the best score with the earliest step that had it.
    pub(crate) fn best(&self) -> Option<(f64, usize)> {
        self.results.iter().fold(None, |best: Option<(f64, usize)>, result| match best {
            Some((score, _)) if result.0 <= score => best,
            _ => Some(*result),
        })
    }

    /// Appends the place to a message.
    ///
    /// # Errors
    ///
    /// Those of [`Writer`].
    pub(crate) fn write(&self, out: &mut Writer) -> Result<()> {
        out.array(10)?;
        for count in [self.steps, self.epoch, self.batches] {
            out.uint(count as u64);
        }
        out.array(self.order.len())?;
        self.order.iter().for_each(|at| out.uint(*at as u64));
        out.uint(self.sizes);
        out.bytes(&self.random.to_bytes())?;
        out.bool(self.evaluation_is_due);
        out.array(self.losses.len())?;
        for (name, loss) in &self.losses {
            out.array(2)?;
            out.str(name)?;
            out.float(*loss);
        }
        out.array(self.results.len())?;
        for (score, step) in &self.results {
            out.array(2)?;
            out.float(*score);
            out.uint(*step as u64);
        }
        if let Some(performance) = &self.performance {
            return out.str(&Value::Section(performance.clone()).to_json());
        }
        out.nil();
        Ok(())
    }

    /// Reads what [`write`](Progress::write) has appended.
    ///
    /// # Errors
    ///
    /// `state-content` for values that no training has, `number-limit` for more steps than there
    /// may be, and those of [`Reader::item`].
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Progress> {
        if reader.array()? != 10 {
            return Err(wrong("the place in the training", "10 parts"));
        }
        let [steps, epoch, batches] = [(); 3].map(|()| count(reader));
        let (steps, epoch, batches) = (steps?, epoch?, batches?);
        let n = reader.array()?;
        let order = (0..n).map(|_| count(reader)).collect::<Result<Vec<_>>>()?;
        let mut is_seen = vec![false; n];
        let is_first =
            |at: &usize| is_seen.get_mut(*at).is_some_and(|seen| !std::mem::replace(seen, true));
        if !order.iter().all(is_first) {
            return Err(wrong("the order of the examples", "each position once"));
        }
        // Masks of dropout are functions of a step of 32 bits.
        limits::TRAINING_STEPS.check(steps, "the number of steps that were made")?;
        if (steps == 0) != (batches == 0) || batches > steps || epoch > steps {
            return Err(wrong("the place in the training", "a step that was made"));
        }
        let sizes = reader.uint()?;
        limits::TRAINING_STEPS.check(sizes, "the number of batch sizes")?;
        let random = PythonRandom::from_bytes(reader.bytes()?);
        let random = random.ok_or_else(|| wrong("the random numbers", "the state of MT19937"))?;
        let Item::Bool(evaluation_is_due) = reader.item()? else {
            return Err(wrong("the evaluation that is due", "true or false"));
        };
        let n_losses = reader.array()?;
        let loss = |_| match (reader.array()?, reader.item()?, reader.item()?) {
            (2, Item::Str(name), Item::Float(loss)) => Ok((name.to_owned(), loss)),
            _ => Err(wrong("a loss", "a name and a number")),
        };
        let losses = (0..n_losses).map(loss).collect::<Result<Losses>>()?;
        let n_results = reader.array()?;
        let result = |_| {
            let (2, Item::Float(score)) = (reader.array()?, reader.item()?) else {
                return Err(wrong("a result", "a score and a step"));
            };
            let step = count(reader)?;
            if step >= steps {
                return Err(wrong("the step of a result", "one that was made"));
            }
            Ok((score, step))
        };
        let results = (0..n_results).map(result).collect::<Result<Vec<_>>>()?;
        let performance = match reader.item()? {
            Item::Nil => None,
            Item::Str(json) => {
                let value = Value::from_json(json).ok();
                let figures = value.as_ref().and_then(Value::as_section).cloned();
                Some(figures.ok_or_else(|| wrong("the figures", "a JSON object"))?)
            }
            _ => return Err(wrong("the figures", "a JSON object")),
        };
        Ok(Progress {
            steps,
            epoch,
            batches,
            order,
            sizes,
            random,
            evaluation_is_due,
            losses,
            results,
            performance,
        })
    }
}

fn count(reader: &mut Reader<'_>) -> Result<usize> {
    let number = reader.uint()?;
    usize::try_from(number).map_err(|_| wrong("a number", "one that this machine can count"))
}

/// Returns the error for a part of a state that has another value than any training gives it.
pub(crate) fn wrong(part: &str, expected: &str) -> Error {
    Error::value(codes::STATE_CONTENT, format!("{part} of the state is wrong; expected {expected}"))
}
