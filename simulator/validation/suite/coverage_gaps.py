"""What nothing on the page covers. Text, and nothing else: whoever adds a comparison strikes out what it covers."""

from __future__ import annotations

from typing import NamedTuple


class Gap(NamedTuple):
    """Something that is not validated."""

    what: str
    why: str


GAPS = (
    Gap(
        "No measured vehicle",
        "No recording of a real HMMWV was available. What stands on this page is other programs, closed forms, published single figures and one series "
        "of wheel tests. A prediction of a real vehicle's transients has no evidence here.",
    ),
    Gap(
        "Handling beyond 0.4 g",
        "The understeer gradient grows to 3.6 to 3.8 deg/g at 0.3 to 0.4 g, where 1 to 3 is usual; no measurement says which is right for this vehicle. "
        "Limits of lane changes, fishhook and sine with dwell have no published figure of it.",
    ),
    Gap(
        "Turns of the steering wheel",
        "2.6 from lock to lock here, 3.5 in a demonstration of Project Chrono; the overall ratio of 15.5 lies within 13 to 16, as remembered for power steering. "
        "Both cannot be met.",
    ),
    Gap("Torque at the steering wheel", "Column, assistance and friction are assumed throughout; nothing was found to compare them with."),
    Gap(
        "Stops from 20 mph",
        "6.76 m at half the pedal, where 6.1 m are asked for; pedal effort and brake build-up of the vehicle are not known.",
    ),
    Gap(
        "Split friction and no anti-lock brakes",
        "Braked hard on split friction without anti-lock brakes the vehicle spins, as theory asks; how fast, no measurement says.",
    ),
    Gap("Controllers", "Anti-lock brakes are of no maker; their slip and their cycles were compared with nothing."),
    Gap(
        "Soil under a tire",
        "Pressure, shear, combined slip, skidding and towed wheels and ruts are checked against tables of other programs, and a small rigid wheel is "
        "measured. How deep slip digs, and lugs and inflation in a drive, follow published laws whose numbers are assumed; pulls on firm soils, half of the "
        "load, are on the high side.",
    ),
    Gap(
        "Half-rounds, curbs and other short obstacles",
        "The tire bears on all of the ground inside its disc, by a measure of our own that no cleat test was at hand for; the belt and its resonances are "
        "left out. Shock limits are those of this model: they begin where the bump stops are used up, so the bump travel decides, which is another model's.",
    ),
    Gap(
        "Engine, converter, gearbox",
        "Full-load curve and ratios are published, part load, inertias, losses and shift times assumed. Times to speed are compared with figures from memory.",
    ),
    Gap("Dampers and bushings", "Damper forces are another model's, scaled; joints are ideal, without compliance of bushings and frame."),
    Gap(
        "Motion cueing",
        "What a rider feels is computed, by `jounce cueing`, from published models of the vestibular system. No rider was asked.",
    ),
)
