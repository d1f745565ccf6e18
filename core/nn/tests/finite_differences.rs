//! Gradients are the slopes of the networks, computed in double precision by a second, plain
//! implementation of the layers.

#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small numbers")]
#![allow(clippy::cast_sign_loss, reason = "places in arrays")]

mod common;

use std::collections::HashMap;

use common::{Document, fixture, list, model, network, number, spans_of};
use lexpool_msgpack::Value;
use lexpool_nn::describe::{Blueprint, Kind, Node};
use lexpool_nn::learn::{Batch, Dropout, NumpyRandom, Workers};
use lexpool_nn::{GemmOrder, ModelFile, ModelNode, NodeIx, TokenSource, WordVectors, describe};
use lexpool_nn::{embedding_rows, key_hash};
use lexpool_structs::{AttrId, hash64};

/// Rows of numbers of one document or of its spans.
type Rows = Vec<Vec<f64>>;

/// A value between layers, of one document.
#[derive(Clone)]
enum Between {
    Document,
    Ids(Vec<Vec<u64>>),
    Keys(HashMap<u64, f64>),
    Sequences(Vec<Rows>),
}

/// A network in double precision.
struct Twin<'a> {
    blueprint: &'a Blueprint,
    nodes: &'a [ModelNode<'a>],
    params: HashMap<(usize, String), Vec<f64>>,
}

impl<'a> Twin<'a> {
    fn new(blueprint: &'a Blueprint, file: &'a ModelFile<'a>) -> Twin<'a> {
        let params = file.nodes().iter().enumerate().flat_map(|(at, node)| {
            node.params().iter().map(move |(name, array)| {
                let values = array.as_ref().unwrap().to_vec().into_iter().map(f64::from);
                ((at, (*name).to_owned()), values.collect())
            })
        });
        Twin { blueprint, nodes: file.nodes(), params: params.collect() }
    }

    fn layer(&self, ix: NodeIx) -> &'a Node {
        self.blueprint.node(ix)
    }

    fn param(&self, ix: NodeIx, name: &str) -> &[f64] {
        &self.params[&(ix.get(), name.to_owned())]
    }

    fn count(&self, ix: NodeIx, name: &str) -> usize {
        match self.nodes[ix.get()].attr(name).unwrap() {
            Some(Value::UInt(count)) => usize::try_from(count).unwrap(),
            _ => 0,
        }
    }

    fn run(&self, ix: NodeIx, x: Between, document: &Document) -> Between {
        let layer = self.layer(ix);
        let inner = |x: Between| self.run(layer.layers()[0], x, document);
        match layer.kind() {
            Kind::Chain | Kind::Attending => {
                layer.layers().iter().fold(x, |x, layer| self.run(*layer, x, document))
            }
            Kind::Wrapper | Kind::WithGetitem | Kind::Uniqued | Kind::Tuple => inner(x),
            Kind::Concatenate => {
                let parts = layer.layers().iter().map(|part| self.run(*part, x.clone(), document));
                let parts: Vec<Rows> = parts.map(|part| rows(part).concat()).collect();
                let first = rows(self.run(layer.layers()[0], x, document));
                let lengths: Vec<usize> = first.iter().map(Vec::len).collect();
                let all: Rows = (0..parts[0].len())
                    .map(|at| parts.iter().flat_map(|part| part[at].clone()).collect())
                    .collect();
                let mut rest = all.into_iter();
                let split = lengths.iter().map(|n| rest.by_ref().take(*n).collect());
                Between::Sequences(split.collect())
            }
            Kind::Residual => {
                let own = rows(x.clone());
                let mut made = rows(inner(x));
                for (made, own) in made.iter_mut().flatten().zip(own.iter().flatten()) {
                    made.iter_mut().zip(own).for_each(|(made, own)| *made += own);
                }
                Between::Sequences(made)
            }
            Kind::WithArray => {
                let padding = self.count(ix, "pad");
                if padding == 0 {
                    return inner(x);
                }
                let own = rows(x).concat();
                let zeros = vec![vec![0.0; own[0].len()]; padding];
                let padded = [zeros.clone(), own, zeros].concat();
                let n = padded.len();
                let made = rows(inner(Between::Sequences(vec![padded]))).concat();
                Between::Sequences(vec![made[padding..n - padding].to_vec()])
            }
            _ => self.leaf(ix, x, document),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a line or two for each layer")]
    fn leaf(&self, ix: NodeIx, x: Between, document: &Document) -> Between {
        let layer = self.layer(ix);
        let name = layer.name();
        let each = |x: Between, f: &dyn Fn(&[f64]) -> Vec<f64>| {
            let rows = rows(x).into_iter().map(|rows| rows.iter().map(|row| f(row)).collect());
            Between::Sequences(rows.collect())
        };
        let reduce = |x: Between, f: &dyn Fn(&Rows, usize) -> f64| {
            let reduced = rows(x).into_iter().map(|rows| {
                vec![(0..rows[0].len()).map(|column| f(&rows, column)).collect::<Vec<f64>>()]
            });
            Between::Sequences(reduced.collect())
        };
        match name {
            "extract_features" => {
                let node = &self.nodes[ix.get()];
                let Some(Value::Array(columns)) = node.attr("columns").unwrap() else { panic!() };
                let column = |column: &Value| match column {
                    Value::Str(name) => document.column(AttrId::from_name(name).unwrap()).unwrap(),
                    Value::UInt(number) => document.column(AttrId::new(*number as u32)).unwrap(),
                    other => panic!("{other:?}"),
                };
                Between::Ids(columns.iter().map(column).collect())
            }
            "hashembed" => {
                let Between::Ids(columns) = x else { panic!() };
                let table = self.param(ix, "E");
                let width = usize::try_from(self.dim(ix, "nO")).unwrap();
                let n_rows = u32::try_from(table.len() / width).unwrap();
                let seed = u32::try_from(self.count(ix, "seed")).unwrap();
                let embed = |id: &u64| {
                    let mut sum = vec![0.0; width];
                    for row in embedding_rows(*id, seed, n_rows) {
                        let row = &table[row as usize * width..];
                        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                    }
                    sum
                };
                let ids = &columns[self.count(ix, "column")];
                Between::Sequences(vec![ids.iter().map(embed).collect()])
            }
            "static_vectors" => {
                let weights = self.param(ix, "W");
                let mut row = vec![0.0; document.width()];
                let vector = |token: usize| {
                    assert!(document.read(token, &mut row), "all words have vectors");
                    let row: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
                    affine(weights, None, &row)
                };
                Between::Sequences(vec![(0..document.len()).map(vector).collect()])
            }
            "maxout" => {
                let (weights, bias) = (self.param(ix, "W"), self.param(ix, "b"));
                let pieces = usize::try_from(self.dim(ix, "nP")).unwrap();
                each(x, &|row| {
                    let all = affine(weights, Some(bias), row);
                    let largest =
                        |all: &[f64]| all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    all.chunks(pieces).map(largest).collect()
                })
            }
            // The gradient of a softmax is given for what it is made of.
            "linear" | "softmax" | "mish" | "gelu" => {
                let (weights, bias) = (self.param(ix, "W"), self.param(ix, "b"));
                let function = match name {
                    "mish" => |x: f64| x * (1.0 + x.exp()).ln().tanh(),
                    "gelu" => |x: f64| 0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt())),
                    _ => |x: f64| x,
                };
                each(x, &|row| affine(weights, Some(bias), row).into_iter().map(function).collect())
            }
            "layernorm" => {
                let (scale, shift) = (self.param(ix, "G"), self.param(ix, "b"));
                each(x, &|row| {
                    let n = row.len() as f64;
                    let mean = row.iter().sum::<f64>() / n;
                    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n + 1e-8;
                    let scaled = row.iter().zip(scale).zip(shift);
                    scaled.map(|((x, g), b)| (x - mean) / variance.sqrt() * g + b).collect()
                })
            }
            "expand_window" => {
                let window = self.count(ix, "window_size");
                let all = rows(x).into_iter().map(|rows| {
                    let width = rows[0].len();
                    let at = |at: Option<usize>| {
                        at.and_then(|at| rows.get(at).cloned()).unwrap_or(vec![0.0; width])
                    };
                    let row = |row: usize| {
                        let all = (0..=2 * window).map(|k| at((row + k).checked_sub(window)));
                        all.collect::<Vec<_>>().concat()
                    };
                    (0..rows.len()).map(row).collect()
                });
                Between::Sequences(all.collect())
            }
            "logistic" => each(x, &|row| row.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect()),
            "softmax_activation" => each(x, &softmax),
            "reduce_sum" => reduce(x, &|rows, at| rows.iter().map(|row| row[at]).sum()),
            "reduce_mean" => reduce(x, &|rows, at| {
                rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64
            }),
            "reduce_first" => reduce(x, &|rows, at| rows[0][at]),
            "reduce_last" => reduce(x, &|rows, at| rows[rows.len() - 1][at]),
            "reduce_max" => reduce(x, &|rows, at| {
                rows.iter().map(|row| row[at]).fold(f64::NEG_INFINITY, f64::max)
            }),
            "para-attn" => {
                let query = self.param(ix, "Q");
                let keys = match layer.layers().first() {
                    Some(transform) => rows(self.run(*transform, x.clone(), document)).concat(),
                    None => rows(x.clone()).concat(),
                };
                let scores: Vec<f64> = keys.iter().map(|key| affine(query, None, key)[0]).collect();
                let shares = softmax(&scores);
                let own = rows(x).concat().into_iter().zip(shares);
                let weighted = own.map(|(row, share)| row.iter().map(|x| x * share).collect());
                Between::Sequences(vec![weighted.collect()])
            }
            "extract_spans" => {
                let own = rows(x).concat();
                let spans = document.spans.iter().map(|(start, end)| own[*start..*end].to_vec());
                Between::Sequences(spans.collect())
            }
            "extract_ngrams" => {
                let ids = document.column(AttrId::ORTH).unwrap();
                let mut keys = HashMap::new();
                for n in 1..=self.count(ix, "ngram_size").min(ids.len()) {
                    for ids in ids.windows(n) {
                        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
                        let key = if n == 1 { ids[0] } else { hash64(&bytes, 0) };
                        *keys.entry(key).or_insert(0.0) += 1.0;
                    }
                }
                Between::Keys(keys)
            }
            "sparse_linear" => {
                let Between::Keys(keys) = x else { panic!() };
                let (weights, bias) = (self.param(ix, "W"), self.param(ix, "b"));
                let length = weights.len() / bias.len();
                let node = &self.nodes[ix.get()];
                // The first version takes adjacent weights.
                let is_first = node.attr("v1_indexing").unwrap() == Some(Value::Bool(true));
                let distance = if is_first { 1 } else { length };
                let mut sums = bias.to_vec();
                for (key, count) in keys {
                    for seed in [0, 1] {
                        let place = key_hash(key, seed) as usize % length;
                        for (number, sum) in sums.iter_mut().enumerate() {
                            *sum += weights[number * distance + place] * count;
                        }
                    }
                }
                Between::Sequences(vec![vec![sums]])
            }
            "dropout" | "list2ragged" | "ragged2list" | "noop" | "ints-getitem" | "Flattener" => x,
            other => panic!("the twin has no layer {other:?}"),
        }
    }

    fn dim(&self, ix: NodeIx, name: &str) -> u64 {
        self.nodes[ix.get()].dim(name).unwrap()
    }
}

fn rows(x: Between) -> Vec<Rows> {
    match x {
        Between::Sequences(rows) => rows,
        _ => panic!("rows"),
    }
}

fn affine(weights: &[f64], bias: Option<&[f64]>, row: &[f64]) -> Vec<f64> {
    let sums = weights.chunks(row.len()).enumerate();
    let sum = |weights: &[f64]| weights.iter().zip(row).map(|(w, x)| w * x).sum::<f64>();
    sums.map(|(at, weights)| sum(weights) + bias.map_or(0.0, |bias| bias[at])).collect()
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().map(|x| x.exp()).sum();
    row.iter().map(|x| x.exp() / sum).collect()
}

/// The error function by its series, and far from 0 by its asymptotic one.
fn erf(x: f64) -> f64 {
    if x.abs() > 3.0 {
        let inverse = 1.0 / (2.0 * x * x);
        let series = 1.0 - inverse + 3.0 * inverse.powi(2) - 15.0 * inverse.powi(3);
        let rest = (-x * x).exp() / (x.abs() * std::f64::consts::PI.sqrt()) * series;
        return x.signum() * (1.0 - rest);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn gradients_are_slopes_of_networks_in_double_precision() {
    const STEP: f64 = 1e-6;
    let fixture = fixture();
    let mut random = NumpyRandom::new(5);
    let document = Document::all(&fixture).swap_remove(0).with_all_vectors();
    let mut n_slopes = 0;
    for case in list(&fixture["cases"]) {
        let name = case["name"].as_str().unwrap();
        // Gradients of bytes leave out tokens, as thinc's; listeners are tested by their rows.
        if name.contains("characters") || ["listener", "parser"].contains(&name) {
            continue;
        }
        let bytes = model(case);
        let file = ModelFile::parse(&bytes).unwrap();
        let blueprint = describe::build(&case["settings"], "components.test.model").unwrap();
        let mut twin = Twin::new(&blueprint, &file);
        let trainable = network(case, GemmOrder::Chain);
        let sources: [&dyn TokenSource; 1] = [&document];
        let spans = [document.spans.clone()];
        let batch = match spans_of(case, &[]) {
            Some(_) => Batch::with_spans(&sources, &spans).unwrap(),
            None => Batch::new(&sources),
        };
        let (result, tape) = trainable.forward(&batch, &Dropout::NONE, Workers::ONE).unwrap();
        let d: Vec<f32> = result.numbers().iter().map(|_| random.normal(0.0, 1.0) as f32).collect();
        let mut gradients = trainable.parameters().zero_gradients();
        trainable.backward(tape, d.clone(), &mut gradients, Workers::ONE).unwrap();
        let loss = |twin: &Twin<'_>| -> f64 {
            let outputs = twin.run(Blueprint::ROOT, Between::Document, &document);
            let outputs = rows(outputs).concat().concat();
            assert_eq!(outputs.len(), d.len(), "{name}");
            outputs.iter().zip(&d).map(|(y, d)| y * f64::from(*d)).sum()
        };
        for ix in trainable.parameters().indices() {
            let tensor = trainable.parameters().tensor(ix);
            let key = (tensor.node().get(), tensor.name().to_owned());
            let gradient = gradients.values(ix);
            let largest = gradient.iter().fold(1.0, |largest: f32, x| largest.max(x.abs()));
            for _ in 0..5 {
                let at = random.uniform(0.0, gradient.len() as f64) as usize;
                let mut moved = |step: f64| {
                    twin.params.get_mut(&key).unwrap()[at] += step;
                    let loss = loss(&twin);
                    twin.params.get_mut(&key).unwrap()[at] -= step;
                    loss
                };
                let slope = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                let off = (slope - f64::from(gradient[at])).abs() / f64::from(largest);
                let node = trainable.node_name(NodeIx::new(u32::try_from(key.0).unwrap()));
                assert!(off < 1e-5, "{name}: {:?} of {node:?}: {slope}, {}", key.1, gradient[at]);
                n_slopes += 1;
            }
        }
    }
    assert!(n_slopes > 1_000 && number(&fixture["cases"][0]["documents"][0]) == 0, "{n_slopes}");
}
