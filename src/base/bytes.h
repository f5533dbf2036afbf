/* bytes.h: unaligned little- and big-endian loads and stores. Used by every room. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Little-endian words are copied as they are where the machine is little-endian, because not every compiler
 * sees one store in eight of a byte. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static inline uint32_t load_le32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

#else

static inline uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load_le64(const uint8_t *p)
{
    return (uint64_t)load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
    store_le32(p, (uint32_t)v);
    store_le32(p + 4, (uint32_t)(v >> 32));
}

#endif

static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline uint32_t load_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | (uint32_t)p[1];
}

static inline void store_be32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

static inline void store_be64(uint8_t *p, uint64_t v)
{
    store_be32(p, (uint32_t)(v >> 32));
    store_be32(p + 4, (uint32_t)v);
}

/* n words, little-endian, to the machine's; one copy where they are the same, so that what is loaded next as
 * a vector was stored as one. */
static inline void load_le32_words(uint32_t *words, const uint8_t *p, size_t n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(words, p, 4 * n);
#else
    for (size_t i = 0; i < n; i++)
        words[i] = load_le32(p + 4 * i);
#endif
}

/* memcpy and memset that allow (NULL, 0), which C11 leaves undefined. */
static inline void copy_bytes(void *dst, const void *src, size_t len)
{
    if (len != 0)
        memcpy(dst, src, len);
}

static inline void zero_bytes(void *dst, size_t len)
{
    if (len != 0)
        memset(dst, 0, len);
}

/* Do two spans share a byte? Empty spans share none. The ends cannot wrap for spans that exist. */
static inline int spans_overlap(const void *a, size_t a_len, const void *b, size_t b_len)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return a_len != 0 && b_len != 0 && ((y - x < a_len) | (x - y < b_len));
}

/* In and out of one message: equal or disjoint is right. */
static inline int spans_shifted(const void *in, const void *out, size_t len)
{
    return in != out && spans_overlap(in, len, out, len);
}

#endif
