//! The vocab and the tokenizer of a pipeline.

use std::path::Path;
use std::sync::Arc;

use super::selection::LoadOptions;
use crate::escape::shown;
use crate::tokenizer::{RuleSet, Tokenizer, lang};
use crate::vocab::{FolderParts, Getters, Vocab};
use crate::{Error, Result};

/// The language whose rules any other language without rules of its own gets.
pub(super) const ANY: &str = "xx";

/// Reads the vocab and the tokenizer of a folder, and adds warnings about missing language data.
///
/// # Errors
///
/// `unknown-language` for a language without rules if the tokenizer is excluded; those of
/// [`Vocab::read_folder`] and [`Tokenizer::from_bytes`], with the path.
pub(super) fn read_tokenizer(
    folder: &Path,
    code: &str,
    options: &LoadOptions,
    warnings: &mut Vec<String>,
) -> Result<Arc<Tokenizer>> {
    let has_rules = lang::languages().any(|known| known == code);
    let own_tokenizer = !options.excludes("tokenizer");
    let data = lang::load(if has_rules || !own_tokenizer { code } else { ANY })?;
    let mut getters = Getters::from(&data);
    getters.set_lang(code);
    if own_tokenizer {
        // Networks read the norms of spaCy: those that all languages share, those of the table
        // `lexeme_norm`, and those of the special cases of the tokenizer's file.
        getters.norms = lang::load(ANY)?.norms.into_iter().collect();
    }
    if !has_rules {
        warnings.push(format!(
            "lexpool has no data for the language {code:?}. Texts are cut by the rules of the \
             pipeline's file; stop words (IS_STOP), number words (LIKE_NUM), norms that are not in \
             the pipeline's tables and noun chunks are missing"
        ));
    }
    let vocab = Vocab::new(getters)?;
    let vocab_folder = folder.join("vocab");
    if !options.excludes("vocab") && vocab_folder.exists() {
        let parts = FolderParts {
            strings: !options.excludes("strings"),
            vectors: !options.excludes("vectors"),
            lookups: !options.excludes("lookups"),
        };
        vocab.read_folder(&vocab_folder, parts)?;
    }
    let tokenizer = if own_tokenizer {
        let path = folder.join("tokenizer");
        let bytes = std::fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        Tokenizer::from_bytes(&vocab, &bytes).map_err(|error| error.context(shown(&path)))?
    } else {
        Tokenizer::new(&vocab, &RuleSet::from(data), Tokenizer::DEFAULT_CACHED_CHUNKS)?
    };
    Ok(Arc::new(tokenizer))
}
