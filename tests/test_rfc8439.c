/* test_rfc8439.c: the vectors of RFC 8439. */
#include "hex.h"
#include "level.h"

#include <string.h>

#include <sealane/sealane.h>

/* Section 2.8.2. */
static void aead_2_8_2(void **unused)
{
    static const char text[] =
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        "future, sunscreen would be it.";
    const size_t len = sizeof text - 1;
    uint8_t raw[32], nonce[12], aad[12], want[114], want_tag[16], out[114], tag[16], back[114];
    struct sealane_key key;

    (void)unused;
    unhex(raw, sizeof raw, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    unhex(nonce, sizeof nonce, "070000004041424344454647");
    unhex(aad, sizeof aad, "50515253c0c1c2c3c4c5c6c7");
    assert_int_equal(unhex(want, sizeof want,
                           "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
                           "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
                           "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
                           "3ff4def08e4b7a9de576d26586cec64b6116"),
                     len);
    unhex(want_tag, sizeof want_tag, "1ae10b594f09e26a7e902ecbd0600691");
    assert_int_equal(sealane_key_init(&key, raw), 0);
    assert_int_equal(sealane_seal(&key, nonce, aad, sizeof aad, text, len, out, tag), 0);
    assert_memory_equal(out, want, len);
    assert_memory_equal(tag, want_tag, 16);
    assert_int_equal(sealane_open(&key, nonce, aad, sizeof aad, out, len, tag, back), 0);
    assert_memory_equal(back, text, len);
    sealane_key_wipe(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aead_2_8_2),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
