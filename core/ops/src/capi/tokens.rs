//! The functions of the C API for tokens: look-up by character, attributes, trees from heads.

use std::ffi::c_int;

use lexpool::tokens::{
    AttrColumn, check_value, low_half, rebuild_tree, set_spacy_children, signed,
};
use lexpool::vocab::LexemeField;
use lexpool_structs::{AttrId, SpacyTokenC, SyntaxC, TokenC};

use super::call::without_unwind;
use super::open::{DocC, DocMutC, DocView, DocViewMut, slice_mut};

/// Finds the token that starts at a character: `token_by_start` of `lexpool_api`.
///
/// # Safety
///
/// `doc` must fulfil K1, K2 and K3.
pub(super) unsafe extern "C" fn token_by_start(doc: *const DocC, start_char: i32) -> i32 {
    without_unwind(-1, || {
        // SAFETY: K1, K2, K3, by the caller.
        let (Some(doc), Ok(start)) = (unsafe { DocView::of(doc) }, u32::try_from(start_char))
        else {
            return -1;
        };
        position(doc.tokens.binary_search_by_key(&start, |token| token.idx).ok())
    })
}

/// Finds the token that ends at a character: `token_by_end` of `lexpool_api`.
///
/// # Safety
///
/// `doc` must fulfil K1, K2 and K3.
pub(super) unsafe extern "C" fn token_by_end(doc: *const DocC, end_char: i32) -> i32 {
    without_unwind(-1, || {
        // SAFETY: K1, K2, K3, by the caller.
        let Some(doc) = (unsafe { DocView::of(doc) }) else { return -1 };
        let end = i64::from(end_char);
        let after = doc.tokens.partition_point(|token| i64::from(token.idx) < end);
        position(after.checked_sub(1).filter(|i| doc.end_char(*i) == end))
    })
}

/// Reads an attribute of a token: `token_get_attr` of `lexpool_api`.
///
/// # Safety
///
/// `doc` must fulfil K1, K2 and K3.
pub(super) unsafe extern "C" fn token_get_attr(doc: *const DocC, i: i32, attr: u32) -> u64 {
    without_unwind(0, || {
        // SAFETY: K1, K2, K3, by the caller.
        let (Some(doc), Ok(i)) = (unsafe { DocView::of(doc) }, usize::try_from(i)) else {
            return 0;
        };
        if i < doc.tokens.len() { attr_of(&doc, i, AttrId::new(attr)) } else { 0 }
    })
}

/// Returns the attribute of a token within the document, as
/// [`Token::attr`](lexpool::tokens::Token::attr).
fn attr_of(doc: &DocView<'_>, i: usize, attr: AttrId) -> u64 {
    let token = doc.tokens[i];
    let of_lexeme = || doc.cell(i).map_or(0, |cell| cell.attr(attr));
    match AttrColumn::of(attr) {
        AttrColumn::Tag(read) => doc.tags.map_or(0, |tags| read(&tags[i])),
        AttrColumn::Syntax(read) => doc.syntax.map_or(0, |syntax| read(&syntax[i])),
        AttrColumn::Entity(read) => doc.entities.map_or(0, |entities| read(&entities[i])),
        AttrColumn::None => match attr {
            AttrId::NORM => norm_of(doc, i),
            AttrId::SPACY => u64::from(token.spacy()),
            AttrId::IDX => u64::from(token.idx),
            AttrId::LENGTH => {
                u64::try_from(doc.end_char(i) - i64::from(token.idx)).unwrap_or_default()
            }
            AttrId::ENT_IOB => u64::from(token.ent_iob()),
            AttrId::SENT_START => signed(i32::from(token.sent_start())),
            _ => of_lexeme(),
        },
    }
}

fn norm_of(doc: &DocView<'_>, i: usize) -> u64 {
    let set = doc.tags.map_or(0, |tags| tags[i].norm);
    if set != 0 {
        return set;
    }
    let token_norm = doc.snapshot.and_then(|snapshot| snapshot.norm(doc.tokens[i].norm_ix()));
    let of_lexeme = || doc.cell(i).map_or(0, |cell| cell.field(LexemeField::NORM));
    token_norm.map_or_else(of_lexeme, lexpool::strings::StrId::get)
}

/// Writes an attribute of a token: `token_set_attr` of `lexpool_api`.
///
/// # Safety
///
/// `doc` must fulfil K1 and K2.
pub(super) unsafe extern "C" fn token_set_attr(
    doc: *mut DocMutC,
    i: i32,
    attr: u32,
    value: u64,
) -> c_int {
    without_unwind(-1, || {
        // SAFETY: K1, K2, by the caller.
        let (Some(doc), Ok(i)) = (unsafe { DocViewMut::of(doc) }, usize::try_from(i)) else {
            return -1;
        };
        set(doc, i, AttrId::new(attr), value).map_or(-1, |()| 0)
    })
}

/// Sets an attribute; returns `None` if nothing was written.
fn set(doc: DocViewMut<'_>, i: usize, attr: AttrId, value: u64) -> Option<()> {
    let len = doc.tokens.len();
    if i >= len || check_value(attr, i, len, value).is_err() {
        return None;
    }
    let DocViewMut { tokens, tags, syntax, entities } = doc;
    match attr {
        AttrId::TAG => tags?[i].tag = value,
        AttrId::LEMMA => tags?[i].lemma = value,
        AttrId::MORPH => tags?[i].morph = value,
        AttrId::NORM => tags?[i].norm = value,
        AttrId::POS => tags?[i].pos = u32::try_from(value).ok()?,
        AttrId::DEP => syntax?[i].dep = value,
        AttrId::HEAD => syntax?[i].head = low_half(value),
        AttrId::ENT_TYPE => entities?[i].ent_type = value,
        AttrId::ENT_KB_ID => entities?[i].ent_kb_id = value,
        AttrId::ENT_ID => entities?[i].ent_id = value,
        AttrId::ENT_IOB => tokens[i].set_ent_iob(u8::try_from(value).ok()?),
        AttrId::SENT_START => {
            tokens[i].set_sent_start(i8::try_from(low_half(value).signum()).ok()?);
        }
        AttrId::SPACY => tokens[i].set_spacy(value != 0),
        _ => return None,
    }
    Some(())
}

/// Sets children, edges and sentence starts from heads: `set_children_from_heads` of `lexpool_api`.
///
/// # Safety
///
/// Arrays that are not null must have `end` records and fulfil K2.
pub(super) unsafe extern "C" fn set_children_from_heads(
    tokens: *mut TokenC,
    syntax: *mut SyntaxC,
    start: i32,
    end: i32,
) -> c_int {
    without_unwind(-1, || {
        let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
            return -1;
        };
        // SAFETY: K2, by the caller.
        let arrays = unsafe { (slice_mut(tokens, end), slice_mut(syntax, end)) };
        let (Some(Some(tokens)), Some(Some(syntax))) = arrays else { return -1 };
        let is_inside = |i: usize| {
            let head = i.checked_add_signed(syntax[i].head as isize);
            head.is_some_and(|head| (start..end).contains(&head))
        };
        if start > end || !(start..end).all(is_inside) {
            return -1;
        }
        if start < end {
            rebuild_tree(tokens, syntax, start, end);
        }
        0
    })
}

/// Does the same in records of spaCy's layout: `spacy_set_children_from_heads` of `lexpool_api`.
///
/// # Safety
///
/// `tokens` is null, or has `end` records and fulfils K2.
pub(super) unsafe extern "C" fn spacy_set_children_from_heads(
    tokens: *mut SpacyTokenC,
    start: i32,
    end: i32,
) -> c_int {
    without_unwind(-1, || {
        let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
            return -1;
        };
        // SAFETY: K2, by the caller.
        let Some(Some(tokens)) = (unsafe { slice_mut(tokens, end) }) else { return -1 };
        if set_spacy_children(tokens, start, end) { 0 } else { -1 }
    })
}

fn position(i: Option<usize>) -> i32 {
    i.and_then(|i| i32::try_from(i).ok()).unwrap_or(-1)
}
