/* test_first_use.c: eight threads make the process's first calls of cpu.h and of the library at the same
 * moment. Each trial is a fresh process, for a first use happens once. */
#include "hex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <sealane/sealane.h>
#include <sys/wait.h>

#define N_THREADS 8
#define N_TRIALS 60

struct result {
    uint32_t found, used;
    int error;
    uint8_t out[300], tag[16];
};

static struct result results[N_THREADS];
static atomic_int arrived;
static int skew; /* of this trial: how far apart the threads go on */

static void *first_use(void *arg)
{
    struct result *r = arg;
    const uint8_t raw[32] = {1}, nonce[12] = {2}, text[300] = {3};
    struct sealane_key key;

    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < N_THREADS)
        ;
    for (volatile int wait = skew * (int)(r - results); wait > 0; wait--)
        ;
    r->error = sealane_key_init(&key, raw);
    r->used = sealane_cpu_used();
    r->found = sealane_cpu_found();
    if (r->error == 0)
        r->error = sealane_seal(&key, nonce, NULL, 0, text, sizeof text, r->out, r->tag);
    return NULL;
}

/* In the child: 0, or what went wrong. */
static int trial(int number)
{
    pthread_t threads[N_THREADS];

    skew = number % 4 * number * 50;
    for (int i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, first_use, &results[i]) != 0)
            return 2;
    for (int i = 0; i < N_THREADS; i++)
        if (pthread_join(threads[i], NULL) != 0)
            return 3;
    for (int i = 0; i < N_THREADS; i++)
        if (results[i].error != 0 || results[i].found != sealane_cpu_found() ||
            results[i].used != sealane_cpu_used() || memcmp(&results[i], &results[0], sizeof results[0]) != 0)
            return 4;
    return 0;
}

static void threads_that_come_first(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_TRIALS; i++) {
        int status = -1;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0)
            _exit(trial(i));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
