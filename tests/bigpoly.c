/* bigpoly.c: see bigpoly.h. */
#include "bigpoly.h"

#include <string.h>

/* Numbers of 40 bytes, little-endian: room for a product of 17 and 17 bytes and a carry. */
#define BIG 40

struct big {
    uint8_t v[BIG];
};

static struct big big_from(const uint8_t *bytes, size_t len)
{
    struct big x = {{0}};

    if (len != 0)
        memcpy(x.v, bytes, len);
    return x;
}

static int big_compare(const struct big *a, const struct big *b)
{
    for (int i = BIG - 1; i >= 0; i--)
        if (a->v[i] != b->v[i])
            return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static struct big big_add(const struct big *a, const struct big *b)
{
    struct big sum;
    unsigned carry = 0;

    for (int i = 0; i < BIG; i++) {
        carry += (unsigned)a->v[i] + b->v[i];
        sum.v[i] = (uint8_t)carry;
        carry >>= 8;
    }
    return sum;
}

/* a >= b. */
static struct big big_sub(const struct big *a, const struct big *b)
{
    struct big diff;
    int borrow = 0;

    for (int i = 0; i < BIG; i++) {
        int d = a->v[i] - b->v[i] - borrow;

        borrow = d < 0;
        diff.v[i] = (uint8_t)(d + 256 * borrow);
    }
    return diff;
}

/* a, b < 2^136. */
static struct big big_mul(const struct big *a, const struct big *b)
{
    struct big product = {{0}};

    for (int i = 0; i < 17; i++) {
        unsigned carry = 0;

        for (int j = 0; j < 17 || carry != 0; j++) {
            carry += product.v[i + j] + (unsigned)a->v[i] * b->v[j];
            product.v[i + j] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    return product;
}

/* 2^130 - 5. */
static struct big big_p(void)
{
    struct big p = {{0xfb}};

    memset(p.v + 1, 0xff, 15);
    p.v[16] = 3;
    return p;
}

/* Splits a at bit 130: what is above, times 2^130, is worth five times as much mod p. */
static struct big big_fold(const struct big *a)
{
    const struct big five = {{5}};
    struct big low = big_from(a->v, 17), high = {{0}};

    low.v[16] &= 3;
    for (int i = 16; i < BIG - 1; i++)
        high.v[i - 16] = (uint8_t)(a->v[i] >> 2 | a->v[i + 1] << 6);
    high = big_mul(&high, &five);
    return big_add(&low, &high);
}

/* a < 2^266. */
static struct big big_mod_p(struct big a)
{
    const struct big p = big_p();

    a = big_fold(&a); /* < 2^139 */
    a = big_fold(&a); /* < 2^130 + 2^12 */
    a = big_fold(&a);
    return big_compare(&a, &p) >= 0 ? big_sub(&a, &p) : a;
}

void bigpoly_init(struct bigpoly *b, const uint8_t key[32])
{
    memset(b->h, 0, sizeof b->h);
    memcpy(b->r, key, 16);
    memcpy(b->s, key + 16, 16);
    for (int i = 3; i < 16; i += 4)
        b->r[i] &= 15;
    for (int i = 4; i < 16; i += 4)
        b->r[i] &= 252;
}

void bigpoly_block(struct bigpoly *b, const uint8_t *block, size_t len)
{
    struct big h = big_from(b->h, 17), r = big_from(b->r, 16), n = big_from(block, len);

    n.v[len] = 1;
    h = big_add(&h, &n);
    h = big_mul(&h, &r);
    h = big_mod_p(h);
    memcpy(b->h, h.v, 17);
}

void bigpoly_tag(const struct bigpoly *b, uint8_t tag[16])
{
    struct big h = big_from(b->h, 17), s = big_from(b->s, 16);

    h = big_add(&h, &s);
    memcpy(tag, h.v, 16);
}

static void absorb(struct bigpoly *b, const uint8_t *msg, size_t len)
{
    for (size_t i = 0; i < len; i += 16)
        bigpoly_block(b, msg + i, len - i < 16 ? len - i : 16);
}

void bigpoly_mac(uint8_t tag[16], const uint8_t *msg, size_t len, const uint8_t key[32])
{
    struct bigpoly b;

    bigpoly_init(&b, key);
    absorb(&b, msg, len);
    bigpoly_tag(&b, tag);
}

/* A span of an AEAD message: zeros fill its last block. */
static void absorb_padded(struct bigpoly *b, const uint8_t *span, size_t len)
{
    uint8_t last[16] = {0};
    size_t whole = len - len % 16;

    absorb(b, span, whole);
    if (len != whole) {
        memcpy(last, span + whole, len - whole);
        bigpoly_block(b, last, 16);
    }
}

void bigpoly_aead(uint8_t tag[16], const uint8_t key[32], const uint8_t *aad, size_t aad_len,
                  const uint8_t *text, size_t len)
{
    struct bigpoly b;
    uint8_t lengths[16];

    for (unsigned i = 0; i < 8; i++) {
        lengths[i] = (uint8_t)((uint64_t)aad_len >> 8 * i);
        lengths[8 + i] = (uint8_t)((uint64_t)len >> 8 * i);
    }
    bigpoly_init(&b, key);
    absorb_padded(&b, aad, aad_len);
    absorb_padded(&b, text, len);
    bigpoly_block(&b, lengths, 16);
    bigpoly_tag(&b, tag);
}

/* a^(p - 2) mod p, Fermat's inverse. */
static struct big big_inverse(struct big a)
{
    const struct big two = {{2}};
    struct big p = big_p(), e = big_sub(&p, &two), result = {{1}};

    for (int bit = 0; bit < 130; bit++) {
        if (e.v[bit / 8] >> bit % 8 & 1) {
            result = big_mul(&result, &a);
            result = big_mod_p(result);
        }
        a = big_mul(&a, &a);
        a = big_mod_p(a);
    }
    return result;
}

/* 1 / r mod p; of the last r it is kept: a search asks for it over and over. */
static struct big inverse_of_r(const uint8_t r[16])
{
    static uint8_t last[16];
    static struct big inverse;

    if (memcmp(last, r, 16) != 0) {
        memcpy(last, r, 16);
        inverse = big_inverse(big_from(r, 16));
    }
    return inverse;
}

int bigpoly_block_to(const struct bigpoly *b, const uint8_t target[17], uint8_t block[16])
{
    const struct big p = big_p(), top = {{[16] = 1}};
    struct big h = big_from(b->h, 17), t = big_from(target, 17), x = inverse_of_r(b->r);

    x = big_mul(&x, &t);
    x = big_mod_p(x);
    h = big_add(&h, &top); /* block = x - h - 2^128 mod p */
    h = big_mod_p(h);
    x = big_add(&x, &p);
    x = big_sub(&x, &h);
    x = big_mod_p(x);
    if (x.v[16] != 0)
        return 0;
    memcpy(block, x.v, 16);
    return 1;
}

void bigpoly_from_limbs(uint8_t out[17], const uint64_t *v, const unsigned *at, size_t n)
{
    struct big sum = {{0}};

    for (size_t i = 0; i < n; i++) {
        struct big limb = {{0}};

        for (unsigned byte = 0; byte < 9; byte++) /* shifted by whole bytes and at % 8 bits */
            limb.v[at[i] / 8 + byte] = (uint8_t)((byte < 8 ? v[i] >> 8 * byte << at[i] % 8 : 0) |
                                                 (byte > 0 ? v[i] >> 8 * (byte - 1) >> (8 - at[i] % 8) : 0));
        sum = big_add(&sum, &limb);
    }
    sum = big_mod_p(sum);
    memcpy(out, sum.v, 17);
}

void bigpoly_mul_add(uint8_t out[17], const uint8_t a[17], const uint8_t b[17], const uint8_t c[17])
{
    struct big x = big_from(a, 17), y = big_from(b, 17);

    x = big_mul(&x, &y);
    y = big_from(c, 17);
    x = big_add(&x, &y);
    x = big_mod_p(x);
    memcpy(out, x.v, 17);
}
