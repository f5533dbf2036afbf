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

static void write_lines(FILE *out, const struct results *results)
{
    const char *separator = "plot ";

    for (size_t i = 0; i < results->n; i++) {
        const struct result *r = &results->list[i];
        char title[96];

        if (!starts_line(results, i))
            continue;
        snprintf(title, sizeof title, "%s", r->name);
        if (r->ours && what_is_burst(r->setup.what))
            snprintf(title, sizeof title, "%s, burst of %zu", r->name, r->setup.burst);
        fprintf(out, "%s$line%zu with linespoints lw %d pt 7 ps 0.5 %s title '%s'", separator, i,
                r->ours ? 3 : 1, r->ours ? "" : "dt 1", title);
        separator = ", \\\n ";
    }
    fprintf(out, "\n");
}

bool plot_write(const char *file, const struct machine *machine, const struct results *results)
{
    size_t len = strlen(file);
    const char *terminal = len > 4 && strcmp(file + len - 4, ".png") == 0 ? "pngcairo" : "svg";
    FILE *gnuplot = popen("gnuplot", "w");

    if (gnuplot == NULL || results->n == 0 || strchr(file, '\'') != NULL) {
        if (gnuplot != NULL)
            pclose(gnuplot);
        fprintf(stderr, "sealane-bench: nothing to plot, or no gnuplot\n");
        return false;
    }
    write_data(gnuplot, results);
    fprintf(gnuplot, "set terminal %s size 960,640 font 'sans,14' background 'white'\nset output '%s'\n",
            terminal, file);
    fprintf(gnuplot, "set title '%s, AAD %zu%s: core cycles a packet\\n{/*0.8 %s}'\n",
            what_name(results->list[0].setup.what), results->list[0].setup.aad_len,
            results->list[0].setup.cold ? ", cold" : "", machine->cpu);
    fprintf(gnuplot, "set logscale xy\nset key left top\nset grid\nset xlabel 'payload bytes'\n");
    fprintf(gnuplot,
            "set ylabel 'core cycles a packet'\nset xtics (64,128,256,512,1024,1420,2048,4096,8920)\n");
    write_lines(gnuplot, results);
    if (pclose(gnuplot) != 0) {
        fprintf(stderr, "sealane-bench: gnuplot failed\n");
        return false;
    }
    return true;
}
