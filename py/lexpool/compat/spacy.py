"""lexpool and spaCy together.

`Tokenizer` cuts texts for a spaCy pipeline; `from_spacy` and `to_spacy` turn documents of one
library into the other's; `patch()` puts lexpool under spaCy's pure-Python parts.
"""

from ._standins import CompiledComponentError
from .docs import from_spacy, to_spacy
from .patch import Patch, patch
from .tokenizer import Tokenizer

__all__ = ["CompiledComponentError", "Patch", "Tokenizer", "from_spacy", "patch", "to_spacy"]
