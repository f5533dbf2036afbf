/* run.c: walks over what and sizes. Called by main for the command line, by targets for each setup. */
#include "run.h"

#include <stdlib.h>
#include <unistd.h>

#include "cold.h"
#include "lineup.h"
#include "report.h"
#include "server.h"

/* How many calls' worth of packets take turns where the user did not say: single calls meet a few buffers,
 * bursts are a ring by themselves, mixes come round after 12 packets, and opening in place consumes what it
 * is given. */
static size_t ring_for(const struct setup *s)
{
    if (s->ring != 0)
        return s->ring;
    if (s->imix)
        return 12;
    if (s->in_place && what_deed(s->what) == DEED_OPEN)
        return s->burst >= 32 ? 1 : 32 / s->burst;
    return what_is_burst(s->what) ? 1 : 4;
}

static struct setup setup_for(const struct options *o, enum what what, size_t len)
{
    struct setup s = o->setup;

    s.what = what;
    s.len = len;
    if (!what_is_burst(what))
        s.burst = 1;
    s.ring = ring_for(&s);
    return s;
}

static bool slot_holds(const struct setup *s)
{
    size_t need = (s->imix ? 1420 : s->len) + s->aad_len + 16;

    if (s->slot == 0 || need <= s->slot)
        return true;
    fprintf(stderr, "sealane-bench: --slot: header, payload and tag need %zu bytes\n", need);
    return false;
}

/* On a terminal one line that is overwritten. */
static void progress(enum what what, size_t done, size_t all)
{
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r%s: length %zu of %zu \r" : "%s: length %zu of %zu\n",
            what_name(what), done, all);
}

static void progress_clear(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%40s\r", "");
}

/* All lengths in the same rounds, by the first of ours. */
static bool run_steps(const struct options *o, enum what what, const struct contender *contender,
                      struct results *results, FILE *table)
{
    struct setup *setups = calloc(o->n_sizes, sizeof *setups);
    size_t before = results->n;
    bool good = setups != NULL;

    for (size_t i = 0; good && i < o->n_sizes; i++) {
        setups[i] = setup_for(o, what, o->sizes[i]);
        good = slot_holds(&setups[i]);
    }
    good = good && measure_steps(results, setups, o->n_sizes, contender, &o->plan);
    for (size_t i = before; good && table != NULL && i < results->n; i++)
        report_rows(table, &results->list[i], 1);
    free(setups);
    return good;
}

static bool run_lengths(const struct options *o, enum what what, const struct lineup *l,
                        struct results *results, FILE *table)
{
    size_t n = o->setup.imix ? 1 : o->n_sizes;

    for (size_t i = 0; i < n; i++) {
        struct setup s = setup_for(o, what, o->setup.imix ? 0 : o->sizes[i]);
        size_t before = results->n;

        progress(what, i + 1, n);
        if (!slot_holds(&s) || !measure(results, &s, l->contenders, l->n, &o->plan))
            return false;
        progress_clear();
        if (table != NULL)
            report_rows(table, results->list + before, results->n - before);
        if (table != NULL)
            fflush(table);
    }
    return true;
}

static bool run_what(const struct options *o, enum what what, struct results *results, FILE *table)
{
    struct lineup l;
    char message[256];
    struct setup s = setup_for(o, what, 0);

    if (!lineup_make(&l, o, what, message)) {
        fprintf(stderr, "sealane-bench: %s\n", message);
        return false;
    }
    if (table != NULL)
        report_heading(table, &s);
    return o->steps ? run_steps(o, what, &l.contenders[0], results, table)
                    : run_lengths(o, what, &l, results, table);
}

bool run_options(const struct options *o, struct results *results, FILE *table)
{
    bool good = true;

    if (o->setup.cold && !cold_start()) {
        fprintf(stderr, "sealane-bench: --cold is for x86-64 only\n");
        return false;
    }
    for (size_t i = 0; good && i < o->n_whats; i++)
        good = run_what(o, o->whats[i], results, table);
    server_stop();
    return good;
}
