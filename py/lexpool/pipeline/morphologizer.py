"""Parts of speech and morphological features."""

from __future__ import annotations

from .. import parts_of_speech
from .._core import Doc
from ..morphology import Morphology
from .learning import check_label
from .model import Model
from .scores import morphologizer_score
from .tagger import Tagger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from ..vocab import Vocab

__all__ = ["Morphologizer"]

# The feature of a label that has the part of speech.
_POS = "POS"


class Morphologizer(Tagger):
    """Sets the part of speech and the features of each token.

    model: the section `model` of the settings.
    overwrite: whether values that are set are replaced.
    extend: whether features are joined to those that are set; `overwrite` then says whose value
        of a feature wins.
    """

    factory: ClassVar[str] = "morphologizer"
    _learned_settings: ClassVar[tuple[str, ...]] = ("overwrite", "extend", "label_smoothing")

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "morphologizer",
        *,
        overwrite: bool = True,
        extend: bool = False,
        scorer: Callable[..., dict[str, Any]] | None = morphologizer_score,
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.cfg: dict[str, Any] = {
            "labels_morph": {},
            "labels_pos": {},
            "overwrite": overwrite,
            "extend": extend,
            "label_smoothing": label_smoothing,
        }

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the network's outputs: features with the part of speech."""
        return tuple(self.cfg["labels_morph"])

    @property
    def label_data(self) -> dict[str, dict[str, float | int | None]]:
        """The features and parts of speech of the labels."""
        return {"morph": self.cfg["labels_morph"], "pos": self.cfg["labels_pos"]}

    def add_label(self, label: str) -> int:
        """Adds a label: features, among them "POS" with the part of speech. Returns 0 if the
        component has it, else 1.

        Raises ValueError: E187 for a label that is not a string, E922 once the network has weights.
        """
        check_label(label)
        if label in self.labels:
            return 0
        self._allow_extra_label()
        features = Morphology.feats_to_dict(label)
        pos = features.pop(_POS, "")
        normalized = self.vocab.morphology.normalize_features(label)
        morph = self.vocab.strings[self.vocab.morphology.add(features)]
        if normalized not in self.cfg["labels_morph"]:
            self.cfg["labels_morph"][normalized] = "" if morph == "_" else morph
            self.cfg["labels_pos"][normalized] = parts_of_speech.IDS[pos]
            self.vocab.strings.add(normalized)
            self._fit_outputs()
        return 1

    def _trained_as(self) -> str:
        return "morphologizer"

    def set_annotations(self, docs: Iterable[Doc] | Doc, scores: Any) -> None:
        """Sets the features and parts of speech of documents to the labels of `predict`."""
        labels = self.labels
        overwrite, extend = self.cfg["overwrite"], self.cfg["extend"]
        docs = [docs] if isinstance(docs, Doc) else docs
        for doc, guesses in zip(docs, scores, strict=False):
            for token, guess in zip(doc, guesses, strict=False):
                label = labels[int(guess)]
                features = self.cfg["labels_morph"][label]
                present = str(token.morph)
                if extend:
                    both = (present, features) if overwrite else (features, present)
                    joined: dict[str, str] = {}
                    for part in both:
                        joined.update(Morphology.feats_to_dict(part))
                    token.set_morph(Morphology.dict_to_feats(joined))
                elif overwrite or not token.has_morph():
                    token.set_morph(features)
                if token.pos == 0 or overwrite:
                    token.pos = self.cfg["labels_pos"].get(label, 0)
