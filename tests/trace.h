/* trace.h: what a call does, step by step: the address of every instruction that it runs, and every register
 * that makes the address of what one reads or writes. Two traces of a call that takes constant time are equal
 * whatever the secrets are. On the machine itself, by its trap flag, so that every vector extension is seen;
 * x86-64 and Linux. (Vector registers as indices are not: branches.py sees to it that there are none.) */
#ifndef TESTS_TRACE_H
#define TESTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct trace_step {
    const uint8_t *instruction;
    uint64_t addresses; /* a digest of its registers that make addresses, and of the stack pointer */
};

struct trace {
    struct trace_step *steps;
    size_t n, cap; /* n > cap: those from cap on were not kept */
};

/* Room for cap steps; ends the test without memory. */
void trace_make(struct trace *t, size_t cap);
void trace_free(struct trace *t);

/* Runs function(arg) once and writes down its steps. */
void trace_run(struct trace *t, void (*function)(void *), void *arg);

/* The first step in which the two differ; SIZE_MAX: they are equal and whole. */
size_t trace_difference(const struct trace *a, const struct trace *b);

#endif
