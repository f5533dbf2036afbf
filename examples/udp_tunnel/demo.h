/* demo.h: the demonstration: both ends of a tunnel in one process. Called by main. */
#ifndef TUNNEL_DEMO_H
#define TUNNEL_DEMO_H

#include "level.h"

#define DEMO_MTUS 2u
#define DEMO_LEVELS 5u
#define DEMO_ROUNDS 3u

/* One cell of the table: an MTU, a kernel level, bursts or not. */
struct demo_cell {
    unsigned link_mtu;
    const struct level *level;
    int bursts;
    double gbits[DEMO_ROUNDS]; /* of inner packets, each round */
    double median;
};

/* Runs it; json_file may be NULL. 0, or -1 after a message. */
int demo_run(const char *json_file);

/* demo_report.c: the table for people, and for programs. Cells come by MTU, then level, then without and with
 * bursts. */
void demo_print(const struct demo_cell *cells, unsigned n);
int demo_write_json(const char *path, const struct demo_cell *cells, unsigned n);

#endif
