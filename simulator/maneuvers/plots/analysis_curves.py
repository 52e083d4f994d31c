"""Plots of the curves of the analyses: frequency responses in stacked panels, and all other curves in a panel each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simulator.maneuvers.analyses import contract
from simulator.maneuvers.plots.contract import EmptyPlotError, PlotKind, Run
from simulator.report.display_units import factor_shown, unit_shown
from simulator.report.plot import Axis, Curve, Panel, Plot, style_of

KINDS = ("gain", "phase", "coherence")
"""Last word of the name of a curve over frequency, in the order of the panels."""
MAX_ROWS, MAX_PANELS = 6, 12
"""Maximum number of stacked panels over frequency, and of panels with a curve each, for readability."""
MAX_DOTS = 60
"""Maximum number of points of a curve that are drawn as dots."""


def drawable(curves: Mapping[str, contract.Curve]) -> dict[str, contract.Curve]:
    """Return the curves with at least two finite points, reduced to their finite points."""
    out = {}
    for name, curve in curves.items():
        finite = np.isfinite(curve.x) & np.isfinite(curve.y)
        if finite.sum() >= 2:
            out[name] = curve._replace(x=curve.x[finite], y=curve.y[finite])
    return out


def curve_of(curve: contract.Curve, name: str = "", n: int = 0, *, points: bool = False) -> Curve:
    """Return a curve of an analysis in display units, in the style of the n-th curve of a panel."""
    return Curve(name, factor_shown(curve.x_unit) * curve.x, factor_shown(curve.y_unit) * curve.y, *style_of(n), points=points)


def axes_of(curve: contract.Curve) -> tuple[Axis, Axis]:
    """Return the axes of a curve of an analysis; frequency axes are logarithmic."""
    x, y = curve.x_name.replace("_", " "), curve.y_name.replace("_", " ")
    return Axis(x, unit_shown(curve.x_unit), log=curve.x_unit == "Hz"), Axis(y, unit_shown(curve.y_unit))


def _frequency_response(run: Run) -> Plot:
    """Describe a panel for each kind and unit; curves of one input and output have one style."""
    over_frequency = {
        name: curve._replace(x=curve.x[curve.x > 0.0], y=curve.y[curve.x > 0.0])
        for name, curve in run.curves.items()
        if curve.x_unit == "Hz"
    }
    responses = drawable(over_frequency)
    if not responses:
        raise EmptyPlotError("the analyses of this maneuver return no curve over frequency")
    rows: dict[tuple[int, str, str], list[str]] = {}
    for name, curve in responses.items():
        kind = next((i for i, word in enumerate(KINDS) if name.endswith(f"_{word}") or name == word), len(KINDS))
        rows.setdefault((kind, KINDS[kind] if kind < len(KINDS) else curve.y_name, curve.y_unit), []).append(name)
    subjects = list(dict.fromkeys(_subject(name) for name in responses))
    low, high = min(float(curve.x.min()) for curve in responses.values()), max(float(curve.x.max()) for curve in responses.values())
    across = Axis("frequency", "Hz", log=True, least=low, most=high)
    panels = []
    for (_, title, unit), names in sorted(rows.items(), key=lambda row: row[0][0])[:MAX_ROWS]:
        curves = [curve_of(responses[name], _subject(name).replace("_", " "), subjects.index(_subject(name))) for name in names]
        least, most = (-0.02, 1.05) if title == "coherence" else (None, None)
        panels.append(Panel(title, across, Axis(title.replace("_", " "), unit_shown(unit), least=least, most=most), curves))
    return Plot("frequency response", panels)


def _subject(name: str) -> str:
    return next((name.removesuffix(f"_{word}") for word in KINDS if name.endswith(f"_{word}")), name)


def _curves(run: Run) -> Plot:
    """Describe a panel for each curve, in the order of the analyses."""
    found = drawable(run.curves)
    if not found:
        raise EmptyPlotError("the analyses of this maneuver return no curve")
    omitted = f" (the first {MAX_PANELS} of {len(found)})" if len(found) > MAX_PANELS else ""
    panels = []
    for name, curve in list(found.items())[:MAX_PANELS]:
        x, y = axes_of(curve)
        few = len(curve.x) <= MAX_DOTS and not x.log
        panels.append(Panel(name.replace("_", " "), x, y, [curve_of(curve, points=few)], equal=x.unit == y.unit == "m"))
    return Plot(f"curves of the analyses{omitted}", panels, columns=2)


PLOTS = (
    PlotKind("frequency_response", "gain, phase and coherence over frequency", _frequency_response, "curves over frequency of an analysis"),
    PlotKind("curves", "all curves of the analyses of the maneuver, one panel each", _curves, "curves of an analysis", on_page=False),
)
