//! Rules from the bytes of a tokenizer.

use std::sync::Arc;

use lexpool::codes;
use lexpool::msgpack::Value;
use lexpool::tokenizer::{RuleSet, Tokenizer};
use pyo3::prelude::*;

use super::{PyTokenizer, TokenizerState};
use crate::runtime::error::OrRaise;

impl PyTokenizer {
    /// Takes rules from bytes, without Python objects for them; returns whether it did. The bytes
    /// may be damaged or old, or have patterns that `re` alone can run: the functions in Python
    /// read those, and raise the errors.
    pub(super) fn read_rules(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<bool> {
        let present = self.state()?;
        let vocab = present.vocab.get().vocab();
        let Ok(parts) = Value::from_bytes(bytes) else { return Ok(false) };
        // Without it the present setting is kept.
        if parts.get("faster_heuristics").is_none() {
            return Ok(false);
        }
        let Ok(rules) = RuleSet::from_parts(&parts, vocab.strings()) else { return Ok(false) };
        let made = Tokenizer::new(vocab, &rules, present.tokenizer.max_cached_chunks());
        let is_left_to_python =
            |code: &str| [codes::RULE_SYNTAX, codes::E997].iter().any(|left| left.as_str() == code);
        let tokenizer = match made {
            Err(error) if is_left_to_python(error.code()) => return Ok(false),
            // The errors of lexical attribute getters, which are users' functions, are raised too.
            made => Arc::new(made.or_raise()?),
        };
        self.put(Arc::new(TokenizerState::of_rules(present.vocab.clone_ref(py), tokenizer)));
        Ok(true)
    }
}
