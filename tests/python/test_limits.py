"""The table of limits: a number above its limit is refused where it is read, at once."""

import builtins
import json
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy
import pytest

import lexpool
from lexpool import _core, errors
from lexpool._components.factories import BUILT_IN, OF_LANGUAGE
from lexpool.kb import InMemoryLookupKB
from lexpool.msgpack import packb, unpackb
from lexpool.pipeline import spancat
from lexpool.training import Example
from lexpool.training.corpus_reader import CorpusReader
from lexpool.vectors import Vectors

LARGE = (2**31 - 1, 2**40, 2**62)
# A refusal takes next to nothing; a component of the smallest networks is made for some.
MEGABYTES = 64


def cnn(**settings):
    usual = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 4,
        "depth": 1,
        "embed_size": 8,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": False,
    }
    return {**usual, **settings}


def characters(**settings):
    embed = {
        "@architectures": "spacy.CharacterEmbed.v2",
        "width": 4,
        "nM": 2,
        "nC": 2,
        "rows": 8,
        "include_static_vectors": False,
    }
    encode = {"@architectures": "spacy.MaxoutWindowEncoder.v2", **WINDOW}
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {**embed, **settings},
        "encode": encode,
    }


WINDOW = {"width": 4, "depth": 1, "window_size": 1, "maxout_pieces": 2}
BAG = {
    "@architectures": "spacy.TextCatBOW.v3",
    "exclusive_classes": True,
    "ngram_size": 1,
    "length": 64,
    "no_output_layer": False,
}
ANNOTATION = {
    "tagger": {"tags": ["A", "B"]},
    "ner": {"entities": ["U-A", "O"]},
    "textcat": {"cats": {"x": 1.0, "y": 0.0}},
}


def component(factory, **settings):
    """Makes a component of settings."""
    return lexpool.blank("en").add_pipe(factory, config=settings)


def initialized(factory, model):
    """Returns a pipeline of a component with weights."""
    nlp = lexpool.blank("en")
    nlp.add_pipe(factory, config={"model": model})
    nlp.initialize(lambda: [Example.from_dict(nlp.make_doc("a b"), ANNOTATION[factory])])
    return nlp


def tagger(tok2vec):
    return initialized("tagger", {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec})


def ner(**settings):
    model = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
        "extra_state_tokens": False,
        "hidden_width": 4,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": cnn(),
    }
    return initialized("ner", {**model, **settings})


NLP = {}


def known(factory):
    """Returns one pipeline of each kind, of the smallest networks."""
    if factory not in NLP:
        makers = {"tagger": lambda: tagger(cnn()), "ner": ner}
        NLP[factory] = makers.get(factory, lambda: initialized(factory, BAG))()
    return NLP[factory]


def with_attribute(factory, attribute, number):
    """Reads a model file in which layers have another value of an attribute, and runs it."""
    nlp = known(factory)
    file = unpackb(nlp.get_pipe(factory).model.to_bytes())
    layers = [attrs for attrs in file["attrs"] if attribute in attrs]
    assert layers
    for attrs in layers:
        attrs[attribute] = packb(number)
    read(factory, packb(file))


def with_dimensions(number):
    """Reads a model file in which an array has so many dimensions, of one number each."""
    file = unpackb(known("tagger").get_pipe("tagger").model.to_bytes())
    array = next(a for params in file["params"] for a in params.values() if a is not None)
    data, shape = packb(file), b"shape" + packb(list(array.shape))
    assert shape in data
    read("tagger", data.replace(shape, b"shape" + packb([1] * number)))


def read(factory, data):
    nlp = known(factory)
    blank = lexpool.blank("en", vocab=nlp.vocab)
    component = blank.add_pipe(factory, config={"model": nlp.get_pipe_config(factory)["model"]})
    component.cfg.update(nlp.get_pipe(factory).cfg)
    component.model.from_bytes(data)
    component.predict([nlp.make_doc("a b")])


def knowledge(entities, width):
    """Reads a knowledge base whose file begins with these numbers."""
    base, folder = InMemoryLookupKB(lexpool.Vocab(), 2), Path(FOLDER[0]) / "base"
    base.to_disk(folder)
    path = folder / "contents"
    numbers = entities.to_bytes(8, "little") + width.to_bytes(8, "little")
    path.write_bytes(numbers + path.read_bytes()[16:])
    base.from_disk(folder)


def loaded(folder, name, factory, key, number):
    """Loads a pipeline whose component has another number in its file `cfg`."""
    place = folder / name
    known(factory).to_disk(place)
    path = place / factory / "cfg"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: number}))
    try:
        return lexpool.load(place)
    finally:
        shutil.rmtree(place)


def batcher(name, **settings):
    section = {"@batchers": f"spacy.batch_by_{name}.v1", **settings}
    return _core.training_settings({"batcher": section})


def training(key, number):
    """Reads `[training]` in Python, and as `lexpool train` does."""
    with pytest.raises(ValueError, match=re.escape("(limit training.")):
        section = f"[nlp]\nlang = en\npipeline = []\n[training]\n{key} = {number}\n"
        _core.check_python_training(section, "the configuration")
    return lexpool.training.loop(lexpool.blank("en", config={"training": {key: number}}))


# For each row: what reads a number of it.
CASES = {
    "beam.width": [
        lambda n: component("beam_ner", beam_width=n),
        lambda n: loaded(Path(FOLDER[0]), "beam", "ner", "beam_width", n),
        lambda n: known("ner").get_pipe("ner").beam_parse([known("ner").make_doc("a")], n),
    ],
    "bloom.hashes": [lambda n: _core.BloomFilter(8, n)],
    "bloom.size": [lambda n: _core.BloomFilter(n, 1)],
    "component.choices": [
        lambda n: component("trainable_lemmatizer", top_k=n),
        lambda n: component("spancat", max_positive=n),
    ],
    "component.frequency": [
        lambda n: component("parser", min_action_freq=n),
        lambda n: component("trainable_lemmatizer", min_tree_freq=n),
    ],
    "doc.length": [
        lambda n: component("token_splitter", min_length=n),
        lambda n: component("token_splitter", split_length=n),
        lambda n: component("span_finder", max_length=n),
        lambda n: component("ner", update_with_oracle_cut_size=n),
        lambda n: component("entity_linker", n_sents=n),
        lambda n: corpus(max_length=n),
    ],
    "knowledge.entities": [lambda n: knowledge(n, 2)],
    "network.characters": [lambda n: tagger(characters(nC=n))],
    "network.column": [lambda n: with_attribute("tagger", "column", n)],
    "network.depth": [lambda n: tagger(cnn(depth=n))],
    "network.dimensions": [with_dimensions],
    "network.layers": [lambda n: component("tagger", model=tagger_of(cnn(depth=n)))],
    "network.ngram": [
        lambda n: initialized("textcat", {**BAG, "ngram_size": n}),
        lambda n: with_attribute("textcat", "ngram_size", n),
    ],
    "network.numbers": [lambda n: tagger(cnn(embed_size=-(-n // 64), width=64))],
    "network.pieces": [
        lambda n: tagger(cnn(maxout_pieces=n)),
        lambda n: ner(maxout_pieces=n),
    ],
    "network.rows": [
        lambda n: tagger(cnn(embed_size=n)),
        lambda n: initialized("textcat", {**BAG, "length": n}),
    ],
    "network.seed": [lambda n: with_attribute("tagger", "seed", n)],
    "network.width": [
        lambda n: tagger(cnn(width=n)),
        lambda n: ner(hidden_width=n),
        lambda n: tagger(characters(nM=n)),
    ],
    "network.window": [
        lambda n: tagger(cnn(window_size=n)),
        lambda n: with_attribute("tagger", "window_size", n),
        lambda n: with_attribute("tagger", "pad", n),
    ],
    "pipe.batch": [
        lambda n: list(lexpool.blank("en").pipe(["a"], batch_size=n)),
        lambda n: component("entity_linker", candidates_batch_size=n),
    ],
    "suggester.size": [
        lambda n: component("spancat", suggester=ngrams([n])),
        lambda n: component("spancat", suggester=ngram_range(1, n)),
        lambda n: spancat.build_ngram_suggester([1, n]),
        lambda n: spancat.build_ngram_suggester(range(n + 1)),
        lambda n: spancat.build_ngram_range_suggester(1, n),
        lambda n: spancat.build_ngram_range_suggester(n, 1),
    ],
    "training.batch": [lambda n: batcher("sequence", size=n), lambda n: batcher("words", size=n)],
    "training.buffer": [lambda n: batcher("padded", size=10, buffer=n)],
    "training.documents": [lambda n: corpus(limit=n)],
    "training.parts": [lambda n: training("accumulate_gradient", n)],
    "training.seed": [lambda n: training("seed", n)],
    "training.steps": [
        lambda n: training("max_steps", n),
        lambda n: training("max_epochs", n),
        lambda n: training("patience", n),
        lambda n: training("eval_frequency", n),
    ],
    "vectors.ngram": [lambda n: floret(n)],
    "vectors.rows": [lambda n: Vectors(shape=(n, 1))],
    "vectors.width": [
        lambda n: Vectors(shape=(0, n)),
        lambda n: InMemoryLookupKB(lexpool.Vocab(), n),
        lambda n: component("entity_linker", entity_vector_length=n),
        lambda n: knowledge(0, n),
    ],
}
# Rows whose largest number costs little to accept, with the cases that take it.
ACCEPTED = {
    "beam.width": slice(None),
    "bloom.hashes": slice(None),
    "component.choices": slice(None),
    "component.frequency": slice(None),
    "doc.length": slice(None),
    "network.depth": slice(None),
    "network.ngram": slice(None),
    "network.pieces": slice(None),
    "pipe.batch": slice(None),
    "suggester.size": slice(4),
    "training.batch": slice(None),
    "training.buffer": slice(None),
    "training.documents": slice(None),
    "vectors.ngram": slice(None),
    "vectors.width": slice(3),
}
# Readers that refuse a number for another reason first: the file is shorter than the number says.
OTHER_CODES = {"knowledge.entities": {"kb-file"}}
# Numbers above this are not given, since the case makes a list of so many items.
GIVEN = {"network.dimensions": 10_000}
FOLDER = []


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory):
    FOLDER.append(tmp_path_factory.mktemp("limits"))


def corpus(**settings):
    section = {"@readers": "spacy.Corpus.v1", "path": "corpus", **settings}
    return CorpusReader(section, "corpora.train", 0)


def floret(maxn):
    return Vectors(mode="floret", data=numpy.zeros((4, 2), "float32"), minn=1, maxn=maxn)


def tagger_of(tok2vec):
    return {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}


def ngrams(sizes):
    return {"@misc": "spacy.ngram_suggester.v1", "sizes": sizes}


def ngram_range(least, most):
    return {"@misc": "spacy.ngram_range_suggester.v1", "min_size": least, "max_size": most}


@contextmanager
def memory_of_at_most(megabytes):
    """Fails if the process takes more memory meanwhile, as Linux counts it."""
    peak = Path("/proc/self/clear_refs")
    if not peak.exists():
        yield
        return
    # Makes the peak what is taken now.
    peak.write_text("5")
    before = kilobytes("VmRSS")
    yield
    assert kilobytes("VmHWM") - before < megabytes * 1024


def kilobytes(name):
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1])


def test_each_row_has_a_case():
    assert set(CASES) == set(errors.limits())


def test_rows_say_what_they_count_and_how_they_are_refused():
    codes = errors.codes()
    for name, row in errors.limits().items():
        assert row.name == name and row.maximum > 0 and row.counts
        assert set(codes[row.code].raised) <= {"ValueError", "OverflowError", "MemoryError"}


@pytest.mark.parametrize("name", CASES)
def test_a_number_above_its_limit_is_refused_before_anything_is_made(name):
    row = errors.limits()[name]
    exceptions = (ValueError, OverflowError, MemoryError)
    known("tagger"), known("ner"), known("textcat")
    beyond = [row.maximum + 1, *(number for number in LARGE if number > row.maximum + 1)]
    for case in CASES[name]:
        for number in beyond:
            if number > GIVEN.get(name, number):
                continue
            with memory_of_at_most(MEGABYTES), pytest.raises(exceptions) as raised:
                case(number)
            text = str(raised.value)
            named = errors.explain(raised.value)
            if number == row.maximum + 1 and not OTHER_CODES.get(name):
                assert f"(limit {name})" in text, text
                assert isinstance(raised.value, getattr(builtins, named.raised[0])), text
            if named is not None and named.code not in OTHER_CODES.get(name, ()):
                assert "(limit " in text, text


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_limit_itself_is_accepted(name):
    for case in CASES[name][ACCEPTED[name]]:
        case(errors.limits()[name].maximum)


# Sizes of networks that are made and learn once, or are refused by name.
SIZES = [-1, 0, 1, 50, 10**9, 2**31, 2**40, 2**62]
NETWORKS = {
    "width": lambda n: tagger(cnn(width=n)),
    "depth": lambda n: tagger(cnn(depth=n)),
    "embed_size": lambda n: tagger(cnn(embed_size=n)),
    "window_size": lambda n: tagger(cnn(window_size=n)),
    "maxout_pieces": lambda n: tagger(cnn(maxout_pieces=n)),
    "nM": lambda n: tagger(characters(nM=n)),
    "nC": lambda n: tagger(characters(nC=n)),
    "rows": lambda n: tagger(characters(rows=n)),
    "hidden_width": lambda n: ner(hidden_width=n),
    "pieces of a parser": lambda n: ner(maxout_pieces=n),
    "ngram_size": lambda n: initialized("textcat", {**BAG, "ngram_size": n}),
    "length": lambda n: initialized("textcat", {**BAG, "length": n}),
}


@pytest.mark.parametrize("size", NETWORKS)
def test_a_network_of_any_size_learns_or_is_refused_by_name(size):
    n_refused = 0
    for number in SIZES:
        with memory_of_at_most(8 * MEGABYTES):
            try:
                nlp = NETWORKS[size](number)
            except ValueError as error:
                assert errors.explain(error) is not None, error
                n_refused += 1
                continue
            factory = nlp.pipe_names[0]
            nlp.update([Example.from_dict(nlp.make_doc("a b"), ANNOTATION[factory])])
            nlp("a b")
    assert 3 < n_refused < len(SIZES)


def test_each_whole_number_of_lexpools_own_factories_has_a_limit():
    limited = {setting for row in errors.limits().values() for setting in row.settings}
    # Ids of attributes, which are looked up.
    others = {"phrase_matcher_attr"}
    for _, meta in (*BUILT_IN.values(), *OF_LANGUAGE.values()):
        for key, default in meta.default_config.items():
            if isinstance(default, int) and not isinstance(default, bool):
                assert key in limited | others, key


@pytest.mark.parametrize("density", [-1.0, 2.0, float("nan"), float("inf")])
def test_a_density_outside_of_0_to_1_is_refused_when_it_is_read(tmp_path, density):
    with pytest.raises(ValueError, match="beam-density"):
        loaded(tmp_path, "density", "ner", "beam_density", density)
    with pytest.raises(ValueError, match="beam-density"):
        component("beam_ner", beam_density=density)


def test_a_beam_of_a_few_bytes_of_a_file_is_refused_on_load(tmp_path):
    known("ner")
    with memory_of_at_most(MEGABYTES), pytest.raises(ValueError) as raised:
        loaded(tmp_path, "beam", "ner", "beam_width", 2**31 - 1)
    assert str(raised.value).startswith("[beam-width] component 'ner'")


def test_sizes_of_a_suggester_in_a_configuration_are_refused_on_load(tmp_path):
    nlp = lexpool.blank("en")
    nlp.add_pipe("spancat", config={"suggester": ngram_range(1, 3)})
    nlp.to_disk(tmp_path / "nlp")
    path = tmp_path / "nlp/config.cfg"
    text = path.read_text()
    assert "max_size = 3" in text
    for size in (150_000_000, 10**9, 2**62):
        path.write_text(text.replace("max_size = 3", f"max_size = {size}"))
        with memory_of_at_most(MEGABYTES), pytest.raises(ValueError) as raised:
            lexpool.load(tmp_path / "nlp")
        assert "(limit suggester.size)" in str(raised.value)
