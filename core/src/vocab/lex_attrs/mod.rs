//! What a word says about itself: its shape, affixes, and flags.
//!
//! These are the attributes that spaCy computes in Python the first time it meets a word, with the
//! same results to the bit, so lexemes of the two libraries agree. Word lists (stop words, number
//! words) are the caller's. Nothing here knows of lexemes or of stores.
//!
//! | spaCy's attribute | function |
//! | --- | --- |
//! | `LOWER` | [`lowered`](crate::strings::chars::lowered) |
//! | `NORM` | the language's table, else `LOWER` |
//! | `SHAPE`, `PREFIX`, `SUFFIX` | [`shape`], [`prefix`], [`suffix`] |
//! | `IS_*`, `LIKE_*` | [`flags`] for all, or the function of that name for one |

mod email;
mod flags;
mod forms;
mod like_url;
mod num;
mod predicates;
mod url;

pub use email::like_email;
pub use flags::{FlagOptions, flags};
pub use forms::{prefix, shape, suffix};
pub use like_url::like_url;
pub use num::{NumWords, like_num};
pub use predicates::{
    is_alpha, is_ascii, is_bracket, is_currency, is_digit, is_left_punct, is_lower, is_punct,
    is_quote, is_right_punct, is_space, is_stop, is_title, is_upper,
};
pub use url::is_url;
