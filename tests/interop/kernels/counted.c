/* Counts what a process asks memory for and does to it: bytes allocated, moved, set and compared.
 * It is loaded
 *    before the C library, whose functions it stands for. No time is in the count, so that of the
 *    same work is the same on any machine. */

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *at, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static uint64_t bytes;

static void count(uint64_t more) {
    /* What is called without bytes is a step, too. */
    __atomic_fetch_add(&bytes, more + 1, __ATOMIC_RELAXED);
}

uint64_t counted_bytes(void) { return __atomic_load_n(&bytes, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count((uint64_t)number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *at, size_t size) {
    count(size);
    return __libc_realloc(at, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **at, size_t alignment, size_t size) {
    count(size);
    *at = __libc_memalign(alignment, size);
    return *at ? 0 : 12;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    count(size);
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < size; i++) out[i] = in[i];
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    count(size);
    unsigned char *out = to;
    const unsigned char *in = from;
    if (out <= in) {
        for (size_t i = 0; i < size; i++) out[i] = in[i];
    } else {
        for (size_t i = size; i > 0; i--) out[i - 1] = in[i - 1];
    }
    return to;
}

void *memset(void *at, int byte, size_t size) {
    count(size);
    unsigned char *out = at;
    for (size_t i = 0; i < size; i++) out[i] = (unsigned char)byte;
    return at;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *one = a, *other = b;
    size_t i = 0;
    while (i < size && one[i] == other[i]) i++;
    count(i);
    return i == size ? 0 : one[i] - other[i];
}

int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }
