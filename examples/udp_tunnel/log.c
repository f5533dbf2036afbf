/* log.c: messages. Called by everything in the tunnel that talks to its user. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#define LIMIT_MS 10000

/* A line is written as a whole, whatever other threads have to say. */
static void begin_line(const char *format, va_list args)
{
    flockfile(stderr);
    fputs("udp_tunnel: ", stderr);
    vfprintf(stderr, format, args);
}

static void end_line(void)
{
    fputc('\n', stderr);
    funlockfile(stderr);
}

void log_line(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    begin_line(format, args);
    va_end(args);
    end_line();
}

int log_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    begin_line(format, args);
    va_end(args);
    end_line();
    return -1;
}

void log_limited(struct log_limit *limit, uint64_t now_ms, const char *format, ...)
{
    va_list args;

    if (now_ms < limit->next_ms) {
        limit->left_out++;
        return;
    }
    va_start(args, format);
    begin_line(format, args);
    va_end(args);
    if (limit->left_out != 0)
        fprintf(stderr, " (%llu more like this)", (unsigned long long)limit->left_out);
    end_line();
    *limit = (struct log_limit){.next_ms = now_ms + LIMIT_MS};
}
