"""Rendering of lamps at night: the light that they throw, and their glow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.gl_objects import Mesh, Program
from simulator.view.lamps import OWN_BEAM, Glow, StreetLamps, VehicleLamps, low_beams, put_lamps, street_glow, street_lights, vehicle_glow
from simulator.view.object_culling import ObjectItems
from simulator.view.object_data import ObjectData
from simulator.view.other_vehicles import OtherVehicles

CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]])


class Lamps:
    """Lamps of a scene at night.

    Parameters
    ----------
    own : lamps of the vehicle
    most : maximum number of lamps that light the surroundings
    """

    def __init__(self, own: VehicleLamps, data: ObjectData, most: int) -> None:
        self._own, self._most = own, most
        self._program = Program("glow")
        self._mesh = Mesh(CORNERS, (2,), instance=(4, 3))
        self._glow: list[Glow] = []
        self.show(data)

    def show(self, data: ObjectData) -> None:
        """Show the street lamps of other objects from now on."""
        self._street = StreetLamps(data)

    def place(
        self, block: NDArray[Any], pose: tuple[NDArray, NDArray], stop: float, items: ObjectItems, others: OtherVehicles, eye: NDArray
    ) -> None:
        """Write the lamps that light the surroundings into the block of light. pose: p_WB, R_WB; stop: lit stop lamps."""
        p, R = pose[0][None], pose[1][None]
        street = self._street.places(items)
        rows, glows = [street_lights(street)], [street_glow(street, eye), vehicle_glow(self._own, p, R, np.array([stop]), eye)]
        for lamps, p_WB, R_WB, stops in others.lamps():
            rows.append(low_beams(lamps, p_WB, R_WB))
            glows.append(vehicle_glow(lamps, p_WB, R_WB, stops, eye))
        put_lamps(block, low_beams(self._own, p, R, OWN_BEAM), np.vstack(rows), eye, self._most)
        self._glow = glows

    def draw(self, clip_of_world: NDArray, eye: NDArray, axes: NDArray, pixel: float) -> None:
        """Draw the glow over the image. axes: of the camera in W (3, 3); pixel: size of a pixel at a distance of 1 m [m]."""
        glow = [np.concatenate(one) for one in zip(*self._glow, strict=True)]
        if not len(glow[0]):
            return
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE)
        gl.glDepthMask(gl.GL_FALSE)
        self._program.use().set(clip_of_world=clip_of_world, eye=eye, right=axes[:, 0], up=axes[:, 1], pixel=pixel)
        self._mesh.upload_instances(np.hstack((glow[0], glow[2][:, None], glow[1])))
        self._mesh.draw_instances(len(glow[0]))
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)
