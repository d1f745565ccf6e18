//! The words of a drawing of dependencies, and its options.

use std::borrow::Cow;

use lexpool_error::{Error, Result};

use super::Frame;
use super::markup::css_value;
use super::palette::Rgb;
use lexpool_error::codes;

/// A word with what is written below it.
#[derive(Clone, Debug)]
pub struct Word<'a> {
    /// The word; several tokens, perhaps.
    pub text: Cow<'a, str>,
    /// A part of speech or a tag.
    pub tag: &'a str,
    /// The lemma, if that is to be shown.
    pub lemma: Option<&'a str>,
}

/// Options of [`dependencies`](super::dependencies()). Lengths are in pixels, from 0 to 10 000.
#[derive(Clone, Debug)]
pub struct DependencyOptions {
    /// Options that all drawings have.
    pub frame: Frame,
    /// If set, arcs are square and low.
    pub compact: bool,
    /// Distance from the anchors of the arcs to the words' base line.
    pub word_spacing: f64,
    /// Distance between arcs that end at one word.
    pub arrow_spacing: f64,
    /// Width of an arrow head.
    pub arrow_width: f64,
    /// Width of the lines.
    pub arrow_stroke: f64,
    /// The least distance between the middles of words; texts and labels may need more.
    pub distance: f64,
    /// Left and right of the picture.
    pub margin: f64,
    /// Width after which words that no arc connects start a new row.
    pub max_width: f64,
    /// Colour of everything, as CSS; that of the surroundings, if it is `None`.
    pub color: Option<String>,
    /// Colour of the ground, as CSS; none, if it is `None`.
    pub bg: Option<String>,
    /// Font, as CSS.
    pub font: Option<String>,
}

impl Default for DependencyOptions {
    fn default() -> DependencyOptions {
        DependencyOptions {
            frame: Frame::default(),
            compact: false,
            word_spacing: 21.0,
            arrow_spacing: 10.0,
            arrow_width: 8.0,
            arrow_stroke: 1.5,
            distance: 0.0,
            margin: 16.0,
            max_width: 1100.0,
            color: None,
            bg: None,
            font: None,
        }
    }
}

impl DependencyOptions {
    pub(super) fn check(&self) -> Result<()> {
        let lengths = [
            ("word_spacing", self.word_spacing),
            ("arrow_spacing", self.arrow_spacing),
            ("arrow_width", self.arrow_width),
            ("arrow_stroke", self.arrow_stroke),
            ("distance", self.distance),
            ("offset_x", self.margin),
            ("max_width", self.max_width),
        ];
        match lengths.iter().find(|(_, length)| !(0.0..=10_000.0).contains(length)) {
            Some((name, length)) => {
                let text = format!("option {name} is {length}; a length is from 0 to 10000 pixels");
                Err(Error::value(codes::RENDER_LENGTH, text))
            }
            None => Ok(()),
        }
    }

    /// The declarations of colours and font.
    pub(super) fn style(&self) -> Result<String> {
        let bg = self.bg.as_deref().map(|bg| css_value("bg", bg)).transpose()?;
        let color = self.color.as_deref().map(|color| css_value("color", color)).transpose()?;
        // On a ground of its own the picture cannot rely on the ink of its surroundings.
        let ink = color.or_else(|| Some(Rgb::parse(bg?)?.ink()));
        let bg = bg.map_or_else(String::new, |bg| format!(";background:{bg}"));
        let ink = ink.map_or_else(String::new, |ink| format!(";color:{ink}"));
        let font = match &self.font {
            Some(font) => css_value("font", font)?,
            None => "system-ui,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif",
        };
        Ok(format!("max-width:none{bg}{ink};font-family:{font}"))
    }
}
