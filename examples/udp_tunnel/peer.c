/* peer.c: see peer.h. */
#include "peer.h"

#include <string.h>
#include <sys/random.h>

#include "clock.h"

#define REKEY_MS 120000   /* age of keys that are replaced, unless the configuration says less */
#define KEEPALIVE_MS 1000 /* of one-sided traffic, until we say that we are there */
#define PROBE_MS 2000     /* of silence, until a side that was told its peer asks whether it is there */
#define DEAD_MS 3000      /* without an answer, until the peer is taken for dead */
#define HELLO_MS 1000     /* between two hellos, and up to a quarter more */
#define CONFIRM_MS 250    /* between two confirmations of new keys */
#define PATIENCE_MS 10000 /* that the responder of a session leaves the change of keys to its initiator */
#define FORGET_MS 90000   /* until a learned address that stays silent gets no more hellos */

/* Hellos that are opened, and answers that are repeated, a second. */
#define HELLO_RATE 5000
#define ANSWER_RATE 20

static int budget_take(struct budget *b, uint64_t rate, uint64_t now_ms)
{
    uint64_t earned = (now_ms - b->at_ms) * rate / 1000;

    if (earned != 0) {
        b->left = b->left + earned < rate ? b->left + earned : rate;
        b->at_ms = now_ms;
    }
    if (b->left == 0)
        return 0;
    b->left--;
    return 1;
}

int peer_init(struct peer *p, const uint8_t psk[32], const struct peer_config *config,
              const struct peer_io *io)
{
    memset(p, 0, sizeof(*p));
    pthread_mutex_init(&p->lock, NULL); /* never fails for a plain one */
    p->config = *config;
    p->io = *io;
    p->address = config->remote;
    p->wanted = config->remote.len != 0;
    p->hellos.left = HELLO_RATE;
    p->answers.left = ANSWER_RATE;
    if (sealane_channel_new(&p->channel) != SEALANE_OK)
        return log_fail("out of memory");
    handshake_init(&p->handshake, psk);
    return 0;
}

void peer_free(struct peer *p)
{
    sealane_channel_free(p->channel);
    p->channel = NULL;
    pthread_mutex_destroy(&p->lock);
    handshake_wipe(&p->handshake);
}

uint64_t peer_lock(struct peer *p, uint64_t now_ms)
{
    pthread_mutex_lock(&p->lock);
    if (now_ms > p->newest_ms)
        p->newest_ms = now_ms;
    return p->newest_ms;
}

void peer_unlock(struct peer *p)
{
    pthread_mutex_unlock(&p->lock);
}

static int install(struct peer *p, struct sealane_keys *keys, int when)
{
    int result;

    keys->size = sizeof(*keys);
    keys->format = SEALANE_WIREGUARD;
    keys->cpu = p->config.cpu;
    keys->mtu = p->config.mtu;
    result = sealane_channel_install(p->channel, keys, when);
    explicit_bzero(keys, sizeof(*keys));
    return result;
}

static void send_keepalive(struct peer *p, uint64_t now)
{
    uint8_t buf[128] = {0};
    struct sealane_packet k = {
        .channel = p->channel, .buf = buf, .cap = sizeof(buf), .kind = SEALANE_KEEPALIVE};

    k.off = sealane_headroom(SEALANE_WIREGUARD, 0);
    if (p->address.len == 0 || sealane_seal_packets(&k, 1) != 1)
        return;
    p->io.send(p->io.user, buf + k.off, k.len, &p->address);
    if (p->unconfirmed && p->config.remote.len != 0 && !address_equal(&p->address, &p->config.remote))
        p->io.send(p->io.user, buf + k.off, k.len, &p->config.remote);
    p->stats.keepalives_sent++;
    p->last_sent = now;
    p->reply_at = 0;
}

/* A session begins: all clocks start with it. */
static void session_begins(struct peer *p, uint64_t now, uint32_t id, int initiator)
{
    p->stats.sessions++;
    p->current_id = id;
    p->initiator = initiator;
    p->unconfirmed = initiator;
    p->wanted = 0;
    p->installed_at = now;
    p->roam_counter = 0;
    p->unanswered_since = initiator ? now : 0;
}

static void send_hello(struct peer *p, uint64_t now)
{
    uint8_t hello[HANDSHAKE_HELLO_LEN];
    const struct address *to = &p->address;
    uint16_t jitter = 0;

    if (getrandom(&jitter, sizeof(jitter), 0) < 0)
        jitter = (uint16_t)now;
    p->hello_at = now + HELLO_MS + jitter % (HELLO_MS / 4);
    if (handshake_ask(&p->handshake, now, clock_wall_ns(), hello) != 0) {
        log_limited(&p->log, now, "cannot make a hello: no random bytes");
        return;
    }
    /* A peer that roamed and then started again is back where it was configured: try both in turn. */
    if (p->config.remote.len != 0 && p->stats.hellos_sent % 2 != 0)
        to = &p->config.remote;
    p->io.send(p->io.user, hello, sizeof(hello), to);
    p->stats.hellos_sent++;
}

/* Are new keys wanted for reasons of silence, age or count? The responder of a session leaves its age to the
 * initiator for a while, so that they do not both begin. */
static int handshake_due(const struct peer *p, uint64_t now)
{
    int due = sealane_channel_due(p->channel);
    uint64_t age = now - p->installed_at, limit = p->config.rekey_ms != 0 ? p->config.rekey_ms : REKEY_MS;

    if (p->unanswered_since != 0 && now - p->unanswered_since >= DEAD_MS)
        return 1;
    if (due == SEALANE_EXPIRED)
        return p->config.remote.len != 0;
    if (due == SEALANE_REKEY && age < REKEY_MS)
        return 1;
    return p->current_id != 0 && age >= limit + (p->initiator ? 0 : PATIENCE_MS);
}

/* A learned address gets hellos only as long as somebody cares. */
static int peer_may_live(const struct peer *p, uint64_t now)
{
    return p->config.remote.len != 0 || now - p->last_heard < FORGET_MS || now - p->last_tried < FORGET_MS;
}

static void keep_alive(struct peer *p, uint64_t now)
{
    int probe = p->config.remote.len != 0 && now - p->last_heard >= PROBE_MS;

    if (p->unconfirmed && now - p->last_sent >= CONFIRM_MS) {
        send_keepalive(p, now);
    } else if (p->reply_at != 0 && now >= p->reply_at) {
        send_keepalive(p, now);
    } else if (probe && now - p->last_sent >= KEEPALIVE_MS) {
        send_keepalive(p, now);
        if (p->unanswered_since == 0)
            p->unanswered_since = now;
    }
}

void peer_tick(struct peer *p, uint64_t now)
{
    int bad = sealane_channel_tick(p->channel, now);

    (void)bad; /* fails for NULL only */
    p->wanted |= handshake_due(p, now);
    if (p->wanted && p->address.len != 0 && now >= p->hello_at && peer_may_live(p, now))
        send_hello(p, now);
    if (p->current_id != 0)
        keep_alive(p, now);
}

static void hear_hello(struct peer *p, uint64_t now, const uint8_t *in, size_t len,
                       const struct address *from)
{
    uint8_t answer[HANDSHAKE_ANSWER_LEN];
    struct sealane_keys keys = {0};
    enum handshake_result r;

    if (!address_equal(from, &p->address) && !budget_take(&p->hellos, HELLO_RATE, now)) {
        p->stats.throttled++;
        return;
    }
    r = handshake_hear_hello(&p->handshake, now, in, len, answer, &keys);
    p->stats.results[r]++;
    if (r == HANDSHAKE_KEYS) {
        if (install(p, &keys, SEALANE_ON_FIRST_PACKET) != SEALANE_OK)
            return;
        p->hello_at = now + HELLO_MS; /* the peer is busy with its own */
    } else if (r == HANDSHAKE_STALE && handshake_due(p, now)) {
        p->wanted = 1; /* its clock went back: ours has to be the hello */
    }
    if (r == HANDSHAKE_KEYS || (r == HANDSHAKE_AGAIN && budget_take(&p->answers, ANSWER_RATE, now))) {
        p->io.send(p->io.user, answer, sizeof(answer), from);
        p->stats.answers_sent++;
    }
}

static void hear_answer(struct peer *p, uint64_t now, const uint8_t *in, size_t len)
{
    struct sealane_keys keys = {0};
    enum handshake_result r = handshake_hear_answer(&p->handshake, in, len, &keys);
    uint32_t id = keys.rx_id;

    p->stats.results[r]++;
    if (r != HANDSHAKE_KEYS || install(p, &keys, SEALANE_NOW) != SEALANE_OK)
        return;
    session_begins(p, now, id, 1);
    send_keepalive(p, now); /* confirms the keys */
}

void peer_control(struct peer *p, uint64_t now, const uint8_t *in, size_t len, const struct address *from)
{
    if (len == HANDSHAKE_ANSWER_LEN && in[0] == HANDSHAKE_ANSWER)
        hear_answer(p, now, in, len);
    else if (len == HANDSHAKE_HELLO_LEN && in[0] == HANDSHAKE_HELLO)
        hear_hello(p, now, in, len, from);
    else
        p->stats.results[HANDSHAKE_FORGED]++;
}

void peer_sent(struct peer *p, uint64_t now)
{
    p->last_sent = now;
    p->reply_at = 0;
    if (p->unanswered_since == 0)
        p->unanswered_since = now;
}

static void roam(struct peer *p, uint64_t counter, const struct address *from)
{
    if (counter < p->roam_counter)
        return;
    p->roam_counter = counter;
    if (address_equal(from, &p->address))
        return;
    p->stats.roamed += p->address.len != 0;
    p->address = *from;
}

static void answer_later(struct peer *p, uint64_t now, int keepalive)
{
    if (keepalive && now - p->last_sent < KEEPALIVE_MS)
        return; /* an answer, not a question */
    if (p->reply_at == 0)
        p->reply_at = keepalive ? now : now + KEEPALIVE_MS;
}

void peer_heard(struct peer *p, uint64_t now, const struct sealane_packet *opened, uint32_t id,
                const struct address *from)
{
    int keepalive = opened->kind == SEALANE_KEEPALIVE, confirmed = 0;

    if (p->handshake.answered.half_open && id == p->handshake.answered.index) {
        handshake_confirm(&p->handshake);
        session_begins(p, now, id, 0);
        confirmed = 1;
    }
    p->stats.keepalives_heard += (uint64_t)keepalive;
    p->last_heard = now;
    if (id == p->current_id) {
        p->unanswered_since = 0;
        p->unconfirmed = 0;
        roam(p, opened->counter, from);
    }
    answer_later(p, now, keepalive);
    if (confirmed)
        send_keepalive(p, now); /* now the initiator knows that both directions work */
    if (!p->was_ready && !p->unconfirmed && p->current_id != 0) {
        p->was_ready = 1;
        p->io.ready(p->io.user);
    }
}

int peer_can_send(struct peer *p, uint64_t now)
{
    int bad = sealane_channel_tick(p->channel, now); /* after a suspend the clock jumps between two ticks */

    (void)bad;
    p->last_tried = now;
    if (p->address.len != 0 && p->current_id != 0 && sealane_channel_due(p->channel) != SEALANE_EXPIRED)
        return 1;
    p->wanted = 1;
    return 0;
}

void peer_set_mtu(struct peer *p, uint32_t mtu)
{
    p->wanted |= p->config.mtu != mtu && p->current_id != 0;
    p->config.mtu = mtu;
}
