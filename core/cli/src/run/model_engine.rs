//! A saved pipeline of a run, ready to process texts.

use std::cell::Cell;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::super::annotate::annotate;
use super::super::args::{Format, Run};
use super::super::batch_pipeline::BatchProcessor;
use super::super::doc_encoder::DocEncoder;
use super::super::failure::Check;
use super::super::messages::say;
use super::super::model::load_options;
use super::checksums::{InputDigest, text_digest};
use super::pipeline::Pipeline;
use lexpool::loading::{LoadOptions, load};
use lexpool::nn::GemmOrder;
use lexpool::pipeline::Pipeline as Components;
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result};
use lexpool_io::corpus::SourceLocation;

/// Annotation of texts by a saved pipeline; loads it again for a fresh vocab on demand.
pub(super) struct ModelEngine {
    /// The folder or the packed file.
    folder: PathBuf,
    options: LoadOptions,
    lang: String,
    vocab: Arc<Vocab>,
    /// The pipeline as it was loaded first, until a processor takes it.
    loaded: Cell<Option<Components>>,
    /// A digest of the files of the pipeline.
    digest: String,
}

impl ModelEngine {
    /// Loads a pipeline, and prints warnings unless the run is quiet.
    ///
    /// # Errors
    ///
    /// Those of [`load`]; errors of the system; that of `check`.
    pub(super) fn new(folder: &Path, args: &Run, check: Check<'_>) -> Result<ModelEngine> {
        let options = load_options(&args.selection);
        let nlp = load(folder, &options)?;
        if !args.quiet {
            for warning in &nlp.warnings {
                say(format_args!("lexpool: warning: {warning}"));
            }
        }
        let mut lines = String::new();
        if folder.is_dir() {
            describe_files(folder, "", check, &mut lines)?;
        } else {
            describe_file(folder, "", check, &mut lines)?;
        }
        Ok(ModelEngine {
            folder: folder.to_owned(),
            options,
            lang: nlp.lang,
            vocab: Arc::clone(nlp.pipeline.tokenizer().vocab()),
            loaded: Cell::new(Some(nlp.pipeline)),
            digest: text_digest(&lines),
        })
    }

    /// Returns the language of the pipeline.
    pub(super) fn lang(&self) -> &str {
        &self.lang
    }

    /// Returns the vocab of the first processor.
    pub(super) fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }

    /// Returns a digest of everything besides the inputs that determines the bytes of outputs.
    pub(super) fn pipeline_digest(&self, reading: &Pipeline, to: Format) -> String {
        let LoadOptions { exclude, disable, enable, order, .. } = &self.options;
        let order = GemmOrder::ALL.iter().find(|(_, own)| own == order).map(|(name, _)| *name);
        text_digest(&format!(
            "{}, to {}\npipeline {}, exclude {exclude:?}, disable {disable:?}, enable {enable:?}, \
             numerics {}",
            reading.describe(),
            to.name(),
            self.digest,
            order.unwrap_or_default()
        ))
    }

    /// Creates a processor of batches with a vocab of its own.
    ///
    /// # Errors
    ///
    /// Those of [`load`].
    pub(super) fn processor<W: DocEncoder>(
        &self,
        threads: usize,
    ) -> Result<BatchProcessor<W::Piece>> {
        let pipeline = match self.loaded.take() {
            Some(loaded) => loaded,
            None => load(&self.folder, &self.options)?.pipeline,
        };
        let tokenizer = Arc::clone(pipeline.tokenizer());
        // One vocab serves many shards: results must not depend on which of two words with one id
        // came first.
        tokenizer.vocab().strings().set_strict(true);
        let make = move |docs: &mut [Doc], locations: &[SourceLocation], stop: &AtomicBool| {
            let extras = annotate(pipeline.steps(), docs, locations, stop)?;
            let rows: Vec<_> = docs.iter().zip(&extras).collect();
            W::encode(&rows)
        };
        Ok(BatchProcessor { tokenizer, make: Arc::new(make), threads, caller_helps: false })
    }
}

/// Appends a line with the name and the digest of each file below a folder, in the order of names.
fn describe_files(folder: &Path, within: &str, check: Check<'_>, lines: &mut String) -> Result<()> {
    let failed = |error| Error::io("read", folder, error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{within}{name}");
        if path.is_dir() {
            describe_files(&path, &format!("{name}/"), check, lines)?;
        } else {
            describe_file(&path, &name, check, lines)?;
        }
    }
    Ok(())
}

fn describe_file(path: &Path, name: &str, check: Check<'_>, lines: &mut String) -> Result<()> {
    let InputDigest { bytes, xxh3 } = InputDigest::of_file(path, check)?;
    let _ = writeln!(lines, "{name:?} {bytes} {xxh3}");
    Ok(())
}
