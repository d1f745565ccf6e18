//! Finds token patterns and phrases in a text:
//!
//! ```sh
//! cargo run -p lexpool --example find_matches
//! ```
//!
//! A token pattern says what must hold for each of several tokens, in the JSON of spaCy's
//! `Matcher`; a phrase is a text, of which a matcher can hold millions.

use lexpool::matcher::{Greedy, Matcher, PhraseMatcher};
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;

const TEXT: &str = "The flight from New York to San Francisco took 6 hours and 20 minutes, and \
    the one back to new york took five hours.";

/// A number of hours or minutes.
const DURATION: &str = r#"[{"LIKE_NUM": true}, {"LOWER": {"IN": ["hours", "minutes"]}}]"#;
/// Hours and minutes.
const LONG_DURATION: &str = r#"[
    {"LIKE_NUM": true}, {"LOWER": "hours"},
    {"LOWER": "and", "OP": "?"}, {"LIKE_NUM": true}, {"LOWER": "minutes"}
]"#;

fn main() -> lexpool::Result<()> {
    let tokenizer = Tokenizer::blank("en")?;
    let doc = tokenizer.tokenize(TEXT)?;

    let durations = Matcher::builder()
        .json("duration", DURATION)
        .json("duration", LONG_DURATION)
        .greedy("duration", Greedy::Longest)
        .build()?;
    for hit in durations.find_iter(&doc)? {
        println!("duration: {}", doc.span(hit.tokens.start, hit.tokens.end)?.text());
    }

    // A key is the id of a string.
    let strings = tokenizer.vocab().strings();
    let city = strings.add("city")?;
    let mut cities = PhraseMatcher::new(AttrId::LOWER);
    for name in ["New York", "San Francisco"] {
        let phrase = cities.ids(&tokenizer.tokenize(name)?)?;
        cities.add(city, &phrase)?;
    }
    for hit in cities.find(&doc, 0..doc.len())? {
        let key = strings.get(hit.key).expect("it was added");
        println!("{}: {}", &*key, doc.span(hit.tokens.start, hit.tokens.end)?.text());
    }
    Ok(())
}
