//! Tests of whole pictures: their contents, and the input that they reject.

use super::*;

fn shown(words: &[&'static str]) -> Vec<ShownToken<'static>> {
    words.iter().map(|text| ShownToken { text, whitespace: " " }).collect()
}

fn word(text: &str) -> Word<'_> {
    Word { text: text.into(), tag: "X", lemma: None }
}

fn arc(start: usize, end: usize, label: &str) -> Arc<'_> {
    Arc { start, end, label, towards: Towards::End }
}

/// Returns the visible text: the markup without tags and unselectable text.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("<span class=\"lexpool-label\"") {
            rest = &rest[rest.find("</span>").unwrap()..];
        }
        rest = &rest[rest.find('>').unwrap() + 1..];
    }
    (text + rest).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns the numbers in the attributes with coordinates.
fn coordinates(svg: &str) -> Vec<f64> {
    let held = [" x=\"", " y=\"", " d=\"", "viewBox=\""];
    let values = held
        .iter()
        .flat_map(|name| svg.split(name).skip(1).map(|rest| rest.split('"').next().unwrap()));
    let numbers = values.flat_map(|value| value.split([' ', ',']));
    numbers
        .map(|number| number.trim_start_matches(char::is_alphabetic))
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().unwrap())
        .collect()
}

#[test]
fn every_character_of_the_text_is_in_the_picture_once() {
    let text = "Caf\u{e9} <Apple> & \u{1f34f}\nco";
    let ents = [(15, 16, "FRUIT"), (5, 12, "ORG")];
    let ents = ents.map(|(start, end, label)| Entity { start, end, label, link: None });
    let html = entities(text, &ents, &EntityOptions::default()).unwrap();
    assert_eq!(text_of(&html).trim_end_matches('\n'), text);
    assert!(html.contains(">&lt;Apple&gt;<span") && html.contains(">\u{1f34f}<span"));
    let plain = entities(text, &[], &EntityOptions::default()).unwrap();
    assert_eq!(text_of(&plain).trim_end_matches('\n'), text);
}

#[test]
fn only_the_chosen_labels_are_marked() {
    let ents = [(0, 1, "A"), (2, 3, "B")];
    let ents = ents.map(|(start, end, label)| Entity { start, end, label, link: None });
    let labels = Some(["b".to_owned()].into());
    let options = EntityOptions { labels, ..EntityOptions::default() };
    let html = entities("a b", &ents, &options).unwrap();
    assert_eq!(html.matches("<mark").count(), 1);
    assert!(html.contains("a <mark"));
}

#[test]
fn wrong_entities_are_named() {
    let wrong = |ends: &[(usize, usize)]| {
        let ents: Vec<_> = ends
            .iter()
            .map(|&(start, end)| Entity { start, end, label: "ORG", link: None })
            .collect();
        entities("abcdef", &ents, &EntityOptions::default()).unwrap_err()
    };
    for (ends, said) in [
        (&[(0, 2), (4, 7)][..], "entity 1 (\"ORG\", characters 4..7) reaches out"),
        (&[(3, 3)], "entity 0 (\"ORG\", characters 3..3) is empty"),
        (&[(2, 4), (0, 3)], "entity 0 (\"ORG\", characters 2..4) overlaps entity 1"),
    ] {
        let error = wrong(ends);
        assert_eq!(error.code(), "render-entity");
        assert!(error.message().starts_with(said), "{error}");
    }
}

#[test]
fn labels_titles_and_links_are_escaped() {
    let hostile = "<script>\"'&";
    let link = Some(Link { id: hostile, url: "javascript:alert(1)" });
    let ent = Entity { start: 0, end: 1, label: hostile, link };
    let frame =
        Frame { title: Some(hostile.into()), lang: Some("\"><script>".into()), ..Frame::default() };
    let options = EntityOptions { frame: frame.clone(), ..EntityOptions::default() };
    let mut made = entities("x", &[ent], &options).unwrap();
    let span = LabelledSpan { start: 0, end: 1, label: hostile, link };
    let options = SpanOptions { frame: frame.clone(), ..SpanOptions::default() };
    made += &spans(&shown(&["x"]), &[span], &options).unwrap();
    let options = DependencyOptions { frame: frame.clone(), ..DependencyOptions::default() };
    let word = || Word { text: hostile.into(), tag: hostile, lemma: Some(hostile) };
    made += &dependencies(&[word(), word()], &[arc(0, 1, hostile)], &options).unwrap();
    made += &page::<&str>(&[], &PageOptions { frame });
    assert!(!made.contains("<script") && !made.contains("javascript:"));
    assert!(made.contains("&lt;script&gt;&quot;&#39;&amp;"));
}

#[test]
fn spans_show_every_token_once_and_overlapping_ones_in_rows() {
    let words = ["Welcome", "to", "the", "Bank", "of", "China", "\n", "!"];
    let given = [(3, 6, "ORG"), (5, 6, "GPE"), (0, 1, "X"), (6, 7, "BREAK")];
    let given = given.map(|(start, end, label)| LabelledSpan { start, end, label, link: None });
    let html = spans(&shown(&words), &given, &SpanOptions::default()).unwrap();
    assert_eq!(
        text_of(&html).trim_end_matches('\n'),
        words.map(|word| format!("{word} ")).concat()
    );
    // ORG lies under three tokens, GPE under one in the second row, X under one in the first.
    assert_eq!(html.matches("top:1.5em").count(), 4);
    assert_eq!(html.matches("top:2.75em").count(), 1);
    assert_eq!(html.matches("lexpool-label").count(), 3);
}

#[test]
fn wrong_spans_are_named() {
    for (start, end, said) in [(0, 3, "reaches beyond"), (1, 1, "is empty"), (2, 1, "is empty")] {
        let span = LabelledSpan { start, end, label: "L", link: None };
        let error = spans(&shown(&["a", "b"]), &[span], &SpanOptions::default()).unwrap_err();
        assert_eq!(error.code(), "render-span");
        assert!(error.message().contains(said), "{error}");
    }
}

#[test]
fn words_are_found_again_in_their_text() {
    let words = ["a", "b", "  ", "c"];
    let found = align("ab   c\n", &words).unwrap();
    let spaces: Vec<_> = found.iter().map(|token| token.whitespace).collect();
    assert_eq!(found.iter().map(|token| token.text).collect::<Vec<_>>(), words);
    assert_eq!(spaces, ["", "", " ", "\n"]);
    assert_eq!(align("abx", &["a", "b"]), None);
    assert_eq!(align("a x b", &["a", "b"]), None);
    assert_eq!(align("a", &["a", "b"]), None);
    assert_eq!(align("", &[]), Some(Vec::new()));
}

#[test]
fn a_tree_has_every_word_and_arc_once_within_the_picture() {
    let words = ["The", "compound:prt", "fox", "\n", "jumps", "."].map(word);
    let arcs =
        [arc(0, 2, "det"), arc(1, 2, "a_very_long_label"), arc(2, 4, "nsubj"), arc(4, 5, "punct")];
    let twice = [&arcs[..], &arcs[..1]].concat();
    for direction in [Direction::LeftToRight, Direction::RightToLeft] {
        for compact in [false, true] {
            let frame = Frame { direction, ..Frame::default() };
            let options = DependencyOptions { frame, compact, ..DependencyOptions::default() };
            let svg = dependencies(&words, &twice, &options).unwrap();
            assert_eq!(svg.matches("class=\"lexpool-word\"").count(), words.len());
            assert_eq!(svg.matches("class=\"lexpool-arc\"").count(), arcs.len());
            for given in &arcs {
                assert_eq!(svg.matches(&format!(">{}</text>", given.label)).count(), 1);
            }
            let numbers = coordinates(&svg);
            let (width, height) = (numbers[numbers.len() - 2], numbers[numbers.len() - 1]);
            let most = width.max(height);
            assert!(numbers.iter().all(|number| (0.0..=most).contains(number)), "{svg}");
        }
    }
}

#[test]
fn the_widest_label_fits_into_its_arc() {
    let label = "a_label_much_wider_than_words";
    let svg =
        dependencies(&["a", "b"].map(word), &[arc(0, 1, label)], &DependencyOptions::default());
    let svg = svg.unwrap();
    let path = svg.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
    let xs: Vec<f64> = path
        .split_whitespace()
        .filter(|part| part.starts_with(['M', 'H']))
        .map(|part| part[1..].split(',').next().unwrap().parse().unwrap())
        .collect();
    // Left anchor, end of the left part, right anchor, end of the right part.
    assert!(xs[0] < xs[1] && xs[1] < xs[3] && xs[3] < xs[2], "{path}");
    assert!(xs[3] - xs[1] > measure::ems(label) * 11.0);
}

#[test]
fn words_that_no_arc_connects_wrap_into_rows() {
    let words = ["word"; 60].map(word);
    let arcs: Vec<_> = (0..60).step_by(3).map(|i| arc(i, i + 2, "x")).collect();
    let options = DependencyOptions { max_width: 400.0, ..DependencyOptions::default() };
    let svg = dependencies(&words, &arcs, &options).unwrap();
    let width: f64 =
        svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    assert!(width <= 400.0, "{width}");
    let layout = layout::Layout::new(&words, &arcs, &options).unwrap();
    assert!(layout.rows.len() > 5);
    assert!(layout.rows.iter().all(|row| row.words.start % 3 == 0));
    let covered: Vec<usize> = layout.rows.iter().flat_map(|row| row.words.clone()).collect();
    assert_eq!(covered, (0..60).collect::<Vec<_>>());
}

#[test]
fn trees_of_nothing_and_of_one_word_are_drawn() {
    let options = DependencyOptions::default();
    for words in [vec![], vec![word("a")]] {
        let svg = dependencies(&words, &[], &options).unwrap();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn wrong_arcs_and_options_are_refused() {
    let words = ["a", "b"].map(word);
    let usual = DependencyOptions::default;
    let error = dependencies(&words, &[arc(0, 1, "x"), arc(0, 2, "y")], &usual()).unwrap_err();
    assert!(error.code() == "E157" && error.message().contains("arc 1"));
    for length in [f64::NAN, f64::INFINITY, -1.0, 1e9] {
        let options = DependencyOptions { distance: length, ..usual() };
        let error = dependencies(&words, &[], &options).unwrap_err();
        assert!(error.code() == "render-length" && error.message().contains("distance"));
    }
    let options = DependencyOptions { bg: Some("red;x:y".into()), ..usual() };
    assert_eq!(dependencies(&words, &[], &options).unwrap_err().code(), "render-css");
}

fn token(text: &'static str, head: usize, dep: &'static str) -> ParsedToken<'static> {
    let is_punct = text == "." || text == "\"";
    ParsedToken { text, whitespace: " ", tag: text, lemma: None, head, dep, is_punct }
}

#[test]
fn phrases_and_punctuation_become_words_of_what_is_around_them() {
    let tokens = [
        token("\"", 3, "punct"),
        token("The", 2, "det"),
        token("fox", 3, "nsubj"),
        token("ran", 3, "ROOT"),
        token(".", 3, "punct"),
        token("\"", 2, "punct"),
    ];
    let found = parse(&tokens, &[(1, 3)], true).unwrap();
    let words: Vec<_> = found.words.iter().map(|word| (&*word.text, word.tag)).collect();
    assert_eq!(words, [("\"", "\""), ("The fox", "fox"), ("ran . \"", "ran")]);
    let left = |start, end, label| Arc { start, end, label, towards: Towards::Start };
    assert_eq!(found.arcs, [left(0, 2, "punct"), left(1, 2, "nsubj")]);
    let whole = parse(&tokens, &[], false).unwrap();
    assert_eq!((whole.words.len(), whole.arcs.len()), (6, 5));
}

#[test]
fn heads_and_phrases_out_of_range_are_named() {
    let tokens = [token("a", 0, "ROOT"), token("b", 2, "x")];
    assert_eq!(parse(&tokens, &[], true).unwrap_err().code(), "render-head");
    for phrases in [&[(0, 2)][..], &[(0, 0)], &[(0, 1), (0, 1)]] {
        let error = parse(&tokens[..1], phrases, true).unwrap_err();
        assert_eq!(error.code(), "render-phrase");
    }
}

#[test]
fn the_direction_is_that_of_the_first_letter() {
    assert_eq!(Direction::of("1. \u{5d0} a"), Direction::RightToLeft);
    assert_eq!(Direction::of("12 a \u{5d0}"), Direction::LeftToRight);
    assert_eq!(Direction::of(""), Direction::LeftToRight);
}

#[test]
fn minified_pictures_say_the_same_on_one_line() {
    let frame = Frame { minify: true, ..Frame::default() };
    let options = DependencyOptions { frame, ..DependencyOptions::default() };
    let words = ["a", "b"].map(word);
    let long = dependencies(&words, &[arc(0, 1, "x")], &DependencyOptions::default()).unwrap();
    let short = dependencies(&words, &[arc(0, 1, "x")], &options).unwrap();
    assert!(long.contains('\n'));
    assert_eq!(short, long.replace('\n', ""));
}

#[test]
fn too_many_arcs_that_cross_each_other_are_refused() {
    let words: Vec<Word> =
        (0..6000).map(|_| Word { text: "a".into(), tag: "", lemma: None }).collect();
    let arc = |start| Arc { start, end: start + 3000, label: "a", towards: Towards::End };
    let arcs: Vec<Arc> = (0..3000).map(arc).collect();
    let error = dependencies(&words, &arcs, &DependencyOptions::default()).unwrap_err();
    assert_eq!(error.code(), "render-limit");
    assert!(dependencies(&words, &arcs[..2000], &DependencyOptions::default()).is_ok());
}
