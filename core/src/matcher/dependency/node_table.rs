//! The token patterns of all nodes of a dependency matcher, as numbered patterns of one token
//! matcher.

use std::sync::Arc;

use ahash::AHashMap;

use super::trees::position;
use crate::Result;
use crate::matcher::pattern::Pattern;
use crate::matcher::token_matcher::Matcher;
use crate::strings::StrId;

/// Reference-counted numbers of token patterns; equal patterns of a single token share a number.
///
/// Patterns of several tokens are never shared: the order of their matches, and with it the order
/// of the trees, depends on their position among all patterns.
#[derive(Clone, Default)]
pub(super) struct NodeTable {
    /// The number of uses of each number.
    pub(super) uses: Vec<u32>,
    /// The free list of numbers.
    pub(super) free: Vec<u32>,
    /// The numbers of shared patterns, by the debug text of the pattern.
    pub(super) numbers: AHashMap<Arc<str>, u32>,
    /// The debug texts of shared patterns, by number.
    pub(super) texts: AHashMap<u32, Arc<str>>,
}

impl NodeTable {
    /// Returns the number of a pattern, which is added to the matcher if it is new.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::add`].
    pub(super) fn acquire(&mut self, tokens: &mut Matcher, pattern: Pattern) -> Result<u32> {
        let text: Option<Arc<str>> =
            pattern.is_single_token().then(|| format!("{pattern:?}").into());
        if let Some(number) = text.as_ref().and_then(|text| self.numbers.get(text)) {
            self.uses[*number as usize] += 1;
            return Ok(*number);
        }
        let number = self.free.last().copied().unwrap_or(position(self.uses.len()));
        tokens.add(key_of(number), vec![pattern], None)?;
        if self.free.pop().is_none() {
            self.uses.push(0);
        }
        self.uses[number as usize] = 1;
        if let Some(text) = text {
            self.numbers.insert(Arc::clone(&text), number);
            self.texts.insert(number, text);
        }
        Ok(number)
    }

    /// Releases one use of a number; the last one removes the pattern from the matcher.
    pub(super) fn release(&mut self, tokens: &mut Matcher, number: u32) {
        let uses = &mut self.uses[number as usize];
        *uses -= 1;
        if *uses == 0 {
            tokens.remove(key_of(number));
            self.free.push(number);
            if let Some(text) = self.texts.remove(&number) {
                self.numbers.remove(&text);
            }
        }
    }
}

/// Returns the matcher's key of a number.
fn key_of(node: u32) -> StrId {
    StrId::new(u64::from(node))
}

/// Returns the number of a matcher's key.
pub(super) fn number_of(key: StrId) -> u32 {
    u32::try_from(key.get()).expect("all keys are numbers of nodes")
}
