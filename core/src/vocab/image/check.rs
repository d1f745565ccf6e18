//! Full validation of an image: the consistency of its sections.

use std::sync::Arc;

use super::layout::{ENDS, LEXEMES, MORPHS, NORMS, SLOTS, TEXT};
use super::mapped::MappedVocab;
use super::symbols::is_symbol;
use super::vectors;
use crate::Result;
use crate::codes;
use crate::container::invalid_at;
use crate::strings::StrId;

/// Validates the contents of all sections.
pub(super) fn contents(image: &Arc<MappedVocab>) -> Result<()> {
    let start = |section: usize| image.sections.start(section);
    image.meta()?;
    strings(image)?;
    lexemes(image)?;
    let slots = image.slots().table.iter().filter(|slot| **slot != 0).count();
    if slots != image.strings as usize {
        let text = format!("{slots} slots are used for {} strings", image.strings);
        return Err(invalid_at(codes::IMAGE_INDEX, start(SLOTS), text));
    }
    for (section, ids) in [(NORMS, image.norms()), (MORPHS, image.morphs())] {
        for (at, id) in ids.iter().enumerate() {
            if !is_known(image, *id) {
                let text = format!("no string has the id {id}");
                return Err(invalid_at(codes::IMAGE_STRINGS, start(section) + 8 * at, text));
            }
        }
    }
    vectors::check(image)
}

fn strings(image: &MappedVocab) -> Result<()> {
    let mut symbols = 0;
    let text = image.sections.get(TEXT).range();
    let mut end = 0;
    let width = image.sections.get(ENDS).item_size();
    for position in 0..image.strings {
        let at = image.sections.start(ENDS) + position as usize * width;
        let range = image.range_of(position);
        let Some(range) = range.filter(|range| range.start <= range.end && range.end <= text.len())
        else {
            let text = format!("string {position} ends outside of the text or before its start");
            return Err(invalid_at(codes::IMAGE_STRINGS, at, text));
        };
        end = range.end;
        let id = image.id(position);
        if image.string(position).map(StrId::of) != id {
            let text =
                format!("string {position} has the id {id:?}, which is not the hash of its text");
            return Err(invalid_at(codes::IMAGE_STRINGS, text_start(image) + range.start, text));
        }
        let id = id.unwrap_or_default();
        let is_word = position < image.words;
        if id == StrId::EMPTY || is_symbol(id) && !is_word {
            let text = format!("string {position} is empty, or a symbol that is not a word");
            return Err(invalid_at(codes::IMAGE_STRINGS, text_start(image) + range.start, text));
        }
        symbols += u32::from(is_symbol(id));
        if image.position(id) != Some(position) {
            let text = format!("the index does not find string {position} by its id {id}");
            return Err(invalid_at(codes::IMAGE_INDEX, image.sections.start(SLOTS), text));
        }
    }
    if end != text.len() || symbols != image.head.symbols {
        let text = format!(
            "strings end at {end} of {} bytes, and {symbols} words are symbols; expected {}",
            text.len(),
            image.head.symbols
        );
        return Err(invalid_at(codes::IMAGE_STRINGS, text_start(image), text));
    }
    Ok(())
}

fn lexemes(image: &MappedVocab) -> Result<()> {
    let start = image.sections.start(LEXEMES);
    for (position, cell) in image.cells().iter().enumerate() {
        let record = cell.load();
        let is_empty = record.orth == 0 && record.length == 0;
        if position == 0 && !is_empty {
            let text =
                format!("the first lexeme has the id {}; expected the empty lexeme", record.orth);
            return Err(invalid_at(codes::IMAGE_LEXEMES, start, text));
        }
    }
    Ok(())
}

fn is_known(image: &MappedVocab, id: u64) -> bool {
    let id = StrId::new(id);
    is_symbol(id) || image.position(id).is_some()
}

fn text_start(image: &MappedVocab) -> usize {
    image.sections.start(TEXT)
}
