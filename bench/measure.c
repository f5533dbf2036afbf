/* measure.c: rounds of windows, and what they say in the middle. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bout.h"
#include "noise.h"
#include "server.h"

/* A contender on its way through the rounds. */
struct entrant {
    const struct contender *contender;
    struct workload *w;
    struct bout bout;    /* where the contender is no server */
    double *cycles, *ns; /* of each round */
    bool absent;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct spread spread_of(double *v, size_t n)
{
    qsort(v, n, sizeof *v, compare_doubles);
    return (struct spread){v[n / 4], v[n / 2], v[3 * n / 4]};
}

/* False when the output is wrong. */
static bool enter(struct entrant *e, const struct contender *c, struct workload *w, size_t rounds)
{
    long difference = -2;

    e->contender = c;
    e->w = w;
    e->cycles = calloc(rounds, sizeof *e->cycles);
    e->ns = calloc(rounds, sizeof *e->ns);
    if (e->cycles == NULL || e->ns == NULL)
        return false;
    if (c->method == NULL)
        difference = server_check(&w->setup);
    else if (bout_start(&e->bout, c, w))
        difference = bout_check(&e->bout);
    e->absent = difference == -2;
    if (e->absent)
        fprintf(stderr, "sealane-bench: %s cannot do this here, left out\n", c->name);
    if (difference >= 0)
        fprintf(stderr, "sealane-bench: %s: %s, packet %ld of %zu bytes: wrong output\n", c->name,
                what_name(w->setup.what), difference, w->packets[difference].len);
    return difference < 0;
}

static void leave(struct entrant *e)
{
    if (e->bout.ctx != NULL)
        bout_end(&e->bout);
    free(e->cycles);
    free(e->ns);
}

/* One window of each contender; false when a call failed. The result is the worst probe beside them. */
static bool run_round(struct entrant *entrants, size_t n, size_t round, double *noise)
{
    *noise = noise_probe();
    for (size_t i = 0; i < n; i++) {
        struct entrant *e = &entrants[i];

        if (e->absent)
            continue;
        struct window win = e->contender->method == NULL ? server_window() : bout_window(&e->bout);
        double probe = noise_probe();

        e->cycles[round] = win.cycles;
        e->ns[round] = win.ns;
        *noise = probe > *noise ? probe : *noise;
        if (e->bout.failed) {
            fprintf(stderr, "sealane-bench: %s: a call failed while it was measured\n", e->contender->name);
            return false;
        }
    }
    return true;
}

/* Drops the rounds that turn out to have been noisy; how many are left. */
static size_t keep_quiet(struct entrant *entrants, size_t n, double *noise, size_t rounds)
{
    size_t kept = 0;

    for (size_t round = 0; round < rounds; round++) {
        if (!noise_is_quiet(noise[round]))
            continue;
        for (size_t i = 0; i < n; i++) {
            entrants[i].cycles[kept] = entrants[i].cycles[round];
            entrants[i].ns[kept] = entrants[i].ns[round];
        }
        noise[kept++] = noise[round];
    }
    return kept;
}

/* Rounds, each as good as the neighbours let it be: a noisy one is made again while patience lasts. *noisy is
 * the number of those that stayed. */
static bool run_rounds(struct entrant *entrants, size_t n, const struct plan *plan, size_t *noisy)
{
    double *noise = calloc(plan->rounds, sizeof *noise);
    double patience = plan->patience;
    bool good = noise != NULL;
    size_t round = 0;

    while (good && round < plan->rounds) {
        patience = noise_wait(patience);
        good = run_round(entrants, n, round, &noise[round]);
        if (noise_is_quiet(noise[round]) || patience <= 0)
            round++;
        if (round == plan->rounds && patience > 0)
            round = keep_quiet(entrants, n, noise, round);
    }
    *noisy = 0;
    for (size_t i = 0; good && i < round; i++)
        *noisy += !noise_is_quiet(noise[i]);
    free(noise);
    return good;
}

static bool append(struct results *results, const struct result *r)
{
    struct result *list = realloc(results->list, (results->n + 1) * sizeof *list);

    if (list == NULL)
        return false;
    results->list = list;
    list[results->n++] = *r;
    return true;
}

/* The median over the rounds of the quotient within a round, where both had the same neighbours and clock. */
static double ratio_of(const struct entrant *e, const struct entrant *baseline, double *scratch,
                       size_t rounds)
{
    for (size_t round = 0; round < rounds; round++)
        scratch[round] = e->cycles[round] / baseline->cycles[round];
    return spread_of(scratch, rounds).median;
}

static bool conclude(struct results *results, const struct entrant *e, const struct entrant *baseline,
                     size_t rounds, size_t noisy)
{
    struct result r = {.setup = e->w->setup,
                       .mean_len = e->w->mean_len,
                       .ours = e->contender->ours,
                       .noisy = noisy,
                       .rounds = rounds};
    double *scratch = calloc(rounds, sizeof *scratch);

    if (scratch == NULL)
        return false;
    snprintf(r.name, sizeof r.name, "%s", e->contender->name);
    if (baseline != NULL)
        r.ratio = ratio_of(e, baseline, scratch, rounds);
    memcpy(scratch, e->cycles, rounds * sizeof *scratch);
    r.cycles = spread_of(scratch, rounds);
    memcpy(scratch, e->ns, rounds * sizeof *scratch);
    r.ns = spread_of(scratch, rounds).median;
    free(scratch);
    return append(results, &r);
}

static const struct entrant *first_of_ours(const struct entrant *entrants, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (entrants[i].contender->ours && !entrants[i].absent)
            return &entrants[i];
    return NULL;
}

bool measure(struct results *results, const struct setup *setup, const struct contender *contenders, size_t n,
             const struct plan *plan)
{
    struct workload *w = workload_new(setup);
    struct entrant *entrants = calloc(n, sizeof *entrants);
    size_t noisy = 0;
    bool good = w != NULL && entrants != NULL;

    if (!good)
        fprintf(stderr, "sealane-bench: no memory for these packets\n");
    for (size_t i = 0; good && i < n; i++)
        good = enter(&entrants[i], &contenders[i], w, plan->rounds);
    good = good && run_rounds(entrants, n, plan, &noisy);
    for (size_t i = 0; good && i < n; i++)
        good = entrants[i].absent ||
               conclude(results, &entrants[i], first_of_ours(entrants, n), plan->rounds, noisy);
    for (size_t i = 0; entrants != NULL && i < n; i++)
        leave(&entrants[i]);
    free(entrants);
    workload_free(w);
    return good;
}

bool measure_steps(struct results *results, const struct setup *setups, size_t n,
                   const struct contender *contender, const struct plan *plan)
{
    struct entrant *entrants = calloc(n, sizeof *entrants);
    size_t noisy = 0;
    bool good = entrants != NULL;

    for (size_t i = 0; good && i < n; i++) {
        struct workload *w = workload_new(&setups[i]);

        good = w != NULL && enter(&entrants[i], contender, w, plan->rounds) && !entrants[i].absent;
    }
    good = good && run_rounds(entrants, n, plan, &noisy);
    for (size_t i = 0; good && i < n; i++)
        good = conclude(results, &entrants[i], &entrants[i == 0 ? 0 : i - 1], plan->rounds, noisy);
    for (size_t i = 0; entrants != NULL && i < n; i++) {
        leave(&entrants[i]);
        workload_free(entrants[i].w);
    }
    free(entrants);
    return good;
}
