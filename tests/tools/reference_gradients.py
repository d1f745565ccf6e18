"""Writes tests/files/gradients.json, which the tests of core/nn read: small networks of random
weights, documents, results, and the gradients that thinc computes.

    NPY_DISABLE_CPU_FEATURES=X86_V4 python tests/tools/reference_gradients.py

The results are those of spaCy with this setting on AMD since Zen 3, whose order of additions
lexpool repeats. It needs spaCy, as `make test-conformance`. Numbers are written as their bits,
eight digits of base 16 each, model files as digits of base 16.

The documents have ids by attribute, texts, vectors, the rows that a listener reads, and spans. Each
case has the settings of a network, its file, the numbers of its documents, the spans of each if
they are others, and passes: the rate of dropout and the seed of NumPy, the result, the gradient of
the result, the gradient of each parameter by node, and that of the listened rows.
"""

import json
from pathlib import Path

import numpy
import spacy
from blis_numerics import require_generic
from spacy.tokens import Doc, Span
from spacy.vectors import Vectors
from thinc.api import Model, Ragged, get_current_ops, set_dropout_rate

FILES = Path(__file__).parents[1] / "files"
TEXTS = ["Ada Lovelace wrote 3 programs .", "Yes", "", "the the a the"]
# The second document has a token without a vector.
VECTOR_WORDS = ["Ada", "wrote", "the", "."]
ATTRS = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "LOWER", "ORTH", "ID"]
VECTOR_WIDTH = 5
RANDOM = numpy.random.default_rng(11)


def listener() -> dict:
    return {"@architectures": "spacy.Tok2VecListener.v1", "width": 4}


def multi_hash_embed(vectors: bool = False, version: int = 2) -> dict:
    return {
        "@architectures": f"spacy.MultiHashEmbed.v{version}",
        "width": 4,
        "attrs": ["NORM", "SHAPE"],
        "rows": [11, 5],
        "include_static_vectors": vectors,
    }


def character_embed(vectors: bool = False) -> dict:
    return {
        "@architectures": "spacy.CharacterEmbed.v2",
        "width": 4,
        "rows": 7,
        "nM": 2,
        "nC": 3,
        "include_static_vectors": vectors,
        "feature": "LOWER",
    }


def maxout_encoder(depth: int = 2, window: int = 1, pieces: int = 3, version: int = 2) -> dict:
    return {
        "@architectures": f"spacy.MaxoutWindowEncoder.v{version}",
        "width": 4,
        "depth": depth,
        "window_size": window,
        "maxout_pieces": pieces,
    }


def mish_encoder() -> dict:
    return {
        "@architectures": "spacy.MishWindowEncoder.v2",
        "width": 4,
        "depth": 2,
        "window_size": 1,
    }


def tok2vec(embed: dict, encode: dict, version: int = 2) -> dict:
    return {"@architectures": f"spacy.Tok2Vec.v{version}", "embed": embed, "encode": encode}


def small() -> dict:
    return tok2vec(multi_hash_embed(), maxout_encoder(depth=1, pieces=2))


def tagger(source: dict, normalize: bool = False) -> dict:
    return {"@architectures": "spacy.Tagger.v2", "tok2vec": source, "normalize": normalize}


def bag_of_words(version: int, exclusive: bool) -> dict:
    settings = {
        "@architectures": f"spacy.TextCatBOW.v{version}",
        "exclusive_classes": exclusive,
        "ngram_size": 2,
        "no_output_layer": False,
    }
    return settings | ({"length": 16} if version == 3 else {})


def reduce(exclusive: bool) -> dict:
    uses = {f"use_reduce_{kind}": True for kind in ("first", "last", "max", "mean")}
    return {
        "@architectures": "spacy.TextCatReduce.v1",
        "tok2vec": small(),
        "exclusive_classes": exclusive,
    } | uses


def ensemble(exclusive: bool) -> dict:
    return {
        "@architectures": "spacy.TextCatEnsemble.v2",
        "tok2vec": small(),
        "linear_model": bag_of_words(3, exclusive) | {"no_output_layer": True},
    }


def spancat() -> dict:
    return {
        "@architectures": "spacy.SpanCategorizer.v1",
        "tok2vec": small(),
        "reducer": {"@layers": "spacy.mean_max_reducer.v1", "hidden_size": 6},
        "scorer": {"@layers": "spacy.LinearLogistic.v1"},
    }


def span_finder() -> dict:
    scorer = {"@layers": "spacy.LinearLogistic.v1", "nO": 2}
    return {"@architectures": "spacy.SpanFinder.v1", "tok2vec": small(), "scorer": scorer}


def entity_linker(version: int) -> dict:
    return {"@architectures": f"spacy.EntityLinker.v{version}", "tok2vec": small()}


def first_ensemble(exclusive: bool, depth: int, dropout: float | None) -> dict:
    return {
        "@architectures": "spacy.TextCatEnsemble.v1",
        "width": 4,
        "embed_size": 11,
        "pretrained_vectors": None,
        "exclusive_classes": exclusive,
        "ngram_size": 2,
        "window_size": 1,
        "conv_depth": depth,
        "dropout": dropout,
    }


def parser() -> dict:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 6,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": small(),
    }


# The name, the settings, the kind of output, and the documents: those of a network without padding
# see each other in spaCy, so that it is given one. Poolings take no empty document.
ALL, FULL = [0, 1, 2, 3], [0, 1, 3]
CASES = [
    ("tok2vec", tok2vec(multi_hash_embed(), maxout_encoder()), "tokens", ALL),
    ("wide window", tok2vec(multi_hash_embed(), maxout_encoder(2, 2, 2)), "tokens", ALL),
    ("one piece", tok2vec(multi_hash_embed(), maxout_encoder(pieces=1)), "tokens", ALL),
    ("vectors", tok2vec(multi_hash_embed(True), maxout_encoder()), "tokens", ALL),
    ("characters", tok2vec(character_embed(), maxout_encoder(1)), "tokens", ALL),
    ("characters, vectors", tok2vec(character_embed(True), maxout_encoder(1)), "tokens", ALL),
    ("mish", tok2vec(multi_hash_embed(), mish_encoder()), "tokens", [0]),
    (
        "first version",
        tok2vec(multi_hash_embed(True, 1), maxout_encoder(version=1), 1),
        "tokens",
        ALL,
    ),
    ("tagger", tagger(small()), "tags", ALL),
    ("listener", tagger(listener(), True), "tags", ALL),
    ("bag of words", bag_of_words(3, False), "classes", FULL),
    ("exclusive bag of words", bag_of_words(3, True), "classes", FULL),
    ("reductions", reduce(False), "classes", FULL),
    ("exclusive reductions", reduce(True), "classes", FULL),
    ("ensemble", ensemble(False), "classes", FULL),
    ("exclusive ensemble", ensemble(True), "classes", FULL),
    (
        "attention",
        {
            "@architectures": "spacy.TextCatParametricAttention.v1",
            "tok2vec": small(),
            "exclusive_classes": True,
        },
        "classes",
        FULL,
    ),
    ("spancat", spancat(), "spans", FULL),
    ("span finder", span_finder(), "tokens", ALL),
    ("parser", parser(), "parser", ALL),
    ("entity linker", entity_linker(2), "links", FULL),
    ("first entity linker", entity_linker(1), "classes", FULL),
    ("first ensemble", first_ensemble(False, 2, 0.2), "classes", FULL),
    ("exclusive first ensemble", first_ensemble(True, 1, None), "classes", FULL),
]
N_CLASSES = 3


def bits(rows: numpy.ndarray) -> str:
    rows = numpy.ascontiguousarray(rows, dtype="f")
    return "".join(f"{number:08x}" for number in rows.view("u4").ravel())


def numbers(*shape: int) -> numpy.ndarray:
    return RANDOM.standard_normal(shape).astype("f")


def spans_of(docs: list[Doc]) -> Ragged:
    """Returns spans that overlap, two or more a document."""
    lists = [
        [(0, 1), (0, len(doc)), *((i, i + 2) for i in range(len(doc) - 1))] if len(doc) else []
        for doc in docs
    ]
    flat = numpy.array([span for spans in lists for span in spans], dtype="i")
    return Ragged(flat, numpy.array([len(spans) for spans in lists], dtype="i"))


def link(docs: list[Doc]) -> None:
    """Gives documents sentences of three tokens, and entities of one."""
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i % 3 == 0
        places = sorted({0, len(doc) // 2, len(doc) - 1}) if len(doc) else []
        doc.ents = [Span(doc, i, i + 1, label="X") for i in places]


def sentences_of(docs: list[Doc]) -> list[list[list[int]]]:
    """Returns the sentence of each entity."""
    return [[[ent.sent.start, ent.sent.end] for ent in doc.ents] for doc in docs]


def build(settings: dict) -> Model:
    resolved = spacy.registry.resolve({"model": settings})
    return resolved["model"]


def prepared(model: Model, kind: str, docs: list[Doc]) -> tuple[Model, object]:
    """Initializes a network; returns the part that is run, and its input."""
    if kind == "parser":
        model.attrs["resize_output"](model, N_CLASSES)
        model.initialize(X=docs)
        return model.get_ref("tok2vec"), docs
    full = [doc for doc in docs if len(doc)]
    if kind == "tokens":
        model.initialize(X=full)
    elif kind == "tags":
        model.initialize(X=full, Y=[numpy.zeros((len(doc), N_CLASSES), dtype="f") for doc in full])
    elif kind in ("classes", "links"):
        link(full if kind == "links" else [])
        model.initialize(X=full, Y=numpy.zeros((len(full), N_CLASSES), dtype="f"))
    else:
        model.initialize(X=(full, spans_of(full)), Y=numpy.zeros((1, N_CLASSES), dtype="f"))
        return model, (docs, spans_of(docs))
    return model, docs


def flat(rows: object) -> numpy.ndarray:
    return numpy.concatenate(rows) if isinstance(rows, list) else rows


def case(name: str, settings: dict, kind: str, docs: list[Doc]) -> dict:
    model = build(settings)
    for node in model.walk():
        if node.name == "sparse_linear":
            node.set_dim("length", 16, force=True)
        if node.name == "extract_ngrams":
            node.attrs["attr"] = "ORTH"
    part, given = prepared(model, kind, docs)
    for node in model.walk():
        for param in node.param_names:
            node.set_param(param, numbers(*node.get_param(param).shape))
    return {
        "name": name,
        "settings": settings,
        "model": model.to_bytes().hex(),
        "documents": [doc.user_data["number"] for doc in docs],
        **({"spans": sentences_of(docs)} if kind == "links" else {}),
        "passes": [passed(model, part, given, docs, rate) for rate in (0.0, 0.3)],
    }


def passed(model: Model, part: Model, given: object, docs: list[Doc], rate: float) -> dict:
    """Runs a network forward and backward."""
    set_dropout_rate(model, rate)
    listened = []
    for node in model.walk():
        if node.name == "tok2vec-listener":
            rows = [doc.tensor for doc in docs]
            node.receive(node.get_batch_id(docs), rows, listened.extend)
        for param in node.param_names:
            if node.has_grad(param):
                node.set_grad(param, numpy.zeros_like(node.get_grad(param)))
    seed = int(RANDOM.integers(1 << 32))
    numpy.random.seed(seed)
    result, backprop = part.begin_update(given)
    gradient = numbers(*flat(result).shape)
    d_result = gradient.copy()
    if isinstance(result, list):
        lengths = numpy.array([len(rows) for rows in result])
        d_result = get_current_ops().unflatten(d_result, lengths)
    backprop(d_result)
    return {
        "rate": rate,
        "seed": seed,
        "result": bits(flat(result)),
        "gradient": bits(gradient),
        "gradients": [
            [at, param, bits(node.get_grad(param))]
            for at, node in enumerate(model.walk())
            for param in node.param_names
            if node.has_grad(param)
        ],
        "listened": "".join(map(bits, listened)),
    }


def document(doc: Doc) -> dict:
    vectors = doc.vocab.vectors
    found = [vectors.find(key=token.orth) for token in doc]
    return {
        "columns": {attr: [int(i) for i in doc.to_array([attr]).ravel()] for attr in ATTRS},
        "texts": [token.text for token in doc],
        "vectors": [bits(vectors.data[row]) if row >= 0 else None for row in found],
        "tensor": bits(doc.tensor),
        "spans": [list(map(int, span)) for span in spans_of([doc]).dataXd],
    }


def main() -> None:
    require_generic()
    nlp = spacy.blank("en")
    vectors = numbers(len(VECTOR_WORDS), VECTOR_WIDTH)
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=vectors, keys=VECTOR_WORDS)
    docs = [nlp(text) for text in TEXTS]
    for number, doc in enumerate(docs):
        doc.tensor = numbers(len(doc), 4)
        doc.user_data["number"] = number
    written = {
        "last_vector": bits(vectors[-1]),
        "documents": [document(doc) for doc in docs],
        "cases": [
            case(name, settings, kind, [docs[number] for number in of_case])
            for name, settings, kind, of_case in CASES
        ],
    }
    text = json.dumps(written, separators=(",", ":")).replace('{"name"', '\n{"name"')
    (FILES / "gradients.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
