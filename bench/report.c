/* report.c: the table and the JSON. */
#include "report.h"

#include <string.h>

#include "clock.h"
#include "noise.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if defined(__clang__)
#define COMPILER "Clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#else
#define COMPILER "GCC " __VERSION__
#endif

static void read_cpu_name(char *out, size_t cap)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256], model[64] = "unknown CPU";
    int family = 0, number = 0;

    while (f != NULL && fgets(line, sizeof line, f) != NULL && line[0] != '\n') {
        sscanf(line, "model name : %63[^\n]", model);
        sscanf(line, "cpu family : %d", &family);
        sscanf(line, "model : %d", &number);
    }
    if (f != NULL)
        fclose(f);
    snprintf(out, cap, "%s, family %d, model %d", model, family, number);
}

struct machine machine_ask(int core)
{
    struct machine m = {.core = core, .compiler = COMPILER};
    double cycle = clock_cycle();

    for (int i = 0; i < 20; i++) {
        double again = clock_cycle();

        cycle = again < cycle ? again : cycle;
    }
    for (int i = 0; i < 20; i++) {
        double probe = noise_probe();

        m.probe = i == 0 || probe < m.probe ? probe : m.probe;
    }
    m.mhz = 1e3 / (cycle * clock_ns_per_tick());
    read_cpu_name(m.cpu, sizeof m.cpu);
    return m;
}

void report_machine(FILE *out, const struct machine *machine)
{
    fprintf(out, "%s; bench built with %.40s\n", machine->cpu, machine->compiler);
    fprintf(out, "core %d at %.0f MHz, %s now (a probe of %.0f)\n", machine->core, machine->mhz,
            noise_is_quiet(machine->probe) ? "quiet" : "beside a busy neighbour", machine->probe * 1000);
}

void report_heading(FILE *out, const struct setup *s)
{
    fprintf(out, "\n%s", what_name(s->what));
    if (what_is_burst(s->what))
        fprintf(out, " of %zu", s->burst);
    if (what_deed(s->what) == DEED_SEAL || what_deed(s->what) == DEED_OPEN)
        fprintf(out, ", AAD %zu", s->aad_len);
    if (s->slot != 0)
        fprintf(out, ", slots of %zu", s->slot);
    if (s->n_keys > 1)
        fprintf(out, ", %zu keys", s->n_keys);
    fprintf(out, "%s%s, ring of %zu\n", s->in_place ? ", in place" : "", s->cold ? ", cold" : "", s->ring);
    fprintf(out, "%5s %-31s %7s %14s %6s %5s %5s\n", "bytes", "contender", "cycles", "quartiles", "c/byte",
            "GB/s", "ratio");
}

void report_rows(FILE *out, const struct result *first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &first[i];
        double per_byte = r->cycles.median / r->mean_len;
        char size[24] = "", quartiles[48];

        if (i == 0 && r->setup.imix)
            snprintf(size, sizeof size, "imix");
        else if (i == 0)
            snprintf(size, sizeof size, "%zu", r->setup.len);
        snprintf(quartiles, sizeof quartiles, "%.0f..%.0f", r->cycles.q1, r->cycles.q3);
        fprintf(out, "%5s %-31.31s %7.*f %14s %6.*f %5.2f", size, r->name, r->cycles.median < 10000 ? 1 : 0,
                r->cycles.median, quartiles, per_byte < 100 ? 3 : 1, per_byte, r->mean_len / r->ns);
        if (r->ratio > 0)
            fprintf(out, " %5.2f", r->ratio);
        fputc('\n', out);
    }
}

void report_noise(FILE *out, const struct results *results)
{
    size_t rounds = 0, noisy = 0;

    for (size_t i = 0; i < results->n; i++) {
        rounds += results->list[i].rounds;
        noisy += results->list[i].noisy;
    }
    if (noisy != 0)
        fprintf(out, "\n%.0f %% of the windows beside a busy neighbour on the core (see --patience)\n",
                100.0 * (double)noisy / (double)rounds);
}

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= 0x20)
            fputc(*text, out);
    }
    fputc('"', out);
}

static void json_result(FILE *out, const struct result *r)
{
    const struct setup *s = &r->setup;

    fprintf(out, "    {\"what\": \"%s\", \"size\": %.1f, \"mix\": %s, ", what_name(s->what), r->mean_len,
            s->imix ? "\"imix\"" : "null");
    fprintf(out, "\"burst\": %zu, \"ring\": %zu, \"slot\": %zu, \"aad\": %zu, \"keys\": %zu, ", s->burst,
            s->ring, s->slot, s->aad_len, s->n_keys);
    fprintf(out, "\"in_place\": %s, \"cold\": %s,\n     \"contender\": ", s->in_place ? "true" : "false",
            s->cold ? "true" : "false");
    json_string(out, r->name);
    fprintf(out, ", \"ours\": %s, \"checked\": true, ", r->ours ? "true" : "false");
    fprintf(out, "\"cycles\": %.2f, \"q1\": %.2f, \"q3\": %.2f, ", r->cycles.median, r->cycles.q1,
            r->cycles.q3);
    fprintf(out, "\"cycles_per_byte\": %.4f, \"gb_per_s\": %.4f, \"ratio\": %.4f, ",
            r->cycles.median / r->mean_len, r->mean_len / r->ns, r->ratio);
    fprintf(out, "\"rounds\": %zu, \"noisy_rounds\": %zu}", r->rounds, r->noisy);
}

bool report_json(FILE *out, const struct machine *machine, const struct results *results)
{
    fprintf(out, "{\n  \"cpu\": ");
    json_string(out, machine->cpu);
    fprintf(out, ",\n  \"core\": %d,\n  \"mhz\": %.0f,\n  \"compiler\": ", machine->core, machine->mhz);
    json_string(out, machine->compiler);
    fprintf(out, ",\n  \"results\": [\n");
    for (size_t i = 0; i < results->n; i++) {
        json_result(out, &results->list[i]);
        fprintf(out, "%s\n", i + 1 < results->n ? "," : "");
    }
    fprintf(out, "  ]\n}\n");
    return fflush(out) == 0 && !ferror(out);
}
