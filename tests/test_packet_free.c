/* test_packet_free.c: memory that a channel gives back holds no key. Linked so that the library's calls of
 * free come by here (--wrap). */
#include "packet_kit.h"

#include "channel.h"

void __real_free(void *p);
void __wrap_free(void *p);

static const struct generation *watched;
static bool was_wiped;

void __wrap_free(void *p)
{
    static const uint8_t zero[sizeof watched->tx];
    const struct generation *g = p;

    if (g != NULL && g == watched) {
        was_wiped = memcmp(&g->tx, zero, sizeof g->tx) == 0 && memcmp(&g->rx, zero, sizeof g->rx) == 0 &&
                    memcmp(g->tx_iv, zero, sizeof g->tx_iv) == 0 &&
                    memcmp(g->rx_iv, zero, sizeof g->rx_iv) == 0;
        watched = NULL;
    }
    __real_free(p);
}

static void keys_in_every_slot_are_wiped(void **state)
{
    (void)state;
    for (int slot = SEALANE_PREVIOUS; slot <= SEALANE_NEXT; slot++) {
        struct sealane_channel *ch = kit_channel();

        for (uint32_t n = 0; n < 3; n++)
            kit_install(ch, SEALANE_OPENVPN, n, 0, n < 2 ? SEALANE_NOW : SEALANE_ON_FIRST_PACKET);
        watched = channel_slot(ch, slot);
        was_wiped = false;
        sealane_channel_free(ch);
        assert_null(watched);
        assert_true(was_wiped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_in_every_slot_are_wiped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
