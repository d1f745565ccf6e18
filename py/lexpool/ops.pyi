import os as _os
from collections.abc import Callable as _Callable
from collections.abc import Iterable as _Iterable
from collections.abc import Sequence as _Sequence
from contextlib import AbstractContextManager as _AbstractContextManager
from typing import Any as _Any

from ._core import NativeFunction, Op, Registration
from .tokens import Doc as _Doc

__all__ = [
    "NativeFunction",
    "Op",
    "Registration",
    "cpu",
    "get",
    "kernels",
    "load_library",
    "map",
    "names",
    "override",
    "remove",
]

CHUNK: int

def names(namespace: str | None = None) -> list[str]:
    """The names of all ops, or of those of a namespace, in order."""

def get(name: str) -> Op:
    """What is known of an op: its schema, arguments, kernels and source."""

def kernels() -> list[str]:
    """The keys of kernels that this machine can run, the best last."""

def cpu(key: str) -> _AbstractContextManager[None]:
    """Inside, ops call only kernels up to this key."""

def override(name: str, function: _Callable[..., _Any]) -> Registration:
    """Calls a function in the place of an op until it is restored."""

def remove(name: str) -> Registration:
    """Makes calls of an op raise RuntimeError until it is restored."""

def load_library(path: str | _os.PathLike[str]) -> list[str]:
    """Loads a plugin, a shared library, and gives the names that it brings."""

def map(
    name: str,
    docs: _Iterable[_Doc],
    *args: _Any,
    n_threads: int = 0,
    progress: bool | _Callable[[int], object] = False,
    **kwargs: _Any,
) -> list[_Any]:
    """The results of an op for each document, in their order, computed without the GIL."""

# Of plugins nothing is known before they are loaded.
def __getattr__(name: str) -> _Any: ...  # pyright: ignore[reportIncompleteStub]

# The namespaces, made by tests/tools/ops_stub.py from the registry.

class doc:
    @staticmethod
    def char_span(doc: _Doc, start: int, end: int, mode: str = "strict") -> list[int] | None:
        """The tokens of a range of characters, as [first, after the last]; None if they do not fit.

        mode: strict (the ends are ends of tokens), contract (the tokens wholly inside) or expand (all tokens touched). ValueError E202: another mode.
        """
        ...
    @staticmethod
    def count_by(doc: _Doc, attr: int) -> _Any:
        """How often each value of an attribute occurs: a row of value and count for each, in the order of first occurrence.

        attr is the attribute's number, as in lexpool.attrs. One pass over the tokens. KeyError E983: no such attribute.
        """
        ...
    @staticmethod
    def entities(doc: _Doc) -> _Any:
        """The named entities: a row of first token, token after the last, and id of the label for each.

        ValueError E093: an inside that nothing begins.
        """
        ...
    @staticmethod
    def has_annotation(doc: _Doc, attr: int, *, require_complete: bool = False) -> bool:
        """Whether an attribute is set on some token, or on every one if it has to be complete.

        attr is the attribute's number. KeyError E983: no such attribute.
        """
        ...
    @staticmethod
    def lca_matrix(doc: _Doc, start: int = 0, end: int | None = None) -> _Any:
        """For each pair of tokens their lowest common ancestor, relative to start; -1 where there is none.

        A walk to the root for each pair. IndexError E035: a range outside of the document.
        """
        ...
    @staticmethod
    def sentences(doc: _Doc) -> _Any:
        """The sentences: a row of first token and token after the last for each.

        ValueError E030: nothing says where sentences start.
        """
        ...
    @staticmethod
    def to_array(doc: _Doc, attrs: _Sequence[int]) -> _Any:
        """Attributes of all tokens as unsigned 64-bit numbers: a row for each token, a column for each attribute.

        attrs are the attributes' numbers. Heads are relative, and negative numbers two's complement. KeyError E983: no such attribute.
        """
        ...
    @staticmethod
    def words(doc: _Doc) -> list[str]:
        """The texts of the tokens, without the spaces between them."""
        ...

class iob:
    @staticmethod
    def from_biluo(tags: _Sequence[str | None]) -> list[str | None]:
        """Tags in BILUO as tags in IOB; None stays."""
        ...
    @staticmethod
    def to_biluo(tags: _Sequence[str]) -> list[str]:
        """Tags in IOB as tags in BILUO.

        ValueError E177: a tag other than O that has no label.
        """
        ...

class records:
    @staticmethod
    def clear_sentences(tokens: _Any) -> int:
        """Forgets where sentences start, and says of how many tokens something was known."""
        ...
    @staticmethod
    def entities(tokens: _Any) -> int:
        """How many tokens begin a named entity."""
        ...
    @staticmethod
    def longest_sentence(tokens: _Any) -> int:
        """How many tokens lie between two known starts of sentences at most, or before the first or after the last one."""
        ...
    @staticmethod
    def longest_unspaced(tokens: _Any) -> int:
        """How many tokens follow each other without a space between them at most."""
        ...
    @staticmethod
    def sentence_starts(tokens: _Any) -> int:
        """How many tokens are known to start a sentence."""
        ...
    @staticmethod
    def spaces(tokens: _Any) -> int:
        """How many tokens have a space after them."""
        ...
    @staticmethod
    def types(tokens: _Any) -> int:
        """How many different lexemes there are among the tokens.

        Sorts their numbers.
        """
        ...

class spans:
    @staticmethod
    def filter(ranges: _Any, *, longest: bool = True) -> list[int]:
        """The positions of the ranges that remain when overlaps are resolved, in order of their starts.

        ranges is an int64 array of first tokens and tokens after the last. Of two that overlap the longer one stays, or with longest=False the one that starts first.
        """
        ...
    @staticmethod
    def overlap(spans: _Any) -> bool:
        """Whether two of some spans share a token, or one without tokens lies inside of another.

        Sorts them.
        """
        ...

class text:
    @staticmethod
    def align(a: _Sequence[str], b: _Sequence[str]) -> list[list[int]]:
        """For each word of one tokenization the positions of the words of another that it shares characters with; case and whitespace do not count.

        ValueError E949: the texts differ.
        """
        ...
    @staticmethod
    def edit_distance(a: str, b: str, bound: int | None = None) -> int:
        """How many characters have to be put in, taken out or exchanged to make one string of another.

        A distance above the bound is given as the bound plus one, and found out sooner. The product of the lengths, divided by 64.
        """
        ...
    @staticmethod
    def hashes(texts: _Sequence[str]) -> _Any:
        """The ids of strings, as every store of strings has them: unsigned 64-bit numbers."""
        ...
    @staticmethod
    def is_similar(text: str, pattern: str, most: int | None = None) -> bool:
        """Returns whether a text is at most `n` edits away from a pattern; without a number two, or three tenths of the pattern's length."""
        ...
    @staticmethod
    def like_email(text: str) -> bool:
        """Whether a word looks like an address for electronic mail."""
        ...
    @staticmethod
    def like_url(text: str) -> bool:
        """Whether a word looks like a URL."""
        ...
    @staticmethod
    def lower(text: str) -> str:
        """The text in lower case, as Python's str.lower gives it."""
        ...
    @staticmethod
    def prefix(text: str) -> str:
        """The first character of a word, as the attribute PREFIX has it."""
        ...
    @staticmethod
    def shape(text: str) -> str:
        """The shape of a word: X, x and d for letters and digits, runs of one kind cut to four."""
        ...
    @staticmethod
    def suffix(text: str) -> str:
        """The last three characters of a word, as the attribute SUFFIX has them."""
        ...

class tree:
    @staticmethod
    def projectivize(heads: _Sequence[int | None]) -> list[int | None]:
        """The heads of a projective tree: each arc that crosses another is lifted, the shortest first.

        heads are positions of tokens, a root being its own head, and None where it is not known. ValueError E190: a head outside of the tokens.
        """
        ...
    @staticmethod
    def smallest_nonprojective_arc(heads: _Sequence[int | None]) -> int | None:
        """The token whose arc is non-projective and spans the fewest tokens; None for a projective tree.

        heads as for tree.projectivize.
        """
        ...

class vectors:
    @staticmethod
    def cosine(a: _Any, b: _Any) -> float:
        """The cosine of the angle between two vectors of one width; 0 where one has no length.

        ValueError vectors-shape: vectors of different widths.
        """
        ...
    @staticmethod
    def cosines(query: _Any, rows: _Any) -> _Any:
        """The cosine of a vector with each row of a matrix; 0 where one has no length.

        With some hundred thousand numbers or more on all cores. ValueError vectors-shape: rows of another width.
        """
        ...
    @staticmethod
    def dot(a: _Any, b: _Any) -> float:
        """The product of two vectors of one width.

        The last bits differ between processors. ValueError vectors-shape: vectors of different widths.
        """
        ...
    @staticmethod
    def norm(a: _Any) -> float:
        """The Euclidean length of a vector."""
        ...
