"""Process that draws the chosen vehicle on the chosen terrain for the start screen: python -m simulator.start_screen.preview FOLDER.

It compiles the physics first, if that is needed, while the user chooses. Each line of the standard input is a JSON object with the options of
`jounce drive`; only the newest one counts. Each line of the output is a JSON object with `picture` (a file of pixels, and the choice that it shows), `progress` and
`text` of the compilation, or `trouble`. The process has the lowest priority, and ends with its input.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.view.shot import Shot, look_at

SIZE = (960, 540)
"""Pixels of a picture."""
NICE = 19
PICTURE, TROUBLE, PROGRESS, TEXT, CHOICE = "picture", "trouble", "progress", "text", "choice"
"""Keys of the lines of the output."""
AZIMUTH, ELEVATION, ANGLE = 0.55, 0.13, math.radians(36.0)
"""rad. Place of the camera from ahead of the vehicle and above it, and vertical angle of view."""
LENGTHS, ASIDE = 2.4, 0.52
"""Distance of the camera divided by the length of the vehicle, and how far the vehicle is right of the middle, divided by its length: the menu
is on the left."""


class NewestChoice:
    """Newest choice from the standard input, read in a thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._choice: dict[str, Any] | None = None
        self._ended = False
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        for line in sys.stdin:
            with self._changed:
                self._choice = json.loads(line)
                self._changed.notify()
        with self._changed:
            self._ended = True
            self._changed.notify()
        os._exit(0)  # the start screen is gone; a compilation or a terrain is left as it is

    def take(self) -> dict[str, Any] | None:
        """Wait for a choice that is newer than the last one; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._choice is not None or self._ended)
            choice, self._choice = self._choice, None
            return choice


def main(arguments: list[str]) -> int:
    """Return 0 at the end of the input."""
    folder = Path(arguments[0]).resolve()
    with contextlib.suppress(OSError, AttributeError):  # Windows has no os.nice
        os.nice(NICE)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer

    def say(**values: Any) -> None:
        answers.write(json_text(values) + "\n")
        answers.flush()

    choices = NewestChoice()
    from simulator.builder.warm_up import compile_kernels

    compile_kernels(lambda line: None, lambda text, fraction: say(**{PROGRESS: fraction, TEXT: text}))
    say(**{PROGRESS: 1.0, TEXT: ""})
    count = 0
    while (choice := choices.take()) is not None:
        count += 1
        file = folder / f"{count % 2}.npy"
        try:
            os.chdir(choice.get("folder") or ".")  # names of files are relative to the folder of the user
            np.save(file, picture(choice))
            say(**{PICTURE: str(file), CHOICE: choice})
        except (JounceError, OSError) as error:
            say(**{TROUBLE: str(error).partition("\n")[0], CHOICE: choice})
    return 0


def picture(options: Mapping[str, Any]) -> Any:
    """Return the picture (height, width, 3) of a choice, given as options of `jounce drive`. Raises JounceError."""
    from simulator.builder.builder import build, view_geometry
    from simulator.configuration.configuration import configuration
    from simulator.configuration.overrides import option, read_settings
    from simulator.view.make_terrain_data import make_terrain_data
    from simulator.view.offscreen import Offscreen

    named = [one for name in ("vehicle", "terrain", "maneuver") for one in option(f"--{name}", name, options.get(name))]
    parts = build(configuration(options.get("session"), [*named, *read_settings(options.get("set", ()))]))
    if parts.maneuver is None:
        parts.vehicle.reset(parts.ground.arrays, *parts.ground.spawn)
        state = parts.vehicle.readout
    else:
        session = parts.session(parts.maneuver_driver())
        session.reset()
        session.publish()
        state = session.readout
    geometry = view_geometry(parts.vehicle)
    view = Offscreen(*SIZE, make_terrain_data(parts.ground, parts.options.weather), geometry, samples=4)
    try:
        view.scene.instruments = False
        length = float(np.asarray(geometry["outline"])[0])
        middle, sun = view.scene.vehicle_middle, view.scene.light.sun
        view.scene.camera.shot = lambda p_WB, R_WB, *_: shot(p_WB + R_WB @ middle, R_WB, length, sun)  # type: ignore[method-assign]
        return view.render(state)
    finally:
        view.close()


def shot(p_W: Any, R_WB: Any, length: float, sun: Any) -> Shot:
    """Return the camera that looks at a vehicle with its middle at p_W, at the side on which the sun shines."""
    heading = math.atan2(R_WB[1, 0], R_WB[0, 0]) + math.copysign(AZIMUTH, float(R_WB[:, 1] @ sun))
    c, s = math.cos(heading), math.sin(heading)
    eye = p_W + LENGTHS * length * np.array((c * math.cos(ELEVATION), s * math.cos(ELEVATION), math.sin(ELEVATION)))
    left = ASIDE * length * np.array((s, -c, 0.0))  # as seen from the camera, which looks against the azimuth
    return Shot(eye, look_at(eye, p_W + left), ANGLE, 0.3)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
