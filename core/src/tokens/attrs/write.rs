//! Writing attributes by number: of one token, or of all tokens from rows or columns.

use lexpool_structs::{AttrId, TokenC};

use super::super::doc::{Doc, check_size};
use super::values::{check_value, is_limited, low};
use super::writers::{entity_writer, syntax_writer, tag_writer, token_writer};
use crate::codes;
use crate::fallible;
use crate::vocab::{LexIx, LexemeCell, LexemeField};
use crate::{Error, ErrorKind, Result};

/// A view of the attributes of all tokens, to be changed.
///
/// ```
/// use lexpool::structs::AttrId;
/// use lexpool::tokens::Doc;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("a", true), ("b", true)])?;
/// doc.attrs_mut().set_array(&[AttrId::TAG, AttrId::SPACY], &[7, 1, 9, 0])?;
/// assert_eq!(doc.text(), "a b");
/// doc.attrs_mut().set(0, AttrId::TAG, 8)?;
/// assert_eq!(doc.attrs().column(AttrId::TAG), [8, 9]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug)]
pub struct TokenAttrsMut<'a> {
    pub(super) doc: &'a mut Doc,
}

impl Doc {
    /// Returns the view of the attributes of all tokens, to be changed.
    #[inline]
    pub fn attrs_mut(&mut self) -> TokenAttrsMut<'_> {
        TokenAttrsMut { doc: self }
    }
}

impl TokenAttrsMut<'_> {
    /// Sets an attribute of one token. Attributes of the lexeme are ignored.
    ///
    /// `HEAD` is relative and only stored: use
    /// [`TreeMut::set_head`](crate::tokens::TreeMut::set_head) to change the tree. `SPACY` changes
    /// the text after the token and all later offsets, at the cost of a new text. The other
    /// attributes cost one store; the first write allocates the column.
    ///
    /// # Errors
    ///
    /// `E026` if there is no token `i`; `E190` for a head outside of the document, `E982` for an
    /// `ENT_IOB` above 3, `E1021` for an unknown part of speech; `E025` if the text grows too long;
    /// `pool-out-of-memory`. The document is then unchanged.
    pub fn set(&mut self, i: usize, attr: AttrId, value: u64) -> Result<()> {
        let len = self.doc.len();
        if i >= len {
            return Err(no_token(i, len));
        }
        check_value(attr, i, len, value)?;
        if attr == AttrId::SPACY {
            let spaces = self.doc.tokens().iter().enumerate();
            let spaces = spaces.map(|(at, token)| if at == i { value != 0 } else { token.spacy() });
            return self.set_spaces(&spaces.collect::<Vec<_>>());
        }
        self.store(i, attr, value)
    }

    /// Sets attributes on a token, and on its lexeme those that a lexeme has, `NORM` excepted.
    /// `HEAD` and `SPACY` are ignored.
    ///
    /// # Errors
    ///
    /// `E026` if there is no token `i`; `E982` and `E1021` for invalid values. Nothing is set then.
    pub fn set_with_lexeme(&mut self, i: usize, attrs: &[(AttrId, u64)]) -> Result<()> {
        if i >= self.doc.len() {
            return Err(no_token(i, self.doc.len()));
        }
        let attrs = settable(self.doc, i, attrs)?;
        self.store_with_lexeme(i, &attrs)
    }

    /// Sets several attributes of all tokens from rows of `attrs.len()` numbers, one row a token,
    /// as [`TokenAttrs::to_array`](crate::tokens::TokenAttrs::to_array) returns them.
    ///
    /// If both `HEAD` and `DEP` are given and some `DEP` is not 0, the tree is rebuilt and its
    /// sentence starts override `SENT_START`.
    ///
    /// # Errors
    ///
    /// `E971` unless there is one row a token; for values, those of [`TokenAttrsMut::set`];
    /// `pool-out-of-memory` and `out-of-memory`. Nothing is set then.
    pub fn set_array(&mut self, attrs: &[AttrId], rows: &[u64]) -> Result<()> {
        let (len, width) = (self.doc.len(), attrs.len());
        if rows.len() != len * width {
            let text = format!(
                "{} numbers for {width} attributes of {len} tokens; expected {}",
                rows.len(),
                len * width
            );
            return Err(Error::value(codes::E971, text));
        }
        for (at, attr) in attrs.iter().enumerate().filter(|(_, attr)| is_limited(**attr)) {
            for (i, value) in rows.iter().skip(at).step_by(width).enumerate() {
                check_value(*attr, i, len, *value)?;
            }
        }
        // The bits of each column in one pass over the rows, to skip empty columns.
        let mut bits = vec![0; width];
        for row in rows.chunks_exact(width.max(1)) {
            bits.iter_mut().zip(row).for_each(|(bits, value)| *bits |= value);
        }
        // All memory is allocated before the first change. The last column of an attribute counts.
        let at = attrs.iter().rposition(|attr| *attr == AttrId::NORM);
        let norm_values = at.map(|at| rows.iter().skip(at).step_by(width).copied());
        let norms = self.other_norms(norm_values.into_iter().flatten())?;
        for (attr, bits) in attrs.iter().zip(&bits) {
            self.make_column(*attr, *bits != 0)?;
        }
        if let Some(at) = attrs.iter().position(|attr| *attr == AttrId::SPACY) {
            let spaces = rows.iter().skip(at).step_by(width).map(|value| *value != 0);
            let spaces = fallible::collect(spaces)?;
            self.set_spaces(&spaces)?;
        }
        for (at, (attr, bits)) in attrs.iter().zip(bits).enumerate() {
            if *attr == AttrId::NORM {
                norms.iter().try_for_each(|(i, norm)| self.store_norm(*i, *norm))?;
                continue;
            }
            self.store_column(*attr, bits != 0, rows.iter().skip(at).step_by(width).copied())?;
        }
        let dep = attrs.iter().position(|attr| *attr == AttrId::DEP);
        if let (Some(dep), true) = (dep, attrs.contains(&AttrId::HEAD)) {
            if rows.iter().skip(dep).step_by(width).any(|value| *value != 0) {
                self.doc.tree_mut().rebuild()?;
            }
        }
        Ok(())
    }

    /// Sets which tokens are followed by a space, and rebuilds the text and all offsets. Token
    /// positions do not change. Cost: a copy of the document, or one comparison if no space
    /// changes.
    ///
    /// # Errors
    ///
    /// `E027` unless there is one space a token; `E025` if the text grows too long;
    /// `out-of-memory`.
    pub fn set_spaces(&mut self, spaces: &[bool]) -> Result<()> {
        if spaces.len() != self.doc.len() {
            let text = format!("{} spaces for {} tokens", spaces.len(), self.doc.len());
            return Err(Error::value(codes::E027, text));
        }
        if self.doc.tokens().iter().map(TokenC::spacy).eq(spaces.iter().copied()) {
            return Ok(());
        }
        let mut arrays = self.doc.record_arrays()?;
        let mut text = fallible::text(self.doc.text().len() + spaces.len())?;
        let mut chars = 0;
        for ((token, record), space) in self.doc.iter().zip(&mut arrays.tokens).zip(spaces) {
            (record.idx, record.byte) = check_size(chars, text.len())?;
            record.set_spacy(*space);
            text.push_str(token.text());
            chars += token.len() + usize::from(*space);
            if *space {
                text.push(' ');
            }
        }
        check_size(chars, text.len())?;
        let generation = self.doc.generation;
        self.doc.rewrite(arrays, text)?;
        // Positions found before are still valid.
        self.doc.generation = generation;
        Ok(())
    }

    /// Returns the norms that differ from those of the tokens, with their positions, and allocates
    /// what [`store_norm`](TokenAttrsMut::store_norm) writes to.
    fn other_norms(&mut self, values: impl Iterator<Item = u64>) -> Result<Vec<(usize, u64)>> {
        let mut norms = Vec::new();
        for (i, (token, norm)) in self.doc.iter().zip(values).enumerate() {
            if token.norm().get() != norm {
                fallible::push(&mut norms, (i, norm))?;
            }
        }
        if !norms.is_empty() {
            self.doc.tokens_mut()?;
        }
        if norms.iter().any(|(_, norm)| *norm != 0) {
            self.doc.tag_records_mut()?;
        }
        Ok(norms)
    }

    /// Allocates what [`store_column`](TokenAttrsMut::store_column) writes to.
    fn make_column(&mut self, attr: AttrId, is_set: bool) -> Result<()> {
        if tag_writer(attr).is_some() && is_set {
            self.doc.tag_records_mut()?;
        } else if syntax_writer(attr).is_some() && is_set {
            self.doc.syntax_records_mut()?;
        } else if entity_writer(attr).is_some() && is_set {
            self.doc.entity_records_mut()?;
        } else if token_writer(attr).is_some() {
            self.doc.tokens_mut()?;
        }
        Ok(())
    }

    /// Stores validated values of one attribute of all tokens. Attributes of the lexeme and `SPACY`
    /// are ignored. If `is_set` is false, all values are 0 and no column is allocated.
    fn store_column(
        &mut self,
        attr: AttrId,
        is_set: bool,
        values: impl Iterator<Item = u64>,
    ) -> Result<()> {
        if let Some(write) = tag_writer(attr) {
            if is_set || self.doc.tag_records().is_some() {
                self.doc
                    .tag_records_mut()?
                    .iter_mut()
                    .zip(values)
                    .for_each(|(tag, value)| write(tag, value));
            }
        } else if let Some(write) = syntax_writer(attr) {
            if is_set || self.doc.syntax_records().is_some() {
                let syntax = self.doc.syntax_records_mut()?.iter_mut();
                syntax.zip(values).for_each(|(syntax, value)| write(syntax, value));
            }
        } else if let Some(write) = entity_writer(attr) {
            if is_set || self.doc.entity_records().is_some() {
                let entities = self.doc.entity_records_mut()?.iter_mut();
                entities.zip(values).for_each(|(entity, value)| write(entity, value));
            }
        } else if let Some(write) = token_writer(attr) {
            let tokens = self.doc.tokens_mut()?.iter_mut();
            tokens.zip(values).for_each(|(token, value)| write(token, value));
        }
        Ok(())
    }

    /// Stores a validated value. A zero does not allocate a column.
    fn store(&mut self, i: usize, attr: AttrId, value: u64) -> Result<()> {
        let is_set = value != 0;
        match attr {
            AttrId::TAG if is_set || self.doc.tag_records().is_some() => {
                self.doc.tag_records_mut()?[i].tag = value;
            }
            AttrId::LEMMA if is_set || self.doc.tag_records().is_some() => {
                self.doc.tag_records_mut()?[i].lemma = value;
            }
            AttrId::MORPH if is_set || self.doc.tag_records().is_some() => {
                self.doc.tag_records_mut()?[i].morph = value;
            }
            AttrId::POS if is_set || self.doc.tag_records().is_some() => {
                self.doc.tag_records_mut()?[i].pos = u32::try_from(value).unwrap_or_default();
            }
            AttrId::NORM => self.store_norm(i, value)?,
            AttrId::DEP if is_set || self.doc.syntax_records().is_some() => {
                self.doc.syntax_records_mut()?[i].dep = value;
            }
            AttrId::HEAD if is_set || self.doc.syntax_records().is_some() => {
                self.doc.syntax_records_mut()?[i].head = low(value);
            }
            AttrId::ENT_TYPE if is_set || self.doc.entity_records().is_some() => {
                self.doc.entity_records_mut()?[i].ent_type = value;
            }
            AttrId::ENT_KB_ID if is_set || self.doc.entity_records().is_some() => {
                self.doc.entity_records_mut()?[i].ent_kb_id = value;
            }
            AttrId::ENT_ID if is_set || self.doc.entity_records().is_some() => {
                self.doc.entity_records_mut()?[i].ent_id = value;
            }
            AttrId::ENT_IOB => {
                self.doc.tokens_mut()?[i].set_ent_iob(u8::try_from(value).unwrap_or_default());
            }
            AttrId::SENT_START => {
                let start = low(value).signum();
                self.doc.tokens_mut()?[i].set_sent_start(i8::try_from(start).unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }

    fn store_norm(&mut self, i: usize, value: u64) -> Result<()> {
        let token = self.doc.token(i).expect("the caller has checked the position");
        let of_lexeme = token.lex().field(LexemeField::NORM);
        if token.norm().get() == value {
            return Ok(());
        }
        if value == 0 || value == of_lexeme {
            let token = &mut self.doc.tokens_mut()?[i];
            *token = token.with_norm_ix(0);
            if self.doc.tag_records().is_some() {
                self.doc.tag_records_mut()?[i].norm = 0;
            }
            return Ok(());
        }
        self.doc.tag_records_mut()?[i].norm = value;
        Ok(())
    }

    /// Stores validated attributes on a token, and on its lexeme those that a lexeme has.
    pub(crate) fn store_with_lexeme(&mut self, i: usize, attrs: &[(AttrId, u64)]) -> Result<()> {
        for (attr, value) in attrs.iter().copied() {
            self.store(i, attr, value)?;
            let ix = LexIx::from_raw(self.doc.tokens()[i].lex);
            if attr != AttrId::NORM && LexemeCell::is_settable(attr) {
                if let Some(lexeme) = self.doc.snapshot().cell(ix) {
                    lexeme.set_attr(attr, value)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the attributes that can be set beside `HEAD` and `SPACY`, after validating their values.
pub(crate) fn settable(doc: &Doc, i: usize, attrs: &[(AttrId, u64)]) -> Result<Vec<(AttrId, u64)>> {
    let is_derived = |attr: AttrId| attr == AttrId::HEAD || attr == AttrId::SPACY;
    let attrs = attrs.iter().copied().filter(|(attr, _)| !is_derived(*attr));
    let attrs: Vec<_> = attrs.collect();
    for (attr, value) in &attrs {
        check_value(*attr, i, doc.len(), *value)?;
    }
    Ok(attrs)
}

/// The error of a token position beyond the end.
pub(crate) fn no_token(i: usize, len: usize) -> Error {
    let text = format!("no token {i} in a document of {len} tokens");
    Error::new(ErrorKind::Index, codes::E026, text)
}
