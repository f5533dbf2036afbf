/* aead_columns.h: one message sealed or opened in sweeps of aead_columns.inc (RFC 8439 section 2.8). An
 * instance says how long a sweep is and how its vectors combine:
 *
 *   COLUMNS_SWEEP, COLUMNS_MAC   bytes of a sweep, and Poly1305 blocks beside one double round
 *   columns_sweep_run            the sweep
 *   columns_xor(out, in, stream, len)   out = in XOR stream, any length; stream is aligned
 *
 * The Poly1305 key is block 0 of the first sweep. A later sweep authenticates beside its rounds: when sealing
 * what the sweep before it wrote, when opening its own input. */
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

/* dst = src XOR keystream, a whole sweep, and Poly1305 over n groups of blocks, 0 .. 8, that are read before
 * dst is written. */
#define COLUMNS_SWEEP_KERNEL(name)                                                                           \
    void name(uint8_t *dst, const uint8_t *src, struct columns_work *work, const uint8_t *blocks, size_t n)

COLUMNS_SWEEP_KERNEL(aead_sweep_columns4_ssse3);
COLUMNS_SWEEP_KERNEL(aead_sweep_columns8_avx2);

/* Keystream alone, to aligned memory: the blocks that the name says. */
#define COLUMNS_STREAM(name) void name(uint8_t *stream, const uint32_t state[16])
typedef COLUMNS_STREAM(columns_stream);

COLUMNS_STREAM(aead_stream_rows4_avx2);
COLUMNS_STREAM(aead_stream_rows5_avx2); /* of block 0 the Poly1305 key alone, r clamped */
COLUMNS_STREAM(aead_stream_rows6_avx2);

/* The blocks with nothing beside them. */
POLY1305_BLOCKS_KERNEL(aead_mac_blocks);

#define COLUMNS_INLINE static inline __attribute__((always_inline))

#define COLUMNS_FIRST (COLUMNS_SWEEP - 64) /* bytes of text that the first sweep has keystream for */
#define COLUMNS_GROUP ((size_t)16 * COLUMNS_MAC)

static const uint8_t columns_zeros[COLUMNS_SWEEP] __attribute__((aligned(64)));

COLUMNS_INLINE size_t columns_min(size_t a, size_t b)
{
    return a < b ? a : b;
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
                                  const uint8_t *blocks, size_t n)
{
    columns_sweep_run(dst, src, w, blocks, n);
    w->state[12] += COLUMNS_SWEEP / 64;
}

/* The Poly1305 key is the beginning of stream. */
COLUMNS_INLINE void columns_begin_mac(struct columns_work *w, const struct aead_message *m,
                                      const uint8_t stream[32])
{
    scalar_setup(&w->mac, stream);
    columns_mac_padded(&w->mac, m->aad, m->aad_len);
}

/* stream: the Poly1305 key and 32 bytes that nobody uses, then keystream. */
COLUMNS_INLINE void columns_begin(struct columns_work *w, const struct aead_message *m,
                                  uint8_t stream[COLUMNS_SWEEP])
{
    chacha_setup(w->state, m->key, 0, m->nonce);
    columns_sweep(stream, columns_zeros, w, NULL, 0);
    columns_begin_mac(w, m, stream);
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
    uint8_t stream[COLUMNS_SWEEP] __attribute__((aligned(64)));
    struct columns_work w;
    size_t done = columns_min(m->len, COLUMNS_FIRST), absorbed = 0;

    columns_begin(&w, m, stream);
    columns_xor(m->out, m->in, stream + 64, done);
    while (done < m->len) {
        const size_t len = columns_min(m->len - done, COLUMNS_SWEEP), n = (done - absorbed) / COLUMNS_GROUP;

        if (len == COLUMNS_SWEEP) {
            columns_sweep(m->out + done, m->in + done, &w, m->out + absorbed, n);
        } else {
            columns_sweep(stream, columns_zeros, &w, m->out + absorbed, n);
            columns_xor(m->out + done, m->in + done, stream, len);
        }
        done += len;
        absorbed += n * COLUMNS_GROUP;
    }
    if (absorbed < m->len) /* of an empty message the pointer may be NULL */
        columns_mac_padded(&w.mac, m->out + absorbed, m->len - absorbed);
    columns_end(tag, &w.mac, m);
}

COLUMNS_INLINE void columns_open(const struct aead_message *m, uint8_t tag[16])
{
    uint8_t stream[COLUMNS_SWEEP] __attribute__((aligned(64)));
    struct columns_work w;
    size_t done = columns_min(m->len, COLUMNS_FIRST);

    columns_begin(&w, m, stream);
    columns_mac_padded(&w.mac, m->in, done);
    columns_xor(m->out, m->in, stream + 64, done);
    for (; m->len - done >= COLUMNS_SWEEP; done += COLUMNS_SWEEP)
        columns_sweep(m->out + done, m->in + done, &w, m->in + done, COLUMNS_SWEEP / COLUMNS_GROUP);
    if (done < m->len) {
        const size_t len = m->len - done, n = len / COLUMNS_GROUP, beside = n * COLUMNS_GROUP;

        columns_sweep(stream, columns_zeros, &w, m->in + done, n);
        columns_mac_padded(&w.mac, m->in + done + beside, len - beside);
        columns_xor(m->out + done, m->in + done, stream, len);
    }
    columns_end(tag, &w.mac, m);
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

#endif
