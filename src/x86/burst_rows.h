/* burst_rows.h: the rows of burst_mac.h, whatever the width. Included by burst_rows_avx2.h and
 * burst_rows_avx512.h. */
#ifndef BURST_ROWS_H
#define BURST_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define ROWS_INLINE static inline __attribute__((always_inline))

/* Rows of one column, one of each packet: bytes of two spans under masks, as struct aead_rows describes. */
struct rows {
    const uint8_t *const *aad, *const *text;
    const uint64_t *aad_bytes, *text_bytes;
};

ROWS_INLINE const uint8_t *row_at(const uint8_t *span, ptrdiff_t at)
{
    return (const uint8_t *)((uintptr_t)span + (uintptr_t)at); /* may lie outside of the span: masks decide */
}

#endif
