"""lexpool's pipelines and components with the weights of spaCy's live ones."""

import hashlib
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lexpool import Language, Tokenizer, Vocab, attrs, msgpack
from lexpool.config import Config

sys.path.append(str(Path(__file__).parents[1] / "tools"))
from blis_numerics import blis_numerics

# The order of additions of spaCy's products.
NUMERICS = blis_numerics()
# The number of conversions that are cached.
CACHED = 8


class ConvertedPipeline:
    """A pipeline of spaCy's, converted in two ways.

    live: by `Language.from_spacy`.
    loaded: from the bytes of the pipeline alone.
    """

    def __init__(self, nlp: Any, data: bytes) -> None:
        self.live = Language.from_spacy(nlp)
        config = Config.from_bytes(msgpack.unpackb(data)["config.cfg"], interpolate=False)
        try:
            blank = Language.from_config(config)
        except ValueError as error:
            # The rules of a language that lexpool lacks are in the bytes.
            if "unknown-language" not in str(error):
                raise
            blank = Language.from_spacy(nlp)
        self.loaded = blank.from_bytes(data)
        self.live.numerics = self.loaded.numerics = NUMERICS


class Conversions:
    """Converts pipelines and components, and caches the last ones.

    The key is the digest of everything that a conversion reads, so training leads to another one.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[bytes, Any] = OrderedDict()

    def pipeline(self, nlp: Any) -> ConvertedPipeline:
        """Converts a pipeline. Raises the errors of `Language.from_spacy`."""
        data = nlp.to_bytes()
        config = nlp.config.to_str(interpolate=False).encode()
        return self._cached((data, config), lambda: ConvertedPipeline(nlp, data))

    def component(self, component: Any, factory: str, settings: dict[str, Any]) -> Language:
        """Converts a component, and returns a pipeline of it.

        settings: the ones that `add_pipe` takes.
        """
        data = component.to_bytes()
        vocab = component.vocab
        # Networks read the attributes of words. A vocab of no language has getters of its own.
        getters = {} if vocab.lang else dict(vocab.lex_attr_getters)
        getters.pop(attrs.LANG, None)

        def make() -> Language:
            tokenizer = Tokenizer.blank(vocab.lang) if vocab.lang else Tokenizer(Vocab(getters))
            nlp = Language(vocab.lang or "xx", tokenizer)
            nlp.add_pipe(factory, name=component.name, config=settings).from_bytes(data)
            nlp.numerics = NUMERICS
            return nlp

        parts = (factory, repr(settings), vocab.lang or "", repr(getters))
        return self._cached((data, *(part.encode() for part in parts)), make)

    def _cached(self, parts: tuple[bytes, ...], make: Callable[[], Any]) -> Any:
        digest = hashlib.blake2b()
        for part in parts:
            digest.update(hashlib.blake2b(part).digest())
        key = digest.digest()
        if key not in self._made:
            self._made[key] = make()
            if len(self._made) > CACHED:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        return self._made[key]
