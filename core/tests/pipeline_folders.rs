//! Pipelines in tests/files/pipelines, of rules and of small networks, which spaCy wrote with the
//! annotation that it gives (`tests/tools/reference_pipelines.py`): loaded whole, and with damaged
//! files.
#![expect(clippy::disallowed_methods, reason = "files are made to be broken")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use lexpool::config::Value;
use lexpool::loading::{LoadOptions, LoadedPipeline, load};
use lexpool::msgpack::Value as Message;
use lexpool::pipeline::AnnotatedDoc;
use lexpool::strings::StrId;
use lexpool::structs::{AttrId, symbol_name};
use lexpool::tokenizer::Text;

const NAMES: [&str; 5] = ["layers", "merges", "networks", "other_language", "rules"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/files/pipelines").join(name)
}

fn annotate(nlp: &LoadedPipeline, text: &str) -> AnnotatedDoc {
    let text = Text::Owned(text.to_owned());
    nlp.pipeline
        .annotate(text, &AtomicBool::new(false))
        .map_err(|failed| failed.into_error())
        .unwrap()
}

/// Returns the annotation of a document in the form of `expected.json`.
fn annotation(made: &AnnotatedDoc) -> Value {
    let doc = &made.doc;
    let string = |id: u64| Value::from(doc.snapshot().string(StrId::new(id)).unwrap_or_default());
    let token = |i: usize| {
        let token = doc.token(i).unwrap();
        let text = |attr: AttrId| Value::from(token.text_of(attr));
        let record = doc.tokens()[i];
        Value::List(vec![
            text(AttrId::ORTH),
            Value::from(if token.attr(AttrId::SPACY) == 1 { " " } else { "" }),
            text(AttrId::NORM),
            text(AttrId::LEMMA),
            Value::from(symbol_name(StrId::new(token.attr(AttrId::POS))).unwrap_or_default()),
            text(AttrId::TAG),
            Value::from(token.text_of(AttrId::MORPH).trim_start_matches('_')),
            text(AttrId::DEP),
            text(AttrId::ENT_TYPE),
            Value::from(["", "I", "O", "B"][record.ent_iob() as usize]),
            text(AttrId::ENT_ID),
            match record.sent_start() {
                0 => Value::Null,
                start => Value::Bool(start == 1),
            },
        ])
    };
    let spans = made.groups.iter().map(|(name, group)| {
        let span = |span: &lexpool::structs::SpanC| {
            let place = [span.start, span.end].map(|at| Value::Int(at.into()));
            Value::List([place.to_vec(), vec![string(span.label), string(span.id)]].concat())
        };
        (name.clone(), Value::List(group.spans().iter().map(span).collect()))
    });
    let tokens = || doc.iter();
    let heads = tokens().map(|token| Value::Int(token.head().i().try_into().unwrap()));
    let links = tokens().map(|token| Value::from(token.text_of(AttrId::ENT_KB_ID)));
    let cats = made.notes.unique_cats().into_iter().map(|(label, score)| {
        let rounded = (score * 1e4).round() / 1e4;
        (label.to_owned(), Value::Float(rounded))
    });
    let fields = [
        ("text".to_owned(), Value::from(doc.text())),
        ("tokens".to_owned(), Value::List((0..doc.len()).map(token).collect())),
        ("heads".to_owned(), Value::List(heads.collect())),
        ("links".to_owned(), Value::List(links.collect())),
        ("cats".to_owned(), Value::Section(cats.collect())),
        ("spans".to_owned(), Value::Section(spans.collect())),
    ];
    Value::Section(fields.into_iter().collect())
}

#[test]
fn a_pipeline_annotates_as_spacy_does() {
    for name in NAMES {
        let nlp = load(&folder(name), &LoadOptions::default()).unwrap();
        let expected = fs::read_to_string(folder(name).join("expected.json")).unwrap();
        let expected = Value::from_json(&expected).unwrap();
        for expected in expected.as_list().unwrap() {
            let fields = expected.as_section().unwrap();
            let made = annotate(&nlp, fields.get("text").unwrap().as_text().unwrap());
            let found = annotation(&made);
            assert_eq!(found.to_json(), expected.to_json(), "{name}");
        }
    }
}

#[test]
fn a_pipeline_has_what_its_folder_says() {
    let nlp = load(&folder("rules"), &LoadOptions::default()).unwrap();
    assert_eq!((&*nlp.lang, nlp.warnings.len()), ("en", 0));
    assert_eq!(nlp.disabled, ["off"]);
    assert_eq!(nlp.component_names.first().map(String::as_str), Some("sentencizer"));
    assert_eq!(nlp.pipeline.steps().len() + 1, nlp.component_names.len());
    assert_eq!(nlp.meta.get("spacy_version").and_then(Value::as_text), Some(">=3.8.18,<3.9.0"));
    assert_eq!(nlp.config.section("nlp").unwrap().get("batch_size"), Some(&Value::Int(1000)));
    let vocab = nlp.pipeline.tokenizer().vocab();
    assert!(vocab.vectors().is_none());
    // lexpool's own rules have the norm "have".
    assert_eq!(vocab.lexeme("'ve").unwrap().norm(), "'ve");

    let nlp = load(&folder("merges"), &LoadOptions::default()).unwrap();
    let vectors = nlp.pipeline.tokenizer().vocab().vectors().unwrap();
    assert_eq!(vectors.get(StrId::of("words").get()), Some(&[1.0, 2.0, 3.0][..]));

    let nlp = load(&folder("other_language"), &LoadOptions::default()).unwrap();
    assert_eq!((&*nlp.lang, nlp.warnings.len()), ("fi", 0));
    let config = vec![("nlp.lang".to_owned(), Value::from("tlh"))];
    let unknown = LoadOptions { config, ..LoadOptions::default() };
    let nlp = load(&folder("other_language"), &unknown).unwrap();
    assert!(nlp.warnings.len() == 1 && nlp.warnings[0].contains("\"tlh\""), "{:?}", nlp.warnings);
}

#[test]
fn components_are_chosen_when_a_pipeline_is_loaded() {
    let names = |options: LoadOptions| {
        let nlp = load(&folder("rules"), &options).unwrap();
        nlp.pipeline.steps().iter().map(|step| step.name.clone()).collect::<Vec<_>>().join(" ")
    };
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let none = LoadOptions::default;
    let all = "sentencizer attribute_ruler lemmatizer entity_ruler merge_entities span_ruler";
    assert_eq!(names(none()), all);
    let exclude = list(&["lemmatizer", "entity_ruler", "other"]);
    assert_eq!(
        names(LoadOptions { exclude, ..none() }),
        "sentencizer attribute_ruler merge_entities span_ruler"
    );
    let enable = list(&["span_ruler", "sentencizer"]);
    assert_eq!(names(LoadOptions { enable, ..none() }), "sentencizer span_ruler");
    let disable = list(&["sentencizer", "span_ruler"]);
    assert_eq!(
        names(LoadOptions { disable, ..none() }),
        "attribute_ruler lemmatizer entity_ruler merge_entities"
    );
}

#[test]
fn a_component_that_is_enabled_and_disabled_is_refused() {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let none = LoadOptions::default;
    let ruler = || list(&["span_ruler"]);
    for options in [
        LoadOptions { enable: ruler(), disable: ruler(), ..none() },
        // The configuration disables "off".
        LoadOptions { enable: list(&["sentencizer", "off"]), ..none() },
    ] {
        let error = load(&folder("rules"), &options).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "E1042", "{error}");
    }
    let config = vec![("nlp.disabled".to_owned(), Value::List(Vec::new()))];
    let options = LoadOptions { enable: list(&["off"]), config, ..none() };
    let nlp = load(&folder("rules"), &options).unwrap();
    assert_eq!(nlp.pipeline.steps().len(), 1);
}

#[test]
fn values_of_the_configuration_are_overridden() {
    let config = vec![
        ("nlp.pipeline".to_owned(), Value::List(vec!["off".into()])),
        ("nlp.disabled".to_owned(), Value::List(Vec::new())),
    ];
    let options = LoadOptions { config, ..LoadOptions::default() };
    let nlp = load(&folder("rules"), &options).unwrap();
    assert_eq!(nlp.component_names, ["off"]);
    let doc = annotate(&nlp, "They went home").doc;
    assert_eq!(doc.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..2, 2..3]);
}

/// Calls a function with each file of a pipeline, in a copy of its folder.
fn each_file(name: &str, mut call: impl FnMut(&Path, &Path, &[u8])) {
    let copy = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    copy_folder(&folder(name), copy.path(), &mut files);
    for path in files {
        let bytes = fs::read(&path).unwrap();
        call(copy.path(), &path, &bytes);
        fs::write(&path, &bytes).unwrap();
    }
}

fn copy_folder(from: &Path, to: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target, files);
        } else if entry.file_name() != "expected.json" {
            fs::copy(entry.path(), &target).unwrap();
            files.push(target);
        }
    }
}

fn error_of(folder: &Path) -> Option<lexpool::Error> {
    load(folder, &LoadOptions::default()).err()
}

/// Returns `true` for a file `cfg` that only repeats the configuration, which counts without it.
fn is_repeated(path: &Path) -> bool {
    ["tok2vec/cfg", "entity_linker/cfg", "span_finder/cfg"].iter().any(|own| path.ends_with(own))
}

#[test]
fn a_file_that_breaks_off_is_named() {
    for name in NAMES {
        let nlp = load(&folder(name), &LoadOptions::default()).unwrap();
        each_file(name, |folder, path, bytes| {
            let file = path.file_name().unwrap().to_str().unwrap();
            let is_off = nlp.disabled.iter().any(|name| *file == format!("{name}.json"));
            for len in [bytes.len() / 2, bytes.len().saturating_sub(3), 0] {
                fs::write(path, &bytes[..len]).unwrap();
                let error = error_of(folder);
                // A file without lines has no patterns, and the last section may be shorter.
                let may_be_valid = match file {
                    _ if is_repeated(path) => true,
                    "patterns" | "patterns.jsonl" => len == 0,
                    "config.cfg" => len > bytes.len() / 2,
                    _ => is_off,
                };
                match error {
                    Some(error) => assert!(error.message().contains(file), "{file}: {error}"),
                    None => assert!(may_be_valid, "{}, {len} bytes", path.display()),
                }
            }
        });
    }
}

#[test]
fn a_value_of_a_wrong_type_is_named_with_its_place() {
    let moves = |text: &str| {
        let fields = vec![(Message::Str("moves".to_owned()), Message::Str(text.to_owned()))];
        Message::Map(fields).to_bytes().unwrap()
    };
    let cfg = |morph: &str, pos: &str| {
        format!(r#"{{"labels_morph": {{"A": {morph}}}, "labels_pos": {{"A": {pos}}}}}"#)
            .into_bytes()
    };
    let pos = |value: &str| format!("\"labels_pos\" of \"A\" is {value}; expected 0 or the number");
    let (text, number) = ("expected a text", "expected a whole number");
    let table = [
        ("morphologizer/cfg", cfg("\"X=Y\"", "\"NOUN\""), pos("\"NOUN\"")),
        ("morphologizer/cfg", cfg("\"X=Y\"", "-1"), pos("-1")),
        ("morphologizer/cfg", cfg("\"X=Y\"", "1.5"), pos("1.5")),
        ("morphologizer/cfg", cfg("\"X=Y\"", "9999"), pos("9999")),
        ("morphologizer/cfg", cfg("\"X=Y\"", "null"), pos("null")),
        ("morphologizer/cfg", cfg("3", "92"), format!("\"labels_morph\" of \"A\" is 3; {text}")),
        ("morphologizer/cfg", cfg("null", "92"), format!("of \"A\" is null; {text}")),
        ("parser/moves", moves("[]"), "\"moves\" is []; expected an object".to_owned()),
        ("parser/moves", moves(r#"{"x": {}}"#), "the move \"x\"; expected".to_owned()),
        ("parser/moves", moves(r#"{"2": [7]}"#), "move 2: the labels are [7]; expected".to_owned()),
        (
            "parser/moves",
            moves(r#"{"2": {"dep": "7"}}"#),
            format!("move 2: the frequency of \"dep\" is \"7\"; {number}"),
        ),
    ];
    let copy = tempfile::tempdir().unwrap();
    copy_folder(&folder("networks"), copy.path(), &mut Vec::new());
    for (file, bytes, part) in table {
        let path = copy.path().join(file);
        let good = fs::read(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        let error = error_of(copy.path()).unwrap();
        assert_eq!(error.code(), "model-cfg", "{error}");
        let name = file.split_once('/').unwrap().1;
        assert!(error.message().contains(&part), "{error} lacks {part}");
        assert!(error.message().contains(&format!("file {name:?}")), "{error}");
        fs::write(&path, good).unwrap();
    }
}

#[test]
fn a_number_of_a_cfg_above_its_limit_is_named_with_its_place() {
    let table = [
        ("parser", "beam_width", "1025", "beam-width", "1025; expected 0 to 1024"),
        ("parser", "beam_width", "2147483647", "beam-width", "expected 0 to 1024"),
        ("parser", "beam_width", "4611686018427387904", "beam-width", "expected 0 to 1024"),
        ("parser", "beam_width", "-1", "model-cfg", "expected a whole number"),
        ("parser", "beam_density", "-0.5", "model-cfg", "expected a number from 0 to 1"),
        ("parser", "beam_density", "1.5", "model-cfg", "expected a number from 0 to 1"),
    ];
    let copy = tempfile::tempdir().unwrap();
    copy_folder(&folder("networks"), copy.path(), &mut Vec::new());
    for (component, key, value, code, part) in table {
        let path = copy.path().join(component).join("cfg");
        let good = fs::read_to_string(&path).unwrap();
        let Value::Section(mut cfg) = Value::from_json(&good).unwrap() else { panic!("{good}") };
        cfg.set(key, Value::from_json(value).unwrap());
        fs::write(&path, Value::Section(cfg).to_json()).unwrap();
        let error = error_of(copy.path()).unwrap();
        assert_eq!(error.code(), code, "{error}");
        let place = format!("component {component:?}, file \"cfg\": {key:?} is {value}");
        assert!(error.message().contains(&place) && error.message().contains(part), "{error}");
        fs::write(&path, good).unwrap();
    }
}

#[test]
fn a_missing_file_is_named_unless_it_is_optional() {
    for name in NAMES {
        each_file(name, |folder, path, _| {
            fs::remove_file(path).unwrap();
            let file = path.file_name().unwrap().to_str().unwrap();
            if let Some(error) = error_of(folder) {
                assert!(error.message().contains(file), "{file}: {error}");
            } else {
                let optional = ["meta.json", "off.json", "lookups.bin"];
                let of_vectors = ["vectors", "key2row", "vectors.cfg"];
                let known = [&optional[..], &of_vectors].concat();
                assert!(known.contains(&file) || is_repeated(path), "{}", path.display());
            }
        });
    }
}

#[test]
fn a_file_with_changed_bytes_loads_or_is_refused() {
    let changes = if std::env::var_os("LEXPOOL_FULL").is_some() { 500 } else { 12 };
    for name in NAMES {
        each_file(name, |folder, path, bytes| {
            // Numbers of a linear congruential generator choose the bytes and the bits.
            let mut state = 7_u64;
            let mut next = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                usize::try_from(state >> 33).unwrap() % below
            };
            for _ in 0..changes {
                let mut changed = bytes.to_vec();
                for _ in 0..=next(3) {
                    let at = next(changed.len());
                    changed[at] ^= 1 << next(8);
                }
                fs::write(path, &changed).unwrap();
                if let Ok(nlp) = load(folder, &LoadOptions::default()) {
                    let text = Text::Owned("Some company, 10 companies in New York".to_owned());
                    drop(nlp.pipeline.annotate(text, &AtomicBool::new(false)));
                }
            }
        });
    }
}
