"""Screens around the driver: the geometry of each screen, the view through it from the driver's eye, and warp meshes. No OpenGL here.

Axes of the seat S: x forward, y left, z up, with the origin at the driver's usual eye. A screen is a rectangle whose middle lies in the direction
`yaw`, `pitch` at `distance`, perpendicular to this direction. The views through all screens belong to the same eye and state, so that they join
without a seam, however the screens stand.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, DeviceError, ErrorCollector
from simulator.base.fields import Field, Flag, Group, ListOf, Number, Text, read
from simulator.base.table_text import read_table_text
from simulator.base.yaml_reader import read_yaml
from simulator.view.shot import Shot, rotation_of

MOST_DISPLAYS = 8
_ANGLE = Number("rad", -math.pi, math.pi)
FIELDS = (
    Field("screen", Number("1", 0, 63, whole=True), "number of the monitor, 0 = the first", 0),
    Field("full_screen", Flag(), "true: fills the monitor; false: a window", True),
    Field("yaw", _ANGLE, "direction of the middle of the screen from the eye, + = left", 0.0, written="deg"),
    Field("pitch", Number("rad", -1.2, 1.2), "direction of the middle of the screen from the eye, + = down", 0.0, written="deg"),
    Field("distance", Number("m", 0.1, 20.0), "distance of the middle of the screen from the eye", 0.7),
    Field("width", Number("m", 0.05, 20.0), "width of the screen with its bezels"),
    Field("bezel", Number("m", 0.0, 0.5), "width of the bezel at each side, which hides a part of the world", 0.0),
    Field("warp", Text(empty=True), "CSV file of a warp mesh, relative to this file; empty: none", ""),
    Field("instruments", Flag(), "true: shows the instruments and menus; default: the screen with the smallest yaw", None),
)
"""Keys of a screen."""
FILE_FIELDS = (Field("displays", ListOf(Group(FIELDS)), "screens around the driver, for example from left to right"),)
FILE = Group(FILE_FIELDS)
"""Keys of a file of screens."""
WARP_COLUMNS = ("row", "column", "x", "y", "u", "v", "intensity")
MOST_NODES, MAX_BYTES = 1 << 16, 1 << 24


class Display(NamedTuple):
    """Screen around the driver; see FIELDS."""

    screen: int
    full_screen: bool
    yaw: float
    pitch: float
    distance: float
    width: float
    bezel: float
    warp: NDArray[np.float32] | None
    """(rows, columns, 5) x, y of a point on the screen, -1 to 1; u, v of the image, 0 to 1 from the lower left; intensity. None: no warp."""
    instruments: bool

    @property
    def visible(self) -> float:
        """Width without bezels [m]."""
        return self.width - 2.0 * self.bezel


def load_displays(file: Path) -> tuple[Display, ...]:
    """Return the screens of a file. Raises ConfigError: all mistakes at once."""
    rows = read(FILE_FIELDS, read_yaml(file), file)["displays"]
    if not 1 <= len(rows) <= MOST_DISPLAYS:
        raise ConfigError(file, "displays", f"{len(rows)} screens", f"1 to {MOST_DISPLAYS} screens")
    found = []
    with ErrorCollector() as faults:
        for number, row in enumerate(rows):
            with faults.part():
                found.append(_display(row, file, f"displays[{number}]"))
    chosen = [number for number, row in enumerate(rows) if row.get("instruments")]
    if len(chosen) > 1:
        raise ConfigError(file, f"displays[{chosen[1]}].instruments", True, "one screen with the instruments")
    main = chosen[0] if chosen else int(np.argmin([abs(one.yaw) for one in found]))
    return tuple(one._replace(instruments=number == main) for number, one in enumerate(found))


def _display(row: Mapping[str, Any], file: Path, key: str) -> Display:
    if 2.0 * row["bezel"] >= row["width"]:
        raise ConfigError(file, f"{key}.bezel", row["bezel"], f"less than half of the width, {row['width']:g} m")
    warp = load_warp(file.parent / row["warp"]) if row["warp"] else None
    names = ("screen", "full_screen", "yaw", "pitch", "distance", "width", "bezel")
    return Display(**{name: row[name] for name in names}, warp=warp, instruments=bool(row.get("instruments")))


def load_warp(file: Path) -> NDArray[np.float32]:
    """Return the nodes (rows, columns, 5) of a warp mesh: a CSV file with the columns WARP_COLUMNS, one node per line in any order.

    Raises ConfigError.
    """
    try:
        reader = csv.DictReader(read_table_text(file, "a CSV file of a warp mesh", MAX_BYTES).splitlines())
        if tuple(reader.fieldnames or ()) != WARP_COLUMNS:
            raise ConfigError(file, "columns", ",".join(reader.fieldnames or ()), ",".join(WARP_COLUMNS))
        nodes = []
        for row in reader:
            nodes.append(_node(row, file, f"line {reader.line_num}"))
            if len(nodes) > MOST_NODES:
                raise ConfigError(file, "rows", f"more than {MOST_NODES}", f"at most {MOST_NODES} nodes")
    except csv.Error as error:
        raise ConfigError(file, "file", str(error), "a CSV file of a warp mesh") from None
    places = np.array([node[:2] for node in nodes], np.int64).reshape(-1, 2)
    shape = tuple((places.max(axis=0) + 1).tolist()) if len(places) else (0, 0)
    if min(shape) < 2 or shape[0] * shape[1] != len(nodes) or len(np.unique(places, axis=0)) != len(nodes):
        raise ConfigError(file, "row, column", f"{len(nodes)} nodes", "each node of a grid of at least 2 rows and 2 columns once")
    out = np.empty((*shape, 5), np.float32)
    out[places[:, 0], places[:, 1]] = [node[2:] for node in nodes]
    return out


def _node(row: Mapping[str, Any], file: Path, key: str) -> tuple[float, ...]:
    try:
        values = tuple(float(row[name]) for name in WARP_COLUMNS)
    except (TypeError, ValueError):
        raise ConfigError(file, key, ",".join(str(value) for value in row.values()), "seven numbers") from None
    limits = ((0, 4095), (0, 4095), (-2, 2), (-2, 2), (-1, 2), (-1, 2), (0, 1))
    for name, value, (low, high) in zip(WARP_COLUMNS, values, limits, strict=True):
        if not low <= value <= high or (name in WARP_COLUMNS[:2] and value != int(value)):
            raise ConfigError(file, f"{key}: {name}", value, f"a number from {low} to {high}" + (", whole" if high == 4095 else ""))
    return values


def check_screens(displays: Sequence[Display], count: int) -> None:
    """Raise DeviceError for a monitor that does not exist."""
    for number, display in enumerate(displays):
        if display.full_screen and display.screen >= count:
            raise DeviceError(
                f"displays[{number}].screen {display.screen}: no such monitor; expected 0 to {count - 1}; hint: full_screen: false opens a window"
            )


def shot_through(display: Display, shot: Shot, aspect: float, far: float, head: NDArray[np.float64] | None = None) -> Shot:
    """Return the view through a screen for a camera whose axes are those of the seat.

    Parameters
    ----------
    aspect : width over height of the visible part
    far : distance of the far plane [m]
    head : (3,) place of the eye in S [m]; None: the usual place
    """
    eye_S = np.zeros(3) if head is None else head
    R_SD = rotation_of(display.yaw, display.pitch, 0.0)  # x into the screen, y left, z up
    R_WS = np.column_stack((-shot.R_WC[:, 2], -shot.R_WC[:, 0], shot.R_WC[:, 1]))
    middle_D = np.array((display.distance, 0.0, 0.0)) - R_SD.T @ eye_S
    depth = max(float(middle_D[0]), 0.05)  # an eye behind the screen sees what an eye close to it sees
    half = 0.5 * np.array((display.visible, display.visible / aspect))
    right, up = -middle_D[1], middle_D[2]
    scale = shot.near / depth
    sides = scale * (right - half[0]), scale * (right + half[0]), scale * (up - half[1]), scale * (up + half[1])
    R = R_WS @ R_SD
    R_WC = np.column_stack((-R[:, 1], R[:, 2], -R[:, 0]))
    return replace(shot, eye=shot.eye + R_WS @ eye_S, R_WC=R_WC, lens=frustum(*sides, shot.near, far))


def frustum(left: float, right: float, low: float, high: float, near: float, far: float) -> NDArray[np.float64]:
    """Return the matrix (4, 4) of a perspective view through a rectangle in the near plane [m], which need not be in front of the eye."""
    lens = np.zeros((4, 4))
    lens[0, 0], lens[0, 2] = 2.0 * near / (right - left), (right + left) / (right - left)
    lens[1, 1], lens[1, 2] = 2.0 * near / (high - low), (high + low) / (high - low)
    lens[2, 2], lens[2, 3], lens[3, 2] = -(far + near) / (far - near), -2.0 * far * near / (far - near), -1.0
    return lens


def plain_warp() -> NDArray[np.float32]:
    """Return the warp mesh that shows an image as it is."""
    x, y = np.meshgrid((-1.0, 1.0), (-1.0, 1.0))
    return np.stack((x, y, 0.5 + 0.5 * x, 0.5 + 0.5 * y, np.ones((2, 2))), axis=2).astype(np.float32)


def warp_triangles(nodes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the corners (n, 5) of the triangles of a warp mesh."""
    a, b, c, d = nodes[:-1, :-1], nodes[:-1, 1:], nodes[1:, 1:], nodes[1:, :-1]
    return np.stack((a, b, c, a, c, d), axis=2).reshape(-1, 5)
