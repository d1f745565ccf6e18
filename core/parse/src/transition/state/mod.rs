//! The state of a parse: a stack, a buffer, arcs, entities and sentence starts.

mod changes;
mod queries;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use lexpool_structs::SpanC;

use super::arcs::{Arcs, ParseArc, Side, reserve_for};
use super::{NONE, TokenFacts, some};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// The state of a parse of a sequence of tokens: stack, buffer, arcs, entities and sentence starts.
///
/// The buffer is what of the tokens has not been pushed, and before that those that were put back
/// from the stack. The tokens of the stack, from the bottom, and of the buffer are ascending: moves
/// take tokens out and carry them over the border, and nothing else. Names of one letter are
/// spaCy's.
///
/// A copy shares the facts of the tokens. Memory: about 40 bytes a token.
///
/// ```
/// use lexpool_structs::StrId;
/// use lexpool_parse::transition::{ParseState, TokenFacts};
/// let mut state = ParseState::new(vec![TokenFacts::default(); 3].into(), 0)?;
/// state.push()?;
/// state.add_arc(1, 0, StrId::of("nsubj"))?;
/// state.pop()?;
/// assert_eq!((state.h(0), state.l(1, 1), state.b(0)), (Some(1), Some(0), Some(1)));
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Debug)]
pub struct ParseState {
    facts: Arc<[TokenFacts]>,
    marks: Vec<u8>,
    arcs: Arcs,
    stack: Vec<u32>,
    /// Tokens that were put back, the first of the buffer last.
    rebuffer: Vec<u32>,
    ents: Vec<SpanC>,
    /// The first token that was never pushed.
    next: u32,
    /// The first sentence start at or after `next`, or the number of tokens.
    next_start: u32,
    /// The first preset sentence start at or after `next`, or the number of tokens. Kept apart from
    /// starts set by moves, so that no token is scanned twice.
    next_preset: u32,
    /// Sentence starts set by moves, the nearest first. Entries before `next` are removed lazily.
    starts_by_moves: BinaryHeap<Reverse<u32>>,
    /// Number of tokens put back that start a sentence.
    starts_put_back: u32,
    offset: i32,
}

/// Marks of tokens.
const ON_STACK: u8 = 1;
const PUT_BACK: u8 = 2;
const UNSHIFTABLE: u8 = 4;
const START: u8 = 8;
const NO_START: u8 = 16;

impl ParseState {
    /// Makes the first state of a sequence of tokens. `offset` is the number of tokens before it in
    /// its batch, which is added to the positions of features.
    ///
    /// # Errors
    ///
    /// `state-length` if positions, with the offset, do not fit in 31 bits.
    pub fn new(facts: Arc<[TokenFacts]>, offset: usize) -> Result<ParseState> {
        let len = facts.len();
        let last = offset.checked_add(len).and_then(|last| i32::try_from(last).ok());
        let (Some(_), Ok(offset)) = (last, i32::try_from(offset)) else {
            let text = format!("{len} tokens after {offset} others are more than 2^31 - 1");
            return Err(Error::value(codes::STATE_LENGTH, text));
        };
        let marks = facts.iter().map(|token| match token.sent_start {
            1 => START,
            -1 => NO_START,
            _ => 0,
        });
        let mut state = ParseState {
            marks: marks.collect(),
            arcs: Arcs::new(len),
            stack: Vec::with_capacity(len.min(32)),
            rebuffer: Vec::new(),
            ents: Vec::new(),
            next: 0,
            next_start: 0,
            next_preset: 0,
            starts_by_moves: BinaryHeap::new(),
            starts_put_back: 0,
            offset,
            facts,
        };
        state.find_next_preset();
        state.find_next_start();
        Ok(state)
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Returns whether the number of tokens is 0.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The number of tokens before these in the batch, which features begin at.
    pub fn offset(&self) -> usize {
        usize::try_from(self.offset).unwrap_or(0)
    }

    /// The first token that was never pushed; the number of tokens if all were.
    pub fn next(&self) -> usize {
        self.next as usize
    }

    /// Returns the facts of the tokens.
    pub fn facts(&self) -> &Arc<[TokenFacts]> {
        &self.facts
    }

    /// Returns the facts of a token; the default ones if it is out of range.
    pub fn fact(&self, token: Option<usize>) -> TokenFacts {
        token.and_then(|token| self.facts.get(token)).copied().unwrap_or_default()
    }

    /// The i-th token of the stack from the top.
    #[inline]
    pub fn s(&self, i: usize) -> Option<usize> {
        some(self.stacked(i))
    }

    /// The i-th token of the buffer.
    #[inline]
    pub fn b(&self, i: usize) -> Option<usize> {
        some(self.buffered(i))
    }

    /// The head of a token.
    #[inline]
    pub fn h(&self, child: usize) -> Option<usize> {
        some(self.arcs.head(token(child)))
    }

    /// The first token of the last entity, open or not.
    pub fn e(&self) -> Option<usize> {
        usize::try_from(self.ents.last()?.start).ok()
    }

    /// The n-th newest child on the left of a head, counted from 1. Cost: n steps.
    pub fn l(&self, head: usize, n: usize) -> Option<usize> {
        some(self.arcs.child(Side::Left, token(head), n))
    }

    /// The n-th newest child on the right of a head, counted from 1. Cost: n steps.
    pub fn r(&self, head: usize, n: usize) -> Option<usize> {
        some(self.arcs.child(Side::Right, token(head), n))
    }

    /// The number of children on the left. Cost: one step a child.
    pub fn n_l(&self, head: usize) -> usize {
        self.arcs.count(Side::Left, token(head))
    }

    /// The number of children on the right. Cost: one step a child.
    pub fn n_r(&self, head: usize) -> usize {
        self.arcs.count(Side::Right, token(head))
    }

    /// The arcs: those to the left and then those to the right, each in the order of making.
    /// (Within a side spaCy's order is that of a hash map.)
    pub fn arcs(&self) -> impl Iterator<Item = ParseArc> + '_ {
        self.arcs.all()
    }

    /// The entities in the order of opening; an open one ends at -1.
    pub fn ents(&self) -> &[SpanC] {
        &self.ents
    }

    /// Returns whether a token has a head.
    pub fn has_head(&self, child: usize) -> bool {
        self.h(child).is_some()
    }

    /// The number of tokens on the stack.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack.len()
    }

    /// The number of tokens in the buffer.
    #[inline]
    pub fn buffer_length(&self) -> usize {
        self.len() - self.next as usize + self.rebuffer.len()
    }

    /// Returns whether the buffer is empty.
    #[inline]
    pub fn eol(&self) -> bool {
        self.buffer_length() == 0
    }

    /// Returns whether stack and buffer are empty.
    #[inline]
    pub fn is_final(&self) -> bool {
        self.stack.is_empty() && self.eol()
    }

    /// Returns whether the last entity is open.
    #[inline]
    pub fn entity_is_open(&self) -> bool {
        self.ents.last().is_some_and(|ent| ent.end == -1)
    }

    /// Returns whether a sentence starts at a token, preset or by a move.
    pub fn is_sent_start(&self, at: usize) -> bool {
        self.is_marked(token(at), START)
    }

    /// Returns whether a sentence start is ruled out at a token by preset annotation.
    pub fn cannot_sent_start(&self, at: usize) -> bool {
        self.is_marked(token(at), NO_START)
    }

    /// Returns whether a token must get an arc before it can be shifted again.
    pub fn is_unshiftable(&self, at: usize) -> bool {
        self.is_marked(token(at), UNSHIFTABLE)
    }
}

impl ParseState {
    #[inline]
    fn is_marked(&self, at: u32, mark: u8) -> bool {
        self.marks.get(at as usize).is_some_and(|marks| marks & mark != 0)
    }

    /// Finds the next start after one was passed. Cost: over a whole parse, one look at each token
    /// and at each start that a move has set.
    fn find_next_start(&mut self) {
        if self.next_preset < self.next {
            self.find_next_preset();
        }
        while self.starts_by_moves.peek().is_some_and(|&Reverse(start)| start < self.next) {
            self.starts_by_moves.pop();
        }
        let by_moves = self.starts_by_moves.peek().map_or(NONE, |&Reverse(start)| start);
        self.next_start = self.next_preset.min(by_moves);
    }

    fn find_next_preset(&mut self) {
        let from = self.next as usize;
        let start = self.facts[from..].iter().position(|fact| fact.sent_start == 1);
        self.next_preset = token(start.map_or(self.marks.len(), |start| from + start));
    }
}

/// A position as states have them.
#[inline]
fn token(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

impl ParseState {
    /// Returns a copy.
    ///
    /// # Errors
    ///
    /// `out-of-memory` if the system refuses the memory.
    pub(in crate::transition) fn try_clone(&self) -> Result<ParseState> {
        let mut copy = ParseState {
            facts: Arc::clone(&self.facts),
            marks: Vec::new(),
            arcs: Arcs::new(0),
            stack: Vec::new(),
            rebuffer: Vec::new(),
            ents: Vec::new(),
            starts_by_moves: BinaryHeap::new(),
            ..*self
        };
        copy.try_clone_from(self)?;
        Ok(copy)
    }

    /// Copies into the memory that is there, and into more where there is too little.
    ///
    /// # Errors
    ///
    /// `out-of-memory` if the system refuses more. The state is unchanged then.
    pub(in crate::transition) fn try_clone_from(&mut self, source: &ParseState) -> Result<()> {
        reserve_for(&mut self.marks, source.marks.len())?;
        self.arcs.reserve_for(&source.arcs)?;
        // With room for the next step.
        reserve_for(&mut self.stack, source.stack.len() + 1)?;
        reserve_for(&mut self.rebuffer, source.rebuffer.len() + 1)?;
        reserve_for(&mut self.ents, source.ents.len() + 1)?;
        let starts = (source.starts_by_moves.len() + 1).saturating_sub(self.starts_by_moves.len());
        self.starts_by_moves.try_reserve(starts)?;
        self.clone_from(source);
        Ok(())
    }
}

impl Clone for ParseState {
    fn clone(&self) -> ParseState {
        ParseState {
            facts: Arc::clone(&self.facts),
            marks: self.marks.clone(),
            arcs: self.arcs.clone(),
            stack: self.stack.clone(),
            rebuffer: self.rebuffer.clone(),
            ents: self.ents.clone(),
            starts_by_moves: self.starts_by_moves.clone(),
            ..*self
        }
    }

    /// Copies into the memory that is there.
    fn clone_from(&mut self, source: &ParseState) {
        self.facts.clone_from(&source.facts);
        self.marks.clone_from(&source.marks);
        self.arcs.clone_from(&source.arcs);
        self.stack.clone_from(&source.stack);
        self.rebuffer.clone_from(&source.rebuffer);
        self.ents.clone_from(&source.ents);
        self.starts_by_moves.clone_from(&source.starts_by_moves);
        let ParseState { next, next_start, next_preset, starts_put_back, offset, .. } = *source;
        (self.next, self.next_start, self.next_preset) = (next, next_start, next_preset);
        (self.starts_put_back, self.offset) = (starts_put_back, offset);
    }
}
