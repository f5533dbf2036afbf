/* tunnel.c: the libevent loop around one peer, one TUN device and one socket; or two loops on two threads,
 * one for each direction.
 *
 * The thread that came first has the way in, the clock and signals; the second one has the way out and
 * nothing else. They share the peer, behind its lock, and each counts for itself: what the way out counted is
 * handed over behind the same lock. */
#include "tunnel.h"

#include <errno.h>
#include <event2/event.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "downlink.h"
#include "uplink.h"

#define TICK_US 200000
#define PAUSE_US 1000 /* after the device had no memory */

struct tunnel {
    struct event_base *in, *out; /* the same with one thread */
    struct event *readable, *writable, *tun_readable, *tick, *pause;
    struct event *signals[3], *ends[2];
    int end; /* an eventfd: once it is readable, both loops end */
    struct tun tun;
    struct udp udp;
    struct peer peer;
    struct stats in_stats, out_stats;
    struct stats out_told; /* out_stats after the last turn; behind the lock of the peer */
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

static void end_loops(struct tunnel *t)
{
    eventfd_write(t->end, 1);
}

/* Runs the way out. While it is blocked TUN is left alone, and the device's own queue fills. */
static void run_uplink(struct tunnel *t)
{
    static const struct timeval pause = {0, PAUSE_US};
    uint64_t now = clock_ms();
    enum udp_result r = uplink_run(&t->uplink, now);

    peer_lock(&t->peer, now);
    t->out_told = t->out_stats;
    peer_unlock(&t->peer);
    if (t->uplink.reader.broken) {
        log_line("the TUN device %s is gone", t->tun.name);
        t->failed = 1;
        end_loops(t);
        event_del(t->tun_readable);
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
    uint64_t now = peer_lock(&t->peer, clock_ms());

    (void)fd;
    (void)what;
    if (mtu != 0)
        peer_set_mtu(&t->peer, mtu);
    peer_tick(&t->peer, now);
    peer_unlock(&t->peer);
}

static void on_end_signal(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    end_loops(user);
}

static void on_end(evutil_socket_t fd, short what, void *user)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(user);
}

static void tell(struct tunnel *t, int print)
{
    struct stats all = t->in_stats;

    all.tun_queue_full = tun_dropped(&t->tun);
    peer_lock(&t->peer, clock_ms());
    stats_add(&all, &t->out_told);
    if (print)
        stats_print(stdout, &all, &t->peer);
    if (t->json_file != NULL && stats_write_json(t->json_file, &all, &t->peer) != 0)
        t->json_file = NULL; /* said once */
    peer_unlock(&t->peer);
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
    t->uplink.stats = &t->out_stats;
    t->downlink.stats = &t->in_stats;
    t->uplink.one_by_one = t->downlink.one_by_one = o->no_burst;
    return uplink_init(&t->uplink) != 0 || downlink_init(&t->downlink) != 0 ? -1 : 0;
}

static int make_loops(struct tunnel *t, unsigned threads)
{
    t->end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    t->in = event_base_new();
    t->out = threads > 1 ? event_base_new() : t->in;
    if (t->end < 0 || t->in == NULL || t->out == NULL)
        return log_fail("libevent has no way to wait for events");
    return 0;
}

static int make_events(struct tunnel *t)
{
    static const struct timeval tick = {0, TICK_US};
    static const struct {
        int number;
        event_callback_fn call;
    } signals[3] = {{SIGINT, on_end_signal}, {SIGTERM, on_end_signal}, {SIGUSR1, on_usr1}};
    struct event_base *bases[2] = {t->in, t->out};
    int bad = 0;

    t->readable = event_new(t->in, t->udp.fd, EV_READ | EV_PERSIST, on_socket, t);
    t->writable = event_new(t->out, t->udp.fd, EV_WRITE, on_uplink, t);
    t->tun_readable = event_new(t->out, t->tun.fd, EV_READ | EV_PERSIST, on_uplink, t);
    t->tick = event_new(t->in, -1, EV_PERSIST, on_tick, t);
    t->pause = event_new(t->out, -1, 0, on_uplink, t);
    for (int i = 0; i < 3; i++) {
        t->signals[i] = evsignal_new(t->in, signals[i].number, signals[i].call, t);
        bad |= t->signals[i] == NULL || event_add(t->signals[i], NULL) != 0;
    }
    for (int i = 0; i < 2; i++) {
        t->ends[i] = event_new(bases[i], t->end, EV_READ | EV_PERSIST, on_end, bases[i]);
        bad |= t->ends[i] == NULL || event_add(t->ends[i], NULL) != 0;
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
    struct event *events[] = {t->readable,   t->writable,   t->tun_readable, t->tick,    t->pause,
                              t->signals[0], t->signals[1], t->signals[2],   t->ends[0], t->ends[1]};

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (events[i] != NULL)
            event_free(events[i]);
    }
    if (t->out != NULL && t->out != t->in)
        event_base_free(t->out);
    if (t->in != NULL)
        event_base_free(t->in);
    if (t->end >= 0)
        close(t->end);
    uplink_free(&t->uplink);
    downlink_free(&t->downlink);
    peer_free(&t->peer);
    udp_close(&t->udp);
    tun_close(&t->tun);
    free(t);
}

static void *run_out(void *user)
{
    struct tunnel *t = user;

    if (event_base_dispatch(t->out) < 0) {
        t->failed = 1;
        end_loops(t);
    }
    return NULL;
}

/* Starts the thread of the way out, which leaves signals to the first one. 0, or -1 after a message. */
static int start_out(struct tunnel *t, pthread_t *thread)
{
    sigset_t all, before;
    int why;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    why = pthread_create(thread, NULL, run_out, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why == 0 ? 0 : log_fail("cannot start a thread: %s", strerror(why));
}

/* Runs until the end. 0, or -1 after a message. */
static int run_loops(struct tunnel *t)
{
    int two = t->out != t->in, result;
    pthread_t thread;

    peer_tick(&t->peer, clock_ms());
    if (two && start_out(t, &thread) != 0)
        return -1;
    result = event_base_dispatch(t->in);
    if (two) {
        end_loops(t);
        pthread_join(thread, NULL);
    }
    tell(t, 0);
    return result < 0 || t->failed ? -1 : 0;
}

int tunnel_run(const struct options *o, uint8_t psk[32])
{
    struct tunnel *t = calloc(1, sizeof(*t));
    int result;

    if (t == NULL)
        return log_fail("out of memory");
    t->json_file = o->json_file;
    t->udp.fd = t->tun.fd = t->tun.control = t->end = -1;
    result = open_devices(t, o);
    if (result == 0)
        result = make_peer(t, o, psk);
    if (result == 0)
        result = make_paths(t, o);
    if (result == 0)
        result = make_loops(t, o->threads);
    if (result == 0)
        result = make_events(t);
    if (result == 0 && o->user != NULL)
        result = become(o->user);
    if (result == 0)
        result = run_loops(t);
    clean_up(t);
    return result;
}
