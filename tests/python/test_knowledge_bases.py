"""Knowledge bases, with spaCy's as the measure."""

import random
import struct
import warnings

import pytest

import lexpool
from lexpool._components.named_functions import resolved
from lexpool.config import ConfigError
from lexpool.kb import Candidate, InMemoryLookupKB, KnowledgeBase, get_candidates
from lexpool.kb.candidate import get_candidates_batch

WIDTH = 3


def empty(width=WIDTH):
    return InMemoryLookupKB(lexpool.Vocab(), width)


def filled():
    kb = empty()
    kb.add_entity("Q53", 33, [0, 5, 3])
    kb.add_entity("Q17", 2, (7, 1, 0))
    kb.add_entity("Q007", 7, [0, 0, 7])
    kb.add_alias("double07", ["Q17", "Q007"], [0.1, 0.9])
    kb.add_alias("guy", ["Q53", "Q007", "Q17"], [0.3, 0.3, 0.2])
    return kb


def number(rng):
    """Any finite number of 32 bits; half of the time one with few digits."""
    if rng.random() < 0.5:
        return round(rng.uniform(-10, 10), rng.randrange(6))
    while True:
        [found] = struct.unpack("f", rng.randbytes(4))
        if found == found and abs(found) != float("inf"):
            return found


def calls(rng):
    """Names of methods with arguments, which both knowledge bases take."""
    entities, aliases = [], []
    for n in range(rng.randrange(12)):
        entities.append(f"Q{n}")
        yield "add_entity", (entities[-1], number(rng), [number(rng) for _ in range(WIDTH)])
    for n in range(rng.randrange(8)):
        chosen = rng.choices(entities, k=rng.randrange(4)) if entities else []
        aliases.append(f"alias {n}")
        yield "add_alias", (aliases[-1], chosen, [rng.uniform(-1, 0.3) for _ in chosen])
    for _ in range(rng.randrange(4)):
        if entities and aliases:
            yield "append_alias", (rng.choice(aliases), rng.choice(entities), rng.uniform(-1, 0))


def both(seed):
    """A knowledge base of spaCy's and one of lexpool's, after the same calls."""
    spacy = pytest.importorskip("spacy")
    from spacy.kb import InMemoryLookupKB as Theirs

    theirs, ours = Theirs(spacy.blank("en").vocab, WIDTH), empty()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, args in calls(random.Random(seed)):
            assert getattr(theirs, name)(*args) == getattr(ours, name)(*args)
        if seed % 3 == 0:
            rng = random.Random(seed)
            names = [f"E{n}" for n in range(rng.randrange(5))]
            rows = [[number(rng) for _ in range(WIDTH)] for _ in names]
            theirs, ours = Theirs(theirs.vocab, WIDTH), empty()
            for kb in (theirs, ours):
                kb.set_entities(names, [1.5] * len(names), rows)
    return theirs, ours


def facts(kb):
    entities, aliases = kb.get_entity_strings(), kb.get_alias_strings()
    return (
        kb.entity_vector_length,
        len(kb),
        kb.is_empty(),
        kb.get_size_entities(),
        kb.get_size_aliases(),
        {entity: list(kb.get_vector(entity)) for entity in entities},
        {
            alias: [
                (c.entity, c.entity_, c.entity_freq, list(c.entity_vector), c.alias, c.alias_, c.prior_prob)
                for c in kb.get_alias_candidates(alias)
            ]
            for alias in aliases
        },
        {(e, a): kb.get_prior_prob(e, a) for e in [*entities, "none"] for a in [*aliases, "none"]},
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_bytes_and_files_are_spacys_byte_for_byte_in_both_directions(seed, tmp_path):
    theirs, ours = both(seed)
    assert facts(theirs) == facts(ours)
    assert theirs.to_bytes() == ours.to_bytes()
    theirs.to_disk(tmp_path / "theirs")
    ours.to_disk(tmp_path / "ours")
    contents = [(tmp_path / name / "contents").read_bytes() for name in ("theirs", "ours")]
    assert contents[0] == contents[1]
    read = empty()
    read.from_disk(tmp_path / "theirs")
    again = type(theirs)(type(theirs.vocab)(), WIDTH)
    again.from_disk(tmp_path / "ours")
    assert facts(read) == facts(again) == facts(ours)
    # A table that was loaded has a row to spare, which its bytes show.
    assert read.to_bytes() == again.to_bytes()
    again.from_bytes(ours.to_bytes())
    read.from_bytes(theirs.to_bytes())
    assert facts(read) == facts(again)
    assert read.to_bytes() == again.to_bytes()


def test_entities_added_after_loading_keep_their_vectors_in_files(tmp_path):
    spacy = pytest.importorskip("spacy")
    from spacy.kb import InMemoryLookupKB as Theirs

    theirs, ours = Theirs(spacy.blank("en").vocab, 1), empty(1)
    for kb in (theirs, ours):
        kb.set_entities(["A", "B"], [1, 2], [[1], [2]])
        kb.add_entity("C", 3, [3])
        kb.add_entity("D", 4, [4])
    theirs.to_disk(tmp_path / "theirs")
    ours.to_disk(tmp_path / "ours")
    vectors = {"A": [1], "B": [2], "C": [3], "D": [4]}
    # spaCy writes rows that are one too high; lexpool reads them as they were meant.
    for name in ("theirs", "ours"):
        read = empty(1)
        read.from_disk(tmp_path / name)
        assert {entity: read.get_vector(entity) for entity in vectors} == vectors
    theirs.from_disk(tmp_path / "ours")
    assert {entity: theirs.get_vector(entity) for entity in vectors} == vectors
    ours.from_bytes(theirs.to_bytes())
    assert {entity: ours.get_vector(entity) for entity in vectors} == vectors


def test_entities_that_are_replaced_leave_the_aliases_of_those_that_remain():
    kb = filled()
    with pytest.warns(UserWarning, match=r"\[W018\] .*'Q007'") as caught:
        kb.set_entities(["Q1", "Q007", "Q007"], [1, 2, 3], [[1, 1, 1], [2, 2, 2], [3, 3, 3]])
    assert len(caught) == 1
    assert kb.get_entity_strings() == ["Q1", "Q007"]
    assert kb.get_vector("Q007") == [2, 2, 2]
    candidates = {alias: kb.get_alias_candidates(alias) for alias in kb.get_alias_strings()}
    assert {alias: [c.entity_ for c in found] for alias, found in candidates.items()} == {
        "double07": ["Q007"],
        "guy": ["Q007"],
    }


@pytest.mark.parametrize(
    ("call", "error", "code"),
    [
        (lambda kb: kb.add_entity("new", 1, [1]), ValueError, "E141"),
        (lambda kb: kb.set_entities(["new"], [1], [[1]]), ValueError, "E141"),
        (lambda kb: kb.set_entities(["new"], [1], []), ValueError, "E140"),
        (lambda kb: kb.add_alias("", ["Q17"], [0.1]), ValueError, "E890"),
        (lambda kb: kb.add_alias(None, ["Q17"], [0.1]), ValueError, "E890"),
        (lambda kb: kb.add_alias("new", ["Q17"], [0.1, 0.2]), ValueError, "E132"),
        (lambda kb: kb.add_alias("new", ["Q17"], [1.1]), ValueError, "E133"),
        (lambda kb: kb.add_alias("guy", ["Q17"], [1.1]), ValueError, "E133"),
        (lambda kb: kb.add_alias("new", ["none"], [0.1]), ValueError, "E134"),
        (lambda kb: kb.append_alias("none", "Q17", 0.1), ValueError, "E176"),
        (lambda kb: kb.append_alias("guy", "none", 0.1), ValueError, "E134"),
        (lambda kb: kb.append_alias("double07", "Q53", 0.1), ValueError, "E133"),
        (lambda kb: kb.from_disk("/no/such/folder"), ValueError, "E929"),
        (lambda kb: kb.from_disk(__file__), ValueError, "E928"),
        (lambda kb: kb.to_disk(__file__), ValueError, "E928"),
        (lambda kb: type(kb).__mro__[1](kb.vocab, 3), TypeError, "E1046"),
    ],
)
def test_wrong_input_has_the_code_that_spacy_gives_it(call, error, code):
    spacy = pytest.importorskip("spacy")
    from spacy.kb import InMemoryLookupKB as Theirs

    ours, theirs = filled(), Theirs(spacy.blank("en").vocab, WIDTH)
    theirs.set_entities(["Q53", "Q17", "Q007"], [1, 2, 3], [[0, 5, 3], [7, 1, 0], [0, 0, 7]])
    theirs.add_alias("double07", ["Q17", "Q007"], [0.1, 0.9])
    theirs.add_alias("guy", ["Q53"], [0.3])
    before = facts(ours)
    for kb in (theirs, ours):
        with pytest.raises(error, match=rf"\[{code}\]"):
            call(kb)
    assert facts(ours) == before


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda kb: kb.add_entity("Q17", 1, [1]), "W018"),
        (lambda kb: kb.add_alias("guy", ["none"], [0.1]), "W017"),
        (lambda kb: kb.append_alias("guy", "Q17", 0.1), "W024"),
    ],
)
def test_what_is_known_stays_as_it_is_with_a_warning(call, code):
    kb = filled()
    before = facts(kb)
    with pytest.warns(UserWarning, match=rf"\[{code}\]") as caught:
        assert call(kb) is None
    assert [warning.filename for warning in caught] == [__file__]
    kb.append_alias("guy", "Q17", 0.1, ignore_warnings=True)
    assert facts(kb) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda kb: kb.add_entity(3, 1, [1, 2, 3]),
        lambda kb: kb.add_entity("new", "x", [1, 2, 3]),
        lambda kb: kb.add_entity("new", 1, 3),
        lambda kb: kb.add_entity("new", 1, [1, 2, "3"]),
        lambda kb: kb.set_entities([3], [1], [[1, 2, 3]]),
        lambda kb: kb.add_alias("new", [3], [0.1]),
        lambda kb: kb.add_alias(3, ["Q17"], [0.1]),
        lambda kb: kb.get_vector(None),
        lambda kb: kb.get_alias_candidates(None),
        lambda kb: InMemoryLookupKB(None, 3),
        lambda kb: InMemoryLookupKB(kb.vocab, "3"),
        lambda kb: KnowledgeBase(None, 3),
    ],
)
def test_arguments_of_wrong_types_are_type_errors(call):
    kb = filled()
    before = facts(kb)
    with pytest.raises(TypeError):
        call(kb)
    assert facts(kb) == before


def test_damaged_bytes_and_files_change_nothing(tmp_path):
    kb = filled()
    before = facts(kb)
    data = kb.to_bytes()
    kb.to_disk(tmp_path)
    contents = (tmp_path / "contents").read_bytes()
    for wrong in (b"", b"\x80", data[:-1], data.replace(b"[3,2,3]", b"[4,2,3]")):
        with pytest.raises(ValueError, match=r"\[(kb-file|msgpack-\w+)\]"):
            kb.from_bytes(wrong)
    for wrong in (b"", contents[:-1], contents + b"\0", b"\xff" * 8 + contents[8:]):
        (tmp_path / "contents").write_bytes(wrong)
        with pytest.raises(ValueError, match=r"\[kb-file\]"):
            kb.from_disk(tmp_path)
    with pytest.raises(ValueError, match="header"):
        kb.from_bytes(data, exclude=["header"])
    assert facts(kb) == before
    kb.from_bytes(data, exclude=["aliases"])
    assert (kb.get_size_entities(), kb.get_size_aliases()) == (3, 0)
    kb.add_entity("nan", float("nan"), [1, 2, 3])
    with pytest.raises(OverflowError, match=r"\[kb-number\]"):
        kb.to_bytes()


def test_parts_of_a_folder_can_be_left_out(tmp_path):
    kb = filled()
    kb.to_disk(tmp_path / "a", exclude=["strings.json"])
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["contents"]
    kb.to_disk(tmp_path / "b")
    other = empty()
    other.from_disk(tmp_path / "b", exclude=["contents"])
    assert other.is_empty()
    assert "Q53" in other.vocab.strings
    other = empty()
    other.from_disk(tmp_path / "a", exclude=["strings.json"])
    assert len(other) == 3
    with pytest.raises(KeyError, match="E018"):
        other.get_entity_strings()


def test_vectors_may_be_any_iterable_of_numbers():
    np = pytest.importorskip("numpy")
    kb = empty()
    kb.add_entity("list", 1, [1, 2.5, 3])
    kb.add_entity("floats", np.float32(1), np.array([1, 2.5, 3], dtype="f4"))
    kb.add_entity("doubles", np.float64(1), np.array([1, 2.5, 3]))
    kb.add_entity("strided", 1, np.array([1, 0, 2.5, 0, 3], dtype="f4")[::2])
    kb.add_entity("generator", 1, (n for n in (1, 2.5, 3)))
    assert kb.get_vectors(kb.get_entity_strings()) == [[1, 2.5, 3]] * 5
    assert kb.get_vectors(["none"]) == [[0, 0, 0]]


def test_candidates_of_mentions_come_from_their_texts():
    kb = filled()
    doc = lexpool.Doc(kb.vocab, words=["guy", "meets", "double07", "Guy"])
    assert [c.entity_ for c in get_candidates(kb, doc[0:1])] == ["Q53", "Q007", "Q17"]
    found = get_candidates_batch(kb, [doc[2:3], doc[3:4], doc[0:2]])
    assert [[c.entity_ for c in of] for of in found] == [["Q17", "Q007"], [], []]


def test_subclasses_of_the_abstract_class_say_which_method_they_lack():
    class OwnBase(KnowledgeBase):
        def get_candidates(self, mention):
            return [Candidate(self, 1, 0.1, [0.1], 2, 0.7)]

    kb = OwnBase(lexpool.Vocab(), 5)
    assert kb.entity_vector_length == 5
    doc = lexpool.Doc(kb.vocab, words=["guy"])
    [[candidate]] = kb.get_candidates_batch([doc[0:1]])
    [rounded] = struct.unpack("f", struct.pack("f", 0.1))
    assert (candidate.entity, candidate.alias, candidate.kb) == (1, 2, kb)
    assert (candidate.entity_freq, candidate.entity_vector) == (rounded, [rounded])
    for call in (
        lambda: kb.get_vectors(["a"]),
        kb.to_bytes,
        lambda: kb.from_bytes(b""),
        lambda: kb.to_disk("a"),
        lambda: kb.from_disk("a"),
    ):
        with pytest.raises(NotImplementedError, match=r"\[E1045\] OwnBase"):
            call()


def test_settings_name_functions_of_knowledge_bases(tmp_path):
    vocab = lexpool.Vocab()
    filled().to_disk(tmp_path)
    assert resolved({"@misc": "spacy.EmptyKB.v2"}, "x")(vocab, 4).entity_vector_length == 4
    old = resolved({"@misc": "spacy.EmptyKB.v1", "entity_vector_length": 5}, "x")
    assert old(vocab).entity_vector_length == 5
    load = resolved({"@misc": "spacy.KBFromFile.v1", "kb_path": str(tmp_path)}, "x")
    assert facts(load(vocab)) == facts(filled())
    assert resolved({"@misc": "spacy.CandidateGenerator.v1"}, "x") is get_candidates
    assert resolved({"@misc": "spacy.CandidateBatchGenerator.v1"}, "x") is get_candidates_batch
    with pytest.raises(ConfigError, match=r"\[a.b\] has the settings \['path'\].*'kb_path'"):
        resolved({"@misc": "spacy.KBFromFile.v1", "path": "x"}, "a.b")
