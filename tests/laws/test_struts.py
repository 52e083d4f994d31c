"""Are the forces of springs, stops and dampers continuous, opposed to the motion, and those of the shipped tables?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.base.records import Record
from simulator.builder.builder import vehicle_description
from vehicles.suspension.springs_and_dampers import damper_force, spring_force, stop_force

VEHICLES = {name: vehicle_description(name).mechanism.struts for name in ("hmmwv", "hmmwv_chrono")}
STRUTS = VEHICLES["hmmwv"]
corners = st.integers(0, 3)
lengths = st.floats(0.05, 0.6)
rates = st.floats(-5.0, 5.0)
vehicles = st.sampled_from(sorted(VEHICLES))


def travel(p: Record, i: int, margin: float = 0.0) -> tuple[float, float]:
    """Spring lengths between the stops."""
    return p[0]["bump_stop_length"][i] + margin, p[0]["rebound_stop_length"][i] - margin


@given(vehicles, corners, lengths)
def test_spring_and_stops_are_continuous(vehicle: str, i: int, length: float) -> None:
    step = 1e-9
    assert spring_force(VEHICLES[vehicle], i, length + step) == pytest.approx(spring_force(VEHICLES[vehicle], i, length), abs=0.1)


@given(vehicles, corners, lengths, rates)
def test_damper_is_continuous_over_length_and_rate(vehicle: str, i: int, length: float, rate: float) -> None:
    p, step = VEHICLES[vehicle], 1e-9
    force = damper_force(p, i, length, rate)
    assert damper_force(p, i, length + step, rate) == pytest.approx(force, abs=5.0)
    assert damper_force(p, i, length, rate + step) == pytest.approx(force, abs=1e-3)


@given(corners, lengths, lengths)
def test_a_longer_spring_never_pushes_harder(i: int, one: float, other: float) -> None:
    assert spring_force(STRUTS, i, max(one, other)) <= spring_force(STRUTS, i, min(one, other)) + 1e-9


@given(vehicles, corners, lengths, rates)
def test_damper_opposes_the_motion(vehicle: str, i: int, length: float, rate: float) -> None:
    assert damper_force(VEHICLES[vehicle], i, length, rate) * rate <= 0.0
    assert damper_force(VEHICLES[vehicle], i, length, 0.0) == 0.0


@given(vehicles, st.sampled_from([0, 2]), lengths, rates)
def test_left_and_right_are_the_same(vehicle: str, i: int, length: float, rate: float) -> None:
    p = VEHICLES[vehicle]
    assert spring_force(p, i, length) == spring_force(p, i + 1, length)
    assert damper_force(p, i, length, rate) == damper_force(p, i + 1, length, rate)


@given(vehicles, corners, st.floats(-0.2, 0.5))
def test_stops_push_only_when_touched_and_ever_harder(vehicle: str, i: int, penetration: float) -> None:
    p = VEHICLES[vehicle]
    force = stop_force(p, i, penetration)
    assert force == 0.0 if penetration <= 0.0 else force > 0.0
    assert stop_force(p, i, penetration + 1e-3) >= force


def spring(p: Record, i: int, length: float) -> float:
    """Pull of the spring alone: its rate, and its table if it has one."""
    s = p[0]
    n, x = s["spring_points"][i], length - s["spring_free_length"][i]
    table = np.interp(x, s["spring_deformation"][i, :n], s["spring_pull"][i, :n]) if n else 0.0
    return float(table + s["spring_rate"][i] * x)


@pytest.mark.parametrize("vehicle", sorted(VEHICLES))
@pytest.mark.parametrize("i", range(4))
def test_between_the_stops_only_the_spring_acts(i: int, vehicle: str) -> None:
    p = VEHICLES[vehicle]
    for length in np.linspace(*travel(p, i), 40):
        assert spring_force(p, i, length) == pytest.approx(-spring(p, i, length), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("i", range(4))
def test_each_stop_acts_on_its_own_side(i: int) -> None:
    short, long = travel(STRUTS, i)

    def beyond_the_spring(length: float) -> float:
        return spring_force(STRUTS, i, length) + spring(STRUTS, i, length)

    for depth in (0.0005, 0.0025, 0.0075, 0.0225, 0.03, 0.04):
        expected = np.interp(2.0 * depth, [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06], [0, 1000, 2500, 4500, 7500, 12500, 125000])
        expected += 1.2e7 * max(depth - 0.03, 0.0)
        assert beyond_the_spring(short - depth) == pytest.approx(expected, rel=1e-9)
        assert beyond_the_spring(long + depth) == pytest.approx(-expected, rel=1e-9)


@pytest.mark.parametrize("i", range(4))
def test_damping_changes_at_the_ends_of_the_stroke(i: int) -> None:
    s = STRUTS[0]
    blend = s["midstroke_blend"][i]
    middle = 0.5 * (s["midstroke_min"][i] + s["midstroke_max"][i])
    for length, end in ((middle, ""), (s["midstroke_min"][i] - blend, "_end"), (s["midstroke_max"][i] + blend, "_end")):
        assert damper_force(STRUTS, i, length, 0.3) == pytest.approx(-0.3 * s[f"rebound_damping{end}"][i], rel=1e-12)
        assert damper_force(STRUTS, i, length, -0.3) == pytest.approx(0.3 * s[f"compression_damping{end}"][i], rel=1e-12)
    half = 0.5 * (s["rebound_damping"][i] + s["rebound_damping_end"][i])
    assert damper_force(STRUTS, i, s["midstroke_min"][i], 0.3) == pytest.approx(-0.3 * half, rel=1e-12)
