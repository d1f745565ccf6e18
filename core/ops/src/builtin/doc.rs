//! `doc.*`: attributes and counts of a document's tokens.

use lexpool::codes;
use lexpool::tokens::{Alignment, Doc};
use lexpool::{Error, ErrorKind, Result};
use lexpool_plugin::{List, Numbers};
use lexpool_structs::AttrId;

use super::super::hooks::go_on;
use super::super::{Batch, op};
use super::zeros::zeros;
use super::{Counts, Ranges};

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "doc.count_by"(doc, attr) = count_by,
        "Counts each value of an attribute: returns rows of value and count in the order of first \
         occurrence.\n\nattr is the attribute's number, as in lexpool.attrs. Takes one pass over \
         the tokens. Raises KeyError E983 if attr is not an attribute.",
        gil = by_size(1024)
    );
    op!(
        *ops,
        "doc.to_array"(doc, attrs) = to_array,
        "Returns attributes of all tokens as unsigned 64-bit numbers: a row for each token, a \
         column for each attribute.\n\nattrs are the attributes' numbers. Heads are relative, and \
         negative numbers two's complement. Raises KeyError E983 if a number is not an attribute.",
        gil = by_size(1024)
    );
    op!(
        *ops,
        "doc.words"(doc) = |doc: &Doc| -> Vec<String> {
            doc.iter().map(|token| token.text().to_owned()).collect()
        },
        "The texts of the tokens, without the spaces between them.",
        gil = by_size(512)
    );
    op!(
        *ops,
        "doc.sentences"(doc) =
            |doc: &Doc| -> Result<Ranges> { Ok(Ranges(doc.sentences().ranges()?.collect())) },
        "The sentences: a row of first token and token after the last for each.\n\nRaises \
         ValueError E030 if the sentence starts are unknown.",
        gil = by_size(4096)
    );
    op!(
        *ops,
        "doc.entities"(doc) = entities,
        "The named entities: a row of first token, token after the last, and id of the label for \
         each.\n\nRaises ValueError E093 if a token continues an entity that no token begins.",
        gil = by_size(4096)
    );
    op!(
        *ops,
        "doc.has_annotation"(doc, attr, *, require_complete = false) = has_annotation,
        "Returns True if an attribute is set on some token, or on every token if require_complete \
         is True.\n\nattr is the attribute's number. Raises KeyError E983 if attr is not an \
         attribute."
    );
    op!(
        *ops,
        "doc.char_span"(doc, start, end, mode = "strict") = char_span,
        "The tokens of a range of characters, as [first, after the last]; None if no token span \
         matches the range.\n\nmode: strict (the ends are ends of tokens), contract (the tokens \
         wholly inside) or expand (all tokens touched). Raises ValueError E202 for another mode."
    );
    op!(
        *ops,
        "doc.lca_matrix"(doc, start = 0, end = None) = lca_matrix,
        "The lowest common ancestor of each pair of tokens, relative to start; -1 if a pair has \
         none.\n\nTakes a walk to the root for each pair. Raises IndexError E035 for a range \
         outside of the document.",
        gil = release
    );
}

/// Finds an attribute by its number.
fn attr_of(number: u32) -> Result<AttrId> {
    let attr = AttrId::new(number);
    if attr.name().is_some() {
        return Ok(attr);
    }
    let text =
        format!("no attribute has the number {number}; attributes are named in lexpool.attrs");
    Err(Error::new(ErrorKind::Key, codes::E983, text))
}

fn count_by(doc: &Doc, attr: u32) -> Result<Counts> {
    Ok(Counts(doc.attrs().count_by(attr_of(attr)?)))
}

fn to_array(doc: &Doc, attrs: List<'_, u32>) -> Result<Numbers<u64>> {
    let attrs = attrs.iter().map(attr_of).collect::<Result<Vec<_>>>()?;
    let mut items = zeros(doc.len(), attrs.len())?;
    doc.attrs().write_array(0..doc.len(), &attrs, &mut items);
    Ok(Numbers { items, shape: vec![doc.len(), attrs.len()] })
}

fn entities(doc: &Doc) -> Result<Numbers<u64>> {
    let ents = doc.entities().spans()?;
    let shape = vec![ents.len(), 3];
    let at = |position: i32| u64::try_from(position).unwrap_or_default();
    let items = ents.iter().flat_map(|ent| [at(ent.start), at(ent.end), ent.label]).collect();
    Ok(Numbers { items, shape })
}

fn has_annotation(doc: &Doc, attr: u32, require_complete: bool) -> Result<bool> {
    Ok(doc.is_empty() || doc.attrs().has_annotation(attr_of(attr)?, require_complete))
}

fn char_span(doc: &Doc, start: usize, end: usize, mode: &str) -> Result<Option<Vec<usize>>> {
    let mode = Alignment::from_name(mode).ok_or_else(|| {
        let text = format!("no alignment mode {mode:?}; there are strict, contract and expand");
        Error::value(codes::E202, text)
    })?;
    Ok(doc.char_offsets().span(start, end, mode).map(|span| vec![span.start(), span.end()]))
}

fn lca_matrix(doc: &Doc, start: usize, end: Option<usize>) -> Result<Numbers<i32>> {
    let end = end.unwrap_or(doc.len());
    let items = doc.tree().lca_matrix_with(start, end, &mut go_on)?;
    let n = end.saturating_sub(start);
    Ok(Numbers { items, shape: vec![n, n] })
}
