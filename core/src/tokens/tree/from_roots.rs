//! Values of tokens that follow from those of their heads, memoized.

use ahash::AHashMap;

use super::super::doc::Doc;
use super::head_ix;
use crate::{Result, fallible};

/// Values of tokens, each of which follows from that of the token's head, such as depths. All walks
/// to the roots together visit a token once.
pub(crate) struct FromRoots<T> {
    known: AHashMap<usize, T>,
}

/// The end of the way from a token up.
pub(crate) enum Top {
    /// A token that is its own head.
    Root(usize),
    /// A token of a circle of heads.
    Circle(usize),
}

impl<T> Default for FromRoots<T> {
    fn default() -> FromRoots<T> {
        FromRoots { known: AHashMap::new() }
    }
}

impl<T: Copy> FromRoots<T> {
    /// Returns the value of a token: that of the top of its way up by `of_top`, and from there down
    /// that of each token by `below`, which gets the token and the value of its head.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`; those of `of_top`.
    pub(crate) fn of(
        &mut self,
        doc: &Doc,
        token: usize,
        of_top: impl FnOnce(Top) -> Result<T>,
        below: impl Fn(usize, T) -> T,
    ) -> Result<T> {
        let (mut path, mut at) = (Vec::new(), token);
        let mut value = loop {
            if let Some(value) = self.known.get(&at) {
                break *value;
            }
            let head = head_ix(doc, at);
            if head == at {
                break of_top(Top::Root(at))?;
            }
            fallible::push(&mut path, at)?;
            if path.len() == doc.len() {
                break of_top(Top::Circle(head))?;
            }
            at = head;
        };
        self.known.try_reserve(path.len())?;
        for token in path.into_iter().rev() {
            value = below(token, value);
            self.known.insert(token, value);
        }
        Ok(value)
    }
}
