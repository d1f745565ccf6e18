//! The tokens as they are after a change, and the records that this gives.

use lexpool_structs::{AttrId, EntityC, SyntaxC, TagC, TokenC};

use super::{Head, Merge, Retokenization, Split};
use crate::Result;
use crate::strings::{StrId, chars};
use crate::tokens::attrs::{Place, head_ix};
use crate::tokens::facets::Rows;
use crate::tokens::{Doc, tree};
use crate::vocab::LexIx;

/// Where each token comes from.
enum Piece {
    Kept(usize),
    Merged(Merged),
    Part(Part),
}

/// A token made of several.
struct Merged {
    first: usize,
    last: usize,
    root: usize,
    lex: LexIx,
    lemma: StrId,
}

/// A part of a token.
struct Part {
    whole: usize,
    at: usize,
    is_last: bool,
    lex: LexIx,
    orth: StrId,
    /// Offsets from the start of the whole.
    chars: u32,
    bytes: u32,
    head: Head,
}

/// The order of the new tokens.
pub(super) struct Layout {
    pieces: Vec<Piece>,
    /// For each old token its new position; that of the first part for one that is split.
    moved: Vec<usize>,
}

impl Layout {
    /// Lays out a checked plan, and enters the words that are new.
    pub(super) fn new(doc: &Doc, plan: &Retokenization) -> Result<Layout> {
        let mut splits = plan.splits.iter().peekable();
        let mut merges = plan.merges.iter().peekable();
        let mut layout = Layout { pieces: Vec::new(), moved: Vec::with_capacity(doc.len()) };
        while layout.moved.len() < doc.len() {
            let i = layout.moved.len();
            let at = layout.pieces.len();
            let split = splits.next_if(|split| split.token == i);
            let merge = merges.next_if(|merge| merge.range.start == i);
            if let Some(split) = split {
                layout.moved.push(at);
                layout.push_parts(doc, split)?;
            } else if let Some(merge) = merge {
                layout.moved.extend(merge.range.clone().map(|_| at));
                layout.pieces.push(Piece::Merged(merged(doc, merge)?));
            } else {
                layout.moved.push(at);
                layout.pieces.push(Piece::Kept(i));
            }
        }
        Ok(layout)
    }

    /// The new position of an old token, or of its first part.
    pub(super) fn at(&self, token: usize) -> usize {
        self.moved[token]
    }

    /// The positions of the tokens made by merging, in order.
    pub(super) fn merged_at(&self) -> impl Iterator<Item = usize> + '_ {
        let pieces = self.pieces.iter().enumerate();
        pieces.filter(|(_, piece)| matches!(piece, Piece::Merged(_))).map(|(at, _)| at)
    }

    /// For each new token, the old one that stands for it.
    pub(super) fn origins(&self) -> Vec<Option<usize>> {
        let origin = |piece: &Piece| match piece {
            Piece::Kept(i) => Some(*i),
            Piece::Merged(merged) => Some(merged.last),
            Piece::Part(_) => None,
        };
        self.pieces.iter().map(origin).collect()
    }

    /// The records of the new tokens, with an array for whatever the plan sets.
    pub(super) fn rows(&self, doc: &Doc, plan: &Retokenization) -> Rows {
        let sets = |is_kind: fn(AttrId) -> bool| {
            plan.attrs().any(|(attr, value)| value != 0 && is_kind(attr))
        };
        let sets_tags =
            sets(|attr| attr == AttrId::NORM || matches!(Place::of(attr), Place::Tag(_)));
        let sets_syntax = sets(|attr| matches!(Place::of(attr), Place::Syntax(_)));
        let sets_entities = sets(|attr| matches!(Place::of(attr), Place::Entity(_)));
        let has_tree = doc.syntax().is_some() || sets_syntax || !plan.splits.is_empty();
        Rows {
            tokens: self.tokens(doc),
            tags: (doc.tags().is_some() || sets_tags).then(|| self.tags(doc)),
            syntax: has_tree.then(|| self.syntax(doc)),
            entities: (doc.entities().is_some() || sets_entities).then(|| self.entities(doc)),
        }
    }

    fn push_parts(&mut self, doc: &Doc, split: &Split) -> Result<()> {
        let (mut chars, mut bytes) = (0, 0);
        for (at, part) in split.parts.iter().enumerate() {
            self.pieces.push(Piece::Part(Part {
                whole: split.token,
                at,
                is_last: at + 1 == split.parts.len(),
                lex: doc.snapshot().enter(&part.text)?,
                orth: StrId::of(&part.text),
                chars,
                bytes,
                head: part.head,
            }));
            chars += position(part.text.chars().count());
            bytes += position(part.text.len());
        }
        Ok(())
    }

    fn tokens(&self, doc: &Doc) -> Vec<TokenC> {
        let old = doc.tokens();
        let is_sentenced = doc.has_annotation(AttrId::SENT_START, false);
        let token = |piece: &Piece| match piece {
            Piece::Kept(i) => old[*i],
            Piece::Merged(merged) => {
                let mut token = old[merged.first].with_norm_ix(0);
                token.lex = merged.lex.to_raw();
                token.set_spacy(old[merged.last].spacy());
                token.set_ent_iob(merged.iob(doc));
                token
            }
            Piece::Part(part) => {
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
        self.pieces.iter().map(token).collect()
    }

    fn tags(&self, doc: &Doc) -> Vec<TagC> {
        let old = |i: usize| doc.tags().map_or_else(TagC::default, |tags| tags[i]);
        let tag = |piece: &Piece| match piece {
            Piece::Kept(i) => old(*i),
            Piece::Merged(merged) => {
                TagC { lemma: merged.lemma.get(), norm: 0, ..old(merged.root) }
            }
            Piece::Part(part) => {
                let whole = old(part.whole);
                let lemma = if whole.lemma == 0 { 0 } else { part.orth.get() };
                TagC { lemma, norm: 0, ..whole }
            }
        };
        self.pieces.iter().map(tag).collect()
    }

    /// Relations and heads; children and edges are counted later.
    fn syntax(&self, doc: &Doc) -> Vec<SyntaxC> {
        let dep = |i: usize| doc.syntax().map_or(0, |syntax| syntax[i].dep);
        let head = |i: usize| self.moved[head_ix(doc, i)];
        let syntax = |(at, piece): (usize, &Piece)| {
            let (dep, head) = match piece {
                Piece::Kept(i) => (dep(*i), head(*i)),
                Piece::Merged(merged) => (dep(merged.root), head(merged.root)),
                Piece::Part(part) => {
                    (dep(part.whole), self.moved[part.head.token] + part.head.part)
                }
            };
            let edge = position(at);
            let head = tree::offset(at, head);
            SyntaxC { dep, head, l_edge: edge, r_edge: edge, ..SyntaxC::default() }
        };
        self.pieces.iter().enumerate().map(syntax).collect()
    }

    /// A merged token has its entity's type from its root, as all of its tags, and the ids that the
    /// first of its tokens had, for it is that one which the others become part of.
    fn entities(&self, doc: &Doc) -> Vec<EntityC> {
        let old = |i: usize| doc.entities().map_or_else(EntityC::default, |entities| entities[i]);
        let entity = |piece: &Piece| match piece {
            Piece::Kept(i) => old(*i),
            Piece::Merged(merged) => {
                EntityC { ent_type: old(merged.root).ent_type, ..old(merged.first) }
            }
            Piece::Part(part) => old(part.whole),
        };
        self.pieces.iter().map(entity).collect()
    }
}

impl Merged {
    /// The place in an entity: that of the root, save that the token begins the entity, or goes on
    /// with the one before it.
    fn iob(&self, doc: &Doc) -> u8 {
        let iob = |i: usize| doc.tokens()[i].ent_iob();
        let ent_type = |i: usize| doc.entities().map_or(0, |entities| entities[i].ent_type);
        if !matches!(iob(self.root), 1 | 3) {
            return iob(self.root);
        }
        let same = |i: usize| ent_type(i) == ent_type(self.root);
        let continues = iob(self.first) == 1 && self.first > 0;
        if continues && same(self.first) && same(self.first - 1) { 1 } else { 3 }
    }
}

fn merged(doc: &Doc, merge: &Merge) -> Result<Merged> {
    let span = doc.span(merge.range.start, merge.range.end)?;
    let root = span.root()?.map_or(merge.range.start, |token| token.i());
    let mut lemma = String::new();
    for token in span.iter() {
        lemma.push_str(token.text_of(AttrId::LEMMA));
        lemma.push_str(token.whitespace());
    }
    Ok(Merged {
        first: span.start(),
        last: span.end() - 1,
        root,
        lex: doc.snapshot().enter(span.text())?,
        lemma: doc.snapshot().add(lemma.trim_matches(chars::is_space))?,
    })
}

/// Positions and offsets are below 2^32, as those of the document's own tokens are.
fn position(i: usize) -> u32 {
    u32::try_from(i).expect("within a document")
}
