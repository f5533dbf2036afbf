/* options.h: what the user asks for. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "measure.h"

#define MAX_NAMES 24

/* A list of names as given with commas. */
struct names {
    size_t n;
    char *name[MAX_NAMES];
};

struct options {
    struct setup setup; /* of every measurement, but for what and len */
    enum what whats[WHAT_COUNT];
    size_t n_whats;
    size_t *sizes, n_sizes;
    struct names levels, kernels, peers, plots;
    bool peers_given;
    const char *openssl_level;
    struct plan plan;
    int core;
    const char *json, *targets, *spoil;
    bool any_length; /* of kernels */
    bool steps;
    bool list, serve, help;
};

extern const char options_help[];

void options_init(struct options *o);
void options_free(struct options *o);
void options_copy(struct options *to, const struct options *from);

/* Applies arguments over what o has. False when one is wrong: message says which and why. */
bool options_parse(struct options *o, int argc, char *const argv[], char message[256]);

/* Sizes "64,1420" or "1408-1536" or "64-1024/64", appended. */
bool options_add_sizes(struct options *o, const char *text);

#endif
