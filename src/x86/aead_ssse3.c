/* aead_ssse3.c: one message in sweeps of four blocks in xmm registers (RFC 8439 section 2.8). Called through
 * the rungs of aead_suite.c. */
#include "aead_kernels.h"
#include "vec_ssse3.h"

#define COLUMNS_SWEEP 256
#define COLUMNS_MAC 2
#define columns_first_run aead_first_columns4_ssse3
#define columns_sweep_run aead_sweep_columns4_ssse3

#include "aead_columns.h"

AEAD_KERNEL(aead_seal_columns4_ssse3)
{
    (void)suite;
    columns_seal(m, tag);
}

AEAD_KERNEL(aead_open_columns4_ssse3)
{
    (void)suite;
    columns_open(m, tag);
}
