"""Orders of additions in the sums of networks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

__all__ = ["NUMERICS", "Network", "Numerics", "check_numerics"]

if TYPE_CHECKING:
    Numerics: TypeAlias = Literal["fast", "blis-generic", "blis-haswell", "blis-skx"]
    """Orders of additions in the sums of a network: "fast", or that of the kernel that spaCy's
    BLIS chooses on a kind of processor. With it, results have the bits of spaCy's there:
    "blis-generic" on AMD since Zen 3, "blis-haswell" on other processors with AVX2, "blis-skx" on
    those of Intel with AVX-512 whose names BLIS knows.
    """
else:
    Numerics = str

NUMERICS = ("fast", "blis-generic", "blis-haswell", "blis-skx")


def check_numerics(numerics: Numerics) -> Numerics:
    """Returns an order of additions; ValueError for one that does not exist."""
    if numerics not in NUMERICS:
        names = ", ".join(NUMERICS)
        raise ValueError(f"numerics is {numerics!r}; expected one of {names}")
    return numerics


class Network:
    """A network that computes in an order of additions."""

    numerics: Numerics
