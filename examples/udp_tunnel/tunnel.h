/* tunnel.h: one end of a tunnel, from set-up to the signal that ends it. Called by main. */
#ifndef TUNNEL_TUNNEL_H
#define TUNNEL_TUNNEL_H

#include <stdint.h>

#include "options.h"

/* Runs until SIGINT or SIGTERM. Wipes psk as soon as its keys are derived. 0, or -1 after a message. */
int tunnel_run(const struct options *o, uint8_t psk[32]);

#endif
