/* poly1305_lanes_kernels.h: the three Poly1305 kernels of a vector width, over poly1305_lanes.h. The
 * including file defines the width and the kernels' names; the ladder (poly1305_ladder.c) calls them. */
#include "poly1305_lanes.h"

/* s, and the powers that n_groups groups need. */
static void table_of_key(struct lanes_table *t, const uint8_t key[32], size_t n_groups)
{
    struct poly1305_core p;

    scalar_setup(&p, key);
    t->s[0] = p.s[0];
    t->s[1] = p.s[1];
    lanes_table_init(t, p.r, n_groups);
    secret_wipe(&p, sizeof p);
}

POLY1305_PLAIN_KERNEL(LANES_PLAIN)
{
    const struct lanes_end end = {{0, 0}, 0, 1};
    const size_t n_groups = len / LANES_GROUP, rest_len = len % LANES_GROUP;
    struct lanes_table t;
    struct lanes_num h;

    table_of_key(&t, key, n_groups);
    h = lanes_groups(lanes_zero(), &t, msg, n_groups);
    if (rest_len != 0)
        h = lanes_go_on(h, &t, lanes_edge(msg + len - rest_len, rest_len, end), (rest_len + 15) / 16);
    lanes_tag(tag, h, &t);
    secret_wipe(&t, sizeof t);
}

POLY1305_AEAD_KERNEL(LANES_AEAD)
{
    const size_t n_groups = len / LANES_GROUP, rest_len = len % LANES_GROUP;
    struct lanes_table t;
    struct lanes_num h;

    table_of_key(&t, key, (aad_len > len ? aad_len : len) / LANES_GROUP);
    h = aad_len != 0 ? lanes_begin(&t, aad, aad_len) : lanes_zero();
    h = lanes_groups(h, &t, text, n_groups);
    lanes_aead_end(tag, h, &t, rest_len != 0 ? text + len - rest_len : text, rest_len, aad_len, len);
    secret_wipe(&t, sizeof t);
}

/* The conversion between the representations, once a call: p->h goes in as a block of its own, in the lane of
 * the first block, and comes back fully carried. A carried number and a block are a loose number. */
POLY1305_BLOCKS_KERNEL(LANES_BLOCKS)
{
    const struct lanes_end none = {{0, 0}, 0, 0};
    const size_t n_blocks = len / 16, first = (n_blocks - 1) % LANES + 1;
    const size_t lane = lanes_of_block[LANES - first];
    uint64_t start[LANES_LIMBS][LANES] = {{0}}, v[3], limb[LANES_LIMBS];
    struct lanes_table t;
    struct lanes_num h;

    lanes_table_init(&t, p->r, n_blocks / LANES);
    powers_from_words(v, p->h);
    lanes_limbs(limb, v);
    for (int i = 0; i < LANES_LIMBS; i++)
        start[i][lane] = limb[i];
    h = first == LANES ? lanes_group(msg) : lanes_edge(msg, 16 * first, none);
    h = lanes_add(h, lanes_load(&start[0][0], LANES));
    h = lanes_groups(h, &t, msg + 16 * first, (n_blocks - first) / LANES);
    lanes_value(p->h, h, &t);
    secret_wipe(&t, sizeof t);
    secret_wipe(start, sizeof start);
    secret_wipe(v, sizeof v);
    secret_wipe(limb, sizeof limb);
}
