"""Numbers of the tables of the papers, computed anew. Each function returns them next to those that the paper prints."""

from __future__ import annotations

from typing import Any

from research.papers.compared import Compared

REPEATS = 5
FA, TA, CE = "fa", "ta", "closed_form"
LABELS = {CE: "CE", TA: "TA", FA: "FA"}
FIVE_LINK = ((1, 8, 15), (2, 28, 29), (1, 6, 15), (1, 8, 15))
"""Degree, terms and digits of the polynomials in Table 2 of [Uchida 2012]."""
LANDING_GEAR = ((6, 28, 62), (1, 40, 132), (1, 37, 245), (1, 6, 9), (1, 37, 264), (1, 37, 264), (1, 37, 252), (1, 37, 254))
"""The same of Table 4."""
SEDAN = {"bodies": 10, "tires": 4, "coordinates": 26, "constraints": 12}
"""Section 3.3.3 of [Deyo 1989], with Table 3.1."""
POSITION, ROTATION = 4e-3, 4e-3
"""mm and rad. Largest errors at the end of [Suspension interpolation]; the paper also writes 0.03 degrees, which are 5.2e-4 rad."""


def formulation_sizes() -> list[Compared]:
    """Return coordinates and constraints of the formulations of the HMMWV with its steering [Cameron 2013]."""
    from research.benchmarks.formulations import PAPER
    from simulator.builder.builder import vehicle_description
    from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
    from vehicles.multibody.formulations.kinds import make_formulation
    from vehicles.multibody.tree.system import build_system
    from vehicles.multibody_vehicle import vehicle_mechanism

    vehicle = vehicle_description("hmmwv")
    system, out = build_system(vehicle_mechanism(vehicle.design, vehicle.steering, arm_prescribed=False)), []
    sizes = {name: make_formulation(name, system).dimensions for name in (TA, FA)}
    embedded = len(ConstraintEmbedding(system, system.neutral()).independent)
    for name, (coordinates, constraints) in {CE: (embedded, 0), TA: sizes[TA], FA: sizes[FA]}.items():
        out.append(Compared(f"{LABELS[name]} coordinates", "1", PAPER[name][0], coordinates))
        out.append(Compared(f"{LABELS[name]} constraints", "1", PAPER[name][1], constraints))
    return out


def formulation_times() -> list[Compared]:
    """Return the time of a step of the formulations, in steps of constraint embedding [Cameron 2013]."""
    from research.benchmarks.formulations import PAPER, TRIALS, costs
    from research.benchmarks.wheel_load_cases import SEMI_IMPLICIT_EULER

    scene = _scene()
    steps = costs({name: TRIALS[name](scene) for name in (CE, TA, FA)}, SEMI_IMPLICIT_EULER, REPEATS)
    return [Compared(f"{LABELS[name]} time", "CE", PAPER[name][2], steps[name] / steps[CE]) for name in (CE, TA, FA)]


def _scene() -> Any:
    """Return the vehicle of the comparison of formulations."""
    from research.benchmarks.benchmark_systems import make_scene, make_subject
    from research.benchmarks.tree_trials import at_rest
    from simulator.builder.builder import vehicle_description

    return make_scene(at_rest(make_subject(vehicle_description("hmmwv"), True)), disturbed=True, damped=True)


def sedan_size() -> list[Compared]:
    """Return bodies, coordinates and constraints of the sports sedan [Deyo 1989]."""
    from simulator.tools.mechanism.check import inspect_mechanism, wheels
    from simulator.tools.mechanism.initial_state import read_start

    start = read_start("sedan_paper", None, (), False)
    found = inspect_mechanism(start.mechanism, start.state, ("ce",), start.may_assemble, start.hold, start.may_leave)
    tires = len(wheels(start.mechanism))
    ours = {"bodies": len(start.mechanism.bodies) - tires, "tires": tires} | found.euler._asdict()
    return [Compared(name, "1", number, ours[name]) for name, number in SEDAN.items()]


def interpolation_errors() -> list[Compared]:
    """Return the largest errors of a table of poses of the HMMWV's front corner, as large as the paper's errors require."""
    from simulator.builder.builder import vehicle_description
    from vehicles.suspension.double_wishbone.build_pose_table import CornerPoses, pose_table_within
    from vehicles.suspension.tables.build_tables import Source

    vehicle = vehicle_description("hmmwv")
    mechanism = vehicle.mechanism
    low, high = Source(mechanism, vehicle.steering).travel(mechanism.struts)[0]
    corner = CornerPoses(mechanism.own, mechanism.Q_design, 0, None)
    _, position, rotation = pose_table_within(corner, (float(low), float(high)), 1e-3 * POSITION, ROTATION, None)
    return [
        Compared("largest error of position", "mm", POSITION, 1e3 * position),
        Compared("largest error of rotation", "rad", ROTATION, rotation),
    ]


def stewart_times() -> list[Compared]:
    """Return times of the Gough-Stewart platform (Table 1 of [Uchida 2012])."""
    from research.benchmarks.mechanisms import stewart_contest

    return _times(stewart_contest())


def five_link_times() -> list[Compared]:
    """Return times of the five-link suspension (Table 3 of [Uchida 2012])."""
    from research.benchmarks.mechanisms import five_link_contest

    return _times(five_link_contest())


def _times(contest: Any) -> list[Compared]:
    from research.benchmarks.mechanisms import measured

    out = []
    for row in measured(contest, REPEATS)["methods"]:
        for simulation in ("kinematic", "dynamic"):
            found = row.get(simulation, {})
            if found.get("paper_ms_per_s") is not None:
                out.append(Compared(f"{simulation}, {row['label']}", "ms/s", found["paper_ms_per_s"], found["ms_per_s"]))
    return out


def five_link_polynomials() -> list[Compared]:
    """Return the triangular system of a link of the five-link suspension (Table 2 of [Uchida 2012])."""
    return _polynomials("five_link_loop", FIVE_LINK)


def landing_gear_polynomials() -> list[Compared]:
    """Return the triangular system of the landing gear (Table 4 of [Uchida 2012])."""
    return _polynomials("landing_gear", LANDING_GEAR)


def _polynomials(name: str, paper: tuple[tuple[int, int, int], ...]) -> list[Compared]:
    from research.triangular.basis import triangularize
    from research.triangular.file_kind import PROBLEMS
    from research.triangular.problem_file import load_problem

    steps = triangularize(load_problem(PROBLEMS / f"{name}.yaml")).steps
    out = []
    for k, (printed, step) in enumerate(zip(paper, steps, strict=True), 1):
        ours = step.degree, step.terms, step.digits
        out += [
            Compared(f"g{k} {what}", "1", number, own)
            for what, number, own in zip(("degree", "terms", "digits"), printed, ours, strict=True)
        ]
    return out
