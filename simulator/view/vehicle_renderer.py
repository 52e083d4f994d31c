"""Rendering of the vehicle from a state: body, wheels on their hubs, and all suspension links between the points of the dynamics model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.records import Record
from simulator.view.bodies.contract import Body
from simulator.view.bodies.driver import arms, figure
from simulator.view.bodies.hmmwv_wheel import plain_wheel
from simulator.view.cockpit_renderer import Cockpit
from simulator.view.detail import Detail
from simulator.view.gl_objects import Mesh, Program, ShadowMap
from simulator.view.lamps import vehicle_lamps
from simulator.view.light import Light
from simulator.view.meshes import LAYOUT, capsule, coil, mirrored, simplified
from simulator.view.object_meshes import indexed
from simulator.view.object_shadows import UNIT_OF_CASTERS
from simulator.view.poses import pose, spin, steering_wheel_rotation
from simulator.view.sun_view import sun_view, texture_of_clip
from simulator.view.vehicle_geometry import bars
from simulator.view.vehicle_states import lamps, lit_signals

SHADOW_HALF = 3.6
"""m. Minimum half side of the square around the vehicle that contains its shadow."""
SHADOW_SIZE = 640
CASTER_CELL = 0.08
"""m. Size of the details that the body in the shadow map leaves out; about seven texels."""
OWN_NUMBER = -2
"""Number of the vehicle in an image of numbers, as in the hits of rays."""


class Vehicle:
    """Vehicle on the graphics device. casters: whether objects cast shadows on it; exact: whether `numbers` is used."""

    def __init__(
        self, geometry: Mapping[str, Any], body: Body, light: Light, detail: Detail, casters: bool = False, exact: bool = False
    ) -> None:
        self.geometry, self.body, self._sun = geometry, body, light.sun
        inside = body.fittings if body.lining is None else np.vstack((body.fittings, body.lining))
        parts = (body.shell, inside, body.glass, body.frame)
        self._shell, self._fittings, self._glass, self._frame = (_mesh(mesh) for mesh in parts)
        self._inner_shell = self._shell if body.inner_shell is None else _mesh(body.inner_shell)
        self._caster = _mesh(simplified(np.vstack((body.shell, body.fittings)), CASTER_CELL))
        self.lamps = vehicle_lamps(body.shell)
        radius, width = geometry["tire_radius"], geometry["tire_width"]
        left = body.wheel(float(radius[0]), float(width[0]))
        self._sizes = [np.diag([r / radius[0], w / width[0], r / radius[0], 1.0]) for r, w in zip(radius, width, strict=True)]
        self._wheels = (_mesh(left), _mesh(mirrored(left)))
        brake = None if body.caliper is None else body.caliper(float(radius[0]), float(width[0]))
        self._brakes = None if brake is None else (_mesh(brake), _mesh(mirrored(brake)))
        self._plain_wheel = _mesh(plain_wheel(float(radius[0]), float(width[0])))
        self._steering = _mesh(body.steering_wheel)
        self._eye = body.eye(geometry["p_BH"])
        self._figure, self._arms = _mesh(figure(self._eye)), arms(body, self._eye, 0.0)
        self._limb = Mesh(capsule(8, 1), (3, 3), instance=(4, 4, 3))
        fine, coarse = (capsule(), coil()), (capsule(6, 1), coil(per_turn=8, sides=4))
        self._near, self._far = ([Mesh(mesh, (3, 3), instance=(4, 4, 3)) for mesh in pair] for pair in (fine, coarse))
        self._links: tuple[NDArray[np.float32], ...] = ()
        plain = (*(() if detail.gloss else ("PLAIN",)), *(("CASTERS",) if casters else ()))
        matte = plain if detail.gloss else (*plain, "MATTE")
        self._solid, self._link = Program("solid", define=plain), Program("link", "solid", define=matte)
        self._matte = self._solid if detail.gloss else Program("solid", define=matte)
        """For parts that need no reflections at a low level of detail"""
        self._indoors = self._solid if detail.gloss else Program("solid", define=("PLAIN", "MATTE", "INDOORS"))
        """For the cabin as the driver sees it"""
        self._ghost, self._panes = Program("solid", define=("GHOST",)), Program("solid", define=("GLASS",))
        self._dark = Program("solid", "depth")
        self._translucent: Program | None = None
        self._numbers = (Program("solid", "number"), Program("link", "number")) if exact else None
        for program in (self._solid, self._matte, self._link, self._panes):
            program.use().set(shadow=4, casters=UNIT_OF_CASTERS)
        self._numbering = False
        self.casters: dict[str, Any] = {}
        """Uniforms of the shadows of objects."""
        self._shadow = ShadowMap(SHADOW_SIZE)
        low, high = body.shell[:, :3].min(axis=0), body.shell[:, :3].max(axis=0)
        self.middle = 0.5 * (low + high) * [1.0, 0.0, 0.0]
        """Center of the body along its length, in B"""
        self._shadow_half = max(SHADOW_HALF, 0.5 * float(np.linalg.norm(high - low)) + 0.3)
        self.shadow_of_world = np.eye(4)
        self._lamps = np.zeros(3)
        self._X_WB = np.eye(4)
        self._places = self._carriers = [np.eye(4)] * len(radius)
        self._wheel_X, self._right = np.eye(4), np.zeros(len(radius), bool)

    @property
    def pose(self) -> NDArray[np.float64]:
        """Matrix (4, 4) from B to W."""
        return self._X_WB

    def place(self, p_WB: NDArray, R_WB: NDArray, state: Record) -> None:
        """Set the state; call this before `cast_shadow` and `draw`."""
        s = state[0]
        self._X_WB, self._lamps = pose(R_WB, p_WB), np.array((*lamps(s), lit_signals(s["turn_signals"], float(s["time"]))), float)
        self._places = [
            self._X_WB @ pose(s["R_BK"][k] @ spin(float(s["wheel_angle"][k])), s["p_BK"][k]) @ size for k, size in enumerate(self._sizes)
        ]
        self._carriers = [self._X_WB @ pose(s["R_BK"][k], s["p_BK"][k]) @ size for k, size in enumerate(self._sizes)]
        angle = float(s["steering_wheel_angle"])
        turned = steering_wheel_rotation(self.body.steering_tilt, angle)
        self._arms = arms(self.body, self._eye, angle)
        self._wheel_X = self._X_WB @ pose(turned, self.body.steering_place)
        self._right = s["p_BK"][:, 1] < 0.0
        # a replay of a log without the points of the suspension has no links
        self._links = tuple(links[np.isfinite(links).all(axis=1)] for links in bars(self.geometry, state))

    def cast_shadow(self) -> dict[str, Any]:
        """Draw the shadow map; return the uniforms for the shadow on the ground."""
        center = self._X_WB[:3, 3] + self._X_WB[:3, :3] @ (self.middle + [0.0, 0.0, 0.1])
        view = sun_view(self._sun, center, self._shadow_half, self._shadow_half)
        self.shadow_of_world = texture_of_clip(view)
        self._shadow.begin()
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(1.5, 4.0)
        self._dark.use().set(clip_of_world=view, world_of_body=self._X_WB)
        self._caster.draw()
        for X in self._places:
            self._dark.set(world_of_body=X)
            self._plain_wheel.draw()
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        x = self._X_WB[:2, 0] / max(float(np.hypot(*self._X_WB[:2, 0])), 1e-6)
        return {"shadow_of_world": self.shadow_of_world, "under": (*center[:2], *x)}

    @contextlib.contextmanager
    def numbers(self) -> Iterator[None]:
        """Draw numbers with the shader `number` in place of colors: that of the vehicle, or 0 by `solid_in_world`."""
        assert self._numbers is not None
        colors = self._solid, self._link, self._matte, self._indoors
        self._numbering = True
        self._solid, self._link = self._numbers
        self._matte = self._indoors = self._solid
        for program in self._numbers:
            program.use().set(number=float(OWN_NUMBER))
        yield
        self._solid, self._link, self._matte, self._indoors = colors
        self._numbering = False

    def bind_shadow(self) -> None:
        """Bind the shadow map to the unit that the ground's shader uses."""
        self._shadow.bind(4)

    def draw(self, clip_of_world: NDArray, eye: NDArray) -> None:
        """Draw the opaque parts, seen from outside."""
        self._begin(clip_of_world, eye, 0.0)
        self._shell.draw()
        self._arms_and_wheel(self._matte)
        self._matte.set(world_of_body=self._X_WB)
        self._fittings.draw()
        self._figure.draw()
        self._solid.use()
        self._wheels_and_links(self._far)

    def draw_inside(self, clip_of_world: NDArray, eye: NDArray, cockpit: Cockpit) -> None:
        """Draw the parts that the driver sees from inside."""
        self._begin(clip_of_world, eye, 0.0)
        for program in (self._indoors, self._solid):
            program.use().set(sheltered=1.0)
        self._arms_and_wheel(self._indoors)
        cockpit.draw_solids(self._indoors, levers=not self._numbering)
        self._solid.use()
        self._inner_shell.draw()

    def draw_reflected(self, clip_of_world: NDArray, eye: NDArray, cockpit: Cockpit | None) -> None:
        """Draw the parts that a mirror shows: sheet metal, and the cabin for a mirror inside it."""
        self._begin(clip_of_world, eye, 0.0)
        if cockpit is not None:
            cockpit.draw_reflected(self._matte.use())
            self._solid.use()
        self._inner_shell.draw()

    def _arms_and_wheel(self, program: Program) -> None:
        """Draw arms, and the steering wheel with a program, which is active afterwards. Images of numbers and depths have no arms, as rays meet none."""
        if not self._numbering:
            self._link.use()
            self._limb.upload_instances(self._arms)
            self._limb.draw_instances(len(self._arms))
        program.use().set(world_of_body=self._wheel_X)
        self._steering.draw()

    def draw_bare(self, clip_of_world: NDArray, eye: NDArray) -> None:
        """Draw the vehicle without body, in lamp light."""
        self._begin(clip_of_world, eye, 0.8)
        self._wheels_and_links(self._near)

    def solid_in_world(self, clip_of_world: NDArray, eye: NDArray) -> Program:
        """Prepare drawing of solids with corners in W."""
        self._begin(clip_of_world, eye, 0.0)
        return self._matte.use().set(world_of_body=np.eye(4), number=0.0, outdoors=1.0)

    def _begin(self, clip_of_world: NDArray, eye: NDArray, lamp: float) -> Program:
        self.bind_shadow()
        common = {"clip_of_world": clip_of_world, "eye": eye, "shadow_of_world": self.shadow_of_world, "lamp": lamp}
        common |= self.casters
        self._link.use().set(world_of_body=self._X_WB, **common)
        for program in (self._matte, self._indoors, self._solid):
            program.use().set(world_of_body=self._X_WB, lamps=self._lamps, outdoors=0.0, sheltered=0.0, **common)
        return self._solid

    def _wheels_and_links(self, links_as: list[Mesh]) -> None:
        self._frame.draw()
        for k, X in enumerate(self._places):
            self._solid.set(world_of_body=X)
            self._wheels[int(self._right[k])].draw()
            if self._brakes is not None:
                self._solid.set(world_of_body=self._carriers[k])
                self._brakes[int(self._right[k])].draw()
        self._link.use()
        for mesh, links in zip(links_as, self._links, strict=True):
            mesh.upload_instances(links)
            mesh.draw_instances(len(links))

    def draw_glass(self, clip_of_world: NDArray, eye: NDArray) -> None:
        """Draw the window panes over the image."""
        self._see_through(self._panes, self._glass, clip_of_world, eye)

    def draw_ghost(self, clip_of_world: NDArray, eye: NDArray) -> None:
        """Draw the body as a transparent outline."""
        gl.glDepthMask(gl.GL_FALSE)
        self._see_through(self._ghost, self._shell, clip_of_world, eye)
        gl.glDepthMask(gl.GL_TRUE)

    def draw_translucent(self, clip_of_world: NDArray, eye: NDArray, opacity: float) -> None:
        """Draw the vehicle over the image with an opacity from 0 to 1; only its nearest surfaces are visible."""
        if self._translucent is None:
            self._translucent = Program("solid", define=("TRANSLUCENT",))
        gl.glColorMask(False, False, False, False)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(1.0, 1.0)  # the two programs may round depths differently
        self._draw_solids(self._dark.use().set(clip_of_world=clip_of_world))
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glColorMask(True, True, True, True)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._draw_solids(self._translucent.use().set(clip_of_world=clip_of_world, eye=eye, opacity=opacity))
        gl.glDisable(gl.GL_BLEND)

    def _draw_solids(self, program: Program) -> None:
        """Draw body and wheels with the active program."""
        program.set(world_of_body=self._X_WB)
        self._shell.draw()
        self._fittings.draw()
        for k, X in enumerate(self._places):
            program.set(world_of_body=X)
            self._wheels[int(self._right[k])].draw()

    def _see_through(self, program: Program, mesh: Mesh, clip_of_world: NDArray, eye: NDArray) -> None:
        self.bind_shadow()
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glEnable(gl.GL_CULL_FACE)
        program.use().set(clip_of_world=clip_of_world, eye=eye, shadow_of_world=self.shadow_of_world, world_of_body=self._X_WB)
        mesh.draw()
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)


def _mesh(mesh: NDArray) -> Mesh:
    """Return a mesh of bodies on the graphics device, with shared vertices."""
    vertices, indices = indexed(mesh)
    return Mesh(vertices, LAYOUT, indices)
