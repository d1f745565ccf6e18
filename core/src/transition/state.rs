//! The state of a parse: a stack, a buffer, arcs, entities and sentence starts.

use std::sync::Arc;

use lexpool_structs::SpanC;

use super::arcs::{ArcC, Arcs, Side};
use super::{NONE, TokenFacts, some};
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::{Error, ErrorKind, Result};

/// What has been decided of a sequence of tokens, and what is to be decided next.
///
/// The buffer is what of the tokens has not been pushed, and before that those that were put back
/// from the stack. The tokens of the stack, from the bottom, and of the buffer are ascending: moves
/// take tokens out and carry them over the border, and nothing else. Names of one letter are spaCy's.
///
/// A copy shares the facts of the tokens. Memory: about 40 bytes a token.
///
/// ```
/// use lexpool::strings::StrId;
/// use lexpool::tokens::Doc;
/// use lexpool::transition::State;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("Rats", true), ("bite", true), ("things", false)])?;
/// let mut state = State::new(&doc, 0)?;
/// state.push()?;
/// state.add_arc(1, 0, StrId::of("nsubj"))?;
/// state.pop()?;
/// assert_eq!((state.h(0), state.l(1, 1), state.b(0)), (Some(1), Some(0), Some(1)));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug)]
pub struct State {
    facts: Arc<[TokenFacts]>,
    marks: Vec<u8>,
    arcs: Arcs,
    stack: Vec<u32>,
    /// Tokens that were put back, the first of the buffer last.
    rebuffer: Vec<u32>,
    ents: Vec<SpanC>,
    /// The first token that was never pushed.
    next: u32,
    /// The first sentence start from there on, or the number of tokens.
    next_start: u32,
    /// How many of the tokens put back start a sentence.
    starts_put_back: u32,
    offset: i32,
}

/// Marks of tokens.
const ON_STACK: u8 = 1;
const PUT_BACK: u8 = 2;
const UNSHIFTABLE: u8 = 4;
const START: u8 = 8;
const NO_START: u8 = 16;

impl State {
    /// The first state of a document, whose features are counted from `offset`: the number of tokens
    /// before it in its batch.
    ///
    /// # Errors
    ///
    /// `state-length` where positions, with the offset, would not fit in 31 bits.
    pub fn new(doc: &Doc, offset: usize) -> Result<State> {
        State::of_facts(TokenFacts::of(doc), offset)
    }

    /// The first state of tokens of which these facts are known.
    ///
    /// # Errors
    ///
    /// As for [`State::new`].
    pub fn of_facts(facts: Arc<[TokenFacts]>, offset: usize) -> Result<State> {
        let len = facts.len();
        let last = offset.checked_add(len).and_then(|last| i32::try_from(last).ok());
        let (Some(_), Ok(offset)) = (last, i32::try_from(offset)) else {
            let text = format!("{len} tokens after {offset} others are more than 2^31 - 1");
            return Err(Error::value("state-length", text));
        };
        let marks = facts.iter().map(|token| match token.sent_start {
            1 => START,
            -1 => NO_START,
            _ => 0,
        });
        let mut state = State {
            marks: marks.collect(),
            arcs: Arcs::new(len),
            stack: Vec::with_capacity(len.min(32)),
            rebuffer: Vec::new(),
            ents: Vec::new(),
            next: 0,
            next_start: 0,
            starts_put_back: 0,
            offset,
            facts,
        };
        state.find_next_start();
        Ok(state)
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether there are no tokens.
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

    /// What is known of the tokens beforehand.
    pub fn facts(&self) -> &Arc<[TokenFacts]> {
        &self.facts
    }

    /// What is known beforehand of a token, or nothing where there is none.
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

    /// The arcs: those to the left and then those to the right, each in the order of making. (Within
    /// a side spaCy's order is that of a hash map.)
    pub fn arcs(&self) -> impl Iterator<Item = ArcC> + '_ {
        self.arcs.all()
    }

    /// The entities in the order of opening; an open one ends at -1.
    pub fn ents(&self) -> &[SpanC] {
        &self.ents
    }

    /// Whether a token has a head.
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

    /// Whether the buffer is empty.
    #[inline]
    pub fn eol(&self) -> bool {
        self.buffer_length() == 0
    }

    /// Whether stack and buffer are empty.
    #[inline]
    pub fn is_final(&self) -> bool {
        self.stack.is_empty() && self.eol()
    }

    /// Whether the last entity is open.
    #[inline]
    pub fn entity_is_open(&self) -> bool {
        self.ents.last().is_some_and(|ent| ent.end == -1)
    }

    /// Whether a sentence starts at a token: as the document said, or as a move has decided.
    pub fn is_sent_start(&self, at: usize) -> bool {
        self.is_marked(token(at), START)
    }

    /// Whether the document said that no sentence starts at a token.
    pub fn cannot_sent_start(&self, at: usize) -> bool {
        self.is_marked(token(at), NO_START)
    }

    /// Whether a token may not be shifted again before an arc leads to or from it.
    pub fn is_unshiftable(&self, at: usize) -> bool {
        self.is_marked(token(at), UNSHIFTABLE)
    }

    /// Marks a token as a sentence start. Elsewhere than at a token nothing happens.
    pub fn set_sent_start(&mut self, at: usize) {
        let at = token(at);
        let Some(mark) = self.marks.get_mut(at as usize) else { return };
        if *mark & (START | PUT_BACK) == PUT_BACK {
            self.starts_put_back += 1;
        }
        *mark |= START;
        if at >= self.next {
            self.next_start = self.next_start.min(at);
        }
    }

    /// Lets a token be shifted again. Elsewhere than at a token nothing happens.
    pub fn set_reshiftable(&mut self, at: usize) {
        if let Some(mark) = self.marks.get_mut(at) {
            *mark &= !UNSHIFTABLE;
        }
    }

    /// Moves the first token of the buffer to the stack.
    ///
    /// # Errors
    ///
    /// `state-buffer` if the buffer is empty.
    #[inline]
    pub fn push(&mut self) -> Result<()> {
        let first = if let Some(first) = self.rebuffer.pop() {
            let mark = &mut self.marks[first as usize];
            self.starts_put_back -= u32::from(*mark & START != 0);
            *mark &= !PUT_BACK;
            first
        } else if (self.next as usize) < self.marks.len() {
            let first = self.next;
            self.next += 1;
            if self.next_start == first {
                self.find_next_start();
            }
            first
        } else {
            return Err(empty("state-buffer", "buffer"));
        };
        self.marks[first as usize] |= ON_STACK;
        self.stack.push(first);
        Ok(())
    }

    /// Takes the top of the stack away.
    ///
    /// # Errors
    ///
    /// `state-stack` if the stack is empty.
    #[inline]
    pub fn pop(&mut self) -> Result<()> {
        self.take_top().map(|_| ())
    }

    /// Puts the top of the stack back on the buffer, and marks it as not to be shifted again.
    ///
    /// # Errors
    ///
    /// `state-stack` if the stack is empty.
    pub fn unshift(&mut self) -> Result<()> {
        let top = self.take_top()?;
        let mark = &mut self.marks[top as usize];
        *mark |= UNSHIFTABLE | PUT_BACK;
        self.starts_put_back += u32::from(*mark & START != 0);
        self.rebuffer.push(top);
        Ok(())
    }

    /// Empties stack and buffer, for when nothing else is left to do.
    pub fn force_final(&mut self) {
        for at in self.stack.drain(..).chain(self.rebuffer.drain(..)) {
            self.marks[at as usize] &= !(ON_STACK | PUT_BACK);
        }
        self.next = token(self.len());
        self.next_start = self.next;
        self.starts_put_back = 0;
    }

    /// Adds an arc; one that the child had is taken back as by [`State::del_arc`].
    ///
    /// # Errors
    ///
    /// `state-token` if head or child is no token.
    #[inline]
    pub fn add_arc(&mut self, head: usize, child: usize, label: StrId) -> Result<()> {
        if let Some(outside) = [head, child].into_iter().find(|&at| at >= self.len()) {
            return Err(self.no_token(outside));
        }
        self.arcs.add(token(head), token(child), label);
        Ok(())
    }

    /// Takes an arc back. As in spaCy, the child keeps its head, and an arc that is not the newest to
    /// its side of its head stays.
    pub fn del_arc(&mut self, head: usize, child: usize) {
        self.arcs.remove(token(head), token(child));
    }

    /// Opens an entity at the first token of the buffer.
    ///
    /// # Errors
    ///
    /// `state-buffer` if the buffer is empty.
    pub fn open_ent(&mut self, label: StrId) -> Result<()> {
        let first = self.b(0).and_then(|first| i32::try_from(first).ok());
        let start = first.ok_or_else(|| empty("state-buffer", "buffer"))?;
        self.ents.push(SpanC { start, end: -1, label: label.get(), ..SpanC::default() });
        Ok(())
    }

    /// Ends the last entity after the first token of the buffer.
    ///
    /// # Errors
    ///
    /// `state-entity` if none was opened, `state-buffer` if the buffer is empty.
    pub fn close_ent(&mut self) -> Result<()> {
        let first = self.b(0).and_then(|first| i32::try_from(first).ok());
        let first = first.ok_or_else(|| empty("state-buffer", "buffer"))?;
        let Some(last) = self.ents.last_mut() else {
            let text = "there is no entity to close; open one before";
            return Err(Error::new(ErrorKind::State, "state-entity", text));
        };
        last.end = first + 1;
        Ok(())
    }
}

/// What moves ask, by positions that may be [`NONE`].
impl State {
    #[inline]
    pub(super) fn stacked(&self, i: usize) -> u32 {
        let at = self.stack.len().wrapping_sub(i.saturating_add(1));
        self.stack.get(at).copied().unwrap_or(NONE)
    }

    /// The stack from the bottom.
    pub(super) fn stack(&self) -> &[u32] {
        &self.stack
    }

    #[inline]
    pub(super) fn buffered(&self, i: usize) -> u32 {
        let put_back = self.rebuffer.len();
        if i < put_back {
            return self.rebuffer[put_back - 1 - i];
        }
        let at = (self.next as usize).saturating_add(i - put_back);
        if at < self.marks.len() { token(at) } else { NONE }
    }

    #[inline]
    pub(super) fn head(&self, child: u32) -> u32 {
        self.arcs.head(child)
    }

    #[inline]
    pub(super) fn child(&self, side: Side, head: u32, n: usize) -> u32 {
        self.arcs.child(side, head, n)
    }

    #[inline]
    pub(super) fn starts_sentence(&self, at: u32) -> bool {
        self.is_marked(at, START)
    }

    #[inline]
    pub(super) fn starts_no_sentence(&self, at: u32) -> bool {
        self.is_marked(at, NO_START)
    }

    #[inline]
    pub(super) fn was_put_back(&self, at: u32) -> bool {
        self.is_marked(at, UNSHIFTABLE)
    }

    #[inline]
    pub(super) fn on_stack(&self, at: u32) -> bool {
        self.is_marked(at, ON_STACK)
    }

    /// Whether a token is in the buffer, wherever a sentence starts.
    #[inline]
    pub(super) fn in_buffer(&self, at: u32) -> bool {
        at >= self.next && (at as usize) < self.marks.len() || self.is_marked(at, PUT_BACK)
    }

    /// Where the sentence of the buffer ends: at the first token of the buffer that starts one.
    #[inline]
    pub(super) fn sentence_end(&self) -> u32 {
        if self.starts_put_back == 0 {
            return self.next_start;
        }
        let mut put_back = self.rebuffer.iter().rev();
        let start = put_back.find(|&&at| self.is_marked(at, START));
        start.copied().unwrap_or(self.next_start)
    }

    #[inline]
    pub(super) fn feature_offset(&self) -> i32 {
        self.offset
    }

    /// The last entity.
    pub(super) fn last_ent(&self) -> Option<&SpanC> {
        self.ents.last()
    }

    #[inline]
    fn is_marked(&self, at: u32, mark: u8) -> bool {
        self.marks.get(at as usize).is_some_and(|marks| marks & mark != 0)
    }

    #[inline]
    fn take_top(&mut self) -> Result<u32> {
        let top = self.stack.pop().ok_or_else(|| empty("state-stack", "stack"))?;
        self.marks[top as usize] &= !ON_STACK;
        Ok(top)
    }

    /// Cost: over a whole parse, one look at each token.
    fn find_next_start(&mut self) {
        let from = self.next as usize;
        let start = self.marks[from..].iter().position(|mark| mark & START != 0);
        self.next_start = token(start.map_or(self.marks.len(), |start| from + start));
    }

    fn no_token(&self, at: usize) -> Error {
        let text = format!("no token {at} in a state of {} tokens", self.len());
        Error::new(ErrorKind::Index, "state-token", text)
    }
}

/// A position as states have them.
#[inline]
fn token(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

#[cold]
fn empty(code: &'static str, what: &str) -> Error {
    Error::new(ErrorKind::State, code, format!("the {what} is empty"))
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            facts: Arc::clone(&self.facts),
            marks: self.marks.clone(),
            arcs: self.arcs.clone(),
            stack: self.stack.clone(),
            rebuffer: self.rebuffer.clone(),
            ents: self.ents.clone(),
            ..*self
        }
    }

    /// Copies into the memory that is there.
    fn clone_from(&mut self, source: &State) {
        self.facts.clone_from(&source.facts);
        self.marks.clone_from(&source.marks);
        self.arcs.clone_from(&source.arcs);
        self.stack.clone_from(&source.stack);
        self.rebuffer.clone_from(&source.rebuffer);
        self.ents.clone_from(&source.ents);
        let State { next, next_start, starts_put_back, offset, .. } = *source;
        (self.next, self.next_start) = (next, next_start);
        (self.starts_put_back, self.offset) = (starts_put_back, offset);
    }
}
