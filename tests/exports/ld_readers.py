"""Two readers of MoTeC .ld files, written from two public descriptions: the layout of EDL3 5.6, and the table of ldparser."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class LdChannel(NamedTuple):
    """Channel of a file."""

    unit: str
    rate: int
    values: np.ndarray


EDL3_HEADER = "<QII20xI24xHHHI8sHHHHI32s32s64s64s64s64s1088xI2x64s64s8xH38x32s46x"
EDL3_CHANNEL = "<IIIIIHHhhhh32s8s12s40x"


def read_by_edl3(file: Path) -> tuple[dict[str, Any], dict[str, LdChannel]]:
    """Fixed layouts, one after the other; the blocks of event, venue and vehicle follow each other in the file."""
    data = file.read_bytes()
    head = struct.unpack_from(EDL3_HEADER, data)
    assert struct.calcsize(EDL3_HEADER) == 0x6E2 and struct.calcsize(EDL3_CHANNEL) == 0x7C
    meta, _, event = head[1:4]
    assert head[0] == 0x40 and head[4:7] == (0, 0x4240, 0x000F) and head[11:14] == (head[11], head[11], 0x00050014)
    text = [one.rstrip(b"\0").decode("ascii") for one in head[14:20]]
    name, _, comment, venue_at = struct.unpack_from("<64s64s1024sI", data, event)
    venue, vehicle_at = struct.unpack_from("<64s1034xI", data, venue_at)
    vehicle = struct.unpack_from("<64s", data, vehicle_at)[0]
    found = {}
    while meta:
        _, after, at, count, magic, size, rate, offset, factor, divisor, shift, *texts = struct.unpack_from(EDL3_CHANNEL, data, meta)
        assert magic >> 16 == 7 and size == 4 and offset == 0  # numbers of 32 bits
        values = np.array(struct.unpack_from(f"<{count}f", data, at)) * 10.0**-shift * factor / divisor
        channel_name, _, unit = (one.rstrip(b"\0").decode("ascii") for one in texts)
        assert channel_name not in found
        found[channel_name] = LdChannel(unit, rate, values)
        meta = after
    assert len(found) == head[11]
    about = {"date": text[0], "time": text[1], "vehicle": text[3], "venue": text[5]}
    same = {"vehicle": vehicle, "venue": venue, "event": name, "comment": comment}
    return about, found | {} if all(same[key].rstrip(b"\0").decode() == about[key] for key in ("vehicle", "venue")) else {}


def read_by_ldparser_table(file: Path) -> tuple[dict[str, Any], dict[str, LdChannel]]:
    """Numbers and texts at the places of the table; samples by kind and size: 7 are floats, 0, 3 and 5 integers."""
    data = file.read_bytes()

    def number(at: int, kind: str) -> int:
        return int(np.frombuffer(data, np.dtype(kind).newbyteorder("<"), 1, at)[0])

    def text(at: int, length: int) -> str:
        return data[at : at + length].decode("ascii").rstrip("\0").strip()

    found, at = {}, number(0x8, "u4")
    while at:
        kind, size = number(at + 0x12, "u2"), number(at + 0x14, "u2")
        code = {2: "f2", 4: "f4"}[size] if kind == 7 else {2: "i2", 4: "i4"}[size]
        raw = np.frombuffer(data, np.dtype(code).newbyteorder("<"), number(at + 0xC, "u4"), number(at + 0x8, "u4")).astype(float)
        shift, factor, scale, decimals = (number(at + place, "i2") for place in (0x18, 0x1A, 0x1C, 0x1E))
        values = (raw / scale * 10.0**-decimals + shift) * factor
        found[text(at + 0x20, 0x20)] = LdChannel(text(at + 0x48, 0xC), number(at + 0x16, "u2"), values)
        at = number(at + 0x4, "u4")
    return {"date": text(0x5E, 0x10), "time": text(0x7E, 0x10), "vehicle": text(0xDE, 0x40), "venue": text(0x15E, 0x40)}, found
