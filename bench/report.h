/* report.h: results as a table for people, as JSON for programs, and as a plot. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "measure.h"

/* Who measured on what; printed once. */
struct machine {
    char cpu[96];
    const char *compiler;
    int core;
    double mhz;   /* of the core while it was asked */
    double probe; /* of noise.h, then */
};

struct machine machine_ask(int core);

void report_machine(FILE *out, const struct machine *machine);

/* What is measured, once for each list of lengths; then the rows of one length. At most 80 columns. */
void report_heading(FILE *out, const struct setup *setup);
void report_rows(FILE *out, const struct result *first, size_t n);

/* One line when some windows were not quiet. */
void report_noise(FILE *out, const struct results *results);

/* False with errno set when the file cannot be written. */
bool report_json(FILE *out, const struct machine *machine, const struct results *results);

/* Cycles a packet by length into an SVG file, drawn by gnuplot. False after a message. */
bool plot_write(const char *file, const struct machine *machine, const struct results *results);

#endif
