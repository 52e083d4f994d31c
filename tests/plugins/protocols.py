"""Plugin protocols: one with pose and force as eight doubles, and some that fail."""

from __future__ import annotations

import math
import struct
import threading

from simulator.base.fields import Field, Number
from simulator.motion.protocols.contract import CONTRACT, ProtocolKind
from simulator.motion.protocols.kinds import register

LAYOUT = "<4sd6d3d"


def make(settings):
    scale = float(settings.parameters[0]["scale"])

    def encode(said):
        p = said.packet
        return struct.pack(LAYOUT, b"MINE", p.time, *(scale * value for value in p.pose), *p.force)

    return encode


MINE = ProtocolKind(
    "mine",
    100,
    42500,
    False,
    make,
    LAYOUT,
    CONTRACT,
    parameters=(Field("scale", Number("1", 0.0, 1e6), "scale of the pose", 1000.0),),
)


def failing(how):
    def make(settings):
        count = 0

        def encode(said):
            nonlocal count
            count += 1
            if count > 20 and how == "raises":
                raise ValueError("no")
            if count > 20 and how == "hangs":
                threading.Event().wait()
            if count > 20 and how == "short":
                return b"MINE"
            return struct.pack(LAYOUT, b"MINE", math.nan if count > 20 else 0.0, *[0.0] * 9)

        return encode

    return make


for protocol in (
    MINE,
    *(ProtocolKind(f"{how}_protocol", 100, 42500, False, failing(how), LAYOUT, CONTRACT) for how in ("raises", "hangs", "nan", "short")),
):
    register(protocol)
