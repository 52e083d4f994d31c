"""Do the plots of a run show the correct data in display units, and report missing data?"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.cone_course import Track, touched_cones
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.metrics import driven_path, evaluate, relative_run
from simulator.maneuvers.plots.contract import CONTRACT, EmptyPlotError, PlotKind, Run
from simulator.maneuvers.plots.kinds import PLOT_KINDS, USUAL, columns_of, register
from simulator.maneuvers.plots.time_series import phase_spans
from simulator.maneuvers.report.page import RunInfo, run_page
from simulator.maneuvers.report.write_report import drawn, write_report
from simulator.report.plot import Axis, Panel, Plot
from simulator.report.plot import Curve as PlotCurve
from simulator.report.png_renderer import figure_of
from simulator.report.svg_renderer import svg
from simulator.telemetry.run_folder import RESULTS
from tests.maneuvers.shipped import shipped
from vehicles.readout import READOUT
from vehicles.tires.temperature import TIRE_HEAT_STATE

FOUR, SIX = ("FL", "FR", "RL", "RR"), ("FL", "FR", "ML", "MR", "RL", "RR")
SPEED, WHEELBASE, UNDERSTEER = 15.0, 3.3, 0.003
F = np.linspace(0.2, 4.0, 60)
NAMES = tuple(filter(PLOT_KINDS.is_builtin, PLOT_KINDS.names()))


def telemetry(corners=FOUR, rows=2001):
    """20 s at 15 m/s: straight, then a left turn of 3 m/s2 with a known understeer; a wheel lifts, the gear changes."""
    t = np.linspace(0.0, 20.0, rows)
    side = 3.0 / (1.0 + np.exp(-2.0 * (t - 8.0)))
    yaw_rate = side / SPEED
    yaw = np.concatenate(([0.0], np.cumsum(yaw_rate[1:] * np.diff(t))))
    road_wheel = WHEELBASE * yaw_rate / SPEED + UNDERSTEER * side
    zero = np.zeros(rows)
    columns = {
        "time": t,
        **{f"p_W{point}_x": np.concatenate(([0.0], np.cumsum(SPEED * np.cos(yaw[1:]) * np.diff(t)))) for point in "BG"},
        **{f"p_W{point}_y": np.concatenate(([0.0], np.cumsum(SPEED * np.sin(yaw[1:]) * np.diff(t)))) for point in "BG"},
        "yaw": yaw,
        "roll": 0.01 * side,
        "pitch": zero,
        "v_WB_B_x": zero + SPEED,
        "v_WG_B_x": zero + SPEED,
        "w_WB_B_z": yaw_rate,
        "a_WG_B_x": 0.5 * np.sin(t),
        "a_WG_B_y": side,
        "f_H_B_z": STANDARD_GRAVITY + 0.4 * np.sin(9.0 * t),
        "steering": 0.05 * side,
        "throttle": zero + 0.25,
        "brake": zero,
        "gear": np.where(t < 5.0, 1, 3),
        "engine_speed": zero + 200.0,
        "steering_wheel_angle": 20.0 * road_wheel,
        "steering_wheel_torque": 1.5 * side,
    }
    for i, corner in enumerate(corners):
        columns[f"F_C_{corner}_z"] = 6000.0 + zero
        columns |= {f"tire_{field}_{corner}": 20.0 + i + 0.5 * t for field in ("surface_temperature", "carcass_temperature")}
        columns |= {f"tire_pressure_{corner}": 220e3 + 300.0 * t, f"tire_friction_power_{corner}": 1e3 * side}
        columns[f"p_BK_{corner}_x"] = zero - WHEELBASE * (i // 2) / (len(corners) // 2 - 1)
        columns[f"road_wheel_angle_{corner}"] = road_wheel if i < 2 else zero
    columns[f"F_C_{corners[-2]}_z"] = np.where((t > 12.0) & (t < 13.0), 0.0, 5000.0)
    return columns


CURVES = {
    "yaw_gain": Curve(F, 4.0 / (1.0 + F), "frequency", "gain", "Hz", "1/s"),
    "yaw_phase": Curve(F, -0.3 * F, "frequency", "phase", "Hz", "rad"),
    "yaw_coherence": Curve(F, 1.0 - 0.01 * F, "frequency", "coherence", "Hz", "1"),
    "roll_phase": Curve(F, -0.4 * F, "frequency", "phase", "Hz", "rad"),
    "weighted_vertical": Curve(np.linspace(0.0, 20.0, 500), 0.1 * np.sin(np.arange(500)), "time", "acceleration", "s", "m/s2"),
}


def run_of(name="scripted_drive", curves=CURVES, columns=None, phases=(), **changes):
    maneuver = load_maneuver(shipped(name) | changes, name)
    maneuver.phase_names = tuple(phases)
    columns = telemetry() if columns is None else columns
    relative = relative_run(columns)
    return Run(maneuver, {**columns, **relative}, driven_path(maneuver, relative), evaluate(maneuver, columns), curves)


def plot_of(name, run):
    """The description of a plot, under the title of its picture."""
    plot = PLOT_KINDS.need(name).draw(run)
    return replace(plot, title=f"{run.maneuver.title}: {plot.title}")


def picture_of(name, run):
    """The figure of a picture, drawn once."""
    figure = figure_of(plot_of(name, run))
    figure.canvas.draw()
    return figure


def labels(figure):
    """Labels of the axes, those in a second unit included."""
    every = [*figure.axes, *(child for axes in figure.axes for child in axes.child_axes)]
    return {label.replace("\n", " ") for axes in every for label in (axes.get_xlabel(), axes.get_ylabel()) if label}


def curve_of(axes, label=None):
    """Numbers (2, n) of the line with a label, or of the last one."""
    lines = [line for line in axes.lines if label is None or line.get_label() == label]
    return np.array(lines[-1].get_data(), dtype=float)


OVER_SIDE = "lateral acceleration, + = left [m/s²]"
SAID = {
    "speed": {"time [s]", "forward speed [km/h]", "[m/s]"},
    "attitude": {"time [s]", "roll [deg]", "pitch [deg]", "yaw [deg]"},
    "lateral_acceleration": {"time [s]", "lateral acceleration [m/s²]", "[g]"},
    "yaw_rate": {"time [s]", "yaw rate [deg/s]"},
    "longitudinal": {"time [s]", "forward speed [km/h]", "[m/s]", "acceleration [m/s²]", "distance [m]", "[g]"},
    "ride": {"time [s]", "vertical acceleration at the head [m/s²]", "[g]"},
    "path": {"ahead of the start [m]", "left of the start [m]"},
    "course": {"ahead of the start [m]", "left of the start [m]"},
    "g_g": {"lateral acceleration, + = right [g]", "forward acceleration [g]"},
    "cross_plots": {"steering-wheel angle [deg]", "yaw rate [deg/s]", "lateral acceleration [m/s²]", "roll [deg]"},
    "handling": {OVER_SIDE, "angle difference [deg]"},
    "steady_turns": {OVER_SIDE, "steering wheel [deg]", "roll [deg]", "yaw rate [deg/s]", "angle difference [deg]"},
    "frequency_response": {"frequency [Hz]", "gain [1/s]", "phase [deg]", "coherence"},
    "curves": {"frequency [Hz]", "gain [1/s]", "phase [deg]", "coherence", "time [s]", "acceleration [m/s²]"},
    "wheel_loads": {"time [s]", "front axle [kN]", "rear axle [kN]"},
    "hand_wheel": {
        "time [s]", "steering wheel [deg]", "steering-wheel rate [deg/s]", "steering-wheel torque [N m]", "steering-wheel angle [deg]"
    },
    "pedals": {"time [s]", "pedals [%]", "gear", "engine [1/min]"},
    "tires": {"time [s]", "tread surface [degC]", "carcass [degC]", "inflation pressure [kPa]", "friction power [kW]"},
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_plot_has_labels_with_units(name):
    """Labels with units, the maneuver's title, and no letter beyond the edge."""
    run = run_of("avtp_lane_change")
    figure = picture_of(name, run)
    assert labels(figure) == SAID[name]
    assert figure.texts[0].get_text().startswith(f"{run.maneuver.title}: ")
    assert_nothing_is_cut(figure)


def assert_nothing_is_cut(figure):
    """Every letter and line that is drawn lies on the sheet, and no panel with its labels on another one's curves."""
    sheet = figure.bbox
    drawn = [axes.get_tightbbox() for axes in figure.axes] + [text.get_window_extent() for text in figure.texts]
    assert min(box.x0 for box in drawn) >= sheet.x0 and max(box.x1 for box in drawn) <= sheet.x1
    assert min(box.y0 for box in drawn) >= sheet.y0 and max(box.y1 for box in drawn) <= sheet.y1
    for axes, box in zip(figure.axes, drawn, strict=False):
        assert not any(other.bbox.overlaps(box) for other in figure.axes if other is not axes)


def test_long_names_of_curves_and_maneuvers_are_not_cut():
    name = "vertical acceleration felt at the head of the driver, less gravity"
    curves = {f"curve_{i}": Curve(F, 1e4 * F, name, name, "m/s2", "N m/rad") for i in range(14)}
    figure = picture_of("curves", run_of(curves=curves, title=" ".join(["a long title"] * 12)))
    assert_nothing_is_cut(figure)
    assert len(figure.axes) == 12 and "first 12 of 14" in figure.texts[0].get_text()


def test_the_next_run_removes_every_plot_and_every_column_exists():
    assert {f"{name}.png" for name in NAMES} <= set(RESULTS)
    readout = {row[0] for row in READOUT} | {f"tire_{row[0]}" for row in TIRE_HEAT_STATE}
    fields = {column: column.rpartition("_")[0] if column not in readout else column for column in columns_of(NAMES)}
    assert set(fields.values()) <= readout


def test_the_file_chooses(tmp_path):
    run = run_of(plots=["g_g", "wheel_loads", "g_g"])
    columns = telemetry()
    report = write_report(tmp_path, run.maneuver, columns, run.metrics)
    assert [file.name for file in report.files] == ["metrics.json", "g_g.png", "wheel_loads.png"]
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in report.files}
    assert load_maneuver(shipped("scripted_drive"), "m").pictures == USUAL


def test_an_unknown_plot_is_refused_with_a_suggestion():
    with pytest.raises(JounceError) as error:
        load_maneuver(shipped("scripted_drive") | {"plots": ["speed", "wheel_load"]}, "m.yaml")
    assert "plots[1]" in str(error.value) and "wheel_loads" in str(error.value)


def test_a_plot_of_an_installed_package_has_the_version_of_the_contract(monkeypatch):
    class Point:
        name, value = "newer", "a_package:newer"

        def load(self):
            return PlotKind("newer", "another contract", lambda run: None, contract=99)

    kinds = Registry("plot", "jounce.plots", {}, "simulator.maneuvers.plots.contract")
    monkeypatch.setattr("simulator.base.registry.entry_points", lambda group: [Point()] if group == "jounce.plots" else [])
    monkeypatch.setattr("simulator.maneuvers.plots.kinds.PLOT_KINDS", kinds)
    with pytest.raises(JounceError, match="plot newer: written for version 99"):
        columns_of(["newer"])


def test_missing_data_is_reported(tmp_path):
    """Nothing to show: a line, in what is returned and in the file, and the other pictures are there."""
    columns = telemetry()
    del columns["engine_speed"]
    columns["steering_wheel_torque"] = np.full(2001, np.nan)
    columns["a_WG_B_y"] = np.zeros(2001)
    run = run_of(columns=columns, plots=list(NAMES))
    report = write_report(tmp_path, run.maneuver, columns, run.metrics)
    assert report.left_out == [
        "hand_wheel: the column steering_wheel_torque is not finite in this run",
        "pedals: the run has no column engine_speed",
        "course: the maneuver has no course",
        "handling: the run has no steady turn",
        "steady_turns: the run has no steady turn",
        "frequency_response: the analyses of this maneuver return no curve over frequency",
        "curves: the analyses of this maneuver return no curve",
    ]
    assert json.loads((tmp_path / "metrics.json").read_text())["result"]["pictures_left_out"] == report.left_out
    assert {file.stem for file in report.files[1:]} == set(NAMES) - {line.partition(":")[0] for line in report.left_out}


@pytest.mark.parametrize("shown", [None, Plot("", [Panel("", Axis("x"), Axis("y"), [PlotCurve("", np.zeros(2), np.zeros(3))])]), 1 / 3])
def test_an_error_of_a_plugin_costs_only_its_plot(tmp_path, monkeypatch, shown):
    """An exception of the function, no plot, and a plot that cannot be drawn: the report and the metrics are complete without the plot."""

    def draw(run):
        return run.columns["speed_of_nothing"] if shown is None else shown

    monkeypatch.setitem(PLOT_KINDS._kinds, "broken", PlotKind("broken", "raises", draw, contract=CONTRACT))
    run, columns = run_of(plots=["g_g", "broken", "yaw_rate"]), telemetry()
    report = write_report(tmp_path, run.maneuver, columns, run.metrics | {"table": []}, info=RunInfo())
    assert [file.name for file in report.files] == ["metrics.json", "g_g.png", "yaw_rate.png", "report.html"]
    assert len(report.left_out) == 1 and report.left_out[0].startswith("broken: ")
    assert shown is not None or report.left_out == ["broken: KeyError: 'speed_of_nothing'"]
    assert escape(f"no plot {report.left_out[0]}") in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_an_error_of_a_plot_of_jounce_is_raised(monkeypatch):
    monkeypatch.setitem(PLOT_KINDS._kinds, "g_g", PlotKind("g_g", "raises", lambda run: run.columns["speed_of_nothing"], contract=CONTRACT))
    with pytest.raises(KeyError):
        drawn(run_of(), ["g_g"])


def test_one_plot_after_another_leaves_nothing_behind():
    """A picture has the same bytes alone and after all the others."""
    run = run_of("avtp_lane_change", phases=("straight", "turn"), columns=telemetry() | {"phase": np.repeat([0, 1], (900, 1101))})
    _, alone, left_out = drawn(run, NAMES)
    assert (drawn(run, reversed(NAMES))[1:], left_out) == ((alone, []), [])
    assert len(set(alone.values())) == len(NAMES) - 1  # `path` of a course is the course


@pytest.mark.parametrize("names", [NAMES, *((name,) for name in NAMES)], ids=lambda names: names[0] if len(names) == 1 else "all")
def test_the_page_shows_what_a_picture_shows(names):
    """Every panel of every chosen plot is on the page, alone and with all other plots."""
    run = run_of("avtp_lane_change", plots=list(names))
    plots = {name: plot_of(name, run) for name in names}
    page = without_keys(run_page(run.metrics | {"table": []}, RunInfo(), run, plots).html())
    for name, plot in plots.items():
        for panel in plot.panels:
            assert f"<title>{escape(panel.title)}</title>" in page and without_keys(svg(panel, "0-0")) in page, (name, panel.title)


@pytest.mark.parametrize(("names", "shown"), [(["handling"], True), (["cross_plots"], False)])
def test_only_a_maneuver_with_a_handling_diagram_shows_steady_turns(names, shown):
    """The slow ends of a weave are no steady turns."""
    run = run_of("avtp_lane_change", plots=names)
    page = run_page(run.metrics | {"table": []}, RunInfo(), run, {name: plot_of(name, run) for name in names}).html()
    assert ("Steady turns" in page) == shown


def without_keys(page):
    """A page without the keys of its panels, which depend on their position."""
    return re.sub(r"clip-\d+-\d+", "clip", page)


@pytest.mark.parametrize("corners", [FOUR, SIX])
def test_wheel_loads_of_any_number_of_axles(corners):
    figure = picture_of("wheel_loads", run_of(columns=telemetry(corners)))
    assert len(figure.axes) == len(corners) // 2
    rear = figure.axes[-1]
    assert curve_of(rear, "left")[1].max() == pytest.approx(5.0)
    (lifted,) = [drawn for drawn in rear.collections if isinstance(drawn, PolyCollection) and drawn.get_paths()]
    reach = lifted.get_paths()[0].get_extents()
    assert (reach.x0, reach.x1) == (pytest.approx(12.0, abs=0.02), pytest.approx(13.0, abs=0.02))
    assert "lifted wheel" in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_touched_cones_are_crosses_and_margins_stand_above_the_gates():
    """Straight through a course whose middle gate is 3.5 m to the left: some of its cones fall."""
    columns = telemetry()
    columns |= {"p_WB_x": SPEED * columns["time"], "p_WB_y": 0.0 * columns["time"], "yaw": 0.0 * columns["time"]}
    gates = [{"start": 50, "length": 20, "center": 0, "width": 3}, {"start": 100, "length": 20, "center": 1.0, "width": 3}]
    run = run_of("avtp_lane_change", columns=columns, course={"gates": gates, "overlap_m": 3})
    figure = picture_of("course", run)
    plan, true = figure.axes
    whole, touched = (curve_of(plan, label).T for label in ("cones", "cones touched"))
    # the body reaches to -1.09, the right limit of the second gate is at -0.5
    assert touched == pytest.approx(np.array([[100.0, -0.64], [110.0, -0.64], [120.0, -0.64]]))
    assert len(whole) == 9
    assert {"0.41 m", "0.59 m outside, 3 touched"} <= {text.get_text() for text in plan.texts}
    assert has_one_scale(true)
    hit = touched_cones(run.maneuver.gates, run.maneuver.body, relative_track(run))
    assert [one.sum() for one in hit] == [gate["cones_hit"] for gate in run.metrics["gates"]]


def has_one_scale(axes):
    """Are lengths equal along both axes?"""
    return np.ptp(axes.get_xlim()) / axes.bbox.width == pytest.approx(np.ptp(axes.get_ylim()) / axes.bbox.height)


def relative_track(run):
    return Track(*(run.columns[name] for name in ("x", "y", "yaw", "v_WB_B_x")))


def test_a_handling_diagram_out_of_columns_has_the_understeer_of_the_drive():
    x, y = curve_of(picture_of("handling", run_of()).axes[0])
    assert x.max() == pytest.approx(3.0, abs=0.01) and np.radians(y[x.argmax()]) == pytest.approx(UNDERSTEER * 3.0, rel=0.01)
    assert not ((x > 0.75) & (x < 2.25)).any()  # the way into the turn is not steady


def test_a_handling_diagram_of_an_analysis_is_drawn_as_it_is():
    left, right = (Curve(np.array([0.0, 4.0]), np.array([0.0, end]), "lateral acceleration", "angle", "m/s2", "rad") for end in (0.1, 0.2))
    figure = picture_of("handling", run_of(curves={"handling_left": left, "handling_right": right, "roll_left": right}))
    assert labels(figure) == {"lateral acceleration [m/s²]", "angle [deg]"}
    assert curve_of(figure.axes[0], "handling left")[:, 1] == pytest.approx([4.0, math.degrees(0.1)])
    assert curve_of(figure.axes[0], "handling right")[:, 1] == pytest.approx([4.0, math.degrees(0.2)])
    assert len([line for line in figure.axes[0].lines if len(line.get_xdata()) and line.get_marker() == "o"]) == 2


def test_curves_are_shown_in_the_units_of_people():
    x = np.array([1.0, 2.0])
    curves = {
        "speed": Curve(x, x, "time", "speed", "s", "m/s"),
        "understeer": Curve(x, 0.001 * x, "lateral acceleration", "understeer gradient", "m/s2", "rad s2/m"),
        "wheel": Curve(x, x, "east", "north", "m", "m"),
    }
    speed, understeer, wheel = picture_of("curves", run_of(curves=curves)).axes
    assert (speed.get_ylabel(), curve_of(speed)[1, 0]) == ("speed [km/h]", pytest.approx(3.6))
    assert understeer.get_ylabel() == "understeer gradient [deg/g]"
    assert curve_of(understeer)[1, 0] == pytest.approx(math.degrees(0.001) * STANDARD_GRAVITY)
    assert has_one_scale(wheel)


def test_a_frequency_response_has_one_panel_per_kind_and_unit():
    figure = picture_of("frequency_response", run_of())
    gain, phase, coherence = figure.axes
    assert [line.get_label() for line in phase.lines] == ["yaw", "roll"]
    assert curve_of(phase, "yaw")[1] == pytest.approx(np.degrees(-0.3 * F))
    assert gain.get_xscale() == "log" and coherence.get_ylim()[1] == pytest.approx(1.05)
    assert [text.get_text() for text in gain.get_legend().get_texts()] == ["yaw", "roll"]


def test_a_curve_whose_quantity_has_the_name_of_a_kind_has_a_panel_of_its_own():
    """`sensitivity` is a gain by its quantity, not by its name."""
    other = Curve(F, 2.0 + F, "frequency", "gain", "Hz", "1/s")
    gain, sensitivity = picture_of("frequency_response", run_of(curves={"yaw_gain": CURVES["yaw_gain"], "sensitivity": other})).axes
    assert [line.get_label() for line in (*gain.lines, *sensitivity.lines)] == ["yaw", "sensitivity"]


def test_the_g_g_diagram_has_circles_and_left_on_the_left():
    axes = picture_of("g_g", run_of()).axes[0]
    circles = [np.hypot(*line.get_data()) for line in axes.lines[:-1]]
    assert [circle.mean() for circle in circles] == pytest.approx(0.2 * np.arange(1, len(circles) + 1))
    assert has_one_scale(axes) and axes.get_xlabel().startswith("lateral acceleration, + = right")
    assert curve_of(axes)[0].min() == pytest.approx(-3.0 / STANDARD_GRAVITY, rel=0.01)


def test_phases_are_shaded_and_named():
    phase = np.repeat([0, 1, -1], (900, 1000, 101))
    run = run_of(columns=telemetry() | {"phase": phase}, phases=("straight", "turn"))
    assert phase_spans(run) == [(0.0, pytest.approx(9.0), "straight"), (pytest.approx(9.0), pytest.approx(19.0), "turn")]
    axes = picture_of("yaw_rate", run).axes[0]
    assert [text.get_text() for text in axes.texts] == [" straight", " turn"]
    (band,) = axes.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == (pytest.approx(9.0), pytest.approx(19.0))


def test_numbers_over_time_are_in_the_units_of_people():
    run = run_of()
    pedals, gears, engine = picture_of("pedals", run).axes
    assert curve_of(pedals, "throttle")[1] == pytest.approx(25.0)
    assert pedals.get_ylim() == pytest.approx((-5.0, 116.0))
    assert curve_of(gears).T.tolist() == [[0.0, 1.0], [5.0, 1.0], [5.0, 3.0], [20.0, 3.0]]
    assert curve_of(engine)[1] == pytest.approx(200.0 * 30.0 / math.pi)
    speed, _, distance = picture_of("longitudinal", run).axes
    assert curve_of(speed)[1] == pytest.approx(54.0) and curve_of(distance)[1][-1] == pytest.approx(300.0, rel=1e-3)
    ride = picture_of("ride", run).axes[0]
    assert np.abs(curve_of(ride, "unweighted")[1]).max() == pytest.approx(0.4, rel=0.01)
    assert len(curve_of(ride, "weighted vertical")[0]) == 500
    angle = picture_of("hand_wheel", run).axes[0]
    assert curve_of(angle)[1].max() == pytest.approx(math.degrees(20.0 * (WHEELBASE * 3.0 / SPEED**2 + UNDERSTEER * 3.0)), rel=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_ten_rows_is_drawn_or_reported(name):
    columns = {key: column[:10] for key, column in telemetry().items()}
    try:
        figure = picture_of(name, run_of("avtp_lane_change", columns=columns))
    except EmptyPlotError as why:
        assert name in ("handling", "steady_turns") and str(why) == "the run has no steady turn"
    else:
        assert labels(figure) == SAID[name]


@pytest.mark.parametrize("version", [{}, {"contract": CONTRACT + 1}], ids=["none", "next"])
def test_a_plot_of_another_contract_is_refused(version):
    with pytest.raises(JounceError, match=r"plot of_another_version: written for version \d of the contract"):
        register(PlotKind("of_another_version", "", lambda run: None, **version))
    assert not PLOT_KINDS.has("of_another_version")


def test_the_shipped_plots_are_for_this_contract():
    for name in NAMES:
        assert PLOT_KINDS.need(name).contract == CONTRACT
