//! Entities as tags of tokens: `O` outside, `B-X` at the beginning of an X, `I-X` inside, and in
//! BILUO also `L-X` for the last token and `U-X` for the only one.
//!
//! The functions work on tags and offsets alone. A tag `-` or `None` says that nothing is known.

#![forbid(unsafe_code)]

mod offsets;
#[cfg(test)]
mod tests;

use crate::{Error, Result};

use crate::codes;
pub use offsets::{Entity, Place, Tag, biluo_from_offsets};

/// Turns IOB tags into BILUO.
///
/// Every tag but `O` begins an entity, which goes on for as long as `I` or `L` with the same label
/// follows: so `I-X` after `O` begins one as well.
///
/// # Errors
///
/// `E177` for an entity of one token without a label, which a missing tag would be, too.
///
/// ```
/// use lexpool::iob::biluo_from_iob;
///
/// let tags = biluo_from_iob(&["O", "B-LOC", "I-LOC", "B-ORG"])?;
/// assert_eq!(tags, ["O", "B-LOC", "L-LOC", "U-ORG"]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn biluo_from_iob(tags: &[&str]) -> Result<Vec<String>> {
    let mut out = Vec::with_capacity(tags.len());
    let mut rest = tags.iter().enumerate().peekable();
    while let Some((at, tag)) = rest.next() {
        if *tag == "O" {
            out.push((*tag).to_owned());
            continue;
        }
        let (suffix, label) = (after(tag, 1), after(tag, 2));
        let mut length = 1;
        let goes_on = |tag: &str| tag.starts_with(['I', 'L']) && &tag[1..] == suffix;
        while rest.next_if(|(_, tag)| goes_on(tag)).is_some() {
            length += 1;
        }
        if length == 1 {
            if label.is_empty() {
                let text = format!("tag {at} is {tag:?}; an entity needs a label, as in \"B-LOC\"");
                return Err(Error::value(codes::E177, text));
            }
            out.push(format!("U-{label}"));
            continue;
        }
        out.push(format!("B-{label}"));
        out.extend((2..length).map(|_| format!("I-{label}")));
        out.push(format!("L-{label}"));
    }
    Ok(out)
}

/// Turns a BILUO tag into IOB: `U-` becomes `B-`, `L-` becomes `I-`, and the rest stays.
///
/// ```
/// use lexpool::iob::iob_from_biluo;
/// assert_eq!(iob_from_biluo("U-EL-AL"), "B-EL-AL");
/// ```
pub fn iob_from_biluo(tag: &str) -> String {
    if let Some(label) = tag.strip_prefix("U-") {
        format!("B-{label}")
    } else if let Some(label) = tag.strip_prefix("L-") {
        format!("I-{label}")
    } else {
        tag.to_owned()
    }
}

/// An entity found among tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tagged<'t> {
    /// The label; empty for a token of which nothing is known.
    pub label: &'t str,
    /// The first token.
    pub first: usize,
    /// The last token, which belongs to it.
    pub last: usize,
}

/// The entities that BILUO tags describe, in order of their ends.
///
/// A missing tag gives an entity without a label; inside of an entity that has begun, it undoes it.
/// The label is that of the tag which ends the entity.
///
/// # Errors
///
/// `E067` for an `I` or `L` that nothing began, `E068` for a tag that begins with another letter.
pub fn entities_from_biluo<'t>(tags: &[Option<&'t str>]) -> Result<Vec<Tagged<'t>>> {
    let mut entities = Vec::new();
    let mut start = None;
    for (at, tag) in tags.iter().enumerate() {
        let tag = tag.unwrap_or("-");
        match tag.as_bytes().first() {
            Some(b'-') => {
                if start.take().is_none() {
                    entities.push(Tagged { label: "", first: at, last: at });
                }
            }
            Some(b'O') => {}
            Some(b'I') if start.is_some() => {}
            Some(b'U') => entities.push(Tagged { label: after(tag, 2), first: at, last: at }),
            Some(b'B') => start = Some(at),
            Some(b'L') if start.is_some() => {
                let first = start.take().expect("it was looked at");
                entities.push(Tagged { label: after(tag, 2), first, last: at });
            }
            Some(b'I' | b'L') => {
                let text = format!("tag {at} is {tag:?}, but no \"B\" before it began an entity");
                return Err(Error::value(codes::E067, text));
            }
            _ => {
                let text = format!("tag {at} is {tag:?}; one begins with B, I, L, U, O or -");
                return Err(Error::value(codes::E068, text));
            }
        }
    }
    Ok(entities)
}

/// A tag without its first characters.
fn after(tag: &str, characters: usize) -> &str {
    tag.char_indices().nth(characters).map_or("", |(at, _)| &tag[at..])
}
