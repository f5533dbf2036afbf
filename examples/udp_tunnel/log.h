/* log.h: messages on standard error, one line each. Lines that packets can cause are rate-limited. */
#ifndef TUNNEL_LOG_H
#define TUNNEL_LOG_H

#include <stdint.h>

/* The program's name and a message. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; returns -1, so that an error can be told and returned in one statement. */
int log_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One source of messages that a stranger or a broken network may cause: at most one line in ten seconds,
 * which says how many were left out. Zeroed at first. */
struct log_limit {
    uint64_t next_ms, left_out;
};
void log_limited(struct log_limit *limit, uint64_t now_ms, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
