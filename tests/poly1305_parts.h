/* poly1305_parts.h: the Poly1305 arithmetic that lies inside the AEAD kernels (RFC 8439 section 2.5), as
 * functions that take every number from their caller: there it meets no keys but random ones. The files
 * poly1305_parts_ISA.c are built with the ISA's instructions; test_poly1305_parts.c asks the machine first.
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

#endif
