/* aead_burst_macs.c: cuts the inputs of a burst's MACs into the columns that the kernels take: a head of rows
 * put together from zeros, AAD and text, a body that is text alone, and a last row with the lengths. */
#include "aead_burst_macs.h"

#include "secret.h"

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

/* One row of struct aead_rows, relative to AAD and text. */
struct row {
    ptrdiff_t aad, text;
    uint64_t aad_bytes, text_bytes, skip;
};

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

static void put_row(struct aead_rows *rows, unsigned i, const struct row *r, const struct burst_macs *m)
{
    rows->aad[i] = r->aad_bytes != 0 ? (const uint8_t *)((uintptr_t)m->aad[i] + (uintptr_t)r->aad) : zeros;
    rows->text[i] =
        r->text_bytes != 0 ? (const uint8_t *)((uintptr_t)m->text[i] + (uintptr_t)r->text) : zeros;
    rows->aad_bytes[i] = r->aad_bytes;
    rows->text_bytes[i] = r->text_bytes;
    rows->skip[i] = r->skip;
}

/* The rows of column c, counted from the end of the heads; -1 is their last column. of[i]: packet i's layout,
 * the same pointer for equal neighbours. */
static void put_head(struct aead_rows *rows, const struct burst_macs *m, const struct layout *const *of,
                     size_t back, unsigned n)
{
    struct row r = no_row;

    for (unsigned i = 0; i < n; i++) {
        if (i == 0 || of[i] != of[i - 1])
            r = back <= of[i]->head ? row_of(of[i], of[i]->head - back) : no_row;
        put_row(rows, i, &r, m);
    }
}

static void put_last(struct aead_rows *rows, const struct burst_macs *m, const struct layout *const *of,
                     unsigned n)
{
    struct row r = no_row;

    for (unsigned i = 0; i < n; i++) {
        if (i == 0 || of[i] != of[i - 1])
            r = row_of(of[i], of[i]->columns - 1);
        put_row(rows, i, &r, m);
    }
}

void burst_macs_run(struct burst_macs *m, const struct aead_burst_kernels *k, const uint8_t (*keys)[64],
                    uint8_t (*tags)[16], unsigned n)
{
    unsigned all = (n + k->mac_lanes - 1) / k->mac_lanes * k->mac_lanes;
    struct layout layouts[AEAD_MACS];
    const struct layout *of[AEAD_MACS];
    const uint8_t *body[AEAD_MACS];
    uint64_t columns[AEAD_MACS];
    struct aead_rows rows;
    struct aead_macs macs;
    size_t head = 0;

    for (unsigned i = n; i < all; i++) /* lanes without a packet do what the last one does */
        m->aad[i] = m->aad[n - 1], m->text[i] = m->text[n - 1], m->aad_len[i] = m->aad_len[n - 1],
        m->len[i] = m->len[n - 1];
    for (unsigned i = 0; i < all; i++) {
        if (i != 0 && m->len[i] == of[i - 1]->len && m->aad_len[i] == of[i - 1]->aad_len) {
            of[i] = of[i - 1];
        } else {
            layout_init(&layouts[i], m->aad_len[i], m->len[i]);
            of[i] = &layouts[i];
            head = of[i]->head > head ? of[i]->head : head;
        }
        columns[i] = of[i]->columns - 1 - of[i]->head;
        body[i] = columns[i] != 0 ? m->text[i] + 16 * (4 * of[i]->head - of[i]->text_from) : zeros;
    }
    k->mac_keys(&macs, keys, all);
    for (size_t back = head; back != 0; back--) {
        put_head(&rows, m, of, back, all);
        k->mac_rows(&macs, &rows, all);
    }
    k->mac_text(&macs, body, columns, all);
    put_last(&rows, m, of, all);
    k->mac_finish(&macs, &rows, m->aad_len, m->len, tags, all);
    secret_wipe(&macs, k->macs_len * all);
}
