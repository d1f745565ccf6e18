//! JSON lines: a document per line, in the format of spaCy's `Doc.to_json`.
//!
//! ```json
//! {"text":"Hi.","tokens":[{"id":0,"start":0,"end":2,"text":"Hi"},{"id":1,"start":2,"end":3,"text":"."}]}
//! ```
//!
//! Offsets count characters. Each token also has its text, which spaCy does not write, so that a
//! line can be used without slicing; `Doc.from_json` accepts it, also with `validate=True`. A
//! trailing space follows from the start of the next token. Entities, sentences, tags, lemmas,
//! morphology, heads, categories and span groups are written under spaCy's names if the document
//! has them.

#![forbid(unsafe_code)]

mod doc;
mod line;
mod read;
mod string;
mod values;
mod write;

pub use read::{JsonlDocs, JsonlRead};
pub use string::push_json_string;
pub use write::Jsonl;
