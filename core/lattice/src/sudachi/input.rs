//! A text as it is analyzed: normalized, with the place of each byte in the text that was given,
//! and the categories of its characters.

use std::ops::Range;

use super::categories::Categories;
use super::normalize;

/// A normalized text.
#[derive(Default)]
pub(super) struct InputText {
    text: String,
    /// For each byte of `text`, and behind the last, the position in the given text. Only those at
    /// character boundaries count. Invariant: never descending.
    origins: Vec<usize>,
    /// Memory for the result of an edit.
    spare: (String, Vec<usize>),
    chars: Vec<InputChar>,
    /// For each byte, the character that it belongs to; behind the last byte, the number of
    /// characters.
    char_of: Vec<usize>,
}

/// A character of a normalized text.
#[derive(Clone, Copy)]
struct InputChar {
    byte: usize,
    categories: Categories,
    /// The number of characters from here on that have a category in common.
    run: usize,
    can_begin: bool,
}

/// A copy of a text, in which some ranges are replaced.
pub(super) struct Edit<'i> {
    text: &'i str,
    origins: &'i [usize],
    out: (&'i mut String, &'i mut Vec<usize>),
    /// The end of what is copied.
    at: usize,
}

impl Edit<'_> {
    /// Replaces a range behind the last one. Its first new byte stands for the whole range, the
    /// others for what follows.
    pub(super) fn replace(&mut self, range: Range<usize>, by: &str) {
        self.copy_until(range.start);
        if let Some(others) = by.len().checked_sub(1) {
            self.out.0.push_str(by);
            self.out.1.push(self.origins[range.start]);
            let end = self.origins[range.end];
            self.out.1.extend(std::iter::repeat_n(end, others));
        }
        self.at = range.end;
    }

    fn copy_until(&mut self, end: usize) {
        self.out.0.push_str(&self.text[self.at..end]);
        self.out.1.extend_from_slice(&self.origins[self.at..end]);
        self.at = end;
    }
}

impl InputText {
    /// Normalizes a text of at most `MAX_BYTES`, which replaces the one before.
    pub(super) fn set(&mut self, text: &str) {
        self.text.clear();
        self.text.push_str(text);
        self.origins.clear();
        self.origins.extend(0..=text.len());
        for pass in normalize::PASSES {
            self.edit(pass);
        }
        self.find_chars();
    }

    /// Applies a pass. Nothing is copied if it replaces nothing.
    fn edit(&mut self, pass: normalize::Pass) {
        let (spare, spare_origins) = &mut self.spare;
        spare.clear();
        spare_origins.clear();
        let out = (spare, spare_origins);
        let mut edit = Edit { text: &self.text, origins: &self.origins, out, at: 0 };
        pass(&self.text, &mut |range, by| edit.replace(range, by));
        if edit.at == 0 {
            return;
        }
        edit.copy_until(self.text.len());
        edit.out.1.push(self.origins[self.text.len()]);
        edit.out.1[0] = 0;
        std::mem::swap(&mut self.text, &mut self.spare.0);
        std::mem::swap(&mut self.origins, &mut self.spare.1);
    }

    fn find_chars(&mut self) {
        self.chars.clear();
        self.char_of.clear();
        let mut previous = Categories::NONE;
        for (number, (byte, c)) in self.text.char_indices().enumerate() {
            let categories = Categories::of(c);
            let letters = categories & Categories::LETTERS;
            let can_begin = letters == Categories::NONE || !categories.intersects(previous);
            self.chars.push(InputChar { byte, categories, run: 1, can_begin });
            self.char_of.extend(std::iter::repeat_n(number, c.len_utf8()));
            previous = categories;
        }
        self.char_of.push(self.chars.len());
        self.find_runs();
    }

    /// Sets the lengths of runs. A run begins where the one before ends, and the characters inside
    /// have what is left of it.
    fn find_runs(&mut self) {
        let mut start = 0;
        while start < self.chars.len() {
            let mut common = self.chars[start].categories;
            let mut end = start + 1;
            while let Some(next) = self.chars.get(end) {
                common = common & next.categories;
                if common == Categories::NONE {
                    break;
                }
                end += 1;
            }
            for at in start..end {
                self.chars[at].run = end - at;
            }
            start = end;
        }
    }

    /// Returns the number of characters.
    pub(super) fn chars(&self) -> usize {
        self.chars.len()
    }

    /// Returns the bytes of the text.
    pub(super) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Returns the first byte of a character; for the number of characters, the end.
    pub(super) fn byte(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.text.len(), |c| c.byte)
    }

    /// Returns the character that a byte belongs to, or the number of characters.
    pub(super) fn char_at(&self, byte: usize) -> usize {
        self.char_of.get(byte).map_or(self.chars.len(), |&c| c)
    }

    /// Returns the characters of a range.
    pub(super) fn slice(&self, chars: Range<usize>) -> &str {
        &self.text[self.byte(chars.start)..self.byte(chars.end)]
    }

    /// Returns the bytes of the given text that a range of characters stands for.
    pub(super) fn origin(&self, chars: Range<usize>) -> Range<usize> {
        let origin = |at: usize| self.origins[self.byte(at)];
        origin(chars.start)..origin(chars.end)
    }

    /// Returns `true` if a word may end before a byte: at the end, or where a character begins that
    /// does not continue a word of letters.
    #[inline]
    pub(super) fn can_end(&self, byte: usize) -> bool {
        if byte >= self.text.len() {
            return true;
        }
        let c = &self.chars[self.char_of[byte]];
        c.can_begin && c.byte == byte
    }

    /// Returns `true` if an unknown word may begin at a character.
    #[inline]
    pub(super) fn can_begin_unknown(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(Categories::NONE, |at| self.chars[at].categories);
        !self.chars[at].categories.intersects(Categories::NO_BEGIN)
            && !before.intersects(Categories::NO_END)
    }

    /// Returns the end of the characters from one on, of which none but the first begins a word.
    pub(super) fn word_end(&self, at: usize) -> usize {
        let rest = self.chars[at + 1..].iter().position(|c| c.can_begin);
        rest.map_or(self.chars.len(), |rest| at + 1 + rest)
    }

    /// Returns the number of characters from one on that have a category in common.
    pub(super) fn run(&self, at: usize) -> usize {
        self.chars[at].run
    }

    /// Returns the categories of a character.
    pub(super) fn categories(&self, at: usize) -> Categories {
        self.chars[at].categories
    }

    /// Returns the categories that all characters of a range have.
    pub(super) fn common_categories(&self, chars: Range<usize>) -> Categories {
        let categories = self.chars[chars].iter().map(|c| c.categories);
        categories.fold(Categories::EVERY, |all, one| all & one)
    }
}
