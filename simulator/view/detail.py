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
    """True: textures are filtered along the line of sight, too"""
    gloss: bool
    """True: bodies of vehicles reflect sky and sun"""
    lamps: int
    """Maximum number of lamps that light the surroundings at night"""
    drops: int
    """Number of drops or flakes in heavy rain or snowfall"""


LOW = Detail(8, 32, 30_000, 40.0, 1024, 0.004, fine_textures=False, gloss=False, lamps=5, drops=300)
"""For a software renderer."""
HIGH = Detail(16, 65, 4_000_000, 80.0, 2048, 0.002, fine_textures=True, gloss=True, lamps=16, drops=2500)
"""For a graphics card."""
