"""Puncture: a tire loses its inflation pressure, down to running on the rim.

With the inflation pressure p, its value p_0 of the file, the carcass pressure p_c of the tire, and the fraction r of the carcass pressure
that is left (the side walls of a flat tire fold),

    s = (p + r p_c) / (p_0 + p_c)            carried load over that at p_0, at equal deflection [Wong 2008, section 2.7]
    radial stiffness      c s                the rim is reached at `bottoming_radius`
    cornering stiffness   C s^m              slopes of the horizontal forces over slip, along and across
    rolling resistance    f s^-n             power of the pressure, as in SAE J2452 (usual exponents for a tire with air: 0.3 to 0.5 [mem])
    friction              mu (1 - level (1 - k))

m and n follow from the values of the flat tire. These are assumed: a tenth in rolling resistance, a quarter of the cornering stiffness and
0.7 of the friction; tests of flat tires on different rims differ by a factor of two.
"""

from __future__ import annotations

import math

from simulator.base.fields import Field, Number
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets
from simulator.faults.wheels import WHEEL, wheel_of
from vehicles.tires.parameters import deflection_at

USUAL_PRESSURE = 200e3
"""Pa. Inflation pressure of a tire whose file has none."""
FRACTION = Number("1", 0.01, 1.0)


class Puncture:
    """Loss of pressure of one tire."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._wheel = wheel_of(values, context)
        tire = context.vehicle.tires.shared[self._wheel]
        self._full = float(tire["inflation_pressure"] or tire["nominal_pressure"] or USUAL_PRESSURE)
        self._carcass, self._resistance = float(tire["carcass_pressure"]), float(tire["rolling_resistance"])
        self._values = values
        if values["pressure"] >= self._full:
            raise values.error("pressure", "less than the inflation pressure of the tire, {}", self._full)

    def share(self, level: float) -> float:
        """Return the load that the tire carries over that of the inflated tire, at equal deflection."""
        pressure = self._full + level * (self._values["pressure"] - self._full)
        left = 1.0 + level * (self._values["carcass"] - 1.0)
        return (pressure + left * self._carcass) / (self._full + self._carcass)

    def apply(self, level: float, on: FaultTargets) -> None:
        """Change the parameters of the tire."""
        share, values, i = self.share(level), self._values, self._wheel
        logarithm = math.log(share) / math.log(self.share(1.0))
        tires = on.parameters.model.tires
        tire = tires[i : i + 1]
        tire["stiffness"] *= share
        tire["stiffness_growth"] *= share
        tire["friction"] /= 1.0 + level * (values["friction"] - 1.0)
        if self._resistance > 0.0:
            tire["rolling_resistance"] *= max(values["rolling_resistance"] / self._resistance, 1.0) ** logarithm
        tire["give"] = deflection_at(tire, float(tire[0]["strength"]))
        on.parameters.soften_tread(i, float(values["cornering_stiffness"] ** logarithm))


KIND = FaultKind(
    "puncture",
    (
        WHEEL,
        Field("pressure", Number("Pa", 0.0, 1e6), "inflation pressure that is left", 0.0),
        Field("carcass", FRACTION, "fraction of the carcass pressure that is left, because the side walls fold", 0.3),
        Field("cornering_stiffness", FRACTION, "cornering stiffness of the flat tire over that of the inflated one", 0.25),
        Field(
            "rolling_resistance", Number("1", 0.0, 1.0), "rolling resistance of the flat tire, if larger than that of the inflated one", 0.1
        ),
        Field("friction", FRACTION, "friction of the flat tire over that of the inflated one", 0.7),
    ),
    Puncture,
    ramp=3.0,
    subject=("wheel",),
    meaning="loss of inflation pressure of a tire, down to running on the rim",
)
