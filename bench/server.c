/* server.c: both ends of the pipes to the process with a masked OpenSSL. */
#define _GNU_SOURCE
#include "server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "cold.h"

/* Bits of CPUID leaf 1 (edx, then ecx) and, behind the colon, of leaf 7 (ebx) that OpenSSL shall not see. */
static const struct {
    const char *level, *ia32cap;
} masks[] = {
    {"avx2", ":~0xd0230000"}, /* leaf 7: AVX-512 F, DQ, IFMA, CD, BW, VL */
    {"ssse3",
     "~0x1018180000000000:~0xd02b0128"}, /* and AVX, FMA, XOP, SSE4.1, SSE4.2; AVX2, BMI1, BMI2, ADX */
    {"none", "~0x10181a0000000000:~0xd02b0128"}, /* and SSSE3 */
};

const char *server_mask(const char *level)
{
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++)
        if (strcmp(masks[i].level, level) == 0)
            return masks[i].ia32cap;
    return NULL;
}

struct request {
    bool window; /* else: a new setup to check */
    struct setup setup;
};

struct reply {
    long difference;
    bool failed;
    struct window window;
};

static int to_server = -1, from_server = -1;
static pid_t server_pid;

static bool transfer(ssize_t (*move)(int, void *, size_t), int fd, void *data, size_t len)
{
    for (uint8_t *p = data; len != 0;) {
        ssize_t n = move(fd, p, len);

        if (n <= 0)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

static ssize_t write_some(int fd, void *data, size_t len)
{
    return write(fd, data, len);
}

static bool send_all(int fd, void *data, size_t len)
{
    return transfer(write_some, fd, data, len);
}

static bool receive_all(int fd, void *data, size_t len)
{
    return transfer(read, fd, data, len);
}

bool server_start(const char *level)
{
    int request[2], reply[2];

    if (server_pid > 0)
        return true;
    if (pipe2(request, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0)
        return false;
    server_pid = fork();
    if (server_pid == 0) {
        setenv("OPENSSL_ia32cap", server_mask(level), 1);
        dup2(request[0], STDIN_FILENO);
        dup2(reply[1], STDOUT_FILENO);
        execl("/proc/self/exe", "sealane-bench", "--serve", (char *)NULL);
        _exit(127);
    }
    close(request[0]);
    close(reply[1]);
    to_server = request[1];
    from_server = reply[0];
    return server_pid > 0;
}

static struct reply ask(struct request *request)
{
    struct reply reply;

    if (!send_all(to_server, request, sizeof *request) || !receive_all(from_server, &reply, sizeof reply)) {
        fprintf(stderr, "sealane-bench: the process with the masked OpenSSL has gone\n");
        exit(1);
    }
    return reply;
}

long server_check(const struct setup *setup)
{
    struct request request = {.setup = *setup};

    return ask(&request).difference;
}

struct window server_window(void)
{
    struct request request = {.window = true};
    struct reply reply = ask(&request);

    if (reply.failed) {
        fprintf(stderr, "sealane-bench: a call of the masked OpenSSL failed\n");
        exit(1);
    }
    return reply.window;
}

void server_stop(void)
{
    if (server_pid <= 0)
        return;
    close(to_server);
    close(from_server);
    waitpid(server_pid, NULL, 0);
    server_pid = 0;
}

static const struct peer *find_openssl(void)
{
    for (const struct peer *const *p = peers; *p != NULL; p++)
        if (strcmp((*p)->name, "openssl") == 0 && (*p)->load())
            return *p;
    return NULL;
}

/* The bout of the current setup. */
struct served {
    const struct peer *openssl;
    struct contender contender;
    struct workload *w;
    struct bout bout;
};

static void end_served(struct served *s)
{
    if (s->w != NULL)
        bout_end(&s->bout);
    workload_free(s->w);
    s->w = NULL;
}

static long check_served(struct served *s, const struct setup *setup)
{
    end_served(s);
    if (setup->cold && !cold_start())
        return -2;
    s->contender =
        (struct contender){.self = s->openssl, .method = &s->openssl->methods[what_deed(setup->what)]};
    s->w = workload_new(setup);
    if (s->w == NULL || !bout_start(&s->bout, &s->contender, s->w))
        return -2;
    return bout_check(&s->bout);
}

int server_main(void)
{
    struct served s = {.openssl = find_openssl()};
    struct request request;

    if (s.openssl == NULL)
        return 1;
    clock_start();
    while (receive_all(STDIN_FILENO, &request, sizeof request)) {
        struct reply reply = {.difference = -1};

        if (request.window) {
            reply.window = bout_window(&s.bout);
            reply.failed = s.bout.failed;
        } else {
            reply.difference = check_served(&s, &request.setup);
        }
        if (!send_all(STDOUT_FILENO, &reply, sizeof reply))
            break;
    }
    end_served(&s);
    return 0;
}
