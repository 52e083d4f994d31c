/* Messages of the port of `jounce serve`, version 1 (docs/port.md). For little-endian machines, C99 and C++. */
#ifndef JOUNCE_PORT_H
#define JOUNCE_PORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JOUNCE_MAGIC "JNCP"
#define JOUNCE_VERSION 1
#define JOUNCE_MAX_SENT 8192 /* bytes of a message to the simulator */

enum jounce_kind {
    /* from the simulator */
    JOUNCE_SCHEMA = 1,  /* text, see jounce_index */
    JOUNCE_STATE = 2,   /* jounce_state_head, then a double for each channel */
    JOUNCE_EVENT = 3,   /* JSON */
    JOUNCE_REFUSED = 4, /* jounce_refusal_head, then the reason as text */
    JOUNCE_END = 5,     /* reason as text; the log is complete */
    /* to the simulator */
    JOUNCE_HELLO = 16,   /* first message, no body */
    JOUNCE_COMMAND = 17, /* jounce_command */
    JOUNCE_REQUEST = 18, /* JSON: {"kind": "reset"} */
    JOUNCE_ALIVE = 19    /* no body */
};

enum jounce_flag { JOUNCE_PAUSED = 1, JOUNCE_RESTS = 2 };

/* 32 bytes before every body */
typedef struct {
    char magic[4];
    uint16_t version;
    uint16_t kind;
    uint32_t size; /* bytes, header included */
    uint32_t sequence;
    uint64_t schema; /* hash; of a command: that of the SCHEMA message */
    double time;     /* simulated time [s]; to the simulator: 0 */
} jounce_header;

typedef struct {
    uint64_t tick;
    uint32_t flags;
    uint32_t command; /* sequence of the latest command */
} jounce_state_head;

typedef struct {
    uint32_t sequence; /* of the refused message */
    uint32_t zero;
} jounce_refusal_head;

/* ranges and meanings are in the schema */
typedef struct {
    double steering; /* [-1, 1], + = left */
    double throttle; /* [0, 1] */
    double brake;    /* [0, 1] */
    double parking_brake;
    double selector; /* -1 reverse, 0 neutral, 1 drive */
    double gear;     /* 0 = selected by the gearbox */
    double low_range;
    double center_lock;
    double clutch;
    double manual_clutch;
    double starter;
    double drawbar;         /* N */
    double steering_torque; /* N m */
    double steering_free;
} jounce_command;

/* an array of negative size if the compiler lays out a struct in another way */
typedef char jounce_check_header[sizeof(jounce_header) == 32 ? 1 : -1];
typedef char jounce_check_state[sizeof(jounce_state_head) == 16 ? 1 : -1];
typedef char jounce_check_command[sizeof(jounce_command) == 14 * 8 ? 1 : -1];

/* Header of a message with a body of `body` bytes. */
static inline jounce_header jounce_make_header(enum jounce_kind kind, uint32_t body, uint32_t sequence, uint64_t schema) {
    jounce_header h;
    memcpy(h.magic, JOUNCE_MAGIC, 4);
    h.version = JOUNCE_VERSION;
    h.kind = (uint16_t)kind;
    h.size = (uint32_t)sizeof h + body;
    h.sequence = sequence;
    h.schema = schema;
    h.time = 0.0;
    return h;
}

/* Whether a header from the simulator can be read. */
static inline int jounce_is_valid(const jounce_header *h) {
    return memcmp(h->magic, JOUNCE_MAGIC, 4) == 0 && h->version == JOUNCE_VERSION && h->size >= sizeof *h;
}

/* Index of a channel in the text of the schema, which ends in a zero byte; -1: no such channel. `section`: "state" or "command". */
static inline int jounce_index(const char *schema, const char *section, const char *name) {
    const size_t section_size = strlen(section), name_size = strlen(name);
    for (const char *line = schema; line != NULL && *line != '\0'; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, section, section_size) != 0 || line[section_size] != '\t')
            continue;
        const char *const index = line + section_size + 1;
        const char *const column = strchr(index, '\t');
        if (column != NULL && strncmp(column + 1, name, name_size) == 0 && column[1 + name_size] == '\t')
            return atoi(index);
    }
    return -1;
}

#endif
