//! Documents as pictures: entities and spans as HTML, dependencies as SVG.
//!
//! Pure functions from parsed input to a string. The input is displaCy's, in structs:
//! [`entities`] takes a text and ranges of its characters, [`spans`] and [`tokens`] take tokens,
//! [`dependencies`] words and arcs, which [`parse`] makes of tokens with heads. [`page`] puts their
//! results into a whole document.
//!
//! The output is self-contained: it has no scripts, style sheets, fonts or addresses to fetch. It
//! inherits its text colour and tints with transparency, so that it is readable on light and dark
//! backgrounds. The same input results in the same bytes.
//!
//! ```
//! use lexpool_render::{Entity, EntityOptions, entities};
//!
//! let org = Entity { start: 0, end: 5, label: "ORG", link: None };
//! let html = entities("Apple <3 pie", &[org], &EntityOptions::default())?;
//! assert!(html.contains("Apple<span") && html.contains(" &lt;3 pie</div>"));
//! # Ok::<(), lexpool_error::Error>(())
//! ```

#![forbid(unsafe_code)]

mod arcs;
mod dependencies;
mod dependency_options;
mod entities;
mod layout;
mod markup;
mod measure;
mod page;
mod palette;
mod parse;
mod range_max;
mod spans;
mod tokens;

pub use arcs::{Arc, Towards};
pub use dependencies::dependencies;
pub use dependency_options::{DependencyOptions, Word};
pub use entities::{Entity, EntityOptions, entities};
pub use page::{PageOptions, page};
pub use palette::Palette;
pub use parse::{Parse, ParsedToken, parse};
pub use spans::{LabelledSpan, SpanOptions, spans};
pub use tokens::{ShownToken, align, tokens};

/// The direction of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// As in English.
    #[default]
    LeftToRight,
    /// As in Arabic and Hebrew.
    RightToLeft,
}

impl Direction {
    /// Returns the direction of the first letter of a text with a direction.
    pub fn of(text: &str) -> Direction {
        // The blocks from Hebrew to Arabic Extended-A, their presentation forms, and the planes of
        // old scripts and of Adlam that Unicode reserves for this direction.
        let rtl = |c: char| {
            matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
                | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        };
        match text.chars().find(|&c| c.is_alphabetic()) {
            Some(c) if rtl(c) => Direction::RightToLeft,
            _ => Direction::LeftToRight,
        }
    }

    /// `ltr` or `rtl`.
    pub fn name(self) -> &'static str {
        match self {
            Direction::LeftToRight => "ltr",
            Direction::RightToLeft => "rtl",
        }
    }
}

/// The options of all drawings: title, language, direction and form of the output.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// A heading above the picture; in an SVG its title.
    pub title: Option<String>,
    /// The code of the language, for screen readers, fonts and hyphenation.
    pub lang: Option<String>,
    /// Direction of the text.
    pub direction: Direction,
    /// Number of tokens left out at the end, which is noted below the drawing; not in an SVG.
    pub left_out: usize,
    /// If set, the output has no line breaks between elements.
    pub minify: bool,
}

/// A reference into a knowledge base, shown beside a label.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// The id, which is displayed.
    pub id: &'a str,
    /// Its address. Addresses of schemes other than `http`, `https` and `mailto` are not linked.
    pub url: &'a str,
}

#[cfg(test)]
mod tests;
