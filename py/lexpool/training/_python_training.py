"""Training by a configuration that names functions of Python: callbacks, loggers, readers of
corpora. It makes the steps of `loop`, and writes the folders that `train_pipeline` writes.
"""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._components.registered_functions import resolve_function
from .._core import (
    EvaluationTable,
    check_python_training,
    fill_config,
    remove_leftovers,
    write_folder,
)
from .._errors import ConfigError
from .._narrow import is_dict
from ..config import Config
from ..language import Language
from ._training_loop import Evaluation, Trainee, TrainingLoop

__all__ = ["Logger", "check_options", "console_logger", "train_in_python"]

# A logger as spaCy has it; see `lexpool.training.logger`.
Logger = Callable[..., tuple[Callable[[dict[str, Any] | None], object], Callable[[], object]]]

_NATIVE_LOGGER = "spacy.ConsoleLogger.v"


def train_in_python(
    config: Config,
    origin: str,
    output: Path,
    *,
    console: Logger | None = None,
    report: Callable[[Evaluation], object] | None = None,
) -> None:
    """Trains the pipeline of a configuration, and writes the folders `model-last` and `model-best`.

    origin: the name of the configuration for errors.
    console: the logger in the place of spaCy's loggers of the console.
    report: called after each evaluation.

    Ctrl-C, and SIGTERM if Python handles it, end the update at hand: `model-last` is written before
    their exception is raised. Before the first update they end the training at once. An exception
    within an update leaves the folders as they were written last.

    Raises ConfigError for a configuration that cannot be trained with, and the exceptions of its
    functions.
    """
    training = _prepared(config, origin)
    nlp = training.nlp
    logger = _logger(nlp, console)
    output.mkdir(parents=True, exist_ok=True)
    remove_leftovers(output)
    # The state of an earlier training in Rust does not belong to the folders of this one.
    (output / "state").unlink(missing_ok=True)
    trainee = _FolderTrainee(training, output, report)
    steps = trainee.steps()
    # Loggers and readers of the folder find there by what evaluations are compared.
    nlp.config["training"]["score_weights"] = steps.score_weights
    with nlp.select_pipes(disable=training.frozen):
        trainee.log, finish = logger(nlp, sys.stdout, sys.stderr)
    try:
        with _stopped_by_signals(training):
            steps.run()
    finally:
        finish()


class _FolderTrainee(Trainee):
    """A pipeline that is saved to `model-last` and `model-best`, and whose updates are logged."""

    log: Callable[[dict[str, Any] | None], object]

    def __init__(
        self,
        training: TrainingLoop,
        output: Path,
        report: Callable[[Evaluation], object] | None,
    ) -> None:
        super().__init__(training)
        self._output = output
        self._report = report
        self._checkpoints: list[tuple[float, int]] = []
        self._start = time.monotonic()

    def save(self, performance: dict[str, Any] | None, is_best: bool) -> None:
        """Writes the pipeline as the last one, and as the best one if it is that."""
        if performance is not None:
            self._nlp.meta["performance"] = performance
        with self._training.saving() as nlp:
            for name in ("model-best", "model-last") if is_best else ("model-last",):
                write_folder(self._output / name, nlp.to_disk)

    def told(self, *step: Any) -> None:
        """Logs an update."""
        update = self.update_of(*step)
        if not isinstance(update, Evaluation):
            self.log(None)
            return
        self._checkpoints.append((update.score, update.step))
        self.log(
            {
                "epoch": update.epoch,
                "step": update.step,
                "words": update.words,
                "seconds": int(time.monotonic() - self._start),
                "losses": update.losses,
                "score": update.score,
                "other_scores": update.scores,
                "checkpoints": self._checkpoints,
                "output_path": str(self._output / "model-last"),
            }
        )
        if self._report is not None:
            self._report(update)


def check_options(*, resume: object, threads: int, memory: int | None) -> None:
    """Raises ConfigError (training-unsupported) for options that only trainings in Rust have."""
    given = {"resume": resume, "threads": threads, "memory": memory}
    refused = [name for name, value in given.items() if value]
    if refused:
        raise ConfigError(
            "[training-unsupported] a configuration with functions of Python trains without "
            f"{', '.join(refused)}: leave out the option, or set the functions to null"
        )


def _prepared(config: Config, origin: str) -> TrainingLoop:
    """Returns the loop of the pipeline of a configuration."""
    check_python_training(config, origin)
    filled = Config(fill_config(config, origin))
    # The weights of components are added by the loop, which knows the factories of users too.
    filled["training"]["score_weights"] = config.get("training", {}).get("score_weights", {})
    seed = filled.interpolate()["training"]["seed"]
    random.seed(seed)
    nlp = Language.from_config(filled)
    components: Any = filled.interpolate().get("components", {})
    sourced = [name for name, own in components.items() if is_dict(own) and "source" in own]
    return TrainingLoop(nlp, None, None, with_weights=sourced)


def _logger(nlp: Language, console: Logger | None) -> Logger:
    section: Any = nlp.config.interpolate()["training"]["logger"]
    name: object = section.get("@loggers") if is_dict(section) else None
    if section is None or (isinstance(name, str) and name.startswith(_NATIVE_LOGGER)):
        return console or _silent
    return resolve_function("loggers", section, "training.logger")


def _silent(*_: Any) -> tuple[Callable[[dict[str, Any] | None], object], Callable[[], object]]:
    return (lambda info: None), (lambda: None)


@contextmanager
def _stopped_by_signals(training: TrainingLoop) -> Generator[None]:
    """Lets Ctrl-C and SIGTERM stop a training until the end of a `with` block, after which their
    usual handlers are called. The second of them ends the block at once. Off the main thread,
    signals are left alone, and so are those without a handler of Python's.
    """
    received: list[int] = []
    handlers: dict[int, Any] = {}

    def note(number: int, frame: Any) -> None:
        if received:
            handlers[number](number, frame)
        received.append(number)
        training.stop()

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                handlers[number] = signal.signal(number, note)
    try:
        yield
    finally:
        for changed, handler in handlers.items():
            signal.signal(changed, handler)
    if received:
        handlers[received[0]](received[0], None)


def console_logger(*, lines: Callable[[str], object], is_json: bool) -> Logger:
    """Returns a logger that prints the table of `lexpool train`, or lines of JSON.

    lines: prints a line.
    """

    def begin(nlp: Language, *_: Any) -> Any:
        weights: dict[str, Any] = nlp.config["training"]["score_weights"]
        trained = [name for name, own in nlp.pipeline if getattr(own, "is_trainable", False)]
        table = EvaluationTable(trained, [name for name, own in weights.items() if own is not None])
        if not is_json:
            names = ", ".join(f"'{name}'" for name in nlp.pipe_names)
            for line in (f"\u2139 Pipeline: [{names}]", *table.header()):
                lines(line)

        def log(info: dict[str, Any] | None) -> None:
            if info is None:
                return
            keys = ("step", "epoch", "words", "score", "losses", "other_scores")
            row, line = table.row(*(info[key] for key in keys))
            lines(line if is_json else row)

        return log, lambda: None

    return begin
