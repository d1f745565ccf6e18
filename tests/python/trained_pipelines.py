"""Pipelines of random weights that spaCy makes, one for each architecture and kind of component.

Run as a program, it compares lexpool with spaCy on each, and prints a line of JSON with what
differs:

    NPY_DISABLE_CPU_FEATURES=X86_V4 python trained_pipelines.py

With this setting NumPy's power is the C library's, and lexpool adds products in the order of this
environment's BLIS, so equal means equal in all bits.
"""

import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import spacy
from spacy.tokens import Doc
from spacy.training import Example

import lexpool

TEXTS = [
    "Ada Lovelace wrote programs in London. She liked it, didn't she?",
    "the the a the",
    "  A line\n\nand another one of  many words ",
    "naïve Straße 東京 is $3.50 or 10 % of U.S. GDP, e.g. in 1999!",
    "Yes",
    "\n",
    "",
    "What's going on with the UBS weather position? It's I'm we're o'clock",
    "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen.",
    "a" * 40 + " " + "b" * 3,
]
WORDS = ["Ada", "wrote", "programs", "in", "London", ".", "She", "liked", "it"]
TAGS = ["NNP", "VBD", "NNS", "IN", "NNP", ".", "PRP", "VBD", "PRP"]
POS = ["PROPN", "VERB", "NOUN", "ADP", "PROPN", "PUNCT", "PRON", "VERB", "PRON"]
MORPHS = ["Number=Sing", "Tense=Past|VerbForm=Fin", "Number=Plur", "", "", "", "Person=3", "", ""]
LEMMAS = ["Ada", "write", "program", "in", "London", ".", "she", "like", "it"]
HEADS = [1, 1, 1, 4, 1, 1, 7, 7, 7]
DEPS = ["nsubj", "ROOT", "obj", "case", "obl", "punct", "nsubj", "ROOT", "obj"]
ENTS = ["B-PER", "O", "O", "O", "B-LOC", "O", "O", "O", "O"]


def hash_embed(attrs: list[str], version: int = 2, vectors: bool = False) -> dict[str, Any]:
    return {
        "@architectures": f"spacy.MultiHashEmbed.v{version}",
        "width": 16,
        "attrs": attrs,
        "rows": [50 + 7 * at for at in range(len(attrs))],
        "include_static_vectors": vectors,
    }


def characters(version: int, vectors: bool = False) -> dict[str, Any]:
    return {
        "@architectures": f"spacy.CharacterEmbed.v{version}",
        "width": 16,
        "rows": 60,
        "nM": 5,
        "nC": 6,
        "include_static_vectors": vectors,
        "feature": "LOWER",
    }


def encoder(
    kind: str = "Maxout", version: int = 2, depth: int = 2, window: int = 1
) -> dict[str, Any]:
    settings = {
        "@architectures": f"spacy.{kind}WindowEncoder.v{version}",
        "width": 16,
        "depth": depth,
        "window_size": window,
    }
    return {**settings, "maxout_pieces": 2} if kind == "Maxout" else settings


def tok2vec(
    embed: dict[str, Any] | None = None, encode: dict[str, Any] | None = None, version: int = 2
) -> dict[str, Any]:
    embed = embed or hash_embed(["NORM", "PREFIX", "SUFFIX", "SHAPE"])
    encode = encode or encoder()
    return {"@architectures": f"spacy.Tok2Vec.v{version}", "embed": embed, "encode": encode}


def cnn(version: int = 2, **settings: Any) -> dict[str, Any]:
    usual = {
        "@architectures": f"spacy.HashEmbedCNN.v{version}",
        "width": 16,
        "depth": 2,
        "embed_size": 80,
        "window_size": 1,
        "maxout_pieces": 3,
        "subword_features": True,
        "pretrained_vectors": None,
    }
    return {**usual, **settings}


LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16, "upstream": "*"}


def tagger(vectors: dict[str, Any], version: int = 2) -> dict[str, Any]:
    return {"model": {"@architectures": f"spacy.Tagger.v{version}", "tok2vec": vectors}}


def parser(state_type: str, version: int = 2, **settings: Any) -> dict[str, Any]:
    usual = {
        "@architectures": f"spacy.TransitionBasedParser.v{version}",
        "tok2vec": tok2vec(),
        "state_type": state_type,
        "extra_state_tokens": False,
        "hidden_width": 12,
        "maxout_pieces": 2,
        "use_upper": True,
    }
    return {"model": {**usual, **settings}}


def bag(version: int, exclusive: bool, n: int = 2, bare: bool = False) -> dict[str, Any]:
    settings = {
        "@architectures": f"spacy.TextCatBOW.v{version}",
        "exclusive_classes": exclusive,
        "ngram_size": n,
        "no_output_layer": bare,
    }
    return {**settings, "length": 100} if version == 3 else settings


def textcat(name: str, exclusive: bool, **settings: Any) -> dict[str, Any]:
    architecture = f"spacy.TextCat{name}"
    usual = {"@architectures": architecture, "exclusive_classes": exclusive, "tok2vec": tok2vec()}
    return {"model": {**usual, **settings}}


def reduce(*kinds: str) -> dict[str, Any]:
    return {f"use_reduce_{kind}": kind in kinds for kind in ("first", "last", "max", "mean")}


def spancat(scorer: str, reducer: dict[str, Any], suggester: dict[str, Any]) -> dict[str, Any]:
    model = {
        "@architectures": "spacy.SpanCategorizer.v1",
        "tok2vec": tok2vec(),
        "reducer": reducer,
        "scorer": {"@layers": scorer},
    }
    return {"model": model, "suggester": suggester}


MEAN_MAX = {"@layers": "spacy.mean_max_reducer.v1", "hidden_size": 12}
NGRAMS = {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 3]}
RANGE = {"@misc": "spacy.ngram_range_suggester.v1", "min_size": 2, "max_size": 3}
ENSEMBLE_1 = {
    "@architectures": "spacy.TextCatEnsemble.v1",
    "exclusive_classes": False,
    "pretrained_vectors": None,
    "width": 8,
    "conv_depth": 2,
    "embed_size": 50,
    "window_size": 1,
    "ngram_size": 1,
    "dropout": None,
}

# The name of each pipeline, and its components: their factories and settings.
PIPELINES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "hash_embed": [("tok2vec", {"model": tok2vec()}), ("tagger", tagger(LISTENER))],
    "hash_embed_v1": [("tagger", tagger(tok2vec(hash_embed(["LOWER", "SHAPE"], 1)), 1))],
    "tok2vec_v1": [("tagger", tagger(tok2vec(None, encoder("Maxout", 1), 1)))],
    "mish_v1": [("tagger", tagger(tok2vec(None, encoder("Mish", 1), 1)))],
    "mish": [("tagger", tagger(tok2vec(None, encoder("Mish"))))],
    "wide_window": [("tagger", tagger(tok2vec(None, encoder(depth=3, window=2))))],
    "shallow": [("tagger", tagger(tok2vec(hash_embed(["ORTH"]), encoder(depth=1))))],
    "many_attrs": [
        ("tagger", tagger(tok2vec(hash_embed(["NORM", "SPACY", "IS_SPACE", "LENGTH", "LIKE_NUM"]))))
    ],
    "cnn": [("tagger", tagger(cnn()))],
    "cnn_v1": [("tagger", tagger(cnn(1, subword_features=False)))],
    "characters": [("tagger", tagger(tok2vec(characters(2))))],
    "characters_v1": [("tagger", tagger(tok2vec(characters(1))))],
    "vectors": [("tagger", tagger(tok2vec(hash_embed(["NORM"], vectors=True))))],
    "vectors_v1": [("tagger", tagger(tok2vec(hash_embed(["NORM"], 1, vectors=True))))],
    "vectors_characters": [("tagger", tagger(tok2vec(characters(2, vectors=True))))],
    "vectors_cnn": [("tagger", tagger(cnn(pretrained_vectors=True)))],
    "floret": [("tagger", tagger(tok2vec(hash_embed(["NORM"], vectors=True))))],
    "morphologizer": [("morphologizer", tagger(cnn()))],
    "morphologizer_extend": [
        ("morphologizer", {**tagger(cnn()), "extend": True, "overwrite": False})
    ],
    "senter": [("senter", tagger(cnn()))],
    "lemmatizer": [("trainable_lemmatizer", {**tagger(cnn()), "min_tree_freq": 1, "top_k": 2})],
    "parser": [("parser", {**parser("parser"), "min_action_freq": 1})],
    "parser_13": [("parser", {**parser("parser", extra_state_tokens=True), "min_action_freq": 1})],
    "parser_1_piece": [("parser", {**parser("parser", maxout_pieces=1), "min_action_freq": 1})],
    "parser_v1": [("parser", {**parser("parser", 1, use_upper=False), "min_action_freq": 1})],
    "beam_parser": [("beam_parser", {**parser("parser"), "min_action_freq": 1, "beam_width": 4})],
    "beam_parser_1_piece": [
        ("beam_parser", {**parser("parser", maxout_pieces=1), "min_action_freq": 1})
    ],
    "senter_parser_ner": [
        ("senter", tagger(cnn())),
        ("parser", {**parser("parser"), "min_action_freq": 1}),
        ("ner", parser("ner")),
    ],
    "ner": [("ner", parser("ner"))],
    "ner_6": [("ner", parser("ner", extra_state_tokens=True, maxout_pieces=3))],
    "ner_no_upper": [("ner", parser("ner", use_upper=False))],
    "beam_ner": [("beam_ner", {**parser("ner"), "beam_width": 6})],
    "bag_v3": [("textcat", {"model": bag(3, True)})],
    "bag_v2": [("textcat_multilabel", {"model": bag(2, False, 3)})],
    "bag_v1": [("textcat", {"model": bag(1, True)})],
    "bag_bare": [("textcat_multilabel", {"model": bag(3, False, 1, bare=True)})],
    "reduce": [
        ("textcat", textcat("Reduce.v1", True, **reduce("first", "last", "max", "mean"))),
    ],
    "reduce_max": [("textcat_multilabel", textcat("Reduce.v1", False, **reduce("max")))],
    "cnn_textcat": [("textcat", textcat("CNN.v2", True))],
    "cnn_textcat_v1": [("textcat_multilabel", textcat("CNN.v1", False))],
    "attention": [("textcat", textcat("ParametricAttention.v1", True))],
    "attention_multilabel": [
        ("textcat_multilabel", textcat("ParametricAttention.v1", False)),
    ],
    "ensemble": [
        (
            "textcat",
            {
                "model": {
                    "@architectures": "spacy.TextCatEnsemble.v2",
                    "tok2vec": tok2vec(),
                    "linear_model": bag(3, True),
                }
            },
        )
    ],
    "ensemble_multilabel": [
        ("tok2vec", {"model": tok2vec()}),
        (
            "textcat_multilabel",
            {
                "model": {
                    "@architectures": "spacy.TextCatEnsemble.v2",
                    "tok2vec": LISTENER,
                    "linear_model": bag(2, False),
                }
            },
        ),
    ],
    "ensemble_v1": [("textcat_multilabel", {"model": ENSEMBLE_1})],
    "spancat": [("spancat", spancat("spacy.LinearLogistic.v1", MEAN_MAX, NGRAMS))],
    "spancat_best": [
        ("spancat", {**spancat("spacy.LinearLogistic.v1", MEAN_MAX, RANGE), "max_positive": 1})
    ],
    "spancat_mean": [
        (
            "spancat",
            {
                **spancat("spacy.LinearLogistic.v1", {"@layers": "reduce_mean.v1"}, NGRAMS),
                "max_positive": 2,
                "threshold": 0.2,
            },
        )
    ],
    "spancat_singlelabel": [
        ("spancat_singlelabel", spancat("Softmax.v2", MEAN_MAX, NGRAMS)),
    ],
    "spancat_no_overlap": [
        (
            "spancat_singlelabel",
            {**spancat("Softmax.v2", MEAN_MAX, RANGE), "allow_overlap": False},
        )
    ],
    "span_finder": [
        (
            "span_finder",
            {
                "model": {
                    "@architectures": "spacy.SpanFinder.v1",
                    "tok2vec": tok2vec(),
                    "scorer": {"@layers": "spacy.LinearLogistic.v1", "nO": 2},
                },
                "max_length": 4,
            },
        ),
        (
            "spancat",
            spancat(
                "spacy.LinearLogistic.v1",
                MEAN_MAX,
                {"@misc": "spacy.preset_spans_suggester.v1", "spans_key": "sc"},
            ),
        ),
    ],
}


def make(name: str, seed: int = 0) -> Any:
    """Returns a pipeline of spaCy's with random weights."""
    random = numpy.random.default_rng([seed, len(name), *name.encode()])
    nlp = spacy.blank("en")
    if name.startswith("vectors"):
        for word in WORDS[:6]:
            nlp.vocab.set_vector(word, random.standard_normal(7).astype("f"))
    if name == "floret":
        rows = random.standard_normal((40, 7)).astype("f")
        nlp.vocab.vectors = spacy.vectors.Vectors(
            mode="floret", data=rows, minn=2, maxn=3, hash_count=2, strings=nlp.vocab.strings
        )
    for factory, settings in PIPELINES[name]:
        nlp.add_pipe(factory, config=settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nlp.initialize(lambda: list(examples(nlp)))
    for _, component in nlp.components:
        for node in component.model.walk():
            for param in node.param_names:
                if node.has_param(param):
                    shape = node.get_param(param).shape
                    scale = 1.0 / max(shape[-1], 1) ** 0.5 if param == "W" else 0.5
                    values = random.standard_normal(shape) * scale + (param == "G")
                    node.set_param(param, values.astype("f"))
    return nlp


def examples(nlp: Any) -> Iterator[Example]:
    reference = Doc(
        nlp.vocab,
        words=WORDS,
        tags=TAGS,
        pos=POS,
        morphs=MORPHS,
        lemmas=LEMMAS,
        heads=HEADS,
        deps=DEPS,
        ents=ENTS,
    )
    reference.spans["sc"] = [
        spacy.tokens.Span(reference, 0, 1, "PER"),
        spacy.tokens.Span(reference, 3, 5, "PLACE"),
    ]
    for cats in ({"A": 1.0, "B": 0.0, "C": 0.0}, {"A": 0.0, "B": 1.0, "C": 0.0}):
        reference.cats = cats
        predicted = Doc(nlp.vocab, words=WORDS)
        yield Example(predicted, reference.copy())


def annotation(doc: Any) -> dict[str, Any]:
    """Returns all annotation of a document, with the bits of its numbers."""
    tensor = numpy.asarray(doc.tensor)
    tokens = [
        (t.tag_, t.pos_, str(t.morph), t.lemma_, t.dep_, t.head.i, t.ent_iob_, t.ent_type_)
        for t in doc
    ]
    # spaCy sets the first sentence start in some documents only.
    starts = doc.to_array("SENT_START")[1:].tolist()
    spans = {
        key: (
            [(span.start, span.end, span.label_) for span in group],
            numpy.asarray(group.attrs.get("scores", [])).tobytes().hex(),
            numpy.asarray(group.attrs.get("scores", [])).shape,
        )
        for key, group in doc.spans.items()
    }
    return {
        "words": [token.text for token in doc],
        "tokens": tokens,
        "starts": starts,
        "ents": [(ent.start, ent.end, ent.label_) for ent in doc.ents],
        "cats": list(doc.cats.items()),
        "spans": spans,
        "tensor": (tensor.shape, tensor.tobytes().hex()) if tensor.size else None,
    }


def differences(theirs: Any, ours: Any) -> list[str]:
    """Returns the annotation in which two pipelines differ, in three ways of calling them."""
    found = []
    batch = list(ours.pipe(TEXTS, batch_size=3))
    for text, of_batch in zip(TEXTS, batch, strict=True):
        expected = annotation(theirs(text))
        made = ours.make_doc(text)
        for name, component in ours.pipeline:
            component.set_annotations([made], component.predict([made]))
            assert name
        for way, doc in (("call", ours(text)), ("pipe", of_batch), ("predict", made)):
            own = annotation(doc)
            found += [
                f"{way} {key} of {text!r}: {own[key]!r:.300} and not {expected[key]!r:.300}"
                for key in expected
                if own[key] != expected[key]
            ]
    return found


def main() -> None:
    sys.path.append(str(Path(__file__).parents[1] / "tools"))
    from blis_numerics import blis_numerics

    numerics = blis_numerics()
    for name in sys.argv[1:] or PIPELINES:
        theirs = make(name)
        with tempfile.TemporaryDirectory() as folder:
            theirs.to_disk(folder)
            ours = lexpool.load(folder, numerics=numerics)
            ours.to_disk(Path(folder) / "again")
            again = spacy.load(Path(folder) / "again")
        found = differences(theirs, ours)
        live = lexpool.Language.from_spacy(theirs)
        live.numerics = numerics
        found += differences(again, live)
        print(json.dumps([name, found]), flush=True)


if __name__ == "__main__":
    main()
