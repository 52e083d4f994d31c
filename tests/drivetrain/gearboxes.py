"""Drivetrains for tests of gearboxes.

A diesel of 340 N m has a three-speed automatic with shift clutches, or a manual gearbox. A strong engine has a six-speed automatic with a
smooth change of the ratio.
"""

import copy

from drivetrain_rig import part_file

ENGINE = {
    "inertia": 0.65,
    "full_throttle": {
        "speed_rpm": [-100, 400, 800, 1200, 2000, 2800, 3600, 3850, 4400],
        "torque": [120, 190, 260, 308, 339, 330, 297, 0, -90],
    },
    "closed_throttle": {"speed_rpm": [-100, 0, 800, 2000, 3600, 4400], "torque": [0, 0, -75, -100, -170, -220]},
    "idle": {"speed_rpm": 700.0, "band_rpm": 120.0, "throttle": 0.8},
}
CONVERTER = {
    "impeller_inertia": 0.30,
    "turbine_inertia": 0.08,
    "capacity_factor": {
        "speed_ratio": [0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 1.0],
        "value": [10.8, 10.9, 11.2, 12.0, 12.8, 14.4, 15.8, 18.5, 23.0, 32.0, 60.0],
    },
    "torque_ratio": {"speed_ratio": [0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.86, 1.0], "value": [2.0, 1.8, 1.58, 1.36, 1.24, 1.11, 1.02, 1.0]},
    "coupling_band": 0.005,
}
SCHEDULE = {
    "throttle": [0.0, 0.3, 0.6, 0.9, 1.0],
    "upshift_rpm": [[540, 640, 930, 1290, 1350], [990, 1160, 1620, 2180, 2270]],
    "downshift_rpm": [[330, 340, 480, 760, 1240], [620, 660, 980, 1650, 2110]],
    "kick_down": 0.95,
}
AUTOMATIC = {
    "forward_ratios": [0.40323, 0.67568, 1.0],
    "reverse_ratio": -0.48077,
    "schedule": SCHEDULE,
    "clutches": {"capacity": 900.0, "torque_time": 0.2, "inertia_time": 0.4, "torque_reduction": 0.4, "reduction_ramp": 0.1},
    "shift_latency": 0.8,
    "engage_time": 0.7,
    "release_time": 0.2,
    "lockout_wheel_speed": 2.1,
}
LOCK_UP = {"capacity": 500.0, "from_gear": 3, "closes_rpm": 1500.0, "opens_rpm": 1300.0, "time": 0.5}
DRIVELINE = {
    "driveshaft_inertia": 0.06,
    "half_shaft_inertia": 0.06,
    "front_shaft_inertia": 0.02,
    "front_box_inertia": 0.2,
    "front_final_ratio": 0.19078,
    "rear_shaft_inertia": 0.02,
    "rear_box_inertia": 0.2,
    "rear_final_ratio": 0.19078,
}


def automatic(**changes):
    """The mapping of a drivetrain file; `changes` are sections of its drivetrain, or keys of the gearbox."""
    parts = {"engine": ENGINE, "torque_converter": CONVERTER, "gearbox": AUTOMATIC, "driveline": DRIVELINE}
    return changed(parts, changes)


def changed(parts, changes):
    """A mapping of a drivetrain file with other sections, or other keys of its gearbox; None takes one out."""
    drivetrain = copy.deepcopy(parts)
    for name, value in changes.items():
        place = drivetrain if name in ("lock_up", "engine", "clutch", "starter", "torque_converter") else drivetrain["gearbox"]
        place[name] = value
        if value is None:
            del place[name]
    return {"drivetrain": drivetrain, "brakes": part_file("hmmwv_chrono")["brakes"]}


CLUTCH = {
    "capacity": 600.0,
    "pedal": [0.0, 0.2, 0.7, 1.0],
    "share": [1.0, 1.0, 0.0, 0.0],
    "inertia": 0.03,
    "drag": 0.005,
    "driver": {"from_rpm": 850.0, "full_rpm": 2600.0, "time": 0.5},
}
STARTER = {"stall_rpm": 250.0, "fire_rpm": 280.0, "friction": 60.0, "torque": 400.0, "speed_rpm": 450.0}
MANUAL = {
    "type": "manual",
    "forward_ratios": [0.2, 0.36, 0.6, 0.85, 1.1],
    "reverse_ratio": -0.22,
    "upshift_rpm": [1600.0, 3500.0],
    "downshift_rpm": [850.0, 1500.0],
    "shift_latency": 1.0,
    "synchronizer": {"torque": 40.0, "time": 0.5, "gate_time": 0.15},
    "lockout_wheel_speed": 2.1,
}


def manual(**changes):
    """Return the mapping with a friction clutch, a starter and a manual gearbox of five speeds."""
    parts = {"engine": ENGINE, "clutch": CLUTCH, "starter": STARTER, "gearbox": MANUAL, "driveline": DRIVELINE}
    return changed(parts, changes)


GLIDING = {
    "engine": {
        "inertia": 1.1,
        "full_throttle": {
            "speed_rpm": [-100, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2700],
            "torque": [406.7, 517.9, 926.0, 1216.2, 1300.2, 1300.2, 1227.0, 1136.2, 1041.3, -271.2, -800.0],
        },
        "closed_throttle": {
            "speed_rpm": [-100, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2700],
            "torque": [0.0, -20.0, -20.0, -30.0, -30.0, -30.0, -40.0, -50.0, -70.0, -100.0, -800.0],
        },
        "idle": {"speed_rpm": 800.0, "band_rpm": 150.0, "throttle": 0.4},
    },
    "torque_converter": {
        "impeller_inertia": 0.5,
        "turbine_inertia": 0.3,
        "capacity_factor": {"speed_ratio": [0.0, 0.25, 0.5, 0.75, 0.9, 1.0], "value": [10.5, 10.5, 10.5, 11.2, 12.6, 24.5]},
        "torque_ratio": {"speed_ratio": [0.0, 0.25, 0.5, 0.75, 1.0], "value": [2.0, 1.8, 1.5, 1.15, 1.0]},
        "coupling_band": 0.005,
    },
    "gearbox": {
        "forward_ratios": [0.1708, 0.2791, 0.4218, 0.6223, 1.0173, 1.5361],
        "reverse_ratio": -0.2,
        "upshift_rpm": [1500.0, 2226.0],
        "downshift_rpm": [700.0, 1250.0],
        "shift_latency": 0.5,
        "shift_time": 0.35,
        "engage_time": 0.7,
        "release_time": 0.2,
        "lockout_wheel_speed": 2.1,
    },
    "driveline": {
        "driveshaft_inertia": 1.0,
        "front_shaft_inertia": 0.5,
        "rear_shaft_inertia": 0.5,
        "front_box_inertia": 0.6,
        "rear_box_inertia": 0.6,
        "half_shaft_inertia": 0.4,
        "front_final_ratio": 0.2,
        "rear_final_ratio": 0.2,
    },
}


def gliding(**changes):
    """The mapping of a drivetrain file with an automatic that has no clutches."""
    return changed(GLIDING, changes)
