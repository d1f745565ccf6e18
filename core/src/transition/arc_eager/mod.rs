//! Arc-eager dependency parsing.
