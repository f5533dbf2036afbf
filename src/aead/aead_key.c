/* aead_key.c: making and wiping keys. */
#include "aead_key.h"

#include <sealane/cpu.h>

#include "aead_burst_kernels.h"
#include "aead_kernels.h"
#include "secret.h"

#define KEY_STACK 256 /* what the functions here and below them take */

void aead_key_init(struct sealane_key *key, const uint8_t raw[32], uint32_t cpu)
{
    struct aead_key *k = (struct aead_key *)key;

    chacha_load_key(k->words, raw);
    k->suite = aead_suite_for(cpu);
    k->burst = aead_burst_ladder_for(cpu);
    k->made = AEAD_KEY_MADE;
    k->suite->clean(0, KEY_STACK);
}

int sealane_key_init(struct sealane_key *key, const uint8_t raw[32])
{
    if (key == NULL || raw == NULL)
        return SEALANE_EINVAL;
    aead_key_init(key, raw, sealane_cpu_used());
    return SEALANE_OK;
}

void sealane_key_wipe(struct sealane_key *key)
{
    const struct aead_key *k = aead_key_of(key);
    const struct aead_suite *suite = k != NULL ? k->suite : NULL;

    if (key != NULL)
        secret_wipe(key, sizeof *key);
    if (suite != NULL)
        suite->clean(0, KEY_STACK);
}
