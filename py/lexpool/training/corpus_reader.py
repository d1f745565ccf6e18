"""The corpora of a configuration as examples of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._core import Augmenter, Span, check_count
from .._errors import ConfigError
from .._learning.example import Example
from .references import docbin_files, examples_of_references, read_references

if TYPE_CHECKING:
    from .._core import Doc
    from .._protocols import Pipeline

__all__ = ["CorpusReader"]

_KEYS = {"@readers", "path", "gold_preproc", "max_length", "limit", "augmenter"}


class CorpusReader:
    """The reader of a section such as `[corpora.train]`: `spacy.Corpus.v1`.

    section, name: the section without references, and its dotted name for errors.
    seed: the seed of the augmenter, whose numbers in an epoch are those of `lexpool train`.

    Raises ConfigError for another reader, unknown or wrong settings, and E913 for a null path.
    """

    def __init__(self, section: Mapping[str, Any], name: str, seed: int) -> None:
        reader = section.get("@readers")
        if reader != "spacy.Corpus.v1":
            raise ConfigError(
                f"[{name}] names the reader {reader!r}; lexpool has spacy.Corpus.v1 here, and what "
                "lexpool.training.corpus_reader registers"
            )
        for key in section:
            if key not in _KEYS:
                raise ConfigError(f"[{name}] has the unknown key {key!r}")
        if not section.get("path"):
            raise ConfigError(f"[E913] [{name}]: 'path' is null")
        self._path = section["path"]
        self._gold_preproc = bool(section.get("gold_preproc"))
        self._max_length = _count(section, "max_length", name)
        self._limit = _count(section, "limit", name)
        settings = section.get("augmenter")
        self._augmenter = None if settings is None else Augmenter(settings, f"{name}.augmenter")
        self._seed = seed
        self.epoch = 0

    def __call__(self, nlp: Pipeline) -> Iterator[Example]:
        """Yields the examples of the epoch."""
        references = read_references(docbin_files(self._path), nlp, limit=self._limit)
        examples = examples_of_references(
            references, nlp, gold_preproc=self._gold_preproc, max_length=self._max_length
        )
        if self._augmenter is None:
            return examples
        self._augmenter.seed(self._seed + self.epoch)
        return self._variants(examples, self._augmenter, nlp)

    def _variants(
        self, examples: Iterable[Example], augmenter: Augmenter, nlp: Pipeline
    ) -> Iterator[Example]:
        for example in examples:
            variant = augmenter.variant(example.reference)
            yield example if variant is None else _varied(example.reference, *variant, nlp)


def _varied(reference: Doc, text: str, variant: Doc, nlp: Pipeline) -> Example:
    """Returns the example of a variant, which gets the categories and spans of the reference."""
    variant.cats = dict(reference.cats)
    # Words may have other lengths, so that spans are told by their tokens.
    for name, group in reference.spans.items():
        variant.spans[name] = [
            Span(variant, s.start, s.end, label=s.label, kb_id=s.kb_id, span_id=s.id) for s in group
        ]
    return Example(nlp.make_doc(text), variant)


def _count(section: Mapping[str, Any], key: str, name: str) -> int:
    value = section.get(key) or 0
    if not isinstance(value, int) or value < 0:
        raise ConfigError(f"[{name}] has {key!r} {value!r}; expected a whole number from 0 on")
    check_count(key, value, f"[{name}]: {key!r}")
    return value
