"""`Optimizer`: the numbers by which components change their weights."""

from __future__ import annotations

from itertools import count
from math import isfinite

from .._core import Learner, ScheduleSeries, step_learners
from .._errors import ConfigError
from .._narrow import is_dict
from ..msgpack import packb, unpackb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal, Self

__all__ = ["SGD", "Adam", "Averages", "Optimizer", "RAdam"]

_NUMBERS = ("learn_rate", "b1", "b2", "eps", "L2", "grad_clip")
# The names of the numbers in configurations, where they differ.
_LONG = {"b1": "beta1", "b2": "beta2"}
_METHODS: dict[str, Literal["adam", "radam", "sgd"]] = {
    "Adam.v1": "adam",
    "RAdam.v1": "radam",
    "SGD.v1": "sgd",
}
_KEYS = count(1)


class _Moments:
    """The key under which components have what an optimizer keeps of their weights. They drop it
    when nothing refers to this any more.
    """

    def __init__(self) -> None:
        self.key: int = next(_KEYS)
        # The components that were stepped, by name.
        self.learners: dict[str, Learner] = {}

    def __del__(self) -> None:
        for learner in self.learners.values():
            learner.drop_optimizer(self.key)

    def __reduce__(self) -> tuple[type[_Moments], tuple[()]]:
        # A copy of an optimizer has moments of its own.
        return _Moments, ()


class Averages(dict[tuple[str, str], bool]):
    """The running means of weights, by component, which `nlp.use_params` takes: empty until an
    optimizer has begun a step that keeps them.
    """

    def __init__(self, moments: _Moments) -> None:
        super().__init__()
        self._moments = moments

    @property
    def key(self) -> int:
        """The key under which components have the means."""
        return self._moments.key


class Optimizer:
    """Changes weights by their gradients, as thinc's optimizers do. What it keeps of the weights is
    with the components.

    learn_rate, L2, beta1, beta2, eps, grad_clip: numbers, or schedules: iterators, lists, or
        settings such as {"@schedules": "warmup_linear.v1", ...}. `step_schedules` goes on to their
        next values.
    L2_is_weight_decay: whether weights are decreased after the step, rather than by the gradient.
    use_averages: whether running means of the weights are kept, for `averages`.
    use_radam: whether the first steps are smaller, as in RAdam.

    With beta1 and beta2 of 0 it steps along the gradient. The attributes `learn_rate`, `b1`, `b2`,
    `eps`, `L2` and `grad_clip` have the numbers of the present step, and can be set.
    """

    def __init__(
        self,
        learn_rate: Any = 0.001,
        *,
        L2: Any = 0.0,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        eps: Any = 1e-8,
        grad_clip: Any = 1.0,
        use_averages: bool = True,
        use_radam: bool = False,
        L2_is_weight_decay: bool = True,
    ) -> None:
        self.learn_rate: float = 0.0
        self.b1: float = 0.0
        self.b2: float = 0.0
        self.eps: float = 0.0
        self.L2: float = 0.0
        self.grad_clip: float = 0.0
        self.schedules: dict[str, Iterator[float]] = {}
        # The settings that schedules can be made of again.
        self._given: dict[str, Any] = {}
        self.use_radam = use_radam
        self.L2_is_weight_decay = L2_is_weight_decay
        self._moments = _Moments()
        self.averages: Averages | None = Averages(self._moments) if use_averages else None
        # The number of calls of `step_schedules`.
        self._n_steps = 0
        # States that `from_bytes` has read, of components that were not stepped since.
        self._states: dict[str, bytes] = {}
        given = (learn_rate, beta1, beta2, eps, L2, grad_clip)
        for name, value in zip(_NUMBERS, given, strict=True):
            self._set(name, value)

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, int | float):
            setattr(self, name, float(value))
            return
        if is_dict(value) or isinstance(value, list | tuple):
            self._given[name] = value
        try:
            series = _series(value)
            first = float(next(series))
        except (TypeError, ValueError, StopIteration):
            raise ValueError(
                f"[optimizer-settings] {name} is {value!r}; expected a number or a schedule"
            ) from None
        self.schedules[name] = series
        setattr(self, name, first)

    @classmethod
    def from_config(cls, settings: Mapping[str, Any]) -> Self:
        """Returns the optimizer of a section such as `[training.optimizer]`.

        Raises ConfigError, a ValueError, for another function than Adam.v1, RAdam.v1 and SGD.v1 and
        for unknown settings.
        """
        own = dict(settings)
        name = own.pop("@optimizers", None)
        method = _METHODS.get(str(name))
        if method is None:
            raise ConfigError(
                f"[training.optimizer] names the optimizer {name!r}; lexpool has "
                f"{', '.join(_METHODS)}"
            )
        if method == "sgd":
            own.update(beta1=0.0, beta2=0.0)
        try:
            return cls(**own, use_radam=method == "radam")
        except TypeError as error:
            raise ConfigError(f"[training.optimizer]: {error}") from None

    @property
    def method(self) -> Literal["adam", "radam", "sgd"]:
        """The method: "adam", "radam" or "sgd"."""
        if self.use_radam:
            return "radam"
        return "adam" if self.b1 > 0.0 and self.b2 > 0.0 else "sgd"

    def step_schedules(self) -> None:
        """Goes on to the next value of each schedule; one that is at its end keeps its last."""
        for name, series in self.schedules.items():
            setattr(self, name, next(series, getattr(self, name)))
        self._n_steps += 1

    def step(self, learners: Sequence[tuple[str, Learner]]) -> None:
        """Changes the weights of components by their gradients, without the GIL: those of all or,
        after an error, of none.

        learners: the components, with their names.
        """
        for name, learner in learners:
            state = self._states.get(name)
            if state is not None:
                learner.read_state(self._moments.key, state)
                del self._states[name]
        _step(self, self._moments, learners, self.averages)

    def to_bytes(self) -> bytes:
        """Returns the numbers, the place in the schedules, and what is kept of the weights of all
        components that were stepped.
        """
        return packb(
            {
                "numbers": {name: getattr(self, name) for name in _NUMBERS},
                "steps": self._n_steps,
                "states": self._all_states(),
            }
        )

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Takes the bytes of `to_bytes` of an optimizer with these settings. What is kept of
        weights is given to components of the same names when they are stepped.

        Raises ValueError (optimizer-settings) for other bytes.
        """
        steps, numbers, states = _parts(unpackb(bytes_data))
        if steps < self._n_steps and self.schedules.keys() - self._given.keys():
            raise ValueError(
                f"[optimizer-settings] the bytes are of step {steps}, and the optimizer is at step "
                f"{self._n_steps}: iterators do not go back; make a new optimizer"
            )
        for name, learner in self._items():
            if name in states:
                learner.read_state(self._moments.key, states.pop(name))
        if steps < self._n_steps:
            self.schedules.update({name: _begun(given) for name, given in self._given.items()})
            self._n_steps = 0
        if not self.schedules:
            self._n_steps = steps
        while self._n_steps < steps:
            self.step_schedules()
        vars(self).update(numbers)
        self._states = states
        return self

    def _items(self) -> list[tuple[str, Learner]]:
        return list(self._moments.learners.items())

    def _all_states(self) -> dict[str, bytes]:
        states = {
            name: learner.state_to_bytes(self._moments.key) for name, learner in self._items()
        }
        return {**self._states, **{name: state for name, state in states.items() if state}}

    def __getstate__(self) -> dict[str, Any]:
        state = {**vars(self), "_states": self._all_states()}
        del state["_moments"], state["averages"]
        # Native series are made again.
        state["schedules"] = {
            name: series
            for name, series in self.schedules.items()
            if not isinstance(series, ScheduleSeries)
        }
        return {**state, "has_averages": self.averages is not None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        has_averages = state.pop("has_averages")
        vars(self).update(state)
        for name in self._given.keys() - self.schedules.keys():
            self.schedules[name] = made = _begun(self._given[name])
            for _ in range(self._n_steps):
                next(made, None)
        self._moments = _Moments()
        self.averages = Averages(self._moments) if has_averages else None

    def __repr__(self) -> str:
        return f"<Optimizer {self.method} learn_rate={self.learn_rate:g}>"


def _series(value: Any) -> Iterator[float]:
    """Returns the values of a schedule."""
    return ScheduleSeries(value) if is_dict(value) else iter(value)


def _begun(value: Any) -> Iterator[float]:
    """Returns the values of a schedule after the first."""
    made = _series(value)
    next(made, None)
    return made


# Schedules go on step by step, which must not take minutes because of damaged bytes.
_MOST_STEPS = 100_000_000


def _parts(read: object) -> tuple[int, dict[str, float], dict[str, bytes]]:
    """Returns the number of steps, the numbers, and the states by component of saved bytes. Raises
    ValueError (optimizer-settings) for others.
    """
    found: Any = read if is_dict(read) else {}
    steps, numbers, states = (found.get(name) for name in ("steps", "numbers", "states"))
    is_whole = type(steps) is int and 0 <= steps <= _MOST_STEPS
    if not is_whole or not is_dict(numbers) or not is_dict(states):
        raise ValueError("[optimizer-settings] expected the bytes of an optimizer")
    for name in _NUMBERS:
        if not isinstance(numbers.get(name), int | float) or not isfinite(numbers[name]):
            raise ValueError(
                f"[optimizer-settings] the bytes have {numbers.get(name)!r:.80} as {name}; expected "
                "a finite number"
            )
    for name, state in states.items():
        if not isinstance(name, str) or not isinstance(state, bytes):
            raise ValueError(
                f"[optimizer-settings] the state of {name!r:.80} is a {type(state).__name__}; "
                "expected bytes"
            )
    return steps, {name: float(numbers[name]) for name in _NUMBERS}, states


def _step(
    numbers: Any,
    moments: _Moments,
    learners: Sequence[tuple[str, Learner]],
    averages: Averages | None,
) -> None:
    learn_rate, b1, b2 = (float(getattr(numbers, each)) for each in ("learn_rate", "b1", "b2"))
    use_radam = bool(getattr(numbers, "use_radam", False))
    method = "radam" if use_radam else "adam" if b1 > 0.0 and b2 > 0.0 else "sgd"
    # Noted before the one call that changes weights, so that an interrupt finds both or neither.
    moments.learners.update(learners)
    if averages is not None:
        averages.update({(name, "averages"): True for name, _ in learners})
    step_learners(
        [learner for _, learner in learners],
        moments.key,
        method,
        learn_rate=learn_rate,
        beta1=b1,
        beta2=b2,
        eps=float(getattr(numbers, "eps", 1e-8)),
        l2=float(getattr(numbers, "L2", 0.0)),
        grad_clip=float(getattr(numbers, "grad_clip", 1.0)),
        l2_is_weight_decay=bool(getattr(numbers, "L2_is_weight_decay", True)),
        use_averages=averages is not None,
    )


# The name under which an optimizer of thinc keeps its `_Moments`.
_MOMENTS: Any = ("lexpool", "moments")


def step(sgd: Any, learners: Sequence[tuple[str, Learner]]) -> None:
    """Changes the weights of components by an optimizer of lexpool or thinc, whose numbers are
    read: its schedules go on by its own `step_schedules`. All weights are changed or, after an
    error, none.

    learners: the components, with their names.

    Raises TypeError for an object without such numbers.
    """
    if isinstance(sgd, Optimizer):
        sgd.step(learners)
        return
    if not all(hasattr(sgd, each) for each in ("learn_rate", "b1", "b2")):
        raise TypeError(
            f"[optimizer-settings] sgd is a {type(sgd).__name__}; expected an Optimizer of lexpool "
            "or thinc, or False to keep the gradients"
        )
    kept: object = getattr(sgd, "mom1", None)
    own: dict[Any, Any] = kept if is_dict(kept) else {}
    moments: _Moments = own.setdefault(_MOMENTS, _Moments())
    averages: Averages | None = None
    if getattr(sgd, "averages", None) is not None:
        if not isinstance(sgd.averages, Averages):
            sgd.averages = Averages(moments)
        averages = sgd.averages
    _step(sgd, moments, learners, averages)


def Adam(learn_rate: Any = 0.001, **settings: Any) -> Optimizer:
    """Returns an optimizer that steps along the mean gradient by its deviation."""
    return Optimizer(learn_rate, **settings)


def RAdam(learn_rate: Any = 0.001, **settings: Any) -> Optimizer:
    """Returns an optimizer as `Adam`, whose first steps are smaller."""
    return Optimizer(learn_rate, use_radam=True, **settings)


def SGD(learn_rate: Any, **settings: Any) -> Optimizer:
    """Returns an optimizer that steps along the gradient."""
    return Optimizer(learn_rate, beta1=0.0, beta2=0.0, **settings)
