/* lineup.c: turns names of levels, kernels and peers into contenders. */
#include "lineup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "server.h"

static struct contender *next(struct lineup *l)
{
    return l->n < MAX_CONTENDERS ? &l->contenders[l->n++] : NULL;
}

static bool named(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

static bool add_levels(struct lineup *l, const struct options *o, enum what what, char message[256])
{
    if (o->levels.n == 0 && o->kernels.n == 0)
        level_contender(next(l), level_used(), what);
    for (size_t i = 0; i < o->levels.n; i++) {
        const struct level *level = level_find(o->levels.name[i]);

        if (!level_present(level)) {
            snprintf(message, 256, "this CPU has no %s", level->name);
            return false;
        }
        level_contender(next(l), level, what);
    }
    return true;
}

static bool add_kernels(struct lineup *l, const struct options *o, enum what what, char message[256])
{
    for (size_t i = 0; i < o->kernels.n; i++) {
        if (!kernel_contender(next(l), o->kernels.name[i], what, o->any_length)) {
            snprintf(message, 256, "no kernel %.60s for %s (see --list)", o->kernels.name[i],
                     what_name(what));
            return false;
        }
    }
    return true;
}

static bool peer_wanted(const struct options *o, const struct peer *peer)
{
    if (!o->peers_given)
        return !peer->extra;
    return named(&o->peers, "all") || named(&o->peers, peer->name);
}

/* OpenSSL at a lowered level lives in a process of its own. */
static bool add_masked_openssl(struct lineup *l, const char *level, char message[256])
{
    struct contender *c = next(l);

    if (!server_start(level)) {
        snprintf(message, 256, "the process with the masked OpenSSL: %s", strerror(errno));
        return false;
    }
    *c = (struct contender){0};
    snprintf(c->name, sizeof c->name, "openssl-%s", level);
    return true;
}

static bool add_peer(struct lineup *l, const struct options *o, const struct peer *peer, enum what what,
                     char message[256])
{
    const struct method *method = &peer->methods[what_deed(what)];

    if (method->run == NULL)
        return true;
    if (!peer->load()) {
        fprintf(stderr, "sealane-bench: %s cannot be used here, left out\n", peer->name);
        return true;
    }
    if (o->openssl_level != NULL && strcmp(peer->name, "openssl") == 0)
        return add_masked_openssl(l, o->openssl_level, message);

    struct contender *c = next(l);

    *c = (struct contender){.self = peer, .method = method};
    snprintf(c->name, sizeof c->name, "%s", peer->name);
    return true;
}

/* Is name a word of list? */
static bool in_words(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += len)
        if (at != list && at[-1] == ' ' && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

/* Absent libraries are known, and left out; a name that no build has is an error. */
static bool peers_known(const struct options *o, char message[256])
{
    for (size_t i = 0; i < o->peers.n; i++) {
        const char *name = o->peers.name[i];
        bool known = strcmp(name, "all") == 0 || strcmp(name, "none") == 0 || strcmp(name, "single") == 0;

        for (const struct peer *const *p = peers; *p != NULL; p++)
            known = known || strcmp((*p)->name, name) == 0;
        if (in_words(peers_absent, name)) {
            fprintf(stderr, "sealane-bench: %s is not in this build, left out\n", name);
        } else if (!known) {
            snprintf(message, 256, "no peer %.60s (see --list)", name);
            return false;
        }
    }
    return true;
}

bool lineup_make(struct lineup *l, const struct options *o, enum what what, char message[256])
{
    *l = (struct lineup){0};
    if (!add_levels(l, o, what, message) || !add_kernels(l, o, what, message) || !peers_known(o, message))
        return false;
    for (const struct peer *const *p = peers; *p != NULL; p++)
        if (peer_wanted(o, *p) && !add_peer(l, o, *p, what, message))
            return false;
    if (what_is_burst(what) && named(&o->peers, "single"))
        single_contender(next(l), o->levels.n != 0 ? level_find(o->levels.name[0]) : level_used(), what);
    for (size_t i = 0; i < l->n; i++)
        l->contenders[i].spoiled = o->spoil != NULL && strcmp(l->contenders[i].name, o->spoil) == 0;
    return true;
}

void lineup_list_peers(void)
{
    for (const struct peer *const *p = peers; *p != NULL; p++)
        printf("peer             %-24s %s\n", (*p)->name,
               (*p)->load() ? (*p)->version() : "cannot be loaded");
    if (*peers_absent != '\0')
        printf("not in this build:%s\n", peers_absent);
}
