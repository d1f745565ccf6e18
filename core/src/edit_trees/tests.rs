use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::strings::StringStore;

/// A container with its strings.
#[derive(Default)]
struct Trees {
    trees: EditTrees,
    strings: StringStore,
}

impl Trees {
    fn add(&mut self, form: &str, lemma: &str) -> TreeId {
        self.trees.add(form, lemma, &mut |string| self.strings.add(string)).unwrap()
    }

    fn apply(&self, tree: TreeId, form: &str) -> Option<String> {
        self.trees.apply(tree, form, |id| self.strings.get(id)).unwrap()
    }

    fn text(&self, tree: TreeId) -> String {
        self.trees.tree_to_str(tree, |id| self.strings.get(id)).unwrap()
    }
}

/// Applies a tree as its definition says.
fn naive(trees: &Trees, tree: TreeId, form: &[char]) -> Option<Vec<char>> {
    match trees.trees.get(tree).unwrap() {
        EditNode::Match { prefix_len, suffix_len, prefix_tree, suffix_tree } => {
            let (prefix_len, suffix_len) = (prefix_len as usize, suffix_len as usize);
            let end = form.len().checked_sub(suffix_len).filter(|end| *end >= prefix_len)?;
            let edited = |tree: Option<TreeId>, part| match tree {
                Some(tree) => naive(trees, tree, part),
                None => Some(Vec::new()),
            };
            let prefix = edited(prefix_tree, &form[..prefix_len])?;
            let suffix = edited(suffix_tree, &form[end..])?;
            Some([&prefix, &form[prefix_len..end], &suffix].concat())
        }
        EditNode::Subst { orig, subst } => {
            let string = |id| trees.strings.get(id).unwrap().chars().collect::<Vec<_>>();
            (string(orig) == form).then(|| string(subst))
        }
    }
}

/// Encodes nodes without a check.
fn encoded(nodes: &[&[(&str, u64)]]) -> Vec<u8> {
    let mut out = crate::msgpack::Writer::new();
    out.map(1).unwrap();
    out.str("trees").unwrap();
    out.array(nodes.len()).unwrap();
    for node in nodes {
        out.map(node.len()).unwrap();
        for (name, value) in *node {
            out.str(name).unwrap();
            out.uint(*value);
        }
    }
    out.into_bytes()
}

const NONE: u64 = u32::MAX as u64;

fn matching(lens: [u64; 2], trees: [u64; 2]) -> Vec<(&'static str, u64)> {
    let names = ["prefix_len", "suffix_len", "prefix_tree", "suffix_tree"];
    names.into_iter().zip(lens.into_iter().chain(trees)).collect()
}

proptest! {
    #[test]
    fn a_tree_gives_its_lemma_and_to_other_forms_what_its_definition_says(
        pairs in vec(("[ab\u{e9}\u{1f600}]{0,6}", "[abc\u{e9}\u{1f600}]{0,6}"), 1..8),
    ) {
        let mut trees = Trees::default();
        let known: Vec<_> = pairs.iter().map(|(form, lemma)| trees.add(form, lemma)).collect();
        for (tree, (form, lemma)) in known.iter().zip(&pairs) {
            prop_assert_eq!(trees.add(form, lemma), *tree);
            prop_assert_eq!(trees.apply(*tree, form), Some(lemma.clone()));
            for (other, _) in &pairs {
                let expected = naive(&trees, *tree, &other.chars().collect::<Vec<_>>());
                let expected = expected.map(|chars| chars.into_iter().collect::<String>());
                prop_assert_eq!(trees.apply(*tree, other), expected);
            }
        }
        let again = EditTrees::from_bytes(&trees.trees.to_bytes().unwrap()).unwrap();
        prop_assert_eq!(&again.nodes, &trees.trees.nodes);
        prop_assert_eq!(&again.sizes, &trees.trees.sizes);
        prop_assert_eq!(&again.numbers, &trees.trees.numbers);
    }

    #[test]
    fn bytes_of_any_kind_are_trees_or_an_error(
        (at, byte) in (0..60_usize, any::<u8>()), cut in 0..80_usize,
    ) {
        let mut trees = Trees::default();
        trees.add("gedeeld", "delen");
        let mut bytes = trees.trees.to_bytes().unwrap();
        bytes[at] = byte;
        bytes.truncate(cut.max(at + 1));
        let Ok(read) = EditTrees::from_bytes(&bytes) else { return Ok(()) };
        for tree in 0..u32::try_from(read.len()).unwrap() {
            let lemma = read.apply(TreeId::new(tree), "gedeeld", |id| trees.strings.get(id));
            prop_assert!(lemma.map_or_else(|error| error.code() == "E018", |_| true));
        }
        prop_assert_eq!(EditTrees::from_bytes(&read.to_bytes().unwrap()).unwrap().nodes, read.nodes);
    }
}

#[test]
fn trees_are_written_as_in_spacys_documentation() {
    let mut trees = Trees::default();
    let tree = trees.add("deelt", "delen");
    assert_eq!(trees.text(tree), "(m 0 3 () (m 0 2 (s '' 'l') (s 'lt' 'n')))");
    let tree = trees.add("gedeeld", "delen");
    assert_eq!(trees.text(tree), "(m 2 3 (s 'ge' '') (m 0 2 (s '' 'l') (s 'ld' 'n')))");
}

#[test]
fn two_empty_strings_are_equal_as_any_others() {
    let mut trees = Trees::default();
    assert_eq!(trees.add("", ""), trees.add("xyz", "xyz"));
    assert_eq!(trees.trees.len(), 1);
}

#[test]
fn a_tree_that_does_not_exist_is_an_error() {
    let mut trees = Trees::default();
    trees.add("a", "a");
    let string = |id| trees.strings.get(id);
    let apply = trees.trees.apply(TreeId::new(1), "a", string).unwrap_err();
    let text = trees.trees.tree_to_str(TreeId::new(1), string).unwrap_err();
    assert_eq!((apply.code(), text.code()), ("E1030", "E1030"));
}

#[test]
fn a_string_that_is_not_known_is_an_error() {
    let mut trees = Trees::default();
    let tree = trees.add("a", "b");
    let none = |_| None::<&str>;
    assert_eq!(trees.trees.apply(tree, "a", none).unwrap_err().code(), "E018");
    assert_eq!(trees.trees.tree_to_str(tree, none).unwrap_err().code(), "E018");
}

#[test]
fn trees_below_come_before_and_numbers_fit() {
    let first = matching([0, 0], [NONE, NONE]);
    for node in [
        matching([0, 0], [1, NONE]),
        matching([0, 0], [NONE, 2]),
        matching([1 << 32, 0], [NONE, NONE]),
        matching([0, 1 << 32], [NONE, NONE]),
        matching([0, 0], [1 << 32, NONE]),
        vec![("orig", 0)],
        vec![("orig", 0), ("subst", 0), ("prefix_len", 0)],
        vec![("other", 0)],
        vec![],
    ] {
        let error = EditTrees::from_bytes(&encoded(&[&first, &node])).unwrap_err();
        assert_eq!(error.code(), "E1026", "{node:?}");
        assert!(error.message().contains("edit tree 1"), "{}", error.message());
    }
    assert!(EditTrees::from_bytes(&encoded(&[&first, &matching([0, 0], [0, 0])])).is_ok());
    assert_eq!(EditTrees::from_bytes(b"\x80").unwrap_err().code(), "E1026");
    assert_eq!(EditTrees::from_bytes(b"\x81\xa5trees\x91\x01").unwrap_err().code(), "E1026");
}

#[test]
fn a_few_nodes_that_stand_for_very_many_are_refused() {
    let mut nodes = vec![vec![("orig", 0), ("subst", 7)]];
    nodes.extend((0..16).map(|i| matching([0, 0], [i, i])));
    let slices: Vec<&[_]> = nodes.iter().map(Vec::as_slice).collect();
    assert_eq!(EditTrees::from_bytes(&encoded(&slices)).unwrap_err().code(), "edit-tree-size");
    let trees = EditTrees::from_bytes(&encoded(&slices[..16])).unwrap();
    let lemma = trees.apply(TreeId::new(15), "", |id| Some(if id.get() == 0 { "" } else { "x" }));
    assert_eq!(lemma.unwrap().unwrap().len(), 1 << 15);
    let long = "x".repeat(1 << 10);
    let lemma = trees.apply(TreeId::new(15), "", |id| Some(if id.get() == 0 { "" } else { &long }));
    assert_eq!(lemma.unwrap_err().code(), "edit-tree-size");
}

#[test]
fn a_deep_tree_needs_no_stack() {
    let form: String = ['a', 'b'].into_iter().cycle().take(1024).collect();
    let lemma: String = ['c', 'b'].into_iter().cycle().take(1024).collect();
    let small = std::thread::Builder::new().stack_size(64 << 10);
    let done = small.spawn(move || {
        let mut trees = Trees::default();
        let tree = trees.add(&form, &lemma);
        (trees.apply(tree, &form) == Some(lemma), trees.text(tree).len())
    });
    let (is_same, text) = done.unwrap().join().unwrap();
    assert!(is_same && text > 5_000);
}

#[test]
fn long_strings_can_be_given_up() {
    let (form, lemma) = ("ab".repeat(512), "cb".repeat(512));
    let mut checks = 0;
    let stopped = EditScript::between(&form, &lemma, &mut || {
        checks += 1;
        Err(Error::new(ErrorKind::Interrupted, codes::STOPPED, "enough"))
    });
    assert_eq!(stopped.unwrap_err().code(), codes::STOPPED.as_str());
    assert_eq!(checks, 1);
}

#[test]
fn strings_beyond_the_limit_are_kept_or_replaced_as_a_whole() {
    let mut trees = Trees::default();
    let (form, lemma) = ("ab".repeat(100_000), "ba".repeat(100_000));
    let tree = trees.add(&form, &lemma);
    assert_eq!(trees.text(tree), format!("(s '{form}' '{lemma}')"));
    assert_eq!(trees.apply(tree, &form), Some(lemma));
    let same = trees.add(&form, &form);
    assert_eq!(trees.text(same), "(m 0 0 () ())");
    let shorter = trees.add(&"ab".repeat(512), &"ab".repeat(511));
    assert_eq!(trees.text(shorter), "(m 0 2 () (s 'ab' ''))");
}
