"""Impossible values for a vehicle, ground or platform, each in its file: wrong sign, unit, order or decimal point."""

import copy

import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import data_folder, read_yaml, vehicle_description
from simulator.maneuvers.maneuver_file import load_maneuver
from terrain.soil import soil
from tests.shipped_files import shipped_content
from vehicles.brakes.brakes import brakes_from_mapping
from vehicles.description import read_description
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping
from vehicles.tires.tire_file import tire, tire_set
from vehicles.vehicle import Vehicle
from washout.classical import washout

CONFIGS = data_folder("configs")
BODY = {"width": 2.0, "length": 5.0, "front": 2.0}

READ = {
    "vehicles/hmmwv": lambda m: read_description(m, "f.yaml"),
    "vehicles/five_link_rear": lambda m: read_description(m, "f.yaml"),
    "drivetrains/drivetrain_hmmwv": lambda m: (
        drivetrain_from_mapping(m["drivetrain"], "f.yaml"),
        brakes_from_mapping(m["brakes"], "f.yaml"),
    ),
    "drivetrains/drivetrain_hmmwv_chrono": lambda m: drivetrain_from_mapping(m["drivetrain"], "f.yaml"),
    "tires/tmeasy_hmmwv": lambda m: tire(m, "f.yaml"),
    "soils/dry_sand": lambda m: soil(m, "f.yaml"),
    "washouts/small_hexapod": lambda m: washout(m["cueing"], "f.yaml", 1e-3),
    "maneuvers/avtp_lane_change": lambda m: load_maneuver({"body": BODY, **m}, "f.yaml"),
}

FRONT, DRIVE = "axles.front.", "drivetrain."
BAR = "drivetrains/drivetrain_hmmwv"
SHIFTS = "drivetrains/drivetrain_hmmwv_chrono"
"""By two speeds instead of a schedule."""
NONSENSE = [
    ("vehicles/hmmwv", "chassis.mass", 1e-300),
    ("vehicles/hmmwv", "chassis.inertia", [1e-300, 1e-300, 1e-300]),
    ("vehicles/hmmwv", "chassis.inertia", [1e-6, 1e-6, 1e-6]),
    ("vehicles/hmmwv", FRONT + "bodies.wheel.mass", 1e-12),
    ("vehicles/hmmwv", FRONT + "bodies.tierod.axial_inertia", 1e-300),
    ("vehicles/hmmwv", FRONT + "bodies.tierod.transverse_inertia", 1e-300),
    ("vehicles/hmmwv", FRONT + "bodies.lower_arm.arm_inertia", [1e-300, 0.4, 0.4]),
    ("vehicles/hmmwv", FRONT + "bodies.lower_arm.as_published", "yes"),
    ("vehicles/hmmwv", FRONT + "spring.stop_force", [0.0, -200.0, -400.0, -600.0, -800.0, -1e3, -2.5e3, -4.5e3, -7.5e3, -12.5e3, -125e3]),
    ("vehicles/hmmwv", FRONT + "spring.stop_force", [0.0, 400.0, 200.0, 600.0, 800.0, 1e3, 2.5e3, 4.5e3, 7.5e3, 12.5e3, 125e3]),
    ("vehicles/hmmwv", FRONT + "spring.stop_force", [1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4]),
    ("vehicles/hmmwv", FRONT + "spring.stop_penetration", [-0.01, 0.002, 0.004, 0.006, 0.008, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06]),
    ("vehicles/hmmwv", FRONT + "spring.rebound_stop_length", 0.1),
    ("vehicles/hmmwv", FRONT + "spring.bump_stop_length", 1e-300),
    ("vehicles/hmmwv", FRONT + "spring.free_length", 1e-300),
    ("vehicles/hmmwv", FRONT + "shock.midstroke_max", 0.2),
    ("vehicles/hmmwv", FRONT + "shock.midstroke_blend", 1e-300),
    ("vehicles/hmmwv", FRONT + "shock.midstroke_blend", 10.0),
    ("vehicles/hmmwv", FRONT + "shock.rebound_damping", -1.0),
    ("vehicles/hmmwv", "steering.gear_ratio", 1e-300),
    ("vehicles/hmmwv", "steering.max_arm_angle_deg", 1e-300),
    ("vehicles/hmmwv", "steering.max_rate_deg", 1e-300),
    ("vehicles/hmmwv", "steering.natural_frequency", 1e-300),
    ("vehicles/hmmwv", "body.length", 1e-300),
    ("vehicles/five_link_rear", "axles.rear.spring.rate", 1e-300),
    (BAR, DRIVE + "engine.inertia", 1e-300),
    (BAR, DRIVE + "engine.full_throttle.torque", [-1.0] * 18),
    (BAR, DRIVE + "engine.idle.speed_rpm", 1e5),
    (BAR, DRIVE + "engine.idle.band_rpm", 1e-300),
    (BAR, DRIVE + "torque_converter.impeller_inertia", 1e-300),
    (BAR, DRIVE + "torque_converter.torque_ratio.value", [1.0, 1.1, 1.2, 1.3, 1.2, 1.1, 1.0, 1.0]),
    (BAR, DRIVE + "torque_converter.capacity_factor.value", [1e-300, 10.9, 11.3, 12.3, 13.4, 15.4, 17.2, 20.5, 27.0, 40.0, 80.0]),
    (BAR, DRIVE + "torque_converter.coupling_band", 1e-300),
    (SHIFTS, DRIVE + "gearbox.upshift_rpm", [1500.0, 1e29]),
    (SHIFTS, DRIVE + "gearbox.upshift_rpm", [1e29, 1e29]),
    (SHIFTS, DRIVE + "gearbox.upshift_rpm", [3000.0, 4000.0]),
    (SHIFTS, DRIVE + "gearbox.upshift_rpm", [2226.0, 1500.0]),
    (SHIFTS, DRIVE + "gearbox.downshift_rpm", [900.0, 700.0]),
    (BAR, DRIVE + "gearbox.schedule.upshift_rpm", [[540, 640, 930, 1290, 1e29], [990, 1160, 1620, 2180, 2250]]),
    (BAR, DRIVE + "gearbox.schedule.downshift_rpm", [[540, 640, 930, 1290, 1350], [620, 660, 980, 1650, 2110]]),
    (BAR, DRIVE + "gearbox.forward_ratios", [1e-300, 0.5, 1.0]),
    (BAR, DRIVE + "gearbox.forward_ratios", [0.4, 0.2, 1.0]),
    (BAR, DRIVE + "gearbox.reverse_ratio", -1e-300),
    (BAR, DRIVE + "gearbox.reverse_ratio", -1e29),
    (BAR, DRIVE + "gearbox.shift_latency", 1e5),
    (BAR, DRIVE + "driveline.rear_final_ratio", 0.8),
    (BAR, DRIVE + "driveline.front_final_ratio", 5.0),
    (BAR, DRIVE + "driveline.front_final_ratio", 1e-300),
    (BAR, DRIVE + "driveline.driveshaft_inertia", 1e-300),
    (BAR, DRIVE + "driveline.half_shaft_inertia", 1e5),
    (BAR, "brakes.stiffness", 1e-300),
    (BAR, "brakes.max_torque", [4000.0, 1e8]),
    ("tires/tmeasy_hmmwv", "radius", 1e-300),
    ("tires/tmeasy_hmmwv", "damping", 1e-300),
    ("tires/tmeasy_hmmwv", "load", 1e-300),
    ("tires/tmeasy_hmmwv", "sxm", [1e-300, 1e-300]),
    ("tires/tmeasy_hmmwv", "fym", [13315.0, 10951.0]),
    ("tires/tmeasy_hmmwv", "sq0", [1.2, 1.2]),
    ("tires/tmeasy_hmmwv", "rolling_resistance", 15.0),
    ("soils/dry_sand", "k_phi", -1.0),
    ("soils/dry_sand", "k_c", -1e9),
    ("washouts/small_hexapod", "cueing.tilt_frequency", [1e5, 1e5]),
    ("washouts/small_hexapod", "cueing.high_pass_damping", [1e-4, 1e-4, 1e-4]),
    ("washouts/small_hexapod", "cueing.force_limit", [1e6, 1e6, 1e6]),
    ("maneuvers/avtp_lane_change", "pedals", {"throttle_acceleration": 1e-300}),
    ("maneuvers/avtp_lane_change", "driver", {"gain": 1e-300}),
    ("maneuvers/avtp_lane_change", "driver", {"wheelbase": 1e300}),
    ("maneuvers/avtp_lane_change", "limits", {"roll_max_deg": {"max": 1e300}}),
    ("maneuvers/avtp_lane_change", "body", {"width": 1e-300, "length": 5.0, "front": 2.0}),
    ("maneuvers/avtp_lane_change", "body", {"width": 2.0, "length": 5.0, "front": 7.0}),
    ("maneuvers/avtp_lane_change", "duration_s", 1e-300),
    ("maneuvers/avtp_lane_change", "speed", [{"at_s": 1, "speed_kph": 50, "acceleration_mps2": 1e-300}]),
]


def changed(mapping, path, value):
    mapping = copy.deepcopy(mapping)
    inside = mapping
    *above, last = path.split(".")
    for key in above:
        inside = inside[key]
    inside[last] = value
    return mapping


@pytest.mark.filterwarnings("ignore::simulator.base.errors.InertiaWarning")
@pytest.mark.parametrize(("file", "key", "value"), NONSENSE, ids=[f"{key}={value!r:.20}" for _, key, value in NONSENSE])
def test_it_is_refused_by_its_key(file, key, value):
    kind, _, name = file.rpartition("/")
    mapping = shipped_content(kind, name)
    READ[file](mapping)
    with pytest.raises(ConfigError) as caught:
        READ[file](changed(mapping, key, value))
    assert caught.value.file == "f.yaml"
    last = key.rpartition(".")[2]
    assert (
        last in caught.value.key or caught.value.key.startswith(last) or (last == "front_final_ratio" and "final_ratio" in caught.value.key)
    )
    assert str(caught.value).isprintable()


def test_zero_is_good_where_there_may_be_nothing():
    mapping = read_yaml(CONFIGS / "drivetrains/drivetrain_hmmwv.yaml")
    for key in ("engine.inertia", "driveline.driveshaft_inertia", "driveline.half_shaft_inertia", "gearbox.release_time"):
        drivetrain_from_mapping(changed(mapping["drivetrain"], key, 0.0), "f.yaml")


@pytest.mark.parametrize("name", [file.stem for file in sorted((CONFIGS / "vehicles").glob("*.yaml"))])
def test_every_shipped_vehicle_is_good(name):
    vehicle = vehicle_description(name)
    parts = shipped_content("drivetrains", str(vehicle.drivetrain))
    tires = tire_set([tire(shipped_content("tires", tires), "t") for tires in vehicle.tires])
    Vehicle(vehicle, tires, parts, "p")
