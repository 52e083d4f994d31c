"""Features in a terrain file: their keys, and the pieces that kernels get of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Either, Field, ListOf, Number, Variants
from simulator.base.records import Record, record
from simulator.base.section import Section
from terrain.features.bins import binned
from terrain.features.kernels import Features, no_features
from terrain.features.lines import chain, line_of
from terrain.features.shapes import BUMP, CURB, DITCH, HALF_ROUND, PIECE, SETTS, STEP, WALL, WASHBOARD

_PLACE = (-1e5, 1e5)
_AT = Field("at", Number("m", *_PLACE, shape=(2,)), "x, y of its middle")
_YAW = Field("yaw", Number("rad", -math.tau, math.tau), "direction of travel over it", 0.0, written="deg")
_POINTS = Field(
    "points", Number("m", *_PLACE, shape=((2, 10_000), 2)), "x, y of the corners of its line; closed when the last is the first"
)
_CORNER = Field("corner", Number("m", 0.0, 100.0), "radius of the arcs at the corners of the line", 0.1)
_LENGTH = Number("m", 0.05, 1e4)
_CURB_HEIGHT = Number("m", 0.001, 2.0)


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
    "curb": (
        _POINTS,
        Field(
            "height",
            Either((_CURB_HEIGHT, Number("m", 0.001, 2.0, shape=((2, 10_000),)))),
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
    "curb": CURB,
    "wall": WALL,
    "ditch": DITCH,
}


def read_features(sections: Sequence[Section]) -> Features:
    """Features of a terrain file, checked by `FEATURES`, made ready for kernels. Raises ConfigError: one that cannot be."""
    pieces: list[Record] = []
    with ErrorCollector() as faults:
        for number, section in enumerate(sections):
            with faults.part():
                pieces += _pieces(section, number)
    return binned(np.concatenate(pieces)) if pieces else no_features()


def _pieces(section: Section, number: int) -> list[Record]:
    said = section.mapping
    p = record(PIECE)
    k = p[0]
    k["kind"], k["feature"] = _KINDS[said["type"]], number
    if said["type"] in ("curb", "wall", "ditch"):
        line_of(k, section)
        return chain(p, section)
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
