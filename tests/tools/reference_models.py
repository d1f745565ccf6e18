"""Writes tests/files/{tok2vec,parser,textcat}.{model,txt}, which the tests of core/nn read: small
networks of random weights, as spaCy saves them, and their results.

    NPY_DISABLE_CPU_FEATURES=X86_V4 python tests/tools/reference_models.py

The results are those of spaCy where NumPy's power is the C library's, as with this setting, and
BLIS adds products one after another without fused operations, as it does on AMD since Zen 3. It
needs spaCy, as `make test-conformance`.
Numbers are written as their bits, eight digits of base 16 each.

tok2vec.txt and textcat.txt have for each of three documents a line for each attribute with the ids
of its tokens, and a line with the result. parser.txt has lines with the ids of three tokens, and
then lines with the features of a state and its scores; parser.json has the settings of the parser.
"""

import json
from pathlib import Path

import numpy
import spacy
from blis_numerics import require_generic
from spacy.ml.models import (
    MaxoutWindowEncoder,
    MultiHashEmbed,
    build_bow_text_classifier,
    build_tb_parser_model,
    build_Tok2Vec_model,
)
from spacy.tokens import Doc
from thinc.api import Model

FILES = Path(__file__).parents[1] / "files"
TEXTS = ["Ada Lovelace wrote 3 programs .", "Yes", "the the a the"]
ATTRS = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
RANDOM = numpy.random.default_rng(7)


def tok2vec(depth: int) -> Model:
    return build_Tok2Vec_model(
        MultiHashEmbed(4, ATTRS, rows=[20, 10, 10, 10], include_static_vectors=False),
        MaxoutWindowEncoder(4, window_size=1, maxout_pieces=3, depth=depth),
    )


def randomize(model: Model, docs: list[Doc]) -> None:
    model.initialize(X=docs)
    for node in model.walk():
        for name in node.param_names:
            shape = node.get_param(name).shape
            node.set_param(name, RANDOM.standard_normal(shape).astype("f"))


def bits(rows: numpy.ndarray) -> str:
    return "".join(f"{number:08x}" for number in rows.view("u4").ravel())


def write_tok2vec(docs: list[Doc]) -> None:
    model = tok2vec(depth=2)
    randomize(model, docs)
    (FILES / "tok2vec.model").write_bytes(model.to_bytes())
    write_results("tok2vec", model, docs)


def write_results(name: str, model: Model, docs: list[Doc]) -> None:
    lines = []
    for doc, rows in zip(docs, model.predict(docs), strict=True):
        columns = doc.to_array(ATTRS).astype("u8").T
        lines += [" ".join(map(str, column)) for column in columns]
        lines.append(bits(rows))
    (FILES / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_parser(docs: list[Doc]) -> None:
    own = tok2vec(depth=1)
    model = build_tb_parser_model(
        own,
        "parser",
        extra_state_tokens=False,
        hidden_width=6,
        maxout_pieces=2,
        use_upper=True,
        nO=5,
    )
    randomize(model, docs)
    (FILES / "parser.model").write_bytes(model.to_bytes())
    doc = docs[0][:3].as_doc()
    step = model.predict([doc])
    lines = [" ".join(map(str, column)) for column in doc.to_array(ATTRS).astype("u8").T]
    states = RANDOM.integers(-1, 3, (6, 8)).astype("i4")
    hidden, _ = step.state2vec.begin_update(states)
    scores = model.get_ref("upper").predict(hidden)
    for features, row in zip(states, scores, strict=True):
        lines.append(" ".join(map(str, features)) + "|" + bits(row))
    (FILES / "parser.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    encode = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": 1}
    embed = {"@architectures": "spacy.MultiHashEmbed.v2", "attrs": ATTRS, "rows": [20, 10, 10, 10]}
    settings = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "use_upper": True,
        "tok2vec": {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode},
    }
    (FILES / "parser.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def write_textcat(docs: list[Doc]) -> None:
    model = build_bow_text_classifier(
        exclusive_classes=False, ngram_size=2, no_output_layer=False, nO=3
    )
    for node in model.walk():
        if node.name == "sparse_linear":
            # The architecture has no setting for the length, which makes a file of megabytes.
            node.set_dim("length", 16, force=True)
        if node.name == "extract_ngrams":
            node.attrs["attr"] = "NORM"
    randomize(model, docs)
    (FILES / "textcat.model").write_bytes(model.to_bytes())
    write_results("textcat", model, docs)


def main() -> None:
    require_generic()
    nlp = spacy.blank("en")
    docs = [nlp(text) for text in TEXTS]
    write_tok2vec(docs)
    write_parser(docs)
    write_textcat(docs)


if __name__ == "__main__":
    main()
