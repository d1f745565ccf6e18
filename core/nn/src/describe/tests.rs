use serde_json::{Value, json};

use super::*;

const FILE: &[u8] = include_bytes!("../../../../tests/files/tok2vec.model");
const SECTION: &str = "components.tok2vec.model";

fn encoder(depth: usize) -> Value {
    json!({"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": depth})
}

fn tok2vec(embed: &Value, encode: &Value) -> Value {
    json!({"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode})
}

#[test]
fn depths_are_bounded_by_the_nodes_of_the_file() {
    let file = ModelFile::parse(FILE).unwrap();
    assert!(build_for(&encoder(2), SECTION, &file).is_ok());
    let half = encoder(file.nodes().len() / 12);
    assert!(build_for(&half, SECTION, &file).is_ok());
    let twice = tok2vec(&half, &half);
    let ensemble = json!({"@architectures": "spacy.TextCatEnsemble.v1", "conv_depth": 65536});
    for (settings, code, setting) in [
        (encoder(10_000), "model-structure", "\"depth\" is 10000"),
        (twice, "model-structure", "[components.tok2vec.model.encode]: \"depth\""),
        (encoder(1 << 20), "number-limit", "\"depth\" is 1048576"),
        (encoder(usize::MAX), "number-limit", "\"depth\" is 18446744073709551615"),
        (ensemble, "number-limit", "\"conv_depth\" is 65536"),
    ] {
        let error = build_for(&settings, SECTION, &file).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(setting), "{error} lacks {setting}");
    }
}

#[test]
fn depths_without_a_file_have_a_bound_too() {
    assert!(build(&encoder(1000), SECTION).is_ok());
    for depth in [16_000, 1 << 16] {
        let error = build(&encoder(depth), SECTION).unwrap_err();
        assert_eq!(error.code(), "number-limit", "{error}");
    }
}

#[test]
fn an_unknown_architecture_is_named_before_a_depth() {
    let unknown = json!({"@architectures": "own.Embed.v1"});
    let error = build(&tok2vec(&unknown, &encoder(1 << 16)), SECTION).unwrap_err();
    assert_eq!(error.code(), "model-architecture", "{error}");
    assert!(error.message().contains("\"own.Embed.v1\""), "{error}");
}

#[test]
fn a_categorizer_without_a_reduction_has_the_code_of_spacy() {
    let listener = json!({"@architectures": "spacy.Tok2VecListener.v1"});
    let settings = json!({"@architectures": "spacy.TextCatReduce.v1", "tok2vec": listener});
    let error = build(&settings, "components.textcat.model").unwrap_err();
    assert_eq!(error.code(), "E1057", "{error}");
    assert!(error.message().contains("[components.textcat.model]"), "{error}");
}

#[test]
fn settings_of_a_wrong_type_are_named() {
    let table = [
        (json!([]), "it is not a section"),
        (json!({}), "it names no architecture"),
        (json!({"@architectures": 1}), "it names no architecture"),
        (json!({"@architectures": "a", "@layers": "b"}), "it names no architecture"),
        (json!({"@architectures": "spacy.Tok2Vec.v2", "embed": 1}), "\"embed\" is missing"),
        (
            json!({"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": -1}),
            "\"depth\" is -1; expected a whole number",
        ),
        (
            json!({"@architectures": "spacy.MultiHashEmbed.v2", "attrs": 1}),
            "\"attrs\" is 1; expected a list",
        ),
        (
            json!({"@architectures": "spacy.TextCatBOW.v3", "no_output_layer": 1}),
            "\"no_output_layer\" is 1; expected true or false",
        ),
    ];
    for (settings, part) in table {
        let error = build(&settings, SECTION).unwrap_err();
        assert_eq!(error.code(), "model-settings", "{error}");
        assert!(error.message().contains(part), "{error} lacks {part}");
    }
}
