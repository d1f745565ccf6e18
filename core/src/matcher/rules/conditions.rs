//! Compiles the fields of a token in JSON to conditions.

use ahash::AHashSet;
use lexpool_structs::AttrId;

use super::errors::ParseContext;
use super::json::Json;
use crate::matcher::test::{Comparison, IdSet, Number, Relation, Test, TextTest};
use crate::morphology::Features;
use crate::strings::StrId;
use crate::tokenizer::pattern::{self, flags};

const TEXTS: &str = "ORTH TEXT LOWER POS TAG MORPH DEP LEMMA SHAPE ENT_TYPE ENT_ID ENT_KB_ID NORM";
const FLAGS: &str = "SPACY IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_UPPER IS_TITLE IS_PUNCT IS_SPACE \
                     IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY IS_STOP \
                     IS_SENT_START SENT_START LIKE_NUM LIKE_URL LIKE_EMAIL";
const OTHERS: &str = "LENGTH ENT_IOB OP";
const TEXT_PREDICATES: &str = "REGEX, FUZZY, FUZZY1 to FUZZY9, IN, NOT_IN, IS_SUBSET, IS_SUPERSET, \
                               INTERSECTS";
const NUMBER_PREDICATES: &str =
    "REGEX, IN, NOT_IN, IS_SUBSET, IS_SUPERSET, INTERSECTS, ==, !=, >=, <=, >, <";
/// The values of `ENT_IOB`, by number.
const IOB: [&str; 4] = ["", "I", "O", "B"];

/// The comparison of a token's string with those of a list.
#[derive(Clone, Copy)]
enum StringComparison {
    Equal,
    Regex,
    Fuzzy(Option<usize>),
}

/// Compiles the conditions of an element, without its `OP`. Returns `None` after adding errors.
pub(super) fn conditions(fields: &[(String, Json)], mut at: ParseContext<'_>) -> Option<Vec<Test>> {
    let (mut tests, mut is_valid) = (Vec::new(), true);
    let mut seen = AHashSet::new();
    for (name, value) in fields {
        let mut at = at.child(name);
        let is_first = seen.insert(name);
        let read =
            if is_first { field(name, value, at) } else { at.error("the field occurs twice") };
        match read {
            Some(mut read) => tests.append(&mut read),
            None => is_valid = false,
        }
    }
    is_valid.then_some(tests)
}

fn field(name: &str, value: &Json, mut at: ParseContext<'_>) -> Option<Vec<Test>> {
    let upper = in_one_case(name);
    let is_among = |names: &str| names.split(' ').any(|known| Some(known) == upper.as_deref());
    let attr = upper.as_deref().and_then(|upper| match upper {
        "TEXT" => Some(AttrId::ORTH),
        "IS_SENT_START" => Some(AttrId::SENT_START),
        _ => AttrId::from_name(upper),
    });
    match (upper.as_deref(), attr) {
        (Some("_"), _) => at.error(
            "extension attributes exist in Python only and cannot be tested by a pattern file",
        ),
        (Some("OP"), _) => Some(Vec::new()),
        _ if *value == Json::Null && (is_among(TEXTS) || is_among(FLAGS) || is_among(OTHERS)) => {
            at.error("null is not a value; remove the attribute")
        }
        (_, Some(attr)) if is_among(TEXTS) => text(attr, value, at),
        (_, Some(attr)) if is_among(FLAGS) => match value {
            Json::Bool(value) => Some(vec![Test::Is(attr, u64::from(*value))]),
            _ => at.error(format!("expected true or false, not {value}")),
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
                    at.error(format!("expected \"I\", \"O\", \"B\", \"\" or 0 to 3, not {value}"))
                }
            }
        }
        _ => at.error(format!("unknown attribute; expected one of {TEXTS} {FLAGS} {OTHERS}")),
    }
}

fn text(attr: AttrId, value: &Json, mut at: ParseContext<'_>) -> Option<Vec<Test>> {
    match value {
        Json::Text(text) => Some(vec![Test::Is(attr, StrId::of(text).get())]),
        Json::Map(predicates) => text_predicates(attr, predicates, StringComparison::Equal, at),
        _ => at.error(format!("expected a string or predicates, not {value}")),
    }
}

fn text_predicates(
    attr: AttrId,
    predicates: &[(String, Json)],
    comparison: StringComparison,
    mut at: ParseContext<'_>,
) -> Option<Vec<Test>> {
    let (mut tests, mut is_valid) = (Vec::new(), true);
    for (name, value) in predicates {
        let mut at = at.child(name);
        let upper = in_one_case(name);
        let compared = upper.as_deref().and_then(string_comparison);
        let listed = upper.as_deref().and_then(list_predicate);
        let read = match (compared, listed) {
            (Some(inner_comparison), _) => match value {
                Json::Text(text) => search(attr, inner_comparison, vec![text.clone()], true, at)
                    .map(|test| vec![test]),
                Json::Map(inner) => text_predicates(attr, inner, inner_comparison, at),
                _ => at.error(format!("expected a string or predicates, not {value}")),
            },
            (None, Some(listed)) => {
                let texts = strings(value, &mut at);
                let test = texts.and_then(|texts| match (comparison, listed) {
                    (StringComparison::Regex | StringComparison::Fuzzy(_), ListPredicate::In) => {
                        search(attr, comparison, texts, true, at)
                    }
                    (
                        StringComparison::Regex | StringComparison::Fuzzy(_),
                        ListPredicate::NotIn,
                    ) => search(attr, comparison, texts, false, at),
                    _ => ids(attr, &texts, at).map(|ids| set(attr, listed, ids)),
                });
                test.map(|test| vec![test])
            }
            _ => at.error(format!("unknown predicate; expected one of {TEXT_PREDICATES}")),
        };
        match read {
            Some(mut read) => tests.append(&mut read),
            None => is_valid = false,
        }
    }
    is_valid.then_some(tests)
}

fn length(attr: AttrId, value: &Json, mut at: ParseContext<'_>) -> Option<Vec<Test>> {
    let predicates = match value {
        Json::Number(number) => {
            return match number.as_u64() {
                Some(number) => Some(vec![Test::Is(attr, number)]),
                None => at.error(format!("expected a whole number, not {number}")),
            };
        }
        Json::Map(predicates) => predicates,
        _ => return at.error(format!("expected a whole number or predicates, not {value}")),
    };
    let (mut tests, mut is_valid) = (Vec::new(), true);
    for (name, value) in predicates {
        let mut at = at.child(name);
        let upper = in_one_case(name).unwrap_or_default();
        let read = match (&*upper, value, comparison(&upper), list_predicate(&upper)) {
            ("REGEX", Json::Text(text), ..) => {
                search(attr, StringComparison::Regex, vec![text.clone()], true, at)
            }
            ("REGEX", ..) => at.error(format!("expected a string, not {value}")),
            (_, Json::Number(number), Some(comparison), _) => {
                Some(Test::Compare(attr, comparison, to_compare(number)))
            }
            (_, _, Some(_), _) => at.error(format!("expected a number, not {value}")),
            (_, _, None, Some(listed)) => numbers(value, &mut at).map(|numbers| {
                // No token has a negative length: such numbers are left out, and a superset of them
                // cannot exist.
                let ids: IdSet = numbers.iter().filter_map(|n| u64::try_from(*n).ok()).collect();
                let is_beyond = numbers.iter().any(|number| *number < 0);
                if is_beyond && matches!(listed, ListPredicate::Relation(Relation::Superset)) {
                    return Test::Among(attr, IdSet::default());
                }
                set(attr, listed, ids)
            }),
            _ => at.error(format!("unknown predicate; expected one of {NUMBER_PREDICATES}")),
        };
        match read {
            Some(read) => tests.push(read),
            None => is_valid = false,
        }
    }
    is_valid.then_some(tests)
}

/// Compiles a REGEX or FUZZY condition.
fn search(
    attr: AttrId,
    comparison: StringComparison,
    texts: Vec<String>,
    expected: bool,
    mut at: ParseContext<'_>,
) -> Option<Test> {
    let test = match comparison {
        StringComparison::Fuzzy(most) => TextTest::Similar(texts, most),
        StringComparison::Equal | StringComparison::Regex => {
            for source in &texts {
                if let Err(error) = pattern::Pattern::new(source, flags::UNICODE) {
                    return at.error(format!("{source:?} is not a valid expression: {error}"));
                }
            }
            TextTest::Regex(texts)
        }
    };
    Some(if expected { Test::Text(attr, test) } else { Test::NotText(attr, test) })
}

fn set(attr: AttrId, predicate: ListPredicate, ids: IdSet) -> Test {
    match predicate {
        ListPredicate::In => Test::Among(attr, ids),
        ListPredicate::NotIn => Test::NotAmong(attr, ids),
        ListPredicate::Relation(relation) => Test::Relation(attr, relation, ids),
    }
}

/// Returns the ids of strings; for `MORPH` those of the analyses in normal form.
fn ids(attr: AttrId, texts: &[String], mut at: ParseContext<'_>) -> Option<IdSet> {
    let id = |text: &String| {
        if attr != AttrId::MORPH {
            return Ok(StrId::of(text).get());
        }
        let features = Features::parse(text)?.to_string();
        Ok(StrId::of(if features.is_empty() { "_" } else { &features }).get())
    };
    match texts.iter().map(id).collect::<crate::Result<IdSet>>() {
        Ok(ids) => Some(ids),
        Err(error) => at.error(error.message()),
    }
}

fn strings(value: &Json, at: &mut ParseContext<'_>) -> Option<Vec<String>> {
    let Json::List(items) = value else {
        return at.error(format!("expected a list of strings, not {value}"));
    };
    let text = |item: &Json| match item {
        Json::Text(text) => Some(text.clone()),
        _ => at.error(format!("expected strings only, not {item}")),
    };
    items.iter().map(text).collect()
}

fn numbers(value: &Json, at: &mut ParseContext<'_>) -> Option<Vec<i128>> {
    let Json::List(items) = value else {
        return at.error(format!("expected a list of whole numbers, not {value}"));
    };
    let whole = |item: &Json| match item {
        Json::Number(number) if !number.is_f64() => Some(whole(number)),
        _ => at.error(format!("expected whole numbers only, not {item}")),
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

/// Returns a field name in upper case, or `None` if the name mixes cases.
pub(super) fn in_one_case(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    (name == upper || name == name.to_ascii_lowercase()).then_some(upper)
}

fn string_comparison(name: &str) -> Option<StringComparison> {
    if name == "REGEX" {
        return Some(StringComparison::Regex);
    }
    match name.strip_prefix("FUZZY")?.as_bytes() {
        [] => Some(StringComparison::Fuzzy(None)),
        [edits @ b'1'..=b'9'] => Some(StringComparison::Fuzzy(Some(usize::from(edits - b'0')))),
        _ => None,
    }
}

/// A predicate on a list of values.
#[derive(Clone, Copy)]
enum ListPredicate {
    In,
    NotIn,
    Relation(Relation),
}

fn list_predicate(name: &str) -> Option<ListPredicate> {
    Some(match name {
        "IN" => ListPredicate::In,
        "NOT_IN" => ListPredicate::NotIn,
        "IS_SUBSET" => ListPredicate::Relation(Relation::Subset),
        "IS_SUPERSET" => ListPredicate::Relation(Relation::Superset),
        "INTERSECTS" => ListPredicate::Relation(Relation::Intersects),
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
