"""Writes tests/files/initial.json, which the tests of core/nn read: new networks of spaCy.

    NPY_DISABLE_CPU_FEATURES=X86_V4 python tests/tools/initial_networks.py

It needs spaCy, as `make test-conformance`. Each case has the settings of an architecture, the
number of outputs, the seed of NumPy's generator, and the hash (FNV-1a of 64 bits) of the model
file. If labels can be added, a second hash is that of the network with five outputs. With the name
of a folder as an argument, the files are written there too.
"""

import json
import sys
from pathlib import Path

import numpy
import reference_gradients as reference
import spacy
from spacy.vectors import Vectors

WIDE_ENCODER = reference.maxout_encoder(4, 2, 2)
HASH_EMBED_CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 4,
    "depth": 1,
    "embed_size": 20,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
    "pretrained_vectors": None,
}
TEXTCAT_CNN = {
    "@architectures": "spacy.TextCatCNN.v2",
    "tok2vec": reference.small(),
    "exclusive_classes": True,
}
BAG_ALONE = reference.bag_of_words(3, True) | {"no_output_layer": True}


def parser(state_type: str, pieces: int, upper: bool, extra: bool) -> dict:
    return reference.parser() | {
        "state_type": state_type,
        "maxout_pieces": pieces,
        "use_upper": upper,
        "extra_state_tokens": extra,
    }


def first(settings: dict) -> dict:
    """Returns settings with the first version of their architecture."""
    name = settings["@architectures"].split(".v")[0]
    return settings | {"@architectures": f"{name}.v1"}


CASES = [
    *((settings, kind) for _, settings, kind, _ in reference.CASES),
    (reference.tok2vec(reference.multi_hash_embed(), WIDE_ENCODER), "tokens"),
    (HASH_EMBED_CNN, "tokens"),
    (reference.tagger(reference.listener()), "tags"),
    (TEXTCAT_CNN, "classes"),
    (TEXTCAT_CNN | {"exclusive_classes": False}, "classes"),
    (BAG_ALONE, "classes"),
    (parser("ner", 2, True, False), "parser"),
    (parser("ner", 3, True, True), "parser"),
    (parser("parser", 1, False, True), "parser"),
    # First versions.
    (first(HASH_EMBED_CNN), "tokens"),
    (
        reference.tok2vec(reference.multi_hash_embed(False, 1), first(reference.mish_encoder()), 1),
        "tokens",
    ),
    (first({"@architectures": "spacy.Tagger.v2", "tok2vec": reference.small()}), "tags"),
    (reference.bag_of_words(2, False), "classes"),
    (reference.bag_of_words(1, False), "classes"),
    (reference.bag_of_words(1, True), "classes"),
    (first(TEXTCAT_CNN), "classes"),
    (first(TEXTCAT_CNN | {"exclusive_classes": False}), "classes"),
    (first(parser("ner", 2, True, False)), "parser"),
]


def fnv(data: bytes) -> str:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def main() -> None:
    nlp = spacy.blank("en")
    vectors = numpy.ones((len(reference.VECTOR_WORDS), reference.VECTOR_WIDTH), dtype="f")
    words = reference.VECTOR_WORDS
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=vectors, keys=words)
    docs = [nlp(text) for text in reference.TEXTS if text]
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    cases = []
    for number, (settings, kind) in enumerate(CASES):
        seed = 7 + number
        model = reference.build(settings)
        numpy.random.seed(seed)
        reference.prepared(model, kind, docs)
        data = model.to_bytes()
        outputs = None if kind == "tokens" else reference.N_CLASSES
        case = {"settings": settings, "outputs": outputs, "seed": seed}
        # The last bits of a parser's weights depend on the order of additions.
        is_exact = kind != "parser"
        case |= {"hash": fnv(data)} if is_exact else {"model": data.hex()}
        if is_exact and "resize_output" in model.attrs:
            model.attrs["resize_output"](model, 5)
            case["resized"] = fnv(model.to_bytes())
        cases.append(case)
        if folder:
            (folder / f"{number}.model").write_bytes(data)
    text = json.dumps(cases, separators=(",", ":")).replace('{"settings"', '\n{"settings"')
    (reference.FILES / "initial.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
