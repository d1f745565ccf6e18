"""Training of whole pipelines: `loop` over a pipeline's updates."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain, islice
from typing import Any

from .._components.registered_functions import is_registered, resolve_callback, resolve_function
from .._core import TrainingSteps, training_settings
from .._errors import ConfigError
from .._learning.example import Example
from .._narrow import is_dict
from ..language import Language
from .corpus_reader import CorpusReader

__all__ = ["Evaluation", "Trainee", "TrainingLoop", "Update", "loop"]

# The number of documents of a stream that labels are taken from, as in spaCy.
_SAMPLE = 100


class Update:
    """An update of a training.

    step, epoch, words: the numbers of the step and the epoch, from 0 on, and of words seen so far.
    losses: the losses by component since the last evaluation.
    score: the weighted sum of the scores with weights, if the pipeline was evaluated after this
        update, else None.
    scores: all scores, or None.
    is_best: whether no earlier score is higher.
    """

    def __init__(
        self,
        step: int,
        epoch: int,
        words: int,
        losses: dict[str, float],
        score: float | None = None,
        scores: dict[str, Any] | None = None,
        is_best: bool = False,
    ) -> None:
        self.step = step
        self.epoch = epoch
        self.words = words
        self.losses = losses
        self.score = score
        self.scores = scores
        self.is_best = is_best

    def __repr__(self) -> str:
        score = "" if self.score is None else f", score {self.score:.4f}"
        return f"<{type(self).__name__} {self.step} in epoch {self.epoch}{score}>"


class Evaluation(Update):
    """An update after which the pipeline was evaluated."""

    score: float
    scores: dict[str, Any]


class Trainee:
    """A pipeline as `TrainingSteps` calls it: it is initialized, and learns, evaluates and saves.

    Raises ValueError (E986) for a corpus without documents.
    """

    # From the last evaluation.
    scores: dict[str, Any]

    def __init__(self, training: TrainingLoop) -> None:
        import numpy

        self.is_stopped = False
        self._training = training
        self._nlp = nlp = training.nlp
        numpy.random.seed(training.seed % (1 << 32))
        self._is_stream = training.max_epochs < 0
        self._rest = iter(training.train_corpus(nlp))
        self._examples = list(islice(self._rest, _SAMPLE if self._is_stream else None))
        if not self._examples:
            raise ValueError("[E986] the training corpus has no documents")
        self._dev = list(training.dev_corpus(nlp))
        if not self._dev:
            raise ValueError("[E986] the corpus to evaluate with has no documents")
        with nlp.select_pipes(disable=training.with_labels()):
            training.optimizer = nlp.initialize(lambda: self._examples)

    def steps(self) -> TrainingSteps:
        """Returns the steps of the training, which a stop of it ends."""
        self._training.trainee = self
        metas = map(self._nlp.get_pipe_meta, self._nlp.pipe_names)
        weights = [pair for meta in metas for pair in meta.default_score_weights.items()]
        # An epoch of a stream has no known number of examples.
        n_examples = 0 if self._is_stream else len(self._examples)
        return TrainingSteps(self, self._training.section, weights, n_examples)

    def begin_epoch(self, epoch: int, order: Sequence[int]) -> Iterator[Example]:
        """Returns the examples of an epoch in order, or those of a stream."""
        if not self._is_stream:
            return map(self._examples.__getitem__, order)
        if epoch == 0:
            sample, self._examples = self._examples, []
            return chain(sample, self._rest)
        corpus = self._training.train_corpus
        if isinstance(corpus, CorpusReader):
            corpus.epoch = epoch
        examples = iter(corpus(self._nlp))
        for first in examples:
            return chain([first], examples)
        raise ValueError("[E986] the training corpus has no documents")

    def learn(
        self, parts: list[list[Example]], step: int, epoch: int, losses: dict[str, float]
    ) -> None:
        """Makes an update from the parts of a batch, and adds to the losses."""
        nlp, training, optimizer = self._nlp, self._training, self._training.optimizer
        if training.before_update is not None:
            training.before_update(nlp, {"step": step, "epoch": epoch})
        for part in parts:
            nlp.update(
                part,
                drop=training.dropout,
                sgd=False,
                losses=losses,
                exclude=training.frozen,
                annotates=training.annotating,
            )
        for name, component in nlp.pipeline:
            if name not in training.frozen and getattr(component, "is_trainable", False):
                component.finish_update(optimizer)
        optimizer.step_schedules()

    def evaluate(self) -> dict[str, Any]:
        """Returns the scores of the pipeline."""
        with self._training.means():
            self.scores = self._nlp.evaluate(self._dev)
        return self.scores

    def update_of(
        self,
        step: int,
        epoch: int,
        words: int,
        losses: dict[str, float],
        score: float | None,
        is_best: bool,
    ) -> Update:
        """Returns what `TrainingSteps` tells of a step, with the scores of its evaluation."""
        if score is None:
            return Update(step, epoch, words, losses)
        return Evaluation(step, epoch, words, losses, score, self.scores, is_best)


class TrainingLoop:
    """An iterator over the updates of a pipeline, by the sections `[training]` and `[corpora]` of
    its configuration; see `loop`.

    train_corpus, dev_corpus: functions from a pipeline to examples to learn from, and to evaluate
        with.
    with_weights: names of components that keep their labels and weights, and learn on.
    frozen: names of components that do not learn.
    """

    seed: int
    dropout: float
    max_epochs: int
    frozen: list[str]
    annotating: list[str]
    train_corpus: Callable[[Language], Iterable[Example]]
    dev_corpus: Callable[[Language], Iterable[Example]]
    before_update: Callable[..., Any] | None

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
        self.section: dict[str, Any] = self._config.get("training", {})
        settings = training_settings(self.section)
        self.seed, self.dropout, self.max_epochs, train_name, dev_name = settings[:5]
        self.frozen, self.annotating = settings[5:]
        self.train_corpus = train or self._corpus(train_name)
        self.dev_corpus = dev or self._corpus(dev_name)
        self.before_update, self._before_to_disk = (
            resolve_callback(self.section.get(key), f"training.{key}")
            for key in ("before_update", "before_to_disk")
        )
        self.trainee: Trainee | None = None
        self.optimizer: Any = None

    def stop(self) -> None:
        """Ends the iteration after the present update."""
        if self.trainee is not None:
            self.trainee.is_stopped = True

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
        with self.means():
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
        trainee = Trainee(self)
        steps = trainee.steps()
        while not trainee.is_stopped and (step := steps.next_step()) is not None:
            yield trainee.update_of(*step)

    def with_labels(self) -> list[str]:
        """Returns the names of the components that are not initialized."""
        names = {*self.frozen, *self._with_weights}
        return [name for name in self.nlp.pipe_names if name in names]

    def means(self) -> Any:
        """Shows the running means of weights, if there are any, until the end of a block."""
        averages = getattr(self.optimizer, "averages", None)
        return self.nlp.use_params(averages) if averages else nullcontext()

    def _corpus(self, name: str) -> Callable[[Language], Iterable[Example]]:
        section: Any = self._config
        for part in name.split("."):
            section = section.get(part) if is_dict(section) else None
        if not is_dict(section):
            raise ConfigError(f"[training] names the corpus {name!r}, which is missing")
        if is_registered("readers", section.get("@readers")):
            return resolve_function("readers", section, name)
        return CorpusReader(section, name, self.seed)


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

    Raises ValueError: training-config with all wrong settings, training-unsupported for a batcher
    that lexpool does not have; ConfigError, a ValueError, for corpora and callbacks (E893) that it
    does not have; the iteration raises ValueError (E986) for a corpus without documents, E910 for a
    loss that is not finite.

    >>> for update in lexpool.training.loop(nlp):  # doctest: +SKIP
    ...     if update.is_best:
    ...         nlp.to_disk("best")
    """
    return TrainingLoop(nlp, train, dev)
