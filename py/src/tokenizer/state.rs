//! The state of a tokenizer.

use std::sync::Arc;

use lexpool::tokenizer::Tokenizer;
use pyo3::prelude::*;

use super::rules::Callables;
use super::segmenter_data::{SegmenterData, SegmenterSettings, segmenter_with_details};
use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;

/// The state of a tokenizer; it is replaced as a whole.
pub(crate) struct TokenizerState {
    pub(crate) vocab: Py<PyVocab>,
    pub(crate) tokenizer: Arc<Tokenizer>,
    /// The callables as they were assigned; `None` for lexpool's own rules. The tokenizer shares
    /// functions among them.
    pub(super) callables: Callables,
    pub(super) settings: SegmenterSettings,
}

impl TokenizerState {
    /// The state of a tokenizer with rules of lexpool's own.
    pub(super) fn of_rules(vocab: Py<PyVocab>, tokenizer: Arc<Tokenizer>) -> TokenizerState {
        let (callables, settings) = (Callables::default(), SegmenterSettings::default());
        TokenizerState { vocab, tokenizer, callables, settings }
    }

    /// The state of a tokenizer that cuts texts with a segmenter.
    pub(super) fn with_segmenter(
        vocab: &Bound<'_, PyVocab>,
        name: &str,
        data: SegmenterData,
        split_mode: Option<String>,
        max: usize,
    ) -> PyResult<TokenizerState> {
        let (segmenter, data) = data.open(vocab.py(), name, split_mode.as_deref())?;
        let native = Tokenizer::with_segmenter(vocab.get().vocab(), segmenter, max).or_raise()?;
        let settings =
            SegmenterSettings { data, split_mode, details: segmenter_with_details(&native) };
        let (vocab, callables) = (vocab.clone().unbind(), Callables::default());
        Ok(TokenizerState { vocab, tokenizer: Arc::new(native), callables, settings })
    }
}
