//! Progress bar: bytes read, shown on terminals only.

use std::fs;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use lexpool::escape::one_line;
use lexpool::{Error, Result};
use lexpool_io::corpus::Source;

/// A bar on the standard error, removed on drop so that messages start on a fresh line.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Creates a bar for the sizes of the files, or one without an end if a source has no size.
    ///
    /// # Errors
    ///
    /// An error for a missing file: it is reported before the work starts.
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

    /// Creates a bar for `total` bytes, or one without an end, with a message.
    pub(super) fn over(total: Option<u64>, message: &'static str, quiet: bool) -> Progress {
        // Draws nothing if the standard error is not a terminal.
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

    /// Adds processed bytes.
    pub(super) fn add(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// Shows a message next to the bar.
    pub(super) fn message(&self, text: &str) {
        self.0.set_message(one_line(text).to_string());
    }

    /// Prints lines while the bar is hidden.
    pub(super) fn aside(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
