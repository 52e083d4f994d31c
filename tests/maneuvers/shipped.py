"""Shipped maneuver files as mappings, with the outline that their vehicle would give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "configs" / "maneuvers"
BODY = {"width_m": 2.18, "length_m": 4.57, "front_m": 2.21}


def shipped(name: str) -> dict[str, Any]:
    """Content of configs/maneuvers/<name>.yaml and the body."""
    return {**yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8")), "body": dict(BODY)}
