//! The moves: when each is allowed, and what it does.

use crate::transition::{ParseState, TokenFacts};
use lexpool_error::Result;
use lexpool_structs::StrId;

/// Position in an entity that a move assigns to the first token of the buffer. The numbers are
/// spaCy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BiluoMove {
    /// Unknown: occurs in gold annotation only, and is never valid.
    Missing = 0,
    /// It is the first of several of an entity.
    Begin = 1,
    /// It is neither the first nor the last of an entity.
    In = 2,
    /// It is the last of several of an entity.
    Last = 3,
    /// It is an entity alone; without a label, it is kept from being in one.
    Unit = 4,
    /// It is in no entity.
    Out = 5,
}

impl BiluoMove {
    /// All moves, by number.
    pub const ALL: [BiluoMove; 6] = [
        BiluoMove::Missing,
        BiluoMove::Begin,
        BiluoMove::In,
        BiluoMove::Last,
        BiluoMove::Unit,
        BiluoMove::Out,
    ];

    /// The letter that names begin with.
    pub fn letter(self) -> &'static str {
        ["M", "B", "I", "L", "U", "O"][self as usize]
    }

    /// The move of a letter.
    pub fn from_letter(letter: &str) -> Option<BiluoMove> {
        BiluoMove::ALL.into_iter().find(|own| own.letter() == letter)
    }

    /// The move of a number.
    pub fn from_number(number: u32) -> Option<BiluoMove> {
        BiluoMove::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// `TokenFacts::ent_iob`.
const INSIDE: u8 = 1;
const BEGINS: u8 = 3;

/// The facts that validity depends on, read from a state once for all moves.
pub(super) struct View {
    /// The first two tokens of the buffer; missing ones have default facts.
    first: TokenFacts,
    second: TokenFacts,
    /// The label of the entity that is open.
    open: Option<StrId>,
    in_buffer: usize,
}

impl View {
    #[inline]
    pub(super) fn of(state: &ParseState) -> View {
        View {
            first: state.fact(state.b(0)),
            second: state.fact(state.b(1)),
            open: state.last_ent().filter(|ent| ent.end == -1).map(|ent| StrId::new(ent.label)),
            in_buffer: state.buffer_length(),
        }
    }

    /// Returns whether a move is valid. Preset annotation comes first: a preset entity is followed
    /// to the letter, even over whitespace and the start of a sentence.
    #[inline]
    pub(super) fn allows(&self, action: BiluoMove, label: StrId) -> bool {
        match action {
            BiluoMove::Missing => false,
            BiluoMove::Begin => self.allows_begin(label),
            BiluoMove::In => self.allows_in(label),
            BiluoMove::Last => self.allows_last(label),
            BiluoMove::Unit => self.allows_unit(label),
            BiluoMove::Out => self.open.is_none() && !matches!(self.first.ent_iob, INSIDE | BEGINS),
        }
    }

    fn allows_begin(&self, label: StrId) -> bool {
        if self.open.is_some() || self.in_buffer < 2 || label == StrId::EMPTY {
            return false;
        }
        match self.first.ent_iob {
            INSIDE => false,
            BEGINS => label == self.first.ent_type && self.second.ent_iob == INSIDE,
            _ => {
                self.second.ent_iob != BEGINS
                    && !self.second_starts_sentence()
                    && !self.first.is_space
            }
        }
    }

    fn allows_in(&self, label: StrId) -> bool {
        if self.open != Some(label) || self.in_buffer < 2 || label == StrId::EMPTY {
            return false;
        }
        match (self.first.ent_iob, self.second.ent_iob) {
            (BEGINS, _) | (_, BEGINS) => false,
            // The preset entity ends here unless the next token goes on with it.
            (INSIDE, next) => next == INSIDE && label == self.first.ent_type,
            _ => !self.second_starts_sentence(),
        }
    }

    fn allows_last(&self, label: StrId) -> bool {
        let Some(open) = self.open else { return false };
        if label == StrId::EMPTY {
            return false;
        }
        if self.first.ent_iob == INSIDE && self.second.ent_iob != INSIDE {
            // The label is that of the preset entity, whatever was opened.
            return label == self.first.ent_type;
        }
        open == label && self.second.ent_iob != INSIDE
    }

    fn allows_unit(&self, label: StrId) -> bool {
        if label == StrId::EMPTY {
            return self.first.ent_iob == BEGINS && self.first.ent_type == StrId::EMPTY;
        }
        if self.open.is_some() || self.second.ent_iob == INSIDE {
            return false;
        }
        match self.first.ent_iob {
            BEGINS => label == self.first.ent_type,
            _ => !self.first.is_space,
        }
    }

    fn second_starts_sentence(&self) -> bool {
        self.second.sent_start == 1
    }
}

/// Does what a move says, without asking whether it is allowed.
pub(super) fn apply(state: &mut ParseState, action: BiluoMove, label: StrId) -> Result<()> {
    match action {
        BiluoMove::Missing => return Ok(()),
        BiluoMove::Begin => state.open_ent(label)?,
        BiluoMove::Last => state.close_ent()?,
        BiluoMove::Unit => {
            state.open_ent(label)?;
            state.close_ent()?;
        }
        BiluoMove::In | BiluoMove::Out => {}
    }
    state.push()?;
    state.pop()
}
