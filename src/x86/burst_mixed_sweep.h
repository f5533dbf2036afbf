/* burst_mixed_sweep.h: sweeps of mixed packets, and MACs before them. Included by burst_mixed.h. */
#ifndef BURST_MIXED_SWEEP_H
#define BURST_MIXED_SWEEP_H

#define MIXED_GROUPS(w) (w)->groups
#define MIXED_PLAIN(w) (w)->sweep.spare

/* The filled lanes, and others up to a whole state. */
static void mixed_blocks(struct mixed *w)
{
    const unsigned n = (w->filled + SWEEP_STEP - 1) / SWEEP_STEP * SWEEP_STEP;

    mixed_idle(w, n);
    SWEEP_BLOCKS(&w->sweep, n);
}

/* The keys and powers of all MACs. */
static void mixed_keys(struct mixed *w, const struct aead_alike *a)
{
    w->filled = a->n;
    for (unsigned i = 0; i < a->n; i++) {
        w->sweep.words[8][i] = 0;
        w->sweep.in[i] = alike_zeros;
        w->sweep.out[i] = w->cipher[i]; /* not in use yet */
    }
    mixed_blocks(w);
    w->filled = 0;
    for (unsigned first = 0; first < a->n; first += LANES64)
        mac_begin(&w->groups[first / LANES64].p, w->groups[first / LANES64].s,
                  (const uint8_t(*)[64])w->cipher + first);
}

/* The columns that are ready, then the lanes that are filled. */
static void mixed_sweep(struct mixed *w)
{
    mixed_columns(w, w->n_ready);
    mixed_blocks(w);
}

#endif
