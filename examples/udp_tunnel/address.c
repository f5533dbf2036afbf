/* address.c: parsing and printing of addresses. Called by the options, the socket and the log. */
#include "address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits only, in range. */
static int number_parse(const char *text, unsigned long least, unsigned long most, unsigned *out)
{
    char *end;
    unsigned long v;

    if (text[0] < '0' || text[0] > '9')
        return -1;
    v = strtoul(text, &end, 10);
    if (*end != '\0' || v < least || v > most)
        return -1;
    *out = (unsigned)v;
    return 0;
}

int address_parse(struct address *a, const char *text)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found;
    char host[ADDRESS_TEXT_LEN];
    const char *colon = strrchr(text, ':'), *from = text, *to = colon;
    unsigned port;

    if (colon == NULL || number_parse(colon + 1, 0, 65535, &port) != 0)
        return -1;
    if (text[0] == '[') {
        if (colon - text < 2 || colon[-1] != ']')
            return -1;
        from++;
        to--;
        hints.ai_family = AF_INET6;
    } else {
        hints.ai_family = AF_INET;
    }
    if (to <= from || (size_t)(to - from) >= sizeof(host))
        return -1;
    memcpy(host, from, (size_t)(to - from));
    host[to - from] = '\0';
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return -1;
    memset(a, 0, sizeof(*a));
    memcpy(&a->u, found->ai_addr, found->ai_addrlen);
    a->len = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

int prefix_parse(struct prefix *p, const char *text)
{
    const char *slash = strchr(text, '/');
    char host[ADDRESS_TEXT_LEN];

    if (slash == NULL || (size_t)(slash - text) >= sizeof(host))
        return -1;
    memset(p, 0, sizeof(*p));
    memcpy(host, text, (size_t)(slash - text));
    host[slash - text] = '\0';
    if (inet_pton(AF_INET, host, &p->u.in4) == 1)
        p->family = AF_INET;
    else if (inet_pton(AF_INET6, host, &p->u.in6) == 1)
        p->family = AF_INET6;
    else
        return -1;
    return number_parse(slash + 1, 0, p->family == AF_INET ? 32 : 128, &p->bits);
}

void address_map(struct address *a)
{
    struct sockaddr_in in4 = a->u.in4;

    if (a->len == 0 || a->u.any.sa_family != AF_INET)
        return;
    memset(a, 0, sizeof(*a));
    a->u.in6.sin6_family = AF_INET6;
    a->u.in6.sin6_port = in4.sin_port;
    a->u.in6.sin6_addr.s6_addr[10] = a->u.in6.sin6_addr.s6_addr[11] = 0xff;
    memcpy(&a->u.in6.sin6_addr.s6_addr[12], &in4.sin_addr, 4);
    a->len = sizeof(a->u.in6);
}

int address_equal(const struct address *a, const struct address *b)
{
    if (a->len == 0 || b->len == 0 || a->u.any.sa_family != b->u.any.sa_family)
        return 0;
    if (a->u.any.sa_family == AF_INET)
        return a->u.in4.sin_port == b->u.in4.sin_port && a->u.in4.sin_addr.s_addr == b->u.in4.sin_addr.s_addr;
    return a->u.in6.sin6_port == b->u.in6.sin6_port && a->u.in6.sin6_scope_id == b->u.in6.sin6_scope_id &&
           memcmp(&a->u.in6.sin6_addr, &b->u.in6.sin6_addr, 16) == 0;
}

const char *address_text(const struct address *a, char text[ADDRESS_TEXT_LEN])
{
    char host[ADDRESS_TEXT_LEN - 10], port[8];

    if (a->len == 0 || getnameinfo(&a->u.any, a->len, host, sizeof(host), port, sizeof(port),
                                   NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        snprintf(text, ADDRESS_TEXT_LEN, "(none)");
    else
        snprintf(text, ADDRESS_TEXT_LEN, a->u.any.sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return text;
}
