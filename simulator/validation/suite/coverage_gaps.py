"""List of the properties that are not validated. A new comparison must remove its entries here."""

from __future__ import annotations

from typing import NamedTuple


class Gap(NamedTuple):
    """A property that is not validated."""

    what: str
    why: str


GAPS = (
    Gap(
        "No measured vehicle",
        "No recording of a real HMMWV was available. The references on this page are other programs, closed forms, published single "
        "values and one series of wheel tests. The transient response of a real vehicle is not validated.",
    ),
    Gap(
        "Handling beyond 0.4 g",
        "The understeer gradient increases to 3.6 to 3.8 deg/g at 0.3 to 0.4 g, where 1 to 3 deg/g are usual. No measurement of this "
        "vehicle is available. There are no published limits of this vehicle for lane changes, fishhook and sine with dwell.",
    ),
    Gap(
        "Turns of the steering wheel",
        "Jounce has 2.6 turns from lock to lock, a demonstration of Project Chrono has 3.5. The overall ratio of 15.5 is within 13 to "
        "16, usual for power steering (from memory). A vehicle cannot meet both values.",
    ),
    Gap("Torque at the steering wheel", "Column, assistance and friction are assumed; no reference was available."),
    Gap(
        "Stops from 20 mph",
        "6.76 m at half the pedal travel; the requirement is 6.1 m. Pedal effort and brake pressure build-up of the vehicle are not known.",
    ),
    Gap(
        "Split friction and no anti-lock brakes",
        "During hard braking on split friction without anti-lock brakes, the vehicle spins, as theory predicts. No measurement of the "
        "yaw rate is available.",
    ),
    Gap("Controllers", "The anti-lock brakes are generic; their slip and cycles have no reference."),
    Gap(
        "Soil under a tire",
        "Pressure, shear, combined slip, skidding and towed wheels and ruts are compared with tables of other programs, and a small "
        "rigid wheel with measurements. Slip sinkage, lugs and inflation pressure follow published models with assumed parameters. "
        "The drawbar pull on firm soils, half of the load, is rather high.",
    ),
    Gap(
        "Half-rounds, curbs and other short obstacles",
        "The contact includes all ground inside the disc of the tire, by a method of Jounce that was not compared with a cleat test. "
        "The belt and its resonances are not modeled. Shock limits start at the end of the bump stops. They depend on the bump "
        "travel, which comes from another model.",
    ),
    Gap(
        "Engine, converter, gearbox",
        "Full-load curve and ratios are published. Part load, inertias, losses and shift times are assumed. Acceleration times are "
        "compared with values from memory.",
    ),
    Gap("Dampers and bushings", "Damper forces are scaled from another model. Joints are ideal, without compliance of bushings and frame."),
    Gap(
        "Motion cueing",
        "`jounce cueing test` computes the perceived motion from published models of the vestibular system. No tests with riders were "
        "made.",
    ),
)
