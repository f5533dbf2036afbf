/* aead_check.h: the checks that come before the first write of a seal or an open. Used by the single calls
 * and by the bursts. */
#ifndef AEAD_CHECK_H
#define AEAD_CHECK_H

#include <sealane/aead.h>

#include "bytes.h"

/* RFC 8439 section 2.8: the data blocks are 1 .. 2^32 - 1. */
#define AEAD_MAX_LEN (UINT64_C(0xffffffff) * 64)

/* Is a message of n bytes short enough? A size_t of 32 bits always is. */
static inline int aead_len_fits(uint64_t n)
{
    return n <= AEAD_MAX_LEN;
}

/* 0 or a negative enum sealane_error. The key and the nonce are checked by the caller. */
static inline int aead_check_spans(const void *aad, size_t aad_len, const void *in, size_t len,
                                   const void *out, const uint8_t *tag)
{
    if (tag == NULL || (aad == NULL && aad_len != 0) || (len != 0 && (in == NULL || out == NULL)))
        return SEALANE_EINVAL;
    if (!aead_len_fits(len))
        return SEALANE_ELENGTH;
    if (spans_shifted(in, out, len) || spans_overlap(out, len, aad, aad_len) ||
        spans_overlap(in, len, aad, aad_len) || spans_overlap(out, len, tag, 16) ||
        spans_overlap(in, len, tag, 16) || spans_overlap(aad, aad_len, tag, 16))
        return SEALANE_EOVERLAP;
    return SEALANE_OK;
}

#endif
