"""Pipelines in files: spaCy's folder of `meta.json`, `config.cfg`, `tokenizer`, `vocab` and a part
for each component; also as bytes.

Called by `lexpool.language`, which has the documentation.
"""

from __future__ import annotations

from .._components.names import (
    RESERVED,
    check_files,
    check_name,
    check_saved,
    check_section,
    file_keys,
)
from .._components.registered_functions import resolve_callback
from .._components.restoring import restoring_pipeline
from .._core import ReadFolder, Tokenizer, Vocab, plan_loading, vocab_of_saved
from .._errors import ComponentNameError, ConfigError
from .._narrow import as_names, is_dict
from .._saving.files import write_part, write_pipeline_by
from .._saving.form import expect, reading
from .._saving.json import dumps, loads
from .._saving.packed import PackedPath, as_path
from .._typing import cast
from ..config import Config
from ..msgpack import packb, unpackb
from .places import PathLike, json_object, place_of
from .tokenizer import blank_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from typing import Any, Literal, TypeVar

    from .._components.numerics import Numerics
    from .._core import _LoadingPlan as LoadingPlan  # pyright: ignore[reportPrivateUsage]
    from .._protocols import Pipeline

    _L = TypeVar("_L", bound=Pipeline)

# The callbacks of `[nlp]`.
_CALLBACKS = ("before_creation", "after_creation", "after_pipeline_creation")


def to_disk(nlp: Pipeline, path: PathLike, exclude: str | Iterable[str]) -> None:
    from pathlib import Path

    left_out = as_names(exclude)
    folder = Path(path)
    _check_named(nlp, left_out)
    saving = _in_files(nlp, left_out)
    for name in saving:
        check_saved(name)
    check_files(saving)
    texts: dict[str, bytes] = {}
    if not left_out & {"meta", "meta.json"}:
        import json

        texts["meta.json"] = json.dumps(nlp.meta, indent=2).encode("utf8")
    if not left_out & {"config", "config.cfg"}:
        texts["config.cfg"] = nlp.config.to_bytes()
    components = {name: component for name, component in nlp.components if name in saving}

    def fill(folder: Path) -> None:
        if "tokenizer" not in left_out:
            nlp.tokenizer.to_disk(folder / "tokenizer", exclude=["vocab"])
        for name, component in components.items():
            component.to_disk(folder / name, exclude=["vocab"])
        if "vocab" not in left_out:
            nlp.vocab.to_disk(folder / "vocab", exclude=list(left_out))
        for part, text in texts.items():
            write_part(folder / part, text)

    numbered = [name for name, component in nlp.components if _has_own_files(component)]
    write_pipeline_by(folder, ["vocab", *numbered], fill)


def _has_own_files(component: object) -> bool:
    """Returns whether lexpool itself writes and reads the files of a component. Others may take
    each file of their folder for one of theirs.
    """
    methods = (getattr(type(component), name, None) for name in ("from_disk", "to_disk"))
    return all(getattr(one, "__module__", "").startswith("lexpool.") for one in methods)


def from_disk(
    nlp: Pipeline,
    path: PathLike | PackedPath,
    exclude: str | Iterable[str],
    overrides: Mapping[str, Any] | None,
) -> str | Path:
    """Loads a folder into a pipeline, and returns its path. The vocab of a packed pipeline must be
    that of its file.
    """
    left_out, folder = as_names(exclude), as_path(path)
    _check_names(nlp)
    check_files(_in_files(nlp, left_out))
    if not folder.is_dir():
        raise OSError(f"[E052] {folder} is not a folder; expected one that to_disk wrote")
    opened_folder = _opened(folder)
    if opened_folder is not None:
        parts = ("vocab", *nlp.component_names)
        opened_folder.check_parts(tuple(part for part in parts if part not in left_out))

    with restoring_pipeline(nlp):
        if not left_out & {"config", "config.cfg"} and (folder / "config.cfg").exists():
            nlp.config = Config.from_disk(
                folder / "config.cfg", interpolate=False, overrides=overrides
            )
        read: dict[str, Any] = {}
        if not left_out & {"meta", "meta.json"} and (folder / "meta.json").exists():
            read = json_object(folder / "meta.json")
            nlp.meta.update(read)
        if "vocab" not in left_out and (folder / "vocab").exists():
            if isinstance(folder, PackedPath):
                # Strings and vectors are in the image that the vocab was opened from.
                left_out_too = {*left_out, "strings", "vectors"}
                part: Any = folder / "vocab"
                nlp.vocab.from_disk(part, exclude=list(left_out_too))
            else:
                nlp.vocab.from_disk(folder / "vocab", exclude=list(left_out))
        _name_vectors(nlp, read)
        if "tokenizer" not in left_out:
            if isinstance(folder, PackedPath):
                _read_packed_tokenizer(nlp.tokenizer, folder / "tokenizer")
            else:
                nlp.tokenizer.from_disk(folder / "tokenizer", exclude=["vocab"])
        for name, component in nlp.components:
            if name not in left_out and hasattr(component, "from_disk"):
                component.from_disk(folder / name, exclude=["vocab"])
        _check_weights(nlp, left_out)
        if opened_folder is not None:
            opened_folder.check_current()
    loaded_from: str | Path = folder.file if isinstance(folder, PackedPath) else folder
    return loaded_from


def _opened(folder: Any) -> ReadFolder | None:
    """Returns what notices changes of a folder; None for a packed file, which stays open."""
    return None if isinstance(folder, PackedPath) else ReadFolder(folder)


def _read_packed_tokenizer(tokenizer: Tokenizer, place: PackedPath) -> None:
    if tokenizer.segmenter is None:
        tokenizer.from_bytes(place.read_bytes(), exclude=["vocab"])
    else:
        from .._python_side.segmenters import from_disk

        from_disk(tokenizer, place)


def to_bytes(nlp: Pipeline, exclude: str | Iterable[str]) -> bytes:
    left_out = as_names(exclude)
    _check_named(nlp, left_out)
    writers: dict[str, Callable[[], Any]] = {
        "vocab": lambda: nlp.vocab.to_bytes(exclude=list(left_out)),
        "tokenizer": lambda: nlp.tokenizer.to_bytes(exclude=["vocab"]),
        "meta.json": lambda: dumps(nlp.meta),
        "config.cfg": lambda: nlp.config.to_bytes(),
    }
    parts = {
        key: write() for key, write in writers.items() if not left_out & {key, key.split(".")[0]}
    }
    for name, component in nlp.components:
        if name not in left_out and hasattr(component, "to_bytes"):
            parts[name] = component.to_bytes(exclude=["vocab"])
    return packb(parts)


def from_bytes(nlp: _L, data: bytes, exclude: str | Iterable[str]) -> _L:
    _check_names(nlp)
    parts: dict[str, Any] = expect(unpackb(data), dict, "the map of a pipeline's parts")
    for name, part in parts.items():
        # spaCy has the metadata as text.
        types = (bytes, str) if name == "meta.json" else bytes
        expect(part, types, f"the part {name!r} of a pipeline")
    left_out = as_names(exclude)
    # "meta" and "config" are short for the names of their files.
    left_out |= {part for part in RESERVED if part.split(".")[0] in left_out}
    present = {key: part for key, part in parts.items() if key not in left_out}

    with restoring_pipeline(nlp):
        if "config.cfg" in present:
            nlp.config = Config.from_bytes(present["config.cfg"], interpolate=False)
        read: dict[str, Any] = {}
        if "meta.json" in present:
            with reading("meta.json of a pipeline"):
                read = expect(loads(present["meta.json"]), dict, "meta.json of a pipeline")
        if read:
            nlp.meta.update(read)
        if "vocab" in present:
            nlp.vocab.from_bytes(present["vocab"], exclude=list(left_out))
        _name_vectors(nlp, read)
        if "tokenizer" in present:
            nlp.tokenizer.from_bytes(present["tokenizer"], exclude=["vocab"])
        for name, component in nlp.components:
            if name in present and hasattr(component, "from_bytes"):
                component.from_bytes(present[name], exclude=["vocab"])
        _check_weights(nlp, left_out)
    return nlp


def _name_vectors(nlp: Pipeline, read: Mapping[str, Any]) -> None:
    """Sets the name of the vectors to that in metadata that were read: `nlp.meta` itself always has
    the current name, and the files of vectors have none.
    """
    known: object = read.get("vectors")
    if is_dict(known) and hasattr(nlp.vocab.vectors, "name"):
        nlp.vocab.vectors.name = known.get("name")


def _check_weights(nlp: Pipeline, left_out: set[str]) -> None:
    """Validates the networks of components that were loaded, so that no document meets a damaged
    one.
    """
    if "vocab" in left_out or "vectors" in left_out:
        # Networks may need vectors that the caller sets later.
        return
    for name, component in nlp.components:
        if name not in left_out and hasattr(component, "check_weights"):
            component.check_weights()


def _check_named(nlp: Pipeline, left_out: set[str]) -> None:
    """Raises ConfigError for functions of this process alone, ComponentNameError for invalid
    names.
    """
    _check_names(nlp)
    for name, factory in nlp.pipe_factories.items():
        if not factory and name not in left_out:
            raise ConfigError(
                f"the component {name!r}, {nlp.get_pipe(name)!r}, was added as a function; only "
                "components that a factory made can be saved. Register it by @Language.component, "
                f"or leave it out by exclude=[{name!r}]"
            )
    if not left_out & {"config", "config.cfg"}:
        # A component is in the configuration even if its part is excluded.
        for name in nlp.component_names:
            check_section(name)


def _in_files(nlp: Pipeline, left_out: set[str]) -> list[str]:
    """Returns the names of the components that have files."""
    return [
        name for name, own in nlp.components if name not in left_out and hasattr(own, "to_disk")
    ]


def _check_names(nlp: Pipeline) -> None:
    """Raises ComponentNameError for names that `add_pipe` rejects, before any reading or
    writing.
    """
    others = file_keys(nlp.component_names)
    for name in nlp.component_names:
        check_name(name, others)


def from_config(
    cls: type[_L],
    config: dict[str, Any] | str,
    *,
    base: type[Pipeline],
    vocab: Vocab | Literal[True] | None = None,
    disable: str | Iterable[str] = (),
    enable: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    meta: Mapping[str, Any] | None = None,
    origin: str = "the configuration",
    has_tokenizer: bool = False,
) -> _L:
    """Returns a pipeline of a class from its configuration or the text of it; see
    `Language.from_config`.

    base: the class of the pipelines that components come from.
    origin: the name of the configuration for errors.
    has_tokenizer: whether rules of the tokenizer are read later.
    """
    plan = _planned(config, origin, {}, exclude, disable, enable)
    return _from_plan(cls, plan, base, vocab, meta, origin, has_tokenizer)


def _planned(
    config: dict[str, Any] | str | bytes,
    origin: str,
    overrides: Mapping[str, Any],
    *choices: str | Iterable[str],
) -> LoadingPlan:
    exclude, disable, enable = (list(as_names(names)) for names in choices)
    return plan_loading(config, origin, dict(overrides), exclude, disable, enable)


def _from_plan(
    cls: type[_L],
    plan: LoadingPlan,
    base: type[Pipeline],
    vocab: Vocab | Literal[True] | None,
    meta: Mapping[str, Any] | None,
    origin: str,
    has_tokenizer: bool,
) -> _L:
    """Makes the objects of a plan, without the contents of files."""
    before_creation, after_creation, after_pipeline_creation = (
        resolve_callback(plan["nlp"].get(key), f"nlp.{key}") for key in _CALLBACKS
    )
    # spaCy's default, which stands for a new vocab.
    vocab = None if vocab is True else vocab
    if before_creation is not None and (changed := before_creation(cls)) is not cls:
        raise ValueError(
            f"[E943] 'before_creation' of [nlp] has returned {changed!r:.80}; expected the class that it "
            "was called with"
        )
    tokenizer = blank_tokenizer(plan["lang"], vocab, has_tokenizer, plan["segmenter"])
    nlp = _after("after_creation", after_creation, cls(plan["lang"], tokenizer, meta=meta))
    if plan["batch_size"] is not None:
        nlp.batch_size = plan["batch_size"]
    sources: dict[str, Pipeline] = {}
    refused: list[ConfigError] = []
    for name, factory, settings, written in plan["components"]:
        where = f"{origin}, [components.{name}]"
        try:
            if factory:
                written.pop("factory", None)
                nlp.add_pipe(factory, name=name, config=settings, raw_config=written)
            else:
                place = settings["source"]
                if place not in sources:
                    sources[place] = load(base, place, vocab=nlp.vocab)
                component = settings.get("component", name)
                nlp.add_pipe(component, name=name, source=sources[place])
        except ComponentNameError as error:
            raise ComponentNameError(f"{where}: {error}") from None
        except ValueError as error:
            refused.append(ConfigError(f"{where}: {error}"))
            refused[-1].__cause__ = error
    _raise_refused(refused)
    for name in plan["disabled"]:
        nlp.disable_pipe(name)
    nlp.config = Config(plan["config"])
    return _after("after_pipeline_creation", after_pipeline_creation, nlp)


def _raise_refused(refused: list[ConfigError]) -> None:
    """Raises the errors of components, all of them in one."""
    if len(refused) == 1:
        raise refused[0]
    if refused:
        raise ConfigError("\n".join(str(error) for error in refused))


def _after(key: str, callback: Callable[..., Any] | None, nlp: _L) -> _L:
    """Returns what a callback makes of a pipeline."""
    made: object = nlp if callback is None else callback(nlp)
    if not isinstance(made, type(nlp)):
        raise ValueError(
            f"[E942] {key!r} of [nlp] has returned {made!r:.80}; expected the pipeline"
        )
    return made


def load(
    cls: type[_L],
    path: PathLike,
    *,
    vocab: Vocab | Literal[True] | None = None,
    disable: str | Iterable[str] = (),
    enable: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    config: Mapping[str, Any] | None = None,
    numerics: Numerics = "fast",
) -> _L:
    """Returns a pipeline of a class from its place; see `lexpool.load`."""
    # A packed path has the methods of a path that loading uses.
    folder: Any = place_of(path)

    def load_once() -> _L:
        return _load(cls, folder, vocab, disable, enable, exclude, config, numerics)

    if isinstance(folder, PackedPath):
        return load_once()
    loads = 0
    while True:
        opened_folder = ReadFolder(folder)
        loads += 1
        try:
            loaded = load_once()
            opened_folder.check_current()
            return loaded
        except Exception:
            # Another process may have saved to the folder, and parts of both were read.
            if opened_folder.is_current() or loads == ReadFolder.MAX_LOADS:
                raise


def _load(
    cls: type[_L],
    folder: Any,
    vocab: Vocab | Literal[True] | None,
    disable: str | Iterable[str],
    enable: str | Iterable[str],
    exclude: str | Iterable[str],
    config: Mapping[str, Any] | None,
    numerics: Numerics,
) -> _L:
    """Loads a pipeline from its folder or packed file, file after file."""

    file = folder / "config.cfg"
    if not file.exists():
        raise OSError(f"[E053] {folder} has no file config.cfg, which nlp.to_disk writes")
    left_out = as_names(exclude)
    plan = _planned(file.read_bytes(), str(file), config or {}, left_out, disable, enable)
    if not plan["reads_tokenizer"]:
        left_out = {*left_out, "tokenizer"}
    metadata = json_object(folder / "meta.json") if (folder / "meta.json").exists() else {}
    has_tokenizer = "tokenizer" not in left_out and (folder / "tokenizer").exists()
    if isinstance(folder, PackedPath):
        vocab = _packed_vocab(folder, vocab, plan["lang"], left_out)
    nlp = _from_plan(cls, plan, cls, vocab, metadata, str(file), has_tokenizer)
    nlp.numerics = numerics
    # The metadata are those that were given.
    loaded: _L = nlp.from_disk(cast("Path", folder), exclude={*left_out, "config.cfg", "meta.json"})
    if not left_out & {"meta", "meta.json"}:
        _name_vectors(nlp, metadata)
    return loaded


def _packed_vocab(
    folder: PackedPath,
    given: Vocab | Literal[True] | None,
    lang: str,
    left_out: set[str],
) -> Vocab | Literal[True] | None:
    """Returns the vocab of a packed pipeline with the getters of its language, or the given vocab
    if the file has none, or it is left out.

    Raises ValueError (pack-vocab) for a given vocab beside that of the file, which is mapped.
    """
    if "vocab" in left_out:
        return given
    vocab = folder.pipeline.vocab()
    if vocab is None:
        return given
    if isinstance(given, Vocab):
        raise ValueError(
            f"[pack-vocab] {folder} has a vocab of its own, which is mapped; load the folder of the "
            'pipeline to use another, or leave this one out: exclude=["vocab"]'
        )
    if vocab_of_saved(lang, vocab) is None:
        vocab_of_saved("xx", vocab)
    if "vectors" in left_out:
        vocab.reset_vectors(shape=(0, 0))
    return vocab


def from_spacy(
    cls: type[_L],
    nlp: Any,
    *,
    base: type[Pipeline],
    disable: str | Iterable[str],
    enable: str | Iterable[str],
    exclude: str | Iterable[str],
) -> _L:
    """Returns a pipeline of a class from a live pipeline of spaCy's; see `Language.from_spacy`."""
    left_out = as_names(exclude)
    made = from_config(
        cls,
        nlp.config.to_str(interpolate=False),
        base=base,
        disable=disable,
        enable=enable,
        exclude=left_out,
        meta=nlp.meta,
        origin="the configuration of the pipeline",
        has_tokenizer=True,
    )
    from_bytes(made, nlp.to_bytes(), {*left_out, "config", "meta"})
    _name_vectors(made, nlp.meta)
    return made
