//! Networks that are ready to run.

use lexpool_error::{Error, Result, codes};

use crate::describe::{Blueprint, BoundBlueprint, ModelFile, NodeIx};
use crate::infer::modules::{self, Context, Module, Needs, RowUnit, Shape, Source, Value};
use crate::infer::rows::Rows;
use crate::infer::sums::GemmOrder;
use crate::infer::tokens::TokenSource;

/// A network from the tokens of a document to rows of numbers.
///
/// The result for a document depends on that document alone, and on no thread: sums have one order,
/// and neighbours in a batch are not seen.
#[derive(Debug)]
pub struct Network {
    module: Box<dyn Module>,
    unit: RowUnit,
    width: usize,
    order: GemmOrder,
}

impl Network {
    /// Reads the parameters of a network from a file.
    ///
    /// # Errors
    ///
    /// `model-structure` if the file has other nodes than the description, or parts that do not fit
    /// each other; `model-layer` for a layer that lexpool lacks.
    pub fn read(blueprint: &Blueprint, file: &ModelFile<'_>, order: GemmOrder) -> Result<Network> {
        Network::of_part(&blueprint.bind(file)?, Blueprint::ROOT, order)
    }

    /// Reads a part of a network.
    pub(crate) fn of_part(
        bound: &BoundBlueprint<'_>,
        part: NodeIx,
        order: GemmOrder,
    ) -> Result<Network> {
        let module = modules::read_network(Source { bound, order }, part)?;
        let shape = module.output_shape(Shape::Tokens);
        let name = bound.blueprint().node(part).name();
        let wrong = |text| Error::value(codes::MODEL_STRUCTURE, format!("{name:?}: {text}"));
        match shape.map_err(wrong)? {
            Shape::Rows(_, 0) => Err(wrong("it makes rows of 0 numbers".to_owned())),
            Shape::Rows(unit, width) => Ok(Network { module, unit, width, order }),
            other => Err(wrong(format!("it makes {other}, not rows of numbers"))),
        }
    }

    /// Returns what has a row in the result.
    pub fn unit(&self) -> RowUnit {
        self.unit
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns what the network requires of documents.
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        self.module.collect_needs(&mut needs);
        needs
    }

    /// Runs the network on a document.
    ///
    /// # Errors
    ///
    /// `model-vectors` if the vocab has no word vectors of the width that the network takes;
    /// `model-tensor` for a tensor of another shape.
    pub fn run(&self, tokens: &dyn TokenSource) -> Result<Rows> {
        self.run_with_spans(tokens, &[])
    }

    /// Runs the network on several documents at once, which reads its weights once: the results of
    /// [`run`](Network::run) for each.
    ///
    /// # Errors
    ///
    /// As for [`run`](Network::run), if one of the documents is wrong.
    pub fn run_all(&self, documents: &[&dyn TokenSource]) -> Result<Vec<Rows>> {
        self.run_all_with_spans(documents, &vec![&[][..]; documents.len()])
    }

    /// Runs a network that scores spans on several documents at once: the results of
    /// [`run_with_spans`](Network::run_with_spans) for each document and its spans.
    ///
    /// # Errors
    ///
    /// As for [`run_with_spans`](Network::run_with_spans), if one of the documents is wrong.
    ///
    /// # Panics
    ///
    /// If there are not as many lists of spans as documents.
    pub fn run_all_with_spans(
        &self,
        documents: &[&dyn TokenSource],
        spans: &[&[(usize, usize)]],
    ) -> Result<Vec<Rows>> {
        assert_eq!(documents.len(), spans.len(), "spans for each document");
        let full = documents.iter().zip(spans).filter(|(tokens, _)| !tokens.is_empty());
        let group: Vec<Context<'_>> = full
            .map(|(tokens, spans)| Context { tokens: *tokens, spans, order: self.order })
            .collect();
        let values = vec![Value::Tokens; group.len()];
        let mut results = self.module.run_all(&group, values)?.into_iter();
        let results = documents.iter().map(|tokens| {
            let result = if tokens.is_empty() { None } else { results.next() };
            result.map_or_else(|| Rows::new(self.width, Vec::new()), Value::into_rows)
        });
        Ok(results.collect())
    }

    /// Runs a network that scores spans, ranges of tokens, on a document: a row for each span.
    ///
    /// # Errors
    ///
    /// As for [`run`](Network::run); `model-span` for a span outside of the document.
    pub fn run_with_spans(
        &self,
        tokens: &dyn TokenSource,
        spans: &[(usize, usize)],
    ) -> Result<Rows> {
        if tokens.is_empty() {
            return Ok(Rows::new(self.width, Vec::new()));
        }
        let context = Context { tokens, spans, order: self.order };
        self.module.run(&context, Value::Tokens).map(Value::into_rows)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use lexpool_structs::AttrId;
    use serde_json::json;

    use super::*;
    use crate::describe;
    use crate::infer::tokens::{TensorView, WordVectors};

    const FILE: &[u8] = include_bytes!("../../../../tests/files/tok2vec.model");
    /// Ids of three documents and the bits of their results; see `tests/tools/reference_models.py`.
    const RESULTS: &str = include_str!("../../../../tests/files/tok2vec.txt");
    pub(crate) const ATTRS: [AttrId; 4] =
        [AttrId::NORM, AttrId::PREFIX, AttrId::SUFFIX, AttrId::SHAPE];

    /// A document of the columns of [`ATTRS`].
    pub(crate) struct Columns(Vec<Vec<u64>>);

    impl Columns {
        pub(crate) fn n_attrs(&self) -> usize {
            self.0.len()
        }
    }

    impl TokenSource for Columns {
        fn len(&self) -> usize {
            self.0[0].len()
        }

        fn column(&self, attr: AttrId) -> Result<Vec<u64>> {
            let at = ATTRS.iter().position(|known| *known == attr).unwrap();
            Ok(self.0[at].clone())
        }

        fn text(&self, _token: usize) -> &str {
            unimplemented!("the networks of these tests read no texts")
        }

        fn tensor(&self) -> Option<TensorView<'_>> {
            None
        }

        fn vectors(&self) -> Option<&dyn WordVectors> {
            None
        }
    }

    /// Reads the lines of documents, each with the bits of its result.
    pub(crate) fn documents(lines: &str) -> Vec<(Columns, String)> {
        let lines: Vec<&str> = lines.lines().collect();
        let ids = |line: &&str| line.split(' ').map(|id| id.parse().unwrap()).collect();
        let documents = lines.chunks(ATTRS.len() + 1).map(|document| {
            let (columns, result) = document.split_at(ATTRS.len());
            (Columns(columns.iter().map(ids).collect()), result.concat())
        });
        documents.collect()
    }

    /// Reads the bits of numbers.
    pub(crate) fn floats(digits: &str) -> Vec<f32> {
        let bits = digits.as_bytes().chunks_exact(8).map(|bits| {
            let bits = std::str::from_utf8(bits).unwrap();
            f32::from_bits(u32::from_str_radix(bits, 16).unwrap())
        });
        bits.collect()
    }

    fn settings(n_attrs: usize, depth: usize) -> serde_json::Value {
        json!({
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 4,
                "attrs": vec!["NORM"; n_attrs],
                "rows": vec![20; n_attrs],
                "include_static_vectors": false,
            },
            "encode": {"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": depth},
        })
    }

    fn read(settings: &serde_json::Value) -> Result<Network> {
        let blueprint = describe::build(settings, "components.tok2vec.model")?;
        Network::read(&blueprint, &ModelFile::parse(FILE)?, GemmOrder::Generic)
    }

    #[test]
    fn a_file_of_other_settings_is_refused() {
        assert!(read(&settings(4, 2)).is_ok());
        for (n_attrs, depth) in [(4, 1), (4, 3), (3, 2)] {
            let error = read(&settings(n_attrs, depth)).unwrap_err();
            assert_eq!(error.code(), "model-structure", "{error}");
        }
        let error = read(&settings(0, 2)).unwrap_err();
        assert_eq!(error.code(), "model-settings", "{error}");
    }

    #[test]
    fn vectors_have_the_bits_of_spacy() {
        let network = read(&settings(4, 2)).unwrap();
        assert_eq!((network.width(), network.needs()), (4, Needs::default()));
        for (columns, expected) in documents(RESULTS) {
            let rows = network.run(&columns).unwrap();
            let bits: Vec<String> =
                rows.numbers().iter().map(|number| format!("{:08x}", number.to_bits())).collect();
            assert_eq!(bits.concat(), expected);
        }
    }

    /// Reads the network of the fixture for an order of additions.
    fn read_for(order: GemmOrder) -> Network {
        let blueprint = describe::build(&settings(4, 2), "components.tok2vec.model").unwrap();
        Network::read(&blueprint, &ModelFile::parse(FILE).unwrap(), order).unwrap()
    }

    /// Documents of 0 to 40 tokens.
    fn many_documents() -> Vec<Columns> {
        (0..80).map(|number| document_of(number * 29 % 41)).collect()
    }

    fn document_of(len: u64) -> Columns {
        let column = |attr: u64| (0..len).map(|at| (at * 37 + len * attr) % 91).collect();
        Columns((0..ATTRS.len() as u64).map(column).collect())
    }

    #[test]
    fn a_document_has_the_same_rows_alone_and_at_any_place_of_a_group() {
        let documents = many_documents();
        for (name, order) in GemmOrder::ALL {
            let network = read_for(order);
            let alone: Vec<Rows> =
                documents.iter().map(|document| network.run(document).unwrap()).collect();
            for size in [1, 2, 7, documents.len()] {
                let groups = documents.chunks(size).map(|group| {
                    let group: Vec<_> = group.iter().map(|own| own as &dyn TokenSource).collect();
                    network.run_all(&group).unwrap()
                });
                assert!(groups.flatten().eq(alone.iter().cloned()), "{name}, groups of {size}");
            }
        }
    }

    #[test]
    fn instructions_change_no_bit_of_a_network() {
        use crate::infer::processor::{InstructionSet, limit_instructions};
        let documents = many_documents();
        let group: Vec<_> = documents.iter().map(|own| own as &dyn TokenSource).collect();
        for (name, order) in GemmOrder::ALL {
            let network = read_for(order);
            let mut results = Vec::new();
            // Other tests may run meanwhile: their results do not depend on the limit either.
            for most in [
                InstructionSet::Plain,
                InstructionSet::Neon,
                InstructionSet::Avx2,
                InstructionSet::Avx512,
            ] {
                limit_instructions(most);
                results.push(network.run_all(&group).unwrap());
            }
            assert!(results.iter().all(|rows| *rows == results[0]), "{name}");
        }
    }

    #[test]
    fn a_long_document_has_the_rows_of_its_parts() {
        for (name, order) in GemmOrder::ALL {
            let network = read_for(order);
            for len in [1_023, 1_024, 1_025, 2_500] {
                let whole = document_of(len as u64);
                let rows = network.run(&whole).unwrap();
                assert_eq!(rows.len(), len, "{name}");
                for first in (0..len).step_by(96) {
                    // The outer rows of a part see other neighbours.
                    let taken = first.saturating_sub(32)..len.min(first + 128);
                    let part = |column: &Vec<u64>| column[taken.clone()].to_vec();
                    let part = network.run(&Columns(whole.0.iter().map(part).collect())).unwrap();
                    let kept = first..len.min(first + 96);
                    let at = |row: usize| row * rows.width();
                    let found = &part.numbers()[at(first - taken.start)..][..at(kept.len())];
                    assert_eq!(found, &rows.numbers()[at(first)..at(kept.end)], "{name}: {first}");
                }
            }
        }
    }

    #[test]
    fn long_and_short_documents_of_a_group_have_the_rows_of_each_alone() {
        let lengths = [0, 3_000, 1, 1_024, 900, 1_100, 0, 5, 1_023, 1_025, 2_048];
        let documents: Vec<Columns> = lengths.into_iter().map(document_of).collect();
        for (name, order) in GemmOrder::ALL {
            let network = read_for(order);
            let group: Vec<_> = documents.iter().map(|own| own as &dyn TokenSource).collect();
            let alone = documents.iter().map(|document| network.run(document).unwrap());
            assert!(network.run_all(&group).unwrap().into_iter().eq(alone), "{name}");
        }
    }

    #[test]
    fn orders_of_additions_differ_in_the_last_bits_only() {
        let exact = read_for(GemmOrder::Generic);
        for (name, order) in GemmOrder::ALL {
            let network = read_for(order);
            for document in many_documents() {
                let (expected, rows) =
                    (exact.run(&document).unwrap(), network.run(&document).unwrap());
                for (number, expected) in rows.numbers().iter().zip(expected.numbers()) {
                    assert!((number - expected).abs() < 1e-4, "{name}: {number}, {expected}");
                }
            }
        }
    }

    #[test]
    fn a_bag_of_words_without_its_indexing_has_that_of_its_version() {
        let file: &[u8] = include_bytes!("../../../../tests/files/textcat.model");
        let results = include_str!("../../../../tests/files/textcat.txt");
        // Another name of the same length is that of an attribute which is not read.
        let name = b"v1_indexing";
        let at = file.windows(name.len()).position(|bytes| bytes == name).unwrap();
        let mut older = file.to_vec();
        older[at..at + name.len()].make_ascii_uppercase();
        for (version, file, is_same) in
            [("v2", file, true), ("v2", &older, true), ("v3", file, true), ("v3", &older, false)]
        {
            let settings = json!({"@architectures": format!("spacy.TextCatBOW.{version}")});
            let blueprint = describe::build(&settings, "components.textcat.model").unwrap();
            let file = ModelFile::parse(file).unwrap();
            let network = Network::read(&blueprint, &file, GemmOrder::Generic).unwrap();
            for (columns, expected) in documents(results) {
                let rows = network.run(&columns).unwrap();
                assert_eq!(rows.numbers() == floats(&expected), is_same, "{version}");
            }
        }
    }

    #[test]
    fn a_document_without_tokens_has_no_rows() {
        let network = read(&settings(4, 2)).unwrap();
        let rows = network.run(&Columns(vec![Vec::new(); 4])).unwrap();
        assert_eq!((rows.len(), rows.width()), (0, 4));
    }

    #[test]
    fn spans_are_scored_by_networks_of_spans_alone() {
        let settings = json!({"@layers": "list2ragged.v1"});
        let blueprint = describe::build(&settings, "components.spancat.model").unwrap();
        let error = Network::read(&blueprint, &ModelFile::parse(FILE).unwrap(), GemmOrder::Generic);
        assert_eq!(error.unwrap_err().code(), "model-structure");
    }
}
