/* aead_columns.h: one message sealed or opened in sweeps of aead_columns.inc (RFC 8439 section 2.8). An
 * instance includes the vocabulary of its width, vec_.., and says how long a sweep is:
 *
 *   COLUMNS_SWEEP, COLUMNS_MAC   bytes of a sweep, and Poly1305 blocks beside one double round
 *   columns_first_run, columns_sweep_run   the first sweep and the others
 *
 * The Poly1305 key, block 0, is made beside the first sweep, which begins with block 1. A later sweep
 * authenticates beside its rounds: when sealing what the sweep before it wrote, when opening its own input.
 */
#ifndef AEAD_COLUMNS_H
#define AEAD_COLUMNS_H

#include "aead_kernels.h"

#include "poly1305_scalar.h"

/* The offsets are written out in the assembler. */
struct columns_work {
    uint32_t state[16]; /* input of the first block of the next sweep */
    struct poly1305_core mac;
};

_Static_assert(offsetof(struct columns_work, mac) == 64 && offsetof(struct poly1305_core, h) == 0 &&
                   offsetof(struct poly1305_core, r) == 24,
               "as the assembler has them");

/* dst = src XOR keystream, up to a sweep, and Poly1305 over n groups of blocks, 0 .. 10, that are read before
 * dst is written. */
#define COLUMNS_SWEEP_KERNEL(name)                                                                           \
    void name(uint8_t *dst, const uint8_t *src, struct columns_work *work, const uint8_t *blocks, size_t n,  \
              size_t len)

COLUMNS_SWEEP_KERNEL(aead_sweep_columns4_ssse3);
COLUMNS_SWEEP_KERNEL(aead_sweep_columns8_avx2);

/* The same with the Poly1305 key, r clamped, in place of Poly1305; the state's counter is 1. */
#define COLUMNS_FIRST_KERNEL(name)                                                                           \
    void name(uint8_t *dst, const uint8_t *src, struct columns_work *work, uint8_t key[32], size_t len)

COLUMNS_FIRST_KERNEL(aead_first_columns4_ssse3);
COLUMNS_FIRST_KERNEL(aead_first_columns8_avx2);

/* Keystream alone, to aligned memory: the blocks that the name says. */
#define COLUMNS_STREAM(name) void name(uint8_t *stream, const uint32_t state[16])
typedef COLUMNS_STREAM(columns_stream);

COLUMNS_STREAM(aead_stream_rows4_avx2);
COLUMNS_STREAM(aead_stream_rows5_avx2); /* of block 0 the Poly1305 key alone, r clamped */
COLUMNS_STREAM(aead_stream_rows6_avx2);

/* The blocks with nothing beside them. */
POLY1305_BLOCKS_KERNEL(aead_mac_blocks);

#define COLUMNS_INLINE static inline __attribute__((always_inline))

#define COLUMNS_GROUP ((size_t)16 * COLUMNS_MAC)

static const uint8_t columns_zeros[COLUMNS_SWEEP] __attribute__((aligned(64)));

COLUMNS_INLINE size_t columns_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The last bytes, less than a vector; stream goes on to the vector's end. */
COLUMNS_INLINE void columns_xor_rest(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
{
    uint8_t rest[32] = {0};

    if (len == 0)
        return;
    memcpy(rest, in, len);
    for (size_t i = 0; i < len; i += 8)
        store_le64(rest + i, load_le64(rest + i) ^ load_le64(stream + i));
    memcpy(out, rest, len);
}

/* out = in XOR stream, any length. */
COLUMNS_INLINE void columns_xor(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
{
    const size_t step = 4 * (size_t)LANES;
    size_t i = 0;

    if (len == 0) /* the pointers may be NULL */
        return;
    for (; i + step <= len; i += step)
        vec_store(out + i, vec_xor(vec_load(in + i), vec_load(stream + i)));
    vec_end();
    columns_xor_rest(out + i, in + i, stream + i, len - i);
}

/* msg and the zeros that fill its last block. */
COLUMNS_INLINE void columns_mac_padded(struct poly1305_core *p, const uint8_t *msg, size_t len)
{
    const size_t whole = len & ~(size_t)15;
    uint8_t block[16] = {0};

    if (whole != 0)
        aead_mac_blocks(p, msg, whole);
    if (len != whole) {
        memcpy(block, msg + whole, len - whole);
        aead_mac_blocks(p, block, 16);
    }
}

COLUMNS_INLINE void columns_end(uint8_t tag[16], struct poly1305_core *p, const struct aead_message *m)
{
    uint8_t lengths[16];

    store_le64(lengths, m->aad_len);
    store_le64(lengths + 8, m->len);
    aead_mac_blocks(p, lengths, 16);
    scalar_finish(p, tag);
}

COLUMNS_INLINE void columns_sweep(uint8_t *dst, const uint8_t *src, struct columns_work *w,
                                  const uint8_t *blocks, size_t n, size_t len)
{
    columns_sweep_run(dst, src, w, blocks, n, len);
    w->state[12] += COLUMNS_SWEEP / 64;
}

COLUMNS_INLINE void columns_begin_mac(struct columns_work *w, const struct aead_message *m,
                                      const uint8_t key[32])
{
    scalar_setup(&w->mac, key);
    columns_mac_padded(&w->mac, m->aad, m->aad_len);
}

/* The first sweep, and the MAC of the AAD. */
COLUMNS_INLINE void columns_begin(struct columns_work *w, const struct aead_message *m, uint8_t *dst,
                                  const uint8_t *src, size_t len)
{
    uint8_t key[32];

    chacha_setup(w->state, m->key, 1, m->nonce);
    columns_first_run(dst, src, w, key, len);
    w->state[12] += COLUMNS_SWEEP / 64;
    columns_begin_mac(w, m, key);
}

/* Messages that one call of run is enough for. */
COLUMNS_INLINE void columns_short(const struct aead_message *m, uint8_t tag[16], columns_stream *run,
                                  int opening)
{
    uint8_t stream[COLUMNS_SWEEP] __attribute__((aligned(64)));
    struct columns_work w;

    chacha_setup(w.state, m->key, 0, m->nonce);
    run(stream, w.state);
    columns_begin_mac(&w, m, stream);
    if (opening)
        columns_mac_padded(&w.mac, m->in, m->len);
    columns_xor(m->out, m->in, stream + 64, m->len);
    if (!opening)
        columns_mac_padded(&w.mac, m->out, m->len);
    columns_end(tag, &w.mac, m);
}

COLUMNS_INLINE void columns_seal(const struct aead_message *m, uint8_t tag[16])
{
    struct columns_work w;
    size_t done = columns_min(m->len, COLUMNS_SWEEP), absorbed = 0;

    columns_begin(&w, m, m->out, m->in, done);
    while (done < m->len) {
        const size_t len = columns_min(m->len - done, COLUMNS_SWEEP), n = (done - absorbed) / COLUMNS_GROUP;

        columns_sweep(m->out + done, m->in + done, &w, m->out + absorbed, n, len);
        done += len;
        absorbed += n * COLUMNS_GROUP;
    }
    if (absorbed < m->len) /* of an empty message the pointer may be NULL */
        columns_mac_padded(&w.mac, m->out + absorbed, m->len - absorbed);
    columns_end(tag, &w.mac, m);
}

/* Opens bytes done .. done + len of the message in one sweep. They and the `late` bytes in front of them,
 * whole groups, are authenticated: groups beside the sweep, single blocks before it, a short one, which the
 * sweep may overwrite, from a copy. */
COLUMNS_INLINE void columns_open_sweep(struct columns_work *w, const struct aead_message *m, size_t done,
                                       size_t len, size_t late)
{
    const uint8_t *in = m->in + done;
    const size_t whole = len & ~(size_t)15, single = whole % COLUMNS_GROUP;
    uint8_t block[16] = {0};

    if (single != 0)
        aead_mac_blocks(&w->mac, in - late, single);
    if (len != whole)
        memcpy(block, in + whole, len - whole);
    columns_sweep(m->out + done, in, w, in - late + single, (late + whole) / COLUMNS_GROUP, len);
    if (len != whole)
        aead_mac_blocks(&w->mac, block, 16);
}

/* The first sweep's text, which nothing authenticates beside it, waits for its keystream; the last of it is
 * authenticated beside the second sweep, where two double rounds have nothing else to do. */
COLUMNS_INLINE void columns_open(const struct aead_message *m, uint8_t tag[16])
{
    uint8_t stream[COLUMNS_SWEEP] __attribute__((aligned(64)));
    struct columns_work w;
    const size_t first = columns_min(m->len, COLUMNS_SWEEP);
    const size_t late = m->len > COLUMNS_SWEEP ? 2 * COLUMNS_GROUP : 0;

    columns_begin(&w, m, stream, columns_zeros, COLUMNS_SWEEP);
    columns_mac_padded(&w.mac, m->in, first - late);
    if (late != 0)
        columns_open_sweep(&w, m, first, columns_min(m->len - first, COLUMNS_SWEEP), late);
    columns_xor(m->out, m->in, stream, first);
    for (size_t done = 2 * COLUMNS_SWEEP; done < m->len; done += COLUMNS_SWEEP)
        columns_open_sweep(&w, m, done, columns_min(m->len - done, COLUMNS_SWEEP), 0);
    columns_end(tag, &w.mac, m);
}

#endif
