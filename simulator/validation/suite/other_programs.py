"""Accelerations and kinematics compared with other programs, with the files of `jounce validate accelerations`, `kinematics` and
`mechanism`."""

from __future__ import annotations

import warnings

from simulator.base.errors import InertiaWarning
from simulator.builder.builder import load_mechanism, read_yaml, vehicle_description
from simulator.validation.reference.accelerations import compare_accelerations
from simulator.validation.reference.kinematics import compare_kinematics
from simulator.validation.reference.mechanism_rows import compare_rows
from simulator.validation.reference.mechanism_states import compare_mechanism
from simulator.validation.suite.result import Finding, ReferenceData, Row, of_comparison

VEHICLE = "hmmwv_chrono"
STATES = {"full_straight": "whole vehicle, straight", "full_steering": "whole vehicle, steered", "quarter": "corner by corner"}
MODEL = "hmmwv_accelerations/hmmwv_model.yaml"
FORMULATIONS = {"closed-form": "closed form", "ce": "general engine"}
POSITIONS = {
    "hmmwv_states_mp50.json": "kinematics with rates, 50 digits",
    "hmmwv_front_kinematics.csv": "front axle, positions",
    "hmmwv_rear_kinematics.csv": "rear axle, positions",
}
ROWS = {
    "stewart": ("stewart_inverse_kinematics.csv", "stewart_euler1ms_Izz0.csv"),
    "five_link": ("five_link_curves.csv",),
    "landing_gear": ("landing_gear_sweep.csv",),
}
LOOPS = ("four_bar_branch_1_1", "implicit_depth5_loop_size5")


def engines(source: ReferenceData) -> Finding:
    """Evaluate accelerations, kinematics and mechanisms."""
    return Finding([*_accelerations(source), *_kinematics(source), *_mechanisms(source)])


def _accelerations(source: ReferenceData) -> list[Row]:
    model = source.data / MODEL
    rows = []
    for states, title in STATES.items():
        for formulation, name in FORMULATIONS.items():
            source.progress(f"accelerations, {title}, {name}")
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", InertiaWarning
                )  # the published inertia of the arms causes this warning; the data were computed with it
                comparison = compare_accelerations(str(model.parent / f"{states}.npz"), read_yaml(str(model)), str(model), formulation)
            rows.append(of_comparison(f"accelerations, {title}, {name}", comparison))
    return rows


def _kinematics(source: ReferenceData) -> list[Row]:
    vehicle = vehicle_description(VEHICLE)
    return [
        of_comparison(title, compare_kinematics(str(source.data / "mechanisms" / file), vehicle, None)) for file, title in POSITIONS.items()
    ]


def _mechanisms(source: ReferenceData) -> list[Row]:
    rows = []
    for name, files in ROWS.items():
        mechanism, _ = load_mechanism(name)
        rows += [
            of_comparison(f"mechanism {name}: {file}", compare_rows(str(source.data / "mechanisms" / file), mechanism)) for file in files
        ]
    for name in LOOPS:
        source.progress(f"mechanism {name}")
        mechanism, _ = load_mechanism(str(source.data / "urdfplus" / f"{name}.urdf"))
        rows.append(of_comparison(f"mechanism {name}", compare_mechanism(str(source.data / "urdfplus" / f"{name}.npz"), mechanism, "ce")))
    return rows
