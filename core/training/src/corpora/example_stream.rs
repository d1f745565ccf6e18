//! The examples of a corpus, read one after another.
//!
//! A file of binary documents is held while its documents are read. Of files of lines one line is
//! in memory, of a mapped corpus a part.

use std::fs;
use std::path::PathBuf;
use std::vec;

use lexpool::codes;
use lexpool::escape::shown;
use lexpool::formats::span_group::read_groups;
use lexpool::formats::{DocBin, DocExtras, DocReader, bounds};
use lexpool::pipeline::Groups;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Doc, SpanGroup};
use lexpool::{Error, Result};
use lexpool_io::corpus::cats_of;

use super::corpus_reader::{CorpusReader, Format};
use super::example::{Example, Reference};
use super::example_maker::{ExampleMaker, StreamItem};
use super::text_lines::{LineScanner, ScannedText};

/// Examples that were read, with what was left out.
#[derive(Default)]
pub struct ReadExamples {
    /// The examples in the order of the files.
    pub examples: Vec<Example>,
    /// The number of documents and sentences that `max_length` left out.
    pub too_long: usize,
}

impl CorpusReader {
    /// Reads all examples, with the tokens of a tokenizer.
    ///
    /// # Errors
    ///
    /// `file-not-found` for a path without files; those of reading the files, with the path;
    /// `training-corpus` with all documents whose references do not fit their texts.
    pub fn read(&self, tokenizer: &Tokenizer) -> Result<ReadExamples> {
        self.read_epoch(tokenizer, 0)
    }

    /// Reads all examples as [`read`](CorpusReader::read) does, augmented as those of an epoch.
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub(crate) fn read_epoch(&self, tokenizer: &Tokenizer, epoch: usize) -> Result<ReadExamples> {
        collect(self.stream(tokenizer, epoch)?, &mut |_| Ok(true))
    }

    /// Reads examples as [`read`](CorpusReader::read) does, until `go_on` returns `false` for one:
    /// the last one.
    ///
    /// # Errors
    ///
    /// Those of that method and of `go_on`.
    pub(crate) fn read_while(
        &self,
        tokenizer: &Tokenizer,
        go_on: &mut dyn FnMut(&Example) -> Result<bool>,
    ) -> Result<ReadExamples> {
        collect(self.stream(tokenizer, 0)?, go_on)
    }

    /// Starts to read the examples one after another, augmented as those of an epoch.
    ///
    /// # Errors
    ///
    /// `file-not-found` for a path without files; those of reading folders.
    pub(crate) fn stream<'a>(
        &'a self,
        tokenizer: &'a Tokenizer,
        epoch: usize,
    ) -> Result<ExampleStream<'a>> {
        ExampleStream::open(self, tokenizer, self.seed.wrapping_add(epoch as u64))
    }
}

/// Reads examples until `go_on` returns `false` for one.
fn collect(
    mut stream: ExampleStream<'_>,
    go_on: &mut dyn FnMut(&Example) -> Result<bool>,
) -> Result<ReadExamples> {
    let (mut examples, mut faults) = (Vec::new(), Vec::new());
    while let Some(item) = stream.next()? {
        match item {
            StreamItem::Example(example) => {
                let goes_on = go_on(&example)?;
                examples.push(example);
                if !goes_on {
                    break;
                }
            }
            StreamItem::Fault(fault) => faults.push(fault),
        }
    }
    check_faults(&faults)?;
    Ok(ReadExamples { examples, too_long: stream.too_long() })
}

/// The examples of a corpus that are read when they are asked for.
pub(crate) struct ExampleStream<'a> {
    maker: ExampleMaker<'a>,
    source: Source,
}

impl<'a> ExampleStream<'a> {
    pub(crate) fn open(
        reader: &'a CorpusReader,
        tokenizer: &'a Tokenizer,
        seed: u64,
    ) -> Result<ExampleStream<'a>> {
        let source = match reader.format {
            Format::DocBin { .. } => {
                Source::DocBins { files: reader.files()?.into_iter(), open: None, n_docs: 0 }
            }
            #[cfg(feature = "arrow")]
            Format::Mapped { .. } => Source::Mapped(mapped::MappedDocs::open(reader)?),
            Format::Lines(format) => Source::Lines(LineScanner::new(reader.lines_of(format)?)),
        };
        Ok(ExampleStream { maker: ExampleMaker::new(reader, tokenizer, seed), source })
    }

    /// Returns the next example or fault; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of reading the files, with the path.
    pub(crate) fn next(&mut self) -> Result<Option<StreamItem>> {
        loop {
            if let Some(item) = self.maker.next() {
                return Ok(Some(item));
            }
            if !self.read_more()? {
                return Ok(None);
            }
        }
    }

    /// Returns the number of documents and sentences that `max_length` has left out.
    pub(crate) fn too_long(&self) -> usize {
        self.maker.too_long()
    }

    /// Reads the next document or line. Returns `false` at the end.
    fn read_more(&mut self) -> Result<bool> {
        let maker = &mut self.maker;
        match &mut self.source {
            Source::DocBins { files, open, n_docs } => {
                let Some(file) = open else {
                    let Some(path) = files.next() else { return Ok(false) };
                    *open = Some(OpenDocBin::read(path, maker.tokenizer)?);
                    return Ok(true);
                };
                match file.next()? {
                    None => *open = None,
                    Some(reference) if reference.doc.is_empty() => {}
                    Some(reference) => {
                        maker.add(reference)?;
                        *n_docs += 1;
                        // spaCy ends the file at hand, and each later file after its first
                        // document.
                        if maker.reader.limit > 0 && *n_docs >= maker.reader.limit {
                            *open = None;
                        }
                    }
                }
                Ok(true)
            }
            #[cfg(feature = "arrow")]
            Source::Mapped(docs) => {
                let Some(reference) = docs.next(maker.tokenizer)? else { return Ok(false) };
                maker.add(reference)?;
                Ok(true)
            }
            Source::Lines(scanner) => {
                let Some((line, text)) = scanner.next(maker.tokenizer)? else { return Ok(false) };
                match text {
                    ScannedText::Doc(doc) => maker.add_text(doc, scanner.place(line))?,
                    ScannedText::Fault(fault) => maker.add_fault(fault),
                }
                Ok(true)
            }
        }
    }
}

/// The files of a corpus that are not read yet, and the one at hand.
enum Source {
    DocBins {
        files: vec::IntoIter<PathBuf>,
        open: Option<OpenDocBin>,
        n_docs: usize,
    },
    #[cfg(feature = "arrow")]
    Mapped(mapped::MappedDocs),
    Lines(LineScanner),
}

/// Binary documents of a file.
struct OpenDocBin {
    path: PathBuf,
    bin: DocBin,
    reader: DocReader,
    /// The number in the file of the first document.
    first: usize,
    next: usize,
}

impl OpenDocBin {
    fn read(path: PathBuf, tokenizer: &Tokenizer) -> Result<OpenDocBin> {
        let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        let bin = DocBin::from_bytes(&bytes).map_err(|error| error.context(shown(&path)))?;
        OpenDocBin::new(path, bin, 0, tokenizer)
    }

    fn new(path: PathBuf, bin: DocBin, first: usize, tokenizer: &Tokenizer) -> Result<OpenDocBin> {
        let reader = bin.reader(&tokenizer.vocab().snapshot());
        let reader = reader.map_err(|error| error.context(shown(&path)))?;
        Ok(OpenDocBin { path, bin, reader, first, next: 0 })
    }

    /// Returns the next document; `None` at the end.
    fn next(&mut self) -> Result<Option<Reference>> {
        if self.next >= self.bin.len() {
            return Ok(None);
        }
        let at = self.next;
        self.next += 1;
        let place = format!("{}, document {}", shown(&self.path), self.first + at);
        let in_file = |error: Error| error.context(shown(&self.path));
        let doc = self.reader.doc(&self.bin, at).map_err(in_file)?;
        let extras = self.bin.extras(at).cloned().unwrap_or_default();
        reference(doc, &extras, place).map_err(in_file).map(Some)
    }
}

/// Documents of a mapped corpus.
#[cfg(feature = "arrow")]
mod mapped {
    use lexpool::Result;
    use lexpool_io::corpus::Corpus;

    use super::{CorpusReader, DocBin, OpenDocBin, PathBuf, Reference, Tokenizer, shown};

    /// The number of documents that are rebuilt together.
    const PART: usize = 256;

    pub(crate) struct MappedDocs {
        path: PathBuf,
        corpus: Corpus,
        /// The number of documents that were put into parts.
        taken: usize,
        part: Option<OpenDocBin>,
        /// The number of documents that are still to be read.
        left: usize,
    }

    impl MappedDocs {
        pub(crate) fn open(reader: &CorpusReader) -> Result<MappedDocs> {
            let path = reader.path.clone();
            let corpus = Corpus::open(&path).map_err(|error| error.context(shown(&path)))?;
            let left = if reader.limit == 0 { usize::MAX } else { reader.limit };
            Ok(MappedDocs { path, corpus, taken: 0, part: None, left })
        }

        /// Returns the next document that has tokens.
        pub(crate) fn next(&mut self, tokenizer: &Tokenizer) -> Result<Option<Reference>> {
            while self.left > 0 {
                let part = match &mut self.part {
                    Some(part) => part,
                    None if self.taken >= self.corpus.len() => break,
                    None => {
                        let part = self.next_part(tokenizer)?;
                        self.part.insert(part)
                    }
                };
                match part.next()? {
                    None => self.part = None,
                    Some(reference) if reference.doc.is_empty() => {}
                    Some(reference) => {
                        self.left -= 1;
                        return Ok(Some(reference));
                    }
                }
            }
            Ok(None)
        }

        /// Rebuilds documents in the vocab of a tokenizer, since a document has its vocab for life.
        fn next_part(&mut self, tokenizer: &Tokenizer) -> Result<OpenDocBin> {
            let (first, mut bin) = (self.taken, DocBin::default());
            self.taken = self.corpus.len().min(first + PART);
            for at in first..self.taken {
                let added = bin.add(&self.corpus.doc(at)?, self.corpus.extras(at)?);
                added.map_err(|error| error.context(shown(&self.path)))?;
            }
            OpenDocBin::new(self.path.clone(), bin, first, tokenizer)
        }
    }
}

/// Joins a document with what its file says of it.
fn reference(doc: Doc, extras: &DocExtras, place: String) -> Result<Reference> {
    let cats = if extras.cats.is_empty() { Vec::new() } else { cats_of(&extras.cats)? };
    let mut groups = Groups::new();
    for (keys, group) in read_groups(&extras.span_groups, bounds(&doc))? {
        for key in keys {
            let mut own = SpanGroup::new(&doc);
            own.extend(&doc, &group.spans)?;
            groups.insert(key.to_owned(), own);
        }
    }
    Ok(Reference { doc, cats, groups, place })
}

/// The number of documents that a message lists.
const MAX_FAULTS: usize = 20;

/// Returns the error of messages about documents that cannot be used, if there are any.
///
/// # Errors
///
/// `training-corpus` with the first of them.
pub(crate) fn check_faults(faults: &[String]) -> Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    let mut text = format!("{} documents cannot be used", faults.len());
    for fault in faults.iter().take(MAX_FAULTS) {
        text.push_str("\n  ");
        text.push_str(fault);
    }
    if faults.len() > MAX_FAULTS {
        text.push_str("\n  ...");
    }
    Err(Error::value(codes::TRAINING_CORPUS, text))
}
