"""Proving ground: lanes along x with different obstacles, between two aprons.

Dimensions follow military automotive courses where a note says so: half-rounds of 2 to 12 in, vertical steps of 6 to 24 in, side slopes of
20 to 40 %, grades of 30 to 60 %, courses of 1 to 4 in RMS, washboards of 2 in and 6 in. Lengths, widths and positions are assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.generated_terrain import Bits, Cover, Entry, GeneratedTerrain, Grid, Place
from terrain.generators.shapes import field, slope_profile, smooth_ramp, within

INCH = 0.0254
PROVING_GROUND = (
    Field("spacing", Number("m", 0.1, 0.5), "distance between nodes", 0.25),
    Field("half_rounds", Number("m", 0.02, 0.5, shape=((1, 12),)), "radii", tuple(n * INCH for n in (2, 4, 6, 8, 10, 12)), written="mm"),
    Field(
        "rms",
        Number("m", 0.0, 0.2, shape=(5,)),
        "root mean square of the rough courses",
        tuple(n * INCH for n in (1, 1.5, 2, 3, 4)),
        written="mm",
    ),
    Field(
        "steps",
        Number("m", 0.02, 1.0, shape=((1, 8),)),
        "heights of the vertical steps",
        tuple(n * INCH for n in (6, 12, 18, 24)),
        written="mm",
    ),
    Field("side_slopes", Number("m/m", 0.05, 0.6, shape=(3,)), "lateral slope", (0.2, 0.3, 0.4), written="percent"),
    Field("grades", Number("m/m", 0.05, 0.7, shape=(3,)), "grade along the lane", (0.3, 0.45, 0.6), written="percent"),
)
COVERS = (
    Cover("grenville_loam", False), Cover("asphalt", True), Cover("wet_basalt", True), Cover("wet_asphalt", True), Cover("dry_sand", False),
    Cover("clayey_loam", False), Cover("gravel", True),
)  # fmt: skip
FIELD, ASPHALT, BASALT, WATER, SAND, MUD, GRAVEL = range(7)
WEST, EAST, SOUTH, NORTH = 0.0, 560.0, -150.0, 150.0
"""m. Limits of the site."""
APRONS = ((10.0, 50.0), (510.0, 550.0))
"""m. Asphalt along y at both ends of the lanes."""
OBSTACLE_START = 60.0
"""m. x of the first obstacle of a lane."""
BELGIAN = {"pitch": 0.165, "joint": 0.02, "height": 0.03, "rms": 0.012}
"""m. Stones 0.14 to 0.18 m, joints 10 to 20 mm, standard deviation 12 to 25 mm: the smooth limit."""


@dataclass
class _Site:
    """Site under construction."""

    grid: Grid
    heights: Array
    cover: Bits
    features: list[Entry]
    marks: list[Entry]
    places: dict[str, Place]

    def pave(self, x: tuple[float, float], y: tuple[float, float], cover: int) -> None:
        """Set the ground of a rectangle."""
        self.cover[self.grid.part(x, y)] = cover

    def lane(self, name: str, y: float, width: float, note: str, cover: int = ASPHALT) -> None:
        """Add a lane between the aprons with lines along both sides, and a start position before it."""
        low, high = APRONS[0][1], APRONS[1][0]
        self.pave((low, high), (y - 0.5 * width, y + 0.5 * width), cover)
        for side in (-1.0, 1.0):
            edge = y + side * (0.5 * width - 0.2)
            self.marks.append(Entry({"points": [[low, edge], [high, edge]], "width": 0.12}))
        self.places[name] = Place((30.0, y), 0.0, note)

    def add(self, note: str = "", **parameters: object) -> None:
        """Add a feature."""
        self.features.append(Entry(parameters, note))


def proving_ground(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate a proving ground from the parameters of `PROVING_GROUND`."""
    grid = Grid.over((WEST, SOUTH), (EAST, NORTH), parameters["spacing"])
    site = _Site(grid, np.zeros(grid.shape), np.full(grid.shape, FIELD, np.uint8), [], [], {})
    for x in APRONS:
        site.pave(x, (SOUTH + 10.0, NORTH - 10.0), ASPHALT)
    site.places["apron"] = Place((30.0, -60.0), 90.0, "on the western apron, looking north past the lanes")
    _grades(site, parameters["grades"])
    _side_slopes(site, parameters["side_slopes"])
    _half_rounds(site, parameters["half_rounds"])
    _steps(site, parameters["steps"])
    _ditches_and_walls(site)
    _washboards(site)
    _rough(site, parameters["rms"], seed)
    _belgian_block(site, seed)
    _handling(site)
    return GeneratedTerrain(
        about=(
            "a proving ground: lanes along x between two aprons; `--set terrain.begin_at=NAME` begins at one of `places`",
            "half-rounds, RMS values, steps, slopes and grades are those of military courses; lengths, widths and positions are assumed",
        ),
        grid=grid,
        heights=site.heights,
        cover=site.cover,
        covers=COVERS,
        places=site.places,
        features=tuple(site.features),
        marks=tuple(site.marks),
    )


def _grades(site: _Site, grades: Array) -> None:
    """Add hills in a row: up the grade, over a crest, down again, with transition curves of 15 m radius and banks of earth."""
    y, width = 118.0, 9.0
    site.lane("grades", y, width, f"grades of {_percent(grades)}")
    x0 = OBSTACLE_START + 10.0
    x, z = site.grid.x, np.zeros(site.grid.columns)
    for grade in map(float, grades):
        curve, straight = 15.0 * grade, 14.0
        up = curve + straight
        z += slope_profile([(x0, grade), (x0 + up, 0.0), (x0 + up + 10.0, -grade), (x0 + 2.0 * up + 10.0, 0.0)], curve, x)
        x0 += 2.0 * up + 10.0 + 55.0
    away = np.maximum(np.abs(site.grid.y - y) - 0.5 * width - 0.5, 0.0)[:, None]
    site.heights += smooth_ramp(np.maximum(z, 0.0) - away / 1.5, 0.25) * (z > 1e-9)


def _percent(values: Array) -> str:
    return ", ".join(f"{100.0 * float(v):g}" for v in values) + " %"


def _side_slopes(site: _Site, slopes: Array) -> None:
    """Add banked sections: the lane rotates to its slope within 20 m, keeps the slope for 60 m, and rotates back."""
    y, width = 80.0, 10.0
    site.lane("side_slopes", y, width, f"side slopes of {_percent(slopes)}, the left side higher")
    across = np.clip(site.grid.y - (y - 0.5 * width), 0.0, width)[:, None]
    behind = np.maximum(site.grid.y - (y + 0.5 * width), 0.0)[:, None]
    for k, slope in enumerate(map(float, slopes)):
        start = OBSTACLE_START + 25.0 + 130.0 * k
        rise = slope * across * within(site.grid.x, start, start + 60.0, 20.0)
        site.heights += smooth_ramp(rise - behind / 1.5, 0.1) * (rise > 1e-9)


def _half_rounds(site: _Site, radii: Array) -> None:
    y = 58.0
    site.lane("half_rounds", y, 7.0, f"half-rounds of {', '.join(f'{1e3 * float(r):.0f}' for r in radii)} mm")
    step = 420.0 / len(radii)
    for k, radius in enumerate(map(float, radii)):
        site.add(
            f"{radius / INCH:g} in",
            type="half_round",
            at=[OBSTACLE_START + 30.0 + step * k, y],
            yaw_deg=0.0,
            radius=round(radius, 4),
            length=5.0,
        )


def _steps(site: _Site, heights: Array) -> None:
    """Add blocks to climb, longer than a car, so that the car fits on each."""
    y = 46.0
    site.lane("steps", y, 7.0, f"vertical steps of {', '.join(f'{1e3 * float(h):.0f}' for h in heights)} mm")
    step = 420.0 / len(heights)
    for k, height in enumerate(map(float, heights)):
        at = [OBSTACLE_START + 40.0 + step * k, y]
        site.add(f"{height / INCH:g} in", type="step", at=at, yaw_deg=0.0, height=round(height, 4), length=5.0, depth=12.0)


def _ditches_and_walls(site: _Site) -> None:
    """Add a V-ditch, a trench, a low wall to climb, a dip and a rise, and a barrier at the end."""
    y, half = 34.0, 3.3
    site.lane("ditches", y, 7.0, "V-ditch, trench, low wall, dip, rise, a barrier at the end")

    def over(x: float) -> list[list[float]]:
        return [[x, y - half], [x, y + half]]

    site.add("V-ditch", type="ditch", points=over(100.0), depth=0.6, width=4.0, bottom=0.0)
    site.add("trench", type="ditch", points=over(160.0), depth=0.8, width=5.0, bottom=1.5)
    site.add("12 in wall to climb", type="wall", points=over(220.0), height=round(12 * INCH, 4), thickness=0.5)
    site.add("dip", type="bump", at=[280.0, y], yaw_deg=0.0, height=-0.25, length=8.0, width=6.0)
    site.add("rise", type="bump", at=[340.0, y], yaw_deg=0.0, height=0.25, length=8.0, width=6.0)
    site.add("18 in wall to climb", type="wall", points=over(400.0), height=round(18 * INCH, 4), thickness=0.6)
    site.add("barrier for impacts", type="wall", points=over(480.0), height=1.1, thickness=0.6)


def _washboards(site: _Site) -> None:
    """Add washboards of 2 in and 6 in, and a frame twister: bumps under left and right wheels in turn."""
    y = 22.0
    site.lane("washboard", y, 7.0, "washboards of 2 in (pitch 0.61 m) and 6 in (pitch 1.83 m), then a frame twister")
    site.add("2 in", type="washboard", at=[OBSTACLE_START + 40.0, y], yaw_deg=0.0, height=0.0508, wavelength=0.61, length=48.8, width=5.0)
    site.add(
        "6 in, 72 in apart",
        type="washboard",
        at=[OBSTACLE_START + 145.0, y],
        yaw_deg=0.0,
        height=0.1524,
        wavelength=1.83,
        length=73.2,
        width=5.0,
    )
    for k in range(10):
        side = 1.35 if k % 2 else -1.35
        at = [OBSTACLE_START + 225.0 + 4.0 * k, y + side]
        site.add("" if k else "frame twister", type="bump", at=at, yaw_deg=0.0, height=0.25, length=4.0, width=2.4)


def _rough(site: _Site, rms: Array, seed: int) -> None:
    """Add courses with a given RMS: waves of 1 to 20 m, waviness 2, a seed for each course, 150 m long."""
    for k, size in enumerate(map(float, rms)):
        y = 8.0 - 11.0 * k
        name = f"rms_{size / INCH:.1f}".replace(".", "_")
        site.lane(name, y, 7.0, f"{size / INCH:g} in RMS over 150 m")
        start, length, half = OBSTACLE_START + 40.0, 150.0, 2.5
        rows, columns = site.grid.part((start - 4.0, start + length + 4.0), (y - half - 1.0, y + half + 1.0))
        x, across = site.grid.x[columns], site.grid.y[rows]
        part = field((len(across), len(x)), site.grid.spacing, 2.0, 20.0, 1.0, seed + 10 * k)
        inside = (x >= start) & (x <= start + length)
        lines = np.abs(across - y) <= half
        base = np.stack((np.ones(len(x)), x - x[inside].mean()))
        part -= np.linalg.lstsq(base[:, inside].T, part[:, inside].T, rcond=None)[0].T @ base
        part *= size / float(np.sqrt(np.mean(part[np.ix_(lines, inside)] ** 2)))
        site.heights[rows, columns] += part * within(x, start, start + length, 4.0) * within(across, y - half, y + half, 1.0)[:, None]


def _belgian_block(site: _Site, seed: int) -> None:
    """Add a Belgian block lane, then pits of sand and mud, and gravel."""
    y = -49.0
    site.lane("belgian_block", y, 7.0, "Belgian block over 100 m, pits of sand and of mud, gravel")
    site.add(
        "Belgian block", type="setts", at=[OBSTACLE_START + 80.0, y], yaw_deg=0.0, length=100.0, width=5.5, **BELGIAN, seed=seed % 2**31
    )
    for start, length, cover in ((210.0, 50.0, SAND), (310.0, 50.0, MUD), (400.0, 90.0, GRAVEL)):
        site.pave((start, start + length), (y - 3.5, y + 3.5), cover)


def _handling(site: _Site) -> None:
    """Add split friction, the area of the ISO lane changes, a skid pad with a wet half ring, and an island of curbs for impacts at all
    angles.
    """
    y = -62.0
    site.lane("split_mu", y, 8.0, "200 m of wet basalt under the left wheels")
    site.pave((200.0, 400.0), (y, y + 3.8), BASALT)
    y = -78.0
    site.lane("iso_strip", y, 14.0, "450 m of level asphalt for ISO 3888 lane changes, lane lines 3.5 m apart")
    for edge in (-1.75, 1.75, 5.25):
        site.marks.append(Entry({"points": [[60.0, y + edge], [500.0, y + edge]], "width": 0.12, "dash": [3.0, 3.0]}))
    cx, cy, outer = 150.0, -116.0, 30.0
    away = np.hypot(site.grid.x - cx, site.grid.y[:, None] - cy)
    site.cover[away <= outer + 1.0] = ASPHALT
    site.cover[(away <= 28.0) & (away >= 20.0) & (site.grid.x > cx)] = WATER
    angle = np.linspace(0.0, 2.0 * math.pi, 73)
    for radius in (20.0, 28.0):
        ring = np.column_stack((cx + radius * np.cos(angle), cy + radius * np.sin(angle)))
        site.marks.append(Entry({"points": np.round(ring, 3).tolist(), "width": 0.15}))
    site.places["skid_pad"] = Place((cx, cy - 24.0), 0.0, "skid pad: circles of 20 and 28 m radius, its eastern half ring wet")
    site.pave((50.0, 510.0), (-100.0, -86.0), ASPHALT)
    site.pave((330.0, 430.0), (-142.0, -86.0), ASPHALT)
    cx, cy = 380.0, -118.0
    corners = np.array([(cx + 9.0 * math.cos(a), cy + 9.0 * math.sin(a)) for a in np.linspace(0.0, 2.0 * math.pi, 9)])
    site.add(
        "island of curbs, 0 to 90 deg", type="curb", points=np.round(corners, 3).tolist(), height=0.15, width=3.0, fall=2.0, corner=1.0
    )
    straight = [[345.0, -136.0], [345.0, -104.0]]
    site.add("100 mm curb", type="curb", points=straight[::-1], height=0.1, width=2.0, fall=2.0)
    site.places["curbs"] = Place((358.0, -118.0), 0.0, "in front of an island of 150 mm curbs, behind it a straight one of 100 mm")
