//! Entities marked in their text.

use std::collections::BTreeSet;

use super::markup::Markup;
use super::{Frame, Link, Palette};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// A labelled range of characters.
#[derive(Clone, Copy, Debug)]
pub struct Entity<'a> {
    /// Offset of the first character, in characters.
    pub start: usize,
    /// Offset after the last one.
    pub end: usize,
    /// Label of the entity.
    pub label: &'a str,
    /// Entry of a knowledge base.
    pub link: Option<Link<'a>>,
}

/// Options of [`entities`].
#[derive(Clone, Debug, Default)]
pub struct EntityOptions {
    /// Options that all drawings have.
    pub frame: Frame,
    /// Labels to show, in any case; all if it is `None`.
    pub labels: Option<BTreeSet<String>>,
    /// Colours of the labels.
    pub palette: Palette,
}

/// A text with its entities marked, as a `div`. Order does not matter.
///
/// # Errors
///
/// `render-entity`, if an entity is empty, reaches out of the text, or overlaps another; the text
/// says which one. For spans that overlap there is [`spans`](super::spans).
pub fn entities(text: &str, ents: &[Entity<'_>], options: &EntityOptions) -> Result<String> {
    let bounds = bounds(text, ents)?;
    let labels = options
        .labels
        .as_ref()
        .map(|labels| labels.iter().map(|label| label.to_uppercase()).collect::<BTreeSet<_>>());
    let mut out = Markup::new(options.frame.minify);
    out.heading(&options.frame);
    out.raw("<div class=\"lexpool-ents\"").running(&options.frame);
    out.raw(" style=\"line-height:2;white-space:pre-wrap;overflow-wrap:anywhere\">");
    let mut done = 0;
    for (start, end, ent) in bounds {
        if labels.as_ref().is_some_and(|labels| !labels.contains(&ent.label.to_uppercase())) {
            continue;
        }
        out.text(&text[done..start]);
        mark(&mut out, &text[start..end], ent, &options.palette);
        done = end;
    }
    out.text(&text[done..]).raw("</div>").line().footing(&options.frame);
    Ok(out.finish())
}

fn mark(out: &mut Markup, text: &str, ent: &Entity<'_>, palette: &Palette) {
    let paint = palette.of(ent.label);
    out.raw("<mark class=\"lexpool-ent\"").attr(
        "style",
        &format!(
            "{};border-radius:.35em;padding:.22em .28em;\
             -webkit-box-decoration-break:clone;box-decoration-break:clone;{EXACT}",
            paint.tint()
        ),
    );
    out.raw(">").text(text);
    // The no-break space keeps words apart for who hears or reads the source, and the chip on the
    // line of the last word. It is not selected, so that a copied text is the text.
    out.raw("<span class=\"lexpool-label\"").attr(
        "style",
        &format!(
            "{};font-size:.68em;font-weight:600;line-height:1;border-radius:.35em;\
             margin-inline-start:.45em;padding:.2em 0;padding-inline:.2em .45em;vertical-align:.1em;\
             white-space:nowrap;-webkit-user-select:none;user-select:none;{EXACT}",
            paint.solid()
        ),
    );
    out.raw(">&#160;").label(ent.label, ent.link.as_ref()).raw("</span></mark>");
}

/// Printers leave backgrounds out otherwise.
pub(super) const EXACT: &str = "-webkit-print-color-adjust:exact;print-color-adjust:exact";

/// The entities in order of the text, with their offsets in bytes.
fn bounds<'e, 'a>(
    text: &str,
    ents: &'e [Entity<'a>],
) -> Result<Vec<(usize, usize, &'e Entity<'a>)>> {
    // Byte offset of each character, and the end of the last one.
    let bytes: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect();
    let chars = bytes.len() - 1;
    let named = |ix: usize| {
        let Entity { start, end, label, .. } = ents[ix];
        format!("entity {ix} ({label:?}, characters {start}..{end})")
    };
    let mut order: Vec<usize> = (0..ents.len()).collect();
    order.sort_by_key(|&ix| (ents[ix].start, ents[ix].end));
    let mut ranges = Vec::with_capacity(ents.len());
    let mut before: Option<usize> = None;
    for ix in order {
        let ent = &ents[ix];
        let wrong = if ent.start >= ent.end {
            Some("is empty".to_owned())
        } else if ent.end > chars {
            Some(format!("reaches out of a text of {chars} characters"))
        } else {
            let other = before.filter(|&other| ents[other].end > ent.start);
            other.map(|other| format!("overlaps {}", named(other)))
        };
        if let Some(wrong) = wrong {
            return Err(Error::value(codes::RENDER_ENTITY, format!("{} {wrong}", named(ix))));
        }
        ranges.push((bytes[ent.start], bytes[ent.end], ent));
        before = Some(ix);
    }
    Ok(ranges)
}
