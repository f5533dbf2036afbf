/* demo_report.c: what the demonstration found, as a table of 80 columns and as JSON. Called by demo.c. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"
#include "log.h"

#define BAR_LEN 24

/* The CPU's name; "unknown" where the system does not say. */
static void cpu_name(char *name, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256], *colon;

    snprintf(name, size, "unknown");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, "model name", 10) != 0 || (colon = strchr(line, ':')) == NULL)
            continue;
        line[strcspn(line, "\n\"\\")] = '\0';
        snprintf(name, size, "%s", colon + 2);
        break;
    }
    if (f != NULL)
        fclose(f);
}

static void print_bar(double value, double most)
{
    int len = most > 0 ? (int)(value / most * BAR_LEN + 0.5) : 0;

    for (int i = 0; i < len; i++)
        putchar('#');
}

void demo_print(const struct demo_cell *cells, unsigned n)
{
    char cpu[128];
    double most = 0;

    cpu_name(cpu, sizeof(cpu));
    for (unsigned i = 0; i < n; i++)
        most = cells[i].median > most ? cells[i].median : most;
    printf("Both ends of a tunnel on one core: seal, send over loopback UDP, receive, open.\n"
           "Gbit/s of inner packets, median of %u interleaved rounds. %.50s\n",
           DEMO_ROUNDS, cpu);
    for (unsigned i = 0; i + 1 < n; i += 2) {
        const struct demo_cell *c = &cells[i], *first = &cells[0];

        if (i == 0 || c->link_mtu != c[-1].link_mtu)
            printf("\nMTU %-6u one by one   bursts   gain\n", c->link_mtu);
        for (unsigned j = 0; j < n && cells[j].link_mtu <= c->link_mtu; j++)
            first = cells[j].link_mtu == c->link_mtu && first->link_mtu != c->link_mtu ? &cells[j] : first;
        printf("%-10s %10.2f %8.2f %5.2fx  ", c[0].level->name, c[0].median, c[1].median,
               first->median > 0 ? c[1].median / first->median : 0);
        print_bar(c[1].median, most);
        putchar('\n');
    }
    printf("\nThe gain is that of bursts at a level over the first line's packets one by one.\n"
           "MTU is the link's; the tunnel's own is 80 bytes smaller.\n");
}

int demo_write_json(const char *path, const struct demo_cell *cells, unsigned n)
{
    FILE *f = fopen(path, "we");
    char cpu[128], when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    int bad;

    if (f == NULL)
        return log_fail("cannot write %s: %s", path, strerror(errno));
    cpu_name(cpu, sizeof(cpu));
    if (gmtime_r(&now, &utc) != NULL)
        strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(f, "{\n  \"what\": \"udp_tunnel --demo\",\n  \"cpu\": \"%s\",\n  \"compiler\": \"%s\",\n", cpu,
            __VERSION__);
    fprintf(f, "  \"date\": \"%s\",\n  \"unit\": \"Gbit/s of inner packets\",\n  \"results\": [", when);
    for (unsigned i = 0; i < n; i++) {
        fprintf(f, "%s\n    {\"mtu\": %u, \"level\": \"%s\", \"bursts\": %s, \"median\": %.3f, \"rounds\": [",
                i ? "," : "", cells[i].link_mtu, cells[i].level->name, cells[i].bursts ? "true" : "false",
                cells[i].median);
        for (unsigned r = 0; r < DEMO_ROUNDS; r++)
            fprintf(f, "%s%.3f", r ? ", " : "", cells[i].gbits[r]);
        fputs("]}", f);
    }
    fputs("\n  ]\n}\n", f);
    bad = ferror(f);
    bad |= fclose(f) != 0;
    if (bad) {
        unlink(path);
        return log_fail("cannot write %s", path);
    }
    return 0;
}
