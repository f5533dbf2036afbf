/* test_stack.c: how much stack the bursts use, as the public headers say it: aead.h of messages, packet.h of
 * packets. */
#include "hex.h"
#include "level.h"
#include "own_stack.h"

#include <sealane/sealane.h>

enum { PAINT = 0xa5, N = 64, MAX_LEN = 2000, SLOT = 2304, OFF = 64, KIB = 1024 };

static struct {
    struct sealane_key key[2];
    struct sealane_job jobs[N];
    struct sealane_packet packets[N];
    struct sealane_channel *from, *to;
    uint8_t memory[N][SLOT];
} w;

/* Bursts of every kind: one shape in lanes of each width, mixed lengths and keys, lone messages. */
static void set_jobs(int kind)
{
    for (size_t i = 0; i < N; i++) {
        const size_t lens[] = {64, 1420, 61 * i % MAX_LEN, i % 12 < 7 ? 64 : i % 12 < 11 ? 576 : 1420};
        uint8_t *text = w.memory[i] + OFF;

        w.jobs[i] = (struct sealane_job){.key = &w.key[i % 2],
                                         .in = text,
                                         .out = text,
                                         .len = lens[kind],
                                         .aad = w.memory[i],
                                         .aad_len = 16};
        w.jobs[i].tag = text + w.jobs[i].len;
    }
}

static void *seal_jobs(void *n)
{
    assert_int_equal(sealane_seal_burst(w.jobs, *(size_t *)n), *(size_t *)n);
    return NULL;
}

static void *open_jobs(void *n)
{
    assert_int_equal(sealane_open_burst(w.jobs, *(size_t *)n), *(size_t *)n);
    return NULL;
}

static void *seal_packets(void *n)
{
    assert_int_equal(sealane_seal_packets(w.packets, *(size_t *)n), *(size_t *)n);
    return NULL;
}

static void *open_packets(void *n)
{
    assert_int_equal(sealane_open_packets(w.packets, *(size_t *)n), *(size_t *)n);
    return NULL;
}

static void *nothing(void *n)
{
    return n;
}

static size_t used_of_all(void *(*work)(void *), size_t n)
{
    uint8_t *stack = own_stack_new();
    size_t at = 0;

    memset(stack, PAINT, OWN_STACK_LEN);
    own_stack_run_on(stack, work, &n);
    while (at < OWN_STACK_SEARCHED && stack[at] == PAINT)
        at++;
    own_stack_free(stack);
    return OWN_STACK_SEARCHED - at;
}

/* The bytes of stack that the work uses. */
static size_t used(void *(*work)(void *), size_t n)
{
    return used_of_all(work, n) - used_of_all(nothing, n);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void messages(void **unused)
{
    size_t most = 0;

    (void)unused;
    for (int kind = 0; kind < 4; kind++)
        for (size_t n = 1; n <= N; n = n < 8 ? n + 7 : 2 * n) {
            set_jobs(kind);
            most = larger(most, used(seal_jobs, n));
            most = larger(most, used(open_jobs, n));
        }
    print_message("messages: %zu bytes\n", most);
    assert_in_range(most, KIB, 26 * KIB);
}

static struct sealane_channel *channel(uint8_t tx, uint8_t rx)
{
    struct sealane_keys keys = {.size = sizeof keys,
                                .format = SEALANE_WIREGUARD,
                                .flags = SEALANE_RAW_INNER,
                                .tx_id = rx,
                                .rx_id = tx};
    struct sealane_channel *ch;

    memset(keys.tx_key, tx, sizeof keys.tx_key);
    memset(keys.rx_key, rx, sizeof keys.rx_key);
    assert_int_equal(sealane_channel_new(&ch), 0);
    assert_int_equal(sealane_channel_install(ch, &keys, SEALANE_NOW), 0);
    return ch;
}

static void packets(void **unused)
{
    size_t most;

    (void)unused;
    w.from = channel(1, 2);
    w.to = channel(2, 1);
    for (size_t i = 0; i < N; i++)
        w.packets[i] = (struct sealane_packet){
            .channel = w.from, .buf = w.memory[i], .cap = SLOT, .off = OFF, .len = 61 * i % MAX_LEN};
    most = used(seal_packets, N);
    for (size_t i = 0; i < N; i++)
        w.packets[i].channel = w.to;
    most = larger(most, used(open_packets, N));
    sealane_channel_free(w.from);
    sealane_channel_free(w.to);
    print_message("packets: %zu bytes\n", most);
    assert_in_range(most, KIB, 40 * KIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(packets),
    };

#ifndef __OPTIMIZE__
    print_message("skipped: frames of builds without optimization are larger than what is declared\n");
    return LEVEL_SKIPPED;
#endif
    level_from_environment();
    for (int i = 0; i < 2; i++)
        if (sealane_key_init(&w.key[i], w.memory[i]) != 0)
            return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
