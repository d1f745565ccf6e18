"""Tables of a language's data, by the ids of words: norms, lemmas, probabilities."""

from __future__ import annotations

import sys
from _thread import allocate_lock
from collections import OrderedDict

from ._core import BloomFilter, MappedLookups, get_string_id, table_key
from ._saving.files import write_part
from ._saving.form import expect, reading
from ._saving.packed import as_path
from ._typing import Any
from .msgpack import packb, unpackb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike
    from pathlib import Path

    from ._core import MappedTable


__all__ = ["BloomFilter", "Lookups", "Table", "load_lookups"]

_MISSING: Any = object()


class Table(OrderedDict[Any, Any]):
    """Table(name=None, data=None)

    An ordered dict with the ids of strings as keys: a string as a key, here or in `data`, is
    converted to its id, and iteration yields ids. Raises TypeError for a key of another type,
    OverflowError for an integer that cannot be an id.

    name (str): the name of the table, for reference.
    data (Mapping): the initial entries; their number determines the size of the Bloom filter.
    """

    name: str | None
    #: The number of entries that the Bloom filter is made for if their number is unknown.
    default_size: float

    def __init__(
        self,
        name: str | None = None,
        data: Mapping[str, Any] | Mapping[int, Any] | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.default_size = 1e6
        self._expected = self.default_size if data is None else max(len(data), 1)
        self._bloom: BloomFilter | None = None
        # Lets users of the table detect changes.
        self._changes = 0
        if data:
            self.update(data)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any] | Mapping[int, Any], name: str | None = None
    ) -> Table:
        """Returns a table with these entries, whose Bloom filter is made for `default_size`."""
        table = cls(name=name)
        table.update(data)
        return table

    @property
    def bloom(self) -> BloomFilter:
        """A Bloom filter of all keys that were ever set, which is part of the table's bytes.

        The table itself does not use it, so it is made at first use.
        """
        if self._bloom is None:
            bloom = BloomFilter.from_error_rate(self._expected)
            bloom.update(self)
            self._bloom = bloom
        return self._bloom

    @bloom.setter
    def bloom(self, bloom: BloomFilter) -> None:
        self._bloom = bloom

    def __setitem__(self, key: str | int, value: Any) -> None:
        key = table_key(key)
        super().__setitem__(key, value)
        self._changes += 1
        if self._bloom is not None:
            self._bloom.add(key)

    def set(self, key: str | int, value: Any) -> None:
        """Sets an entry, as `table[key] = value` does."""
        self[key] = value

    def __getitem__(self, key: str | int) -> Any:
        return super().__getitem__(get_string_id(key))

    def get(self, key: str | int, default: Any = None) -> Any:
        """Returns the value of a key, or the default if the key is missing."""
        return super().get(get_string_id(key), default)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(table_key(key))

    # The filter keeps the keys of removed entries, so it is made at the latest before a removal.

    def __delitem__(self, key: str | int) -> None:
        key = get_string_id(key)
        super().__delitem__(key)
        self._changes += 1
        self.bloom.add(key)

    def pop(self, key: str | int, default: Any = _MISSING) -> Any:
        """Removes an entry and returns its value, or the default. Raises KeyError if it is missing
        and no default is given.
        """
        key = get_string_id(key)
        if super().__contains__(key):
            value = self[key]
            del self[key]
            return value
        if default is _MISSING:
            raise KeyError(key)
        return default

    def popitem(self, last: bool = True) -> tuple[int, Any]:
        """Removes the last entry, or the first, and returns it with its id."""
        key, value = super().popitem(last)
        self._changes += 1
        self.bloom.add(key)
        return key, value

    def clear(self) -> None:
        """Removes all entries."""
        self.bloom.update(self)
        self._changes += 1
        super().clear()

    def to_bytes(self) -> bytes:
        """Returns the table as a MessagePack map: name, dict, bloom."""
        return packb(
            {"name": self.name, "dict": dict(self.items()), "bloom": self.bloom.to_bytes()}
        )

    def from_bytes(self, bytes_data: bytes) -> Table:
        """Replaces this table by the one in the bytes, and returns it.

        Raises ValueError, KeyError or TypeError if the bytes are not a table's; this table is
        unchanged.
        """
        loaded = _map(unpackb(bytes_data), "a table")
        name, bloom = loaded["name"], BloomFilter().from_bytes(loaded["bloom"])
        data = _map(loaded.get("dict", {}), "a table's entries")
        entries = {table_key(key): value for key, value in data.items()}
        super().clear()
        self.name, self._bloom = name, bloom
        self.update(entries)
        return self


class _FileTable(Table):
    """A table in a mapped file.

    Strings and numbers are read from the file one by one. Any other use, such as a change, an
    iteration, or a value with parts, which users may change, reads all entries into memory.
    """

    # The table in the file, until its entries are in memory.
    _mapped: MappedTable | None = None

    def __init__(self, mapped: MappedTable) -> None:
        super().__init__(mapped.name)
        self._expected = max(len(mapped), 1)
        self._reading = allocate_lock()
        self._mapped = mapped

    def _in_file(self) -> MappedTable | None:
        """Returns the table in the file if values can be read from it."""
        mapped = self._mapped
        if mapped is None or mapped.is_scalar:
            return mapped
        self._read()
        return None

    def _read(self) -> None:
        """Reads all entries into memory."""
        with self._reading:
            # Another thread may have done so meanwhile.
            mapped = self._mapped
            if mapped is not None:
                put = super(Table, self).__setitem__
                for key, value in mapped.items():
                    put(key, value)
                self._mapped = None

    def __getitem__(self, key: str | int) -> Any:
        mapped = self._in_file()
        if mapped is None:
            return super().__getitem__(key)
        value = mapped.get(get_string_id(key), _MISSING)
        if value is _MISSING:
            raise KeyError(get_string_id(key))
        return value

    def get(self, key: str | int, default: Any = None) -> Any:
        """Returns the value of a key, or the default if the key is missing."""
        mapped = self._in_file()
        if mapped is None:
            return super().get(key, default)
        return mapped.get(get_string_id(key), default)

    def __contains__(self, key: object) -> bool:
        mapped = self._mapped
        return super().__contains__(key) if mapped is None else mapped.contains(table_key(key))

    def __len__(self) -> int:
        mapped = self._mapped
        return super().__len__() if mapped is None else len(mapped)

    def __iter__(self) -> Iterator[Any]:
        self._read()
        return super().__iter__()

    # Copies are tables in memory, as are unions, of which the first step is a copy.

    def copy(self) -> Any:
        """Returns a copy in memory."""
        from copy import copy

        return copy(self)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        state = {**vars(self), "_mapped": None}
        del state["_reading"]
        return Table, (), state, None, iter(self.items())


def _reading(name: str) -> Callable[..., Any]:
    """Returns a method of tables that reads the entries of a file first."""
    method = getattr(Table, name)

    def read_first(self: _FileTable, *args: Any, **kwargs: Any) -> Any:
        self._read()  # pyright: ignore[reportPrivateUsage]
        return method(self, *args, **kwargs)

    read_first.__name__ = name
    read_first.__doc__ = method.__doc__
    return read_first


for _name in (
    *("__setitem__", "__delitem__", "__eq__", "__ne__", "__ior__", "__repr__", "__reversed__"),
    *("__sizeof__", "clear", "items", "keys", "move_to_end", "pop", "popitem", "setdefault"),
    *("update", "values"),
):
    setattr(_FileTable, _name, _reading(_name))


class Lookups:
    """Tables by their names."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}

    @classmethod
    def open(cls, path: str | PathLike[str], *, verify: bool = False) -> Lookups:
        """Opens a file that `lexpool lookups build` wrote, in about a millisecond.

        path (str | PathLike[str]): the file, which is memory-mapped: it must not be changed while
            it is in use, only replaced.
        verify (bool): verify the whole file, not only its header and manifest.

        Tables have the results of tables in memory. Their strings and numbers are read from the
        file; a change of a table, or a loop over it, reads all of it into memory. Before that, code
        in C that reads the memory of a dict, such as `json.dumps`, finds the table empty.

        Raises ValueError: container-kind, container-version, container-truncated,
        container-checksum, container-table or lookups-manifest for another or a damaged file,
        lookups-table for a damaged table, also when it is used; OSError.
        """
        lookups = cls()
        for table in MappedLookups(path, verify=verify).tables:
            lookups._tables[table.name] = _FileTable(table)
        return lookups

    def __contains__(self, name: str) -> bool:
        return self.has_table(name)

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def tables(self) -> list[str]:
        """The names of the tables, in the order in which they were added."""
        return list(self._tables)

    def add_table(
        self, name: str, data: Mapping[str, Any] | Mapping[int, Any] | None = {}
    ) -> Table:
        """Makes a table and returns it. Raises ValueError (E158) if the name is taken."""
        if name in self._tables:
            raise ValueError(
                f"[E158] a table is named {name!r} already; use get_table, or remove_table first"
            )
        table = self._tables[name] = Table(name, data)
        return table

    def set_table(self, name: str, table: Table) -> None:
        """Sets the table of a name, and replaces an existing one."""
        self._tables[name] = table

    def get_table(self, name: str, default: Any = _MISSING) -> Any:
        """Returns the table of a name, or the default. Raises KeyError (E159) if there is
        neither.
        """
        if name in self._tables:
            return self._tables[name]
        if default is _MISSING:
            raise self._unknown(name)
        return default

    def remove_table(self, name: str) -> Table:
        """Removes a table and returns it. Raises KeyError (E159) if no table has this name."""
        if name not in self._tables:
            raise self._unknown(name)
        return self._tables.pop(name)

    def has_table(self, name: str) -> bool:
        """Returns whether a table has this name."""
        return name in self._tables

    def _unknown(self, name: str) -> KeyError:
        return KeyError(f"[E159] no table is named {name!r}; known: {self.tables}")

    def to_bytes(self, **_kwargs: object) -> bytes:
        """Returns the tables as a MessagePack map of maps, without their Bloom filters."""
        return packb(self._tables)

    def from_bytes(self, bytes_data: bytes, **_kwargs: object) -> Lookups:
        """Replaces these tables by those in the bytes, and returns them.

        Raises ValueError (saved-form) if the bytes are not those of tables; these are unchanged.
        """
        loaded = _map(unpackb(bytes_data), "lookups")
        with reading("the bytes of lookups"):
            self._tables = {
                name: Table(name, _map(data, f"the table {name!r}"))
                for name, data in loaded.items()
            }
        return self

    def to_disk(
        self, path: str | PathLike[str], filename: str = "lookups.bin", **_kwargs: object
    ) -> None:
        """Writes the tables into a file in a folder, which is created if it is missing."""
        from pathlib import Path

        folder = Path(path)
        folder.mkdir(exist_ok=True)
        write_part(folder / filename, self.to_bytes())

    def from_disk(
        self, path: str | PathLike[str], filename: str = "lookups.bin", **_kwargs: object
    ) -> Lookups:
        """Reads the tables from a file in a folder; these are unchanged if it is missing."""
        file = as_path(path) / filename
        return self.from_bytes(file.read_bytes()) if file.exists() else self


def load_lookups(lang: str, tables: Iterable[str], strict: bool = True) -> Lookups:
    """Loads tables of a language from packages such as `spacy-lookups-data`.

    lang (str): the language's code.
    tables (Iterable[str]): the names of the tables.
    strict (bool): whether each table is required. If not, a missing table is empty, and the result
        has no tables if no package has data of the language.

    A package declares its languages as entry points of the group `spacy_lookups`: mappings from the
    names of tables to the paths of their JSON files, which may be gzipped. Entries of spaCy's
    `registry.lookups` are used too. The package `spacy-lookups-data` is not imported, and tables
    that `lexpool lookups build` has built beside its files are opened instead of them, unless the
    package was updated since.

    Raises ValueError: E955 if a table is missing and `strict` is set, E160 if its file is missing.
    """
    lookups, names = Lookups(), list(tables)
    read_table = _tables_of(lang)
    if read_table is None:
        if strict and names:
            raise ValueError(_not_there(names, lang))
        return lookups
    for name in names:
        table = read_table(name)
        if table is not None:
            lookups.set_table(name, table)
        elif strict:
            raise ValueError(_not_there([name], lang))
        else:
            lookups.add_table(name)
    return lookups


def _not_there(names: list[str], lang: str) -> str:
    return (
        f"[E955] no table {', '.join(names)} for the language {lang!r}; "
        "the package spacy-lookups-data has the usual ones"
    )


# The module of `spacy-lookups-data`, which has a file for each table in its folder `data`.
_PACKAGE = "spacy_lookups_data"


def installed_tables() -> Path | None:
    """Returns the folder of the tables of `spacy-lookups-data`, which is not imported; None if it
    is not installed.
    """
    from importlib.util import find_spec
    from pathlib import Path

    try:
        spec = find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    folders = [Path(place, "data") for place in places]
    return next((folder for folder in folders if folder.is_dir()), None)


def _tables_of(lang: str) -> Callable[[str], Table | None] | None:
    """Returns the function from the names of a language's tables to the tables; None if no package
    has any.
    """
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    for entry_point in entry_points(group="spacy_lookups", name=lang):
        folder = installed_tables() if entry_point.value == f"{_PACKAGE}:{lang}" else None
        if folder is not None:
            return _in_folder(folder, lang)
        return _in_files(entry_point.load())
    spacy = sys.modules.get("spacy.util")  # imported by all code that registers there
    if spacy is not None and lang in spacy.registry.lookups:
        return _in_files(spacy.registry.lookups.get(lang))
    return None


def _in_files(files: Mapping[str, Any]) -> Callable[[str], Table | None]:
    """Returns the function from names to tables for a mapping of names to files."""

    def table(name: str) -> Table | None:
        return Table(name, _read_json(files[name])) if name in files else None

    return table


def _in_folder(folder: Path, lang: str) -> Callable[[str], Table | None]:
    """The same for files named after the language and the table, or a file that was built of
    them.
    """
    tables = _built_tables(folder, lang)
    if tables is not None:
        return lambda name: _FileTable(tables[name]) if name in tables else None

    def table(name: str) -> Table | None:
        path = folder / f"{lang}_{name}.json"
        is_there = path.exists() or path.with_name(f"{path.name}.gz").exists()
        return Table(name, _read_json(path)) if is_there else None

    return table


def _built_tables(folder: Path, lang: str) -> dict[str, MappedTable] | None:
    """Returns the tables of the file that was built of a folder; None without a current one."""
    path = folder / f"{lang}.lookups"
    try:
        file = MappedLookups(path) if path.exists() else None
    except ValueError:  # of another version, or damaged: its origins are there
        return None
    if file is None or not file.is_current(folder):
        return None
    return {table.name: table for table in file.tables}


def _read_json(file: str | PathLike[str]) -> dict[Any, Any]:
    """Returns the values of a table's file by words.

    Raises ValueError: E160 for a missing file, saved-form for another one, lookups-json for one in
    gzip that is damaged, or inflates to more than Rust reads.
    """
    import json
    from pathlib import Path

    path = Path(file)
    gzipped = path.with_name(f"{path.name}.gz")
    if path.exists():
        content = path.read_bytes()
    elif gzipped.exists():
        content = _inflated(gzipped)
    else:
        text = f"the file of a table is missing: expected {path} or {gzipped.name}"
        raise ValueError(f"[E160] {text}")
    with reading(str(path)):
        table: dict[Any, Any] = expect(json.loads(content), dict, "the JSON of a table")
    return table


# As in core/src/lookups/sources.rs: the size to which any file may inflate, and the most times its
# own that a larger one may.
_ALWAYS_ALLOWED = 64 << 20
_MOST_TIMES = 256


def _inflated(path: Path) -> bytes:
    import gzip
    import zlib

    size = path.stat().st_size
    limit = max(_ALWAYS_ALLOWED, _MOST_TIMES * size)
    try:
        with gzip.open(path) as file:
            content = file.read(limit + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"[lookups-json] {path} is not text in gzip: {error}") from None
    if len(content) > limit:
        raise ValueError(f"[lookups-json] {path}: {size} bytes inflate to more than {limit}")
    return content


def _map(value: Any, what: str) -> dict[Any, Any]:
    table: dict[Any, Any] = expect(value, dict, f"{what} in MessagePack")
    return table


def unpickle_bloom(data: bytes) -> BloomFilter:
    """Returns a Bloom filter from its pickled form."""
    return BloomFilter().from_bytes(data)


def from_config(block: Mapping[str, Any]) -> Lookups:
    """Returns the lookups of a block `[initialize.lookups]` of a configuration.

    Raises ValueError (config-value) for another function than spaCy's, and those of `load_lookups`.
    """
    function, args = block.get("@misc"), {k: v for k, v in block.items() if k != "@misc"}
    if function != "spacy.LookupsDataLoader.v1" or set(args) != {"lang", "tables"}:
        raise ValueError(
            f"[config-value] [initialize.lookups] is {dict(block)}; expected @misc = "
            '"spacy.LookupsDataLoader.v1" with a lang and tables'
        )
    return load_lookups(args["lang"], args["tables"])
