/* poly1305_parts.h: the Poly1305 arithmetic that lies inside the AEAD kernels (RFC 8439 section 2.5), as
 * functions that take every number from their caller: there it meets no keys but random ones. The files
 * poly1305_parts_*.c are built with the instructions that they need; the tests ask the machine first.
 */
#ifndef TESTS_POLY1305_PARTS_H
#define TESTS_POLY1305_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* What aead_end_avx512 works on. */
struct part_end {
    uint64_t r[2], s[2];              /* r: clamped */
    uint64_t power[8][3], power16[3]; /* r, r^2 .. r^8; r^16: limbs of 44 bits */
    uint64_t h[8][3];                 /* carried, in the lanes of the blocks 0 .. 7 of a group */
    const uint8_t *text, *tail;       /* len bytes, of which the last len % 64 are at tail */
    size_t len;
    uint64_t lengths[2]; /* the last block */
};

void part_end_avx512(uint8_t tag[16], const struct part_end *e);

/* tree_value and tree_tag (poly1305_tree.h): blocks `first` .. 4 n - 2 of the 4 n at t, which is aligned. */
void part_tree_value(uint64_t w[3], const uint8_t *t, size_t n, size_t first, const uint8_t key[32]);
void part_tree_tag(uint8_t tag[16], const uint8_t *t, size_t n, size_t first, const uint8_t key[32]);

/* serial_tag (poly1305_serial.h), and h = h r + block + top 2^128. */
void part_serial_tag(uint8_t tag[16], const uint8_t *blocks, size_t n, const uint8_t key[32]);
void part_serial_step(uint64_t h[3], const uint64_t r[2], const uint64_t block[2], int top);

/* Powers of r: powers_mul (poly1305_powers.h), and the same in assembler over a table with limbs 128 bytes
 * apart: the number at offset[2] is the product of those at offset[0] and offset[1]. */
void part_powers_mul(uint64_t out[3], const uint64_t a[3], const uint64_t b[3]);
void part_mulx_power(uint64_t table[3][16], const uint8_t offset[3]);

/* The arithmetic of vectors: numbers limb by limb, or sums of products part by part, and within those lane by
 * lane. */
struct part_number {
    uint64_t v[6][8];
};

struct part_arith {
    const char *name;
    uint32_t needs;
    unsigned lanes;
    unsigned n_limbs, limbs_at[5]; /* parts of a number: v 2^at */
    unsigned n_sums, sums_at[6];   /* of what products are summed up in */
    /* Stated bounds: every part is below. */
    uint64_t carried[5], loose, sums[6], finish[5];
    uint64_t at_once, sums_at_once[6]; /* of carry_at_once, fold and square */
    void (*finish_with)(uint64_t s[2][8], const struct part_number *h); /* s = h mod p + s */
    void (*carry)(struct part_number *out, const struct part_number *sums);
    void (*multiply)(struct part_number *out, const struct part_number *loose,
                     const struct part_number *carried, const struct part_number *plus);
    /* Or NULL. */
    void (*carry_at_once)(struct part_number *out, const struct part_number *sums);
    void (*fold)(struct part_number *out, const struct part_number *loose, const struct part_number *p,
                 const struct part_number *plus);
    void (*square)(struct part_number *out, const struct part_number *a);
};

extern const struct part_arith part_limb26_avx2, part_ifma_avx512vl, part_ifma_avx512;

/* alike_columns_avx512: h goes on over n columns of four blocks, h = (h + b0) power[3] + b1 power[2] + ... */
void part_alike_columns_avx512(struct part_number *h, const struct part_number power[4],
                               const uint8_t *const rows[8], size_t n);

/* Blocks beside the rounds of a sweep of keystream, as many at a time as `unit`, max times at most. */
struct part_beside {
    const char *name;
    uint32_t needs;
    size_t unit, max;
    int block_first; /* h = (h + block) r from the h that is there, or else h = h r + block from 0 */
    void (*run)(uint64_t h[3], const uint64_t r[2], const uint8_t *blocks, size_t n);
};

extern const struct part_beside parts_beside_avx2[3], parts_beside_avx512[4];

#endif
