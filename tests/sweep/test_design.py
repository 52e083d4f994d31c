"""Does a sweep file give the described runs in order, reproducibly, and with errors reported?"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.sweep import sweep_file
from simulator.sweep.design import Design, design, read_design, telling
from simulator.sweep.load_sweep import load_sweep

MASS, SPEED = "vehicle.chassis.mass", "maneuver.parameters.speed_kph"


def of(*vary, **more) -> Design:
    return design({"name": "s", "maneuver": "avtp_lane_change", "vary": list(vary), **more}, "s.yaml")


def sample(method="random", count=8, **keys) -> dict:
    return {"sample": {"method": method, "count": count, "of": keys or {MASS: {"distribution": "uniform", "from": 0.0, "to": 1.0}}}}


def drawn(said, count=4096, method="latin_hypercube") -> np.ndarray:
    return np.array([point[MASS] for point in of(sample(method, count, **{MASS: said})).points])


def test_a_grid_varies_its_last_key_fastest_and_blocks_follow_each_other():
    made = of(
        {"grid": {"vehicle": ["hmmwv", "hmmwv_gross"], SPEED: {"first": 40, "to": 55, "step": 10}}, "repeat": 2},
        {"list": {"terrain": ["flat", "bump"], "world.wind": [[0, 1, 0], [0, 2, 0]]}},
        {"list": [{SPEED: 30}, {"vehicle": "hmmwv_curb"}]},
        set={MASS: 2000.0},
        seed=7,
    )
    first = [{"vehicle": v, SPEED: s, "seed": n} for v in ("hmmwv", "hmmwv_gross") for s in (40, 50, 55) for n in (7, 8)]
    second = [{"terrain": "flat", "world.wind": [0, 1, 0]}, {"terrain": "bump", "world.wind": [0, 2, 0]}]
    assert list(made.points) == [*first, *second, {SPEED: 30}, {"vehicle": "hmmwv_curb"}]
    assert made.points[-1] == {"vehicle": "hmmwv_curb"} and made.points[10:13] == [*first[10:], second[0]]
    assert made.base == {"maneuver": "avtp_lane_change", MASS: 2000.0}
    assert made.varied == ["vehicle", SPEED, "seed", "terrain", "world.wind"]
    assert [(section.first, section.runs, section.how) for section in made.sections] == [
        (0, 12, "grid, 2 seeds"),
        (12, 2, "list"),
        (14, 2, "list"),
    ]
    with pytest.raises(IndexError):
        made.points[len(made.points)]


def test_the_parts_of_a_block_are_combined():
    made = of({"grid": {"vehicle": ["a", "b"]}, "list": [{SPEED: 1}, {SPEED: 2}], **sample(count=2), "repeat": [5, 3]})
    assert len(made.points) == 2 * 2 * 2 * 2
    assert [point["seed"] for point in made.points[:4]] == [5, 3, 5, 3]
    assert made.points[0][MASS] == made.points[1][MASS] == made.points[4][MASS] != made.points[2][MASS]


@pytest.mark.parametrize(("said", "numbers"), [
    ({"first": 1, "to": 8, "count": 4, "spacing": "ratio"}, [1, 2, 4, 8]),
    ({"first": 2, "to": 1, "count": 3}, [2, 1.5, 1]),
    ({"first": 2, "to": 0.5, "step": 1}, [2, 1, 0.5]),
])  # fmt: skip
def test_steps(said, numbers):
    assert [point[SPEED] for point in of({"grid": {SPEED: said}}).points] == pytest.approx(numbers)


@pytest.mark.parametrize("method", sweep_file.METHODS)
def test_samples_depend_on_the_seed_of_the_file(method):
    once, again = of(sample(method), sample(method), seed=3), of(sample(method), sample(method), seed=3)
    assert list(once.points) == list(again.points)
    assert list(of(sample(method), seed=4).points) != list(once.points)[: len(once.points) // 2]
    assert list(once.points)[: len(once.points) // 2] != list(once.points)[len(once.points) // 2 :]  # each block draws its own
    assert list(of(sample(method), seed=3).points) == list(once.points)[: len(once.points) // 2]


def test_even_methods_are_even():
    """Of a hypercube, and of Sobol's points of a power of two, every share of 1/n has one point."""
    for method in ("latin_hypercube", "sobol"):
        assert sorted(np.floor(64 * drawn({"distribution": "uniform", "from": 0.0, "to": 1.0}, 64, method))) == list(range(64))


def test_distributions_have_the_moments_of_their_formulas():
    normal = drawn({"distribution": "normal", "mean": 10.0, "deviation": 2.0})
    assert (normal.mean(), normal.std()) == pytest.approx((10.0, 2.0), rel=2e-3)
    cut = drawn({"distribution": "normal", "mean": 0.0, "deviation": 1.0, "from": 0.0, "to": 1.0})
    bell = NormalDist()
    mean = (bell.pdf(0.0) - bell.pdf(1.0)) / (bell.cdf(1.0) - bell.cdf(0.0))  # of a truncated bell
    assert cut.min() >= 0.0 and cut.max() <= 1.0 and cut.mean() == pytest.approx(mean, abs=1e-4)
    log = np.log(drawn({"distribution": "log_normal", "median": 3.0, "deviation": 0.2}))
    assert (log.mean(), log.std()) == pytest.approx((np.log(3.0), 0.2), rel=2e-3)
    triangle = drawn({"distribution": "triangular", "from": 0.0, "mode": 1.0, "to": 4.0})
    assert (triangle.mean(), triangle.var()) == pytest.approx((5.0 / 3.0, (16.0 + 1.0 - 4.0) / 18.0), rel=1e-3)
    chosen = of(sample("latin_hypercube", 400, vehicle={"distribution": "choice", "of": ["a", "b", "c"], "weights": [1, 3, 0]})).points
    assert [sum(point["vehicle"] == name for point in chosen) for name in "abc"] == [100, 300, 0]


def test_saltelli_crosses_pairs_of_points():
    keys = {name: {"distribution": "uniform", "from": 0.0, "to": 1.0} for name in (MASS, SPEED, "world.gravity")}
    made = of({**sample("saltelli", 4, **keys), "repeat": 2})
    assert len(made.points) == 4 * 5 * 2 and made.sections[0].saltelli == 4 and made.sections[0].repeats == 2
    rows = np.array([[point[name] for name in keys] for point in made.points])[::2].reshape(4, 5, 3)
    for a, b, *crossed in rows:
        assert (a != b).all()
        for k, row in enumerate(crossed):
            assert row[k] == b[k] and (np.delete(row, k) == np.delete(a, k)).all()


def test_a_count_of_sobol_that_is_no_power_of_two_gives_a_remark():
    assert not of(sample("sobol", 64)).remarks
    assert "vary[1].sample.count is 100" in of(sample("random", 100), sample("sobol", 100)).remarks[0]


def test_a_file_may_build_on_another(tmp_path):
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"base": "lane_change_grid", "seed": 5, "vehicle": "hmmwv"}), encoding="utf-8")
    made = read_design(tmp_path / "mine.yaml")
    assert made.name == "lane_change_grid" and made.base["vehicle"] == "hmmwv" and len(made.points) == 40


UNIFORM = {"distribution": "uniform", "from": 0.0, "to": 1.0}
WRONG = [
    # what is varied                                                             key of the complaint      in its text
    ({"grid": {"vehcle.chassis.mass": [1.0]}}, "vary[0].grid.vehcle.chassis.mass", "did you mean vehicle"),
    ({"grid": {"vehicle..mass": [1.0]}}, "vary[0].grid.vehicle..mass", "a key path"),
    ({"grid": {MASS: []}}, f"vary[0].grid.{MASS}", "a list"),
    ({"grid": {MASS: {"first": 1, "to": 2}}}, f"vary[0].grid.{MASS}", "one of step and count"),
    ({"grid": {MASS: {"first": 0, "to": 2, "count": 3, "spacing": "ratio"}}}, f"vary[0].grid.{MASS}.spacing", "one side of 0"),
    ({"grid": {MASS: {"first": 0, "to": 1e9, "step": 1e-9}}}, f"vary[0].grid.{MASS}.step", "at most"),
    ({"list": {MASS: [1, 2], "vehicle": ["hmmwv"]}}, "vary[0].list", "columns of equal length"),
    ({"list": [{MASS: 1}, {"wrld.gravity": 1}]}, "vary[0].list[1].wrld.gravity", "did you mean world"),
    ({"grid": {MASS: [1]}, "list": {MASS: [2]}}, f"vary[0].list.{MASS}", "grid varies it too"),
    ({"grid": {"seed": [1]}, "repeat": 3}, "vary[0].grid.seed", "repeat varies it too"),
    ({}, "vary[0]", "one or more of grid, list, sample, repeat"),
    ({"repeat": 0}, "vary[0].repeat", "from 1 to"),
    (sample(**{MASS: {"distribution": "uniform", "from": 2.0, "to": 1.0}}), f"vary[0].sample.of.{MASS}.to", "above `from`"),
    (sample(**{MASS: {"distribution": "bell", "mean": 1.0}}), f"vary[0].sample.of.{MASS}.distribution", "one of uniform"),
    (sample(**{MASS: {"distribution": "triangular", "from": 0, "mode": 3, "to": 1}}), f"vary[0].sample.of.{MASS}.mode", "from 0 to 1"),
    (sample(**{MASS: {"distribution": "normal", "mean": 0, "deviation": 1, "from": 40}}), f"vary[0].sample.of.{MASS}.from", "a probability"),
    (sample(vehicle={"distribution": "choice", "of": ["a"], "weights": [0]}), "vary[0].sample.of.vehicle.weights", "a sum above 0"),
    ({"grid": {"vehicle": ["a"]}, **sample("saltelli")}, "vary[0].sample.method", "without grid and list"),
    ({"grid": {MASS: {"first": 0, "to": 1, "count": 2000}, SPEED: {"first": 0, "to": 1, "count": 2000}}}, "vary[0]", "4000000 runs in total"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "key", "words"), WRONG, ids=[key for _, key, _ in WRONG])
def test_an_error_names_its_key(block, key, words):
    with pytest.raises(ConfigError) as caught:
        of(block)
    assert caught.value.file == "s.yaml" and caught.value.key == key and words in str(caught.value)


def test_all_errors_are_reported_at_once():
    with pytest.raises(ConfigError) as caught:
        of({"grid": {"vehcle": ["a"]}}, {"grid": {"vehicle": ["a"]}, "list": [{"vehicle": "b"}]}, set={"terain.gravity": 1})
    assert [error.key for error in caught.value.errors] == ["set.terain.gravity", "vary[0].grid.vehcle", "vary[1].list[0].vehicle"]


def test_a_check_finds_what_a_run_would(tmp_path):
    """Names that are nowhere, parameters that a maneuver does not have, numbers out of their range: each with its place in the file."""
    file = tmp_path / "mine.yaml"
    said = {
        "name": "mine",
        "maneuver": "iso_7401_step",
        "vary": [
            {"grid": {"vehicle": ["hmmwv", "hmwv"]}},
            {"list": [{"terrain": "flat"}, {"maneuver.parameters.sped_kph": 60}]},
            {"sample": {"method": "random", "count": 3, "of": {"vehicle.chassis.mass": {"distribution": "uniform", "from": -5, "to": -1}}}},
        ],
    }
    file.write_text(yaml.safe_dump(said), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_sweep(file)
    told = {error.key: str(error) for error in caught.value.errors}
    assert set(told) == {
        "vary[0].grid.vehicle",
        "vary[1].list[1].maneuver.parameters.sped_kph",
        "vary[2].sample.of.vehicle.chassis.mass",
    }
    assert "mine.yaml:5: " in told["vary[0].grid.vehicle"] and "did you mean hmmwv" in told["vary[0].grid.vehicle"]


def test_a_check_tries_the_extremes_of_each_number(tmp_path):
    """A gravity in the range of its key, under which the vehicle has no equilibrium, as at the start of the sweep."""
    file = tmp_path / "mine.yaml"
    vary = [{"grid": {"world.gravity": [9.81, 40.0, 20.0]}}]
    file.write_text(yaml.safe_dump({"name": "mine", "maneuver": "iso_7401_step", "vary": vary}), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"load_max of the tires .*; got '40 m/s2") as caught:
        load_sweep(file)
    assert caught.value.key == "vary[0].grid.world.gravity"


def test_few_runs_of_a_sweep_are_checked():
    made = of({"grid": {"vehicle": ["a", "b"], SPEED: {"first": 0, "to": 99, "step": 1}}}, {"list": [{"terrain": "c"}, {SPEED: -1}]})
    assert telling(made.points) == [0, 99, 100, 200, 201]
