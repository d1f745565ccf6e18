//! Highlighting of matches: prints the lines that have some, with matches marked and labelled.

use std::env;
use std::fmt::Write;
use std::ops::Range;

use ahash::AHashMap;

use lexpool::matcher::{Greedy, RuleMatch};
use lexpool::tokens::Doc;
use lexpool::{Result, escape};
use lexpool_io::corpus::SourceLocation;

/// Highlighter with a colour per label, or with brackets.
pub(super) struct Highlighter {
    /// Colour by label; `None` without colours.
    colours: Option<AHashMap<String, u8>>,
}

/// ANSI colour codes: red, green, yellow, blue, magenta and cyan.
const COLOURS: Range<u8> = 31..37;

/// A match to highlight.
struct Mark<'a> {
    bytes: Range<usize>,
    label: &'a str,
}

impl Highlighter {
    /// Creates a highlighter, with colours on a terminal unless `NO_COLOR` is set or `TERM` is
    /// `dumb`.
    #[expect(clippy::disallowed_methods, reason = "colours follow the environment, results do not")]
    pub(super) fn new<'a>(labels: impl Iterator<Item = &'a str>, to_terminal: bool) -> Highlighter {
        let is_forbidden = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        let colours = (to_terminal && !is_forbidden && !is_dumb).then(|| {
            let mut colours = AHashMap::new();
            let mut next = COLOURS.cycle();
            for label in labels {
                colours.entry(label.to_owned()).or_insert_with(|| next.next().unwrap_or_default());
            }
            colours
        });
        Highlighter { colours }
    }

    /// Appends the lines of a document that have matches. Of overlapping matches the longest is
    /// shown; of several the first.
    pub(super) fn push(
        &self,
        out: &mut Vec<u8>,
        doc: &Doc,
        place: &SourceLocation,
        found: &[RuleMatch<'_>],
    ) -> Result<()> {
        let ranges: Vec<_> = found.iter().map(|found| found.tokens.clone()).collect();
        let mut shown = Greedy::Longest.choose(&ranges)?;
        shown.sort_unstable_by_key(|at| ranges[*at].start);
        let marks = shown.iter().filter_map(|at| {
            let span = doc.span(ranges[*at].start, ranges[*at].end).ok()?;
            let start = span.iter().next()?.record().byte as usize;
            Some(Mark { bytes: start..start + span.text().len(), label: found[*at].label })
        });
        let marks: Vec<_> = marks.collect();
        let text = doc.text();
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end);
        let mut line = place.line().unwrap_or(1);
        let (mut counted, mut rest) = (0, &*marks);
        let mut shown = String::new();
        while let Some(first) = rest.first() {
            // All lines of the matches that begin on this line.
            let start = text[..first.bytes.start].rfind('\n').map_or(0, |end| end + 1);
            let mut end = line_end(first.bytes.end);
            let mut count = 1;
            while let Some(next) = rest.get(count).filter(|next| next.bytes.start < end) {
                end = line_end(next.bytes.end);
                count += 1;
            }
            line += text[counted..start].matches('\n').count() as u64;
            counted = start;
            let _ = write!(shown, "{}:{line}: ", escape::one_line(place.file()));
            self.push_marked(&mut shown, text, start..end, &rest[..count]);
            shown.push('\n');
            rest = &rest[count..];
        }
        out.extend_from_slice(shown.as_bytes());
        Ok(())
    }

    fn push_marked(&self, out: &mut String, text: &str, part: Range<usize>, marks: &[Mark<'_>]) {
        let mut at = part.start;
        for Mark { bytes, label } in marks {
            push_plain(out, &text[at..bytes.start]);
            let colour = self.colours.as_ref().map(|colours| colours.get(*label).copied());
            match colour {
                None => out.push('['),
                Some(colour) => {
                    let _ = write!(out, "\x1b[1;{}m", colour.unwrap_or(COLOURS.start));
                }
            }
            push_plain(out, &text[bytes.clone()]);
            out.push_str(if colour.is_none() { "](" } else { "\x1b[0m\x1b[2m " });
            let _ = write!(out, "{}", escape::one_line(label));
            out.push_str(if colour.is_none() { ")" } else { "\x1b[0m" });
            at = bytes.end;
        }
        push_plain(out, &text[at..part.end]);
    }
}

/// Appends text with control characters escaped.
fn push_plain(out: &mut String, text: &str) {
    let _ = write!(out, "{}", escape::lines(text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use lexpool::matcher::{Rule, Ruler};
    use lexpool::structs::AttrId;
    use lexpool::tokenizer::Tokenizer;
    use lexpool_io::corpus::{DocUnit, InvalidUtf8, ReadOptions, Source, Texts};

    fn shown(text: &str, per: DocUnit, colours: bool) -> String {
        let rules = Rule::read_jsonl(
            "{\"label\":\"A\",\"pattern\":[{\"LOWER\":\"a\",\"OP\":\"+\"}]}\n\
             {\"label\":\"B\",\"pattern\":[{\"LOWER\":\"b\"},{\"IS_SPACE\":true},{}]}",
        )
        .unwrap();
        let mut highlighter = Highlighter { colours: None };
        if colours {
            highlighter.colours = Some([("A".to_owned(), 31), ("B".to_owned(), 32)].into());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.txt");
        std::fs::write(&path, text).unwrap();
        let tokenizer = Tokenizer::blank("en").unwrap();
        let ruler = Ruler::new(&rules, &tokenizer, AttrId::ORTH).unwrap();
        let reading = ReadOptions { unit: per, invalid: InvalidUtf8::Refuse, skip_blank: false };
        let mut out = Vec::new();
        for read in Texts::new(vec![Source::File(path.clone())], reading) {
            let read = read.unwrap();
            let doc = tokenizer.tokenize(&read.text).unwrap();
            let found = ruler.find(&doc, None).unwrap();
            highlighter.push(&mut out, &doc, &read.location, &found).unwrap();
        }
        String::from_utf8(out).unwrap().replace(&*path.to_string_lossy(), "in.txt")
    }

    #[test]
    fn lines_with_matches_are_shown_with_their_numbers_however_they_are_read() {
        let text = "no\nan a a b a\nnone\n\nthe a";
        let expected = "in.txt:2: an [a a](A) b [a](A)\nin.txt:5: the [a](A)\n";
        assert_eq!(shown(text, DocUnit::Line, false), expected);
        assert_eq!(shown(text, DocUnit::File, false), expected);
    }

    #[test]
    fn a_match_over_lines_is_shown_with_all_of_them() {
        let text = "x\na b\nc a\nd a";
        let expected = "in.txt:2: [a](A) [b\nc](B) [a](A)\nin.txt:4: d [a](A)\n";
        assert_eq!(shown(text, DocUnit::File, false), expected);
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        assert_eq!(
            shown("a \u{1b}[2J \u{e9}", DocUnit::Line, true),
            "in.txt:1: \u{1b}[1;31ma\u{1b}[0m\u{1b}[2m A\u{1b}[0m \\u{1b}[2J \u{e9}\n"
        );
    }
}
