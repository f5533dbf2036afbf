/* test_bytes.c: the loads and stores of bytes.h, twice: as this machine takes them, and byte by byte, as a
 * big-endian one does. Built from this file with and without BYTE_BY_BYTE. */
#include "hex.h"

#include <string.h>

#ifdef BYTE_BY_BYTE
#undef __BYTE_ORDER__ /* nobody's order: every system header that asks was read before */
#endif
#include "bytes.h"

static const uint8_t bytes[9] = {0xff, 0x81, 0x92, 0xa3, 0xb4,
                                 0xc5, 0xd6, 0xe7, 0xf8}; /* from an odd address */

static void loads(void **unused)
{
    uint32_t words[2];

    (void)unused;
    assert_int_equal(load_be16(bytes + 1), 0x8192);
    assert_int_equal(load_be32(bytes + 1), 0x8192a3b4);
    assert_int_equal(load_le32(bytes + 1), 0xb4a39281);
    assert_true(load_le64(bytes + 1) == UINT64_C(0xf8e7d6c5b4a39281));
    load_le32_words(words, bytes + 1, 2);
    assert_int_equal(words[0], 0xb4a39281);
    assert_int_equal(words[1], 0xf8e7d6c5);
}

static void stores(void **unused)
{
    static const uint8_t turned[8] = {0xf8, 0xe7, 0xd6, 0xc5, 0xb4, 0xa3, 0x92, 0x81};
    uint8_t out[10];

    (void)unused;
    memset(out, 0x11, sizeof out);
    store_le32(out + 1, 0xb4a39281);
    assert_memory_equal(out + 1, bytes + 1, 4);
    store_be32(out + 1, 0xf8e7d6c5);
    assert_memory_equal(out + 1, turned, 4);
    assert_int_equal(out[5], 0x11);
    store_le64(out + 1, UINT64_C(0xf8e7d6c5b4a39281));
    assert_memory_equal(out + 1, bytes + 1, 8);
    store_be64(out + 1, UINT64_C(0xf8e7d6c5b4a39281));
    assert_memory_equal(out + 1, turned, 8);
    assert_int_equal(out[0], 0x11);
    assert_int_equal(out[9], 0x11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),
        cmocka_unit_test(stores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
