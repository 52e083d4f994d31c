"""`jounce soil NAME`: parameters of a soil, forces on a wheel, and a plot of the curves."""

from __future__ import annotations

from typing import Any

from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.output_target import described
from simulator.builder.builder import build_tire
from simulator.configuration.overrides import Override, option
from simulator.tools.soil.arguments import TIRE, inflated, wheel_on_soil
from simulator.tools.soil.characteristics import soil_sheet
from simulator.tools.soil.plots import draw


def main_soil(arguments: Any) -> int:
    """Run `jounce soil` and return 0. Raises JounceError: unusable file, or a plot that cannot be written."""
    sheet = soil_sheet(wheel_on_soil(arguments, [*_size(arguments), *inflated(arguments.inflation)]), arguments.load)
    picture = arguments.output_file(f"{sheet.wheel.soil_name}.png")
    draw(sheet, picture)
    print_line(
        json_text({**sheet.to_dict(), "picture": str(picture)})
        if arguments.json
        else f"{sheet.to_text()}\n  curves in {described(str(picture))}"
    )
    return 0


def _size(arguments: Any) -> list[Override]:
    """Return the overrides for another size of the tire; the rim scales with the radius."""
    out = option("--width", "width", arguments.width)
    if arguments.radius is not None:
        tire = build_tire(arguments.tire or TIRE).shared[0]
        rim = float(tire["bottoming_radius"] / tire["radius"]) * arguments.radius
        out += option("--radius", "radius", arguments.radius) + option("--radius", "bottoming_radius", rim)
    return out
