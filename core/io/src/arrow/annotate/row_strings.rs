//! The strings that the ids of a row stand for.

use ahash::AHashMap;
use lexpool::strings::StrId;
use lexpool_structs::AttrId;

use super::layout::ColumnLayout;
use super::row_tokens::RowTokens;
use crate::arrow::annotation;
use crate::arrow::packed_strings::PackedStrings;

/// The words and ids that have occurred in the current row.
#[derive(Default)]
pub(super) struct RowStrings {
    /// Number of the current row, from 1. The maps are not cleared between rows, which would cost
    /// short rows the size of a long one before them.
    row: u64,
    words: AHashMap<u32, u64>,
    ids: AHashMap<StrId, u64>,
}

impl RowStrings {
    /// Appends the strings of a row, each at its first occurrence.
    pub(super) fn add_row(
        &mut self,
        layout: &ColumnLayout,
        row: RowTokens<'_>,
        strings: &mut PackedStrings,
    ) {
        self.row += 1;
        for i in 0..row.tokens.len() {
            self.add_word(&layout.ids, row, i, strings);
            let Some(token) = row.doc.and_then(|doc| doc.token(i)) else { continue };
            for attr in &layout.annotation_ids {
                let Some(string) = annotation::string(&token, *attr) else { continue };
                if self.is_new(StrId::new(token.attr(*attr))) {
                    strings.push(string);
                }
            }
        }
    }

    /// Appends the strings of a word.
    fn add_word(
        &mut self,
        ids: &[AttrId],
        row: RowTokens<'_>,
        i: usize,
        strings: &mut PackedStrings,
    ) {
        let is_repeat = self.words.insert(row.tokens[i].lex, self.row) == Some(self.row);
        // A special case or a component sets a norm that differs from that of the word.
        if is_repeat && !(ids.contains(&AttrId::NORM) && row.has_own_norm(i)) {
            return;
        }
        for attr in ids {
            let id = row.id(i, *attr);
            if id == StrId::EMPTY || !self.is_new(id) {
                continue;
            }
            strings.push(if *attr == AttrId::ORTH { row.word(i) } else { row.string(id) });
        }
    }

    /// Returns true at the first occurrence of an id in the row.
    fn is_new(&mut self, id: StrId) -> bool {
        self.ids.insert(id, self.row) != Some(self.row)
    }
}
