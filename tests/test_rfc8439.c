/* test_rfc8439.c: all vectors of RFC 8439: the sections' own and those of appendix A. */
#include "hex.h"
#include "level.h"

#include <string.h>

#include <sealane/sealane.h>

#include "chacha_round.h"

#define MAX_LEN 400

/* The texts of the document, in hexadecimal: sections 2.4.2 and 2.8.2, appendix A.2 #2, appendix A.2 #3. */
#define SUNSCREEN                                                                                            \
    "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a20"                   \
    "4966204920636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f722074686520"                   \
    "6675747572652c2073756e73637265656e20776f756c642062652069742e"
#define IETF_TEXT                                                                                            \
    "416e79207375626d697373696f6e20746f20746865204945544620696e74656e64656420627920746865"                   \
    "20436f6e7472696275746f7220666f72207075626c69636174696f6e20617320616c6c206f7220706172"                   \
    "74206f6620616e204945544620496e7465726e65742d4472616674206f722052464320616e6420616e79"                   \
    "2073746174656d656e74206d6164652077697468696e2074686520636f6e74657874206f6620616e2049"                   \
    "45544620616374697669747920697320636f6e7369646572656420616e20224945544620436f6e747269"                   \
    "627574696f6e222e20537563682073746174656d656e747320696e636c756465206f72616c2073746174"                   \
    "656d656e747320696e20494554462073657373696f6e732c2061732077656c6c20617320777269747465"                   \
    "6e20616e6420656c656374726f6e696320636f6d6d756e69636174696f6e73206d61646520617420616e"                   \
    "792074696d65206f7220706c6163652c207768696368206172652061646472657373656420746f"
#define JABBERWOCKY                                                                                          \
    "2754776173206272696c6c69672c20616e642074686520736c6974687920746f7665730a446964206779"                   \
    "726520616e642067696d626c6520696e2074686520776162653a0a416c6c206d696d7379207765726520"                   \
    "74686520626f726f676f7665732c0a416e6420746865206d6f6d65207261746873206f75746772616265"                   \
    "2e"

static void quarter_round_2_1_1(void **unused)
{
    uint32_t a = 0x11111111, b = 0x01020304, c = 0x9b8d6f43, d = 0x01234567;

    (void)unused;
    chacha_quarter_round(&a, &b, &c, &d);
    assert_int_equal(a, 0xea2a92f4);
    assert_int_equal(b, 0xcb1cf8ce);
    assert_int_equal(c, 0x4581472e);
    assert_int_equal(d, 0x5881c4bb);
}

static void quarter_round_2_2_1(void **unused)
{
    uint32_t x[16] = {0x879531e0, 0xc5ecf37d, 0x516461b1, 0xc9a62f8a, 0x44c20ef3, 0x3390af7f,
                      0xd9fc690b, 0x2a5f714c, 0x53372767, 0xb00a5631, 0x974c541a, 0x359e9963,
                      0x5c971061, 0x3d631689, 0x2098d9d6, 0x91dbd320};
    static const uint32_t want[16] = {0x879531e0, 0xc5ecf37d, 0xbdb886dc, 0xc9a62f8a, 0x44c20ef3, 0x3390af7f,
                                      0xd9fc690b, 0xcfacafd2, 0xe46bea80, 0xb00a5631, 0x974c541a, 0x359e9963,
                                      0x5c971061, 0xccc07c79, 0x2098d9d6, 0x91dbd320};

    (void)unused;
    chacha_quarter_round(&x[2], &x[7], &x[8], &x[13]);
    assert_memory_equal(x, want, sizeof want);
}

struct block_vector {
    const char *name, *key, *nonce;
    uint32_t counter;
    const char *keystream;
};

/* Section 2.3.2, appendix A.1. */
static const struct block_vector block_vectors[] = {
    {"2.3.2", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000000090000004a00000000",
     1,
     "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa09"
     "14c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
    {"A.1 #1", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     0,
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d"
     "7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
    {"A.1 #2", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     1,
     "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43"
     "d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
    {"A.1 #3", "0000000000000000000000000000000000000000000000000000000000000001", "000000000000000000000000",
     1,
     "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bda"
     "d192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
    {"A.1 #4", "00ff000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     2,
     "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca13b25aa26cb4a648"
     "cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
    {"A.1 #5", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000002",
     0,
     "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c78a970e0e955c14f3"
     "a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"},
};

static void blocks(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof block_vectors / sizeof block_vectors[0]; i++) {
        const struct block_vector *v = &block_vectors[i];
        uint8_t key[32], nonce[12], want[64], out[64] = {0};

        print_message("%s\n", v->name);
        unhex_exactly(key, 32, v->key);
        unhex_exactly(nonce, 12, v->nonce);
        unhex_exactly(want, 64, v->keystream);
        assert_int_equal(sealane_chacha20_xor(out, out, 64, key, nonce, v->counter), 0);
        assert_memory_equal(out, want, 64);
    }
}

struct cipher_vector {
    const char *name, *key, *nonce;
    uint32_t counter;
    const char *plain, *cipher;
};

/* Section 2.4.2, appendix A.2. */
static const struct cipher_vector cipher_vectors[] = {
    {"2.4.2", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000000000000004a00000000",
     1, SUNSCREEN,
     "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab"
     "8f593dabcd62b3571639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e"
     "52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d"},
    {"A.2 #1", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     0,
     "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "000000000000000000000000000000000000000000000000",
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d"
     "7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
    {"A.2 #2", "0000000000000000000000000000000000000000000000000000000000000001", "000000000000000000000002",
     1, IETF_TEXT,
     "a3fbf07df3fa2fde4f376ca23e82737041605d9f4f4f57bd8cff2c1d4b7955ec2a97948bd3722915"
     "c8f3d337f7d370050e9e96d647b7c39f56e031ca5eb6250d4042e02785ececfa4b4bb5e8ead0440e"
     "20b6e8db09d881a7c6132f420e52795042bdfa7773d8a9051447b3291ce1411c680465552aa6c405"
     "b7764d5e87bea85ad00f8449ed8f72d0d662ab052691ca66424bc86d2df80ea41f43abf937d3259d"
     "c4b2d0dfb48a6c9139ddd7f76966e928e635553ba76c5c879d7b35d49eb2e62b0871cdac638939e2"
     "5e8a1e0ef9d5280fa8ca328b351c3c765989cbcf3daa8b6ccc3aaf9f3979c92b3720fc88dc95ed84"
     "a1be059c6499b9fda236e7e818b04b0bc39c1e876b193bfe5569753f88128cc08aaa9b63d1a16f80"
     "ef2554d7189c411f5869ca52c5b83fa36ff216b9c1d30062bebcfd2dc5bce0911934fda79a86f6e6"
     "98ced759c3ff9b6477338f3da4f9cd8514ea9982ccafb341b2384dd902f3d1ab7ac61dd29c6f21ba"
     "5b862f3730e37cfdc4fd806c22f221"},
    {"A.2 #3", "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", "000000000000000000000002",
     42, JABBERWOCKY,
     "62e6347f95ed87a45ffae7426f27a1df5fb69110044c0d73118effa95b01e5cf166d3df2d721caf9"
     "b21e5fb14c616871fd84c54f9d65b283196c7fe4f60553ebf39c6402c42234e32a356b3e764312a6"
     "1a5532055716ead6962568f87d3f3f7704c6a8d1bcd1bf4d50d6154b6da731b187b58dfd728afa36"
     "757a797ac188d1"},
};

static void ciphers(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cipher_vectors / sizeof cipher_vectors[0]; i++) {
        const struct cipher_vector *v = &cipher_vectors[i];
        uint8_t key[32], nonce[12], plain[MAX_LEN], want[MAX_LEN], out[MAX_LEN];
        size_t len = unhex(plain, sizeof plain, v->plain);

        print_message("%s\n", v->name);
        unhex_exactly(key, 32, v->key);
        unhex_exactly(nonce, 12, v->nonce);
        unhex_exactly(want, len, v->cipher);
        assert_int_equal(sealane_chacha20_xor(out, plain, len, key, nonce, v->counter), 0);
        assert_memory_equal(out, want, len);
    }
}

struct mac_vector {
    const char *name, *key, *msg, *tag;
};

/* Section 2.5.2, appendix A.3. */
static const struct mac_vector mac_vectors[] = {
    {"2.5.2", "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
     "43727970746f6772617068696320466f72756d2052657365617263682047726f7570",
     "a8061dc1305136c6c22b8baf0c0127a9"},
    {"A.3 #1", "0000000000000000000000000000000000000000000000000000000000000000",
     "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "000000000000000000000000000000000000000000000000",
     "00000000000000000000000000000000"},
    {"A.3 #2", "0000000000000000000000000000000036e5f6b5c5e06070f0efca96227a863e", IETF_TEXT,
     "36e5f6b5c5e06070f0efca96227a863e"},
    {"A.3 #3", "36e5f6b5c5e06070f0efca96227a863e00000000000000000000000000000000", IETF_TEXT,
     "f3477e7cd95417af89a6b8794c310cf0"},
    {"A.3 #4", "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", JABBERWOCKY,
     "4541669a7eaaee61e708dc7cbcc5eb62"},
    {"A.3 #5, h not fully reduced", "0200000000000000000000000000000000000000000000000000000000000000",
     "ffffffffffffffffffffffffffffffff", "03000000000000000000000000000000"},
    {"A.3 #6, the addition of s overflows 2^128",
     "02000000000000000000000000000000ffffffffffffffffffffffffffffffff", "02000000000000000000000000000000",
     "03000000000000000000000000000000"},
    {"A.3 #7, a limb of all ones with a carry from below",
     "0100000000000000000000000000000000000000000000000000000000000000",
     "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff1100000000000000"
     "0000000000000000",
     "05000000000000000000000000000000"},
    {"A.3 #8, h = 2^130 - 5", "0100000000000000000000000000000000000000000000000000000000000000",
     "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe0101010101010101"
     "0101010101010101",
     "00000000000000000000000000000000"},
    {"A.3 #9, h = 2^130 - 6", "0200000000000000000000000000000000000000000000000000000000000000",
     "fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"},
    {"A.3 #10, a 131-bit intermediate", "0100000000000000040000000000000000000000000000000000000000000000",
     "e33594d7505e43b900000000000000003394d7505e4379cd01000000000000000000000000000000"
     "000000000000000001000000000000000000000000000000",
     "14000000000000005500000000000000"},
    {"A.3 #11, a 131-bit result", "0100000000000000040000000000000000000000000000000000000000000000",
     "e33594d7505e43b900000000000000003394d7505e4379cd01000000000000000000000000000000"
     "0000000000000000",
     "13000000000000000000000000000000"},
};

static void macs(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mac_vectors / sizeof mac_vectors[0]; i++) {
        const struct mac_vector *v = &mac_vectors[i];
        struct sealane_poly1305_state s;
        uint8_t key[32], msg[MAX_LEN], want[16], tag[16];
        size_t len = unhex(msg, sizeof msg, v->msg);

        print_message("%s\n", v->name);
        unhex_exactly(key, 32, v->key);
        unhex_exactly(want, 16, v->tag);
        assert_int_equal(sealane_poly1305(tag, msg, len, key), 0);
        assert_memory_equal(tag, want, 16);
        for (size_t cut = 0; cut <= len; cut++) {
            memset(tag, 0, sizeof tag);
            assert_int_equal(sealane_poly1305_init(&s, key), 0);
            assert_int_equal(sealane_poly1305_update(&s, msg, cut), 0);
            assert_int_equal(sealane_poly1305_update(&s, msg + cut, len - cut), 0);
            assert_int_equal(sealane_poly1305_final(&s, tag), 0);
            assert_memory_equal(tag, want, 16);
        }
    }
}

struct mac_key_vector {
    const char *name, *key, *nonce, *mac_key;
};

/* Section 2.6.2, appendix A.4. */
static const struct mac_key_vector mac_key_vectors[] = {
    {"2.6.2", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", "000000000001020304050607",
     "8ad5a08b905f81cc815040274ab29471a833b637e3fd0da508dbb8e2fdd1a646"},
    {"A.4 #1", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"},
    {"A.4 #2", "0000000000000000000000000000000000000000000000000000000000000001", "000000000000000000000002",
     "ecfa254f845f647473d3cb140da9e87606cb33066c447b87bc2666dde3fbb739"},
    {"A.4 #3", "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", "000000000000000000000002",
     "965e3bc6f9ec7ed9560808f4d229f94b137ff275ca9b3fcbdd59deaad23310ae"},
};

/* The key is block 0's first half; and sealing uses it: the tag of an empty message is the MAC of 16 zero
 * bytes. */
static void mac_keys(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mac_key_vectors / sizeof mac_key_vectors[0]; i++) {
        const struct mac_key_vector *v = &mac_key_vectors[i];
        struct sealane_key k;
        uint8_t key[32], nonce[12], want[32], mac_key[32] = {0}, lengths[16] = {0}, tag[16], want_tag[16];

        print_message("%s\n", v->name);
        unhex_exactly(key, 32, v->key);
        unhex_exactly(nonce, 12, v->nonce);
        unhex_exactly(want, 32, v->mac_key);
        assert_int_equal(sealane_chacha20_xor(mac_key, mac_key, 32, key, nonce, 0), 0);
        assert_memory_equal(mac_key, want, 32);
        assert_int_equal(sealane_poly1305(want_tag, lengths, 16, want), 0);
        assert_int_equal(sealane_key_init(&k, key), 0);
        assert_int_equal(sealane_seal(&k, nonce, NULL, 0, NULL, 0, NULL, tag), 0);
        assert_memory_equal(tag, want_tag, 16);
        sealane_key_wipe(&k);
    }
}

struct aead_vector {
    const char *name, *key, *nonce, *aad, *plain, *cipher, *tag;
};

/* Section 2.8.2, appendix A.5. */
static const struct aead_vector aead_vectors[] = {
    {"2.8.2", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", "070000004041424344454647",
     "50515253c0c1c2c3c4c5c6c7", SUNSCREEN,
     "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca96712"
     "82fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58"
     "fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116",
     "1ae10b594f09e26a7e902ecbd0600691"},
    {"A.5", "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", "000000000102030405060708",
     "f33388860000000000004e91",
     "496e7465726e65742d4472616674732061726520647261667420646f63756d656e74732076616c69"
     "6420666f722061206d6178696d756d206f6620736978206d6f6e74687320616e64206d6179206265"
     "20757064617465642c207265706c616365642c206f72206f62736f6c65746564206279206f746865"
     "7220646f63756d656e747320617420616e792074696d652e20497420697320696e617070726f7072"
     "6961746520746f2075736520496e7465726e65742d447261667473206173207265666572656e6365"
     "206d6174657269616c206f7220746f2063697465207468656d206f74686572207468616e20617320"
     "2fe2809c776f726b20696e2070726f67726573732e2fe2809d",
     "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43ee"
     "a09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b9481"
     "14ad176e008d33bd60f982b1ff37c8559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0"
     "f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
     "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a0bb2316053fa7699"
     "1955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130"
     "305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b02709b",
     "eead9d67890cbb22392336fea1851f38"},
};

static void aeads(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof aead_vectors / sizeof aead_vectors[0]; i++) {
        const struct aead_vector *v = &aead_vectors[i];
        struct sealane_key k;
        uint8_t key[32], nonce[12], aad[12], plain[MAX_LEN], cipher[MAX_LEN], out[MAX_LEN], want_tag[16],
            tag[16];
        size_t len = unhex(plain, sizeof plain, v->plain);

        print_message("%s\n", v->name);
        unhex_exactly(key, 32, v->key);
        unhex_exactly(nonce, 12, v->nonce);
        unhex_exactly(aad, 12, v->aad);
        unhex_exactly(cipher, len, v->cipher);
        unhex_exactly(want_tag, 16, v->tag);
        assert_int_equal(sealane_key_init(&k, key), 0);
        assert_int_equal(sealane_seal(&k, nonce, aad, 12, plain, len, out, tag), 0);
        assert_memory_equal(out, cipher, len);
        assert_memory_equal(tag, want_tag, 16);
        assert_int_equal(sealane_open(&k, nonce, aad, 12, cipher, len, want_tag, out), 0);
        assert_memory_equal(out, plain, len);
        sealane_key_wipe(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarter_round_2_1_1),
        cmocka_unit_test(quarter_round_2_2_1),
        cmocka_unit_test(blocks),
        cmocka_unit_test(ciphers),
        cmocka_unit_test(macs),
        cmocka_unit_test(mac_keys),
        cmocka_unit_test(aeads),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
