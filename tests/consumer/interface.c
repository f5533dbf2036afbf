/* interface.c: the whole public interface as its users see it: every function with its type, every struct
 * with its fields and its size, every number. What does not compile here breaks somebody's program. Built by
 * ../installed.sh as C and, through interface.cpp, as C++. */
#include <string.h>

#include <sealane/sealane.h>

#ifdef __cplusplus
#define CHECK(condition) static_assert(condition, #condition)
#else
#define CHECK(condition) _Static_assert(condition, #condition)
#endif

/* A field has this type: the comparison of pointers does not compile with another. */
#define FIELD(s, type, field)                                                                                \
    do {                                                                                                     \
        type *p = &(s)->field;                                                                               \
        used += p != NULL;                                                                                   \
    } while (0)

/* A function has this type. */
#define FUNCTION(result, name, ...)                                                                          \
    do {                                                                                                     \
        result (*f)(__VA_ARGS__) = name;                                                                     \
        used += f != NULL;                                                                                   \
    } while (0)

CHECK(SEALANE_OK == 0 && SEALANE_EINVAL == -1 && SEALANE_EOVERLAP == -2 && SEALANE_ESPACE == -3);
CHECK(SEALANE_ELENGTH == -4 && SEALANE_EFORGED == -5 && SEALANE_EREPLAY == -6 && SEALANE_ELIMIT == -7);
CHECK(SEALANE_ENOKEY == -8 && SEALANE_EFORMAT == -9);
CHECK(SEALANE_WIREGUARD == 1 && SEALANE_OPENVPN == 2 && SEALANE_OPENVPN_EPOCH == 3 && SEALANE_ESP == 4);
CHECK(SEALANE_ESN == 1 && SEALANE_IMPLICIT_IV == 2 && SEALANE_RAW_INNER == 4);
CHECK(SEALANE_NOW == 0 && SEALANE_ON_FIRST_PACKET == 1);
CHECK(SEALANE_PREVIOUS == 1 && SEALANE_CURRENT == 2 && SEALANE_NEXT == 3 && SEALANE_ALL == 4);
CHECK(SEALANE_REKEY == 1 && SEALANE_EXPIRED == 2 && SEALANE_EPOCH_KEYS == 3);
CHECK(SEALANE_DATA == 0 && SEALANE_KEEPALIVE == 1 && SEALANE_DUMMY == 2);
CHECK(SEALANE_KEY_LEN == 32 && SEALANE_NONCE_LEN == 12 && SEALANE_XNONCE_LEN == 24 && SEALANE_TAG_LEN == 16);
CHECK(SEALANE_CPU_SSSE3 == 1 && SEALANE_CPU_AVX2 == 2 && SEALANE_CPU_BMI2 == 4 && SEALANE_CPU_AVX512VL == 8);
CHECK(SEALANE_CPU_AVX512 == 16 && SEALANE_CPU_IFMA == 32 && SEALANE_CPU_NONE == 0x80000000);
CHECK(SEALANE_LEVEL_PORTABLE == 0 && SEALANE_LEVEL_SSSE3 == 1 && SEALANE_LEVEL_AVX2 == 7);
CHECK(SEALANE_LEVEL_AVX512VL == 0x2f && SEALANE_LEVEL_AVX512 == 0x3f);

CHECK(sizeof(struct sealane_key) == 192 && sizeof(struct sealane_chacha) == 96);
CHECK(sizeof(struct sealane_poly1305_state) == 512 && sizeof(struct sealane_keys) == 120);
CHECK(sizeof(struct sealane_stats) == 120);
CHECK(sizeof(void *) != 8 || (sizeof(struct sealane_job) == 80 && sizeof(struct sealane_packet) == 88));

static int used;

static void messages(void)
{
    struct sealane_job job = {0}, *j = &job;

    FUNCTION(const char *, sealane_strerror, int);
    FUNCTION(uint32_t, sealane_cpu_found, void);
    FUNCTION(uint32_t, sealane_cpu_used, void);
    FUNCTION(void, sealane_cpu_use, uint32_t);
    FUNCTION(int, sealane_key_init, struct sealane_key *, const uint8_t[32]);
    FUNCTION(void, sealane_key_wipe, struct sealane_key *);
    FUNCTION(int, sealane_seal, const struct sealane_key *, const uint8_t[12], const void *, size_t,
             const void *, size_t, void *, uint8_t[16]);
    FUNCTION(int, sealane_open, const struct sealane_key *, const uint8_t[12], const void *, size_t,
             const void *, size_t, const uint8_t[16], void *);
    FUNCTION(int, sealane_xseal, const struct sealane_key *, const uint8_t[24], const void *, size_t,
             const void *, size_t, void *, uint8_t[16]);
    FUNCTION(int, sealane_xopen, const struct sealane_key *, const uint8_t[24], const void *, size_t,
             const void *, size_t, const uint8_t[16], void *);
    FUNCTION(size_t, sealane_seal_burst, struct sealane_job *, size_t);
    FUNCTION(size_t, sealane_open_burst, struct sealane_job *, size_t);
    FIELD(j, const struct sealane_key *, key);
    FIELD(j, const uint8_t *, aad);
    FIELD(j, const uint8_t *, in);
    FIELD(j, uint8_t *, out);
    FIELD(j, uint8_t *, tag);
    FIELD(j, size_t, aad_len);
    FIELD(j, size_t, len);
    FIELD(j, void *, user);
    FIELD(j, int32_t, status);
    FIELD(j, uint8_t, nonce[11]);
}

static void cipher_and_authenticator(void)
{
    FUNCTION(int, sealane_chacha_init, struct sealane_chacha *, int, const uint8_t[32], const uint8_t[12],
             uint32_t);
    FUNCTION(int, sealane_chacha_crypt, struct sealane_chacha *, void *, const void *, size_t);
    FUNCTION(void, sealane_chacha_wipe, struct sealane_chacha *);
    FUNCTION(int, sealane_chacha20_xor, void *, const void *, size_t, const uint8_t[32], const uint8_t[12],
             uint32_t);
    FUNCTION(void, sealane_hchacha20, uint8_t[32], const uint8_t[32], const uint8_t[16]);
    FUNCTION(int, sealane_poly1305, uint8_t[16], const void *, size_t, const uint8_t[32]);
    FUNCTION(int, sealane_poly1305_init, struct sealane_poly1305_state *, const uint8_t[32]);
    FUNCTION(int, sealane_poly1305_update, struct sealane_poly1305_state *, const void *, size_t);
    FUNCTION(int, sealane_poly1305_final, struct sealane_poly1305_state *, uint8_t[16]);
}

static void channels(void)
{
    struct sealane_keys keys = {0}, *k = &keys;

    FUNCTION(int, sealane_channel_new, struct sealane_channel **);
    FUNCTION(void, sealane_channel_free, struct sealane_channel *);
    FUNCTION(int, sealane_channel_install, struct sealane_channel *, const struct sealane_keys *, int);
    FUNCTION(int, sealane_channel_retire, struct sealane_channel *, int);
    FUNCTION(int, sealane_channel_tick, struct sealane_channel *, uint64_t);
    FUNCTION(int, sealane_channel_due, const struct sealane_channel *);
    FUNCTION(int, sealane_channel_epoch, struct sealane_channel *, uint16_t, const uint8_t[32],
             const uint8_t[12], const uint8_t[32], const uint8_t[12]);
    FUNCTION(int, sealane_channel_stats, const struct sealane_channel *, struct sealane_stats *);
    FIELD(k, uint32_t, size);
    FIELD(k, uint32_t, format);
    FIELD(k, uint32_t, flags);
    FIELD(k, uint32_t, cpu);
    FIELD(k, uint8_t, tx_key[31]);
    FIELD(k, uint8_t, rx_key[31]);
    FIELD(k, uint8_t, tx_iv[11]);
    FIELD(k, uint8_t, rx_iv[11]);
    FIELD(k, uint32_t, tx_id);
    FIELD(k, uint32_t, rx_id);
    FIELD(k, uint32_t, window);
    FIELD(k, uint32_t, mtu);
}

static void packets(void)
{
    struct sealane_packet packet = {0}, *q = &packet;
    struct sealane_stats stats = {0}, *s = &stats;

    FUNCTION(size_t, sealane_seal_packets, struct sealane_packet *, size_t);
    FUNCTION(size_t, sealane_open_packets, struct sealane_packet *, size_t);
    FUNCTION(int, sealane_peek, uint32_t, const uint8_t *, size_t, uint32_t *);
    FUNCTION(size_t, sealane_headroom, uint32_t, uint32_t);
    FUNCTION(size_t, sealane_tailroom, uint32_t, uint32_t);
    FIELD(q, struct sealane_channel *, channel);
    FIELD(q, uint8_t *, buf);
    FIELD(q, size_t, cap);
    FIELD(q, const uint8_t *, src);
    FIELD(q, size_t, off);
    FIELD(q, size_t, len);
    FIELD(q, uint64_t, counter);
    FIELD(q, void *, user);
    FIELD(q, int32_t, status);
    FIELD(q, uint8_t, kind);
    FIELD(q, uint8_t, next_header);
    FIELD(q, uint8_t, slot);
    FIELD(q, uint8_t, reserved[16]);
    FIELD(s, uint32_t, size);
    FIELD(s, uint32_t, generations);
    FIELD(s, uint64_t, sealed_packets);
    FIELD(s, uint64_t, sealed_bytes);
    FIELD(s, uint64_t, opened_packets);
    FIELD(s, uint64_t, opened_bytes);
    FIELD(s, uint64_t, forged);
    FIELD(s, uint64_t, replayed);
    FIELD(s, uint64_t, malformed);
    FIELD(s, uint64_t, no_key);
    FIELD(s, uint64_t, limit);
    FIELD(s, uint64_t, tx_counter);
    FIELD(s, uint64_t, rx_newest);
    FIELD(s, uint64_t, key_age_ms);
    FIELD(s, uint64_t, keys_installed);
    FIELD(s, uint64_t, key_forged);
}

int main(void)
{
    messages();
    cipher_and_authenticator();
    channels();
    packets();
    return used != 34 + 10 + 12 + 13 + 16 || strcmp(sealane_strerror(SEALANE_OK), "success") != 0;
}
