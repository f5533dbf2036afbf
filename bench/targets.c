/* targets.c: reads a target file, measures section by section, judges each row. */
#define _GNU_SOURCE
#include "targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_ROWS 64
#define MAX_WORDS 40

struct row {
    char size[24], peers[128];
    double ratio;
};

/* A setup line with its rows. */
struct section {
    char setup[512];
    int line;
    size_t n_rows;
    struct row rows[MAX_ROWS];
};

static bool read_row(struct section *s, const char *text)
{
    struct row *r = &s->rows[s->n_rows];

    if (s->line == 0 || s->n_rows == MAX_ROWS ||
        sscanf(text, "%23s %127s %lf", r->size, r->peers, &r->ratio) != 3)
        return false;
    s->n_rows++;
    return true;
}

/* The options of a setup line: argv[0] is "setup". words is a copy that is cut up. */
static bool parse_setup(struct options *o, char *words, char message[256])
{
    char *argv[MAX_WORDS + 1], *rest = NULL;
    int argc = 0;

    for (char *w = strtok_r(words, " \t\n", &rest); w != NULL && argc < MAX_WORDS;
         w = strtok_r(NULL, " \t\n", &rest))
        argv[argc++] = w;
    argv[argc] = NULL;
    return options_parse(o, argc, argv, message);
}

/* Sizes of the rows, in their order, each once. */
static bool take_sizes(struct options *o, const struct section *s)
{
    o->n_sizes = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        bool seen = strcmp(s->rows[i].size, "imix") == 0;

        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(s->rows[k].size, s->rows[i].size) == 0;
        if (!seen && !options_add_sizes(o, s->rows[i].size))
            return false;
    }
    return true;
}

static const struct result *find_result(const struct result *list, size_t n, const char *size,
                                        const char *name, size_t name_len)
{
    for (size_t i = 0; i < n; i++) {
        char len[24];

        snprintf(len, sizeof len, "%zu", list[i].setup.len);
        if (strcmp(size, list[i].setup.imix ? "imix" : len) == 0 && strlen(list[i].name) == name_len &&
            strncmp(list[i].name, name, name_len) == 0)
            return &list[i];
    }
    return NULL;
}

/* The ratio of the fastest of the row's peers; 0 when none of them was there. */
static double best_ratio(const struct row *r, const struct result *list, size_t n)
{
    double best = 0;

    for (const char *name = r->peers; *name != '\0';) {
        size_t len = strcspn(name, "+");
        const struct result *found = find_result(list, n, r->size, name, len);

        if (found != NULL && (best == 0 || found->ratio < best))
            best = found->ratio;
        name += len + (name[len] == '+');
    }
    return best;
}

/* The smallest step from a length to the next, and the longer of the two. */
static double worst_step(const struct result *list, size_t n, size_t *at)
{
    double worst = 1e9;

    for (size_t i = 1; i < n; i++) {
        if (list[i].ratio < worst) {
            worst = list[i].ratio;
            *at = list[i].setup.len;
        }
    }
    return worst;
}

static void judge(const struct row *r, const struct result *list, size_t n, FILE *out, struct verdict *v)
{
    char who[160];
    double got;

    if (strcmp(r->peers, "teeth") == 0) {
        size_t at = 0;

        got = worst_step(list, n, &at);
        snprintf(who, sizeof who, "teeth, the worst at %zu", at);
    } else {
        got = best_ratio(r, list, n);
        snprintf(who, sizeof who, "%s", r->peers);
    }
    v->skipped += got == 0;
    v->passed += got != 0 && got >= r->ratio;
    v->missed += got != 0 && got < r->ratio;
    if (out == NULL)
        return;
    fprintf(out, "%10s %-40.40s %6.3f of %6.3f ", r->size, who, got, r->ratio);
    if (got == 0)
        fprintf(out, "skipped: no such peer\n");
    else if (got >= r->ratio)
        fprintf(out, "pass\n");
    else
        fprintf(out, "MISS %.0f %%\n", 100 * (1 - got / r->ratio));
}

static bool missing_level(const struct options *o)
{
    for (size_t i = 0; i < o->levels.n; i++)
        if (!level_present(level_find(o->levels.name[i])))
            return true;
    return false;
}

static bool check_section(const struct section *s, const struct options *base, struct results *results,
                          FILE *out, struct verdict *v)
{
    struct options o;
    char words[sizeof s->setup], message[256];
    size_t before = results->n;

    if (s->line == 0)
        return true;
    options_copy(&o, base);
    memcpy(words, s->setup, sizeof words);
    bool good = parse_setup(&o, words, message) && take_sizes(&o, s);

    if (!good)
        fprintf(stderr, "sealane-bench: %s:%d: %s\n", base->targets, s->line, message);
    if (out != NULL)
        fprintf(out, "\n%s", s->setup);
    if (good && missing_level(&o)) {
        v->skipped += s->n_rows;
        if (out != NULL)
            fprintf(out, "skipped: this CPU lacks the level\n");
    } else if (good) {
        good = run_options(&o, results, NULL);
        for (size_t i = 0; good && i < s->n_rows; i++)
            judge(&s->rows[i], results->list + before, results->n - before, out, v);
    }
    if (out != NULL)
        fflush(out);
    options_free(&o);
    return good;
}

static bool check_file(FILE *f, const struct options *base, struct results *results, FILE *out,
                       struct verdict *v)
{
    struct section s = {0};
    char line[sizeof s.setup];
    int number = 0;

    while (fgets(line, sizeof line, f) != NULL) {
        number++;
        if (strncmp(line, "setup ", 6) == 0) {
            if (!check_section(&s, base, results, out, v))
                return false;
            s = (struct section){.line = number};
            memcpy(s.setup, line, sizeof line);
        } else if (line[0] != '#' && line[0] != '\n' && !read_row(&s, line)) {
            fprintf(stderr, "sealane-bench: %s:%d: neither setup nor row\n", base->targets, number);
            return false;
        }
    }
    return check_section(&s, base, results, out, v);
}

bool targets_check(const struct options *base, struct results *results, FILE *out, struct verdict *verdict)
{
    FILE *f = fopen(base->targets, "r");

    if (f == NULL) {
        fprintf(stderr, "sealane-bench: %s: %s\n", base->targets, strerror(errno));
        return false;
    }
    bool good = check_file(f, base, results, out, verdict);

    fclose(f);
    if (good && out != NULL)
        fprintf(out, "\n%zu passed, %zu missed, %zu skipped\n", verdict->passed, verdict->missed,
                verdict->skipped);
    return good;
}
