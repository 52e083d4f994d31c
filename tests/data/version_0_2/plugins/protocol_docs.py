"""As docs/own_protocol.md of commit 802fdee has it."""

import struct

from simulator.motion.protocol import CONTRACT, Protocol
from simulator.motion.protocols import register

LAYOUT = "<4sI6f"  # name, number, pose in mm and degrees


def make(settings):  # parameters, engine (highest_rpm, idle_rpm, gears), interval, vehicle (its name)
    gain = float(settings.parameters[0]["gain"])

    def encode(said):  # packet, readout, jounce_speed
        p = said.packet
        pose = [1000.0 * x for x in p.pose[:3]] + [57.29578 * angle for angle in p.pose[3:]]
        return struct.pack(LAYOUT, b"RIG1", p.sequence & 0xFFFFFFFF, *(gain * x for x in pose))

    return encode


GAIN = (("gain", (), "1", "of the pose"),)
RANGES, DEFAULTS = {"gain": (0.0, 1.0)}, {"gain": 1.0}
WORDS = "pose in mm and degrees"
register(Protocol("rig1", 100, 5100, True, make, LAYOUT, CONTRACT, GAIN, RANGES, DEFAULTS, WORDS))
