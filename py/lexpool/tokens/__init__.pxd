# Classes for `from lexpool.tokens cimport Doc, Token`, as on spaCy's pages.

from lexpool.tokens.doc cimport Doc
from lexpool.tokens.token cimport Token
