//! Lexical attributes: functions from the text of a word to its shape, affixes and flags.
//!
//! The results equal those of spaCy's Python functions, so lexemes of the two libraries agree. The
//! caller gives the word lists (stop words, number words). This module does not use lexemes or
//! string stores.
//!
//! | spaCy's attribute | function |
//! | --- | --- |
//! | `LOWER` | [`lowered`](crate::strings::chars::lowered) |
//! | `NORM` | the language's table, else `LOWER` |
//! | `SHAPE`, `PREFIX`, `SUFFIX` | [`shape`], [`prefix`], [`suffix`] |
//! | `IS_*`, `LIKE_*` | [`flags`] for all, or the function of that name for one |

#![forbid(unsafe_code)]

mod affixes_shape;
mod email;
mod flags;
mod like_url;
mod num;
mod num_form;
mod num_grammar;
mod num_words;
mod predicates;
mod url;

pub use affixes_shape::{prefix, shape, suffix};
pub use email::like_email;
pub use flags::{FlagOptions, flags};
pub use like_url::like_url;
pub use num::like_num;
pub use num_form::{NumberForm, NumberScript};
pub use num_words::NumWords;
pub use predicates::{
    is_alpha, is_ascii, is_bracket, is_currency, is_digit, is_left_punct, is_lower, is_punct,
    is_quote, is_right_punct, is_space, is_stop, is_title, is_upper,
};
pub use url::is_url;
