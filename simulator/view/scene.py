"""One image: ground, shadow, vehicle, sky, instruments, drawn from one state. The window and the offscreen surface both use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.records import Record
from simulator.view.bar_renderer import BarRenderer, ForceRenderer, PlatformRenderer
from simulator.view.bodies.kinds import body_of
from simulator.view.camera import Camera
from simulator.view.camera_obstacles import Obstacles
from simulator.view.cockpit_renderer import Cockpit
from simulator.view.detail import HIGH, LOW, MEDIUM, Detail
from simulator.view.dressings import dressings
from simulator.view.dressings.grass import Grass
from simulator.view.feature_renderer import Features
from simulator.view.gauges import Cluster
from simulator.view.ghost import Ghost
from simulator.view.gl_context import is_software
from simulator.view.gl_objects import LIGHT_BLOCK, Block, Frame, Mesh, NumberFrame, Program, Texture, TextureArray, renderer
from simulator.view.head_tracking import turned_shot
from simulator.view.instrument_renderer import Hud
from simulator.view.instruments import dials
from simulator.view.lamp_renderer import Lamps
from simulator.view.light import Light
from simulator.view.marker_posts import SIGHT, posts
from simulator.view.meshes import LAYOUT
from simulator.view.mirror_views import SIGHT as MIRROR_SIGHT
from simulator.view.object_changes import ObjectChanges
from simulator.view.object_data import ObjectData
from simulator.view.object_renderer import Objects
from simulator.view.other_vehicles import OtherVehicles
from simulator.view.particle_renderer import ParticleRenderer
from simulator.view.particle_sources import ParticleSources
from simulator.view.precipitation import Precipitation
from simulator.view.rut_tiles import RutTiles
from simulator.view.shot import Shot, clip_of_world, rotation
from simulator.view.skid_renderer import Skids
from simulator.view.surface_textures import surface_textures
from simulator.view.terrain_data import TerrainData
from simulator.view.terrain_renderer import Terrain
from simulator.view.textures import grain
from simulator.view.vehicle_geometry import checked_geometry
from simulator.view.vehicle_renderer import Vehicle
from simulator.view.vehicle_states import lamps

if TYPE_CHECKING:
    from simulator.view.display_windows import DisplayWindows

FAR_PLANE = 6000.0
"""m. Far plane."""


class Scene:
    """All objects on the graphics device. An OpenGL context must be active (simulator.view.gl_context).

    exact : True = for the images of sensors: fine meshes, no small object is left out, and neither marker posts nor particles, which only
        the window shows
    detail : level of detail; None: that of the renderer, or MEDIUM for sensors
    """

    def __init__(self, terrain: TerrainData, geometry: Mapping[str, Any], exact: bool = False, detail: Detail | None = None) -> None:
        geometry = checked_geometry(geometry)
        self._detail = detail = usual_detail(exact) if detail is None else detail
        self.light = Light.of(terrain.weather, terrain.convergence)
        Program.weather = self.light.defines(self._detail.lamps)
        self._lit, self._light_block = self.light.block(), Block(LIGHT_BLOCK)
        self._grain = Texture(grain(), gl.GL_REPEAT, fine=detail.fine_textures)
        self.objects = Objects(terrain.objects, self.light, detail, dressings(detail, exact), exact)
        self._layers = TextureArray(surface_textures(), detail.fine_textures)
        self._terrain = Terrain(terrain, self._grain, self._layers, self.light, detail, self.objects.any, exact)
        self.grass = Grass(terrain, detail, self.objects.any, self._terrain.ruts)
        """Grass near the camera, which hides the ground."""
        body = body_of(geometry)
        self._vehicle = Vehicle(geometry, body, self.light, detail, self.objects.any, exact)
        self._skids = Skids(terrain, geometry["tire_width"])
        self._others = OtherVehicles(terrain.objects, detail, self.light.sun, self.objects.any, exact)
        self._air = None if exact else ParticleRenderer(detail)
        self._sources = ParticleSources(terrain, geometry, self.light)
        self._sky = Program("sky")
        self._lamps = Lamps(self._vehicle.lamps, terrain.objects, detail.lamps) if self.light.lamps_lit else None
        mesh, self._post_groups, self._post_size = posts(terrain)
        self._posts = Mesh(mesh, LAYOUT) if len(mesh) and not exact else None
        self._features = Features(terrain.features, self.light, detail, self.objects.any) if len(terrain.features.mesh) else None
        self._precipitation = Precipitation(self.light, detail)
        self._screen = Mesh(np.array([[-1, -1], [3, -1], [-1, 3]]), (2,))
        self.camera = Camera(terrain, body.eye(geometry["p_BH"]), self._vehicle.middle, body.hood(), float(geometry["behind"]))
        self.camera.clear = Obstacles(self.objects.items).clear
        bars = BarRenderer()
        self._forces = ForceRenderer(bars, geometry, terrain)
        self._platform = PlatformRenderer(bars, geometry["platform_joints"], float(geometry["platform_height"]))
        self.camera.platform = self._platform.middle, 4.2 * self._platform.reach
        scales, manual = dials(float(geometry["governed_speed"]), bool(geometry["by_hand"])), bool(geometry["by_hand"])
        self.hud = Hud(scales)
        cluster = Cluster(scales, body.cabin.top_speed, float(geometry["motor_power"]))
        self.cockpit = Cockpit(body.cabin, cluster, manual, detail.fine_textures)
        self.instruments = True
        """Whether the instruments are drawn."""
        self.ghost: Ghost | None = None
        """Ghost of the drive; None without one."""
        self.head = np.zeros(6)
        """Pose of the driver's head from a tracker, see `simulator.view.head_tracking`."""
        self.displays: DisplayWindows | None = None
        """Windows of several screens; None: the image has one."""
        self.mark: Callable[[str], None] = _nothing
        """Called after each part of an image with its name, for measurements."""
        self.scale = 1.0
        """Size of the rendered image divided by that of the displayed image; the instruments always have full resolution."""
        self._inner: Frame | None = None

    @property
    def vehicle_middle(self) -> NDArray[np.float64]:
        """Center of the vehicle's body along its length, in B [m]."""
        return self._vehicle.middle

    @property
    def triangles(self) -> int:
        """Ground triangles in the last image."""
        return self._terrain.triangles

    def show_ruts(self, tiles: RutTiles) -> None:
        """Show rut tiles in all further images."""
        if self._terrain.ruts is not None and len(tiles.places):
            self._terrain.ruts.put(tiles)

    def smooth_out(self) -> None:
        """Remove all ruts from further images."""
        if self._terrain.ruts is not None:
            self._terrain.ruts.clear()

    def show_ghost(self, folder: Path) -> None:
        """Show the ghost of the drive with this folder in all further images, if the drive has one."""
        self.ghost = Ghost.of_drive(folder, self.light, self._detail)

    def show_objects(self, data: ObjectData) -> None:
        """Show other objects in all further images. Only a scene that began with objects has their shadows on the ground."""
        Program.weather = self.light.defines(self._detail.lamps)
        self.objects.show(data)
        self._others.show(data)
        self.camera.clear = Obstacles(self.objects.items).clear
        if self._lamps is not None:
            self._lamps.show(data)

    def move_objects(self, changes: ObjectChanges) -> None:
        """Move or remove objects in all further images."""
        if len(changes.rows):
            self.objects.apply(changes)

    def cut(self) -> None:
        """Note that the next state does not continue the last one: no smoothing of the camera, no particles from before."""
        self.camera.cut()
        self._forces.scale = 0.0
        if self._air is not None:
            self._air.particles.clear()

    def place_vehicles(self, states: Record) -> None:
        """Draw the other vehicles in these states (records of `simulator.view.vehicle_states.VEHICLE`) in all further images."""
        self._others.place(states, self.objects.items)

    def draw(self, state: Record, dt: float, target: int, width: int, height: int) -> Shot:
        """Draw a state (fields of STATE) into frame buffer `target`, dt seconds after the last image; return the camera."""
        self.hud.camera = self.camera.kind
        shot = self.camera.shot(state[0]["p_WB"], rotation(state[0]["q_WB"]), state, dt)
        self.hud.labels = []
        if self.camera.kind == "platform":
            self._draw_platform(shot, state, target, width, height)
        elif self.displays is not None:
            self.displays.draw(self, shot, state, FAR_PLANE, self.head[:3] if shot.inside else None)
        else:
            shot = turned_shot(shot, self.head) if shot.inside else shot
            self.draw_from(shot, state, target, width, height)
        if self.instruments:
            self.hud.draw(state, width, height)
            self.mark("instruments")
        return shot

    def _draw_platform(self, shot: Shot, state: Record, target: int, width: int, height: int) -> None:
        """Draw the motion platform in place of the world."""
        self._light_block.put(Light().block())  # the hall of the platform, by day
        self._let_fly(state)
        self._begin_image(target, width, height)
        view = clip_of_world(shot, width / height, FAR_PLANE)
        self._vehicle.bind_shadow()
        self.hud.labels = self._platform.draw(view, shot.eye, state)
        self._backdrop(view, shot)

    def _begin_image(self, target: int, width: int, height: int) -> None:
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(0, 0, width, height)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)

    def draw_from(self, shot: Shot, state: Record, target: int, width: int, height: int) -> None:
        """Draw a state from a camera into frame buffer `target`, without instruments."""
        p_WB, R_WB = state[0]["p_WB"], rotation(state[0]["q_WB"])
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        self._put_light(state, shot)
        self._let_fly(state)
        self._vehicle.place(p_WB, R_WB, state)
        self.cockpit.place(self._vehicle.pose, state[0])
        shadow = self._vehicle.cast_shadow()
        self.objects.place(float(state[0]["time"]), shot)
        shadow |= self.objects.shadows.uniforms
        self._vehicle.casters = self.objects.shadows.uniforms
        self.mark("shadows")
        view = clip_of_world(shot, width / height, FAR_PLANE)
        if shot.inside and shot.shows_vehicle:
            self._update_cockpit(view, shot, state, shadow)
            self.mark("mirrors and gauges")
        else:
            self.cockpit.forget_mirrors()
        inner = self._inner_frame(width, height)
        self._begin_image(inner.id if inner else target, inner.width if inner else width, inner.height if inner else height)
        self._vehicle_and_terrain(view, shot, state, shadow)
        if self.ghost is not None:
            self.ghost.draw(view, shot.eye, state)
        if self._air is not None:
            self._air.draw(view, shot)
        self._draw_panes(view, shot, shadow)
        if shot.xray:
            self.hud.labels = self._forces.draw(view, shot, state)
        if self._precipitation.falls:
            self._draw_weather(view, shot, state)
        if self._lamps is not None:
            lines = inner.height if inner else height
            self._lamps.draw(view, shot.eye, shot.R_WC, 2.0 / (float(np.linalg.norm(view[1, :3])) * lines))
        if inner:
            inner.copy_to(target, width, height)
            gl.glViewport(0, 0, width, height)
        self.mark("panes")

    def draw_numbers(self, shot: Shot, state: Record, frame: NumberFrame) -> None:
        """Draw the numbers of objects (1 + row; ground 0, nothing -1, own vehicle -2) and depths instead of colors; for an `exact` scene."""
        p_WB = state[0]["p_WB"]
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        self._put_light(state, shot)
        self._vehicle.place(p_WB, rotation(state[0]["q_WB"]), state)
        self.cockpit.place(self._vehicle.pose, state[0])
        self.objects.place(float(state[0]["time"]), shot)
        frame.begin()
        view = clip_of_world(shot, frame.width / frame.height, FAR_PLANE)
        with self._vehicle.numbers():
            self._draw_vehicle(view, shot)
            self._others.draw_numbers(view, shot.eye)
            self.objects.draw_numbers(view, shot.eye)
            if self._features is not None:
                self._vehicle.solid_in_world(view, shot.eye)
                self._features.draw_meshes(shot)
            self._terrain.draw_numbers(view, shot.eye, (float(p_WB[0]), float(p_WB[1])))

    def _update_cockpit(self, view: NDArray, shot: Shot, state: Record, shadow: dict[str, Any]) -> None:
        """Draw the images that the driver's place shows: gauges and mirrors."""
        self.cockpit.update_gauges(self.hud.settings.speed_unit)
        gl.glEnable(gl.GL_DEPTH_TEST)

        def draw(seen: Shot, aspect: float, inside: bool) -> None:
            clip = clip_of_world(seen, aspect, MIRROR_SIGHT)
            self.objects.shadows.bind()
            self._vehicle.draw_reflected(clip, seen.eye, self.cockpit if inside else None)
            self._world(clip, seen, state, shadow)
            self._vehicle.bind_shadow()
            self._others.draw_glass(clip, seen.eye, shadow)

        mark, self.mark = self.mark, _nothing
        self.cockpit.update_mirrors(shot, view, draw)
        self.mark = mark

    def _let_fly(self, state: Record) -> None:
        """Advance the particles to the time of a state."""
        time = float(state[0]["time"])
        if self._air is not None and time != self._air.particles.time:
            others = self._sources.of_others(time, self._others.states, state[0]["p_WB"])
            self._air.particles.advance(time, np.concatenate((self._sources.of_vehicle(state), others)))

    def _put_light(self, state: Record, shot: Shot) -> None:
        """Write the light at the time of a state for all shaders."""
        Program.weather = self.light.defines(self._detail.lamps)
        s = state[0]
        self._lit[0]["time"] = s["time"]
        if self._lamps is not None:
            pose = s["p_WB"], rotation(s["q_WB"])
            self._lamps.place(self._lit, pose, float(lamps(s)[0]), self.objects.items, self._others, shot.eye)
        self._light_block.put(self._lit)

    def _inner_frame(self, width: int, height: int) -> Frame | None:
        """Return the surface for an image that is rendered smaller than displayed; None at full size."""
        if self.scale >= 1.0:
            return None
        size = (round(width * self.scale), round(height * self.scale))
        if self._inner is None or (self._inner.width, self._inner.height) != size:
            if self._inner is not None:
                self._inner.delete()
            self._inner = Frame(*size, samples=1)
        return self._inner

    def _vehicle_and_terrain(self, view: NDArray, shot: Shot, state: Record, shadow: dict[str, Any]) -> None:
        # nearest first, so that hidden surfaces are not shaded
        self.objects.shadows.bind()
        self._draw_vehicle(view, shot)
        if shot.inside and shot.shows_vehicle:
            self.cockpit.draw_screens(view)
        self.mark("vehicle")
        self._roadside(view, shot)
        self._world(view, shot, state, shadow)

    def _world(self, view: NDArray, shot: Shot, state: Record, shadow: dict[str, Any]) -> None:
        """Draw all around the vehicle."""
        self._vehicle.bind_shadow()
        self._others.draw(view, shot.eye, shadow)
        self.mark("other vehicles")
        self.objects.draw(view, shot.eye, shadow)
        self.mark("objects")
        if self._features is not None:
            self._terrain.bind()
            self._features.draw(view, shot, shadow)
        self.mark("features")
        self._vehicle.bind_shadow()
        self.grass.draw(view, shot.eye, (float(state[0]["p_WB"][0]), float(state[0]["p_WB"][1])), shadow)
        self.mark("grass")
        self._draw_terrain(view, shot, state[0]["p_WB"], shadow)
        self._skids.draw(view, shot.eye, state)
        self.mark("terrain")
        self._backdrop(view, shot)
        self.mark("sky")

    def _draw_panes(self, view: NDArray, shot: Shot, shadow: dict[str, Any]) -> None:
        """Draw the transparent parts of the vehicles over the image."""
        self._vehicle.bind_shadow()
        self._others.draw_glass(view, shot.eye, shadow)
        if shot.xray:
            self._vehicle.draw_ghost(view, shot.eye)
        elif shot.shows_vehicle and not shot.inside:
            self._vehicle.draw_glass(view, shot.eye)

    def _draw_weather(self, view: NDArray, shot: Shot, state: Record) -> None:
        """Draw rain or snowfall, and drops on the windshield."""
        R_WB = rotation(state[0]["q_WB"])
        self._precipitation.draw(view, shot.eye, shot.R_WC, R_WB @ state[0]["v_WB_B"], float(state[0]["time"]), shot.inside)
        if shot.inside and shot.shows_vehicle:
            self._precipitation.draw_windshield(view, shot.eye, R_WB)

    def _draw_vehicle(self, view: NDArray, shot: Shot) -> None:
        """Draw the opaque parts of the vehicle."""
        if not shot.shows_vehicle:
            return
        if shot.xray:
            self._vehicle.draw_bare(view, shot.eye)
        elif shot.inside:
            self._vehicle.draw_inside(view, shot.eye, self.cockpit)
        else:
            self._vehicle.draw(view, shot.eye)

    def _draw_terrain(self, view: NDArray, shot: Shot, p_WB: NDArray, shadow: dict[str, Any]) -> None:
        self._vehicle.bind_shadow()
        self._terrain.draw(view, shot.eye, (float(p_WB[0]), float(p_WB[1])), shadow, self.objects.shadows.areas)

    def _roadside(self, view: NDArray, shot: Shot) -> None:
        if self._posts is None:
            return
        distance = np.hypot(*(self._post_groups - shot.eye[:2]).T)
        self._vehicle.solid_in_world(view, shot.eye)
        for k in np.nonzero(distance < SIGHT)[0]:
            first = int(k) * self._post_size
            self._posts.draw(first, min(self._post_size, self._posts.count - first))

    def _backdrop(self, view: NDArray, shot: Shot) -> None:
        fixed = np.eye(4)
        fixed[:3, 3] = shot.eye
        self._grain.bind(2)
        self._sky.use().set(world_of_clip=np.linalg.inv(view @ fixed), grain=2)
        self._screen.draw()


def _nothing(part: str) -> None:
    """Measure nothing."""


def usual_detail(exact: bool) -> Detail:
    """Return the level of detail without a setting; the images of sensors do not depend on the renderer."""
    return MEDIUM if exact else LOW if is_software(renderer()) else HIGH
