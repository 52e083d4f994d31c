"""A made terrain as files: NAME.yaml, its heights and its map of soils as PNG."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import OutputError
from simulator.base.json_output import json_text
from simulator.telemetry.atomic_files import write_bytes, write_text
from simulator.tools.terrain.generators.generated_terrain import Entry, GeneratedTerrain, Place
from terrain.readers.contract import Values

COUNTS = 65535
"""Largest of 16 bits."""
FINEST = 2.0**-13
"""m. No count is worth less."""


def files_of(out: str) -> tuple[Path, Path, Path]:
    """Terrain file, heights and soils of a name on the command line. Raises OutputError: one of them is there."""
    name = Path(out)
    yaml = name if name.suffix in (".yaml", ".yml") else name.with_name(f"{name.name}.yaml")
    files = yaml, yaml.with_name(f"{yaml.stem}_heights.png"), yaml.with_name(f"{yaml.stem}_soils.png")
    for path in files:
        if path.exists():
            raise OutputError(f"{path}: there is such a file already")
    return files


def write(made: GeneratedTerrain, files: tuple[Path, Path, Path], command: str) -> None:
    """Write all three, or none. Raises OutputError."""
    yaml, heights, soils = files
    counts, scale, offset = counted(made.heights)
    done: list[Path] = []
    try:
        for path, pixels in ((heights, counts), (soils, made.cover)):
            write_bytes(path, _png(pixels))
            done.append(path)
        write_text(yaml, text(made, files, command, (scale, offset)))
    except OutputError:
        for path in done:
            path.unlink(missing_ok=True)
        raise


def counted(heights: Values) -> tuple[np.ndarray, float, float]:
    """Heights as 16-bit counts, what a count is worth (a power of two) and the height of count zero, a whole number of counts."""
    low, high = float(heights.min()), float(heights.max())
    scale = max(FINEST, 2.0 ** math.ceil(math.log2(max(high - low, 1e-9) / (COUNTS - 2))))
    offset = math.floor(low / scale) * scale
    return np.rint((heights - offset) / scale).astype(np.uint16), scale, offset


def _png(pixels: np.ndarray) -> bytes:
    """First row in the north."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[::-1])).save(out, "png", compress_level=6)
    return out.getvalue()


def text(made: GeneratedTerrain, files: tuple[Path, Path, Path], command: str, scaled: tuple[float, float]) -> str:
    """The terrain file."""
    grid, (_, heights, soils) = made.grid, files
    where = f"first_row: north, origin: {_flow(list(grid.corner))}, spacing: {_flow([grid.spacing] * 2)}"
    lines = [
        f"# Made by `{command}`:",
        *(f"# {line}" for line in made.about),
        "type: heightmap",
        f"heights: {{file: {heights.name}, {where}, scale: {scaled[0]!r}, offset: {scaled[1]!r}}}",
        *made.sections,
        f"{made.covers[0].key}: {made.covers[0].name}",
        "soil_map:",
        f"  file: {soils.name}",
        *(f"  {part}" for part in where.split(", ", 1)[:1]),
        f"  origin: {_flow(list(grid.corner))}",
        f"  spacing: {_flow([grid.spacing] * 2)}",
        "  soils:",
        *(f"    - {{index: {k}, {cover.key}: {cover.name}}}" for k, cover in enumerate(made.covers)),
        "places:",
        *(f"  {name}: {_place(place)}" for name, place in made.places.items()),
        f"begin_at: {next(iter(made.places))}",
        *_list("roads", made.roads),
        *_list("features", made.features),
        *_list("marks", made.marks),
    ]
    return "\n".join(lines) + "\n"


def _place(place: Place) -> str:
    return f"{{position: {_flow([float(v) for v in place.at])}, yaw_deg: {_flow(place.yaw_deg)}}}" + (
        f"   # {place.note}" if place.note else ""
    )


def _list(key: str, entries: Sequence[Entry]) -> list[str]:
    if not entries:
        return []
    return [f"{key}:", *(f"  - {_flow(entry.said)}" + (f"   # {entry.note}" if entry.note else "") for entry in entries)]


def _flow(value: Any) -> str:
    """A value in YAML, in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(inner) for inner in value) + "]"
    if isinstance(value, float | np.floating):
        return repr(round(float(value), 6) + 0.0)
    return value if isinstance(value, str) and value.isidentifier() else json_text(value) if isinstance(value, str) else str(value)
