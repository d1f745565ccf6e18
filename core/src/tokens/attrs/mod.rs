//! Attributes of tokens by number: what each reads and writes.

#[cfg(test)]
mod tests;

use lexpool_structs::{AttrId, EntityC, Pos, SyntaxC, TagC};

use super::{Doc, Token, tree};
use crate::vocab::LexemeField;
use crate::{Error, Result};

/// The attributes that `to_bytes` and the copying operations keep, in spaCy's order.
pub const ARRAY_ATTRS: [AttrId; 15] = [
    AttrId::LENGTH,
    AttrId::SPACY,
    AttrId::ORTH,
    AttrId::NORM,
    AttrId::TAG,
    AttrId::HEAD,
    AttrId::DEP,
    AttrId::ENT_IOB,
    AttrId::ENT_TYPE,
    AttrId::ENT_KB_ID,
    AttrId::ENT_ID,
    AttrId::LEMMA,
    AttrId::MORPH,
    AttrId::POS,
    AttrId::SENT_START,
];

/// The attributes of tokens that are ids of strings, beside the word itself.
pub(crate) const ID_ATTRS: [AttrId; 8] = [
    AttrId::NORM,
    AttrId::TAG,
    AttrId::DEP,
    AttrId::ENT_TYPE,
    AttrId::ENT_KB_ID,
    AttrId::ENT_ID,
    AttrId::LEMMA,
    AttrId::MORPH,
];

/// The array that an attribute of tokens is kept in.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Tag(fn(&TagC) -> u64),
    Syntax(fn(&SyntaxC) -> u64),
    Entity(fn(&EntityC) -> u64),
    /// In the token's own record, its lexeme, or computed.
    Elsewhere,
}

impl Place {
    pub(crate) fn of(attr: AttrId) -> Place {
        match attr {
            AttrId::TAG => Place::Tag(|record| record.tag),
            AttrId::LEMMA => Place::Tag(|record| record.lemma),
            AttrId::MORPH => Place::Tag(|record| record.morph),
            AttrId::POS => Place::Tag(|record| u64::from(record.pos)),
            AttrId::DEP => Place::Syntax(|record| record.dep),
            AttrId::HEAD => Place::Syntax(|record| signed(record.head)),
            AttrId::ENT_TYPE => Place::Entity(|record| record.ent_type),
            AttrId::ENT_KB_ID => Place::Entity(|record| record.ent_kb_id),
            AttrId::ENT_ID => Place::Entity(|record| record.ent_id),
            _ => Place::Elsewhere,
        }
    }
}

/// spaCy gives negative numbers as two's complement.
#[expect(clippy::cast_sign_loss, reason = "as documented")]
pub(crate) fn signed(number: i32) -> u64 {
    i64::from(number) as u64
}

impl Token<'_> {
    /// An attribute as a number: flags as 0 or 1, `HEAD` relative, negative numbers as two's
    /// complement, 0 for what is unset.
    #[inline]
    pub fn attr(&self, attr: AttrId) -> u64 {
        if attr.is_flag() { self.lex().attr(attr) } else { self.attr_of_place(attr) }
    }

    fn attr_of_place(&self, attr: AttrId) -> u64 {
        match Place::of(attr) {
            Place::Tag(read) => self.tag_record().map_or(0, read),
            Place::Syntax(read) => self.syntax_record().map_or(0, read),
            Place::Entity(read) => self.entity_record().map_or(0, read),
            Place::Elsewhere => match attr {
                AttrId::NORM => self.norm().get(),
                AttrId::SPACY => u64::from(self.record().spacy()),
                AttrId::IDX => self.idx() as u64,
                AttrId::LENGTH => self.len() as u64,
                AttrId::ENT_IOB => u64::from(self.record().ent_iob()),
                AttrId::SENT_START => signed(i32::from(self.record().sent_start())),
                _ => self.lex().attr(attr),
            },
        }
    }
}

impl Doc {
    /// Sets an attribute of one token; those that a token does not have of its own are left alone.
    ///
    /// `HEAD` is relative and only stored: see [`Doc::set_head`] for a change of the tree. `SPACY`
    /// changes the text behind the token, and all offsets after it, at the cost of a new text; the
    /// others cost nothing but the array that the first of them makes.
    ///
    /// # Errors
    ///
    /// `E026` beyond the end; `E190` for a head outside of the document, `E982` for an `ENT_IOB`
    /// above 3, `E1021` for a number that is no part of speech; `E025` when the text grows too long;
    /// when memory runs out. The document is then unchanged.
    pub fn set_attr(&mut self, i: usize, attr: AttrId, value: u64) -> Result<()> {
        let len = self.len();
        if i >= len {
            let text = format!("no token {i} in a document of {len} tokens");
            return Err(Error::new(crate::ErrorKind::Index, "E026", text));
        }
        check_value(attr, i, len, value)?;
        if attr == AttrId::SPACY {
            let spaces = self.tokens().iter().enumerate();
            let spaces = spaces.map(|(at, token)| if at == i { value != 0 } else { token.spacy() });
            return self.set_spaces(&spaces.collect::<Vec<_>>());
        }
        self.put(i, attr, value)
    }

    /// Sets several attributes of all tokens from rows of `attrs.len()` numbers, one a token, as
    /// [`to_array`](super::to_array) gives them.
    ///
    /// With `HEAD` and `DEP`, and a `DEP` that is not 0, the tree is rebuilt and sentence starts
    /// follow from it, whatever `SENT_START` says.
    ///
    /// # Errors
    ///
    /// `E971` unless there is one row a token; else as for [`Doc::set_attr`], and nothing is set,
    /// save where memory runs out.
    ///
    /// ```
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokens::{Doc, to_array};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("a", true), ("b", true)])?;
    /// doc.from_array(&[AttrId::TAG, AttrId::SPACY], &[7, 1, 9, 0])?;
    /// assert_eq!(doc.text(), "a b");
    /// assert_eq!(to_array(&doc, &[AttrId::TAG]), [7, 9]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn from_array(&mut self, attrs: &[AttrId], rows: &[u64]) -> Result<()> {
        let (len, width) = (self.len(), attrs.len());
        if rows.len() != len * width {
            let text = format!(
                "{} numbers for {width} attributes of {len} tokens; expected {}",
                rows.len(),
                len * width
            );
            return Err(Error::value("E971", text));
        }
        for (at, attr) in attrs.iter().enumerate().filter(|(_, attr)| is_limited(**attr)) {
            for (i, value) in rows.iter().skip(at).step_by(width).enumerate() {
                check_value(*attr, i, len, *value)?;
            }
        }
        if let Some(at) = attrs.iter().position(|attr| *attr == AttrId::SPACY) {
            let spaces: Vec<_> =
                rows.iter().skip(at).step_by(width).map(|value| *value != 0).collect();
            self.set_spaces(&spaces)?;
        }
        // All bits that a column has, found in one pass: most columns are empty.
        let mut bits = vec![0; width];
        for row in rows.chunks_exact(width.max(1)) {
            bits.iter_mut().zip(row).for_each(|(bits, value)| *bits |= value);
        }
        for (at, (attr, bits)) in attrs.iter().zip(bits).enumerate() {
            self.put_column(*attr, bits != 0, rows.iter().skip(at).step_by(width).copied())?;
        }
        let dep = attrs.iter().position(|attr| *attr == AttrId::DEP);
        if let (Some(dep), true) = (dep, attrs.contains(&AttrId::HEAD)) {
            if rows.iter().skip(dep).step_by(width).any(|value| *value != 0) {
                self.rebuild_tree()?;
            }
        }
        Ok(())
    }

    /// Whether an attribute is set on some token, or on every one if it has to be complete.
    ///
    /// True for a document without tokens. `HEAD` is judged by `DEP`; the first token does not
    /// count for `SENT_START`, and the attribute is there in a document of one token. Cost: a pass
    /// over the tokens until the answer is known.
    pub fn has_annotation(&self, attr: AttrId, complete: bool) -> bool {
        if self.is_empty() || (attr == AttrId::SENT_START && self.len() == 1) {
            return true;
        }
        let attr = if attr == AttrId::HEAD { AttrId::DEP } else { attr };
        if attr == AttrId::IDX {
            // Not an attribute that spaCy asks a token's record for.
            return false;
        }
        let skipped = usize::from(attr == AttrId::SENT_START);
        let mut tokens = self.iter().skip(skipped);
        if complete {
            tokens.all(|token| token.attr(attr) != 0)
        } else {
            tokens.any(|token| token.attr(attr) != 0)
        }
    }

    /// Sets which tokens are followed by a space; the text and all offsets follow. Positions of
    /// tokens stay what they are. Cost: a copy of the document, none if all spaces are as they were.
    ///
    /// # Errors
    ///
    /// `E027` unless there is one a token; `E025` when the text grows too long.
    pub fn set_spaces(&mut self, spaces: &[bool]) -> Result<()> {
        if spaces.len() != self.len() {
            let text = format!("{} spaces for {} tokens", spaces.len(), self.len());
            return Err(Error::value("E027", text));
        }
        if self.tokens().iter().map(lexpool_structs::TokenC::spacy).eq(spaces.iter().copied()) {
            return Ok(());
        }
        let mut rows = self.rows();
        let mut text = String::with_capacity(self.text().len() + spaces.len());
        let mut chars = 0;
        for ((token, record), space) in self.iter().zip(&mut rows.tokens).zip(spaces) {
            (record.idx, record.byte) = super::doc::check_size(chars, text.len())?;
            record.set_spacy(*space);
            text.push_str(token.text());
            chars += token.len() + usize::from(*space);
            if *space {
                text.push(' ');
            }
        }
        super::doc::check_size(chars, text.len())?;
        let generation = self.generation;
        self.rewrite(rows, text)?;
        // The tokens are the same ones.
        self.generation = generation;
        Ok(())
    }

    /// Stores a value that was checked. An array is not made to hold nothing.
    pub(super) fn put(&mut self, i: usize, attr: AttrId, value: u64) -> Result<()> {
        let is_set = value != 0;
        match attr {
            AttrId::TAG if is_set || self.tags().is_some() => self.tags_mut()?[i].tag = value,
            AttrId::LEMMA if is_set || self.tags().is_some() => self.tags_mut()?[i].lemma = value,
            AttrId::MORPH if is_set || self.tags().is_some() => self.tags_mut()?[i].morph = value,
            AttrId::POS if is_set || self.tags().is_some() => {
                self.tags_mut()?[i].pos = u32::try_from(value).unwrap_or_default();
            }
            AttrId::NORM => self.put_norm(i, value)?,
            AttrId::DEP if is_set || self.syntax().is_some() => self.syntax_mut()?[i].dep = value,
            AttrId::HEAD if is_set || self.syntax().is_some() => {
                self.syntax_mut()?[i].head = low(value);
            }
            AttrId::ENT_TYPE if is_set || self.entities().is_some() => {
                self.entities_mut()?[i].ent_type = value;
            }
            AttrId::ENT_KB_ID if is_set || self.entities().is_some() => {
                self.entities_mut()?[i].ent_kb_id = value;
            }
            AttrId::ENT_ID if is_set || self.entities().is_some() => {
                self.entities_mut()?[i].ent_id = value;
            }
            AttrId::ENT_IOB => {
                self.tokens_mut()?[i].set_ent_iob(u8::try_from(value).unwrap_or_default());
            }
            AttrId::SENT_START => {
                let start = low(value).signum();
                self.tokens_mut()?[i].set_sent_start(i8::try_from(start).unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }

    fn put_norm(&mut self, i: usize, value: u64) -> Result<()> {
        let token = self.token(i).expect("the caller has checked the position");
        let of_lexeme = token.lex().field(LexemeField::NORM);
        if token.norm().get() == value {
            return Ok(());
        }
        if value == 0 || value == of_lexeme {
            let token = &mut self.tokens_mut()?[i];
            *token = token.with_norm_ix(0);
            if self.tags().is_some() {
                self.tags_mut()?[i].norm = 0;
            }
            return Ok(());
        }
        self.tags_mut()?[i].norm = value;
        Ok(())
    }
}

/// The low half as a signed number, which is how the records hold heads and sentence starts.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "as documented")]
pub(crate) fn low(value: u64) -> i32 {
    value as u32 as i32
}

/// Whether there are numbers that the attribute cannot have.
fn is_limited(attr: AttrId) -> bool {
    matches!(attr, AttrId::HEAD | AttrId::ENT_IOB | AttrId::POS)
}

/// Checks a value for the token at a position.
pub(crate) fn check_value(attr: AttrId, i: usize, len: usize, value: u64) -> Result<()> {
    match attr {
        AttrId::HEAD => {
            let head = i.checked_add_signed(low(value) as isize);
            if head.is_none_or(|head| head >= len) {
                let given = low(value);
                let text = format!("the head of token {i}, {given:+}, is outside of {len} tokens");
                return Err(Error::value("E190", text));
            }
        }
        AttrId::ENT_IOB if value > 3 => {
            let text =
                format!("ENT_IOB {value} of token {i}; it is 0 (unset), 1 (I), 2 (O) or 3 (B)");
            return Err(Error::value("E982", text));
        }
        AttrId::POS => {
            let pos = u32::try_from(value).ok().and_then(Pos::from_number);
            if pos.is_none() {
                let text = format!("{value} of token {i} is no part of speech");
                return Err(Error::value("E1021", text));
            }
        }
        _ => {}
    }
    Ok(())
}

/// The position of a token's head; its own without a tree.
pub(super) fn head_ix(doc: &Doc, i: usize) -> usize {
    doc.syntax().map_or(i, |syntax| tree::head_of(syntax, i))
}
