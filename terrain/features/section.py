"""Features in a terrain file: keys, and conversion to the elements that kernels use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.base.errors import ErrorCollector
from simulator.base.fields import Either, Field, ListOf, Number, Variants
from simulator.base.records import Record, record
from simulator.base.values import Values
from terrain.features.bins import binned
from terrain.features.kernels import Features, no_features
from terrain.features.lines import chain, line_of
from terrain.features.shapes import BUMP, CURB, DITCH, HALF_ROUND, PIECE, SETTS, STEP, WALL, WASHBOARD

_RANGE = (-1e5, 1e5)
_AT = Field("at", Number("m", *_RANGE, shape=(2,)), "x, y of the center")
_YAW = Field("yaw", Number("rad", -math.tau, math.tau), "direction of travel over the feature", 0.0, written="deg")
_POINTS = Field(
    "points", Number("m", *_RANGE, shape=((2, 10_000), 2)), "x, y of the corners of the line; closed if the last point equals the first"
)
_CORNER = Field("corner", Number("m", 0.0, 100.0), "radius of the arcs at the corners of the line", 0.1)
_LENGTH = Number("m", 0.05, 1e4)
_CURB_HEIGHT = Number("m", 0.001, 2.0)


def _edge(name: str, default: float) -> Field:
    return Field(name, Number("m", 0.001, 1.0), "length of the ramps that replace vertical faces", default)


FEATURE_FILE = {
    "half_round": (
        _AT,
        _YAW,
        Field("radius", Number("m", 0.01, 2.0), "radius and height"),
        Field("length", _LENGTH, "length across the direction of travel"),
        _edge("edge", 0.02),
    ),
    "step": (
        _AT,
        _YAW,
        Field("height", Number("m", 0.001, 5.0), "height of the top over the ground"),
        Field("length", _LENGTH, "length across the direction of travel"),
        Field("depth", _LENGTH, "length along the direction of travel"),
        _edge("edge", 0.02),
    ),
    "curb": (
        _POINTS,
        Field(
            "height",
            Either((_CURB_HEIGHT, Number("m", 0.001, 2.0, shape=((2, 10_000),)))),
            "height of the ground to the left of the line over the right; one number, or one per point",
        ),
        _edge("face", 0.02),
        Field("width", Number("m", 0.05, 1e3), "width of the raised ground", 0.3),
        Field("fall", Number("m", 0.0, 100.0), "length of the slope behind the raised ground; 0 = vertical", 0.0),
        _CORNER,
    ),
    "wall": (
        _POINTS,
        Field("height", Number("m", 0.01, 20.0), "height of the top over the ground"),
        Field("thickness", Number("m", 0.02, 100.0), "thickness, symmetric about the line", 0.3),
        _edge("face", 0.02),
        _CORNER,
    ),
    "ditch": (
        _POINTS,
        Field("depth", Number("m", 0.01, 10.0), "depth of the bottom below the ground"),
        Field("width", Number("m", 0.1, 100.0), "width at the top"),
        Field("bottom", Number("m", 0.0, 100.0), "width of the bottom; 0 = V shape", 0.0),
        _CORNER,
    ),
    "washboard": (
        _AT,
        _YAW,
        Field("height", Number("m", 0.001, 1.0), "height of the crests over the troughs, which are at ground level"),
        Field("wavelength", Number("m", 0.05, 100.0), "distance between crests"),
        Field("length", _LENGTH, "length along the direction of travel, rounded down to complete waves"),
        Field("width", _LENGTH, "width across the direction of travel"),
        _edge("edge", 0.1),
    ),
    "bump": (
        _AT,
        _YAW,
        Field("height", Number("m", -2.0, 2.0), "height of the crest of the half sine; negative: depth of a dip"),
        Field("length", _LENGTH, "length along the direction of travel"),
        Field("width", _LENGTH, "width across the direction of travel"),
        _edge("edge", 0.05),
    ),
    "setts": (
        _AT,
        _YAW,
        Field("length", _LENGTH, "length along the direction of travel"),
        Field("width", _LENGTH, "width across the direction of travel"),
        Field("pitch", Number("m", 0.05, 1.0), "distance between stones"),
        Field("joint", Number("m", 0.005, 0.2), "width of the joints, over which the stones are rounded"),
        Field("height", Number("m", 0.005, 0.2), "mean height of the stones over the joints, which are at ground level", 0.03),
        Field("rms", Number("m", 0.0, 0.05), "root mean square deviation of the heights of the stones from the mean"),
        Field("seed", Number("1", 0, 2**32, whole=True), "seed of the heights of the stones", 1),
        _edge("edge", 0.1),
    ),
}
"""Keys of a feature by its type."""
FEATURES = Field(
    "features",
    ListOf(Variants("type", FEATURE_FILE, tuple(FEATURE_FILE), "feature on the ground")),
    "sharp features on the ground, independent of its grid; of solid features the highest applies, the others add up",
    (),
)
"""Field of all terrain files."""
_KINDS = {
    "half_round": HALF_ROUND,
    "step": STEP,
    "washboard": WASHBOARD,
    "bump": BUMP,
    "setts": SETTS,
    "curb": CURB,
    "wall": WALL,
    "ditch": DITCH,
}


def read_features(features: Sequence[Values]) -> Features:
    """Convert the features of a terrain file, checked by `FEATURES`, to arrays for kernels. Raises ConfigError for an invalid feature."""
    pieces: list[Record] = []
    with ErrorCollector() as faults:
        for number, values in enumerate(features):
            with faults.part():
                pieces += _elements(values, number)
    return binned(np.concatenate(pieces)) if pieces else no_features()


def joined(first: Features, second: Features) -> Features:
    """Return the features of a ground and further ones, whose numbers continue those of the first."""
    if not len(first.pieces):
        return second
    further = second.pieces.copy()
    further["feature"] += 1 + first.pieces["feature"].max()
    return binned(np.concatenate((first.pieces, further)))


def _elements(values: Values, number: int) -> list[Record]:
    """Return the elements (records of `PIECE`) of one feature."""
    p = record(PIECE)
    k = p[0]
    k["kind"], k["feature"] = _KINDS[values["type"]], number
    if values["type"] in ("curb", "wall", "ditch"):
        line_of(k, values)
        return chain(p, values)
    k["origin"], k["axis"] = values["at"], (math.cos(values["yaw"]), math.sin(values["yaw"]))
    k["face"], k["height"] = values["edge"], values.get("height", values.get("radius"))
    if values["type"] == "half_round":
        k["length"], k["width"] = 2.0 * values["radius"], values["length"]
        inner = values["radius"] - min(values["edge"], 0.5 * values["radius"])
        k["foot"] = inner, values["radius"]
        k["foot_height"] = math.sqrt(values["radius"] ** 2 - inner**2)
        k["foot_slope"] = -inner / k["foot_height"]
    elif values["type"] == "step":
        k["length"], k["width"] = values["depth"], values["length"]
    elif values["type"] == "washboard":
        waves = math.floor(values["length"] / values["wavelength"] * (1.0 + 1e-12))
        if waves < 1:
            raise values.error("length", "a length of at least one wavelength")
        k["length"], k["width"], k["wavelength"] = waves * values["wavelength"], values["width"], values["wavelength"]
    elif values["type"] == "setts":
        _setts_of(k, values)
    else:
        k["length"], k["width"] = values["length"], values["width"]
        out = min(values["edge"], 0.25 * values["length"])
        wave = math.pi / values["length"]
        k["foot"] = 0.5 * values["length"] - out, 0.5 * values["length"] + out
        k["foot_height"] = values["height"] * math.cos(wave * k["foot"][0])
        k["foot_slope"] = -values["height"] * wave * math.sin(wave * k["foot"][0])
    for name in ("width",) if values["type"] != "step" else ("width", "length"):
        if k["face"] > k[name]:
            raise values.error("edge", "at most {}, the size of the feature", k[name])
    return [p]


def _setts_of(k: Any, values: Values) -> None:
    """Write the parameters of setts into their record; the length is rounded down to complete rows."""
    if values["joint"] > 0.5 * values["pitch"]:
        raise values.error("joint", "at most {}, half the pitch", 0.5 * values["pitch"])
    if math.sqrt(3.0) * values["rms"] > 0.9 * values["height"]:
        raise values.error("rms", "at most 0.9 / sqrt(3) of the height, so that all stones are above their joints")
    k["length"], k["width"] = values["pitch"] * math.floor(values["length"] / values["pitch"] * (1.0 + 1e-12)), values["width"]
    k["wavelength"], k["bottom"], k["scatter"] = values["pitch"], values["joint"], values["rms"]
    k["seed"] = 37.719 * (int(values["seed"]) % 100_003)
