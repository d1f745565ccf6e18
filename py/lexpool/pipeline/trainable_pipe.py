"""`TrainablePipe`: the base class of components with a network."""

from __future__ import annotations

from itertools import islice

from .._components.pipe import does_as
from .._components.restoring import Restorable
from .._core import check_settings
from .._narrow import as_names, is_dict, is_list
from .._saving.files import update_by, write_part
from .._saving.json import loads
from .._saving.json_files import Path, to_json, write_json
from .._saving.packed import PackedPath, as_path
from .._saving.parts import parts_to_bytes
from ..config import deep_copy
from ..msgpack import unpackb
from .learning import Learning
from .model import Model, as_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path as _Path
    from typing import Any, ClassVar, Self

    from .._core import Doc, NativeComponent
    from ..kb import KnowledgeBase
    from ..vocab import Vocab

__all__ = ["TrainablePipe"]


class TrainablePipe(Learning, Restorable):
    """A component with a network, trained by spaCy or by `nlp.update`.

    vocab: the vocab of the pipeline.
    model: the section `model` of the component's settings, or a `Model`.
    name: the name in the pipeline.
    scorer: the function that `score` calls.

    The attribute `cfg` has the settings that are saved with the component.

    A subclass may override `predict` and `set_annotations`, and both may be set on a component:
    pipelines then call them from Python, batch by batch.
    """

    # The name of the factory by which native code knows the component.
    factory: ClassVar[str] = ""
    # The methods that native code replaces.
    _replaced: ClassVar[tuple[str, ...]] = ("predict", "set_annotations", "labels")

    _made: tuple[object, NativeComponent] | None = None

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str,
        *,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        # spaCy's factory of span finders gives the pipeline.
        self.vocab: Vocab = getattr(vocab, "vocab", vocab)
        self.name = name
        section = f"components.{name}.model"
        self.model: Model = as_model(model, section)
        self.scorer = scorer
        self.cfg: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Native components are created again when they are needed.
        return {**vars(self), "_made": None, "_learner": None, "_has_tutor": False}

    def native(self) -> NativeComponent | None:
        """The component with its current settings, which runs without the GIL. None if methods that
        it would replace were overridden, or set on the component.

        Raises ValueError: E109 without weights, and the errors of damaged ones.
        """
        if not self._is_unchanged():
            return None
        model = self.model.native(self.vocab)
        key = (model, self.cfg, self._own_settings())
        if self._made is None or self._made[0] != key:
            files = {name: write() for name, write in self._files().items() if name != "model"}
            settings: dict[str, Any] = {"model": {}, **self._own_settings()}
            made = model.component(self.factory, self.name, settings, files)
            # The caller may change lists inside of `cfg`.
            self._made = ((model, *map(deep_copy, key[1:])), made)
        return self._made[1]

    def _is_unchanged(self) -> bool:
        """Returns whether the methods that native code replaces are those of lexpool's class."""
        for owner in type(self).__mro__:
            if issubclass(owner, TrainablePipe) and "factory" in vars(owner):
                return bool(owner.factory) and does_as(self, owner, *self._replaced)
        return False

    def check_weights(self) -> None:
        """Validates the weights, and that the other files fit them. Raises ValueError as `native`
        does.
        """
        if self.model.is_initialized and self.native() is None:
            self.model.native(self.vocab)

    def __call__(self, doc: Doc) -> Doc:
        """Annotates a document and returns it."""
        native = self.native()
        if native is not None:
            return native(doc)
        try:
            self.set_annotations([doc], self.predict([doc]))
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotates a stream of documents; documents that fail are passed to the error handler and
        left out.

        batch_size: the number of documents that `predict` and `set_annotations` take at once, if
            they were replaced. An error then is about all documents of the batch.
        """
        is_called = type(self).__call__ is not TrainablePipe.__call__
        if is_called or self.native() is not None:
            yield from super().pipe(stream, batch_size=batch_size)
            return
        docs = iter(stream)
        # One document after another, if it makes no difference, so that an error is about one.
        size = 1 if self._is_unchanged() else max(batch_size, 1)
        while batch := list(islice(docs, size)):
            try:
                self.set_annotations(batch, self.predict(batch))
            except Exception as error:
                self.get_error_handler()(self.name, self, batch, error)
            else:
                yield from batch

    def predict(self, docs: Iterable[Doc]) -> Any:
        """Returns the result of the network for documents, in the form that `set_annotations`
        takes. Documents are unchanged.
        """
        return self.model.predict(docs)

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Annotates documents with the result of `predict`."""
        raise NotImplementedError

    def _own_settings(self) -> dict[str, Any]:
        """Returns the settings of native code that are not in `cfg`."""
        return {}

    def _files(self) -> dict[str, Callable[[], bytes]]:
        """Returns the writers of the component's files by name."""
        return {
            "cfg": lambda: to_json(self.cfg).encode("utf8"),
            "model": self.model.to_bytes,
        }

    def _readers(self) -> dict[str, Callable[[bytes], Any]]:
        """Returns the readers of the component's files by name."""
        return {"cfg": self._take_cfg, "model": self.model.from_bytes}

    def _folders(self) -> dict[str, KnowledgeBase]:
        """Returns the parts of the component that have folders of their own, by name."""
        return {}

    def restorer(self) -> Callable[[], None]:
        """Returns a function that gives the component its present settings, labels and weights
        again. Parts with folders of their own, such as a knowledge base, are left as they are.
        """
        own, model = dict(vars(self)), self.model
        weights = model.snapshot()
        # Dicts are changed in place, and others may refer to them.
        contents = {name: _copied(name, value) for name, value in own.items() if is_dict(value)}
        readers = self._readers()
        labels = {
            name: write() for name, write in self._files().items() if name not in ("cfg", "model")
        }

        def restore() -> None:
            for name, content in contents.items():
                own[name].clear()
                own[name].update(content)
            for name in vars(self).keys() - own.keys():
                delattr(self, name)
            vars(self).update(own)
            model.restore(weights)
            for name, data in labels.items():
                readers[name](data)

        return restore

    def _take_cfg(self, data: bytes, place: str = "cfg") -> None:
        try:
            read: object = loads(data)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"[model-cfg] component {self.name!r}: {place}: {error}") from None
        if not is_dict(read):
            raise ValueError(
                f"[model-cfg] component {self.name!r}: {place}: expected a JSON object, got "
                f"{read!r:.80}"
            )
        check_settings(read, f"component {self.name!r}: {place}")
        self.cfg.update(read)

    def _check_attributes(self) -> None:
        """Raises ValueError for a subclass whose objects lack what is saved: E899 for `vocab`, E898
        for `model`.
        """
        if not hasattr(self, "cfg"):
            self.cfg = {}
        if getattr(self, "vocab", None) is None:
            raise ValueError(
                f"[E899] {type(self).__name__} has no attribute vocab; set it in __init__, or override "
                "to_bytes and its like"
            )
        if getattr(self, "model", None) is None:
            raise ValueError(
                f"[E898] {type(self).__name__} has no attribute model; set it in __init__, or override "
                "to_bytes and its like"
            )

    def _before_saving(self) -> None:
        """Makes the files fit each other."""

    def to_bytes(self, *, exclude: str | Iterable[str] = ()) -> bytes:
        """Returns the component as bytes, in spaCy's format."""
        left_out = as_names(exclude)
        self._check_attributes()
        self._before_saving()
        parts: dict[str, Callable[[], Any]] = {
            "cfg": lambda: to_json(self.cfg),
            "vocab": lambda: self.vocab.to_bytes(exclude=left_out),
            **{name: part.to_bytes for name, part in self._folders().items()},
        }
        for name, write in self._files().items():
            parts.setdefault(name, write)
        return parts_to_bytes(parts, left_out)

    def from_bytes(self, bytes_data: bytes, *, exclude: str | Iterable[str] = ()) -> Self:
        """Loads the bytes of `to_bytes`, lexpool's or spaCy's."""
        left_out = as_names(exclude)
        self._check_attributes()
        parts: object = unpackb(bytes_data)
        if not is_dict(parts):
            raise ValueError(
                f"[model-files] expected the bytes of {self.name!r}, not those of a "
                f"{type(parts).__name__}"
            )
        readers: dict[str, Callable[[bytes], Any]] = {
            "vocab": lambda data: self.vocab.from_bytes(data, exclude=left_out),
            **self._readers(),
            **{name: part.from_bytes for name, part in self._folders().items()},
        }
        for name, read in readers.items():
            if name not in parts or name in left_out:
                continue
            part: object = parts[name]
            data = part.encode("utf8") if isinstance(part, str) else part
            if not isinstance(data, bytes):
                raise ValueError(
                    f"[model-files] expected the bytes of {name!r} of the component {self.name!r}, "
                    f"got a {type(part).__name__}"
                )
            read(data)
        self._made = None
        return self

    def to_disk(self, path: Path, *, exclude: str | Iterable[str] = ()) -> None:
        """Writes the component to a folder, in spaCy's format."""
        left_out, folder = as_names(exclude), as_path(path)
        self._check_attributes()
        self._before_saving()
        folders = {name: part for name, part in self._folders().items() if name not in left_out}
        files = {
            name: write()
            for name, write in self._files().items()
            if name not in left_out and name != "cfg"
        }

        def fill(inner: _Path) -> None:
            for name, part in folders.items():
                part.to_disk(inner / name)
            if "cfg" not in left_out:
                write_json(inner / "cfg", self.cfg)
            if "vocab" not in left_out:
                self.vocab.to_disk(inner / "vocab", exclude=left_out)
            for name, data in files.items():
                write_part(inner / name, data)

        update_by(folder, fill)

    def from_disk(self, path: Path, *, exclude: str | Iterable[str] = ()) -> Self:
        """Loads a folder of `to_disk`, lexpool's or spaCy's."""
        left_out, folder = as_names(exclude), as_path(path)
        self._check_attributes()
        cfg = folder / "cfg"
        if "cfg" not in left_out and cfg.exists():
            self._take_cfg(cfg.read_bytes(), str(cfg))
        if "vocab" not in left_out and (folder / "vocab").exists():
            self.vocab.from_disk(folder / "vocab", exclude=left_out)
        for name, read in self._readers().items():
            if name != "cfg" and name not in left_out:
                read(_read(folder / name))
        for name, part in self._folders().items():
            if name not in left_out:
                part.from_disk(folder / name)
        self._made = None
        return self


def _copied(name: str, value: dict[Any, Any]) -> dict[Any, Any]:
    """Returns a copy of settings, or of a dict of objects with its lists."""
    if name == "cfg":
        copied: dict[Any, Any] = deep_copy(value)
        return copied
    return {key: list(item) if is_list(item) else item for key, item in value.items()}


def _read(path: Any) -> Any:
    """Returns the bytes of a file; a network in a packed file is not copied."""
    try:
        if isinstance(path, PackedPath) and path.name == "model":
            return path.part()
        return path.read_bytes()
    except FileNotFoundError:
        raise ValueError(
            f"[model-files] {path} is missing; copy the whole folder of the pipeline"
        ) from None
