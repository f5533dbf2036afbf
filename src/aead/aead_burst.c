/* aead_burst.c: bursts of messages for the public aead.h. */
#include <sealane/aead.h>

size_t sealane_seal_burst(struct sealane_job *jobs, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; i < n; i++) {
        struct sealane_job *j = &jobs[i];

        j->status = sealane_seal(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, j->out, j->tag);
        good += j->status == SEALANE_OK;
    }
    return good;
}

size_t sealane_open_burst(struct sealane_job *jobs, size_t n)
{
    size_t good = 0;

    for (size_t i = 0; i < n; i++) {
        struct sealane_job *j = &jobs[i];

        j->status = sealane_open(j->key, j->nonce, j->aad, j->aad_len, j->in, j->len, j->tag, j->out);
        good += j->status == SEALANE_OK;
    }
    return good;
}
