/* fuzz_burst.c: sealane_seal_burst and sealane_open_burst against libsodium, both ways. The input chooses the
 * level of kernels and the jobs of one burst: eight bytes a job. Every span is an allocation of its own and
 * of exactly its length, so that the sanitizer sees every byte beyond. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include <sealane/sealane.h>

enum { MAX_JOBS = 80, JOB_BYTES = 8, N_KEYS = 4, MAX_LEN = 3000, MAX_AAD = 100 };

/* What the input says of one job, and the bytes that are expected. */
struct expected {
    const uint8_t *raw_key;
    uint8_t *plain, *cipher;
    uint8_t tag[16];
    int forged;
};

static struct sealane_job jobs[MAX_JOBS];
static struct expected want[MAX_JOBS];
static uint8_t raw_keys[N_KEYS][32];
static struct sealane_key keys[N_KEYS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint8_t *new_bytes(size_t len)
{
    uint8_t *p = malloc(len + (len == 0));

    assert(p != NULL);
    return p;
}

static void make_keys(uint8_t choice)
{
    static const uint32_t masks[] = {SEALANE_LEVEL_AVX512,   SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_IFMA,
                                     SEALANE_LEVEL_AVX512VL, SEALANE_LEVEL_AVX512VL & ~SEALANE_CPU_IFMA,
                                     SEALANE_LEVEL_AVX2,     SEALANE_LEVEL_SSSE3,
                                     SEALANE_LEVEL_PORTABLE};

    sealane_cpu_use(masks[choice % (sizeof masks / sizeof masks[0])]);
    for (int i = 0; i < N_KEYS; i++) {
        int err;

        memset(raw_keys[i], 0x11 * (i + 1), 32);
        err = sealane_key_init(&keys[i], raw_keys[i]);
        assert(err == SEALANE_OK);
    }
}

static void make_job(size_t i, const uint8_t d[JOB_BYTES])
{
    struct sealane_job *j = &jobs[i];
    struct expected *w = &want[i];
    unsigned long long tag_len;
    uint8_t *aad;

    memset(j, 0, sizeof *j);
    j->len = ((size_t)d[0] | (size_t)d[1] << 8) % MAX_LEN;
    j->aad_len = d[2] % MAX_AAD;
    j->key = &keys[d[3] % N_KEYS];
    w->raw_key = raw_keys[d[3] % N_KEYS];
    w->forged = d[4] % 4 == 0;
    memset(j->nonce, (int)i, 12);
    j->nonce[0] = d[5];

    aad = new_bytes(j->aad_len);
    w->plain = new_bytes(j->len);
    w->cipher = new_bytes(j->len);
    for (size_t b = 0; b < j->aad_len; b++)
        aad[b] = (uint8_t)(d[6] + 3 * b);
    for (size_t b = 0; b < j->len; b++)
        w->plain[b] = (uint8_t)(d[7] + b * (b >> 7 | 1));
    j->aad = aad;
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(w->cipher, w->tag, &tag_len, w->plain, j->len, j->aad,
                                                       j->aad_len, NULL, j->nonce, w->raw_key);
    j->tag = new_bytes(16);
    j->out = new_bytes(j->len);
    if (d[4] & 0x80) { /* in place */
        if (j->len != 0)
            memcpy(j->out, w->plain, j->len);
        j->in = j->out;
    } else {
        j->in = w->plain;
    }
}

/* One bit of ciphertext, AAD, nonce or tag. */
static void forge(struct sealane_job *j, const uint8_t d[JOB_BYTES])
{
    uint8_t bit = (uint8_t)(1u << d[5] % 8);

    if (d[6] % 4 == 0 && j->len != 0)
        j->out[d[7] * (j->len - 1) / 255] ^= bit;
    else if (d[6] % 4 == 1 && j->aad_len != 0)
        ((uint8_t *)(uintptr_t)j->aad)[d[7] * (j->aad_len - 1) / 255] ^= bit;
    else if (d[6] % 4 == 2)
        j->nonce[d[7] % 12] ^= bit;
    else
        j->tag[d[7] % 16] ^= bit;
}

static void check_sealed(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert(jobs[i].status == SEALANE_OK);
        assert(jobs[i].len == 0 || memcmp(jobs[i].out, want[i].cipher, jobs[i].len) == 0);
        assert(memcmp(jobs[i].tag, want[i].tag, 16) == 0);
    }
}

static void check_opened(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert(jobs[i].status == (want[i].forged ? SEALANE_EFORGED : SEALANE_OK));
        for (size_t b = 0; b < jobs[i].len; b++)
            assert(jobs[i].out[b] == (want[i].forged ? 0 : want[i].plain[b]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t n, good = 0;

    if (len < 1)
        return 0;
    make_keys(data[0]);
    data++;
    n = (len - 1) / JOB_BYTES < MAX_JOBS ? (len - 1) / JOB_BYTES : MAX_JOBS;
    for (size_t i = 0; i < n; i++)
        make_job(i, data + i * JOB_BYTES);
    assert(sealane_seal_burst(jobs, n) == n);
    check_sealed(n);
    for (size_t i = 0; i < n; i++) {
        jobs[i].in = jobs[i].out; /* opened in place */
        if (want[i].forged)
            forge(&jobs[i], data + i * JOB_BYTES);
        good += !want[i].forged;
    }
    assert(sealane_open_burst(jobs, n) == good);
    check_opened(n);
    for (size_t i = 0; i < n; i++) {
        free((void *)(uintptr_t)jobs[i].aad);
        free(jobs[i].out);
        free(jobs[i].tag);
        free(want[i].plain);
        free(want[i].cipher);
    }
    return 0;
}
