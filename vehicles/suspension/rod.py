"""Round rods of a suspension."""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def rod_inertia(n, axial, transverse):
    """Return the inertia (xx, yy, zz, xy, xz, yz) of a round rod along n."""
    e = axial - transverse
    return (
        transverse + e * n[0] * n[0],
        transverse + e * n[1] * n[1],
        transverse + e * n[2] * n[2],
        e * n[0] * n[1],
        e * n[0] * n[2],
        e * n[1] * n[2],
    )
