//! The 457 strings whose ids are small fixed numbers instead of hashes.
//!
//! They are spaCy's, number for number: attributes, parts of speech, labels of entities and of
//! dependencies. A data file of either library may hold these numbers, so they never change.

/// The number of symbols.
pub const COUNT: usize = 457;

/// The symbols in order of their numbers.
///
/// ```
/// use lexpool_structs::symbols::SYMBOLS;
///
/// assert_eq!((SYMBOLS[0], SYMBOLS[65], SYMBOLS[92]), ("", "ORTH", "NOUN"));
/// ```
pub static SYMBOLS: [&str; COUNT] = TABLE;

/// The number of the symbol spelled `name`, exactly; one hash and seldom more than one comparison.
///
/// ```
/// use lexpool_structs::symbols::number;
///
/// assert_eq!(number("nsubj"), Some(429));
/// assert_eq!(number("NSUBJ"), None);
/// ```
pub fn number(name: &str) -> Option<u32> {
    if name.len() > LONGEST {
        return None;
    }
    let mut slot = home(name);
    loop {
        let symbol = usize::from(*INDEX.get(slot)?);
        if symbol == EMPTY {
            return None;
        }
        if SYMBOLS[symbol] == name {
            return u32::try_from(symbol).ok();
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// A slice of the names, without a quotation mark around each.
macro_rules! names {
    ($($name:ident)+) => {
        &[$(stringify!($name)),+]
    };
}

const FLAGS: &[&str] = names! {
    IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM
    LIKE_EMAIL IS_STOP IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT
    IS_CURRENCY
};

const ATTRIBUTES: &[&str] = names! {
    ID ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP ENT_IOB ENT_TYPE HEAD
    SENT_START SPACY PROB LANG
};

const PARTS_OF_SPEECH: &[&str] = names! {
    ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE
};

const ENTITY_LABELS: &[&str] = names! {
    PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT MONEY
    QUANTITY ORDINAL CARDINAL
};

const DEPENDENCY_LABELS: &[&str] = names! {
    acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass
    dep det dobj expl hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num
    number oprd obj obl parataxis partmod pcomp pobj poss possessive preconj prep prt punct quantmod
    relcl rcmod root xcomp acl
};

const LATER: &[&str] = &["ENT_KB_ID", "MORPH", "ENT_ID", "IDX", "_"];

/// `FLAG19` to `FLAG63`.
const SPARE_FLAGS: [[u8; 6]; 45] = {
    let mut names = [*b"FLAG00"; 45];
    let mut i = 0;
    while i < names.len() {
        names[i] = counted(names[i], 19 + i);
        i += 1;
    }
    names
};

/// `DEPRECATED001` to `DEPRECATED276`.
const DEPRECATED: [[u8; 13]; 276] = {
    let mut names = [*b"DEPRECATED000"; 276];
    let mut i = 0;
    while i < names.len() {
        names[i] = counted(names[i], 1 + i);
        i += 1;
    }
    names
};

pub(crate) const TABLE: [&str; COUNT] = {
    let mut table = place([""; COUNT], 1, FLAGS);
    table = place_counted(table, 19, &SPARE_FLAGS);
    table = place(table, 64, ATTRIBUTES);
    table = place(table, 84, PARTS_OF_SPEECH);
    table = place_counted(table, 104, &DEPRECATED);
    table = place(table, 380, ENTITY_LABELS);
    table = place(table, 398, DEPENDENCY_LABELS);
    place(table, 452, LATER)
};

const LONGEST: usize = 17;
const SLOTS: usize = 1024;
const EMPTY: usize = COUNT;

/// An open-addressed table of symbol numbers; a slot that holds `EMPTY` ends a probe.
static INDEX: [u16; SLOTS] = {
    let mut index = [narrow(EMPTY); SLOTS];
    let mut number = 0;
    while number < COUNT {
        assert!(TABLE[number].len() <= LONGEST);
        let mut slot = home(TABLE[number]);
        while index[slot] as usize != EMPTY {
            slot = (slot + 1) % SLOTS;
        }
        index[slot] = narrow(number);
        number += 1;
    }
    index
};

/// The slot where the search for `name` begins: FNV-1a, folded.
const fn home(name: &str) -> usize {
    let bytes = name.as_bytes();
    let mut hash = 0x811c_9dc5_u32;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    (hash ^ hash >> 15) as usize % SLOTS
}

/// Writes `number` over the digits at the end of `name`.
const fn counted<const N: usize>(mut name: [u8; N], mut number: usize) -> [u8; N] {
    let mut i = N;
    while number > 0 {
        i -= 1;
        name[i] = b"0123456789"[number % 10];
        number /= 10;
    }
    name
}

const fn place(
    mut table: [&'static str; COUNT],
    first: usize,
    names: &[&'static str],
) -> [&'static str; COUNT] {
    let mut i = 0;
    while i < names.len() {
        assert!(table[first + i].is_empty(), "two symbols have one number");
        table[first + i] = names[i];
        i += 1;
    }
    table
}

const fn place_counted<const N: usize>(
    mut table: [&'static str; COUNT],
    first: usize,
    names: &'static [[u8; N]],
) -> [&'static str; COUNT] {
    let mut i = 0;
    while i < names.len() {
        match core::str::from_utf8(&names[i]) {
            Ok(name) => table = place(table, first + i, &[name]),
            Err(_) => panic!("the name of a symbol is ASCII"),
        }
        i += 1;
    }
    table
}

#[expect(clippy::cast_possible_truncation, reason = "checked on the line before")]
const fn narrow(number: usize) -> u16 {
    assert!(number <= u16::MAX as usize);
    number as u16
}

#[cfg(test)]
mod tests {
    use super::{COUNT, EMPTY, INDEX, SLOTS, SYMBOLS, home, number};

    #[test]
    fn every_symbol_is_found_by_its_name() {
        for (i, name) in SYMBOLS.iter().enumerate() {
            assert_eq!(number(name), u32::try_from(i).ok(), "{name}");
        }
    }

    #[test]
    fn a_symbol_is_seldom_compared_with_another_one_first() {
        let symbols = INDEX.iter().enumerate().filter(|(_, symbol)| usize::from(**symbol) != EMPTY);
        let others = symbols
            .map(|(slot, symbol)| (SLOTS + slot - home(SYMBOLS[usize::from(*symbol)])) % SLOTS);
        // A good hash makes 0.4 comparisons with others, at this share of slots that are taken.
        assert!(others.sum::<usize>() < COUNT / 2);
    }

    #[test]
    fn only_the_first_symbol_is_empty() {
        assert!(SYMBOLS.iter().enumerate().all(|(i, name)| name.is_empty() == (i == 0)));
    }

    #[test]
    fn each_range_begins_and_ends_at_its_number() {
        let known = [
            (18, "IS_CURRENCY"),
            (19, "FLAG19"),
            (63, "FLAG63"),
            (64, "ID"),
            (83, "LANG"),
            (84, "ADJ"),
            (103, "SPACE"),
            (104, "DEPRECATED001"),
            (379, "DEPRECATED276"),
            (380, "PERSON"),
            (397, "CARDINAL"),
            (398, "acomp"),
            (451, "acl"),
            (452, "ENT_KB_ID"),
            (COUNT - 1, "_"),
        ];
        for (number, name) in known {
            assert_eq!(SYMBOLS[number], name);
        }
    }

    #[test]
    fn what_is_no_symbol_has_no_number() {
        for name in ["orth", "ORTH ", "FLAG64", "DEPRECATED000", "IS_OOV_DEPRECATED_", "\u{e9}"] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
