# `from lexpool.tokens cimport Doc, Token`, as spaCy's pages write it.

from lexpool.tokens.doc cimport Doc
from lexpool.tokens.token cimport Token
