"""Drive over the network in lock step: `jounce serve --port 42500`, then `python port_client.py 127.0.0.1 42500` (docs/port.md)."""

import socket
import struct
import sys

HEADER = struct.Struct("<4sHHIIQd")  # magic, version, kind, size, sequence, hash of the schema, simulated time
SCHEMA, STATE, EVENT, REFUSED, END, HELLO, COMMAND, REQUEST = 1, 2, 3, 4, 5, 16, 17, 18
stream = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")


def send(kind, sequence, schema=0, body=b""):
    stream.write(HEADER.pack(b"JNCP", 1, kind, HEADER.size + len(body), sequence, schema, 0.0) + body)
    stream.flush()


def receive():
    _, _, kind, size, _, schema, time = HEADER.unpack(stream.read(HEADER.size))
    return kind, schema, time, stream.read(size - HEADER.size)


send(HELLO, 0)
_, schema, _, text = receive()
rows = [line.split("\t") for line in text.decode().splitlines()]
channels, command = ({row[2]: int(row[1]) for row in rows if row[0] == kind} for kind in ("state", "command"))
kind, sequence = SCHEMA, 0
while kind != END:
    kind, _, time, body = receive()
    if kind == STATE:
        speed = struct.unpack_from("<d", body, 16 + 8 * channels["v_WB_B_x"])[0]  # tick, flags and command come first
        sequence += 1
        if time < 5.0:  # accelerate for five seconds, in drive
            numbers = {"throttle": 0.5, "selector": 1.0}
            send(COMMAND, sequence, schema, struct.pack(f"<{len(command)}d", *(numbers.get(name, 0.0) for name in command)))
        else:
            send(REQUEST, sequence, schema, b'{"kind": "quit", "value": "five seconds are over"}')
    else:
        print(body.decode(errors="replace"))
print(f"{speed:.2f} m/s after {sequence - 1} commands")
