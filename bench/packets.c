/* packets.c: what the data channel of packet.h costs over the bursts of aead.h that it is built on:
 * sealane_seal_packets and sealane_open_packets beside jobs that stand ready. A program of its own, since
 * what is opened here is opened once: every datagram is sealed anew, outside the measured time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sealane/sealane.h>

#include "bytes.h"
#include "clock.h"
#include "noise.h"

#define MAX_BURST 1024
#define MAX_CHANNELS 64
#define SLOT 2048
#define OFF 64 /* of the payload in its slot */
#define MAX_ROUNDS 1001
#define CALLS 16 /* in a round */

enum way { SEAL_JOBS, SEAL_PACKETS, OPEN_JOBS, OPEN_PACKETS, N_WAYS };

static const size_t sizes[] = {64, 128, 256, 512, 1024, 1420};

static struct {
    size_t burst, n_channels, rounds;
    uint32_t format;
    struct sealane_key key;
    struct sealane_channel *from[MAX_CHANNELS], *to[MAX_CHANNELS];
    struct sealane_packet packet[MAX_BURST];
    struct sealane_job job[MAX_BURST];
    uint8_t buffer[MAX_BURST][SLOT];
} b;

static void die(const char *what)
{
    fprintf(stderr, "sealane-bench-packets: %s\n", what);
    exit(1);
}

static struct sealane_channel *new_channel(uint32_t id, int end)
{
    struct sealane_keys keys = {.size = sizeof keys, .format = b.format, .tx_id = id, .rx_id = id};
    struct sealane_channel *ch;

    keys.flags = b.format == SEALANE_WIREGUARD ? SEALANE_RAW_INNER : 0;
    memset(end ? keys.rx_key : keys.tx_key, 1, 32);
    memset(end ? keys.tx_key : keys.rx_key, 2, 32);
    if (sealane_channel_new(&ch) != 0 || sealane_channel_install(ch, &keys, SEALANE_NOW) != 0)
        die("no channel");
    return ch;
}

/* Payloads in their buffers. */
static void fill(size_t len)
{
    for (size_t i = 0; i < b.burst; i++) {
        memset(b.buffer[i] + OFF, (int)i, len);
        b.packet[i] = (struct sealane_packet){
            .channel = b.from[i % b.n_channels], .buf = b.buffer[i], .cap = SLOT, .off = OFF, .len = len};
    }
}

static void seal_for_opening(void)
{
    if (sealane_seal_packets(b.packet, b.burst) != b.burst)
        die("not sealed");
    for (size_t i = 0; i < b.burst; i++)
        b.packet[i].channel = b.to[i % b.n_channels];
}

/* The same work as jobs, in place: what is in front of the payload is AAD where the format has any. */
static void make_jobs(size_t len)
{
    for (size_t i = 0; i < b.burst; i++) {
        struct sealane_job *j = &b.job[i];
        uint8_t *text = b.buffer[i] + OFF;

        *j = (struct sealane_job){.key = &b.key, .aad = text - 24, .in = text, .out = text, .len = len};
        j->aad_len = b.format == SEALANE_OPENVPN ? 8 : 0;
        j->tag = b.format == SEALANE_OPENVPN ? text - 16 : text + len;
        store_le64(j->nonce + 4, i);
    }
}

static void prepare(enum way way, size_t len)
{
    fill(len);
    make_jobs(len);
    if (way == OPEN_PACKETS)
        seal_for_opening();
    if (way == OPEN_JOBS && sealane_seal_burst(b.job, b.burst) != b.burst)
        die("not sealed");
}

static size_t run(enum way way)
{
    switch (way) {
    case SEAL_JOBS:
        return sealane_seal_burst(b.job, b.burst);
    case SEAL_PACKETS:
        return sealane_seal_packets(b.packet, b.burst);
    case OPEN_JOBS:
        return sealane_open_burst(b.job, b.burst);
    default:
        return sealane_open_packets(b.packet, b.burst);
    }
}

/* Core cycles a packet, after as many calls again to warm up. */
static double window(enum way way, size_t len)
{
    double ticks = 0, cycle = clock_cycle(), after;

    for (int call = -CALLS; call < CALLS; call++) {
        uint64_t start;
        size_t good;

        prepare(way, len);
        start = clock_ticks();
        good = run(way);
        if (call >= 0)
            ticks += (double)(clock_ticks() - start) - clock_cost();
        if (good != b.burst)
            die("not all packets are good");
    }
    after = clock_cycle();
    return ticks / (after < cycle ? after : cycle) / CALLS / (double)b.burst;
}

static int compare(const void *x, const void *y)
{
    const double *a = x, *c = y;

    return (*a > *c) - (*a < *c);
}

static void measure(size_t len)
{
    static double cycles[N_WAYS][MAX_ROUNDS];

    for (size_t round = 0; round < b.rounds; round++) {
        noise_wait(0.2);
        for (enum way way = 0; way < N_WAYS; way++)
            cycles[way][round] = window(way, len);
    }
    printf("%5zu", len);
    for (enum way way = 0; way < N_WAYS; way++) {
        qsort(cycles[way], b.rounds, sizeof(double), compare);
        printf("  %12.1f", cycles[way][b.rounds / 2]);
    }
    printf("\n");
}

static size_t number(const char *text, size_t most)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0' || n == 0 || n > most)
        die("a number is out of its range");
    return n;
}

int main(int argc, char **argv)
{
    uint8_t raw[32] = {3};

    b.burst = 64;
    b.n_channels = 1;
    b.rounds = 51;
    b.format = SEALANE_WIREGUARD;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--openvpn") == 0)
            b.format = SEALANE_OPENVPN;
        else if (strcmp(argv[i], "--burst") == 0 && i + 1 < argc)
            b.burst = number(argv[++i], MAX_BURST);
        else if (strcmp(argv[i], "--channels") == 0 && i + 1 < argc)
            b.n_channels = number(argv[++i], MAX_CHANNELS);
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            b.rounds = number(argv[++i], MAX_ROUNDS);
        else {
            fputs("usage: sealane-bench-packets [--openvpn] [--burst N] [--channels N] [--rounds N]\n",
                  stderr);
            return 64;
        }
    }
    clock_pin(-1);
    clock_start();
    if (sealane_key_init(&b.key, raw) != 0)
        die("no key");
    for (uint32_t i = 0; i < b.n_channels; i++) {
        b.from[i] = new_channel(i + 1, 0);
        b.to[i] = new_channel(i + 1, 1);
    }
    printf("core cycles a packet, median of %zu rounds; %s, bursts of %zu, channels: %zu\n\n", b.rounds,
           b.format == SEALANE_OPENVPN ? "OpenVPN" : "WireGuard", b.burst, b.n_channels);
    printf("bytes  sealed: jobs       packets  opened: jobs       packets\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        measure(sizes[i]);
    for (size_t i = 0; i < b.n_channels; i++) {
        sealane_channel_free(b.from[i]);
        sealane_channel_free(b.to[i]);
    }
    sealane_key_wipe(&b.key);
    return 0;
}
