/* shim.c: a UDP relay that does to datagrams what bad networks do. What arrives at the left socket leaves
 * from the right one, and the other way round; on the way datagrams are dropped, held back behind later ones,
 * doubled, damaged by one bit, or swallowed for being too large, all by a seed, so that a run can be
 * repeated. Used by the tests that run the tunnel in network namespaces. On SIGUSR1 it prints what it did so
 * far as JSON; SIGTERM or SIGINT ends it, and it does so again. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_DATAGRAM = 65535,
    MAX_HELD = 16,
    HOLD_MOST = 8,
    IDLE_MS = 10,
    SOCKET_BUFFER = 8 << 20,
    BURST = 64
};

struct address {
    struct sockaddr_storage addr;
    socklen_t len; /* 0: not known yet */
};

struct end {
    struct address bind, peer;
    int fd;
    bool learn; /* the peer is whoever sent last */
};

struct held {
    uint8_t *data;
    size_t len;
    unsigned behind; /* datagrams that still overtake it; 0: free */
};

struct way {
    struct end *from, *to;
    uint64_t rng;
    struct held held[MAX_HELD];
    uint64_t received, sent, dropped, reordered, duplicated, corrupted, too_big, unsent;
};

struct odds {
    double drop, reorder, duplicate, corrupt;
    size_t max_size;
};

static volatile sig_atomic_t stopped, asked;

static void on_signal(int number)
{
    asked = 1;
    stopped |= number != SIGUSR1;
}

static void die(const char *what)
{
    fprintf(stderr, "shim: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void usage(void)
{
    fputs("usage: shim --left ADDR:PORT --right ADDR:PORT\n"
          "            [--left-peer ADDR:PORT] [--right-peer ADDR:PORT]\n"
          "            [--drop P] [--reorder P] [--duplicate P] [--corrupt P]\n"
          "            [--max-size BYTES] [--seed N]\n"
          "P: probability for each datagram, 0 to 1.\n"
          "A peer that is not given is whoever sent last.\n",
          stderr);
    exit(2);
}

/* "1.2.3.4:5" or "[::1]:5". */
static struct address parse_address(const char *text)
{
    char host[64];
    const char *colon = strrchr(text, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
    struct address a = {.len = 0};

    if (colon == NULL || (size_t)(colon - text) >= sizeof host)
        usage();
    size_t len = (size_t)(colon - text);
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    memcpy(host, text, len);
    host[len] = '\0';
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        usage();
    memcpy(&a.addr, found->ai_addr, found->ai_addrlen);
    a.len = found->ai_addrlen;
    freeaddrinfo(found);
    return a;
}

static double parse_chance(const char *text)
{
    char *end;
    double p = strtod(text, &end);

    if (end == text || *end != '\0' || !(p >= 0 && p <= 1))
        usage();
    return p;
}

static uint64_t parse_number(const char *text)
{
    char *end;
    uint64_t n = strtoull(text, &end, 0);

    if (end == text || *end != '\0')
        usage();
    return n;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Draws a number whatever p is, so that one fault's odds do not shift another one's choices. */
static bool chance(uint64_t *rng, double p)
{
    return (double)(next_random(rng) >> 11) * 0x1p-53 < p;
}

static int open_end(struct end *end)
{
    int size = SOCKET_BUFFER;

    if (end->bind.len == 0)
        usage();
    end->learn = end->peer.len == 0;
    end->fd = socket(end->bind.addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (end->fd < 0)
        die("socket");
    if (setsockopt(end->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(end->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(end->fd, (struct sockaddr *)&end->bind.addr, end->bind.len) != 0)
        die("bind");
    end->bind.len = sizeof end->bind.addr;
    if (getsockname(end->fd, (struct sockaddr *)&end->bind.addr, &end->bind.len) != 0)
        die("getsockname");
    char port[8];
    if (getnameinfo((struct sockaddr *)&end->bind.addr, end->bind.len, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV) != 0)
        die("getnameinfo");
    return atoi(port);
}

static void send_on(struct way *way, const uint8_t *data, size_t len)
{
    const struct address *peer = &way->to->peer;

    if (peer->len != 0 &&
        sendto(way->to->fd, data, len, 0, (const struct sockaddr *)&peer->addr, peer->len) == (ssize_t)len)
        way->sent++;
    else
        way->unsent++;
}

/* Lets go of what has been overtaken often enough, or of everything. */
static void release(struct way *way, bool all)
{
    for (int i = 0; i < MAX_HELD; i++) {
        struct held *h = &way->held[i];
        if (h->behind == 0)
            continue;
        h->behind = all ? 0 : h->behind - 1;
        if (h->behind == 0)
            send_on(way, h->data, h->len);
    }
}

static bool hold(struct way *way, const uint8_t *data, size_t len, unsigned behind)
{
    for (int i = 0; i < MAX_HELD; i++) {
        struct held *h = &way->held[i];
        if (h->behind != 0)
            continue;
        if (h->data == NULL && (h->data = malloc(MAX_DATAGRAM)) == NULL)
            return false;
        memcpy(h->data, data, len);
        h->len = len;
        h->behind = behind;
        return true;
    }
    return false;
}

static void pass(struct way *way, const struct odds *odds, uint8_t *data, size_t len)
{
    bool drop = chance(&way->rng, odds->drop), corrupt = chance(&way->rng, odds->corrupt);
    bool duplicate = chance(&way->rng, odds->duplicate), reorder = chance(&way->rng, odds->reorder);
    uint64_t where = next_random(&way->rng);

    way->received++;
    if (odds->max_size != 0 && len > odds->max_size) {
        way->too_big++;
        return;
    }
    if (drop) {
        way->dropped++;
        return;
    }
    if (corrupt && len != 0) {
        data[where / 8 % len] ^= (uint8_t)(1u << where % 8);
        way->corrupted++;
    }
    release(way, false);
    if (reorder && hold(way, data, len, 1 + (unsigned)(where >> 32) % HOLD_MOST))
        way->reordered++;
    else
        send_on(way, data, len);
    if (duplicate) {
        way->duplicated++;
        send_on(way, data, len);
    }
}

static void drain(struct way *way, const struct odds *odds)
{
    static uint8_t data[MAX_DATAGRAM];

    for (int i = 0; i < BURST; i++) {
        struct address sender = {.len = sizeof sender.addr};
        ssize_t n = recvfrom(way->from->fd, data, sizeof data, MSG_DONTWAIT, (struct sockaddr *)&sender.addr,
                             &sender.len);
        if (n < 0)
            return; /* none left; an ICMP error of an earlier datagram is no concern of a relay */
        if (way->from->learn)
            way->from->peer = sender;
        pass(way, odds, data, (size_t)n);
    }
}

static void print_way(const char *before, const struct way *way, const char *end)
{
    printf("%s{\"received\": %" PRIu64 ", \"sent\": %" PRIu64 ", \"dropped\": %" PRIu64
           ", \"reordered\": %" PRIu64 ", \"duplicated\": %" PRIu64 ", \"corrupted\": %" PRIu64
           ", \"too_big\": %" PRIu64 ", \"unsent\": %" PRIu64 "}%s",
           before, way->received, way->sent, way->dropped, way->reordered, way->duplicated, way->corrupted,
           way->too_big, way->unsent, end);
}

static void print_ways(const struct way way[2])
{
    print_way("{\"left_to_right\": ", &way[0], ",\n");
    print_way(" \"right_to_left\": ", &way[1], "}\n");
    fflush(stdout);
}

/* Signals come in ppoll only, so that none is missed. */
static void catch_signals(sigset_t *during)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked;

    sigemptyset(&blocked);
    for (int i = 0; i < 3; i++)
        sigaddset(&blocked, numbers[i]);
    sigprocmask(SIG_BLOCK, &blocked, during);
    for (int i = 0; i < 3; i++)
        sigaction(numbers[i], &action, NULL);
}

static void relay(struct way way[2], const struct odds *odds, const sigset_t *during)
{
    while (!stopped) {
        struct pollfd fds[2] = {{.fd = way[0].from->fd, .events = POLLIN},
                                {.fd = way[1].from->fd, .events = POLLIN}};
        struct timespec idle = {.tv_nsec = IDLE_MS * 1000000L};
        int n = ppoll(fds, 2, &idle, during);
        for (int i = 0; i < 2; i++) {
            if (n > 0 && fds[i].revents != 0)
                drain(&way[i], odds);
            else if (n == 0)
                release(&way[i], true);
        }
        if (asked && !stopped)
            print_ways(way);
        asked = 0;
    }
    for (int i = 0; i < 2; i++)
        release(&way[i], true);
    print_ways(way);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"left", required_argument, NULL, 'l'},
        {"left-peer", required_argument, NULL, 'L'},
        {"right", required_argument, NULL, 'r'},
        {"right-peer", required_argument, NULL, 'R'},
        {"drop", required_argument, NULL, 'd'},
        {"reorder", required_argument, NULL, 'o'},
        {"duplicate", required_argument, NULL, 'u'},
        {"corrupt", required_argument, NULL, 'c'},
        {"max-size", required_argument, NULL, 'm'},
        {"seed", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    struct end left = {.fd = -1}, right = {.fd = -1};
    struct odds odds = {0};
    uint64_t seed = 1;

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'l':
            left.bind = parse_address(optarg);
            break;
        case 'L':
            left.peer = parse_address(optarg);
            break;
        case 'r':
            right.bind = parse_address(optarg);
            break;
        case 'R':
            right.peer = parse_address(optarg);
            break;
        case 'd':
            odds.drop = parse_chance(optarg);
            break;
        case 'o':
            odds.reorder = parse_chance(optarg);
            break;
        case 'u':
            odds.duplicate = parse_chance(optarg);
            break;
        case 'c':
            odds.corrupt = parse_chance(optarg);
            break;
        case 'm':
            odds.max_size = (size_t)parse_number(optarg);
            break;
        case 's':
            seed = parse_number(optarg);
            break;
        default:
            usage();
        }
    }
    if (optind != argc)
        usage();
    int left_port = open_end(&left), right_port = open_end(&right);
    sigset_t during;
    catch_signals(&during);
    printf("ready %d %d\n", left_port, right_port);
    fflush(stdout);

    static struct way way[2];
    way[0] = (struct way){.from = &left, .to = &right, .rng = seed};
    way[1] = (struct way){.from = &right, .to = &left, .rng = ~seed};
    relay(way, &odds, &during);
    return 0;
}
