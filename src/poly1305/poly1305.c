/* poly1305.c: the public one-time authenticator of poly1305.h. */
#include <sealane/poly1305.h>

#include "bytes.h"
#include "poly1305_kernels.h"
#include "secret.h"

#define MADE UINT64_C(0x5ea1a9ec1305a002)

/* What struct sealane_poly1305_state holds. */
struct __attribute__((may_alias)) message {
    uint64_t made; /* MADE, or the state was never set up */
    struct poly1305_core core;
    uint8_t rest[16]; /* bytes that do not fill a block yet */
    size_t rest_len;  /* 0 .. 15 */
};

_Static_assert(sizeof(struct message) <= sizeof(struct sealane_poly1305_state),
               "message fits its public shape");

int sealane_poly1305_init(struct sealane_poly1305_state *s, const uint8_t key[32])
{
    struct message *m = (struct message *)s;

    if (s == NULL || key == NULL)
        return SEALANE_EINVAL;
    m->made = MADE;
    m->rest_len = 0;
    poly1305_setup(&m->core, key);
    return SEALANE_OK;
}

int sealane_poly1305_update(struct sealane_poly1305_state *s, const void *msg, size_t len)
{
    struct message *m = (struct message *)s;
    const uint8_t *p = msg;

    if (s == NULL || m->made != MADE || (msg == NULL && len != 0))
        return SEALANE_EINVAL;
    if (m->rest_len != 0) {
        size_t n = 16 - m->rest_len < len ? 16 - m->rest_len : len;

        copy_bytes(m->rest + m->rest_len, p, n);
        m->rest_len += n;
        len -= n;
        if (m->rest_len < 16)
            return SEALANE_OK;
        p += n;
        poly1305_blocks(&m->core, m->rest, 16);
        m->rest_len = 0;
    }

    size_t whole = len & ~(size_t)15;

    if (whole != 0) {
        poly1305_blocks(&m->core, p, whole);
        p += whole;
    }
    copy_bytes(m->rest, p, len - whole);
    m->rest_len = len - whole;
    return SEALANE_OK;
}

int sealane_poly1305_final(struct sealane_poly1305_state *s, uint8_t tag[16])
{
    struct message *m = (struct message *)s;

    if (s == NULL || m->made != MADE || tag == NULL)
        return SEALANE_EINVAL;
    if (m->rest_len != 0)
        poly1305_last(&m->core, m->rest, m->rest_len);
    poly1305_finish(&m->core, tag);
    secret_wipe(s, sizeof *s);
    return SEALANE_OK;
}

int sealane_poly1305(uint8_t tag[16], const void *msg, size_t len, const uint8_t key[32])
{
    struct sealane_poly1305_state s;
    int err;

    if (tag == NULL)
        return SEALANE_EINVAL;
    err = sealane_poly1305_init(&s, key);
    if (err == SEALANE_OK)
        err = sealane_poly1305_update(&s, msg, len);
    if (err == SEALANE_OK)
        err = sealane_poly1305_final(&s, tag);
    secret_wipe(&s, sizeof s);
    return err;
}
