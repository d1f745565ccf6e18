//! Lazily built DFA over token classes (subset construction), and the search with it.
//!
//! A DFA state is the ordered list of NFA states that all patterns which started at one token have
//! reached (Rabin & Scott 1959). States and transitions are built when a text first needs them, and
//! all are dropped when they outgrow their memory bound ("lazy transition evaluation": Aho, Sethi &
//! Ullman 1986, 3.7; RE2: Cox 2010). The alphabet is not characters but token classes.
//!
//! Two things differ from a textbook DFA:
//!
//! - The list of NFA states is ordered, because the order of matches is part of the result. A
//!   transition leads to two states: that of the NFA states which keep their places, and that of
//!   those which branch off behind all others.
//! - A DFA state does not know at which token it started, so a text needs few of them, however many
//!   patterns there are. The starts are kept beside the state, in a [`threads::DfaThread`].
//!
//! `state` has the states and transitions, `subset` the subset construction, `condition_index` and
//! `bloom_filter` find what a token class can change in a state, `transition_table`,
//! `recent_transitions` and `dfa` store what was built, `threads` and `searcher` run it over a
//! document.
#![forbid(unsafe_code)]

mod bloom_filter;
mod condition_index;
mod dfa;
mod recent_transitions;
mod searcher;
mod state;
mod subset;
mod threads;
mod transition_table;

pub(super) use searcher::{SearchError, Searcher};
