/* poly1305_parts_alike.c: see poly1305_parts.h. The columns of a burst's MACs, in zmm registers. */
#include "poly1305_parts.h"

#if SEALANE_ASM
#include "burst_rows_avx512.h"

#define IFMA_BITS 512
#include "burst_arith_ifma.h"
#include "burst_mac.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* the kernels' own */
#include "burst_alike_ifma.h"

static vec get(const uint64_t lanes[8])
{
    return vec_load(lanes);
}

void part_alike_columns_avx512(struct part_number *h, const struct part_number power[4],
                               const uint8_t *const rows[8], size_t n)
{
    static struct alike_work w;
    struct alike_group *g = &w.groups[0];

    for (int i = 0; i < 4; i++)
        g->p.r[i] = mac_power((struct mac_num){get(power[i].v[0]), get(power[i].v[1]), get(power[i].v[2])});
    g->h = (struct mac_num){get(h->v[0]), get(h->v[1]), get(h->v[2])};
    alike_columns_avx512(&w, rows, 0, 1, (unsigned)n);
    vec_store(h->v[0], g->h.v0);
    vec_store(h->v[1], g->h.v1);
    vec_store(h->v[2], g->h.v2);
}
#endif
