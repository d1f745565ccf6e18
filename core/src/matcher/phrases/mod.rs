//! Search for phrases: fixed sequences of one attribute's ids, all at once by a radix trie.
//!
//! The trie consists of flat arrays (`layout`) with two open-addressing hash tables (`hash_table`).
//! It is built in memory (`trie`) or mapped from a file (`file`, whose arrays `validate` checks). A
//! search (`search`) turns tokens into symbols, which are cached by lexeme, drops the tokens that
//! no phrase starts with by Bloom filters (`prefix_filter`), and follows the trie from the others.
//! `listing` enumerates the phrases, `texts` searches texts while they are tokenized.

mod file;
mod hash_table;
mod layout;
mod listing;
mod phrase_list;
mod phrase_matcher;
mod prefix_filter;
mod search;
mod texts;
mod trie;
mod validate;

pub use phrase_list::PhraseList;
pub use phrase_matcher::{PhraseMatch, PhraseMatcher};
