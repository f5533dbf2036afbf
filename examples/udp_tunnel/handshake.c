/* handshake.c: see handshake.h. Every decision on a message stands in handshake_hear_hello and
 * handshake_hear_answer; the rest makes and opens the messages. */
#include "handshake.h"

#include <endian.h>
#include <string.h>
#include <sys/random.h>

#include <sealane/chacha.h>

/* A hello is sent again, the same, for this long: enough for the slowest round trip. */
#define REPEAT_MS 3000
/* While it is younger than this our hello may win against one of the peer's; later any hello of the peer's is
 * taken: ours may be going where nobody listens. */
#define PRECEDENCE_MS 2000
/* A half-open session that got no packet stands in nobody's way after this. */
#define HALF_OPEN_MS 5000

#define NONCE_LEN SEALANE_XNONCE_LEN
#define TAG_LEN SEALANE_TAG_LEN

/* Offsets in the messages, and in what is sealed in them. */
enum { HELLO_NONCE = 4, HELLO_SEALED = HELLO_NONCE + NONCE_LEN, HELLO_INNER_LEN = 28 };
enum { ANSWER_INDEX = 4, ANSWER_NONCE = 8, ANSWER_SEALED = ANSWER_NONCE + NONCE_LEN, ANSWER_INNER_LEN = 20 };
enum { INNER_SALT = 0, INNER_INDEX = 16, INNER_TIMESTAMP = 20 };

_Static_assert(HELLO_SEALED + HELLO_INNER_LEN + TAG_LEN == HANDSHAKE_HELLO_LEN, "layout of a hello");
_Static_assert(ANSWER_SEALED + ANSWER_INNER_LEN + TAG_LEN == HANDSHAKE_ANSWER_LEN, "layout of an answer");
_Static_assert(HANDSHAKE_ANSWER_LEN <= HANDSHAKE_HELLO_LEN, "an answer is never longer than its question");

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return le32toh(v);
}

static void put32(uint8_t *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, 4);
}

static int draw(void *p, size_t len)
{
    return getrandom(p, len, 0) == (ssize_t)len ? 0 : -1;
}

void handshake_init(struct handshake *h, const uint8_t psk[32])
{
    static const uint8_t labels[3][16] = {"sealane hello 1", "sealane answer1", "sealane session"};
    uint8_t hello[32];
    int bad;

    memset(h, 0, sizeof(*h));
    sealane_hchacha20(hello, psk, labels[0]);
    sealane_hchacha20(h->answer_root, psk, labels[1]);
    sealane_hchacha20(h->session_root, psk, labels[2]);
    bad = sealane_key_init(&h->hello_key, hello);
    (void)bad; /* fails for NULL only */
    explicit_bzero(hello, sizeof(hello));
}

void handshake_wipe(struct handshake *h)
{
    sealane_key_wipe(&h->hello_key);
    explicit_bzero(h, sizeof(*h));
}

static int is_own(const struct handshake *h, uint32_t index, const uint8_t *salt)
{
    for (unsigned i = 0; i < HANDSHAKE_MEMORY; i++) {
        if (h->own[i].index == index || (salt != NULL && memcmp(h->own[i].salt, salt, 16) == 0))
            return 1;
    }
    return 0;
}

/* An index that none of our sessions has; 0 stays free for "none". */
static int draw_index(struct handshake *h, const uint8_t *salt, uint32_t *index)
{
    do {
        if (draw(index, sizeof(*index)) != 0)
            return -1;
    } while (*index == 0 || is_own(h, *index, NULL));
    h->own[h->next_own].index = *index;
    memset(h->own[h->next_own].salt, 0, 16);
    if (salt != NULL)
        memcpy(h->own[h->next_own].salt, salt, 16);
    h->next_own = (h->next_own + 1) % HANDSHAKE_MEMORY;
    return 0;
}

int handshake_ask(struct handshake *h, uint64_t now_ms, uint64_t wall_ns, uint8_t hello[HANDSHAKE_HELLO_LEN])
{
    uint8_t inner[HELLO_INNER_LEN], *wire = h->asked.hello;
    uint64_t stamp;

    if (h->asked.open && now_ms - h->asked.made_ms < REPEAT_MS) {
        memcpy(hello, wire, HANDSHAKE_HELLO_LEN);
        return 0;
    }
    h->asked.open = 0;
    if (draw(h->asked.salt, 16) != 0 || draw(wire + HELLO_NONCE, NONCE_LEN) != 0 ||
        draw_index(h, h->asked.salt, &h->asked.index) != 0)
        return -1;
    h->timestamp = wall_ns > h->timestamp ? wall_ns : h->timestamp + 1;
    stamp = htole64(h->timestamp);
    put32(wire, HANDSHAKE_HELLO);
    memcpy(inner + INNER_SALT, h->asked.salt, 16);
    put32(inner + INNER_INDEX, h->asked.index);
    memcpy(inner + INNER_TIMESTAMP, &stamp, 8);
    if (sealane_xseal(&h->hello_key, wire + HELLO_NONCE, wire, 4, inner, sizeof(inner), wire + HELLO_SEALED,
                      wire + HELLO_SEALED + sizeof(inner)) != SEALANE_OK)
        return -1;
    h->asked.open = 1;
    h->asked.made_ms = now_ms;
    memcpy(hello, wire, HANDSHAKE_HELLO_LEN);
    return 0;
}

/* The key that answers to a hello with this salt are sealed under. */
static void answer_key(const struct handshake *h, const uint8_t salt_i[16], struct sealane_key *key)
{
    uint8_t raw[32];
    int bad;

    sealane_hchacha20(raw, h->answer_root, salt_i);
    bad = sealane_key_init(key, raw);
    (void)bad;
    explicit_bzero(raw, sizeof(raw));
}

/* Both directions' keys. first and second: where the initiator's sending key goes, and the responder's. */
static int session_keys(const struct handshake *h, const uint8_t salt_i[16], const uint8_t salt_r[16],
                        uint8_t first[32], uint8_t second[32])
{
    static const uint8_t nonce[12];
    uint8_t middle[32], session[32], stream[64] = {0};
    int result;

    sealane_hchacha20(middle, h->session_root, salt_i);
    sealane_hchacha20(session, middle, salt_r);
    result = sealane_chacha20_xor(stream, stream, sizeof(stream), session, nonce, 0);
    memcpy(first, stream, 32);
    memcpy(second, stream + 32, 32);
    explicit_bzero(middle, sizeof(middle));
    explicit_bzero(session, sizeof(session));
    explicit_bzero(stream, sizeof(stream));
    return result;
}

/* Answers the hello whose inside is inner, and remembers both. */
static int make_answer(struct handshake *h, const uint8_t *hello, const uint8_t *inner,
                       struct sealane_keys *keys)
{
    uint8_t mine[ANSWER_INNER_LEN], *wire = h->answered.answer;
    struct sealane_key key;
    int result;

    h->answered.len = 0;
    if (draw(mine, 16) != 0 || draw(wire + ANSWER_NONCE, NONCE_LEN) != 0 ||
        draw_index(h, NULL, &h->answered.index) != 0)
        return -1;
    put32(mine + INNER_INDEX, h->answered.index);
    put32(wire, HANDSHAKE_ANSWER);
    memcpy(wire + ANSWER_INDEX, inner + INNER_INDEX, 4);
    answer_key(h, inner + INNER_SALT, &key);
    result = sealane_xseal(&key, wire + ANSWER_NONCE, hello, HANDSHAKE_HELLO_LEN, mine, sizeof(mine),
                           wire + ANSWER_SEALED, wire + ANSWER_SEALED + sizeof(mine));
    sealane_key_wipe(&key);
    if (result == SEALANE_OK)
        result = session_keys(h, inner + INNER_SALT, mine, keys->rx_key, keys->tx_key);
    keys->tx_id = get32(inner + INNER_INDEX);
    keys->rx_id = h->answered.index;
    memcpy(h->answered.hello, hello, HANDSHAKE_HELLO_LEN);
    h->answered.len = HANDSHAKE_ANSWER_LEN;
    return result == SEALANE_OK ? 0 : -1;
}

enum handshake_result handshake_hear_hello(struct handshake *h, uint64_t now_ms, const uint8_t *in,
                                           size_t len, uint8_t answer[HANDSHAKE_ANSWER_LEN],
                                           struct sealane_keys *keys)
{
    uint8_t inner[HELLO_INNER_LEN];
    uint64_t stamp;
    int pending = h->answered.half_open && now_ms - h->answered.heard_ms < HALF_OPEN_MS;

    if (len != HANDSHAKE_HELLO_LEN || get32(in) != HANDSHAKE_HELLO)
        return HANDSHAKE_FORGED;
    if (h->answered.len != 0 && memcmp(h->answered.hello, in, len) == 0) {
        memcpy(answer, h->answered.answer, HANDSHAKE_ANSWER_LEN);
        return HANDSHAKE_AGAIN;
    }
    if (sealane_xopen(&h->hello_key, in + HELLO_NONCE, in, 4, in + HELLO_SEALED, sizeof(inner),
                      in + HELLO_SEALED + sizeof(inner), inner) != SEALANE_OK)
        return HANDSHAKE_FORGED;
    if (is_own(h, get32(inner + INNER_INDEX), inner + INNER_SALT))
        return HANDSHAKE_REFLECTED;
    memcpy(&stamp, inner + INNER_TIMESTAMP, 8);
    stamp = le64toh(stamp);
    if (stamp <= h->confirmed || (pending && stamp <= h->answered.timestamp))
        return HANDSHAKE_STALE;
    if (h->asked.open && now_ms - h->asked.made_ms < PRECEDENCE_MS &&
        memcmp(h->asked.salt, inner + INNER_SALT, 16) < 0)
        return HANDSHAKE_OURS;
    if (make_answer(h, in, inner, keys) != 0)
        return HANDSHAKE_FORGED;
    h->asked.open = 0;
    h->answered.half_open = 1;
    h->answered.heard_ms = now_ms;
    h->answered.timestamp = stamp;
    memcpy(answer, h->answered.answer, HANDSHAKE_ANSWER_LEN);
    return HANDSHAKE_KEYS;
}

enum handshake_result handshake_hear_answer(struct handshake *h, const uint8_t *in, size_t len,
                                            struct sealane_keys *keys)
{
    uint8_t inner[ANSWER_INNER_LEN];
    struct sealane_key key;
    int result;

    if (len != HANDSHAKE_ANSWER_LEN || get32(in) != HANDSHAKE_ANSWER)
        return HANDSHAKE_FORGED;
    if (!h->asked.open || get32(in + ANSWER_INDEX) != h->asked.index)
        return HANDSHAKE_UNASKED;
    answer_key(h, h->asked.salt, &key);
    result = sealane_xopen(&key, in + ANSWER_NONCE, h->asked.hello, HANDSHAKE_HELLO_LEN, in + ANSWER_SEALED,
                           sizeof(inner), in + ANSWER_SEALED + sizeof(inner), inner);
    sealane_key_wipe(&key);
    if (result != SEALANE_OK ||
        session_keys(h, h->asked.salt, inner + INNER_SALT, keys->tx_key, keys->rx_key) != SEALANE_OK)
        return HANDSHAKE_FORGED;
    keys->tx_id = get32(inner + INNER_INDEX);
    keys->rx_id = h->asked.index;
    h->asked.open = 0;
    return HANDSHAKE_KEYS;
}

void handshake_confirm(struct handshake *h)
{
    if (!h->answered.half_open)
        return;
    h->answered.half_open = 0;
    h->confirmed = h->answered.timestamp; /* it was newer when it was heard */
}
