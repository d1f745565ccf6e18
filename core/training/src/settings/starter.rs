//! Configurations to begin with, for a language, components and a goal.
//!
//! The numbers are those that spaCy's quickstart recommends for processors without a GPU.

use std::fmt::Write as _;

use lexpool::codes;
use lexpool::components::ComponentKind;
use lexpool::config::Config;
use lexpool::matcher::levenshtein;
use lexpool::tokenizer::lang;
use lexpool::{Error, Result};

use super::fill::fill_config;

/// A goal of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Small and fast.
    Efficiency,
    /// Wide and deep, with word vectors.
    Accuracy,
}

/// The components that a configuration can begin with, in the order of messages.
const COMPONENTS: [ComponentKind; 13] = [
    ComponentKind::Tagger,
    ComponentKind::Morphologizer,
    ComponentKind::TrainableLemmatizer,
    ComponentKind::Parser,
    ComponentKind::Ner,
    ComponentKind::Senter,
    ComponentKind::Sentencizer,
    ComponentKind::Textcat,
    ComponentKind::TextcatMultilabel,
    ComponentKind::Spancat,
    ComponentKind::SpancatSingleLabel,
    ComponentKind::SpanFinder,
    ComponentKind::EntityLinker,
];

/// Languages with a published pipeline that has word vectors, with the genre in its name.
const VECTORS: [(&str, &str); 15] = [
    ("da", "news"),
    ("de", "news"),
    ("el", "news"),
    ("en", "web"),
    ("es", "news"),
    ("fr", "news"),
    ("it", "news"),
    ("ja", "news"),
    ("lt", "news"),
    ("nb", "news"),
    ("nl", "news"),
    ("pl", "news"),
    ("pt", "news"),
    ("ro", "news"),
    ("zh", "web"),
];

/// The listener of a component.
const LISTENER: &str = "\
@architectures = \"spacy.Tok2VecListener.v1\"
width = ${components.tok2vec.model.encode.width}
upstream = \"*\"
";

/// The knowledge base of an entity linker.
const KNOWLEDGE: &str = "\
[initialize]

[initialize.components]

[initialize.components.entity_linker]

[initialize.components.entity_linker.kb_loader]
@misc = \"spacy.KBFromFile.v1\"
kb_path = ${paths.kb}
";

/// Returns the configuration of a pipeline of new components: all settings, with those of the
/// shared component if others listen to it.
///
/// # Errors
///
/// `unknown-language`; `training-unsupported` for a component that a configuration cannot begin
/// with; `training-config` for one that is named twice.
///
/// ```
/// use lexpool::config::Value;
/// use lexpool_training::{Goal, starter_config};
///
/// let config = starter_config("de", &["tagger", "ner"], Goal::Efficiency)?;
/// let nlp = config.section("nlp").unwrap();
/// assert_eq!(nlp.get("pipeline").and_then(Value::as_texts).unwrap(), ["tok2vec", "tagger", "ner"]);
/// assert!(config.to_text().contains("[components.ner.model.tok2vec]"));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn starter_config<N: AsRef<str>>(lang: &str, pipeline: &[N], goal: Goal) -> Result<Config> {
    lang::load(lang)?;
    // The shared component is added where it is needed.
    let mut kinds = Vec::new();
    for name in pipeline.iter().map(AsRef::as_ref) {
        let kind = ComponentKind::of(name);
        if kind == Some(ComponentKind::Tok2Vec) {
            continue;
        }
        let kind = kind.filter(|kind| COMPONENTS.contains(kind)).ok_or_else(|| unknown(name))?;
        if kinds.contains(&kind) {
            let text = format!("the component {name:?} is given twice");
            return Err(Error::value(codes::TRAINING_CONFIG, text));
        }
        kinds.push(kind);
    }
    let is_shared = kinds.iter().any(|kind| listens(*kind, goal));
    let shared = is_shared.then_some(ComponentKind::Tok2Vec);
    let listed = shared.iter().chain(&kinds).map(|kind| format!("{:?}", kind.factory()));
    let listed: Vec<String> = listed.collect();
    let vectors = vectors(lang, goal);
    let vectors = vectors.map_or("null".to_owned(), |name| format!("{name:?}"));
    let has_links = kinds.contains(&ComponentKind::EntityLinker);
    let base = if has_links { "kb = null\n" } else { "" };
    let mut text = format!(
        "[paths]\ntrain = null\ndev = null\nvectors = {vectors}\n{base}\n[nlp]\nlang = {lang:?}\n\
         pipeline = [{}]\n\n[components]\n\n",
        listed.join(", ")
    );
    if is_shared {
        push_shared(&mut text, goal);
    }
    for kind in kinds {
        push_component(&mut text, kind, goal);
    }
    if has_links {
        text.push_str(KNOWLEDGE);
    }
    fill_config(&Config::parse(&text, "the configuration to begin with")?)
}

/// Returns the name of the pipeline whose word vectors are recommended.
fn vectors(lang: &str, goal: Goal) -> Option<String> {
    let (_, genre) = VECTORS.iter().find(|(own, _)| *own == lang)?;
    (goal == Goal::Accuracy).then(|| format!("{lang}_core_{genre}_lg"))
}

/// Returns whether a component reads the rows of the shared one. A bag of words needs none.
fn listens(kind: ComponentKind, goal: Goal) -> bool {
    match kind {
        ComponentKind::Senter | ComponentKind::Sentencizer | ComponentKind::EntityLinker => false,
        ComponentKind::Textcat | ComponentKind::TextcatMultilabel => goal == Goal::Accuracy,
        _ => true,
    }
}

fn push_shared(text: &mut String, goal: Goal) {
    let (width, depth) = match goal {
        Goal::Efficiency => (96, 4),
        Goal::Accuracy => (256, 8),
    };
    let _ = write!(
        text,
        r#"[components.tok2vec]
factory = "tok2vec"

[components.tok2vec.model]
@architectures = "spacy.Tok2Vec.v2"

[components.tok2vec.model.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = ${{components.tok2vec.model.encode.width}}
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
rows = [5000, 1000, 2500, 2500]
include_static_vectors = {}

[components.tok2vec.model.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = {width}
depth = {depth}
window_size = 1
maxout_pieces = 3

"#,
        goal == Goal::Accuracy
    );
}

fn push_component(text: &mut String, kind: ComponentKind, goal: Goal) {
    let name = kind.factory();
    let _ = write!(text, "[components.{name}]\nfactory = {name:?}\n");
    let _ = match kind {
        ComponentKind::Tagger | ComponentKind::Morphologizer => {
            writeln!(text, "label_smoothing = 0.05")
        }
        ComponentKind::Spancat => writeln!(text, "threshold = 0.5"),
        _ => Ok(()),
    };
    text.push('\n');
    if kind == ComponentKind::Sentencizer {
        return;
    }
    let model = format!("components.{name}.model");
    let is_exclusive = kind == ComponentKind::Textcat;
    let bag = format!(
        "@architectures = \"spacy.TextCatBOW.v3\"\nexclusive_classes = {is_exclusive}\n\
         ngram_size = 1\nno_output_layer = false\nlength = 262144\nnO = null\n"
    );
    let states = |state_type: &str, width: u32, pieces: u32| {
        format!(
            "@architectures = \"spacy.TransitionBasedParser.v2\"\nstate_type = {state_type:?}\n\
             extra_state_tokens = false\nhidden_width = {width}\nmaxout_pieces = {pieces}\n\
             use_upper = true\nnO = null\n"
        )
    };
    let spans = "@architectures = \"spacy.SpanCategorizer.v1\"\n";
    let is_textcat = is_exclusive || kind == ComponentKind::TextcatMultilabel;
    let network = match kind {
        ComponentKind::Parser => states("parser", 128, 3),
        ComponentKind::Ner => states("ner", 64, 2),
        _ if is_textcat && goal == Goal::Efficiency => bag.clone(),
        _ if is_textcat => "@architectures = \"spacy.TextCatEnsemble.v2\"\nnO = null\n".to_owned(),
        ComponentKind::Spancat | ComponentKind::SpancatSingleLabel => spans.to_owned(),
        ComponentKind::SpanFinder => "@architectures = \"spacy.SpanFinder.v1\"\n".to_owned(),
        ComponentKind::EntityLinker => {
            "@architectures = \"spacy.EntityLinker.v2\"\nnO = null\n".to_owned()
        }
        _ => "@architectures = \"spacy.Tagger.v2\"\nnO = null\nnormalize = false\n".to_owned(),
    };
    let _ = write!(text, "[{model}]\n{network}\n");
    let logistic = |outputs: &str| {
        format!("@layers = \"spacy.LinearLogistic.v1\"\nnO = {outputs}\nnI = null\n")
    };
    let reducer = "@layers = \"spacy.mean_max_reducer.v1\"\nhidden_size = 128\n";
    let reducer = ("reducer", reducer.to_owned());
    let inner = match kind {
        _ if is_textcat && goal == Goal::Accuracy => vec![("linear_model", bag)],
        ComponentKind::Spancat => vec![reducer, ("scorer", logistic("null"))],
        ComponentKind::SpancatSingleLabel => {
            let softmax = "@layers = \"Softmax.v2\"\nnO = null\nnI = null\n";
            vec![reducer, ("scorer", softmax.to_owned())]
        }
        ComponentKind::SpanFinder => vec![("scorer", logistic("2"))],
        ComponentKind::Senter => vec![("tok2vec", hash_embed_cnn(12, 1, 2))],
        ComponentKind::EntityLinker => vec![("tok2vec", hash_embed_cnn(96, 2, 3))],
        _ => Vec::new(),
    };
    for (part, settings) in inner {
        let _ = write!(text, "[{model}.{part}]\n{settings}\n");
    }
    if listens(kind, goal) {
        let _ = write!(text, "[{model}.tok2vec]\n{LISTENER}\n");
    }
}

/// Returns the settings of token vectors of a component's own.
fn hash_embed_cnn(width: u32, depth: u32, pieces: u32) -> String {
    format!(
        "@architectures = \"spacy.HashEmbedCNN.v2\"\npretrained_vectors = null\nwidth = {width}\n\
         depth = {depth}\nembed_size = 2000\nwindow_size = 1\nmaxout_pieces = {pieces}\n\
         subword_features = true\n"
    )
}

fn unknown(name: &str) -> Error {
    let names = COMPONENTS.map(ComponentKind::factory);
    let nearest = names.iter().min_by_key(|known| levenshtein(name, known, None));
    let text = format!(
        "no configuration begins with the component {name:?}; the nearest is {:?} of: {}",
        nearest.copied().unwrap_or_default(),
        names.join(", ")
    );
    Error::value(codes::TRAINING_UNSUPPORTED, text)
}
