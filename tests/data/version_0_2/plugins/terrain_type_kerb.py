"""As docs/own_terrain.md of commit 802fdee has it."""

import numpy as np

from simulator.base.records import record
from simulator.base.section import Section
from terrain.kinds import CONTRACT, TerrainKind, register
from terrain.load import uniform
from terrain.surface import GROUND

KERB = (("height", (), "m", "of the kerb"), ("at", (), "m", "x where it begins"))
RANGES = {"height": (0.0, 0.5), "at": (-100.0, 1000.0)}


def kerb(f):  # mapping, file, name, folder, soils
    k = Section(f.mapping, f.file).record(KERB, RANGES, beside=("type", "surface", "soil", "friction"))[0]
    p, step = record(GROUND), 0.02
    p[0]["origin"], p[0]["spacing"] = (k["at"] - 50 * step, -1.5), (step, 1.0)
    heights = np.where(np.arange(100) < 50, 0.0, k["height"])
    return uniform(f.name, p, np.tile(heights, (4, 1)).astype(np.float32), f.mapping, f.file, f.soils)


register(TerrainKind("kerb", kerb, CONTRACT, meaning="a kerb across the way"))
