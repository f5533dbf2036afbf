/* options.c: see options.h. Called by main. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "udp.h"

#define MTU_LEAST 576
#define MTU_MOST 65475 /* and 32 bytes around it fit in a datagram */
#define MTU_DEFAULT 1420
#define REKEY_LEAST 2
#define REKEY_MOST 120
#define THREADS_MOST 2 /* one for each direction */

enum { OPT_KEY = 256, OPT_BIND, OPT_PEER, OPT_TUN, OPT_ADDRESS, OPT_MTU, OPT_LEVEL, OPT_NO_BURST, OPT_REKEY };
enum { OPT_NO_GSO = 512, OPT_NO_GRO, OPT_NO_TUN_OFFLOAD, OPT_JSON, OPT_USER, OPT_THREADS };

static const struct option tunnel_options[] = {
    {"key", required_argument, NULL, OPT_KEY},
    {"bind", required_argument, NULL, OPT_BIND},
    {"peer", required_argument, NULL, OPT_PEER},
    {"tun", required_argument, NULL, OPT_TUN},
    {"address", required_argument, NULL, OPT_ADDRESS},
    {"mtu", required_argument, NULL, OPT_MTU},
    {"level", required_argument, NULL, OPT_LEVEL},
    {"rekey", required_argument, NULL, OPT_REKEY},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"user", required_argument, NULL, OPT_USER},
    {"stats-json", required_argument, NULL, OPT_JSON},
    {"no-burst", no_argument, NULL, OPT_NO_BURST},
    {"no-gso", no_argument, NULL, OPT_NO_GSO},
    {"no-gro", no_argument, NULL, OPT_NO_GRO},
    {"no-tun-offload", no_argument, NULL, OPT_NO_TUN_OFFLOAD},
    {NULL, 0, NULL, 0},
};

static const struct option demo_options[] = {
    {"json", required_argument, NULL, OPT_JSON},
    {NULL, 0, NULL, 0},
};

void options_usage(void)
{
    fputs("udp_tunnel keygen FILE\n"
          "    makes a key file for both ends\n"
          "udp_tunnel --key FILE --bind ADDR:PORT [--peer ADDR:PORT] --tun NAME [options]\n"
          "    runs one end; at least one of the two needs --peer\n"
          "  --address CIDR   of the TUN device; may be repeated, IPv4 and IPv6\n"
          "  --mtu N          of the TUN device, 576 to 65475; the link's less 80 (1420)\n"
          "  --level NAME     kernels: portable, ssse3, avx2, avx512vl, avx512\n"
          "  --no-burst       seals and opens one packet at a time, to see what bursts gain\n"
          "  --no-gso, --no-gro, --no-tun-offload\n"
          "                   does without the kernel's segmentation offloads\n"
          "  --rekey SECONDS  new keys after 2 to 120 seconds (120)\n"
          "  --threads N      1, or 2 for one each way (1)\n"
          "  --user NAME      becomes this user after set-up\n"
          "  --stats-json FILE\n"
          "                   writes statistics there on SIGUSR1 and at the end\n"
          "udp_tunnel --demo [--json FILE]\n"
          "    shows throughput by MTU and kernel over loopback; needs no privilege\n"
          "udp_tunnel --help | --version\n"
          "SIGUSR1 prints statistics; SIGINT and SIGTERM end it.\n",
          stdout);
}

static int parse_number(const char *option, const char *text, unsigned least, unsigned most, unsigned *out)
{
    char *end;
    unsigned long v = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || v < least || v > most)
        return log_fail("--%s %s: expected a number from %u to %u", option, text, least, most);
    *out = (unsigned)v;
    return 0;
}

static int parse_level(struct options *o, const char *name)
{
    o->level = level_find(name);
    if (o->level == NULL)
        return log_fail("--level %s: expected portable, ssse3, avx2, avx512vl or avx512", name);
    if (!level_present(o->level))
        return log_fail("--level %s: this CPU does not have it", name);
    return 0;
}

static int parse_tun(struct options *o, const char *name)
{
    if (name[0] == '\0' || strlen(name) >= sizeof(o->tun) || strpbrk(name, "/ :%\t\n") != NULL)
        return log_fail("--tun %s: expected an interface name of 1 to %zu characters", name,
                        sizeof(o->tun) - 1);
    strcpy(o->tun, name);
    return 0;
}

static int parse_address(struct address *a, const char *option, const char *text)
{
    if (address_parse(a, text) != 0)
        return log_fail("--%s %s: expected a numeric ADDR:PORT or [ADDR]:PORT", option, text);
    return 0;
}

static int parse_prefix(struct options *o, const char *text)
{
    if (o->n_prefixes == OPTIONS_PREFIXES)
        return log_fail("--address: at most %u", OPTIONS_PREFIXES);
    if (prefix_parse(&o->prefixes[o->n_prefixes], text) != 0)
        return log_fail("--address %s: expected ADDR/BITS", text);
    o->n_prefixes++;
    return 0;
}

static int take(struct options *o, int option, const char *value)
{
    switch (option) {
    case OPT_KEY:
        o->key_file = value;
        return 0;
    case OPT_BIND:
        return parse_address(&o->bind_to, "bind", value);
    case OPT_PEER:
        return parse_address(&o->peer, "peer", value);
    case OPT_TUN:
        return parse_tun(o, value);
    case OPT_ADDRESS:
        return parse_prefix(o, value);
    case OPT_MTU:
        return parse_number("mtu", value, MTU_LEAST, MTU_MOST, &o->mtu);
    case OPT_LEVEL:
        return parse_level(o, value);
    case OPT_NO_BURST:
        o->no_burst = 1;
        return 0;
    case OPT_NO_GSO:
        o->udp_flags |= UDP_NO_GSO;
        return 0;
    case OPT_NO_GRO:
        o->udp_flags |= UDP_NO_GRO;
        return 0;
    case OPT_NO_TUN_OFFLOAD:
        o->no_tun_offload = 1;
        return 0;
    case OPT_REKEY:
        return parse_number("rekey", value, REKEY_LEAST, REKEY_MOST, &o->rekey_s);
    case OPT_THREADS:
        return parse_number("threads", value, 1, THREADS_MOST, &o->threads);
    case OPT_USER:
        o->user = value;
        return 0;
    case OPT_JSON:
        o->json_file = value;
        return 0;
    default:
        return -1; /* getopt_long said why */
    }
}

/* Reads all options of a list; nothing else may follow. */
static int take_all(struct options *o, int argc, char **argv, const struct option *list)
{
    int option;

    while ((option = getopt_long(argc, argv, "", list, NULL)) != -1) {
        if (take(o, option, optarg) != 0)
            return -1;
    }
    if (optind < argc)
        return log_fail("%s: not understood", argv[optind]);
    return 0;
}

static int check_peer(struct options *o)
{
    int family = o->bind_to.u.any.sa_family;

    if (o->peer.len == 0)
        return 0;
    if (o->peer.u.in4.sin_port == 0) /* the port is at the same place in both families */
        return log_fail("--peer: port 0 cannot be sent to");
    if (family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&o->bind_to.u.in6.sin6_addr))
        address_map(&o->peer);
    if (o->peer.u.any.sa_family != family)
        return log_fail("--bind and --peer are of different address families");
    return 0;
}

static int parse_tunnel(struct options *o, int argc, char **argv)
{
    o->command = COMMAND_TUNNEL;
    o->mtu = MTU_DEFAULT;
    o->threads = 1;
    if (take_all(o, argc, argv, tunnel_options) != 0)
        return -1;
    if (o->key_file == NULL)
        return log_fail("--key FILE is missing");
    if (o->bind_to.len == 0)
        return log_fail("--bind ADDR:PORT is missing");
    if (o->tun[0] == '\0')
        return log_fail("--tun NAME is missing");
    return check_peer(o);
}

int options_parse(struct options *o, int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";

    memset(o, 0, sizeof(*o));
    if (strcmp(first, "keygen") == 0) {
        o->command = COMMAND_KEYGEN;
        o->key_file = argv[2];
        return argc == 3 ? 0 : log_fail("keygen takes one FILE");
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "--version") == 0) {
        o->command = first[2] == 'h' ? COMMAND_HELP : COMMAND_VERSION;
        return argc == 2 ? 0 : log_fail("%s: not understood", argv[2]);
    }
    if (strcmp(first, "--demo") == 0) {
        o->command = COMMAND_DEMO;
        return take_all(o, argc - 1, argv + 1, demo_options);
    }
    return parse_tunnel(o, argc, argv);
}
