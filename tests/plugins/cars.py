"""Vehicle files with an axle of a plugin kind."""

from __future__ import annotations

import copy
from typing import Any

from tests.shipped_files import shipped_content

SHIPPED: dict[str, Any] = shipped_content("vehicles", "five_link_rear")

TRAILING_ARM: dict[str, Any] = {
    "suspension": "trailing_arm",
    "location": [-1.688965, 0.0, -0.02],
    "hardpoints_left": {
        "SPINDLE": [0.03556, 0.909701, -0.026289],
        "UPRIGHT": [0.15, 0.75, -0.04],
        "HINGE_INNER": [0.62, 0.45, -0.03],
        "HINGE_OUTER": [0.52, 0.85, -0.05],
        "SPRING_C": [0.1, 0.68, 0.33],
        "SPRING_A": [0.1, 0.7, -0.05],
        "SHOCK_C": [0.05, 0.72, 0.45],
        "SHOCK_A": [0.05, 0.75, -0.05],
    },
    "bodies": {
        "knuckle": {"mass": 40.0, "inertia": [1.0, 2.0, 2.5]},
        "wheel": {"mass": 71.105, "inertia": [4.34457, 7.38782, 4.34457]},
    },
    "bush": {"stiffness": 2500.0},
    "spring": {"free_length": 0.43, "rate": 160000.0},
    "shock": {name: value for name, value in SHIPPED["axles"]["rear"]["shock"].items() if name != "mounted_on"},
}

LIVE_AXLE: dict[str, Any] = {
    "suspension": "live_axle",
    "location": [-1.688965, 0.0, -0.02],
    "hardpoints_left": {
        "SPINDLE": [0.03556, 0.909701, -0.026289],
        "UPRIGHT": [0.02, 0.35, -0.01],
        "SPRING_C": [0.05, 0.58, 0.33],
        "SPRING_A": [0.05, 0.6, -0.02],
        "SHOCK_C": [-0.1, 0.6, 0.47],
        "SHOCK_A": [-0.09, 0.7, -0.03],
    },
    "bodies": {
        "knuckle": {"mass": 75.0, "inertia": [6.0, 1.2, 6.5]},
        "wheel": {"mass": 71.105, "inertia": [4.34457, 7.38782, 4.34457]},
    },
    "spring": {"free_length": 0.42, "rate": 120000.0},
    "shock": TRAILING_ARM["shock"],
}


def with_rear(axle: dict[str, Any]) -> dict[str, Any]:
    """Return the shipped truck with another rear axle."""
    mapping = copy.deepcopy(SHIPPED)
    mapping["axles"]["rear"] = copy.deepcopy(axle)
    return mapping
