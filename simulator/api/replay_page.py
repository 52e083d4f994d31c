"""Page of a 3-D replay of a drive: the views of the operator's console with the states of a log, in one file without network."""

from __future__ import annotations

import base64
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text

if TYPE_CHECKING:
    from simulator.builder.session_parts import SessionParts
    from simulator.telemetry.log import Log

RATE = 25.0
"""Frames per second."""
MAX_FRAMES = 15_000
"""Ten minutes at RATE; a longer drive has fewer frames per second."""
OF_WHEELS = ("p_BK_{}_x", "p_BK_{}_y", "p_BK_{}_z", "road_wheel_angle_{}", "wheel_angle_{}")
OF_BODY = ("roll", "pitch", "v_WB_B_x")
OF_PLATFORM = tuple(f"platform_{name}" for name in ("p_NP_x", "p_NP_y", "p_NP_z", "roll", "pitch", "yaw"))


def replay_page(log: Log, parts: SessionParts, has_platform: bool) -> str:
    """Return the page. Raises JounceError: the log has no rows, or not the columns that the views need."""
    from simulator.host.console_setup import drawn_platform
    from simulator.host.console_vehicle import drawn_vehicle

    vehicle = drawn_vehicle(parts.vehicle)
    needed = ["time", *OF_BODY, *(name.format(wheel["name"]) for wheel in vehicle["wheels"] for name in OF_WHEELS)]
    if absent := [name for name in needed if name not in log.columns]:
        raise JounceError(f"replay: no column {', '.join(absent[:3])}; hint: Simulation without `channels` logs all columns")
    if log.rows == 0:
        raise JounceError("replay: the log has no rows; hint: advance the simulation first")
    names = [*needed, *(name for name in OF_PLATFORM if has_platform and name in log.columns)]
    duration = float(log["time"][-1] - log["time"][0])
    count = min(log.rows, MAX_FRAMES, max(2, round(RATE * duration)))
    rows = np.unique(np.linspace(0, log.rows - 1, count).round().astype(int))
    numbers = np.stack([np.asarray(log[name], dtype="<f4")[rows] for name in names], axis=1)
    drive = {
        "scene": {"vehicle": vehicle, "platform": drawn_platform(parts)},
        "has_platform": has_platform,
        "columns": names,
        "numbers": base64.b64encode(numbers.tobytes()).decode(),
    }
    scene = _text("scene.js").replace('"./three.module.min.js"', '"three"')
    parts_of_page = {"imports": _script({"imports": _modules()}), "drive": _script(drive), "scene": scene}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts_of_page[found[1]], _text("replay.html"))


def _modules() -> dict[str, str]:
    """Return the modules of three.js by name, as addresses with their content."""
    core = _text("vendor/three/three.core.min.js")
    module = _text("vendor/three/three.module.min.js").replace('"./three.core.min.js"', '"three-core"')
    found = {"three": module, "three-core": core}
    return {name: f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}" for name, text in found.items()}


def _script(value: Any) -> str:
    """Return a value for a script in a page."""
    return json_text(value).replace("</", "<\\/")


def _text(name: str) -> str:
    return resources.files("simulator.console").joinpath("page", name).read_text(encoding="utf-8")
