//! Reader of JSON lines, as written by `Jsonl` and by spaCy's `Doc.to_json`.

use std::path::Path;
use std::sync::Arc;

use lexpool::Result;
use lexpool::formats::DocExtras;
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;

use super::doc::build;
use super::line::LineFields;
use crate::corpus::location::SourceLocation;
use crate::corpus::source::{DocUnit, ReadOptions};
use crate::corpus::texts::PlainReader;

/// Content of a line.
#[derive(Debug)]
pub enum JsonlRead {
    /// A document with its tokens and extras.
    Doc(Box<Doc>, DocExtras),
    /// A text without `tokens`, still to be tokenized.
    Text(String),
}

/// Iterator over the lines of a file of JSON objects. Blank lines are skipped; it ends after an
/// error. Memory: one line.
///
/// It reads the fields `text`, `tokens` (with `start`, `end`, `tag`, `pos`, `morph`, `lemma`,
/// `dep`, `head`), `ents`, `sents`, `cats` and `spans`; offsets count characters. Other fields are
/// ignored, including extension attributes (`_`). If one token has an attribute, all tokens must
/// have it.
///
/// ```
/// use lexpool_io::corpus::{DocUnit, InvalidUtf8, JsonlDocs, JsonlRead, ReadOptions};
/// use lexpool::tokenizer::Tokenizer;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("go.jsonl");
/// let line = r#"{"text": "Go on!", "tokens": [{"start": 0, "end": 5}, {"start": 5, "end": 6}]}"#;
/// std::fs::write(&path, line).unwrap();
/// let options = ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
/// let vocab = Tokenizer::blank("en")?.vocab().clone();
/// let JsonlRead::Doc(doc, _) = JsonlDocs::open(&path, options, &vocab)?.next().unwrap()? else {
///     panic!("it has tokens");
/// };
/// assert_eq!(doc.token(0).unwrap().text(), "Go on");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct JsonlDocs {
    lines: PlainReader,
    options: ReadOptions,
    vocab: Arc<Vocab>,
    is_over: bool,
}

impl JsonlDocs {
    /// Opens a file. Documents will belong to `vocab`.
    ///
    /// # Errors
    ///
    /// `file-not-found` and other errors of the system.
    pub fn open(path: &Path, options: ReadOptions, vocab: &Arc<Vocab>) -> Result<JsonlDocs> {
        let options = ReadOptions { unit: DocUnit::Line, ..options };
        Ok(JsonlDocs {
            lines: PlainReader::file(path)?,
            options,
            vocab: Arc::clone(vocab),
            is_over: false,
        })
    }

    /// Reads the next line to return, with its location.
    fn read(&mut self) -> Result<Option<(JsonlRead, SourceLocation)>> {
        while let Some(line) = self.lines.read(self.options)? {
            if line.text.trim().is_empty() {
                continue;
            }
            let location = line.location;
            let fields = LineFields::parse(&line.text).map_err(|error| error.context(&location))?;
            if self.options.skip_blank && fields.text.trim().is_empty() {
                continue;
            }
            let Some(tokens) = &fields.tokens else {
                return Ok(Some((JsonlRead::Text(fields.text), location)));
            };
            let (doc, extras) =
                build(&fields, tokens, &self.vocab).map_err(|error| error.context(&location))?;
            return Ok(Some((JsonlRead::Doc(Box::new(doc), extras), location)));
        }
        Ok(None)
    }

    /// Returns the next line with its location, to be named in later errors.
    pub fn next_at(&mut self) -> Option<Result<(JsonlRead, SourceLocation)>> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl Iterator for JsonlDocs {
    type Item = Result<JsonlRead>;

    fn next(&mut self) -> Option<Result<JsonlRead>> {
        self.next_at().map(|next| next.map(|(read, _)| read))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lexpool::formats::span_group::{Bounds, read_groups};
    use lexpool::vocab::Getters;
    use lexpool_structs::AttrId;

    use super::*;
    use crate::corpus::{CorpusWriter, InvalidUtf8, Jsonl};

    const OPTIONS: ReadOptions =
        ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };

    fn read(lines: &str) -> Result<Vec<JsonlRead>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.jsonl");
        fs::write(&path, lines).unwrap();
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        JsonlDocs::open(&path, OPTIONS, &vocab)?.collect()
    }

    fn doc(line: &str) -> (Doc, DocExtras) {
        match read(line).unwrap().pop() {
            Some(JsonlRead::Doc(doc, extras)) => (*doc, extras),
            other => panic!("no document: {other:?}"),
        }
    }

    const LINE: &str = concat!(
        r#"{"text":"Zo\u00eb's caf\u00e9 \n","ents":[{"start":0,"end":3,"label":"PERSON","kb_id":"Q1","id":"zoe"}],"#,
        r#""sents":[{"start":0,"end":3},{"start":3,"end":12}],"cats":{"good":0.5,"whole":1},"tokens":["#,
        r#"{"id":0,"start":0,"end":3,"tag":"NNP","pos":"PROPN","morph":"Number=Sing","lemma":"Zo\u00eb","dep":"poss","head":2},"#,
        r#"{"id":1,"start":3,"end":5,"tag":"POS","pos":"PART","morph":"","lemma":"'s","dep":"case","head":0},"#,
        r#"{"id":2,"start":6,"end":10,"tag":"NN","pos":"NOUN","morph":"Number=Sing","lemma":"caf\u00e9","dep":"ROOT","head":2},"#,
        r#"{"id":3,"start":11,"end":12,"text":"\n","tag":"_SP","pos":"SPACE","morph":"","lemma":"\n","dep":"dep","head":2}],"#,
        r#""spans":{"some":[{"start":0,"end":5,"label":"WHO","kb_id":""}],"none":[]},"_":{"x":[[1]]}}"#,
    );

    #[test]
    fn a_line_is_the_document_that_it_was() {
        let (doc, extras) = doc(LINE);
        assert_eq!(doc.text(), "Zo\u{eb}'s caf\u{e9} \n");
        let texts: Vec<_> = doc.iter().map(|token| token.text()).collect();
        assert_eq!(texts, ["Zo\u{eb}", "'s", "caf\u{e9}", "\n"]);
        let strings = |attr| doc.iter().map(|token| token.text_of(attr)).collect::<Vec<_>>();
        assert_eq!(strings(AttrId::TAG), ["NNP", "POS", "NN", "_SP"]);
        assert_eq!(strings(AttrId::POS), ["PROPN", "PART", "NOUN", "SPACE"]);
        assert_eq!(strings(AttrId::DEP), ["poss", "case", "ROOT", "dep"]);
        assert_eq!(strings(AttrId::LEMMA), ["Zo\u{eb}", "'s", "caf\u{e9}", "\n"]);
        assert_eq!(doc.iter().map(|token| token.head().i()).collect::<Vec<_>>(), [2, 0, 2, 2]);
        // As in the file, although one tree spans both.
        assert_eq!(doc.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..1, 1..4]);
        let [ent] = doc.entities().spans().unwrap().try_into().unwrap();
        let string = |id| doc.snapshot().string(lexpool::strings::StrId::new(id)).unwrap();
        assert_eq!((ent.start, ent.end, string(ent.label)), (0, 1, "PERSON"));
        assert_eq!((string(ent.kb_id), string(ent.id)), ("Q1", "zoe"));
        let groups = read_groups(&extras.span_groups, Bounds { tokens: 4, chars: 12 }).unwrap();
        let groups: Vec<_> =
            groups.iter().map(|(keys, group)| (keys[0], group.spans.len())).collect();
        assert_eq!(groups, [("none", 0), ("some", 1)]);
        assert_eq!(&extras.cats[..7], b"\x82\xa4good\xcb");
    }

    #[test]
    fn what_is_written_is_read_and_written_the_same() {
        let line = |doc: &Doc| Jsonl::<Vec<u8>>::piece(std::slice::from_ref(doc)).unwrap();
        let plain = r#"{"text":" \u2028 a","tokens":[{"start":0,"end":2},{"start":3,"end":4}]}"#;
        let sents = r#"{"text":"a b","sents":[{"start":0,"end":1},{"start":2,"end":3}],
            "tokens":[{"start":0,"end":1},{"start":2,"end":3}]}"#;
        for json in [LINE, plain, &sents.replace('\n', ""), r#"{"text":"","tokens":[]}"#] {
            let first = line(&doc(json).0);
            let second = line(&doc(std::str::from_utf8(&first).unwrap()).0);
            assert_eq!(String::from_utf8(first).unwrap(), String::from_utf8(second).unwrap());
        }
    }

    #[test]
    fn a_line_without_tokens_is_a_text() {
        let lines = format!(
            "{{\"text\":\"a b\",\"ents\":3}}\n\n{LINE}\n{{\"tokens\":null,\"text\":\"c\"}}"
        );
        let kinds = read(&lines).unwrap().into_iter().map(|read| match read {
            JsonlRead::Doc(doc, _) => doc.len().to_string(),
            JsonlRead::Text(text) => text,
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["a b", "4", "c"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let two = |first: &str, second: &str, rest: &str| {
            format!(r#"{{"text":"caf\u00e9 b","tokens":[{first},{second}]{rest}}}"#)
        };
        let (a, b) = (r#"{"start":0,"end":4}"#, r#"{"start":5,"end":6}"#);
        let with = |token: &str, field: &str| token.replace('}', &format!(",{field}}}"));
        let cases = [
            (
                two(a, r#"{"start":5,"end":7}"#, ""),
                "tokens[1] covers the characters 5..7 of a text of 6",
            ),
            (two(a, r#"{"start":5,"end":5}"#, ""), "tokens[1] covers the characters 5..5"),
            (
                two(a, r#"{"start":3,"end":6}"#, ""),
                "tokens[1] begins at character 3, after character 4",
            ),
            (two(b, a, ""), "tokens[0] begins at character 5, after character 0"),
            (
                two(r#"{"start":0,"end":3}"#, b, ""),
                "tokens[1] begins at character 5, after character 3",
            ),
            (
                two(a, r#"{"start":-1,"end":6}"#, ""),
                "tokens[1][\"start\"] must be a number of 0 or more, not -1",
            ),
            (
                two(a, r#"{"start":5}"#, ""),
                "tokens[1][\"end\"] must be a number of 0 or more, not nothing",
            ),
            (two(a, r#"{"start":5.0,"end":6}"#, ""), "not 5.0"),
            (two(a, r#"{"start":true,"end":6}"#, ""), "not true"),
            (two(a, "7", ""), "tokens[1] must be an object, not 7"),
            (
                two(a, &with(b, r#""text":"c""#), ""),
                "tokens[1] has the text \"c\", but its characters are \"b\"",
            ),
            (two(a, &with(b, r#""tag":"X""#), ""), "1 of 2 tokens have \"tag\""),
            (
                two(&with(a, r#""tag":"X""#), &with(b, r#""tag":3"#), ""),
                "tokens[1][\"tag\"] must be a string, not 3",
            ),
            (
                two(&with(a, r#""pos":"X""#), &with(b, r#""pos":"noun""#), ""),
                "\"noun\" is not a part of speech",
            ),
            (
                two(&with(a, r#""head":0"#), &with(b, r#""head":0"#), ""),
                "heads were given without deps",
            ),
            (
                two(&with(a, r#""head":2,"dep":"a""#), &with(b, r#""head":0,"dep":"b""#), ""),
                "the head of token 0 is 2, outside of 2 tokens",
            ),
            (
                two(a, b, r#","ents":[{"start":0,"end":3,"label":"X"}]"#),
                "ents[0] covers the characters 0..3",
            ),
            (
                two(a, b, r#","ents":[{"start":0,"end":4}]"#),
                "ents[0][\"label\"] must be a string, not nothing",
            ),
            (two(a, b, r#","ents":{}"#), "ents must be a list of objects, not an object of 0"),
            (
                two(
                    a,
                    b,
                    r#","ents":[{"start":0,"end":4,"label":"X"},{"start":0,"end":6,"label":"Y"}]"#,
                ),
                "token 0 is in two of the given spans",
            ),
            (two(a, b, r#","sents":[{"start":5,"end":4}]"#), "sents[0] covers the characters 5..4"),
            (two(a, b, r#","cats":{"x":"y"}"#), "cats[\"x\"] must be a number, not \"y\""),
            (two(a, b, r#","spans":{"x":3}"#), "spans[\"x\"] must be a list of objects, not 3"),
            (two(a, b, r#","spans":[]"#), "spans must be an object of lists, not a list of 0"),
            (
                r#"{"text":"ab","tokens":[{"start":0,"end":1}]}"#.to_owned(),
                "the end of the text begins at character 2, after character 1",
            ),
            (
                r#"{"text":"a","tokens":[]}"#.to_owned(),
                "the end of the text begins at character 1, after character 0",
            ),
            (r#"{"tokens":[]}"#.to_owned(), "no field is named \"text\""),
            (r#"{"text":"","text":""}"#.to_owned(), "\"text\" is given twice"),
            (r#"{"text":"","tokens":[],"tokens":[]}"#.to_owned(), "\"tokens\" is given twice"),
            ("[]".to_owned(), "an object with a string under \"text\""),
            (format!(r#"{{"text":"","tokens":{}"#, "[".repeat(100_000)), "recursion limit"),
        ];
        for (line, expected) in cases {
            let error = read(&format!("{LINE}\n{line}\n")).unwrap_err();
            assert!(error.message().contains("in.jsonl, line 2"), "{line}: {error}");
            assert!(error.message().contains(expected), "{line}: {error}");
        }
    }
}
