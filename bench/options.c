/* options.c: the command line; the setup lines of target files have the same options. */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "server.h"

#define MAX_LEN ((size_t)1 << 24)

const char options_help[] =
    "usage: sealane-bench [OPTION]...\n"
    "Measures Sealane and its peers in turn, in core cycles, and checks every output.\n"
    "\n"
    "  --what WHAT[,..]   chacha20, poly1305, seal, open, burst, open-burst [seal]\n"
    "  --sizes N[,..]     payload bytes; ranges as 1408-1536 or 64-1024/64\n"
    "                     [64,256,512,1024,1420,4096,8920]\n"
    "  --steps            all sizes in turn, ratios are to the size before; ours only\n"
    "  --level L[,..]     portable, ssse3, avx2, avx512vl, avx512, the last two also\n"
    "                     with -noifma [what keys take on this CPU]\n"
    "  --kernel NAME[,..] kernels of the internal ladders: not for bursts\n"
    "  --any-length       run them at lengths, too, where they may fail\n"
    "  --list             name kernels and peers\n"
    "  --peers NAME[,..]  these peers only; all; none [all that are no variants];\n"
    "                     single: our single calls beside our bursts\n"
    "  --openssl-level L  avx2, ssse3 or none: OpenSSL with all above it masked\n"
    "  --burst N          packets a burst [32]\n"
    "  --slot BYTES       from packet to packet; 0: dense [0]\n"
    "  --ring N           calls' worth of packets that take turns [4; burst: 1]\n"
    "  --mix imix         lengths 64, 576, 1420 as 7 to 4 to 1, in place of sizes\n"
    "  --keys N           packets take these keys in turn [1]\n"
    "  --aad N            bytes [16]\n"
    "  --in-place         output where the input is\n"
    "  --cold             evict code, branch predictors, data before each call\n"
    "  --rounds N         windows of each contender [101]\n"
    "  --patience SECONDS for each length: to make rounds again that met a busy\n"
    "                     neighbour on the core [1]\n"
    "  --quiet N          a probe up to N thousandths of a cycle means quiet [known\n"
    "                     or learned]\n"
    "  --core N            CPU to run on [the last one allowed]\n"
    "  --json FILE        results as JSON; -: standard output, in place of the table\n"
    "  --plot FILE[,..]   cycles a packet by length, .svg or .png (gnuplot)\n"
    "  --check-targets FILE   measure what FILE names and judge each row; exit 2\n"
    "                     when one is missed\n"
    "  --spoil NAME       change a bit of this contender's output: tests the check\n"
    "  --help\n";

enum {
    OPT_WHAT = 256,
    OPT_SIZES,
    OPT_LEVEL,
    OPT_KERNEL,
    OPT_ANY_LENGTH,
    OPT_STEPS,
    OPT_LIST,
    OPT_PEERS,
    OPT_OPENSSL_LEVEL,
    OPT_BURST,
    OPT_SLOT,
    OPT_RING,
    OPT_MIX,
    OPT_KEYS,
    OPT_AAD,
    OPT_IN_PLACE,
    OPT_COLD,
    OPT_ROUNDS,
    OPT_PATIENCE,
    OPT_QUIET,
    OPT_CORE,
    OPT_JSON,
    OPT_PLOT,
    OPT_TARGETS,
    OPT_SPOIL,
    OPT_SERVE,
    OPT_HELP
};

static const struct option long_options[] = {
    {"what", required_argument, NULL, OPT_WHAT},
    {"sizes", required_argument, NULL, OPT_SIZES},
    {"level", required_argument, NULL, OPT_LEVEL},
    {"kernel", required_argument, NULL, OPT_KERNEL},
    {"any-length", no_argument, NULL, OPT_ANY_LENGTH},
    {"steps", no_argument, NULL, OPT_STEPS},
    {"list", no_argument, NULL, OPT_LIST},
    {"peers", required_argument, NULL, OPT_PEERS},
    {"openssl-level", required_argument, NULL, OPT_OPENSSL_LEVEL},
    {"burst", required_argument, NULL, OPT_BURST},
    {"slot", required_argument, NULL, OPT_SLOT},
    {"ring", required_argument, NULL, OPT_RING},
    {"mix", required_argument, NULL, OPT_MIX},
    {"keys", required_argument, NULL, OPT_KEYS},
    {"aad", required_argument, NULL, OPT_AAD},
    {"in-place", no_argument, NULL, OPT_IN_PLACE},
    {"cold", no_argument, NULL, OPT_COLD},
    {"rounds", required_argument, NULL, OPT_ROUNDS},
    {"patience", required_argument, NULL, OPT_PATIENCE},
    {"quiet", required_argument, NULL, OPT_QUIET},
    {"core", required_argument, NULL, OPT_CORE},
    {"json", required_argument, NULL, OPT_JSON},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"check-targets", required_argument, NULL, OPT_TARGETS},
    {"spoil", required_argument, NULL, OPT_SPOIL},
    {"serve", no_argument, NULL, OPT_SERVE},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static bool add_size(struct options *o, size_t size)
{
    size_t *sizes = realloc(o->sizes, (o->n_sizes + 1) * sizeof *sizes);

    if (sizes == NULL)
        return false;
    o->sizes = sizes;
    sizes[o->n_sizes++] = size;
    return true;
}

/* A number from min to max with *end behind it. */
static bool read_number(const char *text, char **end, size_t min, size_t max, size_t *out)
{
    errno = 0;
    unsigned long long v = strtoull(text, end, 10);

    *out = (size_t)v;
    return *end != text && *text >= '0' && *text <= '9' && errno == 0 && v >= min && v <= max;
}

static bool whole_number(const char *text, size_t min, size_t max, size_t *out)
{
    char *end;

    return read_number(text, &end, min, max, out) && *end == '\0';
}

bool options_add_sizes(struct options *o, const char *text)
{
    while (true) {
        size_t from, to, step = 1;
        char *end;

        if (!read_number(text, &end, 1, MAX_LEN, &from))
            return false;
        to = from;
        if (*end == '-' && !read_number(end + 1, &end, from, MAX_LEN, &to))
            return false;
        if (*end == '/' && !read_number(end + 1, &end, 1, MAX_LEN, &step))
            return false;
        for (size_t size = from; size <= to; size += step)
            if (!add_size(o, size))
                return false;
        if (*end == '\0')
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
}

static void names_clear(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    names->n = 0;
}

static bool names_read(struct names *names, const char *text)
{
    names_clear(names);
    while (names->n < MAX_NAMES) {
        size_t len = strcspn(text, ",");

        if (len == 0 || (names->name[names->n] = strndup(text, len)) == NULL)
            return false;
        names->n++;
        if (text[len] == '\0')
            return true;
        text += len + 1;
    }
    return false;
}

static bool read_levels(struct options *o, const char *text)
{
    if (!names_read(&o->levels, text))
        return false;
    for (size_t i = 0; i < o->levels.n; i++)
        if (level_find(o->levels.name[i]) == NULL)
            return false;
    return true;
}

static bool read_whats(struct options *o, const char *text)
{
    struct names names = {0};
    bool good = names_read(&names, text) && names.n <= WHAT_COUNT;

    o->n_whats = 0;
    for (size_t i = 0; good && i < names.n; i++) {
        enum what what = 0;

        while (what < WHAT_COUNT && strcmp(what_name(what), names.name[i]) != 0)
            what++;
        good = what < WHAT_COUNT;
        o->whats[o->n_whats++] = what;
    }
    names_clear(&names);
    return good;
}

static bool apply(struct options *o, int option, const char *arg)
{
    struct setup *s = &o->setup;
    size_t number;

    switch (option) {
    case OPT_WHAT:
        return read_whats(o, arg);
    case OPT_SIZES:
        o->n_sizes = 0;
        return options_add_sizes(o, arg);
    case OPT_LEVEL:
        return read_levels(o, arg);
    case OPT_KERNEL:
        return names_read(&o->kernels, arg);
    case OPT_ANY_LENGTH:
        return o->any_length = true;
    case OPT_STEPS:
        return o->steps = true;
    case OPT_LIST:
        return o->list = true;
    case OPT_PEERS:
        o->peers_given = true;
        return names_read(&o->peers, arg);
    case OPT_OPENSSL_LEVEL:
        o->openssl_level = arg;
        return server_mask(arg) != NULL;
    case OPT_BURST:
        return whole_number(arg, 1, 4096, &s->burst);
    case OPT_SLOT:
        return whole_number(arg, 0, MAX_LEN, &s->slot);
    case OPT_RING:
        return whole_number(arg, 1, 65536, &s->ring);
    case OPT_MIX:
        s->imix = true;
        return strcmp(arg, "imix") == 0;
    case OPT_KEYS:
        return whole_number(arg, 1, 65536, &s->n_keys);
    case OPT_AAD:
        return whole_number(arg, 0, 65536, &s->aad_len);
    case OPT_IN_PLACE:
        return s->in_place = true;
    case OPT_COLD:
        return s->cold = true;
    case OPT_ROUNDS:
        return whole_number(arg, 1, 100000, &o->plan.rounds);
    case OPT_PATIENCE:
        if (!whole_number(arg, 0, 3600, &number))
            return false;
        o->plan.patience = (double)number;
        return true;
    case OPT_QUIET:
        if (!whole_number(arg, 1, 2000, &number))
            return false;
        noise_set_limit((double)number / 1000);
        return true;
    case OPT_CORE:
        o->core = whole_number(arg, 0, 4095, &number) ? (int)number : -2;
        return o->core >= 0;
    case OPT_JSON:
        o->json = arg;
        return true;
    case OPT_PLOT:
        return names_read(&o->plots, arg);
    case OPT_TARGETS:
        o->targets = arg;
        return true;
    case OPT_SPOIL:
        o->spoil = arg;
        return true;
    case OPT_SERVE:
        return o->serve = true;
    default:
        return o->help = true;
    }
}

void options_init(struct options *o)
{
    *o = (struct options){
        .setup = {.burst = 32, .aad_len = 16, .n_keys = 1},
        .whats = {WHAT_SEAL},
        .n_whats = 1,
        .plan = {.rounds = 101, .patience = 1},
        .core = -1,
    };
    options_add_sizes(o, "64,256,512,1024,1420,4096,8920");
}

static void names_copy(struct names *to, const struct names *from)
{
    to->n = from->n;
    for (size_t i = 0; i < from->n; i++)
        to->name[i] = strdup(from->name[i]);
}

void options_copy(struct options *to, const struct options *from)
{
    *to = *from;
    to->sizes = NULL;
    to->n_sizes = 0;
    for (size_t i = 0; i < from->n_sizes; i++)
        add_size(to, from->sizes[i]);
    names_copy(&to->levels, &from->levels);
    names_copy(&to->kernels, &from->kernels);
    names_copy(&to->peers, &from->peers);
    names_copy(&to->plots, &from->plots);
}

void options_free(struct options *o)
{
    free(o->sizes);
    names_clear(&o->levels);
    names_clear(&o->kernels);
    names_clear(&o->peers);
    names_clear(&o->plots);
}

bool options_parse(struct options *o, int argc, char *const argv[], char message[256])
{
    int option, index = 0;

    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", long_options, &index)) != -1) {
        const char *given = optind > 0 ? argv[optind - 1] : "";

        if (option == '?')
            snprintf(message, 256, "unknown option %s", given);
        else if (option == ':')
            snprintf(message, 256, "%s needs a value", given);
        else if (!apply(o, option, optarg))
            snprintf(message, 256, "--%s: %s is not a value for it", long_options[index].name,
                     optarg != NULL ? optarg : "this");
        else
            continue;
        return false;
    }
    if (optind < argc) {
        snprintf(message, 256, "%s is no option", argv[optind]);
        return false;
    }
    return true;
}
