"""Word vectors: by key, or by the n-grams of words."""

from __future__ import annotations

import warnings
from collections.abc import MutableMapping
from enum import Enum

from ._core import ATTRS, StringStore, VectorTable, Vocab
from ._narrow import as_names
from ._saving.files import update_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
    from os import PathLike
    from typing import Any, ClassVar


__all__ = ["BaseVectors", "Mode", "Vectors", "create_mode_vectors", "unpickle_vectors"]


class Mode(str, Enum):
    """The way to a word's vector: by its key, or by hashes of its n-grams (floret)."""

    default = "default"
    floret = "floret"

    @classmethod
    def values(cls) -> list[str]:
        """The names of the modes."""
        return list(cls.__members__)


class BaseVectors:
    """The interface of a vocab's vectors; subclasses can replace `Vectors`.

    Subclasses must implement every method that raises NotImplementedError here. Serialization does
    nothing unless a subclass overrides it.
    """

    def __init__(self, *, strings: Any = None) -> None:
        """Raises TypeError (E1046) for this class itself, which is abstract."""
        if type(self) is BaseVectors:
            raise TypeError("[E1046] BaseVectors is abstract: make an object of a subclass of it")

    def __getitem__(self, key: Any) -> Any:
        """Returns the vector of a word (str) or an id (int), of shape (width,)."""
        raise NotImplementedError

    def __contains__(self, key: Any) -> bool:
        """Returns whether an id (int) has a vector."""
        raise NotImplementedError

    @property
    def is_full(self) -> bool:
        """True if all rows are taken."""
        raise NotImplementedError

    def get_batch(self, keys: Any) -> Any:
        """Returns the vectors of words or ids (Iterable[str | int]), of shape (keys, width)."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and their width."""
        raise NotImplementedError

    def __len__(self) -> int:
        """The number of rows."""
        raise NotImplementedError

    @property
    def vectors_length(self) -> int:
        """The width of a row."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """The number of elements of the table."""
        raise NotImplementedError

    def add(self, key: Any, *, vector: Any = None) -> Any:
        """Sets the vector of a key (str | int), an array of shape (width,)."""
        raise NotImplementedError

    def to_ops(self, ops: Any) -> None:
        """Moves the data to the device of a `thinc.api.Ops`."""

    def to_bytes(self, *, exclude: str | Iterable[str] = ()) -> bytes:
        """Returns the vectors as bytes, without the parts in `exclude`; here without any part."""
        return b""

    def from_bytes(self, data: bytes, *, exclude: str | Iterable[str] = ()) -> Any:
        """Loads the bytes of `to_bytes`, and returns the vectors; here they are unchanged."""
        return self

    def to_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> None:
        """Writes the vectors into a folder; here nothing is written."""
        return None

    def from_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> Any:
        """Loads what `to_disk` wrote, and returns the vectors; here they are unchanged."""
        return self


class Vectors(BaseVectors):
    """A table of vectors, and the mapping from words to rows.

    In mode "default" keys, mostly ids of words, are mapped to rows, which several keys may share. A
    new key gets the lowest free row. In mode "floret" there are no keys: the vector of any word is
    the mean of the rows that its n-grams hash to.

    The data is float32 in lexpool's memory; `data` is a live view of it.
    """

    def __init__(
        self,
        *,
        strings: Any = None,
        shape: tuple[int, int] | None = None,
        data: Any = None,
        keys: Iterable[str | int] | None = None,
        name: str | None = None,
        mode: str = Mode.default,
        minn: int = 0,
        maxn: int = 0,
        hash_count: int = 1,
        hash_seed: int = 0,
        bow: str = "<",
        eow: str = ">",
        attr: int | str = "ORTH",
    ) -> None:
        """
        strings (StringStore): the strings of the keys; a new store by default.
        shape (tuple): rows and width of a table of zeros.
        data (array): the rows instead, of shape (rows, width); they are copied.
        keys (iterable): strings or ids, for the rows from the first one on.
        name (str): the name of the vectors.
        mode (str): "default" or "floret".
        minn, maxn, hash_count, hash_seed, bow, eow: for floret, the minimum and maximum length of
            n-grams, the number of rows per n-gram (1 to 4), the seed of their hash, and the marks
            before and after a word.
        attr (int | str): the attribute of a token whose value is its key.

        Raises ValueError: E202 for an unknown mode; in floret mode E863 if maxn is less than minn,
        E862 for an invalid hash_count, E864 without data, E861 with keys; in default mode E197 for
        more keys than rows.
        """
        if mode not in Mode.values():
            raise ValueError(
                f"[E202] no mode of vectors: {mode!r}, expected one of {Mode.values()}"
            )
        self.strings: StringStore | Any = StringStore() if strings is None else strings
        self.name = name
        self._ops: Any = None
        self._device: Any = None
        if mode == Mode.floret:
            if data is None and minn <= maxn and 1 <= hash_count <= 4:
                raise ValueError("[E864] vectors in mode floret are made of data")
            if keys is not None:
                raise ValueError("[E861] vectors in mode floret have no keys")
        if data is None:
            data = (0, 0) if shape is None else tuple(shape)
        self._table = VectorTable(
            data,
            mode=Mode(mode).value,
            minn=minn,
            maxn=maxn,
            hash_count=hash_count,
            hash_seed=hash_seed,
            bow=bow,
            eow=eow,
            attr=_attr_number(attr),
        )
        if keys is not None:
            self._table.add_all(keys)

    @classmethod
    def _over(cls, table: VectorTable, *, strings: Any, name: str | None) -> Vectors:
        """Returns vectors with an existing table."""
        vectors = cls.__new__(cls)
        vectors.strings, vectors.name = strings, name
        vectors._ops = vectors._device = None
        vectors._table = table
        return vectors

    @property
    def mode(self) -> str:
        """ "default" or "floret"."""
        return self._table.mode

    @property
    def minn(self) -> int:
        """The minimum length of n-grams in characters (floret)."""
        return self._table.floret[0]

    @property
    def maxn(self) -> int:
        """The maximum length of n-grams in characters (floret)."""
        return self._table.floret[1]

    @property
    def hash_count(self) -> int:
        """The number of rows per n-gram (floret)."""
        return self._table.floret[2]

    @property
    def hash_seed(self) -> int:
        """The seed of the hash of n-grams (floret)."""
        return self._table.floret[3]

    @property
    def bow(self) -> str:
        """The mark before a word (floret)."""
        return self._table.floret[4]

    @property
    def eow(self) -> str:
        """The mark after a word (floret)."""
        return self._table.floret[5]

    @property
    def attr(self) -> int:
        """The number of the attribute whose value is a token's key."""
        return self._table.attr

    @property
    def data(self) -> Any:
        """The data, of shape (rows, width): a NumPy array of float32, or a memoryview without
        NumPy.

        The array shares the memory of the table until the table is resized or another one assigned;
        then it keeps the old data. On another device (see `to_ops`) it is a copy.
        """
        if self._ops is None:
            return self._table.data
        if self._device is None:
            self._device = self._ops.asarray(self._table.data)
        return self._device

    @data.setter
    def data(self, data: Any) -> None:
        self._table.data = data
        self._device = None

    @property
    def key2row(self) -> MutableMapping[int, int]:
        """A live mapping from keys to rows, in the order in which they were added."""
        return _Rows(self._table)

    @key2row.setter
    def key2row(self, rows: Mapping[int, int]) -> None:
        self._table.set_keys(list(rows.items()))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and their width."""
        return self._table.shape

    @property
    def size(self) -> int:
        """The number of elements of the table."""
        rows, width = self._table.shape
        return rows * width

    @property
    def vectors_length(self) -> int:
        """The width of a row."""
        return self._table.shape[1]

    @property
    def is_full(self) -> bool:
        """True if all rows are taken."""
        return self._table.is_full

    @property
    def n_keys(self) -> int:
        """The number of keys; -1 in floret mode."""
        return -1 if self.mode == Mode.floret else len(self._table)

    def __len__(self) -> int:
        """The number of rows."""
        return self._table.shape[0]

    def __iter__(self) -> Iterator[int]:
        return iter(self._table.keys())

    def __contains__(self, key: object) -> bool:
        """Returns whether an id is a key; in floret mode every id is. Text is never a key."""
        return self.mode == Mode.floret or key in self._table

    def __getitem__(self, key: str | int) -> Any:
        """Returns a view of the vector of a word or id. Raises KeyError (E058) for unknown keys."""
        if self.mode == Mode.floret:
            return self._to_device(self._table.floret_vector(self.strings.as_string(key)))
        if self._ops is not None:
            return self._to_device(self._table[key])
        return self._table[key]

    def __setitem__(self, key: str | int, vector: Any) -> None:
        """Sets the vector of an existing key; in floret mode warns (W115) and does nothing.

        Raises KeyError (E058) for an unknown key, ValueError for a vector of another width.
        """
        if self._is_fixed("__setitem__"):
            return
        self._table[key] = vector
        self._device = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vectors):
            return NotImplemented
        return self._table == other._table

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickle_vectors, (self.to_bytes(), self.attr), {"name": self.name}

    def keys(self) -> KeysView[int]:
        """Returns the keys, in the order in which they were added."""
        return self.key2row.keys()

    def values(self) -> Iterator[Any]:
        """Yields live views of the vectors of rows that are not free."""
        rows = self._table.taken_rows()
        return (self._to_device(self._table.vector_at(row)) for row in rows)

    def items(self) -> Iterator[tuple[int, Any]]:
        """Yields keys with live views of their vectors."""
        return ((key, self[key]) for key in self._table.keys())  # noqa: SIM118

    def add(self, key: str | int, *, vector: Any = None, row: int | None = None) -> int:
        """Assigns a row to a key, and sets its vector.

        key (str | int): a word or an id.
        vector (array | None): the new vector of the row; one number fills it.
        row (int | None): the row; by default the row of the key, or the lowest free one.

        Returns the row; in floret mode warns (W115) and returns -1. Raises ValueError: E060 if no
        row is free, E197 for a row outside of the table; also for a vector of another width.
        """
        if self._is_fixed("add"):
            return -1
        new_row = self._table.add(key, vector, row)
        if vector is not None:
            self._device = None
        return new_row

    def resize(self, shape: tuple[int, int], inplace: bool = False) -> Any:
        """Changes the number of rows and their width; new elements are zero.

        inplace (bool): whether to require the same width, as spaCy does. New memory is allocated in
            any case.

        Returns a list of removed keys with their rows; in floret mode warns (W115) and returns -1.
        Raises ValueError (E193) for another width in place, MemoryError.
        """
        if self._is_fixed("resize"):
            return -1
        rows, width = shape
        if inplace and width != self._table.shape[1]:
            old_width = self._table.shape[1]
            raise ValueError(
                f"[E193] in place the width has to stay {old_width}, and {width} was asked for"
            )
        removed = self._table.resize(rows, width)
        self._device = None
        return removed

    def find(
        self,
        *,
        key: str | int | None = None,
        keys: Iterable[str | int] | None = None,
        row: int | None = None,
        rows: Iterable[int] | None = None,
    ) -> Any:
        """Returns rows of keys, or keys of rows, for exactly one argument.

        key (str | int): returns the row of a key, -1 if it is missing.
        keys: returns the rows of keys as an array of int32.
        row (int): returns the key of a row, of several the last one added.
        rows: returns the keys of rows as an array of uint64.

        Raises ValueError: E858 in floret mode, E059 for none or several arguments. Raises KeyError
        for a row without a key.
        """
        if self.mode == Mode.floret:
            raise ValueError(
                "[E858] find is for vectors with keys; in mode floret use vectors[key]"
            )
        arguments = {"key": key, "keys": keys, "row": row, "rows": rows}
        if sum(argument is not None for argument in arguments.values()) != 1:
            raise ValueError(f"[E059] find takes one of key, keys, row and rows, not {arguments}")
        if key is not None:
            number = self._table.row(key)
            return -1 if number is None else number
        if keys is not None:
            return self._to_device(self._table.find_rows(keys))
        if row is not None:
            return self._table.find_key(row)
        return self._to_device(self._table.find_keys(rows or ()))

    def get_batch(self, keys: Iterable[str | int]) -> Any:
        """Returns the vectors of words or ids, of shape (keys, width).

        In default mode a key without a vector gets the last row, as in spaCy.
        """
        if self.mode == Mode.floret:
            words = [self.strings.as_string(key) for key in keys]
            return self._to_device(self._table.floret_batch(words))
        return self._to_device(self._table.batch(keys))

    def most_similar(
        self,
        queries: Any,
        *,
        batch_size: int = 1024,
        n: int = 1,
        sort: bool = True,
        threads: int = 0,
    ) -> tuple[Any, Any, Any]:
        """Returns for each vector the `n` most similar rows with keys, by cosine.

        queries (array): vectors of shape (queries, width); they are not changed.
        batch_size, sort: ignored, for compatibility with spaCy; memory does not depend on the
            number of queries, and results are always sorted.
        threads (int): the most threads, 0 for one per core.

        Returns the keys (uint64), the rows (int32) and the scores (float32, rounded to four
        digits), each of shape (queries, n). Of rows with equal scores the higher one comes first.

        Raises ValueError: E858 in floret mode, E198 if fewer rows than `n` have a key; also for
        queries of another shape.
        """
        keys, rows, scores = self._table.most_similar(queries, n, threads)
        return self._to_device(keys), self._to_device(rows), self._to_device(scores)

    def clear(self) -> None:
        """Removes all keys. Raises ValueError (E859) in floret mode."""
        self._table.clear()

    def to_ops(self, ops: Any) -> None:
        """Makes `data` and all vectors arrays of a thinc `Ops`, which are copies on its device."""
        on_host = getattr(ops, "xp", None) is None or ops.xp.__name__ == "numpy"
        self._ops = None if on_host else ops
        self._device = None

    def to_bytes(self, *, exclude: str | Iterable[str] = ()) -> bytes:
        """Returns the vectors as bytes in spaCy's format.

        exclude (Iterable[str]): parts to leave out: "strings", "key2row", "vectors".
        """
        left_out = as_names(exclude)
        strings: str | None = None
        if "strings" not in left_out:
            written = self.strings.to_bytes()
            strings = written if isinstance(written, str) else written.decode()
        return self._table.to_bytes(strings, "key2row" not in left_out, "vectors" not in left_out)

    def from_bytes(self, data: bytes, *, exclude: str | Iterable[str] = ()) -> Vectors:
        """Loads the bytes of `to_bytes`. Existing keys that still have a row are kept.

        exclude (Iterable[str]): parts to leave out: "strings", "key2row", "vectors".

        Raises ValueError for other bytes; the vectors are then unchanged.
        """
        left_out = as_names(exclude)
        take = None if "strings" in left_out else self.strings.from_bytes
        self._table.load_bytes(data, take, "key2row" not in left_out, "vectors" not in left_out)
        self._device = None
        return self

    def to_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> None:
        """Writes the vectors into a folder, which is created if it is missing.

        exclude (Iterable[str]): parts to leave out: "strings", "key2row", "vectors".
        """
        from pathlib import Path

        left_out, folder = as_names(exclude), Path(path)

        def fill(inner: Path) -> None:
            if "strings" not in left_out:
                self.strings.to_disk(inner / "strings.json")
            self._table.to_folder(inner, "key2row" not in left_out, "vectors" not in left_out)

        update_by(folder, fill)

    def from_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> Vectors:
        """Loads what `to_disk` wrote; parts without a file are unchanged.

        exclude (Iterable[str]): parts to leave out: "strings", "key2row", "vectors", and "keys",
            which old versions of spaCy wrote.

        Raises ValueError for files that do not contain vectors; the vectors are then unchanged.
        """
        from pathlib import Path

        left_out, folder = as_names(exclude), Path(path)
        if "strings" not in left_out:
            self.strings.from_disk(folder / "strings.json")
        self._table.load_folder(
            folder, "key2row" not in left_out, "vectors" not in left_out, "keys" not in left_out
        )
        self._device = None
        return self

    def _is_fixed(self, method: str) -> bool:
        """Returns whether the table is immutable, and warns if it is."""
        if self.mode != Mode.floret:
            return False
        text = f"[W115] Vectors.{method} does nothing: vectors in mode floret cannot be changed"
        warnings.warn(text, UserWarning, stacklevel=3)
        return True

    def _to_device(self, array: Any) -> Any:
        return array if self._ops is None else self._ops.asarray(array)

    def _get_cfg(self) -> dict[str, Any]:
        """Returns the settings in the format of files."""
        if self.mode == Mode.default:
            return {"mode": self.mode}
        names = ("minn", "maxn", "hash_count", "hash_seed", "bow", "eow")
        return {"mode": self.mode, **dict(zip(names, self._table.floret)), "attr": self.attr}

    def _get_ngrams(self, key: str) -> list[str]:
        """Returns the padded word and its n-grams."""
        return self._table.ngrams(key)

    def _get_ngram_hashes(self, s: str) -> list[int]:
        """Returns the hashes of an n-gram."""
        return self._table.ngram_hashes(s)


class _Rows(MutableMapping[int, int]):
    """A live mapping from the keys of a table to their rows."""

    __slots__ = ("_table",)

    def __init__(self, table: VectorTable) -> None:
        self._table = table

    def __getitem__(self, key: int) -> int:
        row = self._table.row(key) if key in self._table else None
        if row is None:
            raise KeyError(key)
        return row

    def __contains__(self, key: object) -> bool:
        return key in self._table

    def __iter__(self) -> Iterator[int]:
        return iter(self._table.keys())

    def __len__(self) -> int:
        return len(self._table)

    def __setitem__(self, key: int, row: int) -> None:
        self._table.set_keys([*self.items(), (key, row)])

    def __delitem__(self, key: int) -> None:
        if key not in self._table:
            raise KeyError(key)
        self._table.set_keys([(other, row) for other, row in self.items() if other != key])

    def __repr__(self) -> str:
        return repr(dict(self.items()))

    def copy(self) -> dict[int, int]:
        """Returns a dict of the current keys and rows."""
        return dict(self.items())


def create_mode_vectors() -> Callable[[Vocab], Vectors]:
    """Returns a function from a vocab to vectors with its strings; spaCy's registry has it as
    "spacy.Vectors.v1".
    """

    def vectors_factory(vocab: Vocab) -> Vectors:
        return Vectors(strings=vocab.strings)

    return vectors_factory


def unpickle_vectors(bytes_data: bytes, attr: int = ATTRS["ORTH"]) -> Vectors:
    """Returns vectors from the bytes of `Vectors.to_bytes` and the attribute, which the bytes may
    lack.
    """
    return Vectors(attr=attr).from_bytes(bytes_data)


def _attr_number(attr: int | str) -> int:
    """Returns the number of an attribute; ORTH for unknown names."""
    if isinstance(attr, int):
        return attr
    name = attr.upper()
    return ATTRS.get("ORTH" if name == "TEXT" else name, ATTRS["ORTH"])
