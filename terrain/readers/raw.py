"""16-bit samples without a header, as Unity (.raw) and Unreal Engine (.r16) write them.

Nothing of them stands in the file: byte order, side of the first row, extent and range of heights are said beside it. Unity: first row in
the south where x is east and z north, height = count / 65535 of the terrain's height. Unreal: first row in the north where x is east, count
32768 is zero, range from -256 to +255.992 m times a hundredth of the Z scale.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.inputfile import checked_size
from simulator.base.npy_reader import MOST_BYTES
from terrain.readers.contract import ElevationSource
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, raster_of

EXPECTED = "a file of 16-bit samples"
ORDERS = {"little": "<u2", "big": ">u2"}


def read(asked: ReadRequest) -> ElevationSource:
    """Heights of a RAW file. Raises ConfigError: its size is not that of the samples, or too little is said of it."""
    size = checked_size(asked.path, EXPECTED, MOST_BYTES)
    order = asked.need("byte_order", "little", f"the order of the two bytes of a sample: {' or '.join(ORDERS)}")
    columns, rows = _size(asked, size)
    asked.check_size(columns, rows)
    if size != 2 * columns * rows:
        raise asked.wrong(f"{size} bytes", f"{2 * columns * rows} bytes: {rows} rows of {columns} samples")
    counts = np.fromfile(asked.path, ORDERS[order], columns * rows).astype(np.uint16).reshape(rows, columns)
    if counts.size != columns * rows:
        raise asked.wrong(f"{counts.size} samples", f"{columns * rows}")
    return raster_of(asked, heights_of(asked, RasterSamples(counts), scaled=False), {})


def _size(asked: ReadRequest, size: int) -> tuple[int, int]:
    """Columns and rows; those of a square where nothing is said."""
    if "size" in asked.said:
        columns, rows = (int(n) for n in asked.said["size"])
        return columns, rows
    side = math.isqrt(size // 2)
    if 2 * side * side != size:
        raise asked.wrong(f"{size} bytes, which are no square of 16-bit samples", f"{asked.key}.size: columns and rows")
    return side, side
