//! Conditions on a token as JSON has them, and what they mean.

use ahash::AHashSet;
use lexpool_structs::AttrId;

use super::faults::Reading;
use super::json::Json;
use crate::matcher::{Comparison, IdSet, Number, Relation, Test, TextTest};
use crate::morphology::Features;
use crate::strings::StrId;
use crate::tokenizer::pattern::{self, Role};

const TEXTS: &str = "ORTH TEXT LOWER POS TAG MORPH DEP LEMMA SHAPE ENT_TYPE ENT_ID ENT_KB_ID NORM";
const FLAGS: &str = "SPACY IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_UPPER IS_TITLE IS_PUNCT IS_SPACE \
                     IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY IS_STOP \
                     IS_SENT_START SENT_START LIKE_NUM LIKE_URL LIKE_EMAIL";
const OTHERS: &str = "LENGTH ENT_IOB OP";
const TEXT_PREDICATES: &str = "REGEX, FUZZY, FUZZY1 to FUZZY9, IN, NOT_IN, IS_SUBSET, IS_SUPERSET, \
                               INTERSECTS";
const NUMBER_PREDICATES: &str =
    "REGEX, IN, NOT_IN, IS_SUBSET, IS_SUPERSET, INTERSECTS, ==, !=, >=, <=, >, <";
/// By number.
const IOB: [&str; 4] = ["", "I", "O", "B"];
/// Python's flag for Unicode, which every expression in a string has.
const UNICODE: u32 = 32;

/// How the strings of a list are compared.
#[derive(Clone, Copy)]
enum Way {
    Same,
    Regex,
    Fuzzy(Option<usize>),
}

/// Reads the conditions of an element; `OP` is another's matter. None if something is wrong.
pub(super) fn conditions(fields: &[(String, Json)], mut at: Reading<'_>) -> Option<Vec<Test>> {
    let (mut tests, mut is_right) = (Vec::new(), true);
    let mut given = AHashSet::new();
    for (name, value) in fields {
        let mut at = at.part(name);
        let is_first = given.insert(name);
        let read = if is_first { field(name, value, at) } else { at.fault("given twice") };
        match read {
            Some(mut read) => tests.append(&mut read),
            None => is_right = false,
        }
    }
    is_right.then_some(tests)
}

fn field(name: &str, value: &Json, mut at: Reading<'_>) -> Option<Vec<Test>> {
    let upper = in_one_case(name);
    let is_among = |names: &str| names.split(' ').any(|known| Some(known) == upper.as_deref());
    let attr = upper.as_deref().and_then(|upper| match upper {
        "TEXT" => Some(AttrId::ORTH),
        "IS_SENT_START" => Some(AttrId::SENT_START),
        _ => AttrId::from_name(upper),
    });
    match (upper.as_deref(), attr) {
        (Some("_"), _) => {
            at.fault("extension attributes are Python's, and cannot be asked for here")
        }
        (Some("OP"), _) => Some(Vec::new()),
        _ if *value == Json::Null && (is_among(TEXTS) || is_among(FLAGS) || is_among(OTHERS)) => {
            at.fault("null says nothing; leave the attribute out")
        }
        (_, Some(attr)) if is_among(TEXTS) => text(attr, value, at),
        (_, Some(attr)) if is_among(FLAGS) => match value {
            Json::Truth(truth) => Some(vec![Test::Is(attr, u64::from(*truth))]),
            _ => at.fault(format!("expected true or false, not {value}")),
        },
        (Some("LENGTH"), Some(attr)) => length(attr, value, at),
        (Some("ENT_IOB"), Some(attr)) => {
            let number = match value {
                Json::Text(text) => IOB.iter().position(|iob| iob == text),
                Json::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
                _ => None,
            };
            match number.filter(|number| *number < IOB.len()) {
                Some(number) => Some(vec![Test::Is(attr, number as u64)]),
                None => {
                    at.fault(format!("expected \"I\", \"O\", \"B\", \"\" or 0 to 3, not {value}"))
                }
            }
        }
        _ => at.fault(format!("there is no such attribute; there are {TEXTS} {FLAGS} {OTHERS}")),
    }
}

fn text(attr: AttrId, value: &Json, mut at: Reading<'_>) -> Option<Vec<Test>> {
    match value {
        Json::Text(text) => Some(vec![Test::Is(attr, StrId::of(text).get())]),
        Json::Map(predicates) => text_predicates(attr, predicates, Way::Same, at),
        _ => at.fault(format!("expected a string or predicates, not {value}")),
    }
}

fn text_predicates(
    attr: AttrId,
    given: &[(String, Json)],
    way: Way,
    mut at: Reading<'_>,
) -> Option<Vec<Test>> {
    let (mut tests, mut is_right) = (Vec::new(), true);
    for (name, value) in given {
        let mut at = at.part(name);
        let upper = in_one_case(name);
        let searching = upper.as_deref().and_then(searching);
        let listed = upper.as_deref().and_then(listed);
        let read = match (searching, listed) {
            (Some(way), _) => match value {
                Json::Text(text) => {
                    search(attr, way, vec![text.clone()], true, at).map(|test| vec![test])
                }
                Json::Map(inner) => text_predicates(attr, inner, way, at),
                _ => at.fault(format!("expected a string or predicates, not {value}")),
            },
            (None, Some(listed)) => {
                let texts = strings(value, &mut at);
                let test = texts.and_then(|texts| match (way, listed) {
                    (Way::Regex | Way::Fuzzy(_), Listed::In) => search(attr, way, texts, true, at),
                    (Way::Regex | Way::Fuzzy(_), Listed::NotIn) => {
                        search(attr, way, texts, false, at)
                    }
                    _ => ids(attr, &texts, at).map(|ids| set(attr, listed, ids)),
                });
                test.map(|test| vec![test])
            }
            _ => at.fault(format!("there is no such predicate here, only {TEXT_PREDICATES}")),
        };
        match read {
            Some(mut read) => tests.append(&mut read),
            None => is_right = false,
        }
    }
    is_right.then_some(tests)
}

fn length(attr: AttrId, value: &Json, mut at: Reading<'_>) -> Option<Vec<Test>> {
    let predicates = match value {
        Json::Number(number) => {
            return match number.as_u64() {
                Some(number) => Some(vec![Test::Is(attr, number)]),
                None => at.fault(format!("expected a whole number, not {number}")),
            };
        }
        Json::Map(predicates) => predicates,
        _ => return at.fault(format!("expected a whole number or predicates, not {value}")),
    };
    let (mut tests, mut is_right) = (Vec::new(), true);
    for (name, value) in predicates {
        let mut at = at.part(name);
        let upper = in_one_case(name).unwrap_or_default();
        let read = match (&*upper, value, comparison(&upper), listed(&upper)) {
            ("REGEX", Json::Text(text), ..) => {
                search(attr, Way::Regex, vec![text.clone()], true, at)
            }
            ("REGEX", ..) => at.fault(format!("expected a string, not {value}")),
            (_, Json::Number(number), Some(comparison), _) => {
                Some(Test::Compare(attr, comparison, to_compare(number)))
            }
            (_, _, Some(_), _) => at.fault(format!("expected a number, not {value}")),
            (_, _, None, Some(listed)) => numbers(value, &mut at).map(|numbers| {
                // What no token can be is left out, and there is none that is all of it.
                let ids: IdSet = numbers.iter().filter_map(|n| u64::try_from(*n).ok()).collect();
                let is_beyond = numbers.iter().any(|number| *number < 0);
                if is_beyond && matches!(listed, Listed::As(Relation::Superset)) {
                    return Test::Among(attr, IdSet::default());
                }
                set(attr, listed, ids)
            }),
            _ => at.fault(format!("there is no such predicate here, only {NUMBER_PREDICATES}")),
        };
        match read {
            Some(read) => tests.push(read),
            None => is_right = false,
        }
    }
    is_right.then_some(tests)
}

/// A condition that strings are searched for, or that one is like them.
fn search(
    attr: AttrId,
    way: Way,
    texts: Vec<String>,
    expected: bool,
    mut at: Reading<'_>,
) -> Option<Test> {
    let test = match way {
        Way::Fuzzy(most) => TextTest::Similar(texts, most),
        Way::Same | Way::Regex => {
            for source in &texts {
                if let Err(error) = pattern::Pattern::new(source, UNICODE, Role::Infix) {
                    return at.fault(format!("{source:?} cannot be searched for: {error}"));
                }
            }
            TextTest::Found(texts)
        }
    };
    Some(if expected { Test::Text(attr, test) } else { Test::NotText(attr, test) })
}

fn set(attr: AttrId, listed: Listed, ids: IdSet) -> Test {
    match listed {
        Listed::In => Test::Among(attr, ids),
        Listed::NotIn => Test::NotAmong(attr, ids),
        Listed::As(relation) => Test::Relation(attr, relation, ids),
    }
}

/// The ids that strings are compared by: for `MORPH` those of analyses in their normal form.
fn ids(attr: AttrId, texts: &[String], mut at: Reading<'_>) -> Option<IdSet> {
    let id = |text: &String| {
        if attr != AttrId::MORPH {
            return Ok(StrId::of(text).get());
        }
        let features = Features::parse(text)?.to_string();
        Ok(StrId::of(if features.is_empty() { "_" } else { &features }).get())
    };
    match texts.iter().map(id).collect::<crate::Result<IdSet>>() {
        Ok(ids) => Some(ids),
        Err(error) => at.fault(error.message()),
    }
}

fn strings(value: &Json, at: &mut Reading<'_>) -> Option<Vec<String>> {
    let Json::List(items) = value else {
        return at.fault(format!("expected a list of strings, not {value}"));
    };
    let text = |item: &Json| match item {
        Json::Text(text) => Some(text.clone()),
        _ => at.fault(format!("expected strings only, and there is {item}")),
    };
    items.iter().map(text).collect()
}

fn numbers(value: &Json, at: &mut Reading<'_>) -> Option<Vec<i128>> {
    let Json::List(items) = value else {
        return at.fault(format!("expected a list of whole numbers, not {value}"));
    };
    let whole = |item: &Json| match item {
        Json::Number(number) if !number.is_f64() => Some(whole(number)),
        _ => at.fault(format!("expected whole numbers only, and there is {item}")),
    };
    items.iter().map(whole).collect()
}

fn whole(number: &serde_json::Number) -> i128 {
    let positive = number.as_u64().map(i128::from);
    positive.or(number.as_i64().map(i128::from)).unwrap_or_default()
}

fn to_compare(number: &serde_json::Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() => Number::Float(float),
        _ => Number::Int(whole(number)),
    }
}

/// A name of a field that is all in upper or all in lower case, in upper case.
pub(super) fn in_one_case(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    (name == upper || name == name.to_ascii_lowercase()).then_some(upper)
}

fn searching(name: &str) -> Option<Way> {
    if name == "REGEX" {
        return Some(Way::Regex);
    }
    match name.strip_prefix("FUZZY")?.as_bytes() {
        [] => Some(Way::Fuzzy(None)),
        [edits @ b'1'..=b'9'] => Some(Way::Fuzzy(Some(usize::from(edits - b'0')))),
        _ => None,
    }
}

/// A predicate with a list.
#[derive(Clone, Copy)]
enum Listed {
    In,
    NotIn,
    As(Relation),
}

fn listed(name: &str) -> Option<Listed> {
    Some(match name {
        "IN" => Listed::In,
        "NOT_IN" => Listed::NotIn,
        "IS_SUBSET" => Listed::As(Relation::Subset),
        "IS_SUPERSET" => Listed::As(Relation::Superset),
        "INTERSECTS" => Listed::As(Relation::Intersects),
        _ => return None,
    })
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "==" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        ">=" => Comparison::AtLeast,
        "<=" => Comparison::AtMost,
        ">" => Comparison::Above,
        "<" => Comparison::Below,
        _ => return None,
    })
}
