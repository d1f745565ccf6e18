//! Changes of a state: by moves, and by callers that build one step by step.

use std::cmp::Reverse;

use lexpool_structs::SpanC;

use super::{ON_STACK, PUT_BACK, ParseState, START, UNSHIFTABLE, token};
use lexpool_error::{Code, codes};
use lexpool_error::{Error, ErrorKind, Result};
use lexpool_structs::StrId;

impl ParseState {
    /// Marks a token as a sentence start. Elsewhere than at a token nothing happens.
    pub fn set_sent_start(&mut self, at: usize) {
        let at = token(at);
        let Some(mark) = self.marks.get_mut(at as usize) else { return };
        if *mark & (START | PUT_BACK) == PUT_BACK {
            self.starts_put_back += 1;
        }
        let is_new = *mark & START == 0;
        *mark |= START;
        if is_new && at >= self.next {
            self.starts_by_moves.push(Reverse(at));
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
            return Err(empty(codes::STATE_BUFFER, "buffer"));
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

    /// Empties stack and buffer of a state that allows no class. (spaCy leaves words that were put
    /// back, so its state does not become final.)
    pub fn force_final(&mut self) {
        for at in self.stack.drain(..).chain(self.rebuffer.drain(..)) {
            self.marks[at as usize] &= !(ON_STACK | PUT_BACK);
        }
        self.next = token(self.len());
        (self.next_start, self.next_preset) = (self.next, self.next);
        self.starts_by_moves.clear();
        self.starts_put_back = 0;
    }

    /// Adds an arc; one that the child had is taken back as by [`ParseState::del_arc`].
    ///
    /// # Errors
    ///
    /// `state-token` if head or child is out of range.
    #[inline]
    pub fn add_arc(&mut self, head: usize, child: usize, label: StrId) -> Result<()> {
        if let Some(outside) = [head, child].into_iter().find(|&at| at >= self.len()) {
            return Err(self.no_token(outside));
        }
        self.arcs.add(token(head), token(child), label);
        Ok(())
    }

    /// Removes an arc if it is the newest on its side of its head. As in spaCy, the child keeps its
    /// head, and other arcs stay.
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
        let start = first.ok_or_else(|| empty(codes::STATE_BUFFER, "buffer"))?;
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
        let first = first.ok_or_else(|| empty(codes::STATE_BUFFER, "buffer"))?;
        let Some(last) = self.ents.last_mut() else {
            let text = "no entity is open; open one before";
            return Err(Error::new(ErrorKind::State, codes::STATE_ENTITY, text));
        };
        last.end = first + 1;
        Ok(())
    }

    #[inline]
    fn take_top(&mut self) -> Result<u32> {
        let top = self.stack.pop().ok_or_else(|| empty(codes::STATE_STACK, "stack"))?;
        self.marks[top as usize] &= !ON_STACK;
        Ok(top)
    }

    fn no_token(&self, at: usize) -> Error {
        let text = format!("no token {at} in a state of {} tokens", self.len());
        Error::new(ErrorKind::Index, codes::STATE_TOKEN, text)
    }
}

#[cold]
fn empty(code: Code, what: &str) -> Error {
    Error::new(ErrorKind::State, code, format!("the {what} is empty"))
}
