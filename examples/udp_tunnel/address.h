/* address.h: socket addresses and interface prefixes as text and as values. */
#ifndef TUNNEL_ADDRESS_H
#define TUNNEL_ADDRESS_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

/* Of an IPv4 or IPv6 UDP endpoint; len 0: none. */
struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
    } u;
    socklen_t len;
};

/* "192.0.2.1/24" or "2001:db8::1/64". */
struct prefix {
    int family; /* AF_INET or AF_INET6 */
    unsigned bits;
    union {
        struct in_addr in4;
        struct in6_addr in6;
    } u;
};

/* Space for an address as text, [IPv6%zone]:port included. */
#define ADDRESS_TEXT_LEN 80

/* "192.0.2.1:51820" or "[2001:db8::1]:51820", numeric. 0, or -1 when the text is no such thing. */
int address_parse(struct address *a, const char *text);

/* "ADDR/BITS". 0 or -1. */
int prefix_parse(struct prefix *p, const char *text);

/* Turns an IPv4 address into its IPv4-mapped IPv6 form, for a socket that serves both families. */
void address_map(struct address *a);

int address_equal(const struct address *a, const struct address *b);

/* Writes the address into text and returns text. */
const char *address_text(const struct address *a, char text[ADDRESS_TEXT_LEN]);

#endif
