/* refuse.c: preloaded into the tunnel by tunnel_netns.py: a kernel that refuses. SEALANE_REFUSE is one of
 *   EIO, EINVAL, EMSGSIZE   UDP messages with a segment size fail with it
 *   tun                     super-packets written to a TUN device fail with EINVAL
 *   some                    sending stops in the middle of a burst, with EAGAIN, ENOBUFS or none of both */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

static const char *how(void)
{
    const char *value = getenv("SEALANE_REFUSE");

    return value != NULL ? value : "";
}

static int gso_error(void)
{
    return strcmp(how(), "EIO") == 0        ? EIO
           : strcmp(how(), "EINVAL") == 0   ? EINVAL
           : strcmp(how(), "EMSGSIZE") == 0 ? EMSGSIZE
                                            : 0;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
    static int (*next)(int, struct mmsghdr *, unsigned int, int);
    static unsigned calls;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "sendmmsg");
    if (strcmp(how(), "some") == 0) {
        calls++;
        if (calls % 5 == 0)
            return fail(calls % 2 == 0 ? EAGAIN : ENOBUFS);
        return next(fd, messages, n > 1 ? 1 + calls % (n - 1) : n, flags);
    }
    for (unsigned i = 0; gso_error() != 0 && i < n; i++) {
        if (messages[i].msg_hdr.msg_controllen != 0)
            return i == 0 ? fail(gso_error()) : next(fd, messages, i, flags);
    }
    return next(fd, messages, n, flags);
}

ssize_t writev(int fd, const struct iovec *spans, int n)
{
    static ssize_t (*next)(int, const struct iovec *, int);

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "writev");
    /* A struct vnet_hdr with its gso_type. */
    if (strcmp(how(), "tun") == 0 && n > 1 && spans[0].iov_len == 10 &&
        ((const char *)spans[0].iov_base)[1] != 0)
        return fail(EINVAL);
    return next(fd, spans, n);
}
