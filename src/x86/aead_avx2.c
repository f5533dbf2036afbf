/* aead_avx2.c: one message in ymm registers (RFC 8439 section 2.8): short ones with four to six blocks in
 * rows, the others in sweeps of eight in columns. Called through the rungs of aead_suite.c. */
#include "aead_kernels.h"
#include "vec_avx2.h"

#define COLUMNS_SWEEP 512
#define COLUMNS_MAC 4
#define columns_first_run aead_first_columns8_avx2
#define columns_sweep_run aead_sweep_columns8_avx2

#include "aead_columns.h"

AEAD_KERNEL(aead_seal_columns8_avx2)
{
    (void)suite;
    columns_seal(m, tag);
}

AEAD_KERNEL(aead_open_columns8_avx2)
{
    (void)suite;
    columns_open(m, tag);
}

#define ROWS(layout)                                                                                         \
    AEAD_KERNEL(aead_seal_##layout##_avx2)                                                                   \
    {                                                                                                        \
        (void)suite;                                                                                         \
        columns_short(m, tag, aead_stream_##layout##_avx2, 0);                                               \
    }                                                                                                        \
    AEAD_KERNEL(aead_open_##layout##_avx2)                                                                   \
    {                                                                                                        \
        (void)suite;                                                                                         \
        columns_short(m, tag, aead_stream_##layout##_avx2, 1);                                               \
    }

ROWS(rows4)
ROWS(rows5)
ROWS(rows6)
