/* main.c: sealane-bench measures this library and the libraries that a VPN could take instead. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "contender.h"
#include "lineup.h"
#include "report.h"
#include "run.h"
#include "server.h"
#include "targets.h"

#define EXIT_USAGE 64
#define EXIT_MISSED 2

static bool write_json(const char *file, const struct machine *machine, const struct results *results)
{
    FILE *out = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    bool good = out != NULL && report_json(out, machine, results);

    if (out != NULL && out != stdout)
        good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "sealane-bench: %s: %s\n", file, strerror(errno));
    return good;
}

static int measure_all(struct options *o)
{
    struct results results = {0};
    struct verdict verdict = {0};
    int core = clock_pin(o->core);
    bool to_stdout = o->json != NULL && strcmp(o->json, "-") == 0;
    FILE *table = to_stdout ? NULL : stdout;

    if (core < 0) {
        fprintf(stderr, "sealane-bench: --core: cannot run on CPU %d\n", o->core);
        return EXIT_FAILURE;
    }
    clock_start();
    struct machine machine = machine_ask(core);

    if (table != NULL)
        report_machine(table, &machine);
    if (table != NULL && *peers_absent != '\0')
        fprintf(table, "not in this build:%s\n", peers_absent);
    bool good =
        o->targets != NULL ? targets_check(o, &results, table, &verdict) : run_options(o, &results, table);
    if (good && table != NULL)
        report_noise(table, &results);
    if (good && o->json != NULL)
        good = write_json(o->json, &machine, &results);
    for (size_t i = 0; good && i < o->plots.n; i++)
        good = plot_write(o->plots.name[i], &machine, &results);
    free(results.list);
    if (!good)
        return EXIT_FAILURE;
    return verdict.missed != 0 ? EXIT_MISSED : EXIT_SUCCESS;
}

int main(int argc, char *argv[])
{
    struct options o;
    char message[256];
    int status = EXIT_SUCCESS;

    options_init(&o);
    if (!options_parse(&o, argc, argv, message)) {
        fprintf(stderr, "sealane-bench: %s; see --help\n", message);
        status = EXIT_USAGE;
    } else if (o.serve) {
        status = server_main();
    } else if (o.help) {
        fputs(options_help, stdout);
    } else if (o.list) {
        kernels_list();
        lineup_list_peers();
    } else {
        status = measure_all(&o);
    }
    options_free(&o);
    return status;
}
