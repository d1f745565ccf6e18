//! Where documents and summaries go: a file that appears when it is whole, or the standard output.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::Check;
use super::pump::GLANCE;
use lexpool::files::{AtomicFile, write_parts};
use lexpool::{Error, Result, escape};

/// Bytes on their way out, buffered.
///
/// What is in the buffer when this is dropped is lost, on purpose: it is dropped only when the
/// rest is of no use either, and writing might block.
pub(super) struct Output<'a> {
    sink: Sink,
    /// As the user knows it.
    name: PathBuf,
    buffer: Vec<u8>,
    written: u64,
    check: Check<'a>,
}

enum Sink {
    Stdout(File),
    /// The standard output where people look at it, and see no byte that a terminal would obey.
    Terminal(File),
    File(AtomicFile),
}

const BUFFER: usize = 256 << 10;

impl<'a> Output<'a> {
    /// Writes to a file, or to the standard output for `-`. What a terminal would obey is written out
    /// on one.
    pub(super) fn create(path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        let mut output = Output::create_escaped(path, check)?;
        output.sink = match output.sink {
            Sink::Stdout(stdout) if stdout.is_terminal() => Sink::Terminal(stdout),
            sink => sink,
        };
        Ok(output)
    }

    /// The same for what holds nothing that a terminal is not meant to obey.
    pub(super) fn create_escaped(path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        let (sink, name) = if is_stdout(path) {
            let name = Path::new("the standard output");
            let stdout = stdout().map_err(|error| Error::io("write to", name, error))?;
            (Sink::Stdout(stdout), name)
        } else {
            (Sink::File(create_when_read(path, check)?), path)
        };
        Ok(Output::new(sink, name, check))
    }

    /// Writes to a file that is kept in a folder until it is whole.
    pub(super) fn create_in(folder: &Path, path: &Path, check: Check<'a>) -> Result<Output<'a>> {
        Ok(Output::new(Sink::File(AtomicFile::create_in(folder, path)?), path, check))
    }

    fn new(sink: Sink, name: &Path, check: Check<'a>) -> Output<'a> {
        let buffer = Vec::with_capacity(BUFFER);
        Output { sink, name: name.to_owned(), buffer, written: 0, check }
    }

    /// How a failed write is reported.
    pub(super) fn error(name: &Path, error: io::Error) -> Error {
        error.downcast::<Error>().unwrap_or_else(|error| Error::io("write to", name, error))
    }

    pub(super) fn name(&self) -> &Path {
        &self.name
    }

    /// Writes what is left and makes the file appear; gives its size.
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
        // Somebody may be waiting for what goes to the standard output.
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

/// Starts a file; if it is a pipe, when somebody reads from that.
fn create_when_read(path: &Path, check: Check<'_>) -> Result<AtomicFile> {
    loop {
        match AtomicFile::create(path) {
            Err(error) if error.code() == "pipe-unread" => {
                check()?;
                std::thread::sleep(GLANCE);
            }
            created => return created,
        }
    }
}

/// The standard output without Rust's own buffer, which hides interruptions.
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

/// Whether an output that was named so is the standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An output as summaries name it.
pub(super) fn name_of(path: &Path) -> escape::Escaped<'_> {
    if is_stdout(path) { escape::one_line("standard output") } else { escape::shown(path) }
}

/// Prints to the standard output, with nothing that a terminal would obey.
pub(super) fn print(text: fmt::Arguments<'_>) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let done = write!(stdout, "{}", escape::lines(&text.to_string())).and_then(|()| stdout.flush());
    done.map_err(|error| Error::io("write to", Path::new("the standard output"), error))
}
