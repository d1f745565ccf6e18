//! Runs a saved pipeline over texts, on all cores:
//!
//! ```sh
//! cargo run -p lexpool --example run_pipeline -- FOLDER
//! ```
//!
//! `FOLDER` is a pipeline that spaCy or lexpool has saved, such as that of the package
//! `en_core_web_sm`. Without one the example writes a pipeline of rules for itself.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use lexpool::files::write_folder;
use lexpool::loading::{LoadOptions, load};
use lexpool::structs::AttrId;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::range_of;

const CONFIG: &str = r#"
[nlp]
lang = "en"
pipeline = ["sentencizer", "entity_ruler"]

[components]

[components.sentencizer]
factory = "sentencizer"

[components.entity_ruler]
factory = "entity_ruler"
"#;

const PATTERNS: &str = r#"{"label": "ORG", "pattern": "Acme"}
{"label": "MONEY", "pattern": [{"ORTH": "$"}, {"LIKE_NUM": true}, {"LOWER": "million"}]}
"#;

fn write_rules(folder: &Path) -> lexpool::Result<()> {
    let files = [
        ("config.cfg", CONFIG.as_bytes().to_vec()),
        ("sentencizer.json", br#"{"punct_chars": ["!", ".", "?"]}"#.to_vec()),
        ("entity_ruler/cfg", b"{}".to_vec()),
        ("entity_ruler/patterns.jsonl", PATTERNS.as_bytes().to_vec()),
        ("tokenizer", Tokenizer::blank("en")?.to_bytes()?),
    ];
    write_folder(folder, &files.map(|(name, bytes)| (name.to_owned(), bytes)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let folder = match std::env::args_os().nth(1) {
        Some(folder) => PathBuf::from(folder),
        None => scratch.path().join("rules"),
    };
    if !folder.exists() {
        write_rules(&folder)?;
    }
    let nlp = load(&folder, &LoadOptions::default())?;
    println!("components: {}", nlp.component_names.join(", "));

    let texts = ["Acme paid $5 million. Nobody knows why.", "It was sold to Acme!"];
    let texts: Vec<Text> = texts.map(|text| Text::Owned(text.to_owned())).into();
    // 0 threads are one for each core; results come in the order of the texts.
    for result in nlp.pipeline.annotate_texts(texts, 0, &AtomicBool::new(false))? {
        let doc = result.map_err(|failed| failed.into_error())?.doc;
        println!("sentences: {}", doc.sentences().ranges()?.count());
        for entity in doc.entities().spans()? {
            let tokens = range_of(&entity);
            let span = doc.span(tokens.start, tokens.end)?;
            let first = doc.token(span.start()).expect("an entity has a token");
            println!("{}: {}", first.text_of(AttrId::ENT_TYPE), span.text());
        }
    }
    Ok(())
}
