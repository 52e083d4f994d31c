"""Export of the log as MoTeC .ld, experimental: the format has no public specification.

The layout is what two public readers agree on: ldparser (gotzl) and the description of files of EDL3 5.6. Blocks of fixed layout refer to
each other by their places in the file; each channel has a block of metadata, in a chain, and its samples at a constant rate. The number of
the license for professional logging, which the readers found in files of loggers, is not written.
"""

from __future__ import annotations

import math
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.exports.names import cut, unique_names
from simulator.exports.output import Output, numbered
from simulator.exports.source import TIME, ExportedRun, Start

Layout = dict[str, tuple[str, int]]
MAX_RATE = 65535
"""Maximum rate of a channel [Hz]."""
MAX_NAME, MAX_UNIT = 31, 11
"""Maximum lengths of name and unit of a channel, without the final zero."""
HEADER_SIZE, EVENT_SIZE, VENUE_SIZE, VEHICLE_SIZE, CHANNEL_SIZE = 0x6E2, 0xC54, 0xC1E, 0xCF4, 0x7C
EVENT_AT = HEADER_SIZE
VENUE_AT = EVENT_AT + EVENT_SIZE
VEHICLE_AT = VENUE_AT + VENUE_SIZE
CHANNELS_AT = VEHICLE_AT + VEHICLE_SIZE
HEADER: Layout = {
    "marker": ("<u4", 0x0), "channels_at": ("<u4", 0x8), "data_at": ("<u4", 0xC), "event_at": ("<u4", 0x24), "magic_1": ("<u4", 0x42),
    "serial": ("<u4", 0x46), "device": ("S8", 0x4A), "version": ("<u2", 0x52), "magic_2": ("<u2", 0x54), "channels": ("<u2", 0x56),
    "channels_2": ("<u2", 0x58), "magic_3": ("<u4", 0x5A), "date": ("S16", 0x5E), "time": ("S16", 0x7E), "driver": ("S64", 0x9E),
    "vehicle": ("S64", 0xDE), "venue": ("S64", 0x15E), "session": ("S64", 0x5E4), "comment": ("S64", 0x624),
}  # fmt: skip
EVENT: Layout = {"event": ("S64", 0x0), "session": ("S64", 0x40), "comment": ("S1024", 0x80), "venue_at": ("<u4", 0x480)}
VENUE: Layout = {"venue": ("S64", 0x0), "vehicle_at": ("<u4", 0x44A)}
VEHICLE: Layout = {"vehicle": ("S64", 0x0), "comment": ("S1024", 0x120)}
CHANNEL: Layout = {
    "previous": ("<u4", 0x0), "next": ("<u4", 0x4), "data_at": ("<u4", 0x8), "samples": ("<u4", 0xC), "id": ("<u2", 0x10),
    "kind": ("<u2", 0x12), "size": ("<u2", 0x14), "rate": ("<u2", 0x16), "shift": ("<i2", 0x18), "factor": ("<i2", 0x1A),
    "divisor": ("<i2", 0x1C), "decimals": ("<i2", 0x1E), "name": ("S32", 0x20), "short_name": ("S8", 0x40), "unit": ("S12", 0x48),
}  # fmt: skip
FLOAT, SAMPLE_BYTES = 7, 4
"""Kind and size of samples: numbers of 32 bits. Value = ((number / divisor) 10^-decimals + shift) factor."""
FIRST_ID = 0x2EE1
DEVICE = {"marker": 0x40, "magic_1": 0xF4240, "serial": 21115, "device": b"ADL", "version": 560, "magic_2": 0x80, "magic_3": 0x50014}
"""Values of a logger as the readers found them."""


def export(run: ExportedRun, output: Output) -> None:
    """Plan NAME.ld, and NAME-2.ld ... after restarts of the drive. Raises OutputError; ConfigError: the file would exceed 4 GB."""
    for start, file in zip(run.starts, output.need_free(numbered(f"{run.name}.ld", one.number) for one in run.starts), strict=True):
        output.file(file, lambda path, start=start: _write(path, run, start))  # type: ignore[misc]


def _write(path: Path, run: ExportedRun, start: Start) -> None:
    picked, rate = _grid(run, start)
    size = CHANNELS_AT + len(run.columns) * (CHANNEL_SIZE + SAMPLE_BYTES * len(picked))
    if size >= 2**32:
        raise ConfigError(path.name, "", f"{size / 1e9:.1f} GB", "less than 4.2 GB; hint: --channels, --from and --to select a part")
    names = unique_names((one.name for one in run.columns), _ascii, MAX_NAME)
    empty = 0
    with open(path, "w+b") as stream:
        stream.seek(CHANNELS_AT + CHANNEL_SIZE * len(run.columns))
        channels: list[dict[str, Any]] = []
        for name, (one, logged) in zip(names, run.each_column(start.rows), strict=True):
            values, is_empty = _held(logged[picked])
            empty += is_empty
            number = len(channels)
            channels.append({
                "data_at": stream.tell(), "samples": len(values), "id": FIRST_ID + number, "kind": FLOAT, "size": SAMPLE_BYTES, "rate": rate,
                "factor": 1, "divisor": 1, "name": name.encode(), "unit": cut(_ascii(one.unit), MAX_UNIT).encode(),
                "previous": CHANNELS_AT + CHANNEL_SIZE * (number - 1) if number else 0,
                "next": CHANNELS_AT + CHANNEL_SIZE * (number + 1) if number + 1 < len(names) else 0,
            })  # fmt: skip
            stream.write(values.tobytes())
        _write_blocks(stream, run, channels)
    if empty:
        run.notes.append(f"{empty} channels without a value are 0 in the MoTeC file, which has no empty values")


def _write_blocks(stream: BinaryIO, run: ExportedRun, channels: list[dict[str, Any]]) -> None:
    about = run.about
    vehicle, venue, session = (_ascii(about.get(key, "")) for key in ("vehicle", "terrain", "maneuver"))
    comment = _ascii(about.get("title", ""))
    begun = _begun(about.get("started", ""))
    header = {
        **DEVICE, "channels_at": CHANNELS_AT if channels else 0, "data_at": CHANNELS_AT + CHANNEL_SIZE * len(channels), "event_at": EVENT_AT,
        "channels": len(channels), "channels_2": len(channels), "date": f"{begun:%d/%m/%Y}", "time": f"{begun:%H:%M:%S}", "vehicle": vehicle,
        "venue": venue, "session": session, "comment": comment,
    }  # fmt: skip
    stream.seek(0)
    stream.write(_block(HEADER, HEADER_SIZE, header))
    stream.write(_block(EVENT, EVENT_SIZE, {"event": session, "session": session, "comment": comment, "venue_at": VENUE_AT}))
    stream.write(_block(VENUE, VENUE_SIZE, {"venue": venue, "vehicle_at": VEHICLE_AT}))
    stream.write(_block(VEHICLE, VEHICLE_SIZE, {"vehicle": vehicle, "comment": f"Jounce {about.get('version', '')}"}))
    for one in channels:
        stream.write(_block(CHANNEL, CHANNEL_SIZE, one))


def _block(layout: Layout, size: int, values: dict[str, Any]) -> bytes:
    """Return a block of a layout; texts are cut to their field, with a final zero."""
    names = list(layout)
    dtype = np.dtype(
        {"names": names, "formats": [layout[one][0] for one in names], "offsets": [layout[one][1] for one in names], "itemsize": size}
    )
    block = np.zeros((), dtype)
    for name, value in values.items():
        text = value.encode() if isinstance(value, str) else value
        block[name] = text[: dtype[name].itemsize - 1] if isinstance(text, bytes) else text
    return block.tobytes()


def _grid(run: ExportedRun, start: Start) -> tuple[NDArray[np.intp], int]:
    """Return the row of each sample, the last one until its time, and the rate [Hz], a whole number."""
    times = run.column(TIME, start.rows)
    steps = np.diff(times)
    rate = min(math.ceil(1.0 / float(np.median(steps)) - 1e-6), MAX_RATE) if len(steps) else 1
    count = math.floor((start.last - start.first) * rate + 1e-6) + 1 if len(times) else 0
    return np.searchsorted(times, start.first + np.arange(count) / rate + 1e-9, side="right") - 1, rate


def _held(values: NDArray) -> tuple[NDArray[np.float32], bool]:
    """Return samples as 32-bit numbers, each value that is not finite replaced by the one before it (the first ones by the one after), and
    whether no value was finite."""
    with np.errstate(over="ignore"):
        numbers = np.asarray(values, np.float32)
    finite = np.isfinite(numbers)
    if finite.all():
        return numbers, False
    if not finite.any():
        return np.zeros(len(numbers), np.float32), True
    latest = np.maximum.accumulate(np.where(finite, np.arange(len(numbers)), -1))
    return numbers[np.where(latest < 0, int(np.argmax(finite)), latest)], False


def _begun(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime(1970, 1, 1)


def _ascii(text: str) -> str:
    """Return a text in ASCII: letters without their accents, ? for any other letter."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return plain.encode("ascii", "replace").decode()
