use super::{
    Entity, Place, Tag, Tagged, biluo_from_iob, biluo_from_offsets, entities_from_biluo,
    iob_from_biluo,
};

#[test]
fn iob_becomes_biluo_and_comes_back() {
    let iob = ["O", "B-A", "I-A", "I-A", "B-A", "B-B", "I-B", "O"];
    let biluo = biluo_from_iob(&iob).expect("all have labels");
    assert_eq!(biluo, ["O", "B-A", "I-A", "L-A", "U-A", "B-B", "L-B", "O"]);
    let back: Vec<_> = biluo.iter().map(|tag| iob_from_biluo(tag)).collect();
    assert_eq!(back, iob);
}

#[test]
fn an_entity_may_begin_with_i_and_ends_where_the_label_changes() {
    assert_eq!(biluo_from_iob(&["I-A", "I-A", "I-B"]).unwrap(), ["B-A", "L-A", "U-B"]);
    assert_eq!(biluo_from_iob(&["B-A", "L-A"]).unwrap(), ["B-A", "L-A"]);
}

#[test]
fn a_single_token_needs_a_label() {
    for tag in ["B", "B-", "-", "", "\u{e9}"] {
        assert_eq!(biluo_from_iob(&["O", tag]).expect_err(tag).code(), "E177");
    }
}

#[test]
fn letters_inside_of_a_label_stay() {
    assert_eq!(iob_from_biluo("B-EU-L-X"), "B-EU-L-X");
    assert_eq!(iob_from_biluo("L-EU-L-X"), "I-EU-L-X");
    assert_eq!(iob_from_biluo("-"), "-");
}

fn found<'t>(tags: &[Option<&'t str>]) -> Vec<(&'t str, usize, usize)> {
    let entities = entities_from_biluo(tags).expect("they are well-formed");
    entities.iter().map(|&Tagged { label, first, last }| (label, first, last)).collect()
}

#[test]
fn entities_are_found_with_their_last_tokens() {
    let tags = ["O", "U-A", "B-B", "I-B", "L-B", "U-C-D"].map(Some);
    assert_eq!(found(&tags), [("A", 1, 1), ("B", 2, 4), ("C-D", 5, 5)]);
}

#[test]
fn a_missing_tag_is_an_entity_without_label_or_undoes_one() {
    assert_eq!(found(&[None, Some("-"), Some("O")]), [("", 0, 0), ("", 1, 1)]);
    assert_eq!(found(&[Some("B-A"), None, Some("U-B")]), [("B", 2, 2)]);
}

#[test]
fn stray_and_unknown_tags_are_refused() {
    for (tags, code) in [
        (vec!["O", "I-A"], "E067"),
        (vec!["U-A", "L-A"], "E067"),
        (vec!["B-A", "-", "L-A"], "E067"),
        (vec!["E-A"], "E068"),
        (vec![""], "E068"),
    ] {
        let tags: Vec<_> = tags.into_iter().map(Some).collect();
        assert_eq!(entities_from_biluo(&tags).expect_err("one is wrong").code(), code, "{tags:?}");
    }
}

fn entity(start: i64, end: i64, label: &str) -> Entity<&str> {
    Entity { start, end, label: Some(label).filter(|label| !label.is_empty()) }
}

/// The tags of tokens, with "." for an untouched and "-" for an unknown tag.
fn tags(entities: &[Entity<&str>]) -> Vec<String> {
    // "I like New York"
    let tags = biluo_from_offsets(&[0..1, 2..6, 7..10, 11..15], entities).expect("no overlap");
    let tag = |tag| match tag {
        Tag::Untouched => ".".to_owned(),
        Tag::Outside => "O".to_owned(),
        Tag::Misaligned => "-".to_owned(),
        Tag::Entity(place, at) => format!("{}{at}", Place::letter(place)),
    };
    tags.into_iter().map(tag).collect()
}

#[test]
fn aligned_entities_tag_their_tokens() {
    assert_eq!(tags(&[entity(7, 15, "A"), entity(0, 1, "B")]), ["U1", ".", "B0", "L0"]);
    assert_eq!(tags(&[entity(0, 15, "A")]), ["B0", "I0", "I0", "L0"]);
    assert_eq!(tags(&[]), [".", ".", ".", "."]);
}

#[test]
fn what_a_misaligned_entity_touches_is_not_known() {
    assert_eq!(tags(&[entity(8, 15, "A")]), [".", ".", "-", "-"]);
    assert_eq!(tags(&[entity(0, 7, "A")]), ["-", "-", ".", "."]);
    // In the gap between two tokens there is nothing to touch.
    assert_eq!(tags(&[entity(1, 2, "A")]), [".", ".", ".", "."]);
    assert_eq!(tags(&[entity(-5, 99, "A")]), ["-", "-", "-", "-"]);
}

#[test]
fn an_entity_without_label_says_that_there_is_none() {
    assert_eq!(tags(&[entity(0, 8, "")]), ["O", "O", "O", "."]);
    assert_eq!(tags(&[entity(3, 7, "")]), [".", "-", ".", "."]);
    assert_eq!(tags(&[entity(7, 15, "A"), entity(7, 8, "")]), [".", ".", "O", "L0"]);
    assert_eq!(tags(&[entity(7, 8, ""), entity(7, 15, "A")]), [".", ".", "B1", "L1"]);
}

#[test]
fn an_empty_entity_is_passed_over() {
    assert_eq!(tags(&[entity(7, 7, "A"), entity(11, 10, "A")]), [".", ".", ".", "."]);
}

#[test]
fn overlapping_entities_are_refused_in_any_order() {
    let pairs = [(2, 6, 5, 9), (5, 9, 2, 6), (0, 9, 3, 4), (3, 4, 0, 9), (1, 2, 1, 2)];
    for (a, b, c, d) in pairs {
        let entities = [entity(20, 30, "Z"), entity(a, b, "A"), entity(c, d, "B")];
        let raised = biluo_from_offsets(&[0..4, 4..9], &entities).expect_err("they overlap");
        assert_eq!(raised.code(), "E103");
    }
    assert!(biluo_from_offsets(&[0..4, 4..9], &[entity(0, 3, "A"), entity(3, 9, "B")]).is_ok());
}
