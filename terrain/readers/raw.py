"""16-bit samples without a header, as written by Unity (.raw) and Unreal Engine (.r16).

The file contains no metadata: byte order, side of the first row, extent and range of heights are options. Unity: first row in
the south with x east and z north, height = count / 65535 of the terrain height. Unreal: first row in the north with x east, count
32768 is zero, range from -256 to +255.992 m multiplied by a hundredth of the Z scale.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.inputfile import checked_size
from simulator.base.npy_reader import MAX_BYTES
from terrain.readers.contract import ElevationSource
from terrain.readers.request import RasterSamples, ReadRequest, heights_of, raster_of

EXPECTED = "a file of 16-bit samples"
ORDERS = {"little": "<u2", "big": ">u2"}


def read(request: ReadRequest) -> ElevationSource:
    """Read a RAW file. Raises ConfigError if the size does not match the samples, or an option is missing."""
    size = checked_size(request.path, EXPECTED, MAX_BYTES)
    order = request.need("byte_order", "little", f"the order of the two bytes of a sample: {' or '.join(ORDERS)}")
    columns, rows = _size(request, size)
    request.check_size(columns, rows)
    if size != 2 * columns * rows:
        raise request.wrong(f"{size} bytes", f"{2 * columns * rows} bytes ({rows} rows of {columns} samples)")
    counts = np.fromfile(request.path, ORDERS[order], columns * rows).astype(np.uint16).reshape(rows, columns)
    if counts.size != columns * rows:
        raise request.wrong(f"{counts.size} samples", f"{columns * rows} samples")
    return raster_of(request, heights_of(request, RasterSamples(counts), scaled=False), {})


def _size(request: ReadRequest, size: int) -> tuple[int, int]:
    """Return columns and rows; default: a square."""
    if "size" in request.said:
        columns, rows = (int(n) for n in request.said["size"])
        return columns, rows
    side = math.isqrt(size // 2)
    if 2 * side * side != size:
        raise request.wrong(f"{size} bytes, not a square of 16-bit samples", f"the key {request.key}.size (columns and rows)")
    return side, side
