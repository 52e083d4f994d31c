"""Does a wrong drivetrain file end in one line that names file, key, value and expectation? Do the kernels leave the heap alone?"""

import copy

import pytest
from drivetrain_rig import Bench, part_file

from simulator.base.errors import ConfigError, ConfigErrors
from vehicles.brakes.brakes import brakes_from_mapping
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping

DELETE = object()

MISTAKES = [
    ("engine.inertia", -1.0),
    ("engine.inertia", "1.1"),
    ("engine.inertia", True),
    ("engine.inertia", DELETE),
    ("engine.turbo", 1.0),
    ("engine.friction", DELETE),
    ("engine.friction.stroke", 0.0),
    ("engine.part_load", [{"throttle": t, "speed_rpm": [0, 1], "torque": [1.0, 2.0]} for t in (0.5, 0.4)]),
    ("engine.maximum.speed_rpm", 9000.0),
    ("engine.maximum", DELETE),
    ("engine.losses", {"speed_rpm": [0, 1], "torque": [0, 0]}),
    ("engine.full_throttle.torque", [1.0, 2.0]),
    ("engine.full_throttle.torque", 3.0),
    ("engine.full_throttle.speed_rpm", [2, 1, *range(3, 19)]),
    ("engine.full_throttle.speed_rpm", list(range(17)) + ["x"]),
    ("engine.full_throttle.torque", [float("nan")] * 18),
    ("engine.full_throttle.torque", [-100.0] * 18),
    ("engine.full_throttle", {"speed_rpm": list(range(70)), "torque": [-1.0] * 70}),
    ("engine.idle.throttle", 1.5),
    ("engine.idle.band_rpm", 0.0),
    ("engine", [1, 2]),
    ("engine", {1: 2, "turbo": 3.0, None: 4}),
    ("torque_converter.turbine_inertia", 0.0),
    ("torque_converter.coupling_band", 0.0),
    ("torque_converter.capacity_factor.value", [10.5, 10.5, 10.5, 0.0, 12.6, 24.5]),
    ("torque_converter.capacity_factor.speed_ratio", [0.1, 0.25, 0.5, 0.75, 0.9, 1.0]),
    ("torque_converter.overrun_capacity_factor.speed_ratio", [1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 2.0, 3.0, 4.0]),
    ("torque_converter.torque_ratio.value", [2.0, 1.8, 2.5, 1.15, 1.0]),
    ("gearbox.forward_ratios", [0.3, 0.2]),
    ("gearbox.forward_ratios", 0.3),
    ("gearbox.forward_ratios", [0.1 * k for k in range(1, 20)]),
    ("gearbox.reverse_ratio", 0.2),
    ("gearbox.downshift_rpm", [800.0, 2300.0]),
    ("gearbox.downshift_rpm", [-800.0, 1000.0]),
    ("gearbox.upshift_rpm", [1500.0]),
    ("gearbox.shift_latency", 0.1),
    ("gearbox.release_time", -0.1),
    ("driveline.front_final_ratio", 0.0),
    ("driveline.rear_box_inertia", float("inf")),
    ("driveline", DELETE),
    ("driveline.front_hub_ratio", 1.92),
    ("driveline.rear_hub_ratio", 0.3),
    ("driveline.front_differential", {"type": "torque_biasing"}),
    ("driveline.center_differential", {"type": "welded"}),
    ("driveline.reactions", "none"),
    ("transfer_case.low_ratio", 2.62),
    ("losses.gears.efficiency", [0.9, 0.9]),
    ("losses.hubs.efficiency", 1.1),
    ("clutch", {}),
]


def change(mapping, path, value):
    changed = copy.deepcopy(mapping)
    *way, last = path.split(".")
    place = changed
    for name in way:
        place = place[name]
    if value is DELETE:
        del place[last]
    else:
        place[last] = value
    return changed


@pytest.mark.parametrize(("path", "value"), MISTAKES)
def test_mistake_is_named(path, value):
    mapping = change(part_file("hmmwv")["drivetrain"], path, value)
    with pytest.raises(ConfigError) as caught:
        drivetrain_from_mapping(mapping, "car.yaml")
    text = str(caught.value)
    assert all(line.startswith("car.yaml: drivetrain.") and "expected" in line for line in text.split("\n"))
    assert path.split(".")[0] in text


def test_ratios_that_differ_are_reported_with_the_other_errors():
    mapping = change(part_file("hmmwv")["drivetrain"], "driveline.front_final_ratio", 0.3)
    with pytest.raises(ConfigErrors) as caught:
        drivetrain_from_mapping(change(mapping, "driveline.rear_box_inertia", 1e-9), "car.yaml")
    keys = {error.key for error in caught.value.errors}
    assert keys == {"drivetrain.driveline.rear_box_inertia", "drivetrain.driveline.rear_final_ratio"}


@pytest.mark.parametrize(
    ("path", "value"),
    [("max_torque", [4000.0]), ("max_torque", [4000.0, -1.0]), ("stiffness", 0.0), ("damping", -1.0), ("damping", DELETE), ("abs", 1.0)],
)
def test_mistake_in_the_brakes_is_named(path, value):
    with pytest.raises(ConfigError, match=rf"^car.yaml: brakes.{path}: "):
        brakes_from_mapping(change(part_file("hmmwv_chrono")["brakes"], path, value), "car.yaml")


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
def test_step_allocates_nothing(name):
    from numba.core import config
    from numba.core.runtime import _nrt_python, rtsys

    if config.DISABLE_JIT:
        pytest.skip("without the compiler there is no such heap")
    bench = Bench(name, 1).set(throttle=0.5, brake=0.2)
    bench.run(steps=10)
    _nrt_python.memsys_enable_stats()
    try:
        counts = []
        for steps in (10, 5000):
            before = rtsys.get_allocation_stats().alloc
            bench.run(steps=steps)
            counts.append(rtsys.get_allocation_stats().alloc - before)
    finally:
        _nrt_python.memsys_disable_stats()
    assert counts[0] == counts[1]
