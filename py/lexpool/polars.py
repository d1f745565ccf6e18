"""Pipelines in Polars: importing this module adds a namespace `lexpool` to columns of strings.

    import polars as pl, lexpool.polars

    books.with_columns(words=pl.col("body").lexpool.tokenize("en"))
    books.lazy().select(pl.col("body").lexpool.n_tokens()).collect(engine="streaming")

    annotator = Annotator(pipeline="/models/en", columns=["lemma_", "head"], threads=0)
    lexpool.polars.annotate(books, annotator)

Expressions process batches of rows in Rust, without the GIL. Each row is independent, so Polars may
split a frame anywhere. Requires `pip install lexpool[polars]`.
"""

from typing import Any

from ._extras import needed
from .engines import Annotator, altered

__all__ = ["Texts", "annotate"]

_pl = needed("polars", "polars")


class Texts:
    """The namespace `lexpool` of an expression whose values are strings or categories.

    A null remains null. `lang` is a code such as "en", or an `Annotator`, whose rules or pipeline
    and threads are used.
    """

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def tokenize(self, lang: str | Annotator = "en") -> Any:
        """Returns the words as lists of strings."""
        return self.attribute("orth_", lang)

    def tokens(self, lang: str | Annotator = "en") -> Any:
        """Returns the tokens as lists of structs of `start`, `end`, `orth` and `space`."""
        return self.attribute("tokens", lang)

    def n_tokens(self, lang: str | Annotator = "en") -> Any:
        """Returns the number of tokens."""
        return self.attribute("n_tokens", lang)

    def strings(self, lang: str | Annotator = "en") -> Any:
        """Returns the different words as lists of strings, in the order of first occurrence."""
        return self.attribute("strings", lang)

    def attribute(self, name: str, lang: str | Annotator = "en") -> Any:
        """Returns a column of `lexpool.arrow.annotate`, such as "lower_" or "is_alpha", as lists;
        one of annotation, such as "lemma_", for an annotator with a pipeline.
        """
        return self._mapped(altered(_annotator(lang), columns=(name,), prefix=""), alone=True)

    def annotate(self, annotator: str | Annotator = "en") -> Any:
        """Returns all columns of an annotator as fields of one struct; `.struct.unnest()` makes
        columns.
        """
        return self._mapped(_annotator(annotator), alone=False)

    def _mapped(self, annotator: Annotator, alone: bool) -> Any:
        # A name that differs from all columns of an annotator.
        annotator = altered(annotator, text="")
        nothing = _new_columns(_pl.Series("", [], dtype=_pl.String), annotator, alone)

        def of_rows(texts: Any) -> Any:
            return _new_columns(texts, annotator, alone)

        return self._expression.map_batches(
            of_rows, return_dtype=nothing.dtype, is_elementwise=True
        )


def annotate(frame: Any, annotator: str | Annotator = "en") -> Any:
    """Returns a frame, lazy or not, with the added columns of an annotator.

    annotator: the columns to add, and the column of the texts, which is optional if only one column
        has strings.
    """
    annotator = _annotator(annotator)
    schema = frame.collect_schema()
    column = annotator.text
    if column is None:
        texts = [name for name, kind in schema.items() if kind in (_pl.String, _pl.Categorical)]
        if len(texts) != 1:
            listing = ", ".join(f"{name} ({kind})" for name, kind in schema.items())
            raise ValueError(
                f"{len(texts)} columns have strings; name the one to take; the columns are {listing}"
            )
        column = texts[0]
    new = [annotator.prefix + name for name in annotator.columns]
    clashes = [name for name in new if name in schema]
    if clashes:
        raise ValueError(f"there is a column {clashes[0]!r} already; give the new ones a prefix")
    both = frame.with_columns(Texts(_pl.col(column)).annotate(annotator).alias("\0lexpool"))
    return both.unnest("\0lexpool")


def _annotator(lang: str | Annotator) -> Annotator:
    """Returns an annotator for a column; expressions use all threads of lexpool."""
    return Annotator(lang, threads=0) if isinstance(lang, str) else lang


def _new_columns(texts: Any, annotator: Annotator, alone: bool) -> Any:
    """Returns the added columns of a series: the only one, or all of them as a struct."""
    frame = _pl.DataFrame(annotator(texts.alias("").to_frame())).drop("")
    return (frame.to_series() if alone else frame.to_struct()).alias(texts.name)


_pl.api.register_expr_namespace("lexpool")(Texts)
