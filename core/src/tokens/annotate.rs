//! Annotation given word by word, as `Doc(vocab, words, tags=..., heads=...)` takes it.

use lexpool_structs::{AttrId, Pos};

use super::{Doc, tree};
use crate::{Error, Result};

/// What is known of the words of a document, each list as long as the words.
///
/// ```
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("Ada", true), ("sleeps", false)])?;
/// doc.annotate(&Annotations {
///     heads: Some(vec![Some(1), Some(1)]),
///     deps: Some(vec![Some("nsubj".into()), Some("ROOT".into())]),
///     ents: Some(vec![Some("B-PERSON".into()), Some("O".into())]),
///     ..Annotations::default()
/// })?;
/// assert_eq!(doc.token(0).unwrap().head().text(), "sleeps");
/// assert_eq!(doc.ents()?.len(), 1);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    /// Fine-grained tags.
    pub tags: Option<Vec<String>>,
    /// Universal parts of speech, by name.
    pub pos: Option<Vec<String>>,
    /// Ids of morphological analyses.
    pub morphs: Option<Vec<u64>>,
    /// Lemmas.
    pub lemmas: Option<Vec<String>>,
    /// Positions of heads; none for a token that heads itself. Needs `deps`.
    pub heads: Option<Vec<Option<i64>>>,
    /// Relations to the heads; none where unknown.
    pub deps: Option<Vec<Option<String>>>,
    /// Sentence starts: 1, -1 for none, 0 for unknown. Heads outrank them.
    pub sent_starts: Option<Vec<i8>>,
    /// Tags of entities: `B-TYPE`, `I-TYPE`, `O`, or none where unknown.
    pub ents: Option<Vec<Option<String>>>,
}

impl Annotations {
    fn lengths(&self) -> [(&'static str, Option<usize>); 8] {
        [
            ("tags", self.tags.as_ref().map(Vec::len)),
            ("pos", self.pos.as_ref().map(Vec::len)),
            ("morphs", self.morphs.as_ref().map(Vec::len)),
            ("lemmas", self.lemmas.as_ref().map(Vec::len)),
            ("heads", self.heads.as_ref().map(Vec::len)),
            ("deps", self.deps.as_ref().map(Vec::len)),
            ("sent_starts", self.sent_starts.as_ref().map(Vec::len)),
            ("ents", self.ents.as_ref().map(Vec::len)),
        ]
    }
}

impl Doc {
    /// Sets annotation word by word.
    ///
    /// Entity tags may be IOB or IOB2: an inside after another type or after nothing begins an
    /// entity.
    ///
    /// # Errors
    ///
    /// `E189` for a list of another length than the words, `E1017` for heads without relations,
    /// `E190` for a head outside of the document, `E1021` for an unknown part of speech, `E177` for a
    /// malformed entity tag. Nothing is set then.
    pub fn annotate(&mut self, given: &Annotations) -> Result<()> {
        let len = self.len();
        let is_heads_alone = given.heads.as_ref().is_some_and(|heads| !heads.is_empty())
            && given.deps.as_ref().is_none_or(Vec::is_empty);
        if is_heads_alone {
            let text =
                "heads were given without deps; a head without its relation is no annotation";
            return Err(Error::value("E1017", text));
        }
        for (name, given) in given.lengths() {
            if let Some(given) = given.filter(|given| *given != len) {
                let text = format!("{given} {name} for {len} words; there is one a word");
                return Err(Error::value("E189", text));
            }
        }
        let mut attrs = Vec::new();
        let mut columns: Vec<Vec<u64>> = Vec::new();
        let mut put = |attr, column| {
            attrs.push(attr);
            columns.push(column);
        };
        if let Some(names) = &given.pos {
            put(AttrId::POS, names.iter().map(|name| pos_of(name)).collect::<Result<_>>()?);
        }
        if given.deps.is_some() || given.heads.is_some() {
            let heads = given.heads.as_deref().unwrap_or_default();
            let heads = (0..len).map(|i| head_of(i, heads.get(i).copied().flatten(), len));
            put(AttrId::HEAD, heads.collect::<Result<_>>()?);
        }
        let (iobs, types) = match &given.ents {
            Some(ents) => parse_ents(ents)?,
            None => Default::default(),
        };
        let scope = self.scope().clone();
        let ids = |names: &mut dyn Iterator<Item = &str>| -> Result<Vec<u64>> {
            names.map(|name| Ok(scope.add(name)?.get())).collect()
        };
        let optional = |name: &'_ Option<String>| name.clone().unwrap_or_default();
        if let Some(deps) = &given.deps {
            let deps: Vec<String> = deps.iter().map(optional).collect();
            put(AttrId::DEP, ids(&mut deps.iter().map(String::as_str))?);
        }
        for (attr, names) in [(AttrId::LEMMA, &given.lemmas), (AttrId::TAG, &given.tags)] {
            if let Some(names) = names {
                put(attr, ids(&mut names.iter().map(String::as_str))?);
            }
        }
        if let Some(morphs) = &given.morphs {
            put(AttrId::MORPH, morphs.clone());
        }
        if let Some(starts) = &given.sent_starts {
            let starts = starts.iter().map(|start| super::attrs::signed(i32::from(*start)));
            put(AttrId::SENT_START, starts.collect());
        }
        if given.ents.is_some() {
            put(AttrId::ENT_IOB, iobs);
            put(AttrId::ENT_TYPE, ids(&mut types.iter().copied())?);
        }
        if attrs.is_empty() {
            return Ok(());
        }
        let rows: Vec<u64> =
            (0..len).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        self.from_array(&attrs, &rows)
    }
}

fn pos_of(name: &str) -> Result<u64> {
    let pos = Pos::from_name(name).ok_or_else(|| {
        let text =
            format!("{name:?} is no part of speech; those there are, are in parts_of_speech.IDS");
        Error::value("E1021", text)
    })?;
    Ok(u64::from(pos.number()))
}

/// A head as an array holds it: relative, as two's complement.
fn head_of(i: usize, head: Option<i64>, len: usize) -> Result<u64> {
    let Some(head) = head else { return Ok(0) };
    let inside = usize::try_from(head).ok().filter(|head| *head < len);
    let inside = inside.ok_or_else(|| {
        let text = format!("the head of token {i} is {head}, outside of {len} tokens");
        Error::value("E190", text)
    })?;
    Ok(super::attrs::signed(tree::offset(i, inside)))
}

/// The places and the types of entity tags, made valid IOB2.
fn parse_ents(ents: &[Option<String>]) -> Result<(Vec<u64>, Vec<&str>)> {
    let mut iobs = Vec::with_capacity(ents.len());
    let mut types = Vec::with_capacity(ents.len());
    for (i, tag) in ents.iter().enumerate() {
        let tag = tag.as_deref().unwrap_or_default();
        let (letter, ent_type) = match tag {
            "" | "O" => (tag, ""),
            _ => match tag.split_once('-') {
                Some((letter @ ("B" | "I" | "O"), ent_type)) if !ent_type.is_empty() => {
                    (letter, ent_type)
                }
                _ => {
                    let text = format!(
                        "entity tag {tag:?} of token {i}; expected \"B-TYPE\", \"I-TYPE\", \"O\" or None"
                    );
                    return Err(Error::value("E177", text));
                }
            },
        };
        let mut iob = match letter {
            "I" => 1,
            "O" => 2,
            "B" => 3,
            _ => 0,
        };
        let continues = |before: usize| matches!(iobs[before], 1 | 3) && types[before] == ent_type;
        if iob == 1 && !i.checked_sub(1).is_some_and(continues) {
            iob = 3;
        }
        iobs.push(iob);
        types.push(ent_type);
    }
    Ok((iobs, types))
}
