# The types of attributes, ids and flags: `from lexpool.typedefs cimport attr_t`.

from libc.stdint cimport uint16_t, uint64_t

ctypedef float weight_t
ctypedef uint64_t hash_t
ctypedef uint64_t class_t
ctypedef uint64_t attr_t
ctypedef uint64_t flags_t
ctypedef uint16_t len_t
ctypedef uint16_t tag_t
