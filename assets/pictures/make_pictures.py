"""Makes the pictures of the start screen: cars on the flat ground, worlds with the sedan or the HMMWV, courses, rendered by Jounce itself.

Run it from the root of a checkout: python assets/pictures/make_pictures.py [NAME ...]. Needs EGL, as `jounce render` does. See README.md.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import jounce
from simulator.builder.builder import build, view_geometry
from simulator.configuration.configuration import configuration
from simulator.start_screen.choice import CARS, COURSES, WORLDS
from simulator.view.offscreen import Offscreen
from simulator.view.shot import Shot, look_at, rotation

SIZE = (256, 144)
"""Pixels of a picture; rendered at twice this size."""
CAR_VIEW = (-0.62, 6.6, 0.16, 30.0)
"""Azimuth from ahead [rad], distance [m], elevation [rad] and vertical angle of view [deg] of the camera of a car."""
WORLD_VIEWS = {
    "town": (2.75, 13.0, 0.22, 50.0),
    "forest": (-2.95, 13.0, 0.20, 50.0),
    "hills": (2.7, 16.0, 0.22, 55.0),
    "dunes": (2.6, 17.0, 0.20, 55.0),
    "proving_ground": (0.35, 15.0, 0.30, 55.0),
    "circuit": (2.85, 14.0, 0.22, 50.0),
}
"""As CAR_VIEW, for a world."""
COURSE_VIEWS = {
    "circuit_race": (2.95, 12.0, 0.22, 55.0),
    "autocross": (2.85, 11.0, 0.30, 60.0),
    "hill_trial": (2.75, 14.0, 0.25, 60.0),
    "forest_chase": (-3.0, 11.0, 0.22, 55.0),
}
"""As CAR_VIEW, for a course."""
ON_ROAD = ("town", "circuit")
"""Worlds that are shown with the sedan, the others with the HMMWV."""


def main(names: list[str]) -> None:
    """Write the pictures of the named cars and worlds, by default all."""
    for car in CARS:
        if not names or car in names:
            draw(car, "flat", CAR_VIEW, f"vehicle_{car}")
    for world in WORLDS:
        if not names or world in names:
            draw("sedan" if world in ON_ROAD else "hmmwv", world, WORLD_VIEWS[world], f"terrain_{world}")
    for course in COURSES:
        if not names or course in names:
            parts = build(configuration(course))
            session = parts.session(parts.maneuver_driver())
            session.reset()
            session.publish()
            save(parts.ground, view_geometry(parts.vehicle), session.readout, COURSE_VIEWS[course], f"course_{course}")


def draw(vehicle: str, terrain: str, place: tuple[float, float, float, float], name: str) -> None:
    """Write NAME.jpg: the vehicle at its start on the terrain."""
    simulation = jounce.Simulation(vehicle, terrain, changes={"sensors": []})
    simulation.advance(0.5)
    # the library offers the fields of the readout one by one
    save(simulation.ground, view_geometry(simulation.vehicle), simulation._session.readout, place, name)


def save(ground: Any, geometry: Any, state: Any, place: tuple[float, float, float, float], name: str) -> None:
    """Write NAME.jpg: the image of a state."""
    view = Offscreen(2 * SIZE[0], 2 * SIZE[1], ground, geometry)
    view.scene.instruments = False
    R_WB, middle = rotation(state[0]["q_WB"]), view.scene._vehicle.middle
    view.scene.camera.shot = lambda p_WB, *_: shot(p_WB + R_WB @ middle, R_WB, *place)  # type: ignore[method-assign]
    image = Image.fromarray(view.render(state)).resize(SIZE, Image.Resampling.LANCZOS)
    view.close()
    image.save(Path(__file__).parent / f"{name}.jpg", quality=88, optimize=True)
    print(name)


def shot(p_WB: Any, R_WB: Any, azimuth: float, distance: float, elevation: float, angle: float) -> Shot:
    """Return the camera at an azimuth from the heading of the vehicle, which looks at its middle."""
    heading = math.atan2(R_WB[1, 0], R_WB[0, 0]) + azimuth
    target = np.array(p_WB) + R_WB @ np.array((-0.2, 0.0, 0.1))
    eye = target + distance * np.array(
        (math.cos(heading) * math.cos(elevation), math.sin(heading) * math.cos(elevation), math.sin(elevation))
    )
    return Shot(eye, look_at(eye, target), math.radians(angle), 0.3)


if __name__ == "__main__":
    main(sys.argv[1:])
