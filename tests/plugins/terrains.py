"""Plugin terrain readers: waves along x, and some that fail."""

from __future__ import annotations

import numpy as np

from simulator.base.records import record
from simulator.base.section import Section
from terrain.ground import GROUND
from terrain.kinds import CONTRACT, TerrainKind, register
from terrain.load_terrain import uniform

WAVES = (("amplitude", (), "m", "amplitude of the waves"), ("length", (), "m", "length of one wave"))
RANGES = {"amplitude": (0.0, 1.0), "length": (1.0, 100.0)}


def waves(f):
    w = Section(f.mapping, f.file).record(WAVES, RANGES, beside=("type", "surface", "soil", "friction"))[0]
    x = np.arange(0.0, 200.0, 0.25)
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = (-100.0, -100.0), (0.25, 100.0)
    heights = np.tile(w["amplitude"] * np.sin(2.0 * np.pi * x / w["length"]), (4, 1)).astype(np.float32)
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
    register(TerrainKind(name, read, CONTRACT))
