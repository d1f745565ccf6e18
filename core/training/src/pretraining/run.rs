//! The epochs of a pretraining, and its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lexpool::config::{Section, Value};
use lexpool::escape::shown;
use lexpool::files::{AtomicFile, Links, remove_leftovers};
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_nn::learn::Workers;

use super::corpus::PretrainingCorpus;
use super::network::PretrainedNetwork;
use super::settings::PretrainingPlan;
use crate::run::pipeline::{read_vectors, tokenizer_of};

/// The number of words from one report to the next.
const WORDS_OF_REPORT: usize = 10_000;
/// The name of the log, which has a line for each file of weights.
const LOG: &str = "log.jsonl";
const LAST: &str = "model-last.bin";

/// Receiver of the events of a pretraining.
pub trait PretrainingWatcher {
    /// Returns an error to end the pretraining after the batch at hand: its weights are saved.
    ///
    /// # Errors
    ///
    /// An error of the kind [`ErrorKind::Interrupted`].
    fn check(&self) -> Result<()>;

    /// Is told when the corpus was read and the weights made.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn started(&mut self, start: &PretrainingStart) -> Result<()>;

    /// Is told how far the pretraining is, after each 10,000 words.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn progress(&mut self, report: &PretrainingReport) -> Result<()>;
}

/// Facts that are known before the first update.
#[derive(Clone, Debug)]
pub struct PretrainingStart {
    /// The first epoch.
    pub epoch: usize,
    /// The number of parameters, with those of the objective's network.
    pub parameters: usize,
    /// The numbers of documents and of their words.
    pub corpus: (usize, usize),
    /// `true` if the folder had files before.
    pub has_files: bool,
}

/// The figures of a pretraining so far.
#[derive(Clone, Copy, Debug)]
pub struct PretrainingReport {
    /// The number of the epoch, from 0 on.
    pub epoch: usize,
    /// The number of words that were learned from.
    pub words: usize,
    /// The sum of all losses.
    pub loss: f64,
    /// The sum of the losses since the last report.
    pub new_loss: f64,
    /// The number of words a second since the last report.
    pub speed: f64,
}

/// The point that a pretraining begins at, and how it runs.
#[derive(Clone, Debug, Default)]
pub struct PretrainingOptions {
    /// The weights to go on from.
    pub resume_path: Option<PathBuf>,
    /// The first epoch, for weights to go on from; by default the one behind that in the name of
    /// their file.
    pub epoch_resume: Option<usize>,
    /// `true` to write no `model-last.bin`.
    pub skips_last: bool,
    /// The number of threads; 0 for one for each core.
    pub threads: usize,
}

/// The end of a pretraining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PretrainingEnd {
    /// All epochs were made.
    Finished,
    /// It was asked to end.
    Stopped,
}

/// Pretrains a network, and writes into `output` its weights after epochs (`model0.bin`, ...) and
/// at the end (`model-last.bin`), `log.jsonl` and `config.cfg`. The weights have the same bits for
/// any number of threads. An error after the first update, as of a file that can no longer be read,
/// leaves `model-last.bin` too.
///
/// # Errors
///
/// `E1020` for a file of weights to go on from that has another name, without an epoch;
/// `weights-different` for weights of another network; `E986` for a corpus without words; `E874`
/// for a network without a row for each word; `E875` for the objective of vectors in a vocab
/// without any; `E910` for a loss or weights of NaN or infinity; those of reading the corpus and
/// of writing.
pub fn pretrain(
    plan: &PretrainingPlan,
    output: &Path,
    options: &PretrainingOptions,
    watcher: &mut dyn PretrainingWatcher,
) -> Result<PretrainingEnd> {
    let first = first_epoch(options)?;
    let weights = options.resume_path.as_deref().map(|path| {
        fs::read(path).map_err(|error| Error::io("read", path, error)).map(|bytes| (path, bytes))
    });
    let weights = weights.transpose()?;
    let (tokenizer, _) = tokenizer_of(&plan.lang, &plan.resolved)?;
    if let Some(folder) = &plan.vectors {
        read_vectors(tokenizer.vocab(), folder)?;
    }
    let mut corpus = PretrainingCorpus::read(&plan.corpus, &tokenizer, &|| watcher.check())?;
    watcher.check()?;
    if corpus.n_words() == 0 {
        let text = format!(
            "{}, [{}]: the corpus has no words; check \"min_length\" and \"max_length\"",
            plan.given.origin(),
            plan.corpus_name
        );
        return Err(Error::value(codes::E986, text));
    }
    let workers = Workers::new(options.threads);
    let mut network = PretrainedNetwork::new(plan, tokenizer.vocab(), workers)?;
    if let Some((path, bytes)) = weights {
        let resumed = network.resume(plan, &bytes);
        resumed.map_err(|error| error.context(shown(path)))?;
    }
    let saver = Saver::start(output)?;
    AtomicFile::write(
        &output.join("config.cfg"),
        plan.given.to_text().as_bytes(),
        Links::Replaced,
    )?;
    watcher.started(&PretrainingStart {
        epoch: first,
        parameters: network.n_parameters(),
        corpus: (corpus.lengths().len(), corpus.n_words()),
        has_files: saver.has_files,
    })?;
    let mut run = Run { plan, network, tracker: Tracker::start(), saver };
    let end = run.epochs(first, &mut corpus, watcher);
    // Whatever has ended the epochs, what was learned before is kept.
    let saved = if options.skips_last { Ok(()) } else { run.save(LAST, plan.max_epochs) };
    let end = end?;
    saved.map(|()| end)
}

/// A pretraining whose folder is made.
struct Run<'a> {
    plan: &'a PretrainingPlan,
    network: PretrainedNetwork,
    tracker: Tracker,
    saver: Saver<'a>,
}

impl Run<'_> {
    fn epochs(
        &mut self,
        first: usize,
        corpus: &mut PretrainingCorpus<'_>,
        watcher: &mut dyn PretrainingWatcher,
    ) -> Result<PretrainingEnd> {
        let plan = self.plan;
        let mut batcher = plan.batcher.clone();
        for epoch in first..plan.max_epochs {
            if epoch > 0 {
                corpus.begin_epoch(epoch)?;
            }
            for (number, batch) in batcher.batches(&corpus.lengths()).enumerate() {
                let (loss, words) = corpus.with_docs(&batch, |docs| {
                    Ok((self.network.update(docs)?, docs.iter().map(|doc| doc.len()).sum()))
                })?;
                if let Some(report) = self.tracker.add(epoch, loss, words) {
                    watcher.progress(&report)?;
                }
                if plan.n_save_every > 0 && number % plan.n_save_every == 0 {
                    self.save(&format!("model{epoch}.temp.bin"), epoch)?;
                }
                match watcher.check() {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {
                        return Ok(PretrainingEnd::Stopped);
                    }
                    checked => checked?,
                }
            }
            if epoch % plan.n_save_epoch == 0 || epoch + 1 == plan.max_epochs {
                self.save(&format!("model{epoch}.bin"), epoch)?;
            }
            self.tracker.loss_of_epoch = 0.0;
        }
        Ok(PretrainingEnd::Finished)
    }

    fn save(&mut self, name: &str, epoch: usize) -> Result<()> {
        self.saver.save(name, epoch, &self.network.weights_file()?, &self.tracker)
    }
}

/// Returns the epoch to begin with.
fn first_epoch(options: &PretrainingOptions) -> Result<usize> {
    let Some(path) = &options.resume_path else { return Ok(0) };
    if let Some(epoch) = options.epoch_resume {
        return Ok(epoch);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let number = name.as_deref().and_then(|name| name.rsplit_once("model")?.1.strip_suffix(".bin"));
    let number = number.and_then(|number| number.parse::<usize>().ok());
    number.and_then(|number| number.checked_add(1)).ok_or_else(|| {
        let text = format!(
            "the name of the weights {} tells no epoch, as model3.bin does: give the first epoch by \
             --epoch-resume",
            shown(path)
        );
        Error::value(codes::E1020, text)
    })
}

/// The losses and words so far.
struct Tracker {
    words: usize,
    loss: f64,
    loss_of_epoch: f64,
    reported: (usize, f64, Instant),
}

impl Tracker {
    fn start() -> Tracker {
        let reported = (0, 0.0, Instant::now());
        Tracker { words: 0, loss: 0.0, loss_of_epoch: 0.0, reported }
    }

    /// Adds a batch. Returns a report if one is due.
    fn add(&mut self, epoch: usize, loss: f64, words: usize) -> Option<PretrainingReport> {
        self.words += words;
        self.loss += loss;
        self.loss_of_epoch += loss;
        let (before, loss_before, time) = self.reported;
        let new = self.words - before;
        if new < WORDS_OF_REPORT {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of words")]
        let speed = new as f64 / time.elapsed().as_secs_f64().max(1e-9);
        self.reported = (self.words, self.loss, Instant::now());
        let new_loss = self.loss - loss_before;
        Some(PretrainingReport { epoch, words: self.words, loss: self.loss, new_loss, speed })
    }
}

/// The writer of weights and of the log.
struct Saver<'a> {
    output: &'a Path,
    /// The lines of the log, with those that the folder had before.
    log: Vec<u8>,
    has_files: bool,
}

impl Saver<'_> {
    fn start(output: &Path) -> Result<Saver<'_>> {
        let failed = |error| Error::io("create the folder", output, error);
        fs::create_dir_all(output).map_err(failed)?;
        remove_leftovers(output);
        let has_files = fs::read_dir(output).map_err(failed)?.next().is_some();
        let path = output.join(LOG);
        let log = match fs::read(&path) {
            Ok(log) => log,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("read", &path, error)),
        };
        Ok(Saver { output, log, has_files })
    }

    /// Writes a file of weights, and a line of the log.
    fn save(&mut self, name: &str, epoch: usize, weights: &[u8], tracker: &Tracker) -> Result<()> {
        AtomicFile::write(&self.output.join(name), weights, Links::Replaced)?;
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let mut line = Section::default();
        line.set("nr_word", count(tracker.words));
        line.set("loss", tracker.loss);
        line.set("epoch_loss", tracker.loss_of_epoch);
        line.set("epoch", count(epoch));
        self.log.extend(Value::Section(line).to_json().bytes());
        self.log.push(b'\n');
        AtomicFile::write(&self.output.join(LOG), &self.log, Links::Replaced)
    }
}
