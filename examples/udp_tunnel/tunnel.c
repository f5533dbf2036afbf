/* tunnel.c: the libevent loop around one peer, one TUN device and one socket. */
#include "tunnel.h"

#include <errno.h>
#include <event2/event.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "downlink.h"
#include "uplink.h"

#define TICK_US 200000
#define PAUSE_US 1000 /* after the device had no memory */

struct tunnel {
    struct event_base *base;
    struct event *readable, *writable, *tun_readable, *tick, *pause;
    struct event *signals[3];
    struct tun tun;
    struct udp udp;
    struct peer peer;
    struct stats stats;
    struct uplink uplink;
    struct downlink downlink;
    const char *json_file; /* NULL: none */
    int failed;
};

static void send_datagram(void *user, const uint8_t *datagram, size_t len, const struct address *to)
{
    struct tunnel *t = user;

    udp_send_one(&t->udp, datagram, len, to);
}

static void say_ready(void *user)
{
    (void)user;
    puts("ready");
    fflush(stdout);
}

static void stop(struct tunnel *t)
{
    t->failed = 1;
    event_base_loopbreak(t->base);
}

/* Runs the way out. While it is blocked TUN is left alone, and the device's own queue fills. */
static void run_uplink(struct tunnel *t)
{
    static const struct timeval pause = {0, PAUSE_US};
    enum udp_result r = uplink_run(&t->uplink, clock_ms());

    if (t->uplink.reader.broken) {
        log_line("the TUN device %s is gone", t->tun.name);
        stop(t);
        return;
    }
    if (r == UDP_DONE) {
        event_add(t->tun_readable, NULL);
        return;
    }
    event_del(t->tun_readable);
    if (r == UDP_WAIT)
        event_add(t->writable, NULL);
    else
        event_add(t->pause, &pause);
}

static void on_uplink(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    run_uplink(user);
}

static void on_socket(evutil_socket_t fd, short what, void *user)
{
    struct tunnel *t = user;

    (void)fd;
    (void)what;
    downlink_run(&t->downlink, clock_ms());
}

static void on_tick(evutil_socket_t fd, short what, void *user)
{
    struct tunnel *t = user;
    unsigned mtu = tun_mtu(&t->tun);

    (void)fd;
    (void)what;
    if (mtu != 0)
        peer_set_mtu(&t->peer, mtu);
    peer_tick(&t->peer, clock_ms());
}

static void on_end(evutil_socket_t fd, short what, void *user)
{
    struct tunnel *t = user;

    (void)fd;
    (void)what;
    event_base_loopbreak(t->base);
}

static void tell(struct tunnel *t, int print)
{
    t->stats.tun_queue_full = tun_dropped(&t->tun);
    if (print)
        stats_print(stdout, &t->stats, &t->peer);
    if (t->json_file != NULL && stats_write_json(t->json_file, &t->stats, &t->peer) != 0)
        t->json_file = NULL; /* said once */
}

static void on_usr1(evutil_socket_t fd, short what, void *user)
{
    struct tunnel *t = user;

    (void)fd;
    (void)what;
    tell(t, 1);
}

static int open_devices(struct tunnel *t, const struct options *o)
{
    if (udp_open(&t->udp, &o->bind_to, o->udp_flags) != 0)
        return -1;
    if (tun_open(&t->tun, o->tun, !o->no_tun_offload) != 0)
        return -1;
    return tun_configure(&t->tun, o->prefixes, o->n_prefixes, o->mtu);
}

static int make_peer(struct tunnel *t, const struct options *o, uint8_t psk[32])
{
    struct peer_config config = {.remote = o->peer,
                                 .cpu = level_cpu(o->level),
                                 .mtu = o->mtu,
                                 .rekey_ms = o->rekey_s * UINT64_C(1000)};
    struct peer_io io = {t, send_datagram, say_ready};
    int result = peer_init(&t->peer, psk, &config, &io);

    explicit_bzero(psk, 32);
    return result;
}

static int make_paths(struct tunnel *t, const struct options *o)
{
    t->uplink.tun = t->downlink.tun = &t->tun;
    t->uplink.udp = t->downlink.udp = &t->udp;
    t->uplink.peer = t->downlink.peer = &t->peer;
    t->uplink.stats = t->downlink.stats = &t->stats;
    t->uplink.one_by_one = t->downlink.one_by_one = o->no_burst;
    return uplink_init(&t->uplink) != 0 || downlink_init(&t->downlink) != 0 ? -1 : 0;
}

static int make_events(struct tunnel *t)
{
    static const struct timeval tick = {0, TICK_US};
    static const struct {
        int number;
        event_callback_fn call;
    } signals[3] = {{SIGINT, on_end}, {SIGTERM, on_end}, {SIGUSR1, on_usr1}};
    int bad = 0;

    t->base = event_base_new();
    if (t->base == NULL)
        return log_fail("libevent has no way to wait for events");
    t->readable = event_new(t->base, t->udp.fd, EV_READ | EV_PERSIST, on_socket, t);
    t->writable = event_new(t->base, t->udp.fd, EV_WRITE, on_uplink, t);
    t->tun_readable = event_new(t->base, t->tun.fd, EV_READ | EV_PERSIST, on_uplink, t);
    t->tick = event_new(t->base, -1, EV_PERSIST, on_tick, t);
    t->pause = event_new(t->base, -1, 0, on_uplink, t);
    for (int i = 0; i < 3; i++) {
        t->signals[i] = evsignal_new(t->base, signals[i].number, signals[i].call, t);
        bad |= t->signals[i] == NULL || event_add(t->signals[i], NULL) != 0;
    }
    bad |= t->readable == NULL || t->writable == NULL || t->tun_readable == NULL || t->tick == NULL ||
           t->pause == NULL;
    if (bad || event_add(t->readable, NULL) != 0 || event_add(t->tun_readable, NULL) != 0 ||
        event_add(t->tick, &tick) != 0)
        return log_fail("cannot wait for events");
    return 0;
}

/* Gives up privileges for good: devices are open, and nothing needs them any more. */
static int become(const char *user)
{
    const struct passwd *p = getpwnam(user);

    if (p == NULL)
        return log_fail("--user %s: no such user", user);
    if (initgroups(user, p->pw_gid) != 0 || setgid(p->pw_gid) != 0 || setuid(p->pw_uid) != 0)
        return log_fail("cannot become user %s: %s", user, strerror(errno));
    if (p->pw_uid != 0 && setuid(0) == 0)
        return log_fail("privileges of user %s could be had back", user);
    return 0;
}

static void clean_up(struct tunnel *t)
{
    struct event *events[] = {t->readable, t->writable,   t->tun_readable, t->tick,
                              t->pause,    t->signals[0], t->signals[1],   t->signals[2]};

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (events[i] != NULL)
            event_free(events[i]);
    }
    if (t->base != NULL)
        event_base_free(t->base);
    uplink_free(&t->uplink);
    downlink_free(&t->downlink);
    peer_free(&t->peer);
    udp_close(&t->udp);
    tun_close(&t->tun);
    free(t);
}

int tunnel_run(const struct options *o, uint8_t psk[32])
{
    struct tunnel *t = calloc(1, sizeof(*t));
    int result;

    if (t == NULL)
        return log_fail("out of memory");
    t->json_file = o->json_file;
    t->udp.fd = t->tun.fd = t->tun.control = -1;
    result = open_devices(t, o);
    if (result == 0)
        result = make_peer(t, o, psk);
    if (result == 0)
        result = make_paths(t, o);
    if (result == 0)
        result = make_events(t);
    if (result == 0 && o->user != NULL)
        result = become(o->user);
    if (result == 0) {
        peer_tick(&t->peer, clock_ms());
        result = event_base_dispatch(t->base) < 0 || t->failed ? -1 : 0;
        tell(t, 0);
    }
    clean_up(t);
    return result;
}
