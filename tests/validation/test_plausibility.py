"""Does a check warn about vehicles that cannot be right, and not about those that are?"""

from __future__ import annotations

import pytest

from simulator.validation.datasheet.plausibility import (
    MAX_TOE,
    MIN_TRAVEL,
    _damping,
    _outside,
    _toe,
    _travel,
    plausibility_remarks,
)


def test_a_shipped_vehicle_gives_no_warning():
    from simulator.builder.builder import build_vehicle

    assert plausibility_remarks(build_vehicle("hmmwv")) == []


def test_dampers_without_force_and_exchanged_inertias():
    from simulator.api.loading import load_vehicle

    vehicle = load_vehicle("hmmwv", {"chassis.inertia": [3000.0, 1000.0, 3000.0]})
    assert any("roll inertia" in remark and "exchanged" in remark for remark in plausibility_remarks(vehicle))


@pytest.mark.parametrize(
    ("find", "numbers", "words"),
    [
        (_damping, {"bounce_damping": 0.02}, "damping of bounce is 2.0 %"),
        (_damping, {"wheel_hop_damping_least": 0.01}, "wheel hop"),
        (_travel, {"travel_used_front": 1.0 - 0.5 * MIN_TRAVEL}, "front travel is used up"),
        (_toe, {"toe_rear_left": -1.1 * MAX_TOE}, "toe of the rear wheels is 1.10 degrees"),
        (_outside, {"wheelbase": 2600.0}, "in mm"),
        (_outside, {"spring_rate": 25.0}, "N/mm"),
        (_outside, {"road_wheel_angle_inner": 35.0}, "degrees"),
    ],
)
def test_what_is_warned_about(find, numbers, words):
    (remark,) = find(numbers)
    assert words in remark


@pytest.mark.parametrize(
    ("find", "numbers"),
    [(_damping, {"bounce_damping": 0.06}), (_travel, {"travel_used_front": 0.4}), (_toe, {}), (_outside, {"wheelbase": 2.6})],
)
def test_what_is_usual_is_not(find, numbers):
    assert list(find(numbers)) == []
