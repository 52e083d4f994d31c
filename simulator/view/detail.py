"""Levels of detail of an image: what a software renderer can draw in time, and what a graphics card can."""

from __future__ import annotations

from typing import NamedTuple


class Detail(NamedTuple):
    """Level of detail of a scene."""

    terrain_cells: int
    """Cells along a side of a tile of the terrain"""
    rut_cells: int
    """Cells along a side of a block of the mesh of ruts"""
    object_triangles: int
    """Maximum number of triangles of objects in an image; the farthest objects are left out"""
    shadow_half: float
    """m. Half side of the square that contains the shadows of objects"""
    shadow_size: int
    """Texels along a side of the map of these shadows"""
    vehicle_angle: float
    """rad. Angle at the camera below which details of the body of another vehicle are left out; 0.002: about two pixels of 720 lines"""
    fine_textures: bool
    """True: textures are filtered along the line of sight, too; a software renderer needs ten times as long for it"""
    fine_ground: bool
    """True: the surface of the ground has a second texture, larger and turned, so that no repetition shows"""
    gloss: bool
    """True: bodies of vehicles reflect sky and sun"""
    tree_meshes: int
    """Maximum number of plants around the camera that are drawn as meshes; images are drawn of the others"""
    tree_sight: float
    """m. Maximum distance of these plants"""
    fine_plants: bool
    """True: plants near the camera have many small leaves and move in the wind"""
    grass: float
    """1/m2. Maximum number of tufts of grass and small plants on soil around the camera"""
    particles: int
    """Maximum number of particles of dust, spray and smoke"""
    particle_area: float
    """Maximum area of all particles, divided by that of the image; the smallest share of them is left out beyond"""
    lamps: int
    """Maximum number of lamps that light the surroundings at night"""
    drops: int
    """Number of drops or flakes in heavy rain or snowfall"""


LOW = Detail(
    terrain_cells=8, rut_cells=32, object_triangles=30_000, shadow_half=40.0, shadow_size=1024, vehicle_angle=0.004,
    fine_textures=False, fine_ground=False, gloss=False, tree_meshes=16, tree_sight=40.0, fine_plants=False, grass=1.5,
    particles=300, particle_area=0.9, lamps=5, drops=300,
)  # fmt: skip
"""For a software renderer with few cores."""
MEDIUM = Detail(
    terrain_cells=16, rut_cells=65, object_triangles=300_000, shadow_half=60.0, shadow_size=2048, vehicle_angle=0.003,
    fine_textures=False, fine_ground=True, gloss=True, tree_meshes=200, tree_sight=70.0, fine_plants=False, grass=4.0,
    particles=1000, particle_area=3.0, lamps=8, drops=1000,
)  # fmt: skip
"""For a weak graphics card, or a software renderer with many cores; also that of the sensors, whose images then do not depend on the machine."""
HIGH = Detail(
    terrain_cells=16, rut_cells=65, object_triangles=4_000_000, shadow_half=80.0, shadow_size=2048, vehicle_angle=0.002,
    fine_textures=True, fine_ground=True, gloss=True, tree_meshes=1200, tree_sight=120.0, fine_plants=True, grass=8.0,
    particles=3000, particle_area=20.0, lamps=16, drops=2500,
)  # fmt: skip
"""For a graphics card."""
LEVELS = {"low": LOW, "medium": MEDIUM, "high": HIGH}
"""Levels by name, from the fastest."""
