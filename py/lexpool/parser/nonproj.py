"""Conversion of trees with crossing arcs to projective trees, and back (Nivre and Nilsson 2005).

A parser that works from left to right cannot build arcs that cross. So a crossing arc is lifted to
the head of its head, and its label is decorated with the label of the original head.

>>> heads, labels = projectivize([1, 2, 2, 2, 1], ["det", "nsubj", "ROOT", "advmod", "prep"])
>>> heads
[1, 2, 2, 2, 2]
>>> labels
['det', 'nsubj', 'ROOT', 'advmod', 'prep||nsubj']

Heads are positions of tokens; a root is its own head, and None or any negative number is an unknown
head.
"""

from __future__ import annotations

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .._core import Doc
    from .._learning.example import Example

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
    """Yields the ancestors of a token up to the root; None comes last if a head is unknown.

    >>> list(ancestors(0, [1, 2, 2]))
    [1, 2]

    In a cycle it yields as many heads as there are tokens. Raises IndexError (E040) for a token
    outside of the tree, ValueError (E190) for a head outside of it.
    """
    return iter(way_up(tokenid, heads))


def contains_cycle(heads: Sequence[int | None]) -> set[int] | None:
    """Returns the tokens on the first path of ancestors that enters a cycle, or None.

    >>> contains_cycle([1, 2, 2, 4, 5, 3, 2])
    {3, 4, 5}

    Cost: one pass. Raises ValueError (E190) for a head outside of the tree.
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
    """Returns the token whose arc is non-projective and spans the fewest tokens, or -1.

    Of several such tokens the leftmost is returned. Raises the errors of `is_nonproj_arc`.
    """
    token = smallest_nonproj_arc(heads)
    return -1 if token is None else token


def projectivize(
    heads: Sequence[int | None], labels: Sequence[str]
) -> tuple[list[int | None], list[str]]:
    """Returns heads and labels of a projective tree made from any tree; the arguments are
    unchanged.

    The shortest crossing arc is lifted first. Raises ValueError: E082 if heads and labels differ in
    number, E190 for a head outside of the tree, "Found cycle in dependency graph".
    """
    return lifted(heads, labels)


def deprojectivize(doc: Doc) -> Doc:
    """Restores lifted arcs of a document from their labels, and returns the document.

    The new head is the nearest descendant of the present head with the label in the decoration;
    without one the head is unchanged. Raises ValueError; the document is then unchanged:
    projective-label if a label is decorated twice, projective-limit for arcs that cross or form a
    cycle if the searches take more than 16 million steps.
    """
    return put_back(doc)


def decompose(label: str) -> tuple[str, str]:
    """Returns a label and the label of its original head, which is empty if the arc was not lifted.

    >>> decompose("prep||nsubj")
    ('prep', 'nsubj')
    """
    return parts_of(label)


def is_decorated(label: str) -> bool:
    """Returns whether a label is decorated with the label of its former head."""
    return DELIMITER in label


def count_decorated_labels(gold_data: Iterable[Example]) -> dict[str, int]:
    """Returns the counts of the decorated labels in the projective trees of examples.

    The heads are those of the aligned reference. spaCy treats distances as positions here and fails
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
