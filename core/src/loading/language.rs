//! The vocab and the tokenizer of a pipeline.

use std::sync::Arc;

use super::selection::LoadOptions;
use crate::Result;
use crate::config::{Section, Value};
use crate::escape::shown;
use crate::lookups::Lookups;
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::{Tokenizer, lang};
use crate::vocab::{FolderParts, Getters, OpenOptions, Vocab};

/// The language whose rules any other language without rules of its own gets.
pub(super) const ANY: &str = "xx";

/// The tables of the vocab.
const LOOKUPS: &str = "vocab/lookups.bin";

/// The tokenizers of languages that lexpool's rules or segmenters replace, with the setting that
/// each has then.
const OWN_TOKENIZERS: [(&str, Option<(&str, &str)>); 3] = [
    ("spacy.zh.ChineseTokenizer", Some(("segmenter", "\"char\""))),
    ("spacy.vi.VietnameseTokenizer", Some(("use_pyvi", "false"))),
    ("spacy.th.ThaiTokenizer", None),
];

/// Returns whether a pipeline has a tokenizer of its language that lexpool's own replaces.
pub(super) fn has_own_tokenizer(nlp: &Section) -> bool {
    let Some(settings) = nlp.get("tokenizer").and_then(Value::as_section) else { return false };
    let name = settings.get("@tokenizers").and_then(Value::as_text);
    OWN_TOKENIZERS.iter().any(|(known, setting)| {
        let holds = |(key, value): (&str, &str)| {
            settings.get(key).is_some_and(|own| own.to_json() == value)
        };
        name == Some(*known) && setting.is_none_or(holds)
    })
}

/// Reads the vocab and the tokenizer of a pipeline, and adds warnings about missing language data.
///
/// # Errors
///
/// `unknown-language` for a language without rules if the tokenizer is excluded; those of
/// [`Vocab::read_folder`] and [`Tokenizer::from_bytes`], with the path.
pub(crate) fn read_tokenizer(
    files: &PipelineFiles,
    code: &str,
    nlp: &Section,
    options: &LoadOptions,
    warnings: &mut Vec<String>,
) -> Result<Arc<Tokenizer>> {
    let has_rules = lang::languages().any(|known| known == code);
    let own_tokenizer = !options.excludes("tokenizer") && !has_own_tokenizer(nlp);
    let known = if has_rules || !own_tokenizer { code } else { ANY };
    let data = if own_tokenizer { lang::load_vocab(known)? } else { lang::load(known)? };
    let mut getters = Getters::from(&data);
    getters.set_lang(code);
    if own_tokenizer {
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
    let tokenizer = if own_tokenizer {
        let (bytes, path) = (files.read("tokenizer")?, files.path("tokenizer"));
        Tokenizer::from_bytes(&vocab, &bytes).map_err(|error| error.context(shown(&path)))?
    } else {
        Tokenizer::of_language_for(&data, &vocab)?
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
