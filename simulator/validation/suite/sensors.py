"""Rays, scans, cameras, obstacle maps, GNSS and IMU compared with reference data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from simulator.base.errors import NOTHING, ConfigError
from simulator.validation.reference.map_files import MapFile, read_map
from simulator.validation.reference.ray_scenes import RayScene, RaySet, read_scene, scene_files
from simulator.validation.suite import navigation
from simulator.validation.suite.camera_rows import cameras
from simulator.validation.suite.lidar import scans
from simulator.validation.suite.result import Finding, Part, ReferenceData, Row
from terrain.rays.caster import RayCaster

EXACT = 1e-6
"""m. Tolerance of a surface, measured along z or along its normal."""
SAMPLED, PER_ERROR = 1e-3, 1.5
"""m; m of range per m of error of the heights, at vertical incidence: tolerance of hills, whose formula is sampled on a grid."""
NORMAL, NORMAL_SAMPLED = 0.01, 0.05
"""Tolerance of a component of a normal."""
OTHER_OBJECTS = 0.002
"""Fraction of the rays that may meet another object on sampled hills, at the outlines of crests."""
SHOWN_RANGE, SHOWN_NORMAL = 1e-7, 1e-6
"""m, 1. Errors below are rounding."""
COST = 1e-6
"""Tolerance of the cost of a cell; the references are in single precision."""


def rays(folder: Path) -> list[Row]:
    """Return one row for each scene of rays."""
    return [_scene_row(read_scene(file)) for file in scene_files(folder)]


def maps(folder: Path) -> list[Row]:
    """Return one row for each map."""
    return [_map_row(read_map(file)) for file in scene_files(folder)]


KINDS: dict[str, Callable[[Path], list[Row]]] = {"rays": rays, "scan": scans, "camera": cameras, "maps": maps, **navigation.KINDS}
"""Functions of a folder by its name."""


def rows_of(folder: Path) -> list[Row]:
    """Return the rows of all kinds of data in a folder. Raises ConfigError: there are none, or a file is damaged."""
    present = [name for name in KINDS if (folder / name).is_dir()]
    if not present:
        raise ConfigError(folder, "", NOTHING, f"at least one of the folders {', '.join(KINDS)}")
    return [row for name in present for row in KINDS[name](folder / name)]


def sensors(source: ReferenceData) -> Finding:
    """Compare rays, cameras and maps with the reference scenes in the tests."""
    source.progress("casting rays")
    return Finding(rows_of(source.data / "sensors"))


def _scene_row(scene: RayScene) -> Row:
    """Return the row of a scene: the worst of its sets."""
    caster, count, fair, wrong, worst, normal, passed = RayCaster(scene.ground, scene.objects), 0, 0, 0, 0.0, 0.0, True
    for one in scene.sets:
        others, error, turn, ok = _compared(caster, scene, one)
        count, fair, wrong, passed = count + len(one.range), fair + int(one.fair.sum()), wrong + others, passed and ok
        worst, normal = max(worst, error), max(normal, turn)
    allowed = f"range {EXACT:g} m / abs(n . d), normal {NORMAL:g}"
    if scene.height_error > 0.0:
        allowed = f"range {SAMPLED:g} m + {PER_ERROR * scene.height_error:.1g} m / abs(n . d), normal {NORMAL_SAMPLED:g}"
    return Row(
        f"rays {scene.name}",
        f"{wrong} of {count} rays meet another object",
        f"{fair} fair rays",
        f"range {_shown(worst, SHOWN_RANGE)} m, normal {_shown(normal, SHOWN_NORMAL)}",
        allowed,
        passed,
    )


def _compared(caster: RayCaster, scene: RayScene, one: RaySet) -> tuple[int, float, float, bool]:
    """Return (rays with another object, largest error of a range [m], of a normal, True if all are within tolerance)."""
    hits = caster.cast(one.origin, one.direction, one.max_range)
    same = hits.object == one.object
    others = int((one.fair & ~same).sum())
    both = one.fair & same & (one.object >= 0)
    error = np.abs(hits.range[both] - one.range[both])
    slant = np.abs((hits.normal * one.direction).sum(axis=1))[both]
    turn = np.abs(hits.normal - one.normal)[both & ((one.sens & 4) == 0)].max(initial=0.0)
    sampled = scene.height_error > 0.0
    tolerance = SAMPLED + PER_ERROR * scene.height_error / slant if sampled else EXACT / slant
    ok = bool((error <= tolerance).all()) and turn <= (NORMAL_SAMPLED if sampled else NORMAL)
    return others, float(error.max(initial=0.0)), float(turn), ok and others <= (OTHER_OBJECTS * len(same) if sampled else 0)


def _shown(error: float, least: float) -> str:
    """Return an error with one digit; rounding, which depends on the machine, is not shown."""
    return f"{error:.1g}" if error >= least else f"< {least:g}"


def _map_row(one: MapFile) -> Row:
    """Return the row of a map: cells that differ, without borderline cells."""
    wrong = {name: int(((computed != reference) & one.fair).sum()) for name, (computed, reference) in one.masks.items()}
    known = one.fair & ~np.isnan(one.cost)
    cost = float(np.abs(one.found.cost - one.cost)[known].max(initial=0.0))
    unknown = int((np.isnan(one.found.cost) != np.isnan(one.cost))[one.fair].sum())
    different = ", ".join(f"{count} of {name}" for name, count in wrong.items() if count)
    return Row(
        f"map {one.name}",
        f"{sum(wrong.values()) + unknown} cells differ" + (f": {different}" if different else ""),
        f"{int(one.fair.sum())} cells, {len(wrong)} masks",
        f"cost {_shown(cost, COST)}",
        f"no cell, cost {COST:g}",
        not any(wrong.values()) and not unknown and bool(cost <= COST),
    )


PART = Part(
    "sensors",
    "Sensors, rays and obstacle maps",
    "Rays are cast against planes, hills, a grid of nodes, boxes, cylinders, spheres and meshes: scans of three lidars, and single rays that graze, pass "
    "crests, run along walls and edges, or start inside objects. Ranges, objects and normals are compared. Scans of a moving lidar, each beam "
    "from its own pose, are compared by time, range and points. Points are projected to the pixels of cameras with and without distortion, and "
    "depth, object and label images are compared pixel by pixel. Maps of obstacles follow from heights, "
    "objects and limits; every cell is compared. Points of tangent planes become positions on WGS 84 and velocities in their own axes; fixes become NMEA "
    "sentences. Errors of IMUs are applied to true values, specific force and rate are computed at a mount of a moving body, and the Allan deviation of "
    "an hour at 200 Hz is compared with its expected value.",
    "`tests/data/sensors`: closed forms in double precision, confirmed by a march and by Embree. Rays whose answer changes when they move by 1 mm (single "
    "rays: 1e-7 m) are left out, and cells whose slope or step is at its limit. GNSS: 40 digits, confirmed by pymap3d and pynmea2. IMU: closed forms; bands of the Allan "
    "deviation from 150 simulated hours.",
    "Range: 1e-6 m measured perpendicular to the surface (n . d: cosine of the incidence). Hills: the formula is sampled every 0.25 m; 1 mm "
    "plus 1.5 times the error of the heights between the nodes, and 0.2 % of the rays may meet another object. Scans: 1 us, 1 mm of range, "
    "2 mm of points. Maps: no cell may differ. GNSS: 1 mm, 1e-4 m/s, "
    "0.01 degrees; half a unit of the last place of a sentence. IMU: 1e-9 for the errors, 1e-6 at the mount; of 64 points, 4 outside the bands of "
    "99 %, none beyond 1.6 half bands. Cameras: 1e-6 pixels; "
    "depth 1e-6 of the depth and every calm pixel, on hills 99.5 % and the larger of 2 mm and 1e-3 of the depth.",
    sensors,
)
