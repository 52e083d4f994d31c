"""Are the errors of a GNSS receiver those of its numbers, and does it lose its fix where it cannot see the sky?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from simulator.sensors.gnss_model import GnssFix, GnssModel
from simulator.sensors.gnss_sky import SATELLITES, dilution, sky
from simulator.sensors.nmea import NO_FIX, RTK_FIXED, RTK_FLOAT, SINGLE
from terrain.geodesy import LocalFrame

FRAME = LocalFrame(math.radians(47.0), math.radians(8.0), 400.0)
PERFECT = {
    **{f"{axis}_{name}": 0.0 for axis in ("horizontal", "vertical") for name in ("error", "noise", "velocity_error")},
    "error_time": 100.0, "velocity_time": 1.0, "mask_angle": math.radians(10.0), "service": "single", "float_error": 0.3, "convergence_time": 10.0,
}  # fmt: skip


def model(period: float = 1.0, seed: int = 1, **said: Any) -> GnssModel:
    return GnssModel({**PERFECT, **said}, FRAME, period, np.random.default_rng(seed))


def local(fix: GnssFix) -> np.ndarray:
    return FRAME.point(fix.latitude, fix.longitude, fix.altitude)


def seen(count: int) -> np.ndarray:
    """Return that the antenna sees some satellites spread over the sky."""
    out = np.zeros(SATELLITES, bool)
    out[np.linspace(0, SATELLITES - 1, count).round().astype(int)] = True
    return out


def test_the_satellites_are_above_the_mask_and_all_around() -> None:
    directions = sky(math.radians(10.0))
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(SATELLITES))
    assert np.degrees(np.arcsin(directions[:, 2])).min() > 10.0
    azimuths = np.sort(np.degrees(np.arctan2(directions[:, 1], directions[:, 0])))
    assert np.diff(azimuths).max() < 60.0


def test_the_dilution_is_that_of_a_known_geometry() -> None:
    """One satellite in the zenith and three on the horizon, 120 degrees apart: HDOP = sqrt(4/3), VDOP = sqrt(4/3) (Kaplan, by hand)."""
    a = np.radians([0.0, 120.0, 240.0])
    found = dilution(np.vstack(([0.0, 0.0, 1.0], np.column_stack((np.cos(a), np.sin(a), np.zeros(3))))))
    assert found.horizontal == pytest.approx(math.sqrt(4.0 / 3.0))
    assert found.vertical == pytest.approx(math.sqrt(4.0 / 3.0))
    assert dilution(sky(0.2)[:3]).position == math.inf
    assert dilution(np.tile([0.0, 0.0, 1.0], (6, 1))).position == math.inf


def test_a_receiver_without_errors_is_exact() -> None:
    fix = model().fix(np.array((120.0, -40.0, 3.0)), np.array((3.0, 4.0, 0.1)), seen(SATELLITES))
    assert local(fix) == pytest.approx([120.0, -40.0, 3.0], abs=1e-6)
    assert fix.velocity == pytest.approx([3.0, 4.0, 0.1], abs=1e-3)
    assert (fix.quality, fix.satellites) == (SINGLE, SATELLITES)


@pytest.mark.slow
def test_errors_have_their_deviation_and_their_correlation_time() -> None:
    said = {"horizontal_error": 1.2, "vertical_error": 2.0, "horizontal_noise": 0.3, "error_time": 20.0, "horizontal_velocity_error": 0.05}
    receiver, n = model(**said), 20_000
    fixes = [receiver.fix(np.zeros(3), np.zeros(3), seen(SATELLITES)) for _ in range(n)]
    places, speeds = np.array([local(fix) for fix in fixes]), np.array([fix.velocity for fix in fixes])
    few = 4.0 * math.sqrt(20.0 / n)  # relative error of a standard deviation, four times
    assert places.std(axis=0) == pytest.approx([math.hypot(1.2, 0.3), math.hypot(1.2, 0.3), 2.0], rel=few)
    lag = [float(np.mean(places[k:, 2] * places[: n - k, 2])) / 4.0 for k in (20, 60)]
    assert lag == pytest.approx([math.exp(-1.0), math.exp(-3.0)], abs=0.12)
    assert speeds[:, :2].std(axis=0) == pytest.approx([0.05, 0.05], rel=0.05)
    assert fixes[0].deviation == pytest.approx([math.hypot(1.2, 0.3), math.hypot(1.2, 0.3), 2.0])


@pytest.mark.slow
def test_fewer_satellites_give_larger_errors_and_below_four_there_is_no_fix() -> None:
    spread = []
    for count in (12, 8, 5):
        receiver = model(horizontal_noise=1.0)
        fixes = [receiver.fix(np.zeros(3), np.zeros(3), seen(count)) for _ in range(3000)]
        spread.append(float(np.std([local(fix)[:2] for fix in fixes])))
        opened = dilution(receiver.satellites).horizontal
        assert spread[-1] == pytest.approx(dilution(receiver.satellites[seen(count)]).horizontal / opened, rel=0.05)
    assert spread[0] < spread[1] < spread[2]
    lost = model().fix(np.zeros(3), np.zeros(3), seen(3))
    assert (lost.quality, lost.satellites) == (NO_FIX, 3)
    assert math.isnan(lost.latitude)
    assert np.isnan(lost.velocity).all()


def test_rtk_floats_after_it_has_lost_satellites_and_is_fixed_again_after_the_convergence_time() -> None:
    receiver, sees = model(service="rtk", horizontal_error=0.01), [12, 12, 5, *[12] * 12]
    fixes = [receiver.fix(np.zeros(3), np.zeros(3), seen(count)) for count in sees]
    assert [fix.quality for fix in fixes] == [RTK_FIXED] * 2 + [RTK_FLOAT] * 10 + [RTK_FIXED] * 3
    assert fixes[5].deviation[0] == pytest.approx(0.3)
    assert fixes[-1].deviation[0] == pytest.approx(0.01)
