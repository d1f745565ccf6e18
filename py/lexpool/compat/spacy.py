"""lexpool and spaCy together.

`Tokenizer` tokenizes texts for a spaCy pipeline; `from_spacy` and `to_spacy` convert documents
between the libraries; `patch()` runs spaCy's pure-Python parts on lexpool.
"""

from ._standins import CompiledComponentError
from .docs import from_spacy, to_spacy
from .patch import Patch, patch
from .tokenizer import Tokenizer

__all__ = ["CompiledComponentError", "Patch", "Tokenizer", "from_spacy", "patch", "to_spacy"]
