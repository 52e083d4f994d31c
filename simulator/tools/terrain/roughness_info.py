"""`jounce terrain info FILE --roughness`: ISO 8608 classes of a terrain or a profile by octave, and a plot."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.algebra.path_length import path_length
from simulator.base.arrays import Array
from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.output_target import output_path
from simulator.base.table_text import TableRows
from simulator.report.plot import BLUE, GRAY, RED, SKY, Annotation, Axis, Band, Curve, Panel, Plot
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import write_bytes
from simulator.tools.terrain.elevation_file import TerrainOnDisk, composed, is_terrain, read_terrain
from terrain.ground import Road
from terrain.heightmap_detail import ISO_CLASSES, iso_roughness
from terrain.iso_8608_bands import Octave, ammon_coherence, coherence, density, isotropic_coherence, octaves
from terrain.readers.request import HIGHEST

LENGTH, STEP = 500.0, 0.05
"""m. Length of the lines over a terrain, and distance of their samples."""
TRACK = 1.5
"""m. Distance of the line pairs of the coherence plot."""
SEGMENT, LINES = 50.0, 8
"""m, segment length of the coherence estimate, and number of line pairs, 10 m apart."""
MAX_BYTES = 1 << 26
SPACING_TOLERANCE = 1e-3
"""Tolerance of uneven sample distances, relative to the mean distance."""

Profile = tuple[Array, float]
"""Heights (n,) [m] and the distance of the samples [m]."""


def main_roughness(arguments: Any) -> int:
    """Run `jounce terrain info --roughness` and return 0. Raises ConfigError, OutputError."""
    terrain = None
    if is_terrain(arguments.file):
        terrain = read_terrain(arguments.file)
        profiles = profiles_of(terrain)
    elif Path(arguments.file).suffix.lower() == ".csv":
        profiles = {"profile": read_profile(Path(arguments.file))}
    else:
        raise ConfigError(arguments.file, "", "elevation data", "a terrain or a profile (.csv, columns x,z in m) with --roughness")
    bands = {name: octaves(*profile) for name, profile in profiles.items()}
    print_line(json_text(_as_json(arguments.file, bands)) if arguments.json else as_table(bands))
    if arguments.plot:
        draw(output_path(arguments.plot), Path(arguments.file).stem, profiles, terrain)
        if not arguments.json:
            print_line(f"picture: {arguments.plot}")
    return 0


def profiles_of(terrain: TerrainOnDisk) -> dict[str, Profile]:
    """Return profiles of LENGTH from the spawn ahead and across, and along the middle of each road."""
    x0, y0, yaw = terrain.ground.spawn
    s = np.arange(0.0, LENGTH, STEP)
    out = {}
    for name, angle in (("ahead", yaw), ("across", yaw + 0.5 * math.pi)):
        out[name] = composed(terrain.ground, x0 + s * math.cos(angle), y0 + s * math.sin(angle)), STEP
    for road in terrain.ground.roads:
        x, y = _along(road)
        out[f"road {road.name}"] = composed(terrain.ground, x, y) - _graded(road, len(x)), STEP
    return out


def _along(road: Road) -> tuple[Array, Array]:
    """Return points of the middle of a road, STEP apart."""
    s = path_length(road.points[:, 0], road.points[:, 1])
    at = np.arange(0.0, s[-1], STEP)
    return np.interp(at, s, road.points[:, 0]), np.interp(at, s, road.points[:, 1])


def _graded(road: Road, count: int) -> Array:
    """Return the heights [m] of the graded line of a road, which are no roughness."""
    return np.interp(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, len(road.points)), road.points[:, 2])


def read_profile(path: Path) -> Profile:
    """Read an evenly spaced profile from a CSV file with columns x, z [m]. Raises ConfigError."""
    rows = list(TableRows(path, "a profile", MAX_BYTES))
    try:
        x, z = (np.array([float(row[name]) for row in rows]) for name in ("x", "z"))
    except (KeyError, ValueError):
        raise ConfigError(path, "", "no numbers x,z", "a CSV file with the columns x,z in m") from None
    steps = np.diff(x)
    if len(z) and not np.abs(z).max() <= HIGHEST:
        raise ConfigError(path, "z", float(z[~(np.abs(z) <= HIGHEST)][0]), f"heights within {HIGHEST:g} m")
    if len(x) < 64 or not steps.min() > 0.0 or np.ptp(steps) > max(SPACING_TOLERANCE * steps.mean(), 1e-9):
        raise ConfigError(path, "x", f"{len(x)} rows", "at least 64 samples, evenly spaced, x rising")
    return z, float((x[-1] - x[0]) / (len(x) - 1))


def as_table(bands: dict[str, list[Octave]]) -> str:
    """Return the console table: a row for each octave, with the class and the density divided by the geometric mean of the class."""
    rows = [["waves [m]", *bands]]
    for octave in max(bands.values(), key=len):
        row = [f"{octave.shortest:.3g} to {octave.longest:.3g}"]
        for one in bands.values():
            there = [o for o in one if o.wave_number == octave.wave_number]
            row.append(_class_text(there[0]) if there else "-")
        rows.append(row)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def _class_text(octave: Octave) -> str:
    name = octave.road_class
    if not name:
        return f"beyond {ISO_CLASSES[-1]}"
    return f"{name} ({octave.density * iso_roughness('A') / iso_roughness(name):.2f})"


def _as_json(file: str, bands: dict[str, list[Octave]]) -> dict[str, Any]:
    return {
        "file": file,
        "profiles": {
            name: [
                {"wave_number": o.wave_number, "wavelengths": [o.shortest, o.longest], "class": o.road_class, "over_class_a": o.density}
                for o in one
            ]
            for name, one in bands.items()
        },
    }


def draw(picture: Path, title: str, profiles: dict[str, Profile], terrain: TerrainOnDisk | None) -> None:
    """Write a PNG: spectra over the classes, and for a terrain the coherence of lines TRACK apart. Raises OutputError."""
    panels = [_spectra(title, profiles)] + ([] if terrain is None else [_coherence(terrain)])
    write_bytes(picture, png(Plot(f"{title}: roughness", panels, columns=2)))


def _spectra(title: str, profiles: dict[str, Profile]) -> Panel:
    n = np.array((0.01, 10.0))
    bands, names, spectra, means = [], [], [], []
    for k, name in enumerate(ISO_CLASSES):
        mean = iso_roughness(name) * (n / 0.1) ** -2.0
        bands.append(Band("", n, 0.5 * mean, 2.0 * mean, (GRAY, SKY)[k % 2]))
        names.append(Annotation(n[1] * 1.2, mean[1], name))
    for color, (name, profile) in enumerate(profiles.items(), BLUE):
        waves, densities = density(*profile)
        keep = (waves > 0.008) & (waves < 12.0)
        spectra.append(Curve("", waves[keep], densities[keep], GRAY, width=0.3))
        means.append(Curve(name, *_third_octaves(waves[keep], densities[keep]), color))
    across, up = Axis("wave number", "1/m", log=True, least=0.008, most=14.0), Axis("spectral density", "m³", log=True)
    return Panel("profiles over the classes A to H of ISO 8608", across, up, [*spectra, *means], bands, annotations=names)


def _third_octaves(waves: Array, densities: Array) -> tuple[Array, Array]:
    """Return centers and means of thirds of octaves."""
    edges = 2.0 ** (np.arange(math.floor(3.0 * math.log2(waves[0])), math.ceil(3.0 * math.log2(waves[-1])) + 1) / 3.0)
    bands = [(waves >= a) & (waves < b) for a, b in itertools.pairwise(edges)]
    there = [
        (math.sqrt(a * b), float(densities[band].mean()))
        for (a, b), band in zip(itertools.pairwise(edges), bands, strict=True)
        if band.any()
    ]
    return np.array([m for m, _ in there]), np.array([f for _, f in there])


def _coherence(terrain: TerrainOnDisk) -> Panel:
    n, coherences = coherence(*track_lines(terrain), STEP, SEGMENT)
    n, coherences = n[n < 2.0], coherences[n < 2.0]
    curves = [
        Curve("two lines of the terrain", n, coherences),
        Curve("isotropic ground, waviness 2", n, isotropic_coherence(n, TRACK), GRAY, "6 3"),
        *(
            Curve(f"roads of class {name} [Ammon 1992]", n, ammon_coherence(n, TRACK, name), RED + k, width=1.0)
            for k, name in enumerate("ACE")
        ),
    ]
    across, up = Axis("wave number", "1/m", log=True), Axis("squared coherence", least=0.0, most=1.02)
    return Panel(f"coherence of left and right, {TRACK:g} m apart", across, up, curves)


def track_lines(terrain: TerrainOnDisk) -> tuple[Sequence[Array], Sequence[Array]]:
    """Return the heights of pairs of lines TRACK apart, from the spawn ahead."""
    x0, y0, yaw = terrain.ground.spawn
    s = np.arange(0.0, LENGTH, STEP)
    c, d = math.cos(yaw), math.sin(yaw)
    sides: tuple[list[Array], list[Array]] = [], []
    for line in range(LINES):
        for side, shift in zip(sides, (0.5, -0.5), strict=True):
            across = 10.0 * (line - 0.5 * (LINES - 1)) + shift * TRACK
            side.append(composed(terrain.ground, x0 + c * s - d * across, y0 + d * s + c * across))
    return sides
