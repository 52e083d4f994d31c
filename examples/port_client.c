/* Drive over the network in lock step: jounce serve --port 42500, then cc -o port_client port_client.c && ./port_client 42500 */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jounce_port.h"

static void fail(const char *reason) {
    fprintf(stderr, "port_client: %s\n", reason);
    exit(1);
}

static void fail_call(const char *call) {
    perror(call);
    exit(1);
}

static void read_all(int socket, void *to, size_t size) {
    for (ssize_t got; size > 0; size -= (size_t)got, to = (char *)to + got) {
        if ((got = recv(socket, to, size, 0)) < 0)
            fail_call("port_client: receive");
        if (got == 0)
            fail("the simulator has closed the connection");
    }
}

static void send_message(int socket, enum jounce_kind kind, uint32_t sequence, uint64_t schema, const void *body, size_t size) {
    char data[JOUNCE_MAX_SENT];
    const jounce_header header = jounce_make_header(kind, (uint32_t)size, sequence, schema);
    memcpy(data, &header, sizeof header);
    if (size > 0)
        memcpy(data + sizeof header, body, size);
    if (send(socket, data, header.size, MSG_NOSIGNAL) != (ssize_t)header.size)
        fail_call("port_client: send");
}

/* Body of the next message, with a zero byte at its end; to be freed. */
static char *receive_message(int socket, jounce_header *header) {
    read_all(socket, header, sizeof *header);
    if (!jounce_is_valid(header))
        fail("no message of version 1; is it the port of `jounce serve`?");
    const size_t size = header->size - sizeof *header;
    char *body = calloc(size + 1, 1);
    if (body == NULL)
        fail_call("port_client: memory");
    read_all(socket, body, size);
    return body;
}

/* Print the arrays of a measurement; of points with a range, how many have one. */
static void show(const char *schema, const char *body, size_t size) {
    jounce_sensor_head sensor;
    jounce_array_head array;
    size_t at = 0;
    const char *items;
    if (size < sizeof sensor)
        return;
    memcpy(&sensor, body, sizeof sensor);
    while (jounce_next_array(body, size, &at, &array, &items)) {
        const size_t points = (size_t)array.length[0] * array.length[1];
        const int offset = jounce_field(schema, (int)array.index, "range");
        size_t returns = 0;
        for (size_t n = 0; offset >= 0 && n < points; ++n) {
            float range;
            memcpy(&range, items + n * (array.size / points) + (size_t)offset, sizeof range);
            returns += range < 1e9f;
        }
        printf("%.2f s, array %u: %u x %u items, %zu returns\n", sensor.time, array.index, array.length[0], array.length[1], returns);
    }
}

int main(int count, char **arguments) {
    char *end = "";
    const long port = count == 2 ? strtol(arguments[1], &end, 10) : 42500;
    if (count > 2 || *end != '\0' || port < 1 || port > 65535)
        fail("usage: port_client [PORT], a port of this machine (default: 42500)");
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (peer < 0 || connect(peer, (struct sockaddr *)&address, sizeof address) != 0)
        fail_call("port_client: connect (start `jounce serve` first; another program drives it, or it serves UDP?)");

    jounce_header header;
    send_message(peer, JOUNCE_HELLO, 0, 0, NULL, 0);
    char *schema = receive_message(peer, &header);
    if (header.kind != JOUNCE_SCHEMA)
        fail(header.kind == JOUNCE_REFUSED ? schema + sizeof(jounce_refusal_head) : "expected the schema first");
    const uint64_t hash = header.schema;
    const int channel = jounce_index(schema, "state", "v_WB_B_x");
    if (channel < 0)
        fail("no v_WB_B_x in the state; start `jounce serve` with --state 'v_WB_B,...'");

    double speed = 0.0;
    uint32_t sequence = 0;
    do {
        char *body = receive_message(peer, &header);
        if (header.kind == JOUNCE_STATE) {
            memcpy(&speed, body + sizeof(jounce_state_head) + sizeof(double) * (size_t)channel, sizeof speed);
            const jounce_command command = {.throttle = 0.5, .selector = 1.0};
            const char quit[] = "{\"kind\": \"quit\"}";
            if (header.time < 5.0)
                send_message(peer, JOUNCE_COMMAND, ++sequence, hash, &command, sizeof command);
            else
                send_message(peer, JOUNCE_REQUEST, ++sequence, hash, quit, sizeof quit - 1);
        } else if (header.kind == JOUNCE_SENSOR) {
            show(schema, body, header.size - sizeof header);
        } else {
            printf("%s\n", header.kind == JOUNCE_REFUSED ? body + sizeof(jounce_refusal_head) : body);
        }
        free(body);
    } while (header.kind != JOUNCE_END);
    free(schema);
    printf("%.2f m/s after %u commands\n", speed, sequence - 1);
    close(peer);
    return 0;
}
