/* poly1305.c: the public one-time authenticator of poly1305.h. */
#include <sealane/cpu.h>
#include <sealane/poly1305.h>

#include "bytes.h"
#include "poly1305_kernels.h"
#include "secret.h"

#define MADE UINT64_C(0x5ea1a9ec1305a002)

/* What struct sealane_poly1305_state holds. */
struct __attribute__((may_alias)) message {
    uint64_t made; /* MADE, or the state was never set up */
    const struct poly1305_ladder *ladder;
    struct poly1305_core core;
    uint8_t rest[16]; /* bytes that do not fill a block yet */
    size_t rest_len;  /* 0 .. 15 */
};

_Static_assert(sizeof(struct message) <= sizeof(struct sealane_poly1305_state),
               "message fits its public shape");

/* What the frames of kernels take at most: those of 26-bit limbs, for longer messages, keep powers of r
 * there. */
static size_t stack_of(size_t len)
{
    return len < 512 ? 1536 : SECRET_STACK_MAX;
}

int sealane_poly1305_init(struct sealane_poly1305_state *s, const uint8_t key[32])
{
    struct message *m = (struct message *)s;

    if (s == NULL || key == NULL)
        return SEALANE_EINVAL;
    m->made = MADE;
    m->ladder = poly1305_ladder_for(sealane_cpu_used());
    m->rest_len = 0;
    poly1305_setup(&m->core, key);
    secret_leave(stack_of(0));
    return SEALANE_OK;
}

/* len is a multiple of 16, not 0. */
static void absorb(struct message *m, const uint8_t *msg, size_t len)
{
    poly1305_rung_for(m->ladder, len)->blocks(&m->core, msg, len);
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
        absorb(m, m->rest, 16);
        m->rest_len = 0;
    }

    size_t whole = len & ~(size_t)15;

    if (whole != 0) {
        absorb(m, p, whole);
        p += whole;
    }
    copy_bytes(m->rest, p, len - whole);
    m->rest_len = len - whole;
    secret_leave(stack_of(whole));
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
    secret_leave(stack_of(0));
    return SEALANE_OK;
}

int sealane_poly1305(uint8_t tag[16], const void *msg, size_t len, const uint8_t key[32])
{
    uint8_t computed[16];

    if (tag == NULL || key == NULL || (msg == NULL && len != 0))
        return SEALANE_EINVAL;
    poly1305_rung_for(poly1305_ladder_for(sealane_cpu_used()), len)->plain(computed, key, msg, len);
    copy_bytes(tag, computed, 16);
    secret_leave(stack_of(len));
    return SEALANE_OK;
}
