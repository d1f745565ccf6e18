"""Writes the folders of tests/files/pipelines with spaCy: pipelines of rules and two of small
networks, each with the annotation that spaCy gives its sample (`expected.json`).

core/tests/pipeline_folders.rs and tests/python/test_reference_pipelines.py load them. Run it again
to add a pipeline or a component, in an environment with spaCy.
"""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import spacy
from spacy.kb import InMemoryLookupKB
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span
from spacy.training import Example

FOLDER = Path(__file__).parents[1] / "files" / "pipelines"
SAMPLE = [
    "Apple bought some company. They went to the U.S. in 1990, for 2 3 words!",
    "",
    "  \n ",
    "Is it Some Company? No... It don't. 10 companies went; ten's cos houses.",
    "Rhein-Main: wordswordswordswords went\u3002 \u4f60\u597d\u3002 e\u0301 \U0001f600!",
    "The New York York, new york. Apples were the bettering (better) words",
    "Apple bought some company in New York.",
]
NOUN, VERB = "NOUN", "VERB"


def tokenizer(nlp: Language) -> Tokenizer:
    """A tokenizer with few rules, whose file is small."""
    return Tokenizer(
        nlp.vocab,
        rules={
            "don't": [{65: "do"}, {65: "n't", 67: "not"}],
            "U.S.": [{65: "U.S."}],
            "10 companies": [{65: "10 "}, {65: "companies"}],
        },
        prefix_search=re.compile(r"^[(\"']").search,
        suffix_search=re.compile(r"('s|[.,!?;:)\"']|\u3002)$").search,
        infix_finditer=re.compile(r"(?<=[a-z])-(?=[A-Z])|\.\.\.").finditer,
        token_match=re.compile(r"^\w\.$").match,
        url_match=None,
    )


def rules(nlp: Language) -> None:
    """Sentences, attributes, lemmas by rules, entities, merged and grouped."""
    nlp.add_pipe("sentencizer", config={"punct_chars": [".", "!", "?", "\u3002", ";"]})
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": {"IN": ["words", "companies", "houses"]}}]], {"POS": NOUN, "TAG": "NNS"})
    ruler.add([[{"LOWER": "words"}]], {"MORPH": "Number=Plur|Case=Nom"})
    ruler.add([[{"LOWER": "company"}]], {"POS": NOUN, "MORPH": "Number=Sing"})
    ruler.add([[{"LOWER": {"REGEX": "^(went|were|bettering|bought)$"}}]], {"POS": VERB})
    ruler.add([[{"LOWER": "better"}]], {"POS": "ADJ", "MORPH": "Degree=Pos"})
    ruler.add([[{"LOWER": "the"}, {}]], {"LEMMA": "after-the", "NORM": "n"}, index=-1)
    ruler.add([[{"TEXT": "It"}], [{"TEXT": "They"}]], {"POS": 95, "DEP": "nsubj"})
    lookups = Lookups()
    lookups.add_table("lemma_rules", {"noun": [["s", ""], ["ies", "y"]], "verb": [["ing", ""]]})
    lookups.add_table("lemma_exc", {"verb": {"went": ["go"], "were": ["be"]}})
    lookups.add_table("lemma_index", {"noun": ["word", "company", "house"], "verb": ["better"]})
    nlp.add_pipe("lemmatizer", config={"mode": "rule"}).initialize(lookups=lookups)
    nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LEMMA"}).add_patterns(
        [
            {"label": "ORG", "pattern": "Apple", "id": "apple"},
            {"label": "ORG", "pattern": [{"LOWER": "some"}, {"LEMMA": "company"}], "id": "some"},
            {"label": "GPE", "pattern": [{"TEXT": "U.S."}]},
            {"label": "GPE", "pattern": "New York"},
            {"label": "CITY", "pattern": "New York", "id": "ny"},
            {"label": "GPE", "pattern": "york"},
            {"label": "NUM", "pattern": [{"LIKE_NUM": True}, {"LIKE_NUM": True, "OP": "?"}]},
            {"label": "THING", "pattern": "words"},
        ]
    )
    nlp.add_pipe("merge_entities")
    nlp.add_pipe(
        "span_ruler",
        config={
            "spans_key": "found",
            "spans_filter": {"@misc": "spacy.first_longest_spans_filter.v1"},
        },
    ).add_patterns(
        [
            {"label": "GPE", "pattern": "New York", "id": "ny", "note": "ignored"},
            {"label": "X", "pattern": [{"ENT_TYPE": "GPE"}, {"IS_PUNCT": True}]},
            {"label": "X", "pattern": [{"LOWER": {"FUZZY": "aple"}}]},
        ]
    )
    nlp.add_pipe("sentencizer", name="off", config={"punct_chars": ["went"]})
    nlp.disable_pipe("off")


def merges(nlp: Language) -> None:
    """Lemmas by words, tokens split and merged, entities by the newer ruler, vectors and norms."""
    nlp.add_pipe("token_splitter", config={"min_length": 12, "split_length": 5})
    nlp.add_pipe("doc_cleaner")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": {"IN": ["new", "is"]}}]], {"DEP": "subtok"})
    ruler.add([[{"LOWER": "york"}]], {"DEP": "ROOT"})
    ruler.add([[{"TEXT": {"NOT_IN": ["new", "is"]}}]], {"DEP": "dep"})
    nlp.add_pipe("merge_subtokens")
    nlp.add_pipe("merge_noun_chunks")
    lookups = Lookups()
    lookups.add_table("lemma_lookup", {"words": "word", "went": "go", "Apples": "Apple"})
    nlp.add_pipe("lemmatizer", config={"mode": "lookup", "overwrite": True}).initialize(
        lookups=lookups
    )
    nlp.add_pipe(
        "future_entity_ruler", config={"overwrite_ents": True, "phrase_matcher_attr": "LOWER"}
    ).add_patterns([{"label": "GPE", "pattern": "NEW york"}, {"label": "S", "pattern": [{}, {}]}])
    nlp.vocab.lookups.add_table("lexeme_norm", {"cos": "because", "Is": "be"})


def other_language(nlp: Language) -> None:
    """Sentences and entities of a language without rules in lexpool."""
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"}).add_patterns(
        [{"label": "ORT", "pattern": "rhein-Main"}, {"label": "ORG", "pattern": "APPLE"}]
    )


# A sentence of the words, tags, parts of speech, features, lemmas, heads, labels and entities that
# the networks know.
WORDS = ["Apple", "bought", "some", "company", "in", "New", "York", "."]
TAGS = ["NNP", "VBD", "DT", "NN", "IN", "NNP", "NNP", "."]
POS = ["PROPN", "VERB", "DET", "NOUN", "ADP", "PROPN", "PROPN", "PUNCT"]
MORPHS = ["Number=Sing", "Tense=Past", "", "Number=Sing", "", "Number=Sing", "Number=Sing", ""]
LEMMAS = ["Apple", "buy", "some", "company", "in", "New", "York", "."]
HEADS = [1, 1, 3, 1, 1, 6, 4, 1]
DEPS = ["nsubj", "ROOT", "det", "dobj", "prep", "compound", "pobj", "punct"]
ENTS = ["B-ORG", "O", "O", "O", "O", "B-GPE", "I-GPE", "O"]
WIDTH = 8
STEPS = 200
TOK2VEC = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": WIDTH,
        "attrs": ["NORM", "SHAPE"],
        "rows": [30, 20],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": WIDTH,
        "depth": 1,
        "window_size": 1,
        "maxout_pieces": 2,
    },
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}
TAGGER = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}}
PARSER = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "tok2vec": LISTENER,
    "state_type": "parser",
    "extra_state_tokens": False,
    "hidden_width": 6,
    "maxout_pieces": 2,
    "use_upper": True,
}
SPANS = {
    "model": {
        "@architectures": "spacy.SpanCategorizer.v1",
        "tok2vec": LISTENER,
        "reducer": {"@layers": "spacy.mean_max_reducer.v1", "hidden_size": 6},
        "scorer": {"@layers": "spacy.LinearLogistic.v1"},
    },
    "suggester": {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2]},
}
NETWORKS: list[tuple[str, dict[str, Any]]] = [
    ("tok2vec", {"model": TOK2VEC}),
    ("tagger", TAGGER),
    ("morphologizer", TAGGER),
    ("trainable_lemmatizer", {**TAGGER, "min_tree_freq": 1}),
    ("parser", {"model": PARSER, "min_action_freq": 1}),
    ("beam_ner", {"model": {**PARSER, "state_type": "ner", "use_upper": False}, "beam_width": 3}),
    (
        "textcat",
        {
            "model": {
                "@architectures": "spacy.TextCatBOW.v3",
                "exclusive_classes": True,
                "ngram_size": 2,
                "no_output_layer": False,
                "length": 64,
            }
        },
    ),
    (
        "textcat_multilabel",
        {
            "model": {
                "@architectures": "spacy.TextCatParametricAttention.v1",
                "tok2vec": LISTENER,
                "exclusive_classes": False,
            }
        },
    ),
    ("spancat", SPANS),
    (
        "span_finder",
        {
            "model": {
                "@architectures": "spacy.SpanFinder.v1",
                "tok2vec": LISTENER,
                "scorer": {"@layers": "spacy.LinearLogistic.v1", "nO": 2},
            },
            "spans_key": "found",
        },
    ),
    (
        "entity_linker",
        {
            "model": {"@architectures": "spacy.EntityLinker.v2", "tok2vec": LISTENER},
            "entity_vector_length": 4,
        },
    ),
]


def networks(nlp: Language) -> None:
    """A component of each kind, trained on one sentence."""
    spacy.util.fix_random_seed(20)
    for factory, settings in NETWORKS:
        nlp.add_pipe(factory, config=settings)
    base = InMemoryLookupKB(nlp.vocab, entity_vector_length=4)
    base.set_entities(["Q1", "Q2"], [3, 9], [[1.0, 0.5, 0.0, 2.0], [0.0, -1.0, 1.0, 0.5]])
    for alias in ("Apple", "New", "York", "company", "U.S."):
        base.add_alias(alias, ["Q1", "Q2"], [0.4, 0.5])
    nlp.get_pipe("entity_linker").set_kb(lambda _: base)
    train(nlp, exclude=["entity_linker"])


# Layers whose positional arguments are not in the order of their names.
HIDDEN = {"@layers": "Maxout.v1", "nO": 6, "nP": 2, "normalize": True}
REDUCER = {
    "@layers": "chain.v1",
    "*": {"reduce": {"@layers": "reduce_mean.v1"}, "hidden": HIDDEN},
}
SCORER = {
    "@layers": "chain.v1",
    "*": {"10": {"@layers": "Linear.v1"}, "2": {"@layers": "Logistic.v1"}},
}


def layers(nlp: Language) -> None:
    """A network whose layers have the order of the configuration."""
    spacy.util.fix_random_seed(20)
    model = {**SPANS["model"], "tok2vec": TOK2VEC, "reducer": REDUCER, "scorer": SCORER}
    nlp.add_pipe("spancat", config={**SPANS, "model": model})
    train(nlp)


def train(nlp: Language, exclude: Sequence[str] = ()) -> None:
    """Trains the components on one sentence."""
    reference = Doc(
        nlp.vocab, words=WORDS, tags=TAGS, pos=POS, morphs=MORPHS, lemmas=LEMMAS, heads=HEADS,
        deps=DEPS, ents=ENTS, sent_starts=[True] + [False] * 7,
    )  # fmt: skip
    reference.cats = {"GOOD": 1.0, "BAD": 0.0}
    for key in ("sc", "found"):
        reference.spans[key] = [Span(reference, 0, 1, "ORG"), Span(reference, 5, 7, "GPE")]
    example = Example(Doc(nlp.vocab, words=WORDS), reference)
    nlp.initialize(lambda: [example])
    for _ in range(STEPS):
        nlp.update([example], exclude=exclude)


def annotation(doc: Doc) -> dict[str, Any]:
    spans = {
        name: [[span.start, span.end, span.label_, span.id_] for span in group]
        for name, group in sorted(doc.spans.items())
    }
    return {
        "text": doc.text,
        "tokens": [
            [
                token.text, token.whitespace_, token.norm_, token.lemma_, token.pos_, token.tag_,
                str(token.morph), token.dep_, token.ent_type_, token.ent_iob_, token.ent_id_,
                token.is_sent_start,
            ]
            for token in doc
        ],
        "heads": [token.head.i for token in doc],
        "links": [token.ent_kb_id_ for token in doc],
        "cats": {label: round(score, 4) for label, score in doc.cats.items()},
        "spans": spans,
    }  # fmt: skip


def main() -> None:
    for make, lang in (
        (rules, "en"),
        (merges, "en"),
        (other_language, "fi"),
        (networks, "xx"),
        (layers, "xx"),
    ):
        nlp = spacy.blank(lang)
        nlp.tokenizer = tokenizer(nlp)
        if make is merges:
            nlp.vocab.vectors = spacy.vectors.Vectors(shape=(2, 3))
            nlp.vocab.set_vector("words", numpy.asarray([1.0, 2.0, 3.0], dtype="float32"))
        make(nlp)
        folder = FOLDER / make.__name__
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(exist_ok=True)
        nlp.to_disk(folder)
        # spaCy writes the strings of the whole language, which loading adds anyway.
        (folder / "vocab" / "strings.json").write_text('["nsubj", "after-the", "words"]')
        loaded = spacy.load(folder)
        expected = [annotation(loaded(text)) for text in SAMPLE]
        (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
