"""Implementation of `pipe` of matchers: streams of documents."""

from __future__ import annotations

import warnings
from itertools import islice

from .._typing import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Protocol

    from .._core import Doc

    class _SearchingMatcher(Protocol):
        """The methods of a matcher that `match_stream` calls."""

        def __call__(self, doclike: Any, /) -> list[Any]: ...

        def _match_batch(
            self, docs: Sequence[Any], n_threads: int, as_spans: bool
        ) -> list[list[Any]]: ...


def match_stream(
    matcher: _SearchingMatcher,
    docs: Iterable[Any],
    batch_size: int,
    return_matches: bool,
    as_tuples: bool,
    n_threads: int | None,
    as_spans: bool,
) -> Iterator[Any]:
    """Matches a stream of documents. Without `n_threads` and `as_spans` this is spaCy's deprecated
    method, with its warning (W105).

    Raises ValueError for a batch size below 1.
    """
    if n_threads is None and not as_spans:
        return _one_by_one(matcher, docs, return_matches, as_tuples)
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}; expected at least 1")
    threads = 1 if n_threads is None else n_threads
    return _in_batches(matcher, docs, batch_size, return_matches, as_tuples, threads, as_spans)


def _one_by_one(
    matcher: _SearchingMatcher, docs: Iterable[Any], return_matches: bool, as_tuples: bool
) -> Iterator[Any]:
    name = type(matcher).__name__
    text = (
        f"[W105] {name}.pipe is deprecated since spaCy v3.0; call the matcher with each document, "
        "or pass n_threads"
    )
    warnings.warn(text, DeprecationWarning, stacklevel=2)
    for item in docs:
        doc, context = cast("tuple[Doc, Any]", item) if as_tuples else (item, None)
        matches = matcher(doc)
        result = (doc, matches) if return_matches else doc
        yield (result, context) if as_tuples else result


def _in_batches(
    matcher: _SearchingMatcher,
    docs: Iterable[Any],
    batch_size: int,
    return_matches: bool,
    as_tuples: bool,
    n_threads: int,
    as_spans: bool,
) -> Iterator[Any]:
    items = iter(docs)
    while batch := list(islice(items, batch_size)):
        searched: list[Any] = [doc for doc, _ in batch] if as_tuples else batch
        matches = matcher._match_batch(searched, n_threads, as_spans)  # pyright: ignore[reportPrivateUsage]
        for item, doc, found in zip(batch, searched, matches):
            result = (doc, found) if return_matches else doc
            yield (result, item[1]) if as_tuples else result
