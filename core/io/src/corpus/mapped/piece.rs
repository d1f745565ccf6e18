//! Documents encoded for a corpus with a lexicon of their own, independently of the documents
//! before them, so that pieces can be made on any thread.

use ahash::{AHashMap, AHashSet};
use arrow_array::ArrayRef;
use lexpool::codes;
use lexpool::formats::DocExtras;
use lexpool::formats::span_group::Bounds;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::vocab::{LexIx, VocabSnapshot, unknown_id};
use lexpool::{Error, Result};
use lexpool_structs::{EntityC, LexemeC, SyntaxC, TagC, TokenC};

use super::extras::ExtraValues;

/// Some documents, encoded for a [`MappedWriter`](super::MappedWriter).
#[derive(Default)]
pub struct Piece {
    pub(super) text: String,
    /// The end of each text.
    pub(super) text_ends: Vec<usize>,
    /// `lex` is an index into the piece's lexemes, and the norm index one into its norms.
    pub(super) tokens: Vec<TokenC>,
    pub(super) lens: Vec<usize>,
    pub(super) tags: RecordColumn<TagC>,
    pub(super) syntax: RecordColumn<SyntaxC>,
    pub(super) entities: RecordColumn<EntityC>,
    pub(super) extras: Vec<ExtraValues>,
    pub(super) unknown_spaces: Vec<bool>,
    pub(super) lexicon: Lexicon,
    /// The caller's columns, each with a value per document.
    pub(super) columns: Vec<ArrayRef>,
}

/// A column of records of one kind, with a flag for each document that has any.
pub(super) struct RecordColumn<T> {
    pub(super) records: Vec<T>,
    pub(super) present: Vec<bool>,
}

impl<T> Default for RecordColumn<T> {
    fn default() -> RecordColumn<T> {
        RecordColumn { records: Vec::new(), present: Vec::new() }
    }
}

impl<T: Copy> RecordColumn<T> {
    fn push(&mut self, records: Option<&[T]>) {
        self.present.push(records.is_some());
        self.records.extend_from_slice(records.unwrap_or_default());
    }

    /// Appends the records of a document of `len` tokens; those of `from` begin at `next`.
    pub(super) fn append_row(
        &mut self,
        from: &RecordColumn<T>,
        row: usize,
        len: usize,
        next: &mut usize,
    ) {
        let len = if from.present[row] { len } else { 0 };
        self.present.push(from.present[row]);
        self.records.extend_from_slice(&from.records[*next..*next + len]);
        *next += len;
    }
}

/// The words and strings that documents refer to, in the order of their first occurrence.
#[derive(Default)]
pub(super) struct Lexicon {
    pub(super) lexemes: Vec<(LexemeC, Box<str>)>,
    /// All in one list, so that their order does not depend on where a piece ends.
    pub(super) strings: Vec<(StringRole, Box<str>)>,
    norms: u32,
    known: AHashSet<StrId>,
    known_morphs: AHashSet<StrId>,
}

/// Use of a string in the lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringRole {
    /// The string of an id.
    Id,
    /// The norm of a special case, referred to by its index, from 1.
    Norm,
    /// A morphological analysis.
    Morph,
}

impl Lexicon {
    /// Adds the string of an id unless it is in the lexicon.
    fn require(&mut self, snapshot: &VocabSnapshot, id: u64) -> Result<()> {
        let id = StrId::new(id);
        if id != StrId::EMPTY && self.known.insert(id) {
            let string = snapshot.string(id).ok_or_else(|| unknown_id(id))?;
            self.strings.push((StringRole::Id, string.into()));
        }
        Ok(())
    }
}

impl Piece {
    /// Encodes documents with their extras.
    ///
    /// # Errors
    ///
    /// `hash-collision` for two words of one id, `E018` if an id of the annotation has no string,
    /// `corpus-cats` and `span-group` for invalid extras, `corpus-too-many` for more than 2^31 - 1
    /// tokens.
    pub fn of<'a>(docs: impl IntoIterator<Item = (&'a Doc, DocExtras)>) -> Result<Piece> {
        let mut piece = Piece::default();
        let mut indices = PieceIndices::default();
        for (i, (doc, extras)) in docs.into_iter().enumerate() {
            piece
                .add(doc, extras, &mut indices)
                .map_err(|error| error.context(format!("document {i}")))?;
        }
        if i32::try_from(piece.tokens.len()).is_err() {
            let text = format!("{} tokens in one piece; at most 2^31 - 1", piece.tokens.len());
            return Err(Error::value(codes::CORPUS_TOO_MANY, text));
        }
        Ok(piece)
    }

    /// Adds the caller's columns, which have one value per document.
    ///
    /// # Errors
    ///
    /// `corpus-column` for a column of another length.
    pub fn with_columns(mut self, columns: Vec<ArrayRef>) -> Result<Piece> {
        for (i, column) in columns.iter().enumerate() {
            if column.len() != self.len() {
                let text = format!(
                    "column {i} has {} values for {} documents; expected one per document",
                    column.len(),
                    self.len()
                );
                return Err(Error::value(codes::CORPUS_COLUMN, text));
            }
        }
        self.columns = columns;
        Ok(self)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.lens.len()
    }

    /// Returns `true` if the piece is empty.
    pub fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }

    fn add(&mut self, doc: &Doc, extras: DocExtras, indices: &mut PieceIndices) -> Result<()> {
        let snapshot = doc.snapshot();
        check_words(doc)?;
        let lexicon = &mut self.lexicon;
        indices.of_snapshot(snapshot);
        self.tokens.reserve(doc.len());
        for token in doc.tokens() {
            let mut token = *token;
            token.lex = if let Some(number) = indices.lexemes.get(&token.lex) {
                *number
            } else {
                let number = lexicon.add_lexeme(snapshot, LexIx::from_raw(token.lex))?;
                indices.lexemes.insert(token.lex, number);
                number
            };
            if token.norm_ix() != 0 {
                let number = indices.norm(snapshot, token.norm_ix(), lexicon)?;
                token = token.with_norm_ix(number);
            }
            self.tokens.push(token);
        }
        for tag in doc.tag_records().unwrap_or_default() {
            for id in [tag.tag, tag.lemma, tag.norm] {
                lexicon.require(snapshot, id)?;
            }
            if tag.morph != 0 && lexicon.known_morphs.insert(StrId::new(tag.morph)) {
                let morph = StrId::new(tag.morph);
                let feats = snapshot.string(morph).ok_or_else(|| unknown_id(morph))?;
                lexicon.strings.push((StringRole::Morph, feats.into()));
            }
        }
        doc.syntax_records()
            .unwrap_or_default()
            .iter()
            .try_for_each(|it| lexicon.require(snapshot, it.dep))?;
        for entity in doc.entity_records().unwrap_or_default() {
            for id in [entity.ent_type, entity.ent_kb_id, entity.ent_id] {
                lexicon.require(snapshot, id)?;
            }
        }
        let bounds = Bounds { tokens: doc.len(), chars: chars_of(doc) };
        let extras = ExtraValues::of(extras, bounds, snapshot)?;
        for string in extras.strings(snapshot) {
            if lexicon.known.insert(StrId::of(string)) {
                lexicon.strings.push((StringRole::Id, string.into()));
            }
        }
        self.extras.push(extras);
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
    /// Adds a new lexeme and returns its index.
    fn add_lexeme(&mut self, snapshot: &VocabSnapshot, ix: LexIx) -> Result<u32> {
        let record = snapshot.cell(ix).expect("a token's lexeme is in its snapshot").load();
        let orth = StrId::new(record.orth);
        let text = snapshot.string(orth).ok_or_else(|| unknown_id(orth))?;
        for id in
            [record.lang, record.lower, record.norm, record.shape, record.prefix, record.suffix]
        {
            // A lexical attribute may be any number, not only the id of a string.
            if snapshot.string(StrId::new(id)).is_some() {
                self.require(snapshot, id)?;
            }
        }
        self.lexemes.push((record, text.into()));
        Ok(u32::try_from(self.lexemes.len() - 1).expect("fewer lexemes than 2^31"))
    }
}

/// Indices in a piece of the lexemes and norms of one vocab, or of one zone of it.
#[derive(Default)]
struct PieceIndices {
    snapshot: Option<VocabSnapshot>,
    lexemes: AHashMap<u32, u32>,
    norms: AHashMap<u32, u32>,
}

impl PieceIndices {
    /// Clears the indices if they belong to another vocab or zone.
    fn of_snapshot(&mut self, snapshot: &VocabSnapshot) {
        let origin = snapshot.id();
        let same = |old: &VocabSnapshot| {
            origin.has_vocab_of(old) && origin.has_zone_of(old) && old.id().has_zone_of(snapshot)
        };
        if !self.snapshot.as_ref().is_some_and(same) {
            *self = PieceIndices { snapshot: Some(snapshot.clone()), ..PieceIndices::default() };
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
        lexicon.strings.push((StringRole::Norm, string.into()));
        lexicon.norms += 1;
        self.norms.insert(number, lexicon.norms);
        Ok(lexicon.norms)
    }
}

/// Checks that each token is the word of its lexeme. Only a hash collision can cause another one;
/// reading the file would then return the other word.
fn check_words(doc: &Doc) -> Result<()> {
    let snapshot = doc.snapshot();
    if snapshot.vocab().strings().collisions() == 0 {
        return Ok(());
    }
    for (i, token) in doc.iter().enumerate() {
        let orth = token.lex().orth();
        let word = snapshot.string(orth).unwrap_or_default();
        if word != token.text() {
            let text = format!("token {i}, {:?}, has the same id {orth} as {word:?}", token.text());
            return Err(Error::value(codes::HASH_COLLISION, text));
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
