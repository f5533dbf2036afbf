/* aead_burst_macs.c: cuts the inputs of a burst's MACs into the columns that the kernels take: a head of rows
 * put together from zeros, AAD and text, a body that is text alone, and a last row with the lengths. */
#include "aead_burst_macs.h"

static const uint8_t zeros[64];

/* How the blocks of a packet (AAD, text, lengths) fall into columns of four, aligned to their end. */
struct layout {
    uint64_t aad_len, len;
    size_t columns;
    size_t head;      /* columns with zeros or AAD, the last column never counted */
    size_t aad_from;  /* the first block of the AAD, counted from the zeros on: their number */
    size_t text_from; /* the first block of the text */
};

static void layout_init(struct layout *l, uint64_t aad_len, uint64_t len)
{
    size_t aad_blocks = (size_t)((aad_len + 15) / 16);
    size_t blocks = aad_blocks + (size_t)((len + 15) / 16) + 1;

    l->aad_len = aad_len;
    l->len = len;
    l->columns = (blocks + 3) / 4;
    l->aad_from = 4 * l->columns - blocks;
    l->text_from = l->aad_from + aad_blocks;
    l->head = (l->text_from + 3) / 4;
    if (l->head == l->columns)
        l->head--;
}

static uint64_t first_bytes(uint64_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* The bytes of a row that a span of len bytes fills; at: where the row begins, counted from the span on. */
static uint64_t bytes_of(ptrdiff_t at, uint64_t len)
{
    if (at <= -64 || at >= (ptrdiff_t)len)
        return 0;
    return at < 0 ? first_bytes(len) << -at : first_bytes(len - (uint64_t)at);
}

/* A row as struct aead_rows has it, for every packet of one layout. */
struct row {
    ptrdiff_t aad, text; /* where byte 0 of a row would be, counted from the spans on */
    uint64_t aad_bytes, text_bytes, skip;
};

/* Column c, 0 <= c < columns. What falls on the length block is zero. */
static struct row row_of(const struct layout *l, size_t c)
{
    struct row r;
    ptrdiff_t first = 4 * (ptrdiff_t)c;

    r.skip = first < (ptrdiff_t)l->aad_from ? l->aad_from - (size_t)first : 0;
    r.aad = 16 * (first - (ptrdiff_t)l->aad_from);
    r.aad_bytes = bytes_of(r.aad, l->aad_len);
    r.text = 16 * (first - (ptrdiff_t)l->text_from);
    r.text_bytes = bytes_of(r.text, l->len);
    return r;
}

/* A column that lies before the first of its packet. */
static const struct row no_row = {0, 0, 0, 0, 4};

static void put_row(struct aead_rows *rows, unsigned i, const struct row *r, const struct burst_mac *in)
{
    rows->aad[i] = r->aad_bytes != 0 ? (const uint8_t *)((uintptr_t)in->aad + (uintptr_t)r->aad) : zeros;
    rows->text[i] = r->text_bytes != 0 ? (const uint8_t *)((uintptr_t)in->text + (uintptr_t)r->text) : zeros;
    rows->aad_bytes[i] = r->aad_bytes;
    rows->text_bytes[i] = r->text_bytes;
    rows->skip[i] = r->skip;
}

/* How a packet goes into struct aead_macs. Many packets of a burst have the lengths of their neighbours: what
 * depends on lengths alone is worked out once for them. */
struct shape {
    struct layout layout;
    struct row heads[2],
        last; /* the heads at the end of the array: a packet may have less of them than others */
};

static void shape_init(struct shape *s, size_t aad_len, size_t len)
{
    layout_init(&s->layout, aad_len, len);
    for (size_t h = 0; h < 2; h++)
        s->heads[h] = h < s->layout.head ? row_of(&s->layout, s->layout.head - 1 - h) : no_row;
    s->last = row_of(&s->layout, s->layout.columns - 1);
}

static void put_packet(struct aead_macs *m, unsigned i, const struct shape *s, const struct burst_mac *in)
{
    const struct layout *l = &s->layout;

    for (unsigned h = 0; h < m->n_heads; h++)
        put_row(&m->heads[h], i, &s->heads[h], in);
    put_row(&m->last, i, &s->last, in);
    m->columns[i] = l->columns - 1 - l->head;
    m->text[i] = m->columns[i] != 0 ? in->text + 16 * (4 * l->head - l->text_from) : zeros;
    m->aad_len[i] = in->aad_len;
    m->len[i] = in->len;
}

void burst_macs_run(const struct aead_burst_kernels *k, const struct burst_mac *in, const uint8_t (*keys)[64],
                    uint8_t (*tags)[16], unsigned n)
{
    unsigned all = (n + k->mac_lanes - 1) / k->mac_lanes * k->mac_lanes;
    struct aead_macs m;
    struct shape s;

    m.keys = keys;
    m.n_heads = 1;
    for (unsigned i = 0; i < n; i++)
        if (in[i].aad_len > 16) /* more than one block and up to three zeros */
            m.n_heads = 2;
    for (unsigned i = 0; i < all; i++) { /* lanes without a packet do what the last one does */
        const struct burst_mac *mac = &in[i < n ? i : n - 1];

        if (i == 0 || mac->len != m.len[i - 1] || mac->aad_len != m.aad_len[i - 1])
            shape_init(&s, mac->aad_len, mac->len);
        put_packet(&m, i, &s, mac);
    }
    k->macs(&m, tags, all);
}
