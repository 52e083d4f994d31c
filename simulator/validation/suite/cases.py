"""The chapters of the page, in their order: one line each in one table."""

from __future__ import annotations

from simulator.validation.suite.closed_form_motions import coasting, sliding, stopping
from simulator.validation.suite.convergence import convergence
from simulator.validation.suite.cornering import cornering
from simulator.validation.suite.other_programs import engines
from simulator.validation.suite.published_values import figures
from simulator.validation.suite.result import Part
from simulator.validation.suite.ride_frequencies import ride
from simulator.validation.suite.tires import soils, tires
from simulator.validation.suite.trajectories import trajectories
from simulator.validation.suite.wheel_loads import loads

PARTS: tuple[Part, ...] = (
    Part(
        "trajectories",
        "Trajectories of another code",
        "The vehicle with the other code's numbers (`hmmwv_chrono`) is driven with the recorded inputs alone, and every channel that counts for its kind of "
        "maneuver is compared: RMS difference over the peak of the recording. Sweeps: shock lengths and steering in, wheels out.",
        "Project Chrono 10.0.0 (commit 7689fbc), HMMWV_Full, TMeasy tires, recordings in `tests/data/chrono`; [trajectories.md](trajectories.md) tells what that "
        "code has and this one does not.",
        "5 % of the peak: the aim set for this comparison before it was made. Sweeps: what a step of the recording turns the wheels by.",
        trajectories,
    ),
    Part(
        "cornering",
        "Steady turns at the limit of little acceleration",
        "Yaw gain, slip of the rear axle and understeer gradient of the shipped vehicle in driven turns, beside the linear single-track model whose two axle "
        "stiffnesses and trails come from one turn at 15 m/s. The stiffnesses themselves are compared with their tires on a rig; at 2 m/s the gain is v / L.",
        "Closed form: single-track model (Riekert and Schunck; any textbook).",
        "Stiffness 12 %: camber, toe, roll steer and shifted load, which the rig has not. Gains: what 2 % of one stiffness makes of K, which is the difference of "
        "two numbers ten times as large, and 1 %; at 2 m/s 2 % for the friction of the differentials.",
        cornering,
    ),
    Part(
        "ride",
        "Bounce, pitch and wheel hop",
        "Natural frequencies of the whole vehicle linearized at 15 m/s, beside a half car of four masses made of spring rates, motion ratios and tire stiffness.",
        "Closed form: eigenvalues of four masses on springs; masses from the wheel loads.",
        "5 % for the body, 10 % for the wheels: the half car has no damping, no scrub of the tires and takes unsprung mass by weight instead of by kinetic energy.",
        ride,
    ),
    Part(
        "stopping",
        "Stopping distance out of friction",
        "The way between two speeds with all wheels locked on slippery ground, beside (v0^2 - v1^2) / 2a with the full sliding of the tire under the shifted loads.",
        "Closed form: friction, lever rule, TMeasy's parabola of the load (Rill).",
        "1 %: the body pitches a little, the air drag is taken at the mean speed.",
        stopping,
    ),
    Part(
        "sliding",
        "Sliding on a slope",
        "With locked wheels up onto the icy part of a slope of 30 % and down again: g sin a plus and minus friction.",
        "Closed form.",
        "2 %: mean over the slide, while the body still moves on its springs.",
        sliding,
    ),
    Part(
        "coasting",
        "Coasting",
        "Speed lost in neutral, beside m v' = -(A + B v^2) with the rolling resistance of the tire file and the drag of the vehicle file.",
        "Closed form.",
        "8 %: the closed form has no drag of gears and hubs that turn along, of which `jounce facts` finds some 20 N, 5 % of the rolling resistance.",
        coasting,
    ),
    Part(
        "loads",
        "Wheel loads at rest",
        "Wheel loads of the equilibrium, beside the lever rule with masses and places added up body by body; on a grade and on a side slope too.",
        "Closed form: statics of a rigid body.",
        "Sum 0.01 %, axles 0.5 %: the bodies of the corners move with the springs. On slopes 2 %: the body leans and squats.",
        loads,
    ),
    Part(
        "published",
        "Published figures",
        "The facts of the shipped HMMWV that have a figure ([facts_hmmwv.md](facts_hmmwv.md) has the others too). Marks: [mem] from memory, [std] usual in "
        "textbooks, [calc] computed, [model] of another model.",
        "`configs/facts/hmmwv.yaml`, each figure with its source.",
        "A single number 5 %, a range itself: brochures round, and the variants differ.",
        figures,
    ),
    Part(
        "tires",
        "Tires on hard ground",
        "Forces and moments at the rows of other programs, over the load (moments over load and radius); the largest error.",
        "`tests/data/tires`: Magic Formula 6.1, 5.2 and PAC2002, relaxation lengths, TMeasy and Fiala, computed outside of this program.",
        "1e-6, what the digits of the rows leave; relaxation 1e-4, as these have six digits.",
        tires,
    ),
    Part(
        "soil",
        "Wheels on soil",
        "Sinkage, drawbar pull and torque of driven rigid wheels, beside an independent quadrature; and a measured wheel, braked, towed and driven at three angles, "
        "with the numbers of the sand as those who measured it identified them.",
        "Wong and Reece 1967 by another program (`tests/data/soil/driven_wheel.csv`). Measured: C. Pavlov, Carnegie Mellon University 2022 "
        "(`single_wheel_sand.csv`, MIT license), means of three trials.",
        "Tables 0.5 % (pull: or 0.2 % of the load). Measurements: a tenth of the load for forces and 30 % of the sinkage, as near as such laws come to sand without a "
        "fit; the worst slip of each angle is shown, braked below -0.25, else rolling.",
        soils,
    ),
    Part(
        "engines",
        "Accelerations and kinematics of other programs",
        "Accelerations of all bodies and joints from states alone, by the closed form and by the general engine; positions of the axles; mechanisms with loops.",
        "`tests/data`: bodies in absolute coordinates with multipliers, confirmed by Pinocchio 4.1.0; kinematics solved with 50 digits; Stewart platform, five-link "
        "axle, landing gear and URDF+ linkages by public programs.",
        "1e-9 of accelerations and 1e-12 of positions, relative: rounding, with room for what the condition of the loops makes of it.",
        engines,
    ),
    Part(
        "convergence",
        "Convergence with the step",
        "Every metric of a lane change and of a stop at steps of 2, 1, 0.5 and 0.25 ms; the shipped 1 ms is held against 0.25 ms. Order: 1 where halving the step halves "
        "the change.",
        "The simulator itself at a finer step.",
        "1 %, or a floor by unit (5 mm, 5 mm/s, 0.03 deg, 20 N ...) where a share of a small number says nothing.",
        convergence,
    ),
)

BY_NAME = {part.name: part for part in PARTS}
