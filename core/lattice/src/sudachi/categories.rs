//! The categories of characters, as Sudachi's default configuration has them.

use std::ops::{BitAnd, BitOr};
use std::sync::OnceLock;

/// A set of categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Categories(u32);

impl Categories {
    pub(super) const NONE: Categories = Categories(0);
    const DEFAULT: Categories = Categories(1);
    const SPACE: Categories = Categories(1 << 1);
    pub(super) const KANJI: Categories = Categories(1 << 2);
    const SYMBOL: Categories = Categories(1 << 3);
    pub(super) const NUMERIC: Categories = Categories(1 << 4);
    const ALPHA: Categories = Categories(1 << 5);
    const HIRAGANA: Categories = Categories(1 << 6);
    pub(super) const KATAKANA: Categories = Categories(1 << 7);
    /// Kanji that are numerals.
    pub(super) const KANJI_NUMERIC: Categories = Categories(1 << 8);
    const GREEK: Categories = Categories(1 << 9);
    const CYRILLIC: Categories = Categories(1 << 10);
    /// A character with which no unknown word begins.
    pub(super) const NO_BEGIN: Categories = Categories(1 << 30);
    /// A character with which no unknown word ends.
    pub(super) const NO_END: Categories = Categories(1 << 31);

    /// All categories but `NO_BEGIN` and `NO_END`.
    const ALL: Categories = Categories((1 << 30) - 1);
    /// Every bit.
    pub(super) const EVERY: Categories = Categories(u32::MAX);
    /// Readings of kanji.
    pub(super) const KANA: Categories = Categories::HIRAGANA.union(Categories::KATAKANA);
    /// Letters, at which no word begins behind a letter of the same alphabet.
    pub(super) const LETTERS: Categories =
        Categories::ALPHA.union(Categories::GREEK).union(Categories::CYRILLIC);

    const fn union(self, other: Categories) -> Categories {
        Categories(self.0 | other.0)
    }

    /// Returns the categories of a character.
    #[inline]
    pub(super) fn of(c: char) -> Categories {
        static PLANE: OnceLock<Plane> = OnceLock::new();
        let plane = PLANE.get_or_init(Plane::new);
        match plane.rows.get(c as usize) {
            Some(&row) => row_categories(row),
            None => row_categories(row_of(c as u32)),
        }
    }

    /// Returns `true` if the sets have a category in common.
    #[inline]
    pub(super) fn intersects(self, other: Categories) -> bool {
        self.0 & other.0 != 0
    }

    /// The numbers of the categories, in ascending order, up to the last that has unknown words.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        (0..CATEGORIES).filter(move |number| self.0 >> number & 1 == 1)
    }
}

impl BitAnd for Categories {
    type Output = Categories;

    fn bitand(self, other: Categories) -> Categories {
        Categories(self.0 & other.0)
    }
}

impl BitOr for Categories {
    type Output = Categories;

    fn bitor(self, other: Categories) -> Categories {
        self.union(other)
    }
}

/// The number of categories that have unknown words.
pub(super) const CATEGORIES: usize = 11;

/// The rows of `TABLE` for the characters up to U+FFFF. A row's number is 1 more; 0 stands for the
/// default.
struct Plane {
    rows: Box<[u8]>,
}

impl Plane {
    fn new() -> Plane {
        let mut rows = vec![0; 0x10000].into_boxed_slice();
        for (number, &(first, last, _)) in (1..).zip(TABLE) {
            if let Some(range) = rows.get_mut(first as usize..=last as usize) {
                range.fill(number);
            }
        }
        // The kanji that are numerals, of which no range is needed.
        for c in KANJI_NUMERALS.chars() {
            rows[c as usize] = u8::MAX;
        }
        Plane { rows }
    }
}

fn row_categories(row: u8) -> Categories {
    match row {
        0 => Categories::DEFAULT,
        u8::MAX => Categories::KANJI | Categories::KANJI_NUMERIC,
        row => TABLE[usize::from(row) - 1].2,
    }
}

/// Returns the row of a character that `Plane` has not.
fn row_of(c: u32) -> u8 {
    let numbered_row = (1..).zip(TABLE).find(|(_, (first, last, _))| (*first..=*last).contains(&c));
    numbered_row.map_or(0, |(number, _)| number)
}

const KANJI_NUMERALS: &str = "一二三四五六七八九十百千万億兆";

const SPACE: Categories = Categories::SPACE;
const KANJI: Categories = Categories::KANJI;
const SYMBOL: Categories = Categories::SYMBOL;
const NUMERIC: Categories = Categories::NUMERIC;
const ALPHA: Categories = Categories::ALPHA;
const HIRAGANA: Categories = Categories::HIRAGANA;
const KATAKANA: Categories = Categories::KATAKANA;
const GREEK: Categories = Categories::GREEK;
const CYRILLIC: Categories = Categories::CYRILLIC;
/// Marks and selectors that belong to the character in front.
const MARK: Categories = Categories::ALL.union(Categories::NO_BEGIN);
/// Small kana and marks of length, with which no word begins.
const SMALL: Categories = Categories::KATAKANA.union(Categories::NO_BEGIN);

/// Ranges of characters with their categories, in order. A character outside has the default
/// category.
const TABLE: &[(u32, u32, Categories)] = &[
    // ASCII and Latin.
    (0x09, 0x0b, SPACE),
    (0x0d, 0x0d, SPACE),
    (0x20, 0x20, SPACE),
    (0x21, 0x2f, SYMBOL),
    (0x30, 0x39, NUMERIC),
    (0x3a, 0x40, SYMBOL),
    (0x41, 0x5a, ALPHA),
    (0x5b, 0x60, SYMBOL),
    (0x61, 0x7a, ALPHA),
    (0x7b, 0x7e, SYMBOL),
    (0xa1, 0xbf, SYMBOL),
    (0xc0, 0xd6, ALPHA),
    (0xd7, 0xd7, SYMBOL),
    (0xd8, 0xf6, ALPHA),
    (0xf7, 0xf7, SYMBOL),
    (0xf8, 0x236, ALPHA),
    (0x300, 0x36f, MARK),
    // Greek, Cyrillic, more marks and Latin.
    (0x374, 0x3fb, GREEK),
    (0x400, 0x4f9, CYRILLIC),
    (0x500, 0x50f, CYRILLIC),
    (0x1ab0, 0x1aff, MARK),
    (0x1dc0, 0x1dff, MARK),
    (0x1e00, 0x1ef9, ALPHA),
    // Punctuation and symbols. U+200C and U+200D join what stands on both sides.
    (0x2000, 0x200b, SYMBOL),
    (0x200c, 0x200d, MARK.union(Categories::NO_END)),
    (0x200e, 0x206f, SYMBOL),
    (0x2070, 0x209f, NUMERIC),
    (0x20a0, 0x20cf, SYMBOL),
    (0x20d0, 0x20ff, MARK),
    (0x2100, 0x214f, SYMBOL),
    (0x2150, 0x218f, NUMERIC),
    (0x2190, 0x23ff, SYMBOL),
    (0x2460, 0x24ff, SYMBOL),
    (0x2501, 0x26fe, SYMBOL),
    (0x2700, 0x297f, SYMBOL),
    (0x2a00, 0x2bff, SYMBOL),
    // Radicals and the punctuation of East Asia.
    (0x2e80, 0x2ef3, KANJI),
    (0x2f00, 0x2fd5, KANJI),
    (0x3000, 0x3004, SYMBOL),
    (0x3005, 0x3005, KANJI.union(SYMBOL).union(Categories::NO_BEGIN)),
    (0x3006, 0x3006, SYMBOL),
    (0x3007, 0x3007, KANJI.union(SYMBOL).union(Categories::KANJI_NUMERIC)),
    (0x3008, 0x303f, SYMBOL),
    // Kana.
    (0x3041, 0x309a, HIRAGANA),
    (0x309b, 0x309c, Categories::KANA),
    (0x309d, 0x309f, HIRAGANA),
    (0x30a1, 0x30a1, SMALL),
    (0x30a2, 0x30a2, KATAKANA),
    (0x30a3, 0x30a3, SMALL),
    (0x30a4, 0x30a4, KATAKANA),
    (0x30a5, 0x30a5, SMALL),
    (0x30a6, 0x30a6, KATAKANA),
    (0x30a7, 0x30a7, SMALL),
    (0x30a8, 0x30a8, KATAKANA),
    (0x30a9, 0x30a9, SMALL),
    (0x30aa, 0x30e2, KATAKANA),
    (0x30e3, 0x30e3, SMALL),
    (0x30e4, 0x30e4, KATAKANA),
    (0x30e5, 0x30e5, SMALL),
    (0x30e6, 0x30e6, KATAKANA),
    (0x30e7, 0x30e7, SMALL),
    (0x30e8, 0x30ed, KATAKANA),
    (0x30ee, 0x30ee, SMALL),
    (0x30ef, 0x30fa, KATAKANA),
    (0x30fc, 0x30fe, SMALL),
    (0x30ff, 0x30ff, KATAKANA),
    (0x31f0, 0x31ff, KATAKANA),
    // Kanji, and symbols in and beside them.
    (0x3200, 0x32fe, SYMBOL),
    (0x3300, 0x33ff, SYMBOL),
    (0x3400, 0x4db5, KANJI),
    (0x4e00, 0x9fff, KANJI),
    (0xf900, 0xfa2d, KANJI),
    (0xfa30, 0xfa6a, KANJI),
    (0xfe00, 0xfe0f, MARK),
    (0xfe20, 0xfe2f, MARK),
    (0xfe30, 0xfe6b, SYMBOL),
    // Forms of full and half width.
    (0xff01, 0xff0f, SYMBOL),
    (0xff10, 0xff19, NUMERIC),
    (0xff1a, 0xff20, SYMBOL),
    (0xff21, 0xff3a, ALPHA),
    (0xff3b, 0xff40, SYMBOL),
    (0xff41, 0xff5a, ALPHA),
    (0xff5b, 0xff65, SYMBOL),
    (0xff66, 0xff9f, KATAKANA),
    (0xffe0, 0xffef, SYMBOL),
    // Colours of skin in emoji.
    (0x1f3fb, 0x1f3fe, MARK),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_are_in_order() {
        assert!(TABLE.windows(2).all(|rows| rows[0].1 < rows[1].0));
        assert!(TABLE.iter().all(|(first, last, _)| first <= last) && TABLE.len() < 255);
    }

    #[test]
    fn characters_have_their_categories() {
        assert_eq!(Categories::of('\u{80}'), Categories::DEFAULT);
        assert_eq!(Categories::of('大'), KANJI);
        assert_eq!(Categories::of('十'), KANJI | Categories::KANJI_NUMERIC);
        assert_eq!(Categories::of('ー'), SMALL);
        assert_eq!(Categories::of('\u{1f3fc}'), MARK);
        assert_eq!(Categories::of('\u{1f34e}'), Categories::DEFAULT);
        assert_eq!(Categories::of('\u{200d}'), MARK | Categories::NO_END);
        assert_eq!((KANJI | SYMBOL).numbers().collect::<Vec<_>>(), [2, 3]);
    }
}
