//! Values of the tokens of consecutive rows of a batch.

use std::ops::Range;

use ahash::AHashMap;
use lexpool_structs::{AttrId, TokenC};

use super::input::TextColumn;
use super::layout::{ColumnLayout, TokenItem};
use crate::Result;
use crate::strings::StrId;
use crate::tokenizer::{ScannedText, Tokenizer};
use crate::vocab::{LexIx, LexemeCell, LexemeField, VocabSnapshot};

/// Token values of consecutive rows, concatenated.
pub(super) struct TokenRows {
    /// Number of tokens of each row; `None` if the text is null.
    pub(super) rows: Vec<Option<u32>>,
    /// For each item of the layout, a value per token.
    pub(super) items: Vec<TokenValues>,
    /// Number of strings of each row, and the strings.
    pub(super) strings: Option<(Vec<u32>, PackedStrings)>,
}

/// Values of an item, one per token.
pub(super) enum TokenValues {
    Short(Vec<u32>),
    Long(Vec<u64>),
    Bits(Vec<bool>),
    Strings(PackedStrings),
}

/// Concatenated strings.
#[derive(Default)]
pub(super) struct PackedStrings {
    pub(super) lens: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl PackedStrings {
    fn push(&mut self, string: &str) {
        self.lens.push(u32::try_from(string.len()).expect("no text has 2^32 bytes"));
        self.bytes.extend_from_slice(string.as_bytes());
    }

    fn append(&mut self, mut other: PackedStrings) {
        self.lens.append(&mut other.lens);
        self.bytes.append(&mut other.bytes);
    }
}

impl TokenRows {
    /// Tokenizes the texts of some rows.
    pub(super) fn new(
        tokenizer: &Tokenizer,
        layout: &ColumnLayout,
        texts: &TextColumn<'_>,
        rows: Range<usize>,
    ) -> Result<TokenRows> {
        let mut part = TokenRows::empty(layout, rows.len());
        let mut seen = RowStrings::default();
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

    fn empty(layout: &ColumnLayout, rows: usize) -> TokenRows {
        let values = |item: &TokenItem| match item {
            TokenItem::Start | TokenItem::End => TokenValues::Short(Vec::new()),
            TokenItem::Space | TokenItem::Flag(_) => TokenValues::Bits(Vec::new()),
            TokenItem::Number(_) => TokenValues::Long(Vec::new()),
            TokenItem::Text(_) => TokenValues::Strings(PackedStrings::default()),
        };
        TokenRows {
            rows: Vec::with_capacity(rows),
            items: layout.items.iter().map(values).collect(),
            strings: layout.has_strings.then(Default::default),
        }
    }

    /// Concatenates the values of consecutive parts.
    pub(super) fn concatenated(parts: Vec<TokenRows>, layout: &ColumnLayout) -> TokenRows {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_else(|| TokenRows::empty(layout, 0));
        for mut part in parts {
            all.rows.append(&mut part.rows);
            for pair in all.items.iter_mut().zip(part.items) {
                match pair {
                    (TokenValues::Short(all), TokenValues::Short(mut more)) => {
                        all.append(&mut more);
                    }
                    (TokenValues::Long(all), TokenValues::Long(mut more)) => all.append(&mut more),
                    (TokenValues::Bits(all), TokenValues::Bits(mut more)) => all.append(&mut more),
                    (TokenValues::Strings(all), TokenValues::Strings(more)) => all.append(more),
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

    /// Appends null rows up to a row.
    fn skip_to(&mut self, row: usize) {
        self.rows.resize(row, None);
        if let Some((lens, _)) = &mut self.strings {
            lens.resize(row, 0);
        }
    }

    fn push(&mut self, layout: &ColumnLayout, scanned: &ScannedText<'_>, seen: &mut RowStrings) {
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

/// Appends the values of an item for each token of a text.
fn add(item: TokenItem, values: &mut TokenValues, scanned: &ScannedText<'_>) {
    let ScannedText { snapshot, tokens, .. } = scanned;
    let cells = || tokens.iter().map(|token| cell(snapshot, token));
    match (item, values) {
        (TokenItem::Start, TokenValues::Short(out)) => {
            out.extend(tokens.iter().map(|token| token.idx));
        }
        (TokenItem::End, TokenValues::Short(out)) => {
            let ends = tokens.iter().zip(cells());
            out.extend(ends.map(|(token, cell)| token.idx + length(cell)));
        }
        (TokenItem::Space, TokenValues::Bits(out)) => out.extend(tokens.iter().map(TokenC::spacy)),
        (TokenItem::Flag(attr), TokenValues::Bits(out)) => {
            out.extend(cells().map(|cell| cell.flag(attr)));
        }
        (TokenItem::Number(AttrId::NORM), TokenValues::Long(out)) => {
            out.extend(tokens.iter().map(|token| norm(snapshot, token).get()));
        }
        (TokenItem::Number(attr), TokenValues::Long(out)) => {
            let field = LexemeField::of(attr).expect("the layout has attributes of words only");
            out.extend(cells().map(|cell| cell.field(field)));
        }
        (TokenItem::Text(AttrId::ORTH), TokenValues::Strings(out)) => {
            (0..tokens.len()).for_each(|i| out.push(word(scanned, i)));
        }
        (TokenItem::Text(attr), TokenValues::Strings(out)) => {
            for token in *tokens {
                let id = id(snapshot, token, attr);
                out.push(snapshot.string(id).unwrap_or_default());
            }
        }
        _ => unreachable!("values are made for their item"),
    }
}

/// The words and ids that have occurred in the current row.
#[derive(Default)]
struct RowStrings {
    /// Number of the current row, from 1. The maps are not cleared between rows, which would cost
    /// short rows the size of a long one before them.
    row: u64,
    words: AHashMap<u32, u64>,
    ids: AHashMap<StrId, u64>,
}

impl RowStrings {
    fn begin(&mut self) {
        self.row += 1;
    }

    /// Appends the strings that occur first in a token.
    fn add(
        &mut self,
        ids: &[AttrId],
        scanned: &ScannedText<'_>,
        i: usize,
        token: &TokenC,
        chars: &mut PackedStrings,
    ) {
        let known = self.words.insert(token.lex, self.row) == Some(self.row);
        // A special case sets a norm that differs from that of the word.
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

/// Returns the norm of a token: that of a special case, or else that of its word.
fn norm(snapshot: &VocabSnapshot, token: &TokenC) -> StrId {
    let own = snapshot.norm(token.norm_ix());
    own.unwrap_or_else(|| StrId::new(cell(snapshot, token).field(LexemeField::NORM)))
}

/// Returns the number of characters of a word.
fn length(cell: &LexemeCell) -> u32 {
    u32::try_from(cell.field(LexemeField::LENGTH)).expect("a text has fewer than 2^30 characters")
}

/// Returns the text of a token: up to the next token, or to the space before it.
fn word<'a>(scanned: &ScannedText<'a>, i: usize) -> &'a str {
    let ScannedText { text, tokens, .. } = scanned;
    let token = &tokens[i];
    let end = tokens.get(i + 1).map_or(text.len(), |next| next.byte as usize);
    &text[token.byte as usize..end - usize::from(token.spacy())]
}
