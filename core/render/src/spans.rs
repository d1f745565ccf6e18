//! Spans under their tokens: a bar each, stacked where they overlap, with the label at its start.

use super::entities::EXACT;
use super::markup::{Markup, Px};
use super::measure::ems;
use super::{Frame, Link, Palette, ShownToken};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// A labelled range of tokens.
#[derive(Clone, Copy, Debug)]
pub struct LabelledSpan<'a> {
    /// Position of the first token.
    pub start: usize,
    /// Position after the last one.
    pub end: usize,
    /// Label of the span.
    pub label: &'a str,
    /// Entry of a knowledge base.
    pub link: Option<Link<'a>>,
}

/// Options of [`spans`].
#[derive(Clone, Debug, Default)]
pub struct SpanOptions {
    /// Options that all drawings have.
    pub frame: Frame,
    /// Colours of the labels.
    pub palette: Palette,
}

/// Height of a line of text, in ems; the bars begin below.
const LINE: f64 = 1.5;
/// From one bar to the next below it, in ems.
const STEP: f64 = 1.25;
/// Size of the labels, in ems.
const LABEL: f64 = 0.62;
/// Tokens that must not be parted make a piece of at most this many characters; a longer one, such
/// as a text in a script without spaces, may break anywhere.
const MAX_UNBROKEN: usize = 40;

/// Tokens with bars under them for spans, which may overlap, as a `div`.
///
/// Spans are stacked by where they begin, longer ones first, then by label; each takes the topmost
/// place that is free all along. A line break that is a token gets no bar.
///
/// # Errors
///
/// `render-span`, if a span is empty or reaches beyond the tokens; the text says which one.
pub fn spans(
    tokens: &[ShownToken<'_>],
    spans: &[LabelledSpan<'_>],
    options: &SpanOptions,
) -> Result<String> {
    let stack = Stack::new(tokens, spans)?;
    let mut out = Markup::new(options.frame.minify);
    out.heading(&options.frame);
    out.raw("<div class=\"lexpool-spans\"").running(&options.frame);
    out.put(format_args!(
        " style=\"line-height:{LINE};white-space:pre-wrap;overflow-wrap:anywhere\">"
    ));
    let mut i = 0;
    while i < tokens.len() {
        let piece = stack.piece(tokens, i);
        let unbroken = piece > i + 1;
        if unbroken {
            out.raw("<span style=\"display:inline-block;white-space:pre\">");
        }
        for at in i..piece {
            let space_outside = unbroken && at + 1 == piece;
            stack.token(&mut out, tokens, at, space_outside, &options.palette);
        }
        if unbroken {
            out.raw("</span>");
            if !stack.crosses(piece - 1) {
                out.text(tokens[piece - 1].whitespace);
            }
        }
        i = piece;
    }
    out.raw("</div>").line().footing(&options.frame);
    Ok(out.finish())
}

/// A span in its place.
struct Bar<'s, 'a> {
    span: &'s LabelledSpan<'a>,
    /// The first token with a bar, and the one after the last.
    start: usize,
    end: usize,
    row: usize,
}

/// All spans in their places.
struct Stack<'s, 'a> {
    bars: Vec<Bar<'s, 'a>>,
    /// For each token, the bars under it, topmost first.
    under: Vec<Vec<usize>>,
    /// For each token, whether it stays on the line of the one before.
    joined: Vec<bool>,
    /// For each token, the room after it that labels need, in ems.
    room: Vec<f64>,
}

impl<'s, 'a> Stack<'s, 'a> {
    fn new(tokens: &[ShownToken<'_>], spans: &'s [LabelledSpan<'a>]) -> Result<Stack<'s, 'a>> {
        for (ix, span) in spans.iter().enumerate() {
            let LabelledSpan { start, end, label, .. } = span;
            if start >= end || *end > tokens.len() {
                let wrong = if start >= end { "is empty" } else { "reaches beyond them" };
                let tokens = tokens.len();
                let text = format!(
                    "span {ix} ({label:?}, tokens {start}..{end}) {wrong}; there are {tokens}"
                );
                return Err(Error::value(codes::RENDER_SPAN, text));
            }
        }
        let mut order: Vec<&LabelledSpan<'_>> = spans.iter().collect();
        order.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.label));
        let mut stack = Stack {
            bars: Vec::with_capacity(spans.len()),
            under: vec![Vec::new(); tokens.len()],
            joined: (0..tokens.len()).map(|i| i > 0 && sticks(tokens, i)).collect(),
            room: vec![0.0; tokens.len()],
        };
        // End of the last bar of each row.
        let mut rows: Vec<usize> = Vec::new();
        for span in order {
            let drawn = |&i: &usize| !breaks_line(tokens[i].text);
            let Some(start) = (span.start..span.end).find(drawn) else { continue };
            let last = (start..span.end).rev().find(drawn).unwrap_or(start);
            let free = rows.iter().position(|&end| end <= span.start);
            let row = free.unwrap_or(rows.len());
            if row == rows.len() {
                rows.push(0);
            }
            rows[row] = span.end;
            stack.bars.push(Bar { span, start, end: last + 1, row });
            stack.keep_together(tokens);
        }
        for (ix, bar) in stack.bars.iter().enumerate() {
            for (under, token) in
                stack.under[bar.start..bar.end].iter_mut().zip(&tokens[bar.start..])
            {
                if !breaks_line(token.text) {
                    under.push(ix);
                }
            }
        }
        for under in &mut stack.under {
            under.sort_by_key(|&ix| stack.bars[ix].row);
        }
        Ok(stack)
    }

    /// Keeps the tokens above the label of the last bar on one line, and makes room if the label is
    /// wider than the whole span: a label never lies on the next one.
    fn keep_together(&mut self, tokens: &[ShownToken<'_>]) {
        let Some(bar) = self.bars.last() else { return };
        let id = bar.span.link.map_or("", |link| link.id);
        let label = LABEL * (ems(bar.span.label) + ems(id) + 1.3);
        let mut width = 0.0;
        for (i, token) in tokens.iter().enumerate().take(bar.end).skip(bar.start) {
            if i > bar.start {
                self.joined[i] = true;
            }
            width += ems(token.text);
            if width >= label {
                return;
            }
            width += ems(token.whitespace);
        }
        let room = &mut self.room[bar.end - 1];
        *room = room.max(label - width);
    }

    /// The end of the piece that begins at a token and stays on one line.
    fn piece(&self, tokens: &[ShownToken<'_>], start: usize) -> usize {
        let mut end = start + 1;
        let mut chars = tokens[start].text.chars().count();
        while end < tokens.len() && self.joined[end] && !breaks_line(tokens[end].text) {
            chars += tokens[end].text.chars().count();
            end += 1;
        }
        if chars > MAX_UNBROKEN { start + 1 } else { end }
    }

    /// Returns whether a bar continues over the space after a token, or a label needs the width.
    fn crosses(&self, i: usize) -> bool {
        self.room[i] > 0.0 || self.under[i].iter().any(|&ix| self.bars[ix].end > i + 1)
    }

    fn token(
        &self,
        out: &mut Markup,
        tokens: &[ShownToken<'_>],
        i: usize,
        space_outside: bool,
        palette: &Palette,
    ) {
        let ShownToken { text, whitespace } = tokens[i];
        let Some(&lowest) = self.under[i].last() else {
            out.text(text);
            if !space_outside {
                out.text(whitespace);
            }
            return;
        };
        let rows = self.bars[lowest].row + 1;
        #[expect(clippy::cast_precision_loss, reason = "few spans lie on each other")]
        let below = STEP * rows as f64 + 0.3;
        let crosses = self.crosses(i);
        out.put(format_args!(
            "<span style=\"display:inline-block;position:relative;max-width:100%;white-space:pre;\
             padding-bottom:{below}em"
        ));
        if self.room[i] > 0.0 {
            out.put(format_args!(";padding-inline-end:{}em", Px(self.room[i] + 0.1)));
        }
        out.raw("\"><span style=\"display:inline-block;position:relative;max-width:100%");
        if text.chars().count() > MAX_UNBROKEN {
            out.raw(";white-space:pre-wrap");
        }
        out.raw("\">").text(text);
        // Bars that end here are as long as the token, the others cover the space after it too.
        let (on, ending): (Vec<_>, Vec<_>) =
            self.under[i].iter().map(|&ix| &self.bars[ix]).partition(|bar| bar.end > i + 1);
        for bar in ending {
            slice(out, bar, i, palette);
        }
        out.raw("</span>");
        if crosses {
            out.text(whitespace);
        }
        for bar in on {
            slice(out, bar, i, palette);
        }
        out.raw("</span>");
        if !crosses && !space_outside {
            out.text(whitespace);
        }
    }
}

/// The part of a bar that lies under one token.
fn slice(out: &mut Markup, bar: &Bar<'_, '_>, i: usize, palette: &Palette) {
    let paint = palette.of(bar.span.label);
    let (starts, ends) = (i == bar.start, i + 1 == bar.end);
    #[expect(clippy::cast_precision_loss, reason = "few spans lie on each other")]
    let top = LINE + STEP * bar.row as f64;
    let round = |is: bool| if is { ".1em" } else { "0" };
    out.raw("<span").attr(
        "style",
        &format!(
            "position:absolute;top:{top}em;height:.2em;inset-inline-start:{};inset-inline-end:{};\
             border-start-start-radius:{};border-start-end-radius:{};border-end-end-radius:{};\
             {};{EXACT}",
            if starts { "1px" } else { "0" },
            if ends { "1px" } else { "0" },
            round(starts),
            round(ends),
            round(ends),
            paint.bar(),
        ),
    );
    out.raw(">");
    if starts {
        out.raw("<span class=\"lexpool-label\"").attr(
            "style",
            &format!(
                "position:absolute;top:100%;inset-inline-start:0;{};font-size:{LABEL}em;\
                 font-weight:600;line-height:1.35;padding:0 .45em .1em;white-space:nowrap;\
                 border-radius:0 0 .3em .3em;-webkit-user-select:none;user-select:none;{EXACT}",
                paint.solid(),
            ),
        );
        out.raw(">").label(bar.span.label, bar.span.link.as_ref()).raw("</span>");
    }
    out.raw("</span>");
}

fn breaks_line(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Returns whether a token follows the one before without a space.
fn sticks(tokens: &[ShownToken<'_>], i: usize) -> bool {
    let before = tokens[i - 1];
    before.whitespace.is_empty() && !breaks_line(before.text) && !before.text.trim().is_empty()
}
