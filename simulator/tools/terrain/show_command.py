"""`jounce terrain show FILE`: plot a hillshade of a terrain with its objects, or of elevation data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.report.png_renderer import INK, STYLE
from simulator.telemetry.atomic_files import write_whole
from simulator.tools.terrain.elevation_file import TerrainOnDisk, composed, is_terrain, read_file, read_terrain
from terrain.features.shapes import LINES
from terrain.georeferenced import on_nodes
from terrain.ground import Ground
from terrain.objects.footprint import footprint
from terrain.objects.labels import COLORS, usual_label
from terrain.objects.object_set import ObjectSet
from terrain.readers.contract import LONLAT, ElevationSource, Raster
from terrain.roads.network import RoadNetwork

MAX_POINTS = 900
"""Points along the longer side of the plot."""
SUN, HEIGHT_OF_SUN = 315.0, 40.0
"""deg. Azimuth, clockwise from north, and elevation of the light; maps are lit from the north-west."""
METERS_PER_DEGREE = 111_320.0
"""Meters per degree of latitude."""
PLAN_COLORS = {**COLORS, "building": (0.72, 0.42, 0.33), "rock": (0.28, 0.27, 0.26), "post": (0.05, 0.05, 0.05), "curb": (0.9, 0.9, 0.5)}
"""Colors of labels in the plot: those that differ little from the ground are replaced."""
LANE_COLORS = ("#1c4fd6", "#c2189a")
"""Colors of lanes for vehicles and for persons."""
VOID = "#d9480f"
LAND = 0.32
"""Fraction of the color map below which colors represent the sea."""


def main_show(arguments: Any) -> int:
    """Run `jounce terrain show` and return 0. Raises ConfigError, OutputError."""
    if is_terrain(arguments.file):
        terrain = read_terrain(arguments.file)
        x, y, z = _of_terrain(terrain)
        title, labels, roads = Path(terrain.file).stem, ("x [m]", "y [m]"), [road.points for road in terrain.ground.roads]
        lines, objects = _outlines(terrain.ground), plan_of(terrain.ground.objects)
        lanes: RoadNetwork | None = terrain.ground.lanes
        degrees = False
    else:
        file = read_file(arguments.file, arguments.set)
        x, y, z = _of_source(file.source)
        degrees = file.source.kind == LONLAT
        title, labels, roads = file.path.name, ("longitude [deg]", "latitude [deg]") if degrees else ("x [m]", "y [m]"), []
        lines, objects, lanes = [], [], None
    picture = arguments.output_file(f"{Path(title).stem}.png")
    draw(picture, title, labels, (x, y, z), degrees, Overlay(roads, lines, objects, lanes))
    voids = int(np.isnan(z).sum())
    result: dict[str, Any] = {
        "picture": str(picture),
        "heights": [float(np.nanmin(z)), float(np.nanmax(z))],
        "points": [len(x), len(y)],
        "voids": voids,
    }
    result["objects"] = sum(len(one.outlines) for one in objects)
    print_line(json_text(result) if arguments.json else f"{picture}" + (f": {voids} points without a height, in orange" if voids else ""))
    return 0


def _axes(bounds: tuple[float, float, float, float], step: tuple[float, float]) -> tuple[Array, Array]:
    """Return positions along x and y, at most MAX_POINTS and not finer than the data."""
    x0, x1, y0, y1 = bounds
    finest = max(x1 - x0, y1 - y0) / MAX_POINTS
    counts = [max(2, int((high - low) / max(finest, gap)) + 1) for low, high, gap in ((x0, x1, step[0]), (y0, y1, step[1]))]
    return np.linspace(x0, x1, counts[0]), np.linspace(y0, y1, counts[1])


def _of_source(source: ElevationSource) -> tuple[Array, Array, Array]:
    x, y = _axes(source.bounds, source.step if isinstance(source, Raster) else (0.0, 0.0))
    return x, y, on_nodes(source.heights, x, y)


def _of_terrain(terrain: TerrainOnDisk) -> tuple[Array, Array, Array]:
    spacing = terrain.ground.p[0]["spacing"]
    x, y = _axes(_bounds(terrain.ground), (float(spacing[0]), float(spacing[1])))
    return x, y, on_nodes(lambda a, b: composed(terrain.ground, a, b), x, y)


def _bounds(ground: Ground) -> tuple[float, float, float, float]:
    """Return the bounds of the map; of an endless plane, those of its objects, lanes and of the start, if they are outside."""
    x0, x1, y0, y1 = ground.bounds
    rows, lanes = ground.objects.records, ground.lanes
    low, high = [rows["low"][:, :2]], [rows["high"][:, :2]]
    if lanes is not None:
        low.append(lanes.arrays.points["p_W"])
        high.append(lanes.arrays.points["p_W"])
    lowest, highest = np.concatenate(low), np.concatenate(high)
    if not len(lowest):
        return x0, x1, y0, y1
    (low_x, low_y), (high_x, high_y) = lowest.min(axis=0) - MARGIN, highest.max(axis=0) + MARGIN
    return min(x0, float(low_x)), max(x1, float(high_x)), min(y0, float(low_y)), max(y1, float(high_y))


def _outlines(ground: Ground) -> list[Array]:
    """Return the lines of curbs, walls and ditches, and a transverse line for each feature across the road."""
    out = []
    for k in ground.features.pieces:
        if k["arc"] != 0.0:
            middle, half = np.arctan2(k["axis"][1], k["axis"][0]), np.arccos(min(float(k["half_cosine"]), 1.0))
            angle = middle + np.linspace(-half, half, 9)
            out.append(k["origin"] + abs(k["arc"]) * np.column_stack((np.cos(angle), np.sin(angle))))
        elif k["kind"] in LINES:
            out.append(np.array((k["origin"], k["origin"] + k["length"] * k["axis"])))
        else:
            across = 0.5 * k["width"] * np.array((-k["axis"][1], k["axis"][0]))
            out.append(np.array((k["origin"] - across, k["origin"] + across)))
    return out


@dataclass(frozen=True)
class PlanLayer:
    """Objects with a label, seen from above: outlines (n, 2), and whether they are drawn with holes in their color, as porous ones."""

    label: str
    outlines: list[Array]
    porous: bool


@dataclass(frozen=True)
class Overlay:
    """Drawn over the hillshade: roads and features as lines (n, 2), because they are too narrow for the hillshade, and objects as areas."""

    roads: list[Array]
    features: list[Array]
    objects: list[PlanLayer]
    lanes: RoadNetwork | None = None


def plan_of(objects: ObjectSet) -> list[PlanLayer]:
    """Return the outlines of objects at time 0 by label; porous objects, which are larger, come first."""
    layers: dict[tuple[bool, str], list[Array]] = {}
    for row, one in enumerate(objects.objects):
        porous = one.material.extinction > 0.0
        layers.setdefault((porous, usual_label(one.label)), []).append(_hull(footprint(objects, row)))
    return [PlanLayer(label, outlines, porous) for (porous, label), outlines in sorted(layers.items(), key=lambda item: not item[0][0])]


def _hull(points: Array) -> Array:
    """Return the convex hull (n, 2) of points, counterclockwise; of points on a line, the points."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except (QhullError, ValueError):
        return points


def draw(
    picture: Path,
    title: str,
    labels: tuple[str, str],
    land: tuple[Array, Array, Array],
    degrees: bool,
    overlay: Overlay,
) -> None:
    """Write a PNG of heights with an overlay. Raises OutputError."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import LightSource, ListedColormap, Normalize
    from matplotlib.figure import Figure

    x, y, z = land
    with mpl.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(figsize=(9.0, 8.0), dpi=110, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set_facecolor(VOID)
        meters = _meters(y, degrees)
        dx, dy = (x[1] - x[0]) * meters[0], (y[1] - y[0]) * meters[1]
        low, high = float(np.nanmin(z)), float(np.nanmax(z))
        norm = Normalize(low, max(high, low + 0.01))
        colors = ListedColormap(mpl.colormaps["gist_earth"](np.linspace(LAND, 1.0, 256)))
        whole = np.where(np.isnan(z), low, z)
        exaggeration = _exaggeration(whole, dx, dy)
        light = LightSource(SUN, HEIGHT_OF_SUN)
        # rows run north here; the hillshade needs the order of images, from the north
        shade = light.shade(whole[::-1], colors, blend_mode="soft", norm=norm, vert_exag=exaggeration, dx=dx, dy=dy)
        shade[np.isnan(z)[::-1]] = 0.0
        axes.imshow(shade, extent=(x[0], x[-1], y[0], y[-1]), aspect=meters[1] / meters[0], interpolation="nearest")
        for points in overlay.roads:
            axes.plot(points[:, 0], points[:, 1], color=INK, linewidth=1.0)
        for points in overlay.features:
            axes.plot(points[:, 0], points[:, 1], color=INK, linewidth=0.5)
        _draw_objects(axes, overlay.objects)
        for lane in () if overlay.lanes is None else overlay.lanes.lanes:
            axes.plot(*lane.points.T, color=LANE_COLORS[lane.walk], linewidth=0.8)
        axes.set(title=title, xlabel=labels[0], ylabel=labels[1], xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        axes.ticklabel_format(useOffset=False)
        bar = figure.colorbar(mpl.cm.ScalarMappable(norm, colors), ax=axes, shrink=0.75)
        bar.set_label(f"height [m]; light from the north-west, slopes {exaggeration:.2g} times as steep")
        write_whole(picture, lambda part: figure.savefig(part, format="png", bbox_inches="tight"))


def _meters(y: Array, degrees: bool) -> tuple[float, float]:
    """Return the meters per unit along x and y."""
    if not degrees:
        return 1.0, 1.0
    return METERS_PER_DEGREE * float(np.cos(np.radians(0.5 * (y[0] + y[-1])))), METERS_PER_DEGREE


def _exaggeration(z: Array, dx: float, dy: float) -> float:
    """Return the exaggeration of slopes, so that a flat road shows its bumps and mountains stay realistic."""
    slopes = np.hypot(*np.gradient(z, dy, dx))
    return float(np.clip(0.35 / max(float(np.quantile(slopes, 0.9)), 1e-6), 0.5, 30.0))


def _draw_objects(axes: Any, layers: list[PlanLayer]) -> None:
    """Draw objects in the colors of their labels, with a legend."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    for layer in layers:
        fill = 0.35 if layer.porous else 1.0
        edge = "none" if layer.porous else INK
        axes.add_collection(PolyCollection(layer.outlines, facecolors=[(*PLAN_COLORS[layer.label], fill)], edgecolors=edge, linewidths=0.3))
    counts: dict[str, int] = {}
    for layer in layers:
        counts[layer.label] = counts.get(layer.label, 0) + len(layer.outlines)
    if counts:
        shown = [
            Patch(facecolor=PLAN_COLORS[label], edgecolor=INK, linewidth=0.3, label=f"{label} ({n})") for label, n in sorted(counts.items())
        ]
        axes.figure.legend(handles=shown, loc="outside lower center", fontsize="small", ncols=6)


MARGIN = 5.0
"""m. Margin around objects beyond the map."""
