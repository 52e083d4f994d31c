"""Transverse dunes of dry sand with slip faces at the angle of repose, and pans of mud between them."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.erosion import slid
from terrain.generators.generated_terrain import Cover, GeneratedTerrain, Grid, Place
from terrain.generators.shapes import blurred, field, smooth_ramp, smooth_step

DUNES = (
    Field("size", Number("m", 128.0, 2048.0), "length of a side", 480.0),
    Field("spacing", Number("m", 0.25, 4.0), "distance between nodes", 0.5),
    Field("height", Number("m", 0.2, 30.0), "height of the highest crests above the pans", 6.0),
    Field("distance", Number("m", 10.0, 500.0), "approximate distance from crest to crest", 75.0),
    Field("wind", Number("rad", -math.pi, math.pi), "direction of the wind, + = left of the x axis", 0.35, written="deg"),
    Field(
        "repose", Number("rad", math.radians(20.0), math.radians(40.0)), "angle of repose of the sand", math.radians(32.0), written="deg"
    ),
    Field("mud", Number("1", 0.0, 0.6), "fraction of the area covered by pans of mud", 0.15),
)
COVERS = (Cover("dry_sand", False), Cover("lete_sand", False), Cover("clayey_loam", False))
SAND, MOIST, MUD = range(3)
STOSS = 0.72
"""Fraction of the wave that rises on the windward side. [assumed]"""
ROUNDS = 300
"""Maximum rounds of slides; flat dunes need fewer."""
SHORE = 6.0
"""m. Width of moist sand around a pan. [assumed]"""


def dunes(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate dunes from the parameters of `DUNES`."""
    half, spacing = 0.5 * parameters["size"], parameters["spacing"]
    grid = Grid.over((-half, -half), (half, half), spacing)
    heights = _sand(parameters, grid, seed)
    hollow = blurred(heights, 8.0 / spacing) + 0.12 * parameters["height"] * field(
        grid.shape, spacing, 2.5, parameters["size"], 20.0, seed + 3
    )
    level = float(np.quantile(hollow, parameters["mud"])) if parameters["mud"] > 0.0 else -math.inf
    depth = np.maximum(level - hollow, 0.0)
    pan = smooth_step(depth / max(0.1 * parameters["height"], 1e-6))
    heights = slid(heights * (1.0 - pan), spacing, math.tan(parameters["repose"]), ROUNDS)
    cover = np.full(grid.shape, SAND, np.uint8)
    muddy = pan > 0.5
    cover[blurred(muddy.astype(float), 0.5 * SHORE / spacing) > 0.05] = MOIST
    cover[muddy] = MUD
    return GeneratedTerrain(
        about=(
            f"dunes up to {parameters['height']:g} m high, {parameters['distance']:g} m from crest to crest, wind toward "
            f"{math.degrees(parameters['wind']):.0f} deg",
            "slip faces at the angle of repose (32 deg: dry sand); shapes and pans are assumed: dry_sand, moist lete_sand, mud of "
            "clayey_loam",
        ),
        grid=grid,
        heights=heights,
        cover=cover,
        covers=COVERS,
        places=_places(grid, heights, cover, math.degrees(parameters["wind"])),
        sections={"roughness": {"class": "C", "longest": 10.0, "seed": seed % 2**32}},
    )


def _sand(parameters: dict, grid: Grid, seed: int) -> Array:
    """Return heights (rows, columns) of dunes: a wave with a steep leeward side, bent and broken by noise, with slides at the angle of
    repose.
    """
    shape, spacing = grid.shape, grid.spacing
    c, s = math.cos(parameters["wind"]), math.sin(parameters["wind"])
    along = (grid.x * c + (grid.y * s)[:, None]) / parameters["distance"]
    bend = field(shape, spacing, 3.0, parameters["size"], 0.5 * parameters["distance"], seed)
    strength = field(shape, spacing, 3.0, parameters["size"], 0.7 * parameters["distance"], seed + 1)
    ripples = field(shape, spacing, 2.5, 0.5 * parameters["distance"], 5.0 * spacing, seed + 2)
    phase = (along + 0.28 * bend) % 1.0
    rise, fall = phase / STOSS, (1.0 - phase) / (1.0 - STOSS)
    wave = np.where(rise < fall, rise, fall)
    wave = smooth_step(wave) * 0.6 + wave * 0.4
    size = np.clip(0.62 + 0.25 * strength, 0.1, 1.0)
    land = parameters["height"] * (wave * size + 0.012 * ripples)
    return np.asarray(smooth_ramp(blurred(land, 0.8), 0.05 * parameters["height"]))


def _places(grid: Grid, heights: Array, cover: np.ndarray, yaw_deg: float) -> dict[str, Place]:
    """Return the start positions: level sand near the middle, heading with the wind, and the middle of a mud pan."""
    slope = blurred(np.hypot(*np.gradient(heights, grid.spacing)), 3.0 / grid.spacing)
    away = np.hypot(grid.x, grid.y[:, None]) / (grid.spacing * max(grid.shape))
    out = {}
    for name, what, note in (("sand", SAND, "level sand, with the wind"), ("mud", MUD, "in a pan of mud")):
        inside = blurred((cover == what).astype(float), 4.0 / grid.spacing)
        if inside.max() > 0.9:
            j, i = np.unravel_index(np.argmin(slope + 0.5 * away + 10.0 * (inside < 0.9)), grid.shape)
            out[name] = Place((grid.x[i], grid.y[j]), round(yaw_deg, 1), note)
    return out or {"middle": Place((0.0, 0.0), round(yaw_deg, 1), "in the middle")}
