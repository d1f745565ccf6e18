//! From character offsets of entities to tags of tokens.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::codes;
use crate::{Error, Result};

/// An entity by its character offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity<L> {
    /// The first character.
    pub start: i64,
    /// The end, which does not belong to it.
    pub end: i64,
    /// The label; `None` marks a span known to hold no entity.
    pub label: Option<L>,
}

/// Position of a token in an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// First of several.
    Begin,
    /// Neither first nor last.
    In,
    /// Last of several.
    Last,
    /// The only one.
    Unit,
}

impl Place {
    /// The letter that a tag begins with.
    pub fn letter(self) -> char {
        match self {
            Place::Begin => 'B',
            Place::In => 'I',
            Place::Last => 'L',
            Place::Unit => 'U',
        }
    }
}

/// The tag of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// No entity touches the token.
    Untouched,
    /// Known to be outside of entities.
    Outside,
    /// An entity touches the token, but begins or ends inside of one: its tokens are not known.
    Misaligned,
    /// The token belongs to an entity, by its position among those given.
    Entity(Place, usize),
}

/// Tags for tokens at `tokens`, which ascend and do not overlap, by entities in any order.
///
/// Where an entity without a label covers tokens of one with a label, the later of the two holds.
/// An entity that ends where it starts, or before, is passed over.
///
/// # Errors
///
/// `E103` if two entities with labels overlap.
///
/// ```
/// use lexpool::iob::{Entity, Place, Tag, biluo_from_offsets};
///
/// let london = Entity { start: 7, end: 13, label: Some("LOC") };
/// let tags = biluo_from_offsets(&[0..1, 2..6, 7..13], &[london])?;
/// assert_eq!(tags, [Tag::Untouched, Tag::Untouched, Tag::Entity(Place::Unit, 0)]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn biluo_from_offsets<L>(tokens: &[Range<i64>], entities: &[Entity<L>]) -> Result<Vec<Tag>> {
    check_overlaps(entities)?;
    let mut tags = vec![Tag::Untouched; tokens.len()];
    for entity in entities.iter().filter(|entity| entity.start < entity.end) {
        for tag in &mut tags[touched(tokens, entity)] {
            if *tag == Tag::Untouched {
                *tag = Tag::Misaligned;
            }
        }
    }
    for (number, entity) in entities.iter().enumerate() {
        if entity.start >= entity.end {
            continue;
        }
        if entity.label.is_none() {
            let from = tokens.partition_point(|token| token.start < entity.start);
            let to = tokens.partition_point(|token| token.start < entity.end);
            tags[from..to].fill(Tag::Outside);
            continue;
        }
        let touched = touched(tokens, entity);
        let Some((first, last)) = tokens.get(touched.clone()).and_then(|tokens| {
            Some((tokens.first()?.start == entity.start, tokens.last()?.end == entity.end))
        }) else {
            continue;
        };
        if !(first && last) {
            continue;
        }
        let tags = &mut tags[touched];
        tags.fill(Tag::Entity(Place::In, number));
        match tags {
            [only] => *only = Tag::Entity(Place::Unit, number),
            [first, .., last] => {
                *first = Tag::Entity(Place::Begin, number);
                *last = Tag::Entity(Place::Last, number);
            }
            [] => {}
        }
    }
    Ok(tags)
}

/// The tokens that share a character with an entity.
fn touched<L>(tokens: &[Range<i64>], entity: &Entity<L>) -> Range<usize> {
    let from = tokens.partition_point(|token| token.end <= entity.start);
    let to = tokens.partition_point(|token| token.start < entity.end);
    from..to.max(from)
}

fn check_overlaps<L>(entities: &[Entity<L>]) -> Result<()> {
    let mut ends_by_start: BTreeMap<i64, i64> = BTreeMap::new();
    let labelled = entities.iter().filter(|entity| entity.label.is_some());
    for entity in labelled.filter(|entity| entity.start < entity.end) {
        // Those seen do not overlap, so the last to start before this one's end is the last to end.
        if let Some((start, end)) = ends_by_start.range(..entity.end).next_back() {
            if *end > entity.start {
                let text = format!(
                    "the entities at {start}:{end} and {}:{} overlap; a token belongs to one at most",
                    entity.start, entity.end
                );
                return Err(Error::value(codes::E103, text));
            }
        }
        ends_by_start.insert(entity.start, entity.end);
    }
    Ok(())
}
