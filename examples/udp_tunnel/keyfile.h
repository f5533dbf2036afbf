/* keyfile.h: the file that holds the pre-shared key: 64 hexadecimal digits and a line end, mode 0600. */
#ifndef TUNNEL_KEYFILE_H
#define TUNNEL_KEYFILE_H

#include <stdint.h>

/* Makes a new key file. An existing file is never touched. 0, or -1 after a message. */
int keyfile_make(const char *path);

/* Reads the key. Refuses a file that others than its owner may read. 0, or -1 after a message. */
int keyfile_load(const char *path, uint8_t psk[32]);

#endif
