/* checksum.h: the Internet checksum (RFC 1071). Called by segment.c and coalesce.c for every payload byte
 * that passes through the TUN device.
 *
 * Sums are one's-complement sums of 16-bit words in the byte order of memory, which RFC 1071 section 2(B)
 * allows: a folded sum is stored with memcpy, never swapped. A running sum is 64 bits wide, because
 * 2^16, 2^32 and 2^64 are all 1 modulo 2^16 - 1. */
#ifndef UDP_TUNNEL_CHECKSUM_H
#define UDP_TUNNEL_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* a + b with the carry brought round. The result is 0 only if both are. */
static inline uint64_t checksum_plus(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;

    return sum + (sum < b);
}

/* a - b: adds the complement. */
static inline uint64_t checksum_minus(uint64_t a, uint64_t b)
{
    return checksum_plus(a, ~b);
}

/* Adds len bytes, which start at an even offset of what is summed; a last odd byte is followed by a zero. */
uint64_t checksum_add(uint64_t sum, const void *data, size_t len);

/* A 16- or 32-bit field of a header, given as a number, as the word that it is in memory. */
static inline uint64_t checksum_word16(uint16_t v)
{
    uint8_t wire[2] = {(uint8_t)(v >> 8), (uint8_t)v};
    uint16_t word;

    memcpy(&word, wire, 2);
    return word;
}

static inline uint64_t checksum_word32(uint32_t v)
{
    return checksum_plus(checksum_word16((uint16_t)(v >> 16)), checksum_word16((uint16_t)v));
}

/* Folds a running sum into 16 bits, not inverted: what NEEDS_CSUM wants of a pseudo-header, and 0xffff for a
 * range that holds its own right checksum. */
static inline uint16_t checksum_fold(uint64_t sum)
{
    sum = (sum & 0xffffffff) + (sum >> 32); /* at most 2^33 - 2 */
    sum = (sum & 0xffff) + (sum >> 16);     /* at most 2^16 - 1 + 2^17 - 1 */
    sum = (sum & 0xffff) + (sum >> 16);     /* at most 2^16 + 1 */
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

/* The field to send: inverted, and 0xffff in place of 0, which in UDP would mean "none" (RFC 768) and which
 * every receiver takes for the same number. */
static inline uint16_t checksum_field(uint64_t sum)
{
    uint16_t field = (uint16_t)~checksum_fold(sum);

    return field != 0 ? field : 0xffff;
}

/* Stores a folded sum or a field. */
static inline void checksum_store(uint8_t *p, uint16_t word)
{
    memcpy(p, &word, 2);
}

#endif
