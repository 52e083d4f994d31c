"""Particles in the air: dust, spray, smoke, clods. Their motion is a function of the simulated time; no OpenGL here.

Sources emit at steps of STEP of simulated time, with numbers from the step and the source, so the same states give the same particles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record

STEP = 0.02
"""s. Time between two emissions of a source."""
LONGEST = 0.5
"""s between two states, above which the particles start anew."""
LONG_AGO = -1e30
"""s"""
GRAVITY = 9.81
"""m/s2"""


class Kind(NamedTuple):
    """Motion and look of the particles of one kind."""

    life: float
    """s"""
    size: tuple[float, float]
    """m. Radius at the begin and at the end of the life"""
    drag: float
    """1/s. Rate at which the air stops it"""
    rise: float
    """m/s. Speed upwards in still air"""
    spread: float
    """m/s. Random part of its first velocity"""
    heavy: bool = False
    """True: falls, and is a clod with a sharp edge"""


KINDS = {
    "dust": Kind(2.4, (0.25, 1.25), 1.1, 0.30, 0.9),
    "powder": Kind(1.6, (0.20, 1.0), 1.5, -0.10, 0.9),
    "spray": Kind(0.9, (0.18, 0.8), 2.2, -0.20, 0.9),
    "smoke": Kind(2.4, (0.25, 1.3), 1.6, 0.45, 0.6),
    "exhaust": Kind(1.0, (0.07, 0.42), 2.5, 0.30, 0.15),
    "clods": Kind(1.1, (0.035, 0.035), 0.4, 0.0, 1.1, heavy=True),
}  # fmt: skip
"""Assumed; chosen by the look."""
NAMES = tuple(KINDS)
_TABLE = np.array([(k.life, *k.size, k.drag, k.rise, k.spread, k.heavy) for k in KINDS.values()]).T

SOURCE = (
    ("place", (3,), "m", "where the particles begin, in W"),
    ("velocity", (3,), "m/s", "their mean first velocity, in W"),
    ("before", (3,), "m", "place at the time of the last state"),
    ("rate", (), "1/s", "particles per second at low detail"),
    ("kind", (), "1", "number in NAMES", "i8"),
    ("color", (3,), "1", "linear red, green, blue"),
    ("opacity", (), "1", "opacity of a particle at the begin of its life"),
    ("ground", (), "m", "height of the ground there"),
)
"""Source of particles at one time; a wheel has one source of each kind."""
_PARTICLE = (
    *SOURCE[:2], *SOURCE[4:],
    ("birth", (), "s", "simulated time of the emission; LONG_AGO: free"),
    ("turn", (), "rad", "turn of its texture"),
    ("scale", (), "1", "factor of its size"),
)  # fmt: skip


def sources(count: int) -> Record:
    """Return sources that emit nothing."""
    return record(SOURCE, count)


class Particles:
    """Particles of one scene.

    count : maximum number; the oldest ones make place for new ones
    density : particles per particle at low detail; they are less opaque in return
    """

    def __init__(self, count: int, density: float = 1.0) -> None:
        self._all = record(_PARTICLE, count)
        self._density = density
        self._next = 0
        self.time = -np.inf
        """Time of the last state [s]"""
        self.clear()

    def clear(self) -> None:
        """Remove all particles: the vehicle is at another place or time."""
        self._all["birth"] = LONG_AGO
        self._next, self.time = 0, -np.inf

    def advance(self, time: float, these: Record) -> None:
        """Let sources emit from the time of the last call until `time` [s]; between both they move evenly."""
        before, self.time = self.time, time
        if not 0.0 <= time - before <= LONGEST:
            self.clear()
            self.time = time
            return
        known = np.isfinite(np.column_stack((these["place"], these["before"], these["velocity"], these["rate"]))).all(axis=1)
        these = these[known]  # a log may lack the spins of wheels
        steps = np.arange(int(np.floor(before / STEP)) + 1, int(np.floor(time / STEP)) + 1)
        if not len(steps) or not (these["rate"] > 0.0).any():
            return
        share = ((steps * STEP - before) / max(time - before, 1e-9))[:, None, None]
        where = these["before"] + share * (these["place"] - these["before"])
        number = steps[:, None] * 4096 + np.arange(len(these))
        counts = np.floor(these["rate"] * (STEP * self._density) + uniform(number, 1)[..., 0]).astype(np.int64)
        step, source = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
        nth = np.arange(len(step)) - np.repeat(np.cumsum(counts) - counts.ravel(), counts.ravel())
        self._add(these, where[step, source], steps[step] * STEP, source, uniform(number[step, source] * 64 + nth + 1, 6))

    def _add(self, these: Record, where: NDArray, birth: NDArray, source: NDArray[np.int64], u: NDArray[np.float64]) -> None:
        count = min(len(source), len(self._all))
        rows = (self._next + np.arange(count)) % len(self._all)
        self._next = int(self._next + count) % len(self._all)
        where, birth, source, u = where[-count:], birth[-count:], source[-count:], u[-count:]
        new, kind = record(_PARTICLE, count), these["kind"][source]
        for name in ("kind", "color", "opacity", "ground"):
            new[name] = these[name][source]
        new["opacity"] *= self._density**-0.5
        size, spread = _TABLE[1][kind][:, None], _TABLE[5][kind][:, None]
        new["place"] = where + 0.6 * size * (2.0 * u[:, :3] - 1.0)
        new["velocity"] = these["velocity"][source] * (0.6 + 0.8 * u[:, 3:4]) + spread * (2.0 * u[:, [4, 5, 3]] - 1.0)
        new["turn"], new["scale"], new["birth"] = 2.0 * np.pi * u[:, 4], 0.7 + 0.6 * u[:, 5], birth
        self._all[rows] = new

    def visible(self) -> tuple[NDArray[np.float64], NDArray[np.float64], Record]:
        """Return the living particles at the time of the last state: places (n, 3) [m], radii and opacities (n, 2), and their records."""
        life, first, last, drag, rise, _, heavy = (row[self._all["kind"]] for row in _TABLE)
        age = self.time - self._all["birth"]
        lives = (age >= 0.0) & (age < life)
        a, s = age[lives], self._all[lives]
        life, first, last, drag, rise, heavy = (row[lives] for row in (life, first, last, drag, rise, heavy))
        place = s["place"] + s["velocity"] * ((1.0 - np.exp(-drag * a)) / drag)[:, None]
        place[:, 2] += rise * a - heavy * 0.5 * GRAVITY * a * a
        light = heavy == 0.0
        place[light, 2] = np.maximum(place[light, 2], s["ground"][light] + 0.15 * first[light])
        part = a / life
        looks = np.empty((len(a), 2))
        looks[:, 0] = s["scale"] * (first + (last - first) * np.sqrt(part))
        looks[:, 1] = s["opacity"] * np.where(light, np.minimum(a / 0.06 + 0.3, 1.0) * (1.0 - part), 1.0)
        above = light | (place[:, 2] > s["ground"])
        return place[above], looks[above], s[above]


def uniform(numbers: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return `count` values in [0, 1) for each integer (..., count), always the same for the same integer. [Steele 2014, SplitMix64]"""
    x: NDArray[Any] = numbers.astype(np.uint64)[..., None] * np.uint64(count) + np.arange(count, dtype=np.uint64)
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53
