"""As docs/own_input_source.md of commit 802fdee has it."""

import json
import socket

from simulator.driver.source import CONTRACT, SourceKind
from simulator.driver.sources import register


class Pedals:
    """Takes {"steering": 0.1, "throttle": 0.3, "brake": 0} from UDP port 5200 of this machine."""

    def __init__(self, cabin, parameters):  # cabin: keys, hub, lever, steering_wheel_range
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", int(parameters[0]["port"])))
        self.socket.setblocking(False)
        self.lever = cabin.lever
        self.used, self.connected, self.events, self.said = False, False, [], {}

    def read(self, t, speed, out):
        self.used = False
        while True:
            try:
                self.said = json.loads(self.socket.recv(1024))
            except BlockingIOError:
                break
            self.used = self.connected = True
        for name in ("steering", "throttle", "brake"):
            out[0][name] = self.said.get(name, 0.0)
        self.lever.write(out)


PORT = (("port", (), "1", "UDP port", "i8"),)
register(SourceKind("udp_pedals", Pedals, CONTRACT, PORT, {"port": (1024, 65535)}, {"port": 5200}, meaning="pedals over UDP"))
