"""Initialization and updates of the components of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from .._components.named_functions import resolved
from .._components.registered_functions import resolve_callback
from .._components.restoring import restoring
from .._core import BusyError, with_layer_weights
from .._errors import ConfigError
from .._learning.example import Example, validate_examples
from .._learning.example_batch import ExampleBatch
from .._learning.optimizer import Optimizer, step
from .._loading.places import located
from .._narrow import is_dict
from .._saving.json_files import read_json
from ..lookups import from_config
from ..pipeline._listening import Listener
from ..pipeline.learning import Learning
from ..pipeline.model import Model
from ..pipeline.tok2vec import Tok2Vec
from ..tokens import Doc

if TYPE_CHECKING:
    from .._core import Learner
    from .._protocols import Pipeline

# spaCy's default for `[training.optimizer]`.
DEFAULT_OPTIMIZER: dict[str, Any] = {
    "@optimizers": "Adam.v1",
    "beta1": 0.9,
    "beta2": 0.999,
    "L2_is_weight_decay": True,
    "L2": 0.01,
    "grad_clip": 1.0,
    "use_averages": False,
    "eps": 1e-8,
    "learn_rate": 0.001,
}


def initialize(
    nlp: Pipeline, get_examples: Callable[[], Iterable[Example]] | None
) -> Callable[..., Any] | None:
    """`Language.initialize`. Returns the function to call after the optimizer was set."""
    if get_examples is not None and not callable(get_examples):
        kind = type(get_examples).__name__
        raise TypeError(
            f"[E930] Language.initialize takes a function that gives examples, not {kind}"
        )

    initialization = nlp.config.interpolate().get("initialize", {})
    before, after = (
        resolve_callback(initialization.get(key), f"initialize.{key}")
        for key in ("before_init", "after_init")
    )
    if before is not None:
        before(nlp)
    if initialization.get("vectors"):
        nlp.vocab.from_disk(located(initialization["vectors"]) / "vocab", exclude=["lookups"])
    if initialization.get("lookups"):
        nlp.vocab.lookups = from_config(initialization["lookups"])
    with restoring(component for _, component in nlp.pipeline):
        examples = ExampleBatch(_dummies(nlp) if get_examples is None else get_examples())
        # All components see the same copies.
        given_examples = (lambda: examples) if examples or get_examples is None else get_examples
        arguments: Mapping[str, Any] = initialization.get("components", {})
        for name, component in nlp.pipeline:
            if hasattr(component, "initialize"):
                settings = _resolved(arguments.get(name, {}), f"initialize.components.{name}")
                component.initialize(given_examples, nlp=nlp, **settings)
        if initialization.get("init_tok2vec"):
            _set_pretrained(nlp, initialization["init_tok2vec"])
    nlp.link_components()
    return after


def create_optimizer(nlp: Pipeline) -> Optimizer:
    """`Language.create_optimizer`."""
    training = nlp.config.interpolate().get("training", {})
    return Optimizer.from_config(training.get("optimizer") or DEFAULT_OPTIMIZER)


def _set_pretrained(nlp: Pipeline, path: Any) -> None:
    """Gives the component that `[pretraining]` names the weights of a file."""
    from pathlib import Path

    pretraining: Any = nlp.config.interpolate().get("pretraining", {})
    name = pretraining.get("component") or "tok2vec"
    weights = Path(path).read_bytes()
    place = f"[initialize] 'init_tok2vec', {path}"
    model = getattr(nlp.get_pipe(name), "model", None)
    if not isinstance(model, Model):
        raise ConfigError(
            f"[training-config] {place}: the component {name!r}, which [pretraining] names, has no "
            "network"
        )
    layer = pretraining.get("layer") or ""
    file = model.to_bytes()
    model.from_bytes(with_layer_weights(model.settings, model.section, file, layer, weights, place))


def _resolved(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Returns the arguments of a component's `initialize`: labels that are in files, functions by
    their names.
    """
    return {key: _argument(value, f"{where}.{key}") for key, value in settings.items()}


def _argument(value: Any, where: str) -> Any:
    if is_dict(value) and "@misc" in value:
        return resolved(value, where)
    if not is_dict(value) or value.get("@readers") != "spacy.read_labels.v1":
        return value
    from pathlib import Path

    path = Path(str(value.get("path")))
    if not path.exists() and not value.get("require", False):
        return None
    return read_json(path)


def _dummies(nlp: Pipeline) -> list[Example]:
    return [Example.from_dict(Doc(nlp.vocab, words=["x", "y", "z"]), {})]


def update(
    nlp: Pipeline,
    examples: Iterable[Example],
    *,
    drop: float,
    sgd: Any,
    losses: dict[str, float],
    component_cfg: Mapping[str, Mapping[str, Any]] | None,
    exclude: Iterable[str],
    annotates: Iterable[str],
) -> dict[str, float]:
    """`Language.update`."""
    if not isinstance(examples, list):
        validate_examples(examples, "Language.update")
        examples = list(examples)
    if not examples:
        return losses
    validate_examples(examples, "Language.update")
    left_out, annotating = set(exclude), set(annotates)
    # Documents are copied only if a component annotates them.
    batch = ExampleBatch(
        (Example(eg.predicted.copy(), eg.reference) for eg in examples) if annotating else examples
    )
    overrides = {name: dict(settings) for name, settings in (component_cfg or {}).items()}
    updated: list[Any] = []
    try:
        for name, component in nlp.pipeline:
            if name not in left_out and hasattr(component, "update"):
                settings = {"drop": drop, **overrides.get(name, {})}
                _update(component, batch, updated, losses=losses, **settings)
            if name in annotating:
                _annotate(component, batch)
        for component in updated:
            if isinstance(component, Tok2Vec):
                component.finish_shared()
                component.forget_rows()
        if sgd is not None and sgd is not False:
            _finish(updated, sgd)
    except BaseException:
        for component in updated:
            if isinstance(component, Learning):
                with suppress(BusyError):
                    component.forget_update()
        raise
    return losses


def _update(component: Any, batch: Any, updated: list[Any], **settings: Any) -> None:
    """Updates a component, which is entered in the list of those with gradients before."""
    updated.append(component)
    try:
        component.update(batch, sgd=None, **settings)
    except BusyError:
        # The gradients are those of the thread that uses the component.
        updated.pop()
        raise


def _finish(updated: Iterable[Any], sgd: Any) -> None:
    """Changes the weights of components by their gradients: those of lexpool's at once, last."""
    learners: list[tuple[str, Learner]] = []
    for component in updated:
        learner = component.learner_to_step() if isinstance(component, Learning) else None
        if learner is not None:
            learners.append((component.name, learner))
        elif hasattr(component, "finish_update") and getattr(component, "is_trainable", True):
            component.finish_update(sgd)
    if learners:
        step(sgd, learners)


def _annotate(component: Any, batch: Any) -> None:
    docs = [example.predicted for example in batch]
    done = component.pipe(docs) if hasattr(component, "pipe") else map(component, docs)
    for example, doc in zip(batch, list(done), strict=True):
        example.predicted = doc
    batch.refresh()


def rehearse(
    nlp: Pipeline,
    examples: Iterable[Example],
    *,
    sgd: Any,
    losses: dict[str, float],
    component_cfg: Mapping[str, Mapping[str, Any]] | None,
    exclude: Iterable[str],
) -> dict[str, float]:
    """`Language.rehearse`."""
    example_list = examples if isinstance(examples, list) else list(examples)
    if not example_list:
        return losses
    validate_examples(example_list, "Language.rehearse")
    left_out, batch = set(exclude), ExampleBatch(example_list)
    overrides = component_cfg or {}
    for name, component in nlp.pipeline:
        if name not in left_out and hasattr(component, "rehearse"):
            component.rehearse(batch, sgd=sgd, losses=losses, **overrides.get(name, {}))
    return losses


@contextmanager
def use_params(nlp: Pipeline, params: Any) -> Generator[None]:
    """`Language.use_params`."""
    with ExitStack() as stack:
        for _, component in nlp.pipeline if params else ():
            if hasattr(component, "use_params") and hasattr(component, "model"):
                use: Any = component.use_params(params)
                stack.enter_context(use if hasattr(use, "__exit__") else _resumed(use))
        yield


@contextmanager
def _resumed(use: Iterator[None]) -> Generator[None]:
    """Begins a generator, and resumes it at the end of a `with` block, as spaCy does with those of
    `use_params`.
    """
    try:
        next(use, None)
        yield
    finally:
        # One that an interrupt has kept from its beginning is not begun now.
        if getattr(use, "gi_suspended", True):
            next(use, None)


def replace_listeners(
    nlp: Pipeline, tok2vec_name: str, pipe_name: str, listeners: Iterable[str]
) -> None:
    """`Language.replace_listeners`."""
    for name in (tok2vec_name, pipe_name):
        if name not in nlp.pipe_names:
            raise ValueError(
                f"[E889] cannot replace the listeners of {pipe_name!r} to {tok2vec_name!r}: no "
                f"component is named {name!r}; known: {list(nlp.pipe_names)}"
            )
    shared, component = nlp.get_pipe(tok2vec_name), nlp.get_pipe(pipe_name)
    if not isinstance(shared, Tok2Vec):
        raise ValueError(
            f"[E888] {tok2vec_name!r} is a {type(shared).__name__}, which has no listeners"
        )
    paths = list(listeners)
    if not paths:
        return
    shared_listeners: list[Listener] = shared.listener_map.get(pipe_name, [])
    if len(paths) != len(shared_listeners):
        raise ValueError(
            f"[E887] {pipe_name!r} has {len(shared_listeners)} listeners to {tok2vec_name!r}, but the paths are "
            f"{paths}"
        )
    config = nlp.get_pipe_config(pipe_name)
    for path in paths:
        if not path.startswith("model.") or not _has_path(config, path):
            raise ValueError(
                f"[E886] cannot replace the listener {path!r} of {pipe_name!r}: its settings have no "
                "such section"
            )
    with restoring([component, shared]):
        component.own_shared(shared, paths)
        for listener in list(shared_listeners):
            shared.remove_listener(listener, pipe_name)
        # The only change outside of the two components, which is the last.
        owner: Any = nlp
        owner._pipe_configs[pipe_name]["model"] = dict(component.model.settings)


def _has_path(config: Any, path: str) -> bool:
    for key in path.split("."):
        if not hasattr(config, "get") or key not in config:
            return False
        config = config[key]
    return True
