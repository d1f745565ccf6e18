//! Counts of random annotation beside a naive model: sets of everything that is known, compared by
//! set operations, as spaCy's `Scorer` does it.

use std::collections::{BTreeMap, BTreeSet};

use lexpool::alignment::{Alignment, Ragged};
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use lexpool_structs::AttrId;
use proptest::prelude::*;

use super::*;

type Set<T> = BTreeSet<T>;

fn counted<T: Ord>(counts: &mut Counts, found: &Set<T>, wanted: &Set<T>) {
    counts.right += found.intersection(wanted).count() as u64;
    counts.wrong += found.difference(wanted).count() as u64;
    counts.missing += wanted.difference(found).count() as u64;
}

fn f_score(counts: &Counts) -> Option<f64> {
    (!counts.is_empty()).then(|| counts.f_score())
}

/// Values of the tokens of a reference of up to six tokens, and predicted ones by position.
fn values() -> impl Strategy<Value = (Vec<Option<u8>>, Vec<(usize, u8)>)> {
    let reference = proptest::collection::vec(proptest::option::weighted(0.8, 0_u8..3), 0..6);
    (reference, proptest::collection::vec((0_usize..7, 0_u8..3), 0..8))
}

/// An arc: none without annotation, else whether its label is scored, the head and the label.
type Arc = Option<(bool, usize, u8)>;

fn arcs() -> impl Strategy<Value = (Vec<Arc>, Vec<PredictedArc<u8>>)> {
    let place = || proptest::option::weighted(0.8, 0_usize..6);
    let predicted = (place(), place(), 0_u8..4).prop_map(|(token, head, label)| PredictedArc {
        token,
        head,
        label,
    });
    let reference = proptest::option::weighted(0.8, (any::<bool>(), 0_usize..6, 0_u8..4));
    (proptest::collection::vec(reference, 0..6), proptest::collection::vec(predicted, 0..8))
}

fn spans() -> impl Strategy<Value = Vec<ScoredSpan>> {
    let span = (prop_oneof!["A", "B", ""], 0_i64..3, 0_i64..3)
        .prop_map(|(label, start, end)| ScoredSpan { label, start, end });
    proptest::collection::vec(span, 0..6)
}

fn cats() -> impl Strategy<Value = Vec<(Vec<CatValue>, Vec<CatValue>)>> {
    let value = prop_oneof![Just(0.0), Just(1.0), Just(0.5), Just(0.25)];
    let side = || {
        proptest::collection::btree_map(0_usize..4, value.clone(), 0..4)
            .prop_map(|values| values.into_iter().collect::<Vec<CatValue>>())
    };
    proptest::collection::vec((side(), side()), 0..12)
}

proptest! {
    #[test]
    fn attributes_are_counted_as_sets(docs in proptest::collection::vec(values(), 0..4)) {
        let (mut counts, mut expected) = (AttributeCounts::default(), Counts::default());
        for (reference, predicted) in docs {
            counts.add(&reference, predicted.iter().copied());
            let known = reference.iter().enumerate();
            let wanted: Set<_> = known.filter_map(|(at, value)| Some((at, (*value)?))).collect();
            let is_known = |(at, _): &&(usize, u8)| wanted.iter().any(|own| own.0 == *at);
            let found: Set<_> = predicted.iter().filter(is_known).copied().collect();
            counted(&mut expected, &found, &wanted);
        }
        prop_assert_eq!(counts.scores::<()>("x").number("x_acc"), f_score(&expected));
    }

    #[test]
    fn features_are_counted_as_sets_of_each_field(
        reference in proptest::collection::vec("(A=[12])?|_|A=1\\|B=[12]|C", 0..6),
        predicted in proptest::collection::vec((0_usize..6, "(A=[12])?|_|A=1\\|B=[12]|C"), 0..8),
    ) {
        let mut counts = FeatureCounts::default();
        let texts: Vec<&str> = reference.iter().map(String::as_str).collect();
        counts.add(&texts, predicted.iter().map(|(at, text)| (*at, text.as_str())));
        let mut facts: BTreeMap<String, [Set<(usize, String)>; 2]> = BTreeMap::new();
        let wanted = reference.iter().enumerate().map(|(at, text)| (1, at, text));
        let found = predicted.iter().map(|(at, text)| (0, *at, text));
        for (side, at, text) in wanted.chain(found) {
            let is_known = |text: &String| !text.is_empty() && text != "_";
            if !is_known(text) || !reference.get(at).is_some_and(is_known) {
                continue;
            }
            for feature in text.split('|') {
                let field = feature.split('=').next().unwrap_or_default().to_owned();
                facts.entry(field).or_default()[side].insert((at, feature.to_owned()));
            }
        }
        let mut all = Counts::default();
        let mut by_field = Vec::new();
        for (field, [found, wanted]) in &facts {
            let mut own = Counts::default();
            counted(&mut own, found, wanted);
            all.add(own);
            by_field.push((field.clone(), own.rates()));
        }
        let scores = counts.scores("m");
        prop_assert_eq!(scores.number("m_micro_f"), f_score(&all));
        let table = scores.iter().find(|(name, _)| *name == "m_per_feat").map(|(_, own)| own);
        match table {
            Some(Score::Rates(rows)) => {
                let mut rows = rows.clone();
                rows.sort_by(|a, b| a.0.cmp(&b.0));
                prop_assert_eq!(rows, by_field);
            }
            _ => prop_assert!(all.is_empty()),
        }
    }

    #[test]
    fn arcs_are_counted_as_sets(docs in proptest::collection::vec(arcs(), 0..4)) {
        let mut counts = ArcCounts::default();
        let (mut heads, mut labelled) = (Counts::default(), Counts::default());
        let mut by_label: BTreeMap<u8, Counts> = BTreeMap::new();
        let mut missing: Set<usize> = Set::new();
        for (reference, predicted) in docs {
            let arc = |arc: &Arc| match *arc {
                None => ReferenceArc::Missing,
                Some((false, ..)) => ReferenceArc::Ignored,
                Some((true, head, label)) => ReferenceArc::To { head, label },
            };
            counts.add(reference.iter().map(arc), predicted.iter().copied());
            let mut wanted = Set::new();
            for (at, arc) in reference.iter().enumerate() {
                match *arc {
                    None => drop(missing.insert(at)),
                    Some((true, head, label)) => drop(wanted.insert((at, head, label))),
                    Some(_) => {}
                }
            }
            let mut found = Set::new();
            let is_known = |arc: &&PredictedArc<u8>| arc.token.is_none_or(|at| !missing.contains(&at));
            for arc in predicted.iter().filter(is_known) {
                if let (Some(token), Some(head)) = (arc.token, arc.head) {
                    found.insert((token, head, arc.label));
                } else {
                    heads.wrong += 1;
                    labelled.wrong += 1;
                }
            }
            counted(&mut labelled, &found, &wanted);
            let bare = |arcs: &Set<(usize, usize, u8)>| -> Set<(usize, usize)> {
                arcs.iter().map(|arc| (arc.0, arc.1)).collect()
            };
            counted(&mut heads, &bare(&found), &bare(&wanted));
            for label in found.union(&wanted).map(|arc| arc.2).collect::<Set<_>>() {
                let of = |arcs: &Set<(usize, usize, u8)>| -> Set<(usize, usize, u8)> {
                    arcs.iter().filter(|arc| arc.2 == label).copied().collect()
                };
                counted(by_label.entry(label).or_default(), &of(&found), &of(&wanted));
            }
        }
        let scores = counts.scores("d");
        prop_assert_eq!(scores.number("d_uas"), f_score(&heads));
        let is_empty = heads.is_empty();
        prop_assert_eq!(scores.number("d_las"), (!is_empty).then(|| labelled.f_score()));
        let expected: Vec<_> = by_label.iter().map(|(label, own)| (*label, own.rates())).collect();
        for (_, score) in scores.iter() {
            if let Score::Rates(rows) = score {
                let mut rows = rows.clone();
                rows.sort_by_key(|row| row.0);
                prop_assert_eq!(rows, expected.clone());
            }
        }
    }

    #[test]
    fn spans_are_counted_as_sets(
        docs in proptest::collection::vec((spans(), spans(), spans()), 0..4),
        labeled in any::<bool>(),
    ) {
        let mut counts = SpanCounts::new(SpanSettings { labeled, allow_overlap: true });
        let mut all = Counts::default();
        let mut by_label: BTreeMap<String, Counts> = BTreeMap::new();
        for (reference, aligned, unaligned) in &docs {
            let given = aligned.iter().chain(unaligned).map(|span| span.label.as_str());
            counts.add(reference, given.clone(), aligned);
            let set = |spans: &[ScoredSpan]| -> Set<ScoredSpan> {
                let bare = |span: &ScoredSpan| ScoredSpan {
                    label: if labeled { span.label.clone() } else { String::new() },
                    ..span.clone()
                };
                spans.iter().map(bare).collect()
            };
            let (found, wanted) = (set(aligned), set(reference));
            counted(&mut all, &found, &wanted);
            let labels: Set<&str> =
                reference.iter().map(|span| span.label.as_str()).chain(given).collect();
            for label in labels {
                let of = |spans: &Set<ScoredSpan>| -> Set<ScoredSpan> {
                    spans.iter().filter(|span| span.label == label).cloned().collect()
                };
                counted(by_label.entry(label.to_owned()).or_default(), &of(&found), &of(&wanted));
            }
        }
        let scores = counts.scores("s");
        prop_assert_eq!(scores.number("s_f"), f_score(&all));
        let tables: Vec<_> = scores.iter().filter(|(name, _)| *name == "s_per_type").collect();
        prop_assert_eq!(tables.len(), usize::from(labeled));
        if let [(_, Score::Rates(rows))] = tables.as_slice() {
            let found: BTreeMap<_, _> = rows.iter().cloned().collect();
            let expected = by_label.iter().map(|(label, own)| (label.clone(), own.rates()));
            prop_assert_eq!(found, expected.collect::<BTreeMap<_, _>>());
        }
    }

    #[test]
    fn exclusive_categories_are_counted_by_the_highest(docs in cats()) {
        let settings = CatSettings { multi_label: false, threshold: 0.5, positive_label: None };
        let mut counts = CatCounts::new(3, settings);
        let mut expected = [Counts::default(); 3];
        for (found, wanted) in &docs {
            counts.add(found, wanted);
            let highest = |cats: &[CatValue]| {
                let known = cats.iter().filter(|cat| cat.0 < 3);
                known.rev().max_by(|a, b| a.1.total_cmp(&b.1)).copied()
            };
            match (highest(found), highest(wanted)) {
                (Some(found), Some(wanted)) if found.0 == wanted.0 => expected[found.0].right += 1,
                (found, wanted) => {
                    if let Some((label, value)) = wanted {
                        expected[label].missing += u64::from(found.is_some() || value > 0.0);
                    }
                    if let Some((label, _)) = found {
                        expected[label].wrong += 1;
                    }
                }
            }
        }
        let scores = counts.scores("c", Summation::Plain);
        let rows = Score::Rates(expected.iter().map(Counts::rates).enumerate().collect());
        prop_assert!(scores.iter().any(|own| own == ("c_f_per_type", &rows)));
    }

    #[test]
    fn the_area_under_a_curve_is_the_share_of_pairs_in_order(
        points in proptest::collection::vec((any::<bool>(), 0_u8..6), 2..200),
    ) {
        let (mut gold, mut scores) = (Vec::new(), Vec::new());
        for (is_positive, score) in &points {
            gold.push(f64::from(u8::from(*is_positive)));
            scores.push(f64::from(*score) / 7.0);
        }
        let (mut in_order, mut number) = (0.0, 0.0);
        for (_, of_positive) in points.iter().filter(|point| point.0) {
            for (_, of_negative) in points.iter().filter(|point| !point.0) {
                number += 1.0;
                in_order += match of_positive.cmp(of_negative) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                };
            }
        }
        let curve = RocCurve::of(&gold, &scores).unwrap();
        if number > 0.0 {
            prop_assert!((curve.area() - in_order / number).abs() < 1e-12);
        } else {
            prop_assert!(curve.area().is_nan());
        }
    }
}

fn document(words: &[(&str, &str)]) -> Doc {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let texts: Vec<_> = words.iter().map(|(word, _)| (*word, false)).collect();
    let mut doc = Doc::from_words(&vocab, &texts).unwrap();
    for (at, (_, tag)) in words.iter().enumerate() {
        let tag = vocab.strings().add(tag).unwrap();
        doc.attrs_mut().set(at, AttrId::TAG, tag.get()).unwrap();
    }
    doc
}

fn alignment(predicted: &Doc, reference: &Doc) -> Alignment {
    let words = |doc| Doc::iter(doc).map(|token| token.text()).collect::<Vec<_>>();
    Alignment::of(&words(predicted), &words(reference)).unwrap()
}

#[test]
fn tokens_that_align_with_several_count_as_missing() {
    let predicted = document(&[("a", "X"), ("bc", "Y"), ("d", "Z"), ("e", "Z")]);
    let reference = document(&[("a", "X"), ("b", "Y"), ("c", "Y"), ("de", "Z")]);
    let alignment = alignment(&predicted, &reference);
    let pair = DocPair::new(&predicted, &reference, &alignment.x2y).unwrap();
    let (mut tags, mut boundaries) = (AttributeCounts::default(), BoundaryCounts::default());
    tags.add_attr(&pair, AttrId::TAG);
    boundaries.add(&pair);
    // Right are "a" and, once for both of its parts, "de"; missing are "b" and "c".
    let expected = Counts { right: 2, wrong: 0, missing: 2 }.f_score();
    assert_eq!(tags.scores::<()>("tag").number("tag_acc"), Some(expected));
    let scores = boundaries.scores::<()>();
    assert_eq!(scores.number("token_acc"), Some(0.75));
    assert_eq!(scores.number("token_p"), Some(0.25));
}

#[test]
fn annotation_that_documents_lack_has_no_figures() {
    let doc = document(&[("a", ""), ("b", "")]);
    let alignment = alignment(&doc, &doc);
    let pair = DocPair::new(&doc, &doc, &alignment.x2y).unwrap();
    let (mut entities, mut features) = (EntityCounts::default(), FeatureCounts::default());
    entities.add(&pair).unwrap();
    features.add_morph(&pair);
    for scores in [entities.scores(), features.scores("morph")] {
        assert!(scores.iter().all(|(_, score)| *score == Score::Missing));
    }
    let mut trees = ArcCounts::default();
    trees.add_trees(&pair, |_, id| Some(id));
    assert!(trees.scores("dep").iter().all(|(_, score)| *score == Score::Missing));
}

#[test]
fn an_alignment_of_other_documents_is_refused() {
    let (predicted, reference) = (document(&[("a", ""), ("b", "")]), document(&[("ab", "")]));
    for (rows, part) in [
        (vec![vec![0]], "of 1 tokens for a predicted document of 2 tokens"),
        (vec![vec![0], vec![1]], "position 1 for a reference of 1 tokens"),
        (vec![vec![-1], vec![0]], "position -1 for a reference of 1 tokens"),
    ] {
        let rows = Ragged::from_rows(rows).unwrap();
        let error = DocPair::new(&predicted, &reference, &rows).map(drop).unwrap_err();
        assert_eq!(error.code(), "scoring-alignment");
        assert!(error.message().contains(part), "{}", error.message());
    }
}

#[test]
fn labels_in_another_case_are_the_same_label_in_lower_case() {
    let mut docs = Vec::new();
    for labels in [["ROOT", "Obj"], ["root", "obj"]] {
        let mut doc = document(&[("a", ""), ("b", "")]);
        for (at, label) in labels.iter().enumerate() {
            let id = doc.vocab().strings().add(label).unwrap();
            doc.attrs_mut().set(at, AttrId::DEP, id.get()).unwrap();
        }
        docs.push(doc);
    }
    let alignment = alignment(&docs[0], &docs[1]);
    let pair = DocPair::new(&docs[0], &docs[1], &alignment.x2y).unwrap();
    let (mut lower, mut ids) = (ArcCounts::default(), ArcCounts::default());
    lower.add_trees(&pair, |doc, id| Some(lower_label(doc, id)));
    ids.add_trees(&pair, |_, id| Some(StrId::new(id)));
    assert_eq!(lower.scores("dep").number("dep_las"), Some(1.0));
    assert_eq!(ids.scores("dep").number("dep_las"), Some(0.0));
    assert_eq!(ids.scores("dep").number("dep_uas"), Some(1.0));
}
