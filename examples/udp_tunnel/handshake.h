/* handshake.h: two messages that give both ends of a tunnel fresh keys from a pre-shared one.
 *
 *   hello   le32 1 | nonce 24 | sealed { salt_i 16 | index le32 | timestamp le64 } | tag 16         72 bytes
 *   answer  le32 2 | index of the hello | nonce 24 | sealed { salt_r 16 | index le32 } | tag 16     68 bytes
 *
 * Both are sealed with XChaCha20-Poly1305: a hello under a key derived from the pre-shared key, an answer
 * under HChaCha20(another derived key, salt_i) with the whole hello as AAD. The session key is
 * HChaCha20(HChaCha20(a third derived key, salt_i), salt_r); the first 64 bytes of its keystream are the keys
 * from initiator to responder and back. The first packet on them, from the initiator, confirms.
 *
 * A pure state machine: it sends nothing, reads no clock and owns no channel. Called by peer.c. */
#ifndef TUNNEL_HANDSHAKE_H
#define TUNNEL_HANDSHAKE_H

#include <stddef.h>
#include <stdint.h>

#include <sealane/aead.h>
#include <sealane/packet.h>

#define HANDSHAKE_HELLO 1u
#define HANDSHAKE_ANSWER 2u
#define HANDSHAKE_HELLO_LEN 72u
#define HANDSHAKE_ANSWER_LEN 68u

/* Own indices and salts that are remembered: those of three generations of keys and of hellos on their way.
 */
#define HANDSHAKE_MEMORY 8u

struct handshake {
    struct sealane_key hello_key;
    uint8_t answer_root[32], session_root[32];
    uint64_t timestamp; /* of the last hello of our own */
    uint64_t confirmed; /* newest timestamp of the peer's that led to a session */
    struct {
        int open; /* waiting for an answer */
        uint64_t made_ms;
        uint8_t salt[16];
        uint32_t index;
        uint8_t hello[HANDSHAKE_HELLO_LEN];
    } asked;
    struct {
        int half_open; /* no packet on its keys yet */
        uint64_t heard_ms, timestamp;
        uint32_t index;
        size_t len; /* 0: none yet */
        uint8_t hello[HANDSHAKE_HELLO_LEN], answer[HANDSHAKE_ANSWER_LEN];
    } answered;
    struct {
        uint32_t index;
        uint8_t salt[16]; /* zero for an answer's index */
    } own[HANDSHAKE_MEMORY];
    unsigned next_own;
};

/* What became of a message. All but the first two changed nothing. */
enum handshake_result {
    HANDSHAKE_KEYS,      /* new keys; a hello's answer is to be sent */
    HANDSHAKE_AGAIN,     /* the same hello once more: the same answer is to be sent */
    HANDSHAKE_OURS,      /* both began at once, and our hello is the one that counts */
    HANDSHAKE_STALE,     /* an old hello: a replay, or the peer's clock went back */
    HANDSHAKE_REFLECTED, /* a hello of our own */
    HANDSHAKE_UNASKED,   /* an answer to nothing that is open */
    HANDSHAKE_FORGED,    /* wrong length, or not sealed with our key */
    HANDSHAKE_RESULTS
};

/* Derives the keys. The caller wipes psk. */
void handshake_init(struct handshake *h, const uint8_t psk[32]);
void handshake_wipe(struct handshake *h);

/* Makes a hello: the one under way again while it is young enough for an answer to be on its way, else a new
 * one. 0, or -1 when the system has no random bytes. */
int handshake_ask(struct handshake *h, uint64_t now_ms, uint64_t wall_ns, uint8_t hello[HANDSHAKE_HELLO_LEN]);

/* Takes a hello. With HANDSHAKE_KEYS, keys has both keys and both ids (to be installed with
 * SEALANE_ON_FIRST_PACKET, and wiped by the caller); then and with HANDSHAKE_AGAIN, answer is to be sent to
 * where the hello came from. Never keeps more than one half-open session. */
enum handshake_result handshake_hear_hello(struct handshake *h, uint64_t now_ms, const uint8_t *in,
                                           size_t len, uint8_t answer[HANDSHAKE_ANSWER_LEN],
                                           struct sealane_keys *keys);

/* Takes an answer. With HANDSHAKE_KEYS, keys are to be installed with SEALANE_NOW, and wiped by the caller.
 */
enum handshake_result handshake_hear_answer(struct handshake *h, const uint8_t *in, size_t len,
                                            struct sealane_keys *keys);

/* The keys of the last answered hello carried an authentic packet: its timestamp counts for good. */
void handshake_confirm(struct handshake *h);

#endif
