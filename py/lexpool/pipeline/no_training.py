"""The methods of spaCy's `Language` that train it, which raise errors here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class NoTraining:
    """A pipeline that runs what spaCy has trained."""

    def update(self, examples: Any, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError (not-trainable): spaCy trains pipelines."""
        _refuse("update")

    def rehearse(self, examples: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError (not-trainable): spaCy trains pipelines."""
        _refuse("rehearse")

    def begin_training(self, get_examples: Any = None, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError (not-trainable): spaCy trains pipelines."""
        _refuse("begin_training")

    def resume_training(self, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError (not-trainable): spaCy trains pipelines."""
        _refuse("resume_training")

    def replace_listeners(self, tok2vec_name: str, pipe_name: str, listeners: Any) -> NoReturn:
        """Raises NotImplementedError (not-trainable): networks are read-only."""
        _refuse("replace_listeners")

    def create_optimizer(self) -> NoReturn:
        """Raises NotImplementedError (not-trainable): spaCy trains pipelines."""
        _refuse("create_optimizer")


def _refuse(method: str) -> NoReturn:
    raise NotImplementedError(
        f"[not-trainable] nlp.{method}: lexpool runs trained pipelines and does not train them; train "
        "with spaCy, save by nlp.to_disk, and load the folder by lexpool.load"
    )
