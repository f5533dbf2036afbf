/* test_udp_send.c: the tunnel's udp_send.c before a kernel that takes a part, has no room, or refuses: every
 * datagram goes once and in its order, or is counted; what goes together is what a kernel can cut again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

#include "inner_packet.h"
#include "udp.h"

enum { N = 400, LEN_MOST = 1452, SEGMENTS = 64, TOTAL = 65507 };

/* The kernel. */
static struct {
    int error;          /* of every call; 0: none */
    int gso_error;      /* of segmented messages, */
    size_t gso_most;    /* whose segments are longer than this */
    unsigned most;      /* messages that it takes in one call */
    uint64_t *troubled; /* random errors, too: the state of their generator */
    unsigned messages;
    uint64_t now;
} kernel;

static struct sealane_packet packets[N];
static uint8_t bytes[N][LEN_MOST];
static size_t sent[N + 1], n_sent; /* indices of packets */
static struct udp udp;
static struct stats stats;
static const struct address nowhere = {.len = sizeof(struct sockaddr_in)};

static int refuse(int error)
{
    errno = error;
    return -1;
}

/* Is what would be cut the datagrams that were put together? */
static void check_message(const struct msghdr *m)
{
    size_t total = 0;
    const struct cmsghdr *c = CMSG_FIRSTHDR(m);
    uint16_t segment;

    assert_in_range(m->msg_iovlen, 1, SEGMENTS);
    for (size_t i = 0; i < m->msg_iovlen; i++) {
        total += m->msg_iov[i].iov_len;
        if (i + 1 < m->msg_iovlen)
            assert_int_equal(m->msg_iov[i].iov_len, m->msg_iov[0].iov_len);
        else
            assert_in_range(m->msg_iov[i].iov_len, 1, m->msg_iov[0].iov_len);
    }
    assert_in_range(total, 1, TOTAL);
    assert_int_equal(c != NULL, m->msg_iovlen > 1);
    if (c != NULL) {
        memcpy(&segment, CMSG_DATA(c), sizeof(segment));
        assert_int_equal(c->cmsg_type, UDP_SEGMENT);
        assert_int_equal(segment, m->msg_iov[0].iov_len);
    }
}

static int trouble(void)
{
    static const int errors[] = {EAGAIN, ENOBUFS, ENOMEM, EINTR};

    return inner_random(kernel.troubled) % 4 != 0 ? 0 : errors[inner_random(kernel.troubled) % 4];
}

/* In place of the system's. */
int sendmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
    unsigned taken = 0, most = kernel.most;

    (void)fd;
    (void)flags;
    if (kernel.error != 0)
        return refuse(kernel.error);
    if (kernel.troubled != NULL) {
        int error = trouble();

        if (error != 0)
            return refuse(error);
        most = 1 + inner_random(kernel.troubled) % 8;
    }
    for (; taken < n && taken < most; taken++) {
        const struct msghdr *m = &messages[taken].msg_hdr;

        check_message(m);
        if (kernel.gso_error != 0 && m->msg_iovlen > 1 && m->msg_iov[0].iov_len > kernel.gso_most)
            return taken == 0 ? refuse(kernel.gso_error) : (int)taken;
        for (size_t i = 0; i < m->msg_iovlen; i++) {
            assert_in_range(n_sent, 0, N - 1);
            sent[n_sent++] = (size_t)((const uint8_t *)m->msg_iov[i].iov_base - bytes[0]) / LEN_MOST;
        }
        kernel.messages++;
    }
    return (int)taken;
}

static void start(void)
{
    memset(&kernel, 0, sizeof(kernel));
    memset(&stats, 0, sizeof(stats));
    kernel.most = UINT32_MAX;
    kernel.now = 1;
    udp = (struct udp){.gso = 1, .gso_most = SIZE_MAX};
    n_sent = 0;
}

static void put(size_t i, size_t len)
{
    packets[i] = (struct sealane_packet){.buf = bytes[i], .cap = LEN_MOST, .len = len};
}

/* Sends n packets of one length, the last one perhaps of another, and says how many messages that were. */
static unsigned messages_with(size_t n, size_t len, size_t last)
{
    size_t next = 0;

    for (size_t i = 0; i < n; i++)
        put(i, i + 1 < n ? len : last);
    kernel.messages = 0;
    n_sent = 0;
    assert_int_equal(udp_send(&udp, packets, n, &next, &nowhere, &stats, kernel.now), UDP_DONE);
    assert_int_equal(n_sent, n);
    return kernel.messages;
}

static unsigned messages_of(size_t n, size_t len)
{
    return messages_with(n, len, len);
}

static void as_much_goes_together_as_a_kernel_takes(void **state)
{
    (void)state;
    start();
    assert_int_equal(messages_of(SEGMENTS, 100), 1);
    assert_int_equal(messages_of(SEGMENTS + 1, 100), 2);
    assert_int_equal(messages_with(46, 1452, TOTAL - 45 * 1452), 1);
    assert_int_equal(messages_with(46, 1452, TOTAL - 45 * 1452 + 1), 2);
    assert_int_equal(messages_with(4, 100, 99), 1);
    assert_int_equal(messages_with(4, 100, 101), 2);
    assert_int_equal(messages_of(N, 1452), 9);
    udp.gso = 0;
    assert_int_equal(messages_of(40, 100), 40);
}

static void a_full_socket_keeps_the_rest(void **state)
{
    static const struct {
        int error;
        enum udp_result result;
    } cases[] = {{EAGAIN, UDP_WAIT}, {ENOBUFS, UDP_PAUSE}, {ENOMEM, UDP_PAUSE}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t next = 3;

        start();
        for (size_t k = 0; k < 10; k++)
            put(k, 200);
        kernel.error = cases[i].error;
        assert_int_equal(udp_send(&udp, packets, 10, &next, &nowhere, &stats, kernel.now), cases[i].result);
        assert_int_equal(next, 3);
        kernel.error = 0;
        assert_int_equal(udp_send(&udp, packets, 10, &next, &nowhere, &stats, kernel.now), UDP_DONE);
        assert_int_equal(n_sent, 7);
        assert_int_equal(sent[0], 3);
    }
}

/* Refused sizes go one by one, shorter ones together, and after a minute all are tried again. */
static void refused_segments_go_one_by_one(void **state)
{
    static const int errors[] = {EIO, EINVAL, EMSGSIZE, EOPNOTSUPP};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const int by_size = errors[i] == EINVAL || errors[i] == EMSGSIZE;

        start();
        kernel.gso_error = errors[i];
        kernel.gso_most = by_size ? 1000 : 0;
        assert_int_equal(messages_of(30, 1400), 30);
        assert_int_equal(stats.gso_refused, 1);
        assert_int_equal(messages_of(30, 1400), 30);
        assert_int_equal(messages_of(30, 1000), by_size ? 1 : 30);
        assert_int_equal(stats.gso_refused, 1);
        kernel.gso_error = 0;
        assert_int_equal(messages_of(30, 1400), 30);
        kernel.now += 60000;
        assert_int_equal(messages_of(30, 1400), 1);
    }
}

static void what_cannot_go_is_dropped_and_counted(void **state)
{
    static const int errors[] = {EMSGSIZE, EPERM, ENETUNREACH};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t next = 0;

        start();
        udp.gso = 0;
        for (size_t k = 0; k < 5; k++)
            put(k, 700);
        kernel.error = errors[i];
        assert_int_equal(udp_send(&udp, packets, 5, &next, &nowhere, &stats, kernel.now), UDP_DONE);
        assert_int_equal(next, 5);
        assert_int_equal(stats.drop_too_big, errors[i] == EMSGSIZE ? 5 : 0);
        assert_int_equal(stats.drop_send, errors[i] == EMSGSIZE ? 0 : 5);
    }
}

static void any_trouble_loses_nothing(void **state)
{
    uint64_t rng = 5;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + inner_random(&rng) % N, next = 0, at = 0, len = 1 + inner_random(&rng) % LEN_MOST;
        enum udp_result r = UDP_WAIT;

        start();
        kernel.troubled = &rng;
        kernel.gso_error = round % 3 == 0 ? EMSGSIZE : 0;
        kernel.gso_most = inner_random(&rng) % LEN_MOST;
        for (size_t i = 0; i < n; i++) {
            put(i, inner_random(&rng) % 8 != 0 ? len : 1 + inner_random(&rng) % LEN_MOST);
            if (inner_random(&rng) % 16 == 0)
                packets[i].status = SEALANE_ELIMIT;
        }
        while (r != UDP_DONE)
            r = udp_send(&udp, packets, n, &next, &nowhere, &stats, kernel.now);
        for (size_t i = 0; i < n; i++) {
            if (packets[i].status == SEALANE_OK)
                assert_int_equal(sent[at++], i);
        }
        assert_int_equal(at, n_sent);
        assert_int_equal(stats.drop_send + stats.drop_too_big, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_goes_together_as_a_kernel_takes),
        cmocka_unit_test(a_full_socket_keeps_the_rest),
        cmocka_unit_test(refused_segments_go_one_by_one),
        cmocka_unit_test(what_cannot_go_is_dropped_and_counted),
        cmocka_unit_test(any_trouble_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
