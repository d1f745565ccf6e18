"""The functions that Cython takes: `from lexpool.capi cimport token_by_start`; see `capi.pxd`.

C takes them from the header `lexpool_api.h`, which is in the folder `lexpool.get_include()`.
"""

from ._core import cython_functions as __pyx_capi__

__all__ = ["__pyx_capi__"]
