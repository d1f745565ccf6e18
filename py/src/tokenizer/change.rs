//! Reading and replacing the state of a tokenizer, which changes as a whole.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::tokenizer::{RuleName, Tokenizer, TokenizerChange};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::PyTokenizer;
use super::rules::{self, Callables};
use super::state::TokenizerState;
use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;

impl From<TokenizerState> for PyTokenizer {
    fn from(state: TokenizerState) -> PyTokenizer {
        PyTokenizer { state: Mutex::new(Some(Arc::new(state))) }
    }
}

impl PyTokenizer {
    pub(super) fn slot(&self) -> MutexGuard<'_, Option<Arc<TokenizerState>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> PyResult<Arc<TokenizerState>> {
        self.slot().clone().ok_or_else(|| {
            PyRuntimeError::new_err("this tokenizer has no vocab; its __init__ was not called")
        })
    }

    /// The present tokenizer and its vocab.
    pub(crate) fn parts(&self, py: Python<'_>) -> PyResult<(Arc<Tokenizer>, Py<PyVocab>)> {
        let state = self.state()?;
        Ok((Arc::clone(&state.tokenizer), state.vocab.clone_ref(py)))
    }

    /// Replaces the state; the old one is dropped after the lock is released.
    pub(super) fn put(&self, state: Arc<TokenizerState>) {
        let old = self.slot().replace(state);
        drop(old);
    }

    /// Applies a change; tries again if another thread was faster.
    pub(super) fn change(&self, py: Python<'_>, change: &TokenizerChange) -> PyResult<()> {
        self.change_to(py, change, |_| ())
    }

    fn change_to(
        &self,
        py: Python<'_>,
        change: &TokenizerChange,
        edit: impl Fn(&mut Callables),
    ) -> PyResult<()> {
        loop {
            let present = self.state()?;
            // This may call users' functions, so no lock is held.
            let tokenizer = present.tokenizer.with(change).or_raise()?;
            let mut callables = present.callables.clone();
            edit(&mut callables);
            let vocab = present.vocab.clone_ref(py);
            let (tokenizer, settings) = (Arc::new(tokenizer), present.settings.clone());
            let next = Arc::new(TokenizerState { vocab, tokenizer, callables, settings });
            let mut slot = self.slot();
            if slot.as_ref().is_some_and(|state| Arc::ptr_eq(state, &present)) {
                let old = slot.replace(next);
                drop(slot);
                drop(old);
                return Ok(());
            }
        }
    }

    pub(super) fn callable(&self, py: Python<'_>, name: RuleName) -> PyResult<Option<Py<PyAny>>> {
        let state = self.state()?;
        if let Some(callable) = &state.callables[name as usize] {
            return Ok(Some(callable.clone_ref(py)));
        }
        // lexpool's own rule is compiled by `re` on first access.
        let pattern = state.tokenizer.pattern(name);
        pattern.map(|pattern| Ok(rules::compiled(py, name, &pattern.source)?.unbind())).transpose()
    }

    pub(super) fn set_rule(
        &self,
        py: Python<'_>,
        name: RuleName,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (callable, source) = rules::rule(name, Some(value))?.unzip();
        let callable = callable.flatten();
        let change = TokenizerChange::Rule(name, source);
        self.change_to(py, &change, |callables| callables[name as usize].clone_from(&callable))
    }
}
