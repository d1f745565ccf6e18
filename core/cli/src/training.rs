//! `lexpool train`: trains a pipeline from a configuration.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Train;
use super::failure::{Check, Failure};
use super::figures::grouped;
use super::messages::say;
use super::output::print;
use lexpool::config::{Config, Value};
use lexpool::escape::shown;
use lexpool::files::AtomicFile;
use lexpool::training::{
    Ending, EvaluationTable, LoopSettings, StepReport, TrainingPlan, TrainingStart,
    TrainingWatcher, train,
};
use lexpool::{Error, ErrorKind, Result, codes};

/// The options of `train` whose names are those of values of the configuration.
pub(super) type Overrides = Vec<(String, String)>;

/// Takes options such as `--training.max_steps 500` out of the arguments of `lexpool train`. An
/// option without a value is `true`.
pub(super) fn split_overrides(args: Vec<OsString>) -> (Vec<OsString>, Overrides) {
    if args.get(1).map(OsString::as_os_str) != Some(OsStr::new("train")) {
        return (args, Vec::new());
    }
    let (mut others, mut overrides) = (Vec::new(), Vec::new());
    let mut rest = args.into_iter().peekable();
    while let Some(arg) = rest.next() {
        let name = arg.to_str().and_then(|arg| arg.strip_prefix("--"));
        let Some(name) = name.filter(|name| name.split('=').next().unwrap_or("").contains('.'))
        else {
            others.push(arg);
            continue;
        };
        if let Some((name, value)) = name.split_once('=') {
            overrides.push((name.to_owned(), value.to_owned()));
            continue;
        }
        let is_value = |next: &OsString| !next.to_string_lossy().starts_with("--");
        let value = rest.next_if(is_value).map(|value| value.to_string_lossy().into_owned());
        overrides.push((name.to_owned(), value.unwrap_or_else(|| "true".to_owned())));
    }
    (others, overrides)
}

pub(super) fn run(args: &Train, overrides: &Overrides, check: Check<'_>) -> Result<(), Failure> {
    let mut config = Config::read(&args.config)?;
    for (name, value) in overrides {
        let value = Value::from_json(value).unwrap_or_else(|_| Value::from(value.as_str()));
        config.set(name, value)?;
    }
    let plan = TrainingPlan::read(&config)?;
    let mut watcher = Watcher::new(args, plan.settings().clone(), check)?;
    let result = train(plan, &args.output, args.threads, &mut watcher)?;
    watcher.finish()?;
    if result.ending == Ending::Stopped {
        if !args.quiet {
            say(format_args!("lexpool: saved {}", shown(&result.model_last)));
        }
        let text = "stopped by Ctrl-C";
        return Err(Error::new(ErrorKind::Interrupted, codes::INTERRUPTED, text).into());
    }
    if !args.quiet && !args.json {
        print(format_args!("\u{2714} Saved pipeline to output directory\n"))?;
        print(format_args!("{}\n", shown(&result.model_last)))?;
    }
    Ok(())
}

/// Prints the table, and a line with the progress below it.
struct Watcher<'a> {
    args: &'a Train,
    settings: LoopSettings,
    check: Check<'a>,
    table: Option<EvaluationTable>,
    progress: ProgressBar,
    best: Option<(f64, usize)>,
    /// The log file of the configuration, with its lines so far.
    log: Option<RefCell<AtomicFile>>,
}

impl<'a> Watcher<'a> {
    fn new(args: &'a Train, settings: LoopSettings, check: Check<'a>) -> Result<Watcher<'a>> {
        let stderr = ProgressDrawTarget::stderr_with_hz(5);
        let target = if args.quiet { ProgressDrawTarget::hidden() } else { stderr };
        let total = Some(settings.max_steps as u64 + 1).filter(|_| settings.max_steps > 0);
        let progress = ProgressBar::with_draw_target(total, target);
        let style = ProgressStyle::with_template(match total {
            Some(_) => "{bar:20} step {pos} of {len}  {msg}",
            None => "{spinner} step {pos}  {msg}",
        });
        progress.set_style(style.expect("the template is well formed").progress_chars("=> "));
        let log = log_file(&settings, args)?.map(RefCell::new);
        Ok(Watcher { args, settings, check, table: None, progress, best: None, log })
    }

    fn shows_table(&self) -> bool {
        !self.args.quiet && !self.args.json && self.settings.logger.console_output
    }

    /// Prints lines above the line of progress.
    fn lines(&self, lines: &[String]) -> Result<()> {
        let mut printed = Ok(());
        self.progress.suspend(|| printed = print(format_args!("{}\n", lines.join("\n"))));
        printed
    }

    fn finish(&mut self) -> Result<()> {
        self.progress.finish_and_clear();
        match self.log.take() {
            Some(log) => log.into_inner().commit(),
            None => Ok(()),
        }
    }
}

impl TrainingWatcher for Watcher<'_> {
    fn check(&self) -> Result<()> {
        (self.check)()
    }

    fn initialized(&mut self, start: &TrainingStart) -> Result<()> {
        let [train, dev] = start.too_long;
        if train + dev > 0 && !self.args.quiet {
            self.progress.suspend(|| {
                say(format_args!(
                    "lexpool: warning: max_length leaves out {train} documents or sentences to \
                     train with, and {dev} to evaluate with"
                ));
            });
        }
        let table = EvaluationTable::new(start.trained.clone(), &self.settings.score_weights);
        if self.shows_table() {
            let names: Vec<String> =
                start.components.iter().map(|name| format!("'{name}'")).collect();
            let (examples, words) = start.train;
            let mut lines = vec![
                format!(
                    "\u{2139} {} parameters; {} documents of {} words, {} to evaluate with",
                    grouped(start.parameters as u64),
                    grouped(examples as u64),
                    grouped(words as u64),
                    grouped(start.dev.0 as u64),
                ),
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
            lines.push(format!("\u{2139} Initial learn rate: {rate}"));
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

/// Returns the speed, the time that is left at most, and the best score.
fn message(report: &StepReport, settings: &LoopSettings, best: Option<(f64, usize)>) -> String {
    #[expect(clippy::cast_precision_loss, reason = "numbers of steps and words")]
    let (done, words) = ((report.step + 1) as f64, report.words as f64);
    let mut parts = vec![format!("{:.0} words/s", words / report.seconds.max(1e-9))];
    // Whichever comes first: the last step, or the end of patience.
    let last = Some(settings.max_steps).filter(|steps| *steps > 0);
    let patience = best.filter(|_| settings.patience > 0).map(|(_, step)| step + settings.patience);
    if let Some(end) = last.into_iter().chain(patience).min() {
        #[expect(clippy::cast_precision_loss, reason = "a number of steps")]
        let left = end.saturating_sub(report.step) as f64 * report.seconds / done;
        parts.push(format!("{left:.0} s left"));
    }
    if let Some((score, step)) = best {
        parts.push(format!("best {score:.4} at step {step}"));
    }
    parts.join("  ")
}

/// Starts the file that the configuration names for JSON lines. As in spaCy, one that exists is
/// kept.
fn log_file(settings: &LoopSettings, args: &Train) -> Result<Option<AtomicFile>> {
    let Some(path) = &settings.logger.output_file else { return Ok(None) };
    if path.exists() {
        if !args.quiet {
            say(format_args!("lexpool: warning: no log is written, since {} exists", shown(path)));
        }
        return Ok(None);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::io("write to", path, error))?;
    }
    AtomicFile::create(path).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(words: &[&str]) -> (Vec<String>, Overrides) {
        let words = words.iter().map(OsString::from).collect();
        let (others, overrides) = split_overrides(words);
        let others = others.into_iter().map(|word| word.into_string().unwrap()).collect();
        (others, overrides)
    }

    #[test]
    fn options_with_a_dot_are_values_of_the_configuration() {
        let (others, overrides) = split(&[
            "lexpool",
            "train",
            "a.cfg",
            "--paths.train",
            "x.spacy",
            "-o",
            "out",
            "--training.max_steps=5",
            "--nlp.flag",
            "--threads",
            "2",
        ]);
        assert_eq!(others, ["lexpool", "train", "a.cfg", "-o", "out", "--threads", "2"]);
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let expected =
            [("paths.train", "x.spacy"), ("training.max_steps", "5"), ("nlp.flag", "true")];
        assert_eq!(overrides, expected.map(pair));
    }

    #[test]
    fn other_commands_keep_their_options() {
        let words = ["lexpool", "tokenize", "--a.b", "c"];
        assert_eq!(split(&words), (words.map(str::to_owned).to_vec(), Vec::new()));
    }
}
