//! The progress bar: bytes read, on a terminal and nowhere else.

use std::fs;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use lexpool::corpus::Source;
use lexpool::escape::one_line;
use lexpool::{Error, Result};

/// A bar on the standard error; wiped when this is dropped, so that messages start on a fresh line.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A bar over the sizes of the files; without an end if one of them has no size.
    ///
    /// # Errors
    ///
    /// For a file that is not there: better now than after an hour.
    pub(super) fn new(sources: &[Source], quiet: bool) -> Result<Progress> {
        let mut total = Some(0);
        for source in sources {
            let size = match source.path() {
                None => None,
                Some(path) => {
                    let found = fs::metadata(path).map_err(|error| Error::io("read", path, error));
                    Some(found?).filter(fs::Metadata::is_file).map(|found| found.len())
                }
            };
            total = total.zip(size).map(|(total, size)| total + size);
        }
        Ok(Progress::over(total, "", quiet))
    }

    /// A bar over so many bytes, or without an end, with a place for a message.
    pub(super) fn over(total: Option<u64>, message: &'static str, quiet: bool) -> Progress {
        // Not drawn where the standard error is no terminal.
        let stderr = ProgressDrawTarget::stderr_with_hz(10);
        let target = if quiet { ProgressDrawTarget::hidden() } else { stderr };
        let bar = ProgressBar::with_draw_target(total, target);
        let style = ProgressStyle::with_template(match total {
            Some(_) => {
                "{bar:40} {decimal_bytes}/{decimal_total_bytes}  {decimal_bytes_per_sec}  {eta} left  \
                 {msg}"
            }
            None => "{spinner} {decimal_bytes}  {decimal_bytes_per_sec}",
        });
        bar.set_style(style.expect("the template is well formed").progress_chars("=> "));
        bar.set_message(message);
        Progress(bar)
    }

    /// Counts bytes that are done with.
    pub(super) fn add(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// Shows something beside the bar.
    pub(super) fn message(&self, text: &str) {
        self.0.set_message(one_line(text).to_string());
    }

    /// Does something that prints lines, with the bar out of their way.
    pub(super) fn aside(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
