"""Figure of a drive: chase view, lidar, obstacle map and track side by side, at chosen times and as an animation. Like figure 9 of [Cameron 2013]."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.builder.session_parts import SessionParts
from simulator.report.png_renderer import STYLE
from simulator.run.drive_recorder import DriveRecorder, Moment
from simulator.run.frames import drawn_states
from simulator.telemetry.atomic_files import write_bytes
from simulator.view.inset_images import REACH as CLOUD_REACH
from simulator.view.map_view import REACH as MAP_REACH
from simulator.view.map_view import map_image

MAX_FRAMES, FRAME_TIME, COLORS = 60, 120, 128
"""Maximum number of images of the animation, time [ms] for which each is shown, and number of its colors."""
PIXELS = 252
"""Side of the picture of the map."""
SIZE, DPI = (10.0, 8.0), 80
"""Size [in] and pixels per inch of the figure."""
ROW = slice(None)
PLACES: dict[int, tuple[Any, ...]] = {
    1: ((0, 0),), 2: ((0, 0), (0, 1)), 3: ((0, 0), (0, 1), (1, ROW)), 4: ((0, 0), (0, 1), (1, 0), (1, 1)),
}  # fmt: skip
"""Row and column of each panel, by their number."""
GIF, PNG = "figure.gif", "figure_{:g}s.png"


def write_figures(
    folder: Path, drive: DriveRecorder, parts: SessionParts, times: Sequence[float], say: Callable[[str], None]
) -> list[Path]:
    """Write the animation, and a PNG file for each of the times [s], with the nearest moment; return the files. Raises OutputError."""
    from PIL import Image

    at = [one.time for one in drive.moments]
    for time in times:
        if time > at[-1] + 0.5:
            say(f"{PNG.format(time)}: the drive ended at {at[-1]:.1f} s; the figure shows the end")
    chosen = {PNG.format(time): int(np.argmin(np.abs(np.array(at) - time))) for time in times}
    animated = np.linspace(0, len(at) - 1, min(MAX_FRAMES, len(at))).round().astype(int).tolist()
    places = sorted({*animated, *chosen.values()})
    chases = dict(zip(places, drawn_states(parts, drive.states.at(places), say), strict=False))
    sheet = _Sheet(drive, bool(chases))
    images = {place: sheet.image(place, chases.get(place, (b"", ""))[0]) for place in places}
    files = {name: _encoded([images[place]], "png") for name, place in chosen.items()}
    files[GIF] = _encoded([images[place].quantize(COLORS, method=Image.Quantize.FASTOCTREE) for place in animated], "gif")
    for name, content in files.items():
        write_bytes(folder / name, content)
    return [folder / name for name in files]


def _encoded(images: Sequence[Any], kind: str) -> bytes:
    """Return a file with one or more images."""
    out = io.BytesIO()
    more = {"save_all": True, "append_images": images[1:], "duration": FRAME_TIME, "loop": 0} if kind == "gif" else {}
    images[0].save(out, format=kind, **more)
    return out.getvalue()


class _Sheet:
    """Sheet with the panels that a drive has."""

    def __init__(self, drive: DriveRecorder, has_chase: bool) -> None:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._drive = drive
        with mpl.rc_context({**STYLE, "font.size": 9.0}):
            figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
            self._canvas = FigureCanvasAgg(figure)
            first, last = drive.moments[0], drive.moments[-1]
            panels = [("chase", has_chase), ("cloud", any(one.cloud is not None for one in drive.moments)), ("map", last.map is not None)]
            names = [name for name, there in panels if there] + ["track"]
            grid = figure.add_gridspec(2, 2, width_ratios=(1.2, 1.0)) if len(names) > 2 else figure.add_gridspec(1, len(names))
            places = PLACES[len(names)]
            self._axes = {name: figure.add_subplot(grid[place]) for name, place in zip(names, places, strict=True)}
            self._heading = figure.suptitle("", x=0.01, ha="left", fontsize=10.0)
            self._images: dict[str, Any] = {}
            if "chase" in names:
                self._axes["chase"].axis("off")
                self._axes["chase"].set_title("Chase view")
            for name, reach, title in (("cloud", CLOUD_REACH, "Lidar from above"), ("map", MAP_REACH, "Obstacle map and plan")):
                if name in names:
                    self._images[name] = self._axes[name].imshow(
                        np.zeros((2, 2, 3), np.uint8), extent=(reach, -reach, -reach, reach), interpolation="nearest"
                    )
                    self._axes[name].set(title=title, xlabel="left [m]", ylabel="ahead [m]")
                    self._axes[name].grid(False)
            self._draw_track(first)

    def _draw_track(self, first: Moment) -> None:
        """Prepare the panel of the track, in the limits of the complete drive."""
        axes, drive = self._axes["track"], self._drive
        places = np.array([one.position for one in drive.moments])
        goal = drive.moments[-1].map.goal if drive.moments[-1].map is not None else None
        corners = [places, *([np.array([goal[:2]])] if goal is not None else [])]
        low, high = np.vstack(corners).min(axis=0), np.vstack(corners).max(axis=0)
        half = 0.55 * max(float((high - low).max()), 20.0)
        (x, y) = 0.5 * (low + high)
        axes.set(xlim=(x - half, x + half), ylim=(y - half, y + half), aspect="equal", xlabel="x [m]", ylabel="y [m]")
        axes.set_title("GNSS track" if drive.has_gnss else "Track")
        if goal is not None:
            angle = np.linspace(0.0, 2.0 * np.pi, 60)
            axes.plot(goal[0] + goal[2] * np.cos(angle), goal[1] + goal[2] * np.sin(angle), color="tab:green", label="goal")
        axes.plot(*first.position, "ko", markersize=4, label="start")
        (self._driven,) = axes.plot([], [], color="0.6", linewidth=2.5, label="true path")
        (self._fixes,) = axes.plot([], [], color="tab:red", linewidth=1.0, label="GNSS" if drive.has_gnss else None)
        axes.legend(loc="best", fontsize=8)

    def image(self, place: int, chase: bytes) -> Any:
        """Return the image (Pillow) of a moment; `chase` is a JPEG file."""
        from PIL import Image

        moment, drive = self._drive.moments[place], self._drive
        self._heading.set_text(f"t = {moment.time:.1f} s")
        if "chase" in self._axes and chase:
            pixels = np.asarray(Image.open(io.BytesIO(chase)))
            if "chase" in self._images:
                self._images["chase"].set_data(pixels)
            else:
                self._images["chase"] = self._axes["chase"].imshow(pixels)
        if moment.cloud is not None:
            self._images["cloud"].set_data(moment.cloud)
        driven = np.array([one.position for one in drive.moments[: place + 1]])
        if moment.map is not None:
            self._images["map"].set_data(map_image(moment.map, PIXELS, driven=driven))
        self._driven.set_data(*driven.T)
        self._fixes.set_data(*np.array(drive.fixes[: moment.fixes]).reshape(-1, 2).T)
        self._canvas.draw()
        return Image.fromarray(np.asarray(self._canvas.buffer_rgba())[..., :3].copy())
