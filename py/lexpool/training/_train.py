"""Training by a configuration: `train`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from .._core import python_functions, train_pipeline
from .._loading.overrides import configured
from ..language import Language, load
from ._python_training import check_options, train_in_python
from ._training_loop import Evaluation

__all__ = ["train"]


def train(
    config: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str] | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    threads: int = 0,
    memory: int | None = None,
    resume: bool | Literal["weights"] = False,
    report: Callable[[Evaluation], object] | None = None,
) -> Language:
    """Trains the pipeline of a configuration as the command `lexpool train` does, in Rust and
    without the GIL, and returns the best one.

    config: a file, or a configuration.
    output: the folder for `model-last` and `model-best`; by default a temporary one.
    overrides: settings by dotted name, such as {"paths.train": "train.spacy"}.
    threads: 0 for one per core; the result has the same bits for any number.
    memory: the most bytes of memory, above which a training is refused before its first step; by
        default 80 % of what is free, or of the limit of the control group.
    resume: True to go on from the state in `output`, if there is one; "weights" to begin anew with
        the weights of `model-last` there.
    report: called after each evaluation. An exception ends the training.

    Ctrl-C ends the batch at hand; `model-last` is saved before KeyboardInterrupt is raised.

    A configuration that names functions of Python, as `callback`, `corpus_reader` and `logger`
    register them, is trained by the steps of `loop`: with the GIL, one thread for each core and
    without a state, so that `threads`, `memory` and `resume` are refused.

    Raises ValueError: training-config, training-unsupported and others, with all problems of a
    configuration, before anything is read or written; state-different or weights-different for a
    training that cannot go on; OSError for files; MemoryError: training-memory, which names the
    largest part and what to set.
    """

    def told(*step: Any) -> None:
        if report is not None:
            report(Evaluation(*step))

    read, origin = configured(config, overrides)

    def run(folder: Path) -> Language:
        if python_functions(read, origin):
            check_options(resume=resume, threads=threads, memory=memory)
            train_in_python(read, origin, folder, report=report)
        else:
            begin = "weights" if resume == "weights" else "state" if resume else "anew"
            told_of = told if report else None
            train_pipeline(read, origin, folder, threads, memory, begin, told_of)
        best = folder / "model-best"
        return load(best if best.exists() else folder / "model-last")

    if output is not None:
        return run(Path(output))
    with TemporaryDirectory(prefix="lexpool-") as folder:
        return run(Path(folder))
