//! Conversion of tokens with heads to the words and arcs of a picture.

use std::ops::Range;

use super::{Arc, Towards, Word};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// A token with its head in the tree.
#[derive(Clone, Copy, Debug)]
pub struct ParsedToken<'a> {
    /// The token.
    pub text: &'a str,
    /// The whitespace after it, if any.
    pub whitespace: &'a str,
    /// Line below the word: a part of speech or a tag.
    pub tag: &'a str,
    /// The lemma, if it is displayed.
    pub lemma: Option<&'a str>,
    /// Position of the head; its own position if it is a root.
    pub head: usize,
    /// Label of the arc to its head.
    pub dep: &'a str,
    /// True for punctuation.
    pub is_punct: bool,
}

/// Input of [`dependencies`](super::dependencies).
#[derive(Clone, Debug, Default)]
pub struct Parse<'a> {
    /// The words.
    pub words: Vec<Word<'a>>,
    /// The arcs between them, in order of the dependents.
    pub arcs: Vec<Arc<'a>>,
}

/// Returns words and arcs of tokens.
///
/// `phrases`, ranges from the first token to the one after the last, become one word each, with the
/// tag and lemma of their head; then, if `collapse_punct`, punctuation is joined to the word before
/// it, and has its tag and lemma. The dependents of a token in a group become dependents of the
/// group.
///
/// # Errors
///
/// `render-head` if a head is outside of the tokens; `render-phrase` if a phrase is empty, is
/// outside of the tokens or overlaps the previous one. The message has the position.
pub fn parse<'a>(
    tokens: &[ParsedToken<'a>],
    phrases: &[(usize, usize)],
    collapse_punct: bool,
) -> Result<Parse<'a>> {
    let len = tokens.len();
    if let Some((i, token)) = tokens.iter().enumerate().find(|(_, token)| token.head >= len) {
        let (text, head) = (token.text, token.head);
        let text = format!("token {i} ({text:?}) has the head {head}; there are {len} tokens");
        return Err(Error::value(codes::RENDER_HEAD, text));
    }
    let groups = groups(tokens, phrases, collapse_punct)?;
    let mut group_of = vec![0; len];
    for (ix, group) in groups.iter().enumerate() {
        group_of[group.range.clone()].fill(ix);
    }
    let mut parse = Parse::default();
    for group in &groups {
        let token = &tokens[group.lender];
        parse.words.push(Word {
            text: text_of(&tokens[group.range.clone()]).into(),
            tag: token.tag,
            lemma: token.lemma,
        });
    }
    for (ix, group) in groups.iter().enumerate() {
        let root = &tokens[root(tokens, &group.range)];
        let head = group_of[root.head];
        if head != ix {
            let (start, end) = (ix.min(head), ix.max(head));
            let towards = if ix < head { Towards::Start } else { Towards::End };
            parse.arcs.push(Arc { start, end, label: root.dep, towards });
        }
    }
    Ok(parse)
}

/// Tokens that become one word.
struct Group {
    range: Range<usize>,
    /// The token whose tag and lemma the word has.
    lender: usize,
}

fn groups(
    tokens: &[ParsedToken<'_>],
    phrases: &[(usize, usize)],
    collapse_punct: bool,
) -> Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::with_capacity(tokens.len());
    let mut next = 0;
    let single = |i: usize| Group { range: i..i + 1, lender: i };
    for (ix, &(start, end)) in phrases.iter().enumerate() {
        if start < next || start >= end || end > tokens.len() {
            let len = tokens.len();
            let text = format!(
                "phrase {ix} ({start}..{end}) is empty, begins before {next} or ends after {len}"
            );
            return Err(Error::value(codes::RENDER_PHRASE, text));
        }
        groups.extend((next..start).map(single));
        groups.push(Group { range: start..end, lender: root(tokens, &(start..end)) });
        next = end;
    }
    groups.extend((next..tokens.len()).map(single));
    if !collapse_punct {
        return Ok(groups);
    }
    let punct = |group: &Group| group.range.len() == 1 && tokens[group.range.start].is_punct;
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    for group in groups {
        match joined.last_mut() {
            // Punctuation at the start remains separate, because no word precedes it.
            Some(before) if punct(&group) && !punct(before) => before.range.end = group.range.end,
            _ => joined.push(group),
        }
    }
    Ok(joined)
}

/// Returns the head of a range: a token whose head is itself, else the first one whose head is
/// outside.
fn root(tokens: &[ParsedToken<'_>], range: &Range<usize>) -> usize {
    let is_own_head = |&i: &usize| tokens[i].head == i;
    let outside = |&i: &usize| !range.contains(&tokens[i].head);
    let position = range.clone().find(is_own_head).or_else(|| range.clone().find(outside));
    // A cycle of heads has no root; any token of it is valid.
    position.unwrap_or(range.start)
}

fn text_of(tokens: &[ParsedToken<'_>]) -> String {
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        text.push_str(token.text);
        if i + 1 < tokens.len() {
            text.push_str(token.whitespace);
        }
    }
    text
}
