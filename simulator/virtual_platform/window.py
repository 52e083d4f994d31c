"""Live window of the virtual platform: moving hexapod with legs colored by stroke, motion of rider and driver, state of the
stream."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.virtual_platform.plot import POSE_LABELS, around, stroke_share
from washout.platform import joint_positions

WIDTH, HEIGHT = 960, 620
PAPER, INK, FLOOR, METAL, DECK = (250, 250, 247), (35, 48, 58), (213, 220, 223), (143, 163, 176), (240, 180, 41)
COLD, WARM, HOT = (59, 76, 192), (196, 200, 205), (180, 4, 38)
AZIMUTH, ELEVATION = math.radians(-118.0), math.radians(20.0)
CAR = (74, 127, 181)
FELT_X, FELT_HALF, FELT_STEP = 690, 90, 22
FORCE_SCALE, RATE_SCALE = 5.0, 15.0
"""Full scale of the bars [m/s2, deg/s]."""
BARS_X, BARS_Y, BAR_WIDTH, BAR_HEIGHT, BAR_STEP = 640, 130, 28, 250, 50


def show_platform(rig: Any, finished: Any, title: str) -> None:
    """Show a platform that another thread runs, until `finished()` returns True or the user closes the window.

    Raises
    ------
    DeviceError : there is no display, or it does not support a window
    """
    try:
        import pyglet

        window = pyglet.window.Window(WIDTH, HEIGHT, caption=title, vsync=True)
    except Exception as error:  # pyglet has no common base class of display errors
        raise DeviceError(f"platform window: no usable display ({error})") from None
    pyglet.gl.glClearColor(PAPER[0] / 255, PAPER[1] / 255, PAPER[2] / 255, 1.0)
    picture = Picture(rig)

    @window.event
    def on_draw() -> None:
        window.clear()
        picture.draw()

    def check_finished(_: float) -> None:
        if finished():
            window.close()
            pyglet.app.exit()

    pyglet.clock.schedule_interval(check_finished, 1.0 / 60.0)
    try:
        pyglet.app.run(interval=1.0 / 60.0)
    finally:
        pyglet.clock.unschedule(check_finished)


class Picture:
    """Shapes of one frame, created for each frame: about a hundred triangles."""

    def __init__(self, rig: Any) -> None:
        self._rig = rig
        p = rig.platform[0]
        reach = float(np.abs(p["base_joints"][:, :2]).max())
        self._scale = 0.23 * WIDTH / reach
        self._middle = np.array([0.0, 0.0, 0.5 * float(p["neutral_height"])])

    def draw(self) -> None:
        """Draw the hexapod, bars and text into the current window."""
        from pyglet.graphics import Batch

        batch, drawables = Batch(), []
        limits = self._rig.body.limits.copy()
        drawables += self._hexapod(batch, limits[0]["pose"])
        drawables += self._bars(batch, stroke_share(self._rig.platform, limits[0]["legs"]))
        drawables += self._labels(batch, limits)
        if self._rig.rider is not None:
            drawables += self._motion_bars(batch, self._rig.rider)
        batch.draw()

    def _hexapod(self, batch: Any, pose: NDArray[Any]) -> list[Any]:
        from pyglet import shapes
        from pyglet.graphics import Group

        base, top = joint_positions(self._rig.platform, pose)
        extensions = stroke_share(self._rig.platform, np.linalg.norm(top - base, axis=1))
        deck = around(top)
        layers = iter(Group(order=k) for k in range(20))
        drawables_of_part: list[Any] = [shapes.Polygon(*self._flat(around(base)), color=FLOOR, batch=batch, group=next(layers))]
        for k in np.argsort(-self._depth(0.5 * (base + top))):
            (x0, y0), (x1, y1) = self._flat(np.stack([base[k], top[k]]))
            xm, ym = x0 + 0.55 * (x1 - x0), y0 + 0.55 * (y1 - y0)
            drawables_of_part.append(shapes.Line(x0, y0, xm, ym, thickness=13, color=METAL, batch=batch, group=next(layers)))
            drawables_of_part.append(
                shapes.Line(x0, y0, x1, y1, thickness=6, color=color_of(extensions[k]), batch=batch, group=next(layers))
            )
        front = deck[np.argsort(deck[:, 0])[-2:]].mean(axis=0)
        (x0, y0), (x1, y1) = self._flat(np.stack([deck.mean(axis=0), front]))
        drawables_of_part.append(shapes.Polygon(*self._flat(deck), color=(*DECK, 225), batch=batch, group=next(layers)))
        arrow = next(layers)
        drawables_of_part.append(shapes.Line(x0, y0, x1, y1, thickness=3, color=INK, batch=batch, group=arrow))
        drawables_of_part.append(shapes.Circle(x1, y1, 6, color=INK, batch=batch, group=arrow))
        return drawables_of_part

    def _bars(self, batch: Any, extensions: NDArray[Any]) -> list[Any]:
        from pyglet import shapes
        from pyglet.graphics import Group
        from pyglet.text import Label

        drawables_of_part: list[Any] = []
        for k, fraction in enumerate(extensions):
            x = BARS_X + k * BAR_STEP
            height = max(1.0, float(fraction) * BAR_HEIGHT)
            drawables_of_part.append(shapes.Rectangle(x, BARS_Y, BAR_WIDTH, BAR_HEIGHT, color=FLOOR, batch=batch, group=Group(order=0)))
            drawables_of_part.append(
                shapes.Rectangle(x, BARS_Y, BAR_WIDTH, height, color=color_of(fraction), batch=batch, group=Group(order=1))
            )
            drawables_of_part.append(
                Label(str(k + 1), x=x + BAR_WIDTH / 2, y=BARS_Y - 24, anchor_x="center", font_size=12, color=(*INK, 255), batch=batch)
            )
        drawables_of_part.append(Label("leg extension", x=BARS_X, y=BARS_Y + BAR_HEIGHT + 14, font_size=12, color=(*INK, 255), batch=batch))
        return drawables_of_part

    def _motion_bars(self, batch: Any, rider: Any) -> list[Any]:
        """Return six pairs of bars from the middle: driver of the vehicle above, rider below."""
        from pyglet import shapes
        from pyglet.graphics import Group
        from pyglet.text import Label

        drawables_of_part: list[Any] = []
        middle, top = FELT_X + FELT_HALF, HEIGHT - 52
        for x, text, color in ((FELT_X, "car", CAR), (FELT_X + 60, "platform", DECK)):
            drawables_of_part.append(shapes.Rectangle(x, HEIGHT - 31, 14, 6, color=color, batch=batch))
            drawables_of_part.append(Label(text, x=x + 20, y=HEIGHT - 33, font_size=10, color=(*INK, 255), batch=batch))
        for k, name in enumerate(POSE_LABELS):
            y, scale, unit = top - FELT_STEP * k, FORCE_SCALE if k < 3 else RATE_SCALE, 1.0 if k < 3 else math.degrees(1.0)
            drawables_of_part.append(shapes.Rectangle(FELT_X, y - 5, 2 * FELT_HALF, 15, color=FLOOR, batch=batch, group=Group(order=0)))
            for value, offset, color in ((rider.car[k], 3, CAR), (rider.cab[k], -4, DECK)):
                fraction = min(1.0, max(-1.0, unit * float(value) / scale))
                left, length = middle + min(0.0, fraction) * FELT_HALF, max(1.0, abs(fraction) * FELT_HALF)
                drawables_of_part.append(shapes.Rectangle(left, y + offset, length, 6, color=color, batch=batch, group=Group(order=1)))
            drawables_of_part.append(shapes.Rectangle(middle - 0.5, y - 5, 1, 15, color=INK, batch=batch, group=Group(order=2)))
            drawables_of_part.append(Label(name, x=FELT_X - 10, y=y - 2, anchor_x="right", font_size=10, color=(*INK, 255), batch=batch))
        for k, text in ((0, f"\u00b1{FORCE_SCALE:g} m/s\u00b2"), (3, f"\u00b1{RATE_SCALE:g} \u00b0/s")):
            drawables_of_part.append(
                Label(text, x=FELT_X + 2 * FELT_HALF + 8, y=top - FELT_STEP * k - 2, font_size=10, color=(*INK, 255), batch=batch)
            )
        return drawables_of_part

    def _labels(self, batch: Any, limits: Any) -> list[Any]:
        from pyglet.text import Label

        rig, p = self._rig, self._rig.platform[0]
        receiver = rig.receiver
        speed = 100.0 * np.abs(limits[0]["leg_speed"]).max() / p["leg_speed"]
        acceleration = 100.0 * np.abs(limits[0]["leg_acceleration"]).max() / p["leg_acceleration"]
        fraction = 100.0 * np.abs(limits[0]["leg_jerk"]).max() / p["leg_jerk"]
        jerk = f"jerk {fraction:.0f} %" if math.isfinite(p["leg_jerk"]) else "no jerk limit"
        lost = f"lost {receiver.lost}, reordered {receiver.reordered}, duplicate {receiver.duplicate}, corrupt {receiver.corrupt}"
        refused = receiver.strangers + receiver.implausible
        state = "following" if not rig.body.without_stream else ("parked" if rig.body.parked else f"alone: {rig.body.stage}")
        lines = (
            (28, HEIGHT - 44, 20, state),
            (28, HEIGHT - 72, 12, f"{receiver.received} packets, {lost}"),
            (28, HEIGHT - 94, 12, f"refused {refused} of other senders or out of sequence" if refused else ""),
            (BARS_X, 84, 12, f"leg speed {speed:.0f} % of the limit"),
            (BARS_X, 60, 12, f"leg acceleration {acceleration:.0f} %, {jerk}"),
            (BARS_X, 36, 12, "limiter acts" if limits[0]["limited"] else ""),
        )
        return [Label(text, x=x, y=y, font_size=size, color=(*INK, 255), batch=batch) for x, y, size, text in lines]

    def _flat(self, points: NDArray[Any]) -> list[tuple[float, float]]:
        """Return window coordinates of points (n, 3) [m] in the base frame, viewed from the right, slightly behind and above."""
        v = points - self._middle
        across = -math.sin(AZIMUTH) * v[:, 0] + math.cos(AZIMUTH) * v[:, 1]
        toward = math.cos(AZIMUTH) * v[:, 0] + math.sin(AZIMUTH) * v[:, 1]
        up = math.cos(ELEVATION) * v[:, 2] - math.sin(ELEVATION) * toward
        return [(0.32 * WIDTH + self._scale * a, 0.45 * HEIGHT + self._scale * u) for a, u in zip(across, up, strict=True)]

    def _depth(self, points: NDArray[Any]) -> NDArray[Any]:
        """Return the distance from the viewer, up to a constant."""
        return -(math.cos(AZIMUTH) * points[:, 0] + math.sin(AZIMUTH) * points[:, 1])


def color_of(fraction: float) -> tuple[int, int, int]:
    """Return a color: blue retracted, gray in the middle, red extended."""
    fraction = min(1.0, max(0.0, float(fraction)))
    low, high, part = (COLD, WARM, 2.0 * fraction) if fraction < 0.5 else (WARM, HOT, 2.0 * fraction - 1.0)
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(low, high, strict=True))
    return red, green, blue
