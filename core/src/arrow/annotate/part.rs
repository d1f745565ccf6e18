//! What some neighbouring rows of a batch get.

use std::ops::Range;

use ahash::AHashMap;
use lexpool_structs::{AttrId, TokenC};

use super::columns::{Item, Layout};
use super::input::Texts;
use crate::Result;
use crate::strings::StrId;
use crate::tokenizer::{Scanned, Tokenizer};
use crate::vocab::{LexIx, LexemeCell, LexemeField, VocabSnapshot};

/// Some rows; what they hold lies one behind another.
pub(super) struct Part {
    /// How many tokens each row has; none where the text is null.
    pub(super) rows: Vec<Option<u32>>,
    /// By item of the layout, a value a token.
    pub(super) items: Vec<Values>,
    /// How many strings each row has, and these.
    pub(super) strings: Option<(Vec<u32>, Chars)>,
}

/// A value a token.
pub(super) enum Values {
    Short(Vec<u32>),
    Long(Vec<u64>),
    Bits(Vec<bool>),
    Chars(Chars),
}

/// Strings one behind another.
#[derive(Default)]
pub(super) struct Chars {
    pub(super) lens: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl Chars {
    fn push(&mut self, string: &str) {
        self.lens.push(u32::try_from(string.len()).expect("no text has 2^32 bytes"));
        self.bytes.extend_from_slice(string.as_bytes());
    }

    fn append(&mut self, mut other: Chars) {
        self.lens.append(&mut other.lens);
        self.bytes.append(&mut other.bytes);
    }
}

impl Part {
    /// Cuts the texts of some rows.
    pub(super) fn new(
        tokenizer: &Tokenizer,
        layout: &Layout,
        texts: &Texts<'_>,
        rows: Range<usize>,
    ) -> Result<Part> {
        let mut part = Part::empty(layout, rows.len());
        let mut seen = Seen::default();
        let first = rows.start;
        let given = rows.clone().filter_map(|row| Some((row, texts.get(row)?)));
        tokenizer.scan(given, &mut |scanned| {
            part.skip_to(scanned.number - first);
            part.push(layout, &scanned, &mut seen);
            Ok(())
        })?;
        part.skip_to(rows.len());
        Ok(part)
    }

    fn empty(layout: &Layout, rows: usize) -> Part {
        let values = |item: &Item| match item {
            Item::Start | Item::End => Values::Short(Vec::new()),
            Item::Space | Item::Flag(_) => Values::Bits(Vec::new()),
            Item::Number(_) => Values::Long(Vec::new()),
            Item::Text(_) => Values::Chars(Chars::default()),
        };
        Part {
            rows: Vec::with_capacity(rows),
            items: layout.items.iter().map(values).collect(),
            strings: layout.has_strings.then(Default::default),
        }
    }

    /// The rows of all parts.
    pub(super) fn joined(parts: Vec<Part>, layout: &Layout) -> Part {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_else(|| Part::empty(layout, 0));
        for mut part in parts {
            all.rows.append(&mut part.rows);
            for pair in all.items.iter_mut().zip(part.items) {
                match pair {
                    (Values::Short(all), Values::Short(mut more)) => all.append(&mut more),
                    (Values::Long(all), Values::Long(mut more)) => all.append(&mut more),
                    (Values::Bits(all), Values::Bits(mut more)) => all.append(&mut more),
                    (Values::Chars(all), Values::Chars(more)) => all.append(more),
                    _ => unreachable!("parts of one layout have the same items"),
                }
            }
            if let (Some((lens, chars)), Some((mut more, others))) =
                (&mut all.strings, part.strings)
            {
                lens.append(&mut more);
                chars.append(others);
            }
        }
        all
    }

    /// Adds rows of null until there are so many.
    fn skip_to(&mut self, row: usize) {
        self.rows.resize(row, None);
        if let Some((lens, _)) = &mut self.strings {
            lens.resize(row, 0);
        }
    }

    fn push(&mut self, layout: &Layout, scanned: &Scanned<'_>, seen: &mut Seen) {
        let tokens = scanned.tokens;
        self.rows.push(Some(u32::try_from(tokens.len()).expect("fewer tokens than characters")));
        for (item, values) in layout.items.iter().zip(&mut self.items) {
            add(*item, values, scanned);
        }
        if let Some((lens, chars)) = &mut self.strings {
            let before = chars.lens.len();
            seen.begin();
            for (i, token) in tokens.iter().enumerate() {
                seen.add(&layout.ids, scanned, i, token, chars);
            }
            let new = chars.lens.len() - before;
            lens.push(u32::try_from(new).expect("at most seven strings a token"));
        }
    }
}

/// Adds what an item is in each token of a text.
fn add(item: Item, values: &mut Values, scanned: &Scanned<'_>) {
    let Scanned { snapshot, tokens, .. } = scanned;
    let cells = || tokens.iter().map(|token| cell(snapshot, token));
    match (item, values) {
        (Item::Start, Values::Short(out)) => out.extend(tokens.iter().map(|token| token.idx)),
        (Item::End, Values::Short(out)) => {
            let ends = tokens.iter().zip(cells());
            out.extend(ends.map(|(token, cell)| token.idx + length(cell)));
        }
        (Item::Space, Values::Bits(out)) => out.extend(tokens.iter().map(TokenC::spacy)),
        (Item::Flag(attr), Values::Bits(out)) => out.extend(cells().map(|cell| cell.flag(attr))),
        (Item::Number(AttrId::NORM), Values::Long(out)) => {
            out.extend(tokens.iter().map(|token| norm(snapshot, token).get()));
        }
        (Item::Number(attr), Values::Long(out)) => {
            let field = LexemeField::of(attr).expect("the layout has attributes of words only");
            out.extend(cells().map(|cell| cell.field(field)));
        }
        (Item::Text(AttrId::ORTH), Values::Chars(out)) => {
            (0..tokens.len()).for_each(|i| out.push(word(scanned, i)));
        }
        (Item::Text(attr), Values::Chars(out)) => {
            for token in *tokens {
                let id = id(snapshot, token, attr);
                out.push(snapshot.string(id).unwrap_or_default());
            }
        }
        _ => unreachable!("values are made for their item"),
    }
}

/// Which words and ids the present row has had.
#[derive(Default)]
struct Seen {
    /// The number of the present row, from 1 on. Tables are not emptied between rows: a long one
    /// would make that dear for the short ones behind it.
    row: u64,
    words: AHashMap<u32, u64>,
    ids: AHashMap<StrId, u64>,
}

impl Seen {
    fn begin(&mut self) {
        self.row += 1;
    }

    /// Adds the strings that a token is the first to have.
    fn add(
        &mut self,
        ids: &[AttrId],
        scanned: &Scanned<'_>,
        i: usize,
        token: &TokenC,
        chars: &mut Chars,
    ) {
        let known = self.words.insert(token.lex, self.row) == Some(self.row);
        // A special case gives a token a norm that its word does not have.
        let has_own_norm = token.norm_ix() != 0 && ids.contains(&AttrId::NORM);
        if known && !has_own_norm {
            return;
        }
        for attr in ids {
            let id = id(scanned.snapshot, token, *attr);
            if id == StrId::EMPTY || self.ids.insert(id, self.row) == Some(self.row) {
                continue;
            }
            if *attr == AttrId::ORTH {
                chars.push(word(scanned, i));
            } else if let Some(string) = scanned.snapshot.string(id) {
                chars.push(string);
            }
        }
    }
}

fn cell<'a>(snapshot: &'a VocabSnapshot, token: &TokenC) -> &'a LexemeCell {
    snapshot
        .cell(LexIx::from_raw(token.lex))
        .expect("a tokenizer enters words in the snapshot it is given")
}

fn id(snapshot: &VocabSnapshot, token: &TokenC, attr: AttrId) -> StrId {
    if attr == AttrId::NORM {
        norm(snapshot, token)
    } else {
        StrId::new(cell(snapshot, token).attr(attr))
    }
}

/// The norm of a token: that of a special case, or else its word's.
fn norm(snapshot: &VocabSnapshot, token: &TokenC) -> StrId {
    let own = snapshot.norm(token.norm_ix());
    own.unwrap_or_else(|| StrId::new(cell(snapshot, token).field(LexemeField::NORM)))
}

/// How many characters a word has.
fn length(cell: &LexemeCell) -> u32 {
    u32::try_from(cell.field(LexemeField::LENGTH)).expect("a text has fewer than 2^30 characters")
}

/// The text of a token: up to the next one, or to the space before it.
fn word<'a>(scanned: &Scanned<'a>, i: usize) -> &'a str {
    let Scanned { text, tokens, .. } = scanned;
    let token = &tokens[i];
    let end = tokens.get(i + 1).map_or(text.len(), |next| next.byte as usize);
    &text[token.byte as usize..end - usize::from(token.spacy())]
}
