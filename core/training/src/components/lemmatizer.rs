//! The trainable lemmatizer: a label is an edit tree that rewrites a form into its lemma.

use ahash::AHashMap;
use lexpool::config::{Section, Value};
use lexpool::edit_trees::{EditTrees, TreeId};
use lexpool::strings::StrId;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes, limits};
use lexpool_structs::AttrId;

use super::component::{ComponentFiles, Initialization, TrainableComponent};
use super::labels::{file_of, given_value, wrong_cfg};
use super::token_classifier::{TokenClassifier, TokenTask};
use super::token_loss::Target;
use super::weights::Weights;
use crate::corpora::example::Example;
use crate::settings::fields::Fields;

struct Lemmatizer {
    min_tree_freq: usize,
    trees: EditTrees,
    /// The trees that are labels, in the order of the labels.
    labels: Vec<TreeId>,
    positions: AHashMap<TreeId, usize>,
}

/// Reads the section of a trainable lemmatizer.
pub(super) fn read(name: &str, fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    // The loaded pipeline reads these from the configuration.
    for key in ["backoff", "overwrite", "top_k"] {
        fields.get(key);
    }
    let lemmatizer = Lemmatizer {
        min_tree_freq: fields.count("min_tree_freq", 3, limits::COMPONENT_FREQUENCY),
        trees: EditTrees::new(),
        labels: Vec::new(),
        positions: AHashMap::new(),
    };
    fields.scorer("spacy.lemmatizer_scorer.v1");
    fields.finish();
    Some(Box::new(TokenClassifier::new(name, lemmatizer, weights?)))
}

impl Lemmatizer {
    fn labels_of_data(&mut self, start: &Initialization<'_>) -> Result<()> {
        // Trees that are too rare do not enter the trees of the component.
        let mut all = EditTrees::new();
        let mut counts: Vec<(TreeId, usize, String, String)> = Vec::new();
        let mut places: AHashMap<TreeId, usize> = AHashMap::new();
        let mut trees: AHashMap<(String, u64), TreeId> = AHashMap::new();
        for example in start.examples {
            let doc = &example.reference().doc;
            let lemmas = doc.attrs().column(AttrId::LEMMA);
            for (token, lemma) in doc.iter().zip(lemmas).filter(|(_, lemma)| *lemma != 0) {
                let text = doc.snapshot().string(StrId::new(lemma)).unwrap_or_default();
                let key = (token.text().to_owned(), lemma);
                let tree = if let Some(tree) = trees.get(&key) {
                    *tree
                } else {
                    let tree = all.add(token.text(), text, &mut |s| Ok(StrId::of(s)))?;
                    trees.insert(key, tree);
                    tree
                };
                let place = *places.entry(tree).or_insert(counts.len());
                if place == counts.len() {
                    counts.push((tree, 0, String::new(), String::new()));
                }
                let (_, count, form, last) = &mut counts[place];
                *count += 1;
                // spaCy keeps the last pair of a tree, and makes the tree of it again.
                token.text().clone_into(form);
                text.clone_into(last);
            }
        }
        for (_, count, form, lemma) in counts {
            if count < self.min_tree_freq {
                continue;
            }
            let strings = start.vocab.strings();
            let tree = self.trees.add(&form, &lemma, &mut |s| strings.add(s))?;
            if !self.positions.contains_key(&tree) {
                self.positions.insert(tree, self.labels.len());
                self.labels.push(tree);
            }
        }
        Ok(())
    }

    fn given(&mut self, given: &Value, start: &Initialization<'_>) -> Result<()> {
        let wrong = || {
            let text = format!(
                "\"labels\" of a component is {given}; expected an object with \"trees\" and \
                 \"labels\", as `init labels` writes it"
            );
            Error::value(codes::TRAINING_CONFIG, text)
        };
        let part = |key: &str| given.as_section()?.get(key)?.as_list();
        let (trees, labels) = part("trees").zip(part("labels")).ok_or_else(wrong)?;
        let mut nodes = Vec::with_capacity(trees.len());
        for tree in trees {
            let tree = tree.as_section().ok_or_else(wrong)?;
            let mut packed = Vec::with_capacity(tree.len());
            for (key, value) in tree.iter() {
                let value = match value {
                    Value::Text(text) => start.vocab.strings().add(text)?.get(),
                    value => {
                        value.as_int().and_then(|n| u64::try_from(n).ok()).ok_or_else(wrong)?
                    }
                };
                packed.push((message_text(key), lexpool::msgpack::Value::UInt(value)));
            }
            nodes.push(lexpool::msgpack::Value::Map(packed));
        }
        let message = vec![(message_text("trees"), lexpool::msgpack::Value::Array(nodes))];
        self.trees = EditTrees::from_bytes(&lexpool::msgpack::Value::Map(message).to_bytes()?)?;
        for label in labels {
            let tree = label.as_int().and_then(|n| u32::try_from(n).ok()).map(TreeId::new);
            let tree = tree.ok_or_else(wrong)?;
            self.trees.get(tree)?;
            self.positions.insert(tree, self.labels.len());
            self.labels.push(tree);
        }
        Ok(())
    }
}

fn message_text(text: &str) -> lexpool::msgpack::Value {
    lexpool::msgpack::Value::Str(text.to_owned())
}

impl TokenTask for Lemmatizer {
    fn find_labels(&mut self, start: &Initialization<'_>) -> Result<()> {
        match given_value(start)? {
            None => self.labels_of_data(start),
            Some(given) => self.given(&given, start),
        }
    }

    fn restore(&mut self, cfg: &Section, files: &ComponentFiles, _vocab: &Vocab) -> Result<()> {
        if let Some(trees) = file_of(files, "trees") {
            self.trees = EditTrees::from_bytes(trees)?;
        }
        self.labels.clear();
        self.positions.clear();
        let labels = cfg.get("labels").map(|labels| {
            let numbers = labels.as_list().unwrap_or_default().iter().map(Value::as_int);
            numbers.collect::<Option<Vec<i64>>>()
        });
        for label in labels.flatten().unwrap_or_default() {
            let tree = u32::try_from(label).map_err(|_| wrong_cfg("a label is no tree"))?;
            let tree = TreeId::new(tree);
            self.trees.get(tree)?;
            self.positions.insert(tree, self.labels.len());
            self.labels.push(tree);
        }
        Ok(())
    }

    fn rehearses(&self) -> bool {
        false
    }

    fn n_labels(&self) -> usize {
        self.labels.len()
    }

    fn labels(&self) -> Vec<String> {
        self.labels.iter().map(|tree| tree.get().to_string()).collect()
    }

    fn hides_labels(&self) -> bool {
        true
    }

    fn targets(&mut self, example: &Example) -> Result<Vec<Target>> {
        let doc = example.predicted();
        let mut trees = self.trees.clone();
        let mut targets = Vec::with_capacity(doc.len());
        for (token, lemma) in doc.iter().zip(example.aligned(AttrId::LEMMA)) {
            let Some(lemma) = lemma.filter(|lemma| *lemma != 0) else {
                targets.push(Target::Missing);
                continue;
            };
            let reference = &example.reference().doc;
            let lemma = reference.snapshot().string(StrId::new(lemma)).unwrap_or_default();
            let tree = trees.add(token.text(), lemma, &mut |s| Ok(StrId::of(s)))?;
            // As in spaCy, any other tree counts as the first label.
            targets.push(Target::Is(self.positions.get(&tree).copied().unwrap_or(0)));
        }
        Ok(targets)
    }

    fn cfg(&self) -> Section {
        let labels = self.labels.iter().map(|tree| Value::Int(i64::from(tree.get()))).collect();
        let mut cfg = Section::default();
        cfg.set("labels", Value::List(labels));
        cfg
    }

    fn more_files(&self) -> Result<ComponentFiles> {
        Ok(vec![("trees".to_owned(), self.trees.to_bytes()?)])
    }
}
