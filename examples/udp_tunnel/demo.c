/* demo.c: both ends of a tunnel in one process, without privileges: a source of packets in the place of TUN,
 * real handshakes, real UDP sockets over loopback. One thread plays both ends in turn, so that a run shows
 * what sealing, sending, receiving and opening cost together, whatever the number of cores. Rounds are
 * interleaved: what disturbs the machine disturbs all cells alike. */
#include "demo.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "clock.h"
#include "downlink.h"
#include "uplink.h"

#define CELL_MS 400u
#define BURST 64u
#define OVERHEAD 80u /* between the MTU of the link and that of the tunnel */
#define SLOT_LEN 9216u
#define HANDSHAKE_MS 5000u

struct end {
    struct udp udp;
    struct peer peer;
    struct stats stats;
    struct downlink downlink;
};

/* The source: one packet, sealed again and again into slots. */
struct source {
    uint8_t packet[SLOT_LEN];
    uint8_t slots[BURST * SLOT_LEN];
    struct sealane_packet packets[BURST];
};

struct demo {
    struct end ends[2];
    struct source source;
};

static void send_datagram(void *user, const uint8_t *datagram, size_t len, const struct address *to)
{
    struct end *e = user;

    udp_send_one(&e->udp, datagram, len, to);
}

static void say_nothing(void *user)
{
    (void)user;
}

static int open_end(struct end *e)
{
    struct address loopback;

    e->udp.fd = -1;
    if (address_parse(&loopback, "127.0.0.1:0") != 0)
        return -1;
    e->downlink.udp = &e->udp;
    e->downlink.peer = &e->peer;
    e->downlink.stats = &e->stats;
    return udp_open(&e->udp, &loopback, UDP_QUIET) != 0 || downlink_init(&e->downlink) != 0 ? -1 : 0;
}

/* Both ends shake hands over their sockets. */
static int connect_ends(struct demo *d, const struct demo_cell *cell)
{
    uint8_t psk[32];
    uint64_t start = clock_ms(), now = start;
    int bad = getrandom(psk, sizeof(psk), 0) != (ssize_t)sizeof(psk);

    for (int i = 0; i < 2 && !bad; i++) {
        struct end *e = &d->ends[i];
        struct peer_config config = {.cpu = level_cpu(cell->level), .mtu = cell->link_mtu - OVERHEAD};
        struct peer_io io = {e, send_datagram, say_nothing};

        if (i == 0)
            bad = udp_local_address(&d->ends[1].udp, &config.remote);
        bad |= peer_init(&e->peer, psk, &config, &io) != 0;
        e->downlink.one_by_one = !cell->bursts;
    }
    explicit_bzero(psk, sizeof(psk));
    while (!bad && !(d->ends[0].peer.was_ready && d->ends[1].peer.was_ready)) {
        for (int i = 0; i < 2; i++) {
            peer_tick(&d->ends[i].peer, now);
            downlink_run(&d->ends[i].downlink, now);
        }
        now = clock_ms();
        bad = now - start > HANDSHAKE_MS;
    }
    return bad ? log_fail("the two ends do not find each other over loopback") : 0;
}

/* An IPv4 packet of UDP as long as the tunnel's MTU; nobody looks at its inside but for the lengths. */
static void make_packet(struct source *s, size_t len)
{
    memset(s->packet, 0x5a, len);
    s->packet[0] = 0x45;
    s->packet[2] = (uint8_t)(len >> 8);
    s->packet[3] = (uint8_t)len;
    s->packet[9] = IPPROTO_UDP;
}

/* Seals and sends one burst, and opens it at the other end. */
static void play(struct demo *d, size_t n, size_t len, int bursts, uint64_t now)
{
    const size_t head = sealane_headroom(SEALANE_WIREGUARD, 0);
    struct source *s = &d->source;
    struct end *from = &d->ends[0];
    size_t next = 0;

    for (size_t i = 0; i < n; i++)
        s->packets[i] = (struct sealane_packet){.channel = from->peer.channel,
                                                .buf = s->slots + i * SLOT_LEN,
                                                .cap = SLOT_LEN,
                                                .src = s->packet,
                                                .off = head,
                                                .len = len};
    uplink_seal(s->packets, n, !bursts);
    while (udp_send(&from->udp, s->packets, n, &next, &from->peer.address, &from->stats, now) != UDP_DONE)
        downlink_run(&d->ends[1].downlink, now);
    downlink_run(&d->ends[1].downlink, now);
}

/* Measures one cell; Gbit/s, or a negative value after a message. */
static double measure(struct demo *d, const struct demo_cell *cell)
{
    size_t len = cell->link_mtu - OVERHEAD, n = udp_fits(&d->ends[1].udp, len);
    const struct stats *arrived = &d->ends[1].stats;
    uint64_t bytes, start, end;
    double gbits = -1;

    make_packet(&d->source, len);
    if (connect_ends(d, cell) == 0) {
        bytes = arrived->rx_bytes;
        start = clock_wall_ns();
        do {
            for (int i = 0; i < 16; i++)
                play(d, n < BURST ? n : BURST, len, cell->bursts, clock_ms());
            end = clock_wall_ns();
        } while (end - start < CELL_MS * UINT64_C(1000000));
        gbits = 8 * (double)(arrived->rx_bytes - bytes) / (double)(end - start);
    }
    peer_free(&d->ends[0].peer);
    peer_free(&d->ends[1].peer);
    return gbits;
}

static void progress(unsigned done, unsigned all, const struct demo_cell *cell)
{
    int terminal = isatty(STDERR_FILENO);

    if (terminal)
        fprintf(stderr, "\r%3u %%  MTU %u, %s, %s        %s", 100 * done / all, cell->link_mtu,
                cell->level->name, cell->bursts ? "bursts" : "one by one", done == all ? "\r\033[K" : "");
    else if (done * 10 / all != (done - 1) * 10 / all)
        fprintf(stderr, "%3u %%\n", 100 * done / all);
    fflush(stderr);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double values[DEMO_ROUNDS])
{
    double sorted[DEMO_ROUNDS];

    memcpy(sorted, values, sizeof(sorted));
    qsort(sorted, DEMO_ROUNDS, sizeof(sorted[0]), by_size);
    return sorted[DEMO_ROUNDS / 2];
}

static unsigned make_cells(struct demo_cell *cells)
{
    static const unsigned mtus[DEMO_MTUS] = {1500, 9000};
    unsigned n = 0;

    for (unsigned m = 0; m < DEMO_MTUS; m++) {
        for (const struct level *l = levels; l->name != NULL; l++) {
            for (int bursts = 0; bursts < 2 && level_present(l); bursts++)
                cells[n++] = (struct demo_cell){.link_mtu = mtus[m], .level = l, .bursts = bursts};
        }
    }
    return n;
}

static int run_rounds(struct demo *d, struct demo_cell *cells, unsigned n)
{
    for (unsigned i = 0; i < DEMO_ROUNDS * n; i++) {
        struct demo_cell *cell = &cells[i % n];
        double gbits = measure(d, cell);

        if (gbits < 0)
            return -1;
        cell->gbits[i / n] = gbits;
        progress(i + 1, DEMO_ROUNDS * n, cell);
    }
    for (unsigned i = 0; i < n; i++)
        cells[i].median = median(cells[i].gbits);
    return 0;
}

int demo_run(const char *json_file)
{
    struct demo_cell cells[DEMO_MTUS * DEMO_LEVELS * 2];
    unsigned n = make_cells(cells);
    struct demo *d = calloc(1, sizeof(*d));
    int result = -1;

    if (d == NULL)
        return log_fail("out of memory");
    d->ends[1].udp.fd = -1;
    if (open_end(&d->ends[0]) == 0 && open_end(&d->ends[1]) == 0)
        result = run_rounds(d, cells, n);
    for (int i = 0; i < 2; i++) {
        downlink_free(&d->ends[i].downlink);
        udp_close(&d->ends[i].udp);
    }
    free(d);
    if (result != 0)
        return result;
    demo_print(cells, n);
    return json_file != NULL ? demo_write_json(json_file, cells, n) : 0;
}
