"""A run of many trainings: its configuration, its folder, and its result, which is kept there."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

from .._core import DocBin, Vocab, train_pipeline
from .._errors import ConfigError
from .._loading.overrides import configured
from .._narrow import is_dict
from .._saving.files import write_text_part
from ..config import Config
from .references import docbin_files

__all__ = ["Configs", "Run", "RunResult", "plan_runs", "run_once"]

Configs = str | PathLike[str] | Mapping[str, Any]

# The file of a result in the folder of its run.
_RESULT = "result.json"


@dataclass(frozen=True)
class Run:
    """A training of many. It pickles, so that another process can run it.

    setting: the name of the configuration and of its overrides. config: its text.
    seed, fold: None for the seed of the configuration, and without cross-validation.
    folder: the folder of `model-best`, `model-last`, the state and the result.
    """

    setting: str
    seed: int | None
    fold: int | None
    config: str
    folder: str
    threads: int
    memory: int | None


@dataclass(frozen=True)
class RunResult:
    """The result of a training of many.

    score, step: the best weighted score, and the step that had it.
    scores: the scores of that step by name.
    error: the message of the error that has ended the run, or None.
    """

    setting: str
    seed: int | None
    fold: int | None
    folder: str
    score: float | None
    step: int | None
    scores: dict[str, Any]
    error: str | None


def plan_runs(
    configs: Configs | Mapping[str, Configs],
    output: str | PathLike[str],
    *,
    settings: Mapping[str, Mapping[str, Any]] | None,
    overrides: Mapping[str, Any] | None,
    seeds: Iterable[int] | None,
    folds: int,
    threads: int,
    memory: int | None,
) -> list[Run]:
    """Returns the runs of all configurations, settings, seeds and folds, and writes the corpora of
    the folds.
    """
    if folds < 0 or folds == 1:
        raise ValueError(f"folds is {folds}; expected 0, or at least 2")
    given = list(seeds) if seeds is not None else [None]
    runs: list[Run] = []
    for name, config in _named(configs).items():
        for setting, own in (settings or {"": {}}).items():
            label = "-".join(part for part in (name, setting) if part) or "run"
            if label in {".", ".."} or Path(label).name != label:
                raise ValueError(f"the setting {label!r} cannot be the name of a folder")
            changed = {**(overrides or {}), **own}
            read, _ = configured(config, changed)
            corpora = _folds(read, Path(output) / label, folds) if folds else [None]
            for seed, (fold, corpus) in product(given, enumerate(corpora)):
                last = {} if seed is None else {"training.seed": seed}
                text = configured(config, {**changed, **last, **(corpus or {})})[0].to_str()
                parts = [f"seed-{seed}"] * (seed is not None) + [f"fold-{fold}"] * bool(folds)
                folder = Path(output).absolute().joinpath(label, *parts)
                number = fold if folds else None
                runs.append(Run(label, seed, number, text, str(folder), threads, memory))
    if len({run.folder for run in runs}) < len(runs):
        raise ValueError("two runs have the same setting, seed and fold")
    return runs


def run_once(run: Run) -> RunResult:
    """Trains, or returns the result that an earlier call has left in the folder of the run. A run
    that was paused goes on.
    """
    folder = Path(run.folder)
    result = folder / _RESULT
    try:
        key = _key(run.config)
        if (done := _read_result(result, key)) is not None:
            return done
        ended = train_pipeline(
            run.config, run.folder, folder, run.threads, run.memory, "state", None
        )
        score, step = ended["best"] or (None, None)
        meta = json.loads((folder / "model-best" / "meta.json").read_text("utf8"))
    except Exception as error:
        return RunResult(
            run.setting, run.seed, run.fold, run.folder, None, None, {}, _message(error)
        )
    scores = {k: v for k, v in meta["performance"].items() if not k.endswith("_loss")}
    made = RunResult(run.setting, run.seed, run.fold, run.folder, score, step, scores, None)
    write_text_part(result, json.dumps({"key": key, "result": asdict(made)}, indent=2) + "\n")
    return made


def _message(error: Exception) -> str:
    return str(error) or type(error).__name__


def _named(configs: Configs | Mapping[str, Configs]) -> dict[str, Configs]:
    if isinstance(configs, Mapping) and "nlp" not in configs:
        if not configs:
            raise ValueError("there are no configurations")
        return dict(configs)
    return {"": configs}


def _section(config: Config, name: str) -> Mapping[str, Any]:
    section: Any = config
    for part in name.split("."):
        section = section.get(part) if is_dict(section) else None
    if not is_dict(section):
        raise ConfigError(f"the configuration has no section [{name}]")
    return section


def _corpora(config: Config) -> tuple[str, str]:
    """Returns the names of the corpora to learn from and to evaluate with."""
    training = config.get("training", {})
    pairs = [("train_corpus", "corpora.train"), ("dev_corpus", "corpora.dev")]
    train, dev = (str(training.get(key) or default) for key, default in pairs)
    return train, dev


def _folds(config: Config, folder: Path, n: int) -> list[dict[str, str]]:
    """Deals the documents of the training corpus to folds in turn, writes for each the others and
    its own as two corpora, and returns the settings that name them.
    """
    whole = config.interpolate()
    train, dev = _corpora(whole)
    path = _section(whole, train).get("path")
    if not path:
        raise ConfigError(f"[E913] [{train}]: 'path' is null")
    vocab = Vocab()
    docs: list[Any] = []
    attrs: list[int] | None = None
    for file in docbin_files(path):
        saved = DocBin().from_disk(file)
        attrs = sorted({*(attrs or []), *saved.attrs})
        docs.extend(saved.get_docs(vocab))
    if len(docs) < n:
        raise ValueError(f"{n} folds of {len(docs)} documents")
    made: list[dict[str, str]] = []
    for fold in range(n):
        settings: dict[str, str] = {}
        for corpus, name, own in (
            (train, "train", [doc for at, doc in enumerate(docs) if at % n != fold]),
            (dev, "dev", docs[fold::n]),
        ):
            file = (folder / "folds" / f"{name}-{fold}-of-{n}.spacy").absolute()
            file.parent.mkdir(parents=True, exist_ok=True)
            DocBin(attrs=attrs, store_user_data=True, docs=own).to_disk(file)
            settings[f"{corpus}.path"] = str(file)
        made.append(settings)
    return made


def _key(text: str) -> str:
    """Returns a checksum of a configuration and its corpora."""
    config = Config.from_str(text, interpolate=False).interpolate()
    sums = [zlib.crc32(text.encode("utf8"))]
    for name in _corpora(config):
        for data in _files_of(_section(config, name)):
            sums.append(zlib.crc32(data))
    return "-".join(f"{number:08x}" for number in sums)


def _files_of(section: Mapping[str, Any]) -> Iterator[bytes]:
    path = Path(str(section.get("path")))
    if path.is_dir():
        yield from (file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file())
    elif path.exists():
        yield path.read_bytes()


def _read_result(path: Path, key: str) -> RunResult | None:
    """Returns the result of a run with the same configuration and corpora; None without one."""
    if not path.exists():
        return None
    try:
        saved = json.loads(path.read_text("utf8"))
        return RunResult(**saved["result"]) if saved["key"] == key else None
    except (ValueError, KeyError, TypeError):
        return None
