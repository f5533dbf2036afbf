/* stats.c: printing of counters. Called by tunnel.c on SIGUSR1 and at the end. */
#include "stats.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

struct row {
    const char *name, *text;
    uint64_t value;
};

#define PEER_ROWS 13
#define X(name, text) +1
enum { N_ROWS = 0 STATS_LIST(X) + PEER_ROWS };
#undef X

static void collect(struct row rows[N_ROWS], const struct stats *s, const struct peer *p)
{
    const uint64_t *r = p->stats.results;
    struct row all[] = {
#define X(name, text) {#name, text, s->name},
        STATS_LIST(X)
#undef X
            {"sessions", "sessions begun", p->stats.sessions},
        {"hellos_sent", "hellos sent", p->stats.hellos_sent},
        {"answers_sent", "answers sent", p->stats.answers_sent},
        {"handshake_repeated", "hellos heard again", r[HANDSHAKE_AGAIN]},
        {"handshake_crossed", "hellos that crossed one of ours", r[HANDSHAKE_OURS]},
        {"handshake_stale", "hellos replayed or too old", r[HANDSHAKE_STALE]},
        {"handshake_reflected", "hellos of our own come back", r[HANDSHAKE_REFLECTED]},
        {"handshake_unasked", "answers to nothing", r[HANDSHAKE_UNASKED]},
        {"handshake_forged", "handshake messages forged", r[HANDSHAKE_FORGED]},
        {"handshake_throttled", "hellos dropped unread: too many", p->stats.throttled},
        {"keepalives_sent", "keepalives sent", p->stats.keepalives_sent},
        {"keepalives_heard", "keepalives heard", p->stats.keepalives_heard},
        {"roamed", "changes of the peer's address", p->stats.roamed},
    };

    _Static_assert(sizeof(all) == sizeof(struct row) * N_ROWS, "PEER_ROWS");
    memcpy(rows, all, sizeof(all));
}

void stats_add(struct stats *s, const struct stats *more)
{
#define X(name, text) s->name += more->name;
    STATS_LIST(X)
#undef X
}

void stats_open_failed(struct stats *s, int status)
{
    switch (status) {
    case SEALANE_EFORGED:
        s->drop_forged++;
        break;
    case SEALANE_EREPLAY:
        s->drop_replayed++;
        break;
    case SEALANE_ENOKEY:
        s->drop_no_key++;
        break;
    case SEALANE_ELIMIT:
        s->drop_limit++;
        break;
    case SEALANE_EFORMAT:
        s->drop_malformed++;
        break;
    default:
        s->drop_unknown++;
        break;
    }
}

void stats_print(FILE *out, const struct stats *s, const struct peer *p)
{
    struct row rows[N_ROWS];
    char text[ADDRESS_TEXT_LEN];

    collect(rows, s, p);
    fprintf(out, "peer %s, session %s\n", address_text(&p->address, text),
            p->current_id == 0 ? "none"
            : p->unconfirmed   ? "unconfirmed"
                               : "established");
    for (size_t i = 0; i < N_ROWS; i++) {
        if (rows[i].value != 0)
            fprintf(out, "%14" PRIu64 "  %s\n", rows[i].value, rows[i].text);
    }
    fflush(out);
}

int stats_write_json(const char *path, const struct stats *s, const struct peer *p)
{
    struct row rows[N_ROWS];
    char part[PATH_MAX];
    FILE *f;
    int bad;

    if (snprintf(part, sizeof(part), "%s.part", path) >= (int)sizeof(part))
        return log_fail("name of the statistics file is too long");
    f = fopen(part, "we");
    if (f == NULL)
        return log_fail("cannot write %s: %s", part, strerror(errno));
    collect(rows, s, p);
    for (size_t i = 0; i < N_ROWS; i++)
        fprintf(f, "%s\"%s\": %" PRIu64, i == 0 ? "{\n  " : ",\n  ", rows[i].name, rows[i].value);
    fputs("\n}\n", f);
    bad = ferror(f);
    bad |= fclose(f) != 0;
    if (bad || rename(part, path) != 0) {
        unlink(part);
        return log_fail("cannot write %s: %s", path, strerror(errno));
    }
    return 0;
}
