"""The two commands that benchmarks of training run side by side, and their configurations."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import spacy
from spacy.cli.init_config import init_config

# Code for `spacy train --code`.
OPENBLAS = """
from thinc.api import NumpyOps, set_current_ops

set_current_ops(NumpyOps(use_blis=False))
"""
# With the quickstart's tolerance, about 900 words.
BATCHES = {"@schedules": "constant.v1", "rate": 1000.0}


@dataclass
class Run:
    """The costs of a process: seconds of the processor and of the clock, and megabytes."""

    processor: float
    clock: float
    memory: float
    # The last line of lexpool's `--json`.
    result: dict[str, Any]


class Trainer:
    """Runs both commands in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.openblas = folder / "openblas.py"
        self.openblas.write_text(OPENBLAS)

    def run(self, side: str, config: Path, options: Sequence[str], threads: int = 1) -> Run:
        """Trains once: spaCy with products of "blis" or "openblas", or "lexpool"."""
        out = self.folder / "out"
        command = [sys.executable, "-m", "lexpool" if side == "lexpool" else "spacy", "train"]
        command += [str(config), "-o", str(out), *options]
        if side == "lexpool":
            command += ["--json", "--threads", str(threads)]
        elif side == "openblas":
            command += ["--code", str(self.openblas)]
        began = perf_counter()
        # Into files: a full pipe would stop the process, and `communicate` takes its usage away.
        with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen(
                command,
                stdout=printed,
                stderr=said,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )
            _, status, usage = os.wait4(process.pid, 0)
            clock = perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            printed.seek(0)
            said.seek(0)
            lines = printed.read().splitlines()
            if status:
                told = "\n".join([*lines, said.read()])
                raise SystemExit(f"{' '.join(command)}: {told[-2000:]}")
        result = json.loads(lines[-1]) if side == "lexpool" else {}
        return Run(usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss / 1e3, result)


def config_of(
    folder: Path,
    name: str,
    pipeline: list[str],
    optimize: str,
    *,
    lang: str = "en",
    **paths: Path,
) -> Path:
    """Writes the configuration of spaCy's quickstart for processors."""
    config = init_config(lang=lang, pipeline=pipeline, optimize=optimize, gpu=False)
    config["paths"].update({key: str(path) for key, path in paths.items()})
    file = folder / f"{name}.cfg"
    config.to_disk(file)
    return file


def with_constant_batches(file: Path) -> Path:
    """Writes the configuration with batches of about 900 words."""
    config = spacy.util.load_config(file, interpolate=False)
    config["training"]["batcher"]["size"] = dict(BATCHES)
    made = file.with_stem(f"{file.stem}-constant")
    config.to_disk(made)
    return made
