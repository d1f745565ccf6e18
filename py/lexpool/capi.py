"""The functions for Cython: `from lexpool.capi cimport token_by_start`; see `capi.pxd`.

For C they are in the header `lexpool_api.h`, in the folder `lexpool.get_include()`.
"""

from ._core import cython_functions as __pyx_capi__

__all__ = ["__pyx_capi__"]
