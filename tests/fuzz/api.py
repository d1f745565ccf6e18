"""Calls lexpool's Python API with random arguments, and reports what should never happen.

    python tests/fuzz/api.py --minutes 10 --seed 1

Rounds of calls run in child processes, each from a seed of its own. A round fails if the process
dies, stands still, raises what is no documented exception, or leaves a document that contradicts
itself. Then the seed and the last calls are printed, and `--only SEED` runs that round again.
"""

import argparse
import contextlib
import copy
import faulthandler
import inspect
import itertools
import os
import pickle
import random
import re
import resource
import shutil
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import surface
from arguments import Pool, RefusedCall, temporary_folder

from lexpool.errors import BusyError

DOCUMENTED = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    # Span.sentiment is a mean, which an empty span has none of; spaCy raises the same.
    ZeroDivisionError,
    NotImplementedError,
    AssertionError,
    RuntimeError,
    BufferError,
    OSError,
    MemoryError,
    StopIteration,
    ImportError,
    pickle.PicklingError,
    re.error,
    RefusedCall,
)
"""The exceptions that a call may raise; UnicodeError is a ValueError, RecursionError a
RuntimeError.
"""

OFTEN = """Doc Doc Doc Token Span SpanGroup SpanGroups Retokenizer Underscore Vocab StringStore Lexeme
    Tokenizer DocBin Vectors Morphology Example Language Learner TrainingBatch StateClass Beam Gold ArcEager
    BiluoPushDown Tagger DependencyParser EntityRecognizer TextCategorizer SpanCategorizer EditTreeLemmatizer
    Matcher PhraseMatcher DependencyMatcher Corpus InMemoryLookupKB Model""".split()
"""The classes whose objects are called most."""

CALLS = 1500
LONGEST = 60
"""Seconds that one call may take."""

MEMORY = 4 << 30


class Contradiction(Exception):
    """A document that says one thing here and another there."""


def operators(pool: Pool) -> list[Callable[[Any], Any]]:
    """Returns the operations that apply to any object."""
    return [
        len,
        repr,
        str,
        hash,
        bytes,
        bool,
        list,
        iter,
        copy.copy,
        copy.deepcopy,
        lambda value: pickle.loads(pickle.dumps(value)),
        memoryview,
        lambda value: value[pool.argument("i")],
        lambda value: value == pool.anything(),
        lambda value: value < pool.anything(),
        lambda value: pool.hostile() in value,
        lambda value: list(itertools.islice(value, 3)),
        next,
    ]


class Caller:
    """Makes the calls of one round."""

    def __init__(self, seed: int, log: int) -> None:
        self.rng, self.log = random.Random(seed), log
        self.folder = temporary_folder()
        # Texts are given as paths, too, "../x" among them: whatever is written goes there.
        inside = self.folder / "inside"
        inside.mkdir()
        os.chdir(inside)
        self.pool = Pool(self.rng, self.folder)
        self.functions = surface.callables()
        self.operators = operators(self.pool)

    def run(self, calls: int) -> None:
        """Make the calls, and look at a document after each."""
        try:
            for _ in range(calls):
                faulthandler.dump_traceback_later(LONGEST, exit=True)
                self._call()
                self._check()
        finally:
            faulthandler.cancel_dump_traceback_later()
            os.chdir("/")
            shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                name, act = self._choose()
                self._note(name)
                result = act()
            except DOCUMENTED as error:
                # Not `str(error)`: a KeyError shows its key, which may hold itself.
                if any(isinstance(part, str) and "bug in lexpool" in part for part in error.args):
                    raise
                return
            self._take(result)

    def _choose(self) -> tuple[str, Callable[[], Any]]:
        rng, pool = self.rng, self.pool
        if rng.random() < 0.15:
            function = rng.choice(self.functions)
            return self._with_arguments(function, function.__name__)
        often = [name for name in OFTEN if name in pool.kept]
        of = pool.some(rng.choice(often)) if rng.random() < 0.6 else pool.anything()
        if not surface.is_ours(type(of)) or rng.random() < 0.15:
            operator = rng.choice(self.operators)
            return f"{operator} on {type(of).__name__}", lambda: operator(of)
        names = surface.members(of)
        public = [name for name in names if not name.startswith("__")]
        member = rng.choice(public if public and rng.random() < 0.8 else names)
        name = f"{type(of).__name__}.{member}"
        static = inspect.getattr_static(type(of), member, None)
        if callable(static) or isinstance(static, staticmethod | classmethod):
            return self._with_arguments(getattr(of, member), name)
        if rng.random() < 0.35:
            value = pool.argument(member)
            return f"{name} = {_short(value)}", lambda: setattr(of, member, value)
        return name, lambda: getattr(of, member)

    def _with_arguments(self, called: Any, name: str) -> tuple[str, Callable[[], Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in surface.parameters(called):
            if parameter.default is not parameter.empty and self.rng.random() < 0.5:
                continue
            value = self.pool.argument(parameter.name)
            if parameter.kind is parameter.POSITIONAL_ONLY or (
                parameter.kind is parameter.POSITIONAL_OR_KEYWORD
                and len(kwargs) == 0
                and self.rng.random() < 0.6
            ):
                args.append(value)
            elif parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                kwargs[parameter.name] = value
        given = ", ".join([*map(_short, args), *(f"{k}={_short(v)}" for k, v in kwargs.items())])
        return f"{name}({given})", lambda: called(*args, **kwargs)

    def _take(self, result: Any) -> None:
        if result is None or isinstance(result, str | int | float | bool):
            return
        if isinstance(result, Iterator):
            # Left open at times, so that the documents change before the next item.
            if self.rng.random() < 0.5:
                self.pool.keep(result)
                return
            result = self._items(result)
        if isinstance(result, list | tuple):
            for item in result[:3]:
                if surface.is_ours(type(item)):
                    self.pool.keep(item)
        elif surface.is_ours(type(result)):
            self.pool.keep(result)

    def _items(self, result: Iterator[Any]) -> list[Any]:
        try:
            return list(itertools.islice(result, 5))
        except DOCUMENTED:
            return []

    def _check(self) -> None:
        doc = self.pool.some("Doc")
        # One under a lease lets nobody look.
        with contextlib.suppress(BusyError):
            if doc is not None:
                check(doc)

    def _note(self, name: str) -> None:
        os.write(self.log, name.encode("utf8", "backslashreplace") + b"\n")


def check(doc: Any) -> None:
    """Raise Contradiction unless a document's parts fit together."""
    n, words = len(doc), [token.text_with_ws for token in doc]
    _fits(len(words) == n, "its length and its tokens")
    _fits("".join(words) == doc.text, "its text and its tokens")
    _fits([token.i for token in doc] == list(range(n)), "the positions of its tokens")
    at = 0
    for token, word in zip(doc, words, strict=True):
        _fits(token.idx == at, "the offsets of its tokens")
        at += len(word)
    for i, offset in enumerate(doc.to_array("HEAD").astype("int64").tolist()):
        _fits(0 <= i + offset < n, "its heads and its length")
    _fits(all(0 <= token.left_edge.i <= token.right_edge.i < n for token in doc), "its edges")
    _fits(
        all(iob in (0, 1, 2, 3) for iob in doc.to_array("ENT_IOB").tolist()), "its entities' tags"
    )
    # Somebody may have put another object in the place of the dict.
    groups = doc.spans.data
    for group in list(groups.values()) if isinstance(groups, dict) else []:
        for span in group:
            _fits(0 <= span.start <= span.end <= n, "its groups of spans and its length")


def _fits(fits: bool, what: str) -> None:
    if not fits:
        raise Contradiction(f"a document contradicts itself: {what}")


def _short(value: Any) -> str:
    kind = type(value).__name__
    if isinstance(value, int | float | str | bytes | bool | None):
        text = repr(value)
        return text if len(text) < 60 else f"{text[:50]}... ({kind} of {len(value)})"
    if hasattr(value, "dtype"):
        return f"{kind}({value.dtype}, {value.shape})"
    if (
        isinstance(value, list | tuple)
        and len(value) < 7
        and not any(isinstance(v, list) for v in value)
    ):
        return f"{kind}({', '.join(_short(item) for item in value)})"
    return f"<{kind}>"


def one_round(seed: int, calls: int, log: Path) -> None:
    """Run a round in this process."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(500)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        Caller(seed, file).run(calls)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(3)
    os._exit(0)


def start(seed: int, calls: int, log: Path) -> subprocess.CompletedProcess[str]:
    """Run a round in a child process."""
    command = [
        sys.executable,
        str(Path(__file__).resolve()),
        "--child",
        str(log),
        "--only",
        str(seed),
        "--calls",
        str(calls),
    ]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=environment
    )


def main() -> int:
    """Run rounds until the time is over; 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--calls", type=int, default=CALLS, help="calls a round")
    parser.add_argument("--only", type=int, help="run the one round of this seed")
    parser.add_argument(
        "--keep-going", action="store_true", help="do not stop at the first failure"
    )
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        one_round(args.only, args.calls, args.child)
    folder, end, failed, done = temporary_folder(), time.monotonic() + 60 * args.minutes, 0, 0
    seeds = itertools.count(args.seed) if args.only is None else [args.only]
    for seed in seeds:
        result = start(seed, args.calls, folder / "calls")
        done += 1
        if result.returncode != 0:
            failed += 1
            calls = (folder / "calls").read_text("utf8").splitlines()
            print(f"FAILED seed {seed}, status {result.returncode}, call {len(calls)}")
            print("\n".join(["the last calls:", *calls[-12:], result.stderr[-3000:]]), flush=True)
            if not args.keep_going:
                break
        if time.monotonic() > end:
            break
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{done} rounds of {args.calls} calls, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
