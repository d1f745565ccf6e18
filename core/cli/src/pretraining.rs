//! `lexpool pretrain`: pretrains a shared network on texts without annotation.

use std::cell::Cell;

use super::args::Pretrain;
use super::failure::{Check, Failure};
use super::figures::grouped;
use super::messages::say;
use super::output::print;
use super::overrides::{Overrides, read_config};
use lexpool::codes::Code;
use lexpool::escape::shown;
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_training::{
    PretrainingEnd, PretrainingOptions, PretrainingPlan, PretrainingReport, PretrainingStart,
    PretrainingWatcher, pretrain,
};

pub(super) fn run(args: &Pretrain, overrides: &Overrides, check: Check<'_>) -> Result<(), Failure> {
    let plan = PretrainingPlan::read(&read_config(&args.config, overrides)?)?;
    let options = PretrainingOptions {
        resume_path: args.resume_path.clone(),
        epoch_resume: args.epoch_resume,
        skips_last: args.skip_last,
        threads: args.threads,
    };
    let mut watcher = Watcher { args, check, signal: Cell::default(), is_unread: false };
    let end = pretrain(&plan, &args.output, &options, &mut watcher)?;
    if let Some(code) = watcher.signal.take().filter(|_| end == PretrainingEnd::Stopped) {
        return Err(Error::new(ErrorKind::Interrupted, code, "stopped by a signal").into());
    }
    watcher.line(&format!("\u{2714} Saved weights to {}", shown(&args.output)))?;
    Ok(())
}

/// Prints the table.
struct Watcher<'a> {
    args: &'a Pretrain,
    check: Check<'a>,
    /// The code of the signal that ends the pretraining.
    signal: Cell<Option<Code>>,
    /// `true` after the reader of the standard output has closed it; the pretraining goes on.
    is_unread: bool,
}

impl Watcher<'_> {
    fn line(&mut self, line: &str) -> Result<()> {
        if self.args.quiet || self.is_unread {
            return Ok(());
        }
        match print(format_args!("{line}\n")) {
            Err(error) if error.code() == codes::PIPE_CLOSED.as_str() => {
                self.is_unread = true;
                Ok(())
            }
            printed => printed,
        }
    }
}

impl PretrainingWatcher for Watcher<'_> {
    fn check(&self) -> Result<()> {
        let checked = (self.check)();
        if let Err(error) = &checked {
            let is_terminated = error.code() == codes::TERMINATED.as_str();
            let code = if is_terminated { codes::TERMINATED } else { codes::INTERRUPTED };
            self.signal.set(Some(code));
        }
        checked
    }

    fn started(&mut self, start: &PretrainingStart) -> Result<()> {
        if start.has_files && !self.args.quiet {
            say(format_args!(
                "lexpool: warning: {} is not empty; weights of the same epochs are replaced",
                shown(&self.args.output)
            ));
        }
        let (documents, words) = start.corpus;
        self.line(&format!(
            "\u{2139} {} parameters; {} documents of {} words; starting at epoch {}",
            grouped(start.parameters as u64),
            grouped(documents as u64),
            grouped(words as u64),
            start.epoch,
        ))?;
        self.line(&row(["#", "# Words", "Total Loss", "Loss", "w/s"].map(str::to_owned)))
    }

    fn progress(&mut self, report: &PretrainingReport) -> Result<()> {
        self.line(&row([
            report.epoch.to_string(),
            report.words.to_string(),
            in_width(report.loss, 10),
            in_width(report.new_loss, 6),
            format!("{:.0}", report.speed),
        ]))
    }
}

/// Returns the cells of a line of the table, in spaCy's widths.
fn row(cells: [String; 5]) -> String {
    let [epoch, words, loss, new_loss, speed] = cells;
    format!("{epoch:>3}   {words:>10}   {loss:>10}   {new_loss:>6}   {speed:>4}")
}

/// Returns a number with as many decimals, at most four, as fit a width.
fn in_width(number: f64, width: usize) -> String {
    let whole = format!("{:.0}", number.trunc());
    match width.saturating_sub(whole.len() + 1) {
        0 | 1 => whole,
        decimals => format!("{number:.0$}", decimals.min(4)),
    }
}

#[cfg(test)]
mod tests {
    use super::in_width;

    #[test]
    fn numbers_have_the_decimals_that_fit() {
        for (number, width, expected) in [
            (12.345_678, 10, "12.3457"),
            (12.345_678, 6, "12.346"),
            (1234.5, 6, "1234"),
            (123_456_789.1, 10, "123456789"),
            (0.0, 6, "0.0000"),
        ] {
            assert_eq!(in_width(number, width), expected);
        }
    }
}
