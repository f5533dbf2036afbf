/* plot.c: cycles a packet by length, drawn by gnuplot. One line for each contender; peers are drawn once, for
 * the first thing that was measured. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "report.h"

/* A line: a contender at one thing that was measured. */
static bool same_line(const struct result *a, const struct result *b)
{
    return a->setup.what == b->setup.what && strcmp(a->name, b->name) == 0;
}

static bool starts_line(const struct results *results, size_t i)
{
    const struct result *r = &results->list[i];

    for (size_t k = 0; k < i; k++)
        if (same_line(&results->list[k], r))
            return false;
    return r->ours || r->setup.what == results->list[0].setup.what;
}

static void write_data(FILE *out, const struct results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        if (!starts_line(results, i))
            continue;
        fprintf(out, "$line%zu << EOD\n", i);
        for (size_t k = i; k < results->n; k++)
            if (same_line(&results->list[k], &results->list[i]))
                fprintf(out, "%g %g\n", results->list[k].mean_len, results->list[k].cycles.median);
        fprintf(out, "EOD\n");
    }
}

/* Ours are red, in order; peers have the cooler colours. */
static const char *const our_colours[] = {"#b00000", "#f06000", "#e000a0", "#a06000"};
static const char *const peer_colours[] = {"#1f77b4", "#2ca02c", "#7b4fb0", "#606060", "#00a0a0", "#704030"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void write_lines(FILE *out, const struct results *results)
{
    const char *separator = "plot ";
    size_t n_ours = 0, n_peers = 0;

    for (size_t i = 0; i < results->n; i++) {
        const struct result *r = &results->list[i];
        char title[96];

        if (!starts_line(results, i))
            continue;
        snprintf(title, sizeof title, "%s", r->name);
        if (r->ours && what_is_burst(r->setup.what))
            snprintf(title, sizeof title, "%s, burst of %zu", r->name, r->setup.burst);
        fprintf(out, "%s$line%zu with linespoints lw %d pt 7 ps 0.4 lc rgb '%s' title '%s'", separator, i,
                r->ours ? 3 : 1,
                r->ours ? our_colours[n_ours++ % COUNT(our_colours)]
                        : peer_colours[n_peers++ % COUNT(peer_colours)],
                title);
        separator = ", \\\n ";
    }
    fprintf(out, "\n");
}

/* Axes from the smallest to the largest value, with a little air: gnuplot would go on to powers of ten. */
static void write_ranges(FILE *out, const struct results *results)
{
    double x[2] = {results->list[0].mean_len, results->list[0].mean_len};
    double y[2] = {results->list[0].cycles.median, results->list[0].cycles.median};

    for (size_t i = 1; i < results->n; i++) {
        const struct result *r = &results->list[i];

        x[0] = r->mean_len < x[0] ? r->mean_len : x[0];
        x[1] = r->mean_len > x[1] ? r->mean_len : x[1];
        y[0] = r->cycles.median < y[0] ? r->cycles.median : y[0];
        y[1] = r->cycles.median > y[1] ? r->cycles.median : y[1];
    }
    fprintf(out, "set xrange [%g:%g]\nset yrange [%g:%g]\n", x[0] / 1.1, x[1] * 1.1, y[0] / 1.4, y[1] * 1.4);
}

static void write_frame(FILE *out, const char *file, const struct machine *machine,
                        const struct results *results)
{
    size_t len = strlen(file);
    bool png = len > 4 && strcmp(file + len - 4, ".png") == 0;
    const struct setup *s = &results->list[0].setup;

    fprintf(out, "set terminal %s size 960,640 font 'sans,14' background 'white'\n",
            png ? "pngcairo" : "svg");
    fprintf(out, "set output '%s'\n", file);
    fprintf(out, "set title \"%s, AAD %zu%s: core cycles a packet\\n{/*0.8 %s, %s}\"\n", what_name(s->what),
            s->aad_len, s->cold ? ", cold" : "", machine->cpu, machine->compiler);
    fprintf(out, "set logscale xy\nset key left top reverse Left\nset grid lt 1 lw 0.5 lc rgb '#b0b0b0'\n");
    fprintf(out, "set xlabel 'payload bytes'\nset ylabel 'core cycles a packet'\n");
    fprintf(out, "set xtics (64,128,256,512,1420,4096,8920)\n");
    fprintf(out, "set ytics (50,100,200,500,1000,2000,5000,10000,20000,50000)\nset format y '%%.0f'\n");
}

bool plot_write(const char *file, const struct machine *machine, const struct results *results)
{
    FILE *gnuplot;

    if (results->n == 0 || strchr(file, '\'') != NULL || (gnuplot = popen("gnuplot", "w")) == NULL) {
        fprintf(stderr, "sealane-bench: %s: nothing to plot there\n", file);
        return false;
    }
    write_data(gnuplot, results);
    write_frame(gnuplot, file, machine, results);
    write_ranges(gnuplot, results);
    write_lines(gnuplot, results);
    if (pclose(gnuplot) != 0) {
        fprintf(stderr, "sealane-bench: gnuplot failed or is not there\n");
        return false;
    }
    return true;
}
