/* server.h: a process of its own that runs OpenSSL with features masked. OpenSSL reads OPENSSL_ia32cap when
 * it is loaded, so a process has one level of it. The benchmark starts itself again with the variable set and
 * asks that process for one window at a time, in turn with the windows of its own. */
#ifndef BENCH_SERVER_H
#define BENCH_SERVER_H

#include "bout.h"

/* level: "avx2", "ssse3" or "none"; NULL when there is no such level. */
const char *server_mask(const char *level);

/* Starts the process, once; false with errno set. */
bool server_start(const char *level);

/* As bout_start with bout_check; packets as in setup. -2 when the process cannot do this. */
long server_check(const struct setup *setup);
struct window server_window(void);
void server_stop(void);

/* The other side: serves requests from standard input until it ends. The exit status. */
int server_main(void);

#endif
