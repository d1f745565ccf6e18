//! A trained pipeline, and the annotation that it gives a text.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use lexpool::config::Value as Setting;
use lexpool::loading::{LoadOptions, LoadedPipeline, load_files};
use lexpool::nn::GemmOrder;
use lexpool::pipeline_files::PipelineFiles;
use lexpool::render::{DependencyOptions, Frame, ParsedToken, dependencies, parse};
use lexpool::strings::StrId;
use lexpool::structs::{AttrId, Pos};
use lexpool::tokenizer::Text;
use lexpool::tokens::{Doc, Token};
use serde_json::{Value, json};

use crate::session::{Answer, MAX_WORDS, failure, from};

/// A sentence with more tokens than these is not drawn.
pub const MAX_DRAWN: usize = 120;

/// A loaded pipeline, and the document that it annotated last.
pub struct Annotator {
    files: PipelineFiles,
    loaded: LoadedPipeline,
    doc: Doc,
}

impl Annotator {
    /// Loads the packed file of a pipeline.
    ///
    /// # Errors
    ///
    /// Those of [`PipelineFiles::from_bytes`] and [`load_files`].
    pub fn new(file: Vec<u8>) -> Result<Annotator, Value> {
        let files = PipelineFiles::from_bytes(file).map_err(|error| from(&error))?;
        let loaded = loaded(&files)?;
        let doc = Doc::empty(loaded.pipeline.tokenizer().vocab());
        Ok(Annotator { files, loaded, doc })
    }

    /// Returns the pipeline's `meta.json`.
    pub fn meta(&self) -> Value {
        let meta = Setting::Section(self.loaded.meta.clone()).to_json();
        serde_json::from_str(&meta).unwrap_or_default()
    }

    /// Annotates a text. Returns `{"tokens": [{"text", "tag", "pos", "morph", "lemma", "dep",
    /// "head"}], "entities": [{"start", "end", "label"}], "sentences": [{"start", "end"}]}`, all in
    /// numbers of tokens; `end` is the one after the last.
    ///
    /// # Errors
    ///
    /// Those of the pipeline.
    pub fn annotate(&mut self, text: &str) -> Answer {
        if self.doc.vocab().len() > MAX_WORDS {
            self.loaded = loaded(&self.files)?;
            self.doc = Doc::empty(self.loaded.pipeline.tokenizer().vocab());
        }
        let text = Text::Owned(text.to_owned());
        let annotated = self.loaded.pipeline.annotate(text, &AtomicBool::new(false));
        self.doc = annotated.map_err(|failed| from(&failed.into_error()))?.doc;
        let entities = self.doc.entities().spans().map_err(|error| from(&error))?;
        let entities = entities.iter().map(|span| {
            let label = self.doc.snapshot().string(StrId::new(span.label)).unwrap_or_default();
            json!({"start": span.start, "end": span.end, "label": label})
        });
        let entities: Vec<Value> = entities.collect();
        let sentences = sentences(&self.doc)?.into_iter();
        let sentences = sentences.map(|range| json!({"start": range.start, "end": range.end}));
        let sentences: Vec<Value> = sentences.collect();
        let tokens: Vec<Value> = self.doc.iter().map(|token| described(&token)).collect();
        Ok(json!({"tokens": tokens, "entities": entities, "sentences": sentences}))
    }

    /// Draws the tree of a sentence of the last text, by its number from 0. Returns `{"svg"}`.
    ///
    /// # Errors
    ///
    /// `sentence` if the text has no such sentence, `too-long` if it has more than [`MAX_DRAWN`]
    /// tokens.
    pub fn tree(&self, number: &str) -> Answer {
        let mut sentences = sentences(&self.doc)?.into_iter();
        let sentence = number.parse().ok().and_then(|number| sentences.nth(number));
        let Some(sentence) = sentence else {
            let text = format!("the text has no sentence {number:?}; expected a number from 0");
            return Err(failure("sentence", &text));
        };
        if sentence.len() > MAX_DRAWN {
            let len = sentence.len();
            let text = format!("the sentence has {len} tokens; up to {MAX_DRAWN} are drawn");
            return Err(failure("too-long", &text));
        }
        let tokens = sentence.clone().filter_map(|i| self.doc.token(i));
        let tokens: Vec<ParsedToken<'_>> = tokens
            .map(|token| ParsedToken {
                text: token.text(),
                whitespace: token.whitespace(),
                tag: pos(&token),
                lemma: None,
                head: token.head().i() - sentence.start,
                dep: token.text_of(AttrId::DEP),
                is_punct: false,
            })
            .collect();
        let title = format!("Dependency tree of a sentence of {} tokens", tokens.len());
        let frame = Frame { title: Some(title), minify: true, ..Frame::default() };
        let options = DependencyOptions { frame, ..DependencyOptions::default() };
        let drawn = parse(&tokens, &[], false)
            .and_then(|parse| dependencies(&parse.words, &parse.arcs, &options));
        Ok(json!({"svg": drawn.map_err(|error| from(&error))?}))
    }
}

/// Loads a pipeline whose sums have no fused operations, which WebAssembly lacks.
fn loaded(files: &PipelineFiles) -> Result<LoadedPipeline, Value> {
    let options = LoadOptions { order: GemmOrder::Generic, ..LoadOptions::default() };
    load_files(files, &options).map_err(|error| from(&error))
}

/// Returns the sentences; the whole text is one for a pipeline that finds none.
fn sentences(doc: &Doc) -> Result<Vec<Range<usize>>, Value> {
    if doc.is_empty() || !doc.sentences().are_set() {
        return Ok((!doc.is_empty()).then(|| 0..doc.len()).into_iter().collect());
    }
    Ok(doc.sentences().ranges().map_err(|error| from(&error))?.collect())
}

fn described(token: &Token<'_>) -> Value {
    let morph = token.text_of(AttrId::MORPH);
    json!({
        "text": token.text(),
        "tag": token.text_of(AttrId::TAG),
        "pos": pos(token),
        // An analysis without features.
        "morph": if morph == "_" { "" } else { morph },
        "lemma": token.text_of(AttrId::LEMMA),
        "dep": token.text_of(AttrId::DEP),
        "head": token.head().i(),
    })
}

fn pos(token: &Token<'_>) -> &'static str {
    let number = token.tag_record().map_or(0, |record| record.pos);
    Pos::from_number(number).map_or("", Pos::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pipeline of the site; see `tests/tools/playground_pipeline.py`.
    const PIPELINE: &[u8] = include_bytes!("../../public/playground.lexpool");

    fn annotator() -> Annotator {
        Annotator::new(PIPELINE.to_vec()).unwrap()
    }

    fn column<'a>(answer: &'a Value, name: &str) -> Vec<&'a str> {
        let tokens = answer["tokens"].as_array().unwrap();
        tokens.iter().map(|token| token[name].as_str().unwrap()).collect()
    }

    #[test]
    fn tokens_have_tags_parts_of_speech_lemmas_features_and_heads() {
        let answer = annotator().annotate("She was reading two books.").unwrap();
        assert_eq!(column(&answer, "text"), ["She", "was", "reading", "two", "books", "."]);
        assert_eq!(column(&answer, "tag"), ["PRP", "VBD", "VBG", "CD", "NNS", "."]);
        assert_eq!(column(&answer, "pos"), ["PRON", "AUX", "VERB", "NUM", "NOUN", "PUNCT"]);
        assert_eq!(column(&answer, "lemma"), ["she", "be", "read", "two", "book", "."]);
        assert_eq!(column(&answer, "dep"), ["nsubj", "aux", "ROOT", "nummod", "obj", "punct"]);
        assert_eq!(column(&answer, "morph")[4..], ["Number=Plur", ""]);
        let heads: Vec<&Value> =
            answer["tokens"].as_array().unwrap().iter().map(|token| &token["head"]).collect();
        assert_eq!(heads, [2, 2, 2, 4, 2, 2]);
    }

    #[test]
    fn entities_and_sentences_are_ranges_of_tokens() {
        let text = "Anna Smith works at Google in New York. She was reading two books.";
        let answer = annotator().annotate(text).unwrap();
        let entities = json!([
            {"start": 0, "end": 2, "label": "PER"},
            {"start": 4, "end": 5, "label": "ORG"},
            {"start": 6, "end": 8, "label": "LOC"},
        ]);
        assert_eq!(answer["entities"], entities);
        let sentences = json!([{"start": 0, "end": 9}, {"start": 9, "end": 15}]);
        assert_eq!(answer["sentences"], sentences);
    }

    #[test]
    fn a_tree_has_an_arc_for_each_token_but_the_root() {
        let mut annotator = annotator();
        annotator.annotate("Dogs run. She was reading two <books>.").unwrap();
        let tree = annotator.tree("1").unwrap();
        let svg = tree["svg"].as_str().unwrap();
        assert!(
            svg.starts_with("<svg") && svg.contains("&lt;") && !svg.contains("<books"),
            "{svg}"
        );
        let answer = annotator.annotate("She was reading two books.").unwrap();
        let tree = annotator.tree("0").unwrap();
        let arcs = tree["svg"].as_str().unwrap().matches("class=\"lexpool-arc\"").count();
        assert_eq!(arcs, answer["tokens"].as_array().unwrap().len() - 1);
    }

    #[test]
    fn a_sentence_that_is_missing_or_too_long_is_an_error() {
        let mut annotator = annotator();
        assert_eq!(annotator.tree("0").unwrap_err()["error"]["code"], "sentence");
        annotator.annotate("One sentence.").unwrap();
        for number in ["1", "-1", "", "x"] {
            let answer = annotator.tree(number).unwrap_err();
            assert_eq!(answer["error"]["code"], "sentence", "{number:?}");
        }
        let long = format!("The dogs{} run.", " and cats".repeat(MAX_DRAWN));
        let answer = annotator.annotate(&long).unwrap();
        let sentences = answer["sentences"].as_array().unwrap();
        let len = |range: &Value| range["end"].as_u64().unwrap() - range["start"].as_u64().unwrap();
        let longest = sentences.iter().position(|range| len(range) > MAX_DRAWN as u64);
        let answer = annotator.tree(&longest.unwrap().to_string()).unwrap_err();
        assert_eq!(answer["error"]["code"], "too-long");
    }

    #[test]
    fn a_text_in_which_no_sentence_is_found_is_one() {
        let annotator = annotator();
        let tokenizer = annotator.loaded.pipeline.tokenizer();
        let sentences_of = |text| sentences(&tokenizer.tokenize(text).unwrap()).unwrap();
        let bounds =
            |text| sentences_of(text).iter().map(|range| (range.start, range.end)).collect();
        let (one, none): (Vec<_>, Vec<_>) = (bounds("One here. Two there."), bounds(""));
        assert_eq!((one, none), (vec![(0, 6)], vec![]));
    }

    #[test]
    fn any_text_is_annotated() {
        let mut annotator = annotator();
        for text in ["", " ", "\n\n", "\u{0}", "e\u{301}\u{301}", "👩🏽‍🚀 👍", "Привет, мир."]
        {
            let answer = annotator.annotate(text).unwrap();
            let joined = column(&answer, "text").concat();
            assert_eq!(joined, text.replace("👩🏽‍🚀 👍", "👩🏽‍🚀👍").replace(", ", ","), "{text:?}");
        }
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let mut damaged = PIPELINE.to_vec();
        damaged[PIPELINE.len() / 2] ^= 1;
        for file in [Vec::new(), b"not a pipeline".to_vec(), PIPELINE[..5000].to_vec(), damaged] {
            let error = Annotator::new(file).err().unwrap();
            assert!(error["error"]["code"].is_string(), "{error}");
        }
    }

    #[test]
    fn the_description_names_the_licence_and_the_figures() {
        let meta = annotator().meta();
        assert_eq!(meta["license"], "CC BY-SA 4.0");
        assert!(meta["performance"]["tag_acc"].as_f64().unwrap() > 0.9, "{meta}");
    }
}
