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

use lexpool_structs::AttrId;

/// The attributes for which spaCy has functions of its own.
pub const ATTRS: &[AttrId] = &[
    AttrId::LOWER,
    AttrId::NORM,
    AttrId::SHAPE,
    AttrId::PREFIX,
    AttrId::SUFFIX,
    AttrId::LANG,
    AttrId::IS_ALPHA,
    AttrId::IS_ASCII,
    AttrId::IS_DIGIT,
    AttrId::IS_LOWER,
    AttrId::IS_PUNCT,
    AttrId::IS_SPACE,
    AttrId::IS_TITLE,
    AttrId::IS_UPPER,
    AttrId::LIKE_URL,
    AttrId::LIKE_NUM,
    AttrId::LIKE_EMAIL,
    AttrId::IS_STOP,
    AttrId::IS_BRACKET,
    AttrId::IS_QUOTE,
    AttrId::IS_LEFT_PUNCT,
    AttrId::IS_RIGHT_PUNCT,
    AttrId::IS_CURRENCY,
];
