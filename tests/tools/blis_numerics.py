"""The order of additions in which the BLIS of this environment multiplies matrices.

It chooses a kernel by the processor when it is loaded, and its wheels let nobody choose another.
"""

from numpy import array
from thinc.api import NumpyOps


def blis_numerics() -> str:
    """Returns the name that lexpool has for the order, such as `blis-haswell`, or `fast` if it has
    none.

    It multiplies numbers whose product each kernel rounds in another way: one whose square needs
    a bit more than a float has, and ones behind a number so large that adding one leaves it.
    """

    def product(a: list[float], b: list[float]) -> float:
        return float(NumpyOps().gemm(array([a], "f"), array([b], "f"), trans2=True)[0, 0])

    if product([1, 1 + 2**-12], [-1 - 2**-11, 1 + 2**-12]) == 0:
        return "blis-generic"
    # The second block of 512 numbers has 256 of them, or 128 behind one of 384.
    ones = product([2**24] + [1] * 511, [1] * 512) - 2**24
    return {256: "blis-haswell", 128: "blis-skx"}.get(int(ones), "fast")


def require_generic() -> None:
    """Ends the program unless the order is that of the files that the tests of Rust read."""
    if (found := blis_numerics()) != "blis-generic":
        raise SystemExit(f"BLIS has the order {found} here; make this file on AMD, Zen 3 or newer")
