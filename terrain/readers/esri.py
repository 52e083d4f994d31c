"""ESRI ASCII grids (.asc): a header of keywords, then rows of numbers from the north.

`xllcorner` is the outer corner of the south-west cell, whose height is half a cell further inside; `xllcenter` is the position of the
height itself. Without NODATA_value, -9999 means no data. Source: Esri, "Esri ASCII raster format". A .prj file of the same name contains the
coordinate reference system.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.inputfile import as_utf8, checked_size, read_any_text, read_bytes
from simulator.base.npy_reader import MAX_BYTES
from terrain.readers.contract import MAP, ElevationSource, Raster
from terrain.readers.coordinate_reference import named, of_text
from terrain.readers.request import RasterSamples, ReadRequest, heights_of

EXPECTED = "an ESRI ASCII grid"
WORDS = ("ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize", "dx", "dy", "nodata_value")
HEADER = re.compile(rb"\s*([A-Za-z_]+)[ \t]+(\S+)[ \t]*\r?\n")
USUAL_VOID = -9999.0
LONGEST = 4096
"""Maximum bytes of a .prj file and of a header."""
DEGREES = 0.02
"""Cell size below which a grid without a reference system is assumed to be in degrees."""


def read(request: ReadRequest) -> ElevationSource:
    """Read the heights of a grid. Raises ConfigError for missing header entries or a wrong number of values."""
    content = as_utf8(read_bytes(request.path, EXPECTED, MAX_BYTES))
    header, body = _header(request, content)
    columns, rows = (_count(request, header, key) for key in ("ncols", "nrows"))
    request.check_size(columns, rows)
    values = _numbers(request, content[body:], columns * rows).reshape(rows, columns)
    dx, dy = (_number(request, header, key if key in header else "cellsize") for key in ("dx", "dy"))
    if not (dx > 0.0 and dy > 0.0):
        raise request.wrong([dx, dy], "a cellsize above 0")
    west, south = (_south_west(request, header, axis, step) for axis, step in (("x", dx), ("y", dy)))
    void = _number(request, header, "nodata_value") if "nodata_value" in header else USUAL_VOID
    heights = heights_of(request, RasterSamples(values, values == void))
    kind, crs = _reference(request, min(dx, dy))
    corner = np.array((west, south + (rows - 1) * dy))
    return Raster(heights, corner, np.array((dx, 0.0)), np.array((0.0, -dy)), kind, crs)


def _header(request: ReadRequest, content: bytes) -> tuple[dict[str, str], int]:
    """Return header entries by lower-case key, and the offset of the numbers."""
    header: dict[str, str] = {}
    place = 0
    while (match := HEADER.match(content, place, place + LONGEST)) is not None:
        key = match[1].decode("ascii").lower()
        if key not in WORDS:
            if key in ("nan", "inf"):
                break
            raise request.wrong(key, f"a header key: {', '.join(WORDS)}")
        header[key] = match[2].decode("latin-1")
        place = match.end()
    return header, place


def _number(request: ReadRequest, header: dict[str, str], key: str) -> float:
    try:
        value = float(header[key])
    except (KeyError, ValueError):
        raise request.wrong(header.get(key, NOTHING), f"{key} with a number in the header") from None
    if not np.isfinite(value) and key != "nodata_value":
        raise request.wrong(value, f"{key} with a finite number")
    return value


def _count(request: ReadRequest, header: dict[str, str], key: str) -> int:
    value = _number(request, header, key)
    if value != int(value) or not 0 < value < 1e9:
        raise request.wrong(value, f"{key} with an integer above 0")
    return int(value)


def _south_west(request: ReadRequest, header: dict[str, str], axis: str, step: float) -> float:
    """Return the coordinate of the south-west height along an axis."""
    if f"{axis}llcenter" in header:
        return _number(request, header, f"{axis}llcenter")
    return _number(request, header, f"{axis}llcorner") + 0.5 * step


def _numbers(request: ReadRequest, text: bytes, count: int) -> NDArray[np.float64]:
    """Return all numbers of the body. Raises ConfigError."""
    if len(text) < 2 * count - 1:
        raise request.wrong(f"{len(text)} bytes after the header", f"{count} numbers after the header")
    out = np.empty(count)
    place = done = 0
    while place < len(text):  # in chunks, because a list of words needs twenty times the memory of the grid
        end = text.find(b"\n", min(place + (1 << 22), len(text) - 1))
        chunk = text[place : None if end < 0 else end].split()
        place = len(text) if end < 0 else end + 1
        if done + len(chunk) > count:
            raise request.wrong(f"more than {count} numbers", f"{count} numbers")
        try:
            out[done : done + len(chunk)] = np.array(chunk, np.float64) if chunk else ()
        except ValueError as error:
            raise request.wrong(str(error)[:60], "numbers with decimal points after the header") from None
        done += len(chunk)
    if done != count:
        raise request.wrong(f"{done} numbers", f"{count} numbers")
    return out


def _reference(request: ReadRequest, step: float) -> tuple[str, str]:
    """Return kind of the coordinates and reference system, from the options or from a .prj file."""
    if "crs" in request.said:
        return named(request, request.said["crs"])
    projection = request.path.with_suffix(".prj")
    try:
        checked_size(projection, "a .prj file", LONGEST)
        text = read_any_text(projection, "a .prj file", LONGEST)
    except ConfigError:
        text = ""
    if text:
        return of_text(text)
    if step < DEGREES:
        raise request.wrong(f"cells of {step:g}", "the key crs (EPSG:4326 for degrees), or a .prj file")
    return MAP, ""
