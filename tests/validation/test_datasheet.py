"""Datasheets of vehicles: the items, static values compared with independent ones, failing runs, the page and the command."""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simulator import load_ground, load_vehicle
from simulator.api.loading import assemble
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import data_folder
from simulator.maneuvers.metrics import METRICS
from simulator.run.series import load_series, series_file
from simulator.validation.datasheet.definitions import CASES, ITEMS, AtHighest, Case, Metric, StaticState
from simulator.validation.datasheet.evaluate import ItemValue, cases_of, measure
from simulator.validation.datasheet.page import TITLE, WIDTH, Facts, deviations, to_dict, to_markdown, to_text
from simulator.validation.datasheet.published_file import Figure, load_published, published_of
from simulator.validation.datasheet.run_cases import CaseRun, Drives
from simulator.validation.datasheet.side_by_side import comparison_to_markdown
from simulator.validation.datasheet.static_values import static_values_of

BY_NAME = {fact.name: fact for fact in ITEMS}
KEYS = {
    "fact", "group", "title", "value", "unit", "shown", "shown_unit", "verdict", "reason", "published", "from", "meaning",
}  # fmt: skip


@pytest.fixture(scope="module")
def vehicle():
    return load_vehicle("hmmwv")


@pytest.fixture(scope="module")
def found(vehicle):
    return static_values_of(vehicle, load_ground("flat"))


# ---- the table ----


def test_names_and_titles():
    assert len(BY_NAME) == len(ITEMS)
    for fact in ITEMS:
        assert len(fact.title) <= TITLE and len(fact.shown_unit) <= 8, fact.name
        assert fact.factor > 0.0
    assert {case for fact in ITEMS for case in cases_of(fact)} == set(CASES)


@cache
def metrics_of(name):
    """Names and SI units of all metrics of a case, by maneuver."""
    case = CASES[name]
    changes = {"maneuver.metrics": [dict(metric) for metric in case.metrics]} if case.metrics else {}
    out = {}
    for maneuver in load_series(series_file(case.run)).maneuvers if case.series else [case.run]:
        asked = assemble({"vehicle": "hmmwv", "maneuver": maneuver}, changes).maneuver.requested_analyses
        own = {metric.name: metric.unit for metric in METRICS}
        out[maneuver] = own | {metric.name: metric.unit for one in asked for metric in one.metrics}
    return out


@pytest.mark.parametrize("fact", [fact for fact in ITEMS if isinstance(fact.source, Metric | AtHighest)], ids=lambda fact: fact.name)
def test_the_metric_of_an_item_exists_in_its_cases(fact):
    for name in cases_of(fact):
        known = metrics_of(name)
        wanted = getattr(fact.source, "maneuver", "") or next(iter(known))
        assert known[wanted].get(fact.source.name) == fact.unit


# ---- the standing vehicle ----


def test_all_static_items_of_the_shipped_vehicle_have_values(found):
    assert found.troubles == []
    assert set(found.numbers) == {fact.name for fact in ITEMS if isinstance(fact.source, StaticState)}


def test_mass_and_loads(vehicle, found):
    # bodies of configs/vehicles/hmmwv.yaml: chassis, crew and cargo, and seven a corner with its wheel
    corner = 23.965 + 5.813 + 16.45 + 3.0 + 6.0 + 4.0 + 3.0 + 71.105
    assert found.numbers["mass_unladen"] == pytest.approx(1817.0 + 4.0 * corner, abs=1e-6)
    assert found.numbers["load"] == pytest.approx(2 * 90.0 + 400.0, abs=1e-9)
    assert found.numbers["mass"] == pytest.approx(1817.0 + 580.0 + 4.0 * corner, abs=1e-6)
    assert found.numbers["axle_load_front"] + found.numbers["axle_load_rear"] == pytest.approx(found.numbers["mass"], rel=1e-9)
    vehicle.reset(load_ground("flat"))
    loads = vehicle.readout[0]["F_C"][:, 2]
    assert found.numbers["axle_load_front"] == pytest.approx((loads[0] + loads[1]) / 9.80665, rel=1e-9)
    assert found.numbers["front_share"] == pytest.approx((loads[0] + loads[1]) / loads.sum(), rel=1e-9)


def test_alignment(vehicle, found):
    vehicle.reset(load_ground("flat"))
    readout = vehicle.readout[0]
    # toe-in of a left wheel: its plane turned to the right; from the carrier's axle, not from the heading that the readout has
    for i, (name, inward) in enumerate((("front_left", -1), ("front_right", 1), ("rear_left", -1), ("rear_right", 1))):
        axle = readout["R_BK"][i][:, 1]
        assert found.numbers[f"toe_{name}"] == pytest.approx(inward * math.atan2(-axle[0], axle[1]), abs=1e-9)
        top_outward = -inward * -math.atan2(axle[2], math.hypot(axle[0], axle[1]))
        assert abs(found.numbers[f"camber_{name}"]) == pytest.approx(abs(top_outward), abs=1e-3)
    assert found.numbers["wheelbase"] == pytest.approx(readout["p_BK"][0, 0] - readout["p_BK"][2, 0])
    assert found.numbers["track_front"] == pytest.approx(readout["p_WC"][0, 1] - readout["p_WC"][1, 1])


def test_positions_in_the_travel(vehicle, found):
    numbers = found.numbers
    vehicle.reset(load_ground("flat"))
    rest = vehicle.readout[0]["jounce"]
    for end, i in (("front", 0), ("rear", 2)):
        whole = numbers[f"bump_travel_{end}"] + numbers[f"rebound_travel_{end}"]
        assert numbers[f"travel_used_{end}"] == pytest.approx(numbers[f"rebound_travel_{end}"] / whole)
        assert numbers[f"rebound_share_{end}"] == pytest.approx(numbers[f"rebound_travel_{end}"] / numbers[f"bump_travel_{end}"])
        assert numbers[f"jounce_{end}"] == pytest.approx(rest[i])
        assert 0.0 < numbers[f"travel_used_{end}"] < 1.0
    stop = vehicle.model.struts[0]["rebound_stop_length"]
    assert numbers["rebound_stop_rear"] == pytest.approx(vehicle.readout[0]["spring_length"][2] - stop[2])


def test_bounce_and_wheel_hop_are_near_those_of_a_quarter_car(vehicle, found):
    """Two masses on two springs, which are linear and far from their stops, at lever ratios of 0.45 and 0.44."""
    rates = np.array([167062.0, 255000.0]) * np.array([0.45, 0.44]) ** 2
    tire, unsprung = 411e3, 105.0
    low, high = [], []
    for rate, load in zip(rates, (found.numbers["axle_load_front"], found.numbers["axle_load_rear"]), strict=True):
        M, K = np.diag([0.5 * load - unsprung, unsprung]), np.array([[rate, -rate], [-rate, rate + tire]])
        squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
        low.append(math.sqrt(squares[0]))
        high.append(math.sqrt(squares[1]))
    assert found.numbers["bounce_frequency"] == pytest.approx(np.mean(low), rel=0.15)
    assert found.numbers["wheel_hop_frequency_least"] == pytest.approx(min(high), rel=0.2)
    assert found.numbers["wheel_hop_frequency_most"] == pytest.approx(max(high), rel=0.2)
    for name in ("bounce", "pitch", "roll"):
        assert 0.0 < found.numbers[f"{name}_damping"] < 1.0


def test_steering(vehicle, found):
    numbers = found.numbers
    assert numbers["steering_turns"] == pytest.approx(2.0 * 33.4 * 14.2 / 360.0)  # max_arm_angle_deg and gear_ratio of the file
    # the outer wheel of a turn about one point on the rear axle's line turns less than the inner one
    assert numbers["road_wheel_angle_outer"] < numbers["road_wheel_angle_inner"]
    slope = numbers["steering_turns"] * math.pi / (0.5 * (numbers["road_wheel_angle_outer"] + numbers["road_wheel_angle_inner"]))
    assert numbers["steering_ratio"] == pytest.approx(slope, rel=0.1)


# ---- drives ----


def test_equal_runs_are_executed_once(monkeypatch):
    driven = []
    drives = Drives("hmmwv", {}, lambda case, run: driven.append(run))
    first, again = drives.result("creep"), drives.result("creep")
    assert first is again and driven == ["creep"]
    (run,) = first.runs
    # 650 rpm of the idling engine, a speed ratio of 0.8 over its converter, 13.0 : 1 from there to the wheels in first gear, of 0.46 m
    assert run.passed is None and run.reason == ""
    assert run.metrics["creep_speed_mps"] == pytest.approx(0.8 * 650 / 60 * math.tau / (2.48 * 2.73 * 1.92) * 0.46, abs=0.1)


def test_a_series_uses_its_results_and_runs_of_another_one(monkeypatch):
    told = []
    drives = Drives("hmmwv", {}, lambda case, run: told.append(run))
    monkeypatch.setattr(drives, "_simulate", pretended)
    result = drives.result("fmvss_126")
    assert result.reason == ""
    angles = {run.run.parameters["angle_deg"] for run in result.runs if run.run.maneuver == "sine_with_dwell"}
    assert min(angles) == pytest.approx(1.5 * 40.0) and max(angles) == pytest.approx(270.0)
    steers = [run for run in result.runs if run.run.maneuver == "slowly_increasing_steer"]
    assert len(steers) == 6 and sum("slowly_increasing_steer" in run for run in told) == 2
    before = len(told)
    drives.result("fishhook")
    assert not any("slowly_increasing_steer" in run for run in told[before:])


def pretended(run, terrain, changes):
    """A run of which nothing was simulated."""
    return CaseRun(run, True, {"steering_angle_at_level_deg": 40.0, "steering_angle_at_level_rad": 0.7})


def by_name(*names):
    return [BY_NAME[name] for name in names]


def test_a_failed_maneuver_is_a_reason_and_the_others_continue(monkeypatch):
    monkeypatch.setitem(CASES, "creep", Case("no_such_maneuver"))
    monkeypatch.setitem(CASES, "climb_10", Case("climb_10", {"throttle": 7.0}))
    mass, creep, grade, clear = measure("hmmwv", by_name("mass", "creep_speed", "grade_10", "width"), None)
    assert mass.verdict == clear.verdict == "no figure"
    assert (creep.value, creep.verdict) == (None, "no number") and "no_such_maneuver" in creep.reason
    assert (grade.value, grade.verdict) == (None, "no number") and "throttle" in grade.reason
    assert clear.value == 2.18


def test_a_missing_metric_is_named(monkeypatch):
    monkeypatch.setattr(Drives, "_simulate", lambda self, run, terrain, changes: CaseRun(run, None, {"creep_speed_mps": None}))
    (creep,) = measure("hmmwv", by_name("creep_speed"), None)
    assert (creep.value, creep.reason) == (None, "no creep speed in creep")


def test_a_case_that_cannot_run_has_a_reason(monkeypatch):
    def refuse(self, run, terrain, changes):
        return CaseRun(run, False, {}, "the road is closed")

    monkeypatch.setattr(Drives, "_simulate", refuse)
    names = ("creep_speed", "grade_60", "avtp_speed_left", "stop_best", "yaw_response_time", "fmvss_126")
    for row in measure("hmmwv", by_name(*names), None):
        assert row.value is None and "the road is closed" in row.reason, row.fact.name


def test_a_search_that_ends_at_its_end_says_so(monkeypatch):
    monkeypatch.setattr(Drives, "_simulate", lambda self, run, terrain, changes: CaseRun(run, True, {"stopping_distance_m": 60.0}))
    pedal, best = measure("hmmwv", by_name("stop_best_pedal", "stop_best"), None)
    assert (pedal.value, pedal.reason) == (1.0, "the highest tried")
    assert best.value == 60.0


def test_a_search_that_passes_at_its_beginning_alone_says_so(monkeypatch):
    def only_slow(self, run, terrain, changes):
        return CaseRun(run, run.parameters["speed_kph"] <= 30.0, {})

    monkeypatch.setattr(Drives, "_simulate", only_slow)
    left, right = measure("hmmwv", by_name("avtp_speed_left", "avtp_speed_right"), None)
    assert left.value == right.value == pytest.approx(30.0 / 3.6)
    assert left.reason == right.reason == "the lowest tried"


# ---- what is made of them ----


def test_a_vehicle_that_reaches_the_end_of_the_test_has_at_least_this_value():
    item = BY_NAME["lateral_acceleration_left"]
    phases = {phase["name"]: phase for phase in read_yaml(data_folder("configs") / "maneuvers/iso_4138_constant_speed.yaml")["phases"]}
    assert phases["turn"]["until"][0]["beyond_g"] * 9.80665 == item.test_end
    figure = Figure(None, 1.6 * 9.80665, 1.8 * 9.80665, (), "mem", "", "1.6 to 1.8 g")
    ended, limited, above = (ItemValue(item, g * 9.80665, "", figure) for g in (1.495, 0.7, 1.9))
    assert (ended.shown, ended.verdict) == (">= 1.495", "not reached")
    assert (limited.shown, limited.verdict) == ("0.7", "outside")
    assert above.verdict == "outside"


def test_a_steady_turn_goes_on_to_the_limit_of_the_vehicle():
    """The paper's sedan reaches 0.91 g; its curve of the steering angle over the acceleration is vertical there."""
    side = measure("sedan_paper", by_name("lateral_acceleration_left"), None)[0]
    assert side.value is not None
    assert side.shown[0] != ">" and 0.85 * 9.80665 < side.value < 0.98 * 9.80665


def rows_of(values, figures=None):
    return [
        ItemValue(BY_NAME[name], value, "" if value is not None else "it fell over", (figures or {}).get(name))
        for name, value in values.items()
    ]


SHIPPED = published_of("hmmwv")
SOME = {"mass": 3700.0, "turning_circle_curb_left": 16.2, "grade_60": 0.0, "toe_front_left": 0.001, "creep_speed": None, "top_speed": 30.0}


@pytest.fixture
def page():
    published = load_published(SHIPPED)
    return Facts("hmmwv", "HMMWV", rows_of(SOME, published.figures), published)


def test_deviations_in_text(page):
    said = deviations(page)
    assert "turning, curb to curb, left: published 15.24 m, simulated 16.2 m" in said
    assert "60 % from rest, full throttle: published climbed, simulated rolled back" in said
    assert len(said) == 3  # mass, turning circle, grade; toe and top speed are within
    verdicts = {row.fact.name: row.verdict for row in page.rows}
    assert verdicts["toe_front_left"] == verdicts["top_speed"] == "within" and verdicts["creep_speed"] == "no number"


def test_the_object_keeps_its_keys(page):
    told = to_dict(page)
    assert set(told) == {"vehicle", "title", "left_out", "exceptions", "note", "published", "verdicts", "facts"}
    assert told["published"] == {"file": "hmmwv", "vehicle": "HMMWV (M998)"}
    assert told["verdicts"] == {"within": 2, "outside": 3, "not_reached": 0, "no_figure": 0, "no_number": 1}
    for row in told["facts"]:
        assert set(row) == KEYS
        assert row["published"] is None or set(row["published"]) == {"value", "least", "most", "mark", "remark", "sources"}
    json.dumps(told, allow_nan=False)


def test_the_page_has_every_item_its_verdict_and_its_sources(page):
    text = to_markdown(page)
    for row in page.rows:
        assert f"`{row.fact.name}`" in text
    assert "| **outside** |" in text and "- (it fell over)" in text
    assert "1. HMMWV data sheet" in text and "Searched in: fact sheets" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in tables} == {7}


def test_a_vehicle_without_figures():
    page = Facts("truck", "a truck", rows_of(SOME), None)
    assert "no published figures" in to_markdown(page) and "no published figures" in to_text(page)
    assert "none found" not in to_markdown(page)
    assert to_dict(page)["verdicts"]["no_figure"] == 5


def test_the_table_of_a_terminal_is_no_wider_than_it(page):
    long = Figure(None, 1.0, 2.0, (), "model", "", "-123456.7 to 1234567.8")
    reason = "given up in a phase with a very long name, of which nobody knows why it took so long until somebody gave it up: " + "x" * 100
    rows = [ItemValue(fact, None, reason, long) for fact in ITEMS] + list(page.rows)
    for line in to_text(Facts("hmmwv", "HMMWV", rows, page.published)).splitlines():
        assert len(line) <= WIDTH, line


def test_the_page_of_the_documentation_is_up_to_date(found):
    text = (Path(__file__).parents[2] / "docs" / "datasheet_hmmwv.md").read_text(encoding="utf-8")
    assert "`jounce datasheet hmmwv`" in text
    rows = {cells[6].split("`")[1]: cells for line in text.splitlines() if "`" in line and len(cells := line.split("|")) == 8}
    assert list(rows) == [fact.name for fact in ITEMS], "make the page again by jounce datasheet hmmwv"
    for fact in ITEMS:
        if isinstance(fact.source, StaticState):
            here = float(rows[fact.name][2].split()[0])
            assert here == pytest.approx(found.numbers[fact.name] / fact.factor, rel=2e-3, abs=1e-6), (
                "make the page again by jounce datasheet hmmwv"
            )


def test_several_vehicles_side_by_side(page):
    other = Facts("truck", "a truck", rows_of({**SOME, "grade_60": 1.0}), None)
    text = comparison_to_markdown([page, other])
    lines = {cells[-2].split("`")[1]: cells for line in text.splitlines() if len(cells := line.split("|")) == 9 and "`" in cells[-2]}
    assert list(lines) == list(SOME)
    assert [cell.strip() for cell in lines["grade_60"][3:6]] == ["**rolled back**", "climbed", "climbed"]
    assert "it fell over" in text and "`jounce datasheet hmmwv truck`" in text
