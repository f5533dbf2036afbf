/* peers.c: the table of peers. One file beside this one for each library. */
#include "peers.h"

const struct peer *const peers[] = {
#if BENCH_IPSEC_MB
    &peer_ipsec_mb,
    &peer_ipsec_mb_nocheck,
    &peer_ipsec_mb_direct,
    &peer_ipsec_mb_burst,
#endif
#if BENCH_OPENSSL
    &peer_openssl,
#endif
#if BENCH_BORINGSSL
    &peer_boringssl,
#endif
#if BENCH_SODIUM
    &peer_libsodium,
#endif
#if BENCH_GCRYPT
    &peer_libgcrypt,
#endif
    NULL,
};

const char *const peers_absent = ""
#if !BENCH_IPSEC_MB
                                 " ipsec-mb"
#endif
#if !BENCH_OPENSSL
                                 " openssl"
#endif
#if !BENCH_BORINGSSL
                                 " boringssl"
#endif
#if !BENCH_SODIUM
                                 " libsodium"
#endif
#if !BENCH_GCRYPT
                                 " libgcrypt"
#endif
    ;
