//! Sets of character properties.

/// A set of character properties: those of a character, or those to test for.
///
/// ```
/// use lexpool_chars::{Class, class};
///
/// assert!(class('\u{bd}').any(Class::NUMERIC));
/// assert!(!class('x').any(Class::NUMERIC | Class::SPACE));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class(u16);

impl Class {
    /// The characters of `str.isspace`.
    pub const SPACE: Self = Self(1 << 0);
    /// Letters, general categories L*: the characters of `str.isalpha`.
    pub const ALPHA: Self = Self(1 << 1);
    /// The derived property Uppercase; digits and symbols can have it.
    pub const UPPER: Self = Self(1 << 2);
    /// The derived property Lowercase; digits and symbols can have it.
    pub const LOWER: Self = Self(1 << 3);
    /// Title-case digraphs, general category Lt.
    pub const TITLE: Self = Self(1 << 4);
    /// The characters of `str.isdigit`: decimal, superscript and circled digits.
    pub const DIGIT: Self = Self(1 << 5);
    /// The characters of `str.isdecimal` and of the regex class `\d`.
    pub const DECIMAL: Self = Self(1 << 6);
    /// The characters of `str.isnumeric`: digits, fractions, and number signs.
    pub const NUMERIC: Self = Self(1 << 7);
    /// Punctuation, general categories P*.
    pub const PUNCT: Self = Self(1 << 8);
    /// Currency signs, general category Sc.
    pub const CURRENCY: Self = Self(1 << 9);
    /// Characters that the rule for the final sigma skips (Unicode's `Case_Ignorable`).
    pub const CASE_IGNORABLE: Self = Self(1 << 10);
    /// Lower-case and uncased letters of spaCy's `ALPHA_LOWER`, which includes whole blocks of some
    /// scripts.
    pub const ALPHA_LOWER: Self = Self(1 << 11);

    /// The empty set.
    pub const NONE: Self = Self(0);
    /// All properties, which no character has; the start of an intersection.
    pub const ALL: Self = Self((1 << 12) - 1);
    /// Characters with case.
    pub const CASED: Self = Self::UPPER.union(Self::LOWER).union(Self::TITLE);
    /// The characters of `str.isalnum`.
    pub const ALNUM: Self = Self::ALPHA.union(Self::NUMERIC);

    /// Returns `true` if the sets have a property in common.
    #[inline]
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the properties of both sets; `|` for constants.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the properties as the bits of a number.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }
}

impl std::ops::BitOr for Class {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl std::ops::BitOrAssign for Class {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}

impl std::ops::BitAnd for Class {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
