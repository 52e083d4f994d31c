"""Sharp things on a ground as shapes that can be written down: half-rounds, steps, kerbs, walls, ditches, washboards, bumps, setts.

A shape is exact however coarse the grid below it is. Faces that stand upright are ramps 3 t^2 - 2 t^3 over a few centimeters (`edge`, `face`), so that the
ground keeps its first derivatives (C1) and no slope is steeper than 1.5 height / face. Solid things (half-round, step, kerb, wall) stand on the ground
and where two overlap the higher one counts; what shapes the ground itself (ditch, washboard, bump, setts) adds up.

Lines of kerbs, walls and ditches are straight pieces joined by arcs, so their signed distance (+ = left) is C1 at corners too; the nearest piece counts.
A grid of bins says which pieces may matter at a point, so that a point far from all of them costs a few ns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, Gathered
from simulator.base.fields import Either, Field, ListOf, Number, Variants
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, dtype_of, record
from simulator.base.section import Section

HALF_ROUND, STEP, WASHBOARD, BUMP, SETTS, KERB, WALL, DITCH = range(8)
ADDED = (WASHBOARD, BUMP, SETTS, DITCH)
"""Kinds that shape the ground itself and add up."""
LINES = (KERB, WALL, DITCH)
"""Kinds along a line of points."""

PIECE = (
    # name        shape unit  what it is
    ("kind", (), "1", "HALF_ROUND to DITCH", "i8"),
    ("feature", (), "1", "number of the feature in the file; pieces of one line share it", "i8"),
    ("origin", (2,), "m", "middle of a shape, start of a straight piece of a line, center of an arc"),
    ("axis", (2,), "1", "direction of travel over a shape, of a straight piece, from the center of an arc to its middle"),
    ("length", (), "m", "along the axis"),
    ("width", (), "m", "across the axis: of a shape, of a kerb's top, of a wall, of a ditch"),
    ("height", (), "m", "over the ground; of a ditch its depth, negative"),
    ("face", (), "m", "length of the ramp that stands for an upright face; of a ditch that of its banks"),
    ("fall", (), "m", "length over which a kerb falls back behind its top"),
    ("foot", (2,), "m", "of a half-round and a bump: distances from the middle between which the shape runs out"),
    ("foot_height", (), "m", "height where it begins to run out"),
    ("foot_slope", (), "1", "slope there"),
    ("wavelength", (), "m", "of a washboard; from stone to stone of setts"),
    ("bottom", (), "m", "width of the bottom of a ditch, of the joints of setts"),
    ("scatter", (), "m", "root mean square of the heights of setts"),
    ("seed", (), "1", "of the heights of setts"),
    ("rise", (), "1", "share of its height by which a straight piece of a kerb is higher at its end"),
    ("arc", (), "m", "radius of an arc of a line, + = turning left; 0 = straight"),
    ("half_cosine", (), "1", "cosine of half the angle of an arc"),
    ("open_start", (), "1", "1 = the line begins here", "i8"),
    ("open_end", (), "1", "1 = the line ends here", "i8"),
)
"""One shape, or one piece of a line."""
BINS = (
    ("origin", (2,), "m", "x, y of the south-west corner"),
    ("size", (), "m", "side of a bin"),
    ("count", (2,), "1", "bins along x and y; 0 = no features", "i8"),
    ("steepest", (), "1", "bound on the slope of all features together"),
)
MOST_BINS = 2**18
SMALLEST_BIN = 1.0
"""m."""
BANK_ROUNDING = 0.1
"""Share of a ditch's bank over which it is rounded at each end. Larger: softer. Smaller: a sharper crease."""
SLACK = 1e-9
"""m. By which pieces of a line overlap, so that no point falls between two."""
LEAST_TURN = 1e-6
"""rad. Corners of a line that turn less are none."""
SHARPEST = math.radians(170.0)
"""rad. Corners that turn more go back on themselves."""


class Features(NamedTuple):
    """What kernels take of the features of a ground."""

    bins: Record
    """length-1 record of `BINS`"""
    starts: NDArray[np.int32]
    """(bins + 1,) place in `items` where each bin begins, row by row from the south-west"""
    items: NDArray[np.int32]
    """rows of `pieces`, in the order of the file"""
    pieces: Record
    """(n,) records of `PIECE`"""
    bounds: NDArray[np.float64]
    """(bins, 2) bounds on the height [m] and the slope of all features together in each bin"""


def no_features() -> Features:
    """Of a ground that has none."""
    return Features(record(BINS), np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, dtype_of(PIECE)), np.zeros((0, 2)))


@inline
def smooth_step(t):
    """(value, slope) of the C1 step from 0 at t <= 0 to 1 at t >= 1."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t)


@inline
def _bank(t):
    """(value, slope) of a straight ramp from 0 at t <= 0 to 1 at t >= 1 whose ends are rounded by parabolas over BANK_ROUNDING."""
    r, steep = BANK_ROUNDING, 1.0 / (1.0 - BANK_ROUNDING)
    if t <= 0.0:
        return 0.0, 0.0
    if t >= 1.0:
        return 1.0, 0.0
    if t < r:
        return 0.5 * steep * t * t / r, steep * t / r
    if t > 1.0 - r:
        return 1.0 - 0.5 * steep * (1.0 - t) * (1.0 - t) / r, steep * (1.0 - t) / r
    return steep * (t - 0.5 * r), steep


@inline
def _window(v, half, face):
    """(value, slope) of a window of full height up to half - face / 2 from its middle and of none from half + face / 2 on."""
    w, slope = smooth_step((half + 0.5 * face - abs(v)) / face)
    return w, math.copysign(slope / face, -v)


@inline
def _runs_out(k, u):
    """(height, slope) outside `foot` of a half-round or bump: the cubic that meets the shape and the ground."""
    length = k["foot"][1] - k["foot"][0]
    t = (abs(u) - k["foot"][0]) / length
    if t >= 1.0:
        return 0.0, 0.0
    a, b = k["foot_height"], k["foot_slope"] * length
    z = a * (1.0 - t) * (1.0 - t) * (1.0 + 2.0 * t) + b * t * (1.0 - t) * (1.0 - t)
    slope = -6.0 * a * t * (1.0 - t) + b * (1.0 - t) * (1.0 - 3.0 * t)
    return z, math.copysign(1.0, u) * slope / length


@inline
def _along(k, u):
    """(height, slope) of a shape at u m along its axis from its middle."""
    kind = k["kind"]
    if kind == STEP:
        w, slope = _window(u, 0.5 * k["length"], k["face"])
        return k["height"] * w, k["height"] * slope
    if kind == WASHBOARD:
        s = u + 0.5 * k["length"]
        if s <= 0.0 or s >= k["length"]:
            return 0.0, 0.0
        wave = 2.0 * math.pi / k["wavelength"]
        return 0.5 * k["height"] * (1.0 - math.cos(wave * s)), 0.5 * k["height"] * wave * math.sin(wave * s)
    if abs(u) > k["foot"][0]:
        return _runs_out(k, u)
    if kind == HALF_ROUND:
        z = math.sqrt(k["height"] * k["height"] - u * u)
        return z, -u / z
    wave = math.pi / k["length"]
    return k["height"] * math.cos(wave * u), -k["height"] * wave * math.sin(wave * u)


@inline
def _stone_height(k, i, j):
    """Height [m] of stone j of row i over the bed: evenly spread, of the given mean and root mean square, the same at every look."""
    t = 43758.5453 * math.sin(12.9898 * i + 78.233 * j + k["seed"])
    return k["height"] + math.sqrt(3.0) * k["scatter"] * (2.0 * (t - math.floor(t)) - 1.0)


@inline
def _setts(k, u, v):
    """(z, dz/du, dz/dv) of stones in rows across the way, every other row shifted by half a stone; joints lie on the ground."""
    half = 0.5 * k["length"]
    if not abs(u) < half:
        return 0.0, 0.0, 0.0
    pitch, joint = k["wavelength"], k["bottom"]
    i = math.floor((u + half) / pitch)
    v -= 0.5 * pitch * (i - 2.0 * math.floor(0.5 * i))
    j = math.floor(v / pitch)
    a, b = u + half - (i + 0.5) * pitch, v - (j + 0.5) * pitch
    along, along_a = _window(a, 0.5 * (pitch - joint), joint)
    across, across_b = _window(b, 0.5 * (pitch - joint), joint)
    z = _stone_height(k, i, j)
    return z * along * across, z * along_a * across, z * along * across_b


@inline
def _shape(k, x, y):
    """(z, dz/dx, dz/dy) of a shape at x, y."""
    dx, dy = x - k["origin"][0], y - k["origin"][1]
    c, s = k["axis"][0], k["axis"][1]
    v = c * dy - s * dx
    w, w_v = _window(v, 0.5 * k["width"], k["face"])
    if w == 0.0:
        return 0.0, 0.0, 0.0
    if k["kind"] == SETTS:
        z, z_u, z_v = _setts(k, c * dx + s * dy, v)
        w_v = z * w_v + z_v * w
        return z * w, z_u * w * c - w_v * s, z_u * w * s + w_v * c
    z, z_u = _along(k, c * dx + s * dy)
    return z * w, z_u * w * c - z * w_v * s, z_u * w * s + z * w_v * c


@inline
def _across(k, d):
    """(height, slope) of a line at a signed distance d [m], + = left."""
    kind = k["kind"]
    if kind == KERB:
        up, up_d = smooth_step(d / k["face"] + 0.5)
        down, down_d = smooth_step((d - k["width"]) / k["fall"])
        return k["height"] * up * (1.0 - down), k["height"] * (up_d / k["face"] * (1.0 - down) - up * down_d / k["fall"])
    if kind == WALL:
        w, slope = _window(d, 0.5 * k["width"], k["face"])
        return k["height"] * w, k["height"] * slope
    w, slope = _bank((abs(d) - 0.5 * k["bottom"]) / k["face"])
    return k["height"] * (1.0 - w), -k["height"] * math.copysign(slope / k["face"], d)


@inline
def _line(k, x, y):
    """(squared distance, z, dz/dx, dz/dy) of a piece of a line at x, y; the distance is inf where another piece is meant."""
    dx, dy = x - k["origin"][0], y - k["origin"][1]
    c, s = k["axis"][0], k["axis"][1]
    if k["arc"] != 0.0:
        away = math.sqrt(dx * dx + dy * dy)
        if away == 0.0 or c * dx + s * dy < k["half_cosine"] * away:
            return math.inf, 0.0, 0.0, 0.0
        d = k["arc"] - math.copysign(away, k["arc"])
        z, slope = _across(k, d)
        slope *= math.copysign(1.0, -k["arc"]) / away
        return d * d, z, slope * dx, slope * dy
    u, d = c * dx + s * dy, c * dy - s * dx
    before, after = -u, u - k["length"]
    if (before > SLACK and not k["open_start"]) or (after > SLACK and not k["open_end"]):
        return math.inf, 0.0, 0.0, 0.0
    beyond = max(before, after, 0.0)
    z, slope = _across(k, d)
    fade, fade_slope = smooth_step(beyond / k["face"])
    z_u = math.copysign(1.0, before - after) * z * fade_slope / k["face"]
    z, slope = z * (1.0 - fade), slope * (1.0 - fade)
    if k["rise"] != 0.0:
        step, step_slope = smooth_step(u / k["length"])
        more = 1.0 + k["rise"] * step
        z_u = z_u * more + z * k["rise"] * step_slope / k["length"]
        z, slope = z * more, slope * more
    return d * d + beyond * beyond, z, z_u * c - slope * s, z_u * s + slope * c


@kernel
def features_beside(bins, starts, x, y):
    """Share from 0 to 1, C1, of features in what lies around x, y (m, in W): 1 where one may be in a bin beside, 0 three bins away from any.

    A corner of a bin counts where one may be less than two bins off, and between corners it is blended.
    """
    b = bins[0]
    if b["count"][0] == 0:
        return 0.0
    u, v = (x - b["origin"][0]) / b["size"], (y - b["origin"][1]) / b["size"]
    if not (-3.0 < u < b["count"][0] + 3.0 and -3.0 < v < b["count"][1] + 3.0):
        return 0.0
    low_u, low_v = math.floor(u), math.floor(v)
    i, j = int(low_u), int(low_v)
    near = smooth_step(v - low_v)[0]
    left = _around(bins, starts, i, j) * (1.0 - near) + _around(bins, starts, i, j + 1) * near
    right = _around(bins, starts, i + 1, j) * (1.0 - near) + _around(bins, starts, i + 1, j + 1) * near
    return left + (right - left) * smooth_step(u - low_u)[0]


@inline
def _around(bins, starts, i, j):
    """1 if there is anything in the 4 x 4 bins around the corner (i, j), else 0."""
    columns, rows = bins[0]["count"][0], bins[0]["count"][1]
    first, last = max(i - 2, 0), min(i + 2, columns)
    if first < last:
        for row in range(max(j - 2, 0), min(j + 2, rows)):
            if starts[row * columns + last] > starts[row * columns + first]:
                return 1.0
    return 0.0


@kernel
def bounds_around(bins, bounds, x, y, reach):
    """(height [m], slope) that features within `reach` m of x, y (m, in W) along x and y have at most, all together; `bounds` as in `Features`."""
    b = bins[0]
    columns, rows, size = b["count"][0], b["count"][1], b["size"]
    i, j = (x - b["origin"][0]) / size, (y - b["origin"][1]) / size
    i, j, far = min(max(i, -1e6), 1e6), min(max(j, -1e6), 1e6), reach / size
    height = slope = 0.0
    for row in range(max(math.floor(j - far), 0), min(math.floor(j + far) + 1, rows)):
        for column in range(max(math.floor(i - far), 0), min(math.floor(i + far) + 1, columns)):
            height = max(height, bounds[row * columns + column, 0])
            slope = max(slope, bounds[row * columns + column, 1])
    return height, slope


@kernel
def features_and_slopes(bins, starts, items, pieces, x, y):
    """(z [m], dz/dx, dz/dy) that features add to the ground at x, y (m, in W); the first four are members of `Features`."""
    b = bins[0]
    i, j = (x - b["origin"][0]) / b["size"], (y - b["origin"][1]) / b["size"]
    if not (i >= 0.0 and j >= 0.0 and i < b["count"][0] and j < b["count"][1]):
        return 0.0, 0.0, 0.0
    bin_ = int(j) * b["count"][0] + int(i)
    z = zx = zy = 0.0  # what adds up
    top = top_x = top_y = 0.0  # the highest thing that stands here
    feature, nearest = -1, math.inf
    line = line_x = line_y = 0.0  # nearest piece of the line that is looked at
    added = False
    for n in range(starts[bin_], starts[bin_ + 1]):
        k = pieces[items[n]]
        if k["feature"] != feature:
            if added:
                z, zx, zy = z + line, zx + line_x, zy + line_y
            elif line > top:
                top, top_x, top_y = line, line_x, line_y
            feature, nearest = k["feature"], math.inf
            line = line_x = line_y = 0.0
            added = k["kind"] >= DITCH or (k["kind"] >= WASHBOARD and k["kind"] <= SETTS)
        if k["kind"] >= KERB:
            distance, piece, piece_x, piece_y = _line(k, x, y)
            if distance < nearest:
                nearest, line, line_x, line_y = distance, piece, piece_x, piece_y
        else:
            line, line_x, line_y = _shape(k, x, y)
    if added:
        z, zx, zy = z + line, zx + line_x, zy + line_y
    elif line > top:
        top, top_x, top_y = line, line_x, line_y
    return z + top, zx + top_x, zy + top_y


_PLACE = (-1e5, 1e5)
_AT = Field("at", Number("m", *_PLACE, shape=(2,)), "x, y of its middle")
_YAW = Field("yaw", Number("rad", -math.tau, math.tau), "direction of travel over it", 0.0, written="deg")
_POINTS = Field(
    "points", Number("m", *_PLACE, shape=((2, 10_000), 2)), "x, y of the corners of its line; closed when the last is the first"
)
_CORNER = Field("corner", Number("m", 0.0, 100.0), "radius of the arcs at the corners of the line", 0.1)
_LENGTH = Number("m", 0.05, 1e4)
_KERB_HEIGHT = Number("m", 0.001, 2.0)


def _edge(name: str, default: float) -> Field:
    return Field(name, Number("m", 0.001, 1.0), "length of the ramps that stand for its upright faces", default)


FEATURE_FILE = {
    "half_round": (
        _AT,
        _YAW,
        Field("radius", Number("m", 0.01, 2.0), "its radius, and height"),
        Field("length", _LENGTH, "across the direction of travel, along its own axis"),
        _edge("edge", 0.02),
    ),
    "step": (
        _AT,
        _YAW,
        Field("height", Number("m", 0.001, 5.0), "of its top over the ground"),
        Field("length", _LENGTH, "across the direction of travel"),
        Field("depth", _LENGTH, "along it"),
        _edge("edge", 0.02),
    ),
    "kerb": (
        _POINTS,
        Field(
            "height",
            Either((_KERB_HEIGHT, Number("m", 0.001, 2.0, shape=((2, 10_000),)))),
            "by which the ground to the left of the line is higher, or one height at every point",
        ),
        _edge("face", 0.02),
        Field("width", Number("m", 0.05, 1e3), "over which it stays higher", 0.3),
        Field("fall", Number("m", 0.0, 100.0), "over which it falls back behind that; 0 = upright", 0.0),
        _CORNER,
    ),
    "wall": (
        _POINTS,
        Field("height", Number("m", 0.01, 20.0), "of its top over the ground"),
        Field("thickness", Number("m", 0.02, 100.0), "about the line", 0.3),
        _edge("face", 0.02),
        _CORNER,
    ),
    "ditch": (
        _POINTS,
        Field("depth", Number("m", 0.01, 10.0), "of its bottom below the ground"),
        Field("width", Number("m", 0.1, 100.0), "at the top"),
        Field("bottom", Number("m", 0.0, 100.0), "width of the bottom; 0 = a V", 0.0),
        _CORNER,
    ),
    "washboard": (
        _AT,
        _YAW,
        Field("height", Number("m", 0.001, 1.0), "of the crests over the troughs, which lie on the ground"),
        Field("wavelength", Number("m", 0.05, 100.0), "from crest to crest"),
        Field("length", _LENGTH, "along the direction of travel; whole waves of it"),
        Field("width", _LENGTH, "across it"),
        _edge("edge", 0.1),
    ),
    "bump": (
        _AT,
        _YAW,
        Field("height", Number("m", -2.0, 2.0), "of the crest of half a sine; negative: a dip"),
        Field("length", _LENGTH, "along the direction of travel"),
        Field("width", _LENGTH, "across it"),
        _edge("edge", 0.05),
    ),
    "setts": (
        _AT,
        _YAW,
        Field("length", _LENGTH, "along the direction of travel"),
        Field("width", _LENGTH, "across it"),
        Field("pitch", Number("m", 0.05, 1.0), "from stone to stone"),
        Field("joint", Number("m", 0.005, 0.2), "width of the joints, over which stones are rounded off"),
        Field("height", Number("m", 0.005, 0.2), "mean of the tops over the joints, which lie on the ground", 0.03),
        Field("rms", Number("m", 0.0, 0.05), "root mean square of the heights of the stones about that"),
        Field("seed", Number("1", 0, 2**32, whole=True), "number that picks one of the possible stones", 1),
        _edge("edge", 0.1),
    ),
}
"""Keys of a feature by its type."""
FEATURES = Field(
    "features",
    ListOf(Variants("type", FEATURE_FILE, tuple(FEATURE_FILE), "what stands or lies on the ground")),
    "sharp things on the ground, exact whatever its grid; solid ones by the highest, the others added up",
    (),
)
"""Of every terrain file."""
_KINDS = {
    "half_round": HALF_ROUND,
    "step": STEP,
    "washboard": WASHBOARD,
    "bump": BUMP,
    "setts": SETTS,
    "kerb": KERB,
    "wall": WALL,
    "ditch": DITCH,
}


def read_features(sections: Sequence[Section]) -> Features:
    """Features of a terrain file, checked by `FEATURES`, made ready for kernels. Raises ConfigError: one that cannot be."""
    pieces: list[Record] = []
    with Gathered() as faults:
        for number, section in enumerate(sections):
            with faults.part():
                pieces += _pieces(section, number)
    return binned(np.concatenate(pieces)) if pieces else no_features()


def _pieces(section: Section, number: int) -> list[Record]:
    said = section.mapping
    p = record(PIECE)
    k = p[0]
    k["kind"], k["feature"] = _KINDS[said["type"]], number
    if said["type"] in ("kerb", "wall", "ditch"):
        _line_of(k, section)
        return _chain(p, section)
    k["origin"], k["axis"] = said["at"], (math.cos(said["yaw"]), math.sin(said["yaw"]))
    k["face"], k["height"] = said["edge"], said.get("height", said.get("radius"))
    if said["type"] == "half_round":
        k["length"], k["width"] = 2.0 * said["radius"], said["length"]
        inner = said["radius"] - min(said["edge"], 0.5 * said["radius"])
        k["foot"] = inner, said["radius"]
        k["foot_height"] = math.sqrt(said["radius"] ** 2 - inner**2)
        k["foot_slope"] = -inner / k["foot_height"]
    elif said["type"] == "step":
        k["length"], k["width"] = said["depth"], said["length"]
    elif said["type"] == "washboard":
        waves = math.floor(said["length"] / said["wavelength"] * (1.0 + 1e-12))
        if waves < 1:
            raise ConfigError(section.file, section.path("length"), said["length"], "at least one wavelength")
        k["length"], k["width"], k["wavelength"] = waves * said["wavelength"], said["width"], said["wavelength"]
    elif said["type"] == "setts":
        _setts_of(k, section)
    else:
        k["length"], k["width"] = said["length"], said["width"]
        out = min(said["edge"], 0.25 * said["length"])
        wave = math.pi / said["length"]
        k["foot"] = 0.5 * said["length"] - out, 0.5 * said["length"] + out
        k["foot_height"] = said["height"] * math.cos(wave * k["foot"][0])
        k["foot_slope"] = -said["height"] * wave * math.sin(wave * k["foot"][0])
    for name in ("width",) if said["type"] != "step" else ("width", "length"):
        if k["face"] > k[name]:
            raise ConfigError(section.file, section.path("edge"), said["edge"], f"at most {k[name]:g}, the size of the feature")
    return [p]


def _setts_of(k: Any, section: Section) -> None:
    """Stones into their record; whole rows of them."""
    said = section.mapping
    if said["joint"] > 0.5 * said["pitch"]:
        raise ConfigError(section.file, section.path("joint"), said["joint"], f"at most {0.5 * said['pitch']:g}, half the pitch")
    if math.sqrt(3.0) * said["rms"] > 0.9 * said["height"]:
        raise ConfigError(section.file, section.path("rms"), said["rms"], "stones that stand above their joints: a larger height")
    k["length"], k["width"] = said["pitch"] * math.floor(said["length"] / said["pitch"] * (1.0 + 1e-12)), said["width"]
    k["wavelength"], k["bottom"], k["scatter"] = said["pitch"], said["joint"], said["rms"]
    k["seed"] = 37.719 * (int(said["seed"]) % 100_003)


def _line_of(k: Any, section: Section) -> None:
    """Cross-section of a line into its record."""
    said = section.mapping
    if said["type"] == "ditch":
        if not said["bottom"] < said["width"]:
            raise ConfigError(section.file, section.path("bottom"), said["bottom"], "less than the width")
        k["height"], k["width"], k["bottom"] = -said["depth"], said["width"], said["bottom"]
        k["face"] = 0.5 * (said["width"] - said["bottom"])
        return
    k["height"], k["face"] = np.max(said["height"]), said["face"]
    k["width"] = said["width"] if said["type"] == "kerb" else said["thickness"]
    if k["face"] > k["width"]:
        raise ConfigError(section.file, section.path("face"), said["face"], f"at most {k['width']:g}, the width")
    k["fall"] = max(said.get("fall", 0.0), said["face"])


def _chain(line: Record, section: Section) -> list[Record]:
    """Pieces of a line: straight ones, and at each corner an arc that both touch.

    An arc takes at most half of the shorter of its two neighbors, so close corners get smaller arcs.
    """
    points: NDArray[np.float64] = section.mapping["points"]
    closed = len(points) > 3 and bool((points[0] == points[-1]).all())
    steps = np.diff(points, axis=0)
    lengths = np.hypot(*steps.T)
    if not (lengths > 10.0 * SLACK).all():
        raise ConfigError(section.file, section.path("points"), points.tolist(), "points apart from one another")
    axes = steps / lengths[:, None]
    cut = np.zeros((len(axes), 2))  # of each piece at its start and end
    arcs: list[Record] = []
    corners: list[int] = []
    for n in range(len(axes) if closed else len(axes) - 1):
        after = (n + 1) % len(axes)
        turn = math.atan2(axes[n, 0] * axes[after, 1] - axes[n, 1] * axes[after, 0], float(axes[n] @ axes[after]))
        if abs(turn) < LEAST_TURN:
            continue
        if abs(turn) > SHARPEST:
            expected = f"corners that turn by less than {math.degrees(SHARPEST):g} deg"
            raise ConfigError(section.file, section.path(f"points[{n + 1}]"), points[n + 1].tolist(), expected)
        tangent = min(section.mapping["corner"] * math.tan(0.5 * abs(turn)), 0.5 * lengths[n], 0.5 * lengths[after])
        if tangent <= SLACK:
            continue
        cut[n, 1] = cut[after, 0] = tangent
        corners.append(n + 1)
        arcs.append(_arc(line, points[n + 1], axes[n], axes[after], turn, tangent))
    heights = _heights_at(section, points)
    straight = _straight(line, points, axes, lengths, cut, closed)
    if heights is not None:
        for n, piece in enumerate(straight):
            piece[0]["height"], piece[0]["rise"] = heights[n], heights[n + 1] / heights[n] - 1.0
        for arc, n in zip(arcs, corners, strict=True):
            arc[0]["height"] = heights[n]
    return [*straight, *arcs]


def _heights_at(section: Section, points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Heights (n,) of a kerb at its points; None: it has one. Raises ConfigError."""
    heights = np.asarray(section.mapping.get("height", 0.0), np.float64)
    if heights.ndim == 0:
        return None
    if len(heights) != len(points):
        raise ConfigError(section.file, section.path("height"), f"{len(heights)} numbers", f"one, or {len(points)}: one at every point")
    return heights


def _straight(
    line: Record,
    points: NDArray[np.float64],
    axes: NDArray[np.float64],
    lengths: NDArray[np.float64],
    cut: NDArray[np.float64],
    closed: bool,
) -> list[Record]:
    out = []
    for n, axis in enumerate(axes):
        p = line.copy()
        k = p[0]
        k["origin"], k["axis"] = points[n] + cut[n, 0] * axis, axis
        k["length"] = lengths[n] - cut[n].sum()
        k["open_start"], k["open_end"] = not closed and n == 0, not closed and n == len(axes) - 1
        out.append(p)
    return out


def _arc(
    line: Record, corner: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64], turn: float, tangent: float
) -> Record:
    """The arc that touches two pieces `tangent` m before and behind their corner."""
    p = line.copy()
    k = p[0]
    radius = tangent / math.tan(0.5 * abs(turn))
    k["arc"] = math.copysign(radius, turn)
    inward = (after - before) / np.hypot(*(after - before))
    k["axis"] = -inward
    k["origin"] = corner + inward * radius / math.cos(0.5 * turn)
    k["half_cosine"] = math.cos(0.5 * abs(turn) + 1e-7)  # a hair more, see SLACK
    return p


def binned(pieces: Record) -> Features:
    """Pieces, in the order of their features, with the bins that each of them reaches into."""
    reach = np.array([_reach(k) for k in pieces])
    low, high = _boxes(pieces, reach)
    corner, far = low.min(axis=0), high.max(axis=0)
    size = max(SMALLEST_BIN, math.sqrt(float(np.prod(far - corner)) / MOST_BINS), float((far - corner).max()) / MOST_BINS)
    count = np.floor((far - corner) / size).astype(np.int64) + 1
    pairs = [_reached(k, r, corner, size, count, a, b) for k, r, a, b in zip(pieces, reach, low, high, strict=True)]
    bins = np.concatenate(pairs)
    items = np.repeat(np.arange(len(pieces), dtype=np.int32), [len(one) for one in pairs])
    order = np.argsort(bins, kind="stable")
    starts = np.searchsorted(bins[order], np.arange(int(count.prod()) + 1)).astype(np.int32)
    p = record(BINS)
    p[0]["origin"], p[0]["size"], p[0]["count"] = corner, size, count
    items = np.ascontiguousarray(items[order])
    bounds = np.stack([_bounds(np.array([of(k) for k in pieces]), pieces, starts, items) for of in (highest, steepest)], axis=1)
    p[0]["steepest"] = bounds[:, 1].max()
    return Features(p, starts, items, np.ascontiguousarray(pieces), bounds)


def _reach(k: Any) -> float:
    """Distance [m] from its axis, or line, to where a piece ends."""
    if k["kind"] == KERB:
        return float(k["width"] + k["fall"] + k["face"])
    if k["kind"] in LINES:
        return 0.5 * float(k["width"]) + float(k["face"])
    return 0.5 * math.hypot(k["length"] + k["face"] + 2.0 * max(k["foot"][1] - k["foot"][0], 0.0), k["width"] + k["face"])


def _boxes(pieces: Record, reach: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least and largest x, y (n, 2) that pieces reach to."""
    ends = [pieces["origin"], pieces["origin"]]
    if len(pieces):
        straight = (pieces["kind"] >= KERB) & (pieces["arc"] == 0.0)
        ends[1] = pieces["origin"] + np.where(straight, pieces["length"], 0.0)[:, None] * pieces["axis"]
    far = (reach + np.abs(pieces["arc"]))[:, None]
    return np.minimum(*ends) - far, np.maximum(*ends) + far


def _reached(
    k: Any,
    reach: float,
    corner: NDArray[np.float64],
    size: float,
    count: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Bins that a piece reaches into: those of its box, of a long straight piece only those near it."""
    first = np.clip(np.floor((low - corner) / size).astype(np.int64), 0, count - 1)
    last = np.clip(np.floor((high - corner) / size).astype(np.int64), 0, count - 1)
    i, j = np.meshgrid(np.arange(first[0], last[0] + 1), np.arange(first[1], last[1] + 1))
    if k["kind"] in LINES and k["arc"] == 0.0:
        x, y = corner[0] + (i + 0.5) * size - k["origin"][0], corner[1] + (j + 0.5) * size - k["origin"][1]
        t = np.clip(x * k["axis"][0] + y * k["axis"][1], 0.0, k["length"])
        near = np.hypot(x - t * k["axis"][0], y - t * k["axis"][1]) <= reach + size  # more than half a diagonal
        i, j = i[near], j[near]
    return np.asarray((j * count[0] + i).ravel(), np.int64)


def _bounds(of_pieces: NDArray[np.float64], pieces: Record, starts: NDArray[np.int32], items: NDArray[np.int32]) -> NDArray[np.float64]:
    """Bound of all together in each bin, of those of the pieces: that of what adds up, every feature once, and that of the largest solid thing."""
    added = np.isin(pieces["kind"], ADDED)
    bins = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    feature = pieces["feature"][items]
    # pieces of one line are alike but for heights of a kerb, which is solid
    _, once = np.unique(np.stack((bins, feature)), axis=1, return_index=True)
    sums = np.bincount(bins[once], weights=np.where(added[items[once]], of_pieces[items[once]], 0.0), minlength=len(starts) - 1)
    solid = np.zeros(len(starts) - 1)
    np.maximum.at(solid, bins, np.where(added[items], 0.0, of_pieces[items]))
    return np.asarray(sums + solid)


def highest(k: Any) -> float:
    """Bound on the height of one piece over the ground, a record of `PIECE`."""
    height = max(float(k["height"]), 0.0)
    if k["kind"] == KERB:
        return height * max(1.0, 1.0 + float(k["rise"]))
    return height + (math.sqrt(3.0) * float(k["scatter"]) if k["kind"] == SETTS else 0.0)


def steepest(k: Any) -> float:
    """Bound on the slope of one piece, a record of `PIECE`."""
    height, face = abs(float(k["height"])), float(k["face"])
    side = 1.5 * height / face
    if k["kind"] == KERB:
        top = max(1.0, 1.0 + float(k["rise"]))
        ramp = 1.5 * height * abs(float(k["rise"])) / float(k["length"]) if k["rise"] != 0.0 else 0.0
        return math.hypot(top * (side + 1.5 * height / float(k["fall"])), top * side + ramp)
    if k["kind"] == SETTS:
        top = height + math.sqrt(3.0) * float(k["scatter"])
        return math.hypot(1.5 * top / float(k["bottom"]), 1.5 * top / float(k["bottom"]) + 1.5 * top / face)
    if k["kind"] == WALL:
        return math.hypot(side, side)
    if k["kind"] == DITCH:
        return math.hypot(height / face / (1.0 - BANK_ROUNDING), side)
    if k["kind"] == STEP:
        return math.hypot(side, side)
    if k["kind"] == WASHBOARD:
        return math.hypot(math.pi * height / float(k["wavelength"]), side)
    length = float(k["foot"][1] - k["foot"][0])  # of a cubic: 1.5 times the mean slope and that at its beginning
    run = 1.5 * abs(float(k["foot_height"])) / length + abs(float(k["foot_slope"]))
    return math.hypot(max(run, math.pi * height / float(k["length"]) if k["kind"] == BUMP else run), side)
