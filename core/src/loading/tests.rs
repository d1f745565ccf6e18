use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::codes;
use crate::config::Value;
use crate::formats::doc_bytes;
use crate::pipeline::{Component, ComponentSource, Groups, LemmaLanguage};
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::Text;
use crate::tokens::Doc;
use crate::{Error, Result};

/// Writes a configuration into a folder without other files.
fn folder(nlp: &str, components: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("[nlp]\n{nlp}\n[components]\n{components}");
    std::fs::write(folder.path().join("config.cfg"), text).unwrap();
    folder
}

/// Loads a folder without a tokenizer.
fn loaded(path: &Path, more: LoadOptions) -> Result<LoadedPipeline> {
    let exclude = [vec!["tokenizer".to_owned()], more.exclude].concat();
    load(path, &LoadOptions { exclude, ..more })
}

fn error(nlp: &str, components: &str) -> Error {
    let folder = folder(nlp, components);
    loaded(folder.path(), LoadOptions::default()).map(|_| ()).unwrap_err()
}

const ALL: &str = r#"lang = "hu"
pipeline = ["tagger", "own", "ruler", "chunks", "lemmas", "there", "off"]
disabled = ["off"]
after_creation = {"@callbacks": "mine.v1"}

[nlp.tokenizer]
@tokenizers = "mine.Tokenizer.v1"
"#;
const PARTS: &str = r#"
[components.tagger]
factory = "transformer"

[components.own]
factory = "my_factory"

[components.ruler]
factory = "span_ruler"
spans_filter = {"@misc": "my_filter.v1"}
scorer = {"@scorers": "mine.v1"}

[components.chunks]
factory = "merge_noun_chunks"

[components.lemmas]
factory = "lemmatizer"
mode = "pos_lookup"

[components.there]
source = "other"

[components.off]
factory = "not_asked"
"#;

#[test]
fn everything_that_cannot_run_is_refused_at_once() {
    let nlp = ALL.replace("@tokenizers", "# @tokenizers");
    let nlp = nlp.replace("[nlp.tokenizer]", "[nlp.vectors]\n@vectors = \"mine.v1\"\n");
    let folder = folder(&nlp, PARTS);
    std::fs::write(folder.path().join("tokenizer"), b"\x80").unwrap();
    let refused = load(folder.path(), &LoadOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), "pipeline-unsupported");
    let lines: Vec<&str> = refused.message().lines().map(str::trim).collect();
    let expected = [
        "config.cfg: lexpool cannot run",
        "[nlp] \"after_creation\" is {\"@callbacks\": \"mine.v1\"}",
        "[nlp.vectors] @vectors = \"mine.v1\"",
        "[components.ruler] has the function @misc = \"my_filter.v1\"",
        "[components.chunks] needs rules for noun chunks, which lexpool lacks for \"hu\"",
        "[components.lemmas] is a lemmatizer of the mode \"pos_lookup\"",
        "[components.tagger] has the factory \"transformer\", a trained component",
        "[components.own] has the factory \"my_factory\"",
        "[components.there] is taken from another pipeline",
        "(exclude: \"ruler\", \"chunks\", \"lemmas\", \"tagger\", \"own\", \"there\")",
    ];
    assert_eq!(lines.len(), expected.len(), "{refused}");
    for (line, part) in lines.iter().zip(expected) {
        assert!(line.contains(part), "{line} lacks {part}");
    }
}

#[test]
fn a_foreign_tokenizer_is_refused_and_its_file_is_not_read() {
    let refused = error(ALL, PARTS);
    assert_eq!(refused.code(), "pipeline-unsupported");
    assert!(refused.message().contains("[nlp.tokenizer] @tokenizers = \"mine.Tokenizer.v1\""));
    assert!(refused.message().contains("\"transformer\", a trained component"), "{refused}");
}

#[test]
fn an_entity_linker_with_functions_of_its_own_is_refused() {
    let nlp = "lang = \"en\"\npipeline = [\"links\"]";
    let with = |settings: &str| {
        error(nlp, &format!("[components.links]\nfactory = \"entity_linker\"\n{settings}"))
    };
    let own = |key: &str| format!("{key} = {{\"@misc\": \"own.v1\"}}\n");
    for key in ["get_candidates", "get_candidates_batch", "generate_empty_kb"] {
        let refused = with(&own(key));
        assert_eq!(refused.code(), "pipeline-unsupported", "{refused}");
        let part = format!("[components.links] has {{\"@misc\": \"own.v1\"}} as {key:?}");
        assert!(refused.message().contains(&part), "{refused}");
    }
    let all = with(&(own("get_candidates") + &own("generate_empty_kb")));
    assert!(all.message().contains("\"get_candidates\", which lexpool does not have"), "{all}");
    assert!(all.message().contains("it has spacy.EmptyKB.v2, spacy.EmptyKB.v1"), "{all}");
    let known = r#"
get_candidates = {"@misc": "spacy.CandidateGenerator.v1"}
get_candidates_batch = {"@misc": "spacy.CandidateBatchGenerator.v1"}
generate_empty_kb = {"@misc": "spacy.EmptyKB.v1"}
"#;
    let none = "get_candidates = null\nget_candidates_batch = null\ngenerate_empty_kb = null";
    for settings in [known, none, ""] {
        assert_eq!(with(settings).code(), "model-settings");
    }
}

#[test]
fn excluded_components_are_not_refused() {
    let folder = folder("lang = \"en\"\npipeline = [\"tagger\", \"merge\"]", PARTS);
    let error = loaded(folder.path(), LoadOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "E956");
    let exclude = vec!["tagger".to_owned(), "merge".to_owned()];
    let nlp = loaded(folder.path(), LoadOptions { exclude, ..LoadOptions::default() }).unwrap();
    assert!(nlp.component_names.is_empty() && nlp.meta.is_empty());
}

#[test]
fn an_invalid_configuration_is_named_with_its_place() {
    let sentencizer = "[components.s]\nfactory = \"sentencizer\"\n";
    let with = |setting: &str| format!("{sentencizer}{setting}");
    let nlp = "lang = \"en\"\npipeline = [\"s\"]";
    let table = [
        ("lang = 3", String::new(), "config-value", "[nlp]: \"lang\" is 3"),
        ("lang = \"en\"\npipeline = \"s\"", String::new(), "config-value", "\"pipeline\" is \"s\""),
        ("lang = \"en\"\npipeline = [1]", String::new(), "config-value", "\"pipeline\" is [1]"),
        ("lang = \"en\"\ndisabled = 1", String::new(), "config-value", "\"disabled\" is 1"),
        (nlp, String::new(), "E956", "[components.s] is missing"),
        (
            nlp,
            "[components.s]\nx = 1".to_owned(),
            "E984",
            "[components.s]: expected the key 'factory'",
        ),
        (nlp, with("x = 1"), "config-value", "[components.s] has \"x\""),
        (nlp, with("y = ${a.b}"), "config-reference", "components.s.y"),
        ("lang = \"en\"\npipeline = [\"../s\"]", String::new(), "component-name", "'/'"),
        (
            "lang = \"en\"\npipeline = [\"s\", \"s\"]",
            sentencizer.to_owned(),
            "E007",
            "\"s\" occurs twice",
        ),
    ];
    for (nlp, components, code, part) in table {
        let error = error(nlp, &components);
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(part), "{error} lacks {part}");
        assert!(error.message().contains("config.cfg"), "{error}");
    }
}

#[test]
fn settings_of_another_kind_are_refused() {
    let table = [
        ("entity_ruler", "overwrite_ents = 1"),
        ("entity_ruler", "ent_id_sep = null"),
        ("entity_ruler", "phrase_matcher_attr = \"NONE\""),
        ("future_entity_ruler", "overwrite_ents = \"yes\""),
        ("span_ruler", "spans_key = 1"),
        ("span_ruler", "spans_filter = \"x\""),
        ("span_ruler", "annotate_ents = null"),
        ("lemmatizer", "overwrite = 0"),
        ("merge_entities", "x = 0"),
    ];
    for (factory, setting) in table {
        let nlp = "lang = \"en\"\npipeline = [\"own\"]";
        let folder = folder(nlp, &format!("[components.own]\nfactory = \"{factory}\"\n{setting}"));
        std::fs::create_dir(folder.path().join("own")).unwrap();
        std::fs::write(folder.path().join("own.jsonl"), "").unwrap();
        std::fs::write(folder.path().join("own/patterns"), "").unwrap();
        let error = loaded(folder.path(), LoadOptions::default()).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "config-value", "{factory}, {setting}: {error}");
        assert!(error.message().contains("[components.own]"), "{error}");
    }
}

#[test]
fn a_folder_that_is_no_pipeline_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let code = |path: &Path| load(path, &LoadOptions::default()).map(|_| ()).unwrap_err().code();
    assert_eq!(code(&folder.path().join("none")), "E050");
    assert_eq!(code(folder.path()), "E053");
    std::fs::write(folder.path().join("config.cfg"), "[other]").unwrap();
    assert_eq!(code(folder.path()), "E985");
    std::fs::write(folder.path().join("config.cfg"), "[nlp]\nlang = \"tlh\"").unwrap();
    assert_eq!(code(folder.path()), "file-not-found");
    let error = loaded(folder.path(), LoadOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "unknown-language");
}

#[test]
fn a_pattern_that_cannot_run_is_refused_with_its_file() {
    let rule = |attrs: &str, pattern: &str| {
        let json = format!(r#"[{{"patterns": [[{pattern}]], "attrs": {attrs}, "index": 0}}]"#);
        message(&Value::from_json(&json).unwrap()).to_bytes().unwrap()
    };
    let table = [
        (rule(r#"{"_": {"own": 1}}"#, "{}"), "pipeline-unsupported", "extension attributes"),
        (rule(r#"{"TAG": 1.5}"#, "{}"), "msgpack-type", "rule 0: expected text or a number as TAG"),
        (rule(r#"{"ENT_IOB": "X"}"#, "{}"), "E1025", "\"X\""),
        (rule(r#"{"TAG": "x"}"#, r#"{"_": {"own": 1}}"#), "pattern-syntax", "Python only"),
        (rule("[]", "{}"), "msgpack-type", "a map of attributes"),
        (b"\x80".to_vec(), "msgpack-type", "a list of rules"),
    ];
    for (bytes, code, part) in table {
        let nlp = "lang = \"en\"\npipeline = [\"a\"]";
        let folder = folder(nlp, "[components.a]\nfactory = \"attribute_ruler\"");
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/patterns"), bytes).unwrap();
        let error = loaded(folder.path(), LoadOptions::default()).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(part), "{error} lacks {part}");
    }
}

fn message(value: &Value) -> crate::msgpack::Value {
    use crate::msgpack::Value as Message;
    match value {
        Value::Null => Message::Nil,
        Value::Bool(value) => Message::Bool(*value),
        Value::Int(value) => Message::Int(*value),
        Value::Float(value) => Message::Float(*value),
        Value::Text(text) => Message::Str(text.clone()),
        Value::List(items) => Message::Array(items.iter().map(message).collect()),
        Value::Section(fields) => {
            let field =
                |(name, value): (&str, &Value)| (Message::Str(name.to_owned()), message(value));
            Message::Map(fields.iter().map(field).collect())
        }
    }
}

#[test]
fn attributes_of_rules_are_names_or_numbers() {
    use crate::msgpack::Value as Message;
    use crate::structs::AttrId;

    let text = |text: &str| Message::Str(text.to_owned());
    let number = |attr: AttrId| Message::UInt(u64::from(attr.number()));
    let file = |test: (Message, Message), attr: (Message, Message)| {
        let pattern = Message::Array(vec![Message::Map(vec![test])]);
        let rule = [
            (text("patterns"), Message::Array(vec![pattern])),
            (text("attrs"), Message::Map(vec![attr])),
            (text("index"), Message::UInt(0)),
        ];
        let folder = folder(
            "lang = \"en\"\npipeline = [\"a\"]",
            "[components.a]\nfactory = \"attribute_ruler\"",
        );
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let bytes = Message::Array(vec![Message::Map(rule.to_vec())]).to_bytes().unwrap();
        std::fs::write(folder.path().join("a/patterns"), bytes).unwrap();
        let pipeline = loaded(folder.path(), LoadOptions::default())?.pipeline;
        let text = Text::Owned("So it goes".to_owned());
        Ok(pipeline.annotate(text, &AtomicBool::new(false)).unwrap().doc)
    };
    let so = || (text("LOWER"), text("so"));
    let by_number = (number(AttrId::LOWER), text("so"));
    let doc: Result<Doc> = file(by_number, (number(AttrId::TAG), text("X")));
    assert_eq!(doc.unwrap().token(0).unwrap().text_of(AttrId::TAG), "X");
    let doc = file(so(), (number(AttrId::SENT_START), Message::Int(-1))).unwrap();
    assert_eq!(doc.tokens()[0].sent_start(), -1);
    let doc = file((text("IS_TITLE"), Message::Bool(true)), (text("TAG"), text("X"))).unwrap();
    assert_eq!(doc.token(0).unwrap().text_of(AttrId::TAG), "X");
    // Names and numbers that nobody knows are ignored in what is set, as in spaCy.
    for unknown in [text("NOT_THERE"), Message::UInt(u64::MAX)] {
        assert!(file(so(), (unknown, text("X"))).is_ok());
    }
    let mut deep = Message::UInt(1);
    for _ in 0..30 {
        deep = Message::Array(vec![deep]);
    }
    for (test, said) in [
        ((Message::UInt(99_999_999), text("x")), "99999999 is not an attribute"),
        ((Message::Bool(true), text("x")), "a field is neither text nor a number"),
        ((text("LOWER"), Message::Bytes(vec![1])), "it contains binary data"),
        ((text("LOWER"), Message::UInt(u64::MAX)), "is not the value of an attribute"),
        ((text("LOWER"), deep), "it is nested in too many levels"),
    ] {
        let error = file(test, (text("TAG"), text("X"))).unwrap_err();
        assert!(error.message().contains(said), "{said} is not in: {error}");
    }
    for (attr, code, said) in [
        ((Message::Bool(true), text("X")), "msgpack-type", "names or numbers of attributes"),
        ((text("MORPH"), Message::UInt(1 << 40)), "E018", "the id 1099511627776 of MORPH"),
        ((text("TAG"), Message::Nil), "msgpack-type", "expected text or a number as TAG"),
    ] {
        let error = file(so(), attr).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(said), "{said} is not in: {error}");
    }
}

struct Trained(usize);

impl Component for Trained {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let tag = doc.snapshot().add(&format!("T{}", self.0))?;
        doc.attrs_mut().set(0, crate::structs::AttrId::TAG, tag.get())
    }
}

/// Has the factories `tagger`, and `parser` with an unknown layer.
fn trained(source: &ComponentSource<'_>) -> Result<Option<Arc<dyn Component>>> {
    match source.factory {
        "tagger" => {
            let labels = source.read_json("cfg")?;
            let labels = labels.get("labels").and_then(Value::as_list).map_or(0, <[Value]>::len);
            assert!(source.settings.get("width").is_some() && source.steps_before.is_empty());
            Ok(Some(Arc::new(Trained(labels))))
        }
        "parser" => Err(Error::value(codes::MODEL_LAYER, source.place() + ": a layer of PyTorch")),
        _ => Ok(None),
    }
}

#[test]
fn trained_components_are_made_by_their_own_loader() {
    let nlp = "lang = \"en\"\npipeline = [\"tags\", \"parser\", \"words\"]";
    let parts = r#"
[components.tags]
factory = "tagger"
width = 3

[components.parser]
factory = "parser"

[components.words]
factory = "op"
op = "doc.words"
"#;
    let folder = folder(nlp, parts);
    std::fs::create_dir(folder.path().join("tags")).unwrap();
    std::fs::write(folder.path().join("tags/cfg"), r#"{"labels": ["A", "B"]}"#).unwrap();
    let exclude = |names: &[&str]| {
        let exclude = ["tokenizer"].iter().chain(names).map(|name| (*name).to_owned()).collect();
        LoadOptions { exclude, loaders: vec![trained], ..LoadOptions::default() }
    };
    let refused = load(folder.path(), &exclude(&[])).map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), "pipeline-unsupported");
    assert!(refused.message().contains("[components.parser]: a layer of PyTorch"), "{refused}");
    assert!(refused.message().contains("(exclude: \"parser\", \"words\")"), "{refused}");
    let nlp = load(folder.path(), &exclude(&["parser", "words"])).unwrap();
    let text = crate::tokenizer::Text::Owned("One two".to_owned());
    let made =
        nlp.pipeline.annotate(text, &AtomicBool::default()).map_err(|failed| failed.into_error());
    let made = made.unwrap();
    assert_eq!(made.doc.token(0).unwrap().text_of(crate::structs::AttrId::TAG), "T2");
    // Damage is reported as such.
    std::fs::write(folder.path().join("tags/cfg"), "{").unwrap();
    let damaged = load(folder.path(), &exclude(&["parser", "words"])).map(|_| ());
    let error = damaged.unwrap_err();
    assert_eq!(error.code(), "json-syntax");
    assert!(error.message().starts_with("the component \"tags\": "), "{error}");
}

/// Writes look-up tables without entries as the data of the component `lemmas`.
fn write_tables(folder: &Path, names: &[&str]) {
    use crate::msgpack::Value;
    let table = |name: &&str| (Value::Str((*name).to_owned()), Value::Map(Vec::new()));
    let tables = Value::Map(names.iter().map(table).collect());
    std::fs::create_dir_all(folder.join("lemmas/lookups")).unwrap();
    std::fs::write(folder.join("lemmas/lookups/lookups.bin"), tables.to_bytes().unwrap()).unwrap();
}

#[test]
fn lemmatizers_of_languages_load_with_the_tables_that_they_require() {
    let table = [("nl", "lookup", &["lemma_lookup"][..]), ("sv", "rule", &["lemma_rules"])];
    let own = ["ca", "el", "es", "fr", "ga", "ht", "it", "mk", "nl", "pl"].map(|code| {
        let language = LemmaLanguage::from_code(code).unwrap();
        (code, language.mode(), language.required_tables())
    });
    for (lang, mode, required) in table.into_iter().chain(own) {
        // The mode may be left out, but for Dutch, which has two.
        let setting = if lang == "nl" { format!("mode = \"{mode}\"") } else { String::new() };
        let nlp = format!("lang = \"{lang}\"\npipeline = [\"lemmas\"]");
        let parts = format!("[components.lemmas]\nfactory = \"lemmatizer\"\n{setting}");
        let folder = folder(&nlp, &parts);
        write_tables(folder.path(), required);
        std::fs::write(folder.path().join("tokenizer"), b"\x80").unwrap();
        let nlp = load(folder.path(), &LoadOptions::default()).unwrap();
        let text = crate::tokenizer::Text::Owned("Casas".to_owned());
        let made = nlp.pipeline.annotate(text, &AtomicBool::default());
        let made = made.map_err(|failed| failed.into_error()).unwrap();
        let lemma = made.doc.token(0).unwrap().text_of(crate::structs::AttrId::LEMMA);
        assert_eq!(lemma, "casas", "{lang}");
        for missing in required {
            let others: Vec<_> = required.iter().filter(|name| *name != missing).copied().collect();
            write_tables(folder.path(), &others);
            let error = load(folder.path(), &LoadOptions::default()).map(|_| ()).unwrap_err();
            assert_eq!(error.code(), "E912", "{lang}");
            assert!(error.message().contains(missing), "{error}");
        }
    }
    let parts = "[components.lemmas]\nfactory = \"lemmatizer\"";
    let refused = error("lang = \"ru\"\npipeline = [\"lemmas\"]", parts);
    assert_eq!(refused.code(), "pipeline-unsupported");
    assert!(refused.message().contains("pymorphy3"), "{refused}");
}

/// Copies a pipeline of the repository's files and packs the copy.
fn packed(name: &str, folder: &Path) -> std::path::PathBuf {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/files/pipelines").join(name);
    let path = folder.join(format!("{name}.pipeline"));
    pack(&PipelineFiles::open(&tree).unwrap(), &path).unwrap();
    path
}

#[test]
fn a_packed_pipeline_annotates_as_its_folder_does() {
    let place = tempfile::tempdir().unwrap();
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/files/pipelines");
    for name in ["layers", "merges", "networks", "rules"] {
        let path = packed(name, place.path());
        let bytes = std::fs::read(&path).unwrap();
        let of_folder = load(&tree.join(name), &LoadOptions::default()).unwrap();
        let of_file = load(&path, &LoadOptions::default()).unwrap();
        let files = PipelineFiles::from_bytes(bytes).unwrap();
        let of_bytes = load_files(&files, &LoadOptions::default()).unwrap();
        let annotated = |nlp: &LoadedPipeline| {
            let text = Text::Owned("Ann Lee moved to London in 2024. Why? It rains.".to_owned());
            let done = nlp.pipeline.annotate(text, &AtomicBool::default());
            let doc = done.map_err(|failed| failed.into_error()).unwrap().doc;
            doc_bytes::to_bytes(&doc, &doc_bytes::Extras::default(), &[]).unwrap()
        };
        assert_eq!(annotated(&of_file), annotated(&of_folder), "{name}");
        assert_eq!(annotated(&of_bytes), annotated(&of_folder), "{name}");
        assert_eq!(of_file.meta, of_folder.meta);
        assert_eq!(of_file.config.root(), of_folder.config.root());
    }
}

/// Returns the words of a text in a pipeline whose tokenizer has these settings.
fn words_of(lang: &str, tokenizer: &str, text: &str) -> Result<Vec<String>> {
    let nlp = format!("lang = {lang:?}\npipeline = []\n[nlp.tokenizer]\n{tokenizer}");
    let folder = folder(&nlp, "");
    let nlp = load(folder.path(), &LoadOptions::default())?;
    let doc = nlp.pipeline.tokenizer().tokenize(text)?;
    Ok(doc.iter().map(|token| token.text().to_owned()).collect())
}

#[test]
fn segmenters_take_the_place_of_tokenizers_of_languages() {
    const CHINESE: &str = "@tokenizers = \"spacy.zh.ChineseTokenizer\"\nsegmenter";
    #[cfg(feature = "thai")]
    {
        let thai = "@tokenizers = \"spacy.th.ThaiTokenizer\"";
        assert_eq!(words_of("th", thai, "ภาษาไทยง่าย").unwrap(), ["ภาษาไทย", "ง่าย"]);
    }
    assert_eq!(words_of("zh", &format!("{CHINESE} = \"char\""), "北京").unwrap(), ["北", "京"]);
    let (without, _) = CHINESE.split_once('\n').unwrap();
    assert_eq!(words_of("zh", without, "北京").unwrap(), ["北", "京"]);

    let data = tempfile::tempdir().unwrap();
    std::fs::create_dir(data.path().join("finalseg")).unwrap();
    std::fs::write(data.path().join("dict.txt"), "北京 300 ns\n").unwrap();
    let empty = "P={'B': {}, 'E': {}, 'M': {}, 'S': {}}";
    for part in ["prob_start.py", "prob_trans.py", "prob_emit.py"] {
        std::fs::write(data.path().join("finalseg").join(part), empty).unwrap();
    }
    let jieba = format!("{CHINESE} = \"jieba\"");
    let path = Value::from(data.path().to_str().unwrap()).to_json();
    let with_path = format!("{jieba}\ndictionary = {path}");
    assert_eq!(words_of("zh", &with_path, "在北京。").unwrap(), ["在", "北京", "。"]);
    let missing = words_of("zh", &jieba, "").unwrap_err();
    assert_eq!(missing.code(), "segmenter-data");
    assert!(missing.message().contains("nlp.tokenizer.dictionary"), "{missing}");

    let missing = words_of("zh", &format!("{CHINESE} = \"pkuseg\""), "").unwrap_err();
    assert_eq!(missing.code(), "file-not-found");
    assert!(missing.message().contains("features.msgpack"), "{missing}");
    let other = words_of("zh", &format!("{CHINESE} = \"other\""), "").unwrap_err();
    assert_eq!(other.code(), "pipeline-unsupported");
}

#[test]
fn rules_of_a_file_take_the_place_of_a_segmenter_by_request() {
    let n_tokens = |tokenizer: &str| {
        let folder = folder(&format!("lang = \"th\"\npipeline = []\n{tokenizer}"), "");
        let nlp = loaded(folder.path(), LoadOptions::default()).unwrap();
        nlp.pipeline.tokenizer().tokenize("ภาษาไทย, ง่าย").unwrap().len()
    };
    assert_eq!(n_tokens("tokenizer = {\"@tokenizers\": \"spacy.Tokenizer.v1\"}"), 3);
    // The segmenter of the language is the default: a space after a comma is a token then.
    assert_eq!(n_tokens(""), 4);
}
