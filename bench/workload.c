/* workload.c: lays out packets as a daemon's buffers have them, and knows what their outputs must be. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

#include <sealane/sealane.h>

#define TAG_LEN 16
#define LINE 64

static const struct {
    const char *name;
    enum deed deed;
    bool burst;
} whats[WHAT_COUNT] = {
    [WHAT_CHACHA20] = {"chacha20", DEED_CHACHA20, false},
    [WHAT_POLY1305] = {"poly1305", DEED_POLY1305, false},
    [WHAT_SEAL] = {"seal", DEED_SEAL, false},
    [WHAT_OPEN] = {"open", DEED_OPEN, false},
    [WHAT_BURST] = {"burst", DEED_SEAL, true},
    [WHAT_OPEN_BURST] = {"open-burst", DEED_OPEN, true},
};

const char *what_name(enum what what)
{
    return whats[what].name;
}

enum deed what_deed(enum what what)
{
    return whats[what].deed;
}

bool what_is_burst(enum what what)
{
    return whats[what].burst;
}

/* IMIX: twelve packets, mixed as they would arrive. */
static const size_t imix[12] = {64, 576, 64, 64, 576, 64, 1420, 64, 576, 64, 576, 64};

static size_t packet_len(const struct setup *s, size_t i)
{
    return s->imix ? imix[i % 12] : s->len;
}

static uint64_t noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void fill_noise(uint8_t *p, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)noise(&seed);
}

static uint8_t *buffer_new(size_t len)
{
    uint8_t *p = aligned_alloc(4096, (len + 4095) / 4096 * 4096);

    if (p != NULL)
        memset(p, 0, len);
    return p;
}

/* The size of the buffer; 0 when a packet does not fit its slot. */
static size_t span_of_packets(const struct setup *s, size_t n_packets)
{
    size_t span = 0;

    for (size_t i = 0; i < n_packets; i++) {
        size_t need = s->aad_len + packet_len(s, i) + TAG_LEN;

        if (s->slot != 0 && need > s->slot)
            return 0;
        span += s->slot != 0 ? s->slot : need;
    }
    return span + LINE;
}

static void place_packets(struct workload *w)
{
    const struct setup *s = &w->setup;
    size_t at = 0;

    for (size_t i = 0; i < w->n_packets; i++) {
        struct packet *p = &w->packets[i];
        size_t payload = at + s->aad_len;

        p->len = packet_len(s, i);
        p->aad_len = s->aad_len;
        p->key_index = i % s->n_keys;
        p->key = w->keys + 32 * p->key_index;
        p->aad = w->in_buf + at;
        p->in = w->in_buf + payload;
        p->out = w->out_buf + payload;
        p->tag = (w->deed == DEED_OPEN ? w->in_buf : w->out_buf) + payload + p->len;
        p->step = w->deed == DEED_OPEN ? 0 : 1;
        at += s->slot != 0 ? s->slot : s->aad_len + p->len + TAG_LEN;
        w->mean_len += (double)p->len / (double)w->n_packets;
    }
}

static void number_packets(struct workload *w)
{
    for (size_t i = 0; i < w->n_packets; i++) {
        struct packet *p = &w->packets[i];

        memset(p->nonce, 0, sizeof p->nonce);
        p->number = (uint64_t)i << 32;
        store_le64(p->nonce + 4, p->number);
    }
}

static int do_deed(enum deed deed, const struct sealane_key *key, struct packet *p)
{
    switch (deed) {
    case DEED_CHACHA20:
        return sealane_chacha20_xor(p->out, p->in, p->len, p->key, p->nonce, 1);
    case DEED_POLY1305:
        return sealane_poly1305(p->tag, p->in, p->len, p->key);
    case DEED_SEAL:
        return sealane_seal(key, p->nonce, p->aad, p->aad_len, p->in, p->len, p->out, p->tag);
    default:
        return sealane_open(key, p->nonce, p->aad, p->aad_len, p->in, p->len, p->tag, p->out);
    }
}

/* Does the deed to every packet, each on its next number, with the portable code. */
static bool run_reference(struct workload *w, enum deed deed)
{
    uint32_t before = sealane_cpu_used();
    bool good = true;

    sealane_cpu_use(SEALANE_LEVEL_PORTABLE);
    for (size_t i = 0; i < w->n_packets; i++) {
        struct sealane_key key;

        packet_next(&w->packets[i]);
        good = good && sealane_key_init(&key, w->packets[i].key) == 0 &&
               do_deed(deed, &key, &w->packets[i]) == 0;
    }
    sealane_cpu_use(before);
    return good;
}

/* Opening starts from sealed packets: seal the noise in place of the input. */
static bool seal_input(struct workload *w)
{
    for (size_t i = 0; i < w->n_packets; i++)
        w->packets[i].out = w->in_buf + (w->packets[i].in - w->in_buf);
    bool good = run_reference(w, DEED_SEAL);
    for (size_t i = 0; i < w->n_packets; i++)
        w->packets[i].out = w->out_buf + (w->packets[i].in - w->in_buf);
    return good;
}

static bool prepare_content(struct workload *w)
{
    fill_noise(w->keys, 32 * w->setup.n_keys, 1);
    fill_noise(w->in_buf, w->buf_len, 2);
    place_packets(w);
    number_packets(w);
    if (w->deed == DEED_OPEN && !seal_input(w))
        return false;
    memcpy(w->pristine, w->in_buf, w->buf_len);
    workload_reset(w);
    if (!run_reference(w, w->deed))
        return false;
    memcpy(w->expected, w->out_buf, w->buf_len);
    workload_reset(w);
    return true;
}

struct workload *workload_new(const struct setup *setup)
{
    struct workload *w = calloc(1, sizeof *w);

    if (w == NULL)
        return NULL;
    w->setup = *setup;
    w->deed = what_deed(setup->what);
    w->n_packets = setup->burst * setup->ring;
    w->buf_len = span_of_packets(setup, w->n_packets);
    w->packets = calloc(w->n_packets, sizeof *w->packets);
    w->keys = calloc(setup->n_keys, 32);
    if (w->buf_len != 0) {
        w->in_buf = buffer_new(w->buf_len);
        w->out_buf = setup->in_place ? w->in_buf : buffer_new(w->buf_len);
        w->pristine = buffer_new(w->buf_len);
        w->expected = buffer_new(w->buf_len);
    }
    if (w->packets == NULL || w->keys == NULL || w->in_buf == NULL || w->out_buf == NULL ||
        w->pristine == NULL || w->expected == NULL || !prepare_content(w)) {
        workload_free(w);
        return NULL;
    }
    return w;
}

void workload_free(struct workload *w)
{
    if (w == NULL)
        return;
    if (w->out_buf != w->in_buf)
        free(w->out_buf);
    free(w->in_buf);
    free(w->pristine);
    free(w->expected);
    free(w->packets);
    free(w->keys);
    free(w);
}

void workload_restore(struct workload *w)
{
    memcpy(w->in_buf, w->pristine, w->buf_len);
}

void workload_reset(struct workload *w)
{
    number_packets(w);
    memset(w->out_buf, 0, w->buf_len);
    workload_restore(w);
}

void workload_spoil(struct workload *w)
{
    const struct packet *p = &w->packets[w->n_packets - 1];

    *(w->deed == DEED_POLY1305 ? p->tag : p->out) ^= 1;
}

long workload_first_difference(const struct workload *w)
{
    for (size_t i = 0; i < w->n_packets; i++) {
        const struct packet *p = &w->packets[i];
        size_t payload = (size_t)(p->out - w->out_buf), tag = payload + p->len;
        bool has_text = w->deed != DEED_POLY1305;
        bool has_tag = w->deed == DEED_POLY1305 || w->deed == DEED_SEAL;

        if ((has_text && memcmp(w->out_buf + payload, w->expected + payload, p->len) != 0) ||
            (has_tag && memcmp(w->out_buf + tag, w->expected + tag, TAG_LEN) != 0))
            return (long)i;
    }
    return -1;
}
