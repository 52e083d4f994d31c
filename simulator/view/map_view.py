"""Obstacle map around a vehicle for views: its cells, the plan and its goal as plain data, and the image of them from above. No OpenGL here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Table, record

REACH = 30.0
"""m. Half side of the square that the image shows."""
SIDE = 216
"""Pixels along a side, default."""
UNKNOWN, OBSTACLE, MAX_COST = 0, 255, 254
"""Codes of cells; in between: free, with its cost from 1 (none) to MAX_COST (at a limit of the vehicle)."""
MAX_CELLS, MAX_LINE_POINTS, MAX_LINES = 1 << 18, 1 << 14, 512
"""Maximum numbers in the bytes of a map. Of a larger map every second, third ... row and column is shown; further lines are left out."""
COLORS = {
    "free": (226, 230, 216),
    "costly": (206, 150, 84),
    "obstacle": (44, 46, 54),
    "unknown": (150, 154, 162),
    "candidate": (20, 170, 190),
    "plan": (20, 60, 220),
    "goal": (20, 140, 50),
    "driven": (210, 40, 40),
    "vehicle": (255, 255, 255),
    "outline": (10, 10, 10),
}
"""Red, green, blue."""
_HEAD: Table = (
    ("origin", (2,), "m", "corner of the first cell"),
    ("cell", (), "m", "side of a cell"),
    ("rows", (), "1", "number of cells along y", "i8"),
    ("columns", (), "1", "number of cells along x", "i8"),
    ("pose", (3,), "", "x, y [m] and yaw [rad] of the vehicle"),
    ("outline", (3,), "m", "front and rear end of the vehicle from B, and its width"),
    ("goal", (3,), "m", "x, y and radius of the goal"),
    ("lines", (), "1", "number of lines", "i8"),
    ("length", (MAX_LINES,), "1", "points of each line", "i8"),
)
MAX_BYTES = record(_HEAD).nbytes + MAX_CELLS + 8 * MAX_LINE_POINTS
Points = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class MapView:
    """Obstacle map at a time."""

    cells: NDArray[np.uint8]
    """(ny, nx) codes, row along y, column along x."""
    origin: tuple[float, float]
    """m, x and y of the corner of cell (0, 0), in W."""
    cell: float
    """m, side length."""
    pose: tuple[float, float, float]
    """x, y [m] of B and yaw [rad] of the vehicle."""
    outline: tuple[float, float, float]
    """Front and rear end of the vehicle from B, and its width [m]."""
    goal: tuple[float, float, float]
    """x, y and radius [m]."""
    plan: Points
    """(n, 2) m, path to drive; empty without one."""
    candidates: Sequence[Points] = ()
    """Considered paths, each (m, 2) m."""

    def around(self, reach: float = math.sqrt(2.0) * REACH) -> MapView:
        """Return the part within a distance along x and y [m], with at most MAX_CELLS cells."""
        low = [max(math.floor((p - reach - o) / self.cell), 0) for p, o in zip(self.pose, self.origin, strict=False)]
        high = [max(math.ceil((p + reach - o) / self.cell), 0) for p, o in zip(self.pose, self.origin, strict=False)]
        cells = self.cells[low[1] : high[1], low[0] : high[0]]
        step = max(1, math.ceil(math.sqrt(cells.size / MAX_CELLS)))
        origin = self.origin[0] + low[0] * self.cell, self.origin[1] + low[1] * self.cell
        return MapView(
            cells[::step, ::step], origin, step * self.cell, self.pose, self.outline, self.goal, self.plan, self.candidates
        )  # fmt: skip

    def to_bytes(self) -> NDArray[np.uint8]:
        """Return the map as at most MAX_BYTES bytes for `from_bytes`."""
        lines, total = [], 0
        for line in (self.plan, *self.candidates)[:MAX_LINES]:
            total += len(line)
            if total > MAX_LINE_POINTS:
                break
            lines.append(np.asarray(line, np.float32).reshape(-1, 2))
        head = record(_HEAD)
        values = (self.origin, self.cell, *self.cells.shape, self.pose, self.outline, self.goal, len(lines))
        for (name, *_), value in zip(_HEAD, values, strict=False):
            head[0][name] = value
        head[0]["length"][: len(lines)] = [len(line) for line in lines]
        points = np.concatenate([np.empty((0, 2), np.float32), *lines])
        return np.concatenate([np.frombuffer(one.tobytes(), np.uint8) for one in (head, self.cells, points)])

    @classmethod
    def from_bytes(cls, data: NDArray[np.uint8]) -> MapView:
        """Return the map of `to_bytes`."""
        raw, size = data.tobytes(), record(_HEAD).nbytes
        head = np.frombuffer(raw[:size], record(_HEAD).dtype)[0]
        shape = int(head["rows"]), int(head["columns"])
        cells = np.frombuffer(raw, np.uint8, shape[0] * shape[1], size).reshape(shape)
        points = np.frombuffer(raw[size + cells.size :], np.float32).reshape(-1, 2)
        lines = np.split(points, np.cumsum(head["length"][: int(head["lines"])]))[:-1]
        pose, outline, goal = (tuple(map(float, head[name])) for name in ("pose", "outline", "goal"))
        plan, candidates = (lines[0], lines[1:]) if lines else (points[:0], [])
        return cls(cells, tuple(map(float, head["origin"])), float(head["cell"]), pose, outline, goal, plan, candidates)  # type: ignore[arg-type]


def codes_of(cost: NDArray[np.floating], obstacle: NDArray[np.bool_], unknown: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the codes (ny, nx) of cells with a cost from 0 to 1."""
    codes = (1.5 + (MAX_COST - 1) * np.clip(np.nan_to_num(cost), 0.0, 1.0)).astype(np.uint8)
    codes[obstacle] = OBSTACLE
    codes[unknown] = UNKNOWN
    return codes


def _palette() -> NDArray[np.uint8]:
    """Return the colors (256, 3) of the codes."""
    share = np.linspace(0.0, 1.0, MAX_COST)[:, None]
    out = np.empty((256, 3))
    out[1 : MAX_COST + 1] = (1.0 - share) * COLORS["free"] + share * np.array(COLORS["costly"])
    out[UNKNOWN], out[OBSTACLE] = COLORS["unknown"], COLORS["obstacle"]
    return out.astype(np.uint8)


PALETTE = _palette()


def map_image(view: MapView, side: int = SIDE, reach: float = REACH, driven: Points | None = None) -> NDArray[np.uint8]:
    """Return an image (side, side, 3) around the vehicle, ahead is up: cells, considered paths, the driven path (n, 2) if given, plan, goal, vehicle."""
    x, y, yaw = view.pose
    c, s = math.cos(yaw), math.sin(yaw)
    scale = side / (2.0 * reach)
    ahead = reach - (np.arange(side)[:, None] + 0.5) / scale
    left = reach - (np.arange(side)[None, :] + 0.5) / scale
    column = np.floor((x + c * ahead - s * left - view.origin[0]) / view.cell).astype(int)
    row = np.floor((y + s * ahead + c * left - view.origin[1]) / view.cell).astype(int)
    ny, nx = view.cells.shape
    inside = (row >= 0) & (row < ny) & (column >= 0) & (column < nx)
    codes = np.full((side, side), UNKNOWN, np.uint8)
    codes[inside] = view.cells[row[inside], column[inside]]
    image = PALETTE[codes]

    def draw(line: Points, color: str, width: int = 1, closed: bool = False) -> None:
        line = np.asarray(line, float).reshape(-1, 2)
        if closed and len(line):
            line = np.vstack((line, line[:1]))
        dx, dy = line[:, 0] - x, line[:, 1] - y
        pixels = np.column_stack((reach - (c * dx + s * dy), reach - (c * dy - s * dx))) * scale
        _draw_line(image, pixels, COLORS[color], width)

    for one in view.candidates:
        draw(one, "candidate")
    if driven is not None:
        draw(driven, "driven", 2)
    draw(view.plan, "plan", 2)
    angle = np.linspace(0.0, 2.0 * math.pi, 48)
    gx, gy, radius = view.goal
    draw(np.column_stack((gx + radius * np.cos(angle), gy + radius * np.sin(angle))), "goal", 2)
    front, rear, width = view.outline
    corners = np.array(((front, 0.5 * width), (front, -0.5 * width), (-rear, -0.5 * width), (-rear, 0.5 * width)))
    box = np.column_stack((x + c * corners[:, 0] - s * corners[:, 1], y + s * corners[:, 0] + c * corners[:, 1]))
    filled = (ahead <= front) & (ahead >= -rear) & (np.abs(left) <= 0.5 * width)
    image[filled] = COLORS["vehicle"]
    draw(box, "outline", closed=True)
    return image


def _draw_line(image: NDArray[np.uint8], pixels: Points, color: Iterable[int], width: int) -> None:
    """Draw a polyline of points (n, 2) row, column [pixels] with a width of some pixels."""
    if len(pixels) < 2:
        return
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(pixels, axis=0).T))))
    places = np.linspace(0.0, along[-1], min(int(2.0 * along[-1]) + 2, 20_000))
    rows, columns = (np.floor(np.interp(places, along, one)).astype(int) for one in pixels.T)
    for dr in range(width):
        for dc in range(width):
            r, q = rows + dr - width // 2, columns + dc - width // 2
            there = (r >= 0) & (r < image.shape[0]) & (q >= 0) & (q < image.shape[1])
            image[r[there], q[there]] = tuple(color)
