/* options.h: the command line of the tunnel. */
#ifndef TUNNEL_OPTIONS_H
#define TUNNEL_OPTIONS_H

#include <net/if.h>

#include "address.h"
#include "level.h"

/* Addresses of the TUN device that can be given. */
#define OPTIONS_PREFIXES 8u

enum options_command { COMMAND_TUNNEL, COMMAND_KEYGEN, COMMAND_DEMO, COMMAND_HELP, COMMAND_VERSION };

struct options {
    enum options_command command;
    const char *key_file;
    const char *json_file;        /* of the demonstration, or of the statistics; NULL: none */
    const char *user;             /* to become after set-up; NULL: stay */
    struct address bind_to, peer; /* peer.len 0: none given */
    char tun[IFNAMSIZ];
    struct prefix prefixes[OPTIONS_PREFIXES];
    unsigned n_prefixes;
    unsigned mtu;
    unsigned rekey_s;          /* 0: as the library says */
    unsigned threads;          /* 1, or 2: one for each direction */
    const struct level *level; /* NULL: what the library picks */
    int no_burst, no_tun_offload;
    int udp_flags; /* enum udp_flags */
};

/* Reads the command line. 0, or -1 after a message that names what is wrong. */
int options_parse(struct options *o, int argc, char **argv);

void options_usage(void);

#endif
