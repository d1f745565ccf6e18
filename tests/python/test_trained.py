"""Trained components: predictions equal to spaCy's, bit by bit, and damaged files refused."""

import json
import os
import platform
import random
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from trained_pipelines import PIPELINES, TEXTS, make

import lexpool
from lexpool import msgpack, ops
from lexpool.errors import ConfigError

HERE = Path(__file__).parent
# With this, NumPy's power is the C library's.
EXACT = {"NPY_DISABLE_CPU_FEATURES": "X86_V4"}
EXACT_NUMERICS = ["blis-generic", "blis-haswell", "blis-skx"]
GROUPS = 4


@pytest.mark.skipif(platform.machine() != "x86_64", reason="BLIS adds in another order")
@pytest.mark.parametrize("group", range(GROUPS))
def test_predictions_have_the_bits_of_spacy(group):
    names = list(PIPELINES)[group::GROUPS]
    command = [sys.executable, str(HERE / "trained_pipelines.py"), *names]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **EXACT}
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    assert found == {name: [] for name in names}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pipeline") / "saved"
    make("senter_parser_ner").to_disk(path)
    return path


def annotation(doc):
    return [(t.dep_, t.head.i, t.ent_iob_, t.ent_type_, t.is_sent_start) for t in doc]


def test_a_document_does_not_depend_on_its_batch_or_on_threads(folder):
    nlp = lexpool.load(folder)
    alone = [annotation(nlp(text)) for text in TEXTS]
    for threads, size in ((1, 1), (2, 3), (4, 100)):
        order = list(range(len(TEXTS))) * 4
        random.Random(size).shuffle(order)
        docs = nlp.pipe([TEXTS[at] for at in order], n_threads=threads, batch_size=size)
        assert [annotation(doc) for doc in docs] == [alone[at] for at in order]


def test_a_stream_takes_no_more_text_than_its_threads_need_for_a_while(folder):
    nlp = lexpool.load(folder)
    taken = 0

    def texts():
        nonlocal taken
        for _ in range(60):
            taken += 1
            yield "A short word . " * 700

    stream = nlp.pipe(texts(), n_threads=2, batch_size=1000)
    next(stream)
    # Two batches of 64 KB, and the texts that go beyond.
    assert taken <= 2 * 7
    assert sum(1 for _ in stream) == 59


@pytest.mark.parametrize("name", ["hash_embed", "senter_parser_ner", "cnn_textcat", "spancat"])
def test_kernels_change_no_bit_of_a_prediction(name, tmp_path):
    make(name).to_disk(tmp_path / name)
    for numerics in ("fast", *EXACT_NUMERICS):
        nlp = lexpool.load(tmp_path / name, numerics=numerics)
        found = {}
        for key in ops.kernels():
            with ops.cpu(key):
                found[key] = [doc.to_bytes() for doc in nlp.pipe(TEXTS)]
        assert all(bits == found["scalar"] for bits in found.values()), numerics


def test_a_package_is_found_by_its_name_and_not_imported(folder, tmp_path, monkeypatch):
    package = tmp_path / "en_made_up"
    place = package / "en_made_up-1.2.0"
    lexpool.load(folder).to_disk(place)
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    meta = {"lang": "en", "name": "made_up", "version": "1.2.0"}
    (package / "meta.json").write_text(json.dumps(meta))
    monkeypatch.syspath_prepend(tmp_path)
    nlp = lexpool.load("en_made_up", disable=["ner"])
    assert nlp.pipe_names == ["senter", "parser"]
    with pytest.raises(OSError, match="no package of that name"):
        lexpool.load("en_missing")


def test_spacy_is_not_imported(folder):
    code = """
        import sys, lexpool
        nlp = lexpool.load(sys.argv[1])
        assert nlp("Ada wrote it.")[0].dep_
        assert not {"spacy", "thinc", "blis"} & set(sys.modules)
        """
    from processes import python

    python(code, str(folder))


def test_everything_that_is_refused_is_named_at_once(folder):
    config = lexpool.load(folder).config
    config["components"]["ner"]["model"]["tok2vec"] = {"@architectures": "other.Tok2Vec.v1"}
    config["components"]["parser"]["model"] = {"@architectures": "spacy-transformers.Parser.v3"}
    with pytest.raises(ConfigError) as caught:
        lexpool.Language.from_config(config)
    text = str(caught.value)
    assert "'other.Tok2Vec.v1' in [components.ner.model.tok2vec]" in text.replace('"', "'")
    assert "spacy-transformers.Parser.v3" in text
    assert lexpool.Language.from_config(config, exclude=["ner", "parser"]).pipe_names == ["senter"]


def test_a_component_without_weights_says_so(folder):
    nlp = lexpool.load(folder)
    assert all(nlp.get_pipe(name).is_trainable for name in nlp.pipe_names)
    blank = lexpool.blank("en")
    blank.add_pipe("tagger")
    with pytest.raises(ValueError, match="E143"):
        blank.initialize()
    with pytest.raises(ValueError, match="E109"):
        blank("no weights")


def test_labels_moves_and_the_model_are_readable(folder):
    nlp = lexpool.load(folder)
    assert nlp.get_pipe("ner").labels == ("LOC", "PER")
    assert "nsubj" in nlp.get_pipe("parser").labels
    assert nlp.get_pipe("senter").labels == ("I", "S")
    model = nlp.get_pipe("ner").model
    assert model.name == "parser_model"
    assert model.get_ref("lower").get_param("W").ndim == 4
    assert not model.get_ref("lower").get_param("W").flags.writeable
    assert len(list(model.walk())) > 20
    assert model.to_bytes() == (folder / "ner" / "model").read_bytes()


def test_norms_are_those_of_spacy_which_networks_read(folder):
    theirs = spacy.load(folder)
    for ours in (lexpool.load(folder), lexpool.Language.from_spacy(theirs)):
        for text in [*theirs.tokenizer.rules, "doin", "nuff", "’ve", '"', "€"]:
            found = [token.norm_ for token in ours.make_doc(text)]
            assert found == [token.norm_ for token in theirs.make_doc(text)], text


def test_beams_give_the_probabilities_of_spacy(folder):
    text = "Ada Lovelace wrote programs in London."
    ours, theirs = lexpool.load(folder), spacy.load(folder)
    found = ours.get_pipe("ner").beam_scores([ours.make_doc(text)], width=8)[0]
    ner = theirs.get_pipe("ner")
    beams = ner.beam_parse([theirs.make_doc(text)], beam_width=8, beam_density=0.0001)
    assert found
    assert found == pytest.approx(ner.scored_ents(beams)[0], abs=1e-5)
    heads, labels = ours.get_pipe("parser").beam_scores([ours.make_doc(text)], width=8)
    parser = theirs.get_pipe("parser")
    beams = parser.beam_parse([theirs.make_doc(text)], beam_width=8, beam_density=0.0001)
    own_heads, own_labels = parser.scored_parses(beams)
    assert heads[0]
    assert heads[0] == pytest.approx(own_heads[0], abs=1e-5)
    assert labels[0] == pytest.approx(own_labels[0], abs=1e-5)


def test_preset_entities_of_an_unknown_type_are_kept(folder):
    nlp = lexpool.load(folder)
    doc = nlp.make_doc("Ada Lovelace wrote programs in London.")
    doc.set_ents([doc[1:3].__class__(doc, 1, 3, "NEW")], default="missing")
    for way in (nlp, lambda doc: next(iter(nlp.pipe([doc])))):
        found = way(doc.copy())
        assert (1, 3, "NEW") in [(ent.start, ent.end, ent.label_) for ent in found.ents]
    assert "NEW" not in nlp.get_pipe("ner").labels


@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_documents_of_any_length_are_annotated(folder, count):
    nlp = lexpool.load(folder)
    doc = nlp("word " * count)
    assert len(doc) == count
    assert all(token.dep_ for token in doc)


def test_damaged_model_files_are_refused_by_name(folder):
    nlp = lexpool.load(folder)
    tagger = nlp.get_pipe("senter")
    good = (folder / "senter" / "model").read_bytes()
    dice = random.Random(5)
    refused = 0
    for _ in range(300):
        damaged = bytearray(good)
        kind = dice.randrange(3)
        if kind == 0:
            del damaged[dice.randrange(len(damaged)) :]
        elif kind == 1:
            damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        else:
            at = dice.randrange(2000)
            damaged[at : at + 4] = dice.randbytes(4)
        tagger.model.from_bytes(bytes(damaged))
        try:
            tagger.check_weights()
            nlp("It still runs.")
        except ValueError as error:
            assert str(error).startswith("["), error
            refused += 1
    assert refused > 150


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda file: file["nodes"].pop(), "model-file"),
        (lambda file: file["nodes"][0].update(name="other"), "model-structure"),
        (lambda file: [part.pop() for part in file.values()], "model-structure"),
        (lambda file: file["shims"][0].append(b"x"), "model-layer"),
    ],
)
def test_a_file_that_does_not_fit_the_configuration_is_refused(folder, change, code):
    nlp = lexpool.load(folder)
    component = nlp.get_pipe("senter")
    file = msgpack.unpackb((folder / "senter" / "model").read_bytes())
    change(file)
    component.model.from_bytes(msgpack.packb(file))
    with pytest.raises(ValueError, match=code):
        component.check_weights()


def test_weights_that_are_not_numbers_are_refused(folder):
    nlp = lexpool.load(folder)
    component = nlp.get_pipe("senter")
    file = msgpack.unpackb((folder / "senter" / "model").read_bytes())
    array = next(p["W"] for p in file["params"] if p.get("W") is not None).copy()
    array.flat[0] = float("nan")
    next(p for p in file["params"] if p.get("W") is not None)["W"] = array
    component.model.from_bytes(msgpack.packb(file))
    with pytest.raises(ValueError, match="model-nan"):
        component.check_weights()
