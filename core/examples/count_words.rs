//! Counts the words of a text file, or of a sentence if none is named:
//!
//! ```sh
//! cargo run -p lexpool --example count_words -- FILE
//! ```
//!
//! A token refers to its word by the id of a string, so counting compares numbers. Strings are
//! looked up only for what is printed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;

const TEXT: &str = "Call me Ishmael. Some years ago--never mind how long precisely--having little \
    or no money in my purse, and nothing particular to interest me on shore, I thought I would \
    sail about a little and see the watery part of the world.";

fn main() -> Result<(), Box<dyn Error>> {
    let text = match env::args_os().nth(1) {
        Some(path) => fs::read_to_string(path)?,
        None => TEXT.to_owned(),
    };

    let tokenizer = Tokenizer::blank("en")?;
    let mut tokens = 0;
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for doc in tokenizer.tokenize_borrowed(text.lines(), &AtomicBool::new(false)) {
        let doc = doc?;
        tokens += doc.len();
        for token in doc.iter().filter(|token| token.attr(AttrId::IS_ALPHA) == 1) {
            *counts.entry(token.attr(AttrId::LOWER)).or_default() += 1;
        }
    }
    println!("{tokens} tokens, {} different words", counts.len());

    let strings = tokenizer.vocab().strings();
    let mut words = Vec::new();
    for (id, count) in counts {
        let word = strings.get(StrId::new(id)).expect("a word of a document is in its vocab");
        words.push((Reverse(count), word.to_string()));
    }
    words.sort();
    for (Reverse(count), word) in words.iter().take(4) {
        println!("{count:>5} {word}");
    }
    Ok(())
}
