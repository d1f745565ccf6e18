"""Figures of evaluation: counts of right and wrong annotation, and what follows from them.

Every figure has the formula and the order of operations of spaCy, so that it has the same bits.
`lexpool.scorer` gathers the functions in spaCy's class `Scorer`.
"""
