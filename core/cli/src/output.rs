//! Outputs: an atomic file, or the standard output.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::batch_pipeline::CHECK_INTERVAL;
use super::failure::Check;
use lexpool::files::{AtomicFile, Links, write_parts};
use lexpool::{Error, Result, escape};

/// A buffered output.
///
/// The content of the buffer is lost on drop: an output is dropped without a commit only
/// after an error, when the rest is of no use, and writing could block.
pub(super) struct Output<'a> {
    sink: Sink,
    /// Name for messages.
    name: PathBuf,
    buffer: Vec<u8>,
    written: u64,
    check: Check<'a>,
}

enum Sink {
    Stdout(File),
    /// The standard output on a terminal: control characters are escaped.
    Terminal(File),
    File(AtomicFile),
}

const BUFFER: usize = 256 << 10;

impl<'a> Output<'a> {
    /// Creates a file, or uses the standard output for `-`. Control characters are escaped on a
    /// terminal.
    pub(super) fn create(path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        let mut output = Output::create_escaped(path, check)?;
        output.sink = match output.sink {
            Sink::Stdout(stdout) if stdout.is_terminal() => Sink::Terminal(stdout),
            sink => sink,
        };
        Ok(output)
    }

    /// Creates a file of a folder that the user named, where a symbolic link is replaced.
    pub(super) fn create_part(path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        Ok(Output::new(Sink::File(create_when_read(path, Links::Replaced, check)?), path, check))
    }

    /// Creates an output as [`create`](Output::create) does, for bytes whose control characters are
    /// escaped or intended.
    pub(super) fn create_escaped(path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        let (sink, name) = if is_stdout(path) {
            let name = Path::new("the standard output");
            let stdout = stdout().map_err(|error| Error::io("write to", name, error))?;
            (Sink::Stdout(stdout), name)
        } else {
            (Sink::File(create_when_read(path, Links::Followed, check)?), path)
        };
        Ok(Output::new(sink, name, check))
    }

    /// Creates a file whose temporary file is in `folder` until the commit.
    pub(super) fn create_in(folder: &Path, path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        Ok(Output::new(Sink::File(AtomicFile::create_in(folder, path)?), path, check))
    }

    fn new(sink: Sink, name: &Path, check: Check<'a>) -> Output<'a> {
        let buffer = Vec::with_capacity(BUFFER);
        Output { sink, name: name.to_owned(), buffer, written: 0, check }
    }

    /// Converts the error of a failed write.
    pub(super) fn error(name: &Path, error: io::Error) -> Error {
        error.downcast::<Error>().unwrap_or_else(|error| Error::io("write to", name, error))
    }

    pub(super) fn name(&self) -> &Path {
        &self.name
    }

    /// Writes the rest of the buffer and commits the file; returns the size.
    pub(super) fn commit(mut self) -> Result<u64> {
        self.flush().map_err(|error| Output::error(&self.name, error))?;
        match self.sink {
            Sink::Stdout(_) | Sink::Terminal(_) => {}
            Sink::File(file) => file.commit()?,
        }
        Ok(self.written)
    }

    fn empty_buffer(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let done = self.write_through(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        done
    }

    fn write_through(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Sink::Terminal(_) = self.sink {
            let shown = escape::lines(&String::from_utf8_lossy(bytes)).to_string();
            return self.write_parts(shown.as_bytes());
        }
        self.write_parts(bytes)
    }

    fn write_parts(&mut self, bytes: &[u8]) -> io::Result<()> {
        let out: &mut dyn Write = match &mut self.sink {
            Sink::Stdout(file) | Sink::Terminal(file) => file,
            Sink::File(file) => file,
        };
        write_parts(out, bytes, self.check)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Output to a pipe or a terminal is not delayed: a reader may be waiting.
        let at_once = bytes.len() >= BUFFER || !matches!(self.sink, Sink::File(_));
        if at_once || self.buffer.len() + bytes.len() > BUFFER {
            self.empty_buffer()?;
        }
        if at_once {
            self.write_through(bytes)?;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.empty_buffer()
    }
}

/// Creates a file; for a pipe, waits for a reader.
fn create_when_read(path: &Path, links: Links, check: Check<'_>) -> Result<AtomicFile> {
    loop {
        match AtomicFile::create(path, links) {
            Err(error) if error.code() == "pipe-unread" => {
                check()?;
                std::thread::sleep(CHECK_INTERVAL);
            }
            created => return created,
        }
    }
}

/// Returns the standard output without Rust's buffer, which would hide interruptions.
fn stdout() -> io::Result<File> {
    #[cfg(windows)]
    let stdout = {
        use std::os::windows::io::AsHandle;
        io::stdout().as_handle().try_clone_to_owned()?
    };
    #[cfg(not(windows))]
    let stdout = {
        use std::os::fd::AsFd;
        io::stdout().as_fd().try_clone_to_owned()?
    };
    Ok(File::from(stdout))
}

/// Returns `true` if the path means the standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns the name of an output for summaries.
pub(super) fn name_of(path: &Path) -> escape::Escaped<'_> {
    if is_stdout(path) { escape::one_line("standard output") } else { escape::shown(path) }
}

/// Prints to the standard output, with control characters escaped.
pub(super) fn print(text: fmt::Arguments<'_>) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let done = write!(stdout, "{}", escape::lines(&text.to_string())).and_then(|()| stdout.flush());
    done.map_err(|error| Error::io("write to", Path::new("the standard output"), error))
}
