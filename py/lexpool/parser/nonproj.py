"""Trees with crossing arcs made projective, and back (Nivre and Nilsson 2005).

A parser that works from left to right cannot build an arc that crosses another. So an arc that does
is lifted to the head of its head, and its label keeps the label of the head that it had.

>>> heads, labels = projectivize([1, 2, 2, 2, 1], ["det", "nsubj", "ROOT", "advmod", "prep"])
>>> heads
[1, 2, 2, 2, 2]
>>> labels
['det', 'nsubj', 'ROOT', 'advmod', 'prep||nsubj']

Heads are positions of tokens; a root is its own head, and None or any negative number says
that a head is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .._core import (
    ancestors as way_up,
    cycle,
    decompose as parts_of,
    deprojectivize as put_back,
    is_nonproj_arc as crosses,
    is_nonproj_tree as any_crosses,
    projectivize as lifted,
    smallest_nonproj_arc,
)

if TYPE_CHECKING:
    from .._core import Doc
    from ..training import Example

__all__ = [
    "DELIMITER",
    "ancestors",
    "contains_cycle",
    "count_decorated_labels",
    "decompose",
    "deprojectivize",
    "get_smallest_nonproj_arc_slow",
    "is_decorated",
    "is_nonproj_arc",
    "is_nonproj_tree",
    "projectivize",
]

DELIMITER = "||"


def ancestors(tokenid: int, heads: Sequence[int | None]) -> Iterator[int | None]:
    """The heads on the way up from a token to the root; None comes last where a head is not known.

    >>> list(ancestors(0, [1, 2, 2]))
    [1, 2]

    Around a cycle there are as many as tokens. IndexError E040: no such token; ValueError E190: a
    head outside.
    """
    return iter(way_up(tokenid, heads))


def contains_cycle(heads: Sequence[int | None]) -> set[int] | None:
    """The tokens on the first way up that leads into a cycle, or None.

    >>> contains_cycle([1, 2, 2, 4, 5, 3, 2])
    {3, 4, 5}

    Cost: one pass. ValueError E190: a head outside.
    """
    way = cycle(heads)
    return None if way is None else set(way)


def is_nonproj_arc(tokenid: int, heads: Sequence[int | None]) -> bool:
    """Returns whether the arc from a token to its head spans a token that does not descend from the
    head.

    A token with an unknown head among its ancestors may descend from any token. Raises ValueError
    "Found cycle in dependency graph" if the ancestors of such a token form a cycle, ValueError E190
    for a head outside of the tree, and IndexError E040 for a token outside of it.
    """
    return crosses(tokenid, heads)


def is_nonproj_tree(heads: Sequence[int | None]) -> bool:
    """Returns whether any arc is non-projective. Raises the errors of `is_nonproj_arc`."""
    return any_crosses(heads)


def get_smallest_nonproj_arc_slow(heads: Sequence[int | None]) -> int:
    """The token whose arc is non-projective and spans the fewest tokens, or -1.

    Of several the leftmost. The errors are those of `is_nonproj_arc`.
    """
    found = smallest_nonproj_arc(heads)
    return -1 if found is None else found


def projectivize(
    heads: Sequence[int | None], labels: Sequence[str]
) -> tuple[list[int | None], list[str]]:
    """Heads and labels of a projective tree, made of any tree; the arguments stay as they are.

    The shortest arc that crosses others is lifted first. ValueError E082: not one label for each
    head; E190: a head outside; "Found cycle in dependency graph".
    """
    return lifted(heads, labels)


def deprojectivize(doc: Doc) -> Doc:
    """Puts lifted arcs of a document back by their labels, and returns the document.

    The new head is the first token below the present one, the nearest first, with the label that
    the decoration names; where there is none, the head stays. ValueError "projective-label": a
    label is decorated twice; the document is then as it was.
    """
    return put_back(doc)


def decompose(label: str) -> tuple[str, str]:
    """A label and the label of the head that it was lifted from, which is empty if it was not.

    >>> decompose("prep||nsubj")
    ('prep', 'nsubj')
    """
    return parts_of(label)


def is_decorated(label: str) -> bool:
    """Returns whether a label is decorated with the label of its former head."""
    return DELIMITER in label


def count_decorated_labels(gold_data: Iterable[Example]) -> dict[str, int]:
    """Returns the counts of the decorated labels in the projective trees of examples.

    The heads are those of the aligned reference. spaCy takes distances for positions here and fails
    on nearly every tree.
    """
    counts: dict[str, int] = {}
    for example in gold_data:
        heads, labels = example.get_aligned_parse(projectivize=False)
        texts = ["" if label is None else label for label in labels]
        new_heads, decorated = projectivize(heads, texts)
        for token, (head, label) in enumerate(zip(new_heads, decorated, strict=True)):
            # A token lifted to the root becomes a root, independent of its label.
            if head != token and is_decorated(label):
                counts[label] = counts.get(label, 0) + 1
    return counts
