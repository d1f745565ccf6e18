"""Documents with annotation by chance, of lexpool's class or spaCy's, and all that they hold."""

import numpy

ARRAY_ATTRS = [
    *("LENGTH", "SPACY", "ORTH", "NORM", "TAG", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE"),
    *("ENT_KB_ID", "ENT_ID", "LEMMA", "MORPH", "POS", "SENT_START"),
]
WORDS = ["Don't", "z\u00fcrich", "\U0001f600", "a", "b", "nsubj", "\n"]


def annotation(rng, length):
    """Annotation by chance, as `Doc` takes it; heads are chosen within short stretches."""
    heads = [max(0, i - rng.randrange(3)) for i in range(length)]
    return {
        "tags": [rng.choice(["NN", "VB", ""]) for _ in range(length)],
        "pos": [rng.choice(["NOUN", "VERB", "X"]) for _ in range(length)],
        "morphs": [rng.choice(["Case=Nom|Number=Sing", "Tense=Past", ""]) for _ in range(length)],
        "lemmas": [rng.choice(["be", "have"]) for _ in range(length)],
        "heads": heads,
        "deps": ["ROOT" if head == i else "dep" for i, head in enumerate(heads)],
        "ents": [rng.choice(["O", "B-GPE", "B-X", ""]) for _ in range(length)],
    }


def by_chance(rng, cls, vocab):
    length = rng.randrange(1, 12)
    words = [rng.choice(WORDS) for _ in range(length)]
    spaces = [rng.random() < 0.5 for _ in range(length)]
    doc = cls(vocab, words=words, spaces=spaces, **annotation(rng, length))
    doc[0].norm_ = "norm of its own"
    doc[length - 1].ent_id_ = "an id"
    doc.cats = {"A": 0.5}
    doc.tensor = numpy.arange(length * 2, dtype="f").reshape(length, 2)
    doc.user_data = {"key": [1, 2], ("._.", "x", None, None): {"deep": None}}
    doc.sentiment = 0.25
    start = rng.randrange(length)
    span = doc[start:]
    doc.spans["group"] = [span, doc[0:1]]
    doc.spans["empty"] = []
    return doc


def contents(doc):
    """All that has to come back, in types that compare."""
    return {
        "text": doc.text,
        "array": doc.to_array(ARRAY_ATTRS).tolist(),
        "strings": [(t.tag_, t.dep_, t.lemma_, t.norm_, str(t.morph), t.ent_id_) for t in doc],
        "ents": [(ent.start, ent.end, ent.label_) for ent in doc.ents],
        "cats": doc.cats,
        "tensor": doc.tensor.tolist(),
        "user_data": doc.user_data,
        "sentiment": doc.sentiment,
        "spans": {
            name: [(s.start, s.end, s.label_) for s in doc.spans[name]] for name in doc.spans
        },
        "has_unknown_spaces": doc.has_unknown_spaces,
    }
