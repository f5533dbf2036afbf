/* poly1305_parts_avx512vl.c: see poly1305_parts.h. The parts in ymm registers and with mulx. */
#include "poly1305_parts.h"

#include "poly1305_serial.h"
#include "poly1305_tree.h"

#define PARTS_NAME part_ifma_avx512vl
#define PARTS_LEVEL SEALANE_LEVEL_AVX512VL
#include "poly1305_parts_ifma.h"

#include <string.h>

struct words {
    uint64_t r[2], s[2];
};

static struct words words_of(const uint8_t key[32])
{
    struct words k;

    memcpy(&k, key, sizeof k);
    return k;
}

/* What the kernels know at compile time is known here, too. */
#define EACH_TREE(call)                                                                                      \
    switch (n) {                                                                                             \
    case 2:                                                                                                  \
        call(2);                                                                                             \
        break;                                                                                               \
    case 4:                                                                                                  \
        call(4);                                                                                             \
        break;                                                                                               \
    case 5:                                                                                                  \
        call(5);                                                                                             \
        break;                                                                                               \
    case 6:                                                                                                  \
        call(6);                                                                                             \
        break;                                                                                               \
    case 8:                                                                                                  \
        call(8);                                                                                             \
        break;                                                                                               \
    case 9:                                                                                                  \
        call(9);                                                                                             \
        break;                                                                                               \
    }

void part_tree_value(uint64_t w[3], const uint8_t *t, size_t n, size_t first, const uint8_t key[32])
{
    const struct words k = words_of(key);
    const struct ifma_num r =
        ifma_clamp(_mm256_set1_epi64x((long long)k.r[0]), _mm256_set1_epi64x((long long)k.r[1]));

#define VALUE(of) tree_value(w, t, of, first, r)
    EACH_TREE(VALUE)
}

void part_tree_tag(uint8_t tag[16], const uint8_t *t, size_t n, size_t first, const uint8_t key[32])
{
    const struct words k = words_of(key);
    const __m256i lo = _mm256_set1_epi64x((long long)k.r[0]), hi = _mm256_set1_epi64x((long long)k.r[1]);

#define TAG(of) tree_tag(tag, t, of, first, lo, hi, k.s[0], k.s[1])
    EACH_TREE(TAG)
}

void part_serial_tag(uint8_t tag[16], const uint8_t *blocks, size_t n, const uint8_t key[32])
{
    struct words k = words_of(key);

    serial_tag(tag, (const serial_word(*)[2])(const void *)blocks, n, k.r, k.s);
}

void part_serial_step(uint64_t h[3], const uint64_t r[2], const uint64_t block[2], int top)
{
    const uint64_t s1 = r[1] + (r[1] >> 2);

    if (top)
        SERIAL_STEP(h, r, s1, block, 1);
    else
        SERIAL_STEP(h, r, s1, block, 0);
}

void part_powers_mul(uint64_t out[3], const uint64_t a[3], const uint64_t b[3])
{
    powers_mul(out, a, b);
}
