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
from ._training_loop import Evaluation, TrainingLoop, Update

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
    their exception is raised. Before the first update they end the training at once. After other
    exceptions the folders stay as they were written last.

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
    best: list[tuple[float, int]] = []
    start = time.monotonic()
    log, finish = _silent()
    try:
        with _signals() as signals:
            for update in training:
                signals.are_noted = True
                if update.step == 0:
                    _set_score_weights(nlp, training)
                    with nlp.select_pipes(disable=training.frozen):
                        log, finish = logger(nlp, sys.stdout, sys.stderr)
                info = None
                if update.score is not None:
                    _set_performance(nlp, update)
                    _save(training, output, is_best=update.is_best)
                    best.append((update.score, update.step))
                    info = _info(update, best, time.monotonic() - start, output)
                log(info)
                if info is not None and report is not None:
                    report(_evaluation(update))
                if signals.received:
                    training.stop()
            _save(training, output, is_best=False)
    finally:
        finish()


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


def _set_score_weights(nlp: Language, training: TrainingLoop) -> None:
    """Puts the weights by which evaluations are compared into the configuration, where loggers and
    readers of the folder find them.
    """
    nlp.config["training"]["score_weights"] = training.score_weights()


def _set_performance(nlp: Language, update: Update) -> None:
    weights: Any = nlp.config["training"]["score_weights"]
    scores = update.scores or {}
    performance: dict[str, Any] = {name: scores.get(name, 0.0) for name in weights}
    performance.update({f"{name}_loss": loss for name, loss in update.losses.items()})
    nlp.meta["performance"] = performance


def _evaluation(update: Update) -> Evaluation:
    score, scores = update.score or 0.0, update.scores or {}
    return Evaluation(update.step, update.epoch, update.words, score, update.losses, scores)


def _info(
    update: Update, checkpoints: list[tuple[float, int]], seconds: float, output: Path
) -> dict[str, Any]:
    """Returns what loggers are told of an evaluation."""
    return {
        "epoch": update.epoch,
        "step": update.step,
        "words": update.words,
        "seconds": int(seconds),
        "losses": update.losses,
        "score": update.score,
        "other_scores": update.scores,
        "checkpoints": checkpoints,
        "output_path": str(output / "model-last"),
    }


def _save(training: TrainingLoop, output: Path, *, is_best: bool) -> None:
    with training.saving() as nlp:
        for name in ("model-best", "model-last") if is_best else ("model-last",):
            write_folder(output / name, nlp.to_disk)


class _Signals:
    """Signals during a training. They are noted from the first update on: before it there is
    nothing to save, and their usual handlers are called.
    """

    def __init__(self) -> None:
        self.received: list[int] = []
        self.are_noted = False


@contextmanager
def _signals() -> Generator[_Signals]:
    """Gives the signals, Ctrl-C and SIGTERM, that are noted until the end of a `with` block, after
    which their usual handlers are called. The second of them ends the block at once. Off the main
    thread, signals are left alone, and so are those without a handler of Python's.
    """
    signals = _Signals()
    handlers: dict[int, Any] = {}

    def note(number: int, frame: Any) -> None:
        if signals.received or not signals.are_noted:
            handlers[number](number, frame)
        signals.received.append(number)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                handlers[number] = signal.signal(number, note)
    try:
        yield signals
    finally:
        for changed, handler in handlers.items():
            signal.signal(changed, handler)
    if signals.received:
        first = signals.received[0]
        handlers[first](first, None)


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
            figures = (info["step"], info["epoch"], info["words"], info["score"])
            row, line = table.row(*figures, info["losses"], info["other_scores"])
            lines(line if is_json else row)

        return log, lambda: None

    return begin
