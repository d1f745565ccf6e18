//! Tokenizing by characters: the lexemes of characters, for rules that make a token of each.
//!
//! A text without spaces, as Chinese is, is one long chunk a sentence, of which few occur twice:
//! the chunk cache is of no use. A look-up here is two loads.

/// The lexemes of characters that a worker has seen.
///
/// Code points are divided into pages of 256; a page is allocated when the first of its characters
/// is seen. So a table takes a kilobyte for each page in use, at most 4.3 MiB.
#[derive(Default)]
pub(super) struct CharacterTable {
    /// The pages by the higher bits of a code point; a lexeme is stored plus one.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
}

const PAGE: usize = 256;

impl CharacterTable {
    /// Returns the lexeme of a character.
    #[inline]
    pub(super) fn get(&self, c: char) -> Option<u32> {
        let page = self.pages.get(c as usize / PAGE)?.as_ref()?;
        page[c as usize % PAGE].checked_sub(1)
    }

    /// Sets the lexeme of a character. The largest number stands for an unknown one.
    pub(super) fn insert(&mut self, c: char, lex: u32) {
        let (number, place) = (c as usize / PAGE, c as usize % PAGE);
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, || None);
        }
        let page = self.pages[number].get_or_insert_with(|| Box::new([0; PAGE]));
        page[place] = lex.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_has_its_own_lexeme() {
        let mut table = CharacterTable::default();
        let all = ['\0', 'a', '\u{ff}', '\u{100}', '\u{4e00}', '\u{10ffff}'];
        for (lex, c) in (0..).zip(all) {
            assert_eq!(table.get(c), None);
            table.insert(c, lex);
        }
        for (lex, c) in (0..).zip(all) {
            assert_eq!(table.get(c), Some(lex));
        }
        assert_eq!(table.get('b'), None);
        table.insert('a', u32::MAX);
        assert_eq!(table.get('a'), None);
    }
}
