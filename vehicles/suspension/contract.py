"""The contract of a vehicle's corners, whatever links are in them: parameters every corner has, what a block sees, what it writes.

A block is all corners of one kind in a vehicle (`vehicles.suspension.blocks`). Everything is relative to the chassis, written in chassis
axes with the chassis reference point as origin. A subscript `_1` is a derivative by theta, the independent coordinate of a corner: what
suits its kind, an angle [rad] or the height of the wheel centre [m], rising in jounce.
"""

from __future__ import annotations

from simulator.base.records import layout_hash
from vehicles.axle_layout import AXLES, STANDING, WHEELS
from vehicles.compliance.wheel_displacements import COMPLIANCE
from vehicles.suspension.corner_bodies import AGGREGATE
from vehicles.suspension.hard_stops import ENDS

CORNERS = (
    # name            shape    unit     what it is (last index: corner)
    *STANDING,
    ("coupled", (AXLES,), "1", "per axle, 1 where each of its coordinates moves both wheels, 0 where its sides are independent", "i8"),
    (
        "carries_drive",
        (AXLES,),
        "1",
        "per axle, 1 where the final drive sits on the beam of both wheels, 0 where it sits on the chassis",
        "i8",
    ),
    ("travel", (2, WHEELS), "rad, m", "least and largest theta at which a standing vehicle is looked for"),
    ("ends", (), "", "record of ENDS: where the travel ends", ENDS),
    ("compliance", (), "", "record of COMPLIANCE: what yields beside the exact kinematics", COMPLIANCE),
    ("corner_mass", (WHEELS,), "kg", "sum of the masses of the bodies"),
    ("spin_inertia", (WHEELS,), "kg m2", "inertia of the wheel about its axle"),
    (
        "design_frame",
        (3, 3, WHEELS),
        "1",
        "carrier frame in the design position: columns `carrier_x`, `carrier_z` x `carrier_x`, `carrier_z`",
    ),
    ("design_wheel_x", (WHEELS,), "m", "wheel centre ahead of the reference point in the design position"),
    ("design_wheel_z", (WHEELS,), "m", "height of the wheel centre in the design position"),
)

INPUTS = (
    ("theta", (WHEELS,), "rad, m", "independent coordinate of the corner, 0 in the design position, + = jounce"),
    ("theta_dot", (WHEELS,), "rad/s, m/s", "its rate"),
    ("Q", (3, WHEELS), "m", "inner joint of the tie rod, where there is one"),
    ("Q_dot", (3, WHEELS), "m/s", "its velocity relative to the chassis"),
    ("Q_ddot", (3, WHEELS), "m/s2", "its acceleration relative to the chassis"),
    ("Q_1", (3, WHEELS), "m", "its velocity per rate of the steering arm; zero where it is not steered"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis"),
)
"""What a block sees: independent coordinates of all corners, with their rates."""

KINEMATICS = (
    # name            shape    unit     what it is (last index: corner)
    ("W", (3, WHEELS), "m", "wheel centre"),
    ("W_1", (3, WHEELS), "m", "velocity of the wheel centre per theta_dot"),
    ("W_dot", (3, WHEELS), "m/s", "velocity of the wheel centre relative to the chassis"),
    ("axle", (3, WHEELS), "1", "wheel axle, pointing left"),
    ("carrier_x", (3, WHEELS), "1", "first axis of the carrier frame"),
    ("carrier_z", (3, WHEELS), "1", "its third axis"),
    ("w", (3, WHEELS), "1", "angular velocity of the carrier per theta_dot"),
    ("w_rel", (3, WHEELS), "rad/s", "angular velocity of the carrier relative to the chassis"),
    ("spring_length", (WHEELS,), "m", "length of the spring"),
    ("spring_length_1", (WHEELS,), "m", "its derivative by theta"),
    ("shock_length", (WHEELS,), "m", "length of the shock absorber"),
    ("shock_length_1", (WHEELS,), "m", "its derivative by theta"),
    *AGGREGATE,
    ("D_across", (AXLES,), "kg m2, kg", "per axle, inertia that couples its two coordinates"),
    ("W_across", (3, WHEELS), "m", "velocity of the wheel centre per theta_dot of the other side of the axle"),
    ("w_across", (3, WHEELS), "1", "angular velocity of the carrier, likewise"),
    ("spring_length_across", (WHEELS,), "m", "derivative of the length of the spring by theta of the other side"),
    ("shock_length_across", (WHEELS,), "m", "derivative of the length of the shock absorber, likewise"),
    ("E", (6, WHEELS), "kg m2, kg m", "coupling of chassis and steering arm (angular, linear)"),
    ("F", (WHEELS,), "kg m2, kg m", "coupling of theta and steering arm"),
    ("H", (WHEELS,), "kg m2", "inertia of the steering arm"),
    ("steer_bias", (WHEELS,), "N m", "inertia force on the steering arm at zero acceleration of chassis and theta"),
    ("W_steer", (3, WHEELS), "m", "velocity of the wheel centre per rate of the steering arm"),
    ("w_steer", (3, WHEELS), "1", "angular velocity of the carrier per rate of the steering arm"),
)
"""What a block writes of its corners: `place` down to theta_bias, and to shock_length_across where CORNERS says that the axle is coupled;
`steer` the rest. theta of a coupled axle raises the wheel of its own side and may move the other one. In [Jain 2016] the position solution, X_S and X'_S theta'
and the sums of the aggregated body."""

POINTS = (
    ("lower_ball", (3, WHEELS), "m", "outer joint of the lower arm, or midway between those of the lower links"),
    ("upper_ball", (3, WHEELS), "m", "outer joint of the upper arm, or midway between those of the upper links"),
    ("tierod_outer", (3, WHEELS), "m", "outer joint of tie rod or toe link"),
    ("shock_lower", (3, WHEELS), "m", "lower end of the shock absorber"),
    ("spring_lower", (3, WHEELS), "m", "lower end of the spring"),
)
"""What a block shows after `place`: for the picture and the readout, no part of the motion."""

CONTRACT = 1
"""Version of what is asked of a block from outside. It changes when the same layout means something else."""

LAYOUT = layout_hash((*INPUTS, *KINEMATICS, *POINTS))
"""Changes with the records that a block from outside sees and writes."""
