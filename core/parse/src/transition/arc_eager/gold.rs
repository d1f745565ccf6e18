//! A gold tree, laid out for the questions that costs ask.

use super::classes::{ArcEager, BREAK, LEFT, RIGHT};
use crate::transition::{NONE, ParseState};
use lexpool_error::codes;
use lexpool_error::{Error, Result};
use lexpool_structs::StrId;

/// Heads, labels and sentence starts as they should become; each may be unknown.
///
/// Memory: 52 bytes a token. Nothing in it changes while a parse goes on, so one serves any number
/// of states.
#[derive(Clone, Debug)]
pub struct ArcEagerGold {
    pub(super) words: Vec<Word>,
    /// Children by head, ascending.
    kids: Vec<u32>,
}

/// The gold annotation of one word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// The head: the word itself for a root, 0 if unknown. As in spaCy, which compares it
    /// unchecked, an unknown head looks like an arc to word 0 in some costs.
    pub(super) head: u32,
    /// The head if it is known and another word.
    pub(super) parent: u32,
    pub(super) label: StrId,
    pub(super) is_known: bool,
    pub(super) start: Option<bool>,
    /// Start of its children, start of those on its right, and end.
    left: u32,
    right: u32,
    end: u32,
    /// The last of its head and its children, if that is behind it.
    last: u32,
}

impl Word {
    /// Unknown head, and 0 children.
    const NOTHING: Word = Word {
        head: 0,
        parent: NONE,
        label: StrId::EMPTY,
        is_known: false,
        start: None,
        left: 0,
        right: 0,
        end: 0,
        last: 0,
    };

    /// Returns whether its head or one of its children is at this position or after it.
    #[inline]
    pub(super) fn reaches(&self, at: u32) -> bool {
        self.last >= at
    }
}

impl ArcEager {
    /// Lays out a gold tree: for each token the head (itself for a root), the label and whether a
    /// sentence starts there, each `None` where it is not known.
    ///
    /// Labels of which the system has no class become `dep`, or `ROOT` for a root. A tree with
    /// crossing arcs has states without a free move; see
    /// [`projectivize`](crate::projective::projectivize). Cost: a few passes over the tokens.
    ///
    /// # Errors
    ///
    /// `transition-gold` if the three are not as long as each other, `E190` for a head outside of
    /// the tokens, `projective-cycle` for heads that lead in a circle.
    pub fn gold(
        &self,
        heads: &[Option<usize>],
        labels: &[Option<StrId>],
        sent_starts: &[Option<bool>],
    ) -> Result<ArcEagerGold> {
        let len = heads.len();
        if labels.len() != len || sent_starts.len() != len {
            let (labels, starts) = (labels.len(), sent_starts.len());
            let text = format!("{len} heads, {labels} labels and {starts} sentence starts");
            return Err(Error::value(codes::TRANSITION_GOLD, text));
        }
        let outside = heads.iter().enumerate().find(|(_, head)| head.is_some_and(|at| at >= len));
        if let Some((token, head)) = outside {
            let head = head.unwrap_or_default();
            let text = format!("the head of token {token} is {head}, but there are {len} tokens");
            return Err(Error::value(codes::E190, text));
        }
        check_acyclic(heads)?;
        let mut gold = ArcEagerGold::laid_out(heads)?;
        for ((word, label), start) in gold.words.iter_mut().zip(labels).zip(sent_starts) {
            word.start = *start;
            if word.is_known {
                word.label = label.unwrap_or(StrId::EMPTY);
            }
        }
        self.replace_unseen(&mut gold);
        Ok(gold)
    }

    fn replace_unseen(&self, gold: &mut ArcEagerGold) {
        for (at, word) in (0_u32..).zip(&mut gold.words).filter(|(_, word)| word.is_known) {
            let (action, instead) = match word.head.cmp(&at) {
                std::cmp::Ordering::Greater => (LEFT, self.dep),
                std::cmp::Ordering::Less => (RIGHT, self.dep),
                std::cmp::Ordering::Equal => (BREAK, self.root),
            };
            if !self.actions.has_label(action, word.label) {
                word.label = instead;
            }
        }
    }
}

impl ArcEagerGold {
    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether the number of tokens is 0.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the gold head of a token, itself for a root; `None` if it is not known.
    pub fn head(&self, token: usize) -> Option<usize> {
        self.words.get(token).filter(|word| word.is_known).map(|word| word.head as usize)
    }

    /// The gold label of a token, as costs compare with it.
    pub fn label(&self, token: usize) -> Option<StrId> {
        self.words.get(token).filter(|word| word.is_known).map(|word| word.label)
    }

    /// Returns whether the tree has this arc, or has no annotation of it; an empty label is never
    /// wrong.
    pub fn holds(&self, child: usize, head: usize, label: StrId) -> bool {
        let word = self.words.get(child);
        word.is_some_and(|word| {
            let is_label = label == StrId::EMPTY || label == word.label;
            !word.is_known || (word.head as usize == head && is_label)
        })
    }

    /// Validates that a state is of as many tokens.
    ///
    /// # Errors
    ///
    /// `transition-gold` if it is not.
    #[inline]
    pub(super) fn check(&self, state: &ParseState) -> Result<()> {
        if self.len() == state.len() {
            return Ok(());
        }
        let (gold, state) = (self.len(), state.len());
        let text = format!("a gold tree of {gold} tokens for a state of {state}");
        Err(Error::value(codes::TRANSITION_GOLD, text))
    }

    /// The word at a position, or one of which nothing is known.
    #[inline]
    pub(super) fn word(&self, at: u32) -> &Word {
        self.words.get(at as usize).unwrap_or(&Word::NOTHING)
    }

    /// The children on the left, ascending.
    #[inline]
    pub(super) fn left_kids(&self, word: &Word) -> &[u32] {
        self.kids.get(word.left as usize..word.right as usize).unwrap_or_default()
    }

    /// The children on the right, ascending.
    #[inline]
    pub(super) fn right_kids(&self, word: &Word) -> &[u32] {
        self.kids.get(word.right as usize..word.end as usize).unwrap_or_default()
    }

    /// Sorts children by head: counted, then put in place.
    fn laid_out(heads: &[Option<usize>]) -> Result<ArcEagerGold> {
        let len = u32::try_from(heads.len()).ok().filter(|len| i32::try_from(*len).is_ok());
        let Some(len) = len else {
            let text = format!("{} tokens are more than 2^31 - 1", heads.len());
            return Err(Error::value(codes::STATE_LENGTH, text));
        };
        let mut words: Vec<Word> = (0..len)
            .zip(heads)
            .map(|(at, head)| {
                let gold_head = head.and_then(|head| u32::try_from(head).ok());
                let parent = gold_head.filter(|&head| head != at).unwrap_or(NONE);
                let (head, is_known) = (gold_head.unwrap_or(0), gold_head.is_some());
                Word { head, parent, is_known, ..Word::NOTHING }
            })
            .collect();
        for at in 0..words.len() {
            if let Some(parent) = words.get(words[at].parent as usize) {
                let on_left = at < words[at].parent as usize;
                let (left, all) = (parent.right + u32::from(on_left), parent.end + 1);
                let parent = words[at].parent as usize;
                (words[parent].right, words[parent].end) = (left, all);
            }
        }
        let mut begin = 0;
        for word in &mut words {
            word.left = begin;
            (word.right, word.end) = (begin + word.right, begin + word.end);
            begin = word.end;
        }
        let mut kids = vec![NONE; begin as usize];
        let mut filled: Vec<u32> = words.iter().map(|word| word.left).collect();
        for (at, word) in (0..len).zip(&words) {
            if let Some(place) = filled.get_mut(word.parent as usize) {
                kids[*place as usize] = at;
                *place += 1;
            }
        }
        for word in &mut words {
            let kids = &kids[word.left as usize..word.end as usize];
            let parent = if word.parent == NONE { 0 } else { word.parent };
            word.last = kids.last().map_or(parent, |&last| last.max(parent));
        }
        Ok(ArcEagerGold { words, kids })
    }
}

/// Validates that heads lead in no circle. Cost: each token is passed once.
///
/// # Errors
///
/// `projective-cycle` if they do.
fn check_acyclic(heads: &[Option<usize>]) -> Result<()> {
    // Walk that first visited each token; 0 means unvisited.
    let mut walks = vec![0; heads.len()];
    for (walk, begin) in (1_usize..).zip(0..heads.len()) {
        let mut at = begin;
        while walks[at] == 0 {
            walks[at] = walk;
            match heads[at] {
                Some(head) if head != at => at = head,
                _ => break,
            }
            if walks[at] == walk {
                let text = format!("Found cycle in dependency graph: token {at} is above itself");
                return Err(Error::value(codes::PROJECTIVE_CYCLE, text));
            }
        }
    }
    Ok(())
}
