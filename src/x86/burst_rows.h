/* burst_rows.h: the rows of burst_mac.h, whatever the width. Included by burst_rows_avx2.h and
 * burst_rows_avx512.h. */
#ifndef BURST_ROWS_H
#define BURST_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define ROWS_INLINE static inline __attribute__((always_inline))

/* Rows of one column, one of each packet: those of the 64 bytes at `at` whose bits are set in `bytes`; the
 * others are zero and are not read. */
struct rows {
    const uint8_t *at[LANES64];
    uint64_t bytes[LANES64];
};

/* The first n bytes of a row. */
ROWS_INLINE uint64_t rows_bytes(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

ROWS_INLINE const uint8_t *row_at(const uint8_t *span, ptrdiff_t at)
{
    return (const uint8_t *)((uintptr_t)span + (uintptr_t)at); /* may lie outside of the span: masks decide */
}

#endif
