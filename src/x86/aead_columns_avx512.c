/* aead_columns_avx512.c: one message sealed or opened in zmm registers with IFMA (RFC 8439 section 2.8): the
 * sweeps of aead_columns_avx512.S make keystream with the scalar half of Poly1305 beside the rounds; the
 * vector half runs here, over text that is still in the first cache. Called through the rungs of
 * aead_suite.c. */
#include "aead_kernels.h"

#define POLY1305_LANES 8
#define SCALAR_BLOCKS poly1305_mulx_blocks
#include "aead_fused.h"

#define SWEEP_MAX 2048 /* bytes of the longest sweep */

static inline void begin(struct fused_sweep *w, const struct aead_message *m)
{
    chacha_setup(w->state, m->key, 1, m->nonce);
}

static __attribute__((noinline)) struct lanes_num begin_mac_long(const struct fused_sweep *w,
                                                                 const struct aead_message *m)
{
    return lanes_begin(&w->powers, m->aad, m->aad_len);
}

LANES_INLINE struct lanes_num begin_mac(const struct fused_sweep *w, const struct aead_message *m)
{
    if (m->aad_len > 16)
        return begin_mac_long(w, m);
    return m->aad_len != 0 ? lanes_one_block(m->aad, m->aad_len) : lanes_zero();
}

/* ------------------------------------------------------------------------- messages of one sweep */

static inline void vector_mac(uint8_t tag[16], const struct fused_sweep *w, const struct aead_message *m,
                              const uint8_t *text)
{
    const size_t n_groups = m->len / LANES_GROUP, whole_len = n_groups * LANES_GROUP;
    struct lanes_num h = begin_mac(w, m);

    h = lanes_groups(h, &w->powers, text, n_groups);
    lanes_aead_end(tag, h, &w->powers, text + whole_len, m->len - whole_len, m->aad_len, m->len);
}

LANES_INLINE void seal_one_sweep(const struct aead_message *m, uint8_t tag[16], fused_first_sweep *sweep)
{
    struct fused_sweep w;

    begin(&w, m);
    sweep(m->out, m->in, m->len, &w);
    vector_mac(tag, &w, m, m->out);
}

LANES_INLINE void open_one_sweep(const struct aead_message *m, const uint8_t *text, uint8_t tag[16],
                                 fused_first_sweep *sweep)
{
    struct fused_sweep w;

    begin(&w, m);
    sweep(m->out, m->in, m->len, &w);
    vector_mac(tag, &w, m, text);
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
        (void)suite;                                                                                         \
        seal_one_sweep(m, tag, sweep);                                                                       \
    }                                                                                                        \
    NOT_INLINED void open_##layout(const struct aead_message *m, const uint8_t *text, uint8_t tag[16])       \
    {                                                                                                        \
        open_one_sweep(m, text, tag, sweep);                                                                 \
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

/* h goes on over the blocks that a sweep took: their value stands in the lane that is worth r. */
LANES_INLINE struct lanes_num after_sweep(struct lanes_num h, const struct fused_sweep *w, size_t place)
{
    const struct lanes_power power = lanes_power_at(&w->powers, place);
    struct lanes_acc acc;
    uint64_t v[3];

    powers_from_words(v, w->h);
    acc = lanes_acc((struct lanes_num){_mm512_maskz_set1_epi64(lanes_of_last[1], (long long)v[0]),
                                       _mm512_maskz_set1_epi64(lanes_of_last[1], (long long)v[1]),
                                       _mm512_maskz_set1_epi64(lanes_of_last[1], (long long)v[2])});
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
        layout->run(m->out + done, m->in + done, len, w, text + *absorbed + n_vector * LANES_GROUP,
                    n_vector != n_groups ? 8 : 0);
        if (n_vector != n_groups)
            h = after_sweep(h, &w->first, layout->place);
        w->first.state[12] += SWEEP_MAX / 64;
        *absorbed += n_groups * LANES_GROUP;
        done += len;
    }
    return h;
}

AEAD_KERNEL(aead_seal_columns32_avx512)
{
    const size_t first_len = m->len < SWEEP_MAX ? m->len : SWEEP_MAX;
    struct fused_sweeps w;
    struct lanes_num h;
    size_t absorbed = 0, n_groups;

    (void)suite;
    begin(&w.first, m);
    aead_powers_columns32_avx512(m->out, m->in, first_len, &w);
    w.first.state[12] += SWEEP_MAX / 64;
    h = begin_mac(&w.first, m);
    h = more_sweeps(h, &w, m, first_len, &absorbed, 0);
    n_groups = (m->len - absorbed) / LANES_GROUP;
    h = lanes_groups(h, &w.first.powers, m->out + absorbed, n_groups);
    absorbed += n_groups * LANES_GROUP;
    lanes_aead_end(tag, h, &w.first.powers, m->out + absorbed, m->len - absorbed, m->aad_len, m->len);
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
    w.first.state[12] += SWEEP_MAX / 64;
    h = begin_mac(&w.first, m);
    h = lanes_groups(h, &w.first.powers, first, absorbed / LANES_GROUP);
    h = more_sweeps(h, &w, m, first_len, &absorbed, 1);
    lanes_aead_end(tag, h, &w.first.powers, rest, m->len % LANES_GROUP, m->aad_len, m->len);
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
