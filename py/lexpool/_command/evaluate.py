"""`lexpool evaluate`: annotates the texts of annotated documents, and prints how well.

The command's arguments are parsed in Rust, in `core/cli`, which calls `run`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .._core import escape_lines
from .._language.evaluation import evaluate
from .._narrow import is_dict
from .._saving.files import write_text_file
from ..language import load
from ..training.references import docbin_files, examples_of_references, read_references
from .progress import Progress
from .reports import import_file

__all__ = ["run", "tables"]

# The rows of the table, in spaCy's order.
_ROWS = {
    "TOK": "token_acc",
    "TAG": "tag_acc",
    "POS": "pos_acc",
    "MORPH": "morph_acc",
    "LEMMA": "lemma_acc",
    "UAS": "dep_uas",
    "LAS": "dep_las",
    "NER P": "ents_p",
    "NER R": "ents_r",
    "NER F": "ents_f",
    "TEXTCAT": "cats_score",
    "SENT P": "sents_p",
    "SENT R": "sents_r",
    "SENT F": "sents_f",
    "SPAN P": "spans_{key}_p",
    "SPAN R": "spans_{key}_r",
    "SPAN F": "spans_{key}_f",
    "SPEED": "speed",
}

# The titles of tables with precision, recall and F-score of each label.
_BY_LABEL = {
    "MORPH (per feat)": "morph_per_feat",
    "LAS (per type)": "dep_las_per_type",
    "NER (per type)": "ents_per_type",
    "SPANS (per type)": "spans_{key}_per_type",
    "Textcat F (per label)": "cats_f_per_type",
}
_AUC = "Textcat ROC AUC (per label)"

# Interrupted by Ctrl-C, as a shell reports it.
_INTERRUPTED = 130


def run(
    *,
    model: str | os.PathLike[str],
    data: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    code_path: str | os.PathLike[str] | None = None,
    gold_preproc: bool = False,
    per_component: bool = False,
    spans_key: str = "sc",
    quiet: bool = False,
) -> int:
    """Runs the command with its arguments, reports errors and returns the exit code."""
    try:
        if code_path is not None:
            import_file(code_path)
        scores = _scores(
            model, data, gold_preproc=gold_preproc, per_component=per_component, quiet=quiet
        )
        # JSON has no number for NaN.
        written = json.dumps(_without_nan(scores), indent=2, ensure_ascii=False) + "\n"
        if output is not None and os.fspath(output) == "-":
            _print(written)
            return 0
        if output is not None:
            write_text_file(output, written)
        _print(escape_lines("\n".join(tables(scores, spans_key, per_component=per_component))))
    except KeyboardInterrupt:
        _report("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of the output closed it early, as `head` does.
        return 0
    except Exception as error:
        for line in (_message(error), *getattr(error, "__notes__", [])):
            _report(line)
        return 1
    return 0


def _scores(
    model: str | os.PathLike[str],
    data: Sequence[str | os.PathLike[str]],
    *,
    gold_preproc: bool,
    per_component: bool,
    quiet: bool,
) -> dict[str, Any]:
    # Wrong paths are reported before the pipeline is loaded, which may take long.
    files = [file for path in data for file in docbin_files(path)]
    nlp = load(model)
    with Progress(len(files), "files read", quiet=quiet) as progress:
        references = [
            doc for file in progress.over(files) for doc in read_references([Path(file)], nlp)
        ]
    examples = list(examples_of_references(references, nlp, gold_preproc=gold_preproc))
    with Progress(len(examples), "documents annotated", quiet=quiet) as progress:
        return evaluate(
            nlp, examples, per_component=per_component, annotated=lambda _: progress.add()
        )


def tables(
    scores: dict[str, Any], spans_key: str = "sc", *, per_component: bool = False
) -> Iterable[str]:
    """Yields the lines of the tables of scores.

    per_component: whether the scores are by component, whose tables are apart then.
    """
    groups = {"Results": scores}
    if per_component:
        # The speed, which is of all components, comes last.
        groups = {name: own for name, own in scores.items() if is_dict(own)} | groups
    for title, own in groups.items():
        rows = _results(own, spans_key)
        if rows:
            yield from _table(title, rows)
        if own is not scores or not per_component:
            yield from _tables_by_label(own, spans_key)


def _results(scores: dict[str, Any], spans_key: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for title, name in _ROWS.items():
        key = name.format(key=spans_key)
        if key not in scores:
            continue
        if key == "cats_score":
            title = f"{title} ({scores.get('cats_score_desc', 'unk')})"
        cell = f"{scores[key]:.0f}" if key == "speed" else _percent(scores[key])
        rows.append([title, cell])
    return rows


def _tables_by_label(scores: dict[str, Any], spans_key: str) -> Iterable[str]:
    for title, name in _BY_LABEL.items():
        by_label: dict[str, dict[str, float]] = scores.get(name.format(key=spans_key)) or {}
        rows = [[label, *(_percent(own[x]) for x in "prf")] for label, own in by_label.items()]
        if rows:
            yield from _table(title, rows, ["", "P", "R", "F"])
    areas: dict[str, float | None] = scores.get("cats_auc_per_type") or {}
    rows = [[label, "-" if area is None else f"{area:.2f}"] for label, area in areas.items()]
    if rows:
        yield from _table(_AUC, rows, ["", "ROC AUC"])


def _percent(score: object) -> str:
    return f"{score * 100:.2f}" if isinstance(score, (int, float)) else "-"


def _table(title: str, rows: list[list[str]], header: list[str] | None = None) -> Iterable[str]:
    """Yields a title, and rows whose columns are aligned: the first to the left, numbers to the
    right.
    """
    yield ""
    yield f" {title} ".center(79, "=")
    yield ""
    lines = [header, *rows] if header else rows
    widths = [max(len(row[at]) for row in lines) for at in range(len(lines[0]))]
    for row in lines:
        first, *others = (
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "   ".join([first, *others]).rstrip()


def _without_nan(value: Any) -> Any:
    if is_dict(value):
        return {key: _without_nan(inner) for key, inner in value.items()}
    return None if value != value else value


def _message(error: Exception) -> str:
    """Returns the message of an error, after its class if the message has no code."""
    # A KeyError quotes its message.
    argument: object = error.args[0] if len(error.args) == 1 else None
    text = argument if isinstance(argument, str) else str(error)
    return text if text.startswith("[") else f"{type(error).__name__}: {text}"


def _print(text: str) -> None:
    rest = text.rstrip("\n").encode("utf8", "backslashreplace") + b"\n"
    # Not through Python's buffer, which would be written again at the end if this fails.
    while rest:
        rest = rest[os.write(sys.stdout.fileno(), rest) :]


def _report(text: str) -> None:
    # An end of line in the name of a file must not begin a message of its own.
    line = escape_lines(text).replace("\n", r"\u{a}")
    print(f"lexpool: {line}", file=sys.stderr)
