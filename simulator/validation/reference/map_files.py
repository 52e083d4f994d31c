"""Reference maps of obstacles: heights of cells, objects and limits, and the map that follows (`jounce validate sensors`).

`N_name.json` has cells, objects, limits and a vehicle, `N_name.npz` heights and answers: states, costs, cells of objects, cells that a disc and a vehicle at
some headings must not enter. Cells at `borderline` have a slope or a step too close to its limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError, UnreadableError
from simulator.base.npy_reader import read_json, read_npz
from simulator.validation.reference.ray_scenes import object_of
from terrain.objects.object_set import ObjectSet
from terrain.outlines import outlines
from terrain.truth_map import Limits, TruthMap, map_of

Mask = NDArray[np.bool_]
_MAP = "a reference map"


@dataclass(frozen=True, eq=False)
class MapFile:
    """A map of Jounce and its reference, as masks (ny, nx) by name."""

    name: str
    found: TruthMap
    masks: dict[str, tuple[Mask, Mask]]
    """found, reference"""
    cost: NDArray[np.float64]
    """reference"""
    fair: Mask
    """cells that are no borderline"""


def read_map(file: Path) -> MapFile:
    """Return a map and its reference. Raises ConfigError."""
    spec, data = read_json(file, _MAP), read_npz(file.with_suffix(".npz"), _MAP)
    try:
        return _compared(file.stem, spec, data, file.parent)
    except JounceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise UnreadableError(file, "", f"{type(problem).__name__}: {problem}", _MAP) from None


def _compared(name: str, spec: dict[str, Any], data: dict[str, NDArray[Any]], folder: Path) -> MapFile:
    limit, vehicle, unknown = spec["limits"], spec["vehicle"], bool(spec["unknown_blocks"])
    limits = Limits(math.radians(limit["slope_deg"]), limit["step_m"], limit["object_height_m"], limit["vehicle_height_m"])
    objects = ObjectSet(object_of(one, folder) for one in spec["objects"])
    grounds = np.array([one["ground_z"] for one in spec["objects"]])
    computed = map_of(data["heights"], tuple(spec["origin"]), spec["cell"], outlines(objects, grounds=grounds), limits)
    shape = computed.state.shape

    def mask(key: str) -> Mask:
        return np.unpackbits(data[key], count=shape[0] * shape[1]).reshape(shape).astype(bool)

    masks = {f"state {k}": (computed.state == k, data["state"] == k) for k in range(3)} | {"object": (computed.object, mask("object"))}
    masks["blocked_circle"] = computed.blocked_for_disc(vehicle["circle_radius_m"], unknown), mask("blocked_circle")
    for heading in spec["headings_deg"]:
        size = vehicle["front_m"], vehicle["rear_m"], vehicle["half_width_m"]
        masks[f"blocked_{heading}"] = computed.blocked_for_vehicle(math.radians(heading), *size, unknown), mask(f"blocked_{heading}")
    return MapFile(name, computed, masks, data["cost"].astype(float), ~mask("borderline"))
