/* aead_columns_avx512.c: one message sealed or opened in zmm registers with IFMA (RFC 8439 section 2.8): the
 * sweeps of aead_columns_avx512.S make keystream with the scalar half of Poly1305 beside the rounds; the
 * vector half runs here between sweeps, and in the assembler behind the last one, over text that is still in
 * the first cache. Called through the rungs of aead_suite.c. */
#include "aead_kernels.h"

#define POLY1305_LANES 8
#define SCALAR_BLOCKS poly1305_mulx_blocks
#include "aead_fused.h"

#include <assert.h>

#define SWEEP_MAX 2048 /* bytes of the longest sweep */

static inline void begin(struct fused_sweep *w, const struct aead_message *m)
{
    chacha_setup(w->state, m->key, 1, m->nonce);
}

/* Blocks of AAD before the last one, to w->h. */
static __attribute__((noinline)) void begin_mac_long(struct fused_sweep *w, const uint8_t *aad, size_t len)
{
    struct poly1305_core p = {.h = {0, 0, 0}, .r = {w->r[0], w->r[1]}};

    scalar_blocks(&p, aad, len);
    memcpy(w->h, p.h, sizeof w->h);
    secret_wipe(&p, sizeof p);
}

/* The AAD, before the multiplication that belongs to its last block, to w->h. */
LANES_INLINE void begin_mac(struct fused_sweep *w, const struct aead_message *m)
{
    const size_t before = m->aad_len > 16 ? (m->aad_len - 1) & ~(size_t)15 : 0;
    const __mmask16 last = (__mmask16)((1U << (m->aad_len - before)) - 1);

    w->h[0] = w->h[1] = w->h[2] = 0;
    if (before != 0)
        begin_mac_long(w, m->aad, before);
    if (m->aad_len != 0) {
        const __m128i x = _mm_maskz_loadu_epi8(last, m->aad + before);
        const scalar_u128 block =
            (scalar_u128)(uint64_t)_mm_extract_epi64(x, 1) << 64 | (uint64_t)_mm_cvtsi128_si64(x);
        const scalar_u128 sum = block + ((scalar_u128)w->h[1] << 64 | w->h[0]);

        w->h[0] = (uint64_t)sum;
        w->h[1] = (uint64_t)(sum >> 64);
        w->h[2] += UINT64_C(1) + (sum < block);
    }
}

/* w->h in the lanes of mask, zero in the others. */
LANES_INLINE struct lanes_num lane_of_words(const struct fused_sweep *w, int lanes)
{
    const __mmask8 mask = (__mmask8)lanes;
    uint64_t v[3];

    powers_from_words(v, w->h);
    return (struct lanes_num){_mm512_maskz_set1_epi64(mask, (long long)v[0]),
                              _mm512_maskz_set1_epi64(mask, (long long)v[1]),
                              _mm512_maskz_set1_epi64(mask, (long long)v[2])};
}

/* ------------------------------------------------------------------------- messages of one sweep */

/* At least 64 bytes: h has its lane by where the text begins. text: what is authenticated. */
LANES_INLINE void one_sweep(const struct aead_message *m, struct fused_sweep *w, const uint8_t *text,
                            uint8_t tag[16], fused_first_sweep *sweep, int opening)
{
    struct lanes_num h;

    assert(m->len >= 64);
    begin(w, m);
    sweep(m->out, m->in, m->len, w);
    begin_mac(w, m);
    scalar_step(w->h, w->r, 0, 0, 0);
    h = lane_of_words(w, m->len & 64 ? 1 << lanes_of_block[4] : 1 << lanes_of_block[0]);
    aead_end_avx512(tag, text, m->len, w, opening ? text + (m->len & ~(size_t)63) : w->tail, m, h.v0, h.v1,
                    h.v2);
}

/* The one-time key comes together with the keystream, so the ciphertext is authenticated after it was
 * decrypted: where that happens in place, a copy of it. The copy is no secret. It lies in a frame of its own
 * above those that the clean-up wipes (aead_suite.c), which is why open_LAYOUT is not inlined. */
static inline const uint8_t *text_to_authenticate(const struct aead_message *m, uint8_t *copy, size_t len)
{
    size_t i = 0;

    if (m->in != m->out)
        return m->in;
    for (; i + 64 <= len; i += 64)
        _mm512_store_si512((void *)(copy + i), _mm512_loadu_si512(m->in + i));
    if (i < len)
        _mm512_store_si512((void *)(copy + i),
                           _mm512_maskz_loadu_epi8(UINT64_MAX >> (64 - (len - i)), m->in + i));
    return copy;
}

#define NOT_INLINED static __attribute__((noinline))

#define ONE_SWEEP(layout, max_len, sweep)                                                                    \
    AEAD_KERNEL(aead_seal_##layout##_avx512)                                                                 \
    {                                                                                                        \
        struct fused_sweep w;                                                                                \
                                                                                                             \
        (void)suite;                                                                                         \
        one_sweep(m, &w, m->out, tag, sweep, 0);                                                             \
    }                                                                                                        \
    NOT_INLINED void open_##layout(const struct aead_message *m, const uint8_t *text, uint8_t tag[16])       \
    {                                                                                                        \
        struct fused_sweep w;                                                                                \
                                                                                                             \
        one_sweep(m, &w, text, tag, sweep, 1);                                                               \
    }                                                                                                        \
    AEAD_KERNEL(aead_open_##layout##_avx512)                                                                 \
    {                                                                                                        \
        uint8_t copy[max_len] __attribute__((aligned(64)));                                                  \
                                                                                                             \
        (void)suite;                                                                                         \
        open_##layout(m, text_to_authenticate(m, copy, m->len), tag);                                        \
    }

ONE_SWEEP(columns16, 1024, aead_powers_columns16_avx512)
ONE_SWEEP(columns24, 1536, aead_powers_columns24_avx512)

/* ------------------------------------------------------------------------- messages of many sweeps */

/* A later sweep: up to max_len bytes, and scalar_groups groups of blocks beside it. */
struct layout {
    size_t max_len;
    fused_mac_sweep *run;
    size_t scalar_groups, place; /* the power of r that so many groups are worth */
};

static const struct layout layouts[] = {
    {512, aead_mac_rows8_avx512, 2, LANES_2_GROUPS},
    {1024, aead_mac_columns16_avx512, 4, LANES_4_GROUPS},
    {1536, aead_mac_columns24_avx512, 4, LANES_4_GROUPS},
    {2048, aead_mac_columns32_avx512, 8, LANES_8_GROUPS},
};

/* h times the power at a place of the table, plus another number. */
LANES_INLINE struct lanes_num times(struct lanes_num h, const struct fused_sweep *w, size_t place,
                                    struct lanes_num plus)
{
    const struct lanes_power power = lanes_power_at(&w->powers, place);
    struct lanes_acc acc = lanes_acc(plus);

    lanes_mac(&acc, h, &power);
    return lanes_carry(&acc);
}

/* Sweeps over in + done .. in + len. Poly1305 stands at text + *absorbed. Each sweep authenticates what lies
 * ready: when sealing the sweep before it, when opening its own input, the last groups of it beside the
 * rounds. */
LANES_INLINE struct lanes_num more_sweeps(struct lanes_num h, struct fused_sweeps *w,
                                          const struct aead_message *m, size_t done, size_t *absorbed,
                                          int opening)
{
    const uint8_t *text = opening ? m->in : m->out;

    while (done < m->len) {
        const size_t len = m->len - done < SWEEP_MAX ? m->len - done : SWEEP_MAX;
        const struct layout *layout = layouts;
        size_t n_groups = ((opening ? done + len : done) - *absorbed) / LANES_GROUP, n_vector = n_groups;

        while (len > layout->max_len)
            layout++;
        if (n_groups >= layout->scalar_groups)
            n_vector -= layout->scalar_groups;
        h = lanes_groups(h, &w->first.powers, text + *absorbed, n_vector);
        w->first.state[12] += SWEEP_MAX / 64;
        layout->run(m->out + done, m->in + done, len, w, text + *absorbed + n_vector * LANES_GROUP,
                    n_vector != n_groups ? 8 : 0);
        if (n_vector != n_groups)
            h = times(h, &w->first, layout->place, lane_of_words(&w->first, lanes_of_last[1]));
        *absorbed += n_groups * LANES_GROUP;
        done += len;
    }
    return h;
}

/* What is left when the sweeps are done: len bytes of text. The loop of a single sweep's end has a carry for
 * two groups and needs fewer powers; here four are at hand. */
LANES_INLINE void end(uint8_t tag[16], struct lanes_num h, const struct fused_sweep *w,
                      const struct aead_message *m, const uint8_t *text, size_t len, const uint8_t *tail)
{
    h = lanes_groups(h, &w->powers, text, len / LANES_GROUP);
    text += len - len % LANES_GROUP;
    len %= LANES_GROUP;
    if (len >= 64)
        h = times(h, w, lanes_of_block[LANES - 4], lanes_zero());
    aead_end_avx512(tag, text, len, w, tail, m, h.v0, h.v1, h.v2);
}

AEAD_KERNEL(aead_seal_columns32_avx512)
{
    const size_t first_len = m->len < SWEEP_MAX ? m->len : SWEEP_MAX;
    struct fused_sweeps w;
    struct lanes_num h;
    size_t absorbed = 0;

    (void)suite;
    begin(&w.first, m);
    aead_powers_columns32_avx512(m->out, m->in, first_len, &w);
    begin_mac(&w.first, m);
    h = lane_of_words(&w.first, lanes_of_last[1]);
    h = more_sweeps(h, &w, m, first_len, &absorbed, 0);
    end(tag, h, &w.first, m, m->out + absorbed, m->len - absorbed, w.first.tail);
}

NOT_INLINED void open_columns32(const struct aead_message *m, const uint8_t *first, const uint8_t *rest,
                                uint8_t tag[16])
{
    const size_t first_len = m->len < SWEEP_MAX ? m->len : SWEEP_MAX;
    struct fused_sweeps w;
    struct lanes_num h;
    size_t absorbed = first_len - first_len % LANES_GROUP;

    begin(&w.first, m);
    aead_powers_columns32_avx512(m->out, m->in, first_len, &w);
    begin_mac(&w.first, m);
    h = lane_of_words(&w.first, lanes_of_last[1]);
    h = lanes_groups(h, &w.first.powers, first, absorbed / LANES_GROUP);
    h = more_sweeps(h, &w, m, first_len, &absorbed, 1);
    end(tag, h, &w.first, m, rest, m->len % LANES_GROUP, rest + (m->len & 64));
}

AEAD_KERNEL(aead_open_columns32_avx512)
{
    const size_t first_len = m->len < SWEEP_MAX ? m->len : SWEEP_MAX, rest_len = m->len % LANES_GROUP;
    uint8_t copy[SWEEP_MAX] __attribute__((aligned(64)));
    uint8_t rest[LANES_GROUP]; /* the end of the ciphertext, which the last sweep may overwrite */

    (void)suite;
    copy_bytes(rest, m->in + m->len - rest_len, rest_len);
    open_columns32(m, text_to_authenticate(m, copy, first_len), rest, tag);
}
