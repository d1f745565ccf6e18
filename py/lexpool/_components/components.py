"""The components of a pipeline: added, found, replaced, disabled."""

from __future__ import annotations

import warnings
from types import BuiltinFunctionType, MappingProxyType

from .._core import Op
from .._narrow import is_mapping
from .._saving.json import dumps
from ..config import Config
from .analysis import analyze, table
from .factories import BUILT_IN, OF_LANGUAGE
from .factory import Factory, FactoryMeta, FunctionFactory
from .frozen import FrozenList
from .named_functions import of_spacys_registry
from .names import check_name, file_key
from .registry import Factories
from .select import DisabledPipes
from .settings import UNSUPPORTED, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .._protocols import Pipeline


class Components(Factories):
    """The components of a `Language`: their order, names and factories."""

    lang: str

    def __init__(self) -> None:
        self._components: list[tuple[str, Any]] = []
        self._disabled: set[str] = set()
        # The names of all components, with the descriptions of their factories.
        self._pipe_meta: dict[str, FactoryMeta | None] = {}
        self._file_keys: dict[str, str] = {}
        # The components that others may listen to, and those that were disabled when they were
        # last linked.
        self._shared: list[Any] = []
        self._disabled_when_linked: set[str] = set()
        self._pipe_configs: dict[str, dict[str, Any]] = {}

    @property
    def components(self) -> list[tuple[str, Any]]:
        """All components with their names, including disabled ones."""
        return FrozenList(self._components)

    @property
    def component_names(self) -> list[str]:
        """The names of all components, including disabled ones."""
        return FrozenList(name for name, _ in self._components)

    @property
    def pipeline(self) -> list[tuple[str, Any]]:
        """The components that are not disabled, with their names."""
        return FrozenList(pair for pair in self._components if pair[0] not in self._disabled)

    @property
    def pipe_names(self) -> list[str]:
        """The names of the components that are not disabled."""
        return FrozenList(name for name, _ in self.pipeline)

    @property
    def disabled(self) -> list[str]:
        """The names of the components that are disabled."""
        return FrozenList(name for name, _ in self._components if name in self._disabled)

    @property
    def factory_names(self) -> list[str]:
        """The names of all factories."""
        return FrozenList(self._factory_names())

    @property
    def factories(self) -> Mapping[str, Factory]:
        """All factories by name, read-only: functions that make a component."""
        found = {name: self._factory_here(name) for name in self._factory_names()}
        return MappingProxyType({name: pair[0] for name, pair in found.items() if pair})

    @property
    def pipe_factories(self) -> dict[str, str]:
        """The factory of each component by its name; a function that was added directly has ""."""
        return {name: meta.factory if meta else "" for name, meta in self._metas()}

    def _metas(self) -> list[tuple[str, FactoryMeta | None]]:
        return [(name, self._pipe_meta[name]) for name, _ in self._components]

    @property
    def pipe_labels(self) -> dict[str, list[str]]:
        """The labels of each component that has labels and does not hide them."""
        return {
            name: list(pipe.labels)
            for name, pipe in self._components
            if hasattr(pipe, "labels") and getattr(pipe, "hide_labels", False) is not True
        }

    def get_pipe(self, name: str) -> Any:
        """Returns the component of a name. Raises KeyError (E001) for an unknown name."""
        for own, component in self._components:
            if own == name:
                return component
        raise KeyError(self._no_pipe(name))

    def get_pipe_meta(self, name: str) -> FactoryMeta:
        """Returns the description of a component's factory. Raises ValueError (E967) if it is
        unknown.
        """
        meta = self._pipe_meta.get(name)
        if meta is None:
            raise ValueError(
                f"[E967] no factory is known for a component {name!r}; known: "
                f"{[own for own, known in self._pipe_meta.items() if known]}"
            )
        return meta

    def get_pipe_config(self, name: str) -> Config:
        """Returns the settings that a component was made with. Raises ValueError (E960) for an
        unknown name.
        """
        if name not in self._pipe_configs:
            raise ValueError(
                f"[E960] no component is named {name!r}; known: {self.component_names}"
            )

        return Config(self._pipe_configs[name]).copy()

    def has_pipe(self, name: str) -> bool:
        """Returns True if a component of this name is enabled."""
        return name in self._pipe_meta and name not in self._disabled

    def create_pipe(
        self,
        factory_name: str,
        name: str | None = None,
        *,
        config: Mapping[str, Any] | None = None,
        raw_config: Mapping[str, Any] | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a component without adding it.

        config: settings that override the factory's defaults.
        raw_config: the settings with references, in the form to save.

        Raises ValueError: E002 for an unknown factory, E962 for a config that is not a dict, E961
        for settings that JSON cannot represent; ConfigError for unknown, invalid or missing
        settings.
        """
        name = name or factory_name
        component, settings = self._create(factory_name, name, config, raw_config, validate)
        self._pipe_configs[name] = settings
        return component

    def _create(
        self,
        factory_name: str,
        name: str,
        config: object,
        raw_config: Mapping[str, Any] | None,
        validate: bool = True,
    ) -> tuple[Any, dict[str, Any]]:
        """Returns a new component, and the settings to keep for it."""
        if config is None:
            config = {}
        if not is_mapping(config):
            kind = type(config).__name__
            raise ValueError(f"[E962] the config of {name!r} is a {kind}, not a dict")

        given = dict(config)
        try:
            dumps(given)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"[E961] the config of {name!r} cannot be written as JSON: {error}"
            ) from None
        found = self._factory_here(factory_name)
        if found is None:
            raise ValueError(self._no_factory(factory_name, name))
        make, meta = found
        settings = dict(Config(meta.default_config).merge(given))
        if validate:
            settings = checked(make, settings, f"components.{name}")
        arguments = settings
        own = (BUILT_IN.get(factory_name), OF_LANGUAGE.get((self.lang, factory_name)))
        if all(found is not each for each in own):
            place = f"components.{name}"
            arguments = {
                key: of_spacys_registry(value, f"{place}.{key}") for key, value in settings.items()
            }
        component = make(nlp=self, name=name, **arguments)
        return component, {**settings, **(raw_config or {}), "factory": factory_name}

    def _factory_here(self, name: str) -> tuple[Factory, FactoryMeta] | None:
        """Returns the factory of a name: of the class, or else of the language."""
        found = self._factory(name)
        own = OF_LANGUAGE.get((self.lang, name))
        return own if own and found is BUILT_IN.get(name) else found

    def _no_factory(self, factory_name: str, name: str) -> str:
        text = (
            f"[E002] no factory is named {factory_name!r}, for the component {name!r}; known: "
            f"{', '.join(self.factory_names)}"
        )

        if factory_name in UNSUPPORTED:
            return (
                f"{text}. lexpool does not run this kind of component: leave it out by "
                f"exclude=[{name!r}], or run it in spaCy"
            )
        return (
            f"{text}. Register one of your own by @Language.component or @Language.factory before it "
            "is asked for"
        )

    def add_pipe(
        self,
        factory_name: Any,
        name: str | None = None,
        *,
        before: str | int | None = None,
        after: str | int | None = None,
        first: bool | None = None,
        last: bool | None = None,
        source: Pipeline | None = None,
        config: Mapping[str, Any] | None = None,
        raw_config: Mapping[str, Any] | None = None,
        validate: bool = True,
    ) -> Any:
        """Adds a component and returns it.

        factory_name: the name of its factory; or a function that takes a Doc and returns it; or an
            op of `lexpool.ops` whose only parameter is a Doc, and whose results are stored in
            `doc.user_data`.
        name: the component's name; by default the name of the factory or function.
        before, after: the name or position of the component to insert it before or after.
        first, last: whether to insert it at the beginning or at the end, which is the default.
        source: another pipeline, whose component of this name is shared.
        config: settings for the factory.

        Raises ValueError: E966 for another type of factory_name, E007 for a name that is taken,
        E006 for more than one position, E001 and E959 for unknown positions; ComponentNameError for
        a name whose path is not a separate part of the pipeline's folder, such as "../ner", "vocab"
        or "NER" beside "ner"; the errors of `create_pipe`. Other names that are invalid in files or
        configurations, such as "a.b" or "a:b", are accepted here and rejected by `to_disk`.
        """
        function: Any = None
        settings: object = {} if config is None else config
        factory = factory_name if isinstance(factory_name, str) else ""
        if isinstance(factory_name, BuiltinFunctionType) and isinstance(factory_name.__self__, Op):
            op = factory_name.__self__.name
            name = name or op.rpartition(".")[2]
            factory, settings = "op", {"op": op, **(config or {})}
        elif not isinstance(factory_name, str):
            function = factory_name
            if not callable(function) or isinstance(function, type):
                raise ValueError(
                    f"[E966] {function!r} cannot be a component; expected the name of a factory, a "
                    "function that takes a Doc and returns it, or an op"
                )
            name = name or _own_name(function)
        name = name if name is not None else factory
        check_name(name, self._file_keys)
        if name in self._pipe_meta:
            raise ValueError(
                f"[E007] a component is named {name!r} already; taken: {self.component_names}"
            )
        if is_mapping(settings) and "name" in settings:
            warnings.warn(
                f"[W119] the name {settings['name']!r} in the config is ignored; pass name= instead",
                stacklevel=2,
            )
            settings = {key: value for key, value in settings.items() if key != "name"}
        position = self._position(before, after, first, last)
        config_entry: dict[str, Any]
        if function is not None:
            component, meta = function, self._meta_of(function)
            config_entry = {"factory": meta.factory} if meta else {}
        elif source is not None:
            component, meta, config_entry = self._sourced(factory, source)
        else:
            component, config_entry = self._create(factory, name, settings, raw_config, validate)
            found = self._factory_here(factory)
            meta = found[1] if found else None
        try:
            self._pipe_meta[name], self._pipe_configs[name] = meta, config_entry
            self._file_keys[file_key(name)] = name
            self._components.insert(position, (name, component))
            if position == len(self._components) - 1:
                _set_name(component, name)
                self._link_last(component)
            else:
                self._name_components()
        except BaseException:
            self._remove(name)
            raise
        return component

    def _meta_of(self, function: Any) -> FactoryMeta | None:
        """Returns the description of the factory that returns this function, or None."""
        for name in self._factory_names():
            found = self._factory(name)
            if found and isinstance(found[0], FunctionFactory) and found[0].function is function:
                return found[1]
        return None

    def _sourced(
        self, source_name: str, source: Any
    ) -> tuple[Any, FactoryMeta | None, dict[str, Any]]:
        if not isinstance(source, Components):
            kind = type(source).__name__
            raise ValueError(
                f"[E945] expected a Language as the source of {source_name!r}, not a {kind}"
            )
        if source_name not in source.component_names:
            raise KeyError(
                f"[E944] no component of the source is named {source_name!r}; known: "
                f"{source.component_names}"
            )
        theirs: Any = source
        ours: Any = self
        if ours.vocab is not theirs.vocab:
            if ours.vocab.vectors != theirs.vocab.vectors:
                warnings.warn(
                    f"[W113] the component {source_name!r} may annotate otherwise than in its source, "
                    "whose vectors differ from those of this pipeline",
                    stacklevel=3,
                )
            # The strings of its labels and settings are copied.
            for string in theirs.vocab.strings:
                ours.vocab.strings.add(string)
        # References would lead to sections that this pipeline lacks.
        settings = theirs.config.interpolate()["components"][source_name]
        return source.get_pipe(source_name), source._pipe_meta[source_name], dict(settings)

    def _position(
        self,
        before: str | int | None,
        after: str | int | None,
        first: bool | None,
        last: bool | None,
    ) -> int:
        given = {"before": before, "after": after, "first": first, "last": last}
        named = {key: value for key, value in given.items() if value is not None}
        if len(named) > 1:
            raise ValueError(f"[E006] expected one of before, after, first and last, not {named}")
        if first:
            return 0
        for direction, at in (("before", before), ("after", after)):
            behind = 1 if direction == "after" else 0
            if isinstance(at, str):
                self._check(at)
                return self.component_names.index(at) + behind
            if at is not None:
                if type(at) is not int:
                    raise ValueError(
                        f"[E006] expected a name or a position as {direction}, not {at!r}"
                    )
                if not 0 <= at < len(self._components):
                    raise ValueError(
                        f"[E959] cannot add a component {direction} position {at}; expected a "
                        f"position in {self.component_names}"
                    )
                return at + behind
        if first is False:
            raise ValueError("[E006] first=False does not name a position; expected first=True")
        return len(self._components)

    def replace_pipe(
        self,
        name: str,
        factory_name: Any,
        *,
        config: Mapping[str, Any] | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a component, replaces another one by it, and returns it. It is disabled if the
        other one was.

        Raises ValueError: E001 for an unknown name, E968 if factory_name is not a string; and the
        errors of `create_pipe`. The pipeline is then unchanged.
        """
        self._check(name)
        if not isinstance(factory_name, str):
            raise ValueError(
                f"[E968] expected the name of a factory to replace {name!r}, not {factory_name!r}; "
                "to use a function, remove the component and add the function"
            )
        component, config_entry = self._create(factory_name, name, config, None, validate)
        found = self._factory_here(factory_name)
        self._change(
            components=[(own, component if own == name else old) for own, old in self._components],
            metas={**self._pipe_meta, name: found[1] if found else None},
            configs={**self._pipe_configs, name: config_entry},
        )
        return component

    def rename_pipe(self, old_name: str, new_name: str) -> None:
        """Renames a component. Raises ValueError (E001, E007) and ComponentNameError like
        `add_pipe`.
        """
        self._check(old_name)
        others = {key: own for key, own in self._file_keys.items() if own != old_name}
        check_name(new_name, others)
        if new_name in self._pipe_meta:
            raise ValueError(
                f"[E007] a component is named {new_name!r} already; taken: {self.component_names}"
            )
        names = {old_name: new_name}
        self._change(
            components=[(names.get(name, name), pipe) for name, pipe in self._components],
            metas={names.get(name, name): meta for name, meta in self._pipe_meta.items()},
            configs={names.get(name, name): each for name, each in self._pipe_configs.items()},
            disabled={names.get(name, name) for name in self._disabled},
        )

    def remove_pipe(self, name: str) -> tuple[str, Any]:
        """Removes a component and returns its name and itself. Raises ValueError (E001) for an
        unknown name.
        """
        self._check(name)
        removed = (name, self.get_pipe(name))
        self._remove(name)
        return removed

    def _remove(self, name: str) -> None:
        self._change(
            components=[pair for pair in self._components if pair[0] != name],
            metas={own: meta for own, meta in self._pipe_meta.items() if own != name},
            configs={own: each for own, each in self._pipe_configs.items() if own != name},
            disabled=self._disabled - {name},
        )

    def _change(
        self,
        *,
        components: list[tuple[str, Any]],
        metas: dict[str, FactoryMeta | None],
        configs: dict[str, dict[str, Any]],
        disabled: set[str] | None = None,
    ) -> None:
        """Changes the components and what is known of them, all of it or nothing."""
        changed: dict[str, Any] = {
            "_components": components,
            "_pipe_meta": metas,
            "_file_keys": {file_key(name): name for name in metas},
            "_pipe_configs": configs,
            "_disabled": self._disabled if disabled is None else disabled,
        }
        before = {name: vars(self)[name] for name in changed}
        try:
            # One call, which no interrupt divides.
            vars(self).update(changed)
            self._name_components()
        except BaseException:
            vars(self).update(before)
            self._name_components()
            raise

    def disable_pipe(self, name: str) -> None:
        """Disables a component. Raises ValueError (E001) for an unknown name."""
        self._check(name)
        self._disabled.add(name)

    def enable_pipe(self, name: str) -> None:
        """Enables a component. Raises ValueError (E001) for an unknown name."""
        self._check(name)
        self._disabled.discard(name)

    def switch_pipes(self, names: Iterable[str], *, enabled: bool) -> None:
        """Enables or disables several components at once, so that no interrupt comes in between.

        Raises ValueError (E001) for an unknown name; no component is enabled or disabled then.
        """
        # No signal ends the reading of an iterable by a method of `set`.
        switched: set[str] = set()
        for name in names:
            self._check(name)
            switched.add(name)
        if enabled:
            self._disabled.difference_update(switched)
        else:
            self._disabled.update(switched)

    def select_pipes(
        self,
        *,
        disable: str | Iterable[str] | None = None,
        enable: str | Iterable[str] | None = None,
    ) -> DisabledPipes:
        """Disables components, or all but some, until the end of a `with` or `restore()`.

        Raises ValueError: E991 if neither is given, E992 if both are given and contradict each
        other, E001 for an unknown name.
        """
        if enable is None and disable is None:
            raise ValueError("[E991] expected names in disable or in enable; got neither")
        names = [] if disable is None else [disable] if isinstance(disable, str) else list(disable)
        if enable is not None:
            kept = [enable] if isinstance(enable, str) else list(enable)
            others = [name for name in self.pipe_names if name not in kept]
            if disable is not None and names != others:
                raise ValueError(f"[E992] enable={kept} disables {others}, but disable is {names}")
            names = others
        return DisabledPipes(self, [name for name in names if name not in self._disabled])

    def disable_pipes(self, *names: str | Iterable[str]) -> DisabledPipes:
        """Disables components until the end of a `with` or `restore()`. Deprecated (W096) as in
        spaCy: `select_pipes(disable=...)` does the same.
        """
        warnings.warn(
            "[W096] disable_pipes is deprecated; use select_pipes(disable=[...])",
            DeprecationWarning,
            stacklevel=2,
        )
        given = [[name] if isinstance(name, str) else list(name) for name in names]
        return self.select_pipes(disable=[name for part in given for name in part])

    def analyze_pipes(
        self,
        *,
        keys: Iterable[str] = ("assigns", "requires", "scores", "retokenizes"),
        pretty: bool = False,
    ) -> dict[str, Any]:
        """Returns for the enabled components the fields of their factories ("summary"), the
        attributes that no earlier component assigns ("problems"), and for each attribute the names
        of the components that assign or require it ("attrs").

        keys: fields of `FactoryMeta`.
        pretty: whether to print a table as well.
        """
        metas = {name: self._pipe_meta[name] for name in self.pipe_names}
        found = analyze(metas, list(keys))
        if pretty:
            print(table(found))
        return found

    def _check(self, name: str) -> None:
        if name not in self._pipe_meta:
            raise ValueError(self._no_pipe(name))

    def _no_pipe(self, name: str) -> str:
        return f"[E001] no component is named {name!r}; known: {self.component_names}"

    def _name_components(self) -> None:
        """Sets the names of components to their names in the pipeline."""
        for name, component in self._components:
            _set_name(component, name)
        self.link_components()

    def link_components(self) -> None:
        """Tells shared components which layers of later components listen to them. Called when
        components are added, renamed or replaced.
        """
        former = [
            (shared, shared.listener_map) for _, shared in self.pipeline if _has_listeners(shared)
        ]
        links = {"_shared": self._shared, "_disabled_when_linked": self._disabled_when_linked}
        try:
            self._shared, self._disabled_when_linked = [], set(self._disabled)
            for _, component in self.pipeline:
                self._link(component)
        except BaseException:
            for shared, listeners in former:
                shared.listener_map = listeners
            vars(self).update(links)
            raise

    def _link_last(self, component: Any) -> None:
        """Links the last component, which was added behind linked ones."""
        if self._disabled == self._disabled_when_linked:
            self._link(component)
        else:
            self.link_components()

    def _link(self, component: Any) -> None:
        for shared in self._shared:
            shared.find_listeners(component)
        if _has_listeners(component):
            component.listener_map = {}
            self._shared.append(component)


def _has_listeners(component: Any) -> bool:
    return hasattr(component, "find_listeners") and hasattr(component, "listener_map")


def _set_name(component: Any, name: str) -> None:
    """Sets the name of a component to that in the pipeline."""
    if getattr(component, "name", name) != name:
        component.name = name


def _own_name(function: Any) -> str:
    """Returns the name of a function or callable object."""
    own = getattr(function, "name", None) or getattr(function, "__name__", None)
    return own if isinstance(own, str) else type(function).__name__
