/* checksum.c: the Internet checksum (RFC 1071) eight bytes at a time. Four sums run side by side, so that the
 * additions, each of which waits for the carry of the one before, do not wait for one another. */
#include "checksum.h"

static inline uint64_t load_word(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, 8);
    return word;
}

/* Fewer than eight bytes, followed by zeros. */
static inline uint64_t load_part(const uint8_t *p, size_t len)
{
    uint64_t word = 0;

    memcpy(&word, p, len);
    return word;
}

uint64_t checksum_add(uint64_t sum, const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t b = 0, c = 0, d = 0;

    for (; len >= 32; p += 32, len -= 32) {
        sum = checksum_plus(sum, load_word(p));
        b = checksum_plus(b, load_word(p + 8));
        c = checksum_plus(c, load_word(p + 16));
        d = checksum_plus(d, load_word(p + 24));
    }
    sum = checksum_plus(checksum_plus(sum, b), checksum_plus(c, d));
    for (; len >= 8; p += 8, len -= 8)
        sum = checksum_plus(sum, load_word(p));
    return len != 0 ? checksum_plus(sum, load_part(p, len)) : sum;
}
