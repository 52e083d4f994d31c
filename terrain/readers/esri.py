"""ESRI ASCII grids (.asc): a header of a few words, then rows of numbers from the north.

`xllcorner` is the outer corner of the south-west cell, so that its height lies half a cell farther in; `xllcenter` is the place of the
height itself. Without NODATA_value, -9999 is no data. Source: Esri, "Esri ASCII raster format". A .prj file beside it says the reference system.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size, read_bytes, read_utf8
from simulator.base.npy_reader import MOST_BYTES
from terrain.readers.contract import MAP, ElevationSource, Raster
from terrain.readers.coordinate_reference import named, of_text
from terrain.readers.request import RasterSamples, ReadRequest, heights_of

EXPECTED = "an ESRI ASCII grid"
WORDS = ("ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize", "dx", "dy", "nodata_value")
HEADER = re.compile(rb"\s*([A-Za-z_]+)[ \t]+(\S+)[ \t]*\r?\n")
USUAL_VOID = -9999.0
LONGEST = 4096
"""Bytes of a .prj file and of a header."""
DEGREES = 0.02
"""m. Cells smaller than that, of a grid that says no reference system, are degrees."""


def read(asked: ReadRequest) -> ElevationSource:
    """Heights of a grid. Raises ConfigError: a word is missing, or there are more or fewer numbers than it says."""
    content = read_bytes(asked.path, EXPECTED, MOST_BYTES)
    header, body = _header(asked, content)
    columns, rows = (_count(asked, header, key) for key in ("ncols", "nrows"))
    asked.check_size(columns, rows)
    values = _numbers(asked, content[body:], columns * rows).reshape(rows, columns)
    dx, dy = (_number(asked, header, key if key in header else "cellsize") for key in ("dx", "dy"))
    if not (dx > 0.0 and dy > 0.0):
        raise asked.wrong([dx, dy], "a cellsize above 0")
    west, south = (_place(asked, header, axis, step) for axis, step in (("x", dx), ("y", dy)))
    void = _number(asked, header, "nodata_value") if "nodata_value" in header else USUAL_VOID
    heights = heights_of(asked, RasterSamples(values, values == void))
    kind, crs = _reference(asked, min(dx, dy))
    corner = np.array((west, south + (rows - 1) * dy))
    return Raster(heights, corner, np.array((dx, 0.0)), np.array((0.0, -dy)), kind, crs)


def _header(asked: ReadRequest, content: bytes) -> tuple[dict[str, str], int]:
    """Words by key in small letters, and where the numbers begin."""
    header: dict[str, str] = {}
    place = 0
    while (found := HEADER.match(content, place, place + LONGEST)) is not None:
        key = found[1].decode("ascii").lower()
        if key not in WORDS:
            if key in ("nan", "inf"):
                break
            raise asked.wrong(key, f"one of {', '.join(WORDS)}")
        header[key] = found[2].decode("latin-1")
        place = found.end()
    return header, place


def _number(asked: ReadRequest, header: dict[str, str], key: str) -> float:
    try:
        value = float(header[key])
    except (KeyError, ValueError):
        raise asked.wrong(header.get(key, "nothing"), f"{key} and a number in the header") from None
    if not np.isfinite(value) and key != "nodata_value":
        raise asked.wrong(value, f"{key} and a finite number")
    return value


def _count(asked: ReadRequest, header: dict[str, str], key: str) -> int:
    value = _number(asked, header, key)
    if value != int(value) or not 0 < value < 1e9:
        raise asked.wrong(value, f"{key} and a whole number above 0")
    return int(value)


def _place(asked: ReadRequest, header: dict[str, str], axis: str, step: float) -> float:
    """Place of the south-west height along an axis."""
    if f"{axis}llcenter" in header:
        return _number(asked, header, f"{axis}llcenter")
    return _number(asked, header, f"{axis}llcorner") + 0.5 * step


def _numbers(asked: ReadRequest, text: bytes, count: int) -> NDArray[np.float64]:
    """All numbers of the body."""
    if len(text) < 2 * count - 1:
        raise asked.wrong(f"{len(text)} bytes after the header", f"{count} numbers")
    out = np.empty(count)
    place = done = 0
    while place < len(text):  # in pieces: as a list of words, a grid takes twenty times its size
        end = text.find(b"\n", min(place + (1 << 22), len(text) - 1))
        piece = text[place : None if end < 0 else end].split()
        place = len(text) if end < 0 else end + 1
        if done + len(piece) > count:
            raise asked.wrong(f"more than {count} numbers", f"{count} numbers")
        try:
            out[done : done + len(piece)] = np.array(piece, np.float64) if piece else ()
        except ValueError as error:
            raise asked.wrong(str(error)[:60], "numbers with decimal points after the header") from None
        done += len(piece)
    if done != count:
        raise asked.wrong(f"{done} numbers", f"{count} numbers")
    return out


def _reference(asked: ReadRequest, step: float) -> tuple[str, str]:
    """Kind of the coordinates and their reference system: said beside the grid, or in a .prj file."""
    if "crs" in asked.said:
        return named(asked, asked.said["crs"])
    beside = asked.path.with_suffix(".prj")
    try:
        checked_size(beside, "a .prj file", LONGEST)
        text = read_utf8(beside, "a .prj file", LONGEST)
    except ConfigError:
        text = ""
    if text:
        return of_text(text)
    if step < DEGREES:
        raise asked.wrong(f"cells of {step:g}", "crs beside the grid (EPSG:4326 where they are degrees), or a .prj file")
    return MAP, ""
