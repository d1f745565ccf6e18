//! Layout of a drawing of dependencies: positions of words, arcs and labels.

use std::ops::Range;

use lexpool_error::codes;
use lexpool_error::{Error, Result};

use super::arcs::{Arc, ArcAnchors, anchors, levels};
use super::measure::ems;
use super::range_max::RangeMax;
use super::{DependencyOptions, Word};

/// Sizes of letters, in pixels.
pub(super) const WORD: f64 = 16.0;
pub(super) const LEMMA: f64 = 13.0;
pub(super) const TAG: f64 = 11.5;
pub(super) const LABEL: f64 = 11.5;

/// From one line below a word to the next.
pub(super) const BELOW: f64 = 18.0;
/// The least room between two words.
const APART: f64 = 16.0;
/// Maximum distance between the first and the last anchor of a word.
const MAX_ANCHOR_SPAN: f64 = 160.0;

/// The most pairs of arcs that cross each other.
const MAX_CROSSINGS: usize = 1 << 22;

/// A picture, ready to be drawn. Pixels, from the top left; text that runs from the right is not
/// mirrored yet.
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) rows: Vec<Row>,
    /// Middle of each word.
    pub(super) middles: Vec<f64>,
    /// As many as there are arcs, in their order.
    pub(super) curves: Vec<Curve>,
}

/// Words side by side.
pub(super) struct Row {
    pub(super) words: Range<usize>,
    /// Vertical position of the anchors.
    pub(super) ground: f64,
}

/// An arc in its place.
pub(super) struct Curve {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) ground: f64,
    /// Height above the ground.
    pub(super) height: f64,
    /// Middle and width of the gap for the label.
    pub(super) label: f64,
    pub(super) gap: f64,
}

impl Layout {
    /// Cost: n log n for n words, arcs, pairs of arcs that cross, and characters of labels.
    ///
    /// # Errors
    ///
    /// `render-limit` for more than four million pairs of arcs that cross.
    pub(super) fn new(
        words: &[Word<'_>],
        arcs: &[Arc<'_>],
        options: &DependencyOptions,
    ) -> Result<Layout> {
        let levels = levels(arcs, words.len());
        let (anchors, count) = anchors(arcs, &levels, words.len());
        let spacings: Vec<AnchorSpacing> =
            count.iter().map(|&anchors| AnchorSpacing::new(anchors, options)).collect();
        let middles = spread(words, arcs, &anchors, &spacings, options);
        let mut layout = Layout {
            width: 0.0,
            height: 0.0,
            rows: Vec::new(),
            middles: middles.iter().map(|&(middle, _)| middle).collect(),
            curves: Vec::with_capacity(arcs.len()),
        };
        let lines = if words.iter().any(|word| word.lemma.is_some()) { 2.0 } else { 1.0 };
        let below = options.word_spacing + lines * BELOW + 8.0;
        let mut tops = vec![0; words.len()];
        for (arc, &level) in arcs.iter().zip(&levels) {
            tops[arc.start] = tops[arc.start].max(level);
        }
        for range in rows(&middles, arcs, options) {
            let top = tops[range.clone()].iter().copied().max().unwrap_or(0);
            let ground = layout.height + climb(top, options) + 12.0;
            let left = middles[range.start].0 - middles[range.start].1;
            let last = middles[range.end - 1];
            for middle in &mut layout.middles[range.clone()] {
                *middle += options.margin - left;
            }
            layout.width = layout.width.max(last.0 + last.1 - left + 2.0 * options.margin);
            layout.height = ground + below;
            layout.rows.push(Row { words: range, ground });
        }
        layout.curves(arcs, &levels, &anchors, &spacings, options)?;
        Ok(layout)
    }

    fn curves(
        &mut self,
        arcs: &[Arc<'_>],
        levels: &[usize],
        anchors: &[ArcAnchors],
        spacings: &[AnchorSpacing],
        options: &DependencyOptions,
    ) -> Result<()> {
        let mut row = 0;
        let mut grounds = Vec::with_capacity(self.middles.len());
        for i in 0..self.middles.len() {
            if i == self.rows[row].words.end {
                row += 1;
            }
            grounds.push(self.rows[row].ground);
        }
        let ends = |ix: usize, middles: &[f64]| {
            let Arc { start, end, .. } = arcs[ix];
            let left = middles[start] + spacings[start].anchor(anchors[ix].start);
            (left, middles[end] + spacings[end].anchor(anchors[ix].end))
        };
        let crossings = Crossings::of(arcs, self.middles.len());
        let mut count = 0;
        for (ix, arc) in arcs.iter().enumerate() {
            let (left, right) = ends(ix, &self.middles);
            // Higher arcs that come down between the two ends would run through a label there.
            let mut posts = vec![left, right];
            crossings.each(arc, &mut |other, comes_from_the_left| {
                count += 1;
                if levels[other] > levels[ix] {
                    let ends = ends(other, &self.middles);
                    posts.push(if comes_from_the_left { ends.1 } else { ends.0 });
                }
            });
            // Each pair is found from both of its arcs.
            if count > 2 * MAX_CROSSINGS {
                let text = format!(
                    "more than {MAX_CROSSINGS} pairs of the {} arcs between {} words cross",
                    arcs.len(),
                    self.middles.len()
                );
                return Err(Error::value(codes::RENDER_LIMIT, text));
            }
            let gap = gap(arc.label);
            self.curves.push(Curve {
                left,
                right,
                ground: grounds[arc.start],
                height: climb(levels[ix], options),
                label: free_place(&mut posts, gap),
                gap,
            });
        }
        Ok(())
    }
}

/// The arcs that cross each arc.
struct Crossings {
    by_start: ArcsByWord,
    by_end: ArcsByWord,
    words: usize,
}

/// Arcs in the order of one of their ends, with how far the other end is out.
struct ArcsByWord {
    /// For each word, and behind the last one, where its arcs begin in `arcs`.
    starts: Vec<usize>,
    arcs: Vec<usize>,
    reach: RangeMax,
}

impl Crossings {
    fn of(arcs: &[Arc<'_>], words: usize) -> Crossings {
        let by_start = ArcsByWord::of(arcs, words, |arc| (arc.start, arc.end));
        let by_end = ArcsByWord::of(arcs, words, |arc| (arc.end, words - arc.start));
        Crossings { by_start, by_end, words }
    }

    /// Calls `visit` for each arc of which one end is between those of an arc, and the other one
    /// outside of them; with true where that is on the left.
    fn each(&self, arc: &Arc<'_>, visit: &mut impl FnMut(usize, bool)) {
        self.by_start.each_beyond(arc, arc.end, &mut |other| visit(other, false));
        self.by_end.each_beyond(arc, self.words - arc.start, &mut |other| visit(other, true));
    }
}

impl ArcsByWord {
    /// `key` returns the word of an arc, and the number of the other one from the opposite side.
    fn of(arcs: &[Arc<'_>], words: usize, key: impl Fn(&Arc<'_>) -> (usize, usize)) -> ArcsByWord {
        let mut order: Vec<usize> = (0..arcs.len()).collect();
        order.sort_by_key(|ix| key(&arcs[*ix]).0);
        let mut starts = vec![0; words + 1];
        let mut reach = RangeMax::new(arcs.len());
        for (place, ix) in order.iter().enumerate() {
            let (word, other) = key(&arcs[*ix]);
            starts[word + 1] = place + 1;
            reach.raise(place..place + 1, other);
        }
        for word in 1..=words {
            starts[word] = starts[word].max(starts[word - 1]);
        }
        ArcsByWord { starts, arcs: order, reach }
    }

    /// Calls `visit` for each arc whose word is between the ends of an arc, and whose other word is
    /// beyond a bound.
    fn each_beyond(&self, arc: &Arc<'_>, bound: usize, visit: &mut impl FnMut(usize)) {
        let places = self.starts[arc.start + 1]..self.starts[arc.end];
        self.reach.each_above(&places, bound, &mut |place| visit(self.arcs[place]));
    }
}

/// Positions of the anchors at one word.
struct AnchorSpacing {
    anchors: f64,
    apart: f64,
}

impl AnchorSpacing {
    #[expect(clippy::cast_precision_loss, reason = "few arcs end at one word")]
    fn new(anchors: usize, options: &DependencyOptions) -> AnchorSpacing {
        let between = anchors.saturating_sub(1).max(1) as f64;
        AnchorSpacing {
            anchors: anchors as f64,
            apart: options.arrow_spacing.min(MAX_ANCHOR_SPAN / between),
        }
    }

    /// Offset of an anchor from the middle of the word.
    #[expect(clippy::cast_precision_loss, reason = "few arcs end at one word")]
    fn anchor(&self, ix: usize) -> f64 {
        (ix as f64 - (self.anchors - 1.0) / 2.0) * self.apart
    }

    fn width(&self) -> f64 {
        self.anchors * self.apart
    }
}

/// The height of a level.
#[expect(clippy::cast_precision_loss, reason = "there are few levels")]
fn climb(level: usize, options: &DependencyOptions) -> f64 {
    let (first, step) = if options.compact { (18.0, 15.0) } else { (28.0, 22.0) };
    if level == 0 { 0.0 } else { first + step * (level - 1) as f64 }
}

/// The gap that a label needs in its line.
fn gap(label: &str) -> f64 {
    if label.is_empty() { 0.0 } else { ems(label) * LABEL + 8.0 }
}

/// Middle and half width of each word on one long line: as far apart as texts, anchors and labels
/// need.
fn spread(
    words: &[Word<'_>],
    arcs: &[Arc<'_>],
    anchors: &[ArcAnchors],
    spacings: &[AnchorSpacing],
    options: &DependencyOptions,
) -> Vec<(f64, f64)> {
    let half: Vec<f64> = words
        .iter()
        .zip(spacings)
        .map(|(word, spacing)| {
            let text = ems(&word.text) * WORD;
            let lemma = word.lemma.map_or(0.0, |lemma| ems(lemma) * LEMMA);
            let tag = ems(word.tag) * TAG * 1.05;
            text.max(lemma).max(tag).max(spacing.width()) / 2.0
        })
        .collect();
    // Distance from each word to the next.
    let mut steps: Vec<f64> =
        half.windows(2).map(|two| (two[0] + two[1] + APART).max(options.distance)).collect();
    // Distance from the first word to each at least: steps only grow.
    let mut least = vec![0.0];
    for (i, step) in steps.iter().enumerate() {
        least.push(least[i] + step);
    }
    let mut order: Vec<usize> = (0..arcs.len()).collect();
    order.sort_by_key(|&ix| arcs[ix].end - arcs[ix].start);
    for ix in order {
        let Arc { start, end, label, .. } = arcs[ix];
        let shift =
            spacings[end].anchor(anchors[ix].end) - spacings[start].anchor(anchors[ix].start);
        let bends = if options.compact { 10.0 } else { 20.0 };
        let needed = gap(label) + bends - shift;
        // An arc that is longer by far, more than any rounding of the sums, is not summed up: each
        // word takes room, so the words below the others are fewer than the pixels of their labels.
        if least[end] - least[start] > needed + 1.0 + least[end] * 1e-9 {
            continue;
        }
        let steps = &mut steps[start..end];
        let missing = gap(label) + bends - (steps.iter().sum::<f64>() + shift);
        if missing > 0.0 {
            #[expect(
                clippy::cast_precision_loss,
                reason = "arcs are short where something is missing"
            )]
            let each = missing / steps.len() as f64;
            for step in steps {
                *step += each;
            }
        }
    }
    let mut middle = 0.0;
    let mut places = Vec::with_capacity(words.len());
    for (i, &half) in half.iter().enumerate() {
        if i > 0 {
            middle += steps[i - 1];
        }
        places.push((middle, half));
    }
    places
}

/// Breaks the line into rows between arcs, within the requested width if possible.
fn rows(places: &[(f64, f64)], arcs: &[Arc<'_>], options: &DependencyOptions) -> Vec<Range<usize>> {
    // Position that the arcs from each word reach.
    let mut reach: Vec<usize> = (0..places.len()).collect();
    for arc in arcs {
        reach[arc.start] = reach[arc.start].max(arc.end);
    }
    let mut rows = Vec::new();
    let mut start = 0;
    let mut covered = 0;
    // The last place where the row could end.
    let mut cut = 0;
    for i in 0..places.len() {
        if i > covered || i == 0 {
            cut = i;
        }
        covered = covered.max(reach[i]);
        let width = places[i].0 + places[i].1 - (places[start].0 - places[start].1);
        if width + 2.0 * options.margin > options.max_width && cut > start {
            rows.push(start..cut);
            start = cut;
        }
    }
    if start < places.len() {
        rows.push(start..places.len());
    }
    rows
}

/// The middle of a gap in a line between posts: that of the line if it is free there, else of the
/// widest part.
fn free_place(posts: &mut [f64], gap: f64) -> f64 {
    posts.sort_by(f64::total_cmp);
    let (first, last) = (posts[0], posts[posts.len() - 1]);
    let middle = f64::midpoint(first, last);
    let near = |post: &&f64| (**post - middle).abs() < gap / 2.0;
    if !posts[1..posts.len() - 1].iter().any(|post| near(&post)) {
        return middle;
    }
    let widths = posts.windows(2);
    let widest = widths.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    widest.map_or(middle, |part| f64::midpoint(part[0], part[1]))
}
