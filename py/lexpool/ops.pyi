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
    """Returns the names of all ops, or of the ops of a namespace, sorted."""

def get(name: str) -> Op:
    """Returns the description of an op: its schema, parameters, kernels and source."""

def kernels() -> list[str]:
    """Returns the keys of the kernels that this machine can run, the best last."""

def cpu(key: str) -> _AbstractContextManager[None]:
    """Restricts ops to kernels up to a key within a `with` block."""

def override(name: str, function: _Callable[..., _Any]) -> Registration:
    """Replaces an op by a function for all callers until it is restored."""

def remove(name: str) -> Registration:
    """Makes calls of an op raise RuntimeError until it is restored."""

def load_library(path: str | _os.PathLike[str]) -> list[str]:
    """Loads a plugin, a shared library, and returns the names of its ops and types."""

def map(
    name: str,
    docs: _Iterable[_Doc],
    *args: _Any,
    n_threads: int = 0,
    progress: bool | _Callable[[int], object] = False,
    **kwargs: _Any,
) -> list[_Any]:
    """Returns the results of an op for documents, in their order, computed without the GIL."""

# The names of plugins are unknown before they are loaded.
def __getattr__(name: str) -> _Any: ...  # pyright: ignore[reportIncompleteStub]

# The namespaces, made by tests/tools/ops_stub.py from the registry.

class doc:
    @staticmethod
    def char_span(doc: _Doc, start: int, end: int, mode: str = "strict") -> list[int] | None:
        """The tokens of a range of characters, as [first, after the last]; None if no token span matches the range.

        mode: strict (the ends are ends of tokens), contract (the tokens wholly inside) or expand (all tokens touched). Raises ValueError E202 for another mode.
        """
        ...
    @staticmethod
    def count_by(doc: _Doc, attr: int) -> _Any:
        """Counts each value of an attribute: returns rows of value and count in the order of first occurrence.

        attr is the attribute's number, as in lexpool.attrs. Takes one pass over the tokens. Raises KeyError E983 if attr is not an attribute.
        """
        ...
    @staticmethod
    def entities(doc: _Doc) -> _Any:
        """The named entities: a row of first token, token after the last, and id of the label for each.

        Raises ValueError E093 if a token continues an entity that no token begins.
        """
        ...
    @staticmethod
    def has_annotation(doc: _Doc, attr: int, *, require_complete: bool = False) -> bool:
        """Returns True if an attribute is set on some token, or on every token if require_complete is True.

        attr is the attribute's number. Raises KeyError E983 if attr is not an attribute.
        """
        ...
    @staticmethod
    def lca_matrix(doc: _Doc, start: int = 0, end: int | None = None) -> _Any:
        """The lowest common ancestor of each pair of tokens, relative to start; -1 if a pair has none.

        Takes a walk to the root for each pair. Raises IndexError E035 for a range outside of the document.
        """
        ...
    @staticmethod
    def sentences(doc: _Doc) -> _Any:
        """The sentences: a row of first token and token after the last for each.

        Raises ValueError E030 if the sentence starts are unknown.
        """
        ...
    @staticmethod
    def to_array(doc: _Doc, attrs: _Sequence[int]) -> _Any:
        """Returns attributes of all tokens as unsigned 64-bit numbers: a row for each token, a column for each attribute.

        attrs are the attributes' numbers. Heads are relative, and negative numbers two's complement. Raises KeyError E983 if a number is not an attribute.
        """
        ...
    @staticmethod
    def words(doc: _Doc) -> list[str]:
        """The texts of the tokens, without the spaces between them."""
        ...

class iob:
    @staticmethod
    def from_biluo(tags: _Sequence[str | None]) -> list[str | None]:
        """Converts tags from BILUO to IOB; None stays None."""
        ...
    @staticmethod
    def to_biluo(tags: _Sequence[str]) -> list[str]:
        """Converts tags from IOB to BILUO.

        Raises ValueError E177 for a tag other than O that has no label.
        """
        ...

class records:
    @staticmethod
    def clear_sentences(tokens: _Any) -> int:
        """Clears the sentence starts, and returns the number of tokens on which one was known."""
        ...
    @staticmethod
    def entities(tokens: _Any) -> int:
        """Returns the number of tokens that begin a named entity."""
        ...
    @staticmethod
    def longest_sentence(tokens: _Any) -> int:
        """Returns the length of the longest sentence in tokens: of the longest run in which no token but the first is known to start a sentence."""
        ...
    @staticmethod
    def longest_unspaced(tokens: _Any) -> int:
        """Returns the length of the longest run of tokens without a space between them."""
        ...
    @staticmethod
    def sentence_starts(tokens: _Any) -> int:
        """Returns the number of tokens known to start a sentence."""
        ...
    @staticmethod
    def spaces(tokens: _Any) -> int:
        """Returns the number of tokens that a space follows."""
        ...
    @staticmethod
    def types(tokens: _Any) -> int:
        """Returns the number of different lexemes of the tokens.

        Sorts the numbers of the lexemes.
        """
        ...

class segment:
    class Segmenter:
        """A segmenter with its data, which any number of threads may use."""
        @property
        def name(self) -> str:
            """The name, such as newmm."""
            ...
        def cut(self, text: str) -> list[str]:
            """The words of a text, in order. Whitespace is left out, except for newmm, of which it is a word."""
            ...
    @staticmethod
    def names() -> list[str]:
        """The names of the segmenters that segment.open takes."""
        ...
    @staticmethod
    def open(name: str, data: str | None = None) -> segment.Segmenter:
        """Opens a segmenter, which cuts texts of languages without spaces into words.

        name: jieba or pkuseg for Chinese, sudachi for Japanese, mecab for Korean, newmm for Thai. data: the path of its data, as for Tokenizer.with_segmenter; only newmm has data of its own. Raises ValueError segmenter-data for an unknown name or missing data, segment-dictionary for damaged data; OSError for files that cannot be read.
        """
        ...

class spans:
    @staticmethod
    def filter(ranges: _Any, *, longest: bool = True) -> list[int]:
        """The positions of the ranges that remain when overlaps are resolved, in order of their starts.

        ranges is an int64 array of first tokens and tokens after the last. Of two overlapping ranges the longer one is kept, or with longest=False the one that starts first.
        """
        ...
    @staticmethod
    def overlap(spans: _Any) -> bool:
        """Returns True if two spans share a token, or if an empty span lies inside of another span.

        Sorts the spans.
        """
        ...

class text:
    @staticmethod
    def align(a: _Sequence[str], b: _Sequence[str]) -> list[list[int]]:
        """For each word of one tokenization, the positions of the words of another that share characters with it, ignoring case and whitespace.

        Raises ValueError E949 if the texts differ.
        """
        ...
    @staticmethod
    def edit_distance(a: str, b: str, bound: int | None = None) -> int:
        """Returns the Levenshtein distance of two strings: the minimum number of characters to insert, delete or substitute.

        A distance above the bound is returned as the bound plus one, and found sooner. Cost: the product of the lengths, divided by 64; with a bound, that of one length and the bound, divided by 32.
        """
        ...
    @staticmethod
    def hashes(texts: _Sequence[str]) -> _Any:
        """The ids of strings, as unsigned 64-bit numbers; every StringStore has the same ids."""
        ...
    @staticmethod
    def is_similar(text: str, pattern: str, most: int | None = None) -> bool:
        """Returns True if a text is at most `most` edits away from a pattern. The default of `most` is three tenths of the pattern's length, but at least two."""
        ...
    @staticmethod
    def like_email(text: str) -> bool:
        """Returns True if a word looks like an email address."""
        ...
    @staticmethod
    def like_url(text: str) -> bool:
        """Returns True if a word looks like a URL."""
        ...
    @staticmethod
    def lower(text: str) -> str:
        """The text in lower case, as from Python's str.lower."""
        ...
    @staticmethod
    def prefix(text: str) -> str:
        """The first character of a word, as in the attribute PREFIX."""
        ...
    @staticmethod
    def shape(text: str) -> str:
        """The shape of a word: X, x and d for letters and digits, runs of one kind truncated to four."""
        ...
    @staticmethod
    def suffix(text: str) -> str:
        """The last three characters of a word, as in the attribute SUFFIX."""
        ...

class tree:
    @staticmethod
    def projectivize(heads: _Sequence[int | None]) -> list[int | None]:
        """The heads of a projective tree: arcs that cross another one are lifted, the shortest first.

        heads are positions of tokens; a root is its own head, and None is an unknown head. Raises ValueError E190 if a head is not one of the tokens.
        """
        ...
    @staticmethod
    def smallest_nonprojective_arc(heads: _Sequence[int | None]) -> int | None:
        """The token whose arc is non-projective and spans the fewest tokens; None for a projective tree.

        heads are as for tree.projectivize.
        """
        ...

class vectors:
    @staticmethod
    def cosine(a: _Any, b: _Any) -> float:
        """The cosine of the angle between two vectors of equal width; 0 if one has length 0.

        Raises ValueError vectors-shape if the widths differ.
        """
        ...
    @staticmethod
    def cosines(query: _Any, rows: _Any) -> _Any:
        """The cosine of a vector with each row of a matrix; 0 if one of the two has length 0.

        Uses all cores from some hundred thousand numbers on. Raises ValueError vectors-shape if the rows have another width.
        """
        ...
    @staticmethod
    def dot(a: _Any, b: _Any) -> float:
        """The dot product of two vectors of equal width.

        The last bits differ between processors. Raises ValueError vectors-shape if the widths differ.
        """
        ...
    @staticmethod
    def norm(a: _Any) -> float:
        """The Euclidean length of a vector."""
        ...
