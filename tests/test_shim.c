/* test_shim.c: the relay that other tests trust to do harm: what it says that it did is what arrives, and the
 * same seed does the same. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1000, SIZE = 100, WINDOW = 64, MAX_OPTIONS = 12 };
enum { PATIENCE_MS = 60000 }; /* for what has to come, however busy the machine is */

struct shim {
    pid_t pid;
    FILE *out;
    int left_port, right_port;
    int a, b; /* our ends: a speaks to the left socket, b to the right one */
};

/* What came out of the far end. */
struct outcome {
    unsigned arrived, late, twice, damaged, newest;
    uint8_t times[COUNT];
};

struct counts {
    unsigned long received, sent, dropped, reordered, duplicated, corrupted, too_big, unsent;
};

static int local_socket(int *port)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof addr;

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
    *port = ntohs(addr.sin_port);
    return fd;
}

static void connect_to(int fd, int port)
{
    struct sockaddr_in addr = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof addr), 0);
}

/* Starts the relay between two sockets of ours, with more options, which end with NULL. */
static struct shim start(const char *const *more)
{
    struct shim s;
    int pipe_fd[2], a_port, b_port;
    char b_peer[32];
    const char *args[8 + MAX_OPTIONS] = {SHIM_PATH,     "--left",       "127.0.0.1:0", "--right",
                                         "127.0.0.1:0", "--right-peer", b_peer};

    s.a = local_socket(&a_port);
    s.b = local_socket(&b_port);
    snprintf(b_peer, sizeof b_peer, "127.0.0.1:%d", b_port);
    for (size_t i = 0; more[i] != NULL; i++) {
        assert_true(i < MAX_OPTIONS);
        args[7 + i] = more[i];
    }
    assert_int_equal(pipe(pipe_fd), 0);
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failing test leaves no relay behind */
        dup2(pipe_fd[1], STDOUT_FILENO);
        close(pipe_fd[0]);
        execv(SHIM_PATH, (char *const *)args);
        _exit(127);
    }
    close(pipe_fd[1]);
    s.out = fdopen(pipe_fd[0], "r");
    assert_non_null(s.out);
    assert_int_equal(fscanf(s.out, "ready %d %d", &s.left_port, &s.right_port), 2);
    connect_to(s.a, s.left_port);
    connect_to(s.b, s.right_port);
    return s;
}

static int read_counts(FILE *f, struct counts *c)
{
    return fscanf(f,
                  " %*[^:]: {\"received\": %lu, \"sent\": %lu, \"dropped\": %lu, \"reordered\": %lu,"
                  " \"duplicated\": %lu, \"corrupted\": %lu, \"too_big\": %lu, \"unsent\": %lu}%*[,}]",
                  &c->received, &c->sent, &c->dropped, &c->reordered, &c->duplicated, &c->corrupted,
                  &c->too_big, &c->unsent);
}

/* Asks the relay by a signal what it did, from left to right and back. */
static void ask(struct shim *s, int signal, struct counts c[2])
{
    assert_int_equal(kill(s->pid, signal), 0);
    assert_int_equal(read_counts(s->out, &c[0]), 8);
    assert_int_equal(read_counts(s->out, &c[1]), 8);
}

/* Ends the relay; what it did in all. */
static void stop(struct shim *s, struct counts c[2])
{
    int status;

    ask(s, SIGTERM, c);
    assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fclose(s->out);
}

static void close_ends(struct shim *s)
{
    close(s->a);
    close(s->b);
}

static void fill(uint8_t data[SIZE], unsigned number)
{
    for (unsigned i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(number * 31 + i);
    memcpy(data, &number, sizeof number);
}

static unsigned differing_bits(const uint8_t *x, const uint8_t *y)
{
    unsigned n = 0;

    for (size_t i = 0; i < SIZE; i++)
        for (unsigned bits = x[i] ^ y[i]; bits != 0; bits &= bits - 1)
            n++;
    return n;
}

static bool is_waiting(int fd, int wait_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, wait_ms) == 1;
}

static void receive(int fd, struct outcome *o)
{
    uint8_t data[SIZE + 1], want[SIZE];
    unsigned number;

    assert_true(is_waiting(fd, PATIENCE_MS));
    assert_int_equal(recv(fd, data, sizeof data, 0), SIZE);
    o->arrived++;
    memcpy(&number, data, sizeof number);
    fill(want, number < COUNT ? number : 0);
    if (number >= COUNT || memcmp(data, want, SIZE) != 0) {
        o->damaged++;
        return;
    }
    o->twice += o->times[number]++ != 0;
    o->late += number < o->newest && o->times[number] == 1;
    o->newest = number > o->newest ? number : o->newest;
}

/* Waits until the relay has got so many: what is sent over loopback may be with a busy CPU for a while. */
static void wait_for_relay(struct shim *s, int way, unsigned long received, struct counts c[2])
{
    ask(s, SIGUSR1, c);
    for (int ms = 0; c[way].received < received; ms++) {
        assert_true(ms < PATIENCE_MS);
        usleep(1000);
        ask(s, SIGUSR1, c);
    }
}

/* COUNT datagrams from left to right (0) or back (1), not so many at once that a buffer overflows. */
static struct outcome transfer(struct shim *s, int way)
{
    const int from = way == 0 ? s->a : s->b, to = way == 0 ? s->b : s->a;
    struct outcome o = {0};
    struct counts c[2];

    for (unsigned sent = 0; sent < COUNT;) {
        for (unsigned i = 0; i < WINDOW && sent < COUNT; i++, sent++) {
            uint8_t data[SIZE];
            fill(data, sent);
            assert_int_equal(send(from, data, SIZE, 0), SIZE);
        }
        wait_for_relay(s, way, sent, c);
        while (o.arrived < c[way].sent)
            receive(to, &o);
    }
    return o;
}

static struct outcome run(const char *const *options, struct counts *c)
{
    struct shim s = start(options);
    struct outcome o = transfer(&s, 0);

    stop(&s, c);
    while (o.arrived < c[0].sent) /* those that were held back to the end */
        receive(s.b, &o);
    assert_false(is_waiting(s.b, 0));
    close_ends(&s);
    assert_int_equal(c[0].received, COUNT);
    assert_int_equal(c[0].unsent, 0);
    assert_int_equal(c[0].sent, c[0].received - c[0].dropped - c[0].too_big + c[0].duplicated);
    return o;
}

static void harmless_without_options(void **state)
{
    (void)state;
    struct counts c[2];
    struct shim s = start((const char *const[]){NULL});
    struct outcome there = transfer(&s, 0), back = transfer(&s, 1); /* a's address is learned */

    stop(&s, c);
    close_ends(&s);
    assert_true(there.arrived == COUNT && there.late + there.twice + there.damaged == 0);
    assert_true(back.arrived == COUNT && back.late + back.twice + back.damaged == 0);
    assert_true(c[0].sent == COUNT && c[1].sent == COUNT && c[0].dropped + c[1].dropped == 0);
}

/* Of 1000 draws at 0.1, 43 to 157 is six standard deviations either side of 100. */
static void drops(void **state)
{
    (void)state;
    struct counts c[2];
    struct outcome o = run((const char *const[]){"--drop", "0.1", "--seed", "7", NULL}, c);

    assert_in_range(c[0].dropped, 43, 157);
    assert_int_equal(o.late + o.twice + o.damaged, 0);
    struct outcome again = run((const char *const[]){"--drop", "0.1", "--seed", "7", NULL}, c);
    assert_memory_equal(o.times, again.times, sizeof o.times);
    struct outcome other = run((const char *const[]){"--drop", "0.1", "--seed", "8", NULL}, c);
    assert_memory_not_equal(o.times, other.times, sizeof o.times);
    run((const char *const[]){"--drop", "1", NULL}, c);
    assert_int_equal(c[0].dropped, COUNT);
}

static void reorders(void **state)
{
    (void)state;
    struct counts c[2];
    struct outcome o = run((const char *const[]){"--reorder", "0.1", NULL}, c);

    assert_in_range(c[0].reordered, 43, 157);
    assert_in_range(o.late, c[0].reordered / 2, c[0].reordered);
    assert_int_equal(o.twice + o.damaged, 0);
}

static void duplicates(void **state)
{
    (void)state;
    struct counts c[2];
    struct outcome o = run((const char *const[]){"--duplicate", "0.1", NULL}, c);

    assert_in_range(c[0].duplicated, 43, 157);
    assert_int_equal(o.twice, c[0].duplicated);
    assert_int_equal(o.damaged, 0);
}

static void corrupts(void **state)
{
    (void)state;
    struct counts c[2];
    struct outcome o = run((const char *const[]){"--corrupt", "0.1", NULL}, c);

    assert_in_range(c[0].corrupted, 43, 157);
    assert_int_equal(o.damaged, c[0].corrupted);
    assert_int_equal(o.twice, 0);
}

static void corrupts_one_bit(void **state)
{
    (void)state;
    struct counts c[2];
    struct shim s = start((const char *const[]){"--corrupt", "1", NULL});
    uint8_t data[SIZE], got[SIZE];

    fill(data, 5);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(send(s.a, data, SIZE, 0), SIZE);
        assert_int_equal(recv(s.b, got, SIZE, 0), SIZE);
        assert_int_equal(differing_bits(data, got), 1);
    }
    stop(&s, c);
    close_ends(&s);
    assert_int_equal(c[0].corrupted, 20);
}

static void swallows_what_is_too_big(void **state)
{
    (void)state;
    struct counts c[2];

    run((const char *const[]){"--max-size", "99", NULL}, c);
    assert_int_equal(c[0].too_big, COUNT);
    run((const char *const[]){"--max-size", "100", NULL}, c);
    assert_int_equal(c[0].too_big, 0);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    static const char *const nonsense[] = {
        "--drop 2", "--drop x", "--left 127.0.0.1", "--left host:1", "--seed 1x", "--right ::1", "extra",
    };

    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        char command[512];
        snprintf(command, sizeof command,
                 SHIM_PATH " --left 127.0.0.1:0 --right 127.0.0.1:0 %s >/dev/null 2>&1", nonsense[i]);
        assert_int_equal(WEXITSTATUS(system(command)), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmless_without_options),
        cmocka_unit_test(drops),
        cmocka_unit_test(reorders),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(corrupts),
        cmocka_unit_test(corrupts_one_bit),
        cmocka_unit_test(swallows_what_is_too_big),
        cmocka_unit_test(refuses_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
