"""A backend of thinc with lexpool's kernels: spaCy itself runs faster on it, its training included.

    import spacy
    import lexpool.thinc

    lexpool.thinc.activate()
    nlp = spacy.load("en_core_web_sm")

Models use the backend that is current when they are made, so `activate` comes before `spacy.load`;
`activate(nlp)` changes the models of a pipeline that is loaded already. `spacy train` reads a file
with these two lines: `spacy train config.cfg --code kernels.py`. thinc knows the backend by its
name too, so `thinc.api.use_ops("lexpool")` works where the package is installed.

Requires `pip install lexpool[thinc]`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ._core import (
    THINC_HAS_FAST_GEMM,
    thinc_gather_add,
    thinc_gemm,
    thinc_maxout,
    thinc_set_blas,
)
from ._extras import needed

__all__ = ["LexpoolOps", "activate"]

if TYPE_CHECKING:
    # NumPy comes with thinc, whose classes are compiled and have no types.
    numpy: Any

    class NumpyOps:
        def __init__(
            self, device_type: str = "cpu", device_id: int = -1, *, use_blis: bool = True
        ) -> None: ...
        def gemm(
            self, x: Any, y: Any, *, out: Any = None, trans1: bool = False, trans2: bool = False
        ) -> Any: ...
        def maxout(self, X: Any) -> Any: ...
        def gather_add(self, table: Any, indices: Any) -> Any: ...

else:
    try:
        from thinc.api import NumpyOps
    except ModuleNotFoundError as error:
        if error.name not in ("thinc", "thinc.api"):
            raise

        class NumpyOps:
            """Stands for thinc's class where thinc is missing, and has no objects."""

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                needed("thinc.api", "thinc")

    else:
        import numpy


class LexpoolOps(NumpyOps):
    """thinc's `NumpyOps` with lexpool's matrix products and the loops that spaCy spends time in.

    A number of a product is one chain of fused operations over the inner dimension, in order. So
    it depends neither on the other rows nor on the machine, and differs in its last bits from those
    of BLIS and OpenBLAS, as theirs do from each other. Arrays that the kernels do not take, such as
    those of float64, go to `NumpyOps`. While a kernel runs, other threads must not write to its
    arrays.

    use_blis: as for `NumpyOps`, for what it is left with.
    """

    name = "lexpool"

    def gemm(
        self, x: Any, y: Any, *, out: Any = None, trans1: bool = False, trans2: bool = False
    ) -> Any:
        """Returns the product of two matrices, each of them transposed if wanted."""
        fits = THINC_HAS_FAST_GEMM and _is_matrix(x) and _is_matrix(y)
        if not fits or x.shape[not trans1] != y.shape[bool(trans2)]:
            return super().gemm(x, y, out=out, trans1=trans1, trans2=trans2)
        x, y = _contiguous(x), _contiguous(y)
        shape = (x.shape[bool(trans1)], y.shape[not trans2])
        product = out
        shared = out is not None and any(numpy.may_share_memory(out, side) for side in (x, y))
        if shared or not _is_output(out, shape):
            product = numpy.empty(shape, dtype=numpy.float32)
        thinc_gemm(x, y, product, bool(trans1), bool(trans2))
        if out is None:
            return product
        if product is not out:
            _assign(out, product)
        return out

    def maxout(self, X: Any) -> Any:
        """Returns the largest piece of each output, and its number."""
        if not _is_contiguous(X, 3) or X.dtype != numpy.float32 or X.shape[2] == 0:
            return super().maxout(X)
        best = numpy.empty(X.shape[:2], dtype=numpy.float32)
        which = numpy.empty(X.shape[:2], dtype=numpy.int32)
        thinc_maxout(X, best, which)
        return best, which

    def gather_add(self, table: Any, indices: Any) -> Any:
        """Returns the sum of some rows of a table for each row of indices."""
        fits = _is_contiguous(table, 2) and _is_contiguous(indices, 2)
        if fits and table.dtype == numpy.float32 and indices.dtype in (numpy.uint32, numpy.int32):
            output = numpy.empty((indices.shape[0], table.shape[1]), dtype=numpy.float32)
            # A negative index becomes one beyond the table.
            if not thinc_gather_add(table, indices.view(numpy.uint32), output):
                low, high = indices.min(), indices.max()
                raise IndexError(
                    f"Embedding index out-of-bounds: indices from {low} to {high} in a table of "
                    f"{len(table)} rows"
                )
            return output
        return super().gather_add(table, indices)

    def cblas(self) -> Any:
        """Returns the functions that spaCy's parser calls in each step."""
        return _cblas()


def activate(nlp: Any = None) -> LexpoolOps:
    """Makes `LexpoolOps` the backend of thinc for the models that this thread makes from now on.

    nlp: a pipeline of spaCy's, or a model of thinc's, that exists already and is changed too.

    Raises ImportError if thinc is missing.
    """
    ops = LexpoolOps()
    needed("thinc.api", "thinc").set_current_ops(ops)
    components = [component for _, component in getattr(nlp, "components", ())]
    for component in (nlp, *components):
        model = getattr(component, "model", component)
        for node in model.walk() if hasattr(model, "walk") else ():
            node.ops = ops
    return ops


@cache
def _cblas() -> Any:
    cblas = needed("thinc.backends.cblas", "thinc").CBlas()
    if THINC_HAS_FAST_GEMM:
        # thinc's own functions stay if its C interface has changed.
        thinc_set_blas(cblas)
    return cblas


def _is_contiguous(array: Any, dimensions: int) -> bool:
    is_array = isinstance(array, numpy.ndarray) and array.ndim == dimensions
    return is_array and array.flags.c_contiguous and array.flags.aligned


def _contiguous(array: Any) -> Any:
    # Asking first saves a microsecond, which small products notice.
    return array if _is_contiguous(array, 2) else numpy.require(array, requirements="CA")


def _is_matrix(array: Any) -> bool:
    return isinstance(array, numpy.ndarray) and array.ndim == 2 and array.dtype == numpy.float32


def _is_output(array: Any, shape: tuple[int, ...]) -> bool:
    fits = _is_matrix(array) and _is_contiguous(array, 2) and array.shape == shape
    return fits and array.flags.writeable


def _assign(out: Any, product: Any) -> None:
    if out.shape != product.shape:
        raise ValueError(f"expected an output of shape {product.shape}, not {out.shape}")
    out[...] = product
