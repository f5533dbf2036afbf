/* burst_mixed_ifma.h: sweeps of mixed packets by burst_alike_avx512.S, with MACs beside them. Included by
 * burst_mixed.h. */
#ifndef BURST_MIXED_IFMA_H
#define BURST_MIXED_IFMA_H

#define MIXED_GROUPS(w) (w)->sweep.groups
#define MIXED_PLAIN(w) (w)->plain

/* The keys and powers of all MACs. */
__attribute__((noinline)) static void mixed_keys(struct mixed *w, const struct aead_alike *a)
{
    struct alike_work *s = &w->sweep;

    s->width = (a->n + 7) / 8 * 8;
    s->brief = 0;
    s->at = s->out_at = 0;
    memset(s->words[8], 0, sizeof s->words[8]);
    if (a->n > 16) {
        alike_first_avx512(s, 1);
    } else {
        mixed_idle(w, 16); /* no text yet */
        s->bytes[0] = s->bytes[1] = 0;
        alike_first_half_avx512(s);
    }
    alike_powers(s);
    s->bytes[0] = s->bytes[1] = UINT64_MAX;
}

/* n columns beside the rounds, 4 at most. */
static void mixed_beside(struct mixed *w, unsigned n)
{
    const unsigned first = w->first_column;

    for (unsigned i = 0; i < 4; i++) {
        const unsigned c = i < n ? first + i : first;

        w->sweep.of[i] = i < n ? w->of[c] : &w->sweep.groups[0];
        w->sweep.ended[i] = i < n ? (0xffu << w->lanes[c]) & 0xff : 0xff;
    }
    if (n % 2 != 0 && n == w->n_columns)
        vec_store(w->row[first + n], v_set64((uint64_t)(uintptr_t)w->nobody));
    alike_sweep_avx512(&w->sweep, w->row[first], 0, (n + 1) / 2, 0);
    w->first_column += n;
    w->n_columns -= n;
    w->n_ready -= n;
}

/* Columns that are ready, beside the lanes that are filled. Opening, none may wait for another sweep. */
static void mixed_sweep(struct mixed *w)
{
    const unsigned beside = w->filled > 16 ? 4 : 0;

    if (w->opens && w->n_ready > beside)
        mixed_columns(w, w->n_ready - beside);
    mixed_idle(w, w->filled > 16 ? 32 : 16);
    if (w->filled > 16)
        mixed_beside(w, w->n_ready < beside ? w->n_ready : beside);
    else if (w->filled != 0)
        alike_half_avx512(&w->sweep);
}

#endif
