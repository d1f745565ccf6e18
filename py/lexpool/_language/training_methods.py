"""The methods of `Language` that train its components."""

from __future__ import annotations

# Networks and optimizers are imported when a pipeline learns, since any pipeline needs this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from .._learning.example import Example


class Training:
    """A pipeline whose components learn."""

    # The optimizer of `update`, unless another one is given.
    _optimizer: Any = None

    def initialize(
        self: Any,
        get_examples: Callable[[], Iterable[Example]] | None = None,
        *,
        sgd: Any = None,
    ) -> Any:
        """Prepares the pipeline for training: finds labels in examples, makes weights, and returns
        an optimizer for `update`.

        Loads the vectors and tables that `[initialize]` of the configuration names, and calls
        `initialize` of the components with the arguments in `[initialize.components]`. The
        functions `before_init` and `after_init` of `[initialize]` are called with the pipeline,
        first and last of all. With `numpy.random.seed` called before, the weights are spaCy's, bit
        by bit.

        get_examples: a function that returns examples; by default a document without annotation.
        sgd: the optimizer; by default that of `[training.optimizer]`.

        Raises TypeError (E930, E978) for another argument than a function that returns examples;
        ValueError: E143 for a component without labels, E893 for a callback that is not registered,
        E955 if no package has a table, config-value for other lookups than spaCy's, and the errors
        of components.
        """
        from .training_steps import initialize

        after = initialize(self, get_examples)
        if sgd is not None:
            self._optimizer = sgd
        elif self._optimizer is None:
            self._optimizer = self.create_optimizer()
        if after is not None:
            after(self)
        return self._optimizer

    def begin_training(
        self, get_examples: Callable[[], Iterable[Example]] | None = None, *, sgd: Any = None
    ) -> Any:
        """Calls `initialize`, whose old name this is; warns (W089)."""
        import warnings

        warnings.warn(
            "[W089] nlp.begin_training is the old name of nlp.initialize",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.initialize(get_examples, sgd=sgd)

    def resume_training(self: Any, *, sgd: Any = None) -> Any:
        """Returns an optimizer for a pipeline with weights, which are kept, and lets components
        keep a copy of their networks for `rehearse`.

        sgd: the optimizer; by default that of `[training.optimizer]`.
        """
        for _, component in self.pipeline:
            if hasattr(component, "keep_tutor"):
                component.keep_tutor()
        if sgd is not None:
            self._optimizer = sgd
        elif self._optimizer is None:
            self._optimizer = self.create_optimizer()
        return self._optimizer

    def update(
        self: Any,
        examples: Iterable[Example],
        _: Any = None,
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
        component_cfg: Mapping[str, Mapping[str, Any]] | None = None,
        exclude: Iterable[str] = (),
        annotates: Iterable[str] = (),
    ) -> dict[str, float]:
        """Lets the components learn from a batch of examples, in their order, and then changes all
        weights. Returns the losses by component. The components of lexpool learn without the GIL.

        drop: the rate of dropout.
        sgd: an optimizer of lexpool or thinc; by default the one that `initialize` has returned.
            False keeps the gradients for a later update.
        losses: the losses to add to.
        component_cfg: further arguments of components' `update`, by name.
        exclude: names of components that do not learn.
        annotates: names of components that annotate the documents for those after them.

        After an error no weight is changed, and the gradients are dropped. Raises TypeError (E978)
        for objects that are not examples; ValueError: E989 for a second argument by position, E109
        without weights, E203 and E953 for listeners without rows, E910 for a loss that is not
        finite.
        """
        if _ is not None:
            raise ValueError(
                "[E989] nlp.update takes a batch of Example objects as its only argument by position"
            )
        losses = {} if losses is None else losses
        if sgd is None:
            if self._optimizer is None:
                self._optimizer = self.create_optimizer()
            sgd = self._optimizer
        from .training_steps import update

        return update(
            self,
            examples,
            drop=drop,
            sgd=sgd,
            losses=losses,
            component_cfg=component_cfg,
            exclude=exclude,
            annotates=annotates,
        )

    def rehearse(
        self: Any,
        examples: Iterable[Example],
        *,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
        component_cfg: Mapping[str, Mapping[str, Any]] | None = None,
        exclude: Iterable[str] = (),
    ) -> dict[str, float]:
        """Lets the components learn to predict as they did at `resume_training`, so that they do
        not forget. The parameters and errors are those of `update`.
        """
        losses = {} if losses is None else losses
        if sgd is None:
            if self._optimizer is None:
                self._optimizer = self.create_optimizer()
            sgd = self._optimizer
        from .training_steps import rehearse

        return rehearse(
            self, examples, sgd=sgd, losses=losses, component_cfg=component_cfg, exclude=exclude
        )

    def create_optimizer(self: Any) -> Any:
        """Returns the optimizer of `[training.optimizer]`; Adam with spaCy's settings by default.

        Raises ConfigError, a ValueError, for another function than Adam.v1, RAdam.v1 and SGD.v1.
        """
        from .training_steps import create_optimizer

        return create_optimizer(self)

    def use_params(self: Any, params: Any) -> Any:
        """Uses the running means of weights that an optimizer keeps, `optimizer.averages`, to
        predict and to save, until the end of a `with` block. Updates within it change the weights.
        """
        from .training_steps import use_params

        return use_params(self, params)

    def replace_listeners(
        self: Any, tok2vec_name: str, pipe_name: str, listeners: Iterable[str]
    ) -> None:
        """Gives a component a copy of the shared network that it listens to, in its settings and
        weights, so that it does not change when others learn.

        tok2vec_name: the name of the shared component.
        pipe_name: the name of the component.
        listeners: the sections of all its listeners, such as ["model.tok2vec"]; nothing is replaced
            without any.

        Raises ValueError: E889 for an unknown name, E888 for a component that is not shared, E887
        for another number of sections than of listeners, E886 for an unknown section.
        """
        from .training_steps import replace_listeners

        replace_listeners(self, tok2vec_name, pipe_name, listeners)
