"""`InMemoryLookupKB`: a knowledge base in memory that looks mentions up by their texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core import KnowledgeTable
from .._narrow import as_names
from .._saving.files import update_by
from .._saving.packed import as_path
from .candidate import Candidate
from .kb import KnowledgeBase

if TYPE_CHECKING:
    from .._core import Vocab
    from .._saving.packed import PackedPath
    from ..tokens import Span

__all__ = ["InMemoryLookupKB", "empty_kb", "empty_kb_for_config", "load_kb"]

_PARTS = {"header", "entity_vectors", "entries"}


class InMemoryLookupKB(KnowledgeBase):
    """Entities with frequencies and vectors, and aliases with candidates and prior probabilities.

    Entities and aliases are in the order in which they were added. Numbers are 32-bit floats. Files
    and bytes are those of spaCy's class.
    """

    def __init__(self, vocab: Vocab, entity_vector_length: int) -> None:
        """vocab: the vocab to which the names of entities and aliases are added.
        entity_vector_length: the number of elements of a vector.
        """
        super().__init__(vocab, entity_vector_length)
        if not hasattr(vocab, "strings"):
            kind = type(vocab).__name__
            raise TypeError(f"expected a lexpool.Vocab for a knowledge base, got {kind}")
        self._table = KnowledgeTable(entity_vector_length)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_table": self._table.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        table = KnowledgeTable(state["_width"])
        table.load_bytes(state["_table"], True)
        vars(self).update(state, _table=table)

    @property
    def entity_vector_length(self) -> int:
        """The number of elements of an entity's vector."""
        return self._table.width

    @property
    def table(self) -> KnowledgeTable:
        """The native table, by which documents are linked."""
        return self._table

    def is_empty(self) -> bool:
        """Returns whether the knowledge base lacks entities."""
        return len(self) == 0

    def __len__(self) -> int:
        """The number of entities."""
        return len(self._table)

    def get_size_entities(self) -> int:
        """Returns the number of entities."""
        return len(self)

    def get_entity_strings(self) -> list[str]:
        """Returns the names of the entities."""
        return [self.vocab.strings[id] for id in self._table.entities()]

    def get_size_aliases(self) -> int:
        """Returns the number of aliases."""
        return self._table.alias_count

    def get_alias_strings(self) -> list[str]:
        """Returns the texts of the aliases."""
        return [self.vocab.strings[id] for id in self._table.aliases()]

    def add_entity(self, entity: str, freq: float, entity_vector: Iterable[float]) -> int | None:
        """Adds an entity, and returns the id of its name. Warns (W018) about an entity that is
        known, which stays as it is, and returns None.

        Raises ValueError (E141) for a vector of another length.
        """
        id = self.vocab.strings.add(entity)
        if self._table.add_entity(entity, freq, entity_vector):
            return id
        _warn_of_entity(entity)
        return None

    def set_entities(
        self,
        entity_list: Sequence[str],
        freq_list: Sequence[float],
        vector_list: Sequence[Iterable[float]],
    ) -> None:
        """Replaces all entities. Warns (W018) about each that is listed before, which is left out.
        Candidates of aliases keep those entities that are still known.

        Raises ValueError for lists (E140) or vectors (E141) of another length.
        """
        counts = len(entity_list), len(freq_list), len(vector_list)
        if len(set(counts)) > 1:
            text = (
                f"[E140] expected a frequency and a vector for each entity, got lists of {counts}"
            )
            raise ValueError(text)
        for entity in entity_list:
            self.vocab.strings.add(entity)
        rows = zip(entity_list, freq_list, vector_list, strict=True)
        repeated = self._table.set_entities(rows)
        for position in repeated:
            _warn_of_entity(entity_list[position])

    def contains_entity(self, entity: str) -> bool:
        """Returns whether an entity is known."""
        return self._table.contains_entity(entity)

    def contains_alias(self, alias: str) -> bool:
        """Returns whether an alias is known."""
        return self._table.contains_alias(alias)

    def add_alias(
        self, alias: str, entities: Sequence[str], probabilities: Sequence[float]
    ) -> int | None:
        """Adds an alias with its candidates, and returns the id of its text. Warns (W017) about an
        alias that is known, which stays as it is, and returns None.

        Raises ValueError for an empty alias (E890), for lists of different lengths (E132), for
        probabilities that add up to more than 1 (E133), and for an unknown entity (E134).
        """
        if not alias:
            raise ValueError(f"[E890] the alias {alias!r} has no characters")
        if len(entities) != len(probabilities):
            raise ValueError(
                f"[E132] the alias {alias!r} has {len(entities)} entities and "
                f"{len(probabilities)} probabilities; expected one for each entity"
            )
        id = self.vocab.strings.add(alias)
        if self._table.add_alias(alias, list(zip(entities, probabilities, strict=True))):
            return id
        warnings.warn(f"[W017] the alias {alias!r} is in the knowledge base already", stacklevel=2)
        return None

    def append_alias(
        self, alias: str, entity: str, prior_prob: float, ignore_warnings: bool = False
    ) -> None:
        """Adds a candidate to a known alias. Warns (W024) about one that the alias has, which keeps
        its probability, unless `ignore_warnings`.

        Raises ValueError for an unknown alias (E176) or entity (E134), and for probabilities that
        add up to more than 1 (E133).
        """
        if not self._table.append_alias(alias, entity, prior_prob) and not ignore_warnings:
            text = f"[W024] the alias {alias!r} has the entity {entity!r} already"
            warnings.warn(text, stacklevel=2)

    def get_candidates(self, mention: Span) -> list[Candidate]:
        """Returns the candidates of a mention, whose text is looked up."""
        return self.get_alias_candidates(mention.text)

    def get_alias_candidates(self, alias: str) -> list[Candidate]:
        """Returns the candidates of an alias in the order in which they were added; none for an
        unknown alias.
        """
        rows = self._table.candidates(alias)
        id = self.vocab.strings[alias] if rows else 0
        return [
            Candidate(self, entity, freq, vector, id, prior) for entity, freq, vector, prior in rows
        ]

    def get_vector(self, entity: str) -> list[float]:
        """Returns the vector of an entity; zeros for an unknown entity."""
        vector = self._table.vector(entity)
        return [0] * self.entity_vector_length if vector is None else vector

    def get_prior_prob(self, entity: str, alias: str) -> float:
        """Returns the prior probability that an alias refers to an entity; 0 if one is unknown."""
        return self._table.prior(entity, alias)

    def to_bytes(self, **kwargs: Any) -> bytes:
        """Returns the knowledge base as bytes, without strings, and with ten decimals of numbers.

        Raises OverflowError (kb-number) for NaN and infinity.
        """
        return self._table.to_bytes()

    def from_bytes(
        self, bytes_data: bytes, *, exclude: str | Iterable[str] = ()
    ) -> InMemoryLookupKB:
        """Loads the bytes of `to_bytes`, and returns the knowledge base.

        exclude: "aliases", to leave these out.

        Raises ValueError (kb-file) for other bytes; then the knowledge base is unchanged.
        """
        left_out = as_names(exclude)
        if unfit := left_out & _PARTS:
            raise ValueError(
                f"[kb-file] {sorted(unfit)} cannot be left out: header, vectors and entries of a "
                "knowledge base are loaded together"
            )
        self._table.load_bytes(bytes_data, "aliases" not in left_out)
        return self

    def to_disk(self, path: str | PathLike[str], exclude: str | Iterable[str] = ()) -> None:
        """Writes the knowledge base into a folder, which is created if needed.

        exclude: "contents" or "strings.json".

        Raises ValueError (E928) for the path of a file.
        """
        folder, left_out = Path(path), as_names(exclude)
        if folder.exists():
            _check_folder(folder)

        def fill(inner: Path) -> None:
            if "contents" not in left_out:
                self.write_contents(inner / "contents")
            if "strings.json" not in left_out:
                self.vocab.strings.to_disk(inner / "strings.json")

        update_by(folder, fill)

    def from_disk(self, path: str | PathLike[str], exclude: str | Iterable[str] = ()) -> None:
        """Loads the folder of `to_disk`. Its strings are added to the vocab.

        exclude: "contents" or "strings.json".

        Raises ValueError for a folder that does not exist (E929), for the path of a file (E928),
        and for other contents (kb-file); then the knowledge base is unchanged.
        """
        folder, left_out = as_path(path), as_names(exclude)
        if not folder.exists():
            raise ValueError(
                f"[E929] the folder {str(folder)!r} of a knowledge base does not exist"
            )
        _check_folder(folder)
        if "contents" not in left_out:
            self.read_contents(folder / "contents")
        if "strings.json" not in left_out:
            self.vocab.strings.from_bytes((folder / "strings.json").read_bytes())

    def write_contents(self, file_path: str | PathLike[str]) -> None:
        """Writes entities and aliases, without strings, as a file of a folder."""
        self._table.save_contents(file_path)

    def read_contents(self, file_path: str | PathLike[str]) -> None:
        """Loads what `write_contents` wrote.

        Raises ValueError (kb-file) for other contents; then the knowledge base is unchanged.
        """
        self._table.load_contents(as_path(file_path).read_bytes(), str(file_path))


def empty_kb_for_config(vocab: Vocab, entity_vector_length: int) -> InMemoryLookupKB:
    """Returns an empty knowledge base: what "spacy.EmptyKB.v2" stands for."""
    return InMemoryLookupKB(vocab, entity_vector_length)


def empty_kb(entity_vector_length: int) -> Callable[[Vocab], InMemoryLookupKB]:
    """Returns a function that makes an empty knowledge base: "spacy.EmptyKB.v1"."""

    def make(vocab: Vocab) -> InMemoryLookupKB:
        return InMemoryLookupKB(vocab, entity_vector_length)

    return make


def load_kb(kb_path: str | PathLike[str]) -> Callable[[Vocab], InMemoryLookupKB]:
    """Returns a function that loads a knowledge base from a folder: "spacy.KBFromFile.v1"."""

    def make(vocab: Vocab) -> InMemoryLookupKB:
        kb = InMemoryLookupKB(vocab, 1)
        kb.from_disk(kb_path)
        return kb

    return make


def _check_folder(path: Path | PackedPath) -> None:
    if not path.is_dir():
        text = f"[E928] a knowledge base is saved as a folder, but {str(path)!r} is a file"
        raise ValueError(text)


def _warn_of_entity(entity: str) -> None:
    text = f"[W018] the entity {entity!r} is in the knowledge base already, and stays as it is"
    warnings.warn(text, stacklevel=3)
