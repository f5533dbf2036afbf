/* keyfile.c: making and reading key files. Called by main. */
#include "keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

#define DIGITS 64

static const char hex[] = "0123456789abcdef";

int keyfile_make(const char *path)
{
    uint8_t psk[32];
    char text[DIGITS + 1];
    int fd, bad;

    if (getrandom(psk, sizeof(psk), 0) != (ssize_t)sizeof(psk))
        return log_fail("no random bytes: %s", strerror(errno));
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        explicit_bzero(psk, sizeof(psk));
        return log_fail("cannot make key file %s: %s", path, strerror(errno));
    }
    for (size_t i = 0; i < sizeof(psk); i++) {
        text[2 * i] = hex[psk[i] >> 4];
        text[2 * i + 1] = hex[psk[i] & 15];
    }
    text[DIGITS] = '\n';
    bad = write(fd, text, sizeof(text)) != (ssize_t)sizeof(text);
    bad |= fsync(fd) != 0 && errno != EINVAL && errno != EROFS;
    bad |= close(fd) != 0;
    explicit_bzero(psk, sizeof(psk));
    explicit_bzero(text, sizeof(text));
    if (bad) {
        unlink(path);
        return log_fail("cannot write key file %s", path);
    }
    return 0;
}

static int digit(char c)
{
    const char *at = c != '\0' ? strchr(hex, c | (c >= 'A' && c <= 'F' ? 0x20 : 0)) : NULL;

    return at != NULL ? (int)(at - hex) : -1;
}

static int decode(const char *path, const char *text, size_t len, uint8_t psk[32])
{
    if (len == DIGITS + 1 && text[DIGITS] == '\n')
        len--;
    if (len != DIGITS)
        return log_fail("key file %s has the wrong length: expected 64 hexadecimal digits and a line end",
                        path);
    for (size_t i = 0; i < 32; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return log_fail("key file %s holds something else than hexadecimal digits", path);
        psk[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

/* Checks the open file, not the name: what was checked is what is read. */
static int check_mode(const char *path, int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return log_fail("cannot read key file %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return log_fail("key file %s is no regular file", path);
    if ((st.st_mode & 077) != 0)
        return log_fail("key file %s is open to others (mode %03o): chmod 600 it", path,
                        (unsigned)st.st_mode & 0777);
    return 0;
}

int keyfile_load(const char *path, uint8_t psk[32])
{
    char text[DIGITS + 8];
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result;

    if (fd < 0)
        return log_fail("cannot read key file %s: %s", path, strerror(errno));
    result = check_mode(path, fd);
    if (result == 0) {
        n = read(fd, text, sizeof(text));
        result = n < 0 ? log_fail("cannot read key file %s: %s", path, strerror(errno))
                       : decode(path, text, (size_t)n, psk);
        explicit_bzero(text, sizeof(text));
    }
    close(fd);
    return result;
}
