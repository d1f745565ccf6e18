"""Training of whole pipelines: `loop` over a pipeline's updates."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import Any

from .._components.registered_functions import is_registered, resolve_callback, resolve_function
from .._core import Batcher, check_settings
from .._errors import ConfigError
from .._learning.example import Example
from .._narrow import is_dict
from ..language import Language
from .corpus_reader import CorpusReader

__all__ = ["Evaluation", "TrainingLoop", "Update", "loop"]

_DEFAULTS: dict[str, Any] = {
    "train_corpus": "corpora.train",
    "dev_corpus": "corpora.dev",
    "seed": 0,
    "dropout": 0.1,
    "accumulate_gradient": 1,
    "patience": 1600,
    "max_epochs": 0,
    "max_steps": 20000,
    "eval_frequency": 200,
    "score_weights": {},
    "frozen_components": [],
    "annotating_components": [],
}

# The number of documents of a stream that labels are taken from, as in spaCy.
_SAMPLE = 100
# The number of documents of a stream that are in memory at once, from which batches are made.
_PART = 1000


class Evaluation:
    """The result of an evaluation during a training.

    step, epoch, words: the numbers of the step and the epoch, from 0 on, and of words seen so far.
    losses: the losses by component since the last evaluation.
    scores: all scores. score: the weighted sum of those with weights.
    """

    def __init__(
        self,
        step: int,
        epoch: int,
        words: int,
        score: float,
        losses: dict[str, float],
        scores: dict[str, Any],
    ) -> None:
        self.step = step
        self.epoch = epoch
        self.words = words
        self.score = score
        self.losses = losses
        self.scores = scores

    def __repr__(self) -> str:
        return f"<Evaluation after step {self.step}: {self.score:.4f}>"


class Update:
    """An update of a training.

    step, epoch, words: the numbers of the step and the epoch, from 0 on, and of words seen so far.
    losses: the losses by component since the last evaluation.
    scores: all scores, if the pipeline was evaluated after this update, else None.
    score: the weighted sum of those with weights, or None.
    is_best: whether no earlier score is higher.
    """

    def __init__(self, step: int, epoch: int, words: int, losses: dict[str, float]) -> None:
        self.step = step
        self.epoch = epoch
        self.words = words
        self.losses = losses
        self.scores: dict[str, Any] | None = None
        self.score: float | None = None
        self.is_best = False

    def __repr__(self) -> str:
        score = "" if self.score is None else f", score {self.score:.4f}"
        return f"<Update {self.step} in epoch {self.epoch}{score}>"


class TrainingLoop:
    """An iterator over the updates of a pipeline, by the sections `[training]` and `[corpora]` of
    its configuration; see `loop`.

    train_corpus, dev_corpus: functions from a pipeline to examples to learn from, and to evaluate
        with.
    with_weights: names of components that keep their labels and weights, and learn on.
    frozen: names of components that do not learn.
    """

    def __init__(
        self,
        nlp: Language,
        train: Callable[[Language], Iterable[Example]] | None,
        dev: Callable[[Language], Iterable[Example]] | None,
        *,
        with_weights: Iterable[str] = (),
    ) -> None:
        self.nlp = nlp
        self._with_weights = list(with_weights)
        self._config = nlp.config.interpolate()
        given: Mapping[str, Any] = self._config.get("training", {})
        self._settings = {**_DEFAULTS, **{k: v for k, v in given.items() if v is not None}}
        check_settings(self._settings, "[training]")
        for name in ("eval_frequency", "accumulate_gradient"):
            value: object = self._settings[name]
            if not isinstance(value, int) or value < 1:
                raise ConfigError(f"[training] has {name!r} {value!r}; expected at least 1")
        self.train_corpus: Callable[[Language], Iterable[Example]] = train or self._corpus(
            "train_corpus"
        )
        self.dev_corpus: Callable[[Language], Iterable[Example]] = dev or self._corpus("dev_corpus")
        self._before_update, self._before_to_disk = (
            resolve_callback(given.get(key), f"training.{key}")
            for key in ("before_update", "before_to_disk")
        )
        self._batcher = Batcher(given.get("batcher"))
        self.frozen: list[str] = list(self._settings["frozen_components"])
        self._is_stopped = False
        self.optimizer: Any = None

    def stop(self) -> None:
        """Ends the iteration after the present update."""
        self._is_stopped = True

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the pipeline to a folder, with the running means of weights if there are any. If
        the configuration has `before_to_disk`, what that function makes of the pipeline is written.

        Raises ValueError (E914) if the function returns anything else than a pipeline.
        """
        with self.saving() as nlp:
            nlp.to_disk(path)

    @contextmanager
    def saving(self) -> Generator[Language]:
        """Gives the pipeline that `save` writes until the end of a `with` block."""
        with self._means():
            nlp: object = self.nlp
            if self._before_to_disk is not None:
                nlp = self._before_to_disk(self.nlp)
            if not isinstance(nlp, Language):
                raise ValueError(
                    f"[E914] 'before_to_disk' of [training] has returned {nlp!r:.80}; expected the "
                    "pipeline"
                )
            yield nlp

    def __iter__(self) -> Iterator[Update]:
        settings, nlp = self._settings, self.nlp
        shuffler = random.Random(settings["seed"])
        _seed(settings["seed"])
        examples, rest = self._read()
        dev = list(self.dev_corpus(nlp))
        if not dev:
            raise ValueError("[E986] the corpus to evaluate with has no documents")
        frozen = self.frozen
        sample = examples[:_SAMPLE] if settings["max_epochs"] < 0 else examples
        kept = [name for name in nlp.pipe_names if name in {*frozen, *self._with_weights}]
        with nlp.select_pipes(disable=kept):
            self.optimizer = nlp.initialize(lambda: sample)
        weights = self.score_weights()
        results: list[tuple[float, int]] = []
        losses: dict[str, float] = {}
        step, epoch, words = 0, 0, 0
        while True:
            if settings["max_epochs"] >= 0:
                shuffler.shuffle(examples)
            elif epoch:
                if isinstance(self.train_corpus, CorpusReader):
                    self.train_corpus.epoch = epoch
                examples, rest = self._read()
            n_before = step
            for own in self._batches(examples, rest):
                words += sum(len(example) for example in own)
                if self._before_update is not None:
                    self._before_update(nlp, {"step": step, "epoch": epoch})
                for part in _parts(own, settings["accumulate_gradient"]):
                    nlp.update(
                        part,
                        drop=settings["dropout"],
                        sgd=False,
                        losses=losses,
                        exclude=frozen,
                        annotates=settings["annotating_components"],
                    )
                for name, component in nlp.pipeline:
                    if name not in frozen and getattr(component, "is_trainable", False):
                        component.finish_update(self.optimizer)
                self.optimizer.step_schedules()
                made = Update(step, epoch, words, dict(losses))
                if step % settings["eval_frequency"] == 0:
                    with self._means():
                        made.scores = nlp.evaluate(dev)
                    made.score = _weighted(made.scores, weights)
                    results.append((made.score, step))
                    made.is_best = made.score == max(results)[0]
                    losses.clear()
                yield made
                if self._is_stopped or self._has_ended(step, results):
                    return
                step += 1
            if step == n_before:
                raise ValueError("[E986] the batcher makes no batches of the training corpus")
            epoch += 1
            if 0 < settings["max_epochs"] <= epoch:
                return

    def _read(self) -> tuple[list[Example], Iterator[Example]]:
        """Returns the examples of an epoch: all of them, or the first ones and the rest of a stream
        (`max_epochs` below 0), which may have no end.
        """
        rest = iter(self.train_corpus(self.nlp))
        # Corpora of files are read as the training in Rust reads them.
        is_file = isinstance(self.train_corpus, CorpusReader)
        is_stream = self._settings["max_epochs"] < 0 and not is_file
        examples = list(islice(rest, _PART if is_stream else None))
        if not examples:
            raise ValueError("[E986] the training corpus has no documents")
        return examples, rest

    def _batches(self, examples: list[Example], rest: Iterator[Example]) -> Iterator[list[Example]]:
        """Yields batches of examples, then of the rest of a stream."""
        while examples:
            for batch in self._batcher.batches([len(example) for example in examples]):
                yield [examples[at] for at in batch]
            examples = list(islice(rest, _PART))

    def _has_ended(self, step: int, results: list[tuple[float, int]]) -> bool:
        best = max(results, key=lambda result: (result[0], -result[1]))[1] if results else 0
        patience, most = self._settings["patience"], self._settings["max_steps"]
        return bool((patience and step - best >= patience) or (most and step >= most))

    def _means(self) -> Any:
        averages = getattr(self.optimizer, "averages", None)
        return self.nlp.use_params(averages) if averages else nullcontext()

    def score_weights(self) -> dict[str, float | None]:
        """Returns the weights of scores: those of the components and those that are given, divided
        by their sum.
        """
        united: dict[str, float | None] = {}
        for name in self.nlp.pipe_names:
            united.update(self.nlp.get_pipe_meta(name).default_score_weights)
        united.update(self._settings["score_weights"])
        total = sum(weight for weight in united.values() if weight)
        return {
            name: round(weight / total, 2) if weight and total > 0 else weight
            for name, weight in united.items()
        }

    def _corpus(self, key: str) -> Callable[[Language], Iterable[Example]]:
        name = str(self._settings[key])
        section: Any = self._config
        for part in name.split("."):
            section = section.get(part) if is_dict(section) else None
        if not is_dict(section):
            raise ConfigError(f"[training] names the corpus {name!r}, which is missing")
        if is_registered("readers", section.get("@readers")):
            return resolve_function("readers", section, name)
        return CorpusReader(section, name, int(self._settings["seed"]))


def loop(
    nlp: Language,
    *,
    train: Callable[[Language], Iterable[Example]] | None = None,
    dev: Callable[[Language], Iterable[Example]] | None = None,
) -> TrainingLoop:
    """Returns an iterator over the updates of a pipeline, which it initializes first. Settings are
    those of `[training]` of its configuration, with spaCy's defaults.

    train, dev: functions from a pipeline to examples to learn from, and to evaluate with; by
        default the corpora of the configuration.

    The pipeline has the weights of the present update between two of them: it can be used, saved by
    `save` and left at any time, by `stop`, `break` or Ctrl-C. Functions that the configuration
    names and `callback` registers are called as spaCy calls them: `before_init` and `after_init`
    with the pipeline, `before_update` with it and {"step", "epoch"} before each update,
    `before_to_disk` by `save`.

    Raises ConfigError, a ValueError, for corpora, batchers and callbacks (E893) that lexpool does
    not have, and for an `eval_frequency` or `accumulate_gradient` below 1; the iteration raises
    ValueError (E986) for a corpus without documents, E910 for a loss that is not finite.

    >>> for update in lexpool.training.loop(nlp):  # doctest: +SKIP
    ...     if update.is_best:
    ...         nlp.to_disk("best")
    """
    return TrainingLoop(nlp, train, dev)


def _seed(seed: int) -> None:
    import numpy

    numpy.random.seed(seed % (1 << 32))


def _parts(examples: list[Example], n: int) -> list[list[Example]]:
    """Returns a batch in so many parts of examples of similar lengths, and what remains."""
    ordered = sorted(examples, key=len)
    size = len(ordered) // n
    parts = [ordered[at * size : (at + 1) * size] for at in range(n if size else 0)]
    rest = ordered[len(parts) * size :]
    return [*parts, rest] if rest else parts


def _weighted(scores: Mapping[str, Any], weights: Mapping[str, float | None]) -> float:
    total = 0.0
    for name, weight in weights.items():
        value = scores.get(name)
        if weight is None or value is None:
            continue
        if not isinstance(value, int | float):
            raise ValueError(f"[E915] the score {name!r} has a weight, but is {value!r:.80}")
        total += value * weight
    return total
