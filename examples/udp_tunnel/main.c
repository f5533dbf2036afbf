/* main.c: the sample tunnel's program. Exit status: 0 done, 1 something failed, 2 the command line is wrong.
 */
#include <stdio.h>
#include <string.h>

#include "demo.h"
#include "keyfile.h"
#include "options.h"
#include "tunnel.h"

#define STATUS_FAILED 1
#define STATUS_USAGE 2

static int run_tunnel(const struct options *o)
{
    uint8_t psk[32];
    int result = keyfile_load(o->key_file, psk);

    if (result == 0)
        result = tunnel_run(o, psk);
    explicit_bzero(psk, sizeof(psk));
    return result;
}

static int run(const struct options *o)
{
    switch (o->command) {
    case COMMAND_KEYGEN:
        return keyfile_make(o->key_file);
    case COMMAND_DEMO:
        return demo_run(o->json_file);
    case COMMAND_HELP:
        options_usage();
        return 0;
    case COMMAND_VERSION:
        puts("udp_tunnel (sealane) " SEALANE_VERSION);
        return 0;
    case COMMAND_TUNNEL:
        return run_tunnel(o);
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct options o;

    if (options_parse(&o, argc, argv) != 0) {
        fputs("udp_tunnel --help shows the options\n", stderr);
        return STATUS_USAGE;
    }
    return run(&o) == 0 ? 0 : STATUS_FAILED;
}
