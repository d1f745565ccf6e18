//! The tree of a sentence, as SVG: words in a row, arcs above them.

use std::borrow::Cow;

use super::layout::{BELOW, Curve, LABEL, LEMMA, Layout, TAG, WORD};
use super::markup::{Markup, Px, css_value, visible};
use super::palette::Rgb;
use super::{Arc, Direction, Frame, Towards};
use lexpool_error::{Error, Result};

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

/// How [`dependencies`] looks. Lengths are in pixels, from 0 to 10 000.
#[derive(Clone, Debug)]
pub struct DependencyOptions {
    /// What all pictures have.
    pub frame: Frame,
    /// Whether arcs are square and low.
    pub compact: bool,
    /// From the feet of the arcs to the words' base line.
    pub word_spacing: f64,
    /// Between arcs that end at one word.
    pub arrow_spacing: f64,
    /// Width of an arrow head.
    pub arrow_width: f64,
    /// Width of the lines.
    pub arrow_stroke: f64,
    /// The least distance between the middles of words; texts and labels may need more.
    pub distance: f64,
    /// Left and right of the picture.
    pub margin: f64,
    /// Where words that no arc connects go on in a new row.
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
    fn check(&self) -> Result<()> {
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
                Err(Error::value("render-length", text))
            }
            None => Ok(()),
        }
    }

    /// The declarations of colours and font.
    fn style(&self) -> Result<String> {
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

/// Words in a row and arcs above them, as an `svg` that can also stand in a file of its own.
///
/// Arcs have levels so that none cross that need not, and the words stand as far apart as texts and
/// labels take. Equal arcs are drawn once.
///
/// # Errors
///
/// `E157`, if an arc does not lead from a word to a later one; the text says which one.
/// `render-length` and `render-css`, if an option is no length or no CSS value.
pub fn dependencies(
    words: &[Word<'_>],
    arcs: &[Arc<'_>],
    options: &DependencyOptions,
) -> Result<String> {
    options.check()?;
    let style = options.style()?;
    for (ix, arc) in arcs.iter().enumerate() {
        arc.check(ix, words.len())?;
    }
    let mut arcs = arcs.to_vec();
    arcs.sort_unstable();
    arcs.dedup();
    let layout = Layout::new(words, &arcs, options);
    let frame = &options.frame;
    let mut out = Markup::new(frame.minify);
    out.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lexpool-dep\" role=\"img\" \
         width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\"",
        Px(layout.width),
        Px(layout.height),
    ));
    out.attr("direction", frame.direction.name());
    if let Some(lang) = &frame.lang {
        out.attr("xml:lang", lang);
    }
    out.attr("style", &style).raw(">").line();
    describe(&mut out, words, &arcs, frame);
    let draw = Drawing { layout: &layout, options };
    out.raw("<g fill=\"currentColor\" text-anchor=\"middle\">").line();
    draw.words(&mut out, words);
    out.raw("</g>").line();
    out.put(format_args!(
        "<g fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".55\" stroke-width=\"{}\" \
         text-anchor=\"middle\" font-size=\"{LABEL}\">",
        Px(options.arrow_stroke)
    ));
    out.line();
    for (arc, curve) in arcs.iter().zip(&layout.curves) {
        draw.arc(&mut out, arc, curve);
    }
    out.raw("</g>").line().raw("</svg>").line();
    Ok(out.finish())
}

/// Says in words what the picture shows, for who does not see it.
fn describe(out: &mut Markup, words: &[Word<'_>], arcs: &[Arc<'_>], frame: &Frame) {
    out.raw("<title>");
    match &frame.title {
        Some(title) => out.text(title),
        None => out.raw("Dependencies of a text of ").put(format_args!("{} words", words.len())),
    };
    out.raw("</title>").line().raw("<desc>");
    for (i, arc) in arcs.iter().enumerate() {
        let (head, child) = match arc.towards {
            Towards::Start => (arc.end, arc.start),
            Towards::End => (arc.start, arc.end),
        };
        out.raw(if i > 0 { "; " } else { "" });
        out.text(arc.label).raw(": ").text(&words[head].text).raw(" to ").text(&words[child].text);
    }
    out.raw("</desc>").line();
}

struct Drawing<'d> {
    layout: &'d Layout,
    options: &'d DependencyOptions,
}

impl Drawing<'_> {
    /// From the start of a line to the left of the picture.
    fn x(&self, along: f64) -> Px {
        match self.options.frame.direction {
            Direction::LeftToRight => Px(along),
            Direction::RightToLeft => Px(self.layout.width - along),
        }
    }

    fn words(&self, out: &mut Markup, words: &[Word<'_>]) {
        for row in &self.layout.rows {
            for i in row.words.clone() {
                let (word, x) = (&words[i], self.x(self.layout.middles[i]));
                let mut y = row.ground + self.options.word_spacing;
                out.raw("<text>");
                let mut write = |class: &str, text: &str, size: f64, y: f64, more: &str| {
                    out.put(format_args!(
                        "<tspan class=\"lexpool-{class}\" x=\"{x}\" y=\"{}\" font-size=\"{size}\"{more}>",
                        Px(y)
                    ));
                    out.text(text).raw("</tspan>");
                };
                write("word", &visible(&word.text), WORD, y, "");
                if let Some(lemma) = word.lemma {
                    y += BELOW;
                    write("lemma", lemma, LEMMA, y, " font-style=\"italic\"");
                }
                write("tag", word.tag, TAG, y + BELOW, " fill-opacity=\".75\"");
                out.raw("</text>").line();
            }
        }
    }

    /// An arc in two parts, with its label in the gap between them.
    fn arc(&self, out: &mut Markup, arc: &Arc<'_>, curve: &Curve) {
        let Curve { left, right, ground, height, label, gap } = *curve;
        let (top, before, after) = (ground - height, label - gap / 2.0, label + gap / 2.0);
        let bend: f64 = if self.options.compact { 3.0 } else { 16.0 };
        let shoulder = top + bend.min(height);
        let head = self.options.arrow_width;
        let (to_start, to_end) = match arc.towards {
            Towards::Start => (head.min(height), 0.0),
            Towards::End => (0.0, head.min(height)),
        };
        out.raw("<g class=\"lexpool-arc\"><path d=\"");
        for (post, next, end, above) in [
            (left, left + (before - left).clamp(0.0, bend), before, to_start),
            (right, right - (right - after).clamp(0.0, bend), after, to_end),
        ] {
            let (post, next, end) = (self.x(post), self.x(next), self.x(end));
            let (foot, shoulder, top) = (Px(ground - above), Px(shoulder), Px(top));
            out.put(format_args!("M{post},{foot} V{shoulder} Q{post},{top} {next},{top} H{end} "));
        }
        let tip = if arc.towards == Towards::Start { left } else { right };
        out.put(format_args!(
            "\"/><path fill=\"currentColor\" stroke=\"none\" d=\"M{},{} L{},{base} {},{base} Z\"/>",
            self.x(tip),
            Px(ground),
            self.x(tip - head / 2.0),
            self.x(tip + head / 2.0),
            base = Px(ground - head),
        ));
        out.put(format_args!(
            "<text class=\"lexpool-label\" x=\"{}\" y=\"{}\" fill=\"currentColor\" stroke=\"none\">",
            self.x(label),
            // Half the height of small letters below the line.
            Px(top + 0.34 * LABEL),
        ));
        out.text(arc.label).raw("</text></g>").line();
    }
}
