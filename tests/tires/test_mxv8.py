"""Tires of the measured passenger car tire MXV8 compared with the published formula (SAE 870421)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.builder.builder import build_tire
from simulator.configuration.file_lookup import data_folder
from vehicles.tires.steady_state import steady

PUBLISHED = {
    # C, a1 .. a8 over the load in kN, slip angle in deg, slip in percent
    "F_y": (1.30, -22.1, 1011.0, 1078.0, 1.82, 0.208, 0.0, -0.354, 0.707),
    "F_x": (1.65, -21.3, 1144.0, 49.6, 226.0, 0.069, -0.006, 0.056, 0.486),
    "M_z": (2.40, -2.72, -2.28, -1.86, -2.73, 0.110, -0.070, 0.643, -4.04),
}
"""Coefficients of Bakker, Nyborg and Pacejka (1987)."""
LOADS = (2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3)
ANGLES = np.radians(np.linspace(0.1, 25.0, 120))
SLIPS = np.linspace(0.002, 0.8, 250)


def slope(name: str, load: float) -> float:
    """Return the slope of a published curve at zero slip, per degree or percent."""
    a, F = PUBLISHED[name], 1e-3 * load
    if name == "F_y":
        return float(a[3] * np.sin(a[4] * np.arctan(a[5] * F)))
    return float((a[3] * F + a[4]) * F * np.exp(-a[5] * F))


def published(name: str, load: float, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a published curve over the slip angle [deg] or the slip [percent] x > 0."""
    C, a1, a2, _, _, _, a6, a7, a8 = PUBLISHED[name]
    F = 1e-3 * load
    D, E = (a1 * F + a2) * F, (a6 * F + a7) * F + a8
    Bx = slope(name, load) / (C * D) * x
    return np.asarray(D * np.sin(C * np.arctan(Bx - E * (Bx - np.arctan(Bx)))))


def shipped(name: str):
    return build_tire(str(data_folder("configs") / "tires" / f"{name}.yaml"))


def test_the_table_has_the_published_values() -> None:
    p = shipped("measured_mxv8").own[0]
    n, _, angles, slips = p["counts"]
    alpha, kappa = np.degrees(p["slip_angles"][:angles]), 100.0 * p["slips"][:slips]
    for k, load in enumerate(p["loads"][:n]):
        assert p["F_y"][k, 0, :angles] == pytest.approx(-np.sign(alpha) * published("F_y", load, np.abs(alpha)), abs=0.06)
        assert p["F_x"][k, :slips] == pytest.approx(np.sign(kappa) * published("F_x", load, np.abs(kappa)), abs=0.06)
        assert p["M_z"][k, 0, :angles] == pytest.approx(-np.sign(alpha) * published("M_z", load, np.abs(alpha)), abs=0.006)


@pytest.mark.parametrize("load", LOADS)
def test_tmeasy_is_within_three_percent_of_the_published_curves(load: float) -> None:
    tire = shipped("tmeasy_mxv8")
    across, along = -steady(tire, load, 0.0, ANGLES)[:, 1], -steady(tire, load, -SLIPS)[:, 0]
    F_y, F_x = published("F_y", load, np.degrees(ANGLES)), published("F_x", load, 100.0 * SLIPS)
    assert np.abs(across - F_y).max() < 0.03 * F_y.max()
    assert np.abs(along - F_x).max() < 0.03 * F_x.max()


@pytest.mark.parametrize("load", [4e3, 8e3])
def test_trail_of_tmeasy_is_the_published_one(load: float) -> None:
    small = np.array([1e-3])
    force, moment = steady(shipped("tmeasy_mxv8"), load, 0.0, small)[0, [1, 4]]
    assert -moment / force == pytest.approx(-slope("M_z", load) / slope("F_y", load), rel=0.03)
