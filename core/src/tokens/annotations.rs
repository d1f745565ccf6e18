//! Annotation given word by word, as by the arguments of spaCy's `Doc(vocab, words, tags=...,
//! heads=...)`.

use lexpool_structs::{AttrId, Pos};

use super::attrs::signed;
use super::doc::Doc;
use super::tree;
use crate::codes;
use crate::{Error, Result};

/// Annotation of the words of a document. Each list is `None` or has one item a word.
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
/// assert_eq!(doc.entities().spans()?.len(), 1);
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
    /// Positions of heads; `None` for a root. Requires `deps`.
    pub heads: Option<Vec<Option<i64>>>,
    /// Relations to the heads; `None` if unknown.
    pub deps: Option<Vec<Option<String>>>,
    /// Sentence starts: 1 for a start, -1 for no start, 0 for unknown. Heads override them.
    pub sent_starts: Option<Vec<i8>>,
    /// Entity tags: `B-TYPE`, `I-TYPE`, `O`, or `None` if unknown.
    pub ents: Option<Vec<Option<String>>>,
}

impl Annotations {
    /// Validates what does not depend on a document, in spaCy's order. Cost: linear in the number
    /// of words.
    ///
    /// # Errors
    ///
    /// `E1017` for heads without relations, `E1021` for an unknown part of speech, `E177` for a
    /// malformed entity tag.
    ///
    /// ```
    /// use lexpool::tokens::Annotations;
    /// let given = Annotations { heads: Some(vec![None]), ..Annotations::default() };
    /// assert_eq!(given.check_forms().unwrap_err().code(), "E1017");
    /// ```
    pub fn check_forms(&self) -> Result<()> {
        let is_empty = self.deps.as_ref().is_none_or(Vec::is_empty);
        if is_empty && self.heads.as_ref().is_some_and(|heads| !heads.is_empty()) {
            let text = "heads were given without deps; give the relation of each head in deps";
            return Err(Error::value(codes::E1017, text));
        }
        self.pos.iter().flatten().try_for_each(|name| pos_of(name).map(drop))?;
        self.ents.as_deref().map_or(Ok(()), |ents| parse_ents(ents).map(drop))
    }

    /// Validates that each list has one item a word. Heads may be an empty list if there are
    /// relations. Cost: constant.
    ///
    /// # Errors
    ///
    /// `E189` for a list whose length is not `len`, the number of words.
    ///
    /// ```
    /// use lexpool::tokens::Annotations;
    /// let given = Annotations { morphs: Some(vec![0, 0]), ..Annotations::default() };
    /// assert!(given.check_lengths(2).is_ok());
    /// assert_eq!(given.check_lengths(3).unwrap_err().code(), "E189");
    /// ```
    pub fn check_lengths(&self, len: usize) -> Result<()> {
        let heads = self.heads.as_ref().map(Vec::len);
        let deps = self.deps.as_ref().map(Vec::len);
        let lengths = [
            ("pos", self.pos.as_ref().map(Vec::len)),
            ("heads", heads.filter(|heads| *heads > 0 || deps.is_none_or(|deps| deps == 0))),
            ("deps", deps),
            ("lemmas", self.lemmas.as_ref().map(Vec::len)),
            ("tags", self.tags.as_ref().map(Vec::len)),
            ("morphs", self.morphs.as_ref().map(Vec::len)),
            ("sent_starts", self.sent_starts.as_ref().map(Vec::len)),
            ("ents", self.ents.as_ref().map(Vec::len)),
        ];
        for (name, given) in lengths {
            if let Some(given) = given.filter(|given| *given != len) {
                let text = format!("{given} {name} for {len} words; expected one a word");
                return Err(Error::value(codes::E189, text));
            }
        }
        Ok(())
    }
}

impl Doc {
    /// Sets annotation word by word.
    ///
    /// Relations without heads make each token its own head. Entity tags may be IOB or IOB2: an
    /// inside tag that does not continue an entity of its type begins one.
    ///
    /// # Errors
    ///
    /// First those of [`Annotations::check_forms`], then those of [`Annotations::check_lengths`],
    /// then `E190` for a head outside of the document; `pool-out-of-memory`. Nothing is set then.
    pub fn annotate(&mut self, lists: &Annotations) -> Result<()> {
        let len = self.len();
        lists.check_forms()?;
        lists.check_lengths(len)?;
        let mut attrs = Vec::new();
        let mut columns: Vec<Vec<u64>> = Vec::new();
        let mut put = |attr, column| {
            attrs.push(attr);
            columns.push(column);
        };
        if let Some(names) = &lists.pos {
            put(AttrId::POS, names.iter().map(|name| pos_of(name)).collect::<Result<_>>()?);
        }
        if lists.deps.is_some() || lists.heads.is_some() {
            let heads = lists.heads.as_deref().unwrap_or_default();
            let heads = (0..len).map(|i| head_of(i, heads.get(i).copied().flatten(), len));
            put(AttrId::HEAD, heads.collect::<Result<_>>()?);
        }
        let (iobs, types) = match &lists.ents {
            Some(ents) => parse_ents(ents)?,
            None => Default::default(),
        };
        let snapshot = self.snapshot().clone();
        let ids = |names: &mut dyn Iterator<Item = &str>| -> Result<Vec<u64>> {
            names.map(|name| Ok(snapshot.add(name)?.get())).collect()
        };
        let optional = |name: &'_ Option<String>| name.clone().unwrap_or_default();
        if let Some(deps) = &lists.deps {
            let deps: Vec<String> = deps.iter().map(optional).collect();
            put(AttrId::DEP, ids(&mut deps.iter().map(String::as_str))?);
        }
        for (attr, names) in [(AttrId::LEMMA, &lists.lemmas), (AttrId::TAG, &lists.tags)] {
            if let Some(names) = names {
                put(attr, ids(&mut names.iter().map(String::as_str))?);
            }
        }
        if let Some(morphs) = &lists.morphs {
            put(AttrId::MORPH, morphs.clone());
        }
        if let Some(starts) = &lists.sent_starts {
            let starts = starts.iter().map(|start| signed(i32::from(*start)));
            put(AttrId::SENT_START, starts.collect());
        }
        if lists.ents.is_some() {
            put(AttrId::ENT_IOB, iobs);
            put(AttrId::ENT_TYPE, ids(&mut types.iter().copied())?);
        }
        if attrs.is_empty() {
            return Ok(());
        }
        let rows: Vec<u64> =
            (0..len).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        self.attrs_mut().set_array(&attrs, &rows)
    }
}

fn pos_of(name: &str) -> Result<u64> {
    let pos = Pos::from_name(name).ok_or_else(|| {
        let text = format!("{name:?} is not a part of speech; parts_of_speech.IDS lists them");
        Error::value(codes::E1021, text)
    })?;
    Ok(u64::from(pos.number()))
}

/// Converts a head to an attribute value: relative, as two's complement.
fn head_of(i: usize, head: Option<i64>, len: usize) -> Result<u64> {
    let Some(head) = head else { return Ok(0) };
    let inside = usize::try_from(head).ok().filter(|head| *head < len);
    let inside = inside.ok_or_else(|| {
        let text = format!("the head of token {i} is {head}, outside of {len} tokens");
        Error::value(codes::E190, text)
    })?;
    Ok(signed(tree::offset(i, inside)))
}

/// Parses entity tags to IOB values and types, in valid IOB2.
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
                    return Err(Error::value(codes::E177, text));
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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::structs::TokenC;
    use crate::tokens::tests::{all_of, words};

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn optional(names: &[&str]) -> Vec<Option<String>> {
        names.iter().map(|name| (!name.is_empty()).then(|| (*name).to_owned())).collect()
    }

    fn texts(doc: &Doc, attr: AttrId) -> Vec<&str> {
        doc.iter().map(|token| token.text_of(attr)).collect()
    }

    #[test]
    fn each_list_is_read_back() {
        let mut doc = words(3);
        doc.annotate(&Annotations {
            tags: Some(strings(&["A", "", "C"])),
            pos: Some(strings(&["NOUN", "", "X"])),
            morphs: Some(vec![1, 0, 3]),
            lemmas: Some(strings(&["a", "b", ""])),
            heads: Some(vec![Some(1), None, Some(1)]),
            deps: Some(optional(&["nsubj", "ROOT", ""])),
            sent_starts: Some(vec![0, 1, 1]),
            ents: Some(optional(&["B-X", "", "O"])),
        })
        .unwrap();
        assert_eq!(texts(&doc, AttrId::TAG), ["A", "", "C"]);
        assert_eq!(texts(&doc, AttrId::POS), ["NOUN", "", "X"]);
        assert_eq!(doc.attrs().column(AttrId::MORPH), [1, 0, 3]);
        assert_eq!(texts(&doc, AttrId::LEMMA), ["a", "b", ""]);
        assert_eq!(texts(&doc, AttrId::DEP), ["nsubj", "ROOT", ""]);
        // Of the last token no relation is known, so it shows no head.
        assert_eq!(doc.iter().map(|token| token.head().i()).collect::<Vec<_>>(), [1, 1, 2]);
        // The tree outranks what was said of sentences.
        assert_eq!(
            doc.sentences().ranges().unwrap().collect::<Vec<_>>(),
            std::slice::from_ref(&(0..3))
        );
        assert_eq!(doc.attrs().column(AttrId::ENT_IOB), [3, 0, 2]);
        assert_eq!(texts(&doc, AttrId::ENT_TYPE), ["X", "", ""]);
    }

    #[test]
    fn sentence_starts_alone_are_taken_as_they_are() {
        let mut doc = words(3);
        let sent_starts = Some(vec![1, -1, 0]);
        doc.annotate(&Annotations { sent_starts, ..Annotations::default() }).unwrap();
        assert_eq!(doc.tokens().iter().map(TokenC::sent_start).collect::<Vec<_>>(), [1, -1, 0]);
    }

    #[test]
    fn wrong_annotation_is_named_and_nothing_is_set() {
        let mut doc = words(2);
        let before = all_of(&doc);
        // Right, but for what each case says.
        let right = || Annotations { tags: Some(strings(&["A", "B"])), ..Annotations::default() };
        let deps = || Some(optional(&["a", "b"]));
        for (given, code) in [
            (Annotations { lemmas: Some(strings(&["a"])), ..right() }, "E189"),
            (Annotations { ents: Some(vec![]), ..right() }, "E189"),
            (Annotations { heads: Some(vec![None, None]), ..right() }, "E1017"),
            (Annotations { heads: Some(vec![Some(2), None]), deps: deps(), ..right() }, "E190"),
            (Annotations { heads: Some(vec![Some(-1), None]), deps: deps(), ..right() }, "E190"),
            (Annotations { pos: Some(strings(&["NOUN", "noun"])), ..right() }, "E1021"),
            (Annotations { ents: Some(optional(&["O", "B"])), ..right() }, "E177"),
            (Annotations { ents: Some(optional(&["O", "B-"])), ..right() }, "E177"),
            (Annotations { ents: Some(optional(&["O", "L-X"])), ..right() }, "E177"),
        ] {
            assert_eq!(doc.annotate(&given).unwrap_err().code(), code, "{given:?}");
            assert_eq!(all_of(&doc), before);
        }
    }

    #[test]
    fn of_two_faults_the_one_is_named_that_spacy_meets_first() {
        type Invalidate = fn(&mut Annotations);
        // From the last that is looked for to the first; each is added to those before.
        let mut given = Annotations {
            heads: Some(vec![Some(2), None]),
            deps: Some(optional(&["a", "b"])),
            ..Annotations::default()
        };
        let faults: [(&str, Invalidate); 5] = [
            ("E190", |_| ()),
            ("E189", |given| given.lemmas = Some(strings(&["a"]))),
            ("E177", |given| given.ents = Some(optional(&["B"]))),
            ("E1021", |given| given.pos = Some(strings(&["noun"]))),
            ("E1017", |given| given.deps = None),
        ];
        for (code, invalidate) in faults {
            invalidate(&mut given);
            assert_eq!(words(2).annotate(&given).unwrap_err().code(), code, "{given:?}");
        }
    }

    #[test]
    fn relations_stand_without_heads_whether_none_or_no_list_is_given() {
        for heads in [None, Some(vec![])] {
            let mut doc = words(2);
            let deps = Some(optional(&["a", "b"]));
            doc.annotate(&Annotations { heads, deps, ..Annotations::default() }).unwrap();
            assert_eq!(texts(&doc, AttrId::DEP), ["a", "b"]);
            assert_eq!(doc.iter().map(|token| token.head().i()).collect::<Vec<_>>(), [0, 1]);
        }
    }

    proptest! {
        #[test]
        fn entity_tags_of_either_scheme_give_entities_that_fit_together(
            tags in vec(select(vec!["B-X", "I-X", "B-Y", "I-Y", "O", ""]), 1..10),
        ) {
            let mut doc = words(tags.len());
            let ents = Some(optional(&tags));
            doc.annotate(&Annotations { ents, ..Annotations::default() }).unwrap();
            let found = doc.entities().spans().unwrap();
            let mut starts = Vec::new();
            for (i, tag) in tags.iter().enumerate() {
                let goes_on = || i > 0 && tags[i - 1].strip_prefix(['B', 'I']) == tag.strip_prefix('I');
                if tag.starts_with('B') || (tag.starts_with('I') && !goes_on()) {
                    starts.push(i);
                }
            }
            prop_assert_eq!(
                found.iter().map(|span| usize::try_from(span.start).unwrap()).collect::<Vec<_>>(),
                starts
            );
            let inside = tags.iter().filter(|tag| tag.starts_with(['B', 'I'])).count();
            let covered: i32 = found.iter().map(|span| span.end - span.start).sum();
            prop_assert_eq!(usize::try_from(covered).unwrap(), inside);
        }
    }
}
