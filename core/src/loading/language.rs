//! The vocab and the tokenizer of a pipeline.

use std::path::Path;
use std::sync::Arc;

use lexpool_segment::Segment;

use super::selection::LoadOptions;
use super::tokenizer_choice::{SegmenterChoice, TokenizerChoice};
use crate::Result;
use crate::dictionaries::SplitMode;
use crate::escape::shown;
use crate::lookups::Lookups;
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::segmenters::{self, PkusegModel};
use crate::tokenizer::{RuleSet, Tokenizer, lang};
use crate::vocab::{FolderParts, Getters, OpenOptions, Vocab};

/// The language whose rules any other language without rules of its own gets.
pub(super) const ANY: &str = "xx";

/// The tables of the vocab.
const LOOKUPS: &str = "vocab/lookups.bin";

/// Opens a segmenter with the data that the setting `dictionary` names, with the model in the files
/// of the pipeline, or with the data that lexpool has.
fn open_segmenter(
    SegmenterChoice { name, dictionary, split_mode }: &SegmenterChoice,
    files: &PipelineFiles,
    options: &LoadOptions,
) -> Result<Arc<dyn Segment>> {
    let (name, dictionary) = (*name, dictionary.as_deref());
    if name == "sudachi" {
        let mode = split_mode.as_deref().map_or(Ok(SplitMode::A), SplitMode::from_name)?;
        return segmenters::open_sudachi(dictionary.map(Path::new), mode);
    }
    match dictionary {
        None if name != "pkuseg" => segmenters::open(name, None),
        None if options.excludes("tokenizer") => Ok(segmenters::pkuseg_without_model()),
        None => {
            let [features, weights, processors] =
                PkusegModel::FILES.map(|name| format!("tokenizer/{name}"));
            let model = PkusegModel {
                features: files.read(&features)?,
                weights: files.read(&weights)?,
                processors: files.read_optional(&processors)?,
            };
            model.open().map_err(|error| error.context(shown(&files.path("tokenizer"))))
        }
        Some(path) => segmenters::open(name, Some(Path::new(path))),
    }
}

/// Reads the vocab and the tokenizer of a pipeline, and adds warnings about missing language data.
///
/// # Errors
///
/// `unknown-language` for a language without rules if the tokenizer is excluded; `segmenter-data`
/// for a segmenter whose data are neither in the files nor in lexpool, which the setting
/// `nlp.tokenizer.dictionary` names then; those of [`Vocab::read_folder`],
/// [`Tokenizer::from_bytes`] and [`segmenters::open`], with the path.
pub fn read_tokenizer(
    files: &PipelineFiles,
    code: &str,
    choice: &TokenizerChoice,
    options: &LoadOptions,
    warnings: &mut Vec<String>,
) -> Result<Arc<Tokenizer>> {
    let has_rules = lang::languages().any(|known| known == code);
    let segmenter = match choice {
        TokenizerChoice::Segmenter(segmenter) => Some(open_segmenter(segmenter, files, options)?),
        _ => None,
    };
    let has_file = segmenter.is_none()
        && !options.excludes("tokenizer")
        && *choice != TokenizerChoice::Replacement;
    let is_saved = has_file || segmenter.is_some();
    let known = if has_rules || !is_saved { code } else { ANY };
    let data = if is_saved { lang::load_vocab(known)? } else { lang::load(known)? };
    let mut getters = Getters::from(&data);
    getters.set_lang(code);
    if is_saved {
        // Networks read the norms of spaCy: those that all languages share, those of the table
        // `lexeme_norm`, and those of the special cases of the tokenizer's file.
        getters.norms = lang::load_vocab(ANY)?.norms.into_iter().collect();
    }
    if !has_rules {
        warnings.push(format!(
            "lexpool has no data for the language {code:?}. Texts are cut by the rules of the \
             pipeline's file; stop words (IS_STOP), number words (LIKE_NUM), norms that are not in \
             the pipeline's tables and noun chunks are missing"
        ));
    }
    let vocab = read_vocab(files, getters, options)?;
    let tokenizer = if let Some(segmenter) = segmenter {
        Tokenizer::with_segmenter(&vocab, segmenter, Tokenizer::DEFAULT_CACHED_CHUNKS)?
    } else if has_file {
        let (bytes, path) = (files.read("tokenizer")?, files.path("tokenizer"));
        Tokenizer::from_bytes(&vocab, &bytes).map_err(|error| error.context(shown(&path)))?
    } else {
        Tokenizer::new(&vocab, &RuleSet::from(&data), Tokenizer::DEFAULT_CACHED_CHUNKS)?
    };
    Ok(Arc::new(tokenizer))
}

/// Reads the vocab of a pipeline: a folder, or the image and the tables of a packed file.
pub(super) fn read_vocab(
    files: &PipelineFiles,
    getters: Getters,
    options: &LoadOptions,
) -> Result<Arc<Vocab>> {
    let parts = FolderParts {
        strings: !options.excludes("strings"),
        vectors: !options.excludes("vectors"),
        lookups: !options.excludes("lookups"),
    };
    if options.excludes("vocab") {
        return Vocab::new(getters);
    }
    if !files.is_packed() {
        let vocab = Vocab::new(getters)?;
        if files.contains_folder("vocab") {
            vocab.read_folder(&files.path("vocab"), parts)?;
        }
        return Ok(vocab);
    }
    let opening = OpenOptions::new().getters(getters.clone());
    let vocab = match files.vocab(&opening)? {
        Some(vocab) => vocab,
        None => Vocab::new(getters)?,
    };
    vocab.set_vectors(match vocab.mapped() {
        Some(image) if parts.vectors => image.vectors()?.map(Arc::new),
        _ => None,
    });
    if parts.lookups {
        if let Some(bytes) = files.read_optional(LOOKUPS)? {
            let used = Lookups::from_bytes(&bytes).and_then(|tables| vocab.use_norms(&tables));
            used.map_err(|error| error.context(shown(&files.path(LOOKUPS))))?;
        }
    }
    Ok(vocab)
}
