"""Parts of the validation suite in the order of the page."""

from __future__ import annotations

import math
import warnings

from simulator.api.simulation import Simulation
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import InertiaWarning
from simulator.builder.builder import load_mechanism, read_yaml, vehicle_description
from simulator.validation.reference.accelerations import compare_accelerations
from simulator.validation.reference.kinematics import compare_kinematics
from simulator.validation.reference.mechanism_rows import compare_rows
from simulator.validation.reference.mechanism_states import compare_mechanism
from simulator.validation.suite.closed_form_motions import coasting, sliding, stopping
from simulator.validation.suite.convergence import convergence
from simulator.validation.suite.cornering import cornering
from simulator.validation.suite.mass_properties import masses
from simulator.validation.suite.published_values import figures
from simulator.validation.suite.reference_runs import FRONT, REAR
from simulator.validation.suite.result import Finding, Part, ReferenceData, Row, of_comparison, within
from simulator.validation.suite.ride_frequencies import ride
from simulator.validation.suite.sensors import PART as SENSORS
from simulator.validation.suite.tires import soils, tires
from simulator.validation.suite.trajectories import trajectories

# Accelerations and kinematics compared with other programs, with the files of `jounce validate accelerations`, `kinematics` and
# `mechanism`.
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


VEHICLES = ("hmmwv", "hmmwv_curb", "hmmwv_gross", "hmmwv_chrono", "five_link_rear")
"""Shipped vehicles with two axles."""
SLOPES = (("grade_40", 0.4, "lower axle on a grade of 40 %"), ("side_slope_40", 0.4, "lower side on a slope of 40 %"))
"""Terrain, rise over run, and compared quantity."""


def loads(source: ReferenceData) -> Finding:
    """Evaluate wheel loads on level ground and on slopes."""
    rows: list[Row] = []
    for name in VEHICLES:
        source.progress(f"{name} at rest")
        simulation = Simulation(name, "flat", channels=("time",))
        total, readout = masses(simulation.vehicle), simulation.vehicle.readout[0]
        load, x = readout["F_C"][:, 2], readout["p_BK"][:, 0]
        front, rear = float(x[FRONT].mean()), float(x[REAR].mean())
        weight = total.mass * STANDARD_GRAVITY
        share = (total.com[0] - rear) / (front - rear)
        rows += [
            within(f"{name}: all wheels", float(load.sum()), weight, "N", 1e-4),
            within(f"{name}: front axle", float(load[FRONT].sum()), float(weight * share), "N", 0.005),
        ]
    for terrain, rise, what in SLOPES:
        source.progress(f"at rest on {terrain}")
        rows.append(_on_slope(terrain, math.atan(rise), what))
    return Finding(rows)


def _on_slope(terrain: str, angle: float, what: str) -> Row:
    """Return the row of the load of the two lower wheels of the parked shipped vehicle. The body is rigid, in its position at rest on
    level ground."""
    level, parked = Simulation("hmmwv", "flat", channels=("time",)), Simulation("hmmwv", terrain, channels=("time",))
    parked.command(brake=1.0, parking_brake=1.0)
    parked.advance(3.0)
    total, readout = masses(level.vehicle), level.vehicle.readout[0]
    height = float(total.com[2] + readout["p_WB"][2])
    along = terrain.startswith("grade")
    position = readout["p_BK"][:, 0] if along else readout["p_WC"][:, 1]
    low = REAR if along else slice(1, 4, 2)
    high = FRONT if along else slice(0, 4, 2)
    base = abs(float(position[high].mean() - position[low].mean()))
    lever = abs(float(position[high].mean()) - (float(total.com[0]) if along else 0.0))
    wanted = total.mass * STANDARD_GRAVITY * (math.cos(angle) * lever + math.sin(angle) * height) / base
    here = float(parked.vehicle.readout[0]["F_C"][low, 2].sum())
    return within(f"hmmwv: {what}", here, wanted, "N", 0.02)


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
                found = compare_accelerations(str(model.parent / f"{states}.npz"), read_yaml(str(model)), str(model), formulation)
            rows.append(of_comparison(f"accelerations, {title}, {name}", found))
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


PARTS: tuple[Part, ...] = (
    Part(
        "trajectories",
        "Trajectories of another code",
        "The vehicle `hmmwv_chrono`, with the data of the other program, is driven with the recorded inputs only. Every channel that "
        "counts for the kind of maneuver is compared by its RMS difference over the peak of the recording. Sweeps: shock-absorber "
        "length and steering as input, wheel position as output.",
        "Project Chrono 10.0.0 (commit 7689fbc), HMMWV_Full, TMeasy tires, recordings in `tests/data/chrono`. "
        "[trajectories.md](../trajectories.md) lists the known differences of the two programs.",
        "5 % of the peak, the target that was set before the comparison. Sweeps: the wheel motion within one step of the recording.",
        trajectories,
    ),
    Part(
        "cornering",
        "Steady turns at the limit of little acceleration",
        "Yaw gain, slip of the rear axle and understeer gradient of the shipped vehicle in steady turns, compared with the linear "
        "single-track model. The two axle stiffnesses and trails of this model come from one turn at 15 m/s. The stiffnesses are also "
        "compared with the tires on a test rig. At 2 m/s the gain is v / L.",
        "Closed form: single-track model (Riekert and Schunck, standard textbooks).",
        "Stiffness: 12 %, for camber, toe, roll steer and load transfer, which the test rig does not have. Gains: the effect of 2 % "
        "of one stiffness on K (the difference of two numbers ten times as large) plus 1 %. At 2 m/s: 2 %, for the friction of the "
        "differentials.",
        cornering,
    ),
    Part(
        "ride",
        "Bounce, pitch and wheel hop",
        "Natural frequencies of the complete vehicle, linearized at 15 m/s, compared with a half-car model of four masses from spring "
        "rates, motion ratios and tire stiffness.",
        "Closed form: eigenvalues of four masses on springs; masses from the wheel loads.",
        "5 % for the body, 10 % for the wheels. The half car has no damping and no tire scrub. Its unsprung mass follows from weight "
        "instead of kinetic energy.",
        ride,
    ),
    Part(
        "stopping",
        "Stopping distance out of friction",
        "Distance between two speeds with all wheels locked on slippery ground, compared with (v0^2 - v1^2) / 2a. The deceleration a "
        "follows from full sliding of the tires under the transferred loads.",
        "Closed form: friction, static moment balance, parabola of TMeasy over the load (Rill).",
        "1 %: the body pitches slightly, and the closed form uses the air drag at the mean speed.",
        stopping,
    ),
    Part(
        "sliding",
        "Sliding on a slope",
        "The vehicle slides with locked wheels up the icy part of a 30 % slope and down again. The reference is g sin a plus and "
        "minus friction.",
        "Closed form.",
        "2 %: mean value over the slide, during which the body still moves on its springs.",
        sliding,
    ),
    Part(
        "coasting",
        "Coasting",
        "Speed loss in neutral, compared with m v' = -(A + B v^2), with the rolling resistance of the tire file and the drag of the "
        "vehicle file.",
        "Closed form.",
        "8 %: the closed form has no drag of the rotating gears and hubs. `jounce datasheet` gives about 20 N for this drag, 5 % of "
        "the rolling resistance.",
        coasting,
    ),
    Part(
        "loads",
        "Wheel loads at rest",
        "Wheel loads in equilibrium on level ground, on a grade and on a side slope, compared with a static moment balance. Masses "
        "and positions are summed over the bodies.",
        "Closed form: statics of a rigid body.",
        "Sum 0.01 %, axles 0.5 %, because the bodies of the corners move with the springs. Slopes 2 %, because the body rolls and pitches.",
        loads,
    ),
    Part(
        "published",
        "Published figures",
        "Data-sheet values of the shipped HMMWV with a published value ([datasheet_hmmwv.md](../datasheet_hmmwv.md) lists all values). "
        "Marks: [mem] from memory, [std] usual in textbooks, [calc] computed, [model] from another model.",
        "`configs/datasheets/hmmwv.yaml`, each value with its source.",
        "5 % for a single number, or the published range. Brochures round their numbers, and the variants differ.",
        figures,
    ),
    Part(
        "tires",
        "Tires on hard ground",
        "Largest error of forces and moments in the rows of other programs, relative to the load (moments relative to load times radius).",
        "`tests/data/tires`: Magic Formula 6.1, 5.2 and PAC2002, relaxation lengths, TMeasy and Fiala, computed by other programs.",
        "1e-6, the precision of the rows; relaxation lengths 1e-4, because they have six digits.",
        tires,
    ),
    Part(
        "soil",
        "Wheels on soil",
        "Sinkage, drawbar pull and torque of driven rigid wheels, compared with an independent quadrature. Also a measured wheel, "
        "braked, towed and driven at three slip angles, with the sand parameters identified by the authors of the measurements.",
        "Wong and Reece 1967, computed by another program (`tests/data/soil/driven_wheel.csv`). Measurements: C. Pavlov, Carnegie "
        "Mellon University 2022 (`single_wheel_sand.csv`, MIT license), means of three trials.",
        "Computed rows: 0.5 % (pull: or 0.2 % of the load). Measurements: 10 % of the load for forces and 30 % of the sinkage, the "
        "accuracy of such models for sand without a fit. The table gives the slip with the largest error for each angle: braked (slip "
        "below -0.25) and rolling.",
        soils,
    ),
    Part(
        "engines",
        "Accelerations and kinematics of other programs",
        "Accelerations of all bodies and joints for given states, from the closed form and from the general multibody engine. Also "
        "positions of the axles, and mechanisms with loops.",
        "`tests/data`: bodies in absolute coordinates with multipliers, confirmed by Pinocchio 4.1.0; kinematics with 50 digits; "
        "Stewart platform, five-link axle, landing gear and URDF+ linkages from public programs.",
        "Relative: 1e-9 for accelerations and 1e-12 for positions. This is rounding, amplified by the condition of the loops.",
        engines,
    ),
    SENSORS,
    Part(
        "convergence",
        "Convergence with the step",
        "All metrics of a lane change and of a stop with steps of 2, 1, 0.5 and 0.25 ms. The default of 1 ms is compared with 0.25 "
        "ms. The order is 1 if half the step gives half the change.",
        "Jounce with a finer step.",
        "1 %, or a minimum for each unit (5 mm, 5 mm/s, 0.03 deg, 20 N ...) if the value is too small for a percentage.",
        convergence,
    ),
)

BY_NAME = {part.name: part for part in PARTS}
