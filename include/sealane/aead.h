/* aead.h: ChaCha20-Poly1305 (RFC 8439 section 2.8) and XChaCha20-Poly1305, one message or a burst of them.
 *
 * Spans: in and out are equal or disjoint; neither overlaps AAD or tag; (NULL, 0) is legal for every span.
 * All checks come before the first write. A message is at most (2^32 - 1) * 64 bytes long.
 *
 * Never use a nonce twice under one key. packet.h counts for you. */
#ifndef SEALANE_AEAD_H
#define SEALANE_AEAD_H

#include <stddef.h>
#include <stdint.h>

#include <sealane/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEALANE_KEY_LEN 32
#define SEALANE_NONCE_LEN 12
#define SEALANE_XNONCE_LEN 24
#define SEALANE_TAG_LEN 16

/* A key with the kernels that were chosen for it. On a stack, in a struct, in malloc'ed memory: alignment 8
 * is enough. Const use by any number of threads at once. Wipe it after use. */
struct sealane_key {
    uint64_t opaque[24];
};

/* Errors: EINVAL (NULL). The kernels are those of sealane_cpu_used() at this moment, for the key's life. */
SEALANE_API SEALANE_MUST_CHECK int sealane_key_init(struct sealane_key *key, const uint8_t raw[32]);

/* Forgets the key: a wiped or zeroed key is refused with EINVAL. NULL is ignored. */
SEALANE_API void sealane_key_wipe(struct sealane_key *key);

/* Seals len bytes of plain into cipher and writes the tag.
 * Errors, all before a byte is written: EINVAL, EOVERLAP, ELENGTH. */
SEALANE_API SEALANE_MUST_CHECK int sealane_seal(const struct sealane_key *key, const uint8_t nonce[12],
                                                const void *aad, size_t aad_len, const void *plain,
                                                size_t len, void *cipher, uint8_t tag[16]);

/* Verifies the tag and opens len bytes of cipher into plain. Errors: EINVAL, EOVERLAP, ELENGTH (nothing is
 * written), EFORGED (plain is zeroed, nothing else is written). Read plain only after the call returned 0:
 * while it runs the range may hold bytes that are not verified yet. */
SEALANE_API SEALANE_MUST_CHECK int sealane_open(const struct sealane_key *key, const uint8_t nonce[12],
                                                const void *aad, size_t aad_len, const void *cipher,
                                                size_t len, const uint8_t tag[16], void *plain);

/* XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha): a 24-byte nonce, long enough to be drawn at random. */
SEALANE_API SEALANE_MUST_CHECK int sealane_xseal(const struct sealane_key *key, const uint8_t nonce[24],
                                                 const void *aad, size_t aad_len, const void *plain,
                                                 size_t len, void *cipher, uint8_t tag[16]);
SEALANE_API SEALANE_MUST_CHECK int sealane_xopen(const struct sealane_key *key, const uint8_t nonce[24],
                                                 const void *aad, size_t aad_len, const void *cipher,
                                                 size_t len, const uint8_t tag[16], void *plain);

/* One message of a burst. */
struct sealane_job {
    const struct sealane_key *key; /* jobs of one burst may have different keys */
    const uint8_t *aad, *in;
    uint8_t *out, *tag; /* tag: written by seal, only read by open */
    size_t aad_len, len;
    void *user;     /* the caller's, untouched */
    int32_t status; /* out: 0 or a negative enum sealane_error, as the single calls return it */
    uint8_t nonce[12];
};

/* Seal or open n messages; return the number of jobs with status 0. Each job has its own status: one bad job
 * costs its neighbours nothing. n = 0 is legal. Overlap is checked within a job. That jobs do not write into
 * each other's spans is the caller's duty (asserted in debug builds); shared read-only spans are fine.
 *
 * Packets of one length and one AAD length run side by side, wherever they stand in the burst and whatever
 * their keys: up to 32 of them, in no order that a caller could rely on. While an open runs, any out may hold
 * bytes that are not verified yet. The calls use less than 26 KiB of stack and leave no secret there. */
SEALANE_API size_t sealane_seal_burst(struct sealane_job *jobs, size_t n);
SEALANE_API size_t sealane_open_burst(struct sealane_job *jobs, size_t n);

#ifdef __cplusplus
}
#endif
#endif
