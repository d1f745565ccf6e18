//! The layout of the tokens after a retokenization, and the records that follow from it.

use lexpool_structs::{AttrId, EntityC, SyntaxC, TagC, TokenC};

use super::super::attrs::AttrColumn;
use super::super::columns::RecordArrays;
use super::super::doc::Doc;
use super::super::tree::{Depths, head_ix, offset};
use super::plan::{Merge, PartHead, Retokenization, Split};
use crate::Result;
use crate::fallible;
use crate::strings::{StrId, chars};
use crate::vocab::LexIx;

/// The source of a new token.
enum NewToken {
    Unchanged(usize),
    Merged(MergedToken),
    Part(TokenPart),
}

/// A token made of several.
struct MergedToken {
    first: usize,
    last: usize,
    root: usize,
    lex: LexIx,
    lemma: StrId,
}

/// A part of a split token.
struct TokenPart {
    whole: usize,
    at: usize,
    is_last: bool,
    lex: LexIx,
    orth: StrId,
    /// Offsets from the start of the whole.
    chars: u32,
    bytes: u32,
    head: PartHead,
}

/// The new tokens in order, and the mapping from old to new positions.
pub(super) struct Layout {
    new_tokens: Vec<NewToken>,
    /// The new position of each old token; for a split token that of its first part.
    moved: Vec<usize>,
}

impl Layout {
    /// Lays out a checked plan, and adds the new words to the vocab.
    pub(super) fn new(doc: &Doc, plan: &Retokenization) -> Result<Layout> {
        let mut splits = plan.splits().peekable();
        let mut merges = plan.merges().peekable();
        let mut depths = Depths::default();
        let moved = fallible::list(doc.len())?;
        let mut layout = Layout { new_tokens: fallible::list(doc.len())?, moved };
        while layout.moved.len() < doc.len() {
            let i = layout.moved.len();
            let at = layout.new_tokens.len();
            let split = splits.next_if(|split| split.token == i);
            let merge = merges.next_if(|merge| merge.range.start == i);
            if let Some(split) = split {
                layout.moved.push(at);
                layout.push_parts(doc, split)?;
            } else if let Some(merge) = merge {
                layout.moved.extend(merge.range.clone().map(|_| at));
                let merged = merged(doc, merge, &mut depths)?;
                fallible::push(&mut layout.new_tokens, NewToken::Merged(merged))?;
            } else {
                layout.moved.push(at);
                fallible::push(&mut layout.new_tokens, NewToken::Unchanged(i))?;
            }
        }
        Ok(layout)
    }

    /// Returns the new position of an old token, or of its first part.
    pub(super) fn at(&self, token: usize) -> usize {
        self.moved[token]
    }

    /// Returns the positions of the merged tokens, in order.
    pub(super) fn merged_at(&self) -> impl Iterator<Item = usize> + '_ {
        let new_tokens = self.new_tokens.iter().enumerate();
        new_tokens
            .filter(|(_, new_token)| matches!(new_token, NewToken::Merged(_)))
            .map(|(at, _)| at)
    }

    /// Returns for each new token the old token that it replaces.
    pub(super) fn origins(&self) -> Result<Vec<Option<usize>>> {
        let origin = |new_token: &NewToken| match new_token {
            NewToken::Unchanged(i) => Some(*i),
            NewToken::Merged(merged) => Some(merged.last),
            NewToken::Part(_) => None,
        };
        fallible::collect(self.new_tokens.iter().map(origin))
    }

    /// Builds the records of the new tokens, with a column for each attribute that the plan sets.
    pub(super) fn arrays(&self, doc: &Doc, plan: &Retokenization) -> Result<RecordArrays> {
        let sets = |is_kind: fn(AttrId) -> bool| {
            plan.attrs().any(|(attr, value)| value != 0 && is_kind(attr))
        };
        let has_tags =
            sets(|attr| attr == AttrId::NORM || matches!(AttrColumn::of(attr), AttrColumn::Tag(_)));
        let has_syntax = sets(|attr| matches!(AttrColumn::of(attr), AttrColumn::Syntax(_)));
        let has_entities = sets(|attr| matches!(AttrColumn::of(attr), AttrColumn::Entity(_)));
        let has_tree =
            doc.syntax_records().is_some() || has_syntax || plan.splits().next().is_some();
        let has_tags = has_tags || doc.tag_records().is_some();
        let has_entities = has_entities || doc.entity_records().is_some();
        Ok(RecordArrays {
            tokens: self.tokens(doc)?,
            tags: has_tags.then(|| self.tags(doc)).transpose()?,
            syntax: has_tree.then(|| self.syntax(doc)).transpose()?,
            entities: has_entities.then(|| self.entities(doc)).transpose()?,
        })
    }

    fn push_parts(&mut self, doc: &Doc, split: &Split) -> Result<()> {
        let (mut chars, mut bytes) = (0, 0);
        for (at, part) in split.parts.iter().enumerate() {
            let new_token = NewToken::Part(TokenPart {
                whole: split.token,
                at,
                is_last: at + 1 == split.parts.len(),
                lex: doc.snapshot().enter(&part.text)?,
                orth: StrId::of(&part.text),
                chars,
                bytes,
                head: part.head,
            });
            fallible::push(&mut self.new_tokens, new_token)?;
            chars += position(part.text.chars().count());
            bytes += position(part.text.len());
        }
        Ok(())
    }

    fn tokens(&self, doc: &Doc) -> Result<Vec<TokenC>> {
        let old = doc.tokens();
        let is_sentenced = doc.sentences().are_set();
        let token = |new_token: &NewToken| match new_token {
            NewToken::Unchanged(i) => old[*i],
            NewToken::Merged(merged) => {
                let mut token = old[merged.first].with_norm_ix(0);
                token.lex = merged.lex.to_raw();
                token.set_spacy(old[merged.last].spacy());
                token.set_ent_iob(merged.iob(doc));
                token
            }
            NewToken::Part(part) => {
                let mut token = old[part.whole].with_norm_ix(0);
                token.lex = part.lex.to_raw();
                token.idx += part.chars;
                token.byte += part.bytes;
                token.set_spacy(part.is_last && token.spacy());
                if part.at > 0 {
                    token.set_sent_start(if is_sentenced { -1 } else { 0 });
                    token.set_ent_iob(if token.ent_iob() == 3 { 1 } else { token.ent_iob() });
                }
                token
            }
        };
        fallible::collect(self.new_tokens.iter().map(token))
    }

    fn tags(&self, doc: &Doc) -> Result<Vec<TagC>> {
        let old = |i: usize| doc.tag_records().map_or_else(TagC::default, |tags| tags[i]);
        let tag = |new_token: &NewToken| match new_token {
            NewToken::Unchanged(i) => old(*i),
            NewToken::Merged(merged) => {
                TagC { lemma: merged.lemma.get(), norm: 0, ..old(merged.root) }
            }
            NewToken::Part(part) => {
                let whole_token = old(part.whole);
                let lemma = if whole_token.lemma == 0 { 0 } else { part.orth.get() };
                TagC { lemma, norm: 0, ..whole_token }
            }
        };
        fallible::collect(self.new_tokens.iter().map(tag))
    }

    /// Builds relations and heads; `rebuild` counts children and edges later.
    fn syntax(&self, doc: &Doc) -> Result<Vec<SyntaxC>> {
        let dep = |i: usize| doc.syntax_records().map_or(0, |syntax| syntax[i].dep);
        let head = |i: usize| self.moved[head_ix(doc, i)];
        let syntax = |(at, new_token): (usize, &NewToken)| {
            let (dep, head) = match new_token {
                NewToken::Unchanged(i) => (dep(*i), head(*i)),
                NewToken::Merged(merged) => (dep(merged.root), head(merged.root)),
                NewToken::Part(part) => {
                    (dep(part.whole), self.moved[part.head.token] + part.head.part)
                }
            };
            let edge = position(at);
            let head = offset(at, head);
            SyntaxC { dep, head, l_edge: edge, r_edge: edge, ..SyntaxC::default() }
        };
        fallible::collect(self.new_tokens.iter().enumerate().map(syntax))
    }

    /// Builds entity types and ids. As in spaCy, a merged token takes the type from its root and
    /// the ids from the first of its tokens.
    fn entities(&self, doc: &Doc) -> Result<Vec<EntityC>> {
        let old =
            |i: usize| doc.entity_records().map_or_else(EntityC::default, |entities| entities[i]);
        let entity = |new_token: &NewToken| match new_token {
            NewToken::Unchanged(i) => old(*i),
            NewToken::Merged(merged) => {
                EntityC { ent_type: old(merged.root).ent_type, ..old(merged.first) }
            }
            NewToken::Part(part) => old(part.whole),
        };
        fallible::collect(self.new_tokens.iter().map(entity))
    }
}

impl MergedToken {
    /// Returns the IOB value: that of the root, but a token inside an entity either begins the
    /// entity or continues that of the token before it.
    fn iob(&self, doc: &Doc) -> u8 {
        let iob = |i: usize| doc.tokens()[i].ent_iob();
        let ent_type = |i: usize| doc.entity_records().map_or(0, |entities| entities[i].ent_type);
        if !matches!(iob(self.root), 1 | 3) {
            return iob(self.root);
        }
        let same = |i: usize| ent_type(i) == ent_type(self.root);
        let continues = iob(self.first) == 1 && self.first > 0;
        if continues && same(self.first) && same(self.first - 1) { 1 } else { 3 }
    }
}

fn merged(doc: &Doc, merge: &Merge, depths: &mut Depths) -> Result<MergedToken> {
    let span = doc.span(merge.range.start, merge.range.end)?;
    let root = span.root_by(depths)?.map_or(merge.range.start, |token| token.i());
    let mut lemma = String::new();
    for token in span.iter() {
        lemma.push_str(token.text_of(AttrId::LEMMA));
        lemma.push_str(token.whitespace());
    }
    Ok(MergedToken {
        first: span.start(),
        last: span.end() - 1,
        root,
        lex: doc.snapshot().enter(span.text())?,
        lemma: doc.snapshot().add(lemma.trim_matches(chars::is_space))?,
    })
}

/// Converts a position or an offset, which are below 2^32 as in the document.
fn position(i: usize) -> u32 {
    u32::try_from(i).expect("within a document")
}
