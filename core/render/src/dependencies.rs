//! The tree of a sentence, as SVG: words in a row, arcs above them.

use super::dependency_options::{DependencyOptions, Word};
use super::layout::{BELOW, Curve, LABEL, LEMMA, Layout, TAG, WORD};
use super::markup::{Markup, Px, visible};
use super::{Arc, Direction, Frame, Towards};
use lexpool_error::Result;

/// Words in a row and arcs above them, as an `svg` that can also stand in a file of its own.
///
/// Arcs have levels so that none cross that need not, and the words stand as far apart as texts and
/// labels take. Equal arcs are drawn once.
///
/// # Errors
///
/// `E157`, if an arc does not lead from a word to a later one; the text says which one.
/// `render-length` and `render-css` for an invalid length or CSS value; `render-limit` if more than
/// four million pairs of arcs cross.
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
    let layout = Layout::new(words, &arcs, options)?;
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
