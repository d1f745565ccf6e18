//! The vocab and the tokenizer of a pipeline.

use std::path::Path;
use std::sync::Arc;

use lexpool_segment::Segment;

use super::selection::LoadOptions;
use crate::config::{Section, Value};
use crate::dictionaries::SplitMode;
use crate::escape::shown;
use crate::lookups::Lookups;
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::segmenters::{self, PkusegModel};
use crate::tokenizer::{RuleSet, Tokenizer, lang};
use crate::vocab::{FolderParts, Getters, OpenOptions, Vocab};
use crate::{Error, Result, codes};

/// The language whose rules any other language without rules of its own gets.
pub(super) const ANY: &str = "xx";

/// The tables of the vocab.
const LOOKUPS: &str = "vocab/lookups.bin";

/// A replacement of a tokenizer that spaCy has for one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// lexpool's rules for the language.
    Rules,
    /// The segmenter of this name.
    Segmenter(&'static str),
}

/// Returns what replaces the tokenizer of a pipeline; `None` for one whose file has rules, and for
/// an unknown one.
pub(super) fn replacement(nlp: &Section) -> Option<Replacement> {
    let settings = nlp.get("tokenizer").and_then(Value::as_section)?;
    let setting = |key| settings.get(key).map(Value::to_json);
    match settings.get("@tokenizers").and_then(Value::as_text)? {
        "spacy.zh.ChineseTokenizer" => match setting("segmenter").as_deref() {
            // spaCy's default.
            None | Some("\"char\"") => Some(Replacement::Rules),
            Some("\"jieba\"") => Some(Replacement::Segmenter("jieba")),
            Some("\"pkuseg\"") => Some(Replacement::Segmenter("pkuseg")),
            Some(_) => None,
        },
        "spacy.vi.VietnameseTokenizer" => {
            (setting("use_pyvi")? == "false").then_some(Replacement::Rules)
        }
        "spacy.th.ThaiTokenizer" => Some(Replacement::Segmenter("newmm")),
        "spacy.ja.JapaneseTokenizer" => Some(Replacement::Segmenter("sudachi")),
        "spacy.ko.KoreanTokenizer" => Some(Replacement::Segmenter("mecab")),
        _ => None,
    }
}

/// Opens a segmenter with the data that the setting `dictionary` names, with the model in the files
/// of the pipeline, or with the data that lexpool has.
fn open_segmenter(
    name: &str,
    files: &PipelineFiles,
    nlp: &Section,
    options: &LoadOptions,
) -> Result<Arc<dyn Segment>> {
    let dictionary = text_setting(nlp, "dictionary")?;
    if name == "sudachi" {
        let mode =
            text_setting(nlp, "split_mode")?.map_or(Ok(SplitMode::A), SplitMode::from_name)?;
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

/// Returns a setting of the tokenizer; `None` for null.
///
/// # Errors
///
/// `config-value` for another value than a text.
fn text_setting<'s>(nlp: &'s Section, key: &str) -> Result<Option<&'s str>> {
    let settings = nlp.get("tokenizer").and_then(Value::as_section);
    let setting = settings.and_then(|own| own.get(key)).filter(|value| !value.is_null());
    let wrong = |value: &Value| {
        let text = format!("[nlp.tokenizer] {key} is {value}; expected a text or null");
        Error::value(codes::CONFIG_VALUE, text)
    };
    setting.map(|value| value.as_text().ok_or_else(|| wrong(value))).transpose()
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
    nlp: &Section,
    options: &LoadOptions,
    warnings: &mut Vec<String>,
) -> Result<Arc<Tokenizer>> {
    let has_rules = lang::languages().any(|known| known == code);
    let segmenter = match replacement(nlp) {
        Some(Replacement::Segmenter(name)) => Some(open_segmenter(name, files, nlp, options)?),
        _ => None,
    };
    let has_file = segmenter.is_none()
        && !options.excludes("tokenizer")
        && replacement(nlp) != Some(Replacement::Rules);
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
