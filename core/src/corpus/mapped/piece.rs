//! Documents in the form of a corpus, but with a small lexicon of their own: what can be made on any
//! thread, before anyone knows which documents come earlier in the file.

use ahash::{AHashMap, AHashSet};
use arrow_array::ArrayRef;
use lexpool_structs::{EntityC, LexemeC, SyntaxC, TagC, TokenC};

use super::extras::Carried;
use crate::formats::DocExtras;
use crate::formats::span_group::Bounds;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::{LexIx, VocabSnapshot, unknown_id};
use crate::{Error, Result};

/// Some documents, for a [`MappedWriter`](super::MappedWriter).
#[derive(Default)]
pub struct Piece {
    pub(super) text: String,
    /// Where each text ends.
    pub(super) text_ends: Vec<usize>,
    /// `lex` counts the piece's lexemes, and a norm's number its norms.
    pub(super) tokens: Vec<TokenC>,
    pub(super) lens: Vec<usize>,
    pub(super) tags: Records<TagC>,
    pub(super) syntax: Records<SyntaxC>,
    pub(super) entities: Records<EntityC>,
    pub(super) carried: Vec<Carried>,
    pub(super) unknown_spaces: Vec<bool>,
    pub(super) lexicon: Lexicon,
    /// Columns of the caller's own, as long as there are documents.
    pub(super) columns: Vec<ArrayRef>,
}

/// Records of the documents that have any.
pub(super) struct Records<T> {
    pub(super) records: Vec<T>,
    pub(super) is_there: Vec<bool>,
}

impl<T> Default for Records<T> {
    fn default() -> Records<T> {
        Records { records: Vec::new(), is_there: Vec::new() }
    }
}

impl<T: Copy> Records<T> {
    fn push(&mut self, records: Option<&[T]>) {
        self.is_there.push(records.is_some());
        self.records.extend_from_slice(records.unwrap_or_default());
    }

    /// Moves those of a document of `len` tokens behind these; they begin at `next`.
    pub(super) fn take(&mut self, from: &Records<T>, row: usize, len: usize, next: &mut usize) {
        let len = if from.is_there[row] { len } else { 0 };
        self.is_there.push(from.is_there[row]);
        self.records.extend_from_slice(&from.records[*next..*next + len]);
        *next += len;
    }
}

/// The words and strings that documents refer to, in the order in which they first occur.
#[derive(Default)]
pub(super) struct Lexicon {
    pub(super) lexemes: Vec<(LexemeC, Box<str>)>,
    /// In one list, so that their order does not depend on where a piece ends.
    pub(super) strings: Vec<(Role, Box<str>)>,
    norms: u32,
    known: AHashSet<StrId>,
    known_morphs: AHashSet<StrId>,
}

/// What a string is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Some id.
    Id,
    /// The norm of a special case, of which tokens hold the number: 1 for the first.
    Norm,
    /// A morphological analysis.
    Morph,
}

impl Lexicon {
    /// Makes sure that the string of an id is there.
    fn need(&mut self, snapshot: &VocabSnapshot, id: u64) -> Result<()> {
        let id = StrId::new(id);
        if id != StrId::EMPTY && self.known.insert(id) {
            let string = snapshot.string(id).ok_or_else(|| unknown_id(id))?;
            self.strings.push((Role::Id, string.into()));
        }
        Ok(())
    }
}

impl Piece {
    /// Brings documents with what they carry into the form of a corpus.
    ///
    /// # Errors
    ///
    /// `hash-collision` for two words of one id, `E018` for annotation whose id has no string, `corpus-cats` and `span-group` for what does not
    /// fit, `corpus-too-many` for more tokens than 2^31 - 1.
    pub fn of<'a>(docs: impl IntoIterator<Item = (&'a Doc, DocExtras)>) -> Result<Piece> {
        let mut piece = Piece::default();
        let mut numbers = Numbers::default();
        for (i, (doc, extras)) in docs.into_iter().enumerate() {
            piece
                .add(doc, extras, &mut numbers)
                .map_err(|error| error.context(format!("document {i}")))?;
        }
        if i32::try_from(piece.tokens.len()).is_err() {
            let text = format!("{} tokens at once; the most is 2^31 - 1", piece.tokens.len());
            return Err(Error::value("corpus-too-many", text));
        }
        Ok(piece)
    }

    /// The same documents with columns of the caller's own, an item a document.
    ///
    /// # Errors
    ///
    /// `corpus-column` for a column of another length.
    pub fn with_columns(mut self, columns: Vec<ArrayRef>) -> Result<Piece> {
        for (i, column) in columns.iter().enumerate() {
            if column.len() != self.len() {
                let text = format!(
                    "column {i} has {} values for {} documents; there is one a document",
                    column.len(),
                    self.len()
                );
                return Err(Error::value("corpus-column", text));
            }
        }
        self.columns = columns;
        Ok(self)
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.lens.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }

    fn add(&mut self, doc: &Doc, extras: DocExtras, numbers: &mut Numbers) -> Result<()> {
        let snapshot = doc.snapshot();
        check_words(doc)?;
        let lexicon = &mut self.lexicon;
        numbers.of_snapshot(snapshot);
        self.tokens.reserve(doc.len());
        for token in doc.tokens() {
            let mut token = *token;
            token.lex = if let Some(number) = numbers.lexemes.get(&token.lex) {
                *number
            } else {
                let number = lexicon.enter(snapshot, LexIx::from_raw(token.lex))?;
                numbers.lexemes.insert(token.lex, number);
                number
            };
            if token.norm_ix() != 0 {
                let number = numbers.norm(snapshot, token.norm_ix(), lexicon)?;
                token = token.with_norm_ix(number);
            }
            self.tokens.push(token);
        }
        for tag in doc.tag_records().unwrap_or_default() {
            for id in [tag.tag, tag.lemma, tag.norm] {
                lexicon.need(snapshot, id)?;
            }
            if tag.morph != 0 && lexicon.known_morphs.insert(StrId::new(tag.morph)) {
                let morph = StrId::new(tag.morph);
                let feats = snapshot.string(morph).ok_or_else(|| unknown_id(morph))?;
                lexicon.strings.push((Role::Morph, feats.into()));
            }
        }
        doc.syntax_records()
            .unwrap_or_default()
            .iter()
            .try_for_each(|it| lexicon.need(snapshot, it.dep))?;
        for entity in doc.entity_records().unwrap_or_default() {
            for id in [entity.ent_type, entity.ent_kb_id, entity.ent_id] {
                lexicon.need(snapshot, id)?;
            }
        }
        let bounds = Bounds { tokens: doc.len(), chars: chars_of(doc) };
        let carried = Carried::of(extras, bounds, snapshot)?;
        for string in carried.strings(snapshot) {
            if lexicon.known.insert(StrId::of(string)) {
                lexicon.strings.push((Role::Id, string.into()));
            }
        }
        self.carried.push(carried);
        self.text.push_str(doc.text());
        self.text_ends.push(self.text.len());
        self.lens.push(doc.len());
        self.tags.push(doc.tag_records());
        self.syntax.push(doc.syntax_records());
        self.entities.push(doc.entity_records());
        self.unknown_spaces.push(doc.has_unknown_spaces());
        Ok(())
    }
}

impl Lexicon {
    /// The number of a lexeme, which is new.
    fn enter(&mut self, snapshot: &VocabSnapshot, ix: LexIx) -> Result<u32> {
        let record = snapshot.cell(ix).expect("a token's lexeme is in its snapshot").load();
        let orth = StrId::new(record.orth);
        let text = snapshot.string(orth).ok_or_else(|| unknown_id(orth))?;
        for id in
            [record.lang, record.lower, record.norm, record.shape, record.prefix, record.suffix]
        {
            // An attribute may be any number that someone has set.
            if snapshot.string(StrId::new(id)).is_some() {
                self.need(snapshot, id)?;
            }
        }
        self.lexemes.push((record, text.into()));
        Ok(u32::try_from(self.lexemes.len() - 1).expect("fewer lexemes than 2^31"))
    }
}

/// The numbers that the words of one vocab, or of one zone of it, have in a piece.
#[derive(Default)]
struct Numbers {
    snapshot: Option<VocabSnapshot>,
    lexemes: AHashMap<u32, u32>,
    norms: AHashMap<u32, u32>,
}

impl Numbers {
    /// Forgets the numbers if they are of another vocab or zone.
    fn of_snapshot(&mut self, snapshot: &VocabSnapshot) {
        let origin = snapshot.origin();
        let same = |own: &VocabSnapshot| {
            origin.has_vocab_of(own)
                && origin.has_zone_of(own)
                && own.origin().has_zone_of(snapshot)
        };
        if !self.snapshot.as_ref().is_some_and(same) {
            *self = Numbers { snapshot: Some(snapshot.clone()), ..Numbers::default() };
        }
    }

    fn norm(
        &mut self,
        snapshot: &VocabSnapshot,
        number: u32,
        lexicon: &mut Lexicon,
    ) -> Result<u32> {
        if let Some(number) = self.norms.get(&number) {
            return Ok(*number);
        }
        let id = snapshot.norm(number).unwrap_or(StrId::EMPTY);
        let string = snapshot.string(id).ok_or_else(|| unknown_id(id))?;
        lexicon.strings.push((Role::Norm, string.into()));
        lexicon.norms += 1;
        self.norms.insert(number, lexicon.norms);
        Ok(lexicon.norms)
    }
}

/// Whether each token is the word of its lexeme, which only a collision of ids can prevent: in a file
/// such a word would come back as the other one.
fn check_words(doc: &Doc) -> Result<()> {
    let snapshot = doc.snapshot();
    if snapshot.vocab().strings().collisions() == 0 {
        return Ok(());
    }
    for (i, token) in doc.iter().enumerate() {
        let orth = token.lex().orth();
        let word = snapshot.string(orth).unwrap_or_default();
        if word != token.text() {
            let text =
                format!("token {i}, {:?}, has the id {orth} of {word:?}, as well", token.text());
            return Err(Error::value("hash-collision", text));
        }
    }
    Ok(())
}

fn chars_of(doc: &Doc) -> usize {
    match doc.tokens().last() {
        Some(last) => last.idx as usize + doc.text()[last.byte as usize..].chars().count(),
        None => doc.text().chars().count(),
    }
}
