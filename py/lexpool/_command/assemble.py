"""`lexpool assemble`: a pipeline of a configuration, without a training.

The command's arguments are parsed in Rust, in `core/cli`, which calls `run`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from .._narrow import is_dict
from .._saving.json import loads
from ..config import Config
from ..language import Language
from .reports import import_file, reported, say

__all__ = ["assemble", "run", "with_overrides"]


def run(
    *,
    config_path: str | PathLike[str],
    output_path: str | PathLike[str],
    code_path: str | PathLike[str] | None = None,
    overrides: Sequence[tuple[str, str]] = (),
    quiet: bool = False,
) -> int:
    """Runs the command with its arguments, reports errors and returns the exit code."""

    def work() -> None:
        if code_path is not None:
            import_file(code_path)
        nlp = assemble(config_path, overrides)
        nlp.to_disk(output_path)
        if not quiet:
            names = ", ".join(nlp.pipe_names) or "no component"
            say(f"{output_path}: {names}")

    return reported(work)


def assemble(
    config_path: str | PathLike[str], overrides: Iterable[tuple[str, str]] = ()
) -> Language:
    """Returns the initialized pipeline of a configuration; components from other pipelines are
    kept as they are.

    overrides: values by dotted names, JSON or texts, that replace those of the file.

    Raises ConfigError and the errors of `Language.from_config` and `initialize`.
    """

    config = with_overrides(Config.from_disk(config_path, interpolate=False), overrides)
    nlp = Language.from_config(config)
    components: Any = config.get("components") or {}
    sourced = [name for name, own in components.items() if is_dict(own) and "source" in own]
    with nlp.select_pipes(disable=[name for name in sourced if name in nlp.pipe_names]):
        nlp.initialize()
    return nlp


def with_overrides(config: Config, overrides: Iterable[tuple[str, str]]) -> Config:
    """Returns a configuration with values by dotted names, JSON or texts, that options give."""
    for name, value in overrides:
        _set(config, name.split("."), _value(value))
    return config


def _value(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return text


def _set(section: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names[:-1]:
        inner = section.setdefault(name, {})
        if not is_dict(inner):
            inner = section[name] = {}
        section = inner
    section[names[-1]] = value
