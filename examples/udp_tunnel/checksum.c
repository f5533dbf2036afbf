/* checksum.c: the Internet checksum (RFC 1071) eight bytes at a time, and where there is AVX2, 64 at a time.
 * Sums run side by side, so that the additions do not wait for one another. */
#include "checksum.h"

#include <sealane/cpu.h>

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

#if defined(__x86_64__) && defined(__GNUC__)
typedef uint64_t words __attribute__((vector_size(32)));

/* len is a multiple of 64, at most 2^31: each of the 64-bit sums takes two halves of 32 bits per 64 bytes and
 * cannot overflow. */
__attribute__((target("avx2"))) static uint64_t sum_avx2(const uint8_t *p, size_t len)
{
    words a = {0}, b = {0}, c = {0}, d = {0};

    for (; len != 0; p += 64, len -= 64) {
        words x, y;

        memcpy(&x, p, 32);
        memcpy(&y, p + 32, 32);
        a += x & 0xffffffff;
        b += x >> 32;
        c += y & 0xffffffff;
        d += y >> 32;
    }
    a += b;
    c += d;
    a += c;
    return a[0] + a[1] + a[2] + a[3];
}

static int has_avx2(void)
{
    return (sealane_cpu_found() & SEALANE_CPU_AVX2) != 0;
}
#else
static uint64_t sum_avx2(const uint8_t *p, size_t len)
{
    (void)p;
    (void)len;
    return 0;
}

static int has_avx2(void)
{
    return 0;
}
#endif

uint64_t checksum_add(uint64_t sum, const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t b = 0, c = 0, d = 0;

    if (len >= 256 && len < (size_t)1 << 31 && has_avx2()) {
        size_t whole = len / 64 * 64;

        sum = checksum_plus(sum, sum_avx2(p, whole));
        p += whole;
        len -= whole;
    }
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
