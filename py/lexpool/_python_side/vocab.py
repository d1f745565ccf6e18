"""Methods of `Vocab` on vectors, lookups and strings, and their serialization.

Each function takes the vocab first; the methods in Rust have the documentation, and
`py/src/runtime/python_side.rs` lists the functions that they call.
"""

from __future__ import annotations

from .. import attrs
from .._core import StringStore, Vocab
from .._saving.files import update_by
from .._saving.form import expect
from .._saving.json import dumps
from .._saving.packed import as_path
from ..lex_attrs import extend_norms, without_norms
from ..msgpack import packb, unpackb
from ..vectors import Vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from typing import Any

    from .._core import VectorTable


def take_norms(vocab: Vocab) -> None:
    """Sets the norms of new words from the lookups, if they have a table of norms."""
    table = _norms(vocab)
    if table is not None:
        extend_norms(vocab.lex_attr_getters, table)


def _norms(vocab: Vocab) -> Any:
    return vocab.lookups.get_table("lexeme_norm", None)


def reset_vectors(vocab: Vocab, width: int | None, shape: tuple[int, int] | None) -> None:
    vectors = _table(vocab, "reset_vectors")
    if width is not None and shape is not None:
        raise ValueError(f"[E065] give a width ({width}) or a shape ({shape}), not both")
    if shape is None:
        shape = (vectors.shape[0], vectors.shape[1] if width is None else width)
    vocab.vectors = Vectors(strings=vocab.strings, shape=shape)


def deduplicate_vectors(vocab: Vocab) -> None:
    vectors = _keyed_table(vocab, "deduplicate_vectors")
    table = vectors._table.deduplicated()
    if table is not None:
        _replace_table(vocab, table)


def prune_vectors(vocab: Vocab, nr_row: int) -> dict[str, tuple[str, float]]:
    vectors = _keyed_table(vocab, "prune_vectors")
    for orth in vectors:
        _ = vocab[orth]
    order: list[tuple[float, int, int]] = []
    for lexeme in vocab:
        key = _attribute(lexeme, vectors.attr)
        if key in vectors.key2row:
            order.append((-lexeme.prob, vectors.key2row[key], key))
    keys = [key for _, _, key in sorted(order)]
    table, replaced = vectors._table.pruned(keys, nr_row)
    _replace_table(vocab, table)
    return {vocab.strings[key]: (vocab.strings[by], round(score, 4)) for key, by, score in replaced}


def _replace_table(vocab: Vocab, table: VectorTable) -> None:
    strings, name = vocab.strings, vocab.vectors.name
    vocab.vectors = Vectors._over(table, strings=strings, name=name)  # pyright: ignore[reportPrivateUsage]


def _attribute(lexeme: Any, attr: int) -> int:
    name = attrs.NAMES[attr] if attr < len(attrs.NAMES) else ""
    value: int = getattr(lexeme, name.lower(), lexeme.orth)
    return value


def _table(vocab: Vocab, method: str) -> Any:
    """Returns the vectors if they are an instance of `Vectors`, which has rows."""
    if not isinstance(vocab.vectors, Vectors):
        kind = type(vocab.vectors).__name__
        raise ValueError(f"[E849] {method} works on vectors of the class Vectors, not {kind}")
    return vocab.vectors


def _keyed_table(vocab: Vocab, method: str) -> Any:
    vectors = _table(vocab, method)
    if vectors.mode != "default":
        raise ValueError(f"[E858] {method} works on vectors with keys, not in mode {vectors.mode}")
    return vectors


def to_bytes(vocab: Vocab, exclude: Container[str] | None) -> bytes:
    writers: dict[str, Callable[[], bytes | str]] = {
        # As text, as in spaCy's format.
        "strings": lambda: vocab.strings.to_bytes().decode(),
        "vectors": lambda: vocab.vectors.to_bytes(exclude=["strings"]),
        "lookups": lambda: vocab.lookups.to_bytes(),
    }
    left_out = () if exclude is None else exclude
    return packb({name: write() for name, write in writers.items() if name not in left_out})


def from_bytes(vocab: Vocab, data: bytes, exclude: Container[str] | None) -> None:
    readers: dict[str, Callable[[bytes], Any]] = {
        "strings": vocab.strings.from_bytes,
        "vectors": lambda part: vocab.vectors.from_bytes(part, exclude=["strings"]),
        "lookups": lambda part: _checked(vocab.lookups.from_bytes(part)),
    }
    left_out = () if exclude is None else exclude
    parts = expect(unpackb(data), dict, "the map of a vocab's parts")
    for name, read in readers.items():
        if name in parts and name not in left_out:
            # As in spaCy, strings are text.
            types = (bytes, str) if name == "strings" else bytes
            read(expect(parts[name], types, f"the part {name!r} of a vocab"))
    _begin_anew(vocab)


# Types of the attributes of words, by the tables that have them.
_VALUES: dict[str, type | tuple[type, ...]] = {
    "lexeme_cluster": int,
    "lexeme_norm": (str, int),
    "lexeme_prob": (float, int),
}


def _checked(lookups: Any) -> None:
    for name, types in _VALUES.items():
        for value in lookups.get_table(name, {}).values():
            expect(value, types, f"a value of the table {name!r}")


def to_disk(vocab: Vocab, path: Any, exclude: Container[str] | None) -> None:
    from pathlib import Path

    left_out = () if exclude is None else exclude

    def fill(folder: Path) -> None:
        if "strings" not in left_out:
            vocab.strings.to_disk(folder / "strings.json")
        if "vectors" not in left_out:
            vocab.vectors.to_disk(folder, exclude=["strings"])
        if "lookups" not in left_out:
            vocab.lookups.to_disk(folder)

    update_by(Path(path), fill)


def save(vocab: Vocab, path: Any, vectors: Any) -> None:
    """Writes an image. `vectors` is None if they were never used."""
    if vectors is not None and not isinstance(vectors, Vectors):
        kind = type(vectors).__name__
        raise ValueError(f"[E849] save writes vectors of the class Vectors, not {kind}")
    values: dict[str, Any] = {"cfg": vocab.cfg, "writing_system": vocab.writing_system}
    if vectors is not None:
        values["vectors_name"] = vectors.name
    settings = [(name, dumps(value)) for name, value in values.items()]
    table = None if vectors is None else vars(vectors)["_table"]
    vocab._save(path, settings, table)


def from_disk(vocab: Vocab, path: Any, exclude: Container[str] | None) -> None:
    folder, left_out = as_path(path), () if exclude is None else exclude
    if "strings" not in left_out:
        vocab.strings.from_disk(folder / "strings.json")
    if "vectors" not in left_out:
        vocab.vectors.from_disk(folder, exclude=["strings"])
    if "lookups" not in left_out:
        _checked(vocab.lookups.from_disk(folder))
    _begin_anew(vocab)


def _begin_anew(vocab: Vocab) -> None:
    """Resets the cached attributes of words after a load."""
    take_norms(vocab)
    vocab._forget_lexemes()


def reduced(vocab: Vocab, vectors: Any) -> tuple[Any, ...]:
    """Returns a vocab in its reduced form for pickle. `vectors` is None if they were never used."""
    return _restore, (
        vocab.strings,
        vectors,
        [vocab.morphology.get(key) for key in vocab.morphology],
        _dumps(without_norms(vocab.lex_attr_getters, _norms(vocab))),
        vocab.lookups,
        vocab.get_noun_chunks,
        vocab.writing_system,
        vocab.cfg,
    )


def _restore(
    strings: StringStore,
    vectors: Any,
    analyses: Sequence[str],
    getters: bytes,
    lookups: Any,
    get_noun_chunks: Any,
    writing_system: Any,
    cfg: Any,
) -> Vocab:
    import pickle

    vocab = Vocab(pickle.loads(getters), writing_system=writing_system)
    for string in strings:
        vocab.strings.add(string)
    for feats in analyses:
        vocab.morphology.add(feats)
    if vectors is not None:
        vocab.vectors = vectors
    vocab.lookups = lookups
    vocab.get_noun_chunks = get_noun_chunks
    vocab.cfg = cfg
    return vocab


def _dumps(getters: Any) -> bytes:
    """Returns getters as bytes: by value (lambdas too) if srsly is installed, else by reference."""
    try:
        from srsly import pickle_dumps  # type: ignore[import-untyped]
    except ImportError:
        import pickle

        return pickle.dumps(getters)
    data: bytes = pickle_dumps(getters)
    return data
