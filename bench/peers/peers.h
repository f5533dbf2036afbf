/* peers.h: the peers that this build knows. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "contender.h"

extern const struct peer peer_ipsec_mb, peer_ipsec_mb_nocheck, peer_ipsec_mb_direct, peer_ipsec_mb_burst;
extern const struct peer peer_openssl, peer_boringssl, peer_libsodium, peer_libgcrypt;

#endif
