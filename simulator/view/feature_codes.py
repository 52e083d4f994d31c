"""Codes of the surfaces of features, in place of the gloss of a mesh; below GROUND the number of a layer, in the color of the mesh."""

from __future__ import annotations

GROUND = 32.0
"""From here on the bare ground with its grass, + `ground_cover.soil_code`."""
MARKING, SLABS = 512.0, 1024.0
"""Paint on a pavement; slabs of concrete, + the distance along the line in m."""
SLAB = 1.2
"""m. Distance between the joints of the stones of curbs and of the slabs of sidewalks."""
CODE_DEFINES = (f"GROUND {GROUND}", f"MARKING {MARKING}", f"SLABS {SLABS}", f"SLAB {SLAB}")
"""Codes for shaders."""
