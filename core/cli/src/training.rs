//! `lexpool train`: trains a pipeline from a configuration.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::Write as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{Resume, Train};
use super::failure::{Check, Failure};
use super::figures::{grouped, megabytes};
use super::messages::say;
use super::output::print;
use super::overrides::{Overrides, read_config};
use lexpool::codes::Code;
use lexpool::config::Value;
use lexpool::escape::shown;
use lexpool::files::{AtomicFile, Links};
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_training::{
    Ending, EvaluationTable, LoopSettings, MODEL_LAST, MemoryPlan, STATE, StepReport, TrainingPlan,
    TrainingStart, TrainingWatcher, python_functions, restart, resume, train,
};

/// Returns whether a training needs Python: for the module of `--code`, or for functions that its
/// configuration names. A configuration that cannot be read is reported by [`run`].
pub(super) fn needs_python(args: &Train, overrides: &Overrides) -> bool {
    let functions =
        read_config(&args.config, overrides).and_then(|config| python_functions(&config));
    args.code.is_some() || functions.is_ok_and(|functions| !functions.is_empty())
}

pub(super) fn run(args: &Train, overrides: &Overrides, check: Check<'_>) -> Result<(), Failure> {
    let mut plan = TrainingPlan::read(&read_config(&args.config, overrides)?)?;
    if let Some(bytes) = args.memory {
        plan = plan.with_memory_limit(bytes);
    }
    let resumes = args.resume == Some(Resume::State) && has_begun(&args.output);
    if args.resume == Some(Resume::State) && !resumes && !args.quiet {
        say(format_args!(
            "lexpool: {} has no state: training begins at the first step",
            shown(&args.output)
        ));
    }
    let mut watcher = Watcher::new(args, plan.settings().clone(), resumes, check)?;
    let result = if resumes {
        resume(plan, &args.output, args.threads, &mut watcher)
    } else if args.resume == Some(Resume::Weights) {
        restart(plan, &args.output, args.threads, &mut watcher)
    } else {
        train(plan, &args.output, args.threads, &mut watcher)
    };
    let finished = watcher.finish();
    let result = result?;
    finished?;
    if let Some(code) = watcher.signal.take().filter(|_| result.ending == Ending::Stopped) {
        if !args.quiet {
            say(format_args!("lexpool: saved {}; go on with --resume", shown(&result.model_last)));
        }
        return Err(Error::new(ErrorKind::Interrupted, code, "stopped by a signal").into());
    }
    if !args.quiet && !args.json {
        watcher.lines(&[
            "\u{2714} Saved pipeline to output directory".to_owned(),
            shown(&result.model_last).to_string(),
        ])?;
    }
    Ok(())
}

/// Returns whether a folder has results of a training.
fn has_begun(output: &Path) -> bool {
    [STATE, MODEL_LAST].iter().any(|name| output.join(name).exists())
}

/// Prints the table, and a line with the progress below it.
struct Watcher<'a> {
    args: &'a Train,
    settings: LoopSettings,
    check: Check<'a>,
    table: Option<EvaluationTable>,
    progress: ProgressBar,
    best: Option<(f64, usize)>,
    /// The code of the signal that ends the training.
    signal: Cell<Option<Code>>,
    /// `true` after the reader of the standard output has closed it. The model is what a training
    /// is for, so it goes on.
    is_unread: Cell<bool>,
    /// The log file of the configuration, with its lines so far.
    log: Option<RefCell<AtomicFile>>,
}

impl<'a> Watcher<'a> {
    fn new(
        args: &'a Train,
        settings: LoopSettings,
        resumes: bool,
        check: Check<'a>,
    ) -> Result<Watcher<'a>> {
        let stderr = ProgressDrawTarget::stderr_with_hz(5);
        let target = if args.quiet { ProgressDrawTarget::hidden() } else { stderr };
        let total = Some(settings.max_steps as u64 + 1).filter(|_| settings.max_steps > 0);
        let progress = ProgressBar::with_draw_target(total, target);
        let style = ProgressStyle::with_template(match total {
            Some(_) => "{bar:20} step {pos} of {len}  {msg}",
            None => "{spinner} step {pos}  {msg}",
        });
        progress.set_style(style.expect("the template is well formed").progress_chars("=> "));
        let log = log_file(&settings, args, resumes)?.map(RefCell::new);
        let (signal, is_unread) = (Cell::default(), Cell::default());
        Ok(Watcher {
            args,
            settings,
            check,
            table: None,
            progress,
            best: None,
            signal,
            is_unread,
            log,
        })
    }

    fn shows_table(&self) -> bool {
        !self.args.quiet && !self.args.json && self.settings.logger.console_output
    }

    /// Prints lines above the line of progress.
    fn lines(&self, lines: &[String]) -> Result<()> {
        if self.is_unread.get() {
            return Ok(());
        }
        let mut printed = Ok(());
        self.progress.suspend(|| printed = print(format_args!("{}\n", lines.join("\n"))));
        match printed {
            Err(error) if error.code() == codes::PIPE_CLOSED.as_str() => {
                self.is_unread.set(true);
                Ok(())
            }
            printed => printed,
        }
    }

    /// Removes the line of progress, and writes the log, also that of a training that has failed.
    fn finish(&mut self) -> Result<()> {
        self.progress.finish_and_clear();
        match self.log.take().filter(|_| self.table.is_some()) {
            Some(log) => log.into_inner().commit(),
            None => Ok(()),
        }
    }
}

impl TrainingWatcher for Watcher<'_> {
    fn check(&self) -> Result<()> {
        let checked = (self.check)();
        if let Err(error) = &checked {
            if error.kind() == ErrorKind::Interrupted {
                let is_terminated = error.code() == codes::TERMINATED.as_str();
                let code = if is_terminated { codes::TERMINATED } else { codes::INTERRUPTED };
                self.signal.set(Some(code));
            }
        }
        checked
    }

    fn initialized(&mut self, start: &TrainingStart) -> Result<()> {
        self.best = start.best;
        let [train, dev] = start.too_long;
        if train + dev > 0 && !self.args.quiet {
            self.progress.suspend(|| {
                say(format_args!(
                    "lexpool: warning: max_length leaves out {train} documents or sentences to \
                     train with, and {dev} to evaluate with"
                ));
            });
        }
        if self.args.json {
            let memory = Value::Section(start.memory.to_section());
            let line = [("memory".to_owned(), memory)].into_iter().collect();
            self.lines(&[Value::Section(line).to_json()])?;
        }
        let table = EvaluationTable::new(start.trained.clone(), &self.settings.score_weights);
        if self.shows_table() {
            let names: Vec<String> =
                start.components.iter().map(|name| format!("'{name}'")).collect();
            let (examples, words) = start.train;
            let stream = if start.is_stream { "a stream that begins with " } else { "" };
            let mut lines = vec![
                format!(
                    "\u{2139} {} parameters; {stream}{} documents of {} words, {} to evaluate with",
                    grouped(start.parameters as u64),
                    grouped(examples as u64),
                    grouped(words as u64),
                    grouped(start.dev.0 as u64),
                ),
                memory_line(&start.memory),
                format!("\u{2139} Pipeline: [{}]", names.join(", ")),
            ];
            for (text, own) in [
                ("Frozen components", &self.settings.frozen_components),
                ("Set annotations on update for", &self.settings.annotating_components),
            ] {
                if !own.is_empty() {
                    let names: Vec<String> = own.iter().map(|name| format!("'{name}'")).collect();
                    lines.push(format!("\u{2139} {text}: [{}]", names.join(", ")));
                }
            }
            let rate = Value::Float(start.learn_rate).to_json();
            lines.push(if start.first_step == 0 {
                format!("\u{2139} Initial learn rate: {rate}")
            } else {
                format!("\u{2139} Going on after step {}, learn rate: {rate}", start.first_step - 1)
            });
            lines.extend(table.header());
            self.lines(&lines)?;
        }
        self.table = Some(table);
        Ok(())
    }

    fn step(&mut self, report: &StepReport) -> Result<()> {
        let Some(table) = &self.table else { return Ok(()) };
        if let Some(evaluation) = &report.evaluation {
            if self.best.is_none_or(|(score, _)| evaluation.score > score) {
                self.best = Some((evaluation.score, report.step));
            }
        }
        if let Some((row, json)) = table.row(report).zip(table.json(report)) {
            if let Some(log) = &self.log {
                let written = writeln!(log.borrow_mut(), "{json}");
                written.map_err(|error| Error::io("write to", Path::new("the log"), error))?;
            }
            if self.args.json {
                self.lines(&[json])?;
            } else if self.shows_table() {
                self.lines(&[row])?;
            }
        }
        self.progress.set_position(report.step as u64 + 1);
        self.progress.set_message(message(report, &self.settings, self.best));
        Ok(())
    }
}

/// Returns the line about the memory that the training needs.
fn memory_line(memory: &MemoryPlan) -> String {
    let parts = memory.parts().map(|(name, bytes)| format!("{name} {}", megabytes(bytes)));
    let limit = memory.limit.map(|limit| format!(" of at most {}", megabytes(limit)));
    let (total, limit) = (megabytes(memory.total()), limit.unwrap_or_default());
    format!("\u{2139} Memory: about {total}{limit} ({})", parts.join(", "))
}

/// Returns the speed, the time that is left at most, and the best score.
fn message(report: &StepReport, settings: &LoopSettings, best: Option<(f64, usize)>) -> String {
    #[expect(clippy::cast_precision_loss, reason = "numbers of steps and words")]
    let (made, words) = (report.made.max(1) as f64, report.words as f64);
    let mut parts = vec![format!("{:.0} words/s", words / report.seconds.max(1e-9))];
    // Whichever comes first: the last step, or the end of patience.
    let last = Some(settings.max_steps).filter(|steps| *steps > 0);
    let patience = best.filter(|_| settings.patience > 0).map(|(_, step)| step + settings.patience);
    if let Some(end) = last.into_iter().chain(patience).min() {
        #[expect(clippy::cast_precision_loss, reason = "a number of steps")]
        let left = end.saturating_sub(report.step) as f64 * report.seconds / made;
        parts.push(format!("{left:.0} s left"));
    }
    if let Some((score, step)) = best {
        parts.push(format!("best {score:.4} at step {step}"));
    }
    parts.join("  ")
}

/// Starts the file that the configuration names for JSON lines. One that exists gets the lines of a
/// training that goes on; another one is kept, as in spaCy.
fn log_file(settings: &LoopSettings, args: &Train, resumes: bool) -> Result<Option<AtomicFile>> {
    let Some(path) = &settings.logger.output_file else { return Ok(None) };
    if resumes && path.is_file() {
        let before = fs::read(path).map_err(|error| Error::io("read", path, error))?;
        let mut log = AtomicFile::create(path, Links::Followed)?;
        log.put(&before, &|| Ok(()))?;
        return Ok(Some(log));
    }
    if path.exists() {
        if !args.quiet {
            say(format_args!("lexpool: warning: no log is written, since {} exists", shown(path)));
        }
        return Ok(None);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::io("write to", path, error))?;
    }
    AtomicFile::create(path, Links::Followed).map(Some)
}
