/* error.h: the results of the library's calls.
 *
 * Every call that can fail returns 0 or one of these negative values; nothing else is ever negative. */
#ifndef SEALANE_ERROR_H
#define SEALANE_ERROR_H

#if defined(__GNUC__)
#define SEALANE_API __attribute__((visibility("default")))
#define SEALANE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SEALANE_API
#define SEALANE_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum sealane_error {
    SEALANE_OK = 0,
    SEALANE_EINVAL = -1,   /* an argument is out of its range, or a context was copied, wiped or never made */
    SEALANE_EOVERLAP = -2, /* in and out overlap without being equal, or overlap AAD or tag */
    SEALANE_ESPACE = -3,   /* too little headroom, tailroom or capacity */
    SEALANE_ELENGTH = -4,  /* longer than (2^32 - 1) blocks, or a datagram shorter than its format */
    SEALANE_EFORGED = -5,  /* not authentic: nothing more is told */
    SEALANE_EREPLAY = -6,  /* authentic, and seen before or too old */
    SEALANE_ELIMIT = -7,   /* the key is used up: counter, failed openings, age */
    SEALANE_ENOKEY = -8,   /* no key with this id, or none to send on */
    SEALANE_EFORMAT = -9   /* header not of this format; or authentic, and padding or inner length wrong */
};

/* A constant English sentence for an error; any value is legal, unknown ones say so. Never NULL. */
SEALANE_API const char *sealane_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
