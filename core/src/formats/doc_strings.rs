//! The strings of a document's ids, stored with it so that the ids can be resolved in another
//! vocab.

use lexpool_structs::AttrId;

use super::span_group::{Bounds, read_groups};
use crate::strings::StrId;
use crate::tokens::{Doc, ID_ATTRS};
use crate::vocab::unknown_id;
use crate::{Error, Result};

/// Returns the bounds of a document's spans.
pub fn bounds(doc: &Doc) -> Bounds {
    let chars = doc
        .iter()
        .next_back()
        .map_or(0, |last| last.end_char() + usize::from(last.record().spacy()));
    Bounds { tokens: doc.len(), chars }
}

/// Calls `found` with each id in the document's annotation and in its span groups, and with its
/// string. Ids may repeat. `groups` are the bytes of the span groups.
///
/// # Errors
///
/// `E018` for an id without a string. The `id` and `kb_id` of a span need not have one. Errors of
/// `found`.
pub(super) fn strings_of<'a>(
    doc: &'a Doc,
    groups: &[u8],
    mut found: impl FnMut(StrId, &'a str) -> Result<()>,
) -> Result<()> {
    let snapshot = doc.snapshot();
    for attr in ID_ATTRS {
        let is_present = match attr {
            AttrId::NORM => true,
            AttrId::DEP => doc.syntax_records().is_some(),
            AttrId::ENT_TYPE | AttrId::ENT_KB_ID | AttrId::ENT_ID => doc.entity_records().is_some(),
            _ => doc.tag_records().is_some(),
        };
        if !is_present {
            continue;
        }
        let mut before = 0;
        for (i, id) in doc.attrs().try_to_array(&[attr])?.into_iter().enumerate() {
            if id != before && id != 0 {
                let id = StrId::new(id);
                let string = snapshot.string(id).ok_or_else(|| no_string(id, attr, i))?;
                found(id, string)?;
            }
            before = id;
        }
    }
    for (_, group) in read_groups(groups, bounds(doc))? {
        for span in group.spans {
            let label = StrId::new(span.label);
            found(label, snapshot.string(label).ok_or_else(|| unknown_id(label))?)?;
            for id in [span.kb_id, span.id].map(StrId::new) {
                if let Some(string) = snapshot.string(id) {
                    found(id, string)?;
                }
            }
        }
    }
    Ok(())
}

fn no_string(id: StrId, attr: AttrId, i: usize) -> Error {
    unknown_id(id).context(format!("{} of token {i}", attr.name().unwrap_or_default()))
}
