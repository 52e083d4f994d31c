"""What the rest of the program may know about the vehicle after a tick: one record, filled in place.

The telemetry, the view, the motion cueing and the tests read this and nothing else. Corners are counted from the front, left before right: FL, FR, RL, RR.
Frames: W world (z up), B chassis reference point (ISO 8855: x forward, y left, z up), K hub (wheel carrier), C tire contact
(x along the wheel's heading in the ground plane, y left, z ground normal), H driver's head, G center of mass of the whole vehicle with its
load as it stood at the start, a point fixed in the chassis.
"""

from __future__ import annotations

from vehicles.axle_layout import WHEELS

READOUT = (
    # name               shape       unit      what it is
    ("time", (), "s", "simulated time"),
    ("p_WB", (3,), "m", "position of the chassis reference point in the world"),
    ("q_WB", (4,), "1", "attitude of the chassis, quaternion w, x, y, z, chassis to world"),
    ("roll", (), "rad", "roll angle, + = right side down (R_WB = Rz(yaw) Ry(pitch) Rx(roll))"),
    ("pitch", (), "rad", "pitch angle, + = nose down"),
    ("yaw", (), "rad", "yaw angle, + = left"),
    ("v_WB_B", (3,), "m/s", "velocity of the chassis reference point, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("a_WB_B", (3,), "m/s2", "acceleration of the chassis reference point relative to the world, in B"),
    ("alpha_WB_B", (3,), "rad/s2", "angular acceleration of the chassis, in B"),
    ("p_BG", (3,), "m", "center of mass of the whole vehicle as it stood at the start, in B; it does not move in the chassis"),
    ("p_WG", (3,), "m", "position of that point in the world"),
    ("v_WG_B", (3,), "m/s", "velocity of that point, in B"),
    ("a_WG_B", (3,), "m/s2", "acceleration of that point relative to the world, in B"),
    ("f_H_B", (3,), "m/s2", "specific force at the driver's head, in B (at rest on level ground: 0, 0, +g)"),
    (
        "theta",
        (WHEELS,),
        "rad",
        "+ = jounce: angle of the lower arm, height of a five-link wheel [m], joint of an axle from a file [rad, m]",
    ),
    ("theta_dot", (WHEELS,), "rad/s", "its rate [rad/s, m/s]"),
    ("jounce", (WHEELS,), "m", "height of the wheel centre above its design position", "f8", "B"),
    ("wheel_angle", (WHEELS,), "rad", "rotation of the wheel about its axle since the start, + = rolling forward"),
    ("wheel_spin", (WHEELS,), "rad/s", "absolute angular velocity of the wheel about its axle"),
    ("road_wheel_angle", (WHEELS,), "rad", "heading of the wheel relative to the chassis, + = left"),
    ("camber", (WHEELS,), "rad", "inclination of the wheel plane to the chassis z axis, + = top outward"),
    ("p_BK", (WHEELS, 3), "m", "wheel centre, in B"),
    ("R_BK", (WHEELS, 3, 3), "1", "orientation of the wheel carrier (the wheel without its spin), carrier to chassis"),
    (
        "lower_ball_B",
        (WHEELS, 3),
        "m",
        "outer ball joint of the lower arm, in B; of a five-link axle midway between those of the lower links",
    ),
    (
        "upper_ball_B",
        (WHEELS, 3),
        "m",
        "outer ball joint of the upper arm, in B; of a five-link axle midway between those of the upper links",
    ),
    ("tierod_outer_B", (WHEELS, 3), "m", "outer tie-rod joint, in B"),
    ("tierod_inner_B", (WHEELS, 3), "m", "inner tie-rod joint, in B"),
    ("shock_lower_B", (WHEELS, 3), "m", "lower end of the shock absorber, in B"),
    ("spring_lower_B", (WHEELS, 3), "m", "lower end of the spring, in B"),
    ("spring_length", (WHEELS,), "m", "length of the spring"),
    ("spring_force", (WHEELS,), "N", "force of spring and stops, + = pushes the ends apart"),
    ("shock_length", (WHEELS,), "m", "length of the shock absorber"),
    ("shock_rate", (WHEELS,), "m/s", "rate of the shock absorber's length, + = rebound"),
    ("shock_force", (WHEELS,), "N", "damper force, + = pushes the ends apart"),
    ("anti_roll_bar_force", (WHEELS,), "N", "force of the anti-roll bar on this side of the suspension, + = downwards"),
    ("p_WC", (WHEELS, 3), "m", "contact point, in the world"),
    ("F_C", (WHEELS, 3), "N", "force of the ground on the tire, in the contact frame"),
    ("M_C", (WHEELS, 3), "N m", "moment of the ground on the tire about the contact point, in the contact frame"),
    ("slip_ratio", (WHEELS,), "1", "longitudinal slip, + = driving"),
    ("slip_angle", (WHEELS,), "rad", "slip angle, + = wheel centre moves to the left of its heading"),
    ("tire_deflection", (WHEELS,), "m", "radial deflection of the tire"),
    ("sinkage", (WHEELS,), "m", "sinkage of the wheel into the soil"),
    ("hardness", (WHEELS,), "1", "share of hard ground under the tire, 1 = road, 0 = soil"),
    ("brake_torque", (WHEELS,), "N m", "torque of the brake on the wheel about its axle"),
    ("brake_pressure", (WHEELS,), "Pa", "pressure at the brake; 0 where the brakes have no hydraulics"),
    ("brake_temperature", (WHEELS,), "degC", "temperature of the brake's disc; 0 where it is not computed"),
    ("drive_torque", (WHEELS,), "N m", "torque of the half shaft on the wheel about its axle"),
    ("engine_speed", (), "rad/s", "crankshaft speed"),
    ("engine_torque", (), "N m", "torque of the engine on its crankshaft"),
    ("gear", (), "1", "gear engaged, -1 reverse, 0 neutral", "i8"),
    ("low_range", (), "1", "1: low range of the transfer case is engaged", "i8"),
    ("center_locked", (), "1", "1: the center differential is locked", "i8"),
    ("steering_wheel_angle", (), "rad", "angle of the steering wheel, + = left"),
    ("steering_wheel_torque", (), "N m", "torque the driver must apply to the steering wheel, + = to the left"),
    ("steering_wheel_rate", (), "rad/s", "rate of the steering wheel, + = left"),
    (
        "steering_column_torque",
        (),
        "N m",
        "torque in the column below the steering wheel: what a wheel with force feedback is to give, + = to the left",
    ),
    ("steering_assist_torque", (), "N m", "torque of the power assistance on the Pitman arm, + = to the left"),
    ("steering_gear_angle", (), "rad", "angle of the Pitman arm about the steering frame's z, + = wheels to the right"),
    ("steering", (), "1", "steering input used, + = left"),
    ("throttle", (), "1", "accelerator pedal used"),
    ("brake", (), "1", "brake pedal used"),
)
