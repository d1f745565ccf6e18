"""Transition-based parsing: states, the moves between them, and their costs with respect to gold
annotation.

A state holds the stack, the buffer, and the arcs and entities found so far. A transition system
defines the moves that a state allows and their effects: `ArcEager` finds dependency trees,
`BiluoPushDown` finds entities. Names and behaviour are spaCy's, except that crashes there are
errors here.

>>> import lexpool
>>> from lexpool.tokens import Doc
>>> doc = Doc(lexpool.blank("en").vocab, words=["Rats", "bite", "things"])
>>> moves = ArcEager(doc.vocab.strings, ArcEager.get_actions(left_labels=["nsubj"]))
>>> moves.add_action(3, "dobj")
1
>>> state = moves.init_batch([doc])[0]
>>> for name in ["S", "L-nsubj", "S", "R-dobj", "D", "D"]:
...     moves.apply_transition(state, name)
>>> state.is_final()
True
>>> moves.set_annotations(state, doc)
>>> [(token.dep_, token.head.text) for token in doc]
[('nsubj', 'bite'), ('ROOT', 'bite'), ('dobj', 'bite')]

With a model, all documents of a batch are stepped together. The model is a function from features,
which are positions of tokens in the batch, to a score for each class:

>>> import numpy
>>> def score(features):
...     return numpy.zeros((len(features), moves.n_moves), dtype="float32")
>>> [state.is_final() for state in moves.parse([doc, doc], score)]
[True, True]

`nonproj` has the functions that make trees projective, and the inverse.
"""

from .._core import StateClass
from . import nonproj
from .arc_eager import ArcEager, ArcEagerGold
from .ner import BiluoGold, BiluoPushDown
from .transition_system import OracleError, TransitionSystem

__all__ = [
    "ArcEager",
    "ArcEagerGold",
    "BiluoGold",
    "BiluoPushDown",
    "OracleError",
    "StateClass",
    "TransitionSystem",
    "nonproj",
]
