//! Rebuilding a dependency tree from its heads: child counts, subtree edges and sentence starts.

use lexpool_structs::{SyntaxC, TokenC};

use super::super::doc::Doc;

/// The maximum number of passes until every head lies in the sentence of its token. It is spaCy's
/// limit, which determines the edges of heavily crossing trees.
const MAX_PASSES: usize = 12;

/// Rebuilds child counts and edges of `start..end` from the heads, and sets the sentence starts.
///
/// Heads must point into the document, no arc may cross the ends of the range, and `syntax` must be
/// as long as `tokens`. Cost: one pass over the range for a projective tree, up to twelve for
/// others.
pub fn rebuild(tokens: &mut [TokenC], syntax: &mut [SyntaxC], start: usize, end: usize) {
    for (i, record) in (position(start)..).zip(&mut syntax[start..end]) {
        (record.l_kids, record.r_kids) = (0, 0);
        (record.l_edge, record.r_edge) = (i, i);
    }
    for pass in 0..MAX_PASSES {
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

/// Widens the edges of each head by those of its children, in one pass from the left and one from
/// the right.
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
    let mut is_start = vec![false; end - start];
    for record in syntax[start..end].iter().filter(|record| record.head == 0) {
        is_start[record.l_edge as usize - start] = true;
    }
    let mut sent_start = start;
    for (i, is_start) in (start..).zip(is_start) {
        if is_start || i == end - 1 {
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

/// Returns the position of a token's head.
pub(crate) fn head_of(syntax: &[SyntaxC], i: usize) -> usize {
    i.checked_add_signed(syntax[i].head as isize).expect("heads are checked when they are set")
}

fn position(i: usize) -> u32 {
    u32::try_from(i).expect("a token's position is below 2^30")
}

/// Returns the position of a head relative to its token. Both positions are below 2^30.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "below 2^30")]
pub fn offset(i: usize, head: usize) -> i32 {
    (head as i64 - i as i64) as i32
}

/// Returns the position of a token's head, which is its own position in a document without a tree.
#[inline]
pub(crate) fn head_ix(doc: &Doc, i: usize) -> usize {
    doc.syntax_records().map_or(i, |syntax| head_of(syntax, i))
}
