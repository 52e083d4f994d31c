"""Plugin terrain readers: waves along x, and some that fail."""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Field, Number
from simulator.base.records import record
from terrain.ground import GROUND
from terrain.kinds import CONTRACT, TerrainKind, register
from terrain.load_terrain import SURFACE, uniform

WAVES = (
    *SURFACE,
    Field("amplitude", Number("m", 0.0, 1.0), "amplitude of the waves"),
    Field("length", Number("m", 1.0, 100.0), "length of one wave"),
)


def waves(f):
    x = np.arange(0.0, 200.0, 0.25)
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = (-100.0, -100.0), (0.25, 100.0)
    heights = np.tile(f.mapping["amplitude"] * np.sin(2.0 * np.pi * x / f.mapping["length"]), (4, 1)).astype(np.float32)
    return uniform(f.name, p, heights, f.mapping, f.file, f.soils)


def nan_ground(f):
    ground = waves(f)
    ground.heights[0, 0] = np.nan
    return ground


def raising(f):
    raise KeyError("amplitude")


def nothing(f):
    return None


for name, read in (("waves", waves), ("nan_ground", nan_ground), ("raising_ground", raising), ("no_ground", nothing)):
    register(TerrainKind(name, read, CONTRACT, WAVES))
