"""Vehicle files with other numbers of axles and wheels than two and four."""

from __future__ import annotations

import copy
from typing import Any

from simulator.builder.builder import find_config, read_yaml
from tests.plugins.cars import LIVE_AXLE, TRAILING_ARM
from tests.shipped_files import shipped_content

HMMWV: dict[str, Any] = read_yaml(find_config("vehicles", "hmmwv"))
FIVE_LINK: dict[str, Any] = shipped_content("vehicles", "five_link_rear")["axles"]["rear"]
DRIVETRAIN: dict[str, Any] = read_yaml(find_config("drivetrains", HMMWV["drivetrain"]))

BEHIND = 1.25
"""m. Distance between axles."""

STEERED_BEHIND = 1.6
"""m. Distance of the second steered axle from the first one."""


def moved(axle: dict[str, Any], back: float) -> dict[str, Any]:
    """Return the same axle, moved back."""
    out = copy.deepcopy(axle)
    out["location"][0] -= back
    return out


def in_the_middle(axle: dict[str, Any]) -> dict[str, Any]:
    """Return an axle with one wheel (that of the left side) on the center line."""
    out = copy.deepcopy(axle)
    out["wheels"] = 1
    out["location"][1] -= out["hardpoints_left"]["SPINDLE"][1]
    return out


REAR = HMMWV["axles"]["rear"]
MIDDLE_RATIO = 0.6
"""Angle of the linkage of the second steered axle over that of the first one."""

AXLES: dict[str, dict[str, Any]] = {
    "six wheels": {"middle": moved(REAR, -0.3), "rear": moved(REAR, BEHIND - 0.3)},
    "all kinds": {"middle": moved(TRAILING_ARM, -0.3), "rear": moved(LIVE_AXLE, BEHIND - 0.3)},
    "five links": {"middle": moved(FIVE_LINK, -0.3), "rear": moved(FIVE_LINK, BEHIND - 0.3)},
    "two steered axles": {"middle": moved(HMMWV["axles"]["front"], STEERED_BEHIND), "rear": moved(REAR, BEHIND)},
    "three wheels": {"rear": in_the_middle(TRAILING_ARM)},
    "nine wheels": {
        "second": moved(TRAILING_ARM, -1.4),
        "third": moved(TRAILING_ARM, -0.4),
        "middle": in_the_middle(moved(TRAILING_ARM, 0.3)),
        "rear": moved(TRAILING_ARM, 0.9),
    },
}
"""Axles behind the front axle of the HMMWV, by vehicle."""


def car(name: str) -> dict[str, Any]:
    """Return one of these vehicles."""
    mapping = copy.deepcopy(HMMWV)
    mapping["name"], mapping["axles"] = name, {"front": mapping["axles"]["front"], **copy.deepcopy(AXLES[name])}
    mapping["drivetrain"] = "drivetrain"
    if name == "two steered axles":
        mapping["steering"]["axles"] = {"middle": MIDDLE_RATIO}
    return mapping


def drivetrain(name: str, undriven: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return its drivetrain file: all axles except `undriven` are driven like the front axle of the HMMWV, and braked."""
    mapping = copy.deepcopy(DRIVETRAIN)
    shafts = mapping["drivetrain"]["driveline"]
    like = {key.removeprefix("front_"): shafts[key] for key in list(shafts) if key.startswith("front_")}
    for key in [key for key in shafts if key.startswith(("front_", "rear_"))]:
        del shafts[key]
    names = ("front", *AXLES[name])
    for axle in names:
        if axle not in undriven:
            shafts |= {f"{axle}_{key}": value for key, value in like.items()}
            if AXLES[name].get(axle, {}).get("wheels") == 1:
                del shafts[f"{axle}_differential"]
    if len(names) - len(undriven) != 2:
        del mapping["drivetrain"]["transfer_case"]
    link = {key: mapping["brakes"][key] for key in ("stiffness", "damping")}
    mapping["brakes"] = {**link, "max_torque": [4000.0] * len(names), "parking_torque": [4000.0] * len(names)}
    return mapping
