"""The factories of trained components, under spaCy's names and with spaCy's default settings."""

from __future__ import annotations

from importlib import import_module

from .._narrow import is_mapping
from .registry import Factory, FactoryMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..language import Language

__all__ = ["TRAINED"]


def _factory(factory: str, module: str, class_name: str, **fixed: Any) -> Factory:
    """Returns a function that makes components of a class; `fixed` are further settings."""

    def make(nlp: Language, name: str, model: dict[str, Any], **settings: Any) -> Any:
        from .factories import resolved

        defaults = TRAINED[factory][1].default_config
        own: dict[str, Any] = dict(fixed)
        for key, value in settings.items():
            if key == "scorer" and value == defaults.get(key):
                continue
            is_raw = key == "suggester"
            own[key] = value if is_raw else resolved(value, f"components.{name}.{key}")
        made = getattr(import_module(f"lexpool.pipeline.{module}"), class_name)
        if factory == "entity_linker" and is_first_linker(model):
            made = import_module("lexpool.pipeline.legacy").EntityLinker_v1
        return made(nlp.vocab, model, name=name, **own)

    return make


def is_first_linker(model: Any) -> bool:
    """Returns whether the network of an entity linker has the first architecture of its kind."""
    settings = model if is_mapping(model) else getattr(model, "settings", {})
    return str(settings.get("@architectures", "")).endswith("EntityLinker.v1")


def _cnn(width: int, depth: int, maxout_pieces: int) -> dict[str, Any]:
    return {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": width,
        "depth": depth,
        "embed_size": 2000,
        "window_size": 1,
        "maxout_pieces": maxout_pieces,
        "subword_features": True,
    }


def _tok2vec(embed: dict[str, Any], width: int, depth: int) -> dict[str, Any]:
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": width,
        "depth": depth,
        "window_size": 1,
        "maxout_pieces": 3,
    }
    return {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}


def _multi_hash(version: int, width: int, sizes: dict[str, int]) -> dict[str, Any]:
    return {
        "@architectures": f"spacy.MultiHashEmbed.v{version}",
        "width": width,
        "rows": list(sizes.values()),
        "attrs": list(sizes),
        "include_static_vectors": False,
    }


def _tagger(tok2vec: dict[str, Any]) -> dict[str, Any]:
    return {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}


def _parser(state_type: str) -> dict[str, Any]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "tok2vec": _cnn(96, 4, 3),
        "state_type": state_type,
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
    }


def _ensemble(exclusive_classes: bool) -> dict[str, Any]:
    sizes = {"NORM": 2000, "LOWER": 2000, "PREFIX": 500, "SUFFIX": 1000, "SHAPE": 500}
    linear = {
        "@architectures": "spacy.TextCatBOW.v3",
        "exclusive_classes": exclusive_classes,
        "length": 262144,
        "ngram_size": 1,
        "no_output_layer": False,
    }
    return {
        "@architectures": "spacy.TextCatEnsemble.v2",
        "tok2vec": _tok2vec(_multi_hash(2, 64, sizes), 64, 2),
        "linear_model": linear,
    }


_SPAN_SIZES = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 1000}


def _spancat(version: int, scorer: str) -> dict[str, Any]:
    return {
        "@architectures": "spacy.SpanCategorizer.v1",
        "tok2vec": _tok2vec(_multi_hash(version, 96, _SPAN_SIZES), 96, 4),
        "reducer": {"@layers": "spacy.mean_max_reducer.v1", "hidden_size": 128},
        "scorer": {"@layers": scorer},
    }


_CHARACTERS: dict[str, Any] = {
    "@architectures": "spacy.CharacterEmbed.v2",
    "width": 128,
    "rows": 7000,
    "nM": 64,
    "nC": 8,
    "include_static_vectors": False,
}
_SPAN_FINDER: dict[str, Any] = {
    "@architectures": "spacy.SpanFinder.v1",
    "tok2vec": _tok2vec(_multi_hash(2, 96, _SPAN_SIZES), 96, 4),
    "scorer": {"@layers": "spacy.LinearLogistic.v1", "nO": 2},
}
_SUGGESTER: dict[str, Any] = {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2, 3]}
_SENTS: dict[str, float | None] = {"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0}
_TREES: dict[str, float | None] = {
    "dep_uas": 0.5,
    "dep_las": 0.5,
    "dep_las_per_type": None,
    "sents_p": None,
    "sents_r": None,
    "sents_f": 0.0,
}
_ENTS: dict[str, float | None] = {
    "ents_f": 1.0,
    "ents_p": 0.0,
    "ents_r": 0.0,
    "ents_per_type": None,
}
_CATS: dict[str, float | None] = {
    "cats_score": 1.0,
    "cats_score_desc": None,
    "cats_micro_p": None,
    "cats_micro_r": None,
    "cats_micro_f": None,
    "cats_macro_p": None,
    "cats_macro_r": None,
    "cats_macro_f": None,
    "cats_macro_auc": None,
    "cats_f_per_type": None,
}
_SPANS: dict[str, float | None] = {"spans_sc_f": 1.0, "spans_sc_p": 0.0, "spans_sc_r": 0.0}
_OF_TREES = ("token.dep", "token.head", "token.is_sent_start", "doc.sents")
_OF_ENTS = ("doc.ents", "token.ent_iob", "token.ent_type")
_BEAM_PARSER = {"beam_width": 8, "beam_density": 0.0001, "beam_update_prob": 0.5}
_BEAM_NER = {"beam_density": 0.01, "beam_update_prob": 0.5, "beam_width": 32}


def _entry(
    name: str,
    place: str,
    model: dict[str, Any],
    scorer: str | None,
    settings: dict[str, Any],
    assigns: tuple[str, ...],
    scores: dict[str, float | None],
    requires: tuple[str, ...] = (),
    **fixed: Any,
) -> tuple[str, tuple[Factory, FactoryMeta]]:
    config: dict[str, Any] = {**settings, "model": model}
    if scorer:
        config["scorer"] = {"@scorers": f"spacy.{scorer}"}
    module, class_name = place.split(":")
    meta = FactoryMeta(name, config, assigns, requires, False, list(scores), dict(scores))
    return name, (_factory(name, module, class_name, **fixed), meta)


def _ner(name: str, beam: dict[str, Any]) -> tuple[str, tuple[Factory, FactoryMeta]]:
    """Returns the factory of an entity recognizer. `beam`: the settings of a beam, if any."""
    settings = {"moves": None, "update_with_oracle_cut_size": 100, "incorrect_spans_key": None}
    place = "ner:EntityRecognizer"
    return _entry(
        name, place, _parser("ner"), "ner_scorer.v1", {**settings, **beam}, _OF_ENTS, _ENTS
    )


def _tree_parser(name: str, beam: dict[str, Any]) -> tuple[str, tuple[Factory, FactoryMeta]]:
    """Returns the factory of a parser. `beam`: the settings of a beam, if any."""
    settings = {
        "moves": None,
        "update_with_oracle_cut_size": 100,
        "learn_tokens": False,
        "min_action_freq": 30,
    }
    place = "dep_parser:DependencyParser"
    return _entry(
        name, place, _parser("parser"), "parser_scorer.v1", {**settings, **beam}, _OF_TREES, _TREES
    )


TRAINED: dict[str, tuple[Factory, FactoryMeta]] = dict(
    [
        _ner("beam_ner", _BEAM_NER),
        _tree_parser("beam_parser", _BEAM_PARSER),
        _entry(
            "entity_linker",
            "entity_linker:EntityLinker",
            {"@architectures": "spacy.EntityLinker.v2", "tok2vec": _cnn(96, 2, 3)},
            "entity_linker_scorer.v1",
            {
                "labels_discard": [],
                "n_sents": 0,
                "incl_prior": True,
                "incl_context": True,
                "entity_vector_length": 64,
                "get_candidates": {"@misc": "spacy.CandidateGenerator.v1"},
                "get_candidates_batch": {"@misc": "spacy.CandidateBatchGenerator.v1"},
                "generate_empty_kb": {"@misc": "spacy.EmptyKB.v2"},
                "overwrite": True,
                "use_gold_ents": True,
                "candidates_batch_size": 1,
                "threshold": None,
            },
            ("token.ent_kb_id",),
            {"nel_micro_f": 1.0, "nel_micro_r": None, "nel_micro_p": None},
            ("doc.ents", "doc.sents", "token.ent_iob", "token.ent_type"),
        ),
        _entry(
            "morphologizer",
            "morphologizer:Morphologizer",
            _tagger(_tok2vec(_CHARACTERS, 128, 4)),
            "morphologizer_scorer.v1",
            {"overwrite": True, "extend": False, "label_smoothing": 0.0},
            ("token.morph", "token.pos"),
            {"pos_acc": 0.5, "morph_acc": 0.5, "morph_per_feat": None},
        ),
        _ner("ner", {}),
        _tree_parser("parser", {}),
        _entry(
            "senter",
            "senter:SentenceRecognizer",
            _tagger(_cnn(12, 1, 2)),
            "senter_scorer.v1",
            {"overwrite": False},
            ("token.is_sent_start",),
            _SENTS,
        ),
        _entry(
            "span_finder",
            "span_finder:SpanFinder",
            _SPAN_FINDER,
            "span_finder_scorer.v1",
            {"threshold": 0.5, "spans_key": "sc", "max_length": 25, "min_length": None},
            ("doc.spans",),
            _SPANS,
        ),
        _entry(
            "spancat",
            "spancat:SpanCategorizer",
            _spancat(2, "spacy.LinearLogistic.v1"),
            "spancat_scorer.v1",
            {"threshold": 0.5, "spans_key": "sc", "max_positive": None, "suggester": _SUGGESTER},
            ("doc.spans",),
            _SPANS,
            negative_weight=None,
        ),
        _entry(
            "spancat_singlelabel",
            "spancat:SpanCategorizer",
            _spancat(1, "Softmax.v2"),
            "spancat_scorer.v1",
            {
                "spans_key": "sc",
                "negative_weight": 1.0,
                "allow_overlap": True,
                "suggester": _SUGGESTER,
            },
            ("doc.spans",),
            _SPANS,
            add_negative_label=True,
            max_positive=1,
            threshold=None,
        ),
        _entry(
            "tagger",
            "tagger:Tagger",
            _tagger(_cnn(96, 4, 3)),
            "tagger_scorer.v1",
            {"overwrite": False, "neg_prefix": "!", "label_smoothing": 0.0},
            ("token.tag",),
            {
                "tag_acc": 1.0,
                "pos_acc": 0.0,
                "tag_micro_p": None,
                "tag_micro_r": None,
                "tag_micro_f": None,
            },
        ),
        _entry(
            "textcat",
            "textcat:TextCategorizer",
            _ensemble(True),
            "textcat_scorer.v2",
            {"threshold": 0.0},
            ("doc.cats",),
            _CATS,
        ),
        _entry(
            "textcat_multilabel",
            "textcat_multilabel:MultiLabel_TextCategorizer",
            _ensemble(False),
            "textcat_multilabel_scorer.v2",
            {"threshold": 0.5},
            ("doc.cats",),
            _CATS,
        ),
        _entry("tok2vec", "tok2vec:Tok2Vec", _cnn(96, 4, 3), None, {}, ("doc.tensor",), {}),
        _entry(
            "trainable_lemmatizer",
            "edit_tree_lemmatizer:EditTreeLemmatizer",
            _tagger(_cnn(96, 4, 3)),
            "lemmatizer_scorer.v1",
            {"backoff": "orth", "min_tree_freq": 3, "overwrite": False, "top_k": 1},
            ("token.lemma",),
            {"lemma_acc": 1.0},
        ),
    ]
)
