# Marks the package for Cython, so that `from lexpool.structs cimport TokenC` is found.
