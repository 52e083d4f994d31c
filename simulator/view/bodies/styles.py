"""Proportions of the generic bodies, by the name in a vehicle file."""

from __future__ import annotations

from simulator.view.bodies.lines import Style

STYLES = {
    "car": Style((40, 76, 128)),
    "electric_car": Style(
        (176, 182, 188), shoulder=(0.71, 0.68, 0.655, 0.63, 0.585, 0.50), roof_end=(1.05, 0.30), back=(1.95, 0.22), grille="none", spokes="blades"
    ),
    "hatchback": Style(
        (168, 44, 40), roof=0.26, cowl=(0.95, 0.20), roof_end=(0.0, 0.34), back=(0.0, 0.06), shoulder=(0.66, 0.66, 0.63, 0.61, 0.57, 0.48),
        rear_upright=True, blunt=(0.85, 0.7), spokes="five",
    ),
    "suv": Style(
        (72, 84, 78), roof=0.30, cowl=(0.90, 0.25), roof_end=(0.0, 0.28), back=(0.0, 0.07), shoulder=(0.65, 0.65, 0.635, 0.62, 0.60, 0.54),
        roof_half=0.68, rear_upright=True, blunt=(0.8, 0.6), grille="bars", clad=True, spokes="five",
    ),
    "van": Style(
        (222, 222, 216), roof=0.62, cowl=(1.02, 0.10), shield_top=0.40, roof_end=(0.0, 0.12), back=(0.0, 0.05),
        shoulder=(0.52, 0.52, 0.50, 0.49, 0.46, 0.39), roof_half=0.80, rear_upright=True, blunt=(0.7, 0.45), doors=1, panel_van=True, spokes="steel",
    ),
    "pickup": Style(
        (118, 34, 32), roof_end=(0.42, 0.3), back=(0.52, 0.35), shoulder=(0.66, 0.655, 0.645, 0.635, 0.615, 0.555), roof_half=0.70,
        blunt=(0.7, 0.45), bed=True, doors=1, grille="bars", spokes="steel",
    ),
}  # fmt: skip
