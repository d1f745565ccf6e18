"""Edit trees, beside spaCy's."""

import pickle

import pytest
from hypothesis import given, strategies as st

import lexpool
from lexpool.msgpack import packb, unpackb
from lexpool.pipeline import EditTrees
from lexpool.strings import StringStore

NONE = 2**32 - 1
# Few letters, so that much is common: accents as one character and as two, characters beyond 16
# bits, names of symbols.
WORDS = st.one_of(
    st.text(alphabet="abE", max_size=8),
    st.text(alphabet=["e", "\u0301", "\u00e9", "\U0001f600", "\U00010400", "a"], max_size=8),
    st.text(max_size=6),
    st.sampled_from(["", "ORTH", "dobj", "gegangen", "gehen"]),
)
PAIRS = st.lists(st.tuples(WORDS, WORDS), max_size=8)


@pytest.fixture(scope="module")
def theirs():
    """Returns spaCy's class and that of its string store."""
    trees = pytest.importorskip("spacy.pipeline._edit_tree_internals.edit_trees")
    return trees.EditTrees, pytest.importorskip("spacy.strings").StringStore


@given(PAIRS)
def test_trees_their_bytes_and_their_lemmas_are_spacys(theirs, pairs):
    strings, their_strings = StringStore(), theirs[1]()
    ours, other = EditTrees(strings), theirs[0](their_strings)
    ids = [ours.add(form, lemma) for form, lemma in pairs]
    assert ids == [other.add(form, lemma) for form, lemma in pairs]
    assert len(ours) == len(other)
    assert ours.to_bytes() == other.to_bytes()
    assert list(strings) == list(their_strings)
    for tree in range(len(ours)):
        assert ours.tree_to_str(tree) == other.tree_to_str(tree)
        assert list(ours[tree].items()) == list(other[tree].items())
        for form, _ in pairs:
            assert ours.apply(tree, form) == other.apply(tree, form)
    for tree, (form, lemma) in zip(ids, pairs, strict=True):
        assert ours.apply(tree, form) == lemma


@given(PAIRS, WORDS)
def test_spacys_bytes_are_read_and_its_trees_found_again(theirs, pairs, form):
    strings, their_strings = StringStore(), theirs[1]()
    other = theirs[0](their_strings)
    ids = [other.add(*pair) for pair in pairs]
    for word in their_strings:
        strings.add(word)
    ours = EditTrees(strings).from_bytes(other.to_bytes())
    assert ours.to_bytes() == other.to_bytes()
    assert [ours.add(*pair) for pair in pairs] == ids
    assert [ours.apply(tree, form) for tree in ids] == [other.apply(tree, form) for tree in ids]
    again = EditTrees(strings)
    again.from_json([other[tree] for tree in range(len(other))])
    assert again.to_bytes() == other.to_bytes()


def test_a_tree_of_a_long_common_part_keeps_it():
    trees = EditTrees(StringStore())
    tree = trees.add("\u00fcberge" + "x" * 1000 + "t", "x" * 1000 + "en")
    assert trees.tree_to_str(tree) == "(m 6 1 (s '\u00fcberge' '') (s 't' 'en'))"
    assert trees.apply(tree, "\u00fcberget") == "en"


def test_trees_are_saved_loaded_and_pickled(tmp_path):
    strings = StringStore()
    trees = EditTrees(strings)
    ids = [trees.add("deelt", "delen"), trees.add("gedeeld", "delen")]
    trees.to_disk(tmp_path / "trees")
    assert unpackb((tmp_path / "trees").read_bytes()).keys() == {"trees"}
    loaded = EditTrees(strings)
    assert loaded.from_disk(tmp_path / "trees") is loaded
    for again in (loaded, pickle.loads(pickle.dumps(trees))):
        assert again.to_bytes() == trees.to_bytes()
        assert [again.apply(tree, "gedeeld") for tree in ids] == [None, "delen"]
        assert [again.add("deelt", "delen"), len(again)] == [ids[0], len(trees)]


def test_a_file_that_does_not_exist_changes_nothing(tmp_path):
    trees = EditTrees(StringStore())
    trees.add("a", "b")
    assert trees.from_disk(tmp_path / "none") is trees
    assert len(trees) == 1


def test_bytes_replace_the_trees_before():
    trees = EditTrees(StringStore())
    trees.add("a", "b")
    saved = trees.to_bytes()
    trees.add("c", "d")
    assert trees.from_bytes(saved).to_bytes() == saved


def test_a_tree_that_does_not_exist_is_an_index_error():
    trees = EditTrees(StringStore())
    for call in (
        lambda: trees.apply(0, "a"),
        lambda: trees.tree_to_str(NONE),
        lambda: trees[1],
    ):
        with pytest.raises(IndexError, match=r"\[E1030\]"):
            call()
    with pytest.raises(OverflowError):
        trees.apply(-1, "a")


def test_a_string_that_the_store_lacks_is_a_key_error():
    trees = EditTrees(StringStore())
    tree = trees.add("a", "b")
    other = EditTrees(StringStore()).from_bytes(trees.to_bytes())
    with pytest.raises(KeyError, match="E018"):
        other.apply(tree, "a")


MATCH = {"prefix_len": 0, "suffix_len": 0, "prefix_tree": NONE, "suffix_tree": NONE}


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({}, "expected"),
        ({"orig": 0}, "orig"),
        ({**MATCH, "orig": 0}, "orig"),
        ({**MATCH, "prefix_len": -1}, "prefix_len"),
        ({**MATCH, "suffix_len": 2**32}, "suffix_len"),
        ({**MATCH, "prefix_len": 1.0}, "prefix_len"),
        ({**MATCH, "prefix_len": True}, "prefix_len"),
        ({**MATCH, "prefix_tree": 1}, "prefix_tree"),
        ({**MATCH, "suffix_tree": 7}, "suffix_tree"),
        ({"orig": "a", "subst": 0}, "orig"),
        ({"key": 0}, "key"),
        (5, "map"),
    ],
)
def test_a_node_of_another_form_is_refused_and_nothing_is_changed(node, message):
    trees = EditTrees(StringStore())
    trees.add("a", "b")
    before = trees.to_bytes()
    for load in (
        lambda: trees.from_json([MATCH, node]),
        lambda: trees.from_bytes(packb({"trees": [MATCH, node]})),
    ):
        with pytest.raises(ValueError, match=rf"\[E1026\].*edit tree 1.*{message}"):
            load()
        assert trees.to_bytes() == before
    with pytest.raises(ValueError, match=r"\[E1026\]"):
        trees.from_bytes(packb({"other": []}))


def test_few_nodes_that_stand_for_many_are_refused():
    nodes = [{"orig": 0, "subst": 0}]
    nodes += [{**MATCH, "prefix_tree": i, "suffix_tree": i} for i in range(60)]
    with pytest.raises(ValueError, match=r"\[edit-tree-size\]"):
        EditTrees(StringStore()).from_json(nodes)


def test_strings_may_be_those_of_a_vocab():
    vocab = lexpool.blank("en").vocab
    trees = EditTrees(vocab.strings)
    assert "ous" not in vocab.strings
    assert trees.apply(trees.add("mice", "mouse"), "mice") == "mouse"
    assert "ous" in vocab.strings
