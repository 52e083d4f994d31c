"""Do series and searches give the runs of their file in order, with the values measured before?"""

from __future__ import annotations

import pytest

from simulator.base.errors import ConfigError
from simulator.maneuvers.plots.series_summary import FILE as PICTURE
from simulator.maneuvers.plots.series_summary import draw_summary, plots_of
from simulator.maneuvers.series_file import Outcome, Series
from simulator.run.series import load_series


def series_of(**content):
    return Series({"name": "mine"} | content, "mine.yaml")


def driven(series, outcome=lambda run: True, metrics=lambda run: {}):
    """All runs of a series, each with the verdict and the metrics of two functions."""
    runs = []
    for run in series.runs():
        runs.append(run)
        series.note(Outcome(run, outcome(run), metrics(run)))
    return runs


def parameters(runs, name):
    return [run.parameters[name] for run in runs]


def search_of(**more):
    return series_of(search={"run": "m", "parameter": "v", "first": 10, "to": 90, "tolerance": 1} | more)


def test_steps_come_in_their_order():
    runs = driven(series_of(series=[{"run": "a"}, {"run": "b", "given": {"x": 2}}]))
    assert [(run.maneuver, dict(run.parameters)) for run in runs] == [("a", {}), ("b", {"x": 2})]


def test_several_parameters_are_combined_the_last_goes_fastest():
    runs = driven(series_of(series=[{"run": "a", "given": {"z": 0}, "each": {"x": [1, 2], "side": ["left", "right"]}}]))
    assert [tuple(run.parameters.values()) for run in runs] == [(0, 1, "left"), (0, 1, "right"), (0, 2, "left"), (0, 2, "right")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"first": 1, "step": 1, "to": 3}, [1, 2, 3]),
        ({"first": 1, "step": 2, "to": 4}, [1, 3, 4]),
        ({"first": 1, "step": 1, "to": [2, 3]}, [1, 2, 3]),
        ({"first": 1, "step": 1, "to": [2, 9], "most": 2.5}, [1, 2, 2.5]),
        ({"first": 3, "step": 1, "to": 3}, [3]),
        ({"first": 0.1, "step": 0.1, "to": 0.3}, [0.1, 0.2, 0.3]),
    ],
)
def test_a_range_ends_with_its_last_number(said, expected):
    assert parameters(driven(series_of(series=[{"run": "a", "each": {"x": said}}])), "x") == pytest.approx(expected)


@pytest.mark.parametrize(("of", "expected"), [("mean", 2.0), ("min", 1.0), ("max", 3.0), ("last", 2.0)])
def test_what_was_measured_is_handed_on(of, expected):
    measured = {1: 1.0, 2: 3.0, 3: 2.0}
    steps = [
        {"run": "a", "each": {"n": [1, 2, 3]}, "take": {"A_deg": {"metric": "angle_deg", "of": of}}},
        {"run": "b", "given": {"angle_deg": "1.5 * $A_deg"}},
    ]
    series = series_of(series=steps)
    runs = driven(series, metrics=lambda run: {"angle_deg": measured.get(run.parameters.get("n"))})
    assert runs[-1].parameters["angle_deg"] == pytest.approx(1.5 * expected) and series.taken == {"A_deg": pytest.approx(expected)}


def test_fmvss_126_steers_as_it_is_written():
    series = load_series("configs/series/fmvss_126.yaml")
    runs = driven(series, metrics=lambda run: {"steering_angle_at_level_deg": 30.0})
    swd = [run for run in runs if run.maneuver == "sine_with_dwell"]
    left = [run for run in swd if run.parameters["direction"] == 1]
    assert len(runs) - len(swd) == 6 and len(left) == len(swd) / 2
    # 1.5 A, steps of 0.5 A, the last is max(6.5 A, 270 deg)
    assert parameters(left, "angle_deg") == pytest.approx([*(45.0 + 15.0 * n for n in range(15)), 270.0])
    assert [run.counts for run in left] == [run.parameters["angle_deg"] >= 150.0 for run in left]


def test_fmvss_126_stops_at_300_deg():
    series = load_series("configs/series/fmvss_126.yaml")
    runs = driven(series, metrics=lambda run: {"steering_angle_at_level_deg": 60.0})
    assert max(run.parameters.get("angle_deg", 0.0) for run in runs) == 300.0


def test_runs_that_do_not_count_are_no_failure():
    series = series_of(series=[{"run": "a", "each": {"x": [1, 2, 3]}, "counts_from": {"x": 2}}])
    driven(series, lambda run: run.parameters["x"] > 1)
    assert series.passed is True
    driven(series, lambda run: run.parameters["x"] < 3)
    assert series.passed is False


def test_without_limits_there_is_no_verdict():
    series = series_of(series=[{"run": "a"}])
    driven(series, lambda run: None)
    assert series.passed is None


def test_a_failure_ends_a_step_with_stop_failure():
    steps = [{"run": "a", "each": {"x": [1, 2, 3]}, "stop": "failure"}, {"run": "b"}]
    assert [run.maneuver for run in driven(series_of(series=steps), lambda run: run.parameters.get("x") != 2)] == ["a", "a", "b"]


@pytest.mark.parametrize("limit", [10.5, 33.3, 71.0, 89.9])
def test_a_search_comes_as_close_as_it_shall(limit):
    series = search_of()
    runs = driven(series, lambda run: run.parameters["v"] <= limit)
    found = series.found[0]
    assert limit - 1.0 <= found["value"] <= limit and found["failed_below"] == [] and series.passed
    assert len(runs) <= 2 + 7 + 2
    assert not any(run.counts for run in runs)


def test_a_search_of_which_none_passes_tries_once():
    series = search_of()
    assert len(driven(series, lambda run: False)) == 1
    assert series.found[0]["value"] is None and series.passed is False


def test_a_search_where_all_pass_returns_the_highest_value():
    series = search_of(check=0)
    assert parameters(driven(series), "v") == [10, 90]
    assert series.found[0]["value"] == series.found[0]["highest_tried"] == 90


def test_failures_below_the_result_are_reported():
    series = search_of(check=3)
    driven(series, lambda run: run.parameters["v"] <= 50 and not 18 <= run.parameters["v"] <= 22)
    found = series.found[0]
    assert found["value"] == pytest.approx(50.0, abs=1.0)
    assert found["failed_below"] == [pytest.approx(20.0, abs=0.5)]


def test_a_search_for_each():
    series = search_of(each={"side": ["left", "right"]}, given={"load": 1})
    driven(series, lambda run: run.parameters["v"] <= (40 if run.parameters["side"] == "left" else 60))
    assert [(one["load"], one["side"]) for one in series.found] == [(1, "left"), (1, "right")]
    assert [one["value"] for one in series.found] == pytest.approx([40, 60], abs=1.0)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({}, "series: invalid value; expected either series or search; got 'neither'"),
        (
            {"series": [{"run": "a"}], "search": {"run": "a", "parameter": "v", "first": 1, "to": 2, "tolerance": 1}},
            "series: invalid value; expected either series or search; got 'both'",
        ),
        ({"series": [{"given": {"x": 1}}]}, "series[0].run"),
        ({"series": [{"run": "a", "each": {"x": []}}]}, "series[0].each.x"),
        ({"series": [{"run": "a", "each": {"x": {"first": 1, "step": 0, "to": 2}}}]}, "series[0].each.x.step"),
        ({"series": [{"run": "a", "given": {"x": "2 * $A"}}]}, "series[0].given.x"),
        ({"series": [{"run": "a", "given": {"x": "$A"}, "take": {"A": {"metric": "m"}}}]}, "series[0].given.x"),
        ({"series": [{"run": "a", "take": {"A": {"metric": "m", "of": "median"}}}]}, "series[0].take.A.of"),
        ({"series": [{"run": "a", "stop": "always"}]}, "series[0].stop"),
        ({"search": {"run": "a", "parameter": "v", "first": 9, "to": 2, "tolerance": 1}}, "search.to"),
        ({"search": {"run": "a", "parameter": "v", "first": 1, "to": 2, "tolerance": 0}}, "search.tolerance"),
        ({"search": {"run": "a", "parameter": "v", "first": 1, "to": 2}}, "search.tolerance"),
        ({"searches": 1}, "searches"),
    ],
)
def test_broken_files_name_their_keys(content, named):
    with pytest.raises(ConfigError) as error:
        series_of(**content)
    assert "mine.yaml" in str(error.value) and named in str(error.value)


def test_a_metric_that_was_not_measured_is_named():
    series = series_of(series=[{"run": "a", "take": {"A": {"metric": "angle_deg"}}}, {"run": "b"}])
    with pytest.raises(ConfigError, match=r"series\[0\].take.A.*\(yaw_deg"):
        driven(series, metrics=lambda run: {"yaw_deg": 1.0})


def test_too_many_runs_are_refused():
    with pytest.raises(ConfigError, match="at most 1000 runs"):
        driven(series_of(series=[{"run": "a", "each": {"x": {"first": 0, "step": 0.001, "to": 2}}}]))


def test_maneuvers_and_their_parameters_are_looked_up(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nseries:\n  - {run: fishhook, given: {speed: 3}}\n  - {run: no_such}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_series(file)
    assert "series[0].given.speed" in str(error.value) and "did you mean speed_kph?" in str(error.value)
    assert "series[1].run" in str(error.value)
    file.write_text("name: mine\nseries:\n  - {run: fishhook, given: {terrain: wet}}\n", encoding="utf-8")
    assert driven(load_series(file))[0].parameters == {"terrain": "wet"}


def test_values_are_read_as_the_maneuver_reads_them(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nvehicle: no_such_car\nparameters: {A: 300}\nseries:\n"
        "  - {run: fishhook, given: {direction: left, angle_deg: $A}, each: {terrain: [wet, wett], speed_kph: [60, -5]}}\n"
        "  - {run: iso_7401_step, each: {speed_kph: {first: 60, step: 20, to: 1000}}}\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigError) as error:
        load_series(file)
    lines = str(error.value).splitlines()
    keys = ("vehicle", "series[0].given.direction", "series[0].each.terrain", "series[0].each.speed_kph", "series[1].each.speed_kph")
    for key in keys:
        assert any(f": {key}: " in line for line in lines), (key, lines)
    assert len([line for line in lines if ": series[0].each.terrain: " in line]) == 1, "the other terrain exists"
    file.write_text("name: mine\nsearch: {run: j_turn, parameter: speed_kph, first: -10, to: 80, tolerance: 1}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mine.yaml:2: search.first: .*from 0 to 216 \(start.speed_kph of j_turn.yaml\); got -10"):
        load_series(file)


def test_labels_are_names_of_folders():
    run = driven(series_of(series=[{"run": "my/a.yaml", "given": {"terrain": "b/wet.yaml", "x": 0.5}}]))[0]
    assert run.label == "a_terrain_b_wet.yaml_x_0.5"


def summarized(x, passed, **more):
    return {
        "maneuver": "m",
        "parameters": {"x_deg": x, **more},
        "pass": passed,
        "checks": [{"metric": "roll_deg", "min": None, "max": 2.0}],
        "metrics": {"roll_deg": 0.5 * x, "speed_kph": 3.0},
        "shown": ["speed_kph"],
    }


def test_the_plot_shows_metrics_with_limits_over_the_changing_parameter(tmp_path):
    runs = [summarized(x, x < 4, side=side, given=1) for x in (1, 3, 5) for side in ("left", "right")]
    (plot,) = plots_of(runs)
    assert (plot.parameter, plot.metric, plot.limits) == ("x_deg", "roll_deg", (2.0,))
    assert plot.lines["side left"] == [(1.0, 0.5, True), (3.0, 1.5, True), (5.0, 2.5, False)]
    assert draw_summary(tmp_path, "mine", runs) == tmp_path / PICTURE
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")


def test_no_plot_without_data(tmp_path):
    assert draw_summary(tmp_path, "mine", [summarized(1, True), summarized(2, True)]) is None
    assert list(tmp_path.iterdir()) == []
