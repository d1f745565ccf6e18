use super::{Alignment, Ragged};

fn rows(x: &[&str], y: &[&str]) -> (Vec<Vec<i32>>, Vec<Vec<i32>>) {
    let alignment = Alignment::of(x, y).expect("the texts agree");
    (alignment.x2y.to_vecs(), alignment.y2x.to_vecs())
}

#[test]
fn equal_tokenizations_align_one_to_one() {
    let words = ["a", "b", "\u{1f600}", "c"];
    let one_to_one = vec![vec![0], vec![1], vec![2], vec![3]];
    assert_eq!(rows(&words, &words), (one_to_one.clone(), one_to_one));
}

#[test]
fn words_cut_at_other_places_share_characters() {
    let (x2y, y2x) = rows(&["ab", "cd", "e"], &["a", "bc", "de"]);
    assert_eq!(x2y, [vec![0, 1], vec![1, 2], vec![2]]);
    assert_eq!(y2x, [vec![0], vec![0, 1], vec![1, 2]]);
}

#[test]
fn whitespace_of_one_side_has_no_partner_and_of_both_has_one() {
    assert_eq!(
        rows(&["a", " ", "b"], &["a", "b"]),
        (vec![vec![0], vec![], vec![1]], vec![vec![0], vec![2]])
    );
    assert_eq!(rows(&["a", " \n"], &["a\n"]).0, [[0], [0]]);
    assert_eq!(rows(&["a"], &["a", " ", "\u{a0}"]).1, [vec![0], vec![], vec![]]);
    assert_eq!(rows(&[], &[" "]), (vec![], vec![vec![]]));
}

#[test]
fn case_does_not_count_even_where_it_changes_the_length() {
    assert_eq!(rows(&["HELLO"], &["hel", "lo"]).0, [[0, 1]]);
    // The dotted capital I is lower-cased to an i and a combining dot.
    assert_eq!(rows(&["\u{130}x"], &["i\u{307}", "x"]).0, [[0, 1]]);
    assert_eq!(rows(&["\u{391}\u{3a3}"], &["\u{3b1}\u{3c2}"]).0, [[0]]);
}

#[test]
fn empty_words_keep_their_rows() {
    assert_eq!(
        rows(&["", "a", "", ""], &["a", ""]),
        (vec![vec![], vec![0], vec![], vec![]], vec![vec![1], vec![]])
    );
}

#[test]
fn different_texts_are_refused_wherever_they_differ() {
    let pairs: [(&[&str], &[&str]); 5] = [
        (&["a", "b"], &["a", "c"]),
        (&["a"], &["a", "b"]),
        (&["a", "b"], &["a"]),
        (&["", "x"], &[]),
        (&["ab", "c"], &["a", "b"]),
    ];
    for (x, y) in pairs {
        assert_eq!(Alignment::of(x, y).expect_err("they differ").code(), "E949", "{x:?} {y:?}");
    }
}

#[test]
fn neighbouring_rows_lie_end_to_end() {
    let ragged = Ragged::from_rows([vec![4, 5], vec![], vec![6]]).expect("it is short");
    assert_eq!((ragged.starts(), ragged.ends()), (&[0, 2, 2][..], &[2, 2, 3][..]));
    assert_eq!(ragged.span(0..3), Some(0..3));
    assert_eq!(ragged.span(1..2), Some(2..2));
    assert_eq!(ragged.span(3..3), Some(3..3));
    assert_eq!((ragged.span(2..4), ragged.row(3)), (None, None));
    assert_eq!(ragged.row(usize::MAX), None);
}

#[test]
fn a_value_is_common_if_all_positions_of_a_row_have_it() {
    let ragged = Ragged::from_rows([vec![0, 1], vec![1, 2], vec![], vec![2], vec![9], vec![-1]]);
    let ragged = ragged.expect("it is short");
    let common: Vec<_> = ragged.common(&["N", "N", "V"]).map(Option::<&&str>::copied).collect();
    assert_eq!(common, [Some("N"), None, None, Some("V"), None, None]);
    let singles: Vec<_> = ragged.singles().collect();
    assert_eq!(singles, [None, None, None, Some(2), Some(9), Some(-1)]);
}

#[cfg(test)]
mod properties {
    use proptest::prelude::*;

    use super::super::Alignment;

    /// The words between some cuts of a text.
    fn words<'t>(text: &'t str, cuts: &[bool]) -> Vec<&'t str> {
        let mut words = Vec::new();
        let mut start = 0;
        for ((at, _), cut) in text.char_indices().zip(cuts) {
            if *cut && at > start {
                words.push(&text[start..at]);
                start = at;
            }
        }
        words.push(&text[start..]);
        words
    }

    proptest! {
        #[test]
        fn both_tables_say_the_same_and_each_word_is_covered(
            text in "[a-cA-C ]{1,20}",
            cuts in prop::collection::vec(any::<(bool, bool)>(), 20),
        ) {
            let (first, second): (Vec<_>, Vec<_>) = cuts.into_iter().unzip();
            let (x, y) = (words(&text, &first), words(&text, &second));
            let alignment = Alignment::of(&x, &y).unwrap();
            let forth: Vec<_> = pairs(&alignment.x2y.to_vecs()).collect();
            let mut back: Vec<_> = pairs(&alignment.y2x.to_vecs()).map(|(a, b)| (b, a)).collect();
            back.sort_unstable();
            prop_assert_eq!(forth, back);
            prop_assert!(alignment.x2y.rows().all(|row| !row.is_empty()));
        }
    }

    fn pairs(rows: &[Vec<i32>]) -> impl Iterator<Item = (i32, i32)> + '_ {
        (0..).zip(rows).flat_map(|(at, row)| row.iter().map(move |&other| (at, other)))
    }
}
