"""Pretraining of a shared network on texts without annotation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from .._core import pretrain_network
from .._loading.overrides import configured

__all__ = ["pretrain"]


def pretrain(
    config: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str],
    *,
    overrides: Mapping[str, Any] | None = None,
    resume_path: str | os.PathLike[str] | None = None,
    epoch_resume: int | None = None,
    skip_last: bool = False,
    threads: int = 0,
    report: Callable[[int, int, float, float, float], object] | None = None,
) -> None:
    """Pretrains the network that `[pretraining]` of a configuration names, as the command
    `lexpool pretrain` does, in Rust and without the GIL. A training takes the weights by
    `[initialize.init_tok2vec]`.

    config: a file, or a configuration.
    output: the folder for `model0.bin`, ..., `model-last.bin`, `log.jsonl` and `config.cfg`.
    overrides: settings by dotted name, such as {"paths.raw_text": "texts.jsonl"}.
    resume_path: a file of weights to go on with.
    epoch_resume: the first epoch then; by default the one behind that in the name of the file.
    skip_last: whether to write no `model-last.bin`.
    threads: 0 for one per core; the result has the same bits for any number.
    report: called after each 10,000 words with the epoch, the number of words, the sum of all
        losses, that since the last call, and the words a second.

    Ctrl-C ends the batch at hand; `model-last.bin` is saved before KeyboardInterrupt is raised.

    Raises ValueError: pretraining-missing without the section, training-config and
    training-unsupported with all problems of it, E874 for a network that gives no row for each
    word, E875 for an objective of vectors without any, E1020 for weights whose name tells no epoch,
    weights-different for those of another network, E986 for a corpus without words; OSError for
    files.
    """
    read, origin = configured(config, overrides)
    pretrain_network(
        read,
        origin,
        output,
        resume_path=resume_path,
        epoch_resume=epoch_resume,
        skip_last=skip_last,
        threads=threads,
        report=report,
    )
