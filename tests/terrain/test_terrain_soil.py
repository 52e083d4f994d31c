"""Are soils read strictly, and is the transition between soils continuous?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.records import record
from terrain.ground import GROUND, soil_under
from terrain.soil import REFERENCE_SINKAGE, SOIL, soil, surface_on_soil

FIELDS = [row[0] for row in SOIL]


def ground(hardness, ids, spacing=1.0):
    p = record(GROUND)
    p[0]["spacing"] = spacing
    return p, np.asarray(hardness, np.float32), np.asarray(ids, np.uint8)


def pair(soils, first, second):
    return np.concatenate([soil(soils[first], first), soil(soils[second], second)])


def along(p, hardness, ids, rows, x, y=2.0):
    """Return records at many points of a line."""
    out = record(SOIL, len(x))
    for k, px in enumerate(x):
        soil_under(p, hardness, ids, rows, px, y, out[k : k + 1])
    return out


def test_shipped_soils_have_the_published_numbers(soils):
    published = {  # Wong 2008: n, k_c in kN/m^(n+1), k_phi in kN/m^(n+2), cohesion in kPa, friction angle in degrees
        "dry_sand": (1.1, 0.99, 1528.43, 1.04, 28.0),
        "lete_sand": (0.79, 102.0, 5301.0, 1.3, 31.1),
        "sandy_loam": (1.10, 74.6, 2080.0, 3.3, 33.7),
        "clayey_loam": (0.73, 41.6, 2471.0, 6.1, 26.6),
    }
    for name, (n, k_c, k_phi, c, phi) in published.items():
        s = soil(soils[name], name)[0]
        assert (s["hardness"], s["n"]) == (0.0, n)
        np.testing.assert_allclose([s["k_c"], s["k_phi"], s["cohesion"]], [1e3 * k_c, 1e3 * k_phi, 1e3 * c], rtol=1e-12)
        assert s["friction_angle"] == pytest.approx(np.radians(phi))
    for name in ("asphalt", "gravel"):
        assert soil(soils[name], name)[0]["hardness"] == 1.0


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"n": -1.0}, "n"),
        ({"n": "0.79"}, "n"),
        ({"cohesion": float("nan")}, "cohesion"),
        ({"friction_angle_deg": 95.0}, "friction_angle_deg"),
        ({"shear_modulus": 0.0}, "shear_modulus"),
        ({"exit_ratio": 0.3}, "exit_ratio"),
        ({"c1": 0.8, "c2": 0.8}, "c2"),
        ({"type": "mud"}, "type"),
        ({"paint": 3.0}, "paint"),
    ],
)
def test_a_wrong_number_is_named(soils, change, key):
    with pytest.raises(ConfigError, match=rf"lete\.yaml: {key}: "):
        soil({**soils["lete_sand"], **change}, "lete.yaml")


def test_a_missing_row_is_named(soils):
    with pytest.raises(ConfigError, match="k_phi"):
        soil({key: value for key, value in soils["lete_sand"].items() if key != "k_phi"}, "lete.yaml")


@pytest.mark.parametrize("nonsense", [None, [], "sand", 3])
def test_a_soil_is_a_mapping(nonsense):
    with pytest.raises(ConfigError):
        soil(nonsense, "x.yaml")


def test_one_soil_everywhere_is_that_soil_exactly(soils):
    rows = pair(soils, "lete_sand", "dry_sand")
    p, hardness, ids = ground(np.zeros((5, 6)), np.ones((5, 6)))
    out = along(p, hardness, ids, rows, np.linspace(-50.0, 50.0, 41))
    assert (out == rows[1]).all()


def test_a_change_of_soil_is_monotone_smooth_and_two_cells_wide(soils):
    rows = pair(soils, "dry_sand", "clayey_loam")
    p, hardness, ids = ground(np.zeros((5, 12)), np.repeat([[0] * 6 + [1] * 6], 5, axis=0))
    x = np.arange(0.0, 11.0, 0.01)
    out = along(p, hardness, ids, rows, x)
    for name in FIELDS[1:]:
        values, ends = out[name], (rows[0][name], rows[1][name])
        assert values[x < 4.49] == pytest.approx(ends[0], rel=1e-12)
        assert values[x > 6.51] == pytest.approx(ends[1], rel=1e-12)
        if name in ("k_c", "k_phi"):
            values = values * REFERENCE_SINKAGE ** out["n"]
            ends = tuple(row[name] * REFERENCE_SINKAGE ** row["n"] for row in rows)
        span = ends[1] - ends[0]
        if span == 0.0:
            continue
        share = (values - ends[0]) / span
        assert np.diff(share).min() > -1e-12
        assert np.diff(share).max() < 0.0101
        assert np.abs(np.diff(share, 2)).max() < 2e-4


def test_rounding_is_not_visible_at_the_start_of_a_blend(soils):
    rows = pair(soils, "dry_sand", "clayey_loam")
    p, hardness, ids = ground(np.zeros((5, 12)), np.repeat([[0] * 6 + [1] * 6], 5, axis=0))
    out = along(p, hardness, ids, rows, np.array((4.5 - 1e-9, 4.5, 4.5 + 1e-9)))
    for name in FIELDS[1:]:
        assert out[name] == pytest.approx(rows[0][name], rel=1e-12)


def test_hardness_stays_between_0_and_1_and_is_smooth():
    rng = np.random.default_rng(3)
    p, hardness, ids = ground((rng.random((6, 20)) > 0.5).astype(float), np.zeros((6, 20)))
    x = np.arange(-2.0, 22.0, 0.01)
    values = along(p, hardness, ids, record(SOIL), x, y=2.3)["hardness"]
    assert values.min() >= 0.0
    assert values.max() <= 1.0
    assert np.abs(np.diff(values, 2)).max() < 2.1e-4


def test_soil_is_defined_everywhere(soils):
    rows = pair(soils, "dry_sand", "clayey_loam")
    p, hardness, ids = ground(np.zeros((4, 4)), np.eye(4))
    for q in (-1e300, -1e7, 1e7, 1e300):
        out = along(p, hardness, ids, rows, np.array([q, 1.0]), y=q)
        assert all(np.isfinite(out[name]).all() for name in FIELDS)


def test_a_hard_surface_carries_the_soil_it_fades_into(soils):
    asphalt, sand = soil(soils["asphalt"], ""), soil(soils["dry_sand"], "")
    both = surface_on_soil(asphalt, sand)[0]
    assert (both["hardness"], both["friction"]) == (1.0, asphalt[0]["friction"])
    assert all(both[name] == sand[0][name] for name in FIELDS[2:])
