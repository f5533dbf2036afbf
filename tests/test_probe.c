/* test_probe.c: the mask of cpu.h over a machine of the test's own: cpu_probe() is here, slow, and finds BMI2
 * and two features that nobody knows, of which one is off by default. So what the library makes of the answer
 * does not depend on where the test runs, and a first use by many threads surely overlaps. Built with a copy
 * of src/base/cpu.c. */
#include "hex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <sealane/sealane.h>

#include "aead_burst_kernels.h"
#include "aead_kernels.h"
#include "aead_key.h"
#include "channel.h"
#include "cpu_probe.h"

#define UNKNOWN UINT32_C(0x1000000)
#define SLOW UINT32_C(0x2000000) /* found, not used unless asked for */
#define FOUND (SEALANE_CPU_BMI2 | UNKNOWN | SLOW)
#define DEFAULTS (SEALANE_CPU_BMI2 | UNKNOWN)
#define N_THREADS 8

static atomic_int probes;

struct cpu_probe cpu_probe(void)
{
    atomic_fetch_add(&probes, 1);
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    return (struct cpu_probe){FOUND, DEFAULTS};
}

struct answer {
    int index;
    uint32_t found, used;
};

/* Half of them ask a little later, while the others are still being answered. */
static void *ask(void *arg)
{
    struct answer *a = arg;

    nanosleep(&(struct timespec){.tv_nsec = a->index * 4 * 1000 * 1000}, NULL);
    a->used = sealane_cpu_used();
    a->found = sealane_cpu_found();
    return NULL;
}

/* The first test of this program, for a first use happens once. */
static void first_use(void **unused)
{
    struct answer answers[N_THREADS];
    pthread_t threads[N_THREADS];

    (void)unused;
    for (int i = 0; i < N_THREADS; i++) {
        answers[i] = (struct answer){.index = i};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &answers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(answers[i].found, FOUND);
        assert_int_equal(answers[i].used, DEFAULTS);
    }
}

static void asked_once(void **unused)
{
    const int before = atomic_load(&probes);

    (void)unused;
    assert_in_range(before, 1, N_THREADS);
    assert_int_equal(sealane_cpu_found(), FOUND);
    assert_int_equal(sealane_cpu_used(), DEFAULTS);
    assert_int_equal(atomic_load(&probes), before);
}

static void mask(void **unused)
{
    static const uint32_t masks[] = {0, SEALANE_CPU_BMI2, SLOW, UINT32_MAX, SEALANE_LEVEL_AVX512, ~SLOW};

    (void)unused;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        sealane_cpu_use(masks[i]);
        assert_int_equal(sealane_cpu_used(), FOUND & masks[i]);
        assert_int_equal(sealane_cpu_found(), FOUND);
    }
    sealane_cpu_use(DEFAULTS);
}

/* The kernels that a channel's keys ask for are theirs only as far as the machine has them. */
static void more_than_the_machine_has(void **unused)
{
    struct sealane_keys keys = {
        .size = sizeof keys, .format = SEALANE_WIREGUARD, .cpu = SEALANE_LEVEL_AVX512};
    struct sealane_channel *ch;
    const struct aead_key *k;

    (void)unused;
    keys.rx_key[0] = 1;
    assert_int_equal(sealane_channel_new(&ch), 0);
    assert_int_equal(sealane_channel_install(ch, &keys, SEALANE_NOW), 0);
    k = aead_key_of(&channel_slot(ch, SEALANE_CURRENT)->tx);
    assert_ptr_equal(k->suite, aead_suite_for(SEALANE_CPU_BMI2));
    assert_ptr_equal(k->burst, aead_burst_ladder_for(SEALANE_CPU_BMI2));
    sealane_channel_free(ch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_use),
        cmocka_unit_test(asked_once),
        cmocka_unit_test(mask),
        cmocka_unit_test(more_than_the_machine_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
