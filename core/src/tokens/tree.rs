//! Rebuilding the tree of a document from its heads.

use lexpool_structs::{SyntaxC, TokenC};

use super::Doc;
use crate::{Error, ErrorKind, Result};

/// How many passes are made at most until every head lies in its own sentence; spaCy's bound, on
/// which the edges of badly crossing trees depend.
const MOST_PASSES: usize = 12;

/// Recounts children and edges of `start..end` from the heads, and sets the sentence starts.
///
/// Heads must point into the document; `syntax` and `tokens` are as long as each other. Cost: one
/// pass over the range for a projective tree, up to twelve for others.
pub(crate) fn rebuild(tokens: &mut [TokenC], syntax: &mut [SyntaxC], start: usize, end: usize) {
    for (i, record) in (position(start)..).zip(&mut syntax[start..end]) {
        (record.l_kids, record.r_kids) = (0, 0);
        (record.l_edge, record.r_edge) = (i, i);
    }
    for pass in 0..MOST_PASSES {
        widen(syntax, start, end, pass == 0);
        if heads_stay_in_sentences(syntax, start, end) {
            break;
        }
    }
    for token in &mut tokens[start..end] {
        token.set_sent_start(-1);
    }
    for record in &syntax[start..end] {
        if record.head == 0 && record.dep != 0 {
            tokens[record.l_edge as usize].set_sent_start(1);
        }
    }
}

/// Hands each token's edges to its head, once from the left and once from the right.
fn widen(syntax: &mut [SyntaxC], start: usize, end: usize, counting: bool) {
    for child in start..end {
        let head = head_of(syntax, child);
        if counting && child < head {
            syntax[head].l_kids += 1;
        }
        spread(syntax, child, head);
    }
    for child in (start..end).rev() {
        let head = head_of(syntax, child);
        if counting && child > head {
            syntax[head].r_kids += 1;
        }
        spread(syntax, child, head);
    }
}

fn spread(syntax: &mut [SyntaxC], child: usize, head: usize) {
    let SyntaxC { l_edge, r_edge, .. } = syntax[child];
    let head = &mut syntax[head];
    head.l_edge = head.l_edge.min(l_edge);
    head.r_edge = head.r_edge.max(r_edge);
}

fn heads_stay_in_sentences(syntax: &[SyntaxC], start: usize, end: usize) -> bool {
    let mut is_start = vec![false; end];
    for record in syntax[start..end].iter().filter(|record| record.head == 0) {
        if let Some(place) = is_start.get_mut(record.l_edge as usize) {
            *place = true;
        }
    }
    let mut sent_start = 0;
    for (i, is_start) in is_start.iter().enumerate().skip(start) {
        if (i > 0 && *is_start) || i == end - 1 {
            let leaves = |j| {
                let head = head_of(syntax, j);
                head < sent_start || head > i
            };
            if (sent_start..i).any(leaves) {
                return false;
            }
            sent_start = i;
        }
    }
    true
}

/// The position of a token's head.
pub(super) fn head_of(syntax: &[SyntaxC], i: usize) -> usize {
    i.checked_add_signed(syntax[i].head as isize).expect("heads are checked when they are set")
}

fn position(i: usize) -> u32 {
    u32::try_from(i).expect("a token's position is within a document")
}

impl Doc {
    /// Makes a token depend on another, or on itself as a root, and rebuilds the trees of both.
    ///
    /// # Errors
    ///
    /// `E190` if a position is outside of the document; when memory runs out.
    pub fn set_head(&mut self, i: usize, head: usize) -> Result<()> {
        let len = self.len();
        if i >= len || head >= len {
            let text = format!("token {i} cannot depend on {head}: there are {len} tokens");
            return Err(Error::new(ErrorKind::Value, "E190", text));
        }
        let (tokens, syntax) = self.tree_mut()?;
        if head_of(syntax, i) == head {
            return Ok(());
        }
        let (a, b) = (root_of(syntax, i), root_of(syntax, head));
        let start = syntax[a].l_edge.min(syntax[b].l_edge) as usize;
        let end = syntax[a].r_edge.max(syntax[b].r_edge) as usize + 1;
        syntax[i].head = offset(i, head);
        rebuild(tokens, syntax, start, end);
        Ok(())
    }

    /// Rebuilds all that follows from the heads, over the whole document.
    pub(crate) fn rebuild_tree(&mut self) -> Result<()> {
        let end = self.len();
        let (tokens, syntax) = self.tree_mut()?;
        rebuild(tokens, syntax, 0, end);
        Ok(())
    }
}

/// A head as a record holds it. Both positions are those of tokens, hence below 2^30.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "below 2^30")]
pub(crate) fn offset(i: usize, head: usize) -> i32 {
    (head as i64 - i as i64) as i32
}

/// The end of the chain of heads, which is cut after as many steps as there are tokens.
fn root_of(syntax: &[SyntaxC], i: usize) -> usize {
    let mut at = i;
    for _ in 0..syntax.len() {
        let head = head_of(syntax, at);
        if head == at {
            break;
        }
        at = head;
    }
    at
}
