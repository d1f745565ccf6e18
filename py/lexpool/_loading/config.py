"""The configuration and the metadata of a pipeline.

Called by `lexpool.language`, which has the documentation.
"""

from __future__ import annotations

from .._core import __version__, default_config as blank_config
from ..config import Config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._protocols import Pipeline

# The versions of spaCy with this file format.
_SPACY = ">=3.8.0,<3.9.0"


def default_config(lang: str) -> Config:
    """Returns the configuration of a blank pipeline; spaCy fills in the sections for training."""
    return Config(blank_config(lang))


def config(nlp: Pipeline, settings: Config) -> Config:
    """Updates the configuration to the pipeline's current state."""
    section = settings.setdefault("nlp", {})
    section["lang"] = nlp.lang
    section["pipeline"] = list(nlp.component_names)
    section["disabled"] = list(nlp.disabled)
    section["batch_size"] = nlp.batch_size
    settings["components"] = {
        name: {"factory": factory, **nlp.get_pipe_config(name)}
        for name, factory in nlp.pipe_factories.items()
    }
    return settings


def meta(nlp: Pipeline, metadata: dict[str, Any]) -> dict[str, Any]:
    """Updates the metadata to the pipeline's current state."""
    vectors = nlp.vocab.vectors
    usual = {
        "lang": nlp.lang,
        "name": "pipeline",
        "version": "0.0.0",
        "spacy_version": _SPACY,
        "lexpool_version": __version__,
        **dict.fromkeys(("description", "author", "email", "url", "license"), ""),
    }
    for key, value in usual.items():
        metadata.setdefault(key, value)
    metadata["vectors"] = {
        "width": nlp.vocab.vectors_length,
        "vectors": len(vectors),
        "keys": getattr(vectors, "n_keys", 0),
        "name": getattr(vectors, "name", None),
        "mode": getattr(vectors, "mode", "default"),
    }
    metadata["labels"] = {name: list(labels) for name, labels in nlp.pipe_labels.items()}
    metadata["pipeline"] = list(nlp.pipe_names)
    metadata["components"] = list(nlp.component_names)
    metadata["disabled"] = list(nlp.disabled)
    return metadata
