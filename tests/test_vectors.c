/* test_vectors.c: vectors of documents other than RFC 8439: XChaCha20's draft, ChaCha with 8 and 12 rounds,
 * QUIC (RFC 9001), and packets of ESP (RFC 7634), WireGuard and OpenVPN as plain messages of aead.h. */
#include "hex.h"
#include "level.h"

#include <string.h>

#include <sealane/sealane.h>

#define MAX_LEN 128

struct message {
    const char *name, *key, *nonce, *aad, *plain, *cipher, *tag;
};

/* Nonce and AAD as each protocol makes them. */
static const struct message messages[] = {
    {"QUIC, RFC 9001 A.5", "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8",
     "e0459b3474bdd0e46d417eb0", "4200bff4", "01", "65", "5e5cd55c41f69080575d7999c25a5bfb"},
    {"ESP, RFC 7634 A", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     "a0a1a2a31011121314151617", "0102030400000005",
     "45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec100007362708090a0b0c0d0e0f"
     "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363701020204",
     "24039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c614ee8099d52844eb61aa95df"
     "ab4c02f72aa71e7c4c4f64c9befe2facc638e8f3cbec163fac469b502773f6fb94e664da9165b82829f641e0",
     "76aaa8266b7fb0f7b11b369907e1ad43"},
    {"ESP, sequence number of 64 bits", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     "a0a1a2a31011121314151617", "010203040000000100000005",
     "45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec100007362708090a0b0c0d0e0f"
     "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363701020204",
     "24039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c614ee8099d52844eb61aa95df"
     "ab4c02f72aa71e7c4c4f64c9befe2facc638e8f3cbec163fac469b502773f6fb94e664da9165b82829f641e0",
     "5b07088de62604bfad93485db1f36490"},
    {"ESP, implicit IV of RFC 8750", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     "a0a1a2a30000000000000005", "0102030400000005",
     "45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec100007362708090a0b0c0d0e0f"
     "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363701020204",
     "40a5013b9982a1c1c09ad9d6bec8c94941c3f1d4aed33e3399442ac42f9a1ffd9e252634d51c4d057b17a357"
     "46e1f0a8100d5535e0257cf69b0ecfeecfa03d50388df7410ab7e134488998f9805abe8aa5f769f1c185bacf",
     "59b4c9abdb85d98ff1b86b4dbf037444"},
    {"WireGuard, counter 0, keepalive", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "000000000000000000000000", "", "", "", "10324f800a160bd9a1794255be7ec29d"},
    {"WireGuard, counter 1", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "000000000100000000000000", "", "4500001400000000400100000000000000000000000000000000000000000000",
     "da57f34bb52aaf1869b7ae5c52959987c57deb0e476b60adc364b55b8de8dda4", "6a5c6a2125563f2dfba9405d7f498fa6"},
    {"WireGuard, the last counter, keepalive",
     "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00000000fedfffffffffffff", "", "",
     "", "94bb12bd15ecdf676bdb49c0f8455459"},
    {"OpenVPN P_DATA_V2", "616361676163616f3838383838383838515351575153515f72726f7874787073",
     "00000001212321272123212f", "4800001700000001",
     "54686520717569636b206c6974746c6520666f78206a756d7073206f76657220746865206275726561756372"
     "6174696320687572646c6573",
     "1e9df44cbc61e8e65b606504faaf107f3b94da1fa1c9b860fbdff86ad8ae6b5fbe762ba5beb3f09ad395efd7"
     "b47656ec824bbd83a44bbed5",
     "f2c9320d1ed7eb8a24d70ccb6f0da098"},
    {"OpenVPN epoch 4, counter 1", "137f8871a9f6a8b1688128ac5e82f2d87d611e4b3aab98180bb9fcdd9e2a223b",
     "b2e3dce36da8d32e22b97da8", "480000170004000000000001",
     "54686520717569636b206c6974746c6520666f78206a756d7073206f76657220746865206275726561756372"
     "6174696320687572646c6573",
     "27a290c2ad5e71757cc3470c9b73e57c28b6da1624a31221a64978c0b73091c27ce5b4ade64ad04cb5411fe5"
     "e1f606d7e78d1edbf5d6f9a3",
     "55b9d1aa5a4ca04688342fa9aa4bb06c"},
    {"OpenVPN epoch 4, the last counter", "137f8871a9f6a8b1688128ac5e82f2d87d611e4b3aab98180bb9fcdd9e2a223b",
     "b2e3231c92572cd022b97da8", "480000170004ffffffffffff", "2a", "1c", "52bff09d6492523faae0b0301f652b16"},
};

static void packets(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        const struct message *m = &messages[i];
        uint8_t raw[32], nonce[12], aad[16], plain[MAX_LEN], cipher[MAX_LEN], out[MAX_LEN], tag[16],
            want_tag[16];
        size_t aad_len = unhex(aad, sizeof aad, m->aad), len = unhex(plain, sizeof plain, m->plain);
        struct sealane_key key;

        print_message("%s\n", m->name);
        unhex_exactly(raw, 32, m->key);
        unhex_exactly(nonce, 12, m->nonce);
        unhex_exactly(cipher, len, m->cipher);
        unhex_exactly(want_tag, 16, m->tag);
        assert_int_equal(sealane_key_init(&key, raw), 0);
        assert_int_equal(sealane_seal(&key, nonce, aad, aad_len, plain, len, out, tag), 0);
        assert_memory_equal(out, cipher, len);
        assert_memory_equal(tag, want_tag, 16);
        assert_int_equal(sealane_open(&key, nonce, aad, aad_len, cipher, len, want_tag, out), 0);
        assert_memory_equal(out, plain, len);
        sealane_key_wipe(&key);
    }
}

/* draft-irtf-cfrg-xchacha section 2.2.1. */
static void hchacha20(void **unused)
{
    uint8_t key[32], in[16], want[32], out[32];

    (void)unused;
    unhex_exactly(key, 32, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    unhex_exactly(in, 16, "000000090000004a0000000031415927");
    unhex_exactly(want, 32, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc");
    sealane_hchacha20(out, key, in);
    assert_memory_equal(out, want, 32);
}

/* draft-irtf-cfrg-xchacha appendix A.3.1. */
static void xchacha20_poly1305(void **unused)
{
    uint8_t raw[32], nonce[24], aad[12], plain[114], cipher[114], out[114], want_tag[16], tag[16];
    struct sealane_key key;

    (void)unused;
    unhex_exactly(raw, 32, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    unhex_exactly(nonce, 24, "404142434445464748494a4b4c4d4e4f5051525354555657");
    unhex_exactly(aad, 12, "50515253c0c1c2c3c4c5c6c7");
    unhex_exactly(plain, 114,
                  "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966"
                  "204920636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f72207468652066757475"
                  "72652c2073756e73637265656e20776f756c642062652069742e");
    unhex_exactly(cipher, 114,
                  "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f"
                  "4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f"
                  "76b2383565d3fff921f9664c97637da9768812f615c68b13b52e");
    unhex_exactly(want_tag, 16, "c0875924c1c7987947deafd8780acf49");
    assert_int_equal(sealane_key_init(&key, raw), 0);
    assert_int_equal(sealane_xseal(&key, nonce, aad, 12, plain, 114, out, tag), 0);
    assert_memory_equal(out, cipher, 114);
    assert_memory_equal(tag, want_tag, 16);
    assert_int_equal(sealane_xopen(&key, nonce, aad, 12, cipher, 114, want_tag, out), 0);
    assert_memory_equal(out, plain, 114);
    for (int byte = 0; byte < 24; byte++) { /* every part of the long nonce counts */
        nonce[byte] ^= 1;
        assert_int_equal(sealane_xopen(&key, nonce, aad, 12, cipher, 114, want_tag, out), SEALANE_EFORGED);
        nonce[byte] ^= 1;
    }
    sealane_key_wipe(&key);
}

/* QUIC header protection, RFC 9001 section 5.4.4 and appendix A.5: five bytes of keystream at a counter and a
 * nonce that ciphertext gives. Any counter is legal. */
static void header_protection(void **unused)
{
    static const uint8_t zeros[65];
    uint8_t key[32], sample[16], want[5], mask[5], block[65];

    (void)unused;
    unhex_exactly(key, 32, "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4");
    unhex_exactly(sample, 16, "5e5cd55c41f69080575d7999c25a5bfb");
    unhex_exactly(want, 5, "aefefe7d03");
    assert_int_equal(sealane_chacha20_xor(mask, zeros, 5, key, sample + 4, 0x5cd55c5e), 0);
    assert_memory_equal(mask, want, 5);

    memset(block, 0, sizeof block);
    assert_int_equal(sealane_chacha20_xor(block, zeros, 64, key, sample + 4, 0xffffffff), 0);
    assert_memory_not_equal(block, zeros, 64);
    assert_int_equal(sealane_chacha20_xor(mask, zeros, 5, key, sample + 4, 0xffffffff), 0);
    assert_memory_equal(mask, block, 5);
    assert_int_equal(sealane_chacha20_xor(block, zeros, 65, key, sample + 4, 0xffffffff), SEALANE_ELIMIT);
}

/* draft-strombergson-chacha-test-vectors, TC1: all zero, 256-bit key; the nonce and counter words are all
 * zero too, so its 64-bit counter makes no difference. */
static void fewer_rounds(void **unused)
{
    static const struct {
        int rounds;
        const char *keystream;
    } vectors[] = {
        {8, "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
            "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42"},
        {12, "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f"
             "0564f879d27ae3c02ce82834acfa8c793a629f2ca0de6919610be82f411326be"},
        {20, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
             "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
    };
    const uint8_t key[32] = {0}, nonce[12] = {0}, zeros[64] = {0};

    (void)unused;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct sealane_chacha s;
        uint8_t want[64], out[64];

        unhex_exactly(want, 64, vectors[i].keystream);
        assert_int_equal(sealane_chacha_init(&s, vectors[i].rounds, key, nonce, 0), 0);
        assert_int_equal(sealane_chacha_crypt(&s, out, zeros, 64), 0);
        assert_memory_equal(out, want, 64);
        sealane_chacha_wipe(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets),
        cmocka_unit_test(hchacha20),
        cmocka_unit_test(xchacha20_poly1305),
        cmocka_unit_test(header_protection),
        cmocka_unit_test(fewer_rounds),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
