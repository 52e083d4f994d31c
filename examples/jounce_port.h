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
    JOUNCE_SENSOR = 6,  /* jounce_sensor_head, then arrays, see jounce_next_array */
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

typedef struct {
    double time;      /* of the measurement [s] */
    double delivered; /* [s] */
    uint32_t arrays;
    uint32_t zero;
} jounce_sensor_head;

typedef struct {
    uint32_t index;     /* of the array in the schema, see jounce_index */
    uint32_t axes;      /* 0 to 4 */
    uint32_t length[4]; /* of each axis; 1 beyond the last one; the last axis is the fastest */
    uint64_t size;      /* bytes of all items */
} jounce_array_head;

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
typedef char jounce_check_sensor[sizeof(jounce_sensor_head) == 24 ? 1 : -1];
typedef char jounce_check_array[sizeof(jounce_array_head) == 32 ? 1 : -1];
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

/* Index of a channel or an array in the text of the schema, which ends in a zero byte; -1: no such channel. `section`: "state",
   "command" or "array". */
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

/* Offset of a field in the items of an array [bytes]; -1: no such field. */
static inline int jounce_field(const char *schema, int array, const char *name) {
    const size_t name_size = strlen(name);
    for (const char *line = schema; line != NULL && *line != '\0'; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, "field\t", 6) != 0 || atoi(line + 6) != array)
            continue;
        const char *const column = strchr(line + 6, '\t');
        if (column == NULL || strncmp(column + 1, name, name_size) != 0 || column[1 + name_size] != '\t')
            continue;
        const char *const offset = strchr(column + name_size + 2, '\t');
        return offset != NULL ? atoi(offset + 1) : -1;
    }
    return -1;
}

/* Head and items of the next array in the body of a SENSOR message of `size` bytes. Returns 0 after the last one, and for a body that is
   cut. `at` is 0 before the first call. Items begin at a multiple of 8 bytes of the body. */
static inline int jounce_next_array(const char *body, size_t size, size_t *at, jounce_array_head *head, const char **items) {
    if (*at == 0)
        *at = sizeof(jounce_sensor_head);
    if (*at > size || size - *at < sizeof *head)
        return 0;
    memcpy(head, body + *at, sizeof *head);
    *at += sizeof *head;
    if (head->size > size - *at)
        return 0;
    *items = body + *at;
    *at += (size_t)((head->size + 7) / 8 * 8);
    return 1;
}

#endif
