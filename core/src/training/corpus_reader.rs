//! Examples from the files of a corpus: `spacy.training.corpus`.

use std::fs;
use std::path::{Path, PathBuf};

use lexpool_train::PythonRandom;

use super::augmenter::Augmenter;
use super::example::{Example, Reference};
use super::fields::Fields;
use crate::codes;
use crate::config::Value;
use crate::corpus::cats_of;
use crate::escape::shown;
use crate::formats::span_group::read_groups;
use crate::formats::{DocBin, DocExtras, bounds};
use crate::pipeline::Groups;
use crate::tokenizer::Tokenizer;
use crate::tokens::{Doc, SpanGroup};
use crate::{Error, Result};

/// A corpus in files.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusReader {
    path: PathBuf,
    format: Format,
    /// The least number of tokens of a document; 0 for any.
    min_length: usize,
    /// The number of tokens from which on a document is cut into sentences, or dropped; 0 for none.
    max_length: usize,
    /// The number of documents; 0 for all.
    limit: usize,
    augmenter: Option<Augmenter>,
    /// The seed of the augmenter's random numbers.
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    /// `.spacy` files of annotated documents.
    DocBin { gold_preproc: bool },
    /// A mapped corpus of lexpool.
    #[cfg(feature = "arrow")]
    Mapped { gold_preproc: bool },
    /// Texts without annotation.
    Jsonl,
}

/// Examples that were read, with what was left out.
#[derive(Default)]
pub struct ReadExamples {
    /// The examples in the order of the files.
    pub examples: Vec<Example>,
    /// The number of documents and sentences that `max_length` left out.
    pub too_long: usize,
}

impl CorpusReader {
    /// Reads a section of `[corpora]`. Returns `None` after a problem.
    pub(super) fn read_settings(fields: Fields<'_>) -> Option<CorpusReader> {
        let format = match fields.function("@readers")? {
            "spacy.Corpus.v1" => {
                Format::DocBin { gold_preproc: fields.flag("gold_preproc", false) }
            }
            #[cfg(feature = "arrow")]
            "lexpool.Corpus.v1" => {
                Format::Mapped { gold_preproc: fields.flag("gold_preproc", false) }
            }
            "spacy.JsonlCorpus.v1" => Format::Jsonl,
            name => {
                let text = format!("has the reader {name:?}, which lexpool does not have");
                fields.unsupported(&text);
                return None;
            }
        };
        let augmenter = if format == Format::Jsonl {
            None
        } else {
            fields.inner("augmenter").and_then(Augmenter::read)
        };
        let path = fields.text("path");
        let reader = CorpusReader {
            path: path.clone().map_or_else(PathBuf::new, PathBuf::from),
            format,
            min_length: if format == Format::Jsonl { fields.count("min_length", 0) } else { 0 },
            max_length: fields.count("max_length", 0),
            limit: fields.count("limit", 0),
            augmenter,
            seed: 0,
        };
        fields.finish();
        Some(reader)
    }

    /// Returns the reader with another seed of the augmenter's random numbers.
    pub(super) fn for_seed(self, seed: u64) -> CorpusReader {
        CorpusReader { seed, ..self }
    }

    /// Returns the path of the files.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files that are read, in their order.
    ///
    /// # Errors
    ///
    /// `file-not-found` for a path without files; those of reading folders.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>> {
        match self.format {
            Format::DocBin { .. } => files(&self.path, "spacy"),
            #[cfg(feature = "arrow")]
            Format::Mapped { .. } => Ok(vec![self.path.clone()]),
            Format::Jsonl => files(&self.path, "jsonl"),
        }
    }

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
    pub(super) fn read_epoch(&self, tokenizer: &Tokenizer, epoch: usize) -> Result<ReadExamples> {
        let mut read = Reading {
            reader: self,
            tokenizer,
            random: PythonRandom::new(self.seed.wrapping_add(epoch as u64)),
            done: ReadExamples::default(),
            faults: Vec::new(),
        };
        match self.format {
            Format::DocBin { gold_preproc } => read.docbins(gold_preproc)?,
            #[cfg(feature = "arrow")]
            Format::Mapped { gold_preproc } => read.mapped(gold_preproc)?,
            Format::Jsonl => read.jsonl()?,
        }
        read.finish()
    }
}

/// Examples while they are read.
struct Reading<'a> {
    reader: &'a CorpusReader,
    tokenizer: &'a Tokenizer,
    random: PythonRandom,
    done: ReadExamples,
    /// The messages about documents that cannot be used.
    faults: Vec<String>,
}

impl Reading<'_> {
    fn docbins(&mut self, gold_preproc: bool) -> Result<()> {
        let mut n_docs = 0;
        for path in self.reader.files()? {
            let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
            let in_file = |error: Error| error.context(shown(&path));
            let bin = DocBin::from_bytes(&bytes).map_err(in_file)?;
            let reader = bin.reader(&self.tokenizer.vocab().snapshot()).map_err(in_file)?;
            for at in 0..bin.len() {
                let place = format!("{}, document {at}", shown(&path));
                let doc = reader.doc(&bin, at).map_err(in_file)?;
                if doc.is_empty() {
                    continue;
                }
                let extras = bin.extras(at).cloned().unwrap_or_default();
                let reference = reference(doc, &extras, place).map_err(in_file)?;
                self.add(reference, gold_preproc)?;
                n_docs += 1;
                // spaCy ends the file at hand, and each later file after its first document.
                if self.reader.limit > 0 && n_docs >= self.reader.limit {
                    break;
                }
            }
        }
        Ok(())
    }

    #[cfg(feature = "arrow")]
    fn mapped(&mut self, gold_preproc: bool) -> Result<()> {
        use crate::corpus::Corpus;

        let path = &self.reader.path;
        let in_file = |error: Error| error.context(shown(path));
        let corpus = Corpus::open(path).map_err(in_file)?;
        let mut bin = DocBin::default();
        for at in 0..corpus.len() {
            bin.add(&corpus.doc(at)?, corpus.extras(at)?).map_err(in_file)?;
        }
        // A document has a vocab for life, so it is rebuilt in that of the pipeline.
        let reader = bin.reader(&self.tokenizer.vocab().snapshot()).map_err(in_file)?;
        let most = if self.reader.limit == 0 { usize::MAX } else { self.reader.limit };
        let mut n_docs = 0;
        for at in 0..bin.len() {
            let doc = reader.doc(&bin, at).map_err(in_file)?;
            if doc.is_empty() || n_docs >= most {
                continue;
            }
            let place = format!("{}, document {at}", shown(path));
            let extras = bin.extras(at).cloned().unwrap_or_default();
            self.add(reference(doc, &extras, place).map_err(in_file)?, gold_preproc)?;
            n_docs += 1;
        }
        Ok(())
    }

    fn jsonl(&mut self) -> Result<()> {
        let CorpusReader { min_length, max_length, .. } = *self.reader;
        for path in self.reader.files()? {
            let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
            for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
                let place = format!("{}, line {number}", shown(&path));
                let line = line.trim_ascii();
                if line.is_empty() {
                    continue;
                }
                let text = std::str::from_utf8(line).ok().and_then(|line| {
                    let value = Value::from_json(line).ok()?;
                    value.as_section()?.get("text")?.as_text().map(str::to_owned)
                });
                let Some(text) = text else {
                    self.faults.push(format!("{place}: expected a JSON object with \"text\""));
                    continue;
                };
                let doc = self.tokenizer.tokenize(&text)?;
                if doc.len() < min_length || (max_length > 0 && doc.len() >= max_length) {
                    continue;
                }
                let words: Vec<_> =
                    doc.iter().map(|token| (token.text(), token.record().spacy())).collect();
                let same = Doc::from_words(self.tokenizer.vocab(), &words)?;
                drop(words);
                let reference = reference(same, &DocExtras::default(), place)?;
                self.done.examples.push(Example::new(doc, reference)?);
            }
        }
        Ok(())
    }

    /// Adds the example of a reference, or those of its sentences.
    fn add(&mut self, reference: Reference, gold_preproc: bool) -> Result<()> {
        let max = self.reader.max_length;
        let is_short = |len: usize| max == 0 || len < max;
        let has_sentences = reference.doc.sentences().are_set();
        if gold_preproc {
            return if has_sentences {
                self.sentences(&reference, |_| true, true)
            } else {
                self.example(reference, true)
            };
        }
        if is_short(reference.doc.len()) {
            self.example(reference, false)
        } else if has_sentences {
            self.sentences(&reference, is_short, false)
        } else {
            self.done.too_long += 1;
            Ok(())
        }
    }

    fn sentences(
        &mut self,
        reference: &Reference,
        is_used: impl Fn(usize) -> bool,
        gold_preproc: bool,
    ) -> Result<()> {
        for range in reference.doc.sentences().ranges()?.collect::<Vec<_>>() {
            if !is_used(range.len()) {
                self.done.too_long += 1;
                continue;
            }
            let place = format!("{}, sentence at token {}", reference.place, range.start);
            let doc = reference.doc.span(range.start, range.end)?.to_doc()?;
            let sentence = Reference { doc, cats: Vec::new(), groups: Groups::new(), place };
            self.example(sentence, gold_preproc)?;
        }
        Ok(())
    }

    fn example(&mut self, mut reference: Reference, gold_tokens: bool) -> Result<()> {
        if let Some(augmenter) = &self.reader.augmenter {
            if let Some(text) = augmenter.apply(&mut reference, &mut self.random)? {
                let predicted = self.tokenizer.tokenize(&text)?;
                self.push(predicted, reference);
                return Ok(());
            }
        }
        let doc = &reference.doc;
        let predicted = if gold_tokens || doc.has_unknown_spaces() {
            let words: Vec<_> =
                doc.iter().map(|token| (token.text(), token.record().spacy())).collect();
            Doc::from_words(self.tokenizer.vocab(), &words)?
        } else {
            self.tokenizer.tokenize(doc.text())?
        };
        self.push(predicted, reference);
        Ok(())
    }

    fn push(&mut self, predicted: Doc, reference: Reference) {
        match Example::new(predicted, reference) {
            Ok(example) => self.done.examples.push(example),
            Err(error) => self.faults.push(error.message().to_owned()),
        }
    }

    fn finish(self) -> Result<ReadExamples> {
        if self.faults.is_empty() {
            return Ok(self.done);
        }
        let mut text = format!("{} documents cannot be used", self.faults.len());
        for fault in self.faults.iter().take(MAX_FAULTS) {
            text.push_str("\n  ");
            text.push_str(fault);
        }
        if self.faults.len() > MAX_FAULTS {
            text.push_str("\n  ...");
        }
        Err(Error::value(codes::TRAINING_CORPUS, text))
    }
}

/// The number of documents that a message lists.
const MAX_FAULTS: usize = 20;

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

/// Returns the files in a folder and its folders whose names have an ending, sorted, but for those
/// with a hidden part; or the path itself if it is a file.
fn files(path: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let is_ours = |path: &Path| path.extension().is_some_and(|own| own == ending);
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Error::io("read", &folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::io("read", &folder, error))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_ours(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let missing = std::io::Error::new(
            std::io::ErrorKind::NotFound,
            format!("the folder has no files with the ending .{ending}"),
        );
        return Err(Error::io("read", path, missing));
    }
    Ok(found)
}
