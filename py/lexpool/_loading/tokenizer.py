"""Tokenizers of configurations: the section `[nlp.tokenizer]`, by which a pipeline has rules or a
segmenter.

Called by `lexpool._loading.config` and `lexpool._loading.files`.
"""

from __future__ import annotations

import warnings

from .._components.settings import check_kind
from .._core import Tokenizer, Vocab, languages, vocab_of_language, vocab_of_saved
from .._errors import ConfigError
from .._narrow import is_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# The tokenizer with rules.
_RULES = "spacy.Tokenizer.v1"
# The tokenizers of languages with segmenters.
_SEGMENTER_TOKENIZERS = {
    "ja": "spacy.ja.JapaneseTokenizer",
    "ko": "spacy.ko.KoreanTokenizer",
    "th": "spacy.th.ThaiTokenizer",
    "zh": "spacy.zh.ChineseTokenizer",
}
# The settings of these tokenizers; None for no other segmenter than that of the language.
_SEGMENTER_SETTINGS = {
    "ja": ("dictionary", "split_mode"),
    "ko": ("dictionary",),
    "th": ("dictionary",),
    "zh": ("dictionary", "segmenter"),
}
_SEGMENTERS = {"ja": "sudachi", "ko": "mecab", "th": "newmm"}
# Languages whose tokenizer has a segmenter unless a configuration asks for rules.
_SEGMENTER_ONLY = ("ja", "th")
# Tokenizers of languages that are rules here, with the setting that each has then, and its default.
_RULE_TOKENIZERS = {
    "spacy.zh.ChineseTokenizer": ("segmenter", "char", "char"),
    "spacy.vi.VietnameseTokenizer": ("use_pyvi", False, True),
}


def default_section(lang: str) -> dict[str, Any]:
    """Returns the section of a blank pipeline."""
    if lang not in _SEGMENTER_ONLY:
        return {"@tokenizers": _RULES}
    settings = {"split_mode": None} if lang == "ja" else {}
    return {"@tokenizers": _SEGMENTER_TOKENIZERS[lang], **settings}


def name_chinese(section: dict[str, Any]) -> None:
    """Names the tokenizer of Chinese after its segmenter: characters are cut by rules."""
    tokenizer: Any = section.get("tokenizer")
    if not is_dict(tokenizer):
        return
    name, chinese = tokenizer.get("@tokenizers"), _SEGMENTER_TOKENIZERS["zh"]
    if name != chinese and (name != _RULES or "segmenter" not in tokenizer):
        return
    if tokenizer.get("segmenter", "char") == "char":
        section["tokenizer"] = {"@tokenizers": _RULES}
    else:
        tokenizer["@tokenizers"] = chinese


def segmenter(lang: str, section: Mapping[str, Any], origin: str) -> dict[str, Any] | None:
    """Returns the arguments of `Tokenizer.with_segmenter` that a configuration asks for; None for
    rules.

    Raises ConfigError for a tokenizer or a segmenter that lexpool lacks, and for other settings.
    """
    settings: Any = section.get("tokenizer")
    if not is_dict(settings):
        raise ConfigError(f"{origin}, [nlp]: 'tokenizer' is {settings!r}, not a section")
    name = settings.get("@tokenizers")
    if name is None or name != _SEGMENTER_TOKENIZERS.get(lang):
        if name != _RULES:
            raise ConfigError(
                f"{origin}, [nlp.tokenizer]: '@tokenizers' is {name!r}; lexpool has {_RULES}"
            )
        return None
    known = _SEGMENTER_SETTINGS[lang]
    if unknown := sorted(set(settings) - {"@tokenizers", *known}):
        raise ConfigError(
            f"{origin}, [nlp.tokenizer]: {name} has no setting {unknown[0]!r}; it has "
            f"{' and '.join(known)}"
        )
    given = {key: settings.get(key) for key in known if key != "segmenter"}
    for key, value in given.items():
        check_kind(value, ("str", "null"), f"{origin}, [nlp.tokenizer]", key)
    given["data"] = given.pop("dictionary")
    if lang in _SEGMENTERS:
        return {"name": _SEGMENTERS[lang], **given}
    # Without the setting, `name_chinese` has chosen rules.
    own = settings.get("segmenter")
    if own not in ("jieba", "pkuseg"):
        raise ConfigError(
            f"{origin}, [nlp.tokenizer]: {name} has the segmenter {own!r}; lexpool has "
            "'char', 'jieba' and 'pkuseg'"
        )
    return {"name": own, **given}


def replace_by_rules(section: dict[str, Any]) -> bool:
    """Returns whether a pipeline has a tokenizer of its language that lexpool's rules replace, and
    names them in its place: what is saved from here on are rules.
    """
    settings: Any = section.get("tokenizer")
    known = _RULE_TOKENIZERS.get(str(settings.get("@tokenizers"))) if is_dict(settings) else None
    if known is None:
        return False
    key, value, default = known
    if settings.get(key, default) != value:
        return False
    section["tokenizer"] = {"@tokenizers": _RULES}
    return True


def blank_tokenizer(
    lang: str,
    vocab: Vocab | None,
    has_tokenizer: bool,
    segmenter: dict[str, Any] | None,
) -> Tokenizer:
    """Returns a tokenizer with the rules or the segmenter of a language, or one without rules for a
    pipeline that has a file of its own. For such a pipeline, lexpool may lack the language, with a
    warning.
    """
    if segmenter is not None:
        # A model is read with the other files of the pipeline.
        if vocab is None:
            saved = vocab_of_saved(lang) if has_tokenizer else None
            vocab = vocab_of_language(lang) if saved is None else saved
        return Tokenizer.with_segmenter(vocab, **segmenter)
    if not has_tokenizer:
        if lang in _SEGMENTER_ONLY:
            # Rules by request: those of any language.
            vocab = vocab_of_language(lang) if vocab is None else vocab
            return Tokenizer.blank("xx", vocab=vocab)
        return Tokenizer.blank(lang, vocab=vocab)
    if vocab is not None and lang in languages():
        return Tokenizer(vocab)
    own = vocab_of_saved(lang)
    if own is None:
        warnings.warn(
            f"lexpool lacks the data of the language {lang!r}: the rules of its tokenizer come from "
            "the pipeline's files, but its stop words, number words, norms and noun chunks are "
            "missing, which may change attributes and predictions",
            UserWarning,
            stacklevel=4,
        )
        own = vocab_of_language("xx")
    return Tokenizer(own if vocab is None else vocab)
