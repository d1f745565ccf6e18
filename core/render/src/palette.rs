//! Colours for labels.

use std::collections::BTreeMap;

use super::markup::css_value;
use lexpool_error::Result;
use lexpool_structs::StrId;

/// Colours of labels: a chosen one, else one computed from the label's letters.
///
/// Labels are compared without regard to case. The colours of the palette are far enough from white
/// and from black (3 to 1) for a line, and carry black letters.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    chosen: BTreeMap<String, Paint>,
}

impl Palette {
    /// Chooses a colour for a label: any CSS background, such as `#7aecec` or a gradient.
    ///
    /// # Errors
    ///
    /// `render-css`, if the value is not a single one or would fetch something.
    pub fn choose(&mut self, label: &str, css: &str) -> Result<()> {
        let css = css_value("colors", css).map_err(|error| error.context(label))?;
        let paint = Rgb::parse(css).map_or_else(|| Paint::Css(css.trim().to_owned()), Paint::Rgb);
        self.chosen.insert(label.to_uppercase(), paint);
        Ok(())
    }

    pub(super) fn of(&self, label: &str) -> Paint {
        let label = label.to_uppercase();
        if let Some(paint) = self.chosen.get(&label) {
            return paint.clone();
        }
        let fixed_hue = KNOWN.iter().find(|(name, _)| *name == label);
        let by_letters = || StrId::of(&label).get() % HUES.len() as u64;
        let ix = fixed_hue.map_or_else(by_letters, |&(_, ix)| ix);
        let (red, green, blue) = HUES[usize::try_from(ix).expect("there are few hues")];
        Paint::Rgb(Rgb { red, green, blue })
    }
}

/// Something to paint with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Rgb(Rgb),
    /// A CSS background that we do not look into.
    Css(String),
}

impl Paint {
    /// The declarations for an area in full colour with letters on it.
    pub(super) fn solid(&self) -> String {
        match self {
            Paint::Rgb(rgb) => format!("background:{};color:{}", rgb.css(), rgb.ink()),
            Paint::Css(css) => format!("background:{css};color:#000"),
        }
    }

    /// The declarations for an area behind text: thin enough for ink of the surroundings' colour.
    pub(super) fn tint(&self) -> String {
        match self {
            Paint::Rgb(Rgb { red, green, blue }) => {
                format!("background:rgba({red},{green},{blue},.26);color:inherit")
            }
            Paint::Css(_) => self.solid(),
        }
    }

    /// The declaration for a bar.
    pub(super) fn bar(&self) -> String {
        match self {
            Paint::Rgb(rgb) => format!("background:{}", rgb.css()),
            Paint::Css(css) => format!("background:{css}"),
        }
    }
}

/// A colour of known parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rgb {
    red: u8,
    green: u8,
    blue: u8,
}

impl Rgb {
    /// Reads `#rgb`, `#rrggbb` and the sixteen names of the first HTML.
    pub(super) fn parse(css: &str) -> Option<Rgb> {
        let css = css.trim().to_ascii_lowercase();
        if let Some(&(_, hex)) = NAMES.iter().find(|(name, _)| *name == css) {
            let [_, red, green, blue] = u32::to_be_bytes(hex);
            return Some(Rgb { red, green, blue });
        }
        let digits: Option<Vec<u8>> = css
            .strip_prefix('#')?
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect();
        match digits?[..] {
            [r, g, b] => Some(Rgb { red: r * 17, green: g * 17, blue: b * 17 }),
            [r, r2, g, g2, b, b2] => {
                Some(Rgb { red: r * 16 + r2, green: g * 16 + g2, blue: b * 16 + b2 })
            }
            _ => None,
        }
    }

    fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// Black or white, whichever is easier to read on this colour.
    pub(super) fn ink(self) -> &'static str {
        // Luminance of equal contrast with black and white: (y + .05) / .05 = 1.05 / (y + .05).
        if self.luminance() > 0.179 { "#000" } else { "#fff" }
    }

    /// Relative luminance as WCAG defines it, from 0 to 1.
    fn luminance(self) -> f64 {
        let part = |byte: u8| {
            let x = f64::from(byte) / 255.0;
            if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(self.red) + 0.7152 * part(self.green) + 0.0722 * part(self.blue)
    }
}

/// Twelve hues around the circle, vivid; then the twelve between them, duller and darker. Of equal
/// lightness in Oklab: 0.65 and 0.6.
#[rustfmt::skip]
const HUES: [(u8, u8, u8); 24] = [
    (0xd6, 0x63, 0x8b), (0xdb, 0x66, 0x56), (0xd0, 0x75, 0x0a),
    (0xae, 0x8a, 0x0d), (0x84, 0x9b, 0x11), (0x3a, 0xa8, 0x5b),
    (0x13, 0xa6, 0x92), (0x11, 0xa1, 0xb4), (0x12, 0x99, 0xde),
    (0x6c, 0x88, 0xea), (0x9e, 0x77, 0xdc), (0xc1, 0x6a, 0xba),
    (0xb4, 0x66, 0x6d), (0xb1, 0x6c, 0x4c), (0xa3, 0x77, 0x34),
    (0x89, 0x83, 0x35), (0x66, 0x8e, 0x4f), (0x3a, 0x93, 0x71),
    (0x0f, 0x92, 0x93), (0x2b, 0x8c, 0xad), (0x56, 0x82, 0xbb),
    (0x7a, 0x77, 0xba), (0x97, 0x6d, 0xa9), (0xaa, 0x67, 0x8e),
];

/// Labels that often stand together, kept apart; others may meet by chance.
const KNOWN: [(&str, u64); 22] = [
    ("PERSON", 9),
    ("PER", 9),
    ("ORG", 7),
    ("GPE", 2),
    ("LOC", 1),
    ("NORP", 10),
    ("FAC", 18),
    ("PRODUCT", 5),
    ("EVENT", 3),
    ("WORK_OF_ART", 11),
    ("LAW", 0),
    ("LANGUAGE", 12),
    ("DATE", 6),
    ("TIME", 20),
    ("PERCENT", 16),
    ("MONEY", 4),
    ("QUANTITY", 14),
    ("ORDINAL", 21),
    ("CARDINAL", 23),
    ("MISC", 8),
    ("NP", 8),
    ("VP", 13),
];

const NAMES: [(&str, u32); 16] = [
    ("aqua", 0x00_ff_ff),
    ("black", 0),
    ("blue", 0x00_00_ff),
    ("fuchsia", 0xff_00_ff),
    ("gray", 0x80_80_80),
    ("green", 0x00_80_00),
    ("lime", 0x00_ff_00),
    ("maroon", 0x80_00_00),
    ("navy", 0x00_00_80),
    ("olive", 0x80_80_00),
    ("purple", 0x80_00_80),
    ("red", 0xff_00_00),
    ("silver", 0xc0_c0_c0),
    ("teal", 0x00_80_80),
    ("white", 0xff_ff_ff),
    ("yellow", 0xff_ff_00),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hue_shows_on_white_and_black_and_carries_letters() {
        for (red, green, blue) in HUES {
            let rgb = Rgb { red, green, blue };
            let y = rgb.luminance() + 0.05;
            assert!(1.05 / y >= 3.0, "{} on white", rgb.css());
            assert!(y / 0.05 >= 4.5, "{} on black", rgb.css());
            assert_eq!(rgb.ink(), "#000");
        }
    }

    #[test]
    fn a_label_keeps_its_colour_whatever_its_case() {
        let mut palette = Palette::default();
        assert_eq!(palette.of("Drug"), palette.of("DRUG"));
        palette.choose("drug", "#fff").unwrap();
        assert_eq!(palette.of("DRUG").solid(), "background:#ffffff;color:#000");
        assert_eq!(palette.choose("x", "a;b").unwrap_err().code(), "render-css");
    }

    #[test]
    fn colours_are_read() {
        assert_eq!(Rgb::parse("#a1B2c3"), Some(Rgb { red: 0xa1, green: 0xb2, blue: 0xc3 }));
        assert_eq!(Rgb::parse("Navy").unwrap().ink(), "#fff");
        assert_eq!(Rgb::parse("#12345"), None);
        assert_eq!(Rgb::parse("#12345\u{e9}"), None);
    }
}
